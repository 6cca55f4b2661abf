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

#include "netan/analyses/diff/state.h"

enum { JOBS = 20 }; /* shares of the resamples; whatever the threads */

struct resampling {
	struct na_boot boot[DIFF_RUNS];
	double *drawn[DIFF_RUNS]; /* [DIFF_RESAMPLES][DIFF_ROWS] */
	uint64_t stream;
};

static void draw_some(void *arg, size_t job)
{
	struct resampling *x = arg;

	for (size_t t = job; t < DIFF_RESAMPLES; t += JOBS) {
		for (unsigned r = 0; r < DIFF_RUNS; r++)
			na_boot_draw(&x->boot[r], DIFF_SEED, x->stream + r, t,
				     na_diff_p, DIFF_QUANTILES,
				     x->drawn[r] + t * DIFF_ROWS);
	}
}

bool na_diff_notable(size_t row, double ratio)
{
	double limit = row < DIFF_QUANTILES && na_diff_p[row] > 0.9
			       ? DIFF_EFFECT_TOP
			       : DIFF_EFFECT;

	return fabs(log(ratio)) > log(limit);
}

/* A quantile that few values lie beyond is their maximum, or close. */
static bool enough(const struct diff_sample *s, size_t row)
{
	double p = row < DIFF_QUANTILES ? na_diff_p[row] : 0.5;
	double least = row < DIFF_QUANTILES ? DIFF_LEAST : NA_BOOT_LEAST / 2.0;

	return (double)s->count * fmin(p, 1 - p) >= least;
}

/* Stretches that hold a value at or beyond the quantile. */
static int stretches_beyond(const struct na_boot *b, double p)
{
	double at = na_boot_quantile(b, p);
	unsigned held = 0;

	if (b->by_events)
		return DIFF_STRETCHES;
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
	return row == DIFF_QUANTILES ||
	       stretches_beyond(&x->boot[DIFF_A], na_diff_p[row]) >=
		       DIFF_BEYOND ||
	       stretches_beyond(&x->boot[DIFF_B], na_diff_p[row]) >=
		       DIFF_BEYOND;
}

static size_t fewer_units(const struct resampling *x)
{
	size_t n = 0;

	for (int r = 0; r < DIFF_RUNS; r++) {
		size_t k = x->boot[r].used_units;

		if (!x->boot[r].by_events && (!n || k < n))
			n = k;
	}
	return n;
}

static double change(enum diff_of of, double a, double b)
{
	if (of == DIFF_ALONE)
		return b;
	if (of == DIFF_SHIFT)
		return b - a;
	return a > 0 && b > 0 ? log(b / a) : (double)NAN;
}

