/*
 * Who is slow: this host's transmit side, its receive side, the whole host,
 * one directed path, a rack's link, or nobody.  The method is that of
 * docs/methods.md, "Who is slow": a baseline for size, locality class and
 * context; clocks; per-pair summaries; a greedy explanation with significance,
 * once for each channel.  It knows nothing of traces, stores or files: a caller
 * hands over transfers sorted by pair and gets findings back.
 *
 * A "host" here is whatever the caller localises: a host or a device.
 */
#ifndef NETAN_METHODS_LOCALISE_LOCALISE_H
#define NETAN_METHODS_LOCALISE_LOCALISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

#define NA_LZ_NONE UINT32_MAX

/* One transfer as its receiver saw it.  24 bytes, since there are millions. */
struct na_lz_transfer {
	double latency_us; /* 0: clamped, the receiver's clock is behind */
	float size_bytes;
	float residual;  /* log latency over expectation; filled in */
	uint32_t tick;   /* its end; see na_lz_input.tick_us */
	uint32_t moment; /* index into moments */
};

/* What transfers of one collective in one step share. */
struct na_lz_moment {
	uint32_t collective; /* small number, or NA_LZ_NONE */
	uint32_t step;       /* ascending in time, or NA_LZ_NONE */
};

/* A directed path; its transfers are [first, first + n), in input order. */
struct na_lz_pair {
	uint32_t src, dst; /* hosts */
	uint32_t locality; /* class of healthy paths that are alike */
	uint32_t n;
	size_t first;
};

struct na_lz_input {
	size_t n_hosts, n_pairs, n_transfers, n_moments;
	const struct na_lz_pair *pairs;   /* by (src, dst), each once */
	struct na_lz_transfer *transfers; /* pair after pair; written to */
	const struct na_lz_moment *moments;
	/* By pair: what its sends took, in the median, on their sender's clock,
	 * to their acknowledgement; NaN: not known.  NULL: of none. */
	const double *sent_us;
	double tick_us;      /* unit of na_lz_transfer.tick */
	bool locality_given; /* else every pair's class is 0 */
};

/* The conditions and corrections that can be switched off one by one, so
 * that the bench can say what each earns: one row each of parts.def. */
enum na_lz_part {
#define NA_LZ_PART(name, text) NA_LZ_PART_##name,
#include "netan/methods/localise/parts.def"
#undef NA_LZ_PART
	NA_LZ_PARTS
};
extern const char *const na_lz_part_names[NA_LZ_PARTS]; /* for people */

struct na_lz_options {
	double alpha; /* 0: 0.01 */
	double q;     /* of the pair list; 0: 0.01 */
	uint64_t off; /* bit i: part i is switched off */
	/* Calls job(arg, 0) to job(arg, n - 1), in any order, perhaps side by
	 * side; NULL: one after the other.  The result never depends on it. */
	bool (*parallel)(void *ctx, size_t n, void (*job)(void *arg, size_t i),
			 void *arg);
	void *parallel_ctx;
	/* How far a's clock is ahead of b's, in us, at least and at most, as
	 * the stamps of both ends bound it; false: nothing is known.  Asked of
	 * those that look ahead only; NULL: nothing is known of any. */
	bool (*clock_bounds)(void *ctx, uint32_t a, uint32_t b,
			     double *least_us, double *most_us);
	void *clock_ctx;
};

enum na_lz_kind {
	NA_LZ_SRC,  /* transmit side of a host */
	NA_LZ_DST,  /* receive side */
	NA_LZ_HOST, /* both */
	NA_LZ_PAIR, /* one directed path */
	NA_LZ_RACK_UPLINK,
	NA_LZ_RACK_DOWNLINK,
	NA_LZ_RACK_PAIR,
	NA_LZ_KINDS
};

enum na_lz_channel {
	NA_LZ_ALL,    /* every transfer */
	NA_LZ_LARGE,  /* those of 256 KiB and more */
	NA_LZ_RATE,   /* episodes of transfers with a timeout */
	NA_LZ_WINDOW, /* now and then: some steps or seconds */
	NA_LZ_CHANNELS
};

/* Who: for SRC, DST, HOST the host a; for PAIR a -> b; for rack kinds the
 * racks a and (RACK_PAIR) b. */
struct na_lz_who {
	enum na_lz_kind kind;
	uint32_t a, b;
};

struct na_lz_window {          /* flagged, of an intermittent finding */
	uint32_t step;         /* NA_LZ_NONE: by time */
	double from_us, to_us; /* by time, in tick units since tick 0 */
	double effect;         /* log */
};

