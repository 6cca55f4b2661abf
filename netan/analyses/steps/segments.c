/* steps: the times in which a device communicates, from its ops. */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

struct interval {
	int64_t start_ps, end_ps;
	uint8_t network;
};

struct edge {
	int64_t at_ps;
	int8_t step;
	uint8_t network;
};

/* Edges of a core wait until nothing can come before them; how far from the
 * last of them one is put in its place. */
enum { MANY_EDGES = 1 << 14, NEAR = 256 };

struct sweep { /* of a core */
	const struct na_op_type *types;
	struct na_triples open; /* kind, name or channel, rest of it */
	NA_VEC(int64_t) since;  /* by key; NA_TIME_MAX: not open */
	NA_VEC(struct edge) edges;
	bool mixed;                              /* edges are not in order */
	size_t many;                             /* edges, to be looked at */
	const struct st_wait *waits, *waits_end; /* to come */
	struct st_line *line;
	int64_t level[ST_WAITING + 1], at_ps;
};

enum { KEY_COLLECTIVE, KEY_START, KEY_CHANNEL };

static struct na_triple key_of(const struct na_op_type *t)
{
	if (t->network == NA_NET_DCN)
		return (struct na_triple){KEY_COLLECTIVE, t->collective, 0};
	if (t->phase == NA_OP_DONE && t->start_op == NA_UNKNOWN_U32)
		return (struct na_triple){KEY_CHANNEL, (uint32_t)t->channel,
					  t->opcode};
	return (struct na_triple){KEY_START,
				  t->phase == NA_OP_DONE ? t->start_op
							 : t->name,
				  0};
}

static int64_t *since_of(struct sweep *w, struct na_triple key)
{
	uint32_t k = na_triples_add(&w->open, key);

	if (k == NA_NO_TRIPLE ||
	    (k == w->since.n && !na_add(&w->since, NA_TIME_MAX)))
		return NULL;
	return &w->since.v[k];
}

NA_ORDER(by_time, struct edge, NA_UP(at_ps), NA_UP(network), NA_UP(step))

/* Most belong at the end, or near it. */
static bool add_edge(struct sweep *w, struct edge x)
{
	size_t last = w->edges.n, from = last > NEAR ? last - NEAR : 0, at;
	struct edge *v;

	if (!na_add(&w->edges, x))
		return false;
	v = w->edges.v;
	if (w->mixed || !last || by_time(&v[last - 1], &x) <= 0)
		return true;
	w->mixed = from && by_time(&v[from], &x) > 0;
	if (w->mixed)
		return true;
	at = NA_BOUND(i, from, last, by_time(&v[i], &x) > 0);
	memmove(&v[at + 1], &v[at], (last - at) * sizeof(*v));
	v[at] = x;
	return true;
}

static bool add_edges(struct sweep *w, int64_t start_ps, int64_t end_ps,
		      uint8_t network)
{
	return end_ps <= start_ps ||
	       (add_edge(w, (struct edge){start_ps, 1, network}) &&
		add_edge(w, (struct edge){end_ps, -1, network}));
}

/* Of an op and what is waited in it, in the order of time. */
static bool add_op_edges(struct sweep *w, const struct na_op *x,
			 uint8_t network, int64_t wait_ps)
{
	int64_t start_ps = x->start_ps, waited_ps = start_ps + wait_ps;
	bool runs = x->end_ps > start_ps;

	return (!runs || add_edge(w, (struct edge){start_ps, 1, network})) &&
	       add_edges(w, start_ps, waited_ps, ST_WAITING) &&
	       (!runs || add_edge(w, (struct edge){x->end_ps, -1, network}));
}

static bool opens(const struct na_op_type *t)
{
	return t->network == NA_NET_DCN
		       ? t->opcode == NA_OPCODE_SEND && t->phase != NA_OP_DONE
		       : t->phase == NA_OP_START;
}

static bool closes(const struct na_op_type *t)
{
	return t->phase == NA_OP_DONE &&
	       (t->network != NA_NET_DCN || t->opcode == NA_OPCODE_RECV);
}

static bool add_op(struct sweep *w, const struct na_op *x, int64_t wait_ps)
{
	const struct na_op_type *t = &w->types[x->type];
	int64_t *since, *channel;

	if (!add_op_edges(w, x, t->network, wait_ps))
		return false;
	if ((!opens(t) && !closes(t)) ||
	    (t->network == NA_NET_DCN && t->collective == NA_UNKNOWN_U32))
		return true;
	since = since_of(w, key_of(t));
	if (!since)
		return false;
	if (opens(t)) {
		*since = x->start_ps;
		if (t->network == NA_NET_DCN || t->channel < 0)
			return true;
		channel = since_of(w, (struct na_triple){KEY_CHANNEL,
							 (uint32_t)t->channel,
							 t->opcode});
		if (channel)
			*channel = x->start_ps;
		return channel;
	}
	if (*since <= x->start_ps &&
	    !add_edges(w, *since, x->end_ps, ST_IN_FLIGHT))
		return false;
	*since = NA_TIME_MAX;
	return true;
}

