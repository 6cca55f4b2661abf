/* steps: what devices do else, into their steps. */
#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"

/* The first cell and segment that end after `at`. */
static void seek(struct st_block *b, uint32_t core, int64_t at_ps)
{
	const struct st_state *s = b->main;
	const struct st_line *x = &s->lines[core];

	b->at.cell = NA_BOUND(i, x->cell_from, x->cell_to,
			      s->cells[i].end_ps > at_ps);
	b->at.segment = NA_BOUND(i, 0, x->segments.n,
				 na_steps_segment_end(&x->segments.v[i]) >
					 at_ps);
	b->at.core = core;
	b->at.set = true;
}

static struct st_busy *busy_of(struct st_block *b, size_t cell)
{
	struct st_busy *y;

	if (b->busy.n && b->busy.v[b->busy.n - 1].cell == cell)
		return &b->busy.v[b->busy.n - 1];
	y = na_push(&b->busy);
	if (y)
		y->cell = cell;
	return y;
}

/* Returns where what follows this time goes on. */
static size_t meet(const struct st_line *x, size_t from, int64_t start_ps,
		   int64_t end_ps, struct st_busy *y)
{
	size_t k = from;

	for (; k < x->segments.n && x->segments.v[k].start_ps < end_ps; k++) {
		const struct st_segment *m = &x->segments.v[k];
		int64_t ps = na_steps_common(m->start_ps,
					     na_steps_segment_end(m), start_ps,
					     end_ps);

		y->overlap_ps += ps;
		if (na_steps_network_of(m) < NA_N_NETWORKS)
			y->hidden_ps[na_steps_network_of(m)] += ps;
		if (m->network & ST_WAITS)
			y->hidden_wait_ps += ps;
	}
	/* The last one may reach beyond. */
	return k > from ? k - 1 : from;
}

bool na_steps_add_busy(struct st_block *b, const struct na_busy *t)
{
	const struct st_state *s = b->main;
	int64_t start_ps = t->start_ps, end_ps = na_busy_end(t);
	uint32_t core = t->core;
	const struct st_line *x = &s->lines[core];
	size_t segment;

	if (!b->at.set || b->at.core != core || start_ps < b->at.start_ps)
		seek(b, core, start_ps);
	b->at.start_ps = start_ps;
	while (b->at.cell < x->cell_to &&
	       s->cells[b->at.cell].end_ps <= start_ps)
		b->at.cell++;
	while (b->at.segment < x->segments.n &&
	       na_steps_segment_end(&x->segments.v[b->at.segment]) <= start_ps)
		b->at.segment++;
	segment = b->at.segment;
	for (size_t i = b->at.cell;
	     i < x->cell_to && s->cells[i].start_ps < end_ps; i++) {
		const struct st_cell *c = &s->cells[i];
		int64_t from = start_ps > c->start_ps ? start_ps : c->start_ps;
		int64_t to = end_ps < c->end_ps ? end_ps : c->end_ps;
		struct st_busy *y = to > from ? busy_of(b, i) : NULL;

		if (to <= from)
			continue;
		if (!y)
			return false;
		y->busy_ps += to - from;
		segment = meet(x, segment, from, to, y);
	}
	return true;
}
