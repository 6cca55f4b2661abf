/*
 * bursts: between the passes, everything that needs all intervals in order
 * of time: the fleet in slices of time, each host and each group as a whole.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/bursts/state.h"
#include "netan/base/vec.h"

enum { SLICES = 16, DEFAULT_BINS = 600 };

/* Runs of one key after the other. */
struct sorted {
	struct na_run *v;
	size_t *at;   /* [keys + 1] */
	int64_t *cut; /* [keys] */
	size_t keys;
	/* All are looked at over the time of the whole: then means add up,
	 * and idle shares can be compared.  Not so for runs apart. */
	bool common;
	int64_t first_ps, last_ps;
};

enum key { KEY_NONE, KEY_SOURCE, KEY_ROW };

static size_t key_of(const struct bursts_run *r, enum key key)
{
	return key == KEY_NONE ? 0 : key == KEY_SOURCE ? r->source : r->row;
}

static void sorted_fini(struct sorted *x)
{
	free(x->v);
	free(x->at);
	free(x->cut);
}

static bool sort_runs(struct sorted *x, const struct bursts_runs *r,
		      enum key key, size_t keys)
{
	*x = (struct sorted){.v = na_calloc(r->list.n, sizeof(*x->v)),
			     .at = na_calloc(keys + 2, sizeof(*x->at)),
			     .cut = na_calloc(keys, sizeof(*x->cut)),
			     .keys = keys};
	if (!x->v || !x->at || !x->cut)
		return false; /* the caller frees all */
	/* Shifted by one key, so that filling leaves the borders behind. */
	for (size_t i = 0; i < r->list.n; i++)
		x->at[key_of(&r->list.v[i], key) + 2]++;
	for (size_t k = 0; k < keys; k++)
		x->at[k + 2] += x->at[k + 1];
	for (size_t i = 0; i < r->list.n; i++) {
		size_t k = key_of(&r->list.v[i], key);

		x->v[x->at[k + 1]++] = r->list.v[i].run;
		x->cut[k] += r->list.v[i].cut;
	}
	x->common = na_runs_span(x->v, r->list.n, &x->first_ps, &x->last_ps);
	return true;
}

/* A slice of the fleet, or all of a host or a group. */
struct job {
	const struct bursts_state *s;
	struct na_inflight part;
	const struct na_run *runs;
	size_t n_runs, from, to; /* bins */
	double *scratch;         /* [2 * bins] least and most of a group */
	struct bursts_sum *sum;  /* NULL: a slice, joined later */
	bool ok;
};

struct work {
	struct bursts_state *s;
	struct sorted fleet[BURSTS_KINDS], hosts, groups;
	struct job *jobs;
	size_t n_jobs, cap_jobs;
};

static void summarise(struct bursts_sum *to, const struct na_inflight *f,
		      const struct na_run *runs, size_t n_runs)
{
	to->n = 0;
	for (size_t i = 0; i < n_runs; i++)
		to->n += runs[i].n;
	to->timed = na_hold_read(&f->hold, &to->hold);
	na_arrivals_read(&f->arrivals, &to->arrivals);
	to->arrived = f->arrivals.n;
	to->first_ps = f->first_ps;
	to->last_ps = f->last_ps;
	to->bursts = f->bursts.n;
	to->busy_ps = f->bursts.busy_ps;
}

static void run_job(void *arg, size_t i)
{
	struct work *w = arg;
	struct job *j = &w->jobs[i];
	struct bursts_sum *sum = j->sum;

	if (sum && sum->course) {
		j->scratch = na_calloc(j->to, 2 * sizeof(double));
		j->part.mean = sum->course;
		j->part.least = j->scratch;
		j->part.most = j->scratch ? j->scratch + j->to : NULL;
		if (!j->scratch)
			return;
	}
	j->ok = na_inflight_sweep(&j->part, j->runs, j->n_runs, j->from, j->to);
	free(j->scratch);
	if (!sum)
		return;
	if (j->ok)
		summarise(sum, &j->part, j->runs, j->n_runs);
	na_inflight_fini(&j->part);
}

