/* How well a place explains what the oracle has of a session. */
#include <math.h>
#include <string.h>

#include "tests/accuracy/sync/evidence.h"

/* One transfer proves no more than this many scales of its excess. */
static const double cap = 6;

/* ---- a raise */

static double distance(double excess, double scale)
{
	double d = fabs(excess) / scale;

	return d < cap ? d : cap;
}

/* Of n transfers from the i-th on: what a raise by their median gains. */
static double raise(struct sy_evidence *e, size_t from, size_t n, double scale,
		    double *by_step)
{
	double size, sum = 0;

	memcpy(e->sorted, e->values + from, n * sizeof(*e->sorted));
	size = sy_median(e->sorted, n);
	for (size_t i = from; size > 0 && i < from + n; i++) {
		double gain = distance(e->values[i], scale) -
			      distance(e->values[i] - size, scale);

		by_step[e->steps[i]] += gain;
		sum += gain;
	}
	return sum;
}

/* One size for all steps. */
static double constant(struct sy_evidence *e, size_t n, double scale,
		       double *by_step)
{
	uint32_t n_steps = e->plan->n_steps;
	double cost = log(n_steps);
	double sum;

	memset(by_step, 0, n_steps * sizeof(*by_step));
	sum = raise(e, 0, n, scale, by_step) - cost;
	for (uint32_t s = 0; s < n_steps; s++)
		by_step[s] -= cost / n_steps;
	return sum;
}

/* A size for each step that has one. */
static double at_times(struct sy_evidence *e, size_t n, double scale,
		       double *by_step)
{
	uint32_t n_steps = e->plan->n_steps;
	double cost = log(n_steps), sum = 0;

	memset(by_step, 0, n_steps * sizeof(*by_step));
	for (size_t i = 0, to; i < n; i = to) {
		double *gain = &by_step[e->steps[i]];

		for (to = i; to < n && e->steps[to] == e->steps[i];)
			to++;
		*gain = raise(e, i, to - i, scale, by_step) - cost;
		*gain = *gain > 0 ? *gain : 0;
		sum += *gain;
	}
	return sum;
}

static size_t gather(struct sy_evidence *e, const struct sy_site *s,
		     uint32_t collective)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_own; i++) {
		uint32_t which = s->own[i];
		const struct sy_transfer *t = &e->transfers[which];

		if (t->collective != collective || e->aside[which] ||
		    e->timer[which])
			continue;
		e->values[n] = e->excess[which];
		e->steps[n++] = t->step;
	}
	return n;
}

/* By the better of both, or not at all. */
static void gain_of_excess(struct sy_evidence *e, const struct sy_site *s,
			   uint32_t collective, double *by_step)
{
	size_t n = gather(e, s, collective);
	double scale = e->scale[collective];
	const double *better = e->gains;

	if (n == 0)
		return;
	if (constant(e, n, scale, e->other) > at_times(e, n, scale, e->gains))
		better = e->other;
	for (uint32_t i = 0; i < e->plan->n_steps; i++)
		by_step[i] += better[i];
}

/* ---- timers */

static void gain_of_timers(struct sy_evidence *e, const struct sy_site *s,
			   double *by_step)
{
	uint32_t n_steps = e->plan->n_steps;
	double segments = 0, all, rest, here, sum = 0;
	size_t n = 0;

	memset(e->other, 0, n_steps * sizeof(*e->other));
	for (size_t i = 0; i < s->n_own; i++) {
		uint32_t which = s->own[i];

		if (e->aside[which])
			continue;
		n += e->timer[which];
		segments += e->transfers[which].n_segments;
	}
	if (n == 0 || segments >= e->segments)
		return;
	all = (double)e->timers / e->segments;
	here = log((double)n / segments / all);
	rest = n == e->timers ? 0
			      : log((double)(e->timers - n) /
				    (e->segments - segments) / all);
	for (size_t i = 0; i < e->n_transfers; i++)
		if (e->timer[i] && !e->aside[i])
			e->other[e->transfers[i].step] += rest;
	for (size_t i = 0; i < s->n_own; i++)
		if (e->timer[s->own[i]] && !e->aside[s->own[i]])
			e->other[e->transfers[s->own[i]].step] += here - rest;
	for (uint32_t i = 0; i < n_steps; i++)
		sum += e->other[i];
	for (uint32_t i = 0; i < n_steps && here > 0 && sum > log(n_steps); i++)
		by_step[i] += e->other[i] - log(n_steps) / n_steps;
}

double sy_gain(struct sy_evidence *e, const struct sy_site *s,
	       enum sy_witness witness, double *by_step)
{
	uint32_t n_steps = e->plan->n_steps;
	double sum = 0;

	memset(by_step, 0, n_steps * sizeof(*by_step));
	if (witness == SY_TIMERS)
		gain_of_timers(e, s, by_step);
	for (uint32_t k = 0; witness == SY_EXCESS && k < e->plan->n_collectives;
	     k++)
		gain_of_excess(e, s, k, by_step);
	for (uint32_t i = 0; i < n_steps; i++)
		sum += by_step[i];
	return sum;
}
