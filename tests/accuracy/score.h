/*
 * What the judge says of a fleet beside what is true of it.
 *
 * A hit is the right kind and the right host(s), or the truth among the
 * alternatives that are printed.  A hit is strict without alternatives, or
 * where the fleet's pairs make both the same (they own the same pairs, as
 * src h and h -> p do when h sends to nobody else): only this counts for the
 * posterior.
 */
#ifndef ACCURACY_SCORE_H
#define ACCURACY_SCORE_H

#include "tests/accuracy/fleet.h"

struct fl_fault_score {
	struct fl_truth truth;
	bool hit;
	bool touched; /* some finding names one of its hosts */
	bool z_hit;   /* the largest z of pair medians is its side */
	bool hosted;  /* some finding blames a host of its rack: rack kinds */
	double upper; /* smallest printed bound of its sides; NaN: none */
};

enum { FL_SAID = 8 }; /* findings that are kept */

struct fl_said {
	struct na_place who;
	enum na_mechanism mechanism;
	double posterior;
	bool right, strict;
};

struct fl_score { /* of one fleet in one mode */
	const struct fl_case *plan;
	uint32_t n_hosts;
	bool waits;
	struct fl_fault_score faults[FL_TRUTHS];
	size_t n_faults;
	uint32_t findings, right; /* right: it is one of the faults */
	struct fl_said said[FL_SAID];
	uint32_t on_hosts, on_pairs, on_racks;
	enum na_judge_outcome outcome;
	uint64_t sound, sound_covered; /* bounds of sides without a fault */
	bool z_named, z_right; /* by fl_largest_z() */
};

struct fl_mode {
	bool locality;  /* given */
	bool one_clock; /* durations of sends, not latencies of receives */
};

/* Asks na_judge().  False, with a message on stderr, when it fails.
 * (attempt.c) */
bool fl_score(const struct fl_fleet *f, struct fl_mode mode,
	      struct fl_score *out);

/*
 * What anybody would do first: the host side whose pair medians lie furthest
 * above the others', in robust standard deviations (MAD over the sides), if
 * that is more than 4.  Pair medians are those of log latency less the median
 * of its collective and size.  NA_JUDGE_PAIR: nobody.  False: memory.
 * (zscore.c)
 */
bool fl_largest_z(const struct fl_fleet *f, struct na_place *out);

/* The part that needs no run.  (score.c) */
void fl_compare(const struct fl_fleet *f, const struct na_judge_result *r,
		struct fl_score *out);
void fl_compare_z(const struct fl_fleet *f, struct na_place who,
		  struct fl_score *out);

#endif
