/* What tail.c tells of late transfers. */
#ifndef NETAN_ANALYSES_RPC_TAIL_H
#define NETAN_ANALYSES_RPC_TAIL_H

#include "netan/analyses/rpc/state.h"

/* Before the others: late transfers in order, loads as running sums.  False
 * when memory is short. */
bool na_rpc_tail_prepare(struct rpc_state *s);

/* The members "modes" and "tail" of the row with that index, or of all. */
void na_rpc_put_modes(struct na_result *r, struct na_value *in,
		      const struct rpc_state *s, const struct rpc_row *row,
		      uint32_t index);
void na_rpc_put_tail(struct na_result *r, struct na_value *in,
		     const struct rpc_state *s, const struct rpc_row *row,
		     uint32_t index);

/* Late transfers around a wait: so many at it, and below it, from RPC_BELOW
 * times on. */
#define RPC_BELOW 0.7
enum { RPC_EDGE_LEAST = 5 };
struct rpc_near {
	size_t at, below;
};
/* The sharp lower edge of a timer. */
static inline bool na_rpc_has_edge(struct rpc_near n)
{
	return n.at >= RPC_EDGE_LEAST && n.below * 4 <= n.at;
}

/* alike.c, after the modes: the member "alike", where there is one. */
void na_rpc_put_alike(struct na_result *r, struct na_value *body,
		      const struct rpc_state *s);

/* One of the words in the schema; NULL without transfers. */
const char *na_rpc_verdict(const struct rpc_state *s,
			   const struct rpc_row *row);

#endif
