/* diff: what changed from run A to run B. */
#ifndef NETAN_ANALYSES_DIFF_DIFF_H
#define NETAN_ANALYSES_DIFF_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include "netan/base/opt.h"

/* Somebody whom `check` accuses in a run. */
struct diff_accused {
	const char *who; /* "transmit side of host-3" */
	const char *confidence;
};

enum { DIFF_ACCUSED = 8 };

enum diff_loss {
	DIFF_LOST,   /* data segments that were lost */
	DIFF_EVENTS, /* losses that do not follow from each other */
	DIFF_TIMEOUTS,
	DIFF_ZERO_WINDOWS,
	DIFF_REORDERED,
	DIFF_RDMA_LOST, /* packets of RoCEv2 */
	DIFF_RDMA_EVENTS,
	DIFF_RDMA_REPEATS,
	DIFF_RDMA_NAKS, /* of a sequence error */
	DIFF_RDMA_TIMEOUTS,
	DIFF_LOSSES
};

/* What `tcp` and `rdma` say of the captures of a run. */
struct diff_losses {
	double segments; /* with data; 0: there are none */
	double packets;  /* of RoCEv2, with data or a request; likewise */
	double n[DIFF_LOSSES];
	double rtt_us; /* of paths, the median of connections; NaN */
};

/* What `check` says of a run; texts are borrowed. */
struct diff_judged {
	struct diff_losses losses;
	const char *verdict, *outcome; /* NULL: it was not asked */
	struct diff_accused accused[DIFF_ACCUSED]; /* the worst first */
	size_t n;
};

struct diff_params {
	struct na_text_list fail_if;
	int64_t top; /* rows of hosts, pairs, collectives */
	struct diff_judged judged[2]; /* A and B; no option */
};

#endif
