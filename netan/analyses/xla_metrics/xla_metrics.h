/*
 * What logs of PyTorch/XLA say of a training job: does it recompile, does it
 * fetch values from the device, which operators are not lowered.  Rules are
 * those of docs/methods.md, "PyTorch/XLA metrics".
 *
 * Not an analysis of transfers: `netan xla-metrics` calls it with what it
 * has read.
 */
#ifndef NETAN_ANALYSES_XLA_METRICS_XLA_METRICS_H
#define NETAN_ANALYSES_XLA_METRICS_XLA_METRICS_H

#include "netan/analyses/analysis.h"
#include "netan/model/logs/xla_log.h"
#include "netan/result/result.h"

struct na_xla_input {
	const char *path, *label; /* label NULL: none */
	struct na_xla_log log;
};

struct na_xla_asked {
	const struct na_xla_input *inputs; /* in the order of time, if they
					    * are reports of one run */
	size_t n_inputs;
	int64_t steps;        /* between two reports, or before one; 0: as
			       * the reports tell */
	int64_t log_interval; /* steps in which one tensor is logged */
	size_t top;           /* rows of each table for people */
};

/* Whether the log holds anything that can be judged. */
bool na_xla_tells(const struct na_xla_log *log);

/* Fills body, side tree, headline, views and notes of r, which copies what it
 * needs.  *worst is set in any case.  NA_ENOMEM alone. */
enum na_status na_xla_judge(const struct na_xla_asked *asked,
			    struct na_result *r, enum na_severity *worst,
			    struct na_err *err) NA_MUST_CHECK;

#endif
