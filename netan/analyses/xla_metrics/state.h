/* What the files of the judgement on PyTorch/XLA logs share. */
#ifndef NETAN_ANALYSES_XLA_METRICS_STATE_H
#define NETAN_ANALYSES_XLA_METRICS_STATE_H

#include "netan/analyses/xla_metrics/xla_metrics.h"
#include "netan/base/vec.h"

/* Compilations of the first steps are expected; the profiler passes over as
 * many. */
enum { NA_XLA_WARMUP_STEPS = 10 };

/* One process, from a report (or its start) to a later one. */
struct na_xla_span {
	const char *path, *label, *prefix; /* prefix NULL: none */
	const struct na_xla_log *from_log, *to_log;
	const struct na_xla_report *from;   /* NULL: from the start */
	const struct na_xla_report *before; /* the one before the last; of
					     * to_log; NULL */
	const struct na_xla_report *to;
	size_t reports;
	double steps; /* NaN: not known */
	const char *steps_from;
	double steps_before; /* until `from`; NaN */
	double last_steps;   /* from `before` to `to`; NaN */
	double seconds;      /* between the two; NaN */
};

struct na_xla_grown {
	bool there; /* in the last report */
	bool lost;  /* not there, though it was, or the report is cut off */
	int64_t to, by;
	int64_t last_by; /* since `before`; -1: there is none */
};

enum na_xla_answer { NA_XLA_CANNOT_TELL, NA_XLA_NO, NA_XLA_SLOWLY, NA_XLA_YES };

/* Of all processes the one that answers worst. */
struct na_xla_question {
	enum na_xla_answer answer;
	char text[400];
	const struct na_xla_span *span; /* NULL: told by profiler lines */
	const char *name;               /* what was counted */
	int64_t count;
	double per_step;
	size_t processes; /* that answer the same */
};

/* A group of equal stacks over all logs. */
struct na_xla_group {
	const struct na_xla_log *log; /* of the names */
	const struct na_xla_stack *stack;
	uint64_t count;
	size_t graphs;               /* different ones; of the largest log */
	const char *user, *operator; /* frames of the stack, or NULL */
	bool early; /* a value was fetched before the step's end */
};

struct na_xla_case {
	const struct na_xla_asked *asked;
	struct na_result *r;
	NA_VEC(struct na_xla_span) spans;
	NA_VEC(struct na_xla_group) groups; /* most frequent first */
	struct na_xla_question compilations, transfers, lowering;
	struct na_value *findings;
	enum na_severity worst, pass; /* only findings of this severity */
};

/* spans.c */
enum na_status na_xla_spans(struct na_xla_case *c,
			    struct na_err *err) NA_MUST_CHECK;
struct na_xla_grown na_xla_samples(const struct na_xla_span *s,
				   const char *metric);
struct na_xla_grown na_xla_count_of(const struct na_xla_span *s,
				    const char *counter);
enum { NA_XLA_WHO = 300 };
const char *na_xla_who(const struct na_xla_span *s, char buf[NA_XLA_WHO]);

/* answers.c */
void na_xla_answers(struct na_xla_case *c);
bool na_xla_unlowered(const char *counter);

/* stacks.c */
enum na_status na_xla_groups(struct na_xla_case *c,
			     struct na_err *err) NA_MUST_CHECK;
void na_xla_put_stacks(struct na_xla_case *c);

/* findings.c */
void na_xla_findings(struct na_xla_case *c);

/* views.c */
void na_xla_views(struct na_xla_case *c);

#endif
