/*
 * A small job's traces written event by event, in a temporary directory:
 *
 *	t = hand_trace_new();
 *	hand_trace_host(t, "a");
 *	hand_trace_plane(t, "/device:TPU:0");
 *	hand_trace_line(t, "XLA Ops");
 *	hand_trace_event(t, "send.1", 100, 10, "run_id", "u:7", NULL);
 *	hand_trace_close(t);
 *	... hand_trace_dir(t) ...
 *	hand_trace_free(t);
 *
 * Times are in ns.  A stat's value is a letter, a colon and the value:
 * "i:-5" int64, "u:5" uint64, "s:text", "b:0a1f" bytes.
 */
#ifndef TESTS_UNIT_HAND_TRACE_H
#define TESTS_UNIT_HAND_TRACE_H

#include <stdint.h>

struct hand_trace;

struct hand_trace *hand_trace_new(void);
/* Removes the files. */
void hand_trace_free(struct hand_trace *t);
const char *hand_trace_dir(const struct hand_trace *t);

/* Each ends what was open before. */
void hand_trace_host(struct hand_trace *t, const char *name);
void hand_trace_plane(struct hand_trace *t, const char *name);
void hand_trace_line(struct hand_trace *t, const char *name);
void hand_trace_close(struct hand_trace *t);

/* An event type with a shown name (NULL: none) and constants; before its
 * first event. */
void hand_trace_type(struct hand_trace *t, const char *name, const char *shown,
		     ...);
void hand_trace_event(struct hand_trace *t, const char *name, int64_t at_ns,
		      int64_t ns, ...);
/* The same in ps. */
void hand_trace_event_ps(struct hand_trace *t, const char *name, int64_t at_ps,
			 int64_t ps);

/* An op over the data-center network on the open line, with a text of its own
 * that says what the fields say: "send.5", "recv-done.7", ... */
struct hand_op {
	const char *name;
	const char *of;      /* rendezvous; NULL: it does not say */
	const char *operand; /* of a -done; NULL: it does not say */
	int channel;         /* 0: it does not say */
	int64_t at_ns, ns;
	int64_t ps; /* more */
};
void hand_trace_op(struct hand_trace *t, const struct hand_op *x);
/* What the ops exchange from now on: f32[1024], ONE_TO_ONE until changed. */
extern const char *hand_op_shape, *hand_op_type;
/* dcn_collective_info, "b:..."; NULL: none. */
extern const char *hand_op_info;

/* A graph execution and, of bytes sent or received, the action's END:
 * "NetworkReceive END"; key is all of the graph_key. */
void hand_trace_graph(struct hand_trace *t, const char *key, int64_t at_ns,
		      int64_t ns);
void hand_trace_receive(struct hand_trace *t, const char *key, int64_t end_ns,
			const char *latency, const char *buffers);

#endif
