/* rpc: the scatter that the picture shows, of bounded size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/rpc/state.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

/* The longest first; a total order, so that what stays depends on no order. */
#define LONGEST_FIRST \
	NA_DOWN(latency_ps), NA_UP(end_ps), NA_UP(row), NA_DOWN(tail), \
		NA_DOWN(times)

NA_ORDER(by_length, struct rpc_point, LONGEST_FIRST)
NA_ORDER(in_time, struct rpc_point, NA_UP(end_ps), NA_THEN(LONGEST_FIRST))

static bool longer(const struct rpc_point *x, const struct rpc_point *y)
{
	return by_length(x, y) < 0;
}

static void swap(struct rpc_point *x, struct rpc_point *y)
{
	struct rpc_point keep = *x;

	*x = *y;
	*y = keep;
}

static void sift_down(struct rpc_point *h, size_t n, size_t at)
{
	for (;;) {
		size_t next = 2 * at + 1;

		if (next >= n)
			return;
		if (next + 1 < n && longer(&h[next], &h[next + 1]))
			next++;
		if (!longer(&h[at], &h[next]))
			return;
		swap(&h[at], &h[next]);
		at = next;
	}
}

bool na_rpc_longest_add(struct rpc_longest *l, const struct rpc_point *p)
{
	struct rpc_point *heap = l->heap.v;
	size_t at = l->heap.n;

	if (l->has_least && !longer(p, &l->least))
		return true;
	if (at == l->max) {
		if (l->max && longer(p, &heap[0])) {
			heap[0] = *p;
			sift_down(heap, at, 0);
		}
		return true;
	}
	if (!na_add(&l->heap, *p))
		return false;
	heap = l->heap.v;
	while (at && longer(&heap[(at - 1) / 2], &heap[at])) {
		swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	return true;
}

/* The octave and the leading bits of a latency: its place in row_of. */
static size_t step_of(int64_t latency_ps)
{
	int octave = 63 - __builtin_clzll((unsigned long long)latency_ps);
	uint64_t mantissa = (uint64_t)latency_ps << (63 - octave);

	return (size_t)octave * RPC_OCTAVE +
	       (size_t)(mantissa << 1 >> 57); /* 7 bits: RPC_OCTAVE */
}

void na_rpc_scatter_scale(struct rpc_state *s)
{
	double lo = (double)s->latency.first_ps / 1.05,
	       hi = (double)s->latency.last_ps * 1.05;
	uint64_t span = (uint64_t)s->ends.last_ps - (uint64_t)s->ends.first_ps;

	s->column_ps = (int64_t)(span / RPC_COLUMNS + 1);
	s->scatter_lo_us = na_us(lo);
	s->scatter_hi_us = na_us(hi);
	for (size_t i = 0; i < sizeof(s->row_of); i++) {
		double middle = 1 +
				((double)(i % RPC_OCTAVE) + 0.5) / RPC_OCTAVE;
		double x = ldexp(middle, (int)(i / RPC_OCTAVE));
		double row = floor(log(x / lo) / log(hi / lo) * RPC_ROWS);

		s->row_of[i] = (uint8_t)fmin(fmax(row, 0), RPC_ROWS - 1);
	}
}

void na_rpc_scatter_add(struct rpc_state *s, int64_t end_ps, int64_t latency_ps)
{
	const struct rpc_state *m = s->main;
	uint64_t column = ((uint64_t)end_ps - (uint64_t)m->ends.first_ps) /
			  (uint64_t)m->column_ps;
	uint32_t *to =
		&s->grid[column * RPC_ROWS + m->row_of[step_of(latency_ps)]];

	*to += *to < UINT32_MAX;
}

double na_rpc_long_tail(const struct rpc_state *s)
{
	return na_sketch_quantile(&s->times, 0.99) /
	       na_sketch_quantile(&s->times, 0.5);
}

/* From where on a transfer is among the slowest 1 % for its size, where these
 * are what is told: where none is a tail event. */
static double slow_from(const struct rpc_state *s)
{
	return s->all.verdict.kind == NA_TAIL_NONE && !s->all.constant &&
			       na_rpc_long_tail(s) > RPC_LONG_TAIL
		       ? na_sketch_quantile(&s->times, 0.99)
		       : INFINITY;
}

/* Of more the picture would hold too many. */
enum { SLOW_MOST = 2000 };

/* Of the longest, those beyond p99.9, tail events, and the slow. */
static size_t choose_points(struct rpc_state *s, double slow)
{
	struct rpc_point *p = s->longest.heap.v;
	size_t all = s->longest.heap.n, n = 0, many = 0;

	if (all == s->ends.n)
		return all;
	for (size_t i = 0; i < all; i++)
		many += p[i].times >= slow;
	if (many > SLOW_MOST)
		slow = INFINITY;
	for (size_t i = 0; i < all; i++) {
		if (p[i].tail || na_us(p[i].latency_ps) > s->all.p99_9_us ||
		    p[i].times >= slow)
			p[n++] = p[i];
	}
	return n;
}

static void put_points(struct na_result *r, struct na_value *in,
		       struct rpc_state *s)
{
	struct rpc_point *p = s->longest.heap.v;
	double from = slow_from(s);
	size_t n = choose_points(s, from);
	double *at = na_put_reals(r, in, M_point_time_s, n);
	double *us = na_put_reals(r, in, M_point_us, n);
	double *row = na_put_reals(r, in, M_point_row, n);
	double *tail = na_put_reals(r, in, M_point_tail, n);
	double *slow = na_put_reals(r, in, M_point_slow, n);

	na_sort(p, n, in_time);
	for (size_t i = 0; at && us && row && tail && slow && i < n; i++) {
		at[i] = na_s(p[i].end_ps);
		us[i] = na_us(p[i].latency_ps);
		row[i] = p[i].row;
		tail[i] = p[i].tail;
		slow[i] = p[i].times >= from;
	}
}

void na_rpc_put_scatter(struct na_result *r, struct rpc_state *s)
{
	struct na_value *in = na_put_object(r, na_result_side(r), M_scatter);
	size_t cells = (size_t)RPC_COLUMNS * RPC_ROWS;
	double *counts;

	na_put_real(r, in, M_from_s, na_s(s->ends.first_ps));
	na_put_real(r, in, M_column_s, na_s(s->column_ps));
	na_put_real(r, in, M_least_us, s->scatter_lo_us);
	na_put_real(r, in, M_most_us, s->scatter_hi_us);
	na_put_int(r, in, M_transfers, (int64_t)s->ends.n);
	na_put_bool(r, in, M_all_points, s->longest.heap.n == s->ends.n);
	put_points(r, in, s);
	if (s->longest.heap.n == s->ends.n)
		return;
	na_put_int(r, in, M_columns, RPC_COLUMNS);
	na_put_int(r, in, M_rows, RPC_ROWS);
	counts = na_put_reals(r, in, M_counts, cells);
	for (size_t i = 0; counts && i < cells; i++)
		counts[i] = s->grid[i];
}
