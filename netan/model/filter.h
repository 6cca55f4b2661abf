/*
 * Which records count.
 *
 *	na_filter        what was asked
 *	na_filter_alone  by what a transfer alone can tell, while it is read
 *	na_bound_filter  the same filter with its verdicts on the hosts and
 *	                 endpoints of a resolved store: for hosts, steps, and
 *	                 times, which an old message has only once its anchor
 *	                 is known
 *
 * A record that passes alone is asked again once bound.  Times are picoseconds
 * since the origin; a window is half open, [from, to).  Filters are read only:
 * any number of threads may ask.  No function here fails but na_filter_bind().
 */
#ifndef NETAN_MODEL_FILTER_H
#define NETAN_MODEL_FILTER_H

#include <stdbool.h>

#include "netan/base/opt.h"
#include "netan/base/units.h"
#include "netan/model/packed.h"

/* Times and steps that are asked for, of one run. */
struct na_run_window {
	int64_t from_ps, to_ps;
	int64_t first_step, last_step;
};

/* Lists are borrowed. */
struct na_filter {
	const struct na_text_list *host, *src, *dst, *collective; /* or NULL */
	int side; /* enum na_side; -1: both */
	uint64_t min_bytes, max_bytes;
	int64_t from_ps, to_ps;        /* NA_TIME_MIN, NA_TIME_MAX: open */
	bool clip;                     /* overlap counts, not the end */
	int64_t first_step, last_step; /* -1: all */
	/* Where each run has a window of its own, as slices do, these; the
	 * members above hold all of them then.  NULL: they count in all. */
	const struct na_run_window *by_run;
	bool include_loopback;
	bool instants;       /* clock_skew and no_latency, too */
	bool censored;       /* these count under their class, yet are kept */
	double max_rate_bps; /* 0: none */
	int64_t min_latency_ps;
	uint32_t components; /* NA_COMP_BIT()s that are asked for */
	/* Of a run whose traces tell transfers what its captures tell does not
	 * pass, unless calls alone are asked for: one is a message one way, the
	 * other holds a server's own time. */
	bool traces_first;
	/* The other way round: of such a run what its captures tell passes,
	 * and no transfer of its traces. */
	bool captures_alone;
};

struct na_store;

/* Everything passes but loopback, and components other than network and rpc. */
void na_filter_init(struct na_filter *f);
/* False is final.  Loopback, instants and --collective are the caller's. */
bool na_filter_alone(const struct na_filter *f, const struct na_transfer *t);
bool na_filter_collective(const struct na_filter *f, const char *name);

/* What is asked of the run that the input is of. */
struct na_run_window na_filter_of_input(const struct na_filter *f,
					const struct na_store *store,
					uint32_t input);

/* Is a step of that number asked for? */
static inline bool na_window_has_step(const struct na_run_window *w,
				      int64_t number)
{
	return w->first_step < 0 ||
	       (number >= w->first_step && number <= w->last_step);
}

/* A step of a device. */
struct na_device_step {
	int64_t start_ps, end_ps;
	uint32_t core;
	bool asked; /* by --step */
};

/* Calls, and nothing else, are asked for. */
static inline bool na_filter_calls_alone(const struct na_filter *f)
{
	return f->components == NA_COMP_BIT(NA_COMP_RPC);
}

/* Of a run; and when the steps that are asked for run, on any device: always,
 * where all are. */
struct na_run_asked {
	struct na_run_window window;
	int64_t steps_from_ps, steps_to_ps;
};

/* Verdicts on endpoints and hosts, made once. */
struct na_bound_filter {
	const struct na_filter *filter;
	const struct na_store *store;
	bool *host_ok, *src_ok, *dst_ok; /* NULL: all */
	bool open;    /* of transfers nothing but side and component is asked */
	bool all;     /* of a trace nothing but side and time, of its graph
			 executions nothing at all */
	bool *end_ok; /* --host in captures: by address or its host */
	bool *aside;  /* by input: see traces_first; NULL: none */
	int64_t steps_from_ps, steps_to_ps; /* of --step, all devices */
	struct na_run_asked *runs;
	/* With --step, of all devices, sorted by core and start. */
	struct na_device_step *steps;
	size_t n_steps;
	bool every_host; /* device planes of all hosts pass; false at first */
};
/* Both are borrowed until na_filter_unbind(), the store resolved.  False when
 * memory is short; to be unbound even so. */
bool na_filter_bind(struct na_bound_filter *l, const struct na_filter *f,
		    const struct na_store *s);
void na_filter_unbind(struct na_bound_filter *l);
/* Does every transfer of a trace pass? */
static inline bool na_filter_keeps_all(const struct na_bound_filter *l)
{
	return l->all && l->filter->side < 0;
}

/* TOO_FAST: above max_rate_bps; all else does not pass as FILTERED. */
enum na_verdict { NA_KEEP, NA_DROP_FILTERED, NA_DROP_TOO_FAST };
enum na_verdict na_filter_asked(const struct na_bound_filter *l,
				const struct na_transfer *t);

