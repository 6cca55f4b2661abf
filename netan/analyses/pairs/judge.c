/* pairs: quantiles of each pair, then the judge's answer for each run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/select.h"
#include "netan/stats/tests/robust.h"

enum { JOBS = 32, SORTED = 1 << 16 };

struct quantiles {
	struct pairs_state *s;
	bool ok[JOBS];
};

static double corrected(const struct pairs_state *s, const struct pairs_pair *p,
			double us)
{
	const struct pairs_node *nodes = s->runs[p->run].nodes;
	double by_us = nodes[p->dst].ahead_us - nodes[p->src].ahead_us;

	return fabs(by_us) > 0 ? fmax(us - by_us, 0) : us;
}

/* Clamped rows are the lowest: quantiles of what is above them. */
static void pair_quantiles(const struct pairs_state *s,
			   const struct pairs_pair *p,
			   struct pairs_quantiles *to, double *tmp)
{
	size_t rows = na_pairs_rows_of(s, p), n = (size_t)s->sums.v[p->found].n;
	double at[2] = {0.5, 0.99}, q[2] = {NAN, NAN};

	if (n < rows && rows > 1) {
		for (size_t i = 0; i < 2 && n; i++)
			at[i] = ((double)(rows - n) + (double)(n - 1) * at[i]) /
				(double)(rows - 1);
	}
	if (n)
		na_quantiles_of(&s->rows[p->first].latency_us, sizeof(*s->rows),
				rows, at, q, 2, tmp, SORTED);
	to->p50_us = n ? corrected(s, p, q[0]) : (double)NAN;
	to->p99_us = n ? corrected(s, p, q[1]) : (double)NAN;
}

static void quantiles_job(void *arg, size_t job)
{
	struct quantiles *q = arg;
	struct pairs_state *s = q->s;
	size_t rows = (size_t)s->ends.n;
	size_t from = rows / JOBS * job;
	size_t to = job + 1 < JOBS ? rows / JOBS * (job + 1) : SIZE_MAX;
	double *tmp = na_calloc(2 * SORTED, sizeof(*tmp));

	for (size_t i = 0; tmp && i < s->keys.n; i++) {
		if (s->pairs[i].first >= from && s->pairs[i].first < to)
			pair_quantiles(s, &s->pairs[i], &s->quantiles[i], tmp);
	}
	q->ok[job] = tmp != NULL;
	free(tmp);
}

static bool all_quantiles(struct pairs_state *s)
{
	struct quantiles q = {.s = s};
	bool ok;

	s->quantiles = na_calloc(s->keys.n, sizeof(*s->quantiles));
	ok = s->quantiles && na_side_by_side(s->scope, JOBS, quantiles_job, &q);
	for (size_t i = 0; ok && i < JOBS; i++)
		ok = q.ok[i];
	return ok;
}

static uint32_t classes(const struct na_topology *t)
{
	return t->of_pairs ? (uint32_t)t->classes.n : NA_TOPO_CLASSES;
}

/* Paths of which the topology says nothing are a class of their own. */
static uint32_t class_of(const struct pairs_run *run, uint32_t src,
			 uint32_t dst)
{
	const struct na_store *store = run->of->scope->store;
	const struct na_topology *t = store->topology;
	uint32_t c = na_store_class(store, run->nodes[src].host,
				    run->nodes[dst].host);

	return c < classes(t) ? c : classes(t);
}

/* Of pairs: some are of one class, some of another. */
static void place_by_classes(struct pairs_run *run)
{
	uint32_t n = classes(run->of->scope->store->topology), first = n;

	run->placed = true;
	for (size_t i = 0; i < run->n_remote; i++) {
		uint32_t c = class_of(run, run->pairs[i].src,
				      run->pairs[i].dst);

		run->placed &= c != n;
		run->classed |= first != n && c != n && c != first;
		first = first == n ? c : first;
	}
}

/* Of hosts: some share a rack, and some do not. */
static bool place_by_racks(struct pairs_run *run)
{
	struct na_triples hosts = {0}, racks = {0};
	bool ok = true;

	run->placed = true;
	for (size_t i = 0; ok && i < run->n_nodes; i++) {
		struct na_triple host = {run->nodes[i].host, 0, 0};
		struct na_triple rack = {
			na_store_rack(run->of->scope->store, host.a), 0, 0};

		run->placed &= rack.a != NA_UNKNOWN_U32;
		ok = rack.a == NA_UNKNOWN_U32 ||
		     (na_triples_add(&hosts, host) != NA_NO_TRIPLE &&
		      na_triples_add(&racks, rack) != NA_NO_TRIPLE);
	}
	run->classed = racks.n > 1 && racks.n < hosts.n;
	na_triples_fini(&hosts);
	na_triples_fini(&racks);
	return ok;
}

