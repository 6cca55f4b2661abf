/* collectives: the rows of what devices execute between them. */
#include "netan/analyses/collectives/match.h"

#include <stdlib.h>

static const char *text(const struct coll_match *m, uint32_t name)
{
	return na_strtab_at(&m->s->scope->store->names.strings, name);
}

static const char *type_text(const struct coll_match *m,
			     const struct na_op_type *t)
{
	return t->transfer_type != NA_UNKNOWN_U32
		       ? text(m, t->transfer_type)
		       : na_collectives_word(t->opcode);
}

static bool wanted(void *arg, const struct na_op_type *t, uint32_t name)
{
	const struct coll_match *m = arg;

	(void)t;
	return na_filter_collective(m->s->scope->filter, text(m, name));
}

static bool row_of_unit(struct coll_match *m, uint32_t unit,
			const struct na_op_type *t, uint32_t run)
{
	bool by_type = m->s->by_type;
	const struct na_triple *key = &m->ops.units.keys[unit];
	struct coll_found *f = m->f;
	uint32_t row =
		na_triples_add(&m->row_keys,
			       by_type ? (struct na_triple){run, t->opcode,
							    t->transfer_type}
				       : (struct na_triple){unit, 0, 0});

	if (row == NA_NO_TRIPLE)
		return false;
	m->row_of_unit[unit] = row;
	return row < f->rows.n ||
	       na_add(&f->rows,
		      ((struct coll_matched){
			      .id = row,
			      .run = run / NA_N_NETWORKS,
			      .network = (uint8_t)t->network,
			      .name = by_type ? NA_UNKNOWN_U32 : key->b,
			      .module = by_type ? NA_UNKNOWN_U32 : key->c,
			      .type = type_text(m, t),
			      .opcode = t->opcode,
		      }));
}

/* Groups as any type of the row tells them; differing ones are uneven. */
static void learn_groups(struct coll_matched *row, const struct na_op_type *t)
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

static bool make_rows(struct coll_match *m)
{
	const struct na_op_types *types = &m->d->types;

	m->row_of_unit = na_calloc(m->ops.units.n + 1, sizeof(*m->row_of_unit));
	if (!m->s->by_type) {
		/* A row is large: not one too many. */
		m->f->rows.v = na_calloc(m->ops.units.n, sizeof(*m->f->rows.v));
		m->f->rows.cap = m->f->rows.v ? m->ops.units.n : 0;
	}
	if (!m->row_of_unit)
		return false;
	for (size_t i = 0; i < types->n; i++) {
		const struct na_op_type *t = &types->items[i];
		uint32_t unit = m->ops.unit_of[i];

		if (unit == NA_NO_TRIPLE)
			continue;
		if (!row_of_unit(m, unit, t, m->ops.units.keys[unit].a))
			return false;
		learn_groups(&m->f->rows.v[m->row_of_unit[unit]], t);
	}
	return true;
}

bool na_collectives_match(struct coll_state *s, struct coll_found *f)
{
	const struct na_devices *d = &s->scope->store->devices;
	struct coll_match m = {
		.s = s,
		.d = d,
		.f = f,
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
		  na_op_match(&m.ops) && na_collectives_find_missing(&m);

	f->unpaired = m.ops.unpaired;
	na_op_match_fini(&m.ops);
	na_triples_fini(&m.row_keys);
	na_triples_fini(&m.devices_of);
	na_triples_fini(&m.took_part);
	na_triples_fini(&m.last);
	free(m.row_of_unit);
	na_vec_free(&m.parts);
	na_vec_free(&m.lasts);
	na_vec_free(&m.seats);
	return ok;
}
