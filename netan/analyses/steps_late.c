/*
 * steps: which hosts are stragglers, over steps and over instances of
 * collectives (algorithms.md, section 8).
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/steps.h"
#include "netan/base/vec.h"
#include "netan/stats/tests.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

enum { STARTS_OF_ENDS = ST_TESTS, LISTS };

struct lateness { /* of a host where it was last */
	uint32_t host;
	uint32_t list;    /* enum st_test, or STARTS_OF_ENDS */
	uint32_t cluster; /* step or launch */
	int64_t ps;
};

struct durations {
	int64_t *ps;
	size_t n, cap;
};

struct place { /* of a share */
	struct na_triple key;
	uint32_t share;
};

struct court {
	struct st_state *s;
	struct st_host **by_host; /* by host of the store; NULL: none */
	struct lateness *late;
	size_t n_late, cap_late;
	struct durations *typical; /* [run * ST_TESTS + test] */
	int64_t *tmp;
	struct place *order;
	/* What one step decides is one decision, however many collectives
	 * tell it: launch, run; and list, cluster, run that were tried. */
	struct na_triples clusters, tried;
	size_t *n_tried;  /* [run * ST_TESTS + test] */
	size_t *n_last;   /* [host of the store * ST_TESTS + test] */
	uint32_t cluster; /* that is looked at */
};

static bool note(struct court *c, uint32_t host, unsigned list, int64_t ps)
{
	if (!na_grow(&c->late, &c->cap_late, c->n_late + 1, sizeof(*c->late)))
		return false;
	c->late[c->n_late++] = (struct lateness){host, list, c->cluster, ps};
	return true;
}

static bool try_cluster(struct court *c, unsigned list, uint32_t run)
{
	struct na_triple key = {list, c->cluster, run};

	return na_triples_add(&c->tried, key) != NA_NO_TRIPLE;
}

static bool lasted(struct durations *d, int64_t ps)
{
	if (!na_grow(&d->ps, &d->cap, d->n + 1, sizeof(*d->ps)))
		return false;
	d->ps[d->n++] = ps;
	return true;
}

static int by_ps(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return ORDER(x, y);
}

/* The lower one; 0 for none. */
static int64_t median_of(int64_t *x, size_t n)
{
	if (!n)
		return 0;
	qsort(x, n, sizeof(*x), by_ps);
	return x[(n - 1) / 2];
}

struct entry { /* of one who takes part */
	uint32_t host;
	int64_t ps;
};

/*
 * Whether clocks leave open who received last: a tie.
 * Ends are often that close (a ring's last hops), and always the
 * same host's whose clock is estimated ahead would be the last.
 */
static bool open_to_clocks(const struct court *c, enum st_test test,
			   const struct entry *e, size_t n)
{
	size_t at = 0, second = n;
	int64_t known = 0, ps;

	if (test != ST_OF_ENDS)
		return false;
	for (size_t i = 1; i < n; i++) {
		if (e[i].ps > e[at].ps) {
			second = at;
			at = i;
		} else if (second == n || e[i].ps > e[second].ps) {
			second = i;
		}
	}
	ps = na_time_between(e[second].ps, e[at].ps);
	na_host_clocks_ahead(&c->s->clocks, e[at].host, e[second].host, &known);
	return ps > 0 && ps <= known;
}

/*
 * One instance for one test: everyone had the same chance to be last.  A
 * tie has no last.  *last: its index, or n.
 */
static bool instance(struct court *c, enum st_test test, const struct entry *e,
		     size_t n, size_t *last)
{
	int64_t most = NA_TIME_MIN, median;
	size_t at = n;

	*last = n;
	for (size_t i = 0; i < n; i++) {
		struct st_verdict *v = &c->by_host[e[i].host]->tests[test];

		v->n++;
		v->expected += 1.0 / (double)n;
		c->tmp[i] = e[i].ps;
		if (e[i].ps > most) {
			most = e[i].ps;
			at = i;
		}
	}
	median = median_of(c->tmp, n);
	if (c->tmp[n - 1] == c->tmp[n - 2] || open_to_clocks(c, test, e, n))
		return true;
	*last = at;
	c->by_host[e[at].host]->tests[test].last++;
	c->by_host[e[at].host]->tests[test].lost_ps += c->tmp[n - 1] -
						       c->tmp[n - 2];
	return note(c, e[at].host, test, na_time_between(median, most));
}

