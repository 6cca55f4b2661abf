/* What bursts.c draws, read from a result. */
#ifndef PLOT_FIGURES_BURSTS_DATA_H
#define PLOT_FIGURES_BURSTS_DATA_H

#include "netan/result/result.h"
#include "plot/theme.h"
#include "plot/words.h"

struct bursts_group {
	char name[128];
	const double *mean; /* [n] */
	double time_mean;   /* NaN: unknown */
};

struct bursts {
	const struct na_result *result;
	const struct na_value *doc, *body, *side;
	size_t n; /* bins */
	double bin_s, from_s, to_s;
	/* [n], borrowed; NULL: not told */
	const double *mean, *least, *most;
	double top; /* largest count */
	const char *pending_of;
	const char *empty; /* NULL: there is something to draw */
	bool runs_apart;   /* then only the groups mean anything */
	struct bursts_group groups[NA_TOP_SERIES];
	size_t n_groups, more_groups; /* shown, and not */
	bool has_rest;                /* one of those is a sum of many */
	double groups_top;
};

void na_bursts_read(struct bursts *b, const struct na_result *r);

/* A number of the body, by its path; NaN: none. */
double na_bursts_real(const struct bursts *b, const char *path);

void na_bursts_title(const struct bursts *b, struct words *w);
void na_bursts_subtitle(const struct bursts *b, struct words *w);

#endif
