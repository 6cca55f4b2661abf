/*
 * Collectives of device planes: a start and its done are one execution; the
 * executions of one operation on all devices are matched by program run and
 * order.  Who comes last does not wait, so the shortest is the transfer and
 * the rest of the others is waiting.
 */
#include "netan/analyses/collectives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

/* One execution on one device. */
struct piece {
	int64_t start_ps, end_ps;
	int64_t number; /* of the program run; -1: not known */
	uint32_t unit, core, type;
	uint32_t in_run, in_all; /* which one of its unit on this core */
};

struct match {
	const struct co_state *s;
	const struct na_devices *d;
	struct co_found *f;
	struct na_triples units; /* run and network, name, module */
	uint32_t *row_of_unit;
	size_t cap_rows_of;
	struct na_triples row_keys;
	uint32_t *unit_of; /* by op type; NA_NO_TRIPLE: filtered */
	struct counter {   /* by unit, of the core that is walked */
		uint32_t core, in_run, in_all;
		size_t span;
		int64_t open_ps;
		bool is_open;
	} * counters;
	struct piece *pieces;
	size_t n;
	struct na_triples devices_of; /* module: run and network, name, core */
	struct na_triples took_part;  /* row, core */
	uint64_t *parts;              /* executions of it */
	size_t cap_parts;
	struct na_triples last; /* row, core */
	uint64_t *lasts;
	size_t cap_lasts;
};

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

static int by_core(const void *a, const void *b)
{
	const struct na_op *x = a, *y = b;

	if (x->core != y->core)
		return CMP(x->core, y->core);
	if (x->start_ps != y->start_ps)
		return CMP(x->start_ps, y->start_ps);
	if (x->end_ps != y->end_ps)
		return CMP(x->end_ps, y->end_ps);
	return CMP(x->type, y->type);
}

static int spans_by_core(const void *a, const void *b)
{
	const struct na_span *x = a, *y = b;

	if (x->core != y->core)
		return CMP(x->core, y->core);
	if (x->start_ps != y->start_ps)
		return CMP(x->start_ps, y->start_ps);
	if (x->end_ps != y->end_ps)
		return CMP(x->end_ps, y->end_ps);
	return CMP(x->number, y->number);
}

static int by_run(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->unit != y->unit)
		return CMP(x->unit, y->unit);
	if (x->number != y->number)
		return CMP(x->number, y->number);
	if (x->in_run != y->in_run)
		return CMP(x->in_run, y->in_run);
	if (x->core != y->core)
		return CMP(x->core, y->core);
	return CMP(x->in_all, y->in_all);
}

static int by_order(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->in_all != y->in_all)
		return CMP(x->in_all, y->in_all);
	return CMP(x->core, y->core);
}

static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->core != y->core)
		return CMP(x->core, y->core);
	return CMP(x->in_all, y->in_all);
}

static int by_time(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->start_ps != y->start_ps)
		return CMP(x->start_ps, y->start_ps);
	return by_place(a, b);
}

static const char *text(const struct match *m, uint32_t name)
{
	return na_strtab_at(&m->s->scope->store->names.strings, name);
}

static const char *type_text(const struct match *m, const struct na_op_type *t)
{
	static const char *const words[NA_N_OPCODES] = {
		[NA_OPCODE_SEND] = "SEND",
		[NA_OPCODE_RECV] = "RECV",
		[NA_OPCODE_ALL_REDUCE] = "ALL_REDUCE",
		[NA_OPCODE_ALL_GATHER] = "ALL_GATHER",
		[NA_OPCODE_REDUCE_SCATTER] = "REDUCE_SCATTER",
		[NA_OPCODE_ALL_TO_ALL] = "ALL_TO_ALL",
		[NA_OPCODE_RAGGED_ALL_TO_ALL] = "RAGGED_ALL_TO_ALL",
		[NA_OPCODE_PERMUTE] = "COLLECTIVE_PERMUTE",
		[NA_OPCODE_BROADCAST] = "BROADCAST",
		[NA_OPCODE_REDUCE] = "REDUCE",
		[NA_OPCODE_SEND_RECV] = "SEND_RECV",
	};

	return t->transfer_type != NA_UNKNOWN_U32 ? text(m, t->transfer_type)
						  : words[t->opcode];
}

/* The name of an execution that is split is its start's: what the program
 * says, else the same with "-start" for "-done".  False: no memory. */
static bool unit_name(struct match *m, const struct na_op_type *t,
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
	*name = na_strtab_find(&m->s->scope->store->names.strings, buf,
			       strlen(buf));
	if (*name == NA_NO_NAME)
		*name = t->name;
	free(buf);
	return true;
}

