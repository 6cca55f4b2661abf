/* What the picture of diff shows, read from the result. */
#ifndef PLOT_FIGURES_DIFF_DATA_H
#define PLOT_FIGURES_DIFF_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "netan/result/result.h"
#include "plot/words.h"

enum { DIFF_POINTS = 16, DIFF_METRICS = 6 };

enum diff_word { DIFF_UNTOLD, DIFF_SAME, DIFF_WORSE, DIFF_BETTER, DIFF_MIX };

struct diff_point {
	const char *row; /* "p99_9"; points into the result's own name */
	double a, b;
	double ratio, lo, hi; /* NaN: not told */
	double equal;         /* at equal sizes and pairs */
	enum diff_word word;
	bool mean;
};

struct diff_series {
	char name[24];
	const char *unit, *verdict;
	struct diff_point points[DIFF_POINTS];
	size_t n;
	double least, most; /* logs that the axis must hold; < 0, > 0 */
	bool ratios;        /* any */
	bool equal;
};

struct diff_figure {
	const struct na_result *result;
	const struct na_value *body;
	struct diff_series series[DIFF_METRICS];
	size_t n;
	const char *label_a, *label_b;
	const char *empty; /* NULL: there is something to draw */
};

void na_diff_read(struct diff_figure *f, const struct na_result *r);
void na_diff_title(const struct diff_figure *f, struct words *w);
void na_diff_subtitle(const struct diff_figure *f, struct words *w);
/* "p99.9" */
const char *na_diff_row_name(char buf[16], const struct diff_point *p);
/* "latency, us: worse; p50 261 to 286" */
void na_diff_header(const struct diff_series *s, struct words *w);

#endif
