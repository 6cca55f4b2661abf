/*
 * diff: quantiles of B against those of A, with their intervals.
 *
 * A ratio stands where both runs' quantiles are above 0, else the shift does
 * (a slack may be negative).  All rows of all metrics are one family for
 * Holm: with 95 % probability none of the intervals misses, whatever depends
 * on what.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/diff/diff.h"
#include "netan/base/vec.h"

enum { JOBS = 20 }; /* shares of the resamples; whatever the threads */

struct resampling {
	struct na_boot boot[DF_RUNS];
	double *drawn[DF_RUNS]; /* [DF_RESAMPLES][DF_ROWS] */
	uint64_t stream;
};

static void draw_some(void *arg, size_t job)
{
	struct resampling *x = arg;

	for (size_t t = job; t < DF_RESAMPLES; t += JOBS) {
		for (unsigned r = 0; r < DF_RUNS; r++)
			na_boot_draw(&x->boot[r], DF_SEED, x->stream + r, t,
				     df_p, DF_QUANTILES,
				     x->drawn[r] + t * DF_ROWS);
	}
}

bool df_notable(size_t row, double ratio)
{
	double limit = row < DF_QUANTILES && df_p[row] > 0.9 ? DF_EFFECT_TOP
							     : DF_EFFECT;

	return fabs(log(ratio)) > log(limit);
}

/* A quantile that few values lie beyond is their maximum, or close. */
static bool enough(const struct df_sample *s, size_t row)
{
	double p = row < DF_QUANTILES ? df_p[row] : 0.5;
	double least = row < DF_QUANTILES ? DF_LEAST : NA_BOOT_LEAST / 2.0;

	return (double)s->count * fmin(p, 1 - p) >= least;
}

/* Stretches that hold a value at or beyond the quantile. */
static int stretches_beyond(const struct na_boot *b, double p)
{
	double at = na_boot_quantile(b, p);
	unsigned held = 0;

	if (b->by_events)
		return DF_STRETCHES;
	for (size_t i = 0; i < b->n; i++) {
		size_t k = p < 0.5 ? i : b->n - 1 - i;

		if (p < 0.5 ? b->x[k].value > at : b->x[k].value < at)
			break;
		held |= 1U << b->x[k].unit;
	}
	return __builtin_popcount(held);
}

/* What lies beyond may all be of one short time, in both runs. */
static bool spread(const struct resampling *x, size_t row)
{
	return row == DF_QUANTILES ||
	       stretches_beyond(&x->boot[DF_A], df_p[row]) >= DF_BEYOND ||
	       stretches_beyond(&x->boot[DF_B], df_p[row]) >= DF_BEYOND;
}

static size_t fewer_units(const struct resampling *x)
{
	size_t n = 0;

	for (int r = 0; r < DF_RUNS; r++) {
		size_t k = x->boot[r].used_units;

		if (!x->boot[r].by_events && (!n || k < n))
			n = k;
	}
	return n;
}

enum { OF_RATIO, OF_SHIFT, OF_B };

static double change(int of, double a, double b)
{
	if (of == OF_B)
		return b;
	if (of == OF_SHIFT)
		return b - a;
	return a > 0 && b > 0 ? log(b / a) : (double)NAN;
}

/* Of a run's resamples, or their logarithms. */
static double variance(const struct resampling *x, int run, size_t at,
		       bool logs)
{
	double n = 0, mean = 0, squares = 0;

	for (size_t t = 0; t < DF_RESAMPLES; t++) {
		double v = x->drawn[run][t * DF_ROWS + at];

		v = logs ? log(v) : v;
		if (!isfinite(v))
			continue;
		n++;
		squares += (v - mean) * (v - mean) * (n - 1) / n;
		mean += (v - mean) / n;
	}
	return n > 0 ? squares / n : 0;
}

/* Welch's degrees of freedom: what is drawn by events has no end of them. */
static double freedom(const struct resampling *x, size_t at, int of)
{
	double sum = 0, shares = 0;

	for (int r = of == OF_B ? DF_B : DF_A; r < DF_RUNS; r++) {
		double v = variance(x, r, at, of == OF_RATIO);

		sum += v;
		if (!x->boot[r].by_events)
			shares += v * v / (double)(x->boot[r].used_units - 1);
	}
	return shares > 0 ? sum * sum / shares : 0;
}

