/*
 * Collectives of device planes: a start and its done are one execution; the
 * executions of one operation on all devices are matched by program run and
 * order.  Who comes last does not wait, so the shortest is the transfer and
 * the rest of the others is waiting.
 */
#include "netan/analyses/collectives_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

static int by_core(const void *a, const void *b)
{
	const struct na_op *x = a, *y = b;

	if (x->core != y->core)
		return CO_CMP(x->core, y->core);
	if (x->start_ps != y->start_ps)
		return CO_CMP(x->start_ps, y->start_ps);
	if (x->end_ps != y->end_ps)
		return CO_CMP(x->end_ps, y->end_ps);
	return CO_CMP(x->type, y->type);
}

static int spans_by_core(const void *a, const void *b)
{
	const struct na_span *x = a, *y = b;

	if (x->core != y->core)
		return CO_CMP(x->core, y->core);
	if (x->start_ps != y->start_ps)
		return CO_CMP(x->start_ps, y->start_ps);
	if (x->end_ps != y->end_ps)
		return CO_CMP(x->end_ps, y->end_ps);
	return CO_CMP(x->number, y->number);
}

static const char *text(const struct co_match *m, uint32_t name)
{
	return na_strtab_at(&m->s->scope->store->names.strings, name);
}

static const char *type_text(const struct co_match *m,
			     const struct na_op_type *t)
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
static bool unit_name(struct co_match *m, const struct na_op_type *t,
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

static bool wanted(const struct co_match *m, const struct na_op_type *t,
		   uint32_t name)
{
	const struct na_filter *f = m->s->scope->filter;

	return t->network != NA_NET_DCN && t->opcode != NA_OPCODE_OTHER &&
	       t->opcode != NA_OPCODE_CONTAINER &&
	       na_filter_collective(f, text(m, name));
}

static bool row_of_unit(struct co_match *m, uint32_t unit,
			const struct na_op_type *t, uint32_t run)
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
		.name = m->s->by_type ? NA_UNKNOWN_U32 : m->units.keys[unit].b,
		.module = m->s->by_type ? NA_UNKNOWN_U32
					: m->units.keys[unit].c,
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

/* The program run around an op; ops come in order, `at` begins at 0. */
static const struct na_span *span_around(const struct co_state *s,
					 const struct na_op *op, size_t *at)
{
	const struct na_span *x = s->modules.items;
	size_t n = s->modules.n;

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
static uint32_t module_name(const struct co_match *m, uint32_t name)
{
	const char *s = text(m, name), *paren = strrchr(s, '(');

	return na_strtab_add(&m->f->modules, s,
			     paren && paren > s ? (size_t)(paren - s)
						: strlen(s));
}

/* Ops that do not name their program are of the one that runs around the
 * first of them. */
static bool learn_modules(struct co_match *m)
{
	const struct co_state *s = m->s;
	const struct na_op_types *types = &m->d->types;
	size_t at = 0;

	if (s->ops.n)
		qsort(s->ops.items, s->ops.n, sizeof(*s->ops.items), by_core);
	if (s->modules.n)
		qsort(s->modules.items, s->modules.n, sizeof(struct na_span),
		      spans_by_core);
	for (size_t i = 0; i < types->n; i++) {
		uint32_t name = types->items[i].module;

		m->module_of[i] = name;
		if (name == NA_UNKNOWN_U32)
			continue;
		m->module_of[i] = module_name(m, name);
		if (m->module_of[i] == NA_NO_NAME)
			return false;
	}
	for (size_t i = 0; i < s->ops.n; i++) {
		const struct na_span *run = span_around(s, &s->ops.items[i],
							&at);
		uint32_t *module = &m->module_of[s->ops.items[i].type];

		if (!run || *module != NA_UNKNOWN_U32)
			continue;
		*module = module_name(m, run->name);
		if (*module == NA_NO_NAME)
			return false;
	}
	return true;
}

static bool make_units(struct co_match *m)
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
				      (struct na_triple){run, name,
							 m->module_of[i]});
		if (unit == NA_NO_TRIPLE || !row_of_unit(m, unit, t, run))
			return false;
		m->unit_of[i] = unit;
		learn_groups(&m->f->rows[m->row_of_unit[unit]], t);
	}
	return true;
}

/* The op that completes an execution, and when that began. */
static bool completes(struct co_match *m, const struct na_op *op,
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
static struct counter *counter_of(struct co_match *m, uint32_t unit,
				  uint32_t core)
{
	struct counter *c = &m->counters[unit];

	if (c->core == core)
		return c;
	m->f->unpaired += c->is_open;
	*c = (struct counter){.core = core, .span = SIZE_MAX};
	return c;
}

static void take_piece(struct co_match *m, const struct na_op *op, size_t span,
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
	m->pieces[m->n++] = (struct co_piece){
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
static void make_pieces(struct co_match *m)
{
	const struct co_state *s = m->s;
	size_t at = 0;

	for (size_t i = 0; i < m->units.n; i++)
		m->counters[i].core = UINT32_MAX;
	for (size_t i = 0; i < s->ops.n; i++) {
		const struct na_op *op = &s->ops.items[i];
		const struct na_span *run;

		if (m->unit_of[op->type] == NA_NO_TRIPLE)
			continue;
		run = span_around(s, op, &at);
		take_piece(m, op, run ? at : SIZE_MAX, run ? run->number : -1);
	}
	for (size_t i = 0; i < m->units.n; i++)
		m->f->unpaired += m->counters[i].is_open;
}

bool co_match(const struct co_state *s, struct co_found *f)
{
	const struct na_devices *d = &s->scope->store->devices;
	struct co_match m = {.s = s, .d = d, .f = f};
	bool ok;

	m.unit_of = na_calloc(d->types.n + 1, sizeof(*m.unit_of));
	m.pieces = na_calloc(s->ops.n + 1, sizeof(*m.pieces));
	m.module_of = na_calloc(d->types.n + 1, sizeof(*m.module_of));
	ok = m.unit_of && m.pieces && m.module_of;
	ok = ok && learn_modules(&m) && make_units(&m);
	if (ok)
		m.counters = na_calloc(m.units.n + 1, sizeof(*m.counters));
	ok = ok && m.counters;
	if (ok)
		make_pieces(&m);
	ok = ok && co_join(&m) && co_find_missing(&m);
	na_triples_fini(&m.units);
	na_triples_fini(&m.row_keys);
	na_triples_fini(&m.devices_of);
	na_triples_fini(&m.took_part);
	na_triples_fini(&m.last);
	free(m.row_of_unit);
	free(m.unit_of);
	free(m.module_of);
	free(m.counters);
	free(m.pieces);
	free(m.parts);
	free(m.lasts);
	return ok;
}