struct na_lz_finding {
	struct na_lz_who who;
	enum na_lz_channel channel;
	double effect;          /* log of the excess; rate: K/Lambda's log */
	double ci_low, ci_high; /* log, 95 % */
	double p_value;         /* raw, one-sided */
	size_t pairs;
	uint64_t transfers;
	/* Of so many of that side, of which some had too few alike to be
	 * compared with; 0: not told. */
	uint64_t of_transfers, alone;
	bool intermittent;
	struct na_lz_window *windows; /* owned */
	size_t n_windows;
	/* Rate channel. */
	uint64_t tails, episodes;
	bool loses_packets; /* its tails sit at timer modes */
	bool has_equals;    /* other hosts are as slow on that side */
	bool is_own;        /* and no link that they share makes it so */
	bool on_racks;      /* without the racks it would not be named */
	bool of_two;        /* hosts, alone: slower than the way back */
	/* Also possible: the data cannot tell ("What cannot be told apart").
	 * Owned. */
	struct na_lz_who *alternatives;
	size_t n_alternatives;
	const char *needs; /* what would decide; NULL: nothing; static text */
};

struct na_lz_clock {
	uint32_t host;
	double ahead_us, uncertainty_us; /* half width, 95 % */
};

struct na_lz_stall { /* a host that pauses: no NIC */
	uint32_t host;
	enum na_lz_kind side; /* SRC, DST or HOST: where it was seen */
	uint64_t episodes, transfers;
	double longest_ms;
};

/* A pattern without a culprit, with the pairs that show it. */
struct na_lz_undecided {
	const char *what;  /* static text */
	const char *needs; /* static text, or NULL */
	uint32_t *pairs;   /* owned; indices into the input's pairs */
	size_t n_pairs;
	/* Of one that comes and goes: the host whose side is the clearest, and
	 * in how many steps; 0: it is of all times. */
	uint32_t host;
	size_t n_steps;
};

struct na_lz_pair_result {
	double effect;  /* log excess, shrunk by nothing: median residual */
	double se;      /* of the effect; NaN: cannot tell */
	double q_value; /* BH over pairs: evidence only */
};

/* So much slower matters, and of so many sides it must have shown, before
 * that nobody is named says something. */
#define NA_LZ_MATTERS     2.0
#define NA_LZ_MATTERS_FEW 2.5 /* of few hosts */
#define NA_LZ_OF_SIDES    0.95

enum { NA_LZ_FEW_HOSTS = 6 };

/* Few hosts tell little of how hosts differ, and one of their sides is more
 * than what may be missing: an acquittal says more, of a slower NIC. */
static inline double na_lz_matters(size_t n_sides)
{
	return n_sides < 2 * NA_LZ_FEW_HOSTS ? NA_LZ_MATTERS_FEW
					     : NA_LZ_MATTERS;
}

/* Of two hosts alone so many transfers each way, before it is said by how much
 * one way is slower than the other. */
enum { NA_LZ_EACH_WAY = 100 };

/* The smallest factor by which a side had to be slower to be named. */
struct na_lz_power {
	uint32_t host;
	enum na_lz_kind side; /* SRC or DST */
	double factor;        /* NaN: by none that was tried */
	const char *why;      /* what stands against it; static text */
};

struct na_lz_result {
	struct na_lz_finding *findings;
	size_t n_findings;
	struct na_lz_clock *clocks;
	size_t n_clocks;
	struct na_lz_stall *stalls;
	size_t n_stalls;
	struct na_lz_undecided *undecided;
	size_t n_undecided;
	struct na_lz_pair_result *pairs; /* as the input's */
	struct na_lz_power *power;       /* owned; none: not known */
	size_t n_power;
	bool suspicious;   /* something stays unexplained: no acquittal */
	bool one_clock;    /* by times that one clock told each */
	uint32_t *rack_of; /* by host; NULL: no racks */
	size_t n_racks;
	bool too_few;                /* too few pairs to localise */
	double base_us, us_per_byte; /* pooled healthy line: a + b * bytes */
};

/*
 * NA_ENOMEM, or NA_OK with *out filled in; release it with
 * na_lz_result_fini(), also after a failure.  Deterministic: the same input
 * gives the same bits, whatever the order of transfers inside a pair.
 * O(transfers log transfers + pairs * iterations); scratch: 4 bytes a
 * transfer, 4 more where latencies hold waits, 64 for each of the busiest
 * port, 8 a transfer and 20 for each host side in a step while windows are
 * looked at, 32 for each tail,
 * and O(pairs), with a sample of at most 50 transfers for each pair (2^19 in
 * all, or one for each pair) that the baseline is fitted to.
 */
enum na_status na_localise(const struct na_lz_input *in,
			   const struct na_lz_options *opt,
			   struct na_lz_result *out,
			   struct na_err *err) NA_MUST_CHECK;
void na_lz_result_fini(struct na_lz_result *r);

/* One more pattern without a culprit, with room for n pairs and none in it
 * yet; NULL: no memory.  Valid until the next is added. */
struct na_lz_undecided *na_lz_undecided_add(struct na_lz_result *r,
					    const char *what, const char *needs,
					    size_t n);
void na_lz_undecided_clear(struct na_lz_result *r);

#endif
