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
#include <string.h>

#include "netan/analyses/bursts/bursts.h"
#include "netan/base/arena.h"
#include "netan/base/str.h"
#include "netan/phrases/phrases.h"
#include "netan/result/result.h"

/* How sure a finding is. */
enum na_confidence {
	NA_CERTAIN, /* counted: the trace says so */
	NA_LIKELY,  /* a test rejects chance, or two sources agree */
	NA_POSSIBLE /* fits; other causes fit as well */
};
extern const char *const na_confidences[]; /* their words */

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

/* Who or what is to blame; NONE: a finding that accuses nobody. */
enum na_cause {
	NA_CAUSE_NONE,
	NA_CAUSE_NETWORK,
	NA_CAUSE_COMPUTE,
	NA_CAUSE_INPUT,
	NA_CAUSE_SERVER,
	NA_CAUSE_CLIENT,
	NA_CAUSE_SETTINGS
};

/*
 * Whom a finding accuses, as the culprits of `pairs` do: kind "src", "dst" or
 * "host" with a host (or several), "pair" with both ends, "rack_..." with the
 * hosts of the rack.  What is not known is NULL, the kind as well: the network
 * somewhere between the hosts.  Borrowed, as long as the case.
 */
struct na_who {
	const char *kind, *host, *src_host, *dst_host;
	const struct na_value *hosts, *alternatives;
	const struct na_value *row; /* of culprits[], with its odds; or NULL */
	const struct na_value *rank; /* of a GPU job; NULL: not told */
	bool no_file; /* the hosts are devices whose file is missing */
	/* Several, each with a `host` and a `rank` of its own, or NULL. */
	const struct na_value *culprits;
	bool certain; /* who it is, where what he did is less so */
};

/* What the session says of the network: somebody's side of it is accused, it
 * is acquitted, or neither. */
enum na_outcome { NA_GUILTY, NA_ONE_OF, NA_NOT_GUILTY, NA_CANNOT_TELL };

/* Of an upper bound. */
#define NA_AT_MOST "at most "

struct na_finding {
	const struct na_check *check;
	enum na_severity severity;
	enum na_confidence confidence;
	/* What the finding cost, for the order within a severity and for the
	 * verdict, na_case_cost(); NaN: cannot be told. */
	double lost_s, cost_ms_per_step;
	double mean_ms; /* of all steps, where the median hides it; 0 */
	/* Before the number: "about " of an estimate, "at least ",
	 * NA_AT_MOST; "". */
	const char *roughly;
	const char *of;        /* behind lost_s, whose it is; "" */
	const char *of_named;  /* the same where nothing before it says which
				* one that is; NULL */
	const char *base;      /* behind the cost of a step: of what; "" */
	double from_s, to_s;   /* NaN: at no particular time */
	const char *title;     /* one sentence with the numbers that matter */
	const char *brief;     /* for the verdict, where that is long; NULL */
	const char *remedy;    /* what to do, with the exact flag or setting */
	const char *sure;      /* why so sure; NULL: what the word means */
	const char *otherwise; /* what else it could be; NULL: nothing more */
	const char *command;   /* netan command that shows more */
	const char *picture;   /* one that draws it; NULL: none */
	const char *window;    /* na_case_windows(), once all checks have run */
	struct na_value *evidence; /* members in units, for na_put_... */
	struct na_value *facts;    /* texts, na_case_evidence() */
	/* For the verdict: who or what it is about, and by what ("2.8x slower
	 * over 31 pairs"). */
	const char *culprit; /* "transmit side of host-17" */
	const char *how;
	/* na_case_accuse() */
	enum na_cause cause;
	struct na_who who;
	/* It may be the network, and no test says so: nobody is accused, and
	 * the network is not acquitted. */
	bool suspicion;
	const char *decides; /* of a suspicion: what would decide; NULL */
	bool apart; /* told by captures of hosts that no trace is known to be
		       of: joined.h */
	bool captured; /* of what captures beside traces tell alone */
	bool no_wait; /* counted, and no time that anybody lost */
	bool on_racks; /* named only if the racks are as the topology says */
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
	struct na_phrases phrases; /* in the same arena */
	struct na_finding **findings;
	size_t n, cap;
	const struct na_check *check; /* the one that is running */
	const char *missing;          /* what it said */
	bool joined;                  /* it has na_case_join()ed */
	bool captured; /* it is asked of captures beside traces alone */
	bool failed;                  /* memory was short */
	struct na_finding spare;      /* then: nobody looks at it */
};

