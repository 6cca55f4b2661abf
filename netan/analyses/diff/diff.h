/*
 * What the files diff*.c share: two runs, A and B, and what is compared of
 * them (docs/methods.md, "Differences of two runs").
 *
 * Everything that was measured is a sample of values, each in a unit: what
 * was measured together, a step where the run has steps, else a launch of a
 * program.  Quantiles of B are set against those of A, and units are drawn
 * again to tell how far that can be trusted (netan/stats/tests/boot.h).
 */
#ifndef NETAN_ANALYSES_DIFF_DIFF_H
#define NETAN_ANALYSES_DIFF_DIFF_H

#include "netan/analyses/analysis.h"
#include "netan/analyses/slack/slack.h"
#include "netan/analyses/steps/steps.h"
#include "netan/base/triples.h"
#include "netan/stats/samples/census.h"
#include "netan/stats/tests/boot.h"

enum { DF_A, DF_B, DF_RUNS };

enum {
	DF_RESAMPLES = 1000,
	DF_SEED = 1,
	DF_BINS = 64,      /* of the longer run, where one has no units */
	DF_LEAST = 5,      /* values beyond a quantile that is judged */
	DF_STRATUM = 20,   /* transfers of each run in a stratum */
	DF_STRETCHES = 8,  /* of steps that follow each other */
	DF_BEYOND = 4,     /* stretches with values beyond a quantile */
	DF_PARTS = 1 << 16 /* hosts, pairs and collectives at most */
};

#define DF_LEVEL       0.05 /* of all intervals together */
#define DF_EFFECT      1.05 /* ratio; less is no change */
#define DF_EFFECT_TOP  1.10 /* from p95 on, and of hosts, pairs, ... */
#define DF_EFFECT_LINE 1.5  /* of what a size line expects: it is a model */
/* A quantile of one run that lies between those of the other this much below
 * and above is no change: where values jump, a quantile may land on either
 * side.  In the tails a fifth of what is beyond. */
#define DF_NEAR 0.005
/* Of all pairs of stretches, one of each run, that differ as the runs do. */
#define DF_APART     0.9375
#define DF_SHARED    0.8  /* of both runs, in strata that both have */
#define DF_MIX_SHIFT 0.01 /* share of transfers whose stratum differs */

enum df_what {
	DF_LATENCY,
	DF_SIZES,
	DF_THROUGHPUT,
	DF_SLACK,
	DF_STALL,
	DF_STEPS,
	DF_WHATS
};

enum df_better { DF_SMALLER, DF_LARGER, DF_NEITHER };

struct df_kind {
	const char *name, *unit;
	double scale; /* printed = value * scale */
	enum df_better better;
	const char *of;      /* what the values are */
	const char *missing; /* "no network transfers" */
};
extern const struct df_kind df_kinds[DF_WHATS];

/* The quantiles, and then the mean. */
enum { DF_QUANTILES = 12, DF_ROWS };
extern const double df_p[DF_QUANTILES];
extern const char *const df_row_names[DF_ROWS]; /* "p50", "mean" */

enum df_verdict { DF_UNTOLD, DF_SAME, DF_BETTER, DF_WORSE, DF_MIX, DF_MIXED };
extern const char *const df_verdicts[]; /* NULL for DF_UNTOLD */

/* One quantile or mean; values as printed.  NaN: not known. */
struct df_row {
	double a, b, shift, ratio;
	double shift_ci[2], ratio_ci[2];
	double b_ci[2];    /* of b alone */
	double p, alpha;   /* NaN: not tested */
	double detectable; /* ratio that would have been seen */
	/* At equal sizes and pairs, where that was looked at. */
	double equal_a, equal_b, equal_ratio, equal_ci[2];
	bool rejected, by_ratio, equal;
	bool near;    /* see DF_NEAR */
	double apart; /* see DF_APART; above one half: B is larger */
	enum df_verdict verdict;
	struct na_boot_span span, shift_span, b_span;
	bool has_span, has_shift, has_b;
};

struct df_sample {
	struct na_boot_item *x; /* [n] ascending; values unscaled */
	double *weight;         /* by kind; NULL: 1 */
	size_t n, n_units;      /* units that hold anything */
	uint64_t count;         /* of values: sum of the weights */
	bool by_events;
};

struct df_metric {
	struct df_sample s[DF_RUNS];
	struct df_row rows[DF_ROWS];
	struct na_two_samples tests;
	enum df_verdict verdict;
	bool compared; /* both runs have values */
};
/* One of them has. */
static inline bool df_any(const struct df_metric *m)
{
	return m->s[DF_A].n || m->s[DF_B].n;
}

/* What the latencies of strata come to: why a change may be no change. */
enum df_strata { DF_NO_STRATA, DF_BY_PAIR, DF_BY_SIZE, DF_BY_LINE };
struct df_mix {
	enum df_strata by;
	double moved; /* share of the transfers, in other strata in B */
	uint64_t strata, skipped;   /* skipped: too few in one run */
	uint64_t left_out[DF_RUNS]; /* transfers in these */
	double demand; /* bytes per unit, B over A; NaN: not known */
};