static bool try_steps(struct court *c)
{
	struct st_state *s = c->s;

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];
		size_t n = t->to - t->from;

		c->cluster = (uint32_t)i;
		if (n > 1 && !try_cluster(c, ST_OF_STEPS, t->run))
			return false;
		for (size_t k = t->from; n > 1 && k < t->to; k++) {
			const struct st_host_step *x = &s->host_steps[k];
			struct st_host *h = c->by_host[x->host];
			struct st_verdict *v = &h->tests[ST_OF_STEPS];

			v->n++;
			v->expected += 1.0 / (double)n;
			if (!lasted(&c->typical[x->run * ST_TESTS],
				    x->period_ps))
				return false;
			if (k != t->slowest)
				continue;
			h->slowest++;
			h->causes[t->cause]++;
			if (t->lost_ps <= 0)
				continue;
			v->last++;
			v->lost_ps += t->lost_ps;
			h->lost_ps[t->cause] += t->lost_ps;
			if (!note(c, x->host, ST_OF_STEPS, t->late_ps))
				return false;
		}
	}
	return true;
}

static int by_instance(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int by = ORDER(x->key.b, y->key.b);

	by = by ? by : ORDER(x->key.a, y->key.a);
	return by ? by : ORDER(x->key.c, y->key.c);
}

/* Hosts whose clocks are known to each other: the group of the first that
 * has an instant. */
static bool tied(const struct st_state *s, uint32_t host, uint32_t *group)
{
	const struct na_host_clocks *k = &s->clocks;

	if (!st_is_tied(s, host))
		return false;
	if (*group == NA_UNKNOWN_U32)
		*group = k->group[host];
	return k->group[host] == *group;
}

struct views { /* of an instance, by test */
	struct entry *e[ST_TESTS];
	size_t n[ST_TESTS];
};

static void view(const struct st_state *s, const struct place *of, size_t n,
		 struct views *v)
{
	uint32_t group = NA_UNKNOWN_U32;

	v->n[ST_OF_STARTS] = v->n[ST_OF_ENDS] = v->n[ST_OF_TRANSFERS] = 0;
	for (size_t i = 0; i < n; i++) {
		const struct st_share *x = &s->shares[of[i].share];
		uint32_t host = of[i].key.c;
		bool known = tied(s, host, &group);

		if (known && x->first_send_ps != NA_TIME_MAX)
			v->e[ST_OF_STARTS][v->n[ST_OF_STARTS]++] =
				(struct entry){host, na_host_clocks_time(
							     &s->clocks, host,
							     x->first_send_ps)};
		if (known && x->last_receive_ps != NA_TIME_MIN)
			v->e[ST_OF_ENDS][v->n[ST_OF_ENDS]++] = (struct entry){
				host, na_host_clocks_time(&s->clocks, host,
							  x->last_receive_ps)};
		if (x->n)
			v->e[ST_OF_TRANSFERS][v->n[ST_OF_TRANSFERS]++] =
				(struct entry){host, (int64_t)(x->latency_ps /
							       (na_i128)x->n)};
	}
}

