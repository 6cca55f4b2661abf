/*
 * Who is slow: one model for transfers between hosts, with odds.
 *
 * log time of a transfer = usual(collective, part, size octave, distance)
 *	+ kappa * log(port load) + sender + receiver + connection
 *	+ the same three by collective + noise
 *
 * Healthy senders, receivers, connections and links differ; by how much, and
 * with how heavy tails, is estimated from the session (empirical null: Efron,
 * JASA 99, 2004).  A hypothesis shifts a block of units: a side of a host, that
 * of one of its devices, a host, a pair, a link of a rack, a way between two
 * racks.  Three mechanisms:
 * level (all transfers), large (transfers whose wire time dominates), late
 * (counts of transfers that wait for a timer).
 * Integrated likelihoods are compared (Bayes factors: Kass and Raftery, JASA
 * 90, 1995); the best hypothesis is taken out, the rest is judged again.
 *
 * docs/methods.md, "Who is slow", explains each term by an example.  This
 * room knows nothing of traces, stores or files.  A "host" is whatever the
 * caller compares: a host or a device.
 */
#ifndef NETAN_JUDGE_JUDGE_H
#define NETAN_JUDGE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

enum na_judge_cause {
#define CAUSE(id, name, prior, text) NA_JUDGE_##id,
#include "netan/judge/causes.def"
#undef CAUSE
	NA_JUDGE_CAUSES
};
extern const char
	*const na_judge_kinds[NA_JUDGE_CAUSES]; /* as JSON spells them */

enum na_mechanism {
	NA_MECH_LEVEL, /* every transfer */
	NA_MECH_LARGE, /* transfers whose wire time exceeds the fixed cost */
	NA_MECH_LATE,  /* some transfers wait for a timer */
	NA_MECHANISMS
};

#define NA_JUDGE_NONE UINT32_MAX

/* One transfer. */
struct na_judge_row {
	double start_us, took_us; /* took: finite, above 0 */
	float size_bytes;
	uint32_t connection; /* index */
	uint32_t collective; /* any number */
	uint32_t step;       /* index, ascending in time */
	uint32_t part;       /* part (phase, turn) of the collective */
};

/* From one device to another.  Devices are indices within their host. */
struct na_judge_connection {
	uint32_t src, dst;         /* hosts */
	uint32_t src_dev, dst_dev; /* devices */
	uint32_t distance; /* class of healthy connections; 0: none known */
};

struct na_judge_input {
	size_t n_hosts, n_racks, n_connections, n_rows;
	const struct na_judge_connection *connections;
	const uint32_t *rack_of; /* by host; n_racks = 0: unknown */
	const struct na_judge_row *rows; /* in any order */
	/* Rows are receives, from the sender's stamp to the receiver's: took_us
	 * may be 0 (clamped) or hold the clocks' offset. */
	bool two_clocks;
};

/* Where: for SRC, DST, HOST the host a, and b where it is one of its several
 * devices alone; for PAIR hosts a and b; for rack kinds the racks a and
 * (RACK_PAIR) b. */
struct na_place {
	enum na_judge_cause cause;
	uint32_t a, b; /* b: NA_JUDGE_NONE where unused */
};

struct na_rival {
	struct na_place place;
	double log_odds;
};

struct na_judge_finding {
	struct na_place place;
	enum na_mechanism mechanism; /* the strongest */
	double effect;    /* log factor; late: log ratio of rates */
	double low, high; /* 95 % credible interval of effect; NaN: unknown */
	double log_odds;  /* against no fault there */
	double posterior; /* among explanations of the same evidence */
	/* Other explanations of the same evidence, those of the same pairs
	 * first (log_odds NaN: not looked at); owned. */
	struct na_rival *alternatives;
	size_t n_alternatives;
	/* Best other explanation of the same evidence, or NA_JUDGE_CAUSES. */
	struct na_rival rival;
	size_t pairs;
	uint64_t transfers;
	uint64_t late;   /* mechanism late: transfers (episodes) */
};

/* 97.5 % upper credible bound of a side's slowdown, as a factor. */
struct na_judge_bound {
	uint32_t host;
	enum na_judge_cause side; /* SRC or DST */
	double upper;       /* factor; NaN: unknown */
};

struct na_judge_pair { /* pair of hosts with rows, by src then dst */
	uint32_t src, dst;
	double effect; /* log of observed over usual time, at the median */
	double se;     /* standard error of effect, healthy spread included */
	uint64_t transfers;
};

enum na_judge_outcome {
	NA_JUDGE_GUILTY,
	NA_JUDGE_NOT_GUILTY,
	NA_JUDGE_CANNOT_TELL
};

struct na_judge_result {
	enum na_judge_outcome outcome;
	struct na_judge_finding *findings; /* most odds first */
	size_t n_findings;
	/* Hypotheses that came closest without being named, best first. */
	struct na_rival *open;
	size_t n_open;
	struct na_judge_bound *bounds; /* [2 n_hosts]: SRC and DST by host */
	size_t n_bounds;
	struct na_judge_pair *pairs;
	size_t n_pairs;
	double nobody;     /* posterior that nothing else is at fault */
	bool unsure;       /* that alone leaves the outcome open */
	/* Largest bound once the findings are taken out, links included, and,
	 * where nothing is named, the slow tenth of steps: a factor; infinity:
	 * none is known. */
	double upper;
	double kappa;      /* share of port load in the expectation */
	bool two_clocks;
};

/*
 * NA_OK with *out filled in, NA_ENOMEM, NA_EDOMAIN (an index is too large) or
 * NA_ELIMIT; release it with na_judge_result_fini(), also after a failure.
 * Deterministic: the same rows in any order give the same bits.  O(rows) time
 * for the tables, scratch of some 200 bytes a row; then O(units) a finding.
 */
enum na_status na_judge(const struct na_judge_input *in,
			struct na_judge_result *out,
			struct na_err *err) NA_MUST_CHECK;
void na_judge_result_fini(struct na_judge_result *r);

/* All terms behind one host's odds: netan/judge/explain.h. */
#endif
