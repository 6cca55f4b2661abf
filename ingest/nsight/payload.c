/*
 * Payloads of NVTX ranges: a head of 32 bytes (domain, schema, sizes), then
 * the fields that NVTX_PAYLOAD_SCHEMA_ENTRIES lays out, little endian; or a
 * JSON object with these fields, by name.
 *
 * Sources: NVIDIA/nccl src/include/nvtx_payload_schemas.h and nvToolsExt
 * Payload.h (types); GindaChen/nsys-ai, its skill for NCCL payloads (the
 * head, as checked there against Nsight Systems 2026).
 */
#include "ingest/json/json.h"
#include "ingest/nsight/nsight.h"

#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/model/device.h"

enum { HEAD_BYTES = 32, SCHEMA_AT = 8 };

enum field {
	F_COMMUNICATOR,
	F_SIZE,
	F_PEER,
	F_RANKS,
	F_RANK,
	F_DEVICE,
	N_FIELDS
};
static const char *const field_names[N_FIELDS] = {
	"NCCL communicator ID",
	"Message size [bytes]",
	"Peer rank",
	"No. of ranks",
	"Rank",
	"CUDA device",
};

/* Bytes of an NVTX type, where it is an integer. */
static uint8_t width_of(int64_t type)
{
	switch (type) {
	case 5: /* int, unsigned int, int32, uint32 */
	case 6:
	case 15:
	case 16:
		return 4;
	case 7: /* long, long long, 64 bits, size_t */
	case 8:
	case 9:
	case 10:
	case 17:
	case 18:
	case 22:
		return 8;
	}
	return 0;
}

NA_ORDER(by_schema, struct na_ns_layout, NA_UP(domain), NA_UP(schema))

static enum na_status add_field(void *ctx, struct na_input *in,
				const struct na_ns_rows *row,
				struct na_err *err)
{
	struct na_text name = na_ns_text(row, P_NAME);
	struct na_ns_layout x = {.field = N_FIELDS};
	struct na_ns *ns = in->state;
	int64_t type, offset = 0; /* of the first field it is not told */

	(void)ctx;
	for (uint8_t i = 0; i < N_FIELDS; i++) {
		if (na_text_is(name, field_names[i]))
			x.field = i;
	}
	if (x.field == N_FIELDS || !na_ns_int(row, P_DOMAIN, &x.domain) ||
	    !na_ns_int(row, P_SCHEMA, &x.schema) ||
	    !na_ns_int(row, P_TYPE, &type))
		return NA_OK;
	na_ns_int(row, P_OFFSET, &offset);
	x.width = width_of(type);
	x.offset = (uint64_t)offset;
	if (!x.width || offset < 0)
		return NA_OK;
	return na_add(&ns->layouts, x) ? NA_OK : na_fail_nomem(err);
}

enum na_status na_ns_read_layouts(struct na_input *in, struct na_err *err)
{
	struct na_ns *ns = in->state;
	enum na_status st = na_ns_each(in, NS_PAYLOADS, add_field, NULL, err);

	na_sort(ns->layouts.v, ns->layouts.n, by_schema);
	return st;
}

static uint64_t little_endian(const char *p, size_t width)
{
	uint64_t x = 0;

	for (size_t i = width; i-- > 0;)
		x = x << 8 | (uint8_t)p[i];
	return x;
}

static void take(uint8_t field, uint64_t value, struct na_ns_range *to)
{
	switch (field) {
	case F_COMMUNICATOR:
		to->communicator = value;
		break;
	case F_SIZE:
		to->size_bytes = value;
		break;
	case F_PEER:
	case F_RANK:
		to->peer = value <= INT32_MAX ? (int32_t)value : -1;
		break;
	case F_RANKS:
		to->number = value <= INT32_MAX ? (int64_t)value : -1;
		break;
	case F_DEVICE:
		to->device = (uint32_t)value;
		break;
	}
}

bool na_ns_payload(const struct na_ns *ns, struct na_text blob, int64_t domain,
		   struct na_ns_range *to)
{
	const struct na_ns_layout *all = ns->layouts.v;
	size_t n = ns->layouts.n, first;
	struct na_text body;
	int64_t schema;

	if (blob.n < HEAD_BYTES)
		return false;
	schema = (int64_t)little_endian(blob.s + SCHEMA_AT, 4);
	body = na_text_from(blob, HEAD_BYTES);
	first = NA_BOUND(i, 0, n,
			 all[i].domain > domain || (all[i].domain == domain &&
						    all[i].schema >= schema));
	for (size_t i = first;
	     i < n && all[i].domain == domain && all[i].schema == schema; i++) {
		if (all[i].offset > body.n ||
		    all[i].width > body.n - all[i].offset)
			continue;
		take(all[i].field,
		     little_endian(body.s + all[i].offset, all[i].width), to);
	}
	return first < n && all[first].domain == domain &&
	       all[first].schema == schema;
}

/* Digits, which may be set apart: "1,048,576". */
static bool number_of(struct na_text text, uint64_t *x)
{
	size_t digits = 0;

	*x = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == ',')
			continue;
		if (!na_is_digit(text.s[i]) ||
		    __builtin_mul_overflow(*x, 10, x) ||
		    __builtin_add_overflow(*x, text.s[i] - '0', x))
			return false;
		digits++;
	}
	return digits > 0;
}

bool na_ns_payload_text(struct na_text json, struct na_ns_range *to)
{
	struct na_json j = na_json_of(json, 0);
	uint8_t field = N_FIELDS;
	bool any = false;
	uint64_t x;

	while (na_json_next(&j)) {
		if (j.kind == NA_JSON_KEY) {
			for (field = 0; field < N_FIELDS; field++) {
				if (na_json_is(&j, field_names[field]))
					break;
			}
		} else if ((j.kind == NA_JSON_STRING ||
			    j.kind == NA_JSON_NUMBER) &&
			   field < N_FIELDS && number_of(j.text, &x)) {
			take(field, x, to);
			any = true;
			field = N_FIELDS;
		}
	}
	return any;
}
