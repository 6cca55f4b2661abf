/*
 * Everything about the intervals that are in flight, in one sweep over exact
 * time: how long each level held, when starts came, the bursts, and the
 * course over bins (docs/methods.md, "Pending and bursts").
 */
#ifndef NETAN_STATS_TIME_INFLIGHT_H
#define NETAN_STATS_TIME_INFLIGHT_H

#include "netan/stats/samples/hold.h"
#include "netan/stats/time/arrivals.h"
#include "netan/stats/time/bursts.h"
#include "netan/stats/time/pending.h"

struct na_inflight {
	int64_t first_ps, last_ps; /* first start, last end */
	struct na_hold hold;
	struct na_arrivals arrivals;
	struct na_bursts bursts;
	/* So many of those that start at first_ps began before: they are in
	 * flight then, but did not arrive. */
	int64_t cut;
	/* Of the level in each bin: time-weighted mean, least, most; borrowed
	 * [bins->n], zeroed.  bins may be NULL; mean may be NULL, then they
	 * only cut the time. */
	const struct na_bins *bins;
	double *mean, *least, *most;
};

/* First start and last end; false where there is no interval.  O(runs). */
bool na_runs_span(const struct na_run *runs, size_t n_runs, int64_t *first_ps,
		  int64_t *last_ps);

/* For intervals over [first_ps, last_ps]; bursts.gap_ps, .keep and
 * .distances and the bins are the caller's to set. */
void na_inflight_init(struct na_inflight *f, int64_t first_ps, int64_t last_ps);

/*
 * The part of the time in bins [from, to) of f->bins; without bins all of
 * it.  Bins cover everything.  False when memory is short.  Linear, times the
 * log of the runs that overlap.
 */
bool na_inflight_sweep(struct na_inflight *f, const struct na_run *runs,
		       size_t n_runs, size_t from, size_t to);

/* What follows in time; the bins are shared and stay as they are. */
bool na_inflight_join(struct na_inflight *f, const struct na_inflight *next);
void na_inflight_fini(struct na_inflight *f);

#endif
