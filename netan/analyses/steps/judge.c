/*
 * steps: which hosts are stragglers, by how late each was when
 * (docs/methods.md, "Stragglers").
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/steps/court.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

NA_ORDER(by_host_and_list, struct st_lateness, NA_UP(host), NA_UP(list),
	 NA_UP(ps))

static void take_effects(struct st_court *c)
{
	na_sort(c->late.v, c->late.n, by_host_and_list);
	for (size_t from = 0, to; from < c->late.n; from = to) {
		const struct st_lateness *x = &c->late.v[from];
		struct st_host *h = c->by_host[x->host];
		int64_t median;

		for (to = from; to < c->late.n &&
				c->late.v[to].host == x->host &&
				c->late.v[to].list == x->list;)
			to++;
		median = c->late.v[from + (to - from - 1) / 2].ps;
		if (x->list == ST_STARTS_OF_ENDS)
			h->tests[ST_OF_ENDS].start_ps = median;
		else
			h->tests[x->list].effect_ps = median;
	}
}

NA_ORDER(by_group, struct st_known, NA_UP(group), NA_UP(ps))

static bool list_known(struct st_court *c)
{
	const struct na_host_clocks *k = c->s->clocks;

	for (size_t i = 0; i < k->n_hosts; i++) {
		if (k->uncertainty_ps[i] != NA_TIME_MAX &&
		    !na_add(&c->known,
			    ((struct st_known){k->group[i],
					       k->uncertainty_ps[i]})))
			return false;
	}
	na_sort(c->known.v, c->known.n, by_group);
	return true;
}

/* How well the clock of the median other host of its group is known: the
 * lower one of two; 0: there is none. */
static int64_t median_of_others(const struct st_court *c, uint32_t host)
{
	const struct na_host_clocks *k = c->s->clocks;
	const struct st_known *v = c->known.v;
	int64_t own = k->uncertainty_ps[host];
	uint32_t group = k->group[host];
	size_t from = NA_BOUND(i, 0, c->known.n, v[i].group >= group);
	size_t to = NA_BOUND(i, from, c->known.n, v[i].group > group);
	size_t at = NA_BOUND(i, from, to, v[i].ps >= own);
	size_t n = to - from - (own != NA_TIME_MAX), median;

	if (!n)
		return 0;
	median = from + (n - 1) / 2;
	return v[median + (own != NA_TIME_MAX && at <= median)].ps;
}

/*
 * A difference below what the clocks are known to is none: of two instants
 * the host's and another's; of two latencies, which have two clocks each,
 * two more.  (Where data go around in a ring, one way alone, the clocks are
 * known to half the way around, and what is left open piles up beside the
 * host that the others' clocks are told by.)
 */
static int64_t blur(const struct st_court *c, uint32_t host, unsigned test)
{
	const struct na_host_clocks *k = c->s->clocks;
	int64_t others;

	if (test == ST_OF_STEPS || host >= k->n_hosts)
		return 0;
	others = median_of_others(c, host);
	if (test == ST_OF_TRANSFERS)
		others = others < NA_TIME_MAX / 3 ? 3 * others : NA_TIME_MAX;
	return k->uncertainty_ps[host] < NA_TIME_MAX - others
		       ? k->uncertainty_ps[host] + others
		       : NA_TIME_MAX;
}

/* The smallest effect of a test that is a fault, ps. */
static double least_of(const struct st_court *c, uint32_t run, unsigned test)
{
	bool launches = c->s->by_launch[run];
	double share = launches ? ST_LAUNCH_SHARE : ST_EFFECT_SHARE;
	double typical = (double)c->typical[run * ST_TESTS + test].median_ps;
	double steps = (double)c->typical[run * ST_TESTS].median_ps;
	double least;

	/* Nothing says what it cost the devices: beside the launch, then. */
	if (launches && typical < steps)
		typical = steps;
	least = fmax(ST_EFFECT_PS, share * typical);
	/* Transfers that take only a little longer are no fault. */
	if (test == ST_OF_TRANSFERS)
		least = fmax(least, (ST_NETWORK_RATIO - 1) *
					    (double)c->usual[run].median_ps);
	return least;
}

static void take_odds(const struct st_court *c, unsigned list, double least_ps,
		      const struct na_units_result *r, struct st_host *h)
{
	bool network = list == ST_NETWORK_OF_STEPS;
	struct st_verdict *v = &h->tests[network ? ST_OF_STEPS : list];

	if (network != c->by_network[h - c->s->hosts] &&
	    (network || list == ST_OF_STEPS))
		return;
	v->log_odds = r->log_odds;
	/* Who is never the last lets nobody wait. */
	v->named = na_units_named(r) && (double)v->effect_ps > least_ps;
}

/* The hosts of a run in one test: runs side by side are judged as each alone.
 * [from, to): its observations. */
