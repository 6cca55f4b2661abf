/*
 * Grouping of rows by columns of small integers, and quantiles by group.
 *
 * Rows are put in order by counting passes over 11 bits at a time, the last
 * column first, so keys need no packing and cannot overflow.  Groups come in
 * ascending order of their columns, rows within a group in their order.
 */
#ifndef NETAN_JUDGE_SESSION_GROUP_H
#define NETAN_JUDGE_SESSION_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/arena.h"

struct na_groups {
	uint32_t *row;  /* [from[n]], by group */
	uint32_t *from; /* [n + 1] */
	size_t n;
};

/* The columns of a grouping, and how many. */
#define NA_J_BY(...) \
	(const uint32_t *const[]){__VA_ARGS__}, \
		sizeof((const uint32_t *const[]){__VA_ARGS__}) / \
			sizeof(const uint32_t *)

/* Puts row[0..n) in order of the columns; stable. */
bool na_j_order(uint32_t *row, size_t n, const uint32_t *const *cols,
		size_t n_cols);

/* The same in order of values, which are not NaN. */
bool na_j_order_times(uint32_t *row, size_t n, const double *x);

/* Groups of n rows: those in `only`, or all when it is NULL. */
bool na_j_group(struct na_groups *g, const uint32_t *const *cols,
		size_t n_cols, const uint32_t *only, size_t n,
		struct na_arena *a);

/* rank[i] of rows by their columns, from 0; the number of ranks. */
bool na_j_rank(uint32_t *rank, size_t *n_ranks, const uint32_t *const *cols,
	       size_t n_cols, size_t n, struct na_arena *tmp);

static inline size_t na_j_count(const struct na_groups *g, size_t i)
{
	return g->from[i + 1] - g->from[i];
}

static inline uint32_t na_j_first(const struct na_groups *g, size_t i)
{
	return g->row[g->from[i]];
}

/* The column's value of each group's first row; NULL: no memory. */
uint32_t *na_j_of_groups(const struct na_groups *g, const uint32_t *col,
			 struct na_arena *a);

/* The order statistic floor(q (n - 1) + 1/2) of each group's values, by group;
 * NULL: no memory. */
double *na_j_quantiles(const struct na_groups *g, const double *v, double q,
		       struct na_arena *a);

/* Of n values, reordered: that order statistic; median (of an even number the
 * mean of the middle two); 1.4826 times the median absolute deviation (x is
 * overwritten).  Of none: 0. */
double na_j_order_statistic(double *x, size_t n, double q);
double na_j_mad(double *x, size_t n);

#endif
