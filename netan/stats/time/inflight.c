#include "netan/stats/time/inflight.h"

bool na_runs_span(const struct na_run *runs, size_t n_runs, int64_t *first_ps,
		  int64_t *last_ps)
{
	bool any = false;

	for (size_t i = 0; i < n_runs; i++) {
		const struct na_run *r = &runs[i];

		if (!r->n)
			continue;
		if (!any || r->starts[0] < *first_ps)
			*first_ps = r->starts[0];
		if (!any || r->ends[r->n - 1] > *last_ps)
			*last_ps = r->ends[r->n - 1];
		any = true;
	}
	return any;
}

void na_inflight_init(struct na_inflight *f, int64_t first_ps, int64_t last_ps)
{
	*f = (struct na_inflight){.first_ps = first_ps, .last_ps = last_ps};
	na_arrivals_init(&f->arrivals, first_ps, last_ps);
}

/* Where a sweep is. */
struct place {
	int64_t at, level;
	size_t bin;
	na_i128 border; /* end of the bin */
};

/* The level since p->at holds until `to`. */
static void hold_bins(struct na_inflight *f, struct place *p, int64_t to)
{
	double level = (double)p->level;
	int64_t at = p->at;

	while (at < to) {
		int64_t until = to;

		while (p->border <= at) {
			p->border += f->bins->bin_ps;
			p->bin++;
		}
		if (p->border < to)
			until = (int64_t)p->border;
		f->mean[p->bin] += level *
				   (double)((uint64_t)until - (uint64_t)at);
		/* A bin is least until something lower comes; -1: unset. */
		if (f->least[p->bin] < 0 || level < f->least[p->bin])
			f->least[p->bin] = level;
		if (level > f->most[p->bin])
			f->most[p->bin] = level;
		at = until;
	}
}

static bool hold_place(struct na_inflight *f, struct place *p, int64_t to)
{
	int64_t from = p->at > f->first_ps ? p->at : f->first_ps;
	int64_t until = to < f->last_ps ? to : f->last_ps;
	bool ok = true;

	if (f->mean)
		hold_bins(f, p, to);
	if (until > from)
		ok = na_hold_add(&f->hold, p->level,
				 (uint64_t)until - (uint64_t)from);
	if (p->level > 0 && to > p->at)
		ok = na_bursts_add(&f->bursts, p->at, to, p->level) && ok;
	p->at = to;
	return ok;
}

static struct place begin(struct na_inflight *f, size_t from, size_t to,
			  int64_t *end)
{
	struct place p = {.at = f->first_ps, .bin = from};

	*end = f->last_ps;
	if (!f->bins)
		return p;
	p.border = ((na_i128)f->bins->first + (na_i128)from + 1) *
		   f->bins->bin_ps;
	na_bins_time(f->bins, from, to, &p.at, end);
	for (size_t k = from; f->mean && k < to; k++)
		f->least[k] = -1;
	return p;
}

static void finish_bins(struct na_inflight *f, size_t from, size_t to)
{
	for (size_t k = from; f->mean && k < to; k++) {
		f->mean[k] /= (double)f->bins->bin_ps;
		if (f->least[k] < 0)
			f->least[k] = 0;
	}
}

bool na_inflight_sweep(struct na_inflight *f, const struct na_run *runs,
		       size_t n_runs, size_t from, size_t to)
{
	int64_t end;
	struct place p = begin(f, from, to, &end);
	struct na_instant i;
	struct na_walk *w;
	bool ok = true;

	if (f->bins && from >= to)
		return true;
	/* Without bins there is no border behind the last instant: a start
	 * there must count, though no time is left for it. */
	w = na_walk_new(runs, n_runs, p.at,
			f->bins || end == NA_TIME_MAX ? end : end + 1,
			&p.level);
	if (!w)
		return false;
	while (ok && na_walk_next(w, &i)) {
		ok = hold_place(f, &p, i.at);
		p.level = i.level;
		if (i.at == f->first_ps)
			i.starts -= f->cut;
		if (i.starts > 0)
			na_arrivals_add(&f->arrivals, i.at, i.starts);
	}
	ok = ok && !na_walk_failed(w) && hold_place(f, &p, end);
	na_walk_free(w);
	finish_bins(f, from, to);
	na_bursts_fit(&f->bursts);
	return ok;
}

bool na_inflight_join(struct na_inflight *f, const struct na_inflight *next)
{
	na_arrivals_join(&f->arrivals, &next->arrivals);
	return na_hold_merge(&f->hold, &next->hold) &&
	       na_bursts_join(&f->bursts, &next->bursts);
}

void na_inflight_fini(struct na_inflight *f)
{
	na_hold_fini(&f->hold);
	na_bursts_fini(&f->bursts);
}
