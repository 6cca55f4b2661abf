/* Which worker runs which program, and who differs. */
#include "netan/analyses/hlo/state.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"

/* Names are interned: equal ones have equal numbers. */
NA_ORDER(by_program, struct na_program_copy, NA_UP(name), NA_UP(form),
	 NA_UP(fingerprint), NA_UP(worker), NA_UP(module))

NA_ORDER(by_worker, struct na_program_copy, NA_UP(name), NA_UP(form),
	 NA_UP(worker), NA_UP(module))

NA_ORDER(by_ordinal, struct na_program_copy, NA_UP(name), NA_UP(form),
	 NA_UP(ordinal), NA_UP(fingerprint), NA_UP(worker))

/* Ends of runs of equal copies. */
static bool same_name(const struct na_program_copy *a,
		      const struct na_program_copy *b)
{
	return a->name == b->name && a->form == b->form;
}

static bool same_program(const struct na_program_copy *a,
			 const struct na_program_copy *b)
{
	return same_name(a, b) && a->fingerprint == b->fingerprint;
}

static bool same_slot(const struct na_program_copy *a,
		      const struct na_program_copy *b)
{
	return same_name(a, b) && a->ordinal == b->ordinal;
}

static bool only_name(const struct na_program_copy *a,
		      const struct na_program_copy *b)
{
	return a->name == b->name;
}

typedef bool (*alike)(const struct na_program_copy *a,
		      const struct na_program_copy *b);

static size_t run_of(const struct na_program_copy *c, size_t n, size_t i,
		     alike same)
{
	size_t end = i + 1;

	while (end < n && same(&c[i], &c[end]))
		end++;
	return end;
}

/* Sorted by worker within: how many distinct ones. */
static uint32_t workers_in(const struct na_program_copy *c, size_t n)
{
	uint32_t found = n > 0;

	for (size_t i = 1; i < n; i++)
		found += c[i].worker != c[i - 1].worker;
	return found;
}

static size_t body_of(const struct na_programs *p,
		      const struct na_program_copy *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct na_hlo_module *m = &p->h->modules[c[i].module];

		if (m->instructions || !m->n_instructions)
			return c[i].module;
	}
	return c[0].module;
}

static bool take_copies(struct na_programs *p)
{
	const struct na_hlo *h = p->h;

	p->copies = na_calloc(h->n_modules + 1, sizeof(*p->copies));
	p->odd = na_calloc(h->n_modules + 1, sizeof(*p->odd));
	if (!p->copies || !p->odd)
		return false;
	for (size_t i = 0; i < h->n_modules; i++) {
		const struct na_hlo_module *m = &h->modules[i];

		p->copies[i] = (struct na_program_copy){
			.fingerprint = m->fingerprint,
			.name = m->name,
			.worker = m->worker,
			.module = (uint32_t)i,
			.ordinal = NA_NO_NAME,
			.form = m->form,
		};
	}
	p->n_copies = h->n_modules;
	na_sort(p->copies, p->n_copies, by_program);
	return true;
}

/* ---- programs, largest first */

static bool list_programs(struct na_programs *p)
{
	for (size_t i = 0, end; i < p->n_copies; i = end) {
		end = run_of(p->copies, p->n_copies, i, same_program);
		if (!na_add(&p->programs,
			    ((struct na_program){
				    .first = i,
				    .n = end - i,
				    .body = body_of(p, p->copies + i, end - i),
				    .workers = workers_in(p->copies + i,
							  end - i),
			    })))
			return false;
	}
	return true;
}

static int larger_first(const void *a, const void *b, void *ctx)
{
	const struct na_program *x = a, *y = b;
	const struct na_programs *p = ctx;
	const struct na_hlo_module *m = &p->h->modules[x->body];
	const struct na_hlo_module *k = &p->h->modules[y->body];

	return NA_THEN(NA_CMP(k->n_instructions, m->n_instructions),
		       strcmp(na_program_text(p, m->name),
			      na_program_text(p, k->name)),
		       NA_CMP(m->form, k->form), NA_DOWN(workers),
		       NA_UP(first));
}

/* ---- what a name's workers do not have in common */

/* Copies [i, end) of one name and form, sorted by program: of those that all
 * of its workers have, as many as all have are set aside. */
