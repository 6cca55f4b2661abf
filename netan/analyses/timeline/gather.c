/* timeline: records into the state, in both passes. */
#include <stdlib.h>

#include "netan/analyses/timeline/state.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"

bool na_timeline_pending_of_graphs(const struct timeline_state *s)
{
	return s->scope->store->graphs.n > 0;
}

struct timeline_row *na_timeline_group_row(struct timeline_state *s,
					   const uint64_t *values)
{
	uint32_t g = na_groups_add(&s->groups, values);

	if (g == NA_NO_NAME)
		return NULL;
	if (g == s->n_rows) {
		if (!na_grow(&s->rows, &s->cap_rows, s->n_rows + 1,
			     sizeof(*s->rows)))
			return NULL;
		s->rows[s->n_rows++] = (struct timeline_row){.any = false};
	}
	return &s->rows[g];
}

/* What of a transfer lies in the window. */
static void clipped(const struct timeline_state *s, const struct na_transfer *t,
		    int64_t *start_ps, int64_t *end_ps)
{
	*start_ps = t->start_ps > s->lo_ps ? t->start_ps : s->lo_ps;
	*end_ps = t->end_ps < s->hi_ps ? t->end_ps : s->hi_ps;
}

void na_timeline_cover(struct timeline_state *s, int64_t start_ps,
		       int64_t end_ps, bool closed)
{
	if (!s->any || start_ps < s->first_ps)
		s->first_ps = start_ps;
	if (!s->any || end_ps > s->last_ps) {
		s->last_ps = end_ps;
		s->closed = closed;
	} else if (end_ps == s->last_ps) {
		s->closed |= closed;
	}
	s->any = true;
}

static enum na_status survey(struct timeline_state *s,
			     const struct na_transfer *t)
{
	const struct na_scope *scope = s->scope;
	uint64_t values[NA_MAX_KEYS];
	int64_t start_ps, end_ps;
	struct timeline_row *row;

	clipped(s, t, &start_ps, &end_ps);
	if (na_timeline_by_packets(s, t)) {
		if (start_ps < end_ps)
			na_timeline_cover(s, start_ps, end_ps, false);
		return NA_ASIDE;
	}
	na_timeline_cover(s, start_ps, end_ps, start_ps == end_ps);
	s->n_side[t->side]++;
	s->instants += t->start_ps == t->end_ps;
	if (!scope->by.n)
		return NA_OK;
	na_group_of(&scope->by, scope->store, t, values);
	row = na_timeline_group_row(s, values);
	if (!row)
		return NA_ENOMEM;
	row->amount[t->side] += (na_i128)t->size_bytes;
	row->n[t->side]++;
	return NA_OK;
}

/* To the row of its group, or of its host. */
static bool row_add(struct timeline_row *row, const struct timeline_state *s,
		    const struct na_transfer *t)
{
	return na_timeline_row_add(row, s, (enum na_side)t->side, t->start_ps,
				   t->end_ps, t->size_bytes);
}

static enum na_status keep_pending(struct timeline_state *s, int64_t start_ps,
				   int64_t end_ps)
{
	struct na_run *o = &s->open;

	if (start_ps < s->lo_ps)
		start_ps = s->lo_ps;
	if (end_ps > s->hi_ps)
		end_ps = s->hi_ps;
	if (end_ps <= start_ps)
		return NA_OK;
	if (!na_grow(&o->starts, &s->cap_starts, o->n + 1, sizeof(int64_t)) ||
	    !na_grow(&o->ends, &s->cap_ends, o->n + 1, sizeof(int64_t)))
		return NA_ENOMEM;
	o->starts[o->n] = start_ps;
	o->ends[o->n++] = end_ps;
	na_spread_level(&s->pending, &s->bins, start_ps, end_ps, 1);
	return NA_OK;
}

enum na_status na_timeline_seal(void *block)
{
	struct timeline_state *s = block;
	struct na_run *o = &s->open;

	if (!o->n)
		return NA_OK;
	return na_sort_fit_i64(&o->starts, &s->cap_starts, o->n) &&
			       na_sort_fit_i64(&o->ends, &s->cap_ends, o->n)
		       ? NA_OK
		       : NA_ENOMEM;
}

static void outstanding(struct timeline_state *s, const struct na_transfer *t)
{
	int64_t start_ps, end_ps;

	clipped(s, t, &start_ps, &end_ps);
	na_spread_level(&s->outstanding[t->side], &s->bins, start_ps, end_ps,
			t->size_bytes);
}

