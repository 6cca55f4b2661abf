/*
 * What one log of PyTorch/XLA tells: metrics reports, lines of the
 * client-side profiler, and the Python stacks behind compilations and
 * executions.  A log may hold several processes (lines with different
 * prefixes); of the reports of a process the first, the one before the last
 * and the last are kept.
 */
#ifndef NETAN_MODEL_LOGS_XLA_LOG_H
#define NETAN_MODEL_LOGS_XLA_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/strtab.h"

/* Bounds on what is kept of one log; what is beyond them is counted. */
enum {
	NA_XLA_PROCESSES_MAX = 256,
	NA_XLA_NAMES_MAX = 65536,
	NA_XLA_NAME_BYTES = 400, /* of a longer one the beginning */
	NA_XLA_METRICS_MAX = 256,
	NA_XLA_COUNTERS_MAX = 4096, /* of a report */
	NA_XLA_PERCENTILES_MAX = 16,
	NA_XLA_HINTS_MAX = 1024,
	NA_XLA_STACKS_MAX = 4096,
	NA_XLA_FRAMES_MAX = 64, /* of a stack */
	NA_XLA_GRAPHS_MAX = 256 /* different ones told apart of a stack */
};

enum na_xla_kind { NA_XLA_NONE, NA_XLA_TIME, NA_XLA_BYTES, NA_XLA_NUMBER };

struct na_xla_value {
	enum na_xla_kind kind;
	int64_t ns;    /* times */
	double number; /* bytes, plain numbers */
};

struct na_xla_percentile {
	double percent; /* 0 to 100 */
	struct na_xla_value value;
};

struct na_xla_metric {
	uint32_t name;
	bool late;   /* came behind the counters: of the backend */
	bool summed; /* total is there */
	uint64_t samples;
	struct na_xla_value total, value_rate; /* kind NONE: not told */
	double rate;                           /* per second; NaN */
	struct na_xla_percentile percentiles[NA_XLA_PERCENTILES_MAX];
	size_t n_percentiles;
};

struct na_xla_counter {
	uint32_t name;
	int64_t value;
};

/* When a line says that it was written. */
struct na_xla_stamp {
	enum { NA_XLA_NO_STAMP, NA_XLA_CLOCK, NA_XLA_DATED } kind;
	int64_t us; /* of the day, or since 1970 */
};

struct na_xla_report {
	struct na_xla_metric *metrics;
	struct na_xla_counter *counters;
	size_t n_metrics, cap_metrics, n_counters, cap_counters;
	uint64_t first_line, last_line; /* 0: there is no report */
	int64_t step;                   /* of its title; -1: not told */
	struct na_xla_stamp stamp;
};

struct na_xla_process {
	uint32_t prefix; /* what its lines begin with; NA_NO_NAME: nothing */
	struct na_xla_report first, before, last;
	size_t n_reports; /* since the last restart */
	size_t restarts;  /* counters shrank */
	uint32_t shrank;  /* the first that did */
	uint64_t restart_line;
};

/* A line of the client-side profiler, the last of its kind. */
enum na_xla_hint_kind {
	NA_XLA_TOO_FREQUENT,
	NA_XLA_TOO_SLOW,
	NA_XLA_NOT_LOWERED
};

struct na_xla_hint {
	enum na_xla_hint_kind kind;
	uint32_t process;
	uint32_t name; /* of the metric, or of the operator */
	uint64_t times;
	/* too frequent: the counts so far, as the first and the last line
	 * have them */
	uint64_t first_count, first_steps, count, steps;
	int64_t longest_ns; /* too slow */
};

struct na_xla_stack {
	uint64_t key;     /* hash of the following */
	bool execution;   /* else compilation */
	uint32_t cause;   /* NA_NO_NAME: not told */
	uint32_t *frames; /* innermost first: "func (file:line)" */
	size_t n_frames;
	uint64_t count;
	uint64_t *graphs; /* hashes of their hashes, for counting */
	size_t n_graphs, cap_graphs;
};

struct na_xla_log {
	struct na_strtab names;
	struct na_xla_process *processes;
	size_t n_processes, cap_processes;
	struct na_xla_hint *hints;
	size_t n_hints, cap_hints;
	struct na_xla_stack *stacks;
	size_t n_stacks, cap_stacks;
	struct na_arena frames;
	/* coverage */
	uint64_t lines;      /* that belong to something of the above */
	uint64_t reports;    /* all of them */
	uint64_t damaged;    /* fields that do not read as they should */
	uint64_t left_out;   /* beyond the bounds */
	uint64_t unfinished; /* reports that end amid a metric */
	uint64_t blocks;     /* of analysis */
	uint64_t hint_lines; /* of the profiler */
	double program_gb;   /* the largest compiled program told; 0: none */
};

void na_xla_log_init(struct na_xla_log *x);
void na_xla_log_fini(struct na_xla_log *x);
void na_xla_report_fini(struct na_xla_report *r);

/* NULL: not in the report. */
const struct na_xla_metric *na_xla_metric(const struct na_xla_report *r,
					  uint32_t name);
const struct na_xla_counter *na_xla_counter(const struct na_xla_report *r,
					    uint32_t name);
/* By name over logs: each has its own table of names. */
const struct na_xla_metric *na_xla_metric_named(const struct na_xla_log *x,
						const struct na_xla_report *r,
						const char *name);
const struct na_xla_counter *na_xla_counter_named(const struct na_xla_log *x,
						  const struct na_xla_report *r,
						  const char *name);

/* The first name whose samples or count is smaller in `later`, which one run
 * cannot do; NULL: none. */
const char *na_xla_shrinks(const struct na_xla_log *x,
			   const struct na_xla_report *earlier,
			   const struct na_xla_log *y,
			   const struct na_xla_report *later);

#endif