static void set_aside(struct na_programs *p, size_t i, size_t end,
		      uint32_t n_workers)
{
	struct na_program_copy *c = p->copies;

	for (size_t k = i, last; k < end; k = last) {
		size_t least = SIZE_MAX;

		last = run_of(c, end, k, same_program);
		for (size_t w = k, next; w < last; w = next) {
			next = w + 1;
			while (next < last && c[next].worker == c[w].worker)
				next++;
			least = next - w < least ? next - w : least;
		}
		if (workers_in(c + k, last - k) < n_workers)
			least = 0;
		for (size_t w = k, seen = 0; w < last; w++) {
			seen = w > k && c[w].worker == c[w - 1].worker
				       ? seen + 1
				       : 0;
			if (seen >= least)
				p->odd[p->n_odd++] = c[w];
		}
	}
}

/* Numbers what is left of each worker in its order. */
static void number(struct na_program_copy *c, size_t n)
{
	na_sort(c, n, by_worker);
	for (size_t i = 0; i < n; i++)
		c[i].ordinal = i && same_name(&c[i - 1], &c[i]) &&
					       c[i - 1].worker == c[i].worker
				       ? c[i - 1].ordinal + 1
				       : 0;
	na_sort(c, n, by_ordinal);
}

/* ---- differences */

/* Of equal ones the first worker's is compared with. */
NA_ORDER(fewer_first, struct na_program_group, NA_UP(n), NA_DOWN(first))

static enum na_status compare_groups(struct na_programs *p,
				     struct na_program_group *g, size_t n,
				     struct na_err *err)
{
	const struct na_hlo_module *all = p->h->modules;
	const struct na_hlo_module *last = &all[g[n - 1].body];
	size_t done = 0;

	for (size_t i = 0; i + 1 < n && done < NA_PROGRAMS_COMPARED; i++) {
		const struct na_hlo_module *m = &all[g[i].body];

		if ((m->n_instructions && !m->instructions) ||
		    (last->n_instructions && !last->instructions))
			continue; /* given up to save memory */
		if (na_program_diff(last, m, &g[i].diff, err) != NA_OK)
			return err->status;
		g[i].compared = true;
		done++;
	}
	return NA_OK;
}

/* Where groups tie, the one with the first worker is the last. */
static void place_first_worker(struct na_programs *p,
			       struct na_program_group *g, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (g[i].n == g[n - 1].n &&
		    p->odd[g[i].first].worker < p->odd[g[n - 1].first].worker) {
			struct na_program_group t = g[i];

			g[i] = g[n - 1];
			g[n - 1] = t;
		}
	}
}

/* Copies [i, end) of odd: one slot of several workers. */
static enum na_status compare_slot(struct na_programs *p, size_t i, size_t end,
				   struct na_err *err)
{
	struct na_program_difference d = {
		.name = p->odd[i].name,
		.ordinal = p->odd[i].ordinal,
		.form = p->odd[i].form,
		.first_group = p->groups.n,
		.n_workers = end - i,
	};
	struct na_program_group *g;

	if (same_program(&p->odd[i], &p->odd[end - 1]))
		return NA_OK; /* the others have none: absence */
	for (size_t k = i, last; k < end; k = last) {
		last = run_of(p->odd, end, k, same_program);
		if (!na_add(&p->groups,
			    ((struct na_program_group){
				    .first = k,
				    .n = last - k,
				    .body = body_of(p, p->odd + k, last - k),
			    })))
			return na_fail_nomem(err);
	}
	d.n_groups = p->groups.n - d.first_group;
	g = p->groups.v + d.first_group;
	na_sort(g, d.n_groups, fewer_first);
	place_first_worker(p, g, d.n_groups);
	d.majority = 2 * g[d.n_groups - 1].n > d.n_workers;
	if (!na_add(&p->differences, d))
		return na_fail_nomem(err);
	return compare_groups(p, g, d.n_groups, err);
}

static int fewest_first(const void *a, const void *b, void *ctx)
{
	const struct na_program_difference *x = a, *y = b;
	const struct na_programs *p = ctx;
	size_t m = x->n_workers - na_program_most(p, x)->n;
	size_t k = y->n_workers - na_program_most(p, y)->n;

	return NA_THEN(NA_DOWN(majority), NA_CMP(m, k),
		       strcmp(na_program_text(p, x->name),
			      na_program_text(p, y->name)),
		       NA_UP(form), NA_UP(ordinal));
}

/* ---- one name after the other */