static enum na_status rates(struct timeline_state *s,
			    const struct na_transfer *t, bool on_nic)
{
	const struct na_scope *scope = s->scope;
	const struct timeline_state *groups = s->main ? s->main : s;
	uint64_t values[NA_MAX_KEYS];
	int64_t start_ps, end_ps;
	na_i128 amount;
	uint32_t row;

	/* Another process may have chosen the bins. */
	clipped(s, t, &start_ps, &end_ps);
	if (!na_bins_hold(&s->bins, start_ps, end_ps))
		return NA_ENOMEM;
	amount = na_spread_bytes(&s->rate[t->side], &s->bins, t->start_ps,
				 t->end_ps, t->size_bytes, s->lo_ps, s->hi_ps);
	s->amount[t->side] += amount;
	if (t->start_ps == t->end_ps)
		s->instant_amount += amount;
	s->spread_calls += t->style >= NA_STYLE_CAPTURE;
	/* An instant's rate is no rate: it must not saturate a host; nor is
	 * that of a call, whose time the server took as well. */
	if (!s->per_host || t->start_ps == t->end_ps || !on_nic ||
	    t->style >= NA_STYLE_CAPTURE)
		s->hosts[t->input].n[t->side]++;
	else if (!row_add(&s->hosts[t->input], s, t))
		return NA_ENOMEM;
	if (!scope->by.n)
		return NA_OK;
	na_group_of(&scope->by, scope->store, t, values);
	row = na_shown_row(&groups->shown, &groups->groups, values);
	return row != NA_NO_NAME && row_add(&s->rows[row], s, t) ? NA_OK
								 : NA_ENOMEM;
}

static enum na_status spread(struct timeline_state *s,
			     const struct na_transfer *t, bool on_nic)
{
	enum na_status st = na_timeline_by_packets(s, t) ? NA_OK
							 : rates(s, t, on_nic);

	if (st != NA_OK)
		return st;
	if (t->start_ps < t->end_ps)
		outstanding(s, t);
	if (t->side == NA_RX && !na_timeline_pending_of_graphs(s))
		return keep_pending(s, t->start_ps, t->end_ps);
	return NA_OK;
}

enum na_status na_timeline_add_transfer(void *block,
					const struct na_transfer *t)
{
	struct timeline_state *s = block;

	/* Its receiver tells it. */
	if (t->component == NA_COMP_SEND)
		return NA_ASIDE;
	if (na_timeline_of_rank(s, t))
		return s->pass || na_add(&s->received, *t) ? NA_ASIDE
							   : NA_ENOMEM;
	if (s->pass)
		return spread(s, t, true);
	if (t->side == NA_RX && na_tells_clocks(t) &&
	    !na_early_add(&s->clocks, t, 0))
		return NA_ENOMEM;
	return survey(s, t);
}

enum na_status na_timeline_add_graph(void *block, const struct na_exec *e)
{
	struct timeline_state *s = block;
	int64_t start_ps = e->start_ps > s->lo_ps ? e->start_ps : s->lo_ps;
	int64_t end_ps = e->end_ps < s->hi_ps ? e->end_ps : s->hi_ps;

	if (end_ps <= start_ps)
		return NA_OK;
	if (s->pass == 1) /* no bins: no transfers to draw */
		return s->bins.n ? keep_pending(s, start_ps, end_ps) : NA_OK;
	if (!s->any_graph || start_ps < s->open_ps)
		s->open_ps = start_ps;
	if (!s->any_graph || end_ps > s->close_ps)
		s->close_ps = end_ps;
	s->any_graph = true;
	return NA_OK;
}

enum na_status na_timeline_survey_ranks(struct timeline_state *s)
{
	enum na_status st = na_timeline_join_ranks(s) ? NA_OK : NA_ENOMEM;

	for (size_t i = 0; st == NA_OK && i < s->moved.n; i++)
		st = survey(s, &s->moved.v[i].t);
	na_vec_free(&s->comms);
	na_vec_free(&s->received);
	na_vec_free(&s->rank_steps);
	return st;
}

enum na_status na_timeline_spread_ranks(struct timeline_state *s)
{
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < s->moved.n; i++)
		st = spread(s, &s->moved.v[i].t, s->moved.v[i].on_nic);
	if (st != NA_OK || !s->open.n)
		return st;
	st = na_timeline_seal(s);
	if (st != NA_OK || !na_add(&s->runs, s->open))
		return NA_ENOMEM;
	s->open = (struct na_run){NULL, NULL, 0};
	s->cap_starts = s->cap_ends = 0;
	return NA_OK;
}
