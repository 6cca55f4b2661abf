/* What timeline remembers. */
#ifndef NETAN_ANALYSES_TIMELINE_STATE_H
#define NETAN_ANALYSES_TIMELINE_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/early.h"
#include "netan/methods/groups.h"
#include "netan/stats/time/pending.h"

struct timeline_params {
	int64_t bin_ps; /* 0: chosen */
	const char *capacity;
};

/* One line of the result: a group, or a side of a host. */
struct timeline_row {
	na_i128 amount[2]; /* 2^-20 bytes, by side */
	uint64_t n[2];
	struct na_spread spread[2];
	bool used[2], any;
	int64_t from_ps, to_ps; /* of what was added */
};

/* What a rank moves; on_nic: it passes the NICs of its host, whose other
 * ranks do not count it again. */
struct timeline_moved {
	struct na_transfer t;
	bool on_nic;
};

struct timeline_state {
	const struct na_scope *scope;
	const struct timeline_params *params;
	double capacity_gbps; /* 0: none given */
	int64_t lo_ps, hi_ps; /* --from, --to */
	unsigned pass;

	/* First pass. */
	int64_t first_ps, last_ps; /* of the clipped transfers */
	bool any, closed;          /* closed: an instant at last_ps */
	int64_t open_ps, close_ps; /* of graph executions */
	bool any_graph;
	uint64_t instants;
	uint64_t n_side[2];
	struct na_early clocks;
	uint64_t packets;      /* of those used, those that are packets */
	uint64_t spread_calls; /* transfers of captures without packets */
	bool *seen;            /* [sources] its packets are here */
	uint64_t *traffic;     /* [hosts] bytes of packets; NULL: no packets */
	struct na_groups groups;
	NA_VEC(struct na_comm) comms; /* of ranks */
	NA_VEC(struct na_span) rank_steps;
	NA_VEC(struct na_transfer) received; /* of ranks, from known ones */
	NA_VEC(struct timeline_moved) moved; /* of the main state: by ranks */
	/* Of comms: not drawn; of these, not joined with other ranks', and
	 * joined without a size. */
	uint64_t not_drawn, apart, no_size;
	struct timeline_row *rows; /* by group */
	size_t n_rows, cap_rows;

	/* Second pass. */
	struct na_bins bins;
	struct na_spread rate[2], outstanding[2], pending;
	struct timeline_row *hosts; /* [n_host_rows] */
	size_t n_host_rows;         /* the inputs, then hosts of captures */
	uint32_t *row_host;         /* [n_host_rows] host */
	uint32_t *host_row;         /* [hosts] row; NA_UNKNOWN_U32 */
	size_t n_busy;              /* hosts that packets touch */
	bool per_host;              /* hosts have series of their own */
	const struct timeline_state *main; /* of a block state */
	struct na_shown shown;
	na_i128 amount[2], instant_amount;
	struct na_run open; /* pending, of a block */
	size_t cap_starts, cap_ends;
	NA_VEC(struct na_run) runs; /* pending, of all blocks */
	double *most;               /* pending, largest in each bin */
};

/* gather.c */
bool na_timeline_pending_of_graphs(const struct timeline_state *s);
/* First pass: this time belongs to the picture; closed: an instant. */
void na_timeline_cover(struct timeline_state *s, int64_t start_ps,
		       int64_t end_ps, bool closed);
/* NULL, false: no memory. */
struct timeline_row *na_timeline_group_row(struct timeline_state *s,
					   const uint64_t *values);
enum na_status
na_timeline_add_transfer(void *block,
			 const struct na_transfer *t) NA_MUST_CHECK;
enum na_status na_timeline_add_graph(void *block,
				     const struct na_exec *e) NA_MUST_CHECK;
/* Sorts what is pending, where it runs beside other blocks, and gives back the
 * room that doubling left. */
enum na_status na_timeline_seal(void *block) NA_MUST_CHECK;
/* What ranks move in collectives lies in the main state alone: both passes over
 * it, between those over the blocks. */
enum na_status na_timeline_survey_ranks(struct timeline_state *s) NA_MUST_CHECK;
enum na_status na_timeline_spread_ranks(struct timeline_state *s) NA_MUST_CHECK;

/* rows.c */
bool na_timeline_row_add(struct timeline_row *row,
			 const struct timeline_state *s, enum na_side side,
			 int64_t start_ps, int64_t end_ps, uint64_t bytes);
/* Takes the spreads over where the main row has none yet. */
void na_timeline_merge_rows(struct timeline_row *to, struct timeline_row *from,
			    size_t n, const struct na_bins *bins);

/* frames.c; false: no memory. */
bool na_timeline_frames_init(struct timeline_state *s);
/* The groups are runs, each with a duration of its own. */
bool na_timeline_by_runs(const struct timeline_state *s);
/* It came out of packets that are here themselves. */
bool na_timeline_by_packets(const struct timeline_state *s,
			    const struct na_transfer *t);
enum na_status
na_timeline_add_packet(void *block,
		       const struct na_wire_packet *w) NA_MUST_CHECK;
bool na_timeline_traffic_init(struct timeline_state *s);
void na_timeline_traffic_merge(struct timeline_state *s,
			       const struct timeline_state *b);
bool na_timeline_choose_hosts(struct timeline_state *s);

/* ranks.c: operations of GPU jobs, as what their ranks move.  False: no
 * memory. */
bool na_timeline_of_rank(const struct timeline_state *s,
			 const struct na_transfer *t);
enum na_status na_timeline_add_comm(void *block,
				    const struct na_comm *x) NA_MUST_CHECK;
enum na_status na_timeline_add_step(void *block,
				    const struct na_span *x) NA_MUST_CHECK;
bool na_timeline_join_ranks(struct timeline_state *s);
/* In finish: what is drawn of them was used. */
void na_timeline_use_ranks(const struct timeline_state *s);

/* Where the sides of a host stay level; 0 bins: that side does not. */
struct timeline_level {
	const char *host;
	double gbps[2];
	size_t bins[2];
};

/* Regions of each host and side, and whose side stays level the longest. */
struct timeline_busy {
	struct timeline_level level;
	size_t level_side;
	size_t level_hosts; /* with a side that is level for long */
	size_t hosts, regions;
	double share[2]; /* of the hosts' time: saturated */
	bool clocks;     /* off, so that what is received says nothing */
	struct na_clock_off off;
};

/* Level for a fifth of the time: worth a word. */
static inline bool na_timeline_is_level(const struct timeline_state *s,
					const struct timeline_level *x,
					size_t side)
{
	return x->bins[side] * 5 > s->bins.n;
}

/* pack.c */
void na_timeline_pack(void *state, enum na_packed_state what, unsigned pass,
		      struct na_serializer *to);
void na_timeline_unpack(void *state, enum na_packed_state what, unsigned pass,
			struct na_deserializer *from);

/* result.c */
enum na_status na_timeline_finish(void *state, struct na_result *r,
				  struct na_err *err) NA_MUST_CHECK;
bool na_timeline_apart(const struct timeline_state *s);

/* words.c: the sentences, and what a person sees in a terminal. */
void na_timeline_say(struct na_result *r, const struct timeline_state *s,
		     const struct timeline_busy *b);

#endif
