/* steps: how late each host was in which step, and in which instance of a
 * collective; and who was last (docs/methods.md, "Stragglers"). */
#include <stdlib.h>

#include "netan/analyses/steps/court.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

struct place { /* of a share */
	struct na_triple key;
	uint32_t share;
};

static bool note(struct st_court *c, uint32_t host, unsigned list, int64_t ps)
{
	return na_add(&c->late, ((struct st_lateness){host, list, ps}));
}

static bool see(struct st_court *c, const struct st_host_step *x, unsigned list,
		size_t step, int64_t ps)
{
	return na_add(&c->seen, ((struct st_seen){x->run, list, x->host,
						  (uint32_t)step, ps}));
}

/* The lower one; 0 for none. */
int64_t na_steps_median_of(int64_t *x, size_t n)
{
	if (!n)
		return 0;
	na_sort(x, n, na_order_i64);
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
static bool open_to_clocks(const struct st_court *c, enum st_test test,
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
	na_host_clocks_ahead(c->s->clocks, e[at].host, e[second].host, &known);
	return ps > 0 && ps <= known;
}

/*
 * One instance for one test: everyone had the same chance to be last.  A
 * tie has no last.  *last: its index, or n.
 */
static bool instance(struct st_court *c, uint32_t run, uint32_t replicate,
		     enum st_test test, const struct entry *e, size_t n,
		     size_t *last)
{
	int64_t most = NA_TIME_MIN, median;
	size_t at = n;

	*last = n;
	for (size_t i = 0; i < n; i++) {
		struct st_verdict *v = &c->by_host[e[i].host]->tests[test];

		v->n++;
		v->expected += 1.0 / (double)n;
		c->tmp[i] = e[i].ps;
		if (!na_add(&c->seen, ((struct st_seen){run, test, e[i].host,
							replicate, e[i].ps})))
			return false;
		if (e[i].ps > most) {
			most = e[i].ps;
			at = i;
		}
	}
	median = na_steps_median_of(c->tmp, n);
	if (c->tmp[n - 1] == c->tmp[n - 2] || open_to_clocks(c, test, e, n))
		return true;
	*last = at;
	c->by_host[e[at].host]->tests[test].last++;
	c->by_host[e[at].host]->tests[test].lost_ps +=
		na_time_between(c->tmp[n - 2], c->tmp[n - 1]);
	return note(c, e[at].host, test, na_time_between(median, most));
}

static bool by_network(const struct st_step *t)
{
	return t->cause == ST_NETWORK;
}

/* By host: is it mostly its transfers that make it the slowest, or what it
 * does itself?  Only steps of that kind count, for a bit of both is what
 * chance looks like. */
static bool *kinds(const struct st_court *c)
{
	const struct st_state *s = c->s;
	int64_t *n = na_calloc(s->n_hosts, sizeof(*n));
	bool *of = na_calloc(s->n_hosts, sizeof(*of));

	for (size_t i = 0; n && i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];
		uint32_t host;

		if (t->to - t->from < 2 || t->lost_ps <= 0)
			continue;
		host = s->host_steps[t->slowest].host;
		n[c->by_host[host] - s->hosts] += by_network(t) ? 1 : -1;
	}
	for (size_t i = 0; n && of && i < s->n_hosts; i++)
		of[i] = n[i] > 0;
	if (!n) {
		free(of);
		of = NULL;
	}
	free(n);
	return of;
}

/* Who only starts late since the launch before ended late lets nobody wait on
 * its own account: the time since then is as the others'. */
static int64_t own_lateness(const struct st_host_step *x)
{
	if (!x->cell->launch || x->cell->gap_ps < 0 ||
	    x->waits_less_ps > x->late_ps / 2)
		return x->late_ps;
	return x->late_ps < 0 ? x->late_ps : 0;
}

/* What each host of a step does longer than the median host, and what its
 * transfers take. */
static bool see_step(struct st_court *c, size_t step)
{
	const struct st_step *t = &c->s->steps[step];
	uint32_t group = NA_UNKNOWN_U32;
	bool ok = true;

	for (size_t k = t->from; ok && k < t->to; k++) {
		const struct st_host_step *x = &c->s->host_steps[k];
		na_i128 net;

		ok = see(c, x, ST_OF_STEPS, step, own_lateness(x)) &&
		     (!na_steps_measure(c->s, x, ST_LATENCY_SEEN, &group,
					&net) ||
		      see(c, x, ST_NETWORK_OF_STEPS, step, na_steps_cut(net)));
	}
	return ok;
}

static bool count_slowest(struct st_court *c, const struct st_step *t)
{
	const struct st_host_step *x = &c->s->host_steps[t->slowest];
	struct st_host *h = c->by_host[x->host];
	struct st_verdict *v = &h->tests[ST_OF_STEPS];

	h->slowest++;
	h->causes[t->cause]++;
	if (t->lost_ps <= 0 || by_network(t) != c->by_network[h - c->s->hosts])
		return true;
	v->last++;
	v->lost_ps += t->lost_ps;
	h->lost_ps[t->cause] += t->lost_ps;
	return note(c, x->host, ST_OF_STEPS, t->late_ps);
}

