/* diff: from what was gathered to sorted samples of both runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/diff/state.h"
#include "netan/base/order.h"

/* Units are numbered from 0, `used` of them, in order of time. */
static void join_units(struct diff_sample *sample, size_t used)
{
	sample->n_units = used < DIFF_STRETCHES ? used : DIFF_STRETCHES;
	for (size_t i = 0; used > DIFF_STRETCHES && i < sample->n; i++)
		sample->x[i].unit = (uint32_t)((uint64_t)sample->x[i].unit *
					       DIFF_STRETCHES / used);
}

/*
 * Units of a sample are numbered anew, those alone that hold something; of
 * more than DIFF_STRETCHES, neighbours become one: steps that follow each other
 * are alike, stretches of them are less so.  x[i].unit is the index of a unit
 * of the state, as na_diff_unit_of() gives it, of one run.
 */
static bool renumber(const struct diff_state *s, struct diff_sample *sample,
		     uint32_t run)
{
	size_t all = s->run_units[run], used = 0;
	uint32_t *as = na_calloc(all + 1, sizeof(*as));

	if (!as)
		return false;
	for (size_t i = 0; i < sample->n; i++)
		as[s->got.units.v[sample->x[i].unit].at] = 1;
	for (size_t i = 0; i < all; i++) {
		bool there = as[i];

		as[i] = (uint32_t)used;
		used += there;
	}
	for (size_t i = 0; i < sample->n; i++)
		sample->x[i].unit = as[s->got.units.v[sample->x[i].unit].at];
	join_units(sample, used);
	free(as);
	return true;
}

/* Fewer than 8 units, or none that were numbered: one for each value. */
static void settle(struct diff_sample *sample)
{
	sample->by_events = sample->n_units < NA_BOOT_LEAST;
}

static void complete(struct diff_sample *sample)
{
	settle(sample);
	na_sort(sample->x, sample->n, na_boot_order);
}

/* ---- latencies: both runs share the items, A's first */

static void sort_run(void *arg, size_t run)
{
	struct diff_sample *s = arg;

	na_sort(s[run].x, s[run].n, na_boot_order);
}

/* The order within a run does not matter: they are sorted. */
static void split_runs(const struct diff_state *s,
		       struct diff_sample to[DIFF_RUNS])
{
	struct na_boot_item *x = s->got.items.v;
	size_t n = s->got.items.n, i = 0, j = n;

	while (i < j) {
		if (s->got.units.v[x[i].unit].run == DIFF_A) {
			i++;
		} else {
			struct na_boot_item t = x[i];

			x[i] = x[--j];
			x[j] = t;
		}
	}
	to[DIFF_A] = (struct diff_sample){.x = x, .n = i, .count = i};
	to[DIFF_B] = (struct diff_sample){.x = x ? x + i : NULL,
					  .n = n - i,
					  .count = n - i};
}

static bool latencies(struct diff_state *s)
{
	struct diff_sample *to = s->metrics[DIFF_LATENCY].s;

	split_runs(s, to);
	s->in_stratum = na_calloc(s->got.strata.n + 1, sizeof(*s->in_stratum));
	if (!s->in_stratum)
		return false;
	for (uint32_t r = 0; r < DIFF_RUNS; r++) {
		for (size_t i = 0; i < to[r].n; i++)
			s->in_stratum[to[r].x[i].kind][r]++;
		if (!renumber(s, &to[r], r))
			return false;
		settle(&to[r]);
	}
	return na_side_by_side(s->scope, DIFF_RUNS, sort_run, to);
}

/* ---- sizes: a value for each size in each unit */

static bool sizes_of(struct diff_state *s, uint32_t run,
		     const struct na_weighted *x, const size_t *from)
{
	struct diff_sample *to = &s->metrics[DIFF_SIZES].s[run];
	size_t n = 0;

	for (size_t u = 0; u < s->got.units.n; u++)
		n += s->got.units.v[u].run == run ? from[u + 1] - from[u] : 0;
	to->x = na_calloc(n + 1, sizeof(*to->x));
	to->weight = na_calloc(n + 1, sizeof(*to->weight));
	if (!to->x || !to->weight || n >= UINT32_MAX)
		return false;
	for (size_t u = 0; u < s->got.units.n; u++) {
		for (size_t i = from[u];
		     s->got.units.v[u].run == run && i < from[u + 1]; i++) {
			uint32_t k = (uint32_t)to->n++;

			to->x[k] = (struct na_boot_item){(double)x[i].value,
							 (uint32_t)u, k};
			to->weight[k] = (double)x[i].count;
			to->count += (uint64_t)x[i].count;
		}
	}
	if (!renumber(s, to, run))
		return false;
	complete(to);
	return true;
}