static inline enum na_verdict
na_filter_transfer(const struct na_bound_filter *l, const struct na_transfer *t)
{
	int side = l->filter->side;

	/* An end at the limit of time may have been cut there. */
	return l->all && t->style < NA_STYLE_CAPTURE &&
			       (side < 0 || side == t->side) &&
			       t->start_ps <= t->end_ps &&
			       t->end_ps < NA_TIME_MAX
		       ? NA_KEEP
		       : na_filter_asked(l, t);
}
/* What packets of that input tell is left to others. */
static inline bool na_filter_aside(const struct na_bound_filter *l,
				   uint32_t input)
{
	return l->aside && l->aside[input];
}
/* The component that an action's duration is; NA_N_COMPONENTS: none. */
enum na_component na_exec_component(enum na_action_kind kind);
/* Graph executions and actions by host, collective, size and time, and by
 * generation where both tell the same; of --step, those of the steps of their
 * device; graph executions of no device, that end while one of them runs. */
bool na_filter_exec_asked(const struct na_bound_filter *l,
			  const struct na_exec *g);

static inline bool na_filter_exec(const struct na_bound_filter *l,
				  const struct na_exec *g)
{
	return (l->all && g->kind == NA_ACT_GRAPH &&
		g->style != NA_STYLE_MESSAGE) ||
	       na_filter_exec_asked(l, g);
}

struct na_host_event;
/* By host and time; of --step, what ends while one of the steps runs. */
bool na_filter_host_event(const struct na_bound_filter *l,
			  const struct na_host_event *e);

/* A host by --host; an instant of an input's run by time and --step. */
bool na_filter_input(const struct na_bound_filter *l, uint32_t input);
bool na_filter_instant(const struct na_bound_filter *l, uint32_t input,
		       int64_t at_ps);
/* What a device does: by its end, and by the device's own step that holds its
 * last instant, as steps of devices overlap; on one without steps, as
 * na_filter_instant().  l NULL: all. */
bool na_filter_step_of(const struct na_bound_filter *l, uint32_t core,
		       int64_t start_ps, int64_t end_ps);
bool na_filter_on_core(const struct na_bound_filter *l, uint32_t core,
		       int64_t start_ps, int64_t end_ps);
/* A transfer of the store by these, whatever else is asked: for what is told
 * of all transfers of the window.  l NULL: all. */
static inline bool na_filter_when(const struct na_bound_filter *l,
				  const struct na_transfer *t)
{
	/* Others that are outside of --from and --to are not in the store. */
	return !l ||
	       (l->filter->first_step < 0 && !l->filter->by_run &&
		t->style != NA_STYLE_MESSAGE) ||
	       na_filter_instant(l, t->input, t->end_ps);
}

struct na_span;
struct na_op;
struct na_busy;
/* Records of devices and ranks, by host alone; busy times that take none do not
 * pass. */
bool na_filter_span(const struct na_bound_filter *l, const struct na_span *x);
bool na_filter_op(const struct na_bound_filter *l, const struct na_op *x);
bool na_filter_busy(const struct na_bound_filter *l, const struct na_busy *x);
struct na_comm;
bool na_filter_comm(const struct na_bound_filter *l, const struct na_comm *x);
/* As na_filter_on_core(). */
bool na_filter_comm_when(const struct na_bound_filter *l,
			 const struct na_comm *x);

struct na_call;
struct na_wire_packet;
struct na_connection;
struct na_segment;
/*
 * Records of captures.  --host names a host or an address, and keeps what it
 * sends and what it receives; --step, while these steps run.  A call passes as
 * its transfer does, by its end; one without an answer by its start.  A
 * connection passes when its time meets the window, and was counted in it alone
 * or lies inside; --src and --dst name its ends in either order, by
 * "address:port", too.
 */
bool na_filter_call(const struct na_bound_filter *l, const struct na_call *c);
bool na_filter_connection(const struct na_bound_filter *l,
			  const struct na_connection *c);
/* Its time alone, whoever its ends are. */
bool na_filter_connection_time(const struct na_bound_filter *l,
			       const struct na_connection *c);
struct na_queue_pair;
struct na_qp_mark;
struct na_qp_use;
/* As a connection, but --src sends and --dst receives. */
bool na_filter_queue_pair(const struct na_bound_filter *l,
			  const struct na_queue_pair *q);
/* As its queue pair, which says more: all of them. */
static inline bool na_filter_qp_mark(const struct na_bound_filter *l,
				     const struct na_qp_mark *x)
{
	return l && x;
}
/* Of whichever queue pair: all of them. */
static inline bool na_filter_qp_use(const struct na_bound_filter *l,
				    const struct na_qp_use *x)
{
	return l && x;
}
/* Segments are of the one connection that was asked for: all of them. */
static inline bool na_filter_segment(const struct na_bound_filter *l,
				     const struct na_segment *x)
{
	return l && x;
}
#define NA_SIDE_BIT(side) (1u << (side))
/* As what a packet counts, NA_SIDE_BIT()s; 0: not at all.  Each was seen
 * once: it is received by its destination; to the hosts of --host, received
 * or sent by them or both. */
unsigned na_filter_packet(const struct na_bound_filter *l,
			  const struct na_wire_packet *w);

#endif
