/* steps: what of a straggler's own time its steps wait for: the job runs again
 * on paper, without what it does longer than the median host. */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/methods/whatif/whatif.h"

double na_steps_own_ms(const struct st_host *h)
{
	const struct st_verdict *v = &h->tests[h->evidence];

	if ((h->cause != ST_COMPUTATION && h->cause != ST_INPUT) ||
	    h->evidence != ST_OF_STEPS || !v->n)
		return NAN;
	if (h->gain_ps >= 0)
		return (double)h->gain_ps / (double)NA_PS_PER_MS;
	return (double)v->effect_ps / (double)NA_PS_PER_MS * (double)v->last /
	       (double)v->n;
}

double na_steps_cost_ms(const struct st_host *h)
{
	double own_ms = na_steps_own_ms(h);

	return h->waited_ms < own_ms ? h->waited_ms : own_ms;
}

const char *na_steps_cost_is(const struct st_host *h)
{
	if (!(na_steps_own_ms(h) > 0))
		return NULL;
	return isnan(h->waited_ms) ? "at most" : NULL;
}

/* Which room its steps have is known in steps of devices, all told alike. */
static bool can_ask(const struct st_state *s, const struct st_host *h)
{
	return na_steps_own_ms(h) > 0 && h->gain_ps < 0 && !s->by_order &&
	       !s->by_launch[h->run] && !s->of_ranks[h->host];
}

/* By number, as its steps are. */
static struct na_whatif_own *own_of(const struct st_state *s,
				    const struct st_host *h)
{
	struct na_whatif_own *own = na_calloc(h->n, sizeof(*own));

	for (size_t i = 0; own && i < h->n; i++) {
		const struct st_host_step *x =
			&s->host_steps[s->by_host[h->from + i]];

		own[i].number = x->cell->number;
		own[i].excess_ps = x->late_ps > 0 ? x->late_ps : 0;
	}
	return own;
}

static bool ask(const struct st_state *s, struct na_whatif *w,
		struct st_host *h)
{
	struct na_whatif_own *own = own_of(s, h);
	struct na_whatif_cost x;
	bool ok;

	ok = own && na_whatif_cost(w,
				   &(struct na_whatif_ask){
					   .own = own,
					   .n_own = h->n,
					   .host = h->host,
					   .at_first = h->cause == ST_INPUT,
				   },
				   &x);
	if (ok)
		h->waited_ms = x.mean_ms;
	free(own);
	return ok;
}

enum na_status na_steps_find_costs(struct st_state *s, struct na_err *err)
{
	struct na_whatif *w = NULL;
	uint32_t run = NA_UNKNOWN_U32;
	enum na_status st = NA_OK;
	bool ok = true;

	for (size_t i = 0; i < s->n_units; i++)
		s->units[i].waited_ms = (double)NAN;
	for (size_t i = 0; i < s->n_hosts; i++)
		s->hosts[i].waited_ms = (double)NAN;
	for (size_t i = 0; ok && st == NA_OK && i < s->n_hosts; i++) {
		struct st_host *h = &s->hosts[i];

		if (!h->straggler || !can_ask(s, h))
			continue;
		if (h->run != run) {
			na_whatif_free(w);
			run = h->run;
			st = na_whatif_make(s->scope, run, false, &w, err);
		}
		ok = st != NA_OK || ask(s, w, h);
	}
	na_whatif_free(w);
	return ok ? st : na_fail_nomem(err);
}