/* One rack of all hosts, or one for each, says that no path is farther than
 * another, and nothing here could contradict it: as if nobody had said so. */
static bool place(struct pairs_run *run)
{
	const struct na_topology *t = run->of->scope->store->topology;
	bool ok = true;

	run->classed = run->placed = false;
	if (t && t->of_pairs)
		place_by_classes(run);
	else if (t)
		ok = place_by_racks(run);
	run->placed &= run->classed;
	return ok;
}

uint32_t na_pairs_class(const struct pairs_run *run, uint32_t src, uint32_t dst)
{
	return run->classed ? class_of(run, src, dst) : 0;
}

const struct na_host_clocks *na_pairs_clocks(struct pairs_state *s)
{
	if (!s->clocks)
		s->clocks = na_host_clocks_of(s->scope, NULL, &s->own_clocks);
	return s->clocks;
}

/* Clocks are known relative to one host, which may be the one that is off: the
 * median host is taken for right. */
static double median_us(const struct pairs_run *run,
			const struct na_host_clocks *clocks,
			const int64_t *of_ps, double *tmp)
{
	size_t n = 0;

	for (uint32_t i = 0; i < run->n_nodes; i++) {
		uint32_t h = run->nodes[i].host;

		if (na_host_clocks_known(clocks, h) < NA_TIME_MAX)
			tmp[n++] = na_us((double)of_ps[h]);
	}
	return na_median(tmp, n);
}

/* Off by more than stamps of a microsecond and what bounds them leave open. */
static bool find_clocks(struct pairs_state *s, struct pairs_run *run)
{
	const struct na_host_clocks *clocks = na_pairs_clocks(s);
	double *tmp = na_calloc(run->n_nodes, sizeof(*tmp));
	double centre_us = 0, known_us = 0;
	bool ok = clocks && tmp;

	if (ok) {
		centre_us = median_us(run, clocks, clocks->ahead_ps, tmp);
		known_us = median_us(run, clocks, clocks->uncertainty_ps, tmp);
	}
	for (uint32_t i = 0; ok && i < run->n_nodes; i++) {
		uint32_t h = run->nodes[i].host;
		int64_t known_ps = na_host_clocks_known(clocks, h);
		struct pairs_clock c = {.host = i};

		if (known_ps == NA_TIME_MAX)
			continue;
		c.ahead_us = na_us((double)clocks->ahead_ps[h]) - centre_us;
		c.uncertainty_us = known_us + na_us((double)known_ps);
		if (!(fabs(c.ahead_us) > c.uncertainty_us + 1))
			continue;
		run->nodes[i].ahead_us = c.ahead_us;
		ok = na_add(&run->clocks, c);
	}
	free(tmp);
	return ok;
}

static enum na_status judge_run(struct pairs_state *s, struct pairs_run *run,
				struct na_err *err)
{
	enum na_status st;

	if (!place(run) || (!run->captured && !find_clocks(s, run)))
		return na_fail_nomem(err);
	st = na_pairs_ask_judge(s, run, err);
	if (st == NA_OK && !s->of_hosts && !na_pairs_fold(run))
		return na_fail_nomem(err);
	return st;
}

enum na_status na_pairs_judge(struct pairs_state *s, struct na_err *err)
{
	size_t runs = s->scope->store->n_runs;
	enum na_status st = NA_OK;
	bool ok;

	if (!na_pairs_find_absent(s))
		return na_fail_nomem(err);
	for (size_t i = 0; st == NA_OK && i < runs; i++) {
		/* Runs without a transfer keep a result of zeros. */
		if (s->runs[i].n_remote)
			st = judge_run(s, &s->runs[i], err);
	}
	na_host_clocks_fini(&s->own_clocks);
	s->clocks = NULL;
	if (st != NA_OK)
		return st;
	/* Last, when what judging needs is gone. */
	ok = all_quantiles(s);
	for (size_t i = 0; ok && i < runs; i++)
		ok = na_pairs_judge_two(&s->runs[i]);
	return ok ? NA_OK : na_fail_nomem(err);
}

static enum na_severity severity_of_run(const struct pairs_run *run)
{
	const struct na_judge_result *f = &run->found;

	for (size_t i = 0; i < f->n_findings; i++) {
		if (na_pairs_is_sure(&f->findings[i]))
			return NA_SEV_ERROR;
	}
	if (f->n_findings || run->clocks.n)
		return NA_SEV_WARNING;
	return f->n_open ? NA_SEV_INFO : NA_SEV_NONE;
}

enum na_severity na_pairs_severity(const void *state)
{
	const struct pairs_state *s = state;
	enum na_severity worst = NA_SEV_NONE;

	for (size_t i = 0; s->runs && i < s->scope->store->n_runs; i++) {
		enum na_severity v = severity_of_run(&s->runs[i]);

		worst = v > worst ? v : worst;
	}
	return worst;
}
