/*
 * Growable arrays.  A vector is any struct with the members v, n and cap,
 * all zero while it is empty; the macros below take a pointer to one:
 *
 *	NA_VEC(struct span) spans;
 *
 *	if (!na_add(&x->spans, ((struct span){from, to})))
 *		return na_fail_nomem(err);
 *	for (size_t i = 0; i < x->spans.n; i++)
 *		use(&x->spans.v[i]);
 *	na_vec_free(&x->spans);
 *
 * Room grows twice, from 1 MiB on by a quarter and from 16 MiB on by a
 * 32nd, since what then stays unused counts; n * size is checked for
 * overflow.  What was there stays valid when memory is short; pointers into it
 * do not survive growth.
 */
#ifndef NETAN_BASE_VEC_H
#define NETAN_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* How many elements an array has; not for pointers. */
#define NA_LEN(array) (sizeof(array) / sizeof((array)[0]))

#define NA_VEC(type) \
	struct { \
		type *v; \
		size_t n, cap; \
	}

/* Room for `more` elements behind the n there are; false: no memory. */
#define na_room(vec, more) \
	na_grow(&(vec)->v, &(vec)->cap, (vec)->n + (more), sizeof(*(vec)->v))

/* The value behind the others; false: no memory.  A compound literal stands
 * in parentheses. */
#define na_add(vec, value) \
	(na_room(vec, 1) && ((vec)->v[(vec)->n++] = (value), true))

/* One more element, all zero: a pointer to it, or NULL. */
#define na_push(vec) \
	(na_room(vec, 1) ? (__typeof__((vec)->v))memset(&(vec)->v[(vec)->n++], \
							0, sizeof(*(vec)->v)) \
			 : NULL)

/* `more` values behind the others, from where there may be none at all. */
#define na_append(vec, values, more) \
	((more) == 0 || \
	 (na_room(vec, more) && \
	  (memcpy((vec)->v + (vec)->n, values, (more) * sizeof(*(vec)->v)), \
	   (vec)->n += (more), true)))

/* Gives back the room that growth left. */
#define na_vec_fit(vec) \
	na_fit(&(vec)->v, &(vec)->cap, (vec)->n, sizeof(*(vec)->v))

#define na_vec_free(vec) \
	(free((vec)->v), (vec)->v = NULL, (void)((vec)->n = (vec)->cap = 0))

/* Element i, which may lie behind the others: those between are all zero,
 * and so is it.  NULL: no memory. */
#define na_vec_at(vec, i) \
	(na_vec_reach(&(vec)->v, &(vec)->n, &(vec)->cap, (i), \
		      sizeof(*(vec)->v)) \
		 ? &(vec)->v[i] \
		 : NULL)

/*
 * Underneath, and for arrays that share one count: *p has room for *cap
 * elements of `size` bytes, and afterwards for at least `want`.  False when
 * memory is short or the size overflows.
 */
bool na_grow_past(void *p, size_t *cap, size_t want, size_t size);

static inline bool na_grow(void *p, size_t *cap, size_t want, size_t size)
{
	return want <= *cap || na_grow_past(p, cap, want, size);
}

/* *p has room for *cap elements and needs it for n; of none it stays. */
void na_fit(void *p, size_t *cap, size_t n, size_t size);

bool na_vec_zero_to(void *p, size_t *n, size_t *cap, size_t i, size_t size);

static inline bool na_vec_reach(void *p, size_t *n, size_t *cap, size_t i,
				size_t size)
{
	return i < *n || na_vec_zero_to(p, n, cap, i, size);
}

/* calloc with the same check; never NULL for nothing. */
void *na_calloc(size_t n, size_t size);

#endif
