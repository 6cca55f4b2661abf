/*
 * steps: ranks that are late together.  Who shares being last with others is
 * last in few of the steps: what each costs is told against those that are not
 * late.  Where they are the ranks of a host, or where these take turns in being
 * late, the host is named (docs/methods.md, "Stragglers").
 */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/steps/court.h"
#include "netan/base/order.h"

/* Of a host's ranks: the host is late. */
#define HOST_SHARE 0.75

struct place { /* of a rank */
	struct st_host *host;
	size_t first; /* rank of the same host */
	bool late;    /* one of those that are late together */
	bool counted; /* of the item that is looked at */
};

struct set { /* a run */
	struct st_state *s;
	uint32_t run;
	size_t n, n_steps;
	struct place *ranks;
	/* [rank * n_steps + step]; NULL: it has none */
	const struct st_host_step **at;
	const struct st_host_step **at_host; /* the latest of a host's */
	int64_t *tmp, *behinds;
	struct na_units_row *rows;     /* of hosts: [ranks * steps] */
	struct na_units_result *hosts; /* by first rank of a host */
};

/* One rank, or those of a host. */
struct item {
	struct st_verdict v;
	na_i128 compute_ps, other_ps; /* beyond the rest's median */
	na_i128 all_ps; /* what its steps would be shorter without it and all
			   others that are late */
};

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

		if (h->run != x->run || !h->n)
			continue;
		if (na_steps_rank_of(s, h->host) < 0)
			return false;
		x->ranks[x->n++] = (struct place){
			.host = h, .late = h->tests[ST_OF_STEPS].named};
	}
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
	x->at_host = x->at ? na_calloc(x->n_steps * x->n + 1,
				       sizeof(*x->at_host))
			   : NULL;
	x->rows = x->at ? na_calloc(x->n_steps * x->n + 1, sizeof(*x->rows))
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
	return of && x->at && x->at_host && x->rows;
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

static void take_moment(struct set *x, struct item *it, const struct moment *m)
{
	int64_t behind_ps = m->own->own_ps - m->median_ps;
	int64_t computes_ps = m->own->cell->busy_ps - m->busy_ps;
	int64_t others_ps = m->late_ps > m->rest_ps ? m->late_ps : m->rest_ps;
	int64_t most_ps = m->own->own_ps > m->late_ps ? m->own->own_ps
						      : m->late_ps;

	it->v.n++;
	it->v.expected += (double)m->members / (double)(m->members + m->rest);
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
	const struct st_verdict *v = &x->ranks[0].host->tests[ST_OF_STEPS];
	struct item it = {.v = {.typical_ps = v->typical_ps}};

	for (size_t i = 0; i < x->n_steps; i++) {
		struct moment m = moment_of(x, i);

		if (m.own && m.rest)
			take_moment(x, &it, &m);
	}
	it.v.effect_ps = na_steps_median_of(x->behinds, it.v.last);
	it.v.named = it.v.last && na_steps_notable(it.v.effect_ps,
						   it.v.typical_ps,
						   ST_EFFECT_SHARE);
	return it;
}

static struct item look_at_rank(struct set *x, size_t rank)
{
	struct item it;

	x->ranks[rank].counted = true;
	it = look_at(x);
	x->ranks[rank].counted = false;
	return it;
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
	double log_odds = h->tests[ST_OF_STEPS].log_odds;

	h->tests[ST_OF_STEPS] = it->v;
	h->tests[ST_OF_STEPS].log_odds = log_odds;
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

static size_t first_of(const struct set *x, size_t rank)
{
	for (size_t i = 0; i < rank; i++) {
		if (same_host(x, &x->ranks[i], &x->ranks[rank]))
			return i;
	}
	return rank;
}

/* Hosts, each as late as the latest of its ranks. */
static bool judge_hosts(struct set *x)
{
	struct na_units_input in = {.n_units = (uint32_t)x->n, .rows = x->rows};

	for (size_t i = 0; i < x->n; i++) {
		x->ranks[i].first = first_of(x, i);
		for (size_t k = 0; k < x->n_steps; k++) {
			const struct st_host_step *h = step_of(x, i, k);
			size_t at = x->ranks[i].first * x->n_steps + k;

			if (h && (!x->at_host[at] ||
				  h->own_ps > x->at_host[at]->own_ps))
				x->at_host[at] = h;
		}
	}
	for (size_t i = 0; i < x->n * x->n_steps; i++) {
		const struct st_host_step *h = x->at_host[i];

		if (h)
			x->rows[in.n_rows++] = (struct na_units_row){
				(uint32_t)(i / x->n_steps),
				(uint32_t)(i % x->n_steps),
				(double)h->own_ps};
	}
	in.least = ST_EFFECT_SHARE *
		   (double)x->ranks[0].host->tests[ST_OF_STEPS].typical_ps;
	in.least = in.least > ST_EFFECT_PS ? in.least : ST_EFFECT_PS;
	return na_units_judge(&in, x->hosts);
}

/* A host in place of those of its ranks that are counted; others that are late
 * may be late at other times, so that the host costs beside these. */
static void name_unit(struct set *x, size_t first, const struct item *it)
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
	unit->tests[ST_OF_STEPS].log_odds = x->hosts[first].log_odds;
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
		if (late || !na_units_named(&x->hosts[first]))
			return;
		count_host(x, first, false);
	}
	it = look_at(x);
	if (it.v.named)
		name_unit(x, first, &it);
}

static void clear_counted(struct set *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->ranks[i].counted = false;
}

static void judge_run(struct set *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		if (x->ranks[i].first == i)
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
	size_t hosts = s->n_hosts + 1;

	x->ranks = na_calloc(hosts, sizeof(*x->ranks));
	x->hosts = na_calloc(hosts, sizeof(*x->hosts));
	x->tmp = na_calloc(2 * hosts, sizeof(*x->tmp));
	x->behinds = na_calloc(s->n_steps + 1, sizeof(int64_t));
	return x->ranks && x->hosts && x->tmp && x->behinds;
}

static void close_set(struct set *x)
{
	free(x->ranks);
	free(x->hosts);
	free(x->at);
	free(x->at_host);
	free(x->rows);
	free(x->tmp);
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
			ok = place_steps(&x) && judge_hosts(&x);
			if (ok)
				judge_run(&x);
		}
		close_set(&x);
	}
	return s->units && ok;
}
