/* Observations of captures: see stretches.h. */
#include "netan/evidence/stretches.h"

#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/units.h"

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

static double us_per_byte(const struct na_stretch *s, uint32_t ns)
{
	return ns ? (double)ns / NA_NS_PER_US / (double)s->bytes : (double)NAN;
}

static bool add_direction(struct na_port_rows *out,
			  const struct na_stretched *x, size_t i)
{
	const struct na_direction *d = &x->c->dir[i];

	/* Where something was lost its window is what loss left of it. */
	if (d->needed || d->open_again)
		return true;
	for (uint32_t k = 0; k < d->stretches_kept && k < NA_STRETCHES_KEPT;
	     k++) {
		const struct na_stretch *s = &d->stretch[k];
		struct na_port_row r = {
			.host = {i ? x->dst : x->src, i ? x->src : x->dst},
			.us_per_byte = {us_per_byte(s, s->src_ns),
					us_per_byte(s, s->dst_ns)},
		};

		if (s->bytes > 0 && !na_add(&out->rows, r))
			return false;
	}
	return true;
}

bool na_stretches_add(struct na_stretched *v, size_t n,
		      struct na_port_rows *out)
{
	const struct na_stretched *last = NULL;

	na_sort(v, n, by_ends);
	for (size_t i = 0; i < n; i++) {
		if (v[i].src == v[i].dst || (last && is_again(last, &v[i])))
			continue;
		last = &v[i];
		if (!add_direction(out, &v[i], 0) ||
		    !add_direction(out, &v[i], 1))
			return false;
	}
	return true;
}
