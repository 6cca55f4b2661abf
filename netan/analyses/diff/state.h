/*
 * What diff remembers: two runs, A and B, and what is compared of them
 * (docs/methods.md, "Differences of two runs").
 *
 * Everything that was measured is a sample of values, each in a unit: what
 * was measured together, a step where the run has steps, else a launch of a
 * program, else a piece of the run's time.  Quantiles of B are set against
 * those of A, and units are drawn again to tell how far that can be trusted
 * (netan/stats/tests/boot.h).
 */
#ifndef NETAN_ANALYSES_DIFF_STATE_H
#define NETAN_ANALYSES_DIFF_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/analyses/diff/diff.h"
#include "netan/analyses/slack/slack.h"
#include "netan/analyses/steps/steps.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/stats/samples/census.h"
#include "netan/stats/tests/boot.h"

enum { DIFF_A, DIFF_B, DIFF_RUNS };

enum {
	DIFF_RESAMPLES = 1000,
	DIFF_SEED = 1,
	DIFF_BINS = 64,      /* of the longer run, where one has no units */
	DIFF_LEAST = 5,      /* values beyond a quantile that is judged */
	DIFF_STRATUM = 20,   /* transfers of each run in a stratum */
	DIFF_STRETCHES = 8,  /* of steps that follow each other */
	DIFF_BEYOND = 4,     /* stretches with values beyond a quantile */
	DIFF_PARTS = 1 << 16 /* hosts, pairs and collectives at most */
};

#define DIFF_LEVEL       0.05 /* of all intervals together */
#define DIFF_EFFECT      1.05 /* ratio; less is no change */
#define DIFF_EFFECT_TOP  1.10 /* from p95 on, and of hosts, pairs, ... */
/* What one part is beyond the others, to be named without an accusation, and
 * of how many of its kind. */
#define DIFF_EFFECT_NAMED 1.25
#define DIFF_OTHERS       0.75
/* An interval whose ends are further apart says nothing. */
#define DIFF_SPREAD      100
#define DIFF_EFFECT_LINE 1.5  /* of what a size line expects: it is a model */
/* A quantile of one run that lies between those of the other this much below
 * and above is no change: where values jump, a quantile may land on either
 * side.  In the tails a fifth of what is beyond. */
#define DIFF_NEAR 0.005
/* Of all pairs of stretches, one of each run, that differ as the runs do. */
#define DIFF_APART     0.9375
#define DIFF_SHARED    0.8  /* of both runs, in strata that both have */
#define DIFF_MIX_SHIFT 0.01 /* share of transfers whose stratum differs */
/* The same work: of either run so much time in programs, and so many transfers
 * of collectives, that both have; where fewer, bytes of a step within this
 * factor, and where these are not known, so many all the same. */
#define DIFF_SAME_PROGRAMS    0.9
#define DIFF_SAME_COLLECTIVES 0.9
#define DIFF_SAME_BYTES       1.25
#define DIFF_SAME_ALONE       0.5

enum diff_what {
	DIFF_LATENCY,
	DIFF_SIZES,
	DIFF_THROUGHPUT,
	DIFF_SLACK,
	DIFF_STALL,
	DIFF_STEPS,
	DIFF_WHATS
};

enum diff_better { DIFF_SMALLER, DIFF_LARGER, DIFF_NEITHER };

struct diff_kind {
	const char *name, *unit;
	double scale; /* printed = value * scale */
	enum diff_better better;
	const char *of;      /* what the values are */
	const char *missing; /* "no network transfers" */
};
extern const struct diff_kind na_diff_kinds[DIFF_WHATS];

/* The quantiles, and then the mean. */
enum { DIFF_QUANTILES = 12, DIFF_ROWS };
enum {
	DIFF_P10 = 0,
	DIFF_P50 = 4,
	DIFF_P90 = 8,
	DIFF_P99 = 10,
	DIFF_MEAN = DIFF_QUANTILES
};
extern const double na_diff_p[DIFF_QUANTILES];
extern const char *const na_diff_row_names[DIFF_ROWS]; /* "p50", "mean" */

enum diff_verdict {
	DIFF_UNTOLD,
	DIFF_UNCLEAR, /* neither a change nor the same is shown */
	DIFF_SAME,    /* the interval lies within the effect that counts */
	DIFF_BETTER,
	DIFF_WORSE,
	DIFF_MIX,
	DIFF_MIXED,
	DIFF_DIFFERS, /* and nobody can say whether that is better: */
	DIFF_UNLIKE   /* the runs do not show the same work */
};
extern const char *const na_diff_verdicts[]; /* NULL for DIFF_UNTOLD */

/* What an interval is of: the ratio of both, their difference, b alone. */
enum diff_of { DIFF_RATIO, DIFF_SHIFT, DIFF_ALONE, DIFF_SPANS };
struct diff_span {
	struct na_boot_span span; /* of a ratio's logarithm */
	double ci[2];
	bool known;
};