static bool span_of(const struct resampling *x, const struct df_row *row,
		    size_t at, int of, double scale, double *tmp,
		    struct na_boot_span *span)
{
	size_t units = of == OF_B && x->boot[DF_B].by_events ? 0
		       : of == OF_B ? x->boot[DF_B].used_units
				    : fewer_units(x);

	for (size_t t = 0; t < DF_RESAMPLES; t++)
		tmp[t] = change(of, x->drawn[DF_A][t * DF_ROWS + at] * scale,
				x->drawn[DF_B][t * DF_ROWS + at] * scale);
	return na_boot_span(span, change(of, row->a, row->b), tmp, DF_RESAMPLES,
			    units, freedom(x, at, of));
}

static double observed(const struct na_boot *b, size_t row, double scale)
{
	return (row < DF_QUANTILES ? na_boot_quantile(b, df_p[row]) : b->mean) *
	       scale;
}

static bool within(const struct na_boot *b, double p, double value)
{
	double near = fmin(DF_NEAR, fmin(p, 1 - p) / 5);

	return value >= na_boot_quantile(b, p - near) &&
	       value <= na_boot_quantile(b, p + near);
}

/* Unscaled. */
static bool is_near(const struct resampling *x, size_t at)
{
	double a, b;

	if (at == DF_QUANTILES)
		return false;
	a = na_boot_quantile(&x->boot[DF_A], df_p[at]);
	b = na_boot_quantile(&x->boot[DF_B], df_p[at]);
	return within(&x->boot[DF_A], df_p[at], b) ||
	       within(&x->boot[DF_B], df_p[at], a);
}

/* Not by a few stretches alone; nothing is known of that by events. */
static bool throughout(const struct df_row *row)
{
	return isnan(row->apart) ||
	       (row->shift > 0 ? row->apart : 1 - row->apart) >= DF_APART;
}

/* By what lies beyond the middle between both quantiles; unscaled. */
static double apart(const struct resampling *x, size_t at)
{
	const struct na_boot *a = &x->boot[DF_A], *b = &x->boot[DF_B];
	double p = at < DF_QUANTILES ? df_p[at] : (double)NAN;

	return na_boot_apart(a, b,
			     isnan(p) ? p
				      : (na_boot_quantile(a, p) +
					 na_boot_quantile(b, p)) /
						2);
}

static void fill_row(const struct resampling *x, struct df_row *row, size_t at,
		     double scale, bool judged, double *tmp)
{
	*row = (struct df_row){
		.a = observed(&x->boot[DF_A], at, scale),
		.b = observed(&x->boot[DF_B], at, scale),
		.p = NAN,
		.alpha = NAN,
		.detectable = NAN,
	};
	row->shift = row->b - row->a;
	row->ratio = row->a > 0 && row->b > 0 ? row->b / row->a : (double)NAN;
	row->has_b = span_of(x, row, at, OF_B, scale, tmp, &row->b_span);
	row->has_shift = span_of(x, row, at, OF_SHIFT, scale, tmp,
				 &row->shift_span);
	row->has_span = span_of(x, row, at, OF_RATIO, scale, tmp, &row->span);
	row->by_ratio = row->has_span;
	row->near = is_near(x, at);
	row->apart = apart(x, at);
	if (!judged || !spread(x, at))
		return;
	if (row->has_span)
		row->p = na_boot_p(&row->span, 0);
	else if (row->has_shift)
		row->p = na_boot_p(&row->shift_span, 0);
	if (!isnan(row->p) && !throughout(row))
		row->p = fmax(row->p, DF_LEVEL);
}

bool df_compare(const struct df_state *s, enum df_what what,
		const struct df_sample sample[DF_RUNS],
		struct df_row rows[DF_ROWS])
{
	struct resampling x = {.stream = (uint64_t)what * DF_RUNS};
	double *tmp = na_calloc(DF_RESAMPLES, sizeof(*tmp));
	bool ok = tmp;

	for (int r = 0; r < DF_RUNS; r++) {
		x.boot[r] = (struct na_boot){
			.x = sample[r].x,
			.n = sample[r].n,
			.weight = sample[r].weight,
			.n_units = sample[r].by_events ? 0 : sample[r].n_units,
		};
		x.drawn[r] = na_calloc(DF_RESAMPLES * DF_ROWS,
				       sizeof(**x.drawn));
		ok = na_boot_begin(&x.boot[r]) && ok && x.drawn[r];
	}
	ok = ok && na_side_by_side(s->scope, JOBS, draw_some, &x);
	for (size_t k = 0; ok && k < DF_ROWS; k++) {
		fill_row(&x, &rows[k], k, df_kinds[what].scale,
			 enough(&sample[DF_A], k) && enough(&sample[DF_B], k),
			 tmp);
	}
	for (int r = 0; r < DF_RUNS; r++) {
		na_boot_end(&x.boot[r]);
		free(x.drawn[r]);
	}
	free(tmp);
	return ok;
}