static bool put_segment(struct st_line *x, int64_t start_ps, int64_t end_ps,
			uint8_t network)
{
	struct st_segment *last = x->segments.n
					  ? &x->segments.v[x->segments.n - 1]
					  : NULL;

	if (last && na_steps_segment_end(last) == start_ps &&
	    last->network == network &&
	    na_time_between(last->start_ps, end_ps) <= ST_SEGMENT_MAX_PS) {
		last->length_ps = (uint64_t)(end_ps - last->start_ps) &
				  ST_SEGMENT_MAX_PS;
		return true;
	}
	while (start_ps < end_ps) {
		int64_t length = na_time_between(start_ps, end_ps);

		if (length > ST_SEGMENT_MAX_PS)
			length = ST_SEGMENT_MAX_PS;
		if (!na_add(&x->segments,
			    ((struct st_segment){start_ps,
						 (uint64_t)length &
							 ST_SEGMENT_MAX_PS,
						 network})))
			return false;
		start_ps += length;
	}
	return true;
}

static bool waits(uint8_t network, const int64_t *level)
{
	return network != NA_NET_DCN && network < NA_N_NETWORKS &&
	       level[ST_WAITING] > 0;
}

/* Those that begin before. */
static bool add_waits(struct sweep *w, int64_t before_ps)
{
	bool ok = true;

	for (; ok && w->waits < w->waits_end && w->waits->start_ps < before_ps;
	     w->waits++)
		ok = add_edges(w, w->waits->start_ps, w->waits->end_ps,
			       ST_WAITING);
	return ok;
}

/* The edges before that time, which are all there.  Where ops of several
 * networks run at once, the farthest counts. */
static bool put_segments(struct sweep *w, int64_t before_ps)
{
	size_t i;

	if (!add_waits(w, before_ps))
		return false;
	if (w->mixed)
		na_sort(w->edges.v, w->edges.n, by_time);
	w->mixed = false;
	for (i = 0; i < w->edges.n; i++) {
		const struct edge *e = &w->edges.v[i];
		uint8_t k = 0;

		if (e->at_ps >= before_ps && before_ps < NA_TIME_MAX)
			break;
		while (k <= ST_IN_FLIGHT && !w->level[k])
			k++;
		if (k <= ST_IN_FLIGHT && e->at_ps > w->at_ps &&
		    !put_segment(w->line, w->at_ps, e->at_ps,
				 waits(k, w->level) ? k | ST_WAITS : k))
			return false;
		w->at_ps = e->at_ps;
		w->level[e->network] += e->step;
	}
	w->edges.n -= i;
	if (i)
		memmove(w->edges.v, w->edges.v + i,
			w->edges.n * sizeof(*w->edges.v));
	return true;
}

/* What is open may yet tell when it began. */
static bool put_some_segments(struct sweep *w, const struct na_op *next)
{
	int64_t before_ps = next->start_ps;

	if (w->edges.n < w->many)
		return true;
	for (size_t i = 0; i < w->since.n; i++)
		before_ps = w->since.v[i] < before_ps ? w->since.v[i]
						      : before_ps;
	if (!put_segments(w, before_ps))
		return false;
	w->many = MANY_EDGES > 2 * w->edges.n ? MANY_EDGES : 2 * w->edges.n;
	return true;
}

/* ---- all devices, side by side */

struct building {
	struct st_state *s;
	size_t *op_from; /* by core, and behind the last */
	bool *ok;        /* by core */
};

static void build_line(void *arg, size_t core)
{
	const struct building *b = arg;
	struct st_state *s = b->s;
	const struct st_wait *waits = s->waits.v;
	size_t n = s->waits.n, from = b->op_from[core],
	       to = b->op_from[core + 1];
	struct sweep w = {.types = s->scope->store->devices.types.items,
			  .line = &s->lines[core],
			  .many = MANY_EDGES};
	bool ok = true;

	if (from < to && n) {
		w.waits = waits + NA_BOUND(i, 0, n, waits[i].core >= core);
		w.waits_end = waits + NA_BOUND(i, 0, n, waits[i].core > core);
	}
	for (size_t i = from; ok && i < to; i++)
		ok = put_some_segments(&w, s->got.ops.v[i]) &&
		     add_op(&w, s->got.ops.v[i], s->op_waits[i]);
	b->ok[core] = ok && put_segments(&w, NA_TIME_MAX);
	na_triples_fini(&w.open);
	na_vec_free(&w.since);
	na_vec_free(&w.edges);
}

bool na_steps_build_segments(struct st_state *s)
{
	struct building b = {.s = s};
	bool ok;

	b.op_from = na_calloc(s->n_lines + 1, sizeof(*b.op_from));
	b.ok = na_calloc(s->n_lines + 1, sizeof(*b.ok));
	ok = b.op_from && b.ok;
	for (size_t core = 0, i = 0; ok && core <= s->n_lines; core++) {
		while (i < s->got.ops.n && s->got.ops.v[i]->core < core)
			i++;
		b.op_from[core] = i;
	}
	ok = ok && na_side_by_side(s->scope, s->n_lines, build_line, &b);
	for (size_t i = 0; ok && i < s->n_lines; i++)
		ok = b.ok[i];
	free(b.op_from);
	free(b.ok);
	na_vec_free(&s->waits);
	free(s->op_waits);
	s->op_waits = NULL;
	na_vec_free(&s->got.ops);
	return ok;
}

void na_steps_drop_segments(struct st_state *s)
{
	for (size_t i = 0; s->lines && i < s->n_lines; i++)
		na_vec_free(&s->lines[i].segments);
}
