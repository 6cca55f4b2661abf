/* What the files of measurements (bench.h) share. */
#ifndef NETAN_SYNTH_XSPACE_BENCH_STATE_H
#define NETAN_SYNTH_XSPACE_BENCH_STATE_H

#include "netan/base/units.h"
#include "netan/synth/xspace/bench.h"

enum { /* of all */
       DEVICES = 3,
       PEERS = 8,
       COLLS = 8,
       OP_PACE_US = 9, /* an op takes 1 to 8.5 us */
       OPS_PER_COLL = 40,
       SEND_AT = 11, /* of those */
       FIRST_OP_US = 11
};

#define US NA_PS_PER_US

struct na_bench {
	const struct na_synth_config *cfg;
	struct na_trace *trace;
	struct na_rng rng;
	struct na_plane plane;
	int64_t last_ps; /* end of what was written */
};

static inline int64_t na_bench_below(struct na_bench *b, uint64_t n)
{
	return (int64_t)na_rng_below(&b->rng, n);
}

/* bench_device.c: a device plane of so many events. */
NA_MUST_CHECK enum na_status na_bench_device(struct na_bench *b, int number,
					     uint64_t events,
					     struct na_err *err);

#endif
