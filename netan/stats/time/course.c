#include "netan/stats/time/course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/stats/samples/sort.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

enum { MEDIAN_OF = 5, SLOPE_POINTS = 128 };

/* A change costs PRICE * log(n) squared units. */
#define PRICE 6.0

struct course {
	const double *x; /* [n], of the points */
	size_t n;
	double *y;    /* running medians */
	double *sum;  /* [n + 1] of y */
	double *sum2; /* of squares */
	double *cost; /* [n + 1] */
	size_t *last; /* [n + 1]: where the last segment begins */
	double *tmp;
	double unit;
};

static double median_of(const double *x, size_t n, double *tmp)
{
	memcpy(tmp, x, n * sizeof(*x));
	return na_median(tmp, n);
}

static void smooth(struct course *c)
{
	for (size_t i = 0; i < c->n; i++) {
		size_t half = MEDIAN_OF / 2;
		size_t reach = i < half ? i : half;

		reach = c->n - 1 - i < reach ? c->n - 1 - i : reach;
		c->y[i] = median_of(c->x + i - reach, 2 * reach + 1, c->tmp);
	}
}

static double usual_spread(struct course *c)
{
	double unit, level = median_of(c->x, c->n, c->tmp);

	for (size_t i = 1; i < c->n; i++)
		c->tmp[i - 1] = fabs(c->x[i] - c->x[i - 1]);
	unit = NA_MAD_SIGMA / sqrt(2) * na_median(c->tmp, c->n - 1);
	return fmax(unit, NA_COURSE_GRAIN * fabs(level));
}

/* Squares about the mean of y[from, to), in units. */
static double squares(const struct course *c, size_t from, size_t to)
{
	double s = c->sum[to] - c->sum[from];
	double q = c->sum2[to] - c->sum2[from];

	return fmax(q - s * s / (double)(to - from), 0);
}

/* In units around the first value, so that sums keep their digits. */
static void sum_up(struct course *c)
{
	c->sum[0] = c->sum2[0] = 0;
	for (size_t i = 0; i < c->n; i++) {
		double v = c->unit > 0 ? (c->y[i] - c->y[0]) / c->unit : 0;

		c->sum[i + 1] = c->sum[i] + v;
		c->sum2[i + 1] = c->sum2[i] + v * v;
	}
}

static void segment(struct course *c)
{
	double price = PRICE * log((double)c->n);

	c->cost[0] = -price;
	for (size_t to = 1; to <= c->n; to++) {
		c->cost[to] = INFINITY;
		for (size_t from = 0; from + NA_COURSE_SEGMENT <= to; from++) {
			double cost = c->cost[from] + squares(c, from, to) +
				      price;

			if (cost < c->cost[to]) {
				c->cost[to] = cost;
				c->last[to] = from;
			}
		}
	}
}

/* From the last segment to the first; those too alike become one. */
static void take_changes(struct course *c, struct na_course *out)
{
	size_t cuts[NA_COURSE_CHANGES + 2], n = 0, kept = 0;

	for (size_t to = c->n; to > 0; to = c->last[to])
		cuts[n++] = c->last[to];
	cuts[n] = c->n; /* for the loop below: cuts in reverse */
	for (size_t i = 0; i < n / 2; i++) {
		size_t t = cuts[i];

		cuts[i] = cuts[n - 1 - i];
		cuts[n - 1 - i] = t;
	}
	for (size_t i = 1; i < n; i++) {
		size_t from = kept ? out->changes[kept - 1].at : 0;
		double a = median_of(c->x + from, cuts[i] - from, c->tmp);
		double b = median_of(c->x + cuts[i], cuts[i + 1] - cuts[i],
				     c->tmp);

		if (fabs(b - a) > NA_COURSE_EFFECT * fabs(a))
			out->changes[kept++] = (struct na_change){cuts[i], a,
								  b};
	}
	out->n = kept;
}

/* The first value of the new level, where the medians smear it. */
static void place_changes(struct course *c, struct na_course *out)
{
	for (size_t i = 0; i < out->n; i++) {
		struct na_change *k = &out->changes[i];
		double middle = (k->from + k->to) / 2;
		size_t reach = MEDIAN_OF / 2, at = k->at;
		size_t lo = at > reach ? at - reach : 0, best = at;
		size_t hi = at + reach < c->n ? at + reach : c->n;
		long least = -1;

		for (size_t p = lo; p <= hi; p++) {
			long wrong = 0;

			for (size_t j = lo; j < hi; j++)
				wrong += (j < p) ==
					 (k->to > k->from ? c->x[j] > middle
							  : c->x[j] < middle);
			if (least < 0 || wrong < least) {
				least = wrong;
				best = p;
			}
		}
		if (best > 0 && best < c->n)
			k->at = best;
	}
}

