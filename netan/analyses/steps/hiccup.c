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

static double median_ms(const struct st_state *s, uint32_t run, size_t *n)
{
	double *ms = na_calloc(s->n_steps, sizeof(*ms)), median;

	*n = 0;
	for (size_t i = 0; ms && i < s->n_steps; i++) {
		if (s->steps[i].run == run)
			ms[(*n)++] = took_ms(s, &s->steps[i]);
	}
	median = *n ? na_median(ms, *n) : (double)NAN;
	free(ms);
	return median;
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

struct st_hiccup na_steps_hiccup(const struct st_state *s, uint32_t run)
{
	struct st_hiccup x = {.step = NULL};
	size_t n;

	if (s->by_launch[run])
		return x;
	x.median_ms = median_ms(s, run, &n);
	for (size_t i = 0; n >= STEPS_LEAST && i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];
		double ms = t->run == run ? took_ms(s, t) : 0;

		if (!(ms > longer * x.median_ms) ||
		    !by_one(s, t, ms - x.median_ms))
			continue;
		x.n++;
		if (ms > x.took_ms) {
			x.step = t;
			x.took_ms = ms;
		}
	}
	return x;
}
