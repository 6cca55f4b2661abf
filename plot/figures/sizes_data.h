/* What sizes.c draws, read from a result. */
#ifndef PLOT_FIGURES_SIZES_DATA_H
#define PLOT_FIGURES_SIZES_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/result/result.h"
#include "plot/theme.h"
#include "plot/words.h"

/* A place on the axis that a bar stands for: one size, where sizes are few,
 * else all of a power of two: class 0 holds 0 bytes, class k holds
 * [2^(k-1), 2^k). */
enum { SIZE_SLOTS = 65 };

struct size_slot {
	int64_t first, last; /* bytes */
	double from, to;     /* on the axis */
};

enum amount { COUNT, BYTES, AMOUNTS };

struct size_series {
	char name[256];
	double of[AMOUNTS][SIZE_SLOTS];    /* all */
	double small[AMOUNTS][SIZE_SLOTS]; /* of them */
	double total[AMOUNTS];
	double half;    /* bytes; NaN: unknown, or several groups */
	size_t half_at; /* its slot */
};

struct size_figure {
	const struct na_result *result;
	const struct na_value *doc, *body, *total;
	struct size_series series[NA_TOP_SERIES + 1];
	size_t n_series;
	bool has_rest;   /* the last one is many */
	bool grouped;    /* the series have names */
	bool runs_apart; /* shares of each run, not amounts */
	double small_bytes;
	struct size_slot slots[SIZE_SLOTS]; /* ascending */
	size_t n_slots;
	bool single_sizes; /* each slot is one size */
	const char *empty; /* NULL: there is something to draw */
};

/* O(sizes of all groups). */
void na_sizes_read(struct size_figure *f, const struct na_result *r);

/* Place of a size on an axis on which every power of two is one wide. */
double na_sizes_place(double bytes);

void na_sizes_title(const struct size_figure *f, struct words *w);
void na_sizes_subtitle(const struct size_figure *f, struct words *w);

#endif
