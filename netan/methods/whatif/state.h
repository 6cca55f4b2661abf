/* What the parts of this room share: gather.c makes the graph, turns.c and
 * queues.c find what sends wait for, replay.c and simulate.c run it.  Times in
 * ps, each on the clock of its host. */
#ifndef NETAN_METHODS_WHATIF_STATE_H
#define NETAN_METHODS_WHATIF_STATE_H

#include "netan/base/triples.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/methods/whatif/whatif.h"

#define WF_NONE UINT32_MAX
enum { WF_CLASSES = 32 }; /* of rounds whose receives are told apart */
/* An op that takes longer waits. */
#define WF_WAITS_PS (20 * NA_PS_PER_US)

/* In the order in which events of one instant happen. */
enum wf_kind {
	WF_MET,
	WF_TAKEN,
	WF_WAITED,
	WF_LAUNCHED,
	WF_POSTED,
	WF_SENT,
	WF_ENDED,
	WF_CAME
};

struct wf_event {
	int64_t at_ps;
	uint32_t host;
	uint32_t of; /* move, op or end */
	enum wf_kind kind;
};

struct wf_move { /* a transfer */
	int64_t sent_ps, took_ps;
	int64_t posted_ps; /* NA_UNKNOWN_PS */
	int64_t taken_ps;
	int64_t waited_ps; /* arrived, for a receiver that was not ready */
	int64_t gone_ps;   /* for its sender; NA_UNKNOWN_PS */
	int64_t held_ps;   /* before it was sent, beyond what its turn takes */
	int64_t usual_ps;  /* median of its path in its collective */
	int64_t bare_ps;   /* what it takes as others do in its collective */
	uint32_t from, to; /* lines */
	uint32_t round;    /* its chunk, how often that has gone this way */
	/* Held until this one was gone, or taken by the same host; itself:
	 * until it was posted; WF_NONE. */
	uint32_t behind;
	uint32_t followers, next_follower; /* who is behind this one */
	bool twin;          /* it goes in the message of another one */
	uint32_t next_twin; /* in the same message; WF_NONE */
	uint32_t stratum;  /* its collective, in a rack or across racks */
	uint32_t turn;     /* what it waits for on its device */
	uint32_t cell;     /* of its receive */
	/* Of a replay: how much earlier. */
	int64_t sent_saved, posted_saved, gone_saved;
	bool sent, posted;
};

struct wf_line { /* an execution of a collective on a device */
	uint32_t exec;
	uint32_t n, sends; /* receives, sends */
	uint32_t cells;    /* first; WF_NONE */
	/* Of a replay, also while gathering. */
	int64_t at_ps, saved_ps, begin_ps, begin_saved_ps;
	int64_t taken_ps, taken_saved_ps; /* its last receive */
	bool any, begun, taken;
};

struct wf_cell { /* receives of a line in one round */
	uint32_t first, n; /* of `after` */
	uint32_t next;     /* of the line; WF_NONE */
	/* Of a replay, also while gathering. */
	uint32_t got;
	int64_t at_ps, saved_ps;
};

struct wf_exec { /* and on the devices of a program */
	uint32_t host, place;
	int64_t at_ps, saved_ps; /* last of its receives */
	int64_t begin_saved_ps;
	int64_t gone_at_ps, gone_saved_ps; /* last of its sends */
	uint32_t launch; /* op; WF_NONE */
	uint32_t n, got; /* receives; of a replay: that were taken */
	int64_t launch_saved_ps;
	bool any, begun, launched, gone, awaited;
};

struct wf_place {   /* a collective of a program */
	bool apart; /* who waits for it does not wait for its sends */
};

struct wf_op { /* that launches a collective or waits for it */
	int64_t start_ps, end_ps;
	uint32_t place;
	bool receives;
	uint32_t of; /* the execution that it launches or waits for; WF_NONE */
};

struct wf_program {       /* of a core */
	bool overlaps;    /* it executes several collectives at once */
	/* Of a replay. */
	int64_t saved_ps; /* how much earlier it is */
	uint32_t open;    /* executions */
	bool any_done;
	int64_t done_ps, done_saved_ps; /* the last that ended */
};

struct wf_end {                /* of a host's step */
	int64_t number, at_ps; /* on the clock of its group */
	int64_t run_ps;        /* in a simulation of what was, on a clock
				  that may be moved */
	int64_t saved_ps;
	uint32_t group; /* of hosts that transfers join */
	uint32_t core;
};

struct wf_meeting { /* an op that devices of a slice execute together */
	uint32_t first, n; /* guests */
	/* Of a replay: guests that came, and how much earlier the last. */
	uint32_t came;
	int64_t saved_ps;
};

struct wf_guest { /* a device in it */
	uint32_t meeting, core;
	int64_t took_ps;
	int64_t early_ps; /* before the last */
};

