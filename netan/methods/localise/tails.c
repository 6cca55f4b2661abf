/* Records far beyond their expectation: timeouts and pauses. */
#include <math.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"

#define TAIL_US    1e5
#define TAIL_NOISE 4 /* beyond what slow records show by chance */

NA_ORDER(by_end, struct lz_tail, NA_UP(end_us), NA_UP(pair), NA_UP(excess_ms),
	 NA_UP(moment))

static double explained(const struct lz_explain *x, size_t p)
{
	const struct lz_view *v = x->v;
	double trust = v->tau2 / (v->tau2 + v->se2[p]);

	return v->centre + v->m[p] - x->cur[p] * (1 - trust);
}

enum na_status na_lz_bases(struct lz *z, const struct lz_explain *all,
			   const struct lz_explain *large, struct na_err *err)
{
	z->bases = na_lz_take(&z->memory, z->in->n_pairs, sizeof(*z->bases));
	if (!z->bases)
		return na_fail_nomem(err);
	for (size_t p = 0; p < z->in->n_pairs; p++) {
		struct lz_base *b = &z->bases[p];

		b->shared = (float)(all->v->fluid[p] + all->v->fluid_centre);
		b->all = lz_records(all->v, p) ? (float)explained(all, p) : 0;
		b->large = lz_records(large->v, p) ? (float)explained(large, p)
						   : b->all;
	}
	z->sigma0 = all->v->sigma0;
	z->noise = sqrt(all->v->sigma0 * all->v->sigma0 + all->v->tau2);
	return NA_OK;
}

double na_lz_tail_ms(const struct lz *z, size_t pair,
		     const struct na_lz_transfer *t)
{
	double us, rest;

	if (!(t->latency_us > TAIL_US / 2))
		return 0;
	us = lz_latency(z, pair, t);
	rest = lz_rest(z, pair, t);
	if (!(us > TAIL_US) || rest < TAIL_NOISE * z->noise)
		return 0;
	us -= us * exp(-rest);
	return us > TAIL_US ? us / 1e3 : 0;
}

enum na_status na_lz_tails_find(struct lz *z, struct na_err *err)
{
	for (size_t p = 0; p < z->in->n_pairs; p++) {
		const struct na_lz_pair *pair = &z->in->pairs[p];
		const struct na_lz_transfer *t = z->in->transfers + pair->first;

		for (size_t i = 0; i < pair->n; i++) {
			double ms = na_lz_tail_ms(z, p, &t[i]);

			if (!(ms > 0))
				continue;
			if (!na_add(&z->tails,
				    ((struct lz_tail){
					    .end_us = (double)t[i].tick *
						      z->tick_us,
					    .excess_ms = ms,
					    .latency_ms = lz_latency(z, p,
								     &t[i]) /
							  1e3,
					    .pair = (uint32_t)p,
					    .moment = t[i].moment})))
				return na_fail_nomem(err);
		}
	}
	na_sort(z->tails.v, z->tails.n, by_end);
	return NA_OK;
}
