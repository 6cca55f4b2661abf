/* hlo: modules that only some workers have. */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/hlo/state.h"
#include "netan/base/order.h"

static bool is_new(uint32_t *seen, uint32_t worker, uint32_t mark)
{
	bool fresh = seen[worker] != mark;

	seen[worker] = mark;
	return fresh;
}

uint32_t na_program_count_workers(const struct na_program_copy *c, size_t n,
				  uint32_t *seen, uint32_t mark)
{
	uint32_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += is_new(seen, c[i].worker, mark);
	return found;
}

static enum na_status add_absence(struct na_programs *p,
				  struct na_program_absence *x,
				  struct na_err *err)
{
	if (na_add(&p->absences, *x))
		return NA_OK;
	free(x->missing);
	return na_fail_nomem(err);
}

/* `seen` marks who has it; of `all` workers the others. */
static bool list_missing(struct na_program_absence *x, const uint32_t *seen,
			 uint32_t mark, size_t all)
{
	x->other = NA_NO_NAME;
	x->missing = na_calloc(all + 1, sizeof(*x->missing));
	for (size_t w = 0; x->missing && w < all; w++) {
		if (seen[w] != mark)
			x->missing[x->n_missing++] = (uint32_t)w;
	}
	return x->missing != NULL;
}

/* Copies [i, end) are those of one name: who has none. */
enum na_status na_program_absent_name(struct na_programs *p, size_t i,
				      size_t end, struct na_program_marks *m,
				      struct na_err *err)
{
	struct na_program_absence x = {.first = i, .n = end - i};
	uint32_t mark = ++m->next;

	if (na_program_count_workers(p->copies + i, end - i, m->name, mark) ==
	    p->h->n_workers)
		return NA_OK;
	if (!list_missing(&x, m->name, mark, p->h->n_workers))
		return na_fail_nomem(err);
	return add_absence(p, &x, err);
}

/* Copies [i, half) are one form, [half, end) the other; nobody has both:
 * nothing to compare these workers by. */
enum na_status na_program_other_form(struct na_programs *p, size_t i,
				     size_t half, size_t end,
				     struct na_program_marks *m,
				     struct na_err *err)
{
	struct na_program_absence x = {.first = i,
				       .n = half - i,
				       .other_form = true};
	uint32_t mark = ++m->next, n, in_all;

	if (half == end)
		return NA_OK;
	na_program_count_workers(p->copies + i, half - i, m->name, mark);
	memcpy(m->slot, m->name, p->h->n_workers * sizeof(*m->slot));
	in_all = na_program_count_workers(p->copies + half, end - half, m->slot,
					  mark);
	n = na_program_count_workers(p->copies + half, end - half, m->name,
				     ++m->next);
	if (in_all < n)
		return NA_OK;
	x.other = NA_NO_NAME;
	x.missing = na_calloc(n, sizeof(*x.missing));
	if (!x.missing)
		return na_fail_nomem(err);
	for (size_t w = 0; w < p->h->n_workers; w++) {
		if (m->name[w] == m->next)
			x.missing[x.n_missing++] = (uint32_t)w;
	}
	return add_absence(p, &x, err);
}

/* A further program of a name that others have fewer of. */
enum na_status na_program_absent_slot(struct na_programs *p, size_t i,
				      size_t end, const uint32_t *of_name,
				      uint32_t name_mark, uint32_t *seen,
				      uint32_t mark, struct na_err *err)
{
	struct na_program_absence x = {.first = i, .n = end - i, .odd = true};
	size_t kept = 0;

	na_program_count_workers(p->odd + i, end - i, seen, mark);
	if (!list_missing(&x, seen, mark, p->h->n_workers))
		return na_fail_nomem(err);
	for (size_t k = 0; k < x.n_missing; k++) {
		if (of_name[x.missing[k]] == name_mark)
			x.missing[kept++] = x.missing[k];
	}
	x.n_missing = kept;
	if (!kept) {
		free(x.missing);
		return NA_OK;
	}
	return add_absence(p, &x, err);
}

NA_ORDER(by_text, struct na_program_copy, NA_UP(form), NA_UP(fingerprint),
	 NA_UP(worker), NA_UP(module))

static int fewest_first(const void *a, const void *b, void *ctx)
{
	const struct na_program_absence *x = a, *y = b;
	const struct na_programs *p = ctx;
	uint32_t m = na_program_holders(p, x)->name,
		 k = na_program_holders(p, y)->name;

	return NA_THEN(NA_UP(other_form), NA_UP(n_missing),
		       strcmp(na_program_text(p, m), na_program_text(p, k)),
		       NA_UP(odd), NA_UP(first));
}

static bool misses(const struct na_program_absence *x, uint32_t worker)
{
	size_t at = NA_BOUND(i, 0, x->n_missing, x->missing[i] >= worker);

	return at < x->n_missing && x->missing[at] == worker;
}

/* Whoever misses x has the program of this copy under that name. */
static uint32_t renamed(const struct na_program_absence *x,
			const struct na_program_copy *of,
			const struct na_program_copy *all, size_t n)
{
	size_t at = NA_BOUND(i, 0, n,
			     all[i].form > of->form ||
				     (all[i].form == of->form &&
				      all[i].fingerprint >= of->fingerprint));

	for (; at < n && all[at].form == of->form &&
	       all[at].fingerprint == of->fingerprint;
	     at++) {
		if (all[at].name != of->name && misses(x, all[at].worker))
			return all[at].name;
	}
	return NA_NO_NAME;
}

enum na_status na_program_finish_absences(struct na_programs *p,
					  struct na_err *err)
{
	struct na_program_copy *all;

	if (!p->absences.n)
		return NA_OK;
	all = na_calloc(p->n_copies + 1, sizeof(*all));
	if (!all)
		return na_fail_nomem(err);
	memcpy(all, p->copies, p->n_copies * sizeof(*all));
	na_sort(all, p->n_copies, by_text);
	for (size_t i = 0; i < p->absences.n; i++) {
		struct na_program_absence *x = &p->absences.v[i];
		const struct na_program_copy *of = na_program_holders(p, x);

		for (size_t k = 0;
		     k < x->n && !x->other_form && x->other == NA_NO_NAME; k++)
			x->other = renamed(x, &of[k], all, p->n_copies);
	}
	free(all);
	qsort_r(p->absences.v, p->absences.n, sizeof(*p->absences.v),
		fewest_first, p);
	return NA_OK;
}
