/* hlo: the answer in words, and what to do about it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/text.h"
#include "netan/judges/hlo/parts.h"

enum { NAMED = 3, WHO_BUF = 400 };

static const char *s_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Behind what is there. */
static void add(char *text, size_t size, const char *fmt, ...) NA_PRINTF(3, 4);
static void add(char *text, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	na_text_append(text, size, strlen(text), fmt, ap);
	va_end(ap);
}

static void who_are(const struct na_programs *p, const uint32_t *workers,
		    size_t n, char *text, size_t size)
{
	size_t shown = n <= NAMED ? n : NAMED - 1;

	text[0] = '\0';
	for (size_t i = 0; i < shown; i++)
		add(text, size, "%s%.100s",
		    !i           ? ""
		    : i + 1 == n ? " and "
				 : ", ",
		    p->h->workers[workers[i]].name);
	if (shown < n)
		add(text, size, " and %zu more", n - shown);
}

/* "host-3 and host-5", "host-3, host-4 and 6 more". */
static void who_hold(const struct na_programs *p,
		     const struct na_program_copy *c, size_t n, char *text,
		     size_t size)
{
	uint32_t *list = pg_workers(c, n, &n);

	text[0] = '\0';
	if (list)
		who_are(p, list, n, text, size);
	free(list);
}

/* Copies of a slot stand by group: those of all groups but the last. */
static void who_differs(const struct na_programs *p,
			const struct na_program_difference *d, char *text,
			size_t size, size_t *n)
{
	const struct na_program_group *g = p->groups + d->first_group;
	struct na_program_copy *list;

	*n = 0;
	text[0] = '\0';
	list = malloc((d->n_workers + 1) * sizeof(*list));
	for (size_t i = 0; list && i + 1 < d->n_groups; i++) {
		for (size_t k = 0; k < g[i].n; k++)
			list[(*n)++] = p->odd[g[i].first + k];
	}
	if (list)
		who_hold(p, list, *n, text, size);
	free(list);
}

static void say_where(const struct na_programs *p,
		      const struct na_program_difference *d, char *text,
		      size_t size)
{
	const struct na_program_group *g = p->groups + d->first_group;
	const struct na_program_group *first = NULL;
	const struct na_hlo_module *m;

	for (size_t i = 0; i + 1 < d->n_groups; i++) {
		if (g[i].compared &&
		    (!first || g[i].diff.first < first->diff.first))
			first = &g[i];
	}
	if (!first)
		return;
	m = &p->h->modules[first->body];
	if (!first->diff.changed) {
		add(text, size,
		    ", with the same instructions in other computations");
		return;
	}
	add(text, size, " from instruction %zu on", first->diff.first);
	if (first->diff.first < m->n_instructions) {
		uint32_t c = m->instructions[first->diff.first].computation;

		if (c < m->n_computations &&
		    m->computations[c].name != NA_NO_NAME)
			add(text, size, " (in %.100s)",
			    pg_text(p, m->computations[c].name));
	}
	add(text, size, ", %s%" PRIu64 " of %" PRIu64 " instructions",
	    first->diff.exact ? "" : "at most ", first->diff.changed,
	    first->diff.of);
}

static void say_difference(const struct na_programs *p, char *text, size_t size)
{
	const struct na_program_difference *d = &p->differences[0];
	const struct na_program_group *g = p->groups + d->first_group;
	char who[WHO_BUF], others[WHO_BUF];
	size_t n;

	who_differs(p, d, who, sizeof(who), &n);
	if (d->majority) {
		add(text, size,
		    "%s run%s another program than the other %zu worker%s", who,
		    n == 1 ? "s" : "", g[d->n_groups - 1].n,
		    s_of(g[d->n_groups - 1].n));
	} else if (d->n_groups == 2) {
		who_hold(p, p->odd + g[1].first, g[1].n, others,
			 sizeof(others));
		add(text, size, "%s run%s another program than %s", who,
		    n == 1 ? "s" : "", others);
	} else {
		add(text, size, "%zu workers run %zu different programs",
		    d->n_workers, d->n_groups);
	}
	add(text, size, ": %.200s differs", pg_text(p, d->name));
	say_where(p, d, text, size);
	if (p->n_differences > 1)
		add(text, size, "; %zu more module%s differ%s",
		    p->n_differences - 1, s_of(p->n_differences - 1),
		    p->n_differences == 2 ? "s" : "");
}