/* How long the instance took; where no clock tells, its transfers. */
static int64_t took(struct court *c, const struct views *v)
{
	int64_t from = NA_TIME_MAX, to = NA_TIME_MIN;
	const struct entry *e = v->e[ST_OF_TRANSFERS];
	size_t n = v->n[ST_OF_TRANSFERS];

	for (size_t i = 0; i < v->n[ST_OF_STARTS]; i++)
		from = v->e[ST_OF_STARTS][i].ps < from
			       ? v->e[ST_OF_STARTS][i].ps
			       : from;
	for (size_t i = 0; i < v->n[ST_OF_ENDS]; i++)
		to = v->e[ST_OF_ENDS][i].ps > to ? v->e[ST_OF_ENDS][i].ps : to;
	if (from < to)
		return na_time_between(from, to);
	for (size_t i = 0; i < n; i++)
		c->tmp[i] = e[i].ps;
	return median_of(c->tmp, n);
}

static bool late_start(struct court *c, const struct views *v, uint32_t host)
{
	const struct entry *e = v->e[ST_OF_STARTS];
	size_t n = v->n[ST_OF_STARTS];
	int64_t own = NA_UNKNOWN_PS;

	for (size_t i = 0; i < n; i++) {
		c->tmp[i] = e[i].ps;
		own = e[i].host == host ? e[i].ps : own;
	}
	return own == NA_UNKNOWN_PS ||
	       note(c, host, STARTS_OF_ENDS,
		    na_time_between(median_of(c->tmp, n), own));
}

static bool try_instance(struct court *c, const struct place *of, size_t n,
			 struct views *v)
{
	const struct na_triple *of_all = &c->s->instances.keys[of[0].key.b];
	uint32_t run = of_all->c / 2;
	size_t last = 0;

	c->cluster =
		na_triples_add(&c->clusters,
			       (struct na_triple){of_all->a, of_all->c, 0});
	if (c->cluster == NA_NO_TRIPLE)
		return false;
	view(c->s, of, n, v);
	for (enum st_test k = ST_OF_STARTS; k < ST_TESTS; k++) {
		if (v->n[k] < 3)
			continue;
		if (!try_cluster(c, k, run) ||
		    !lasted(&c->typical[run * ST_TESTS + k], took(c, v)) ||
		    !instance(c, k, v->e[k], v->n[k], &last))
			return false;
		if (k == ST_OF_ENDS && last < v->n[k] &&
		    !late_start(c, v, v->e[k][last].host))
			return false;
	}
	return true;
}

static bool try_instances(struct court *c)
{
	const struct na_triple *keys = c->s->keys.keys;
	struct views v = {.n = {0}};
	bool ok = true;

	for (size_t k = 0; k < ST_TESTS; k++) {
		v.e[k] = na_calloc(c->s->scope->store->n_hosts + 1,
				   sizeof(struct entry));
		ok = ok && v.e[k];
	}
	c->order = na_calloc(c->s->n_shares + 1, sizeof(*c->order));
	ok = ok && c->order;
	for (size_t i = 0; ok && i < c->s->n_shares; i++)
		c->order[i] = (struct place){keys[i], (uint32_t)i};
	if (ok && c->s->n_shares)
		qsort(c->order, c->s->n_shares, sizeof(*c->order), by_instance);
	for (size_t from = 0, to; ok && from < c->s->n_shares; from = to) {
		const struct na_triple *x = &c->order[from].key;

		for (to = from; to < c->s->n_shares &&
				c->order[to].key.a == x->a &&
				c->order[to].key.b == x->b;)
			to++;
		ok = try_instance(c, &c->order[from], to - from, &v);
	}
	for (size_t k = 0; k < ST_TESTS; k++)
		free(v.e[k]);
	return ok;
}

static int by_host_and_list(const void *a, const void *b)
{
	const struct lateness *x = a, *y = b;
	int by = ORDER(x->host, y->host);

	by = by ? by : ORDER(x->list, y->list);
	return by ? by : ORDER(x->ps, y->ps);
}

