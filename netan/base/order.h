/*
 * Sort keys, and bounds in what is sorted.
 *
 * NA_ORDER() defines a comparator for na_sort() and bsearch() from one to
 * six keys, the first that differs decides.  A key compares two elements x
 * and y, pointers to const:
 *
 *	NA_ORDER(worst_first, struct row, NA_DOWN(lost_ps), NA_UP(src),
 *		 na_natural_order(x->name, y->name))
 *
 *	na_sort(rows, n, worst_first);
 *	at = NA_BOUND(i, 0, n, rows[i].lost_ps <= limit_ps);
 */
#ifndef NETAN_BASE_ORDER_H
#define NETAN_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* -1, 0 or 1; a NaN is equal to everything. */
#define NA_CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* Keys: a member of x and y, the small or the large first. */
#define NA_UP(member)   NA_CMP(x->member, y->member)
#define NA_DOWN(member) NA_CMP(y->member, x->member)

#define NA_ORDER(name, type, ...) \
	static int name(const void *first, const void *second) \
	{ \
		type const *x = first; \
		type const *y = second; \
\
		return NA_THEN(__VA_ARGS__); \
	}

/* The first of one to six values that is not 0; those behind it are not
 * computed. */
#define NA_THEN(...) \
	NA_THEN_OF(__VA_ARGS__, NA_THEN6, NA_THEN5, NA_THEN4, NA_THEN3, \
		   NA_THEN2, NA_THEN1, ) \
	(__VA_ARGS__)
#define NA_THEN_OF(a, b, c, d, e, f, then, ...) then
#define NA_THEN1(a)                             (a)
#define NA_THEN2(a, b)                          (__extension__((a) ?: (b)))
#define NA_THEN3(a, ...)                        NA_THEN2(a, NA_THEN2(__VA_ARGS__))
#define NA_THEN4(a, ...)                        NA_THEN2(a, NA_THEN3(__VA_ARGS__))
#define NA_THEN5(a, ...)                        NA_THEN2(a, NA_THEN4(__VA_ARGS__))
#define NA_THEN6(a, ...)                        NA_THEN2(a, NA_THEN5(__VA_ARGS__))

/* As qsort(), and equal elements stay in their order; v may be NULL, when n
 * is 0 or the memory could not be had.  O(n log(runs)): of what is sorted in pieces only these are merged.  The
 * scratch is at most half of what is sorted. */
#define na_sort(v, n, order) na_sort_of(v, n, sizeof(*(v)), order)

void na_sort_of(void *v, size_t n, size_t size,
		int (*order)(const void *, const void *));

/* Orders of plain values, ascending; of texts (const char *) by bytes. */
int na_order_i32(const void *first, const void *second);
int na_order_u32(const void *first, const void *second);
int na_order_i64(const void *first, const void *second);
int na_order_f64(const void *first, const void *second);
int na_order_text(const void *first, const void *second);

/*
 * The first index i in [from, to) for which `holds`, an expression of i, is
 * true; `to` when there is none.  It must be false up to there and true from
 * there on.  O(log(to - from)); i is a name of its own.
 */
#define NA_BOUND(i, from, to, holds) \
	__extension__({ \
		size_t bound_from = (from), bound_to = (to); \
\
		while (bound_from < bound_to) { \
			size_t i = bound_from + (bound_to - bound_from) / 2; \
\
			if (holds) \
				bound_to = i; \
			else \
				bound_from = i + 1; \
		} \
		bound_from; \
	})

#endif
