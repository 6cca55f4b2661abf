/*
 * The programs that a trace ran: plane /host:metadata has no lines; each of
 * its event types carries a HloProto as a stat of bytes.
 *
 *   XEventMetadata  1 id  2 name "module(program_id)"  5 stats*
 *
 * Source: openxla/xla, xla/tsl/profiler/utils/xplane_schema.cc.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ingest/xspace/xspace.h"
#include "netan/base/similar.h"

/* Ids of the two stats; 0 is none, as no producer numbers one 0. */
struct stat_ids {
	int64_t proto, program;
};

struct program {
	struct na_text name;
	struct na_cursor proto;
	bool has_proto, has_id;
	uint64_t id;
};

static struct stat_ids find_stats(const struct na_xs_plane *p)
{
	struct stat_ids ids = {0, 0};
	struct na_cursor c = p->body, value;
	struct na_field f, in;
	int64_t key;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(5, NA_W_BYTES) ||
		    !na_xs_map_entry(f.body, &key, &value))
			continue;
		while (na_field_next(&value, &in) == NA_NEXT_FIELD) {
			const char *s = (const char *)in.body.p;
			size_t n = na_left(&in.body);

			if (in.tag != NA_TAG(2, NA_W_BYTES))
				continue;
			if (na_same_nocase(s, n, "Hlo Proto") ||
			    na_same_nocase(s, n, "hlo_proto"))
				ids.proto = key;
			else if (na_same_nocase(s, n, "program_id"))
				ids.program = key;
		}
	}
	return ids;
}

static void take_stat(struct program *to, const struct stat_ids *ids,
		      struct na_cursor c)
{
	struct na_field f, value = {.tag = 0};
	int64_t id = 0;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			id = (int64_t)f.value;
		else
			value = f;
	}
	if (!value.tag || !id)
		return;
	if (id == ids->proto && (value.tag == NA_TAG(6, NA_W_BYTES) ||
				 value.tag == NA_TAG(5, NA_W_BYTES))) {
		to->proto = value.body;
		to->has_proto = true;
	} else if (id == ids->program && (value.tag & 7) == NA_W_VARINT) {
		to->id = value.value;
		to->has_id = true;
	} else if (id == ids->program && (value.tag & 7) == NA_W_BYTES) {
		to->has_id = na_text_number(na_text_under(&value.body),
					    &to->id);
	}
}

/* "jit_step(123)": the name, and 123. */
static bool named_id(struct na_text *name, uint64_t *id)
{
	size_t open = name->n;

	if (!open || name->s[open - 1] != ')')
		return false;
	while (open && name->s[open - 1] != '(')
		open--;
	if (!open ||
	    !na_text_number(na_text_n(name->s + open, name->n - 1 - open), id))
		return false;
	name->n = open - 1;
	return true;
}

static bool read_entry(struct program *to, const struct stat_ids *ids,
		       struct na_cursor c, int64_t key)
{
	struct na_cursor value;
	enum na_next next;
	struct na_field f;
	uint64_t id = 0, in_name;

	*to = (struct program){.name = {"", 0}};
	if (!na_xs_map_entry(c, &key, &value))
		return false;
	id = (uint64_t)key;
	while ((next = na_field_next(&value, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			id = f.value;
		else if (f.tag == NA_TAG(2, NA_W_BYTES))
			to->name = na_text_under(&f.body);
		else if (f.tag == NA_TAG(5, NA_W_BYTES))
			take_stat(to, ids, f.body);
	}
	if (named_id(&to->name, &in_name))
		id = in_name;
	if (!to->has_id)
		to->id = id;
	return next == NA_NEXT_END;
}

static enum na_status plane_programs(struct na_input *in,
				     const struct na_xs_plane *p,
				     na_program_take take, void *ctx,
				     struct na_err *err)
{
	const struct stat_ids ids = find_stats(p);
	struct na_cursor c = p->body;
	enum na_status st = NA_OK;
	struct program x;
	struct na_field f;
	size_t broken = 0;

	while (st == NA_OK && na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(4, NA_W_BYTES))
			continue;
		if (!read_entry(&x, &ids, f.body, 0)) {
			broken++;
		} else if (x.has_proto) {
			struct na_program_bytes b = {x.name, x.id, x.proto.p,
						     na_left(&x.proto),
						     na_at(&x.proto)};

			st = take(ctx, &b, err);
		}
	}
	if (broken) {
		in->damaged = true;
		na_input_warn(in,
			      "plane \"/host:metadata\": %zu damaged entries, "
			      "whose programs are left out",
			      broken);
	}
	return st;
}

enum na_status na_xs_program_bytes(struct na_input *in, na_program_take take,
				   void *ctx, struct na_err *err)
{
	const struct na_xs_space *s = in->state;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < s->planes.n; i++) {
		if (s->planes.v[i].kind == XS_METADATA)
			st = plane_programs(in, &s->planes.v[i], take, ctx,
					    err);
	}
	return st;
}
