#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "tests/accuracy/draw.h"
#include "tests/accuracy/sync/evidence.h"

enum { RESAMPLES = 200, RESAMPLE_SEED = 20 };

static const double odds = 20, confidence = 0.95;

struct round {
	struct sy_evidence *e;
	enum sy_witness witness;
	double *gains;    /* [site * steps + step] */
	double *sums;     /* of each site */
	double *left;     /* of one site: what it adds to the best one */
	double *resample; /* of one row of gains */
	uint32_t *draws;  /* [resample * steps + i], a step */
};

/* ---- in most resamples of the steps */

static bool round_make(struct round *r, struct sy_evidence *e)
{
	size_t steps = e->plan->n_steps;
	struct na_rng rng;

	*r = (struct round){.e = e,
			    .gains = na_calloc(e->n_sites * steps,
					       sizeof(double)),
			    .sums = na_calloc(e->n_sites, sizeof(double)),
			    .left = na_calloc(steps, sizeof(double)),
			    .resample = na_calloc(RESAMPLES, sizeof(double)),
			    .draws = na_calloc(RESAMPLES * steps,
					       sizeof(uint32_t))};
	if (!r->gains || !r->sums || !r->left || !r->resample || !r->draws)
		return false;
	na_rng_seed(&rng, RESAMPLE_SEED);
	for (size_t i = 0; i < RESAMPLES * steps; i++)
		r->draws[i] = fl_pick(&rng, (uint32_t)steps);
	return true;
}

static void round_fini(struct round *r)
{
	free(r->gains);
	free(r->sums);
	free(r->left);
	free(r->resample);
	free(r->draws);
}

/* Is the sum at least `least`? */
static bool mostly(struct round *r, const double *by_step, double least)
{
	size_t steps = r->e->plan->n_steps, n = 0;

	for (size_t b = 0; b < RESAMPLES; b++) {
		double sum = 0;

		for (size_t i = 0; i < steps; i++)
			sum += by_step[r->draws[b * steps + i]];
		n += sum >= least;
	}
	return (double)n >= confidence * RESAMPLES;
}

/* ---- rivals */

static double *gains_of(const struct round *r, size_t site)
{
	return &r->gains[site * r->e->plan->n_steps];
}

/* Would naming a place be right if the fault were at the other? */
static bool answers(const struct round *r, const struct sy_site *named,
		    const struct sy_site *truth)
{
	struct sy_named n = {.who = named->who};

	if (named == truth)
		return true;
	return truth->who.place != SY_PLACES &&
	       sy_grade(r->e->plan, &truth->fault, &n) == SY_RIGHT;
}

static size_t best_of(const struct round *r)
{
	size_t best = 0;

	for (size_t i = 1; i < r->e->n_sites; i++)
		if (r->sums[i] > r->sums[best])
			best = i;
	return best;
}

/* Does the best one, whose transfers are set aside, explain what the other
 * leaves? */
static bool beats(struct round *r, size_t best, size_t other)
{
	const double *a = gains_of(r, best), *b = gains_of(r, other);

	if (r->sums[other] <= 0)
		return true;
	sy_gain(r->e, &r->e->sites[other], r->witness, r->left);
	for (uint32_t s = 0; s < r->e->plan->n_steps; s++)
		r->left[s] += a[s] - b[s];
	return mostly(r, r->left, log(odds));
}

struct rivals { /* the best one first, the others as they gain */
	NA_VEC(size_t) list;
	bool ok;
};

static void add_rival(const struct round *r, struct rivals *all, size_t site)
{
	size_t i;

	all->ok = all->ok && na_add(&all->list, site);
	if (!all->ok)
		return;
	for (i = all->list.n - 1;
	     i > 1 && r->sums[all->list.v[i - 1]] < r->sums[site]; i--)
		all->list.v[i] = all->list.v[i - 1];
	all->list.v[i] = site;
}

static void find_rivals(struct round *r, size_t best, struct rivals *all)
{
	const struct sy_site *sites = r->e->sites;

	all->ok = na_add(&all->list, best);
	for (size_t i = 0; all->ok && i < r->e->n_sites; i++)
		if (!answers(r, &sites[best], &sites[i]) && !beats(r, best, i))
			add_rival(r, all, i);
}

/* One that would be right whichever of them it is; else none. */
static const struct sy_site *answer_to_all(const struct round *r,
					   const struct rivals *all)
{
	const struct sy_site *sites = r->e->sites;

	for (size_t i = 0; i < all->list.n; i++) {
		const struct sy_site *one = &sites[all->list.v[i]];
		bool ok = true;

		for (size_t j = 0; ok && j < all->list.n; j++)
			ok = answers(r, one, &sites[all->list.v[j]]);
		if (ok)
			return one;
	}
	return NULL;
}

/* ---- what is said */

static bool same(const struct sy_suspect *a, const struct sy_suspect *b)
{
	return a->place == b->place && a->host == b->host && a->src == b->src &&
	       a->dst == b->dst && a->racks == b->racks;
}

static void add_tied(struct sy_tie *t, const struct sy_suspect *who)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (same(&t->who[i], who))
			return;
	t->more = t->n == SY_TIED;
	if (!t->more)
		t->who[t->n++] = *who;
}

static void say(const struct round *r, const struct rivals *all,
		struct sy_oracle *out)
{
	const struct sy_site *one = answer_to_all(r, all);
	struct sy_tie *tie = &out->ties[out->n_ties];

	if (one) {
		out->answer.outcome = SY_GUILTY;
		out->answer.network[out->answer.n_network++] =
			(struct sy_named){.who = one->who,
					  .cost_ms = (double)NAN};
		return;
	}
	*tie = (struct sy_tie){0};
	for (size_t i = 0; i < all->list.n; i++)
		add_tied(tie, &r->e->sites[all->list.v[i]].who);
	out->n_ties++;
}

/* The best place of one witness.  False: none stands out. */
static bool stands_out(struct round *r, enum sy_witness witness, size_t *best)
{
	struct sy_evidence *e = r->e;

	r->witness = witness;
	for (size_t i = 0; i < e->n_sites; i++)
		r->sums[i] = sy_gain(e, &e->sites[i], witness, gains_of(r, i));
	*best = best_of(r);
	return mostly(r, gains_of(r, *best), log(odds * (double)e->n_sites));
}

/* One fault.  False: none stands out, or no memory. */
static bool look(struct round *r, struct sy_oracle *out, bool *ok)
{
	struct sy_evidence *e = r->e;
	struct rivals all = {0};
	size_t best;

	if (!stands_out(r, SY_TIMERS, &best) &&
	    !stands_out(r, SY_EXCESS, &best))
		return false;
	sy_evidence_set_aside(e, &e->sites[best]);
	find_rivals(r, best, &all);
	*ok = all.ok;
	if (all.ok)
		say(r, &all, out);
	for (size_t i = 0; i < all.list.n; i++)
		sy_evidence_set_aside(e, &e->sites[all.list.v[i]]);
	na_vec_free(&all.list);
	return *ok;
}

bool sy_oracle(const struct sy_run *with, const struct sy_run *without,
	       struct sy_oracle *out)
{
	struct sy_evidence e;
	struct round r = {0};
	bool ok = sy_evidence_make(&e, with, without) && e.n_sites > 0 &&
		  round_make(&r, &e);

	*out = (struct sy_oracle){.answer = {.outcome = SY_CANNOT_TELL}};
	for (int i = 0;
	     ok && i < (int)with->plan->n_faults && look(&r, out, &ok); i++)
		;
	round_fini(&r);
	sy_evidence_fini(&e);
	return ok;
}
