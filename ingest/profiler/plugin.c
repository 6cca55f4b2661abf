/*
 * Reader of the files that NCCL's example profiler plugin writes: an array of
 * events in which the parts of an operation stand between its begin and its
 * end.  It is often never closed.
 *
 * An operation's own begin is when it was put into the queue, and its end the
 * same, until a later release puts that off until its parts have ended.  So it
 * runs from its first kernel channel, else its first proxy operation, to the
 * last end of any of these; without such it is not known.  A stamp of 0 was
 * never taken.
 *
 * Sources: NVIDIA/nccl plugins/profiler/example (print_event.cc, plugin.cc),
 * before that ext-profiler/example.
 */
#include <inttypes.h>
#include <string.h>

#include "ingest/json/json.h"
#include "ingest/profiler/plugin_event.h"
#include "ingest/profiler/profiler.h"
#include "netan/base/units.h"

/* ---- an operation while its parts go by */

/* What one queue pair, or all sockets, or the waits of a proxy operation,
 * carry. */
struct part {
	bool on;
	int64_t from_ns;
	struct na_plugin_event is;
};

struct walk {
	struct part op, proxy, net, wire;
	int64_t kernel_ns, proxies_ns, end_ns; /* -1: none */
	/* Of the proxy operation: what it sent, unless its parts say so. */
	int64_t sent_from_ns, sent_to_ns;
	bool told;
};

static int64_t lower(int64_t a, int64_t b)
{
	return a < 0 || b < a ? b : a;
}

static bool opens(struct part *p, const struct na_plugin_event *e)
{
	if (e->begins)
		*p = (struct part){true, e->ts_ns, *e};
	return e->begins;
}

/* The end of what is open; in files that are whole nothing else ends. */
static bool closes(struct part *p, const struct na_plugin_event *e)
{
	bool same = e->ends && p->on && e->id == p->is.id &&
		    na_text_same(e->name, p->is.name);

	if (same)
		p->on = false;
	return same;
}

static void note_end(struct walk *w, const struct na_plugin_event *e)
{
	if (e->ends && e->ts_ns > w->end_ns)
		w->end_ns = e->ts_ns;
}

static bool sends(const struct part *proxy)
{
	return na_text_ends(proxy->is.name, "Send");
}

/* What an event ends, for those who want to know. */
enum ended { NOTHING, OPERATION, PROXY, WIRE };

/* Scheduled, then in progress: one after the other, and steps come in the
 * second. */
static enum ended on_proxy(struct walk *w, const struct na_plugin_event *e)
{
	if (e->begins && e->peer < 0)
		return NOTHING; /* Idle, Sleep, Append */
	if (opens(&w->proxy, e)) {
		w->sent_from_ns = w->sent_to_ns = -1;
		w->told = false;
		if (e->ts_ns > 0)
			w->proxies_ns = lower(w->proxies_ns, e->ts_ns);
		return NOTHING;
	}
	if (!closes(&w->proxy, e))
		return NOTHING;
	note_end(w, e);
	return PROXY;
}

static enum ended on_net(struct walk *w, const struct na_plugin_event *e)
{
	if (opens(&w->net, e) || !closes(&w->net, e) ||
	    !na_text_is(e->name, "SendWait"))
		return NOTHING;
	if (w->net.from_ns > 0)
		w->sent_from_ns = lower(w->sent_from_ns, w->net.from_ns);
	if (e->ts_ns > w->sent_to_ns)
		w->sent_to_ns = e->ts_ns;
	return NOTHING;
}

static enum ended on_wire(struct walk *w, const struct na_plugin_event *e)
{
	if (opens(&w->wire, e) || !closes(&w->wire, e))
		return NOTHING;
	w->told = true;
	return WIRE;
}

static void on_kernel(struct walk *w, const struct na_plugin_event *e)
{
	if (e->begins && e->ts_ns > 0)
		w->kernel_ns = lower(w->kernel_ns, e->ts_ns);
	note_end(w, e);
}

static enum ended on_event(struct walk *w, const struct na_plugin_event *e)
{
	switch (e->kind) {
	case NA_PLUGIN_OP:
		if (e->begins) {
			*w = (struct walk){.op = {true, e->ts_ns, *e},
					   .kernel_ns = -1,
					   .proxies_ns = -1,
					   .end_ns = -1};
			return NOTHING;
		}
		if (!closes(&w->op, e))
			return NOTHING;
		note_end(w, e);
		return OPERATION;
	case NA_PLUGIN_PROXY:
		return on_proxy(w, e);
	case NA_PLUGIN_NET:
		return on_net(w, e);
	case NA_PLUGIN_IB:
	case NA_PLUGIN_SOCKET:
		return on_wire(w, e);
	case NA_PLUGIN_KERNEL:
		on_kernel(w, e);
		return NOTHING;
	default:
		return NOTHING;
	}
}

