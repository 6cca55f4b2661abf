/* rpc: the calls of captures, one by one and by method. */
#ifndef NETAN_ANALYSES_RPC_CALLS_H
#define NETAN_ANALYSES_RPC_CALLS_H

#include "members.h"
#include "netan/analyses/analysis.h"

enum { RPC_CALLS_MAX = 100000, RPC_METHODS_MAX = 1000 };

/* Of block and main states; the calls are the store's. */
struct rpc_calls {
	const struct na_call **list;
	size_t n, cap;
};

bool na_rpc_calls_add(struct rpc_calls *c, const struct na_call *call);
bool na_rpc_calls_merge(struct rpc_calls *to, const struct rpc_calls *from);
void na_rpc_calls_fini(struct rpc_calls *c);

/* Some of the inputs are captures: one clock times both ends. */
bool na_rpc_captured(const struct na_store *store);

/* Members "calls", M_calls_not_shown, "methods" and M_methods_not_shown of
 * body, and views of them; nothing for inputs without a capture.  Where they
 * are more than `top` (0: RPC_CALLS_MAX) those that took longest are listed,
 * in order of time.  False: no memory. */
bool na_rpc_put_calls(struct na_result *r, const struct na_store *store,
		      struct rpc_calls *c, size_t top);
void na_rpc_calls_views(struct na_result *r);

/* Appends to the text, which ends with a zero, what the calls say: which
 * method is slow, how many failed; nothing without calls. */
void na_rpc_calls_say(char *text, size_t size, struct na_result *r);

#endif
