/* rpc: the calls of captures, one by one and by method. */
#ifndef NETAN_ANALYSES_RPC_CALLS_H
#define NETAN_ANALYSES_RPC_CALLS_H

#include "netan/analyses/analysis.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

enum { RPC_CALLS_MAX = 100000, RPC_METHODS_MAX = 1000 };

/* Of block and main states; the calls are the store's. */
struct rpc_calls {
	const struct na_call **v;
	size_t n, cap;
};

/* Some of the inputs are captures: one clock times both ends. */
bool na_rpc_captured(const struct na_store *store);

/* Members calls, calls_not_shown, methods and methods_not_shown of the body;
 * nothing for inputs without a capture.  Where they are more than `top`
 * (0: RPC_CALLS_MAX) those that took longest are listed, in order of time.
 * False: no memory. */
bool na_rpc_put_calls(struct na_result *r, const struct na_store *store,
		      struct rpc_calls *c, size_t top) NA_MUST_CHECK;

/* calls_words.c: tables of them; and which method is slow, how many failed.
 * Nothing without calls. */
void na_rpc_calls_views(struct na_result *r);
void na_rpc_calls_say(struct na_str *to, struct na_result *r);

#endif