static bool wanted(const struct match *m, const struct na_op_type *t,
		   uint32_t name)
{
	const struct na_filter *f = m->s->scope->filter;

	return t->network != NA_NET_DCN && t->opcode != NA_OPCODE_OTHER &&
	       t->opcode != NA_OPCODE_CONTAINER &&
	       na_filter_collective(f, text(m, name));
}

static bool row_of_unit(struct match *m, uint32_t unit,
			const struct na_op_type *t, uint32_t run, uint32_t name)
{
	struct co_found *f = m->f;
	uint32_t row;

	if (!na_grow(&m->row_of_unit, &m->cap_rows_of, (size_t)unit + 1,
		     sizeof(*m->row_of_unit)))
		return false;
	row = na_triples_add(&m->row_keys,
			     m->s->by_type
				     ? (struct na_triple){run, t->opcode,
							  t->transfer_type}
				     : (struct na_triple){unit, 0, 0});
	if (row == NA_NO_TRIPLE)
		return false;
	m->row_of_unit[unit] = row;
	if (row < f->n_rows)
		return true;
	if (!na_grow(&f->rows, &f->cap_rows, f->n_rows + 1, sizeof(*f->rows)))
		return false;
	f->rows[f->n_rows++] = (struct co_row){
		.run = run / NA_N_NETWORKS,
		.network = t->network,
		.name = m->s->by_type ? NA_UNKNOWN_U32 : name,
		.module = m->s->by_type ? NA_UNKNOWN_U32 : t->module,
		.type = type_text(m, t),
		.opcode = t->opcode,
	};
	return true;
}

/* Groups as any type of the row tells them; differing ones are uneven. */
static void learn_groups(struct co_row *row, const struct na_op_type *t)
{
	if (!t->group_size)
		return;
	if (row->group_size &&
	    (row->group_size != t->group_size || row->n_groups != t->n_groups))
		row->uneven = true;
	if (!row->group_size) {
		row->group_size = t->group_size;
		row->n_groups = t->n_groups;
	}
	row->uneven = row->uneven || t->uneven;
}

static bool make_units(struct match *m)
{
	const struct na_op_types *types = &m->d->types;

	for (size_t i = 0; i < types->n; i++) {
		const struct na_op_type *t = &types->items[i];
		uint32_t run = m->s->scope->store->sources[t->input].run *
				       NA_N_NETWORKS +
			       t->network;
		uint32_t name, unit;

		m->unit_of[i] = NA_NO_TRIPLE;
		if (!unit_name(m, t, &name))
			return false;
		if (!wanted(m, t, name))
			continue;
		unit = na_triples_add(&m->units,
				      (struct na_triple){run, name, t->module});
		if (unit == NA_NO_TRIPLE || !row_of_unit(m, unit, t, run, name))
			return false;
		m->unit_of[i] = unit;
		learn_groups(&m->f->rows[m->row_of_unit[unit]], t);
	}
	return true;
}

/* The op that completes an execution, and when that began. */
static bool completes(struct match *m, const struct na_op *op,
		      struct counter *c, int64_t *start_ps)
{
	uint8_t phase = m->d->types.items[op->type].phase;

	*start_ps = op->start_ps;
	if (phase == NA_OP_WHOLE)
		return true;
	if (phase == NA_OP_START) {
		m->f->unpaired += c->is_open;
		c->is_open = true;
		c->open_ps = op->start_ps;
		return false;
	}
	m->f->unpaired += !c->is_open;
	*start_ps = c->open_ps;
	if (!c->is_open)
		return false;
	c->is_open = false;
	return true;
}

/* A new core: counting begins again. */
static struct counter *counter_of(struct match *m, uint32_t unit, uint32_t core)
{
	struct counter *c = &m->counters[unit];

	if (c->core == core)
		return c;
	m->f->unpaired += c->is_open;
	*c = (struct counter){.core = core, .span = SIZE_MAX};
	return c;
}

