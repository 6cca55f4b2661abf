/* bursts: what one block has kept, and what follows from all, between
 * processes. */
#include "netan/analyses/bursts/state.h"

/* ---- survey: bytes by group */

static void put_survey(struct na_serializer *to, const struct bursts_state *s)
{
	na_groups_pack(&s->groups, to);
	for (size_t i = 0; i < s->amounts.n; i++)
		na_pack_wide(to, s->amounts.v[i]);
}

static void get_survey(struct na_deserializer *from, struct bursts_state *s)
{
	size_t n;

	na_groups_unpack(&s->groups, &s->scope->by, s->scope->store, from);
	n = na_groups_count(&s->groups);
	for (size_t i = 0; !from->failed && i < n; i++)
		na_unpack_must(from, na_add(&s->amounts, na_unpack_sum(from)));
}

/* ---- keep: intervals */

static void put_kept(struct na_serializer *to, const struct bursts_state *s)
{
	na_pack_number(to, s->instants);
	na_early_pack(&s->clocks, to);
	for (size_t i = 0; i < s->shown.n; i++)
		na_pack_wide(to, s->rows[i].amount);
	na_bursts_kept_pack(&s->kept[BURSTS_TRANSFERS], to);
}

static void get_kept(struct na_deserializer *from, struct bursts_state *s)
{
	s->instants = na_unpack_tally(from);
	na_early_unpack(&s->clocks, from);
	for (size_t i = 0; i < s->shown.n; i++)
		s->rows[i].amount = na_unpack_sum(from);
	na_bursts_kept_unpack(&s->kept[BURSTS_TRANSFERS],
			      s->scope->store->n_sources, s->shown.n, from);
}

/* ---- gather: which transfers made the listed bursts */

static void put_gathered(struct na_serializer *to, const struct bursts_state *s)
{
	for (size_t i = 0; s->bursts && i < s->n_bursts; i++) {
		const struct bursts_burst *b = &s->bursts[i];

		if (!b->transfers)
			continue;
		na_pack_number(to, i + 1);
		na_pack_number(to, b->transfers);
		na_pack_wide(to, b->amount);
		na_pack_number(to, b->n_last);
		for (size_t k = 0; k < b->n_last; k++) {
			na_pack_signed(to, b->last[k].end_ps);
			na_pack_number(to, b->last[k].latency_ps);
			na_pack_number(to, b->last[k].src);
			na_pack_number(to, b->last[k].dst);
		}
	}
	na_pack_number(to, 0);
}

static void get_burst(struct na_deserializer *from, struct bursts_burst *b,
		      size_t n_endpoints)
{
	b->transfers = na_unpack_tally(from);
	b->amount = na_unpack_sum(from);
	b->n_last = na_unpack_index(from, BURSTS_LAST + 1);
	for (size_t k = 0; k < b->n_last; k++) {
		struct bursts_end *e = &b->last[k];

		e->end_ps = na_unpack_signed(from);
		e->latency_ps = na_unpack_number(from);
		e->src = (uint32_t)na_unpack_index(from, n_endpoints);
		e->dst = (uint32_t)na_unpack_index(from, n_endpoints);
	}
}

static void get_gathered(struct na_deserializer *from, struct bursts_state *s)
{
	size_t n = s->main->n_bursts, i;

	s->bursts = na_calloc(n, sizeof(*s->bursts));
	s->n_bursts = s->bursts ? n : 0;
	na_unpack_must(from, s->bursts != NULL);
	while ((i = na_unpack_index(from, n + 1)) > 0)
		get_burst(from, &s->bursts[i - 1],
			  s->scope->store->names.n_endpoints);
}

/* ---- what rank 0 decides: rows; bursts */

static void put_rows(struct na_serializer *to, const struct bursts_state *s)
{
	na_groups_pack(&s->groups, to);
	na_pack_number(to, s->shown.n);
	for (size_t i = 0; i < s->amounts.n; i++)
		na_pack_number(to, s->shown.row_of[i]);
}

static void get_rows(struct na_deserializer *from, struct bursts_state *s)
{
	size_t n;

	na_groups_unpack(&s->groups, &s->scope->by, s->scope->store, from);
	n = na_groups_count(&s->groups);
	s->shown.n = na_unpack_index(from, n + 1);
	s->shown.row_of = na_calloc(n, sizeof(*s->shown.row_of));
	na_unpack_must(from, s->shown.row_of != NULL);
	for (size_t i = 0; !from->failed && i < n; i++)
		s->shown.row_of[i] = (uint32_t)na_unpack_index(from,
							       s->shown.n);
}

static void put_bursts(struct na_serializer *to, const struct bursts_state *s)
{
	na_pack_number(to, s->n_bursts);
	for (size_t i = 0; i < s->n_bursts; i++) {
		na_pack_signed(to, s->bursts[i].b.from_ps);
		na_pack_signed(to, s->bursts[i].b.to_ps);
	}
}

static void get_bursts(struct na_deserializer *from, struct bursts_state *s)
{
	size_t n = na_unpack_count(from);

	s->bursts = na_calloc(n, sizeof(*s->bursts));
	na_unpack_must(from, s->bursts != NULL);
	for (; !from->failed && s->n_bursts < n; s->n_bursts++) {
		s->bursts[s->n_bursts].b.from_ps = na_unpack_signed(from);
		s->bursts[s->n_bursts].b.to_ps = na_unpack_signed(from);
	}
}

void na_bursts_pack(void *state, enum na_packed_state what, unsigned pass,
		    struct na_serializer *to)
{
	const struct bursts_state *s = state;
	enum bursts_stage stage = na_bursts_stage(s->scope, pass);

	if (what == NA_PACKED_BLOCK && stage == BURSTS_SURVEY)
		put_survey(to, s);
	else if (what == NA_PACKED_BLOCK && stage == BURSTS_KEEP)
		put_kept(to, s);
	else if (what == NA_PACKED_BLOCK)
		put_gathered(to, s);
	else if (what == NA_PACKED_TURNED && stage == BURSTS_SURVEY)
		put_rows(to, s);
	else if (what == NA_PACKED_TURNED && stage == BURSTS_KEEP)
		put_bursts(to, s);
}

void na_bursts_unpack(void *state, enum na_packed_state what, unsigned pass,
		      struct na_deserializer *from)
{
	struct bursts_state *s = state;
	enum bursts_stage stage = na_bursts_stage(s->scope, pass);

	if (what == NA_PACKED_BLOCK && stage == BURSTS_SURVEY)
		get_survey(from, s);
	else if (what == NA_PACKED_BLOCK && stage == BURSTS_KEEP)
		get_kept(from, s);
	else if (what == NA_PACKED_BLOCK)
		get_gathered(from, s);
	else if (what == NA_PACKED_TURNED && stage == BURSTS_SURVEY)
		get_rows(from, s);
	else if (what == NA_PACKED_TURNED && stage == BURSTS_KEEP)
		get_bursts(from, s);
}
