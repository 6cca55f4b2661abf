/*
 * By how much the clocks of hosts differ, from latencies in opposite
 * directions: what a transfer from a to b shows is its true latency plus
 * how far b's clock is ahead of a's, and no true latency is below zero.  So
 * the smallest latency seen from a to b bounds ahead(b) - ahead(a) from
 * above, and the smallest from b to a from below.  Bounds add up along
 * paths; the tightest ones are shortest paths.  The estimate is the middle,
 * its uncertainty half the width (Cristian, 1989; Mills, RFC 5905; difference
 * constraints: Cormen et al.).
 *
 * Latencies are told in whole microseconds, cut off: a bound is 1 us wider;
 * a latency of 0 (clock_skew) bounds at 1 us, too.  So a clock that is
 * further ahead than the network is slow hides in zeros.  Where both sides of
 * a transfer are told, its send and its receive, each on its own host's
 * clock, bound without that: nothing is received before it is sent.  Of each
 * pair the few smallest transfers are looked at, the same ones on both sides.
 */
#ifndef NETAN_METHODS_CLOCKS_HOST_CLOCKS_H
#define NETAN_METHODS_CLOCKS_HOST_CLOCKS_H

#include <pthread.h>

#include "netan/base/err.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/model/store.h"

enum {
	/* Of each side of a pair; where there are many pairs half of it, and so
	 * on, so that all of a side are not many more than ALL. */
	NA_CLOCK_SAMPLES = 32,
	NA_CLOCK_SAMPLES_LEAST = 2,
	NA_CLOCK_SAMPLES_ALL = 1 << 21,
	NA_CLOCK_TABLE = 128 /* hosts; of more, no bounds for each pair */
};

struct na_host_clocks {
	const struct na_store *store;
	struct na_triples pairs;         /* source host, destination host, 0 */
	NA_VEC(struct na_clock_pair) of; /* by pair */
	/* From na_host_clocks_settle(), by host of the store; relative to the
	 * first host of its group that transfers join in both directions. */
	int64_t *ahead_ps;
	int64_t *uncertainty_ps; /* NA_TIME_MAX: nothing is known */
	uint32_t *group;         /* smallest host index of the group */
	int64_t *most_ps; /* [src * n_hosts + dst]: tightest bound on how far
			     dst is ahead of src; NULL: too many hosts */
	size_t n_hosts; /* nothing is known of those beyond: of a million
			   there may be one file */
};

/* How well it is known in its group; NA_TIME_MAX: not at all. */
static inline int64_t na_host_clocks_known(const struct na_host_clocks *c,
					   uint32_t host)
{
	return host < c->n_hosts ? c->uncertainty_ps[host] : NA_TIME_MAX;
}

/* Of all transfers of one store, for several analyses at once: found by who
 * asks first. */
struct na_shared_clocks {
	pthread_mutex_t lock;
	bool known;
	struct na_host_clocks clocks;
};
void na_shared_clocks_init(struct na_shared_clocks *x);
void na_shared_clocks_fini(struct na_shared_clocks *x);

/* All zero but the store is an empty one. */
void na_host_clocks_fini(struct na_host_clocks *c);
/* A receive that is valid or clock_skew, or a send; others are passed over. */
bool na_host_clocks_add(struct na_host_clocks *c,
			const struct na_transfer *t) NA_MUST_CHECK;
bool na_host_clocks_merge(struct na_host_clocks *c,
			  const struct na_host_clocks *from) NA_MUST_CHECK;
/* False: no memory. */
bool na_host_clocks_settle(struct na_host_clocks *c) NA_MUST_CHECK;
struct na_scope;
struct na_bound_filter;
/* Settled, of the transfers in the store that `bound` lets pass (NULL: all):
 * the scope's shared ones where these are the same, else `own`, empty before,
 * which the caller frees in any case.  NULL: no memory. */
const struct na_host_clocks *
na_host_clocks_of(const struct na_scope *scope,
		  const struct na_bound_filter *bound,
		  struct na_host_clocks *own);
/* How well two hosts' clocks are known to each other; NA_TIME_MAX: not. */
int64_t na_host_clocks_between(const struct na_host_clocks *c, uint32_t a,
			       uint32_t b);
/* How far a's clock is ahead of b's, from what bounds these two: closer than
 * the difference of what either is ahead of a third.  *known_ps: how well it
 * is known; NA_TIME_MAX: not at all, and 0. */
int64_t na_host_clocks_ahead(const struct na_host_clocks *c, uint32_t a,
			     uint32_t b, int64_t *known_ps);
/* Whether a transfer says anything of its hosts' clocks: packets are seen on
 * one clock, whoever sent them. */
bool na_tells_clocks(const struct na_transfer *t);
/* What a transfer took, on one clock: of a valid receive without what the
 * receiver's clock is ahead of the sender's, where that is more than what is
 * known of it leaves open, so that clocks which may be right are not touched.
 * Else what the trace tells. */
int64_t na_host_clocks_latency(const struct na_host_clocks *c,
			       const struct na_transfer *t);
/* By how much clocks of hosts of that run that exchange transfers differ, at
 * most, of what na_host_clocks_latency() corrects; 0: nothing. */
int64_t na_host_clocks_apart(const struct na_host_clocks *c, uint32_t run);
/* An instant of host h on the clock of its group. */
int64_t na_host_clocks_time(const struct na_host_clocks *c, uint32_t host,
			    int64_t at_ps);

#endif
