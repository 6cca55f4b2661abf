/* bursts: which transfers made the listed bursts, and which ended them. */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/bursts/state.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

static int by_name(const struct na_store *s, uint32_t a, uint32_t b)
{
	const struct na_endpoint *x = &s->names.endpoints[a];
	const struct na_endpoint *y = &s->names.endpoints[b];

	return NA_THEN(NA_UP(slice), NA_UP(device));
}

/* By time, then by what else tells transfers apart: their order of input
 * must not matter. */
static bool before(const struct na_store *s, const struct bursts_end *x,
		   const struct bursts_end *y)
{
	return NA_THEN(NA_UP(end_ps), NA_UP(latency_ps),
		       by_name(s, x->src, y->src),
		       by_name(s, x->dst, y->dst)) < 0;
}

/* Keeps the BURSTS_LAST latest. */
static void put_end(const struct na_store *s, struct bursts_burst *b,
		    const struct bursts_end *e)
{
	size_t i = b->n_last;

	if (i < BURSTS_LAST) {
		b->n_last++;
	} else if (!before(s, &b->last[0], e)) {
		return;
	} else {
		memmove(b->last, b->last + 1, (BURSTS_LAST - 1) * sizeof(*e));
		i = BURSTS_LAST - 1;
	}
	for (; i > 0 && before(s, e, &b->last[i - 1]); i--)
		b->last[i] = b->last[i - 1];
	b->last[i] = *e;
}

static bool holds(const struct bursts_burst *b, int64_t at_ps)
{
	return b->b.from_ps <= at_ps && at_ps < b->b.to_ps;
}

/* The listed burst around an instant, or n_bursts.  Neighbours tend to be in
 * one burst. */
static size_t find(struct bursts_state *s, int64_t at_ps)
{
	const struct bursts_burst *b = s->main->bursts;
	size_t n = s->main->n_bursts, i;

	if (holds(&b[s->at_burst], at_ps))
		return s->at_burst;
	i = NA_BOUND(k, 0, n, b[k].b.from_ps > at_ps);
	if (!i || !holds(&b[i - 1], at_ps))
		return n;
	return s->at_burst = i - 1;
}

enum na_status na_bursts_gather(struct bursts_state *s,
				const struct na_transfer *t)
{
	size_t n = s->main->n_bursts, i;
	struct bursts_end e = {.end_ps = t->end_ps,
			       .latency_ps = (uint64_t)t->end_ps -
					     (uint64_t)t->start_ps,
			       .src = t->src,
			       .dst = t->dst};

	if (!n || (t->start_ps < s->lo_ps && t->end_ps <= s->lo_ps))
		return NA_OK;
	i = find(s, t->start_ps > s->lo_ps ? t->start_ps : s->lo_ps);
	if (i == n)
		return NA_OK;
	if (!s->bursts) {
		s->bursts = na_calloc(n, sizeof(*s->bursts));
		s->n_bursts = n;
	}
	if (!s->bursts)
		return NA_ENOMEM;
	s->bursts[i].transfers++;
	s->bursts[i].amount += na_spread_clipped(t->start_ps, t->end_ps,
						 t->size_bytes, s->lo_ps,
						 s->hi_ps);
	put_end(s->scope->store, &s->bursts[i], &e);
	return NA_OK;
}

enum na_status na_bursts_gather_merge(struct bursts_state *s,
				      const struct bursts_state *b)
{
	for (size_t i = 0; b->bursts && i < s->n_bursts; i++) {
		const struct bursts_burst *from = &b->bursts[i];

		s->bursts[i].transfers += from->transfers;
		s->bursts[i].amount += from->amount;
		for (size_t k = 0; k < from->n_last; k++)
			put_end(s->scope->store, &s->bursts[i], &from->last[k]);
	}
	return NA_OK;
}
