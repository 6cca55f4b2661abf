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
	s->clocks = na_calloc(2 * store->n_hosts, sizeof(*s->clocks));
	return s->clocks;
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
void na_latency_clock_add(struct latency_state *s, const struct na_transfer *t)
{
	bool early = t->klass == NA_CLOCK_SKEW;
	int64_t log = early ? 0 : log_of(s, t);
	size_t direction[2];

	if (!early && t->klass != NA_VALID)
		return;
	na_latency_directions(s, t, direction);
	if (direction[0] / 2 == direction[1] / 2)
		return;
	for (size_t i = 0; i < 2; i++) {
		if (direction[i] == SIZE_MAX)
			continue;
		s->clocks[direction[i]].n++;
		s->clocks[direction[i]].early += early;
		s->clocks[direction[i]].logs += log;
	}
}

void na_latency_clock_merge(struct latency_state *s,
			    const struct latency_state *b)
{
	for (size_t i = 0; i < 2 * s->scope->store->n_hosts; i++) {
		s->clocks[i].n += b->clocks[i].n;
		s->clocks[i].early += b->clocks[i].early;
		s->clocks[i].logs += b->clocks[i].logs;
	}
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
	size_t best = SIZE_MAX;

	for (size_t side = 0; side < 2; side++) {
		for (size_t i = side; i < 2 * s->scope->store->n_hosts;
		     i += 2) {
			const struct latency_clock *c = &s->clocks[i];

			if (off(c) && (best == SIZE_MAX ||
				       c->early > s->clocks[best].early))
				best = i;
		}
	}
	if (best == SIZE_MAX)
		return false;
	*o = (struct latency_clock_off){
		.host = s->scope->store->hosts[best / 2].name,
		.ahead = best % 2 == 0,
		.n = s->clocks[best].n,
		.early = s->clocks[best].early,
	};
	for (size_t i = best % 2; i < 2 * s->scope->store->n_hosts; i += 2)
		o->others += i != best && off(&s->clocks[i]);
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
	double most = -INFINITY;
	size_t n = 0;

	for (size_t i = side; i < 2 * s->scope->store->n_hosts; i += 2) {
		double level = level_of(&s->clocks[i]);

		if (isnan(level))
			continue;
		levels[n++] = level;
		if (level > most) {
			most = level;
			*slowest = i / 2;
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
