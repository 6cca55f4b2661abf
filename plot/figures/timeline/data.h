/* What timeline.c draws, read from a result. */
#ifndef PLOT_FIGURES_TIMELINE_DATA_H
#define PLOT_FIGURES_TIMELINE_DATA_H

#include "netan/result/result.h"
#include "plot/theme.h"
#include "plot/words.h"

enum side { RX, TX };

struct timeline_series {
	char name[256];
	double bytes; /* both sides */
	double side_bytes[2];
	double *rate[2]; /* [bins] bit/s, owned; NULL: none */
};

struct timeline {
	const struct na_result *result;
	const struct na_value *doc, *body, *side;
	size_t n; /* bins */
	double bin_s, from_s, to_s;
	bool has_time; /* else from and to are made up */
	/* [n], borrowed; NULL where the result has none, or nothing but
	 * zeros: a side that was not recorded */
	const double *gbps[2], *outstanding[2], *pending, *pending_max;
	double peak_gbps[2], mean_gbps[2]; /* NaN: unknown */
	double capacity_gbps; /* of all hosts of a run; NaN: unknown */
	double host_capacity_gbps;
	bool part_limited; /* it is of a part of what the rates hold */
	int64_t hosts;     /* of the largest run; 0: unknown */
	const char *pending_of;
	bool packets;      /* of captures, and nothing else */
	const char *empty; /* NULL: there is something to draw */
	/* Several runs, which nothing may add up; then there is no series
	 * that is a rest. */
	bool runs_apart;
	/* The largest, then the rest; none without --by. */
	struct timeline_series series[NA_TOP_SERIES + 1];
	size_t n_series;
	bool has_rest;       /* the last one is many */
	double series_bytes; /* of all of them */
	size_t others;       /* runs apart that are not among the series */
	bool others_unknown; /* and how many */
};

enum na_status na_timeline_read(struct timeline *t, const struct na_result *r,
				struct na_err *err) NA_MUST_CHECK;
void na_timeline_fini(struct timeline *t);

/* The highest rate in the panel of a side, Gbit/s. */
double na_timeline_top(const struct timeline *t, enum side side);

/* Whether the capacity has a place on the axis that both sides share. */
bool na_timeline_draws_capacity(const struct timeline *t);
/* Whether a side has bins of which nothing is known. */
bool na_timeline_has_gaps(const struct timeline *t);
/* "capacity 8 x 100 Gbit/s" */
void na_timeline_capacity(const struct timeline *t, struct words *w);

/* "12.3 Gbit/s" for the rates of a result. */
const char *na_timeline_rate(char *buf, double gbps);
/* 0.342 -> "34 %", without claiming 0 % or 100 % of what is only near.
 * Both need NA_LABEL_BUF bytes. */
const char *na_timeline_share(char *buf, double share);

void na_timeline_title(const struct timeline *t, struct words *w);
void na_timeline_subtitle(const struct timeline *t, struct words *w);

#endif
