/* What was found in each session, and the tables of it. */
#ifndef ACCURACY_SYNC_SCORE_H
#define ACCURACY_SYNC_SCORE_H

#include "tests/accuracy/reliability.h"
#include "tests/accuracy/sync/oracle.h"

enum { SY_WORDS = 160 };

enum sy_judge { /* who says it */
		SY_PAIRS,
		SY_CHECK,
		SY_ZSCORE,
		SY_PAIRS_BARE, /* without the topology */
		SY_CHECK_BARE,
		SY_ORACLE,
		SY_JUDGES
};

struct sy_found { /* of a planted fault of the network */
	enum sy_kind kind;
	char words[SY_WORDS];    /* where it sits */
	bool visible, both_ends; /* new style: both ends are in the trace */
	double median;
	enum sy_grade by[SY_JUDGES];
	double cost_ms, said_ms; /* of a step: true; as check says, or NAN */
	double upper; /* bound of its side by pairs; NAN: none */
	/* What an oracle finds that explains the same, this too. */
	char tied[SY_WORDS];
};

struct sy_said { /* by one judge about one session */
	bool asked, failed;
	uint32_t right, near, wrong; /* names */
	enum sy_outcome outcome;
	struct {
		double posterior;
		bool strict; /* the truth itself, not an alternative */
		enum na_judge_cause cause;
	} names[SY_NAMED];
	bool late_named;      /* the late host, with its cause */
	uint32_t late_wrong;  /* other hosts called late */
	char words[SY_WORDS]; /* its names, as far as there is room */
};

struct sy_score {
	enum sy_kind kind;
	uint64_t seed;
	bool done, failed, visible;
	bool old_style, latency_waits, local_end;
	double clock_us, late_cost_ms, step_ms;
	uint64_t transfers;
	uint64_t sound, sound_covered; /* bounds of sides without a fault */
	uint32_t n_faults;
	struct sy_found faults[SY_FAULTS];
	struct sy_said said[SY_JUDGES];
};

void sy_score_begin(struct sy_score *s, const struct sy_plan *p,
		    const struct sy_truth *t);
void sy_score_answer(struct sy_score *s, const struct sy_plan *p,
		     enum sy_judge judge, const struct sy_answer *a);
void sy_score_oracle(struct sy_score *s, const struct sy_plan *p,
		     const struct sy_oracle *o);

void sy_print_tables(const struct sy_score *s, size_t n);
/* How many bars are missed; prints each. */
int sy_print_bars(const struct sy_score *s, size_t n);
/* Adds what pairs says with the topology, and of sessions without a fault or a
 * late host what check says. */
void sy_reliability_of(const struct sy_score *s, size_t n,
		       struct fl_reliability *out);
/* Which share of the faults an oracle could name; `list`: and of each that
 * check misses, whether it could. */
void sy_print_reach(const struct sy_score *s, size_t n, bool list);
void sy_print_misses(const struct sy_score *s, size_t n);

#endif
