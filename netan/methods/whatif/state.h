/* What the parts of this room share: gather.c makes the graph, replay.c runs
 * it.  Times in ps, each on the clock of its host. */
#ifndef NETAN_METHODS_WHATIF_STATE_H
#define NETAN_METHODS_WHATIF_STATE_H

#include "netan/base/triples.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/methods/whatif/whatif.h"

#define WF_NONE UINT32_MAX

/* In the order in which events of one instant happen. */
enum wf_kind { WF_TAKEN, WF_POSTED, WF_SENT, WF_LAUNCHED, WF_WAITED, WF_ENDED };

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
	int64_t held_ps;   /* before it was sent, beyond what its turn takes */
	int64_t usual_ps;  /* median of its path in its collective */
	uint32_t from, to; /* lines */
	uint32_t stratum;  /* its collective, in a rack or across racks */
	uint32_t turn;     /* after how many of the receives since its launch
			      it can begin */
	/* Of a replay: how much earlier. */
	int64_t sent_saved, posted_saved;
	bool sent;
};

struct wf_line { /* an execution of a collective on a device */
	uint32_t exec;
	uint32_t first, n; /* receives, of `after` */
	uint32_t early;    /* receives before its launch */
	uint32_t sends;
	/* Of a replay, also while gathering. */
	uint32_t got;
	int64_t at_ps, saved_ps, begin_saved_ps;
	bool any, begun;
};

struct wf_exec { /* and on all devices of a host */
	uint32_t host, place;
	int64_t at_ps, saved_ps; /* last of its receives */
	int64_t begin_saved_ps;
	bool any, begun;
};

struct wf_place {      /* a collective on a host */
	uint32_t exec; /* that began last; WF_NONE */
	uint32_t next; /* that receives already; WF_NONE */
	int64_t saved_ps;
	bool launched;     /* by an op, and not begun yet */
	uint32_t launches; /* while gathering */
};

struct wf_op { /* that launches a collective or waits for it */
	int64_t start_ps, end_ps;
	uint32_t place;
};

struct wf_end {                /* of a host's step */
	int64_t number, at_ps; /* on the clock of its group */
	int64_t saved_ps;
	uint32_t group; /* of hosts that transfers join */
};

struct wf_host {
	uint32_t core;     /* that tells its program; WF_NONE */
	size_t first, end; /* events */
	size_t next;
	int64_t saved_ps; /* of its program */
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
	NA_VEC(struct wf_move) moves;
	struct na_triples line_keys, exec_keys, place_keys;
	NA_VEC(struct wf_line) lines;
	NA_VEC(struct wf_exec) execs;
	NA_VEC(struct wf_place) places;
	NA_VEC(struct wf_op) ops;
	NA_VEC(struct wf_end) ends;     /* by group, number */
	NA_VEC(struct wf_event) events; /* by host, time */
	struct na_triples strata;
	int64_t *others_ps; /* by stratum: median of who is not asked for */
	int64_t *after;     /* by line: how much earlier after each receive */
	uint32_t *queue;    /* [n_hosts] */
	size_t n_waits, n_held;
};

/* gather.c.  False: no memory. */
bool wf_gather(struct na_whatif *w);
/* events.c: in order; who waits for what. */
bool wf_order(struct na_whatif *w);
/* usual.c: what is usual on each path; what others' transfers
 * take in each stratum.  False: no memory. */
bool wf_find_usual(struct na_whatif *w);
bool wf_find_others(struct na_whatif *w, const struct na_whatif_ask *ask);
bool wf_is_its(const struct na_whatif *w, const struct na_whatif_ask *ask,
	       const struct wf_move *m);
/* replay.c: the ends of steps, of what each transfer would go without. */
void wf_replay(struct na_whatif *w, const struct na_whatif_ask *ask);

#endif
