/* diff: from what was gathered to sorted samples of both runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/diff/diff.h"
#include "netan/base/vec.h"

/* Units are numbered from 0, `used` of them, in order of time. */
static void join_units(struct df_sample *sample, size_t used)
{
	sample->n_units = used < DF_STRETCHES ? used : DF_STRETCHES;
	for (size_t i = 0; used > DF_STRETCHES && i < sample->n; i++)
		sample->x[i].unit = (uint32_t)((uint64_t)sample->x[i].unit *
					       DF_STRETCHES / used);
}

/*
 * Units of a sample are numbered anew, those alone that hold something; of
 * more than DF_STRETCHES, neighbours become one: steps that follow each other
 * are alike, stretches of them are less so.  x[i].unit is the index of a unit
 * of the state, as df_unit_of() gives it, of one run.
 */
static bool renumber(const struct df_state *s, struct df_sample *sample,
		     uint32_t run)
{
	size_t all = s->run_units[run], used = 0;
	uint32_t *as = na_calloc(all + 1, sizeof(*as));

	if (!as)
		return false;
	for (size_t i = 0; i < sample->n; i++)
		as[s->got.units[sample->x[i].unit].at] = 1;
	for (size_t i = 0; i < all; i++) {
		bool there = as[i];

		as[i] = (uint32_t)used;
		used += there;
	}
	for (size_t i = 0; i < sample->n; i++)
		sample->x[i].unit = as[s->got.units[sample->x[i].unit].at];
	join_units(sample, used);
	free(as);
	return true;
}

/* Fewer than 8 units, or none that are known: one for each value. */
static void settle(struct df_sample *sample, bool known)
{
	if (!known)
		sample->n_units = 0;
	sample->by_events = sample->n_units < NA_BOOT_LEAST;
}

/* ---- latencies: both runs share the items, A's first */

struct sorting {
	struct df_sample *s[DF_RUNS];
};

static void sort_run(void *arg, size_t run)
{
	struct sorting *x = arg;

	if (x->s[run]->n)
		qsort(x->s[run]->x, x->s[run]->n, sizeof(*x->s[run]->x),
		      na_boot_order);
}

static bool has_units(const struct df_state *s, uint32_t run)
{
	for (size_t i = 0; i < s->got.n_units; i++) {
		if (s->got.units[i].run == run && s->got.units[i].n &&
		    s->got.units[i].none)
			return false;
	}
	return true;
}

static bool split_runs(struct df_state *s)
{
	struct df_sample *a = &s->metrics[DF_LATENCY].s[DF_A];
	struct df_sample *b = &s->metrics[DF_LATENCY].s[DF_B];
	struct na_boot_item *x = s->got.items;
	size_t i = 0, j = s->got.n_items;

	/* The order within a run does not matter: they are sorted. */
	while (i < j) {
		if (s->got.units[x[i].unit].run == DF_A) {
			i++;
		} else {
			struct na_boot_item t = x[i];

			x[i] = x[--j];
			x[j] = t;
		}
	}
	*a = (struct df_sample){.x = x, .n = i, .count = i};
	*b = (struct df_sample){.x = x ? x + i : NULL,
				.n = s->got.n_items - i,
				.count = s->got.n_items - i};
	return true;
}

static bool latencies(struct df_state *s)
{
	struct df_metric *m = &s->metrics[DF_LATENCY];
	struct sorting sorting = {{&m->s[DF_A], &m->s[DF_B]}};

	if (!split_runs(s))
		return false;
	for (uint32_t r = 0; r < DF_RUNS; r++) {
		bool known = has_units(s, r);

		if (!renumber(s, &m->s[r], r))
			return false;
		settle(&m->s[r], known);
	}
	return na_side_by_side(s->scope, DF_RUNS, sort_run, &sorting);
}

/* ---- sizes: a value for each size in each unit */

