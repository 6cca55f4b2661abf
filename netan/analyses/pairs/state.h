/* What the files of pairs share: the state of the analysis. */
#ifndef NETAN_ANALYSES_PAIRS_STATE_H
#define NETAN_ANALYSES_PAIRS_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/triples.h"
#include "netan/methods/localise/localise.h"

enum pairs_level { PAIRS_AUTO, PAIRS_DEVICE, PAIRS_HOST };

struct pairs_params {
	int level; /* enum pairs_level */
};

/* An end of pairs: a device or a host, as one run sees it. */
struct pairs_node {
	uint32_t run, raw;        /* raw: host or endpoint of the store */
	uint32_t host;            /* of the store */
	struct na_endpoint first; /* the device; a host's lowest */
	const char *name;         /* borrowed from state->text */
};

/* Sums over the valid transfers of a pair. */
struct pairs_sum {
	uint64_t n, clamped; /* clamped: latency 0, not in n */
	na_i128 bytes;
};

/* A pair in its place: by run, then those that a localisation may look at,
 * then by source and destination. */
struct pairs_pair {
	uint32_t run, src, dst; /* nodes */
	uint32_t found;         /* index of its sums and key */
	bool local;             /* both ends on one host */
	size_t first;           /* its rows: sums' n + clamped of them */
	double p50_us, p99_us;
};

/* One run: its nodes, its pairs, and what was found. */
struct pairs_run {
	size_t node0, n_nodes;
	size_t pair0, n_pairs, n_remote; /* remote ones first */
	size_t row0, n_rows;             /* of the remote pairs */
	size_t finding0;                 /* its first among all runs' */
	struct na_lz_result found;
	uint32_t *devices; /* by finding: of one host, that it stands for */
};

/* A device of a culprit's host: is it the one to blame? */
struct pairs_device {
	uint64_t n, tails;
	uint32_t bins[512]; /* of log excess, see endpoint.c */
};

struct pairs_state {
	const struct na_scope *scope;
	const struct pairs_params *params;
	const struct pairs_state *main; /* of a block state, in later passes */
	bool of_hosts;                  /* the level */
	unsigned pass;

	/* First pass: what there is. */
	struct na_triples keys;    /* run, source, destination */
	struct na_triples moments; /* collective, step, 0 */
	struct pairs_sum *sums;    /* by key */
	size_t cap_sums;
	uint64_t clamped;
	uint64_t calls;                 /* of those used: component rpc */
	struct na_extent ends;          /* of the clamped ones, too */
	uint32_t last_key, last_moment; /* guesses for the next record */

	/* Between the passes. */
	struct na_arena text;
	struct pairs_node *nodes;
	size_t n_nodes;
	struct pairs_pair *pairs; /* [keys.n], in order */
	uint32_t *place_of;       /* key -> pair */
	struct na_lz_moment *lz_moments;
	int64_t tick_ps;
	struct pairs_run *runs; /* [store->n_runs] */

	/* Second pass; of a block: in order of arrival. */
	struct na_lz_transfer *rows;
	uint32_t *row_pair; /* blocks only */
	size_t n_rows, cap_rows, cap_row_pair;
	size_t *filled; /* main: rows of each pair so far */

	/* Third pass. */
	uint32_t *blamed[2];           /* by host: finding + 1 of its side; 0 */
	struct na_triples device_keys; /* finding, endpoint, 0 */
	struct pairs_device *devices;
	size_t cap_devices;
};

/* plan.c: nodes, pairs and rows in their order. */
enum na_status na_pairs_plan(struct pairs_state *s, struct na_err *err);
size_t na_pairs_rows_of(const struct pairs_state *s,
			const struct pairs_pair *p);
const char *na_pairs_host_name(const struct pairs_state *s,
			       const struct pairs_node *n);

/* judge.c: quantiles of each pair, then who is to blame. */
enum na_status na_pairs_judge(struct pairs_state *s, struct na_err *err);
enum na_severity na_pairs_severity(const void *state);

/* fold.c: of findings about devices, those about one host's same side
 * become one. */
enum na_status na_pairs_fold(struct pairs_state *s, struct pairs_run *run);

/* endpoint.c: which of a culprit's devices.  False: nothing to ask. */
enum na_status na_pairs_endpoint_plan(struct pairs_state *s, bool *needed);
enum na_status na_pairs_endpoint_add(struct pairs_state *block,
				     const struct na_transfer *t);
enum na_status na_pairs_endpoint_merge(struct pairs_state *s,
				       const struct pairs_state *b);
/* The one device that carries a finding, or NA_UNKNOWN_U32. */
uint32_t na_pairs_endpoint_of(const struct pairs_state *s,
			      const struct pairs_run *run,
			      const struct na_lz_finding *f);

/* result.c */
enum na_status na_pairs_finish(void *state, struct na_result *r,
			       struct na_err *err);
bool na_pairs_has_runs(const struct pairs_state *s); /* several, side by side */
/* A node of a run's localisation. */
const struct pairs_node *na_pairs_node_at(const struct pairs_state *s,
					  const struct pairs_run *run,
					  uint32_t host);

/* All transfers of the run were seen in captures, by one clock each. */
bool na_pairs_captured(const struct na_store *store, uint32_t run);
/* Whether clock (stall) k of a run is the one to tell of its host. */
bool na_pairs_surest_clock(const struct pairs_state *s,
			   const struct pairs_run *run, size_t k);
bool na_pairs_longest_stall(const struct pairs_state *s,
			    const struct pairs_run *run, size_t k);

/* words.c: findings in words. */
/* "hosts", "devices" or "addresses" */
const char *na_pairs_ends(const struct pairs_state *s);
struct pairs_words {
	char text[400];
	size_t n;
};
void na_pairs_say(struct pairs_words *w, const char *fmt, ...) NA_PRINTF(2, 3);
extern const char *const na_pairs_kind_names[NA_LZ_KINDS];
extern const char *const na_pairs_channel_names[NA_LZ_CHANNELS];
/* "transmit side of host-3", "path host-1 -> host-2".  `whole`: the host,
 * where nodes are devices. */
void na_pairs_say_who(struct pairs_words *w, const struct pairs_state *s,
		      const struct pairs_run *run, const struct na_lz_who *who,
		      bool whole);
/* Whether a finding stands for several devices of its host. */
bool na_pairs_is_whole(const struct pairs_run *run,
		       const struct na_lz_finding *f);
/* The one-line answer for a run. */
void na_pairs_say_verdict(struct pairs_words *w, const struct pairs_state *s,
			  const struct pairs_run *run);
/* What to try before anything is replaced; static text. */
const char *na_pairs_next_test(const struct na_lz_finding *f);

/* views.c: what a person reads, and the matrix of the picture; after
 * the result is complete. */
void na_pairs_views(struct na_result *r, const struct pairs_state *s);

#endif