static void take_effects(struct court *c)
{
	if (c->n_late)
		qsort(c->late, c->n_late, sizeof(*c->late), by_host_and_list);
	for (size_t from = 0, to; from < c->n_late; from = to) {
		const struct lateness *x = &c->late[from];
		struct st_host *h = c->by_host[x->host];
		int64_t median;

		for (to = from; to < c->n_late && c->late[to].host == x->host &&
				c->late[to].list == x->list;)
			to++;
		median = c->late[from + (to - from - 1) / 2].ps;
		if (x->list == STARTS_OF_ENDS)
			h->tests[ST_OF_ENDS].start_ps = median;
		else
			h->tests[x->list].effect_ps = median;
	}
}

/* By cluster, then host. */
static int by_cluster(const void *a, const void *b)
{
	const struct lateness *x = a, *y = b;
	int by = ORDER(x->list, y->list);

	by = by ? by : ORDER(x->cluster, y->cluster);
	by = by ? by : ORDER(x->host, y->host);
	return by ? by : ORDER(x->ps, y->ps);
}

/* Who was last most often in each cluster: c->late shrinks to these. */
static void elect(struct court *c)
{
	size_t kept = 0;

	if (c->n_late)
		qsort(c->late, c->n_late, sizeof(*c->late), by_cluster);
	for (size_t from = 0, to; from < c->n_late; from = to) {
		struct lateness best = c->late[from];
		size_t votes = 0, second = 0;

		for (to = from; to < c->n_late &&
				c->late[to].list == best.list &&
				c->late[to].cluster == best.cluster;) {
			size_t first = to;

			while (to < c->n_late &&
			       c->late[to].list == c->late[first].list &&
			       c->late[to].cluster == c->late[first].cluster &&
			       c->late[to].host == c->late[first].host)
				to++;
			if (to - first > votes) {
				second = votes;
				votes = to - first;
				best.host = c->late[first].host;
			} else if (to - first > second) {
				second = to - first;
			}
		}
		if (votes > second)
			c->late[kept++] = best;
	}
	c->n_late = kept;
}

/* The same test over clusters. */
static double over_clusters(const struct court *c, const struct st_host *h,
			    unsigned test)
{
	const struct st_verdict *v = &h->tests[test];

	return na_binomial_upper(c->n_last[h->host * ST_TESTS + test],
				 c->n_tried[h->run * ST_TESTS + test],
				 v->expected / (double)v->n);
}

static bool count_clusters(struct court *c)
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
	for (size_t i = 0; i < c->n_late; i++) {
		const struct lateness *x = &c->late[i];

		if (x->list < ST_TESTS)
			c->n_last[(size_t)x->host * ST_TESTS + x->list]++;
	}
	return true;
}

/*
 * A difference below what the clocks are known to is none: of two instants
 * the host's and another's; of two latencies, which have two clocks each,
 * two more.  (Where data go around in a ring, one way alone, the clocks are
 * known to half the way around, and what is left open piles up beside the
 * host that the others' clocks are told by.)
 */
static int64_t blur(struct court *c, uint32_t host, unsigned test)
{
	const struct na_host_clocks *k = &c->s->clocks;
	int64_t others;
	size_t n = 0;

	if (test == ST_OF_STEPS || host >= k->n_hosts)
		return 0;
	for (size_t i = 0; i < k->n_hosts; i++) {
		if (i != host && k->group[i] == k->group[host] &&
		    k->uncertainty_ps[i] != NA_TIME_MAX)
			c->tmp[n++] = k->uncertainty_ps[i];
	}
	others = median_of(c->tmp, n);
	if (test == ST_OF_TRANSFERS)
		others = others < NA_TIME_MAX / 3 ? 3 * others : NA_TIME_MAX;
	return k->uncertainty_ps[host] < NA_TIME_MAX - others
		       ? k->uncertainty_ps[host] + others
		       : NA_TIME_MAX;
}

