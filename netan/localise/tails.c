/* Records far beyond their expectation: timeouts and pauses (1.5). */
#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/localise/localise_impl.h"

#define TAIL_US 1e5

static int by_end(const void *a, const void *b)
{
	const struct lz_tail *x = a, *y = b;

	if (x->end_us < y->end_us || x->end_us > y->end_us)
		return x->end_us < y->end_us ? -1 : 1;
	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	if (x->excess_ms < y->excess_ms || x->excess_ms > y->excess_ms)
		return x->excess_ms < y->excess_ms ? -1 : 1;
	return (x->moment > y->moment) - (x->moment < y->moment);
}

double lz_tail_ms(const struct lz *z, size_t pair,
		  const struct na_lz_transfer *t)
{
	double us;

	if (!(t->latency_us > TAIL_US / 2))
		return 0;
	us = lz_latency(z, pair, t->latency_us);
	if (!(us > TAIL_US))
		return 0;
	us -= exp(lz_expect_log(z, z->class_of[pair], t->size_bytes));
	return us > TAIL_US ? us / 1e3 : 0;
}

enum na_status lz_tails_find(struct lz *z, struct na_err *err)
{
	size_t cap = 0;

	for (size_t p = 0; p < z->in->n_pairs; p++) {
		const struct na_lz_pair *pair = &z->in->pairs[p];
		const struct na_lz_transfer *t =
			z->in->transfers + pair->first;

		for (size_t i = 0; i < pair->n; i++) {
			double ms = lz_tail_ms(z, p, &t[i]);

			if (!(ms > 0))
				continue;
			if (!na_grow(&z->tails, &cap, z->n_tails + 1,
				     sizeof(*z->tails)))
				return na_fail_nomem(err);
			z->tails[z->n_tails++] = (struct lz_tail){
				(double)t[i].tick * z->tick_us, ms, (uint32_t)p,
				t[i].moment};
		}
	}
	if (z->n_tails)
		qsort(z->tails, z->n_tails, sizeof(*z->tails), by_end);
	return NA_OK;
}
