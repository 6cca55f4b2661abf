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

/* Edges of a core wait until nothing can come before them. */
enum { MANY_EDGES = 1 << 14 };

struct sweep { /* of a core at a time */
	const struct na_op_type *types;
	struct na_triples open; /* kind, name or channel, rest of it */
	NA_VEC(int64_t) since;  /* by key; NA_TIME_MAX: not open */
	NA_VEC(struct edge) edges;
	size_t many; /* edges, to be looked at */
	size_t wait; /* next wait */
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

static bool add_edges(struct sweep *w, int64_t start_ps, int64_t end_ps,
		      uint8_t network)
{
	return end_ps <= start_ps ||
	       (na_add(&w->edges, ((struct edge){start_ps, 1, network})) &&
		na_add(&w->edges, ((struct edge){end_ps, -1, network})));
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

static bool add_op(struct sweep *w, const struct na_op *x)
{
	const struct na_op_type *t = &w->types[x->type];
	int64_t *since, *channel;

	if (!add_edges(w, x->start_ps, x->end_ps, t->network))
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

NA_ORDER(by_time, struct edge, NA_UP(at_ps), NA_UP(network), NA_UP(step))

/* In small steps: doubled room would not fit what an op may take. */
static bool more_segments(struct st_state *s)
{
	size_t cap = s->segments.n + s->segments.n / 8 + 1024;
	struct st_segment *to;

	if (s->segments.n < s->segments.cap)
		return true;
	to = cap < SIZE_MAX / sizeof(*to)
		     ? realloc(s->segments.v, cap * sizeof(*to))
		     : NULL;
	if (!to)
		return false;
	s->segments.v = to;
	s->segments.cap = cap;
	return true;
}

static bool put_segment(struct st_state *s, size_t first, int64_t start_ps,
			int64_t end_ps, uint8_t network)
{
	struct st_segment *last = s->segments.n > first
					  ? &s->segments.v[s->segments.n - 1]
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
		if (!more_segments(s))
			return false;
		s->segments.v[s->segments.n++] = (struct st_segment){
			start_ps, (uint64_t)length & ST_SEGMENT_MAX_PS,
			network};
		start_ps += length;
	}
	return true;
}

static bool waits(uint8_t network, const int64_t *level)
{
	return network != NA_NET_DCN && network < NA_N_NETWORKS &&
	       level[ST_WAITING] > 0;
}

static void sweep_clear(struct sweep *w)
{
	na_triples_fini(&w->open);
	w->edges.n = w->since.n = 0;
	w->many = MANY_EDGES;
	w->at_ps = 0;
	memset(w->level, 0, sizeof(w->level));
}

/* Those that begin before. */
static bool add_waits(struct sweep *w, const struct st_state *s, uint32_t core,
		      int64_t before_ps)
{
	bool ok = true;

	while (w->wait < s->waits.n && s->waits.v[w->wait].core < core)
		w->wait++;
	for (; ok && w->wait < s->waits.n && s->waits.v[w->wait].core == core &&
	       s->waits.v[w->wait].start_ps < before_ps;
	     w->wait++)
		ok = add_edges(w, s->waits.v[w->wait].start_ps,
			       s->waits.v[w->wait].end_ps, ST_WAITING);
	return ok;
}

/* The edges before that time, which are all there.  Where ops of several
 * networks run at once, the farthest counts. */
static bool put_segments(struct st_state *s, struct sweep *w, uint32_t core,
			 int64_t before_ps)
{
	size_t first = s->lines[core].segment_from, i;

	if (!add_waits(w, s, core, before_ps))
		return false;
	na_sort(w->edges.v, w->edges.n, by_time);
	for (i = 0; i < w->edges.n; i++) {
		const struct edge *e = &w->edges.v[i];
		uint8_t k = 0;

		if (e->at_ps >= before_ps && before_ps < NA_TIME_MAX)
			break;
		while (k <= ST_IN_FLIGHT && !w->level[k])
			k++;
		if (k <= ST_IN_FLIGHT && e->at_ps > w->at_ps &&
		    !put_segment(s, first, w->at_ps, e->at_ps,
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
static bool put_some_segments(struct st_state *s, struct sweep *w,
			      const struct na_op *next)
{
	int64_t before_ps = next->start_ps;

	if (w->edges.n < w->many)
		return true;
	for (size_t i = 0; i < w->since.n; i++)
		before_ps = w->since.v[i] < before_ps ? w->since.v[i]
						      : before_ps;
	if (!put_segments(s, w, next->core, before_ps))
		return false;
	w->many = MANY_EDGES > 2 * w->edges.n ? MANY_EDGES : 2 * w->edges.n;
	return true;
}

static bool segments_of(struct st_state *s, struct sweep *w,
			const struct na_op *const *ops, size_t n)
{
	struct st_line *line = &s->lines[ops[0]->core];
	bool ok = true;

	sweep_clear(w);
	line->segment_from = s->segments.n;
	for (size_t i = 0; ok && i < n; i++)
		ok = put_some_segments(s, w, ops[i]) && add_op(w, ops[i]);
	ok = ok && put_segments(s, w, ops[0]->core, NA_TIME_MAX);
	line->segment_to = s->segments.n;
	return ok;
}

bool na_steps_build_segments(struct st_state *s)
{
	struct sweep w = {.types = s->scope->store->devices.types.items};
	bool ok = true;

	na_sort_ops(s->got.ops.v, s->got.ops.n);
	for (size_t i = 0, to; ok && i < s->got.ops.n; i = to) {
		uint32_t core = s->got.ops.v[i]->core;

		for (to = i;
		     to < s->got.ops.n && s->got.ops.v[to]->core == core;)
			to++;
		ok = segments_of(s, &w, &s->got.ops.v[i], to - i);
	}
	sweep_clear(&w);
	na_vec_free(&w.since);
	na_vec_free(&w.edges);
	na_vec_free(&s->waits);
	na_vec_free(&s->got.ops);
	return ok;
}
