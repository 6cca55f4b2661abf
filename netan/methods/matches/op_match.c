/*
 * Which executions of device ops are the same one on several devices: by
 * program run and order, by order alone, or by time, whichever leaves most
 * together that overlaps.
 */
#include "netan/methods/matches/op_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"

static const char *text(const struct na_op_match *m, uint32_t name)
{
	return na_strtab_at(&m->store->names.strings, name);
}

/* The name of an execution that is split is its start's: what the program
 * says, else the same with "-start" for "-done".  False: no memory. */
static bool unit_name(struct na_op_match *m, const struct na_op_type *t,
		      uint32_t *name)
{
	const char *done = text(m, t->name), *at = strstr(done, "-done");
	size_t n = strlen(done) + 2;
	char *buf;

	*name = t->name;
	if (t->phase != NA_OP_DONE)
		return true;
	*name = t->start_op;
	if (*name != NA_UNKNOWN_U32)
		return true;
	*name = t->name;
	if (!at)
		return true;
	buf = malloc(n);
	if (!buf)
		return false;
	snprintf(buf, n, "%.*s-start%s", (int)(at - done), done, at + 5);
	*name = na_strtab_find(&m->store->names.strings, buf, strlen(buf));
	if (*name == NA_NO_NAME)
		*name = t->name;
	free(buf);
	return true;
}

/* The program run around an op; ops come in order, `at` begins at 0. */
static const struct na_span *span_around(const struct na_op_match *m,
					 const struct na_op *op, size_t *at)
{
	const struct na_span *x = m->runs;
	size_t n = m->n_runs;

	while (*at < n &&
	       (x[*at].core < op->core ||
		(x[*at].core == op->core && x[*at].end_ps <= op->start_ps)))
		++*at;
	return *at < n && x[*at].core == op->core &&
			       x[*at].start_ps <= op->start_ps
		       ? &x[*at]
		       : NULL;
}

/* The name of a program without the "(id)" behind it, among the found. */
static uint32_t module_name(const struct na_op_match *m, uint32_t name)
{
	const char *s = text(m, name), *paren = strrchr(s, '(');

	return na_strtab_add(m->modules, s,
			     paren && paren > s ? (size_t)(paren - s)
						: strlen(s));
}

/* Ops that do not name their program are of the one that runs around the
 * first of them. */
static bool learn_modules(struct na_op_match *m)
{
	const struct na_op_types *types = &m->store->devices.types;
	size_t at = 0;

	na_sort_ops(m->ops, m->n_ops);
	na_sort(m->runs, m->n_runs, na_span_order);
	for (size_t i = 0; i < types->n; i++) {
		uint32_t name = types->items[i].module;

		m->module_of[i] = name;
		if (name == NA_UNKNOWN_U32)
			continue;
		m->module_of[i] = module_name(m, name);
		if (m->module_of[i] == NA_NO_NAME)
			return false;
	}
	for (size_t i = 0; i < m->n_ops; i++) {
		const struct na_span *run = span_around(m, &m->ops[i], &at);
		uint32_t *module = &m->module_of[m->ops[i].type];

		if (!run || *module != NA_UNKNOWN_U32)
			continue;
		*module = module_name(m, run->name);
		if (*module == NA_NO_NAME)
			return false;
	}
	return true;
}

bool na_op_units(struct na_op_match *m,
		 bool (*wanted)(void *arg, const struct na_op_type *t,
				uint32_t name))
{
	const struct na_op_types *types = &m->store->devices.types;

	m->unit_of = na_calloc(types->n + 1, sizeof(*m->unit_of));
	m->module_of = na_calloc(types->n + 1, sizeof(*m->module_of));
	if (!m->unit_of || !m->module_of || !learn_modules(m))
		return false;
	for (size_t i = 0; i < types->n; i++) {
		const struct na_op_type *t = &types->items[i];
		uint32_t run = m->store->sources[t->input].run * NA_N_NETWORKS +
			       t->network;
		uint32_t name;

		m->unit_of[i] = NA_NO_TRIPLE;
		if (!unit_name(m, t, &name))
			return false;
		if (!na_op_is_collective(t) || !wanted(m->arg, t, name))
			continue;
		m->unit_of[i] =
			na_triples_add(&m->units,
				       (struct na_triple){run, name,
							  m->module_of[i]});
		if (m->unit_of[i] == NA_NO_TRIPLE)
			return false;
	}
	return true;
}

/* The op that completes an execution, and when that began. */
static bool completes(struct na_op_match *m, const struct na_op *op,
		      struct na_op_counter *c, int64_t *start_ps)
{
	uint8_t phase = m->store->devices.types.items[op->type].phase;

	*start_ps = op->start_ps;
	if (phase == NA_OP_WHOLE)
		return true;
	if (phase == NA_OP_START) {
		m->unpaired += c->is_open;
		c->is_open = true;
		c->open_ps = op->start_ps;
		return false;
	}
	m->unpaired += !c->is_open;
	*start_ps = c->open_ps;
	if (!c->is_open)
		return false;
	c->is_open = false;
	return true;
}