/* The job of key k; none where it has no runs. */
static struct job *add_job(struct work *w, const struct sorted *x, size_t k)
{
	const struct na_run *runs = x->v + x->at[k];
	size_t n = x->at[k + 1] - x->at[k];
	int64_t first, last;
	struct job *j;

	if (!na_runs_span(runs, n, &first, &last))
		return NULL;
	if (x->common) {
		first = x->first_ps;
		last = x->last_ps;
	}
	j = &w->jobs[w->n_jobs++];
	*j = (struct job){.s = w->s, .runs = runs, .n_runs = n};
	na_inflight_init(&j->part, first, last);
	j->part.cut = x->cut[k];
	j->part.bursts.gap_ps = w->s->params->gap_ps;
	return j;
}

static void add_slices(struct work *w, enum bursts_kind kind)
{
	struct bursts_state *s = w->s;

	for (size_t i = 0; i < SLICES; i++) {
		struct job *j = add_job(w, &w->fleet[kind], 0);

		if (!j)
			return;
		j->part.bins = &s->bins;
		j->from = s->bins.n * i / SLICES;
		j->to = s->bins.n * (i + 1) / SLICES;
		if (kind == BURSTS_TRANSFERS) {
			j->part.bursts.keep = na_bursts_listed(s);
			j->part.bursts.distances = true;
		}
		if (kind == na_bursts_pending_kind(s)) {
			j->part.mean = s->mean;
			j->part.least = s->least;
			j->part.most = s->most;
		}
	}
}

static void add_sums(struct work *w, const struct sorted *x,
		     struct bursts_sum *to, bool course)
{
	for (size_t k = 0; k < x->keys; k++) {
		struct job *j = add_job(w, x, k);

		if (!j)
			continue;
		j->sum = &to[k];
		if (course) {
			j->part.bins = &w->s->bins;
			j->to = w->s->bins.n;
		}
	}
}

static bool do_jobs(struct work *w)
{
	bool ok = na_side_by_side(w->s->scope, w->n_jobs, run_job, w);

	for (size_t i = 0; i < w->n_jobs; i++)
		ok = ok && w->jobs[i].ok;
	return ok;
}

/* The slices of the fleet, in order. */
static bool join_slices(struct work *w, enum bursts_kind kind)
{
	struct na_inflight *f = &w->s->fleet[kind];
	const struct sorted *all = &w->fleet[kind];
	bool ok = true, begun = false;

	for (size_t i = 0; ok && i < w->n_jobs; i++) {
		struct job *j = &w->jobs[i];

		if (j->sum || j->runs != all->v)
			continue;
		if (!begun) {
			na_inflight_init(f, j->part.first_ps, j->part.last_ps);
			f->bursts.gap_ps = j->part.bursts.gap_ps;
			f->bursts.keep = j->part.bursts.keep;
			f->bursts.distances = j->part.bursts.distances;
			begun = true;
		}
		ok = na_inflight_join(f, &j->part);
		na_inflight_fini(&j->part);
	}
	if (ok && begun)
		summarise(&w->s->whole[kind], f, all->v, all->at[1]);
	return ok;
}

/* About DEFAULT_BINS over all that is known. */
static void choose_bins(struct bursts_state *s, const struct work *w)
{
	int64_t first = 0, last = 0, a, b;
	uint64_t span;
	bool any = false;

	for (size_t kind = 0; kind < BURSTS_KINDS; kind++) {
		const struct sorted *x = &w->fleet[kind];

		if (!na_runs_span(x->v, x->at[1], &a, &b))
			continue;
		first = any && first < a ? first : a;
		last = any && last > b ? last : b;
		any = true;
	}
	if (!any)
		return;
	span = (uint64_t)last - (uint64_t)first;
	s->bins = na_bins_over(first, last, first == last || s->instants,
			       na_bins_choose(span < NA_TIME_MAX ? (int64_t)span
								 : NA_TIME_MAX,
					      DEFAULT_BINS));
}

static bool alloc_courses(struct bursts_state *s)
{
	size_t n = s->bins.n;
	bool ok;

	s->mean = na_calloc(n, sizeof(double));
	s->least = na_calloc(n, sizeof(double));
	s->most = na_calloc(n, sizeof(double));
	s->hosts = na_calloc(s->scope->store->n_sources, sizeof(*s->hosts));
	ok = s->mean && s->least && s->most && s->hosts;
	for (size_t i = 0; ok && s->scope->by.n && i < s->shown.n; i++) {
		s->rows[i].course = na_calloc(n, sizeof(double));
		ok = s->rows[i].course != NULL;
	}
	return ok;
}

