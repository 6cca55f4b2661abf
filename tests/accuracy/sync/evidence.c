#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/evidence.h"

/* Excess is not known better than this. */
static const double scale_min = 0.01;

/* ---- excess */

static double moving_ns(const struct sy_transfer *t)
{
	return t->landed > t->sent ? (double)(t->landed - t->sent) : 1;
}

static void measure(struct sy_evidence *e, const struct sy_run *without)
{
	for (size_t i = 0; i < e->n_transfers; i++) {
		const struct sy_transfer *a = &e->transfers[i];
		const struct sy_transfer *b = &without->transfers[i];

		e->excess[i] = log(moving_ns(a) / moving_ns(b));
		e->timer[i] = a->timeouts > b->timeouts;
	}
}

/* Of a Laplace distribution, from the median of what deviates from 0. */
static void measure_scales(struct sy_evidence *e)
{
	for (uint32_t k = 0; k < e->plan->n_collectives; k++) {
		double scale = 0;
		size_t n = 0;

		for (size_t i = 0; i < e->n_transfers; i++)
			if (e->transfers[i].collective == k)
				e->sorted[n++] = fabs(e->excess[i]);
		if (n > 0)
			scale = sy_median(e->sorted, n) / log(2);
		e->scale[k] = scale > scale_min ? scale : scale_min;
	}
}

static void count_timers(struct sy_evidence *e)
{
	e->timers = 0;
	e->segments = 0;
	for (size_t i = 0; i < e->n_transfers; i++) {
		if (e->aside[i])
			continue;
		e->timers += e->timer[i];
		e->segments += e->transfers[i].n_segments;
	}
}

void sy_evidence_set_aside(struct sy_evidence *e, const struct sy_site *s)
{
	for (size_t i = 0; i < s->n_own; i++)
		e->aside[s->own[i]] = true;
	count_timers(e);
}

/* ---- places */

struct sites {
	NA_VEC(struct sy_site) list;
	bool ok;
};

static bool owns(const struct sy_site *s, const struct sy_plan *p,
		 const struct sy_transfer *t)
{
	if (s->who.place == SY_PLACES)
		return t->src == s->who.src && t->dst == s->who.dst;
	return sy_passes(&s->fault, p, t);
}

/* A place that no transfer passes is none. */
static void add_site(struct sy_evidence *e, struct sites *all,
		     struct sy_site one)
{
	size_t n = 0;

	if (!all->ok)
		return;
	for (size_t i = 0; i < e->n_transfers; i++)
		n += owns(&one, e->plan, &e->transfers[i]);
	if (n == 0)
		return;
	one.own = na_calloc(n, sizeof(*one.own));
	for (size_t i = 0; one.own && i < e->n_transfers; i++)
		if (owns(&one, e->plan, &e->transfers[i]))
			one.own[one.n_own++] = (uint32_t)i;
	all->ok = one.own && na_add(&all->list, one);
	if (!all->ok)
		free(one.own);
}

static void add_host(struct sy_evidence *e, struct sites *all,
		     enum sy_place place, uint32_t host)
{
	add_site(e, all,
		 (struct sy_site){.fault = {.place = place,
					    .host = host,
					    .rack = SY_ANY},
				  .who = {.place = place, .host = host}});
}

static void add_links(struct sy_evidence *e, struct sites *all,
		      enum sy_place place, uint32_t rack, uint32_t toward)
{
	uint32_t bits = UINT32_C(1) << rack;
	struct sy_site one = {.fault = {.place = place,
					.host = SY_ANY,
					.rack = rack,
					.toward = toward,
					.spine = SY_ANY}};

	if (toward != SY_ANY)
		bits |= UINT32_C(1) << toward;
	one.who = (struct sy_suspect){.place = place,
				      .host = SY_ANY,
				      .racks = bits};
	if (place != SY_PATH)
		add_site(e, all, one);
	for (uint32_t s = 0; s < e->plan->n_spines; s++) {
		one.fault.spine = s;
		add_site(e, all, one);
	}
}

/* Where one of them has no other peer, a pair is that one's side. */
static void add_pairs(struct sy_evidence *e, struct sites *all)
{
	bool meet[SY_HOSTS][SY_HOSTS] = {0};
	uint32_t to[SY_HOSTS] = {0}, from[SY_HOSTS] = {0};

	for (size_t i = 0; i < e->n_transfers; i++) {
		const struct sy_transfer *t = &e->transfers[i];

		to[t->src] += !meet[t->src][t->dst];
		from[t->dst] += !meet[t->src][t->dst];
		meet[t->src][t->dst] = true;
	}
	for (uint32_t s = 0; s < SY_HOSTS; s++)
		for (uint32_t d = 0; d < SY_HOSTS; d++)
			if (meet[s][d] && to[s] > 1 && from[d] > 1)
				add_site(e, all,
					 (struct sy_site){
						 .who = {.place = SY_PLACES,
							 .host = SY_ANY,
							 .src = s,
							 .dst = d}});
}

static bool list_sites(struct sy_evidence *e)
{
	struct sites all = {.ok = true};

	for (uint32_t h = 0; h < e->plan->n_hosts; h++)
		for (int place = SY_SRC; place <= SY_HOST; place++)
			add_host(e, &all, (enum sy_place)place, h);
	for (uint32_t r = 0; r < e->plan->n_racks; r++) {
		add_links(e, &all, SY_UPLINK, r, SY_ANY);
		add_links(e, &all, SY_DOWNLINK, r, SY_ANY);
		for (uint32_t t = 0; t < e->plan->n_racks; t++)
			if (t != r)
				add_links(e, &all, SY_PATH, r, t);
	}
	add_pairs(e, &all);
	e->sites = all.list.v;
	e->n_sites = all.list.n;
	return all.ok;
}

/* ---- the whole */

bool sy_evidence_make(struct sy_evidence *e, const struct sy_run *with,
		      const struct sy_run *without)
{
	size_t n = with->n_transfers, steps = with->plan->n_steps;

	*e = (struct sy_evidence){.plan = with->plan,
				  .transfers = with->transfers,
				  .n_transfers = n};
	e->excess = na_calloc(n, sizeof(*e->excess));
	e->timer = na_calloc(n, sizeof(*e->timer));
	e->aside = na_calloc(n, sizeof(*e->aside));
	e->values = na_calloc(n, sizeof(*e->values));
	e->sorted = na_calloc(n, sizeof(*e->sorted));
	e->steps = na_calloc(n, sizeof(*e->steps));
	e->gains = na_calloc(steps, sizeof(*e->gains));
	e->other = na_calloc(steps, sizeof(*e->other));
	if (!e->excess || !e->timer || !e->aside || !e->values || !e->sorted ||
	    !e->steps || !e->gains || !e->other)
		return false;
	measure(e, without);
	measure_scales(e);
	count_timers(e);
	return list_sites(e);
}

void sy_evidence_fini(struct sy_evidence *e)
{
	for (size_t i = 0; i < e->n_sites; i++)
		free(e->sites[i].own);
	free(e->sites);
	free(e->excess);
	free(e->timer);
	free(e->aside);
	free(e->values);
	free(e->sorted);
	free(e->steps);
	free(e->gains);
	free(e->other);
	*e = (struct sy_evidence){0};
}
