/*
 * steps: the line of each device.  Steps side by side, the times in which it
 * communicates, and how much of its busy time lies in both.
 */
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

NA_ORDER(by_place, struct st_span, NA_UP(core), NA_UP(program), NA_UP(start_ps),
	 NA_UP(end_ps), NA_UP(number), NA_UP(name))

NA_ORDER(by_name, const struct st_span *, NA_CMP((*x)->name, (*y)->name))

/* The program that took most time; the earlier name where equal. */
static bool longest_program(const struct st_span *x, size_t n, uint32_t *name)
{
	const struct st_span **p = na_calloc(n, sizeof(*p));
	na_i128 most = -1, sum = 0;

	if (!p)
		return false;
	for (size_t i = 0; i < n; i++)
		p[i] = &x[i];
	na_sort(p, n, by_name);
	for (size_t i = 0; i < n; i++) {
		sum = i && p[i]->name == p[i - 1]->name ? sum : 0;
		sum += na_time_between(p[i]->start_ps, p[i]->end_ps);
		if (sum > most) {
			most = sum;
			*name = p[i]->name;
		}
	}
	free(p);
	return true;
}

static bool in_window(const struct na_filter *f, const struct st_cell *c)
{
	return c->end_ps >= f->from_ps &&
	       (c->end_ps < f->to_ps || f->to_ps == NA_TIME_MAX) &&
	       (f->first_step < 0 ||
		(c->number >= f->first_step && c->number <= f->last_step));
}

/* Steps of one core: where two overlap, the first ends where the next
 * begins. */
static void put_cells(struct st_state *s, uint32_t core,
		      const struct st_span *x, size_t n, uint32_t only)
{
	struct st_line *line = &s->lines[core];
	bool named = false, program = x[0].program;
	int64_t order = 0;

	line->programs = program;
	for (size_t i = 0; i < n; i++)
		named = named || x[i].number >= 0;
	for (size_t i = 0; i < n; i++) {
		struct st_cell *c = &s->cells[s->n_cells];
		struct st_cell *last = s->n_cells > line->cell_from ? c - 1
								    : NULL;

		if ((program && x[i].name != only) ||
		    x[i].end_ps <= x[i].start_ps ||
		    na_time_between(x[i].start_ps, x[i].end_ps) > ST_LONGEST_PS)
			continue;
		if (named && x[i].number < 0) {
			s->unnamed++;
			continue;
		}
		*c = (struct st_cell){.start_ps = x[i].start_ps,
				      .end_ps = x[i].end_ps,
				      .number = named ? x[i].number : order,
				      .gap_ps = -1,
				      .core = core,
				      .kept = true};
		order++;
		if (x[i].told > line->told)
			line->told = x[i].told;
		if (last && last->end_ps > c->start_ps) {
			last->end_ps = c->start_ps;
			s->cut++;
		}
		if (last && last->end_ps <= last->start_ps)
			*last = *c;
		else
			s->n_cells++;
	}
	line->cell_to = s->n_cells;
}

static bool cells_of_core(struct st_state *s, const struct st_span *x, size_t n)
{
	uint32_t core = x[0].core, only = NA_UNKNOWN_U32;
	uint64_t unnamed = s->unnamed, cut = s->cut;
	struct st_line *line = &s->lines[core];
	size_t steps = 0;

	while (steps < n && !x[steps].program)
		steps++;
	if (!steps && !longest_program(x, n, &only))
		return false;
	line->cell_from = s->n_cells;
	put_cells(s, core, x, steps ? steps : n, only);
	if (!na_steps_passes(s, core)) {
		s->filtered += s->n_cells - line->cell_from + s->unnamed -
			       unnamed;
		s->n_cells = line->cell_from;
		s->unnamed = unnamed;
		s->cut = cut;
		*line = (struct st_line){.programs = false};
	}
	return true;
}

static bool build_cells(struct st_state *s)
{
	s->cells = na_calloc(s->got.spans.n + 1, sizeof(*s->cells));
	s->lines = na_calloc(s->n_lines + 1, sizeof(*s->lines));
	if (!s->cells || !s->lines)
		return false;
	na_sort(s->got.spans.v, s->got.spans.n, by_place);
	for (size_t from = 0, to; from < s->got.spans.n; from = to) {
		for (to = from;
		     to < s->got.spans.n &&
		     s->got.spans.v[to].core == s->got.spans.v[from].core;)
			to++;
		if (!cells_of_core(s, &s->got.spans.v[from], to - from))
			return false;
	}
	na_vec_free(&s->got.spans);
	return na_steps_build_launches(s);
}

struct numbered {
	int64_t number, start_ps;
};

NA_ORDER(by_number, struct numbered, NA_UP(number), NA_UP(start_ps))

/* How far apart those of one number begin, on average; without any two of
 * one number, as far as it gets. */
static double apart(struct numbered *x, size_t n)
{
	double sum = 0;
	size_t joined = 0;

	na_sort(x, n, by_number);
	for (size_t i = 1; i < n; i++) {
		if (x[i].number != x[i - 1].number)
			continue;
		sum += (double)na_time_between(x[i - 1].start_ps,
					       x[i].start_ps);
		joined++;
	}
	return joined ? sum / (double)joined : (double)NA_TIME_MAX;
}

/*
 * Runs of a program are numbered by their run id, or by their order on the
 * device: whichever joins what runs at the same time.
 */
