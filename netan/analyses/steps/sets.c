/*
 * steps: ranks that are late together.  Who shares being last with others is
 * last in few of the steps: all ranks of a slow host, or two that are late by
 * the same.  So the latest ranks of a run are compared with the rest of it, and
 * where each of them comes after all of that, all are named; where they are the
 * ranks of a host, that host (docs/methods.md, "Stragglers").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/steps/court.h"
#include "netan/base/order.h"
#include "netan/stats/tests/tests.h"

/* How far they are ahead of the latest of the rest, beside how far that one is
 * behind the rest's median. */
#define LEAD_SHARE 0.5
/* Of a host's ranks: the host is late. */
#define HOST_SHARE 0.75

struct place { /* of a rank */
	struct st_host *host;
	int64_t behind_ps;
	bool late;    /* one of those that are late together */
	bool counted; /* of the item that is looked at */
};

struct set { /* a run */
	struct st_state *s;
	uint32_t run;
	size_t n, n_steps;
	struct place *ranks; /* latest first */
	/* [rank * n_steps + step]; NULL: it has none */
	const struct st_host_step **at;
	int64_t *rest_ps; /* by step: the latest of the rest */
	int64_t *tmp, *leads, *spreads, *behinds;
};

/* One rank, or those of a host. */
struct item {
	struct st_verdict v;
	int64_t lead_ps, spread_ps;
	na_i128 compute_ps, other_ps; /* beyond the rest's median */
	na_i128 all_ps; /* what its steps would be shorter without it and all
			   others that are late */
};

NA_ORDER(latest_first, struct place, NA_DOWN(behind_ps), NA_UP(host->host))

static const struct st_host_step *step_of(const struct set *x, size_t rank,
					  size_t step)
{
	return x->at[rank * x->n_steps + step];
}

static bool list_ranks(struct set *x)
{
	const struct st_state *s = x->s;

	for (size_t i = 0; i < s->n_hosts; i++) {
		struct st_host *h = &s->hosts[i];
		size_t n = 0;

		if (h->run != x->run || !h->n)
			continue;
		if (na_steps_rank_of(s, h->host) < 0)
			return false;
		for (size_t k = 0; k < s->n_host_steps; k++) {
			if (s->host_steps[k].host == h->host)
				x->tmp[n++] = s->host_steps[k].late_ps;
		}
		x->ranks[x->n++] = (struct place){
			.host = h, .behind_ps = na_steps_median_of(x->tmp, n)};
	}
	na_sort(x->ranks, x->n, latest_first);
	return x->n > 2;
}

/* Steps that the network makes long say nothing of ranks. */
static bool counts(const struct set *x, const struct st_step *t)
{
	return t->run == x->run && t->to - t->from > 1 &&
	       t->cause != ST_NETWORK;
}

static bool place_steps(struct set *x)
{
	const struct st_state *s = x->s;
	uint32_t *of = na_calloc(s->scope->store->n_hosts + 1, sizeof(*of));
	size_t step = 0;

	for (size_t i = 0; i < s->n_steps; i++)
		x->n_steps += counts(x, &s->steps[i]);
	x->at = x->n_steps < SIZE_MAX / (x->n + 1) / sizeof(*x->at)
			? na_calloc(x->n_steps * x->n + 1, sizeof(*x->at))
			: NULL;
	for (uint32_t i = 0; of && i < x->n; i++)
		of[x->ranks[i].host->host] = i;
	for (size_t i = 0; of && x->at && i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];

		if (!counts(x, t))
			continue;
		for (size_t k = t->from; k < t->to; k++)
			x->at[of[s->host_steps[k].host] * x->n_steps + step] =
				&s->host_steps[k];
		step++;
	}
	free(of);
	return of && x->at;
}

/* By step: the rest is all from this rank on. */
static void add_to_rest(struct set *x, size_t rank)
{
	for (size_t i = 0; i < x->n_steps; i++) {
		const struct st_host_step *h = step_of(x, rank, i);

		if (h && h->own_ps > x->rest_ps[i])
			x->rest_ps[i] = h->own_ps;
	}
}

