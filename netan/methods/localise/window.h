/*
 * What cutting the cells and judging them share: see window.c.  Not
 * for other files.
 */
#ifndef NETAN_METHODS_LOCALISE_WINDOW_H
#define NETAN_METHODS_LOCALISE_WINDOW_H

#include "netan/methods/localise/state.h"

enum { LZ_WINDOW_SIDES = 3 }; /* more at once: the schedule moved */

/* Flags of a window. */
struct lz_flags {
	size_t cells, flags;
};

/* A host side in a window. */
struct lz_cell {
	uint32_t side, window, n; /* side: host, or hosts + host */
	uint32_t own;             /* of lz_windows.own */
	float median, low;        /* low: 25 % quantile */
};

/* Of all windows of a side that has cells: medians. */
struct lz_own {
	double median, low;
};

struct lz_chosen {
	uint32_t side;
	bool *in; /* by window */
};

struct lz_windows {
	struct lz_memory memory;
	struct lz *z;
	size_t n; /* windows */
	bool by_step;
	double width_us;     /* by time */
	uint32_t *steps;     /* by window: the step it is */
	uint32_t *window_of; /* by moment */
	bool *skip;          /* by window: holds a tail */
	float *shift;        /* by moment */
	size_t *first;       /* by window */
	float *x;            /* by record */
	float *tmp;          /* of the largest group */
	size_t cap_tmp;
	uint32_t *host;         /* by record */
	struct lz_flags *tally; /* by window */
	NA_VEC(struct lz_cell) cells;
	double *z_of; /* by cell */
	NA_VEC(struct lz_own) own;
	double scale;
	struct lz_chosen chosen[LZ_WINDOW_SIDES + 1];
	size_t n_chosen;
};

/* Windows are steps where there are any, else of time.  False: memory. */
bool na_lz_windows_steps(struct lz_windows *k);
void na_lz_windows_seconds(struct lz_windows *k);
void na_lz_windows_skip_tails(struct lz_windows *k);
/* What a collective does in a step to everybody, into k->shift. */
enum na_status na_lz_windows_moments(struct lz_windows *k,
				     struct na_err *err) NA_MUST_CHECK;
/* Cells by side and window, with z, but for what is chosen. */
enum na_status na_lz_windows_measure(struct lz_windows *k,
				     struct na_err *err) NA_MUST_CHECK;
/* Behind the last cell of the side of this one. */
size_t na_lz_windows_side_end(const struct lz_windows *k, size_t from);
double na_lz_windows_se(const struct lz_windows *k, const struct lz_cell *c);

#endif
