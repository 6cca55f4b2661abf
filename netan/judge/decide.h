/*
 * Competition of hypotheses: all evidence for each, its odds, and what is
 * left once some are taken out.
 */
#ifndef NETAN_JUDGE_DECIDE_H
#define NETAN_JUDGE_DECIDE_H

#include "netan/base/vec.h"
#include "netan/judge/constants.h"
#include "netan/judge/evidence/late.h"
#include "netan/judge/evidence/level.h"

enum {
	NA_J_TABLES = 2, /* all transfers, large ones: mechanisms 0 and 1 */
	NA_J_PAIR_ROWS = 2 * NA_J_PAIRS_LEVEL + NA_J_PAIRS_LATE
};

/* One hypothesis. */
struct na_j_row {
	struct na_place place;
	/* Less what their kind shows, tempered; what that takes off. */
	struct na_j_gain by[NA_MECHANISMS];
	double null[NA_MECHANISMS];
	double shift[NA_J_TABLES][NA_J_VIEWS]; /* of each view of the tables */
	bool there, both; /* both: a host, by both of its sides */
	double prior, odds; /* logs */
	enum na_mechanism mechanism; /* the strongest */
	double effect, low, high;
};

/* By place: SRC, DST and HOST by host, links, devices, then a few pairs. */
struct na_j_rows {
	struct na_j_row *v;
	size_t n, devices_from, pairs_from;
};

/* A hypothesis to take out. */
struct na_j_taken {
	struct na_place place;
	struct na_j_row row[2]; /* two: both sides of a host */
	size_t n;
	size_t pairs;
	uint64_t transfers, late;
};

struct na_j_decision {
	const struct na_j_session *s;
	struct na_j_grid grid;
	struct na_j_blocks blocks;
	struct na_j_level level[NA_J_TABLES][NA_J_VIEWS];
	/* Of connections, for devices, where those are of pairs. */
	struct na_j_level apart[NA_J_TABLES][NA_J_VIEWS];
	bool are_apart;
	size_t n_tables;
	struct na_j_late late;
	uint64_t possible[NA_JUDGE_CAUSES]; /* hypotheses of each kind */
	double odds[NA_JUDGE_CAUSES];       /* prior odds of each */
	NA_VEC(struct na_place) gone;       /* that are taken out */
	struct na_arena mem;
};

/* Each: false when memory is short. */
bool na_j_decision_init(struct na_j_decision *d, const struct na_j_session *s);
void na_j_decision_fini(struct na_j_decision *d);
/* The table that tells devices apart. */
const struct na_j_level *na_j_device_level(const struct na_j_decision *d,
					   size_t table, size_t view);
/* Nothing is taken out. */
void na_j_restore(struct na_j_decision *d);
bool na_j_take(struct na_j_decision *d, const struct na_j_taken *t);
/* What a row takes out, now that its gains are those of this state. */
void na_j_taken_of(const struct na_j_decision *d, const struct na_j_rows *rows,
		   const struct na_j_row *row, struct na_j_taken *out);

bool na_j_rows_init(struct na_j_rows *rows, const struct na_j_decision *d,
		    struct na_arena *mem);
double na_j_log_prior(const struct na_j_decision *d,
		      const struct na_place *p);
/* Does this mechanism's evidence enter the odds of such a place? */
bool na_j_may_show(const struct na_j_decision *d, const struct na_j_row *row,
		   enum na_mechanism by);
/* All evidence of the state there is. */
bool na_j_gains(struct na_j_decision *d, struct na_j_rows *rows);
/* NULL: it is not there. */
const struct na_j_row *na_j_find_row(const struct na_j_decision *d,
				     const struct na_j_rows *rows,
				     const struct na_place *place);
/* The best n, most odds first; how many there are. */
size_t na_j_best_rows(const struct na_j_rows *rows, struct na_rival *out,
		      size_t n);
bool na_j_is_of(const struct na_judge_input *in, const struct na_place *p,
		const struct na_j_unit *unit);
bool na_j_same_place(const struct na_place *a, const struct na_place *b);

#endif
