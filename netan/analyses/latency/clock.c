/* latency: clocks that disagree so far that messages arrive before they were
 * sent. */
#include <stdlib.h>

#include "netan/analyses/latency/state.h"
#include "netan/base/vec.h"

/* More than a fifth of twenty and more. */
enum { LEAST = 20, ONE_IN = 5 };

bool na_latency_clock_init(struct latency_state *s,
			   const struct na_store *store)
{
	s->clocks = na_calloc(2 * store->n_hosts, sizeof(*s->clocks));
	return s->clocks;
}

/* Within a host all share its clock. */
void na_latency_clock_add(struct latency_state *s, const struct na_transfer *t)
{
	bool early = t->klass == NA_CLOCK_SKEW;
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
	}
}

void na_latency_clock_merge(struct latency_state *s,
			    const struct latency_state *b)
{
	for (size_t i = 0; i < 2 * s->scope->store->n_hosts; i++) {
		s->clocks[i].n += b->clocks[i].n;
		s->clocks[i].early += b->clocks[i].early;
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