/* When the operation ran; false: it does not say. */
static bool ran(const struct walk *w, int64_t *from_ns)
{
	*from_ns = w->kernel_ns >= 0 ? w->kernel_ns : w->proxies_ns;
	return *from_ns >= 0 && w->end_ns >= *from_ns;
}

/* ---- which file it is */

static enum na_sniff sniff(const uint8_t *head, size_t n, uint64_t size,
			   const char **why)
{
	struct na_json j = na_json_of(na_text_n((const char *)head, n), 0);
	bool phase = false, category = false;

	(void)size;
	(void)why;
	j.bare = true;
	if (na_json_next(&j) != NA_JSON_ARRAY ||
	    na_json_next(&j) != NA_JSON_OBJECT)
		return NA_SNIFF_NO;
	while (na_json_next(&j) == NA_JSON_KEY) {
		static const char *const others[] = {
			"GROUP_API", "COLL_API",      "P2P_API", "GROUP",
			"COLL",      "KERNEL_LAUNCH", "P2P",     "PROXY",
			"NET",       "GPU",           "NET_IB",  "NET_SOCK",
			"CE_COLL",   "CE_SYNC",       "CE_BATCH"};
		bool is_phase = na_json_is(&j, "ph");

		if (!is_phase && !na_json_is(&j, "cat")) {
			na_json_skip(&j);
			continue;
		}
		na_json_next(&j);
		phase |= is_phase &&
			 (na_json_is(&j, "b") || na_json_is(&j, "e"));
		for (size_t i = 0; !is_phase && i < NA_LEN(others); i++)
			category |= na_json_is(&j, others[i]);
	}
	return phase && category ? NA_SNIFF_YES : NA_SNIFF_NO;
}

/* ---- events of a file */

struct events {
	const char *s, *end;
	bool broken; /* not at the end of the array */
};

static bool next_event(struct events *x, struct na_plugin_event *e)
{
	const char *next;

	while (x->s < x->end &&
	       (*x->s == ' ' || (*x->s >= '\t' && *x->s <= '\r') ||
		*x->s == ',' || *x->s == '['))
		x->s++;
	if (x->s == x->end || *x->s == ']')
		return false;
	next = *x->s == '{' ? na_plugin_event(x->s, x->end, e) : NULL;
	x->broken = !next;
	if (next)
		x->s = next;
	return next;
}

static void say(struct na_input *in, const struct events *x)
{
	if (!x->broken)
		return;
	in->damaged = true;
	na_input_warn(in,
		      "byte %" PRIu64 ": expected a whole event; "
		      "%" PRIu64 " bytes left out, %" PRIu64
		      " whole events before them are read",
		      (uint64_t)(x->s - (const char *)in->data),
		      (uint64_t)(x->end - x->s), in->events);
}

static bool look(struct na_profiled *p, struct walk *w,
		 const struct na_plugin_event *e)
{
	const struct na_plugin_event *op = &w->op.is;
	int64_t from;

	if (on_event(w, e) == OPERATION) {
		if (ran(w, &from))
			na_profiled_at(p, from);
		else
			p->n_untimed++;
		return !op->has_comm ||
		       na_profiled_saw(p, op->comm, op->rank, op->peer);
	}
	return e->kind != NA_PLUGIN_PROXY || !w->op.on || !op->has_comm ||
	       na_profiled_saw(p, op->comm, op->rank, e->peer);
}

static enum na_status open_plugin(struct na_input *in, struct na_err *err)
{
	struct na_profiled *p = na_calloc(1, sizeof(*p));
	struct events x = {.s = (const char *)in->data};
	struct walk w = {.op = {.on = false}};
	struct na_plugin_event e;

	in->state = p;
	if (!p)
		return na_fail_nomem(err);
	x.end = p->end = x.s + in->size;
	for (const char *from = x.s; next_event(&x, &e); from = x.s) {
		in->events++;
		if ((!w.op.on && !na_profiled_border(p, from)) ||
		    !look(p, &w, &e))
			return na_fail_nomem(err);
	}
	na_profiled_settle(in, p,
			   "NCCL_PROFILE_EVENT_MASK with kernel channels and "
			   "proxy operations");
	say(in, &x);
	return NA_OK;
}

/* ---- records */

static const char *type_of(const struct na_plugin_event *e)
{
	return e->kind == NA_PLUGIN_IB ? "queue_pair" : "socket";
}

