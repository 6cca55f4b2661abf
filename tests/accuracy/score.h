/*
 * What localisation says of a fleet beside what is true of it.
 *
 * A hit is the right kind and the right host(s).  Where the fleet's paths
 * make two culprits the same (they own the same paths, as tx h and h -> p
 * do when h sends to nobody else), the truth among the printed alternatives
 * is a hit, too.
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
};

enum { FL_WRONG = 4 }; /* so many are kept to be looked at */

struct fl_score { /* of one fleet under one set of options */
	const struct fl_case *plan;
	uint32_t n_hosts;
	bool waits;
	struct fl_fault_score faults[FL_TRUTHS];
	size_t n_faults;
	uint32_t findings, right; /* right: it is one of the faults */
	struct {
		struct na_lz_who who;
		enum na_lz_channel channel;
	} wrong[FL_WRONG];
	uint32_t on_hosts, on_paths, on_racks;
	uint32_t clocks, stalls, undecided;
	bool clock_right;      /* host, and within max(20 us, 30 %) */
	bool z_named, z_right; /* by fl_largest_z() */
	uint64_t print; /* of what was found: equal when nothing changed */
};

struct fl_mode {
	bool locality; /* given */
	uint64_t off;  /* as na_lz_options.off */
};

/* Runs na_localise() on a copy.  False, with a message on stderr, when it
 * fails.  (attempt.c) */
bool fl_score(const struct fl_fleet *f, struct fl_mode mode,
	      struct fl_score *out);

/*
 * What anybody would do first: the host side whose pair medians lie furthest
 * above the others', in robust standard deviations (MAD over the sides), if
 * that is more than 4.  Pair medians are those of log latency less the median
 * of its collective and size.  NA_LZ_PAIR: nobody.  False: memory.  (zscore.c)
 */
bool fl_largest_z(const struct fl_fleet *f, struct na_lz_who *out);

/* The part that needs no run.  (score.c) */
void fl_compare(const struct fl_fleet *f, const struct na_lz_result *r,
		struct fl_score *out);
void fl_compare_z(const struct fl_fleet *f, struct na_lz_who who,
		  struct fl_score *out);

#endif
