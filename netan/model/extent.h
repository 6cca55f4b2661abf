/*
 * How many records there are, and the time that they take together.
 */
#ifndef NETAN_MODEL_EXTENT_H
#define NETAN_MODEL_EXTENT_H

#include <stdint.h>

struct na_extent {
	uint64_t n;
	int64_t first_ps, last_ps; /* 0 without records */
};

/* One record more. */
static inline void na_extent_add(struct na_extent *x, int64_t first_ps,
				 int64_t last_ps)
{
	if (!x->n || first_ps < x->first_ps)
		x->first_ps = first_ps;
	if (!x->n || last_ps > x->last_ps)
		x->last_ps = last_ps;
	x->n++;
}

static inline void na_extent_join(struct na_extent *to,
				  const struct na_extent *from)
{
	if (!from->n)
		return;
	na_extent_add(to, from->first_ps, from->last_ps);
	to->n += from->n - 1;
}

#endif