/* A new core: counting begins again. */
static struct na_op_counter *counter_of(struct na_op_match *m, uint32_t unit,
					uint32_t core)
{
	struct na_op_counter *c = &m->counters[unit];

	if (c->core == core)
		return c;
	m->unpaired += c->is_open;
	*c = (struct na_op_counter){.core = core, .span = SIZE_MAX};
	return c;
}

static void add_piece(struct na_op_match *m, const struct na_op *op,
		      size_t span, int64_t number)
{
	uint32_t unit = m->unit_of[op->type];
	struct na_op_counter *c = counter_of(m, unit, op->core);
	int64_t start_ps;

	if (!completes(m, op, c, &start_ps))
		return;
	if (c->span != span) {
		c->span = span;
		c->in_run = 0;
	}
	m->pieces[m->n_pieces++] = (struct na_op_piece){
		.start_ps = start_ps,
		.end_ps = op->end_ps,
		.number = number,
		.unit = unit,
		.core = op->core,
		.type = op->type,
		.in_run = number < 0 ? c->in_all : c->in_run,
		.in_all = c->in_all,
	};
	c->in_run++;
	c->in_all++;
}

/* Of each core its ops in order, each with the program run around it. */
static void make_pieces(struct na_op_match *m)
{
	size_t at = 0;

	for (size_t i = 0; i < m->units.n; i++)
		m->counters[i].core = UINT32_MAX;
	for (size_t i = 0; i < m->n_ops; i++) {
		const struct na_op *op = &m->ops[i];
		const struct na_span *run;

		if (m->unit_of[op->type] == NA_NO_TRIPLE)
			continue;
		run = span_around(m, op, &at);
		add_piece(m, op, run ? at : SIZE_MAX, run ? run->number : -1);
	}
	for (size_t i = 0; i < m->units.n; i++)
		m->unpaired += m->counters[i].is_open;
}

NA_ORDER(by_run, struct na_op_piece, NA_UP(unit), NA_UP(number), NA_UP(in_run),
	 NA_UP(core), NA_UP(in_all))

NA_ORDER(by_order, struct na_op_piece, NA_UP(in_all), NA_UP(core))

NA_ORDER(by_place, struct na_op_piece, NA_UP(core), NA_UP(in_all))

NA_ORDER(by_time, struct na_op_piece, NA_UP(start_ps), NA_UP(core),
	 NA_UP(in_all))

/*
 * Which executions belong together: run ids may be shared by all devices, or
 * each device counts its own; a device may have run more of a program before
 * the trace began.  What is one execution overlaps in time, as far as one
 * clock can tell; the way that leaves most together in that sense is taken.
 */
enum way { BY_RUN, BY_ORDER, BY_TIME, N_WAYS };

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
		uint32_t input = m->store->devices.cores[x[i].core].input;
		int64_t start = x[i].start_ps, end = x[i].end_ps;

		for (to = i + 1;
		     to < n &&
		     m->store->devices.cores[x[to].core].input == input;
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

static struct split groups_of(const struct na_op_match *m,
			      const struct na_op_piece *x)
{
	const struct na_op_type *t = &m->store->devices.types.items[x->type];

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

/* All executions of one operation. */
static bool add_unit(struct na_op_match *m, struct na_op_piece *x, size_t n)
{
	enum way best = way_of(m, x, n);
	struct split g;
	bool ok = true;

	sort_pieces(x, n, best);
	for (size_t i = 0, k; best == BY_TIME && i < n; i += k) {
		k = together(&x[i], n - i, best);
		na_sort(&x[i], k, by_place);
	}
	g = split_of(m, x, n, best);
	for (size_t i = 0, k; ok && i < n; i += k) {
		k = together(&x[i], n - i, best);
		ok = add_groups(m, &x[i], k, g);
	}
	return ok;
}

/* No more than there are: of a device its ops whole, or its -dones. */
static size_t most_pieces(const struct na_op_match *m)
{
	const struct na_op_type *types = m->store->devices.types.items;
	size_t n = 0;

	for (size_t i = 0; i < m->n_ops; i++)
		n += m->unit_of[m->ops[i].type] != NA_NO_TRIPLE &&
		     types[m->ops[i].type].phase != NA_OP_START;
	return n;
}

bool na_op_match(struct na_op_match *m)
{
	struct na_op_piece *x;
	bool ok = true;

	m->pieces = na_calloc(most_pieces(m) + 1, sizeof(*m->pieces));
	m->counters = na_calloc(m->units.n + 1, sizeof(*m->counters));
	if (!m->pieces || !m->counters)
		return false;
	make_pieces(m);
	x = m->pieces;
	na_sort(x, m->n_pieces, by_run);
	for (size_t i = 0, to; ok && i < m->n_pieces; i = to) {
		for (to = i + 1; to < m->n_pieces && x[to].unit == x[i].unit;)
			to++;
		ok = add_unit(m, &x[i], to - i);
	}
	return ok;
}

void na_op_match_fini(struct na_op_match *m)
{
	na_triples_fini(&m->units);
	free(m->unit_of);
	free(m->module_of);
	free(m->counters);
	free(m->pieces);
	na_vec_free(&m->tmp);
}
