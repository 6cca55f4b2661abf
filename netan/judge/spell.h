/*
 * Spells: a side is slow in a share of the steps.
 *
 * A side's step is the weighted median over its pairs of what the step's
 * transfers take beyond the pair's own median (what lasts is no spell), less
 * the side's and the step's medians.
 */
#ifndef NETAN_JUDGE_SPELL_H
#define NETAN_JUDGE_SPELL_H

#include "netan/judge/level.h"

/* One side in one view. */
struct na_j_side_steps {
	double *x;     /* by entry, over the host's scale; NaN: too few */
	double *scale; /* by host entry */
	double nu;
};

struct na_j_spell {
	const struct na_j_grid *grid;
	const struct na_j_session *s;
	size_t n; /* pairs' steps */
	struct na_j_cell {
		uint32_t pair, step, transfers;
	} *cells;
	double *value[NA_J_VIEWS]; /* by cell */
	struct na_groups entries[2]; /* cells by host and step, by side */
	struct na_groups hosts[2];   /* entries by host */
	struct na_groups steps[2];   /* entries by step */
	struct na_j_side_steps side[2][NA_J_VIEWS];
	struct na_arena mem;
};

bool na_j_spell_init(struct na_j_spell *v, const struct na_j_session *s,
		     const struct na_j_grid *grid, bool large);
void na_j_spell_fini(struct na_j_spell *v);
/* Without pairs for which pair_out is true; NULL: with all. */
bool na_j_spell_set(struct na_j_spell *v, const bool *pair_out);
/* Of sides, [2 n_hosts]. */
bool na_j_spell_gains(const struct na_j_spell *v, struct na_j_gain *out);
/* Steps whose membership exceeds 1/2, as the caller names them. */
bool na_j_spell_steps(const struct na_j_spell *v, int side, uint32_t host,
		      const struct na_j_gain *gain, uint32_t **out, size_t *n);

#endif
