/*
 * What counting episodes and choosing among candidates share: see
 * rate.c.  Not for other files.
 */
#ifndef NETAN_METHODS_LOCALISE_RATE_H
#define NETAN_METHODS_LOCALISE_RATE_H

#include "netan/methods/localise/state.h"

#define LZ_EPISODE_GAP_US 2e4

/* Candidates are numbered: transmit sides, receive sides and hosts by
 * host, uplinks and downlinks by rack, paths by pair. */
struct lz_tally {
	double last_us, expected, gain, weight, records, in_rack_records;
	size_t moment, in_moment; /* the fleet's episode, its tails here */
	uint32_t alone;           /* episodes of the fleet that are its own */
	uint32_t path_episodes;   /* summed over its paths */
	uint32_t episodes, tails, pairs_hit, in_rack, hosts_hit, most_of_host;
};

struct lz_rates {
	struct lz_memory memory;
	struct lz *z;
	struct lz_tally *t;
	double *rise;       /* by pair: what chosen candidates explain */
	double *room;       /* [4 hosts] */
	uint32_t *out, *in; /* by host: cross-rack tails sent, received */
	bool *gone;         /* by tail */
	bool timers_only;
	bool *rejected; /* by candidate */
	uint32_t most;  /* episodes of the largest chosen */
	size_t n;
};

struct na_lz_who na_lz_rate_who(const struct lz_rates *k, size_t i);
/* Is the pair one of the candidate's? */
bool na_lz_rate_belongs(const struct lz_rates *k, uint32_t p, size_t at);
bool na_lz_rate_is_timer(const struct lz_tail *t);
/* Fills k->t anew. */
void na_lz_rate_count(struct lz_rates *k);
double na_lz_rate_usual_without(const struct lz_rates *k, size_t at);

#endif