static void take_piece(struct match *m, const struct na_op *op, size_t span,
		       int64_t number)
{
	uint32_t unit = m->unit_of[op->type];
	struct counter *c = counter_of(m, unit, op->core);
	int64_t start_ps;

	if (!completes(m, op, c, &start_ps))
		return;
	if (c->span != span) {
		c->span = span;
		c->in_run = 0;
	}
	m->pieces[m->n++] = (struct piece){
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
static void make_pieces(struct match *m)
{
	const struct co_state *s = m->s;
	struct na_span *spans = s->modules.items;
	size_t n_spans = s->modules.n, at = 0;

	if (s->ops.n)
		qsort(s->ops.items, s->ops.n, sizeof(*s->ops.items), by_core);
	if (n_spans)
		qsort(spans, n_spans, sizeof(*spans), spans_by_core);
	for (size_t i = 0; i < m->units.n; i++)
		m->counters[i].core = UINT32_MAX;
	for (size_t i = 0; i < s->ops.n; i++) {
		const struct na_op *op = &s->ops.items[i];
		bool inside;

		if (m->unit_of[op->type] == NA_NO_TRIPLE)
			continue;
		while (at < n_spans && (spans[at].core < op->core ||
					(spans[at].core == op->core &&
					 spans[at].end_ps <= op->start_ps)))
			at++;
		inside = at < n_spans && spans[at].core == op->core &&
			 spans[at].start_ps <= op->start_ps;
		take_piece(m, op, inside ? at : SIZE_MAX,
			   inside ? spans[at].number : -1);
	}
	for (size_t i = 0; i < m->units.n; i++)
		m->f->unpaired += m->counters[i].is_open;
}

/* Busbw of nccl-tests over bytes of the result (of a reduce-scatter one
 * rank's share). */
static double bus_factor(uint8_t opcode, double n)
{
	switch (opcode) {
	case NA_OPCODE_ALL_REDUCE:
		return 2 * (n - 1) / n;
	case NA_OPCODE_ALL_GATHER:
	case NA_OPCODE_ALL_TO_ALL:
	case NA_OPCODE_RAGGED_ALL_TO_ALL:
		return (n - 1) / n;
	case NA_OPCODE_REDUCE_SCATTER:
		return n - 1;
	default:
		return 1;
	}
}

static void cover(struct co_found *f, const struct piece *x)
{
	if (!f->executions || x->start_ps < f->first_ps)
		f->first_ps = x->start_ps;
	if (!f->executions || x->end_ps > f->last_ps)
		f->last_ps = x->end_ps;
	f->executions++;
}

static uint64_t *count_at(struct na_triples *keys, uint64_t **v, size_t *cap,
			  uint32_t row, uint32_t core)
{
	size_t before = keys->n;
	uint32_t i = na_triples_add(keys, (struct na_triple){row, core, 0});

	if (i == NA_NO_TRIPLE || !na_grow(v, cap, keys->n, sizeof(**v)))
		return NULL;
	if (keys->n > before)
		(*v)[i] = 0;
	return &(*v)[i];
}

/* Starts on one host: clocks of hosts differ. */
static int64_t skew_of(const struct match *m, const struct piece *x, size_t n)
{
	int64_t most = 0;

	for (size_t i = 0, to; i < n; i = to) {
		int64_t first = x[i].start_ps, last = first;

		/* Cores of one input stand together. */
		for (to = i + 1; to < n && m->d->cores[x[to].core].input ==
						   m->d->cores[x[i].core].input;
		     to++) {
			first = x[to].start_ps < first ? x[to].start_ps : first;
			last = x[to].start_ps > last ? x[to].start_ps : last;
		}
		if (na_time_between(first, last) > most)
			most = na_time_between(first, last);
	}
	return most;
}

static void add_bytes(struct match *m, struct co_row *row,
		      const struct piece *x, size_t n, int64_t least_ps)
{
	const struct na_op_type *t = &m->d->types.items[x[0].type];
	size_t ranks = t->group_size > 1 ? t->group_size : n;

	if (t->size_bytes == NA_UNKNOWN_U64)
		return;
	row->sized += n;
	row->bytes += (na_i128)t->size_bytes * n;
	row->sized_bytes += (na_i128)t->size_bytes;
	row->sized_ps += least_ps;
	if (ranks > 1)
		row->bus_bits += bus_factor(t->opcode, (double)ranks) * 8 *
				 (double)t->size_bytes;
}

static bool in_window(const struct match *m, const struct piece *x, size_t n)
{
	int64_t end = x[0].end_ps;

	for (size_t i = 1; i < n; i++)
		end = x[i].end_ps > end ? x[i].end_ps : end;
	return !m->s->scope->late || na_filter_instant(m->s->scope->late, end);
}

/* One execution on all its devices. */
static bool add_instance(struct match *m, const struct piece *x, size_t n)
{
	uint32_t id = m->row_of_unit[x[0].unit];
	struct co_row *row = &m->f->rows[id];
	int64_t least = INT64_MAX, shared = INT64_MAX;
	size_t last = 0;
	uint64_t *count;

	if (!in_window(m, x, n))
		return true;
	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);

		shared = d == least ? d : shared;
		last = d < least ? i : last;
		least = d < least ? d : least;
	}
	row->executions += n;
	row->instances++;
	add_bytes(m, row, x, n, least);
	if (!co_push_time(&m->f->times, least, id))
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);

		row->rank_ps += d;
		row->wait_ps += d - least;
		count = count_at(&m->took_part, &m->parts, &m->cap_parts, id,
				 x[i].core);
		if (!count || !co_push_time(&m->f->waits, d - least, id))
			return false;
		++*count;
		cover(m->f, &x[i]);
		if (na_triples_add(
			    &m->devices_of,
			    (struct na_triple){m->units.keys[x[0].unit].a,
					       m->units.keys[x[0].unit].c,
					       x[i].core}) == NA_NO_TRIPLE)
			return false;
	}
	if (n < 2)
		return true;
	if (!co_push_time(&m->f->skews, skew_of(m, x, n), id))
		return false;
	/* Of several nobody can say who was last. */
	if (shared == least)
		return true;
	count = count_at(&m->last, &m->lasts, &m->cap_lasts, id, x[last].core);
	if (count)
		++*count;
	return count;
}

