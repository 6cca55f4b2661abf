/* hlo: the members of the result. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/hlo/state.h"
#include "netan/base/order.h"

enum { TEXT_MAX = 4000 };

uint32_t *na_program_workers(const struct na_program_copy *c, size_t n,
			     size_t *out)
{
	uint32_t *list = na_calloc(n + 1, sizeof(*list));
	size_t found = 0;

	for (size_t i = 0; list && i < n; i++)
		list[i] = c[i].worker;
	if (list)
		na_sort(list, n, na_order_u32);
	for (size_t i = 0; list && i < n; i++) {
		if (!i || list[i] != list[i - 1])
			list[found++] = list[i];
	}
	*out = found;
	return list;
}

const char *na_program_text(const struct na_programs *p, uint32_t name)
{
	return name == NA_NO_NAME ? NULL : na_strtab_at(&p->h->strings, name);
}

static const char *form(uint8_t form)
{
	return form == NA_HLO_TEXT ? "text" : "proto";
}

const struct na_program_copy *
na_program_holders(const struct na_programs *p,
		   const struct na_program_absence *x)
{
	return (x->odd ? p->odd : p->copies) + x->first;
}

void na_program_put_fingerprint(struct na_result *r, struct na_value *in,
				uint64_t fingerprint)
{
	na_put_textf(r, in, M_fingerprint, "%016" PRIx64, fingerprint);
}

/* Greater ids do not fit a JSON number that everybody reads: as text. */
static void put_id(struct na_result *r, struct na_value *in, const char *name,
		   uint64_t id)
{
	if (id == NA_UNKNOWN_U64)
		na_put_null(r, in, name);
	else
		na_put_id(r, in, name, id);
}

void na_program_put_nulls(struct na_result *r, struct na_value *in,
			  const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		na_put_null(r, in, names[i]);
}

static void put_names(const struct na_programs *p, struct na_result *r,
		      struct na_value *in, const char *name,
		      const uint32_t *workers, size_t n)
{
	struct na_value *list = na_put_list(r, in, name);

	for (size_t i = 0; i < n; i++)
		na_put_text(r, list, NULL, p->h->workers[workers[i]].name);
}

static void put_hosts(const struct na_programs *p, struct na_result *r,
		      struct na_value *in, const struct na_program_copy *c,
		      size_t n)
{
	uint32_t *list = na_program_workers(c, n, &n);

	put_names(p, r, in, M_hosts, list, list ? n : 0);
	free(list);
}

NA_ORDER(by_id, uint64_t, NA_CMP(*x, *y))

/* Ids of one program may differ from worker to worker. */
static void put_program_ids(const struct na_programs *p, struct na_result *r,
			    struct na_value *row,
			    const struct na_program_copy *c, size_t n)
{
	uint64_t *ids = na_calloc(n + 1, sizeof(*ids));
	struct na_value *list;

	for (size_t i = 0; ids && i < n; i++)
		ids[i] = p->h->modules[c[i].module].program_id;
	if (ids)
		na_sort(ids, n, by_id);
	put_id(r, row, M_program_id, ids ? ids[0] : NA_UNKNOWN_U64);
	list = na_put_list(r, row, M_program_ids);
	for (size_t i = 0; ids && i < n; i++) {
		if (ids[i] != NA_UNKNOWN_U64 && (!i || ids[i] != ids[i - 1]))
			na_put_id(r, list, NULL, ids[i]);
	}
	free(ids);
}

static void put_module(const struct na_programs *p, struct na_result *r,
		       const struct na_program *x, struct na_value *row,
		       struct na_value *flat)
{
	const struct na_hlo_module *m = &p->h->modules[x->body];
	const struct na_program_copy *c = p->copies + x->first;

	na_put_text(r, row, M_module, na_program_text(p, m->name));
	put_program_ids(p, r, row, c, x->n);
	na_program_put_fingerprint(r, row, m->fingerprint);
	na_put_text(r, row, M_form, form(m->form));
	na_put_int(r, row, M_instructions, (int64_t)m->n_instructions);
	na_put_int(r, row, M_computations, (int64_t)m->n_computations);
	na_put_int(r, row, M_replicas, m->replicas);
	na_put_int(r, row, M_partitions, m->partitions);
	na_put_bool(r, row, M_differs, x->differs);
	na_program_put_collectives(p, r, x, row, flat);
	na_put_int(r, row, M_workers, x->workers);
	na_put_int(r, row, M_copies, (int64_t)x->n);
	put_hosts(p, r, row, c, x->n);
}

