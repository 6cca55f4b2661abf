/* hlo: the answer in words, and what to do about it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/analyses/hlo/state.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

enum { NAMED = 3, WHO_BUF = 400 };

static void who_are(const struct na_programs *p, const uint32_t *workers,
		    size_t n, struct na_str *to)
{
	size_t shown = n <= NAMED ? n : NAMED - 1;

	for (size_t i = 0; i < shown; i++)
		na_str_join(to, i + 1 == n ? " and " : ", ", "%.100s",
			    p->h->workers[workers[i]].name);
	if (shown < n)
		na_str_addf(to, " and %zu more", n - shown);
}

/* "host-3 and host-5", "host-3, host-4 and 6 more". */
static void who_hold(const struct na_programs *p,
		     const struct na_program_copy *c, size_t n, char *text)
{
	struct na_str to = na_str_over(text, WHO_BUF);
	uint32_t *list = na_program_workers(c, n, &n);

	if (list)
		who_are(p, list, n, &to);
	free(list);
}

/* Copies of a slot stand by group: those of all groups but the last. */
static size_t who_differs(const struct na_programs *p,
			  const struct na_program_difference *d, char *text)
{
	const struct na_program_group *g = p->groups.v + d->first_group;
	struct na_program_copy *list = na_calloc(d->n_workers, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; list && i + 1 < d->n_groups; i++) {
		for (size_t k = 0; k < g[i].n; k++)
			list[n++] = p->odd[g[i].first + k];
	}
	who_hold(p, list, n, text);
	free(list);
	return n;
}

static void say_where(const struct na_programs *p,
		      const struct na_program_difference *d, struct na_str *to)
{
	const struct na_program_group *g = p->groups.v + d->first_group;
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
		na_str_addf(
			to,
			", with the same instructions in other computations");
		return;
	}
	na_str_addf(to, " from instruction %zu on", first->diff.first);
	if (first->diff.first < m->n_instructions) {
		uint32_t c = m->instructions[first->diff.first].computation;

		if (c < m->n_computations &&
		    m->computations[c].name != NA_NO_NAME)
			na_str_addf(to, " (in %.100s)",
				    na_program_text(p,
						    m->computations[c].name));
	}
	na_str_addf(to, ", %s%" PRIu64 " of %" PRIu64 " instructions",
		    first->diff.exact ? "" : "at most ", first->diff.changed,
		    first->diff.of);
}

static void say_difference(const struct na_programs *p, struct na_str *to)
{
	const struct na_program_difference *d = &p->differences.v[0];
	const struct na_program_group *g = p->groups.v + d->first_group;
	char who[WHO_BUF], others[WHO_BUF];
	size_t n;

	n = who_differs(p, d, who);
	if (d->majority) {
		na_str_addf(
			to,
			"%s run%s another program than the other %zu worker%s",
			who, n == 1 ? "s" : "", g[d->n_groups - 1].n,
			na_plural(g[d->n_groups - 1].n));
	} else if (d->n_groups == 2) {
		who_hold(p, p->odd + g[1].first, g[1].n, others);
		na_str_addf(to, "%s run%s another program than %s", who,
			    n == 1 ? "s" : "", others);
	} else {
		na_str_addf(to, "%zu workers run %zu different programs",
			    d->n_workers, d->n_groups);
	}
	na_str_addf(to, ": %.200s differs", na_program_text(p, d->name));
	say_where(p, d, to);
	if (p->differences.n > 1)
		na_str_addf(to, "; %zu more module%s differ%s",
			    p->differences.n - 1,
			    na_plural(p->differences.n - 1),
			    p->differences.n == 2 ? "s" : "");
}

static void say_absence(const struct na_programs *p,
			const struct na_program_absence *x, struct na_str *to)
{
	const struct na_program_copy *c = na_program_holders(p, x);
	char who[WHO_BUF], has[WHO_BUF];
	struct na_str miss = na_str_over(who, sizeof(who));

	who_are(p, x->missing, x->n_missing, &miss);
	who_hold(p, c, x->n, has);
	if (x->other_form) {
		na_str_addf(
			to,
			"%.200s is a proto on %s and a text on %s, which cannot "
			"be compared",
			na_program_text(p, c->name), has, who);
		return;
	}
	na_str_addf(to, "%s %s %s module %.200s%s, which %s ha%s", who,
		    x->n_missing == 1 ? "has" : "have",
		    x->odd ? "fewer copies of the" : "no",
		    na_program_text(p, c->name), x->odd ? " than others" : "",
		    has, x->n == 1 ? "s" : "ve");
	if (x->other != NA_NO_NAME)
		na_str_addf(to, ", but the same program as %.200s",
			    na_program_text(p, x->other));
}

/* The worst of them. */
static const struct na_program_absence *telling(const struct na_programs *p)
{
	for (size_t i = 0; i < p->absences.n; i++) {
		if (!p->absences.v[i].other_form)
			return &p->absences.v[i];
	}
	return &p->absences.v[0];
}

void na_program_verdict(const struct na_programs *p, char *text, size_t size)
{
	struct na_str verdict = na_str_over(text, size), *to = &verdict;
	size_t n = p->h->n_workers;

	if (p->differences.n) {
		say_difference(p, to);
	} else if (p->absences.n) {
		say_absence(p, telling(p), to);
		if (p->absences.n > 1)
			na_str_addf(to, "; %zu more such finding%s",
				    p->absences.n - 1,
				    na_plural(p->absences.n - 1));
	} else if (n == 1) {
		na_str_addf(to, "one worker, %.100s: nothing to compare with",
			    p->h->workers[0].name);
	} else {
		if (n == 2)
			na_str_addf(to, "both workers run the same ");
		else
			na_str_addf(to, "all %zu workers run the same ", n);
		if (p->programs.n == 1)
			na_str_addf(to, "program");
		else
			na_str_addf(to, "%zu programs", p->programs.n);
	}
}

static void note_remedy(const struct na_programs *p, struct na_result *r)
{
	const struct na_program_difference *d = &p->differences.v[0];
	const struct na_program_group *g = p->groups.v + d->first_group;
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

void na_program_notes(const struct na_programs *p, struct na_result *r)
{
	bool forms = false, absent = false, inexact = false, skipped = false;

	for (size_t i = 0; i < p->absences.n; i++) {
		forms |= p->absences.v[i].other_form;
		absent |= !p->absences.v[i].other_form;
	}
	for (size_t i = 0; i < p->differences.n; i++) {
		const struct na_program_difference *d = &p->differences.v[i];

		for (size_t k = 0; k + 1 < d->n_groups; k++) {
			const struct na_program_group *g =
				&p->groups.v[d->first_group + k];

			inexact |= g->compared && !g->diff.exact;
			skipped |= !g->compared;
		}
	}
	if (p->differences.n)
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