static bool sizes(struct diff_state *s)
{
	size_t *from = na_calloc(s->got.units.n + 1, sizeof(*from));
	struct na_weighted *x = NULL;
	bool ok = from && na_census_join(&s->counts, s->got.units.n, &x, from);

	for (uint32_t r = 0; ok && r < DIFF_RUNS; r++)
		ok = sizes_of(s, r, x, from);
	free(from);
	free(x);
	return ok;
}

/* ---- samples of few values: one for each unit */

static bool push(struct diff_sample *to, double value, size_t unit)
{
	if (!na_grow(&to->x, &to->cap, to->n + 1, sizeof(*to->x)))
		return false;
	to->x[to->n++] = (struct na_boot_item){value, (uint32_t)unit, 0};
	to->count++;
	return true;
}

static double rate_gbps(na_i128 bytes, int64_t ps)
{
	return (double)bytes * 8e3 / (double)ps;
}

/* From the start of a step to that of the next, where it is here: hosts do
 * not begin and end at the same instant. */
static int64_t time_of(const struct diff_state *s, size_t u)
{
	const struct na_store *store = s->scope->store;
	const struct na_step *x = &store->steps[u];

	if (u >= store->n_steps)
		return na_time_between(s->got.units.v[u].time.first_ps,
				       s->got.units.v[u].time.last_ps);
	if (u + 1 < store->n_steps && x[1].run == x->run &&
	    x[1].number == x->number + 1 && x[1].start_ps > x->start_ps)
		return na_time_between(x->start_ps, x[1].start_ps);
	return na_time_between(x->start_ps, x->end_ps);
}

static bool rates_by_unit(struct diff_state *s, uint32_t run, double *bytes)
{
	struct diff_sample *to = &s->metrics[DIFF_THROUGHPUT].s[run];
	na_i128 sum = 0;

	for (size_t u = 0; u < s->got.units.n; u++) {
		const struct diff_unit *x = &s->got.units.v[u];
		int64_t ps = x->run == run && x->time.n ? time_of(s, u) : 0;

		if (ps <= 0)
			continue;
		sum += x->bytes;
		if (!push(to, rate_gbps(x->bytes, ps), u))
			return false;
	}
	*bytes = to->n ? (double)sum / (double)to->n : 0;
	return renumber(s, to, run);
}

/* From the first bin that holds anything to the last but one: the last is
 * hardly over. */
static bool rates_by_bin(struct diff_state *s, uint32_t run)
{
	struct diff_sample *to = &s->metrics[DIFF_THROUGHPUT].s[run];
	size_t first = DIFF_BINS, last = 0;

	for (size_t k = 0; k < DIFF_BINS; k++) {
		if (s->got.bins[run][k]) {
			first = first < k ? first : k;
			last = k;
		}
	}
	for (size_t k = first; k < last; k++) {
		if (!push(to, rate_gbps(s->got.bins[run][k], s->bin_ps),
			  k - first))
			return false;
	}
	join_units(to, to->n);
	return true;
}

/* The same in both runs: steps, or launches, or bins. */
static bool rates(struct diff_state *s)
{
	const struct diff_sample *latency = s->metrics[DIFF_LATENCY].s;
	size_t steps = s->scope->store->n_steps;
	bool launches[DIFF_RUNS] = {false, false}, units, ok = true;
	double bytes[DIFF_RUNS] = {0, 0};

	for (size_t u = steps; u < s->got.units.n; u++)
		launches[s->got.units.v[u].run] |= s->got.units.v[u].time.n > 0;
	units = !latency[DIFF_A].by_events && !latency[DIFF_B].by_events &&
		na_diff_has_units(s, DIFF_A) && na_diff_has_units(s, DIFF_B) &&
		launches[DIFF_A] == launches[DIFF_B];
	for (uint32_t r = 0; ok && r < DIFF_RUNS; r++) {
		struct diff_sample *to = &s->metrics[DIFF_THROUGHPUT].s[r];

		ok = units ? rates_by_unit(s, r, &bytes[r])
			   : rates_by_bin(s, r);
		complete(to);
	}
	s->mix.demand = bytes[DIFF_A] > 0 && bytes[DIFF_B] > 0
				? bytes[DIFF_B] / bytes[DIFF_A]
				: (double)NAN;
	return ok;
}

