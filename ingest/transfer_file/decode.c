/* One block of a transfer file back into records. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/transfer_file/bytes.h"
#include "ingest/transfer_file/decode.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

static const struct na_xf_field order_fields[] = {
	{1, offsetof(struct na_xf_order, kind), XF_I64, 0},
	{2, offsetof(struct na_xf_order, time_ps), XF_I64, 0},
};
static const struct na_xf_kind order_kind = {sizeof(struct na_xf_order),
					     order_fields, 2};

/* ---- sections and columns */

struct section {
	uint64_t kind, n, raw_bytes;
	struct na_cursor packed;
};

static void parse_section(struct na_cursor c, struct section *s)
{
	struct na_field f;

	*s = (struct section){.kind = 0};
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			s->kind = f.value;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			s->n = f.value;
		else if (f.tag == NA_TAG(3, NA_W_VARINT))
			s->raw_bytes = f.value;
		else if (f.tag == NA_TAG(4, NA_W_BYTES))
			s->packed = f.body;
	}
}

static bool unpack(struct na_xf_decoding *d, const struct section *s,
		   uint8_t **buf, size_t *cap, struct na_cursor *out)
{
	size_t n;

	if (!s->packed.p || s->raw_bytes > XF_MAX_RAW_BYTES)
		return false;
	if (!na_grow(buf, cap, (size_t)s->raw_bytes + 1, 1)) {
		d->nomem = true;
		return false;
	}
	n = ZSTD_decompressDCtx(d->z, *buf, (size_t)s->raw_bytes, s->packed.p,
				na_left(&s->packed));
	*out = na_cursor_of(*buf, s->raw_bytes);
	return !ZSTD_isError(n) && n == s->raw_bytes;
}

struct column {
	uint64_t field, mode, unit;
	int64_t base;
	bool unknown;
	struct na_cursor data;
};

static void parse_column(struct na_cursor c, struct column *to)
{
	struct na_field f;

	*to = (struct column){.unit = 0};
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			to->field = f.value;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			to->mode = f.value;
		else if (f.tag == NA_TAG(3, NA_W_VARINT))
			to->base = na_xf_unzigzag(f.value);
		else if (f.tag == NA_TAG(4, NA_W_VARINT))
			to->unit = f.value;
		else if (f.tag == NA_TAG(5, NA_W_VARINT))
			to->unknown = f.value != 0;
		else if (f.tag == NA_TAG(6, NA_W_BYTES))
			to->data = f.body;
	}
}

/* All arithmetic is modulo 2^64, as the format says. */
static bool column_values(const struct column *c, int64_t unknown, int64_t *v,
			  size_t n)
{
	struct na_cursor at = c->data;
	uint64_t x, last = (uint64_t)c->base;

	for (size_t i = 0; i < n; i++) {
		if (c->mode == XF_CONSTANT) {
			v[i] = c->base;
			continue;
		}
		if (!at.p || !na_varint(&at, &x))
			return false;
		if (c->mode == XF_DELTA) {
			last += c->unit * (uint64_t)na_xf_unzigzag(x);
			v[i] = (int64_t)last;
		} else if (c->unknown && x == 0) {
			v[i] = unknown;
		} else {
			v[i] = (int64_t)((uint64_t)c->base +
					 c->unit * (x - c->unknown));
		}
	}
	return at.p == at.end && c->mode <= XF_DELTA;
}

static const struct na_xf_field *field_of(const struct na_xf_kind *k,
					  uint64_t number)
{
	for (size_t i = 0; i < k->n_fields; i++) {
		if (k->fields[i].number == number)
			return &k->fields[i];
	}
	return NULL;
}

static bool read_columns(struct na_xf_decoding *d, struct na_cursor c,
			 const struct na_xf_kind *k, void *rows, size_t n)
{
	size_t columns = 0;
	enum na_next next;
	struct na_field f;

	if (!na_grow(&d->values, &d->values_cap, n, sizeof(*d->values))) {
		d->nomem = true;
		return false;
	}
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		const struct na_xf_field *to;
		struct column col;

		if (f.tag != NA_TAG(1, NA_W_BYTES))
			continue;
		parse_column(f.body, &col);
		to = field_of(k, col.field);
		if (!to)
			continue; /* of a later version */
		/* Each costs as much as all rows, and takes few bytes. */
		if (++columns > k->n_fields)
			return false;
		if (!column_values(&col,
				   na_xf_unknown((enum na_xf_type)to->type),
				   d->values, n))
			return false;
		na_xf_store(rows, k->size, to, d->values, n);
	}
	return next == NA_NEXT_END;
}

/* Rows of one kind, zeroed; NULL when there are too many. */
static void *new_rows(struct na_xf_decoding *d, const struct na_xf_kind *k,
		      uint64_t n)
{
	void *rows;

	if (n > XF_MAX_RECORDS || n * k->size > XF_MAX_RAW_BYTES - d->row_bytes)
		return NULL;
	rows = na_calloc((size_t)n + 1, k->size);
	d->nomem |= !rows;
	d->row_bytes += (size_t)n * k->size;
	return rows;
}

