/*
 * Which executions of device ops are the same one on several devices: by
 * program run and order, by order alone, or by time, whichever leaves most
 * together that overlaps.
 */
#include "netan/methods/matches/op_match.h"

#include <stdlib.h>

#include "netan/base/order.h"

#define NO_RUN UINT32_MAX

static const struct na_op_type *types_of(const struct na_op_match *m)
{
	return m->scope->store->devices.types.items;
}

/*
 * Which executions belong together: run ids may be shared by all devices, or
 * each device counts its own; a device may have run more of a program before
 * the trace began.  What is one execution overlaps in time, as far as one
 * clock can tell; the way that leaves most together in that sense is taken.
 */
enum way { BY_RUN, BY_ORDER, BY_TIME, N_WAYS };

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
	NA_VEC(struct na_op_piece);
	uint64_t unpaired;
	enum way way;
	struct split split;
	bool ok;
};

/* Of the core that is walked. */
struct counter {
	uint32_t run, in_run, in_all;
	int64_t open_ps;
	bool is_open;
};

/* The op that completes an execution, and when that began. */
static bool completes(struct unit *u, const struct na_op *op, struct counter *c,
		      int64_t *start_ps)
{
	uint8_t phase = types_of(u->m)[op->type].phase;

	*start_ps = op->start_ps;
	if (phase == NA_OP_WHOLE)
		return true;
	if (phase == NA_OP_START) {
		u->unpaired += c->is_open;
		c->is_open = true;
		c->open_ps = op->start_ps;
		return false;
	}
	u->unpaired += !c->is_open;
	*start_ps = c->open_ps;
	if (!c->is_open)
		return false;
	c->is_open = false;
	return true;
}

static bool add_piece(struct unit *u, const struct na_op *op, uint32_t run,
		      struct counter *c)
{
	int64_t number = run == NO_RUN ? -1 : u->m->runs[run].number;
	int64_t start_ps;
	bool ok;

	if (!completes(u, op, c, &start_ps))
		return true;
	if (c->run != run) {
		c->run = run;
		c->in_run = 0;
	}
	ok = na_add(u, ((struct na_op_piece){
			       .start_ps = start_ps,
			       .end_ps = op->end_ps,
			       .number = number,
			       .unit = u->unit,
			       .core = op->core,
			       .type = op->type,
			       .in_run = number < 0 ? c->in_all : c->in_run,
			       .in_all = c->in_all,
		       }));
	c->in_run++;
	c->in_all++;
	return ok;
}

/* Of each core the ops in order. */
static bool make_pieces(struct unit *u)
{
	const struct na_op_match *m = u->m;
	struct counter c = {.is_open = false};
	uint32_t core = UINT32_MAX;
	bool ok = na_room(u, m->from[u->unit + 1] - m->from[u->unit]);

	for (size_t i = m->from[u->unit]; ok && i < m->from[u->unit + 1]; i++) {
		const struct na_op_place *at = &m->places[i];
		const struct na_op *op = m->ops[at->op];

		if (op->core != core) {
			core = op->core;
			u->unpaired += c.is_open;
			c = (struct counter){.run = NO_RUN};
		}
		ok = add_piece(u, op, at->run, &c);
	}
	u->unpaired += c.is_open;
	return ok;
}

NA_ORDER(by_run, struct na_op_piece, NA_UP(number), NA_UP(in_run), NA_UP(core),
	 NA_UP(in_all))

NA_ORDER(by_order, struct na_op_piece, NA_UP(in_all), NA_UP(core))

NA_ORDER(by_place, struct na_op_piece, NA_UP(core), NA_UP(in_all))

NA_ORDER(by_time, struct na_op_piece, NA_UP(start_ps), NA_UP(core),
	 NA_UP(in_all))

/* The pieces from x[0] that are one execution. */
static size_t together(const struct na_op_piece *x, size_t n, enum way way)
{
	int64_t end = x[0].end_ps;
	size_t k = 1;

	for (; k < n; k++) {
		if (way == BY_RUN &&
		    (x[k].number != x[0].number || x[k].in_run != x[0].in_run))
			break;
		if (way == BY_ORDER && x[k].in_all != x[0].in_all)
			break;
		if (way == BY_TIME && x[k].start_ps >= end)
			break;
		if (way != BY_TIME && x[k].core == x[k - 1].core)
			break;
		end = x[k].end_ps < end ? x[k].end_ps : end;
	}
	return k;
}

static bool overlap(const struct na_op_match *m, const struct na_op_piece *x,
		    size_t n)
{
	for (size_t i = 0, to; i < n; i = to) {
		uint32_t input =
			m->scope->store->devices.cores[x[i].core].input;
		int64_t start = x[i].start_ps, end = x[i].end_ps;

		for (to = i + 1;
		     to < n &&
		     m->scope->store->devices.cores[x[to].core].input == input;
		     to++) {
			start = x[to].start_ps > start ? x[to].start_ps : start;
			end = x[to].end_ps < end ? x[to].end_ps : end;
		}
		if (to - i > 1 && start >= end)
			return false;
	}
	return true;
}

