/*
 * Growable arrays.  na_grow() makes room for at least `want` elements of
 * `size` bytes: twice as much, and from 1 MiB on a quarter more, since what
 * then stays unused counts.  n * size is checked for overflow.
 *
 *	if (!na_grow(&v, &cap, n + 1, sizeof(*v)))
 *		return na_fail_nomem(err);
 */
#ifndef NETAN_BASE_VEC_H
#define NETAN_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

/* False when memory is short or the size overflows; *p stays valid then. */
bool na_grow_past(void *p, size_t *cap, size_t want, size_t size);

static inline bool na_grow(void *p, size_t *cap, size_t want, size_t size)
{
	return want <= *cap || na_grow_past(p, cap, want, size);
}

/* calloc with the same check; NULL for n * size overflow. */
void *na_calloc(size_t n, size_t size);

#endif
