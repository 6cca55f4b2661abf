/*
 * What a step would take without somebody's excess, along what waits for what.
 * A send waits for the launch of its collective, for receives of its device,
 * and for the transfer at whose end it starts; a receive ends after its send;
 * the op that waits for a collective ends after the transfers of its device;
 * the next launch comes after that op; devices of a slice end together what
 * they execute together.
 *
 * The job runs twice more on paper, as it was and without the excess:
 * everything takes as long after the last of what it waits for as it did.  Of
 * transfers each event is also replayed in its order: it is earlier by the
 * least of what those before it are, and of the time that they were ahead of
 * the last of them.  Both leave savings out, and the larger counts.
 *
 * The graph is that of Lin et al., Understanding Stragglers in Large Model
 * Training Using What-if Analysis (OSDI 2025).
 */
#ifndef NETAN_METHODS_WHATIF_WHATIF_H
#define NETAN_METHODS_WHATIF_WHATIF_H

#include "netan/base/err.h"
#include "netan/model/scope.h"

enum {
	/* Transfers; of more, later steps are left out. */
	NA_WHATIF_MOST = 1 << 19
};

/* Of a host's step: by so much its own work is longer than that of others. */
struct na_whatif_own {
	int64_t number, excess_ps;
};

/* Whose excess, by hosts of the store; borrowed. */
struct na_whatif_ask {
	const bool *from, *to; /* [n_hosts]: transfers of these, to these */
	bool either;           /* of these or to these */
	/* Slow now and then, or losing packets: what is far above the median
	 * of its path in the collective is its excess.  Else what it takes
	 * longer than others in the collective, in a rack or across racks, the
	 * quickest than the quickest, the slowest than the slowest. */
	bool in_spells;
	/* Instead of transfers what a host does itself, by number; NULL. */
	const struct na_whatif_own *own;
	size_t n_own;
	uint32_t host;
	bool at_first; /* it comes before all else of the step; else all that
			  it does itself takes longer */
};

/* Of a step, as `steps` measures it (in the mean of devices), ms; NaN: no path
 * across hosts is known, or, of own work, a run says too little. */
struct na_whatif_cost {
	double median_ms, mean_ms;
	/* A lower bound: more than one in twenty sends is held back by what no
	 * record shows, or the run as it was lacks waits. */
	bool least;
};

struct na_whatif; /* the graph of one run */

/*
 * *out: from the store's transfers, ops and steps; release it with
 * na_whatif_free() in any case.  by_sends: sends end with their
 * acknowledgement, and tell what a transfer took; else receives do.
 * NA_ENOMEM, or NA_OK.  O(n log n); about 600 bytes a transfer.
 */
enum na_status na_whatif_make(const struct na_scope *scope, uint32_t run,
			      bool by_sends, struct na_whatif **out,
			      struct na_err *err) NA_MUST_CHECK;
void na_whatif_free(struct na_whatif *w);

/* Any number of times.  False: no memory. */
bool na_whatif_cost(struct na_whatif *w, const struct na_whatif_ask *ask,
		    struct na_whatif_cost *out) NA_MUST_CHECK;

#endif
