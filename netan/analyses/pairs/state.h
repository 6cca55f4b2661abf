/* What the files of pairs share: the state of the analysis. */
#ifndef NETAN_ANALYSES_PAIRS_STATE_H
#define NETAN_ANALYSES_PAIRS_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/str.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/methods/localise/localise.h"
#include "netan/methods/whatif/whatif.h"
#include "netan/methods/wire/wire.h"
#include "netan/model/hosts/absent.h"

/* Times what is expected: a pair that takes more is slow. */
#define PAIRS_SLOWER 1.3
/* Of two hosts alone: times the way back. */
#define PAIRS_WAY_SLOWER 2.0

enum pairs_level { PAIRS_AUTO, PAIRS_DEVICE, PAIRS_HOST };

struct pairs_params {
	int level; /* enum pairs_level */
};

/* An end of pairs: a device or a host, as one run sees it. */
struct pairs_node {
	uint32_t run, raw;        /* raw: host or endpoint of the store */
	uint32_t host;            /* of the store */
	struct na_endpoint first; /* the device; a host's lowest */
	const char *name; /* borrowed from state->text or the store */
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
	uint32_t src, dst;            /* nodes */
	uint32_t found; /* index of its sums and key; once rows are in their
			   places its own */
	size_t first;                 /* its rows: sums' n + clamped of them */
};

struct pairs_quantiles {
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
	/* By node: the first of those without a file that may share a host,
	 * else itself; NULL: all have files.  by_groups: what was found is
	 * about them as one. */
	uint32_t *first_of;
	uint32_t *next_of; /* with them: the next that has the same first; or
			      n_nodes */
	bool by_groups;
	/* The topology tells its pairs apart; placed: and knows them all. */
	bool classed, placed;
	struct na_whatif_cost *costs; /* by finding; NULL: not known */
	/* By pair of two hosts, of a run with a culprit; NULL: not known.
	 * sent_us: na_pairs_sent_us(), where sends have named it. */
	double *sent_us;
	/* The same of those that were compared, else NaN: log of how much
	 * longer than what is alike; NULL: nobody is named by that. */
	double *alike;
	/* By pair, where somebody is named by timeouts: how many it had; NULL:
	 * nobody is, or it is not known. */
	uint32_t *late;
	uint8_t *roles; /* enum pairs_role */
	/* tells_sent: when that has gone, too; tells_alike: with a culprit. */
	bool tells_sent, tells_alike;
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
	struct na_triples keys;        /* run, source, destination */
	struct na_triples moments;     /* collective, step, 0 */
	NA_VEC(struct pairs_sum) sums; /* by key */
	bool crowded;                  /* more of a pair than it can count */
	uint64_t clamped;
	uint64_t calls;                 /* of those used: component rpc */
	struct na_extent ends;          /* of the clamped ones, too */
	uint32_t last_key, last_moment; /* guesses for the next record */
	NA_VEC(struct na_comm) comms;   /* of ranks */
	NA_VEC(struct na_span) rank_steps;

	/* Between the passes. */
	struct na_absent absent;
	NA_VEC(struct pairs_joined) joined; /* by input, time, src */
	struct na_arena text;
	NA_VEC(struct pairs_node) nodes;
	struct pairs_pair *pairs; /* [keys.n], in order */
	struct pairs_quantiles *quantiles; /* as these; at the end */
	uint32_t *place_of;       /* key -> pair */
	struct na_lz_moment *lz_moments;
	int64_t tick_ps;
	struct pairs_run *runs; /* [store->n_runs] */

	/* Second pass; of a block: in order of arrival. */
	struct na_lz_transfer *rows;
	uint32_t *row_pair; /* blocks only */
	size_t n_rows, cap_rows, cap_row_pair;
	uint32_t *filled; /* main: rows of each pair so far */
	NA_VEC(struct pairs_send) sends;
	struct pairs_sends_left left;

	/* While it judges: na_pairs_clocks(). */
	struct na_host_clocks own_clocks;
	const struct na_host_clocks *clocks;

	/* Third pass. */
	uint32_t *blamed[2];           /* by host: finding + 1 of its side; 0 */
	struct na_triples device_keys; /* finding, endpoint, 0 */
	NA_VEC(struct pairs_device) devices;
};