/* The longest bursts, and how far bursts are apart. */
static bool list_bursts(struct bursts_state *s)
{
	struct na_bursts *b = &s->fleet[BURSTS_TRANSFERS].bursts;
	size_t n;

	if (!na_bursts_end(b, &n))
		return false;
	s->bursts = na_calloc(n, sizeof(*s->bursts));
	s->n_bursts = n;
	for (size_t i = 0; s->bursts && i < n; i++)
		s->bursts[i].b = b->longest.v[i];
	s->period_ps = na_bursts_period(b);
	na_bursts_fini(b);
	return s->bursts != NULL;
}

static bool sort_all(struct work *w)
{
	struct bursts_state *s = w->s;
	enum bursts_kind of = na_bursts_pending_kind(s);
	size_t sources = s->scope->store->n_sources;
	bool ok = true;

	for (size_t kind = 0; kind < BURSTS_KINDS; kind++)
		ok = sort_runs(&w->fleet[kind], &s->runs[kind], KEY_NONE, 1) &&
		     ok;
	ok = sort_runs(&w->hosts, &s->runs[of], KEY_SOURCE, sources) && ok;
	ok = sort_runs(&w->groups, &s->runs[BURSTS_TRANSFERS], KEY_ROW,
		       s->shown.n) &&
	     ok;
	if (s->scope->store->n_runs > 1)
		w->hosts.common = w->groups.common = false;
	return ok;
}

static bool sweep_all(struct work *w)
{
	struct bursts_state *s = w->s;
	size_t only = SIZE_MAX, hosts = 0;

	choose_bins(s, w);
	w->jobs = na_calloc(BURSTS_KINDS * SLICES + w->hosts.keys +
				    w->groups.keys,
			    sizeof(*w->jobs));
	if (!w->jobs || !alloc_courses(s))
		return false;
	add_slices(w, BURSTS_TRANSFERS);
	add_slices(w, BURSTS_COLLECTIVES);
	for (size_t k = 0; k < w->hosts.keys; k++) {
		if (w->hosts.at[k + 1] > w->hosts.at[k]) {
			only = k;
			hosts++;
		}
	}
	if (hosts > 1)
		add_sums(w, &w->hosts, s->hosts, false);
	if (s->scope->by.n)
		add_sums(w, &w->groups, s->rows, true);
	if (!do_jobs(w) || !join_slices(w, BURSTS_TRANSFERS) ||
	    !join_slices(w, BURSTS_COLLECTIVES))
		return false;
	/* A single host is the fleet. */
	if (hosts == 1)
		s->hosts[only] = s->whole[na_bursts_pending_kind(s)];
	return list_bursts(s);
}

/* Where nothing is swept, nothing is known. */
static void know_nothing(struct bursts_sum *x, size_t n)
{
	struct na_arrivals none;

	na_arrivals_init(&none, 0, 0);
	for (size_t i = 0; i < n; i++)
		na_arrivals_read(&none, &x[i].arrivals);
}

enum na_status na_bursts_sweep(struct bursts_state *s, struct na_err *err)
{
	struct work w = {.s = s};
	bool ok;

	know_nothing(s->whole, BURSTS_KINDS);
	know_nothing(s->rows, s->shown.n);
	ok = sort_all(&w) && sweep_all(&w);
	for (size_t i = 0; !ok && w.jobs && i < w.n_jobs; i++)
		na_inflight_fini(&w.jobs[i].part);
	for (size_t kind = 0; kind < BURSTS_KINDS; kind++)
		sorted_fini(&w.fleet[kind]);
	sorted_fini(&w.hosts);
	sorted_fini(&w.groups);
	free(w.jobs);
	for (size_t kind = 0; kind < BURSTS_KINDS; kind++)
		na_bursts_runs_fini(&s->runs[kind]);
	return ok ? NA_OK : na_fail_nomem(err);
}