static bool number_programs(struct st_state *s)
{
	struct numbered *ids = na_calloc(2 * s->n_cells + 1, sizeof(*ids));
	struct numbered *orders = ids ? ids + s->n_cells : NULL;
	size_t n = 0;

	if (!ids)
		return false;
	for (size_t l = 0; l < s->n_lines; l++) {
		const struct st_line *x = &s->lines[l];

		for (size_t i = x->cell_from; x->programs && i < x->cell_to;
		     i++, n++) {
			const struct st_cell *c = &s->cells[i];

			ids[n] = (struct numbered){c->number, c->start_ps};
			orders[n] =
				(struct numbered){(int64_t)(i - x->cell_from),
						  c->start_ps};
		}
	}
	s->by_order = apart(orders, n) < apart(ids, n);
	free(ids);
	for (size_t l = 0; s->by_order && l < s->n_lines; l++) {
		const struct st_line *x = &s->lines[l];

		for (size_t i = x->cell_from; x->programs && i < x->cell_to;
		     i++)
			s->cells[i].number = (int64_t)(i - x->cell_from);
	}
	return true;
}

static void find_gaps(struct st_state *s)
{
	for (size_t i = 1; i < s->n_cells; i++) {
		struct st_cell *c = &s->cells[i], *last = c - 1;

		/* Numbers are 0 at least. */
		if (last->core == c->core && last->number == c->number - 1)
			c->gap_ps = na_time_between(last->end_ps, c->start_ps);
	}
	for (size_t i = 0; i < s->n_cells; i++) {
		s->cells[i].kept = in_window(s->scope->filter, &s->cells[i]);
		s->filtered += !s->cells[i].kept;
	}
}

/* ---- communication */

struct interval {
	int64_t start_ps, end_ps;
	uint8_t network;
};

struct edge {
	int64_t at_ps;
	int8_t step;
	uint8_t network;
};

struct sweep { /* of a core at a time */
	const struct na_op_type *types;
	struct na_triples open; /* kind, name or channel, rest of it */
	NA_VEC(int64_t) since;  /* by key; NA_TIME_MAX: not open */
	NA_VEC(struct edge) edges;
	size_t wait; /* next wait */
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

/* Where ops of several networks run at once, the farthest counts. */
static bool put_segments(struct st_state *s, struct sweep *w, uint32_t core)
{
	int64_t level[ST_WAITING + 1] = {0}, at = 0;
	struct st_line *line = &s->lines[core];

	line->segment_from = s->segments.n;
	na_sort(w->edges.v, w->edges.n, by_time);
	for (size_t i = 0; i < w->edges.n; i++) {
		const struct edge *e = &w->edges.v[i];
		uint8_t k = 0;

		while (k <= ST_IN_FLIGHT && !level[k])
			k++;
		if (k <= ST_IN_FLIGHT && e->at_ps > at &&
		    !put_segment(s, line->segment_from, at, e->at_ps,
				 waits(k, level) ? k | ST_WAITS : k))
			return false;
		at = e->at_ps;
		level[e->network] += e->step;
	}
	line->segment_to = s->segments.n;
	return true;
}

static void sweep_clear(struct sweep *w)
{
	na_triples_fini(&w->open);
	w->edges.n = w->since.n = 0;
}

static bool add_waits(struct sweep *w, const struct st_state *s, uint32_t core)
{
	bool ok = true;

	while (w->wait < s->waits.n && s->waits.v[w->wait].core < core)
		w->wait++;
	for (; ok && w->wait < s->waits.n && s->waits.v[w->wait].core == core;
	     w->wait++)
		ok = add_edges(w, s->waits.v[w->wait].start_ps,
			       s->waits.v[w->wait].end_ps, ST_WAITING);
	return ok;
}

static bool build_segments(struct st_state *s)
{
	struct sweep w = {.types = s->scope->store->devices.types.items};
	bool ok = true;

	na_sort_ops(s->got.ops.v, s->got.ops.n);
	for (size_t i = 0; ok && i < s->got.ops.n;) {
		uint32_t core = s->got.ops.v[i]->core;

		sweep_clear(&w);
		for (; ok && i < s->got.ops.n && s->got.ops.v[i]->core == core;
		     i++)
			ok = add_op(&w, s->got.ops.v[i]);
		ok = ok && add_waits(&w, s, core) && put_segments(s, &w, core);
	}
	sweep_clear(&w);
	na_vec_free(&w.since);
	na_vec_free(&w.edges);
	na_vec_free(&s->waits);
	na_vec_free(&s->got.ops);
	return ok;
}

static void fill_cells(struct st_state *s)
{
	for (size_t l = 0; l < s->n_lines; l++) {
		const struct st_line *x = &s->lines[l];
		size_t g = x->segment_from;

		for (size_t i = x->cell_from; i < x->cell_to; i++) {
			struct st_cell *c = &s->cells[i];

			while (g < x->segment_to &&
			       na_steps_segment_end(&s->segments.v[g]) <=
				       c->start_ps)
				g++;
			for (size_t k = g;
			     k < x->segment_to &&
			     s->segments.v[k].start_ps < c->end_ps;
			     k++) {
				const struct st_segment *m = &s->segments.v[k];
				int64_t ps =
					na_steps_common(m->start_ps,
							na_steps_segment_end(m),
							c->start_ps, c->end_ps);

				c->flight_ps += ps;
				if (na_steps_network_of(m) < NA_N_NETWORKS)
					c->comm_ps[na_steps_network_of(m)] +=
						ps;
				if (m->network & ST_WAITS)
					c->wait_ps += ps;
			}
		}
	}
}

bool na_steps_build_lines(struct st_state *s)
{
	s->n_lines = s->scope->store->devices.n_cores;
	if (!na_steps_find_waits(s) || !build_cells(s) || !number_programs(s) ||
	    !build_segments(s))
		return false;
	find_gaps(s);
	fill_cells(s);
	return true;
}
