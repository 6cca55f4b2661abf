/* One instruction of a binary HLO module as a line for people. */
#include <inttypes.h>
#include <stdlib.h>

#include "ingest/hlo/proto.h"

enum { SHOWN_BYTES = 200 }; /* of one field */

/* clang-format off */
static const char *const field_names[] = {
	[8] = "literal", [9] = "parameter", [11] = "kind", [13] = "index",
	[14] = "dimensions", [15] = "window", [16] = "dim_labels",
	[17] = "slice", [20] = "dynamic_slice_sizes", [21] = "padding",
	[26] = "channel_id", [28] = "custom_call_target",
	[30] = "dot_dimensions", [32] = "fft_length",
	[34] = "slice_sizes", [37] = "control-predecessors",
	[38] = "calls", [40] = "sharding", [43] = "backend_config",
	[47] = "is_host_transfer", [49] = "replica_group",
	[50] = "feature_group_count", [51] = "operand_precision",
	[52] = "source_target_pair", [57] = "operand_shape",
	[58] = "batch_group_count", [63] = "direction",
	[67] = "indices_are_sorted", [68] = "frontend_attributes",
	[69] = "unique_indices", [71] = "use_global_device_ids",
	[72] = "type", [79] = "execution_thread", [87] = "replica_groups",
};
/* clang-format on */
enum { N_FIELD_NAMES = sizeof(field_names) / sizeof(field_names[0]) };

static void put_text(struct na_hlo_buf *b, const struct na_text *t)
{
	size_t n = t->n < SHOWN_BYTES ? t->n : SHOWN_BYTES;
	bool plain = true;

	for (size_t i = 0; plain && i < t->n; i++)
		plain = (uint8_t)t->s[i] >= 0x20 && t->s[i] != 0x7f;
	if (plain) {
		na_hlo_put(b, "\"", 1);
		na_hlo_put(b, t->s, n);
		na_hlo_put(b, "\"", 1);
	}
	if (!plain || n < t->n)
		na_hlo_putf(b, "#%016" PRIx64, na_hlo_hash(0, t->s, t->n));
}

static void put_places(struct na_hlo_proto *p, const struct na_field *f)
{
	struct na_hlo_module *m = p->r.m;
	struct na_cursor c = f->body;
	bool first = true, any = false;
	uint64_t id;

	na_hlo_put(&p->r.text, "{", 1);
	while (na_hlo_next_number(f, &c, &first, &id)) {
		bool calls = f->tag >> 3 == 38;
		uint32_t at = calls ? na_idmap_at(&p->computations,
						  na_hlo_key(id))
				    : na_hlo_instruction_of(p, id);
		size_t here = calls ? m->n_computations : m->n_instructions;

		na_hlo_put(&p->r.text, ",", any);
		any = true;
		if (at == NA_NO_NAME)
			na_hlo_put(&p->r.text, "?", 1);
		else
			na_hlo_putf(&p->r.text, "%+" PRId64,
				    na_hlo_back((uint32_t)here - 1, at));
	}
	na_hlo_put(&p->r.text, "}", 1);
}

static void put_numbers(struct na_hlo_buf *b, const struct na_field *f)
{
	struct na_cursor c = f->body;
	bool first = true, any = false;
	uint64_t x;

	na_hlo_put(b, "{", 1);
	while (na_hlo_next_number(f, &c, &first, &x)) {
		na_hlo_putf(b, "%s%" PRId64, any ? "," : "", (int64_t)x);
		any = true;
	}
	na_hlo_put(b, "}", 1);
}

static void put_attributes(struct na_hlo_buf *b, const struct na_field *f)
{
	struct na_hlo_pair *pairs;
	bool nomem;
	size_t n;

	na_hlo_attributes(f->body, &pairs, &n, &nomem);
	b->failed |= nomem;
	na_hlo_put(b, "{", 1);
	for (size_t i = 0; i < n; i++) {
		na_hlo_put(b, ",", i > 0);
		na_hlo_put(b, pairs[i].key.s, pairs[i].key.n);
		na_hlo_put(b, "=", 1);
		put_text(b, &pairs[i].value);
	}
	na_hlo_put(b, "}", 1);
	free(pairs);
}

static void put_pair(struct na_hlo_buf *b, struct na_cursor c)
{
	uint64_t from = 0, to = 0;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			from = f.value;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			to = f.value;
	}
	na_hlo_putf(b, "{%" PRId64 ",%" PRId64 "}", (int64_t)from, (int64_t)to);
}

static void put_value(struct na_hlo_proto *p, const struct na_field *f)
{
	struct na_hlo_buf *b = &p->r.text;
	struct na_text t = na_hlo_field_text(f);

	if ((f->tag & 7) == NA_W_VARINT &&
	    (f->tag >> 3 < 37 || f->tag >> 3 > 38))
		na_hlo_putf(b, "%" PRId64, (int64_t)f->value);
	else if ((f->tag & 7) != NA_W_BYTES && (f->tag & 7) != NA_W_VARINT)
		na_hlo_putf(b, "#%" PRIx64, f->value);
	else
		switch (f->tag >> 3) {
		case 14:
		case 20:
		case 32:
		case 34:
			put_numbers(b, f);
			break;
		case 37:
		case 38:
			put_places(p, f);
			break;
		case 49:
			na_hlo_group_text(b, f->body);
			break;
		case 52:
			put_pair(b, f->body);
			break;
		case 57:
			na_hlo_shape_text(b, f->body, 0);
			break;
		case 68:
			put_attributes(b, f);
			break;
		case 87:
			na_hlo_device_list_text(b, f->body);
			break;
		default:
			put_text(b, &t);
		}
}

void na_hlo_describe(struct na_hlo_proto *p, const struct na_hlo_instruction *x)
{
	const struct na_field *shape = na_hlo_field(p, NA_TAG(3, NA_W_BYTES));
	struct na_hlo_module *m = p->r.m;
	struct na_hlo_buf *b = &p->r.text;
	struct na_text opcode =
		na_hlo_field_text(na_hlo_field(p, NA_TAG(2, NA_W_BYTES)));

	b->n = 0;
	if (shape)
		na_hlo_shape_text(b, shape->body, 0);
	na_hlo_put(b, " ", 1);
	na_hlo_put(b, opcode.s, opcode.n);
	na_hlo_put(b, "(", 1);
	for (uint32_t i = 0; i < x->n_operands; i++) {
		uint32_t at = m->operands[x->first_operand + i];

		na_hlo_put(b, ", ", i ? 2 : 0);
		if (at == NA_NO_NAME)
			na_hlo_put(b, "?", 1);
		else
			na_hlo_putf(b, "%+" PRId64,
				    na_hlo_back((uint32_t)m->n_instructions - 1,
						at));
	}
	na_hlo_put(b, ")", 1);
	for (size_t i = 0; i < p->fields.n; i++) {
		const struct na_field *f = &p->fields.v[i];
		uint32_t n = f->tag >> 3;

		if (!na_hlo_field_counts(f) || n == 2 || n == 3 || n == 36)
			continue;
		if (n < N_FIELD_NAMES && field_names[n])
			na_hlo_putf(b, ", %s=", field_names[n]);
		else
			na_hlo_putf(b, ", field_%" PRIu32 "=", n);
		put_value(p, f);
	}
}
