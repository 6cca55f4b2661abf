/*
 * What a check is: one row of the expert's playbook.  It reads the results
 * of analyses (never a file, a trace or a record), compares them with its
 * limits, and puts findings on the case.  A check is one file, a row in
 * checks.def, and a row in limits.def for each threshold that a user may
 * want to move.
 *
 * The rules and severities are those of docs/methods.md, "The checks", which
 * follows the public playbook; where a check departs from that, its file says
 * why.
 */
#ifndef NETAN_CHECKS_CHECK_H
#define NETAN_CHECKS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "netan/base/arena.h"
#include "netan/result/result.h"

/* How sure a finding is. */
enum na_confidence {
	NA_CERTAIN, /* counted: the trace says so */
	NA_LIKELY,  /* a test rejects chance, or two sources agree */
	NA_POSSIBLE /* fits; other causes fit as well */
};

/* Thresholds, one member for each row of limits.def. */
struct na_limits {
#define NA_LIMIT(name, option, def, min, max, arg, help) double name;
#include "netan/checks/limits.def"
#undef NA_LIMIT
};

/* One result that checks may read, by name: that of the analysis, or of an
 * analysis asked in a particular way (netan/analyses/analyses.def). */
struct na_exhibit {
	const char *name;
	const struct na_result *result; /* NULL: there is none */
	const char *missing;            /* then: what it would take, in words */
};

struct na_finding {
	const struct na_check *check;
	enum na_severity severity;
	enum na_confidence confidence;
	/* What the finding cost, for the order within a severity and for the
	 * verdict; NaN: cannot be told. */
	double lost_s;
	double from_s, to_s; /* NaN: at no particular time */
	const char *title;   /* one sentence with the numbers that matter */
	const char *remedy;  /* what to do, with the exact flag or setting */
	const char *command; /* netan command that shows more */
	struct na_value *evidence; /* members in units, for na_put_... */
	/* For the verdict: who is to blame, where that is known, and by what
	 * ("2.8x slower over 31 pairs"). */
	const char *culprit; /* "transmit side of host-17" */
	const char *how;
	bool network; /* the network is at fault, not what uses it */
	/* A second check that found what explains it: na_case_join(). */
	const struct na_check *also;
};

struct na_checks_asked;

struct na_case {
	const struct na_checks_asked *asked;
	const struct na_limits *limits;
	double capacity_gbps; /* of a host; 0: not given */
	/* What follows belongs to na_checks_run(). */
	struct na_result *r; /* the findings' evidence is built here */
	struct na_arena *arena;
	struct na_finding **findings;
	size_t n, cap;
	const struct na_check *check; /* the one that is running */
	const char *missing;          /* what it said */
	bool joined;                  /* it has na_case_join()ed */
	bool failed;                  /* memory was short */
	struct na_finding spare;      /* then: nobody looks at it */
};

enum { NA_CHECK_READS = 6 };

/* How much of what is wrong a finding explains that does not blame the
 * network: the verdict names the one that explains most. */
enum na_explains {
	NA_EXPLAINS_SOME,    /* as most do */
	NA_EXPLAINS_NOTHING, /* about the inputs, not the job */
	NA_EXPLAINS_LITTLE,  /* not by itself */
	NA_EXPLAINS_DEMAND,  /* the job asks for more than there is */
	NA_EXPLAINS_WAITING, /* who the others wait for */
	NA_EXPLAINS_ALL      /* nothing fits together */
};

/* Without it nobody can say that it is not the network. */
enum na_acquits { NA_ACQUITS_NOT, NA_ACQUITS, NA_ACQUITS_PACKETS };

struct na_check {
	const char *id;
	const char *question; /* one line: what it looks for */
	/* Names of exhibits without which it cannot run, and of those that it
	 * reads where they are there; NULL ends. */
	const char *needs[NA_CHECK_READS];
	const char *uses[NA_CHECK_READS];
	void (*judge)(struct na_case *c);
	enum na_explains explains;
	enum na_acquits acquits;
	/* What the verdict puts before such a finding; NULL: nothing. */
	const char *named_as;
};

/* The body of an exhibit, its side tree, its whole document; NULL: there is
 * none. */
const struct na_value *na_case_body(const struct na_case *c, const char *name);
const struct na_value *na_case_side(const struct na_case *c, const char *name);
const struct na_value *na_case_doc(const struct na_case *c, const char *name);

/* A new finding of the running check: no times, cost unknown, evidence an
 * empty object.  `more` is the command that shows more, "pairs --top 20", with
 * the filters and inputs of this one behind it; NULL: none of netan's.  Never
 * NULL itself: when memory is short, one that nobody looks at. */
struct na_finding *na_case_find(struct na_case *c, enum na_severity severity,
				enum na_confidence confidence,
				const char *more);
/* A list that stands nowhere yet, for na_put_alias(). */
struct na_value *na_case_list(struct na_case *c);
/* Members of `from` under the same names; what is not there is left out:
 *	na_case_copy(c, f->evidence, row, M_host, M_excess); */
#define na_case_copy(c, to, from, ...) \
	na_case_copy_all(c, to, from, (const char *const[]){__VA_ARGS__, NULL})
void na_case_copy_all(struct na_case *c, struct na_value *to,
		      const struct na_value *from, const char *const *names);
/* The running check has found the reason of another one's finding, and puts
 * it there instead of telling it twice. */
void na_case_join(struct na_case *c, struct na_finding *f);
/* Texts of a finding; they live as long as the case. */
const char *na_case_text(struct na_case *c, const char *fmt, ...)
	NA_PRINTF(2, 3);
/* Whether a check is to run. */
bool na_case_asks(const struct na_case *c, const char *id);
/* The check could not run after all: what was missing, in words. */
void na_case_missing(struct na_case *c, const char *fmt, ...) NA_PRINTF(2, 3);

extern const struct na_check *const na_checks[]; /* NULL at the end */
const struct na_check *na_check_find(const char *id);

/* What na_checks_run() reads; all of it is borrowed. */
struct na_checks_asked {
	/* What to put behind "netan NAME ..." so that it looks at the same
	 * (filters, inputs), in an arena of the caller's; NULL: no memory. */
	const char *(*rest)(void *ctx, const char *name);
	const struct na_exhibit *exhibits;
	size_t n_exhibits;
	const struct na_limits *limits;
	double capacity_gbps;
	bool (*wanted)(void *ctx, const struct na_check *check);
	void *ctx;
};
/*
 * Runs the checks that `wanted` lets pass (NULL: all), fills the body and
 * the views of r: verdict, findings by severity and cost, passed, not_run.
 * What a check needs and is not there puts it among not_run, and is no
 * failure.  *worst is the enum na_severity of the worst finding, 0 when
 * nothing was found.  NA_ENOMEM alone.
 */
enum na_status na_checks_run(const struct na_checks_asked *asked,
			     struct na_result *r, int *worst,
			     struct na_err *err) NA_MUST_CHECK;

/*
 * verdict.c: the first line.  "Network: not guilty", "guilty: transmit side
 * of host-17, 2.8x slower over 31 pairs, 1.9 s of 14 s step stall", "cannot
 * tell: ...".  Findings are in their final order.
 */
const char *na_verdict(struct na_case *c);

/* views.c: what a person sees of it. */
void na_checks_views(struct na_case *c);

#endif