/* Of a run's resamples, or their logarithms. */
static double variance(const struct resampling *x, int run, size_t at,
		       bool logs)
{
	double n = 0, mean = 0, squares = 0;

	for (size_t t = 0; t < DIFF_RESAMPLES; t++) {
		double v = x->drawn[run][t * DIFF_ROWS + at];

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
static double freedom(const struct resampling *x, size_t at, enum diff_of of)
{
	double sum = 0, shares = 0;

	for (int r = of == DIFF_ALONE ? DIFF_B : DIFF_A; r < DIFF_RUNS; r++) {
		double v = variance(x, r, at, of == DIFF_RATIO);

		sum += v;
		if (!x->boot[r].by_events)
			shares += v * v / (double)(x->boot[r].used_units - 1);
	}
	return shares > 0 ? sum * sum / shares : 0;
}

static void fill_span(const struct resampling *x, struct diff_row *row,
		      size_t at, enum diff_of of, double scale, double *tmp)
{
	const struct na_boot *b = &x->boot[DIFF_B];
	size_t alone = b->by_events ? 0 : b->used_units;

	for (size_t t = 0; t < DIFF_RESAMPLES; t++)
		tmp[t] = change(of,
				x->drawn[DIFF_A][t * DIFF_ROWS + at] * scale,
				x->drawn[DIFF_B][t * DIFF_ROWS + at] * scale);
	row->of[of].known =
		na_boot_span(&row->of[of].span, change(of, row->a, row->b), tmp,
			     DIFF_RESAMPLES,
			     of == DIFF_ALONE ? alone : fewer_units(x),
			     freedom(x, at, of));
}

static double observed(const struct na_boot *b, size_t row, double scale)
{
	return (row < DIFF_QUANTILES ? na_boot_quantile(b, na_diff_p[row])
				     : b->mean) *
	       scale;
}

static bool within(const struct na_boot *b, double p, double value)
{
	double near = fmin(DIFF_NEAR, fmin(p, 1 - p) / 5);

	return value >= na_boot_quantile(b, p - near) &&
	       value <= na_boot_quantile(b, p + near);
}

/* Unscaled. */
static bool is_near(const struct resampling *x, size_t at)
{
	double a, b;

	if (at == DIFF_QUANTILES)
		return false;
	a = na_boot_quantile(&x->boot[DIFF_A], na_diff_p[at]);
	b = na_boot_quantile(&x->boot[DIFF_B], na_diff_p[at]);
	return within(&x->boot[DIFF_A], na_diff_p[at], b) ||
	       within(&x->boot[DIFF_B], na_diff_p[at], a);
}

/* Not by a few stretches alone; nothing is known of that by events. */
static bool throughout(const struct diff_row *row)
{
	return isnan(row->apart) ||
	       (row->shift > 0 ? row->apart : 1 - row->apart) >= DIFF_APART;
}

/* By what lies beyond the middle between both quantiles; unscaled. */
static double apart(const struct resampling *x, size_t at)
{
	const struct na_boot *a = &x->boot[DIFF_A], *b = &x->boot[DIFF_B];
	double middle = NAN;

	if (at < DIFF_QUANTILES)
		middle = (na_boot_quantile(a, na_diff_p[at]) +
			  na_boot_quantile(b, na_diff_p[at])) /
			 2;
	return na_boot_apart(a, b, middle);
}

static void fill_row(const struct resampling *x, struct diff_row *row,
		     size_t at, double scale, bool judged, double *tmp)
{
	*row = (struct diff_row){
		.a = observed(&x->boot[DIFF_A], at, scale),
		.b = observed(&x->boot[DIFF_B], at, scale),
		.p = NAN,
		.alpha = NAN,
	};
	row->shift = row->b - row->a;
	row->ratio = row->a > 0 && row->b > 0 ? row->b / row->a : (double)NAN;
	for (enum diff_of of = 0; of < DIFF_SPANS; of++)
		fill_span(x, row, at, of, scale, tmp);
	row->near = is_near(x, at);
	row->apart = apart(x, at);
	if (!judged || !spread(x, at))
		return;
	if (row->of[DIFF_RATIO].known)
		row->p = na_boot_p(&row->of[DIFF_RATIO].span, 0);
	else if (row->of[DIFF_SHIFT].known)
		row->p = na_boot_p(&row->of[DIFF_SHIFT].span, 0);
	if (!isnan(row->p) && !throughout(row))
		row->p = fmax(row->p, DIFF_LEVEL);
}

bool na_diff_compare(const struct diff_state *s, enum diff_what what,
		     const struct diff_sample sample[DIFF_RUNS],
		     struct diff_row rows[DIFF_ROWS])
{
	struct resampling x = {.stream = (uint64_t)what * DIFF_RUNS};
	double *tmp = na_calloc(DIFF_RESAMPLES, sizeof(*tmp));
	bool ok = tmp;

	for (int r = 0; r < DIFF_RUNS; r++) {
		x.boot[r] = (struct na_boot){
			.x = sample[r].x,
			.n = sample[r].n,
			.weight = sample[r].weight,
			.n_units = sample[r].by_events ? 0 : sample[r].n_units,
		};
		x.drawn[r] = na_calloc(DIFF_RESAMPLES * DIFF_ROWS,
				       sizeof(**x.drawn));
		ok = na_boot_begin(&x.boot[r]) && ok && x.drawn[r];
	}
	ok = ok && na_side_by_side(s->scope, JOBS, draw_some, &x);
	for (size_t k = 0; ok && k < DIFF_ROWS; k++) {
		fill_row(&x, &rows[k], k, na_diff_kinds[what].scale,
			 enough(&sample[DIFF_A], k) &&
				 enough(&sample[DIFF_B], k),
			 tmp);
	}
	for (int r = 0; r < DIFF_RUNS; r++) {
		na_boot_end(&x.boot[r]);
		free(x.drawn[r]);
	}
	free(tmp);
	return ok;
}

/* ---- all rows together */

static bool holm(struct diff_state *s)
{
	double p[DIFF_WHATS * DIFF_ROWS], alpha[DIFF_WHATS * DIFF_ROWS];
	bool rejected[DIFF_WHATS * DIFF_ROWS];
	size_t n = 0;

	for (int m = 0; m < DIFF_WHATS; m++) {
		for (size_t k = 0; k < DIFF_ROWS; k++)
			p[n++] = s->metrics[m].compared
					 ? s->metrics[m].rows[k].p
					 : (double)NAN;
	}
	if (!na_holm(p, n, DIFF_LEVEL, alpha, rejected))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct diff_row *row =
			&s->metrics[i / DIFF_ROWS].rows[i % DIFF_ROWS];

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
static void intervals(struct diff_row *row)
{
	double *ratio = row->of[DIFF_RATIO].ci, *shift = row->of[DIFF_SHIFT].ci;
	double at = row->of[DIFF_RATIO].span.at;

	for (enum diff_of of = 0; of < DIFF_SPANS; of++) {
		struct diff_span *x = &row->of[of];

		x->ci[0] = x->ci[1] = NAN;
		if (x->known)
			na_boot_interval(&x->span, row->alpha, x->ci);
	}
	row->detectable = exp(fmax(ratio[1] - at, at - ratio[0]));
	ratio[0] = exp(ratio[0]);
	ratio[1] = exp(ratio[1]);
	if (row->near || !throughout(row) || holds(ratio, 1) ||
	    holds(shift, 0)) {
		include(ratio, 1);
		include(shift, 0);
	}
}

/* Without a ratio, against the larger of both. */
static bool effect_of(const struct diff_row *row, size_t at)
{
	double most = fmax(fabs(row->a), fabs(row->b));

	return na_diff_notable(at, row->of[DIFF_RATIO].known
					   ? row->ratio
					   : 1 + fabs(row->shift) / most);
}

/* The interval leaves no room for an effect: equivalence, where a test that
 * does not reject shows none (Schuirmann, 1987). */
static bool alike(const struct diff_row *row, size_t at)
{
	const double *ratio = row->of[DIFF_RATIO].ci;
	const double *shift = row->of[DIFF_SHIFT].ci;
	double most = fmax(fabs(row->a), fabs(row->b));

	if (row->of[DIFF_RATIO].known)
		return isfinite(ratio[0]) && isfinite(ratio[1]) &&
		       !na_diff_notable(at, ratio[0]) &&
		       !na_diff_notable(at, ratio[1]);
	if (!isfinite(shift[0]) || !isfinite(shift[1]))
		return false;
	return most > 0
		       ? !na_diff_notable(at, 1 + fabs(shift[0]) / most) &&
				 !na_diff_notable(at, 1 + fabs(shift[1]) / most)
		       : shift[0] == 0 && shift[1] == 0;
}

/* Where values are of two kinds, a quantile lands on either. */
static bool says_nothing(const struct diff_row *row)
{
	return row->of[DIFF_RATIO].known && !na_diff_telling(row);
}

static enum diff_verdict judge_row(const struct diff_row *row, size_t at,
				   enum diff_better better)
{
	if (row->equal_values)
		return DIFF_SAME;
	if (isnan(row->p))
		return DIFF_UNTOLD;
	if (!row->rejected || !effect_of(row, at) ||
	    holds(row->of[DIFF_SHIFT].ci, 0) || says_nothing(row))
		return alike(row, at) ? DIFF_SAME : DIFF_UNCLEAR;
	if (better == DIFF_NEITHER)
		return DIFF_MIX;
	return (row->shift > 0) == (better == DIFF_LARGER) ? DIFF_BETTER
							   : DIFF_WORSE;
}

/* Weighted values are sizes: how many there are tells more. */
static void test_metric(struct diff_metric *m)
{
	const struct diff_sample *a = &m->s[DIFF_A], *b = &m->s[DIFF_B];

	if (!a->weight)
		na_two_samples(a->x, a->n, b->x, b->n, &m->tests);
}

static double weight_of(const struct diff_sample *s, size_t i)
{
	return s->weight ? s->weight[s->x[i].kind] : 1;
}

/* Runs of one value: how often each is there. */
static double weight_at(const struct diff_sample *s, size_t *i)
{
	double value = s->x[*i].value, sum = 0;

	for (; *i < s->n && s->x[*i].value == value; ++*i)
		sum += weight_of(s, *i);
	return sum;
}

/* A run against itself: no sample is needed to tell that. */
static bool equal_values(const struct diff_sample *a,
			 const struct diff_sample *b)
{
	size_t i = 0, j = 0;

	if (a->count != b->count)
		return false;
	while (i < a->n && j < b->n) {
		if (a->x[i].value != b->x[j].value ||
		    weight_at(a, &i) != weight_at(b, &j))
			return false;
	}
	return i == a->n && j == b->n;
}

bool na_diff_unchanged(const struct diff_state *s)
{
	for (int m = 0; m < DIFF_WHATS; m++) {
		if (na_diff_any(&s->metrics[m]) &&
		    !s->metrics[m].rows[DIFF_P50].equal_values)
			return false;
	}
	return true;
}

bool na_diff_judge(struct diff_state *s)
{
	for (int i = 0; i < DIFF_WHATS; i++) {
		struct diff_metric *m = &s->metrics[i];

		if (!na_diff_any(m))
			continue;
		if (!na_diff_compare(s, (enum diff_what)i, m->s, m->rows))
			return false;
		test_metric(m);
	}
	if (!holm(s))
		return false;
	for (int i = 0; i < DIFF_WHATS; i++) {
		struct diff_metric *m = &s->metrics[i];
		bool equal = m->compared &&
			     equal_values(&m->s[DIFF_A], &m->s[DIFF_B]);

		for (size_t k = 0; na_diff_any(m) && k < DIFF_ROWS; k++) {
			intervals(&m->rows[k]);
			m->rows[k].equal_values = equal;
			m->rows[k].verdict = judge_row(&m->rows[k], k,
						       na_diff_kinds[i].better);
		}
	}
	return true;
}