/* In more than half of its steps after all of the rest. */
static bool after_rest(const struct set *x, size_t rank)
{
	size_t last = 0, n = 0;

	for (size_t i = 0; i < x->n_steps; i++) {
		const struct st_host_step *h = step_of(x, rank, i);

		n += h != NULL;
		last += h && h->own_ps > x->rest_ps[i];
	}
	return 2 * last > n;
}

struct moment {                         /* of a step */
	const struct st_host_step *own; /* the latest of the item */
	int64_t late_ps, rest_ps; /* the latest of others that are late, and of
				     the rest; NA_TIME_MIN: none */
	int64_t median_ps, busy_ps; /* of the rest */
	size_t members, rest;
};

static struct moment moment_of(struct set *x, size_t step)
{
	struct moment m = {.late_ps = NA_TIME_MIN, .rest_ps = NA_TIME_MIN};
	int64_t *busy = x->tmp + x->n;

	for (size_t i = 0; i < x->n; i++) {
		const struct st_host_step *h = step_of(x, i, step);
		int64_t *most = x->ranks[i].late ? &m.late_ps : &m.rest_ps;

		if (!h)
			continue;
		if (x->ranks[i].counted) {
			m.members++;
			if (!m.own || h->own_ps > m.own->own_ps)
				m.own = h;
			continue;
		}
		*most = h->own_ps > *most ? h->own_ps : *most;
		if (x->ranks[i].late)
			continue;
		busy[m.rest] = h->cell->busy_ps;
		x->tmp[m.rest++] = h->own_ps;
	}
	m.median_ps = na_steps_median_of(x->tmp, m.rest);
	m.busy_ps = na_steps_median_of(busy, m.rest);
	return m;
}

static void take_moment(struct set *x, struct item *it, const struct moment *m,
			size_t *n)
{
	int64_t behind_ps = m->own->own_ps - m->median_ps;
	int64_t computes_ps = m->own->cell->busy_ps - m->busy_ps;
	int64_t others_ps = m->late_ps > m->rest_ps ? m->late_ps : m->rest_ps;
	int64_t most_ps = m->own->own_ps > m->late_ps ? m->own->own_ps
						      : m->late_ps;

	it->v.n++;
	it->v.expected += (double)m->members / (double)(m->members + m->rest);
	x->leads[*n] = m->own->own_ps - m->rest_ps;
	x->spreads[*n] = m->rest_ps - m->median_ps;
	(*n)++;
	if (most_ps > m->rest_ps)
		it->all_ps += most_ps - m->rest_ps;
	if (m->own->own_ps <= m->rest_ps)
		return;
	x->behinds[it->v.last++] = behind_ps;
	it->compute_ps += computes_ps;
	it->other_ps += behind_ps - computes_ps;
	if (m->own->own_ps > others_ps)
		it->v.lost_ps += m->own->own_ps - others_ps;
}

/* Those that are counted against the rest. */
static struct item look_at(struct set *x)
{
	struct item it = {.v = {.p = (double)NAN}};
	size_t n = 0;

	for (size_t i = 0; i < x->n_steps; i++) {
		struct moment m = moment_of(x, i);

		if (m.own && m.rest)
			take_moment(x, &it, &m, &n);
	}
	it.lead_ps = na_steps_median_of(x->leads, n);
	/* Bad moments of the others count, too. */
	na_steps_median_of(x->spreads, n);
	it.spread_ps = n ? x->spreads[3 * (n - 1) / 4] : 0;
	it.v.effect_ps = na_steps_median_of(x->behinds, it.v.last);
	it.v.typical_ps = x->ranks[0].host->tests[ST_OF_STEPS].typical_ps;
	if (it.v.n)
		it.v.p = na_binomial_upper(it.v.last, it.v.n,
					   it.v.expected / (double)it.v.n);
	it.v.q = fmin(1, it.v.p * (double)x->n);
	it.v.named = it.v.q <= ST_Q && 2 * it.v.last > it.v.n &&
		     na_steps_notable(it.v.effect_ps, it.v.typical_ps,
				      ST_EFFECT_SHARE) &&
		     (double)it.lead_ps > LEAD_SHARE * (double)it.spread_ps;
	return it;
}

