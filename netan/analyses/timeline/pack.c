/* timeline: what one block has seen, and the bins and rows that follow, between
 * processes.  Packets and ranks of GPU jobs stay with one. */
#include "netan/analyses/timeline/state.h"

enum { BINS_MAX = 1 << 22 };

/* ---- the first pass */

/* What some time covers, if there is any. */
static void put_cover(struct na_serializer *to, bool any, int64_t from_ps,
		      int64_t to_ps)
{
	na_pack_number(to, any);
	na_pack_signed(to, any ? from_ps : 0);
	na_pack_signed(to, any ? to_ps : 0);
}

static bool get_cover(struct na_deserializer *from, int64_t *from_ps,
		      int64_t *to_ps)
{
	bool any = na_unpack_index(from, 2);

	*from_ps = na_unpack_signed(from);
	*to_ps = na_unpack_signed(from);
	na_unpack_must(from, *from_ps <= *to_ps);
	return any;
}

static void put_survey(struct na_serializer *to, const struct timeline_state *s)
{
	put_cover(to, s->any, s->first_ps, s->last_ps);
	na_pack_number(to, s->closed);
	na_pack_number(to, s->instants);
	na_pack_number(to, s->n_side[0]);
	na_pack_number(to, s->n_side[1]);
	na_early_pack(&s->clocks, to);
	na_groups_pack(&s->groups, to);
	for (size_t i = 0; i < s->n_rows; i++) {
		for (size_t side = 0; side < 2; side++) {
			na_pack_wide(to, s->rows[i].amount[side]);
			na_pack_number(to, s->rows[i].n[side]);
		}
	}
}

static void get_survey(struct na_deserializer *from, struct timeline_state *s)
{
	size_t n;

	s->any = get_cover(from, &s->first_ps, &s->last_ps);
	s->closed = na_unpack_index(from, 2);
	s->instants = na_unpack_tally(from);
	s->n_side[0] = na_unpack_tally(from);
	s->n_side[1] = na_unpack_tally(from);
	na_early_unpack(&s->clocks, from);
	na_groups_unpack(&s->groups, &s->scope->by, s->scope->store, from);
	n = s->scope->by.n ? na_groups_count(&s->groups) : 0;
	s->rows = na_calloc(n, sizeof(*s->rows));
	na_unpack_must(from, s->rows != NULL);
	for (; !from->failed && s->n_rows < n; s->n_rows++) {
		struct timeline_row *row = &s->rows[s->n_rows];

		for (size_t side = 0; side < 2; side++) {
			row->amount[side] = na_unpack_sum(from);
			row->n[side] = na_unpack_tally(from);
		}
	}
}

/* ---- the second pass */

static void put_row(struct na_serializer *to, const struct timeline_row *row,
		    const struct na_bins *bins)
{
	put_cover(to, row->any, row->from_ps, row->to_ps);
	for (size_t side = 0; side < 2; side++) {
		na_pack_number(to, row->n[side]);
		na_pack_number(to, row->used[side]);
		if (!row->used[side])
			continue;
		na_pack_wide(to, row->amount[side]);
		na_spread_pack(&row->spread[side], bins, to);
	}
}

static void get_row(struct na_deserializer *from, struct timeline_row *row,
		    const struct na_bins *bins)
{
	row->any = get_cover(from, &row->from_ps, &row->to_ps);
	for (size_t side = 0; side < 2; side++) {
		row->n[side] = na_unpack_tally(from);
		if (!na_unpack_index(from, 2))
			continue;
		na_unpack_must(from, !row->used[side]);
		if (from->failed)
			return;
		row->used[side] = true;
		na_unpack_must(from, na_spread_init(&row->spread[side], bins));
		row->amount[side] = na_unpack_sum(from);
		na_spread_unpack(&row->spread[side], bins, from);
	}
}

/* Those that have something. */
static void put_rows(struct na_serializer *to, const struct timeline_row *rows,
		     size_t n, const struct na_bins *bins)
{
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].n[0] && !rows[i].n[1])
			continue;
		na_pack_number(to, i + 1);
		put_row(to, &rows[i], bins);
	}
	na_pack_number(to, 0);
}