struct line {
	double at_first, slope; /* by point */
	double p;
};

/* Kendall's S over its standard deviation, with ties. */
static double kendall(const double *y, size_t n, double *tmp)
{
	double s = 0, ties = 0, m = (double)n, variance, z;
	size_t run = 1;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++)
			s += (y[k] > y[i]) - (y[k] < y[i]);
	}
	memcpy(tmp, y, n * sizeof(*y));
	na_sort_f64(tmp, tmp + n, n);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && tmp[i] == tmp[i - 1]) {
			run++;
			continue;
		}
		ties += (double)run * ((double)run - 1) * (2 * (double)run + 5);
		run = 1;
	}
	variance = (m * (m - 1) * (2 * m + 5) - ties) / 18;
	if (!(variance > 0))
		return 1;
	z = (fabs(s) - 1) / sqrt(variance);
	return z > 0 ? fmin(2 * na_normal_upper(z), 1) : 1;
}

/* Through medians of equal groups, at most SLOPE_POINTS of them. */
static bool fit_slope(struct course *c, struct line *out)
{
	size_t each = (c->n + SLOPE_POINTS - 1) / SLOPE_POINTS;
	size_t n = c->n / each, pairs = 0;
	double *y = na_calloc(3 * n + n * (n - 1) / 2 + 1, sizeof(*y));
	double *slopes = y ? y + 3 * n : NULL;

	if (!y)
		return false;
	for (size_t i = 0; i < n; i++)
		y[i] = median_of(c->x + i * each, each, c->tmp);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++)
			slopes[pairs++] = (y[k] - y[i]) / (double)(k - i);
	}
	out->p = kendall(y, n, y + n);
	out->slope = na_median(slopes, pairs) / (double)each;
	for (size_t i = 0; i < c->n; i++)
		c->tmp[i] = c->x[i] - out->slope * (double)i;
	out->at_first = na_median(c->tmp, c->n);
	free(y);
	return true;
}

/* Mean distance from a line, and from the levels of the segments. */
static double off_line(const struct course *c, const struct line *l)
{
	double sum = 0;

	for (size_t i = 0; i < c->n; i++)
		sum += fabs(c->x[i] - l->at_first - l->slope * (double)i);
	return sum;
}

static double off_levels(struct course *c, const struct na_course *out)
{
	double sum = 0;

	for (size_t k = 0; k <= out->n; k++) {
		size_t from = k ? out->changes[k - 1].at : 0;
		size_t to = k < out->n ? out->changes[k].at : c->n;
		double level = median_of(c->x + from, to - from, c->tmp);

		for (size_t i = from; i < to; i++)
			sum += fabs(c->x[i] - level);
	}
	return sum;
}

static void drift(struct course *c, const struct line *l, struct na_course *out)
{
	double last = l->at_first + l->slope * (double)(c->n - 1);

	out->p = l->p;
	if (!(l->p < NA_COURSE_P) ||
	    !(fabs(last - l->at_first) > NA_COURSE_EFFECT * fabs(l->at_first)))
		return;
	/* A staircase of many steps is a slope; of one or two it is none. */
	if (off_line(c, l) >= off_levels(c, out) * (out->n > 2 ? 1.25 : 1))
		return;
	out->drifts = true;
	out->from = l->at_first;
	out->to = last;
	out->n = 0;
}

static bool judge(struct course *c, struct na_course *out)
{
	struct line l;

	smooth(c);
	c->unit = usual_spread(c);
	sum_up(c);
	segment(c);
	take_changes(c, out);
	place_changes(c, out);
	if (!fit_slope(c, &l))
		return false;
	drift(c, &l, out);
	return true;
}

bool na_course_judge(const double *x, size_t n, struct na_course *out)
{
	size_t each = (n + NA_COURSE_POINTS - 1) / NA_COURSE_POINTS;
	size_t m = n >= NA_COURSE_LEAST ? n / each : 0;
	struct course c = {.n = m};
	double *room, *points;
	size_t *places;
	bool ok;

	*out = (struct na_course){.p = NAN};
	if (!m)
		return true;
	room = na_calloc(6 * (m + 1) + n, sizeof(*room));
	places = na_calloc(m + 1, sizeof(*places));
	ok = room && places;
	if (ok) {
		points = room;
		c.y = room + (m + 1);
		c.sum = c.y + (m + 1);
		c.sum2 = c.sum + (m + 1);
		c.cost = c.sum2 + (m + 1);
		c.tmp = c.cost + (m + 1);
		c.last = places;
		for (size_t i = 0; i < m; i++)
			points[i] = median_of(x + i * each, each, c.tmp);
		c.x = points;
		ok = judge(&c, out);
	}
	for (size_t i = 0; ok && i < out->n; i++)
		out->changes[i].at *= each;
	free(room);
	free(places);
	return ok;
}
