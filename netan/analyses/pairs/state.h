/* What the files of pairs share: the state of the analysis. */
#ifndef NETAN_ANALYSES_PAIRS_STATE_H
#define NETAN_ANALYSES_PAIRS_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/str.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/evidence/evidence.h"
#include "netan/judge/explain.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/methods/whatif/whatif.h"
#include "netan/model/hosts/absent.h"

/* Times what is expected: a pair that takes more is slow. */
#define PAIRS_SLOWER 1.3
/* Of two hosts alone so many transfers each way, before it is said by how much
 * one way is slower than the other. */
enum { PAIRS_EACH_WAY = 100 };
/* Fewer pairs are too few to compare. */
enum { PAIRS_LEAST = 6 };
/* Of two hosts alone: times the way back. */
#define PAIRS_WAY_SLOWER 2.0

enum pairs_level { PAIRS_AUTO, PAIRS_DEVICE, PAIRS_HOST };

struct pairs_params {
	int level;           /* enum pairs_level */
	const char *explain; /* a host or device; NULL */
};

/* An end of pairs: a device or a host, as one run sees it. */
struct pairs_node {
	uint32_t run, raw;            /* raw: host or endpoint of the store */
	uint32_t host;                /* of the store */
	struct na_endpoint first;     /* the device; a host's lowest */
	const char *name, *host_name; /* borrowed: state->mem or the store */
	double ahead_us;              /* its clock, as it is corrected */
};

/* Sums over the valid transfers of a pair.  There may be millions of these, so
 * the bytes stand where 8 divides the address. */
struct pairs_sum {
	uint32_t n, clamped; /* clamped: latency 0, not in n */
	__attribute__((packed, aligned(8))) na_i128 bytes;
};

/* A pair in its place: by run, then those that a localisation may look at,
 * then by source and destination. */
struct pairs_pair {
	uint32_t run : 31, local : 1; /* local: both ends on one host */
	uint32_t src, dst;            /* nodes of the run */
	uint32_t found; /* index of its sums and key; once rows are in their
			   places its own */
	size_t first;   /* its rows: sums' n + clamped of them */
};

struct pairs_quantiles {
	double p50_us, p99_us;
};

/* One receive (with --side tx a send). */
struct pairs_row {
	double latency_us; /* 0: clamped, the receiver's clock is behind */
	float size_bytes;
	uint32_t tick;   /* its end, in ticks since the first end */
	uint32_t moment; /* index into moments */
	uint32_t ends;   /* index into connections */
};

/* How much longer a pair takes than is usual. */
struct pairs_effect {
	double effect;  /* log; NaN: not compared */
	double se;      /* of the effect */
	double q_value; /* Benjamini-Hochberg over pairs */
};

/* A clock that is certainly off. */
struct pairs_clock {
	uint32_t host; /* node of the run */
	double ahead_us, uncertainty_us;
};

/* One run: its nodes, its pairs, and what was found. */
struct pairs_run {
	struct pairs_state *of;
	uint32_t index;
	bool captured; /* all transfers were seen in captures, by one clock */
	struct pairs_node *nodes;
	struct pairs_pair *pairs; /* remote ones first */
	size_t n_nodes, n_pairs, n_remote;
	size_t n_rows;                /* of the remote pairs */
	struct na_judge_result found; /* hosts as nodes of the run */
	bool of_sends;                /* observations are sends */
	struct pairs_effect *effects; /* [n_remote] */
	uint32_t *rack_of;            /* by node; NULL: unknown */
	NA_VEC(struct pairs_clock) clocks;
	uint32_t *devices; /* by finding: of one host, that it stands for;
			      NULL: nodes are hosts */
	/* By node: the first of those without a file that may share a host,
	 * else itself; NULL: all have files.  by_groups: what was found is
	 * about them as one. */
	uint32_t *first_of;
	bool by_groups;
	/* The topology tells its pairs apart; placed: and knows them all. */
	bool classed, placed;
	struct na_whatif_cost *costs; /* by finding; NULL: unknown */
	bool explains;                /* has what --explain names: this node */
	uint32_t explained;
	struct na_judge_explanation terms; /* hosts as nodes of the run */
	const struct na_value *first_term; /* of them, in the result */
};

/* A send, as its own host has timed it. */
struct pairs_send {
	int64_t start_ps, took_ps;
	float size_bytes;
	uint32_t src, dst; /* endpoints */
	uint32_t collective, iteration, step;
	uint32_t input;
};

/* Of sends how many cannot be compared, by why. */
struct pairs_sends_left {
	uint64_t all, no_step, no_time;
};

/* A receive of a rank whose sender is there: what it took alone. */
struct pairs_joined {
	int64_t start_ps, end_ps, took_ps;
	uint32_t src; /* endpoint: one kernel may receive from several */
	uint32_t input;
};

struct pairs_state {
	const struct na_scope *scope;
	const struct pairs_params *params;
	const struct pairs_state *main; /* of a block state, in later passes */
	bool of_hosts;                  /* the level */
	unsigned pass;

