/*
 * Looking at results: what several checks and the verdict share.
 */
#ifndef NETAN_CHECKS_LOOK_H
#define NETAN_CHECKS_LOOK_H

#include "netan/checks/check.h"

/* The text along a path, and whether a list holds it. */
bool na_says(const struct na_value *in, const char *path, const char *text);
bool na_lists(const struct na_value *list, const char *text);
/* "a, b and 3 more", of the first `most` texts of a list; "" without any. */
const char *na_case_names(struct na_case *c, const struct na_value *list,
			  size_t most);
/* "transmit side of host-3", "path host-1 -> host-2": of a row with a kind. */
const char *na_case_who(struct na_case *c, const struct na_value *x);
/* Of a list power[]; 0 without any.  How many sides have none. */
double na_largest_bound(const struct na_value *power, size_t *unknown);
/* A culprit of `pairs` touches a host: it is one of its ends. */
bool na_touches(const struct na_value *culprit, const char *host);
/* Of any culprit. */
bool na_is_culprit(const struct na_case *c, const char *host);
/* The first culprit of `pairs`; NULL: nobody is named, or nobody asks. */
const struct na_value *na_first_culprit(const struct na_case *c);
/*
 * What a culprit of `pairs` costs: of a step as `pairs` says, with the mean
 * where it is slow now and then and the median hides that.  Where that is not
 * known, of all stall the share that the slowest executions would be spared if
 * its transfers took what is expected of them.
 * One that is slow now and then is behind the slowest executions, and behind
 * few of the others: that says nothing of all.  Timeouts make everything late
 * that depends on them, so that paths lead to others: they cost what they
 * waited, and no more than all stall.  Puts path_share, lost_s and
 * cost_ms_per_step; nothing where none is known.
 */
void na_culprit_cost(struct na_case *c, struct na_finding *f,
		     const struct na_value *culprit);
/* A straggler of `steps` is slow by itself: computing, or waiting for its
 * input.  Others may only wait for the network. */
bool na_slow_itself(const struct na_value *straggler);
/* The first such one: who comes late makes transfers to it wait.  NULL: none. */
const struct na_value *na_first_slow_itself(const struct na_case *c);
/* What devices wait for collectives, of the step time; NaN: unknown.  Below
 * NA_HIDDEN nobody asks why. */
#define NA_HIDDEN 0.01
double na_waiting_share(const struct na_case *c);
/* The same as `steps` tells it, of each step in the mean; NaN: unknown. */
double na_exposed_ms(const struct na_case *c);
/* What ranks wait for later ones, of the step time; NaN: unknown. */
double na_later_share(const struct na_case *c);
/* Whether any op of a device communicates. */
bool na_communicates(const struct na_case *c);
/* Of the transfers received, those that take no time or less; NaN.  Above the
 * limit, clocks differ, and latencies tell about them.  Of a window, or of
 * steps, those in it that pairs looks at: a slice has no others. */
double na_skewed(const struct na_case *c);
double na_skewed_share(const struct na_case *c);
bool na_clocks_differ(const struct na_case *c);
/* "the clock of host-1 is 3 ms ahead (give or take 2 us)", of the first three
 * in a list with members host, ahead_us and uncertainty_us. */
const char *na_clocks_text(struct na_case *c, const struct na_value *list);
/* One host's trace alone, of a job on several: who is slow is not known, and
 * what the others saw is not here. */
bool na_one_host(const struct na_case *c);
/* Files of several hosts, and not of all: what it takes to say that none of
 * them has something; NULL: all are here. */
const char *na_files_missing(struct na_case *c);
/* Whether --topology was given, and tells the hosts apart. */
enum na_locality { NA_NO_TOPOLOGY, NA_PLACED, NA_UNPLACED };
enum na_locality na_locality(const struct na_case *c);
/* Every input is of ranks of a GPU job. */
bool na_of_ranks(const struct na_case *c);
/* The sentence of `pairs`, without what says that it cannot tell. */
const char *na_pairs_sentence(const struct na_case *c);
/* `pairs` saw too few of them to compare hosts; it has compared those of several
 * hosts, and named nobody; it rules the network out. */
bool na_few_pairs(const struct na_case *c);
bool na_pairs_name_nobody(const struct na_case *c);
bool na_pairs_acquit(const struct na_case *c);
/* Of a GPU job: from so many steps on a late rank can be named; 0: not said. */
int64_t na_steps_needed(const struct na_case *c);
/* "widen the window: --from 0.19s --to 0.97s holds more whole steps", where it
 * is the window that leaves too few; "".  Of a slice that does not hold them it
 * says so. */
const char *na_wider(struct na_case *c);
/* All steps together, in milliseconds. */
double na_steps_ms(const struct na_case *c);
/* The median step, in milliseconds; NaN: no steps. */
double na_step_ms(const struct na_case *c);
/* What devices spend in send to recv-done, each of them in the mean, in
 * seconds: in all, and of what all together do; NaN. */
double na_stall_s(const struct na_case *c);
double na_per_device_s(const struct na_case *c, double stall_us);

/* Somebody is named in e for whom others wait: why f, stalls or late
 * transfers, may be. */
bool na_may_explain(const struct na_finding *e, const struct na_finding *f);

/* One side of one host at capacity: all its regions, which do not overlap. */
struct na_full {
	const struct na_value *region; /* the first */
	double seconds, gbps_seconds, from_s, to_s;
	double share; /* of the time */
};
/* The next one, from all zero on; false: no more. */
bool na_next_full(const struct na_case *c, struct na_full *x);
/* One side of a host at capacity for more of the time than bandwidth-bound lets
 * pass. */
bool na_link_is_full(const struct na_case *c);

/* Of the collectives that `counts` (NULL: all), which stalls longest, how many
 * they are and what they stall together. */
struct na_stalled {
	const struct na_value *worst; /* NULL: none */
	size_t n;
	double stall_us;
};
struct na_stalled
na_stalled_of(const struct na_case *c,
	      bool (*counts)(const struct na_case *c,
			     const struct na_value *collective));

#endif