enum { NA_CHECK_READS = 8 };

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

/* A candidate is tried out: its findings are remarks and accuse nobody. */
enum na_maturity { NA_STABLE, NA_CANDIDATE };

struct na_check {
	const char *id;
	/* One more with each change of what it finds in the same input. */
	int version;
	enum na_maturity maturity;
	const char *question; /* one line: what it looks for */
	const char *does_not_mean; /* behind "a finding does not mean" */
	/* Names of exhibits without which it cannot run, and of those that it
	 * reads where they are there; NULL ends. */
	const char *needs[NA_CHECK_READS];
	const char *uses[NA_CHECK_READS];
	void (*judge)(struct na_case *c);
	/* Of each of its findings, once all checks have run: what another one
	 * explains; NULL: nothing. */
	void (*settle)(struct na_case *c, struct na_finding *f);
	enum na_explains explains;
	enum na_acquits acquits;
	/* What the verdict puts before such a finding; NULL: nothing. */
	const char *named_as;
	/* Its cost is the time that devices stall, whoever makes them. */
	bool costs_stall;
	/* It looks at what XLA records, and ranks of other jobs do not. */
	bool of_xla;
	/* Of transfers, whose sums captures and traces have each their own:
	 * where both tell some it is asked twice. */
	bool of_either;
	/* What it looks for may be on one host alone, or on its way: it does
	 * not pass while that host's file is missing. */
	bool each_host;
};

/* The body of an exhibit, its side tree, its whole document; NULL: there is
 * none. */
const struct na_value *na_case_body(const struct na_case *c, const char *name);
const struct na_value *na_case_side(const struct na_case *c, const char *name);
const struct na_value *na_case_doc(const struct na_case *c, const char *name);

/* What it takes that an exhibit is there, in words; NULL: it is. */
const char *na_case_lacks(const struct na_case *c, const char *name);

/* A new finding of the running check: no times, cost unknown, evidence an
 * empty object.  `more` is the command that shows more, "pairs --top 20", with
 * the filters and inputs of this one behind it; NULL: none of netan's.  Never
 * NULL itself: when memory is short, one that nobody looks at. */
struct na_finding *na_case_find(struct na_case *c, enum na_severity severity,
				enum na_confidence confidence,
				const char *more);
/* The picture that shows it, "pairs -o pairs.svg", as `more` above. */
void na_case_draw(struct na_case *c, struct na_finding *f, const char *picture);
/* A list that stands nowhere yet, for na_put_alias(). */
struct na_value *na_case_list(struct na_case *c);
/* Members of `from` under the same names; what is not there is left out:
 *	na_case_copy(c, f->evidence, row, M_host, M_excess); */
#define na_case_copy(c, to, from, ...) \
	na_case_copy_all(c, to, from, (const char *const[]){__VA_ARGS__, NULL})
void na_case_copy_all(struct na_case *c, struct na_value *to,
		      const struct na_value *from, const char *const *names);
/*
 * The finding accuses somebody: check's accused[], and what the verdict and
 * the outcome are derived from.  To be called where a test or a count stands
 * behind it, never on a suspicion.  `name` is the culprit in words.
 */
void na_case_accuse(struct na_finding *f, enum na_cause cause,
		    struct na_who who, const char *name);
/* A culprit of `pairs`. */
struct na_who na_who_of(const struct na_value *culprit);
static inline bool na_is_at_most(const struct na_finding *f)
{
	return strcmp(f->roughly, NA_AT_MOST) == 0;
}