/* One quantile or mean; values as printed.  NaN: not known. */
struct diff_row {
	double a, b, shift, ratio;
	struct diff_span of[DIFF_SPANS];
	double p, alpha;   /* NaN: not tested */
	double detectable; /* ratio that would have been seen */
	/* At equal sizes and pairs, where that was looked at. */
	double equal_a, equal_b, equal_ratio, equal_ci[2];
	bool rejected, equal;
	bool equal_values; /* all of both runs, as in a run against itself */
	bool near;    /* see DIFF_NEAR */
	double apart; /* see DIFF_APART; above one half: B is larger */
	enum diff_verdict verdict;
};

struct diff_sample {
	struct na_boot_item *x; /* [n] ascending; values unscaled */
	double *weight;         /* by kind; NULL: 1 */
	size_t n, cap, n_units; /* units that hold anything */
	uint64_t count;         /* of values: sum of the weights */
	bool by_events;
};

struct diff_metric {
	struct diff_sample s[DIFF_RUNS];
	struct diff_row rows[DIFF_ROWS];
	struct na_two_samples tests;
	enum diff_verdict verdict;
	bool compared; /* both runs have values */
};
/* One of them has. */
static inline bool na_diff_any(const struct diff_metric *m)
{
	return m->s[DIFF_A].n || m->s[DIFF_B].n;
}

/* What the latencies of strata come to: why a change may be no change. */
enum diff_strata { DIFF_NO_STRATA, DIFF_BY_PAIR, DIFF_BY_SIZE, DIFF_BY_LINE };
struct diff_mix {
	enum diff_strata by;
	double moved; /* share of the transfers, in other strata in B */
	uint64_t strata, skipped;     /* skipped: too few in one run */
	uint64_t left_out[DIFF_RUNS]; /* transfers in these */
	double demand; /* bytes per unit, B over A; NaN: not known */
};

/* What makes two runs unlike: in words, one for each. */
enum diff_unlike {
	DIFF_OTHER_INPUT,
	DIFF_OTHER_HOSTS,
	DIFF_OTHER_DEVICES,
	DIFF_OTHER_PROGRAMS,
	DIFF_OTHER_COLLECTIVES,
	DIFF_UNLIKES
};
enum { DIFF_UNLIKE_BUF = 128 };

/* A step, a launch of a program, or one of DIFF_BINS pieces of the time of its
 * run, of what belongs to none of them. */
struct diff_unit {
	struct na_extent time; /* of its transfers */
	na_i128 bytes;
	uint32_t run, at; /* at: among the run's, in order of time */
	bool of_time; /* a piece of time */
};

/* A host that sends or receives, a path between hosts, a collective. */
enum diff_part {
	DIFF_SENDS,
	DIFF_RECEIVES,
	DIFF_PATH,
	DIFF_COLLECTIVE,
	DIFF_PART_KINDS
};
struct diff_change {
	enum diff_part kind;
	uint32_t a, b; /* hosts, or the collective */
	uint64_t n[DIFF_RUNS];
	double typical_us[DIFF_RUNS]; /* geometric means */
	double ratio, ratio_ci[2], p, q;
	bool changed;
};

/* Of transfers: what blocks gather, and the main state from all of them. */
struct diff_gathered {
	NA_VEC(struct na_boot_item) items; /* kind: stratum; unit: of units */
	struct na_triples paths;           /* sender's host, receiver's host */
	struct na_triples strata;          /* path, collective, size bin */
	struct na_triples launches;        /* launch, run */
	struct na_triples programs;        /* name, run */
	NA_VEC(na_i128) program_ps;        /* by program */
	NA_VEC(struct diff_unit) units; /* steps of the store, then launches */
	na_i128 bins[DIFF_RUNS][DIFF_BINS]; /* bytes over the run's time */
	struct na_extent used[DIFF_RUNS];
};

struct diff_block {
	const struct diff_state *main;
	struct diff_gathered got;
	struct na_census census;
	struct sl_block slack;
	struct st_block steps;
};

struct diff_state {
	const struct na_scope *scope;
	const struct diff_params *params;
	const char *labels[DIFF_RUNS];
	uint32_t *host_as; /* by host: the first one of that name */
	struct diff_gathered got;
	struct na_census_stack counts;
	int64_t bins_from_ps[DIFF_RUNS], bin_ps; /* as wide in both runs */
	int64_t piece_ps[DIFF_RUNS]; /* a DIFF_BINS-th of its own time */

	/* Of all transfers: latencies are compared on one clock. */
	const struct na_host_clocks *clocks;
	struct na_host_clocks own_clocks;

	struct sl_state slack; /* ops, occurrences */
	struct st_state steps; /* their times alone */
	struct sl_params slack_params;

	/* From turn. */
	size_t run_units[DIFF_RUNS];
	uint64_t (*in_stratum)[DIFF_RUNS]; /* transfers */
	struct diff_metric metrics[DIFF_WHATS];
	struct diff_mix mix;
	char unlike[DIFF_UNLIKES][DIFF_UNLIKE_BUF]; /* "": it does not */
	struct diff_change *changes;
	size_t n_changes;
	uint64_t parts_tested, parts_few, parts_apart, parts_over;
	enum diff_verdict verdict;
	bool any_met; /* of --fail-if */
};

