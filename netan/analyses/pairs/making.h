/*
 * What sends.c and unsent.c share: one run's transfers as the method wants
 * them (netan/methods/wire).
 */
#ifndef NETAN_ANALYSES_PAIRS_MAKING_H
#define NETAN_ANALYSES_PAIRS_MAKING_H

#include "netan/analyses/pairs/state.h"

struct making {
	struct pairs_state *s;
	struct pairs_run *run;
	const struct na_absent *absent;
	uint32_t index; /* of the run */
	/* Hosts as the method numbers them: those of the run that have a file,
	 * and groups of devices without one. */
	uint32_t n_hosts;
	uint32_t *host_of; /* by host of the store */
	uint32_t *node_at; /* by host: its (first) node in the run */
	struct na_triples ends, cells, collectives;
	struct na_triples numbers; /* receives: string of a collective */
	NA_VEC(struct na_wire_connection) connections;
	NA_VEC(uint32_t) collective_of;
	NA_VEC(struct na_wire_counted) counted;
	struct na_wire_row *rows;
	size_t n;
	uint32_t *racks, n_racks, n_collectives;
	uint32_t *blocks, n_blocks; /* of racks */
	const struct na_host_clocks *clocks;
};

/* Host of the store; of a group its first. */
static inline uint32_t na_pairs_made_host(const struct making *m, uint32_t host)
{
	return m->s->nodes.v[m->run->node0 + m->node_at[host]].host;
}

/*
 * unsent.c: hosts whose files are missing.  What they sent is in no send, what
 * they got in no receive: it is counted, so that they are compared with the
 * others.  False: no memory.
 */
bool na_pairs_count_unsent(struct making *m) NA_MUST_CHECK;
bool na_pairs_count_unreceived(struct making *m) NA_MUST_CHECK;
/* From hosts of the method to nodes of the run. */
bool na_pairs_by_nodes(const struct making *m,
		       struct na_wire_result *r) NA_MUST_CHECK;
/* What receives say of the sides that no send tells of: moved to `found`, both
 * by nodes. */
bool na_pairs_take_unsent(const struct making *m, struct na_wire_result *found,
			  struct na_wire_result *receives) NA_MUST_CHECK;

#endif