struct wf_host {
	uint32_t core;     /* the first that tells its program; WF_NONE */
	size_t first, end; /* events */
	size_t next;
	bool queued;
};

struct na_whatif {
	const struct na_scope *scope;
	const struct na_store *store;
	const struct na_host_clocks *clocks;
	struct na_host_clocks own;
	uint32_t run;
	bool by_sends;
	size_t n_hosts;
	struct wf_host *hosts;
	/* By core, and behind these by host, of devices that have none. */
	struct wf_program *programs;
	bool *speaks;      /* it communicates: it tells its program */
	uint32_t *core_of; /* by endpoint; WF_NONE */
	NA_VEC(struct wf_move) moves;
	struct na_triples line_keys, exec_keys, place_keys;
	NA_VEC(struct wf_line) lines;
	NA_VEC(struct wf_exec) execs;
	NA_VEC(struct wf_place) places;
	NA_VEC(struct wf_op) ops;
	NA_VEC(struct wf_meeting) meetings;
	NA_VEC(struct wf_guest) guests;
	NA_VEC(struct wf_end) ends;     /* by group, number */
	NA_VEC(struct wf_event) events; /* by host, time */
	struct na_triples strata, instances;
	struct na_triples rounds, cell_keys, turns;
	NA_VEC(struct wf_cell) cells;
	/* By turn and class of rounds: so many receives; more than there are:
	 * it does not need them. */
	NA_VEC(uint32_t) needs;
	/* By cell: after each receive, and how much earlier. */
	int64_t *after_at_ps, *after;
	uint32_t *queue;    /* [n_hosts] */
	/* By turn: the least that its sends were held, queues or not; what of
	 * that is no queue's. */
	int64_t *least_ps, *idle_ps;
	bool queued_all; /* of most sends nothing tells them apart */
	size_t n_waits, n_held, n_queued;
	bool some_held; /* more than a few: by what, nothing tells */
};

/* Times of hostile inputs stop at the ends of their range. */
static inline int64_t wf_plus(int64_t a, int64_t b)
{
	int64_t sum;

	return na_add_i64(a, b, &sum) ? sum : b < 0 ? NA_TIME_MIN : NA_TIME_MAX;
}

static inline int64_t wf_minus(int64_t a, int64_t b)
{
	int64_t rest;

	return !__builtin_sub_overflow(a, b, &rest) ? rest
	       : b < 0				    ? NA_TIME_MAX
						    : NA_TIME_MIN;
}

static inline uint32_t wf_host_of(const struct na_whatif *w, uint32_t line)
{
	return w->execs.v[w->lines.v[line].exec].host;
}

static inline uint32_t *wf_need_of(const struct na_whatif *w, uint32_t turn,
				   uint32_t cell)
{
	return &w->needs.v[(size_t)turn * WF_CLASSES +
			   w->cell_keys.keys[cell].b];
}

/* gather.c.  False: no memory. */
bool wf_gather(struct na_whatif *w);
/* launches.c: `of` of each op.  False: no memory. */
bool wf_find_launches(struct na_whatif *w);
/* slices.c: meetings of devices. */
bool wf_gather_slices(struct na_whatif *w);
/* events.c: in order; who waits for what. */
bool wf_order(struct na_whatif *w);
/* turns.c: what sends wait for on their device, and for how long each was held
 * beyond that. */
bool wf_find_turns(struct na_whatif *w);
/* Where the receive of a cell that it waits for stands in `after`; WF_NONE. */
uint32_t wf_needed(const struct na_whatif *w, const struct wf_move *m,
		   uint32_t cell);
/* queues.c: which sends wait behind another one. */
bool wf_find_queues(struct na_whatif *w);
/* usual.c: what is usual on each path; what others' transfers
 * take in each stratum.  False: no memory. */
bool wf_find_usual(struct na_whatif *w);
bool wf_find_others(struct na_whatif *w, const struct na_whatif_ask *ask);
bool wf_is_its(const struct na_whatif *w, const struct na_whatif_ask *ask,
	       const struct wf_move *m);
/* replay.c: how much earlier steps end where all queues keep their order.
 * ask: NULL: nothing, to learn which op waits for what. */
void wf_replay(struct na_whatif *w, const struct na_whatif_ask *ask);

/* layout.c: the job once more, with its queues.  NULL: no memory. */
struct wf_sim *wf_sim_make(struct na_whatif *w,
			   const struct na_whatif_ask *ask);
void wf_sim_free(struct wf_sim *s);
/* simulate.c: as it was or with the excess spared; when each of `ends` is, ps
 * [ends].  False: no memory. */
bool wf_sim_run(struct wf_sim *s, bool spared, int64_t *ends_ps);
int64_t wf_excess_ps(const struct na_whatif *w, const struct na_whatif_ask *ask,
		     const struct wf_move *m);

#endif
