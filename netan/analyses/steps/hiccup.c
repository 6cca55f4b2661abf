/* steps: one step that is much longer than the others, as one host was late. */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/vec.h"
#include "netan/stats/tests/robust.h"

/* So many have a median; times it; of what is beyond it, by its host. */
enum { STEPS_LEAST = 5 };

static const double longer = 2, own_share = 0.5;

static double took_ms(const struct st_state *s, const struct st_step *t)
{
	struct st_sums x = {.n = 0};

	for (size_t i = t->from; i < t->to; i++)
		na_steps_sum_up(&x, s->host_steps[i].cell);
	return x.n ? na_ms(x.duration_ps) / (double)x.n : 0;
}

/* NaN: too few steps for one.  False: no memory. */
static bool median_ms(const struct st_state *s, uint32_t run, double *median)
{
	double *ms = na_calloc(s->n_steps, sizeof(*ms));
	size_t n = 0;

	*median = (double)NAN;
	if (!ms)
		return false;
	for (size_t i = 0; i < s->n_steps; i++) {
		if (s->steps[i].run == run)
			ms[n++] = took_ms(s, &s->steps[i]);
	}
	if (n >= STEPS_LEAST)
		*median = na_median(ms, n);
	free(ms);
	return true;
}

/* Because of what one host did itself. */
static bool by_one(const struct st_state *s, const struct st_step *t,
		   double beyond_ms)
{
	return t->slowest != SIZE_MAX &&
	       (t->cause == ST_COMPUTATION || t->cause == ST_INPUT) &&
	       na_ms(t->lost_ps) >= own_share * beyond_ms &&
	       !na_steps_tells_waits(
		       s, na_steps_host(s, s->host_steps[t->slowest].host),
		       t->cause);
}

static void look(const struct st_state *s, uint32_t run, struct st_hiccup *x)
{
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];
		double ms = t->run == run ? took_ms(s, t) : 0;

		if (!(ms > longer * x->median_ms) ||
		    !by_one(s, t, ms - x->median_ms))
			continue;
		x->n++;
		if (ms > x->took_ms) {
			x->step = t;
			x->took_ms = ms;
		}
	}
}

bool na_steps_find_hiccups(struct st_state *s)
{
	size_t n = s->scope->store->n_runs;

	s->hiccups = na_calloc(n + 1, sizeof(*s->hiccups));
	if (!s->hiccups)
		return false;
	for (uint32_t run = 0; run < n; run++) {
		if (s->by_launch[run])
			continue;
		if (!median_ms(s, run, &s->hiccups[run].median_ms))
			return false;
		look(s, run, &s->hiccups[run]);
	}
	return true;
}