static bool sizes_of(struct df_state *s, uint32_t run,
		     const struct na_weighted *x, const size_t *from)
{
	struct df_sample *to = &s->metrics[DF_SIZES].s[run];
	size_t n = 0;

	for (size_t u = 0; u < s->got.n_units; u++)
		n += s->got.units[u].run == run ? from[u + 1] - from[u] : 0;
	to->x = na_calloc(n + 1, sizeof(*to->x));
	to->weight = na_calloc(n + 1, sizeof(*to->weight));
	if (!to->x || !to->weight || n >= UINT32_MAX)
		return false;
	for (size_t u = 0; u < s->got.n_units; u++) {
		for (size_t i = from[u];
		     s->got.units[u].run == run && i < from[u + 1]; i++) {
			to->x[to->n] = (struct na_boot_item){(double)x[i].value,
							     (uint32_t)u,
							     (uint32_t)to->n};
			to->weight[to->n++] = (double)x[i].count;
			to->count += (uint64_t)x[i].count;
		}
	}
	if (!renumber(s, to, run))
		return false;
	settle(to, has_units(s, run));
	if (to->n)
		qsort(to->x, to->n, sizeof(*to->x), na_boot_order);
	return true;
}

static bool sizes(struct df_state *s)
{
	size_t *from = na_calloc(s->got.n_units + 1, sizeof(*from));
	struct na_weighted *x = NULL;
	bool ok = from && na_census_join(&s->counts, s->got.n_units, &x, from);

	for (uint32_t r = 0; ok && r < DF_RUNS; r++)
		ok = sizes_of(s, r, x, from);
	free(from);
	free(x);
	return ok;
}

/* ---- samples of few values: one for each unit */