/* plan.c: nodes, pairs and rows in their order. */
enum na_status na_pairs_plan(struct pairs_state *s,
			     struct na_err *err) NA_MUST_CHECK;
size_t na_pairs_rows_of(const struct pairs_state *s,
			const struct pairs_pair *p);
/* Pair between two nodes, of those of a run that are on two hosts; n_remote:
 * none. */
size_t na_pairs_at(const struct pairs_state *s, const struct pairs_run *run,
		   uint32_t src, uint32_t dst);
const char *na_pairs_host_name(const struct pairs_state *s,
			       const struct pairs_node *n);

/* absent.c: devices without a file, and who shares a host with whom.  False: no
 * memory. */
bool na_pairs_find_absent(struct pairs_state *s) NA_MUST_CHECK;
/* The devices without a file that a finding about that node is about, or a
 * node; NULL: it has a file, or stands for itself alone. */
const struct na_absent_group *na_pairs_group_of(const struct pairs_state *s,
						const struct pairs_run *run,
						uint32_t node);

/* slow.c: patterns without a culprit: which of a run's pairs are slow by
 * themselves; that most come in too few steps; that what crosses racks takes
 * longer, where it matters.  False: no memory. */
bool na_pairs_put_slow(struct pairs_state *s, const struct pairs_run *run,
		       struct na_lz_result *r,
		       const struct na_wire_result *w) NA_MUST_CHECK;
bool na_pairs_put_fleeting(struct pairs_state *s, struct na_lz_result *r,
			   const struct na_wire_result *w) NA_MUST_CHECK;
bool na_pairs_put_block(struct pairs_state *s, const struct pairs_run *run,
			struct na_lz_result *r,
			const struct na_wire_result *w) NA_MUST_CHECK;
bool na_pairs_put_across(struct pairs_state *s, const struct pairs_run *run,
			 struct na_lz_result *r,
			 const struct na_wire_result *w) NA_MUST_CHECK;

/* Sides that are slow in some steps alone. */
bool na_pairs_put_flapping(struct pairs_state *s, const struct pairs_run *run,
			   struct na_lz_result *r,
			   const struct na_wire_result *w) NA_MUST_CHECK;

/* judge.c: quantiles of each pair, then who is to blame. */
enum na_status na_pairs_judge(struct pairs_state *s,
			      struct na_err *err) NA_MUST_CHECK;
/* Clocks of all hosts, found when they are first asked for; NULL: no memory. */
const struct na_host_clocks *na_pairs_clocks(struct pairs_state *s);
enum na_severity na_pairs_severity(const void *state);

/* two.c: of two hosts alone the way that is slower than the one back, once
 * quantiles are known.  False: no memory. */
bool na_pairs_judge_two(const struct pairs_state *s,
			struct pairs_run *run) NA_MUST_CHECK;
/* The two ways between them, in the order of the pairs; NULL: there are more,
 * or fewer. */
const struct pairs_pair *na_pairs_two_ways(const struct pairs_state *s,
					   const struct pairs_run *run);

/* fold.c: of findings about devices, those about one host's same side
 * become one. */
enum na_status na_pairs_fold(struct pairs_state *s,
			     struct pairs_run *run) NA_MUST_CHECK;

/*
 * whole.c: a host that nobody names though all its pairs, both ways, are slower
 * than all others.  Effects are logarithms.  False: there is none.
 */
struct pairs_whole {
	uint32_t node;
	double least, most, others; /* of its pairs; of all others the most */
	size_t sent, received, n_others;
};
bool na_pairs_whole(const struct pairs_state *s, const struct pairs_run *run,
		    struct pairs_whole *x);
void na_pairs_say_whole(struct na_str *w, const struct pairs_state *s,
			const struct pairs_whole *x);
/* Members of a row of undecided[], but for the pairs. */
void na_pairs_put_whole(struct na_result *r, struct na_value *row,
			const struct pairs_state *s,
			const struct pairs_whole *x);

/* endpoint.c: which of a culprit's devices.  False: nothing to ask. */
enum na_status na_pairs_endpoint_plan(struct pairs_state *s,
				      bool *needed) NA_MUST_CHECK;
enum na_status na_pairs_endpoint_add(struct pairs_state *block,
				     const struct na_transfer *t) NA_MUST_CHECK;
enum na_status
na_pairs_endpoint_merge(struct pairs_state *s,
			const struct pairs_state *b) NA_MUST_CHECK;