/* Whether one of those that are counted is the last of most steps: to look
 * at them takes longer. */
static bool last_of_most(const struct set *x)
{
	size_t last = 0;

	for (size_t i = 0; i < x->n_steps; i++) {
		int64_t own_ps = NA_TIME_MIN, rest_ps = NA_TIME_MIN;

		for (size_t k = 0; k < x->n; k++) {
			const struct st_host_step *h = step_of(x, k, i);
			int64_t *most = x->ranks[k].counted ? &own_ps
							    : &rest_ps;

			if (h && (x->ranks[k].counted || !x->ranks[k].late) &&
			    h->own_ps > *most)
				*most = h->own_ps;
		}
		last += own_ps > rest_ps;
	}
	return 2 * last > x->n_steps;
}

static struct item look_at_rank(struct set *x, size_t rank)
{
	struct item it;

	x->ranks[rank].counted = true;
	it = look_at(x);
	x->ranks[rank].counted = false;
	return it;
}

static bool all_named(struct set *x, size_t n)
{
	bool ok = true;

	for (size_t i = 0; i < x->n; i++)
		x->ranks[i].late = i < n;
	for (size_t i = n; ok && i-- > 0;)
		ok = look_at_rank(x, i).v.named;
	for (size_t i = 0; !ok && i < n; i++)
		x->ranks[i].late = false;
	return ok;
}

static bool late_alone(const struct st_host *h)
{
	return h->straggler && h->evidence == ST_OF_STEPS &&
	       (h->cause == ST_COMPUTATION || h->cause == ST_INPUT);
}

/* The most that come after all others; half of a run at most, for then nobody
 * knows which half is late.  One alone is judged before. */
static void find_late(struct set *x)
{
	for (size_t i = 0; i < x->n_steps; i++)
		x->rest_ps[i] = NA_TIME_MIN;
	for (size_t i = x->n; i-- > 1;) {
		bool after = 2 * i <= x->n;

		add_to_rest(x, i);
		for (size_t k = i; after && k-- > 0;)
			after = after_rest(x, k);
		if (after && i > 1 && all_named(x, i))
			return;
	}
	for (size_t i = 0; i < x->n; i++)
		x->ranks[i].late = late_alone(x->ranks[i].host);
}

static bool same_host(const struct set *x, const struct place *a,
		      const struct place *b)
{
	const struct na_store *store = x->s->scope->store;

	return !store->sources[a->host->host].no_host &&
	       !store->sources[b->host->host].no_host &&
	       strcmp(store->hosts[a->host->host].name,
		      store->hosts[b->host->host].name) == 0;
}

/* Once those that are late are known, and `h` among them. */
static void name_late(struct st_host *h, const struct item *it)
{
	h->tests[ST_OF_STEPS] = it->v;
	h->tests[ST_OF_STEPS].named = true;
	h->evidence = ST_OF_STEPS;
	h->cause = it->compute_ps >= it->other_ps ? ST_COMPUTATION : ST_INPUT;
	h->gain_ps = (int64_t)(it->v.lost_ps / (na_i128)it->v.n);
	h->together_ps = (int64_t)(it->all_ps / (na_i128)it->v.n);
	h->straggler = true;
}

/* Counts the ranks of a host, from that one on: all, or those that are late. */
static size_t count_host(struct set *x, size_t first, bool late)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		struct place *p = &x->ranks[i];

		p->counted = same_host(x, &x->ranks[first], p) &&
			     (p->late || !late);
		n += p->counted;
	}
	return n;
}

