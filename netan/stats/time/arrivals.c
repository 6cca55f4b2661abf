#include "netan/stats/time/arrivals.h"

#include <math.h>

enum { LEAST_WINDOWS = 10, LEAST_ARRIVALS = 3, LEAST_GAPS = 4 };

const int64_t na_windows_ms[NA_WINDOWS] = {1, 10, 100, 1000};

void na_arrivals_init(struct na_arrivals *a, int64_t first_ps, int64_t last_ps)
{
	uint64_t span = (uint64_t)last_ps - (uint64_t)first_ps;

	*a = (struct na_arrivals){.first_ps = first_ps};
	for (size_t i = 0; i < NA_WINDOWS; i++) {
		struct na_window *w = &a->windows[i];

		w->width = (uint64_t)(na_windows_ms[i] * NA_PS_PER_MS);
		w->windows = span / w->width;
	}
}

/* Past the last whole window nothing counts. */
static void settle_window(struct na_window *w, uint64_t index, uint64_t count)
{
	if (index >= w->windows)
		return;
	w->total += count;
	w->squares += (na_u128)count * count;
}

static void close_window(struct na_window *w)
{
	if (w->closed) {
		settle_window(w, w->index, w->count);
		return;
	}
	w->first_index = w->index;
	w->first_count = w->count;
	w->closed = true;
}

static void open_window(struct na_window *w, uint64_t index)
{
	if (w->border)
		close_window(w);
	w->count = 0;
	w->index = index;
	w->border = index < w->windows ? (index + 1) * w->width : UINT64_MAX;
}

static void count(struct na_window *w, uint64_t since, uint64_t n)
{
	if (since >= w->border)
		open_window(w, since / w->width);
	w->count += n;
}

static void count_in(struct na_window *w, uint64_t index, uint64_t n)
{
	if (!w->border || w->index != index)
		open_window(w, index);
	w->count += n;
}

static void join_windows(struct na_window *w, const struct na_window *next)
{
	if (next->closed) {
		count_in(w, next->first_index, next->first_count);
		w->total += next->total;
		w->squares += next->squares;
	}
	count_in(w, next->index, next->count);
}

void na_arrivals_add(struct na_arrivals *a, int64_t at_ps, int64_t n)
{
	uint64_t since = (uint64_t)at_ps - (uint64_t)a->first_ps;
	uint64_t gap = (uint64_t)at_ps - (uint64_t)a->at_ps;

	if (a->n) {
		a->squares += (na_u128)gap * gap;
		a->products += (na_u128)a->gap * gap;
		if (a->n == 1)
			a->first_gap = gap;
		a->gap = gap;
	} else {
		a->start_ps = at_ps;
	}
	/* Those at the same instant follow each other at once. */
	if (n > 1)
		a->gap = 0;
	a->n += (uint64_t)n;
	a->at_ps = at_ps;
	for (size_t i = 0; i < NA_WINDOWS; i++)
		count(&a->windows[i], since, (uint64_t)n);
}

void na_arrivals_join(struct na_arrivals *a, const struct na_arrivals *next)
{
	uint64_t gap = (uint64_t)next->start_ps - (uint64_t)a->at_ps;

	if (!next->n)
		return;
	if (!a->n) {
		*a = *next;
		return;
	}
	a->squares += (na_u128)gap * gap + next->squares;
	a->products += (na_u128)a->gap * gap + (na_u128)gap * next->first_gap +
		       next->products;
	if (a->n == 1)
		a->first_gap = gap;
	a->gap = next->n > 1 ? next->gap : gap;
	a->n += next->n;
	a->at_ps = next->at_ps;
	for (size_t i = 0; i < NA_WINDOWS; i++)
		join_windows(&a->windows[i], &next->windows[i]);
}

/* (n q - s t) as a double: exact in integers where they are wide enough.
 * By Cauchy and Schwarz n q >= s^2; of products the sign can be either. */
static double spread_of_counts(uint64_t n, na_u128 q, na_u128 s, na_u128 t)
{
	na_u128 nq, st;

	if (__builtin_mul_overflow((na_u128)n, q, &nq) ||
	    __builtin_mul_overflow(s, t, &st))
		return (double)n * (double)q - (double)s * (double)t;
	return nq >= st ? (double)(nq - st) : -(double)(st - nq);
}

static double index_of(const struct na_window *w)
{
	struct na_window all = *w;
	double n = (double)w->windows;

	if (w->closed)
		settle_window(&all, w->first_index, w->first_count);
	settle_window(&all, w->index, w->count);
	if (all.windows < LEAST_WINDOWS || !all.total)
		return NAN;
	return spread_of_counts(all.windows, all.squares, all.total,
				all.total) /
	       ((n - 1) * (double)all.total);
}

static double plain(double r)
{
	return (r - 1) / (r + 1);
}

static double finite_size(double r, double n)
{
	return (sqrt(n + 1) * r - sqrt(n - 1)) /
	       ((sqrt(n + 1) - 2) * r + sqrt(n - 1));
}

/* Pearson: the gaps but the last against the gaps but the first. */
static double memory(const struct na_arrivals *a, uint64_t sum)
{
	uint64_t pairs = a->n - 2, x = sum - a->gap, y = sum - a->first_gap;
	na_u128 xx = a->squares - (na_u128)a->gap * a->gap;
	na_u128 yy = a->squares - (na_u128)a->first_gap * a->first_gap;
	double vx = spread_of_counts(pairs, xx, x, x),
	       vy = spread_of_counts(pairs, yy, y, y);

	if (!(vx > 0) || !(vy > 0))
		return NAN;
	return spread_of_counts(pairs, a->products, x, y) /
	       (sqrt(vx) * sqrt(vy));
}

void na_arrivals_read(const struct na_arrivals *a, struct na_arrival_stats *out)
{
	struct na_arrival_stats s = {.burstiness = NAN,
				     .burstiness_plain = NAN,
				     .memory = NAN};
	uint64_t sum = (uint64_t)a->at_ps - (uint64_t)a->start_ps;

	for (size_t i = 0; i < NA_WINDOWS; i++) {
		s.idc[i] = index_of(&a->windows[i]);
		s.windows[i] = a->windows[i].windows;
	}
	if (a->n >= LEAST_ARRIVALS && sum) {
		double n = (double)(a->n - 1), sd;

		sd = sqrt(fmax(spread_of_counts(a->n - 1, a->squares, sum, sum),
			       0));
		s.burstiness_plain = plain(sd / (double)sum);
		s.burstiness = finite_size(sd / (double)sum, n);
		if (a->n > LEAST_GAPS)
			s.memory = memory(a, sum);
	}
	*out = s;
}