	/* First pass: what there is. */
	struct na_triples keys;        /* run, source, destination */
	struct na_triples moments;     /* collective, step, iteration */
	struct na_triples connections; /* source, destination endpoint */
	NA_VEC(struct pairs_sum) sums; /* by key */
	bool crowded;                  /* more of a pair than it can count */
	uint64_t clamped;
	uint64_t calls;        /* of those used: component rpc */
	struct na_extent ends; /* of the clamped ones, too */
	/* Guesses for the next record. */
	uint32_t last_key, last_moment, last_connection;
	NA_VEC(struct na_comm) comms; /* of ranks */
	NA_VEC(struct na_span) rank_steps;

	/* Between the passes. */
	struct na_absent absent;
	NA_VEC(struct pairs_joined) joined; /* by input, time, src */
	struct na_arena mem; /* names, and what runs have by node or pair */
	NA_VEC(struct pairs_node) nodes;
	struct pairs_pair *pairs;          /* [keys.n], in order */
	struct pairs_quantiles *quantiles; /* as these; at the end */
	uint32_t *place_of;                /* key -> pair */
	int64_t tick_ps;
	struct pairs_run *runs; /* [store->n_runs] */

	/* Second pass; of a block: in order of arrival. */
	struct pairs_row *rows;
	uint32_t *row_pair; /* blocks only */
	size_t n_rows, cap_rows, cap_row_pair;
	uint32_t *filled; /* main: rows of each pair so far */
	NA_VEC(struct pairs_send) sends;
	struct pairs_sends_left left;

	/* While it judges: na_pairs_clocks(). */
	struct na_host_clocks own_clocks;
	const struct na_host_clocks *clocks;
};

/* plan.c: nodes, pairs and rows in their order. */
enum na_status na_pairs_plan(struct pairs_state *s,
			     struct na_err *err) NA_MUST_CHECK;
size_t na_pairs_rows_of(const struct pairs_state *s,
			const struct pairs_pair *p);
/* Pair between two nodes, of those of a run that are on two hosts; n_remote:
 * none. */
size_t na_pairs_at(const struct pairs_run *run, uint32_t src, uint32_t dst);

/* absent.c: devices without a file, and who shares a host with whom.  False: no
 * memory. */
bool na_pairs_find_absent(struct pairs_state *s) NA_MUST_CHECK;
/* The devices without a file that a finding about that node is about, or a
 * node; NULL: it has a file, or stands for itself alone. */
const struct na_absent_group *na_pairs_group_of(const struct pairs_run *run,
						uint32_t node);

/* judge.c: quantiles of each pair, then who is to blame. */
enum na_status na_pairs_judge(struct pairs_state *s,
			      struct na_err *err) NA_MUST_CHECK;
/* Clocks of all hosts, found when they are first asked for; NULL: no memory. */
const struct na_host_clocks *na_pairs_clocks(struct pairs_state *s);
enum na_severity na_pairs_severity(const void *state);

/* two.c: of two hosts alone the way that is slower than the one back, once
 * quantiles are known.  False: no memory. */
bool na_pairs_judge_two(struct pairs_run *run) NA_MUST_CHECK;
/* The two ways between them, in the order of the pairs; NULL: there are more,
 * or fewer. */
const struct pairs_pair *na_pairs_two_ways(const struct pairs_run *run);

/* fold.c: of findings about devices, those about one host's same side
 * become one.  False: no memory. */
bool na_pairs_fold(struct pairs_run *run) NA_MUST_CHECK;

/* ranks.c: after the first pass, what receives of ranks took alone (false: no
 * memory); then of a transfer what it took. */
enum na_status na_pairs_add_comm(void *block,
				 const struct na_comm *x) NA_MUST_CHECK;
enum na_status na_pairs_add_step(void *block,
				 const struct na_span *x) NA_MUST_CHECK;
bool na_pairs_join_ranks(struct pairs_state *s) NA_MUST_CHECK;
int64_t na_pairs_took(const struct pairs_state *main,
		      const struct na_transfer *t);

/* Receives are left out: pairs are of sends, each timed by one clock. */
bool na_pairs_of_sends(const struct pairs_state *s);

/* observe.c: a send of the second pass; then a run's observations, and what the
 * judge finds in them, by nodes. */
enum na_status na_pairs_send_keep(struct pairs_state *block,
				  const struct na_transfer *t) NA_MUST_CHECK;
enum na_status na_pairs_sends_merge(struct pairs_state *s,
				    struct pairs_state *b) NA_MUST_CHECK;
enum na_status na_pairs_ask_judge(struct pairs_state *s, struct pairs_run *run,
				  struct na_err *err) NA_MUST_CHECK;
/* Class of a pair of nodes of the run; 0: none is known. */
uint32_t na_pairs_class(const struct pairs_run *run, uint32_t src,
			uint32_t dst);

/* explain.c: finds what --explain names in each run, once there are nodes
 * (NA_EUSAGE: in none); puts its terms, tells them to a person.  The terms of a
 * finding about it, or NULL. */
