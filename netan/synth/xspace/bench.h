/*
 * One large file of known content, for measurements: made as fast as it
 * can be written, line by line, without a simulation behind it.
 */
#ifndef NETAN_SYNTH_XSPACE_BENCH_H
#define NETAN_SYNTH_XSPACE_BENCH_H

#include "netan/synth/xspace/trace.h"

/*
 * NA_PROFILE_TYPICAL: three device planes, a host plane and a Megascale
 * plane, with one event in eight in the last; NA_PROFILE_NETWORK: the
 * Megascale plane alone, all graph executions, sends and receives.  Four
 * stats on each event.  t must hold one host.
 */
NA_MUST_CHECK enum na_status na_bench_write(const struct na_synth_config *cfg,
					    struct na_trace *t,
					    struct na_err *err);

#endif
