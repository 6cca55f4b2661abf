/* latency: clocks that disagree so far that messages arrive before they were
 * sent. */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/latency/state.h"
#include "netan/base/vec.h"
#include "netan/stats/tests/robust.h"

/* More than a fifth of twenty and more. */
enum { LEAST = 20, ONE_IN = 5 };
enum { HOSTS_LEAST = 3 };

#define LOG_UNIT 1048576.0
#define DIFFERS  1.2 /* times the middle host */

bool na_latency_clock_init(struct latency_state *s,
			   const struct na_store *store)
{
	return na_sparse_init(&s->clocks, 2 * store->n_hosts,
			      sizeof(struct latency_clock));
}

static int64_t log_of(const struct latency_state *s,
		      const struct na_transfer *t)
{
	int64_t ps = na_time_between(t->start_ps, t->end_ps);

	if (!na_grouping_has(&s->scope->by, NA_KEY_HOST) || ps <= 0)
		return 0;
	return llround(log2((double)ps) * LOG_UNIT);
}

/* Within a host all share its clock. */
bool na_latency_clock_add(struct latency_state *s, const struct na_transfer *t)
{
	bool early = t->klass == NA_CLOCK_SKEW;
	int64_t log = early ? 0 : log_of(s, t);
	size_t direction[2];

	if (!early && t->klass != NA_VALID)
		return true;
	na_latency_directions(s, t, direction);
	if (direction[0] + s->scope->store->n_hosts == direction[1] ||
	    direction[0] == direction[1])
		return true;
	for (size_t i = 0; i < 2; i++) {
		struct latency_clock *c;

		if (direction[i] == SIZE_MAX)
			continue;
		c = na_sparse_at(&s->clocks, direction[i]);
		if (!c)
			return false;
		c->n++;
		c->early += early;
		c->logs += log;
	}
	return true;
}

bool na_latency_clock_merge(struct latency_state *s,
			    const struct latency_state *b)
{
	na_each_sparse(i, &b->clocks, 2 * s->scope->store->n_hosts)
	{
		const struct latency_clock *from = na_sparse_get(&b->clocks, i);
		struct latency_clock *to;

		if (!from->n)
			continue;
		to = na_sparse_at(&s->clocks, i);
		if (!to)
			return false;
		to->n += from->n;
		to->early += from->early;
		to->logs += from->logs;
	}
	return true;
}

static bool off(const struct latency_clock *c)
{
	return c->n >= LEAST && c->early > c->n / ONE_IN;
}

/* One clock ahead makes some early for each receiver, one behind for each
 * sender: the host with most of them on one side is the one. */
bool na_latency_clock_off(const struct latency_state *s,
			  struct latency_clock_off *o)
{
	size_t hosts = s->scope->store->n_hosts, at = SIZE_MAX;
	const struct latency_clock *best = NULL;

	na_each_sparse(i, &s->clocks, 2 * hosts)
	{
		const struct latency_clock *c = na_sparse_get(&s->clocks, i);

		if (off(c) && (!best || c->early > best->early)) {
			best = c;
			at = i;
		}
	}
	if (!best)
		return false;
	*o = (struct latency_clock_off){
		.host = s->scope->store->hosts[at % hosts].name,
		.ahead = at < hosts,
		.n = best->n,
		.early = best->early,
	};
	na_each_sparse(i, &s->clocks, 2 * hosts)
		o->others += i != at && (i < hosts) == o->ahead &&
			     off(na_sparse_get(&s->clocks, i));
	return true;
}

/* Mean logarithm of what one sends or receives; NaN: too few. */
static double level_of(const struct latency_clock *c)
{
	uint64_t n = c->n - c->early;

	return n < LEAST ? (double)NAN : (double)c->logs / (double)n / LOG_UNIT;
}

/* The slowest over the middle one, as a logarithm; NaN: too few hosts. */
static double spread_of(const struct latency_state *s, size_t side,
			double *levels, size_t *slowest)
{
	size_t hosts = s->scope->store->n_hosts, n = 0;
	double most = -INFINITY;

	na_each_sparse(i, &s->clocks, 2 * hosts)
	{
		double level = i / hosts == side
				       ? level_of(na_sparse_get(&s->clocks, i))
				       : (double)NAN;

		if (isnan(level))
			continue;
		levels[n++] = level;
		if (level > most) {
			most = level;
			*slowest = i % hosts;
		}
	}
	return n < HOSTS_LEAST ? (double)NAN : most - na_median(levels, n);
}

bool na_latency_senders_differ(const struct latency_state *s, const char **host,
			       double *factor)
{
	const struct na_store *store = s->scope->store;
	double *levels = na_calloc(store->n_hosts, sizeof(*levels));
	double sent, received;
	size_t sender = 0, receiver = 0;

	if (!levels)
		return false;
	sent = spread_of(s, 0, levels, &sender);
	received = spread_of(s, 1, levels, &receiver);
	free(levels);
	*host = store->hosts[sender].name;
	*factor = exp2(sent);
	return sent > received && *factor > DIFFERS;
}
