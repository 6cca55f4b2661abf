/* latency: hosts that differ as senders and as receivers. */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/latency/state.h"
#include "netan/base/vec.h"
#include "netan/stats/tests/robust.h"

enum { HOSTS_LEAST = 3 };

#define LOG_UNIT 1048576.0
#define DIFFERS  1.2 /* times the middle host */

int64_t na_latency_log_of(const struct latency_state *s,
			  const struct na_transfer *t)
{
	int64_t ps = na_time_between(t->start_ps, t->end_ps);

	if (!na_grouping_has(&s->scope->by, NA_KEY_HOST) || ps <= 0)
		return 0;
	return llround(log2((double)ps) * LOG_UNIT);
}

/* Mean logarithm of what one sends or receives; NaN: too few. */
static double level_of(const struct na_early_side *c)
{
	uint64_t n = c->n - c->early;

	return n < NA_EARLY_LEAST
		       ? (double)NAN
		       : (double)c->sum / (double)n / LOG_UNIT;
}

/* The slowest over the middle one, as a logarithm; NaN: too few hosts. */
static double spread_of(const struct latency_state *s, size_t side,
			double *levels, size_t *slowest)
{
	size_t hosts = s->scope->store->n_hosts, n = 0;
	double most = -INFINITY;

	na_each_sparse(i, &s->clocks.of, 2 * hosts)
	{
		const struct na_early_side *x = na_sparse_get(&s->clocks.of, i);
		double level = i / hosts == side ? level_of(x) : (double)NAN;

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
