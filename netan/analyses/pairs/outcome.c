/*
 * pairs: the outcome, and, by side of a host, the upper bound of how slow it may
 * be.
 */
#include <math.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

static void put_power(struct na_result *r, struct na_value *body,
		      const struct pairs_state *s)
{
	struct na_value *list = na_put_list(r, body, M_power);

	for (uint32_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct pairs_run *run = &s->runs[i];

		/* Of captures `tcp` has them, by delivery. */
		if (run->captured)
			continue;
		for (size_t k = 0; k < run->found.n_bounds; k++) {
			const struct na_judge_bound *p = &run->found.bounds[k];
			struct na_value *row = na_pairs_put_row(r, list, run);

			na_put_text(r, row, M_host,
				    run->nodes[p->host].host_name);
			na_put_text(r, row, M_side, na_judge_kinds[p->side]);
			na_put_real(r, row, M_factor, p->upper);
			na_put_real(r, row, M_upper_factor, p->upper);
			na_put_text(r, row, M_why,
				    isnan(p->upper)
					    ? "no transfers to compare, or "
					      "its file is missing"
					    : NULL);
		}
	}
}

/* What the others sent, they alone have timed. */
static bool all_are_here(const struct pairs_run *run)
{
	const struct pairs_state *s = run->of;

	for (size_t i = 0; i < run->n_nodes; i++) {
		uint32_t host = run->nodes[i].host;

		if (!s->scope->store->hosts[host].recorded)
			return false;
	}
	return true;
}

bool na_pairs_acquits(const struct pairs_run *run)
{
	return !na_pairs_one_file(run->of) && all_are_here(run) &&
	       run->found.outcome == NA_JUDGE_NOT_GUILTY;
}

/* The largest bound of a side that is known; how many sides are not. */
static double largest_bound(const struct pairs_state *s, size_t *unknown)
{
	double most = 1;

	*unknown = 0;
	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct na_judge_result *f = &s->runs[i].found;

		for (size_t k = 0; k < f->n_bounds; k++) {
			most = fmax(most, f->bounds[k].upper);
			*unknown += isnan(f->bounds[k].upper) ? 1 : 0;
		}
	}
	return most;
}

/* The least probability that nothing is slow, of runs where it alone keeps that
 * from being ruled out; NaN: of none. */
static double least_chance(const struct pairs_state *s)
{
	double least = NAN;

	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct na_judge_result *f = &s->runs[i].found;

		if (f->unsure)
			least = fmin(least, f->nobody);
	}
	return least;
}

/* Nothing is named: how slow may a side be, all the same? */
static void note_bounds(struct na_result *r, const struct pairs_state *s,
			bool cleared)
{
	char times[NA_UNIT_BUF], n[NA_UNIT_BUF];
	size_t unknown;
	double most = largest_bound(s, &unknown);

	na_print_number(times, most, 2);
	na_put_real(r, na_result_side(r), M_healthy, least_chance(s));
	if (cleared)
		na_result_note(r,
			       "looks healthy: no side of a host is more than "
			       "%sx slower than usual (97.5 %% bound)%s",
			       times,
			       s->scope->store->topology
				       ? ""
				       : "; links that hosts share need "
					 "--topology");
	else if (most > 1)
		na_result_note(r,
			       "cannot tell: a side of a host may be up to %sx "
			       "slower than usual (97.5 %% bound)",
			       times);
	if (unknown)
		na_result_note(r,
			       "sides without a bound, as none of their "
			       "transfers can be compared: %s",
			       na_print_count(n, unknown));
}

void na_pairs_put_outcome(struct na_result *r, struct na_value *body,
			  const struct pairs_state *s)
{
	size_t named = 0, sure = 0, runs = s->scope->store->n_runs, cleared = 0;
	bool few = false;

	for (size_t i = 0; i < runs; i++) {
		const struct na_judge_result *f = &s->runs[i].found;

		named += f->n_findings;
		for (size_t k = 0; k < f->n_findings; k++)
			sure += na_pairs_is_sure(&f->findings[k]);
		cleared += na_pairs_acquits(&s->runs[i]);
		few |= na_pairs_too_few(&s->runs[i]);
	}
	na_put_bool(r, na_result_side(r), M_too_few, few);
	na_put_text(r, body, M_outcome,
		    sure                      ? "guilty"
		    : named                   ? "one_of"
		    : runs && cleared == runs ? "not_guilty"
					      : "cannot_tell");
	put_power(r, body, s);
	if (!named && runs)
		note_bounds(r, s, cleared == runs);
}