static void try_host(const struct court *c, struct st_host *h, unsigned test)
{
	struct st_verdict *v = &h->tests[test];
	struct durations *d = &c->typical[h->run * ST_TESTS + test];

	v->p = v->q = (double)NAN;
	if (v->n)
		v->p = fmax(na_binomial_upper(v->last, v->n,
					      v->expected / (double)v->n),
			    over_clusters(c, h, test));
	v->typical_ps = median_of(d->ps, d->n);
	/* Nothing says what it cost the devices: beside the launch, then. */
	if (c->s->by_launch[h->run] &&
	    v->typical_ps < h->tests[ST_OF_STEPS].typical_ps)
		v->typical_ps = h->tests[ST_OF_STEPS].typical_ps;
}

/* A family is the hosts of a run in one test: runs side by side are judged
 * as each alone. */
static bool judge_family(struct court *c, uint32_t run, unsigned test,
			 double *p)
{
	struct st_state *s = c->s;
	bool (*notable)(int64_t, int64_t) = s->by_launch[run]
						    ? st_notable_launch
						    : st_notable;
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
			   notable(v->effect_ps, v->typical_ps) &&
			   v->effect_ps > blur(c, h->host, test);
	}
	return true;
}

static bool sentence(struct court *c)
{
	struct st_state *s = c->s;
	double *p = na_calloc(2 * s->n_hosts + 1, sizeof(*p));
	bool ok = p;

	for (size_t i = 0; ok && i < s->n_hosts * ST_TESTS; i++)
		try_host(c, &s->hosts[i / ST_TESTS], i % ST_TESTS);
	for (uint32_t r = 0; r < s->scope->store->n_runs; r++) {
		for (unsigned k = 0; ok && k < ST_TESTS; k++)
			ok = judge_family(c, r, k, p);
	}
	free(p);
	return ok;
}

static void court_fini(struct court *c)
{
	size_t n = c->s->scope->store->n_runs * ST_TESTS;

	for (size_t i = 0; c->typical && i < n; i++)
		free(c->typical[i].ps);
	free(c->typical);
	free(c->by_host);
	free(c->late);
	free(c->tmp);
	free(c->order);
	free(c->n_tried);
	free(c->n_last);
	na_triples_fini(&c->clusters);
	na_triples_fini(&c->tried);
}

/* Hosts that have steps or transfers, in the store's order. */
static bool list_hosts(struct court *c)
{
	struct st_state *s = c->s;
	size_t n = s->scope->store->n_hosts;
	bool *there = na_calloc(n + 1, sizeof(*there));

	s->hosts = na_calloc(n + 1, sizeof(*s->hosts));
	for (size_t i = 0; there && i < s->n_host_steps; i++)
		there[s->host_steps[i].host] = true;
	for (size_t i = 0; there && i < s->n_shares; i++)
		there[s->keys.keys[i].c] = true;
	for (size_t i = 0; there && s->hosts && i < n; i++) {
		if (!there[i])
			continue;
		c->by_host[i] = &s->hosts[s->n_hosts];
		s->hosts[s->n_hosts++] =
			(struct st_host){.host = (uint32_t)i,
					 .run = s->scope->store->hosts[i].run};
	}
	free(there);
	return there && s->hosts;
}

bool st_judge_hosts(struct st_state *s)
{
	const struct na_store *store = s->scope->store;
	struct court c = {.s = s};
	bool ok;

	c.by_host = na_calloc(store->n_hosts + 1, sizeof(struct st_host *));
	c.typical = na_calloc(store->n_runs * ST_TESTS + 1, sizeof(*c.typical));
	c.tmp = na_calloc(store->n_hosts + 2, sizeof(*c.tmp));
	ok = c.by_host && c.typical && c.tmp && list_hosts(&c);
	for (size_t i = 0; ok && i < s->n_host_steps; i++)
		c.by_host[s->host_steps[i].host]->n++;
	ok = ok && try_steps(&c) && try_instances(&c);
	if (ok) {
		take_effects(&c);
		elect(&c);
		ok = count_clusters(&c) && sentence(&c) &&
		     st_name_stragglers(s);
	}
	court_fini(&c);
	return ok;
}
