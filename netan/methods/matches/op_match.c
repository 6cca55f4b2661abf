/*
 * Which executions of device ops are the same one on several devices: by
 * program run and order, by order alone, or by time, whichever leaves most
 * together that overlaps.
 */
#include "netan/methods/matches/impl.h"

#include <stdlib.h>

#define NO_RUN UINT32_MAX

enum { AHEAD = 8 };

static const struct na_op_type *types_of(const struct na_op_match *m)
{
	return m->scope->store->devices.types.items;
}

/*
 * Of an operation in several groups each is an execution of its own.  Who is
 * in which group no trace tells: devices that follow one another, or every
 * n-th.  A group ends together, so the split with the smaller distances
 * between ends is taken.
 */
struct split {
	size_t size, n; /* devices of a group; groups */
	bool strided;
};

/* ---- the executions of an operation on each device */

/* All of one operation. */
struct unit {
	const struct na_op_match *m;
	uint32_t unit;
	struct na_op_pieces pieces;
	NA_VEC(struct na_op_piece) tmp;
	uint64_t unpaired;
	enum na_op_way way;
	struct split split;
	bool ok;
};

/* Of the core that is walked. */
struct counter {
	uint32_t run, in_run, in_all;
	uint32_t open; /* op */
	bool is_open;
};

/* The op that completes an execution, and the one that began it. */
static bool completes(struct unit *u, uint32_t at, struct counter *c,
		      uint32_t *first)
{
	uint8_t phase = types_of(u->m)[u->m->ops[at]->type].phase;

	*first = at;
	if (phase == NA_OP_WHOLE)
		return true;
	if (phase == NA_OP_START) {
		u->unpaired += c->is_open;
		c->is_open = true;
		c->open = at;
		return false;
	}
	u->unpaired += !c->is_open;
	*first = c->open;
	if (!c->is_open)
		return false;
	c->is_open = false;
	return true;
}

static bool add_piece(struct unit *u, uint32_t at, uint32_t run,
		      struct counter *c)
{
	int64_t number = run == NO_RUN ? -1 : u->m->runs[run].number;
	const struct na_op *op = u->m->ops[at];
	uint32_t first;
	bool ok;

	if (!completes(u, at, c, &first))
		return true;
	if (c->run != run) {
		c->run = run;
		c->in_run = 0;
	}
	ok = na_add(&u->pieces,
		    ((struct na_op_piece){
			    .start_ps = u->m->ops[first]->start_ps,
			    .end_ps = op->end_ps,
			    .number = number,
			    .unit = u->unit,
			    .core = op->core,
			    .type = op->type,
			    .in_run = number < 0 ? c->in_all : c->in_run,
			    .in_all = c->in_all,
			    .op = first,
		    }));
	ok = ok && (c->in_all || na_add(&u->pieces.from, u->pieces.n - 1));
	c->in_run++;
	c->in_all++;
	if (c->in_all > u->pieces.longest)
		u->pieces.longest = c->in_all;
	return ok;
}

/* Of each core the ops in order; these lie far apart in memory, and are asked
 * for in time. */
static bool make_pieces(struct unit *u)
{
	const struct na_op_match *m = u->m;
	struct counter c = {.is_open = false};
	uint32_t core = UINT32_MAX;
	size_t from = m->from[u->unit], to = m->from[u->unit + 1];
	bool ok = na_room(&u->pieces, to - from);

	for (size_t i = from; ok && i < to; i++) {
		const struct na_op_place *at = &m->places[i];

		if (i + 2 * AHEAD < to) {
			__builtin_prefetch(&m->ops[at[2 * AHEAD].op]);
			__builtin_prefetch(m->ops[at[AHEAD].op]);
		}
		if (m->ops[at->op]->core != core) {
			core = m->ops[at->op]->core;
			u->unpaired += c.is_open;
			c = (struct counter){.run = NO_RUN};
		}
		ok = add_piece(u, at->op, at->run, &c);
	}
	u->unpaired += c.is_open;
	return ok && na_room(&u->pieces.row, u->pieces.from.n);
}

static struct split groups_of(const struct na_op_match *m,
			      const struct na_op_piece *x)
{
	const struct na_op_type *t = &types_of(m)[x->type];

	if (t->uneven || t->group_size < 2 || t->n_groups < 2)
		return (struct split){.size = 0};
	return (struct split){.size = t->group_size, .n = t->n_groups};
}

/* Ends of one execution's groups: first to last. */
static double apart(const struct na_op_piece *x, struct split g, bool strided)
{
	double sum = 0;

	for (size_t i = 0; i < g.n; i++) {
		int64_t first = INT64_MAX, last = INT64_MIN;

		for (size_t k = 0; k < g.size; k++) {
			const struct na_op_piece *p =
				&x[strided ? k * g.n + i : i * g.size + k];

			first = p->end_ps < first ? p->end_ps : first;
			last = p->end_ps > last ? p->end_ps : last;
		}
		sum += (double)na_time_between(first, last);
	}
	return sum;
}

static struct split split_of(struct unit *u)
{
	struct split g = groups_of(u->m, u->pieces.v);
	double rows = 0, columns = 0;
	const struct na_op_piece *x;
	size_t at = 0, n;

