/* What the picture of slack shows, read from a result. */
#ifndef PLOT_FIGURES_SLACK_DATA_H
#define PLOT_FIGURES_SLACK_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "netan/result/result.h"
#include "plot/words.h"

enum { SLACK_PARTS = 4, SLACK_NAME = 160 };
/* Less is none: no rate that exists would do. */
#define SLACK_LEAST_S 1e-6
extern const char *const na_slack_parts[SLACK_PARTS]; /* "send-done" */

struct slack_point {
	char name[SLACK_NAME];        /* collective, key */
	size_t collective;            /* bytes of it */
	double slack_s, required_bps; /* of a host; NaN: not known */
	double stall_s, share;        /* total; of the step time, NaN */
	double part_s[SLACK_PARTS];   /* total */
	bool none;  /* less than SLACK_LEAST_S, and bytes to send */
	bool found; /* small slack, or above capacity */
};

struct slack_figure {
	const struct na_result *result;
	const struct na_value *doc, *body, *side;
	struct slack_point *points;  /* as the rows are told; to be freed */
	size_t n, n_none, n_unknown; /* of these: no place in the scatter */
	double capacity_bps;         /* NaN: not given */
	const char *empty;           /* NULL, or why there is nothing */
};

/* False: no memory. */
bool na_slack_read(struct slack_figure *f, const struct na_result *r);
void na_slack_title(const struct slack_figure *f, struct words *w);
void na_slack_subtitle(const struct slack_figure *f, struct words *w);
void na_slack_describe(const struct slack_figure *f, struct words *w);

#endif