/* ---- all rows together */

static bool holm(struct df_state *s)
{
	double p[DF_WHATS * DF_ROWS], alpha[DF_WHATS * DF_ROWS];
	bool rejected[DF_WHATS * DF_ROWS];
	size_t n = 0;

	for (int m = 0; m < DF_WHATS; m++) {
		for (size_t k = 0; k < DF_ROWS; k++)
			p[n++] = s->metrics[m].compared
					 ? s->metrics[m].rows[k].p
					 : (double)NAN;
	}
	if (!na_holm(p, n, DF_LEVEL, alpha, rejected))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct df_row *row = &s->metrics[i / DF_ROWS].rows[i % DF_ROWS];

		row->alpha = alpha[i];
		row->rejected = rejected[i];
	}
	return true;
}

static void include(double ci[2], double x)
{
	if (ci[0] > x)
		ci[0] = x;
	if (ci[1] < x)
		ci[1] = x;
}

static bool holds(const double ci[2], double x)
{
	return ci[0] <= x && ci[1] >= x;
}

/* No change is inside of both where it is inside of one, where the stretches
 * do not tell the runs apart, and where the quantile may have landed on the
 * other side of a jump. */
static void intervals(struct df_row *row)
{
	row->ratio_ci[0] = row->ratio_ci[1] = NAN;
	row->shift_ci[0] = row->shift_ci[1] = NAN;
	row->b_ci[0] = row->b_ci[1] = NAN;
	if (row->has_span) {
		na_boot_interval(&row->span, row->alpha, row->ratio_ci);
		row->detectable = exp(fmax(row->ratio_ci[1] - row->span.at,
					   row->span.at - row->ratio_ci[0]));
		row->ratio_ci[0] = exp(row->ratio_ci[0]);
		row->ratio_ci[1] = exp(row->ratio_ci[1]);
	}
	if (row->has_shift)
		na_boot_interval(&row->shift_span, row->alpha, row->shift_ci);
	if (row->has_b)
		na_boot_interval(&row->b_span, row->alpha, row->b_ci);
	if (row->near || !throughout(row) || holds(row->ratio_ci, 1) ||
	    holds(row->shift_ci, 0)) {
		include(row->ratio_ci, 1);
		include(row->shift_ci, 0);
	}
}

/* Without a ratio, against the larger of both. */
static bool effect_of(const struct df_row *row, size_t at)
{
	double most = fmax(fabs(row->a), fabs(row->b));

	return row->by_ratio ? df_notable(at, row->ratio)
			     : df_notable(at, 1 + fabs(row->shift) / most);
}

static enum df_verdict judge_row(const struct df_row *row, size_t at,
				 enum df_better better)
{
	if (isnan(row->p))
		return DF_UNTOLD;
	if (!row->rejected || !effect_of(row, at) || holds(row->shift_ci, 0))
		return DF_SAME;
	if (better == DF_NEITHER)
		return DF_MIX;
	return (row->shift > 0) == (better == DF_LARGER) ? DF_BETTER : DF_WORSE;
}

static bool test(struct df_metric *m)
{
	/* Weighted values are sizes: how many there are tells more. */
	if (!m->s[DF_A].weight)
		na_two_samples(m->s[DF_A].x, m->s[DF_A].n, m->s[DF_B].x,
			       m->s[DF_B].n, &m->tests);
	return true;
}

bool df_judge(struct df_state *s)
{
	for (int i = 0; i < DF_WHATS; i++) {
		struct df_metric *m = &s->metrics[i];

		if (df_any(m) &&
		    (!df_compare(s, (enum df_what)i, m->s, m->rows) ||
		     !test(m)))
			return false;
	}
	if (!holm(s))
		return false;
	for (int i = 0; i < DF_WHATS; i++) {
		struct df_metric *m = &s->metrics[i];

		for (size_t k = 0; df_any(m) && k < DF_ROWS; k++) {
			intervals(&m->rows[k]);
			m->rows[k].verdict = judge_row(&m->rows[k], k,
						       df_kinds[i].better);
		}
	}
	return true;
}