static bool read_kind(struct na_xf_decoding *d, const struct section *s)
{
	struct na_cursor c;

	if (!na_xf_kind_wanted(s->kind, d->wants))
		return true;
	if (d->rows[s->kind] || !unpack(d, s, &d->scratch, &d->scratch_cap, &c))
		return false;
	d->rows[s->kind] = new_rows(d, &na_xf_kinds[s->kind], s->n);
	d->n_rows[s->kind] = (size_t)s->n;
	return d->rows[s->kind] && read_columns(d, c, &na_xf_kinds[s->kind],
						d->rows[s->kind], (size_t)s->n);
}

static bool read_order(struct na_xf_decoding *d, const struct section *s)
{
	struct na_cursor c;

	if (d->order || !unpack(d, s, &d->scratch, &d->scratch_cap, &c))
		return false;
	d->order = new_rows(d, &order_kind, s->n);
	d->n_order = (size_t)s->n;
	return d->order &&
	       read_columns(d, c, &order_kind, d->order, (size_t)s->n);
}

static bool add_endpoint(struct na_xf_decoding *d, struct na_cursor c)
{
	struct na_xf_end e = {.slice = 0};
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT)) {
			e.slice = (int32_t)na_xf_unzigzag(f.value);
		} else if (f.tag == NA_TAG(2, NA_W_VARINT)) {
			e.device = (int32_t)na_xf_unzigzag(f.value);
		} else if (f.tag == NA_TAG(3, NA_W_BYTES)) {
			e.is_address = true;
			e.address = na_text_under(&f.body);
		}
	}
	/* INT32_MIN means an address, inside. */
	if (e.slice < 0 || e.device < 0)
		return false;
	d->nomem |= !na_add(&d->endpoints, e);
	return !d->nomem;
}

static bool read_names(struct na_xf_decoding *d, const struct section *s)
{
	struct na_xf_string x;
	enum na_next next;
	struct na_cursor c;
	struct na_field f;

	if (d->names || !unpack(d, s, &d->names, &d->names_cap, &c))
		return false;
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (d->strings.n + d->endpoints.n > 2 * XF_MAX_RECORDS)
			return false;
		if (f.tag == NA_TAG(2, NA_W_BYTES) && !add_endpoint(d, f.body))
			return false;
		if (f.tag != NA_TAG(1, NA_W_BYTES))
			continue;
		x = (struct na_xf_string){.text = na_text_under(&f.body)};
		if (!na_add(&d->strings, x)) {
			d->nomem = true;
			return false;
		}
	}
	return next == NA_NEXT_END;
}

static bool read_sections(struct na_xf_decoding *d)
{
	struct na_cursor c = d->b->content;
	enum na_next next;
	struct na_field f;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		struct section s;
		bool good = true;

		if (f.tag != NA_TAG(1, NA_W_BYTES))
			continue;
		parse_section(f.body, &s);
		if (s.kind == XF_NAMES)
			good = read_names(d, &s);
		else if (s.kind == XF_ORDER)
			good = read_order(d, &s);
		else if (s.kind < XF_N_KINDS)
			good = read_kind(d, &s);
		if (!good)
			return false;
	}
	return next == NA_NEXT_END;
}

/* ---- a block */

static void tell_damage(struct na_xf_decoding *d, uint64_t records,
			const char *what)
{
	char remark[160];

	snprintf(remark, sizeof(remark),
		 "block at byte %" PRIu64 ": %s; %" PRIu64 " record%s left out",
		 d->b->at, what, records, na_plural(records));
	d->sink->left_out(d->sink->ctx, NA_LEFT_DAMAGED, records);
	d->sink->warn(d->sink->ctx, d->b->at, remark);
}

static void decoding_fini(struct na_xf_decoding *d)
{
	ZSTD_freeDCtx(d->z);
	for (int k = 0; k < XF_N_KINDS; k++)
		free(d->rows[k]);
	free(d->names);
	free(d->scratch);
	free(d->values);
	na_vec_free(&d->strings);
	na_vec_free(&d->endpoints);
	free(d->order);
}

enum na_status na_xf_decode(const struct na_xf_block *b, uint32_t wants,
			    int64_t shift_ps, const struct na_sink *sink,
			    struct na_err *err)
{
	struct na_xf_decoding d = {.b = b,
				   .sink = sink,
				   .wants = wants,
				   .shift_ps = shift_ps,
				   .z = ZSTD_createDCtx()};
	enum na_status st = NA_OK;

	d.nomem = !d.z;
	if (!na_xf_crc_good(b)) {
		tell_damage(&d, b->records, "its checksum is wrong");
	} else if (!d.nomem && read_sections(&d)) {
		na_xf_tell_counts(&d);
		st = na_xf_emit(&d);
		if (d.damaged)
			tell_damage(&d, d.damaged, "values out of range");
	} else if (!d.nomem) {
		tell_damage(&d, b->records, "its content is malformed");
	}
	decoding_fini(&d);
	return d.nomem || st == NA_ENOMEM ? na_fail_nomem(err) : st;
}
