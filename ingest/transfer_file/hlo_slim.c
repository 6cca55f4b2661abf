/* HLO modules without what does not communicate (xla/service/hlo.proto). */
#include "ingest/transfer_file/hlo_slim.h"

#include "ingest/bytes/idmap.h"
#include "ingest/bytes/wire.h"
#include "ingest/hlo/line.h"
#include "ingest/hlo/parts.h"

enum { KEEP_ALL = 1, KEEP_SHAPE };

/* Fields of an instruction that are read again: of those that communicate,
 * and of their operands. */
static bool field_kept(uint32_t number, uint32_t how)
{
	switch (number) {
	case 1:  /* name */
	case 2:  /* opcode */
	case 3:  /* shape */
	case 35: /* id */
		return true;
	case 26: /* channel_id */
	case 36: /* operand_ids */
	case 38: /* called_computation_ids */
	case 45: /* all_reduce_id */
	case 47: /* is_host_transfer */
	case 49: /* replica_groups */
	case 52: /* source_target_pairs */
	case 68: /* frontend_attributes */
	case 71: /* use_global_device_ids */
	case 87: /* collective_device_list */
		return how == KEEP_ALL;
	default:
		return false;
	}
}

struct slim {
	struct na_idmap kept; /* how, by instruction id */
	bool nomem;
};

static void mark(struct slim *s, int64_t id, uint32_t how)
{
	if (how == KEEP_SHAPE && na_idmap_at(&s->kept, id) == KEEP_ALL)
		return;
	s->nomem |= !na_idmap_set(&s->kept, id, how);
}

/* Containers but for async-start, which may wrap a collective. */
static bool communicates(const struct na_field *f)
{
	struct na_text x = na_text_under(&f->body);
	uint8_t phase, opcode = na_hlo_opcode_of(x.s, x.n, &phase);

	return opcode != NA_OPCODE_OTHER &&
	       (opcode != NA_OPCODE_CONTAINER ||
		(x.n > 6 && na_text_begins(x, "async-")));
}

static bool mark_operands(struct slim *s, struct na_cursor c)
{
	enum na_next next;
	struct na_field f;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		uint64_t id;

		if (f.tag == NA_TAG(36, NA_W_VARINT))
			mark(s, (int64_t)f.value, KEEP_SHAPE);
		if (f.tag != NA_TAG(36, NA_W_BYTES))
			continue;
		while (f.body.p < f.body.end) {
			if (!na_varint(&f.body, &id))
				return false;
			mark(s, (int64_t)id, KEEP_SHAPE);
		}
	}
	return next == NA_NEXT_END;
}

static bool mark_instruction(struct slim *s, struct na_cursor c, bool *first)
{
	struct na_cursor at = c;
	bool talks = false;
	enum na_next next;
	struct na_field f;
	int64_t id = 0;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(2, NA_W_BYTES))
			talks = communicates(&f);
		else if (f.tag == NA_TAG(35, NA_W_VARINT))
			id = (int64_t)f.value;
	}
	if (talks)
		mark(s, id, KEEP_ALL);
	else if (*first) /* a module has one at least */
		mark(s, id, KEEP_SHAPE);
	*first = false;
	return next == NA_NEXT_END && (!talks || mark_operands(s, at));
}

static bool mark_module(struct slim *s, struct na_cursor c)
{
	enum na_next next;
	struct na_field f, in;
	bool first = true;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(3, NA_W_BYTES))
			continue;
		while ((next = na_field_next(&f.body, &in)) == NA_NEXT_FIELD) {
			if (in.tag == NA_TAG(2, NA_W_BYTES) &&
			    !mark_instruction(s, in.body, &first))
				return false;
		}
		if (next == NA_NEXT_BAD)
			return false;
	}
	return next == NA_NEXT_END;
}

/* ---- what is kept, as it stands */

static void put_instruction(const struct slim *s, struct na_cursor c,
			    struct na_xf_bytes *to)
{
	struct na_xf_bytes m = {.p = NULL};
	struct na_cursor at = c;
	struct na_field f;
	int64_t id = 0;
	uint32_t how;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(35, NA_W_VARINT))
			id = (int64_t)f.value;
	}
	how = na_idmap_at(&s->kept, id);
	if (how != KEEP_ALL && how != KEEP_SHAPE)
		return;
	for (const uint8_t *from = at.p;
	     na_field_next(&at, &f) == NA_NEXT_FIELD; from = at.p) {
		if (field_kept(f.tag >> 3, how))
			na_xf_put(&m, from, (size_t)(at.p - from));
	}
	na_xf_put_message(to, 2, &m);
}

static void put_computation(const struct slim *s, struct na_cursor c,
			    struct na_xf_bytes *to)
{
	struct na_xf_bytes m = {.p = NULL};
	struct na_field f;

	for (const uint8_t *from = c.p; na_field_next(&c, &f) == NA_NEXT_FIELD;
	     from = c.p) {
		if (f.tag == NA_TAG(2, NA_W_BYTES))
			put_instruction(s, f.body, &m);
		else if (f.tag >> 3 == 1 || f.tag >> 3 == 5)
			na_xf_put(&m, from, (size_t)(c.p - from));
	}
	na_xf_put_message(to, 3, &m);
}

static void put_module(const struct slim *s, struct na_cursor c,
		       struct na_xf_bytes *to)
{
	struct na_xf_bytes m = {.p = NULL};
	struct na_field f;

	for (const uint8_t *from = c.p; na_field_next(&c, &f) == NA_NEXT_FIELD;
	     from = c.p) {
		uint32_t number = f.tag >> 3;

		if (f.tag == NA_TAG(3, NA_W_BYTES))
			put_computation(s, f.body, &m);
		else if (number == 1 || number == 2 || number == 5 ||
			 number == 6 || number == 15)
			na_xf_put(&m, from, (size_t)(c.p - from));
	}
	na_xf_put_message(to, 1, &m);
}

/* The module in a HloProto: the last one, as in any message. */
static bool module_of(struct na_cursor c, struct na_cursor *module)
{
	enum na_next next;
	struct na_field f;
	bool found = false;

	if (na_hlo_is_bare(c)) {
		*module = c;
		return true;
	}
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(1, NA_W_BYTES))
			continue;
		*module = f.body;
		found = true;
	}
	return found && next == NA_NEXT_END;
}

bool na_hlo_slim(const void *p, size_t n, struct na_xf_bytes *out)
{
	const uint8_t *at = p;
	struct na_cursor module = {.p = NULL};
	struct slim s = {.nomem = false};
	bool good = module_of((struct na_cursor){at, at + n, at}, &module) &&
		    mark_module(&s, module);

	if (good && !s.nomem)
		put_module(&s, module, out);
	out->failed |= s.nomem;
	na_idmap_fini(&s.kept);
	return good && !out->failed;
}