bool na_steps_try_steps(struct st_court *c)
{
	struct st_state *s = c->s;
	bool ok;

	c->by_network = kinds(c);
	ok = c->by_network;
	for (size_t i = 0; ok && i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];
		size_t n = t->to - t->from;

		if (n < 2)
			continue;
		ok = see_step(c, i) && count_slowest(c, t);
		for (size_t k = t->from; ok && k < t->to; k++) {
			const struct st_host_step *x = &s->host_steps[k];
			struct st_host *h = c->by_host[x->host];
			struct st_verdict *v = &h->tests[ST_OF_STEPS];

			v->n++;
			v->expected += 1.0 / (double)n;
			ok = na_add(&c->typical[x->run * ST_TESTS],
				    x->cell->launch ? x->own_ps
						    : x->period_ps);
		}
	}
	return ok;
}

NA_ORDER(by_instance, struct place, NA_UP(key.b), NA_UP(key.a), NA_UP(key.c))

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
		const struct st_share *x = &s->got.shares.v[of[i].share];
		uint32_t host = of[i].key.c;
		bool known = na_steps_same_clock(s, host, &group);

		if (known && x->first_send_ps != NA_TIME_MAX)
			v->e[ST_OF_STARTS][v->n[ST_OF_STARTS]++] =
				(struct entry){host, na_host_clocks_time(
							     s->clocks, host,
							     x->first_send_ps)};
		if (known && x->last_receive_ps != NA_TIME_MIN)
			v->e[ST_OF_ENDS][v->n[ST_OF_ENDS]++] = (struct entry){
				host, na_host_clocks_time(s->clocks, host,
							  x->last_receive_ps)};
		if (x->n)
			v->e[ST_OF_TRANSFERS][v->n[ST_OF_TRANSFERS]++] =
				(struct entry){host, (int64_t)(x->latency_ps /
							       (na_i128)x->n)};
	}
}

/* How long the instance took; where no clock tells, its transfers. */
static int64_t took(struct st_court *c, const struct views *v)
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
	return na_steps_median_of(c->tmp, n);
}

static bool late_start(struct st_court *c, const struct views *v, uint32_t host)
{
	const struct entry *e = v->e[ST_OF_STARTS];
	size_t n = v->n[ST_OF_STARTS];
	int64_t own = NA_UNKNOWN_PS;

	for (size_t i = 0; i < n; i++) {
		c->tmp[i] = e[i].ps;
		own = e[i].host == host ? e[i].ps : own;
	}
	return own == NA_UNKNOWN_PS ||
	       note(c, host, ST_STARTS_OF_ENDS,
		    na_time_between(na_steps_median_of(c->tmp, n), own));
}

static bool try_instance(struct st_court *c, const struct place *of, size_t n,
			 struct views *v)
{
	const struct na_triple *of_all = &c->s->got.instances.keys[of[0].key.b];
	uint32_t run = of_all->c / 2, replicate;
	size_t last = 0;

	/* What one step decides is one decision, however many collectives
	 * tell it. */
	replicate = na_triples_add(&c->clusters,
				   (struct na_triple){of_all->a, of_all->c, 0});
	if (replicate == NA_NO_TRIPLE)
		return false;
	view(c->s, of, n, v);
	for (enum st_test k = ST_OF_STARTS; k < ST_TESTS; k++) {
		if (v->n[k] < 3)
			continue;
		if (!na_add(&c->typical[run * ST_TESTS + k], took(c, v)) ||
		    !instance(c, run, replicate, k, v->e[k], v->n[k], &last))
			return false;
		if (k == ST_OF_TRANSFERS &&
		    !na_add(&c->usual[run],
			    na_steps_median_of(c->tmp, v->n[k])))
			return false;
		if (k == ST_OF_ENDS && last < v->n[k] &&
		    !late_start(c, v, v->e[k][last].host))
			return false;
	}
	return true;
}

bool na_steps_try_instances(struct st_court *c)
{
	const struct na_triple *keys = c->s->got.keys.keys;
	struct place *order = na_calloc(c->s->got.shares.n + 1, sizeof(*order));
	struct views v = {.n = {0}};
	bool ok = order;

	for (size_t k = 0; k < ST_TESTS; k++) {
		v.e[k] = na_calloc(c->s->n_hosts + 1, sizeof(struct entry));
		ok = ok && v.e[k];
	}
	for (size_t i = 0; ok && i < c->s->got.shares.n; i++)
		order[i] = (struct place){keys[i], (uint32_t)i};
	if (ok)
		na_sort(order, c->s->got.shares.n, by_instance);
	for (size_t from = 0, to; ok && from < c->s->got.shares.n; from = to) {
		const struct na_triple *x = &order[from].key;

		for (to = from; to < c->s->got.shares.n &&
				order[to].key.a == x->a &&
				order[to].key.b == x->b;)
			to++;
		ok = try_instance(c, &order[from], to - from, &v);
	}
	for (size_t k = 0; k < ST_TESTS; k++)
		free(v.e[k]);
	free(order);
	return ok;
}