/* ---- differences */

/* What stands at a place of a program; behind its end, nothing. */
static void put_side(const struct na_programs *p, struct na_result *r,
		     struct na_value *in, size_t body, size_t at)
{
	static const char *const members[] = {M_computation, M_position, M_name,
					      M_opcode, M_text};
	const struct na_hlo_module *m = &p->h->modules[body];
	struct na_value *side = na_put_object(r, in, NULL);
	const struct na_hlo_computation *c;
	const struct na_hlo_instruction *x;
	const char *text;

	na_program_put_fingerprint(r, side, m->fingerprint);
	if (at >= m->n_instructions) {
		na_program_put_nulls(r, side, members, NA_LEN(members));
		return;
	}
	x = &m->instructions[at];
	if (x->computation < m->n_computations) {
		c = &m->computations[x->computation];
		na_put_text(r, side, M_computation,
			    na_program_text(p, c->name));
		na_put_int(r, side, M_position, (int64_t)at - c->first);
	} else {
		na_program_put_nulls(r, side, members, 2);
	}
	na_put_text(r, side, M_name, na_program_text(p, x->name));
	na_put_text(r, side, M_opcode, na_program_text(p, x->opcode_name));
	text = m->texts ? na_program_text(p, m->texts[at]) : NULL;
	if (text)
		na_put_textf(r, side, M_text, "%.*s", TEXT_MAX, text);
	else
		na_put_null(r, side, M_text);
}

static void put_first(const struct na_programs *p, struct na_result *r,
		      struct na_value *in, const struct na_program_group *g,
		      const struct na_program_group *last)
{
	struct na_value *first = na_put_object(r, in, M_first_instruction);
	struct na_value *sides;

	na_put_int(r, first, M_index, (int64_t)g->diff.first);
	sides = na_put_list(r, first, M_sides);
	put_side(p, r, sides, g->body, g->diff.first);
	put_side(p, r, sides, last->body, g->diff.first);
}

/* Of group g against the last one. */
static void put_changed(const struct na_programs *p, struct na_result *r,
			struct na_value *in, const struct na_program_group *g,
			const struct na_program_group *last)
{
	struct na_value *c = na_put_object(r, in, M_changed);
	const struct na_program_diff *d = &g->diff;
	const struct na_hlo_module *own = &p->h->modules[g->body];
	const struct na_hlo_module *other = &p->h->modules[last->body];
	size_t added, removed;

	na_put_int(r, c, M_instructions, (int64_t)d->changed);
	na_put_real(r, c, M_share,
		    d->of ? (double)d->changed / (double)d->of : 0);
	na_put_int(r, c, M_added, (int64_t)d->only[1]);
	na_put_int(r, c, M_removed, (int64_t)d->only[0]);
	na_put_int(r, c, M_other_operands, (int64_t)d->rewired);
	na_put_int(r, c, M_computations, d->computations);
	added = na_program_put_only(p, r, c, M_collectives_only_here, own,
				    other);
	removed = na_program_put_only(p, r, c, M_collectives_only_there, other,
				      own);
	na_put_int(r, c, M_collectives,
		   (int64_t)(added > removed ? added : removed));
	na_put_bool(r, c, M_exact, d->exact);
}

static void put_group(const struct na_programs *p, struct na_result *r,
		      struct na_value *list, const struct na_program_group *g,
		      const struct na_program_group *last)
{
	const struct na_hlo_module *m = &p->h->modules[g->body];
	struct na_value *row = na_put_object(r, list, NULL);

	na_program_put_fingerprint(r, row, m->fingerprint);
	na_put_int(r, row, M_instructions, (int64_t)m->n_instructions);
	put_hosts(p, r, row, p->odd + g->first, g->n);
	put_program_ids(p, r, row, p->odd + g->first, g->n);
	if (g->compared) {
		put_first(p, r, row, g, last);
		put_changed(p, r, row, g, last);
	}
}

