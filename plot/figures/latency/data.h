/* What latency.c draws, read from a result. */
#ifndef PLOT_FIGURES_LATENCY_DATA_H
#define PLOT_FIGURES_LATENCY_DATA_H

#include "plot/scale.h"
#include "plot/theme.h"
#include "plot/words.h"

/* The columns of the table, in order. */
enum latency_mark {
	MARK_MIN,
	MARK_P50,
	MARK_P90,
	MARK_P95,
	MARK_P99,
	MARK_P99_9,
	MARK_P99_99,
	MARK_MAX,
	MARKS
};
extern const char *const na_latency_marks[MARKS]; /* "p99.9" */

struct latency_group {
	char name[256];
	const struct na_value *row;
	int64_t count;
	double us[MARKS]; /* NaN: unknown */
	bool few[MARKS];  /* more than the transfers support */
	/* [n] of the curve, latency falling; borrowed */
	const double *curve_us, *share, *lower_us, *upper_us;
	size_t n;
};

struct latency {
	const struct na_result *result;
	const struct na_value *doc, *body, *side;
	const char *empty; /* NULL: there is something to draw */
	/* In the result's order: the first ones, then the sum of what is not
	 * shown there. */
	struct latency_group top[NA_TOP_SERIES + 1];
	size_t n_top;
	bool has_rest;
	const struct na_value *others; /* further rows, drawn alike */
	size_t n_others;
	double from_us, to_us, least_share; /* over all curves */
};

void na_latency_read(struct latency *t, const struct na_result *r);
/* How many of the others are drawn. */
size_t na_latency_grey(const struct latency *t);
/* One row's curve; used for the others. */
void na_latency_group(struct latency_group *g, const struct na_value *row);
void na_latency_title(const struct latency *t, struct words *w);
void na_latency_subtitle(const struct latency *t, struct words *w);

/* "4.18 ms", "-". */
const char *na_latency_text(char *buf, double us);

#endif