/*
 * Which executions belong together: run ids may be shared by all devices, or
 * each device counts its own; a device may have run more of a program before
 * the trace began.  What is one execution overlaps in time, as far as one
 * clock can tell; the way that leaves most together in that sense is taken.
 */
enum way { BY_RUN, BY_ORDER, BY_TIME, N_WAYS };

/* The pieces from x[0] that are one execution. */
static size_t together(const struct piece *x, size_t n, enum way way)
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

static bool overlap(const struct match *m, const struct piece *x, size_t n)
{
	for (size_t i = 0, to; i < n; i = to) {
		uint16_t input = m->d->cores[x[i].core].input;
		int64_t start = x[i].start_ps, end = x[i].end_ps;

		for (to = i + 1;
		     to < n && m->d->cores[x[to].core].input == input; to++) {
			start = x[to].start_ps > start ? x[to].start_ps : start;
			end = x[to].end_ps < end ? x[to].end_ps : end;
		}
		if (to - i > 1 && start >= end)
			return false;
	}
	return true;
}

static void sort_pieces(struct piece *x, size_t n, enum way way)
{
	static int (*const orders[N_WAYS])(const void *,
					   const void *) = {by_run, by_order,
							    by_time};

	qsort(x, n, sizeof(*x), orders[way]);
}

static double score(const struct match *m, struct piece *x, size_t n,
		    enum way way)
{
	double sum = 0;

	sort_pieces(x, n, way);
	for (size_t i = 0, k; i < n; i += k) {
		k = together(&x[i], n - i, way);
		if (way == BY_TIME || overlap(m, &x[i], k))
			sum += (double)k * (double)k;
	}
	return sum;
}

/* All executions of one operation. */
static bool add_unit(struct match *m, struct piece *x, size_t n)
{
	enum way best = BY_RUN, last = BY_RUN;
	double most = score(m, x, n, BY_RUN), found;
	bool ok = true;

	for (enum way way = BY_ORDER; way < N_WAYS; way++) {
		found = score(m, x, n, way);
		best = found > most ? way : best;
		most = found > most ? found : most;
		last = way;
	}
	if (best != last)
		sort_pieces(x, n, best);
	for (size_t i = 0, k; ok && i < n; i += k) {
		k = together(&x[i], n - i, best);
		if (best == BY_TIME)
			qsort(&x[i], k, sizeof(*x), by_place);
		ok = add_instance(m, &x[i], k);
	}
	return ok;
}

static bool add_units(struct match *m)
{
	bool ok = true;

	if (m->n)
		qsort(m->pieces, m->n, sizeof(*m->pieces), by_run);
	for (size_t i = 0, to; ok && i < m->n; i = to) {
		for (to = i + 1;
		     to < m->n && m->pieces[to].unit == m->pieces[i].unit; to++)
			;
		ok = add_unit(m, &m->pieces[i], to - i);
	}
	return ok;
}

bool co_push_missing(struct co_found *f, const struct co_missing *x)
{
	f->rows[x->row].n_missing++;
	if (f->rows[x->row].n_missing > CO_MISSING_MAX)
		return true;
	if (!na_grow(&f->missing.items, &f->missing.cap, f->missing.n + 1,
		     sizeof(*x)))
		return false;
	f->missing.items[f->missing.n++] = *x;
	return true;
}

static int by_first_two(const void *a, const void *b)
{
	const struct na_triple *x = a, *y = b;

	if (x->a != y->a)
		return CMP(x->a, y->a);
	if (x->b != y->b)
		return CMP(x->b, y->b);
	return CMP(x->c, y->c);
}