/* The one device that carries a finding, or NA_UNKNOWN_U32. */
uint32_t na_pairs_endpoint_of(const struct pairs_state *s,
			      const struct pairs_run *run,
			      const struct na_lz_finding *f);

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

/* sends.c: a send of the second pass; then a run's, all together.  *able: all
 * hosts' sends are there, and *found says who is slow by them. */
enum na_status na_pairs_send_keep(struct pairs_state *block,
				  const struct na_transfer *t) NA_MUST_CHECK;
enum na_status na_pairs_sends_merge(struct pairs_state *s,
				    struct pairs_state *b) NA_MUST_CHECK;
enum na_status na_pairs_judge_sends(struct pairs_state *s,
				    struct pairs_run *run,
				    struct na_wire_result *found, bool *able,
				    struct na_err *err) NA_MUST_CHECK;

/* sent.c: run->sent_us, by pair what its sends took on their own clock, the
 * median; NaN; NULL: nobody tells.  *moved: receives last as long, so that they
 * hold no wait to speak of.  False: no memory. */
bool na_pairs_sent_us(const struct pairs_state *s, struct pairs_run *run,
		      bool *moved) NA_MUST_CHECK;

/* other_side.c: of sides that receives alone have named, those that may as well
 * be their host's other side get it as an alternative.  False: no memory. */
bool na_pairs_doubt_sides(const struct pairs_state *s,
			  struct pairs_run *run) NA_MUST_CHECK;

/* role.c: of each pair of two hosts, what it has to do with those that are
 * named.  False: no memory. */
enum pairs_role { PAIRS_NO_ROLE, PAIRS_CULPRIT, PAIRS_WAITS };
extern const char *const na_pairs_role_names[];
bool na_pairs_find_roles(const struct pairs_state *s,
			 struct pairs_run *run) NA_MUST_CHECK;
enum pairs_role na_pairs_role_of(const struct pairs_run *run, size_t pair);

/* cost.c: of each finding, where a path across hosts is known. */
enum na_status na_pairs_costs(struct pairs_state *s,
			      struct na_err *err) NA_MUST_CHECK;

/* outcome.c: outcome and power[], and the note on them.  Acquits: of a run
 * without a culprit, nothing is left unexplained, and what matters would have
 * been named. */
bool na_pairs_acquits(const struct pairs_state *s, const struct pairs_run *run);
void na_pairs_put_outcome(struct na_result *r, struct na_value *body,
			  const struct pairs_state *s);
/* result.c */
enum na_status na_pairs_finish(void *state, struct na_result *r,
			       struct na_err *err) NA_MUST_CHECK;
bool na_pairs_has_runs(const struct pairs_state *s); /* several, side by side */
bool na_pairs_placed(const struct pairs_state *s);   /* each of them */
/* A row of a list; runs side by side say which one it is from. */
struct na_value *na_pairs_put_row(struct na_result *r, struct na_value *list,
				  const struct pairs_state *s, uint32_t run);
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
extern const char *const na_pairs_kind_names[NA_LZ_KINDS];
extern const char *const na_pairs_channel_names[NA_LZ_CHANNELS];
/* "transmit side of host-3", "path host-1 -> host-2".  `whole`: the host,
 * where nodes are devices. */
void na_pairs_say_who(struct na_str *w, const struct pairs_state *s,
		      const struct pairs_run *run, const struct na_lz_who *who,
		      bool whole);
/* Whether a finding stands for several devices of its host. */
bool na_pairs_is_whole(const struct pairs_run *run,
		       const struct na_lz_finding *f);
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
bool na_pairs_uncompared(const struct pairs_state *s,
			 const struct pairs_run *run);
/* The one-line answer for a run. */
void na_pairs_say_verdict(struct na_str *w, const struct pairs_state *s,
			  const struct pairs_run *run);
/* Somebody, or a way of two hosts, and not one of several that it may be. */
bool na_pairs_is_sure(const struct na_lz_finding *f);
/* What to try before anything is replaced; static text. */
const char *na_pairs_next_test(const struct na_lz_finding *f);

/* views.c: what a person reads. */
void na_pairs_views(struct na_result *r, const struct pairs_state *s);

/* picture.c: the matrices that the picture draws. */
void na_pairs_put_picture(struct na_result *r, const struct pairs_state *s);

#endif
