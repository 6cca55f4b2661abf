/* Do all hosts of a run run the same programs: the modules that the session
 * has anyway, compared as `netan hlo` does. */
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/hlo/hlo.h"
#include "netan/base/vec.h"
#include "netan/engine/battery/battery.h"

enum { ROWS = 20 }; /* of each table */

/* The modules of one run's traces, and whose they are; those of --hlo are of
 * nobody.  Borrows all but the two arrays. */
static bool of_run(const struct na_session *s, uint32_t run, struct na_hlo *to)
{
	const struct na_hlo *all = s->programs;
	uint32_t *place = na_calloc(all->n_workers, sizeof(*place));

	*to = *all;
	to->n_modules = to->n_workers = 0;
	to->modules = na_calloc(all->n_modules, sizeof(*to->modules));
	to->workers = na_calloc(all->n_workers, sizeof(*to->workers));
	for (size_t i = 0;
	     place && to->modules && to->workers && i < all->n_modules; i++) {
		const struct na_hlo_module *m = &all->modules[i];

		if (m->input >= s->n_inputs ||
		    s->sources[m->input].run != run ||
		    s->inputs[m->input].slim_programs)
			continue;
		if (!place[m->worker]) {
			to->workers[to->n_workers] = all->workers[m->worker];
			place[m->worker] = (uint32_t)++to->n_workers;
		}
		to->modules[to->n_modules] = *m;
		to->modules[to->n_modules++].worker = place[m->worker] - 1;
	}
	free(place);
	return place && to->modules && to->workers;
}

static void tell_programs(struct na_battery *b, const struct na_programs *p,
			  uint32_t run, struct na_result *r)
{
	static const uint64_t none[NA_N_REASONS];
	struct na_session *s = &b->session;

	na_programs_result(p, r);
	na_put_text(r, na_result_side(r), M_label,
		    na_store_label(&s->store, run));
	na_envelope(s, r, "hlo", p->h->n_modules, 0, -1, none);
	na_programs_views(p, ROWS, r);
}

/* The result is of the first run whose hosts differ, else of the first with
 * two hosts to compare. */
static enum na_status compare(struct na_battery *b, uint32_t run,
			      struct na_result **r, bool *differ,
			      struct na_err *err)
{
	struct na_programs p;
	struct na_hlo h;
	enum na_status st = NA_OK;

	if (!of_run(&b->session, run, &h)) {
		st = na_fail_nomem(err);
	} else if (h.n_workers > 1) {
		st = na_programs_compare(&p, &h, err);
		*differ = st == NA_OK && p.differences.n;
		if (st == NA_OK && (*differ || !*r)) {
			na_result_free(*r);
			*r = na_result_new();
			if (*r)
				tell_programs(b, &p, run, *r);
			else
				st = na_fail_nomem(err);
		}
		na_programs_fini(&p);
	}
	free(h.modules);
	free(h.workers);
	return st;
}

enum na_status na_battery_programs(struct na_battery *b, struct na_err *err)
{
	const struct na_session *s = &b->session;
	struct na_result *r = NULL;
	enum na_status st = NA_OK;
	bool differ = false;

	for (uint32_t run = 0;
	     st == NA_OK && s->programs && !differ && run < s->store.n_runs;
	     run++)
		st = compare(b, run, &r, &differ, err);
	/* Of nothing else, the modules are what was looked at. */
	if (r && !b->used)
		b->used = s->programs->n_modules;
	na_battery_add(b, "hlo", r,
		       "HLO modules of two hosts or more (plane "
		       "\"/host:metadata\" of a trace)");
	return st;
}
