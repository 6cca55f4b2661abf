/*
 * What the parts of na_put_late() share: gather.c reads the actions,
 * match.c joins receives to their sends, nodes.c picks those of one
 * execution, path.c walks back from the end, alike.c compares a host's wait
 * with the others', words.c says what it found, rows.c lays it out for the
 * waterfall.
 */
#ifndef NETAN_METHODS_LATE_STATE_H
#define NETAN_METHODS_LATE_STATE_H

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/methods/late/late.h"

#define LA_NONE UINT32_MAX

enum {
	LA_ACTIONS_MAX = 1 << 18, /* of all that are asked for */
	LA_MOVES_MAX = 1 << 19,
	LA_STEPS_MAX = 4096, /* of one path */
	LA_ROWS_MAX = 1024   /* of the waterfall */
};

/* One action, on its own host's clock. */
struct la_action {
	int64_t start_ps, end_ps;
	uint64_t size_bytes;
	uint32_t host, device; /* LA_NONE: old messages do not tell */
	uint32_t collective, launch, iteration;
	uint32_t name, inputs; /* texts */
	uint32_t first, n;     /* moves */
	int32_t index, chunk;
	uint8_t kind, style;
};

/* One transfer of a send or a receive. */
struct la_move {
	uint32_t action, peer; /* peer: the move at the other end; LA_NONE */
	uint32_t src, dst;
	uint64_t size_bytes;
	int64_t latency_ps; /* NA_UNKNOWN_PS: not told, or cut off at 0 */
	int32_t chunk;
	uint8_t side;
};

struct la_all {
	const struct na_scope *scope;
	const struct na_store *store;
	const struct na_host_clocks *clocks;
	const struct na_late_ask *asks;
	size_t n_asks;
	struct na_strtab texts;
	NA_VEC(struct la_action) actions;
	NA_VEC(struct la_move) moves;
	bool full; /* more than LA_ACTIONS_MAX */
};

/* What time on the path went by with. */
enum la_kind {
	LA_D2H,
	LA_SEND, /* held at the sender, before the network */
	LA_NETWORK,
	LA_RECEIVE, /* the receiver was not ready */
	LA_COMPUTE,
	LA_H2D,
	LA_WAIT,      /* between actions of one host */
	LA_LATE_PEER, /* another device had not begun, or its trace is not
			 there */
	LA_RECV_DONE, /* the host was done */
	LA_N_KINDS
};

/* Relative to the start of what is asked, on the clock of its host. */
struct la_segment {
	enum la_kind kind;
	int64_t from_ps, to_ps;
	uint32_t host, device;
	uint32_t action; /* LA_NONE */
	uint32_t move;   /* LA_NONE; network, send, receive, late_peer */
};

/* The actions of one execution, on the clock of the asking host. */
struct la_node {
	int64_t start_ps, end_ps; /* relative to the start of what is asked */
	uint32_t action;
	bool critical;
};

struct la_path {
	const struct na_late_ask *ask;
	uint32_t host, device, run;
	uint32_t launch, iteration;
	NA_VEC(struct la_node) nodes; /* by end, start, input order */
	struct la_node *sends;        /* of all executions; likewise, by end */
	size_t n_sends;
	uint32_t *node_of;               /* by action; LA_NONE */
	struct la_numbers *numbers;      /* path.c's, of one device */
	NA_VEC(struct la_segment) steps; /* first to last */
	int64_t uncertainty_ps; /* the largest on the path; NA_TIME_MAX */
	bool told;              /* by action_inputs */
	const char *why;        /* there is no path; else NULL */
};

/* gather.c.  False in all of these: no memory. */
enum na_status na_late_gather(struct la_all *all,
			      struct na_err *err) NA_MUST_CHECK;
void na_late_fini(struct la_all *all);
/* How well the clocks of a transfer's ends are known to each other. */
int64_t na_late_known(const struct la_all *all, const struct la_path *p,
		      const struct la_move *m);
uint32_t na_late_host(const struct la_all *all, const struct na_late_ask *ask);
/* LA_NONE: not told. */
uint32_t na_late_device(const struct la_all *all,
			const struct na_late_ask *ask);

/* match.c */
bool na_late_match(struct la_all *all) NA_MUST_CHECK;

/* nodes.c.  The execution on the asking device that overlaps most of
 * what is asked, or which of its actions does; NULL. */
const struct la_action *na_late_execution(const struct la_all *all,
					  const struct la_path *p);
bool na_late_find_nodes(const struct la_all *all,
			struct la_path *p) NA_MUST_CHECK;
void na_late_path_fini(struct la_path *p);

/* path.c */
extern const unsigned na_late_waits_for[NA_N_ACTIONS]; /* bits of kinds */
/* The last of those that action_inputs tell; LA_NONE: they do not.  Ask for
 * one device after the other. */
uint32_t na_late_told_before(const struct la_all *all, const struct la_path *p,
			     uint32_t node);
bool na_late_find_path(const struct la_all *all, const struct na_late_ask *ask,
		       struct la_path *p) NA_MUST_CHECK;

/* alike.c */
enum la_alike {
	LA_STANDS_OUT, /* or nobody is there to compare with */
	LA_AS_MOST,
	LA_AS_ALL
};
/* Of a wait before an action.  False: no memory. */
bool na_late_alike(const struct la_all *all, const struct la_path *p,
		   const struct la_segment *s,
		   enum la_alike *how) NA_MUST_CHECK;

/* words.c */
extern const char *const na_late_kind_names[LA_N_KINDS];
void na_late_shares(const struct la_path *p, int64_t of_ps[LA_N_KINDS]);
/* The kind that took most, in one sentence; nothing without a path.  False:
 * no memory. */
bool na_late_cause(const struct la_all *all, const struct la_path *p,
		   struct na_str *to) NA_MUST_CHECK;
const char *na_late_host_name(const struct la_all *all, uint32_t host);
const char *na_late_device_name(const struct la_all *all, uint32_t device,
				char buf[NA_ENDPOINT_BUF]);

/* rows.c: the waterfall, aside.  False: no memory. */
bool na_late_put_rows(const struct la_all *all, const struct la_path *p,
		      struct na_result *r) NA_MUST_CHECK;

#endif
