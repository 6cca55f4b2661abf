/*
 * Who is slow, from transfers with a start and an end: best from sends that
 * their own host has timed from start to acknowledgement (one clock, so no
 * clock error and no clamping, and no wait for a receiver that posted late);
 * else from receives, with less certainty.
 *
 * Waiting is kept apart from moving twice.  A transfer that shares its
 * source's or its destination's port with others is expected to take as long
 * as the bytes that went through the port during its life: the fluid model of
 * processor sharing (Kleinrock, Queueing Systems II, 1976).  And all is
 * compared within strata: the same collective, in a rack or across racks, and
 * step by step, since transfers of one step are one observation.
 *
 * The greedy order (the clearest side, then what is left) is matching pursuit
 * (Mallat and Zhang, 1993).  What is named is the slowest of its kind in
 * nearly every collective: a side of all hosts', a rack's links of all racks'.
 * docs/methods.md, "Who is slow, from sends", is for users.
 */
#ifndef NETAN_METHODS_WIRE_WIRE_H
#define NETAN_METHODS_WIRE_WIRE_H

#include "netan/methods/localise/localise.h"

/* One transfer.  Times in us, on one clock as well as the hosts' clocks allow.
 * A row is left out whose times are not finite, or that took less than
 * nothing; what took less than half a microsecond counts as that much. */
struct na_wire_row {
	double start_us, took_us;
	float size_bytes;    /* whole bytes */
	uint32_t connection; /* index */
	uint32_t cell;       /* index: which part of which collective */
	uint32_t step;       /* index, ascending in time */
};

/* From one device to another: what a fabric hashes to one path. */
struct na_wire_connection {
	uint32_t src, dst; /* hosts */
};

/* A transfer that is known to be, and not timed as the rows are: since others
 * are compared with those that send (get) as many in a step, it counts. */
struct na_wire_counted {
	uint32_t src, dst; /* hosts */
	uint32_t collective, step;
};

struct na_wire_input {
	size_t n_hosts, n_racks, n_blocks, n_connections, n_cells, n_rows;
	uint32_t n_steps, n_collectives;
	const struct na_wire_connection *connections;
	const uint32_t *collective_of; /* by cell */
	const uint32_t *rack_of;       /* by host; n_racks = 0: not known */
	const uint32_t *block_of;      /* by host; n_blocks = 0: not known */
	struct na_wire_row *rows;      /* in any order; thinned */
	const struct na_wire_counted *counted; /* beside the rows */
	size_t n_counted;
	/* Rows are receives: from the sender's stamp to the receiver's, on two
	 * clocks that were brought together, and with the wait for a receiver
	 * that came late. */
	bool two_clocks;
};

enum {
	NA_WIRE_MIN_HOSTS = 6,
	NA_WIRE_FEW_HOSTS = 4, /* with less certainty */
	NA_WIRE_MIN_STEPS = 5,
	NA_WIRE_MOST_ROWS = 1 << 18 /* of more, whole steps are left out, as
				      long as five stay */
};

/* What slow connections that nothing found explains have in common. */
struct na_wire_doubt {
	struct na_lz_who who; /* SRC, DST: a side of a; PAIR: from a to b */
	double effect;        /* log: the median of its connections */
	size_t slow, all;     /* its pairs of hosts, of those that it has */
	const char *against;  /* why it is not named; static text */
};

/* A side that is slow in some steps, and not so that it is named. */
enum { NA_WIRE_SUSPECTS = 3, NA_WIRE_SHOWN = 4 };
struct na_wire_suspect {
	struct na_lz_who who; /* SRC, DST */
	double effect, score; /* effect: log, in the median of its steps */
	size_t n_steps;
	uint32_t one_in; /* of so many steps one was looked at: n_steps of it */
	uint32_t steps[NA_WIRE_SHOWN]; /* the first of these */
};

/* What one host sent to another beside what others did in the same collectives:
 * log of how much longer it took, the median of its connections there, or on a
 * rack's link of those that are slow; NaN: too few alike. */
struct na_wire_alike {
	uint32_t src, dst; /* hosts */
	double effect;
	double least; /* by the clock and by what its ports' crowds leave of it:
			 whichever is less */
};

enum { NA_WIRE_DOUBTS = 2, NA_WIRE_GROUP = 16 };

/* More hosts, on one side: nearly all of them begin (end) there. */
struct na_wire_group {
	enum na_lz_kind kind; /* SRC, DST */
	uint32_t hosts[NA_WIRE_GROUP];
	size_t n;         /* hosts; 0: there is no such group */
	size_t slow, all; /* pairs with hosts that are not of it */
	double effect;    /* log: the median of these */
	bool apart;       /* among themselves they are not slow */
};

enum { NA_WIRE_WAYS = 64 };

/* Ways from some hosts to others that are slow together, though no side of one
 * of them is. */
struct na_wire_ways {
	uint32_t hosts[2][NA_WIRE_WAYS]; /* from, to */
	size_t n[2];                     /* of these; 0: there are none */
	size_t pairs;
	double effect; /* log: the median of the pairs, beyond their sides */
	bool halves;   /* all hosts; `effect` is over the ways back */
};

struct na_wire_result {
	struct na_lz_finding *findings; /* the clearest first; owned */
	size_t n_findings;
	struct na_lz_power *power; /* [2 * n_hosts], owned: both sides */
	size_t n_power;
	double strongest; /* score of the clearest side that was not named,
			     as a share of what naming takes */
	/* What nothing found explains: hosts whose connections are slow, each
	 * pair once, by its ends, owned; sides that are slow in some steps;
	 * transfers that waited for a timer. */
	struct na_wire_connection *slow;
	size_t n_slow, suspects, timeouts;
	/* Where a side, a link or a path is named for all times: by src and
	 * dst, owned, what it was named by. */
	struct na_wire_alike *alike;
	size_t n_alike;
	/* Of each transfer that waited for a timer, where a side is named by
	 * them, its hosts; owned. */
	struct na_wire_connection *late;
	size_t n_late;
	/* Of these sides the clearest, as many as there are. */
	struct na_wire_suspect clearest[NA_WIRE_SUSPECTS];
	/* Which sides nearly all of these begin or end at, the path that they
	 * are; none: they share no host. */
	struct na_wire_doubt doubts[NA_WIRE_DOUBTS];
	size_t n_doubts;
	struct na_wire_group group; /* without doubts; else there is none */
	struct na_wire_ways ways; /* nobody is named */
	double across;   /* log: how much longer what crosses racks takes than
			    what stays in one, of the same collective and size;
			    NaN: nothing to compare, or somebody is named */
	/* Nobody is named, and all that leaves a block of racks, or gets there,
	 * or of two goes from a to b, is slow: kinds of racks, and a host in
	 * each.  NA_LZ_KINDS: nothing is. */
	struct na_lz_who block;
	double block_effect; /* log */
	double unseen;   /* share of the transfers whose connections have too
			    few others beside them to be compared */
	double fleeting; /* of those that come in too few steps; in so many: */
	uint32_t steps;  /* the most of any such */
	bool two_clocks; /* as the input said */
};

/*
 * False in *able: too few hosts or steps for these tests, or no row that can
 * be used, and nothing else is filled in.  NA_ENOMEM, or NA_OK;
 * na_wire_result_fini() in any case.  Deterministic.  O(n log n) of at most
 * NA_WIRE_MOST_ROWS rows; scratch: 60 bytes each.
 */
enum na_status na_wire(const struct na_wire_input *in, bool *able,
		       struct na_wire_result *out,
		       struct na_err *err) NA_MUST_CHECK;
void na_wire_result_fini(struct na_wire_result *r);

#endif
