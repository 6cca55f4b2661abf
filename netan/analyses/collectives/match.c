/* collectives: the rows of what devices execute between them. */
#include "netan/analyses/collectives/match.h"

#include <stdlib.h>

static const char *text(const struct coll_match *m, uint32_t name)
{
	return na_strtab_at(&m->s->scope->store->names.strings, name);
}

static bool wanted(void *arg, const struct na_op_type *t, uint32_t name)
{
	const struct coll_match *m = arg;

	(void)t;
	return na_filter_collective(m->s->scope->filter, text(m, name));
}

/* Groups as any type of the row tells them; differing ones are uneven. */
static void learn_groups(struct coll_kind *kind, const struct na_op_type *t)
{
	if (!t->group_size)
		return;
	if (kind->group_size && (kind->group_size != t->group_size ||
				 kind->n_groups != t->n_groups))
		kind->uneven = true;
	if (!kind->group_size) {
		kind->group_size = t->group_size;
		kind->n_groups = t->n_groups;
	}
	kind->uneven = kind->uneven || t->uneven;
}

static bool learn_kind(struct coll_match *m, uint32_t row,
		       const struct na_op_type *t)
{
	uint32_t *no = &m->kind_of_row[row];
	struct coll_kind kind = {.type = t->transfer_type, .opcode = t->opcode};

	if (*no)
		kind = na_collectives_kind_at(&m->f->rows, *no - 1);
	learn_groups(&kind, t);
	*no = na_collectives_kind(&m->f->rows, &kind) + 1;
	return *no;
}

/* The row of a type: of transfer types one has several units. */
static uint32_t row_of(struct coll_match *m, struct na_triples *keys,
		       const struct na_op_type *t, uint32_t unit)
{
	struct na_triple key = {m->ops.units.keys[unit].a, t->opcode,
				t->transfer_type};

	if (!m->s->by_type)
		return unit;
	return m->row_of_unit[unit] = na_triples_add(keys, key);
}

/* `n`: rows. */
static bool learn_rows(struct coll_match *m, size_t *n)
{
	const struct na_op_types *types = &m->d->types;
	struct na_triples keys = {.n = 0};
	bool ok = true;

	for (size_t i = 0; ok && i < types->n; i++) {
		uint32_t unit = m->ops.unit_of[i], row;

		if (unit == NA_NO_TRIPLE)
			continue;
		row = row_of(m, &keys, &types->items[i], unit);
		ok = row != NA_NO_TRIPLE &&
		     learn_kind(m, row, &types->items[i]);
	}
	*n = keys.n;
	na_triples_fini(&keys);
	return ok;
}

/* Units get numbers by row, as they follow one another in it; `at` [n + 1]:
 * where the units of each row begin, and `to` [units] their new numbers. */
static bool number_units(struct coll_match *m, size_t *at, uint32_t *to)
{
	struct na_triples *units = &m->ops.units;
	struct na_triple *keys = na_calloc(units->n, sizeof(*keys));
	uint32_t *rows = na_calloc(units->n, sizeof(*rows));

	for (size_t i = 0; keys && rows && i < units->n; i++) {
		to[i] = (uint32_t)at[m->row_of_unit[i]]++;
		keys[to[i]] = units->keys[i];
		rows[to[i]] = m->row_of_unit[i];
	}
	if (!keys || !rows) {
		free(keys);
		free(rows);
		return false;
	}
	free(units->keys);
	units->keys = keys;
	units->cap = units->n;
	free(m->row_of_unit);
	m->row_of_unit = rows;
	for (size_t i = 0; i < m->d->types.n; i++) {
		uint32_t *unit = &m->ops.unit_of[i];

		*unit = *unit == NA_NO_TRIPLE ? *unit : to[*unit];
	}
	return true;
}

static bool put_together(struct coll_match *m, size_t n)
{
	size_t *at = na_calloc(n + 1, sizeof(*at));
	uint32_t *to = na_calloc(m->ops.units.n, sizeof(*to));
	bool ok = at && to;

	for (size_t i = 0; ok && i < m->ops.units.n; i++)
		at[m->row_of_unit[i] + 1]++;
	for (size_t i = 0; ok && i < n; i++)
		at[i + 1] += at[i];
	ok = ok && number_units(m, at, to);
	free(at);
	free(to);
	return ok;
}

static bool make_rows(struct coll_match *m)
{
	size_t units = m->ops.units.n, n;
	bool by_type = m->s->by_type;

	m->kind_of_row = na_calloc(by_type ? m->d->types.n : units,
				   sizeof(*m->kind_of_row));
	m->parts = na_calloc(m->d->n_cores, sizeof(*m->parts));
	if (by_type)
		m->row_of_unit = na_calloc(units, sizeof(*m->row_of_unit));
	return m->kind_of_row && m->parts && (!by_type || m->row_of_unit) &&
	       learn_rows(m, &n) && (!by_type || put_together(m, n));
}

/* ---- the open row */

static bool open_row(struct coll_match *m, uint32_t id, uint32_t unit)
{
	const struct na_triple *key = &m->ops.units.keys[unit];
	bool by_type = m->s->by_type;
	struct na_triple program = {key->a, by_type ? NA_UNKNOWN_U32 : key->c,
				    0};

	m->open = id;
	m->row = (struct coll_matched){
		.program = na_triples_add(&m->f->rows.programs, program),
		.kind = m->kind_of_row[id] - 1,
		.name = by_type ? NA_UNKNOWN_U32 : key->b,
	};
	return m->row.program != NA_NO_TRIPLE;
}

/* It is complete. */
static bool close_row(struct coll_match *m)
{
	double *us[COLL_N_DURATIONS];
	size_t n[COLL_N_DURATIONS];

	if (m->open == NA_NO_TRIPLE)
		return true;
	m->open = NA_NO_TRIPLE;
	for (int i = 0; i < COLL_N_DURATIONS; i++) {
		us[i] = m->us[i].v;
		n[i] = m->us[i].n;
		m->us[i].n = 0;
	}
	na_collectives_measure(&m->row, us, n);
	return na_collectives_man(m) &&
	       na_collectives_pack(&m->f->rows, &m->row);
}

bool na_collectives_reach(struct coll_match *m, uint32_t unit)
{
	uint32_t row = m->row_of_unit ? m->row_of_unit[unit] : unit;

	return row == m->open || (close_row(m) && open_row(m, row, unit));
}

static void match_fini(struct coll_match *m)
{
	free(m->row_of_unit);
	free(m->kind_of_row);
	free(m->parts);
	for (int i = 0; i < COLL_N_DURATIONS; i++)
		na_vec_free(&m->us[i]);
	na_vec_free(&m->crew);
	na_vec_free(&m->text.is);
	na_triples_fini(&m->teams);
	na_triples_fini(&m->devices);
}

bool na_collectives_match(struct coll_state *s, struct coll_found *f)
{
	const struct na_devices *d = &s->scope->store->devices;
	struct coll_match m = {
		.s = s,
		.d = d,
		.f = f,
		.open = NA_NO_TRIPLE,
		.ops = {.scope = s->scope,
			.ops = s->ops.v,
			.n_ops = s->ops.n,
			.runs = s->modules.v,
			.n_runs = s->modules.n,
			.modules = &f->modules,
			.instance = na_collectives_add_instance,
			.arg = &m},
	};
	bool ok = na_op_units(&m.ops, wanted) && make_rows(&m) &&
		  na_op_match(&m.ops) && close_row(&m);

	f->unpaired = m.ops.unpaired;
	na_op_match_fini(&m.ops);
	ok = ok && na_collectives_find_missing(&m);
	match_fini(&m);
	return ok;
}