	while (g.size && (x = na_op_next(&u->pieces, u->way, &at, &n))) {
		if (n % g.size == 0 && n / g.size == g.n) {
			rows += apart(x, g, false);
			columns += apart(x, g, true);
		}
	}
	g.strided = columns < rows;
	return g;
}

/* One execution on all devices, by groups where these are told. */
static bool add_groups(struct unit *u, struct na_op_piece *x, size_t n)
{
	const struct na_op_match *m = u->m;
	struct split g = u->split;
	bool ok = true;

	if (!g.size || n % g.size != 0 || n / g.size != g.n)
		return m->instance(m->arg, x, n);
	if (g.strided) {
		if (!na_append(&u->tmp, x, n))
			return false;
		for (size_t i = 0; i < n; i++)
			x[i] = u->tmp.v[i % g.size * g.n + i / g.size];
		u->tmp.n = 0;
	}
	for (size_t i = 0; ok && i < g.n; i++)
		ok = m->instance(m->arg, &x[i * g.size], g.size);
	return ok;
}

/* ---- all operations */

static bool add_unit(struct unit *u)
{
	struct na_op_piece *x;
	bool ok = u->ok;
	size_t at = 0, n;

	while (ok && (x = na_op_next(&u->pieces, u->way, &at, &n)))
		ok = add_groups(u, x, n);
	return ok;
}

static void prepare(void *arg, size_t i)
{
	struct unit *u = (struct unit *)arg + i;

	u->ok = make_pieces(u);
	if (!u->ok || !u->pieces.n)
		return;
	u->way = na_op_way_of(u->m, &u->pieces);
	u->split = split_of(u);
	if (u->m->at_once)
		u->ok = add_unit(u);
}

/* Operations that are prepared side by side, from `unit` on: few enough for
 * their executions to be a small part of what is kept. */
enum { UNITS_AT_ONCE = 64, OPS_AT_ONCE = 1 << 17, UNITS_AT_LEAST = 2 };

static size_t batch_at(const struct na_op_match *m, size_t unit)
{
	size_t n = 1;

	while (n < UNITS_AT_ONCE && unit + n < m->units.n &&
	       (n < UNITS_AT_LEAST ||
		m->from[unit + n + 1] - m->from[unit] <= OPS_AT_ONCE))
		n++;
	return n;
}

static bool add_batch(struct na_op_match *m, struct unit *batch, size_t unit,
		      size_t n)
{
	bool ok;

	for (size_t i = 0; i < n; i++) {
		struct unit *u = &batch[i];
		struct na_op_pieces room = u->pieces; /* of the one before */

		room.n = room.from.n = room.longest = 0;
		*u = (struct unit){.m = m,
				   .unit = (uint32_t)(unit + i),
				   .pieces = room,
				   .tmp = u->tmp};
	}
	ok = na_side_by_side(m->scope, n, prepare, batch);
	for (size_t i = 0; ok && i < n; i++) {
		ok = m->at_once ? batch[i].ok : add_unit(&batch[i]);
		m->unpaired += batch[i].unpaired;
	}
	return ok;
}

/* The ops of each unit one behind the other, each with the run around it. */
static bool place_ops(struct na_op_match *m)
{
	size_t at = 0;

	m->from = na_calloc(m->units.n + 2, sizeof(*m->from));
	if (!m->from || m->n_ops >= NO_RUN || m->n_runs >= NO_RUN)
		return false;
	/* Two further on: where each is then placed moves it to its own. */
	for (size_t i = 0; i < m->n_ops; i++) {
		if (m->unit_of[m->ops[i]->type] != NA_NO_TRIPLE)
			m->from[m->unit_of[m->ops[i]->type] + 2]++;
	}
	for (size_t i = 2; i < m->units.n + 2; i++)
		m->from[i] += m->from[i - 1];
	m->places = na_calloc(m->from[m->units.n + 1] + 1, sizeof(*m->places));
	for (size_t i = 0; m->places && i < m->n_ops; i++) {
		uint32_t unit = m->unit_of[m->ops[i]->type];
		const struct na_span *run;

		if (unit == NA_NO_TRIPLE)
			continue;
		run = na_op_run(m, m->ops[i], &at);
		m->places[m->from[unit + 1]++] =
			(struct na_op_place){(uint32_t)i,
					     run ? (uint32_t)at : NO_RUN};
	}
	free(m->unit_of);
	m->unit_of = NULL;
	return m->places;
}

bool na_op_match(struct na_op_match *m)
{
	struct unit batch[UNITS_AT_ONCE] = {{.m = m}};
	bool ok = place_ops(m);

	for (size_t unit = 0, n; ok && unit < m->units.n; unit += n) {
		n = batch_at(m, unit);
		ok = add_batch(m, batch, unit, n);
	}
	for (size_t i = 0; i < UNITS_AT_ONCE; i++) {
		na_vec_free(&batch[i].pieces);
		na_vec_free(&batch[i].pieces.from);
		na_vec_free(&batch[i].pieces.row);
		na_vec_free(&batch[i].tmp);
	}
	return ok;
}

void na_op_match_fini(struct na_op_match *m)
{
	na_triples_fini(&m->units);
	free(m->unit_of);
	free(m->places);
	free(m->from);
}
