/* Latencies without what the clocks of their two hosts differ. */
#include "netan/methods/clocks/host_clocks.h"

/* What a received message took cannot have been less than this: latencies are
 * told in whole microseconds. */
static const int64_t least_ps = NA_PS_PER_US;

/* By more than the bounds leave open: without it a latency would be below
 * zero. */
static int64_t surely_ahead(const struct na_host_clocks *c, uint32_t a,
			    uint32_t b)
{
	int64_t known, ahead = na_host_clocks_ahead(c, a, b, &known);

	return ahead > known || ahead < -known ? ahead : 0;
}

int64_t na_host_clocks_latency(const struct na_host_clocks *c,
			       const struct na_transfer *t)
{
	int64_t took = na_time_between(t->start_ps, t->end_ps), out, ahead;
	uint32_t run = c->store->sources[t->input].run;

	if (!na_tells_clocks(t) || t->klass != NA_VALID || t->side != NA_RX)
		return took;
	ahead = surely_ahead(c, na_store_host_of(c->store, run, t->dst),
			     na_store_host_of(c->store, run, t->src));
	if (!ahead || !na_add_i64(took, -ahead, &out))
		return took;
	return out > least_ps ? out : least_ps;
}

int64_t na_host_clocks_apart(const struct na_host_clocks *c, uint32_t run)
{
	int64_t most = 0;

	for (size_t i = 0; i < c->pairs.n; i++) {
		const struct na_triple *k = &c->pairs.keys[i];
		int64_t ahead = surely_ahead(c, k->a, k->b);

		if (c->store->hosts[k->a].run != run)
			continue;
		ahead = ahead < 0 ? -ahead : ahead;
		most = ahead > most ? ahead : most;
	}
	return most;
}