static void say_absence(const struct na_programs *p,
			const struct na_program_absence *x, char *text,
			size_t size)
{
	const struct na_program_copy *c = pg_holders(p, x);
	char who[WHO_BUF], has[WHO_BUF];

	who_are(p, x->missing, x->n_missing, who, sizeof(who));
	who_hold(p, c, x->n, has, sizeof(has));
	if (x->other_form) {
		add(text, size,
		    "%.200s is a proto on %s and a text on %s, which cannot "
		    "be compared",
		    pg_text(p, c->name), has, who);
		return;
	}
	add(text, size, "%s %s %s module %.200s%s, which %s ha%s", who,
	    x->n_missing == 1 ? "has" : "have",
	    x->odd ? "fewer copies of the" : "no", pg_text(p, c->name),
	    x->odd ? " than others" : "", has, x->n == 1 ? "s" : "ve");
	if (x->other != NA_NO_NAME)
		add(text, size, ", but the same program as %.200s",
		    pg_text(p, x->other));
}

/* The worst of them. */
static const struct na_program_absence *telling(const struct na_programs *p)
{
	for (size_t i = 0; i < p->n_absences; i++) {
		if (!p->absences[i].other_form)
			return &p->absences[i];
	}
	return &p->absences[0];
}

void pg_verdict(const struct na_programs *p, char *text, size_t size)
{
	size_t n = p->h->n_workers;

	text[0] = '\0';
	if (p->n_differences) {
		say_difference(p, text, size);
	} else if (p->n_absences) {
		say_absence(p, telling(p), text, size);
		if (p->n_absences > 1)
			add(text, size, "; %zu more such finding%s",
			    p->n_absences - 1, s_of(p->n_absences - 1));
	} else if (n == 1) {
		add(text, size, "one worker, %.100s: nothing to compare with",
		    p->h->workers[0].name);
	} else {
		if (n == 2)
			add(text, size, "both workers run the same ");
		else
			add(text, size, "all %zu workers run the same ", n);
		if (p->n_programs == 1)
			add(text, size, "program");
		else
			add(text, size, "%zu programs", p->n_programs);
	}
}

static void note_remedy(const struct na_programs *p, struct na_result *r)
{
	const struct na_program_difference *d = &p->differences[0];
	const struct na_program_group *g = p->groups + d->first_group;
	const struct na_hlo_worker *all = p->h->workers;

	na_result_note(r,
		       "workers of one job must run the same program, or its "
		       "collectives wait for each other for ever: compare the "
		       "versions (jax, jaxlib, libtpu or CUDA, the training "
		       "code) and the flags (XLA_FLAGS, LIBTPU_INIT_ARGS) of "
		       "%.100s with those of %.100s, and restart all from one "
		       "image",
		       all[p->odd[g[0].first].worker].name,
		       all[p->odd[g[d->n_groups - 1].first].worker].name);
}

void pg_notes(const struct na_programs *p, struct na_result *r)
{
	bool forms = false, absent = false, inexact = false, skipped = false;

	for (size_t i = 0; i < p->n_absences; i++) {
		forms |= p->absences[i].other_form;
		absent |= !p->absences[i].other_form;
	}
	for (size_t i = 0; i < p->n_differences; i++) {
		const struct na_program_difference *d = &p->differences[i];

		for (size_t k = 0; k + 1 < d->n_groups; k++) {
			const struct na_program_group *g =
				&p->groups[d->first_group + k];

			inexact |= g->compared && !g->diff.exact;
			skipped |= !g->compared;
		}
	}
	if (p->n_differences)
		note_remedy(p, r);
	if (absent)
		na_result_note(r,
			       "a module that is missing was not compiled or "
			       "not recorded there: look whether these workers "
			       "run other code, or dumped at another time");
	if (forms)
		na_result_note(r, "fingerprints of protos and of texts cannot "
				  "be compared: dump all workers in one form");
	if (inexact)
		na_result_note(r,
			       "programs that are more than %d insertions and "
			       "removals apart are aligned by the "
			       "instructions that occur once: what changed is "
			       "at most what is said",
			       NA_PROGRAM_EDITS);
	if (skipped)
		na_result_note(r,
			       "of the different programs of a module, only "
			       "the first %d that fit into memory are compared "
			       "instruction by instruction",
			       NA_PROGRAMS_COMPARED);
}