/*
 * What it cost all steps together, and so each of them; nothing where lost_s is
 * NaN.  One cause has one cost: where a finding accuses somebody, stalls have
 * none, since they are what it costs, known or not; and of findings about
 * stalls the costliest keeps it.
 */
void na_case_cost(struct na_case *c, struct na_finding *f, double lost_s);
/* The running check has found the reason of another one's finding, and puts
 * it there instead of telling it twice. */
void na_case_join(struct na_case *c, struct na_finding *f);
/* What a finding of a candidate may say. */
void na_finding_limit(struct na_finding *f);
/* A text that is no sentence, such as a command; it lives as long as the
 * case. */
const char *na_case_text(struct na_case *c, const char *fmt, ...)
	NA_PRINTF(2, 3);
/* The text of a fact, as long as the case. */
const char *na_case_say(struct na_case *c, struct na_fact fact);
/* One of the two or three facts that a finding rests on: a short sentence with
 * its number.  A finding without any rests on what its command shows. */
void na_case_evidence(struct na_case *c, struct na_finding *f,
		      struct na_fact fact);
/* The check could not run: what it needs. */
void na_case_needs(struct na_case *c, struct na_fact fact);
/* Whether a check is to run. */
bool na_case_asks(const struct na_case *c, const char *id);

extern const struct na_check *const na_checks[]; /* NULL at the end */
const struct na_check *na_check_find(const char *id);
/* Whether it looks at the exhibit, needed or not. */
bool na_check_reads(const struct na_check *check, const char *exhibit);

/* Which inputs a command is to look at. */
enum na_inputs_of { NA_INPUTS_ALL, NA_INPUTS_TRACES, NA_INPUTS_CAPTURES };

/* What na_checks_run() reads; all of it is borrowed. */
struct na_checks_asked {
	const char *program; /* that NAME is told to; NULL: netan */
	/* What to put behind "netan LINE ...", a command and its options, so
	 * that it looks at the same (filters, inputs; not what the line gives
	 * itself), in an arena of the caller's; NULL: no memory. */
	const char *(*rest)(void *ctx, const char *line, enum na_inputs_of of);
	const struct na_exhibit *exhibits;
	size_t n_exhibits;
	/* Where traces and captures both tell transfers: those of captures
	 * alone; exhibits are then of those of traces. */
	const struct na_exhibit *captured;
	size_t n_captured;
	const struct na_limits *limits;
	double capacity_gbps;
	bool (*wanted)(void *ctx, const struct na_check *check);
	void *ctx;
	bool verbose; /* for people: all that each check lacks */
	bool brief; /* for people: remarks and skipped checks in a line each */
};
/*
 * Runs the checks that `wanted` lets pass (NULL: all), fills the body and
 * the views of r: verdict, findings by severity and cost (an upper bound counts
 * half), passed, not_run.
 * What a check needs and is not there puts it among not_run, and is no
 * failure.  *worst is the enum na_severity of the worst finding, 0 when
 * nothing was found.  NA_ENOMEM alone.
 */
enum na_status na_checks_run(const struct na_checks_asked *asked,
			     struct na_result *r, int *worst,
			     struct na_err *err) NA_MUST_CHECK;

/*
 * verdict.c: the first line, and in one place what it comes to.  "suspect:
 * transmit side of host-3 (2.4x slower over 7 pairs), costs 45 ms a step (median
 * step: 105 ms); likely", "Network looks healthy: a NIC 1.3x slower than usual
 * would have been detected on all 16 transmit and receive sides", "cannot tell:
 * ...".  Findings are in their final
 * order.
 */
const char *na_verdict(struct na_case *c, enum na_outcome *outcome);
/* The suspects of the findings, each once, in their order. */
void na_verdict_put_accused(struct na_case *c, struct na_value *body);

/* views.c: what a person sees of it. */
void na_checks_views(struct na_case *c);

#endif