static void sort_pieces(struct na_op_piece *x, size_t n, enum way way)
{
	static int (*const orders[N_WAYS])(const void *,
					   const void *) = {by_run, by_order,
							    by_time};

	na_sort(x, n, orders[way]);
}

/* Devices that are together, squared: one execution on all of them counts
 * more than two on half of them each.  `sure`: that overlap. */
static double score(const struct na_op_match *m, struct na_op_piece *x,
		    size_t n, enum way way, bool sure)
{
	double sum = 0;

	sort_pieces(x, n, way);
	for (size_t i = 0, k; i < n; i += k) {
		k = together(&x[i], n - i, way);
		if (k > 1 && (!sure || way == BY_TIME || overlap(m, &x[i], k)))
			sum += (double)k * (double)k;
	}
	return sum;
}

/* Time alone must put most of the devices together: what never overlaps on
 * any two of them does so by chance, too. */
static enum way way_of(const struct na_op_match *m, struct na_op_piece *x,
		       size_t n)
{
	double run = score(m, x, n, BY_RUN, true);
	double order = score(m, x, n, BY_ORDER, true);
	double time = score(m, x, n, BY_TIME, true);
	double whole;

	/* The first one by order is on all devices. */
	sort_pieces(x, n, BY_ORDER);
	whole = (double)n * (double)together(x, n, BY_ORDER);
	if (time > run && time > order && 2 * time > whole)
		return BY_TIME;
	if (run != order)
		return order > run ? BY_ORDER : BY_RUN;
	return score(m, x, n, BY_ORDER, false) > score(m, x, n, BY_RUN, false)
		       ? BY_ORDER
		       : BY_RUN;
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

static struct split split_of(const struct na_op_match *m,
			     const struct na_op_piece *x, size_t n,
			     enum way way)
{
	struct split g = groups_of(m, x);
	double rows = 0, columns = 0;

	for (size_t i = 0, k; g.size && i < n; i += k) {
		k = together(&x[i], n - i, way);
		if (k % g.size == 0 && k / g.size == g.n) {
			rows += apart(&x[i], g, false);
			columns += apart(&x[i], g, true);
		}
	}
	g.strided = columns < rows;
	return g;
}

/* One execution on all devices, by groups where these are told. */
static bool add_groups(struct na_op_match *m, struct na_op_piece *x, size_t n,
		       struct split g)
{
	bool ok = true;

	if (!g.size || n % g.size != 0 || n / g.size != g.n)
		return m->instance(m->arg, x, n);
	if (g.strided) {
		if (!na_append(&m->tmp, x, n))
			return false;
		for (size_t i = 0; i < n; i++)
			x[i] = m->tmp.v[i % g.size * g.n + i / g.size];
		m->tmp.n = 0;
	}
	for (size_t i = 0; ok && i < g.n; i++)
		ok = m->instance(m->arg, &x[i * g.size], g.size);
	return ok;
}

/* ---- all operations */

static void prepare(void *arg, size_t i)
{
	struct unit *u = (struct unit *)arg + i;

	u->ok = make_pieces(u);
	if (!u->ok || !u->n)
		return;
	u->way = way_of(u->m, u->v, u->n);
	sort_pieces(u->v, u->n, u->way);
	for (size_t k = 0, n; u->way == BY_TIME && k < u->n; k += n) {
		n = together(&u->v[k], u->n - k, u->way);
		na_sort(&u->v[k], n, by_place);
	}
	u->split = split_of(u->m, u->v, u->n, u->way);
}

static bool add_unit(struct na_op_match *m, const struct unit *u)
{
	bool ok = u->ok;

	m->unpaired += u->unpaired;
	for (size_t i = 0, k; ok && i < u->n; i += k) {
		k = together(&u->v[i], u->n - i, u->way);
		ok = add_groups(m, &u->v[i], k, u->split);
	}
	return ok;
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

		/* In the room of the one before. */
		*u = (struct unit){.m = m,
				   .unit = (uint32_t)(unit + i),
				   .v = u->v,
				   .cap = u->cap};
	}
	ok = na_side_by_side(m->scope, n, prepare, batch);
	for (size_t i = 0; ok && i < n; i++)
		ok = add_unit(m, &batch[i]);
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
	for (size_t i = 0; i < UNITS_AT_ONCE; i++)
		na_vec_free(&batch[i]);
	return ok;
}

void na_op_match_fini(struct na_op_match *m)
{
	na_triples_fini(&m->units);
	free(m->unit_of);
	free(m->module_of);
	free(m->places);
	free(m->from);
	na_vec_free(&m->tmp);
}