static bool judge_family(struct st_court *c, size_t from, size_t to)
{
	const struct st_seen *x = &c->seen.v[from];
	struct st_state *s = c->s;
	unsigned test = x->list == ST_NETWORK_OF_STEPS ? ST_OF_STEPS : x->list;
	struct na_units_input in = {
		.n_units = (uint32_t)s->n_hosts,
		.n_rows = to - from,
		.rows = c->rows,
		.unsure = c->unsure,
		.least = least_of(c, x->run, test),
	};

	for (size_t i = 0; i < in.n_rows; i++)
		c->rows[i] = (struct na_units_row){
			(uint32_t)(c->by_host[x[i].host] - s->hosts),
			x[i].replicate, (double)x[i].ps};
	for (size_t i = 0; i < s->n_hosts; i++)
		c->unsure[i] = (double)blur(c, s->hosts[i].host, test);
	if (!na_units_judge(&in, c->odds))
		return false;
	for (size_t i = 0; i < s->n_hosts; i++) {
		struct st_host *h = &s->hosts[i];

		if (h->run == x->run)
			take_odds(c, x->list, in.least, &c->odds[i], h);
	}
	return true;
}

static void settle_medians(struct st_court *c)
{
	size_t runs = c->s->scope->store->n_runs;

	for (size_t i = 0; i < runs * ST_TESTS; i++)
		c->typical[i].median_ps = na_steps_median_of(c->typical[i].v,
							     c->typical[i].n);
	for (size_t i = 0; i < runs; i++)
		c->usual[i].median_ps = na_steps_median_of(c->usual[i].v,
							   c->usual[i].n);
}

NA_ORDER(by_family, struct st_seen, NA_UP(run), NA_UP(list))

static bool judge_all(struct st_court *c)
{
	struct st_state *s = c->s;
	size_t n = c->seen.n;
	bool ok;

	c->rows = na_calloc(n + 1, sizeof(*c->rows));
	c->unsure = na_calloc(s->n_hosts + 1, sizeof(*c->unsure));
	c->odds = na_calloc(s->n_hosts + 1, sizeof(*c->odds));
	ok = c->rows && c->unsure && c->odds && list_known(c);
	settle_medians(c);
	for (size_t i = 0; i < s->n_hosts * ST_TESTS; i++) {
		struct st_host *h = &s->hosts[i / ST_TESTS];
		struct st_verdict *v = &h->tests[i % ST_TESTS];
		const struct st_durations *d = c->typical + h->run * ST_TESTS;

		v->log_odds = (double)NAN;
		v->typical_ps = d[i % ST_TESTS].median_ps;
	}
	na_sort(c->seen.v, n, by_family);
	for (size_t from = 0, to; ok && from < n; from = to) {
		const struct st_seen *x = &c->seen.v[from];

		for (to = from; to < n && c->seen.v[to].run == x->run &&
				c->seen.v[to].list == x->list;)
			to++;
		ok = judge_family(c, from, to);
	}
	return ok;
}

static void court_fini(struct st_court *c)
{
	size_t n = c->s->scope->store->n_runs * ST_TESTS;

	for (size_t i = 0; c->typical && i < n; i++)
		na_vec_free(&c->typical[i]);
	for (size_t i = 0; c->usual && i < c->s->scope->store->n_runs; i++)
		na_vec_free(&c->usual[i]);
	free(c->usual);
	free(c->typical);
	free(c->by_host);
	na_vec_free(&c->late);
	na_vec_free(&c->known);
	na_vec_free(&c->seen);
	free(c->rows);
	free(c->unsure);
	free(c->odds);
	free(c->by_network);
	free(c->tmp);
	na_triples_fini(&c->clusters);
}

/* Hosts that have steps or transfers, in the store's order. */
static bool list_hosts(struct st_court *c)
{
	struct st_state *s = c->s;
	size_t n = s->scope->store->n_hosts, n_there = 0;
	bool *there = na_calloc(n + 1, sizeof(*there));

	for (size_t i = 0; there && i < s->n_host_steps; i++)
		there[s->host_steps[i].host] = true;
	for (size_t i = 0; there && i < s->got.shares.n; i++)
		there[s->got.keys.keys[i].c] = true;
	for (size_t i = 0; there && i < n; i++)
		n_there += there[i];
	s->hosts = na_calloc(n_there + 1, sizeof(*s->hosts));
	for (size_t i = 0; there && s->hosts && i < n; i++) {
		if (!there[i])
			continue;
		c->by_host[i] = &s->hosts[s->n_hosts];
		s->hosts[s->n_hosts++] =
			(struct st_host){.host = (uint32_t)i,
					 .run = s->scope->store->hosts[i].run,
					 .gain_ps = -1};
	}
	free(there);
	return there && s->hosts;
}

bool na_steps_judge_hosts(struct st_state *s)
{
	const struct na_store *store = s->scope->store;
	struct st_court c = {.s = s};
	bool ok;

	c.by_host = na_calloc(store->n_hosts + 1, sizeof(struct st_host *));
	c.typical = na_calloc(store->n_runs * ST_TESTS + 1, sizeof(*c.typical));
	c.usual = na_calloc(store->n_runs + 1, sizeof(*c.usual));
	c.tmp = na_calloc(store->n_hosts + 2, sizeof(*c.tmp));
	ok = c.by_host && c.typical && c.usual && c.tmp && list_hosts(&c);
	for (size_t i = 0; ok && i < s->n_host_steps; i++)
		c.by_host[s->host_steps[i].host]->n++;
	ok = ok && na_steps_try_steps(&c) && na_steps_try_instances(&c);
	if (ok) {
		take_effects(&c);
		ok = judge_all(&c) && na_steps_name_stragglers(s);
	}
	court_fini(&c);
	return ok;
}