/* Devices that run a row's program but not this of it, or not as often;
 * `cores` are all that run it. */
static bool miss(struct match *m, uint32_t id, const struct na_triple *cores,
		 size_t n)
{
	struct co_row *row = &m->f->rows[id];
	size_t all = m->s->clipped ? row->took_part : row->took_full;
	bool ok = true;

	row->participants = n;
	for (size_t i = 0; ok && i < n && row->n_missing < n - all &&
			   row->n_missing < CO_MISSING_MAX;
	     i++) {
		uint32_t at =
			na_triples_find(&m->took_part,
					(struct na_triple){id, cores[i].c, 0});
		uint64_t k = at == NA_NO_TRIPLE ? 0 : m->parts[at];

		if (k < row->most && (!k || !m->s->clipped))
			ok = co_push_missing(
				m->f,
				&(struct co_missing){
					.row = id,
					.host = m->d->cores[cores[i].c].input,
					.who = cores[i].c,
					.executions = k,
					.of = row->most});
	}
	row->n_missing = n - all;
	return ok;
}

static void count_parts(struct match *m)
{
	struct co_row *rows = m->f->rows;

	for (size_t i = 0; i < m->took_part.n; i++) {
		struct co_row *row = &rows[m->took_part.keys[i].a];

		row->most = m->parts[i] > row->most ? m->parts[i] : row->most;
		row->took_part++;
	}
	for (size_t i = 0; i < m->took_part.n; i++) {
		struct co_row *row = &rows[m->took_part.keys[i].a];

		row->took_full += m->parts[i] == row->most;
	}
	for (size_t i = 0; i < m->last.n; i++) {
		struct co_row *row = &rows[m->last.keys[i].a];
		uint32_t core = m->last.keys[i].b;

		if (m->lasts[i] > row->last_n ||
		    (m->lasts[i] == row->last_n && core < row->last_core)) {
			row->last_n = m->lasts[i];
			row->last_core = core;
		}
	}
}

/* The first that is not before (run, module). */
static size_t first_of(const struct na_triple *all, size_t n, uint64_t run,
		       uint64_t module)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (all[mid].a < run ||
		    (all[mid].a == run && all[mid].b < module))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool find_missing(struct match *m)
{
	struct na_triple *all = m->devices_of.keys;
	size_t n = m->devices_of.n;
	bool ok = true;

	count_parts(m);
	for (size_t i = 0; i < m->f->n_rows; i++)
		m->f->rows[i].participants = m->f->rows[i].took_part;
	if (m->s->by_type || !n)
		return true;
	qsort(all, n, sizeof(*all), by_first_two);
	for (uint32_t i = 0; ok && i < m->f->n_rows; i++) {
		const struct co_row *row = &m->f->rows[i];
		uint32_t run = row->run * NA_N_NETWORKS + row->network;
		size_t from = first_of(all, n, run, row->module);
		size_t to = first_of(all, n, run, (uint64_t)row->module + 1);

		if (row->took_part)
			ok = miss(m, i, &all[from], to - from);
	}
	return ok;
}

/* What the program says beyond what is there. */
static void count_absent(struct co_found *f)
{
	for (size_t i = 0; i < f->n_rows; i++) {
		struct co_row *row = &f->rows[i];
		uint64_t all = (uint64_t)row->group_size * row->n_groups;

		if (!row->uneven && all > row->participants)
			row->not_captured = all - row->participants;
	}
}

bool co_match(const struct co_state *s, struct co_found *f)
{
	const struct na_devices *d = &s->scope->store->devices;
	struct match m = {.s = s, .d = d, .f = f};
	bool ok;

	m.unit_of = na_calloc(d->types.n + 1, sizeof(*m.unit_of));
	m.pieces = na_calloc(s->ops.n + 1, sizeof(*m.pieces));
	ok = m.unit_of && m.pieces && make_units(&m);
	if (ok)
		m.counters = na_calloc(m.units.n + 1, sizeof(*m.counters));
	ok = ok && m.counters;
	if (ok)
		make_pieces(&m);
	ok = ok && add_units(&m) && find_missing(&m);
	if (ok)
		count_absent(f);
	na_triples_fini(&m.units);
	na_triples_fini(&m.row_keys);
	na_triples_fini(&m.devices_of);
	na_triples_fini(&m.took_part);
	na_triples_fini(&m.last);
	free(m.row_of_unit);
	free(m.unit_of);
	free(m.counters);
	free(m.pieces);
	free(m.parts);
	free(m.lasts);
	return ok;
}
