/* What fig_sizes.c draws, read from a result. */
#ifndef NETAN_PLOT_FIG_SIZES_DATA_H
#define NETAN_PLOT_FIG_SIZES_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/result/result.h"
#include "plot/theme.h"
#include "plot/words.h"

/* Class 0 holds 0 bytes, class k holds [2^(k-1), 2^k). */
enum { SIZE_CLASSES = 65 };

enum amount { COUNT, BYTES, AMOUNTS };

struct size_series {
	char name[256];
	double of[AMOUNTS][SIZE_CLASSES];    /* all */
	double small[AMOUNTS][SIZE_CLASSES]; /* of them */
	double total[AMOUNTS];
	double half; /* bytes; NaN: unknown, or several groups */
};

struct size_figure {
	const struct na_value *doc, *body, *side, *total;
	struct size_series series[NA_TOP_SERIES + 1];
	size_t n_series;
	bool has_rest;   /* the last one is many */
	bool grouped;    /* the series have names */
	bool runs_apart; /* shares of each run, not amounts */
	double small_bytes;
	/* Sizes of the only series, where they are few; else NULL. */
	const int64_t *distinct; /* [n][2] bytes, count */
	size_t n_distinct;
	unsigned from, to; /* classes with anything in them: [from, to) */
	const char *empty; /* NULL: there is something to draw */
};

/* O(sizes). */
void na_sizes_read(struct size_figure *f, const struct na_result *r);

/* Place of a size on an axis on which every class is one wide. */
double na_sizes_place(double bytes);

void na_sizes_title(const struct size_figure *f, struct words *w);
void na_sizes_subtitle(const struct size_figure *f, struct words *w);

#endif