static void get_rows(struct na_deserializer *from, struct timeline_row *rows,
		     size_t n, const struct na_bins *bins)
{
	size_t i;

	while ((i = na_unpack_index(from, n + 1)) > 0)
		get_row(from, &rows[i - 1], bins);
}

static void put_spreads(struct na_serializer *to,
			const struct timeline_state *s)
{
	for (size_t side = 0; side < 2; side++) {
		na_spread_pack(&s->rate[side], &s->bins, to);
		na_spread_pack(&s->outstanding[side], &s->bins, to);
		na_pack_wide(to, s->amount[side]);
	}
	na_spread_pack(&s->pending, &s->bins, to);
	na_pack_wide(to, s->instant_amount);
	put_rows(to, s->rows, s->n_rows, &s->bins);
	put_rows(to, s->hosts, s->n_host_rows, &s->bins);
	na_run_pack(&s->open, to);
}

static void get_spreads(struct na_deserializer *from, struct timeline_state *s)
{
	for (size_t side = 0; side < 2; side++) {
		na_spread_unpack(&s->rate[side], &s->bins, from);
		na_spread_unpack(&s->outstanding[side], &s->bins, from);
		s->amount[side] = na_unpack_sum(from);
	}
	na_spread_unpack(&s->pending, &s->bins, from);
	s->instant_amount = na_unpack_sum(from);
	get_rows(from, s->rows, s->n_rows, &s->bins);
	get_rows(from, s->hosts, s->n_host_rows, &s->bins);
	na_run_unpack(&s->open, from);
}

/* ---- what rank 0 decides: bins, and which group has which row */

static void put_turned(struct na_serializer *to, const struct timeline_state *s)
{
	na_pack_signed(to, s->bins.bin_ps);
	na_pack_signed(to, s->bins.first);
	na_pack_number(to, s->bins.n);
	na_pack_number(to, s->n_host_rows);
	na_groups_pack(&s->groups, to);
	na_pack_number(to, s->shown.n);
	for (size_t i = 0; i < s->n_rows; i++)
		na_pack_number(to, s->shown.row_of[i]);
}

static void get_turned(struct na_deserializer *from, struct timeline_state *s)
{
	const int64_t far = INT64_C(1) << 62;
	size_t n;

	s->bins.bin_ps = na_unpack_signed(from);
	s->bins.first = na_unpack_signed(from);
	s->bins.n = na_unpack_index(from, BINS_MAX + 2);
	s->n_host_rows = na_unpack_index(from, s->scope->store->n_sources + 1);
	na_unpack_must(from, s->n_host_rows == s->scope->store->n_sources &&
				     s->bins.bin_ps > 0 && s->bins.n > 0 &&
				     s->bins.first > -far &&
				     s->bins.first < far);
	na_groups_unpack(&s->groups, &s->scope->by, s->scope->store, from);
	n = s->scope->by.n ? na_groups_count(&s->groups) : 0;
	s->shown.n = na_unpack_index(from, UINT32_MAX);
	na_unpack_must(from, s->shown.n <= n);
	s->shown.row_of = na_calloc(n, sizeof(*s->shown.row_of));
	na_unpack_must(from, s->shown.row_of != NULL);
	for (size_t i = 0; !from->failed && i < n; i++)
		s->shown.row_of[i] = (uint32_t)na_unpack_index(from,
							       s->shown.n);
}

void na_timeline_pack(void *state, enum na_packed_state what, unsigned pass,
		      struct na_serializer *to)
{
	const struct timeline_state *s = state;

	if (what == NA_PACKED_TURNED)
		put_turned(to, s);
	else if (what == NA_PACKED_BLOCK && pass == 0)
		put_survey(to, s);
	else if (what == NA_PACKED_BLOCK)
		put_spreads(to, s);
}

void na_timeline_unpack(void *state, enum na_packed_state what, unsigned pass,
			struct na_deserializer *from)
{
	struct timeline_state *s = state;

	if (what == NA_PACKED_TURNED)
		get_turned(from, s);
	else if (what == NA_PACKED_BLOCK && pass == 0)
		get_survey(from, s);
	else if (what == NA_PACKED_BLOCK)
		get_spreads(from, s);
}
