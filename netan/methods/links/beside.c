/*
 * What else passes a host while it transfers: a reduction that runs beside
 * sends takes from the same NICs, on some stages of a pipeline and not on
 * others.  Such instances are compared among themselves.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/links/impl.h"

/* Of a transfer, what another one must cover to matter. */
enum { BESIDE_SHARE = 10 };

struct passing {
	int64_t from_ps, to_ps;
	uint32_t host;
	uint32_t sample;
};

NA_ORDER(by_start, struct passing, NA_UP(host), NA_UP(from_ps), NA_UP(to_ps),
	 NA_UP(sample))

struct passings {
	struct passing *v;
	size_t n, cap;
};

static bool add_hosts(const struct na_links *l, const struct links_samples *x,
		      uint32_t sample, struct passings *out)
{
	const struct na_ranks *r = l->ranks;
	const struct na_rank_instance *k =
		&r->instances.v[x->v[sample].instance];
	bool ok = true;

	for (size_t i = k->from; ok && i < k->to; i++) {
		const struct na_rank_part *p = &r->parts.v[i];

		ok = na_add(out,
			    ((struct passing){p->end_ps - k->transfer_ps,
					      p->end_ps, l->host_of[p->rank],
					      sample}));
	}
	return ok;
}

static int64_t shared(const struct passing *a, const struct passing *b)
{
	int64_t from = a->from_ps > b->from_ps ? a->from_ps : b->from_ps;
	int64_t to = a->to_ps < b->to_ps ? a->to_ps : b->to_ps;

	return to - from;
}

static void mark(struct links_samples *x, const struct passing *a,
		 const struct passing *b)
{
	struct links_sample *s = &x->v[a->sample];
	int64_t both_ps = shared(a, b);

	s->beside |= both_ps > 0 &&
		     both_ps >= (a->to_ps - a->from_ps) / BESIDE_SHARE;
}

static bool alike(const struct links_samples *x, const struct passing *a,
		  const struct passing *b)
{
	return na_links_alike(&x->v[a->sample], &x->v[b->sample]);
}

/* In the order of starts: of those before, the one of each of two kinds that
 * ends last; then the first one behind of another kind. */
static void sweep(struct links_samples *x, const struct passing *v, size_t n)
{
	const struct passing *last = NULL, *other = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct passing *p = &v[i];

		if (last && last->host != p->host)
			last = other = NULL;
		if (last && !alike(x, last, p))
			mark(x, p, last);
		else if (other)
			mark(x, p, other);
		if (!last || p->to_ps >= last->to_ps) {
			if (last && !alike(x, last, p))
				other = last;
			last = p;
		} else if (!alike(x, last, p) &&
			   (!other || p->to_ps > other->to_ps)) {
			other = p;
		}
	}
	other = NULL;
	for (size_t i = n; i-- > 0;) {
		const struct passing *p = &v[i];
		const struct passing *next = i + 1 < n ? &v[i + 1] : NULL;

		if (next && (next->host != p->host))
			next = other = NULL;
		if (next && !alike(x, next, p))
			other = next;
		if (other)
			mark(x, p, other);
	}
}

bool na_links_beside(const struct na_links *l, struct links_samples *x)
{
	struct passings v = {0};
	bool ok = true;

	for (uint32_t i = 0; ok && i < x->n; i++)
		ok = x->v[i].hosts < 2 || x->v[i].times != NA_RANK_RAN ||
		     add_hosts(l, x, i, &v);
	na_sort(v.v, v.n, by_start);
	if (ok)
		sweep(x, v.v, v.n);
	na_vec_free(&v);
	return ok;
}