enum na_status na_pairs_find_explained(struct pairs_state *s,
				       struct na_err *err) NA_MUST_CHECK;
void na_pairs_put_terms(struct na_result *r, struct na_value *body,
			struct pairs_state *s);
const struct na_value *na_pairs_terms_of(struct na_result *r,
					 const struct pairs_run *run,
					 const struct na_place *place);
void na_pairs_explain_views(struct na_result *r, const struct pairs_state *s);

/* place.c: whether a node is the host of a place, and whether a pair belongs to
 * one; nodes of the run.  `whole`: devices stand for their host. */
bool na_pairs_is_it(const struct pairs_run *run, const struct na_place *x,
		    bool whole, uint32_t node);
bool na_pairs_is_of(const struct pairs_run *run, const struct na_place *x,
		    bool whole, uint32_t src, uint32_t dst);
/* A pair is one of a finding's own. */
bool na_pairs_is_suspect(const struct pairs_run *run,
			 const struct pairs_pair *p);

/* cost.c: of each finding, where a path across hosts is known. */
enum na_status na_pairs_costs(struct pairs_state *s,
			      struct na_err *err) NA_MUST_CHECK;

/* outcome.c: outcome and power[], and the note on them.  Acquits: of a run
 * without a culprit, nothing is left unexplained, and what matters would have
 * been named. */
bool na_pairs_acquits(const struct pairs_run *run);
void na_pairs_put_outcome(struct na_result *r, struct na_value *body,
			  const struct pairs_state *s);
/* result.c */
enum na_status na_pairs_finish(void *state, struct na_result *r,
			       struct na_err *err) NA_MUST_CHECK;
bool na_pairs_has_runs(const struct pairs_state *s); /* several, side by side */
bool na_pairs_placed(const struct pairs_state *s);   /* each of them */
/* A row of a list; runs side by side say which one it is from. */
struct na_value *na_pairs_put_row(struct na_result *r, struct na_value *list,
				  const struct pairs_run *run);
/* Kind, and whom.  `whole`: devices stand for their host. */
void na_pairs_put_who(struct na_result *r, struct na_value *row,
		      const struct pairs_run *run, const struct na_place *who,
		      bool whole);

/* Whether clock k of a run is the one to report of its host. */
bool na_pairs_surest_clock(const struct pairs_run *run, size_t k);

/* words.c: findings in words, of at most so many bytes. */
enum { PAIRS_WORDS = 400 };
/* Transfers: fewer are no measure of a pair. */
enum { PAIRS_FEW = 20 };

static inline bool na_pairs_is_few(const struct pairs_state *s,
				   const struct pairs_pair *p)
{
	return s->sums.v[p->found].n < PAIRS_FEW;
}

/* "hosts", "devices" or "addresses" */
const char *na_pairs_ends(const struct pairs_state *s);
extern const char *const na_pairs_channel_names[NA_MECHANISMS];
/* "transmit side of host-3", "path host-1 -> host-2".  `whole`: the host,
 * where nodes are devices. */
void na_pairs_say_who(struct na_str *w, const struct pairs_run *run,
		      const struct na_place *who, bool whole);
/* Whether a finding stands for several devices of its host. */
bool na_pairs_is_whole(const struct pairs_run *run,
		       const struct na_judge_finding *f);
/* pairs.c: inputs whose transfers are looked at: not captures beside traces. */
size_t na_pairs_files(const struct na_store *store);
/* One trace alone: each remote pair's other end has no file here. */
bool na_pairs_one_file(const struct pairs_state *s);
/* All transfers of all runs were. */
bool na_pairs_all_captured(const struct pairs_state *s);
/* Calls one way and messages the other are not alike. */
bool na_pairs_calls_in_part(const struct pairs_state *s);
/* Of two hosts alone: too few transfers one way, or other ones, to compare the
 * two ways between them. */
bool na_pairs_uncompared(const struct pairs_run *run);
/* The one-line answer for a run. */
void na_pairs_say_verdict(struct na_str *w, const struct pairs_run *run);
/* Somebody, or a way of two hosts, and not one of several that it may be. */
bool na_pairs_is_sure(const struct na_judge_finding *f);
/* What to try before anything is replaced; static text. */
const char *na_pairs_next_test(const struct pairs_run *run,
			       const struct na_judge_finding *f);
/* What measurement would decide; static text or NULL. */
const char *na_pairs_needs(const struct pairs_run *run,
			   const struct na_judge_finding *f);
/* An explanation that is not named, with its odds. */
void na_pairs_say_open(struct na_str *w, const struct pairs_run *run,
		       const struct na_rival *x);
bool na_pairs_too_few(const struct pairs_run *run);
bool na_pairs_is_of_two(const struct pairs_run *run);

/* views.c: what a person reads. */
void na_pairs_views(struct na_result *r, const struct pairs_state *s);

/* picture.c: the matrices that the picture draws. */
void na_pairs_put_picture(struct na_result *r, const struct pairs_state *s);

#endif
