/* hlo: modules that only some workers have. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/judges/hlo/parts.h"

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static bool is_new(uint32_t *seen, uint32_t worker, uint32_t mark)
{
	bool fresh = seen[worker] != mark;

	seen[worker] = mark;
	return fresh;
}

uint32_t pg_count_workers(const struct na_program_copy *c, size_t n,
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
	if (!na_grow(&p->absences, &p->cap_absences, p->n_absences + 1,
		     sizeof(*p->absences))) {
		free(x->missing);
		return na_fail_nomem(err);
	}
	p->absences[p->n_absences++] = *x;
	return NA_OK;
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
enum na_status pg_absent_name(struct na_programs *p, size_t i, size_t end,
			      struct pg_marks *m, struct na_err *err)
{
	struct na_program_absence x = {.first = i, .n = end - i};
	uint32_t mark = ++m->next;

	if (pg_count_workers(p->copies + i, end - i, m->name, mark) ==
	    p->h->n_workers)
		return NA_OK;
	if (!list_missing(&x, m->name, mark, p->h->n_workers))
		return na_fail_nomem(err);
	return add_absence(p, &x, err);
}

/* Copies [i, half) are one form, [half, end) the other; nobody has both:
 * nothing to compare these workers by. */
enum na_status pg_other_form(struct na_programs *p, size_t i, size_t half,
			     size_t end, struct pg_marks *m, struct na_err *err)
{
	struct na_program_absence x = {.first = i,
				       .n = half - i,
				       .other_form = true};
	uint32_t mark = ++m->next, n, in_all;

	if (half == end)
		return NA_OK;
	pg_count_workers(p->copies + i, half - i, m->name, mark);
	memcpy(m->slot, m->name, p->h->n_workers * sizeof(*m->slot));
	in_all = pg_count_workers(p->copies + half, end - half, m->slot, mark);
	n = pg_count_workers(p->copies + half, end - half, m->name, ++m->next);
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
enum na_status pg_absent_slot(struct na_programs *p, size_t i, size_t end,
			      const uint32_t *of_name, uint32_t name_mark,
			      uint32_t *seen, uint32_t mark, struct na_err *err)
{
	struct na_program_absence x = {.first = i, .n = end - i, .odd = true};
	size_t kept = 0;

	pg_count_workers(p->odd + i, end - i, seen, mark);
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

static int by_text(const void *a, const void *b)
{
	const struct na_program_copy *x = a, *y = b;
	int c = order(x->form, y->form);

	c = c ? c : order(x->fingerprint, y->fingerprint);
	c = c ? c : order(x->worker, y->worker);
	return c ? c : order(x->module, y->module);
}

static int fewest_first(const void *a, const void *b, void *ctx)
{
	const struct na_program_absence *x = a, *y = b;
	const struct na_programs *p = ctx;
	uint32_t m = pg_holders(p, x)->name, k = pg_holders(p, y)->name;
	int c = order(x->other_form, y->other_form);

	c = c ? c : order(x->n_missing, y->n_missing);
	c = c ? c
	      : strcmp(na_strtab_at(&p->h->strings, m),
		       na_strtab_at(&p->h->strings, k));
	c = c ? c : order(x->odd, y->odd);
	return c ? c : order(x->first, y->first);
}

static bool holds(const struct na_program_absence *x, uint32_t worker)
{
	size_t low = 0, high = x->n_missing;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (x->missing[mid] < worker)
			low = mid + 1;
		else
			high = mid;
	}
	return low < x->n_missing && x->missing[low] == worker;
}

/* Whoever misses x has the program of this copy under that name. */
static uint32_t renamed(const struct na_program_absence *x,
			const struct na_program_copy *of,
			const struct na_program_copy *all, size_t n)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct na_program_copy *c = &all[mid];

		if (c->form < of->form ||
		    (c->form == of->form && c->fingerprint < of->fingerprint))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < n && all[low].form == of->form &&
	       all[low].fingerprint == of->fingerprint;
	     low++) {
		if (all[low].name != of->name && holds(x, all[low].worker))
			return all[low].name;
	}
	return NA_NO_NAME;
}

enum na_status pg_finish_absences(struct na_programs *p, struct na_err *err)
{
	struct na_program_copy *all;

	if (!p->n_absences)
		return NA_OK;
	all = na_calloc(p->n_copies + 1, sizeof(*all));
	if (!all)
		return na_fail_nomem(err);
	memcpy(all, p->copies, p->n_copies * sizeof(*all));
	qsort(all, p->n_copies, sizeof(*all), by_text);
	for (size_t i = 0; i < p->n_absences; i++) {
		struct na_program_absence *x = &p->absences[i];
		const struct na_program_copy *of =
			(x->odd ? p->odd : p->copies) + x->first;

		for (size_t k = 0;
		     k < x->n && !x->other_form && x->other == NA_NO_NAME; k++)
			x->other = renamed(x, &of[k], all, p->n_copies);
	}
	free(all);
	qsort_r(p->absences, p->n_absences, sizeof(*p->absences), fewest_first,
		p);
	return NA_OK;
}