/* ---- what device planes tell */

static bool slack_of(struct diff_state *s, uint32_t run, bool stall)
{
	struct diff_sample *to =
		&s->metrics[stall ? DIFF_STALL : DIFF_SLACK].s[run];
	const struct na_store *store = s->scope->store;
	bool known = true;

	for (size_t i = 0; i < s->slack.n; i++) {
		const struct sl_occ *o = &s->slack.occs[i];
		uint32_t input = store->devices.cores[o->core].input;
		uint32_t unit = o->step;

		/* --collective leaves rows out, not occurrences. */
		if (store->sources[input].run != run ||
		    !na_filter_collective(s->scope->filter,
					  na_strtab_at(&store->names.strings,
						       o->collective)))
			continue;
		if (unit == NA_UNKNOWN_U32)
			unit = na_diff_step_at(store, run, o->end_ps);
		known = known && unit != NA_UNKNOWN_U32;
		if (!push(to, (double)(stall ? o->stall_ps : o->slack_ps),
			  unit == NA_UNKNOWN_U32 ? 0 : unit))
			return false;
	}
	if (known && !renumber(s, to, run))
		return false;
	complete(to);
	return true;
}

struct step_sum {
	na_i128 ps;
	uint64_t n; /* devices */
};

/* Of a run: each with the gap before it, of all its devices. */
static void sum_steps(const struct st_state *st, uint32_t run,
		      struct step_sum *sums)
{
	const struct na_source *sources = st->scope->store->sources;

	for (size_t i = 0; i < st->n_cells; i++) {
		const struct st_cell *c = &st->cells[i];
		const struct st_step *t;

		if (!c->kept ||
		    sources[na_steps_host_of(st, c->core)].run != run)
			continue;
		t = na_steps_at(st, run, c->number);
		if (!t)
			continue;
		sums[t - st->steps].ps += na_steps_duration(c);
		sums[t - st->steps].ps += na_steps_gap(c);
		sums[t - st->steps].n++;
	}
}

/* A step is a unit of its own.  Where neither run has any, launches stand for
 * them: from the start of the first transfer to the end of the last. */
static bool steps_of(struct diff_state *s, uint32_t run)
{
	struct diff_sample *to = &s->metrics[DIFF_STEPS].s[run];
	const struct st_state *st = &s->steps;
	struct step_sum *sums = na_calloc(st->n_steps + 1, sizeof(*sums));
	bool ok = sums;

	if (ok)
		sum_steps(st, run, sums);
	for (size_t i = 0; ok && i < st->n_steps; i++) {
		if (sums[i].n)
			ok = push(to, (double)sums[i].ps / (double)sums[i].n,
				  to->n);
	}
	free(sums);
	if (!ok)
		return false;
	for (size_t u = s->scope->store->n_steps;
	     !st->n_steps && u < s->got.units.n; u++) {
		const struct diff_unit *x = &s->got.units.v[u];
		int64_t ps = na_time_between(x->time.first_ps, x->time.last_ps);

		if (x->run == run && x->time.n && !x->of_time &&
		    !push(to, (double)ps, to->n))
			return false;
	}
	join_units(to, to->n);
	complete(to);
	return true;
}

bool na_diff_samples(struct diff_state *s)
{
	bool ok = latencies(s) && sizes(s) && rates(s);

	for (uint32_t r = 0; ok && r < DIFF_RUNS; r++)
		ok = slack_of(s, r, false) && slack_of(s, r, true) &&
		     steps_of(s, r);
	for (int m = 0; ok && m < DIFF_WHATS; m++)
		s->metrics[m].compared = s->metrics[m].s[DIFF_A].n &&
					 s->metrics[m].s[DIFF_B].n;
	return ok;
}
