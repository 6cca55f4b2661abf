/* What a simulation is made of: layout.c makes it, simulate.c runs it. */
#ifndef NETAN_METHODS_WHATIF_SIM_H
#define NETAN_METHODS_WHATIF_SIM_H

#include "netan/base/queue.h"
#include "netan/methods/whatif/state.h"

enum { TURNS_MOST = 64 }; /* of a host, at once each way */

struct item { /* of a program */
	int64_t seen_ps;
	int64_t own_ps; /* of the time before it: its excess */
	uint32_t event;
	uint32_t lines; /* that begin after it; WF_NONE */
};

struct program {
	size_t first, end; /* items */
	/* Of a run. */
	size_t next;
	int64_t seen_ps, at_ps; /* of the last one */
	uint32_t waits;         /* for this execution; WF_NONE */
};

struct group { /* sends of a line that wait for the same */
	uint32_t needs, sends, next;
	uint32_t left; /* of a run: of what it needs */
};

struct follower { /* a group that waits for a receive */
	uint32_t group, next;
};

struct line {
	int64_t lag_ps; /* behind its item; `alone`: it begins then */
	bool alone;
	uint32_t next; /* of the item */
	uint32_t groups;
	/* Of a run. */
	int64_t begin_ps; /* NA_UNKNOWN_PS */
	uint32_t waiting; /* moves, for it to begin */
};

struct exec {
	uint32_t op;
	uint32_t needs; /* transfers until the op goes on */
	int64_t seen_ps;
	/* Of a run. */
	uint32_t left;
	int64_t done_ps;
};

struct move {
	uint32_t next;    /* of its group */
	uint32_t waiting; /* of a run: of the line that it waits for */
};

struct wf_sim {
	struct na_whatif *w;
	const struct na_whatif_ask *ask;
	int64_t *shift_ps; /* by host, of its clock */
	struct item *items;
	struct program *programs;
	size_t n_programs;
	NA_VEC(struct group) groups;
	struct na_triples group_keys;
	NA_VEC(struct follower) followers;
	uint32_t *followed; /* by receive of a cell: its first follower */
	struct line *lines;
	struct exec *execs;
	struct move *moves;
	unsigned turns_out, turns_in; /* 0: no queues */
	bool rendezvous;
	/* Of a run. */
	bool spared; /* its excess */
	struct na_queue queue;
	uint32_t *got;           /* by cell */
	int64_t *out_ps, *in_ps; /* [host * turns + turn]: free from */
	size_t n_out, n_in;
	int64_t *ends_ps;
	int64_t now_ps;
	bool failed;
};

/* own.c: `own_ps` of each item. */
void wf_find_own(struct wf_sim *s);
/* layout.c: from a send to its receive without its excess; negative: clocks
 * differ. */
int64_t wf_way_ps(const struct wf_sim *s, const struct wf_move *m);
/* Does the op that waits for its execution wait for this end of it? */
bool wf_counts(const struct wf_sim *s, uint32_t line, int64_t at_ps,
	       bool sends);

#endif