/* A step, a launch of a program, or what belongs to none of them. */
struct df_unit {
	uint64_t n;
	na_i128 bytes;
	int64_t first_ps, last_ps; /* of its transfers */
	uint32_t run, at;          /* at: among the run's, in order of time */
	bool none;
};

/* A host that sends or receives, a path between hosts, a collective. */
enum df_part { DF_SENDS, DF_RECEIVES, DF_PATH, DF_COLLECTIVE, DF_PART_KINDS };
struct df_cell {    /* of a part, in one batch of units of a run */
	double sum; /* of log(latency / expected) */
	uint64_t n;
};
struct df_change {
	enum df_part kind;
	uint32_t a, b; /* hosts, or the collective */
	uint64_t n[DF_RUNS];
	double typical_us[DF_RUNS]; /* geometric means */
	double ratio, ratio_ci[2], p, q;
	bool changed;
};

struct df_params {
	struct na_text_list fail_if;
	int64_t top; /* rows of hosts, pairs, collectives */
};

/* Of transfers: what blocks gather, and the main state from all of them. */
struct df_gathered {
	struct na_boot_item *items; /* kind: stratum; unit: see df_units.c */
	size_t n_items, cap_items;
	struct na_triples paths;    /* sender's host, receiver's host */
	struct na_triples strata;   /* path, collective, size bin */
	struct na_triples launches; /* launch, run */
	struct df_unit *units;      /* steps of the store, then launches */
	size_t n_units, cap_units;
	na_i128 bins[DF_RUNS][DF_BINS]; /* bytes over the run's time */
	struct na_extent used[DF_RUNS];
};

struct df_block {
	const struct df_state *main;
	struct df_gathered got;
	struct na_census census;
	struct sl_block slack;
	struct st_block steps;
};

struct df_state {
	const struct na_scope *scope;
	const struct df_params *params;
	const char *labels[DF_RUNS];
	uint32_t *host_as; /* by host: the first one of that name */
	struct df_gathered got;
	struct na_census_stack counts;
	int64_t bins_from_ps[DF_RUNS], bin_ps; /* as wide in both runs */

	struct sl_state slack; /* ops, occurrences */
	struct st_state steps; /* their times alone */
	struct sl_params slack_params;

	/* From turn. */
	size_t run_units[DF_RUNS];
	struct df_metric metrics[DF_WHATS];
	struct df_mix mix;
	struct df_change *changes;
	size_t n_changes;
	uint64_t parts_tested, parts_few, parts_apart, parts_over;
	enum df_verdict verdict;
	bool any_met; /* of --fail-if */
};

/* ---- units.c */
/* The unit of a transfer that ends then: index of units, which grow. */
uint32_t df_unit_of(struct df_block *b, const struct na_transfer *t,
		    uint32_t run);
/* By the time of a run's steps; NA_UNKNOWN_U32: it has none. */
uint32_t df_step_at(const struct na_store *store, uint32_t run, int64_t at_ps);
/* Numbers the units of each run in order of time.  False: no memory. */
bool df_number_units(struct df_state *s);

/* ---- samples.c: false: no memory */
bool df_samples(struct df_state *s);

/* ---- compare.c */
/* Quantiles, resamples and spans of one metric; all rows then judged at
 * once. */
bool df_compare(const struct df_state *s, enum df_what what,
		const struct df_sample sample[DF_RUNS],
		struct df_row rows[DF_ROWS]);
bool df_judge(struct df_state *s);
/* Whether a ratio is a change at all. */
bool df_notable(size_t row, double ratio);

/* ---- mix.c: is a change of latencies one of sizes and pairs alone? */
bool df_judge_mix(struct df_state *s);
/* Lower end of a size bin, in bytes: four in each power of two. */
uint32_t df_size_bin(uint64_t bytes);
double df_bin_bytes(uint32_t bin);

/* ---- fail.c: --fail-if */
enum df_met { DF_MET, DF_NOT_MET, DF_UNDECIDED };
struct df_limit {
	const char *text; /* as typed */
	enum df_what what;
	size_t row;
	bool above;    /* '>' */
	bool relative; /* of the ratio; else of b, as printed */
	double value;  /* ratio, or a value in the metric's unit */
};
enum na_status df_limit_parse(const char *text, struct df_limit *l,
			      struct na_err *err);
enum na_status df_check(const void *params, struct na_err *err);
/* Decided by the interval; `why` in words. */
enum df_met df_limit_met(const struct df_state *s, const struct df_limit *l,
			 char *why, size_t size);

/* ---- result.c, views.c, words.c */
enum na_status df_finish(void *state, struct na_result *r, struct na_err *err);
void df_views(struct na_result *r, const struct df_state *s);
const char *df_host(const struct df_state *s, uint32_t host);
/* side.message */
/* "+12.5 %", "-3 %", and from 3 or below 0.05 a factor: "69.4x"; into a buffer
 * of NA_UNIT_BUF. */
const char *df_print_change(char *buf, double ratio, int digits);
void df_put_message(struct na_result *r, const struct df_state *s);

/* ---- parts.c: hosts, pairs, collectives */
bool df_parts(struct df_state *s);

#endif