static bool is_first(const struct set *x, size_t rank)
{
	for (size_t i = 0; i < rank; i++) {
		if (same_host(x, &x->ranks[i], &x->ranks[rank]))
			return false;
	}
	return true;
}

/* A host in place of those of its ranks that are counted; others that are late
 * may be late at other times, so that the host costs beside these. */
static void name_unit(struct set *x, const struct item *it)
{
	struct st_host *unit = &x->s->units[x->s->n_units++];

	*unit = (struct st_host){.run = x->run};
	for (size_t i = 0; i < x->n; i++) {
		struct st_host *h = x->ranks[i].host;

		if (!x->ranks[i].counted)
			continue;
		if (!unit->n_ranks++)
			unit->host = h->host;
		unit->n += h->n;
		h->unit = unit;
		h->straggler = true;
		x->ranks[i].late = true;
	}
	name_late(unit, it);
	for (size_t i = 0; i < x->n; i++) {
		if (x->ranks[i].host->unit == unit)
			x->ranks[i].host->cause = unit->cause;
	}
}

/* All of a host, or nearly: the host.  Its ranks may also take turns in being
 * late, so that none of them is. */
static void judge_host(struct set *x, size_t first)
{
	size_t all = count_host(x, first, false);
	size_t late = count_host(x, first, true);
	struct item it;

	if (all < 2 || all == x->n)
		return;
	if ((double)late < HOST_SHARE * (double)all) {
		if (late || 2 * all > x->n)
			return;
		count_host(x, first, false);
	}
	if (!last_of_most(x))
		return;
	it = look_at(x);
	if (it.v.named)
		name_unit(x, &it);
}

static void clear_counted(struct set *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->ranks[i].counted = false;
}

static void judge_run(struct set *x)
{
	size_t n = 0;

	find_late(x);
	for (size_t i = 0; i < x->n; i++) {
		if (is_first(x, i))
			judge_host(x, i);
	}
	clear_counted(x);
	for (size_t i = 0; i < x->n; i++)
		n += x->ranks[i].late;
	for (size_t i = 0; n > 1 && i < x->n; i++) {
		struct st_host *h = x->ranks[i].host;
		struct item it;

		if (!x->ranks[i].late || h->unit)
			continue;
		it = look_at_rank(x, i);
		if (it.v.named)
			name_late(h, &it);
	}
}

static bool open_set(struct set *x)
{
	const struct st_state *s = x->s;
	size_t steps = s->n_steps + 1, hosts = s->n_hosts + 1;

	x->ranks = na_calloc(hosts, sizeof(*x->ranks));
	x->tmp = na_calloc(2 * hosts + s->n_host_steps, sizeof(*x->tmp));
	x->rest_ps = na_calloc(steps, sizeof(int64_t));
	x->leads = na_calloc(steps, sizeof(int64_t));
	x->spreads = na_calloc(steps, sizeof(int64_t));
	x->behinds = na_calloc(steps, sizeof(int64_t));
	return x->ranks && x->tmp && x->rest_ps && x->leads && x->spreads &&
	       x->behinds;
}

static void close_set(struct set *x)
{
	free(x->ranks);
	free(x->at);
	free(x->tmp);
	free(x->rest_ps);
	free(x->leads);
	free(x->spreads);
	free(x->behinds);
}

bool na_steps_find_sets(struct st_state *s)
{
	bool ok = true;

	s->units = na_calloc(s->n_hosts + 1, sizeof(*s->units));
	for (uint32_t run = 0; s->units && run < s->scope->store->n_runs;
	     run++) {
		struct set x = {.s = s, .run = run};

		if (s->by_launch[run] || !s->matched[run])
			continue;
		ok = ok && open_set(&x);
		if (ok && list_ranks(&x)) {
			ok = place_steps(&x);
			if (ok)
				judge_run(&x);
		}
		close_set(&x);
	}
	return s->units && ok;
}
