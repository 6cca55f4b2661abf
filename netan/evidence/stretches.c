/* Observations of captures: see stretches.h. */
#include "netan/evidence/stretches.h"

#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/evidence/held_out.h"

/* Times are of so many bytes: how a stretch is cut into pieces must not decide
 * with which others it is compared. */
#define SIZE 65536.0
/* Times the median, and its inverse: constants.h of the judge, a_max. */
#define MOST 20.0

/* One way of looking at a connection, whoever sent the first packet. */
struct ends {
	uint64_t low, high;
};

static struct ends ends_of(const struct na_connection *c)
{
	uint64_t a = (uint64_t)c->src << 16 | c->src_port;
	uint64_t b = (uint64_t)c->dst << 16 | c->dst_port;

	return a < b ? (struct ends){a, b} : (struct ends){b, a};
}

static uint32_t seen(const struct na_stretched *x)
{
	return x->c->dir[0].stretches_kept + x->c->dir[1].stretches_kept;
}

/* Of those with the same ends the one that tells most comes first. */
NA_ORDER(by_ends, struct na_stretched,
	 NA_CMP(ends_of(x->c).low, ends_of(y->c).low),
	 NA_CMP(ends_of(x->c).high, ends_of(y->c).high),
	 NA_CMP(seen(y), seen(x)), NA_CMP(x->c->from_ps, y->c->from_ps),
	 NA_CMP(x->c->input, y->c->input), NA_CMP(x->c->id, y->c->id))

/* They are one connection that two captures hold: it has a time of its own. */
static bool is_again(const struct na_stretched *a, const struct na_stretched *b)
{
	struct ends x = ends_of(a->c), y = ends_of(b->c);

	return x.low == y.low && x.high == y.high &&
	       a->c->input != b->c->input && b->c->from_ps <= a->c->to_ps &&
	       a->c->from_ps <= b->c->to_ps;
}

struct span {
	double from_us, to_us;
};

static double start_us(const struct na_connection *c,
		       const struct na_stretch *x)
{
	return (double)c->from_ps / NA_PS_PER_US +
	       (double)x->from_ns / NA_NS_PER_US;
}

static uint32_t kept(const struct na_direction *d)
{
	return d->stretches_kept < NA_STRETCHES_KEPT ? d->stretches_kept
						     : NA_STRETCHES_KEPT;
}

static struct span span_of(const struct na_stretched *v, size_t n)
{
	struct span all = {INFINITY, -INFINITY};

	for (size_t i = 0; i < 2 * n; i++) {
		const struct na_connection *c = v[i / 2].c;
		const struct na_direction *d = &c->dir[i % 2];

		for (uint32_t k = 0; k < kept(d); k++) {
			all.from_us = fmin(all.from_us,
					   start_us(c, &d->stretch[k]));
			all.to_us = fmax(all.to_us,
					 start_us(c, &d->stretch[k]));
		}
	}
	return all;
}

static bool add_direction(struct na_evidence *e, const struct na_stretched *x,
			  size_t i, const struct span *all)
{
	const struct na_direction *d = &x->c->dir[i];
	double window_us = (all->to_us - all->from_us) / NA_EVIDENCE_STEPS;

	for (uint32_t k = 0; k < kept(d); k++) {
		const struct na_stretch *s = &d->stretch[k];
		double at_us = start_us(x->c, s);
		double step = window_us > 0
				      ? (at_us - all->from_us) / window_us
				      : 0;
		struct na_observation o = {
			.start_us = at_us - all->from_us,
			.took_us = (double)s->took_ns / NA_NS_PER_US,
			.size_bytes = (float)s->bytes,
			.src = i ? x->dst : x->src,
			.dst = i ? x->src : x->dst,
			.src_device = i ? x->dst : x->src,
			.dst_device = i ? x->src : x->dst,
			.part = s->marks & NA_STRETCH_LATER,
			.step = (uint32_t)fmin(step, NA_EVIDENCE_STEPS - 1),
		};

		/* Something was sent again, and it was needed. */
		if (s->marks & NA_STRETCH_AGAIN && (d->needed || d->open_again))
			continue;
		if (s->took_ns > 0 && s->bytes > 0 && !na_evidence_add(e, &o))
			return false;
	}
	return true;
}

bool na_stretches_add(struct na_stretched *v, size_t n, struct na_evidence *out)
{
	struct span all = span_of(v, n);
	const struct na_stretched *last = NULL;

	na_sort(v, n, by_ends);
	for (size_t i = 0; i < n; i++) {
		if (v[i].src == v[i].dst || (last && is_again(last, &v[i])))
			continue;
		last = &v[i];
		if (!add_direction(out, &v[i], 0, &all) ||
		    !add_direction(out, &v[i], 1, &all))
			return false;
	}
	return true;
}

static int by_took(const void *first, const void *second)
{
	const double *a = first, *b = second;

	return NA_CMP(*a, *b);
}

/* Of SIZE each; beyond what a slow one may be, times say no more. */
static bool even_out(struct na_evidence *e)
{
	double *took = na_calloc(e->rows.n + 1, sizeof(*took)), middle;

	if (!took)
		return false;
	for (size_t i = 0; i < e->rows.n; i++) {
		struct na_judge_row *r = &e->rows.v[i];

		r->took_us *= SIZE / (double)r->size_bytes;
		r->size_bytes = SIZE;
		took[i] = r->took_us;
	}
	na_sort(took, e->rows.n, by_took);
	middle = took[e->rows.n / 2];
	for (size_t i = 0; i < e->rows.n; i++)
		e->rows.v[i].took_us = fmax(middle / MOST,
					    fmin(e->rows.v[i].took_us,
						 middle * MOST));
	free(took);
	return true;
}

enum na_status na_stretches_judge(struct na_evidence *e,
				  struct na_judge_result *out,
				  struct na_err *err)
{
	if (e->n_hosts <= NA_HELD_OUT_MOST)
		return na_held_out(e, out, err);
	if (!even_out(e))
		return na_fail_nomem(err);
	return na_evidence_judge(e, out, err);
}