static bool push(struct df_sample *to, size_t *cap, double value, size_t unit)
{
	if (!na_grow(&to->x, cap, to->n + 1, sizeof(*to->x)))
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
static int64_t time_of(const struct df_state *s, size_t u)
{
	const struct na_store *store = s->scope->store;
	const struct na_step *x = &store->steps[u];

	if (u >= store->n_steps)
		return na_time_between(s->got.units[u].first_ps,
				       s->got.units[u].last_ps);
	if (u + 1 < store->n_steps && x[1].run == x->run &&
	    x[1].number == x->number + 1 && x[1].start_ps > x->start_ps)
		return na_time_between(x->start_ps, x[1].start_ps);
	return na_time_between(x->start_ps, x->end_ps);
}

static bool rates_by_unit(struct df_state *s, uint32_t run, double *bytes)
{
	struct df_sample *to = &s->metrics[DF_THROUGHPUT].s[run];
	na_i128 sum = 0;
	size_t cap = 0;

	for (size_t u = 0; u < s->got.n_units; u++) {
		const struct df_unit *x = &s->got.units[u];
		int64_t ps = x->run == run && x->n ? time_of(s, u) : 0;

		if (ps <= 0)
			continue;
		sum += x->bytes;
		if (!push(to, &cap, rate_gbps(x->bytes, ps), u))
			return false;
	}
	*bytes = to->n ? (double)sum / (double)to->n : 0;
	return renumber(s, to, run);
}

/* From the first bin that holds anything to the last but one: the last is
 * hardly over. */
static bool rates_by_bin(struct df_state *s, uint32_t run)
{
	struct df_sample *to = &s->metrics[DF_THROUGHPUT].s[run];
	size_t cap = 0, first = DF_BINS, last = 0;

	for (size_t k = 0; k < DF_BINS; k++) {
		if (s->got.bins[run][k]) {
			first = first < k ? first : k;
			last = k;
		}
	}
	for (size_t k = first; k < last; k++) {
		if (!push(to, &cap, rate_gbps(s->got.bins[run][k], s->bin_ps),
			  k - first))
			return false;
	}
	join_units(to, to->n);
	return true;
}

/* The same in both runs: steps, or launches, or bins. */
static bool rates(struct df_state *s)
{
	const struct df_sample *latency = s->metrics[DF_LATENCY].s;
	size_t steps = s->scope->store->n_steps;
	bool launches[DF_RUNS] = {false, false}, units, ok = true;
	double bytes[DF_RUNS] = {0, 0};

	for (size_t u = steps; u < s->got.n_units; u++)
		launches[s->got.units[u].run] |= s->got.units[u].n > 0;
	units = !latency[DF_A].by_events && !latency[DF_B].by_events &&
		launches[DF_A] == launches[DF_B];
	for (uint32_t r = 0; ok && r < DF_RUNS; r++) {
		struct df_sample *to = &s->metrics[DF_THROUGHPUT].s[r];

		ok = units ? rates_by_unit(s, r, &bytes[r])
			   : rates_by_bin(s, r);
		settle(to, true);
		if (ok && to->n)
			qsort(to->x, to->n, sizeof(*to->x), na_boot_order);
	}
	s->mix.demand = bytes[DF_A] > 0 && bytes[DF_B] > 0
				? bytes[DF_B] / bytes[DF_A]
				: (double)NAN;
	return ok;
}

/* ---- what device planes tell */

static bool slack_of(struct df_state *s, uint32_t run, bool stall)
{
	struct df_sample *to = &s->metrics[stall ? DF_STALL : DF_SLACK].s[run];
	const struct na_store *store = s->scope->store;
	bool known = true;
	size_t cap = 0;

	for (size_t i = 0; i < s->slack.n; i++) {
		const struct sl_occ *o = &s->slack.occs[i];
		uint16_t input = store->devices.cores[o->core].input;
		uint32_t unit = o->step;

		/* --collective leaves rows out, not occurrences. */
		if (store->sources[input].run != run ||
		    !na_filter_collective(s->scope->filter,
					  na_strtab_at(&store->names.strings,
						       o->collective)))
			continue;
		if (unit == NA_UNKNOWN_U32)
			unit = df_step_at(store, run, o->end_ps);
		known = known && unit != NA_UNKNOWN_U32;
		if (!push(to, &cap, (double)(stall ? o->stall_ps : o->slack_ps),
			  unit == NA_UNKNOWN_U32 ? 0 : unit))
			return false;
	}
	if (known && !renumber(s, to, run))
		return false;
	settle(to, known);
	for (size_t i = 0; to->by_events && i < to->n; i++)
		to->x[i].unit = 0;
	if (to->n)
		qsort(to->x, to->n, sizeof(*to->x), na_boot_order);
	return true;
}

/* A step is a unit of its own.  Where neither run has any, launches stand for
 * them: from the start of the first transfer to the end of the last. */
static bool steps_of(struct df_state *s, uint32_t run)
{
	struct df_sample *to = &s->metrics[DF_STEPS].s[run];
	const struct st_state *st = &s->steps;
	size_t cap = 0;

	for (size_t i = 0; i < st->n_steps; i++) {
		const struct st_step *x = &st->steps[i];
		na_i128 sum = 0;

		if (x->run != run || x->to <= x->from)
			continue;
		for (size_t k = x->from; k < x->to; k++)
			sum += st->host_steps[k].period_ps;
		if (!push(to, &cap, (double)sum / (double)(x->to - x->from),
			  to->n))
			return false;
	}
	for (size_t u = s->scope->store->n_steps;
	     !st->n_steps && u < s->got.n_units; u++) {
		const struct df_unit *x = &s->got.units[u];

		if (x->run == run && x->n && !x->none &&
		    !push(to, &cap,
			  (double)na_time_between(x->first_ps, x->last_ps),
			  to->n))
			return false;
	}
	join_units(to, to->n);
	settle(to, true);
	if (to->n)
		qsort(to->x, to->n, sizeof(*to->x), na_boot_order);
	return true;
}

bool df_samples(struct df_state *s)
{
	bool ok = latencies(s) && sizes(s) && rates(s);

	for (uint32_t r = 0; ok && r < DF_RUNS; r++)
		ok = slack_of(s, r, false) && slack_of(s, r, true) &&
		     steps_of(s, r);
	for (int m = 0; ok && m < DF_WHATS; m++)
		s->metrics[m].compared = s->metrics[m].s[DF_A].n &&
					 s->metrics[m].s[DF_B].n;
	return ok;
}
