/* What the files pairs*.c share: the state of the analysis. */
#ifndef NETAN_ANALYSES_PAIRS_PAIRS_H
#define NETAN_ANALYSES_PAIRS_PAIRS_H

#include "netan/analyses/analysis.h"
#include "netan/base/triples.h"
#include "netan/methods/localise/localise.h"

enum pr_level { PR_AUTO, PR_DEVICE, PR_HOST };

struct pr_params {
	int level; /* enum pr_level */
};

/* An end of pairs: a device or a host, as one run sees it. */
struct pr_node {
	uint32_t run, raw;        /* raw: host or endpoint of the store */
	uint32_t host;            /* of the store */
	struct na_endpoint first; /* the device; a host's lowest */
	const char *name;         /* borrowed from state->text */
};

/* Sums over the valid transfers of a pair. */
struct pr_sum {
	uint64_t n, clamped; /* clamped: latency 0, not in n */
	na_i128 bytes;
};

/* A pair in its place: by run, then those that a localisation may look at,
 * then by source and destination. */
struct pr_pair {
	uint32_t run, src, dst; /* nodes */
	uint32_t found;         /* index of its sums and key */
	bool local;             /* both ends on one host */
	size_t first;           /* its rows: sums' n + clamped of them */
	double p50_us, p99_us;
};

/* One run: its nodes, its pairs, and what was found. */
struct pr_run {
	size_t node0, n_nodes;
	size_t pair0, n_pairs, n_remote; /* remote ones first */
	size_t row0, n_rows;             /* of the remote pairs */
	size_t finding0;                 /* its first among all runs' */
	struct na_lz_result found;
	uint32_t *devices; /* by finding: of one host, that it stands for */
};

/* A device of a culprit's host: is it the one to blame? */
struct pr_device {
	uint64_t n, tails;
	uint32_t bins[512]; /* of log excess, see endpoint.c */
};

struct pr_state {
	const struct na_scope *scope;
	const struct pr_params *params;
	const struct pr_state *main; /* of a block state, in later passes */
	bool of_hosts;               /* the level */
	unsigned pass;

	/* First pass: what there is. */
	struct na_triples keys;    /* run, source, destination */
	struct na_triples moments; /* collective, step, 0 */
	struct pr_sum *sums;       /* by key */
	size_t cap_sums;
	uint64_t clamped;
	uint64_t calls;                 /* of those used: component rpc */
	struct na_extent ends;          /* of the clamped ones, too */
	uint32_t last_key, last_moment; /* guesses for the next record */

	/* Between the passes. */
	struct na_arena text;
	struct pr_node *nodes;
	size_t n_nodes;
	struct pr_pair *pairs; /* [keys.n], in order */
	uint32_t *place_of;    /* key -> pair */
	struct na_lz_moment *lz_moments;
	int64_t tick_ps;
	struct pr_run *runs; /* [store->n_runs] */

	/* Second pass; of a block: in order of arrival. */
	struct na_lz_transfer *rows;
	uint32_t *row_pair; /* blocks only */
	size_t n_rows, cap_rows, cap_row_pair;
	size_t *filled; /* main: rows of each pair so far */

	/* Third pass. */
	uint32_t *blamed[2];           /* by host: finding + 1 of its side; 0 */
	struct na_triples device_keys; /* finding, endpoint, 0 */
	struct pr_device *devices;
	size_t cap_devices;
};

/* plan.c: nodes, pairs and rows in their order. */
enum na_status pr_plan(struct pr_state *s, struct na_err *err);
size_t pr_rows_of(const struct pr_state *s, const struct pr_pair *p);
const char *pr_host_name(const struct pr_state *s, const struct pr_node *n);

/* judge.c: quantiles of each pair, then who is to blame. */
enum na_status pr_judge(struct pr_state *s, struct na_err *err);
enum na_severity pr_severity(const void *state);

/* fold.c: of findings about devices, those about one host's same side
 * become one. */
enum na_status pr_fold(struct pr_state *s, struct pr_run *run);

/* endpoint.c: which of a culprit's devices.  False: nothing to ask. */
enum na_status pr_endpoint_plan(struct pr_state *s, bool *needed);
enum na_status pr_endpoint_add(struct pr_state *block,
			       const struct na_transfer *t);
enum na_status pr_endpoint_merge(struct pr_state *s, const struct pr_state *b);
/* The one device that carries a finding, or NA_UNKNOWN_U32. */
uint32_t pr_endpoint_of(const struct pr_state *s, const struct pr_run *run,
			const struct na_lz_finding *f);

/* result.c */
enum na_status pr_finish(void *state, struct na_result *r, struct na_err *err);
bool pr_has_runs(const struct pr_state *s); /* several, side by side */
/* A node of a run's localisation. */
const struct pr_node *pr_node_at(const struct pr_state *s,
				 const struct pr_run *run, uint32_t host);

/* All transfers of the run were seen in captures, by one clock each. */
bool pr_captured(const struct na_store *store, uint32_t run);
/* Whether clock (stall) k of a run is the one to tell of its host. */
bool pr_surest_clock(const struct pr_state *s, const struct pr_run *run,
		     size_t k);
bool pr_longest_stall(const struct pr_state *s, const struct pr_run *run,
		      size_t k);

/* words.c: findings in words. */
/* "hosts", "devices" or "addresses" */
const char *pr_ends(const struct pr_state *s);
struct pr_words {
	char text[400];
	size_t n;
};
void pr_say(struct pr_words *w, const char *fmt, ...) NA_PRINTF(2, 3);
extern const char *const pr_kind_names[NA_LZ_KINDS];
extern const char *const pr_channel_names[NA_LZ_CHANNELS];
/* "transmit side of host-3", "path host-1 -> host-2".  `whole`: the host,
 * where nodes are devices. */
void pr_say_who(struct pr_words *w, const struct pr_state *s,
		const struct pr_run *run, const struct na_lz_who *who,
		bool whole);
/* Whether a finding stands for several devices of its host. */
bool pr_is_whole(const struct pr_run *run, const struct na_lz_finding *f);
/* The one-line answer for a run. */
void pr_say_verdict(struct pr_words *w, const struct pr_state *s,
		    const struct pr_run *run);
/* What to try before anything is replaced; static text. */
const char *pr_next_test(const struct na_lz_finding *f);

/* views.c: what a person reads, and the matrix of the picture; after
 * the result is complete. */
void pr_views(struct na_result *r, const struct pr_state *s);

#endif