static int64_t type_bytes(struct na_text type)
{
	/* clang-format off */
	static const struct {
		const char *name;
		int64_t bytes;
	} types[] = {
		{"ncclInt8", 1}, {"ncclUint8", 1}, {"ncclChar", 1},
		{"ncclInt32", 4}, {"ncclInt", 4}, {"ncclUint32", 4},
		{"ncclInt64", 8}, {"ncclUint64", 8}, {"ncclFloat16", 2},
		{"ncclHalf", 2}, {"ncclFloat32", 4}, {"ncclFloat", 4},
		{"ncclFloat64", 8}, {"ncclDouble", 8}, {"ncclBfloat16", 2},
		{"ncclFloat8e4m3", 1}, {"ncclFloat8e5m2", 1},
	};
	/* clang-format on */

	for (size_t i = 0; i < NA_LEN(types); i++) {
		if (na_text_is(type, types[i].name))
			return types[i].bytes;
	}
	return 0;
}

static struct na_profiled_op op_of(const struct walk *w)
{
	const struct na_plugin_event *e = &w->op.is;
	struct na_profiled_op op = {
		.name = e->name,
		.type = e->type,
		.comm = e->comm,
		.rank = e->rank,
		.peer = e->peer,
		.sequence = e->sequence,
		.count_bytes = -1,
		.start_ns = -1,
		.end_ns = w->end_ns,
	};
	int64_t each = type_bytes(e->type), bytes;

	if (each && e->count >= 0 && na_mul_i64(e->count, each, &bytes))
		op.count_bytes = bytes;
	if (!ran(w, &op.start_ns))
		op.start_ns = -1;
	return op;
}

/* What a queue pair or a socket carried. */
static enum na_status put_wire(struct na_profiled_reading *r,
			       const struct walk *w,
			       const struct na_profiled_op *op,
			       const struct na_plugin_event *e)
{
	const struct na_plugin_event *wire = &w->wire.is;
	struct na_profiled_sent x = {w->proxy.is.peer, w->wire.from_ns,
				     e->ts_ns, wire->size, type_of(wire)};
	enum na_status st = NA_OK;

	if (wire->kind == NA_PLUGIN_IB)
		st = na_profiled_put_qp(r, op, &x, wire->qp, sends(&w->proxy));
	if (st == NA_OK && sends(&w->proxy))
		st = na_profiled_put_sent(r, op, &x);
	return st;
}

/* Of what has ended: an operation; what a queue pair or socket sent; where
 * neither is told, what its proxy operation did. */
static enum na_status put(struct na_profiled_reading *r, const struct walk *w,
			  enum ended what, const struct na_plugin_event *e)
{
	struct na_profiled_op op = op_of(w);

	if (!w->op.is.has_comm) {
		r->sink->left_out(r->sink->ctx, NA_LEFT_DAMAGED,
				  what == OPERATION);
		return NA_OK;
	}
	if (what == OPERATION)
		return na_profiled_put(r, &op);
	if (what == WIRE)
		return put_wire(r, w, &op, e);
	if (!sends(&w->proxy))
		return NA_OK;
	if (w->told || w->sent_from_ns < 0 || w->proxy.is.sent_bytes <= 0)
		return NA_OK;
	return na_profiled_put_sent(
		r, &op,
		&(struct na_profiled_sent){w->proxy.is.peer, w->sent_from_ns,
					   w->sent_to_ns,
					   w->proxy.is.sent_bytes, "proxy_op"});
}

static enum na_status read_block(const struct na_input *in,
				 const struct na_block *b,
				 const struct na_sink *sink, struct na_err *err)
{
	struct na_profiled_reading r = {.in = in,
					.p = b->owner,
					.sink = sink,
					.rank = -1};
	struct events x = {.s = (const char *)b->p,
			   .end = (const char *)b->end};
	struct walk w = {.op = {.on = false}};
	enum na_status st = NA_OK;
	struct na_plugin_event e;

	while (st == NA_OK && next_event(&x, &e)) {
		enum ended what = on_event(&w, &e);

		if (what == OPERATION || (what != NOTHING && w.op.on))
			st = put(&r, &w, what, &e);
	}
	/* It had not ended when the file did. */
	if (st == NA_OK && w.op.on)
		sink->left_out(sink->ctx, NA_LEFT_NO_LATENCY, 1);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

const struct na_reader na_reader_plugin = {
	.ranks = true,
	.name = "nccl plugin",
	.sniff = sniff,
	.open = open_plugin,
	.cut = na_profiled_cut,
	.read = read_block,
	.close = na_profiled_close,
};