/* ---- units.c */
/* Which piece of its run's time an instant lies in, the first is 0. */
uint32_t na_diff_piece_of(const struct diff_state *s, uint32_t run,
			  int64_t at_ps, int64_t piece_ps);
/* Every transfer belongs to a step or a launch. */
bool na_diff_has_units(const struct diff_state *s, uint32_t run);
/* The unit of a transfer: index of units, which grow. */
uint32_t na_diff_unit_of(struct diff_block *b, const struct na_transfer *t,
			 uint32_t run);
/* By the time of a run's steps; NA_UNKNOWN_U32: it has none. */
uint32_t na_diff_step_at(const struct na_store *store, uint32_t run,
			 int64_t at_ps);
/* Units for all steps and launches.  False: no memory. */
bool na_diff_grow_units(const struct diff_state *s, struct diff_gathered *g);
/* Numbers the units of each run in order of time.  False: no memory. */
bool na_diff_number_units(struct diff_state *s);

/* ---- samples.c: false: no memory */
bool na_diff_samples(struct diff_state *s);

/* ---- compare.c */
/* Quantiles, resamples and spans of one metric; all rows then judged at
 * once. */
bool na_diff_compare(const struct diff_state *s, enum diff_what what,
		     const struct diff_sample sample[DIFF_RUNS],
		     struct diff_row rows[DIFF_ROWS]);
bool na_diff_judge(struct diff_state *s);
/* Each value that was compared is there in both runs. */
bool na_diff_unchanged(const struct diff_state *s);
/* Whether a ratio is a change at all. */
bool na_diff_notable(size_t row, double ratio);

/* ---- mix.c: is a change of latencies one of sizes and pairs alone? */
bool na_diff_judge_mix(struct diff_state *s);
/* Lower end of a size bin, in bytes: four in each power of two. */
uint32_t na_diff_size_bin(uint64_t bytes);
double na_diff_bin_bytes(uint32_t bin);

/* ---- parts.c: hosts, pairs, collectives */
bool na_diff_parts(struct diff_state *s);

/* ---- alike.c: did both runs do the same work?  Where not, nothing is better
 * or worse any more.  False: no memory. */
bool na_diff_judge_alike(struct diff_state *s);
bool na_diff_is_unlike(const struct diff_state *s);

/* ---- limits.c: --fail-if */
enum diff_met { DIFF_MET, DIFF_NOT_MET, DIFF_UNDECIDED };
struct diff_limit {
	const char *text; /* as typed */
	enum diff_what what;
	size_t row;
	bool above;    /* '>' */
	bool relative; /* of the ratio; else of b, as printed */
	double value;  /* ratio, or a value in the metric's unit */
};
enum na_status na_diff_limit_parse(const char *text, struct diff_limit *l,
				   struct na_err *err) NA_MUST_CHECK;
enum na_status na_diff_check(const void *params,
			     struct na_err *err) NA_MUST_CHECK;
/* Decided by the interval; `why` in words. */
enum diff_met na_diff_limit_met(const struct diff_state *s,
				const struct diff_limit *l, char *why,
				size_t size);
/* "latency.p99" */
enum { DIFF_NAME_BUF = 32 };
const char *na_diff_name(char buf[DIFF_NAME_BUF], enum diff_what what,
			 size_t row);

/* ---- result.c, views.c, words.c */
enum na_status na_diff_finish(void *state, struct na_result *r,
			      struct na_err *err) NA_MUST_CHECK;
void na_diff_views(struct na_result *r, const struct diff_state *s);
const char *na_diff_host(const struct diff_state *s, uint32_t host);
/* NULL: it has no name. */
const char *na_diff_collective(const struct diff_state *s, uint32_t name);
/* A value of a metric, in the unit that suits it; NULL: none. */
const char *na_diff_in_unit(char buf[NA_UNIT_BUF], double x, const char *unit);
/* The row that says most of a metric, which the first line names. */
const struct diff_row *na_diff_telling_row(const struct diff_metric *m,
					  size_t *at);
/* Whether the interval of the ratio says anything. */
bool na_diff_telling(const struct diff_row *row);
/* losses.c: what captures lose.  Both runs have data segments of captures. */
bool na_diff_has_losses(const struct diff_state *s);
/* Of the shares of data segments, b / a; chance that equal rates differ so
 * (NaN: not tested); and what that means, untold where it is not. */
double na_diff_loss_ratio(const struct diff_losses *a,
			  const struct diff_losses *b, enum diff_loss what);
double na_diff_loss_p(const struct diff_losses *a, const struct diff_losses *b,
		      enum diff_loss what);
enum diff_verdict na_diff_loss_verdict(const struct diff_losses *a,
				       const struct diff_losses *b,
				       enum diff_loss what);
/* Of all of them; untold: nothing shows that the runs differ. */
enum diff_verdict na_diff_losses_verdict(const struct diff_state *s);
void na_diff_put_losses(struct na_result *r, const struct diff_state *s);
void na_diff_losses_view(struct na_result *r);
/* Sentences, each with its full stop and a space; or nothing. */
void na_diff_say_losses(struct na_str *to, const struct diff_state *s);
void na_diff_put_message(struct na_result *r, const struct diff_state *s);

#endif
