/* Which execution an op belongs to by its name: the units of op_match.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/matches/op_match.h"

static const char *text(const struct na_op_match *m, uint32_t name)
{
	return na_strtab_at(&m->scope->store->names.strings, name);
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
	*name = na_strtab_find(&m->scope->store->names.strings, buf,
			       strlen(buf));
	if (*name == NA_NO_NAME)
		*name = t->name;
	free(buf);
	return true;
}

const struct na_span *na_op_run(const struct na_op_match *m,
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
static bool learn_modules(const struct na_op_match *m, uint32_t *module_of)
{
	const struct na_op_types *types = &m->scope->store->devices.types;
	size_t unknown = 0, at = 0;

	for (size_t i = 0; i < types->n; i++) {
		uint32_t name = types->items[i].module;

		module_of[i] = name;
		unknown += name == NA_UNKNOWN_U32;
		if (name == NA_UNKNOWN_U32)
			continue;
		module_of[i] = module_name(m, name);
		if (module_of[i] == NA_NO_NAME)
			return false;
	}
	for (size_t i = 0; unknown && i < m->n_ops; i++) {
		const struct na_span *run = na_op_run(m, m->ops[i], &at);
		uint32_t *module = &module_of[m->ops[i]->type];

		if (!run || *module != NA_UNKNOWN_U32)
			continue;
		*module = module_name(m, run->name);
		if (*module == NA_NO_NAME)
			return false;
		unknown--;
	}
	return true;
}

/* By op type, whose modules are known. */
static bool name_units(struct na_op_match *m, const uint32_t *module_of,
		       bool (*wanted)(void *arg, const struct na_op_type *t,
				      uint32_t name))
{
	const struct na_op_types *types = &m->scope->store->devices.types;

	for (size_t i = 0; i < types->n; i++) {
		const struct na_op_type *t = &types->items[i];
		uint32_t run = m->scope->store->sources[t->input].run *
				       NA_N_NETWORKS +
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
							  module_of[i]});
		if (m->unit_of[i] == NA_NO_TRIPLE)
			return false;
	}
	na_triples_fit(&m->units);
	return true;
}

bool na_op_units(struct na_op_match *m,
		 bool (*wanted)(void *arg, const struct na_op_type *t,
				uint32_t name))
{
	size_t n = m->scope->store->devices.types.n;
	uint32_t *module_of = na_calloc(n + 1, sizeof(*module_of));
	bool ok;

	na_sort_ops(m->ops, m->n_ops);
	na_sort(m->runs, m->n_runs, na_span_order);
	m->unit_of = na_calloc(n + 1, sizeof(*m->unit_of));
	ok = module_of && m->unit_of && learn_modules(m, module_of) &&
	     name_units(m, module_of, wanted);
	free(module_of);
	return ok;
}
