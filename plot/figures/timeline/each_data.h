/*
 * Hosts (devices, pairs) beside each other: which of them get a panel of
 * their own, in which order, and what the median one does.
 */
#ifndef PLOT_FIGURES_TIMELINE_EACH_DATA_H
#define PLOT_FIGURES_TIMELINE_EACH_DATA_H

#include "plot/figures/timeline/data.h"

enum { EACH_PANELS = 12 };

/* How one differs from the median one. */
enum each_way { EACH_BYTES, EACH_TIME, EACH_WAYS };

struct each_row {
	const struct na_value *series;
	char name[96];
	double saturated_s[2];
	/* Over the median: by side; 1: as it. */
	double times[EACH_WAYS][2];
	double of[EACH_WAYS][2]; /* by side; 0: nothing */
	double ratio;            /* over the median, where it differs most */
	enum each_way way;
	enum side side;
};

struct each {
	const struct timeline *t;
	const char *one;       /* "host", "device", ... */
	bool by_host;          /* one may be "address" */
	struct each_row *rows; /* the first `shown` have a panel */
	size_t n, shown;
	bool more;         /* others, which --top added up */
	double *median[2]; /* [bins] Gbit/s, of all */
	double *rest[2];   /* of those without a panel; NULL: none are */
	double top_gbps;   /* of what is drawn */
	bool has[2];       /* any bytes of a side */
};

/* Is the result by something that may hide a culprit? */
bool na_timeline_by_each(const struct timeline *t);
/* To be freed also after a failure. */
enum na_status na_timeline_read_each(struct each *e, const struct timeline *t,
				     struct na_err *err) NA_MUST_CHECK;
void na_timeline_free_each(struct each *e);

const double *na_timeline_each_rate(const struct each *e,
				    const struct each_row *row, enum side side);
/* May carry the colour of a finding: at capacity, longer than others, or much
 * different. */
bool na_timeline_each_suspect(const struct each_row *row);
/* "sends for 3.9x as long as the median host", where it is worth a word. */
void na_timeline_each_words(const struct each *e, const struct each_row *row,
			    struct words *w);
/* "; host-3 sends for 3.9x the median's time" of who differs most, where one
 * differs much. */
enum na_status na_timeline_each_worst(const struct timeline *t, struct words *w,
				      struct na_err *err) NA_MUST_CHECK;

#endif