/* Copies [i, end) of one name and form. */
static enum na_status compare_form(struct na_programs *p, size_t i, size_t end,
				   struct na_program_marks *m,
				   struct na_err *err)
{
	uint32_t mark = ++m->next;
	uint32_t n = na_program_count_workers(p->copies + i, end - i, m->name,
					      mark);
	size_t first = p->n_odd;
	enum na_status st = NA_OK;

	if (n < 2)
		return NA_OK;
	set_aside(p, i, end, n);
	number(p->odd + first, p->n_odd - first);
	for (size_t k = first, last; st == NA_OK && k < p->n_odd; k = last) {
		last = run_of(p->odd, p->n_odd, k, same_slot);
		st = compare_slot(p, k, last, err);
		if (st == NA_OK && last - k < n)
			st = na_program_absent_slot(p, k, last, m->name, mark,
						    m->slot, ++m->next, err);
	}
	return st;
}

static enum na_status compare_name(struct na_programs *p, size_t i, size_t end,
				   struct na_program_marks *m,
				   struct na_err *err)
{
	size_t half = run_of(p->copies, end, i, same_name);
	enum na_status st = na_program_absent_name(p, i, end, m, err);

	if (st == NA_OK)
		st = na_program_other_form(p, i, half, end, m, err);
	if (st == NA_OK)
		st = compare_form(p, i, half, m, err);
	if (st == NA_OK && half < end)
		st = compare_form(p, half, end, m, err);
	return st;
}

static enum na_status compare_all(struct na_programs *p, struct na_err *err)
{
	struct na_program_marks m = {
		.name = na_calloc(p->h->n_workers + 1, sizeof(*m.name)),
		.slot = na_calloc(p->h->n_workers + 1, sizeof(*m.slot)),
	};
	enum na_status st = m.name && m.slot ? NA_OK : na_fail_nomem(err);

	for (size_t i = 0, end; st == NA_OK && i < p->n_copies; i = end) {
		end = run_of(p->copies, p->n_copies, i, only_name);
		st = compare_name(p, i, end, &m, err);
	}
	free(m.name);
	free(m.slot);
	return st == NA_OK ? na_program_finish_absences(p, err) : st;
}

static bool mark_differing(struct na_programs *p)
{
	bool *odd = na_calloc(p->h->n_modules + 1, sizeof(*odd));

	for (size_t i = 0; odd && i < p->differences.n; i++) {
		const struct na_program_difference *d = &p->differences.v[i];

		for (size_t k = 0; k + 1 < d->n_groups; k++) {
			const struct na_program_group *g =
				&p->groups.v[d->first_group + k];

			for (size_t c = 0; c < g->n; c++)
				odd[p->odd[g->first + c].module] = true;
		}
	}
	for (size_t i = 0; odd && i < p->programs.n; i++) {
		struct na_program *x = &p->programs.v[i];

		for (size_t c = 0; c < x->n; c++)
			x->differs |= odd[p->copies[x->first + c].module];
	}
	free(odd);
	return odd;
}

static enum na_severity severity_of(const struct na_programs *p)
{
	enum na_severity worst = NA_SEV_NONE;

	if (p->differences.n)
		return NA_SEV_ERROR;
	for (size_t i = 0; i < p->absences.n; i++) {
		enum na_severity one = p->absences.v[i].other_form
					       ? NA_SEV_INFO
					       : NA_SEV_WARNING;

		worst = one > worst ? one : worst;
	}
	return worst;
}

enum na_status na_programs_compare(struct na_programs *p,
				   const struct na_hlo *h, struct na_err *err)
{
	enum na_status st;

	memset(p, 0, sizeof(*p));
	p->h = h;
	if (!take_copies(p) || !list_programs(p))
		return na_fail_nomem(err);
	st = compare_all(p, err);
	if (st != NA_OK)
		return st;
	if (!mark_differing(p))
		return na_fail_nomem(err);
	if (p->programs.n)
		qsort_r(p->programs.v, p->programs.n, sizeof(*p->programs.v),
			larger_first, p);
	if (p->differences.n)
		qsort_r(p->differences.v, p->differences.n,
			sizeof(*p->differences.v), fewest_first, p);
	p->severity = severity_of(p);
	return NA_OK;
}

void na_programs_fini(struct na_programs *p)
{
	for (size_t i = 0; i < p->absences.n; i++)
		free(p->absences.v[i].missing);
	free(p->copies);
	free(p->odd);
	na_vec_free(&p->programs);
	na_vec_free(&p->groups);
	na_vec_free(&p->differences);
	na_vec_free(&p->absences);
}