/* Of all groups the one that differs first, and the most that changed. */
static void put_difference(const struct na_programs *p, struct na_result *r,
			   const struct na_program_difference *d,
			   struct na_value *list)
{
	const struct na_program_group *g = p->groups.v + d->first_group;
	const struct na_program_group *last = &g[d->n_groups - 1];
	const struct na_program_group *first = NULL, *most = NULL;
	struct na_value *row = na_put_object(r, list, NULL), *groups;

	na_put_text(r, row, M_module, na_program_text(p, d->name));
	na_put_text(r, row, M_form, form(d->form));
	na_put_int(r, row, M_ordinal, d->ordinal);
	na_put_bool(r, row, M_majority, d->majority);
	groups = na_put_list(r, row, M_groups);
	for (size_t i = 0; i < d->n_groups; i++) {
		put_group(p, r, groups, &g[i], last);
		if (!g[i].compared)
			continue;
		if (!first || g[i].diff.first < first->diff.first)
			first = &g[i];
		if (!most || g[i].diff.changed > most->diff.changed)
			most = &g[i];
	}
	if (first) {
		put_first(p, r, row, first, last);
		put_changed(p, r, row, most, last);
	} else {
		na_put_null(r, row, M_first_instruction);
		na_put_null(r, row, M_changed);
	}
}

static void put_absence(const struct na_programs *p, struct na_result *r,
			const struct na_program_absence *x,
			struct na_value *list)
{
	const struct na_program_copy *c = na_program_holders(p, x);
	struct na_value *row = na_put_object(r, list, NULL);

	na_put_text(r, row, M_module, na_program_text(p, c->name));
	na_put_text(r, row, M_why,
		    x->other_form ? "other_form"
		    : x->odd      ? "fewer"
				  : "absent");
	na_put_text(r, row, M_other_name, na_program_text(p, x->other));
	put_hosts(p, r, row, c, x->n);
	put_names(p, r, row, M_missing, x->missing, x->n_missing);
}

/* ---- a row for each module of each worker, for sheets */

static void put_workers(const struct na_programs *p, struct na_result *r,
			struct na_value *list)
{
	const struct na_program **of = na_calloc(p->h->n_modules + 1,
						 sizeof(*of));

	for (size_t i = 0; of && i < p->programs.n; i++) {
		const struct na_program *x = &p->programs.v[i];

		for (size_t c = 0; c < x->n; c++)
			of[p->copies[x->first + c].module] = x;
	}
	for (size_t i = 0; of && i < p->h->n_modules; i++) {
		const struct na_hlo_module *m = &p->h->modules[i];
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_host, p->h->workers[m->worker].name);
		na_put_text(r, row, M_module, na_program_text(p, m->name));
		put_id(r, row, M_program_id, m->program_id);
		na_program_put_fingerprint(r, row, m->fingerprint);
		na_put_text(r, row, M_form, form(m->form));
		na_put_int(r, row, M_instructions, (int64_t)m->n_instructions);
		na_put_bool(r, row, M_differs, of[i]->differs);
	}
	free(of);
}

void na_programs_result(const struct na_programs *p, struct na_result *r)
{
	struct na_value *body = na_result_body(r);
	char text[NA_PROGRAM_VERDICT_BUF];
	struct na_value *modules, *list, *flat;

	na_program_verdict(p, text, sizeof(text));
	na_put_text(r, body, M_verdict, text);
	modules = na_put_list(r, body, M_modules);
	list = na_put_list(r, body, M_differences);
	for (size_t i = 0; i < p->differences.n; i++)
		put_difference(p, r, &p->differences.v[i], list);
	list = na_put_list(r, body, M_missing);
	for (size_t i = 0; i < p->absences.n; i++)
		put_absence(p, r, &p->absences.v[i], list);
	flat = na_put_list(r, body, M_collectives);
	for (size_t i = 0; i < p->programs.n; i++)
		put_module(p, r, &p->programs.v[i],
			   na_put_object(r, modules, NULL), flat);
	put_workers(p, r, na_put_list(r, body, M_workers));
}
