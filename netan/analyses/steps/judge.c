/*
 * steps: which hosts are stragglers, from who was last how often
 * (docs/methods.md, "Stragglers").
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/steps/court.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/stats/tests/tests.h"

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

/* By cluster, then host. */
NA_ORDER(by_cluster, struct st_lateness, NA_UP(list), NA_UP(cluster),
	 NA_UP(host), NA_UP(ps))

/* Who was last most often in each cluster: c->late shrinks to these. */
static void elect(struct st_court *c)
{
	size_t kept = 0;

	na_sort(c->late.v, c->late.n, by_cluster);
	for (size_t from = 0, to; from < c->late.n; from = to) {
		struct st_lateness best = c->late.v[from];
		size_t votes = 0, second = 0;

		for (to = from; to < c->late.n &&
				c->late.v[to].list == best.list &&
				c->late.v[to].cluster == best.cluster;) {
			size_t first = to;

			while (to < c->late.n &&
			       c->late.v[to].list == c->late.v[first].list &&
			       c->late.v[to].cluster ==
				       c->late.v[first].cluster &&
			       c->late.v[to].host == c->late.v[first].host)
				to++;
			if (to - first > votes) {
				second = votes;
				votes = to - first;
				best.host = c->late.v[first].host;
			} else if (to - first > second) {
				second = to - first;
			}
		}
		if (votes > second)
			c->late.v[kept++] = best;
	}
	c->late.n = kept;
}

/* The same test over clusters. */
static double over_clusters(const struct st_court *c, const struct st_host *h,
			    unsigned test)
{
	const struct st_verdict *v = &h->tests[test];

	return na_binomial_upper(c->n_last[h->host * ST_TESTS + test],
				 c->n_tried[h->run * ST_TESTS + test],
				 v->expected / (double)v->n);
}

static bool count_clusters(struct st_court *c)
{
	const struct na_store *store = c->s->scope->store;

	c->n_tried = na_calloc(store->n_runs * ST_TESTS + 1, sizeof(size_t));
	c->n_last = na_calloc(store->n_hosts * ST_TESTS + 1, sizeof(size_t));
	if (!c->n_tried || !c->n_last)
		return false;
	for (size_t i = 0; i < c->tried.n; i++) {
		const struct na_triple *x = &c->tried.keys[i];

		c->n_tried[(size_t)x->c * ST_TESTS + x->a]++;
	}
	for (size_t i = 0; i < c->late.n; i++) {
		const struct st_lateness *x = &c->late.v[i];

		if (x->list < ST_TESTS)
			c->n_last[(size_t)x->host * ST_TESTS + x->list]++;
	}
	return true;
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

static void try_host(const struct st_court *c, struct st_host *h, unsigned test)
{
	struct st_verdict *v = &h->tests[test];
	const struct st_durations *d = &c->typical[h->run * ST_TESTS + test];

	v->p = v->q = (double)NAN;
	if (v->n)
		v->p = fmax(na_binomial_upper(v->last, v->n,
					      v->expected / (double)v->n),
			    over_clusters(c, h, test));
	v->typical_ps = d->median_ps;
	/* Nothing says what it cost the devices: beside the launch, then. */
	if (c->s->by_launch[h->run] &&
	    v->typical_ps < h->tests[ST_OF_STEPS].typical_ps)
		v->typical_ps = h->tests[ST_OF_STEPS].typical_ps;
}

/* Transfers that take only a little longer are no fault. */
static bool by_enough(const struct st_court *c, const struct st_host *h,
		      unsigned test)
{
	const struct st_durations *d = &c->usual[h->run];

	return test != ST_OF_TRANSFERS ||
	       (double)h->tests[test].effect_ps >
		       (ST_NETWORK_RATIO - 1) * (double)d->median_ps;
}

/* Steps of ranks are short, and a busy machine makes now this one late, now
 * that one. */
static bool beyond_jitter(const struct st_court *c, const struct st_host *h,
			  unsigned test)
{
	const struct st_verdict *v = &h->tests[test];

	return test != ST_OF_STEPS ||
	       !c->s->scope->store->hosts[h->host].of_ranks ||
	       (2 * v->last > v->n && na_steps_stands_out(c, h));
}

/* A family is the hosts of a run in one test: runs side by side are judged
 * as each alone. */
static bool judge_family(struct st_court *c, uint32_t run, unsigned test,
			 double *p)
{
	struct st_state *s = c->s;
	double share = s->by_launch[run] ? ST_LAUNCH_SHARE : ST_EFFECT_SHARE;
	double *q = p + s->n_hosts;
	size_t n = 0;

	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].run == run)
			p[n++] = s->hosts[i].tests[test].p;
	}
	if (!na_bh(p, q, n))
		return false;
	n = 0;
	for (size_t i = 0; i < s->n_hosts; i++) {
		struct st_host *h = &s->hosts[i];
		struct st_verdict *v = &h->tests[test];

		if (h->run != run)
			continue;
		v->q = q[n++];
		v->named = v->q <= ST_Q &&
			   na_steps_notable(v->effect_ps, v->typical_ps,
					    share) &&
			   v->effect_ps > blur(c, h->host, test) &&
			   by_enough(c, h, test) && beyond_jitter(c, h, test);
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

static bool sentence(struct st_court *c)
{
	struct st_state *s = c->s;
	double *p = na_calloc(2 * s->n_hosts + 1, sizeof(*p));
	bool ok = p && list_known(c);

	settle_medians(c);
	for (size_t i = 0; ok && i < s->n_hosts * ST_TESTS; i++)
		try_host(c, &s->hosts[i / ST_TESTS], i % ST_TESTS);
	for (uint32_t r = 0; r < s->scope->store->n_runs; r++) {
		for (unsigned k = 0; ok && k < ST_TESTS; k++)
			ok = judge_family(c, r, k, p);
	}
	free(p);
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
	free(c->tmp);
	free(c->leads);
	free(c->behind);
	free(c->spreads);
	free(c->n_tried);
	free(c->n_last);
	na_triples_fini(&c->clusters);
	na_triples_fini(&c->tried);
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
	c.leads = na_calloc(s->n_steps + 1, sizeof(*c.leads));
	c.behind = na_calloc(s->n_steps + 1, sizeof(*c.behind));
	c.spreads = na_calloc(s->n_steps + 1, sizeof(*c.spreads));
	ok = c.by_host && c.typical && c.usual && c.tmp && c.leads &&
	     c.behind && c.spreads && list_hosts(&c);
	for (size_t i = 0; ok && i < s->n_host_steps; i++)
		c.by_host[s->host_steps[i].host]->n++;
	ok = ok && na_steps_try_steps(&c) && na_steps_try_instances(&c);
	if (ok) {
		take_effects(&c);
		elect(&c);
		ok = count_clusters(&c) && sentence(&c) &&
		     na_steps_name_stragglers(s);
	}
	court_fini(&c);
	return ok;
}
