/*
 * diff: a change of latencies that is one of what was transferred.  B is
 * weighted so that every stratum, a size bin on a path between two hosts,
 * counts as much as in A; where too little lies in strata that both have,
 * size bins alone; where sizes are others altogether, both are taken as
 * multiples of what the size line of A expects.  A change that is gone
 * then is a mix.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/diff/state.h"
#include "netan/base/order.h"
#include "netan/stats/tests/size_line.h"

/* Exponent and two bits: 0, 1, then [1.75, 2), [2, 2.5) ... */
uint32_t na_diff_size_bin(uint64_t bytes)
{
	unsigned high;

	if (bytes < 4)
		return (uint32_t)bytes;
	high = 63 - (unsigned)__builtin_clzll(bytes);
	return 4 * (high - 1) + (uint32_t)(bytes >> (high - 2) & 3);
}

double na_diff_bin_bytes(uint32_t bin)
{
	if (bin < 4)
		return bin;
	/* The middle of [low, low + step). */
	return ldexp(4 + (double)(bin % 4) + 0.5, (int)(bin / 4) - 1);
}

/* Transfers of a stratum. */
struct stratum {
	uint64_t n[DIFF_RUNS];
};

struct strata {
	struct na_triples keys; /* path and bin, or bin */
	NA_VEC(struct stratum) each;
	uint32_t *of; /* by the state's strata */
};

static void strata_end(struct strata *x)
{
	na_triples_fini(&x->keys);
	na_vec_free(&x->each);
	free(x->of);
}

static bool strata_begin(const struct diff_state *s, struct strata *x,
			 bool paths)
{
	x->of = na_calloc(s->got.strata.n + 1, sizeof(*x->of));
	for (size_t i = 0; x->of && i < s->got.strata.n; i++) {
		struct na_triple k = s->got.strata.keys[i];
		struct stratum *to;

		k = (struct na_triple){paths ? k.a : 0, k.c, 0};
		to = na_triples_at(&x->keys, &x->each, k);
		if (!to)
			return false;
		x->of[i] = (uint32_t)(to - x->each.v);
		for (int r = 0; r < DIFF_RUNS; r++)
			to->n[r] += s->in_stratum[i][r];
	}
	return x->of;
}

static bool shared(const struct stratum *x)
{
	return x->n[DIFF_A] >= DIFF_STRATUM && x->n[DIFF_B] >= DIFF_STRATUM;
}

/* Half the sum of the differences of shares: what would have to move. */
static double moved(const struct diff_state *s, const struct strata *x)
{
	const struct diff_metric *m = &s->metrics[DIFF_LATENCY];
	double sum = 0;

	for (size_t i = 0; i < x->each.n; i++) {
		const uint64_t *n = x->each.v[i].n;

		sum += fabs((double)n[DIFF_A] / (double)m->s[DIFF_A].n -
			    (double)n[DIFF_B] / (double)m->s[DIFF_B].n);
	}
	return sum / 2;
}

static bool covers(const struct diff_state *s, const struct strata *x,
		   struct diff_mix *mix)
{
	const struct diff_sample *of = s->metrics[DIFF_LATENCY].s;
	bool ok = true;

	mix->strata = 0;
	for (int r = 0; r < DIFF_RUNS; r++) {
		mix->left_out[r] = 0;
		for (size_t i = 0; i < x->each.n; i++) {
			if (!shared(&x->each.v[i]))
				mix->left_out[r] += x->each.v[i].n[r];
		}
		ok = ok && (double)mix->left_out[r] <=
				   (1 - DIFF_SHARED) * (double)of[r].n;
	}
	for (size_t i = 0; i < x->each.n; i++)
		mix->strata += shared(&x->each.v[i]);
	mix->skipped = x->each.n - mix->strata;
	return ok;
}

/* A change that holds at equal sizes and pairs is one, if it is beyond `least`,
 * too; else it is a mix. */
static void settle_row(struct diff_row *row, size_t at,
		       const struct diff_row *equal, enum diff_better better,
		       bool ratios_only, double least)
{
	const struct diff_span *span = &equal->of[DIFF_RATIO];
	double ci[2] = {NAN, NAN};

	if (!span->known)
		return;
	na_boot_interval(&span->span, row->alpha, ci);
	row->equal = true;
	row->equal_a = ratios_only ? (double)NAN : equal->a;
	row->equal_b = ratios_only ? (double)NAN : equal->b;
	row->equal_ratio = equal->ratio;
	row->equal_ci[0] = exp(ci[0]);
	row->equal_ci[1] = exp(ci[1]);
	if (row->verdict != DIFF_BETTER && row->verdict != DIFF_WORSE)
		return;
	if (!na_diff_notable(at, equal->ratio) || equal->near ||
	    (ci[0] <= 0 && ci[1] >= 0) || fabs(log(equal->ratio)) < least)
		row->verdict = DIFF_MIX;
	else
		row->verdict = (equal->ratio > 1) == (better == DIFF_LARGER)
				       ? DIFF_BETTER
				       : DIFF_WORSE;
}

static bool compare_equal(struct diff_state *s,
			  const struct diff_sample sample[DIFF_RUNS],
			  bool ratios_only)
{
	struct diff_row rows[DIFF_ROWS];

	if (!na_diff_compare(s, DIFF_LATENCY, sample, rows))
		return false;
	for (size_t k = 0; k < DIFF_ROWS; k++)
		settle_row(&s->metrics[DIFF_LATENCY].rows[k], k, &rows[k],
			   DIFF_SMALLER, ratios_only,
			   ratios_only ? log(DIFF_EFFECT_LINE) : 0);
	return true;
}

static bool by_weights(struct diff_state *s, const struct strata *x)
{
	const struct diff_metric *m = &s->metrics[DIFF_LATENCY];
	struct diff_sample sample[DIFF_RUNS] = {m->s[DIFF_A], m->s[DIFF_B]};
	double left[DIFF_RUNS];
	bool ok = true;

	for (int r = 0; r < DIFF_RUNS; r++) {
		left[r] = (double)(m->s[r].n - s->mix.left_out[r]);
		sample[r].weight = na_calloc(s->got.strata.n + 1,
					     sizeof(double));
		ok = ok && sample[r].weight;
	}
	for (size_t i = 0; ok && i < s->got.strata.n; i++) {
		const struct stratum *k = &x->each.v[x->of[i]];

		if (!shared(k))
			continue;
		sample[DIFF_A].weight[i] = 1;
		sample[DIFF_B].weight[i] = (double)k->n[DIFF_A] / left[DIFF_A] *
					   left[DIFF_B] / (double)k->n[DIFF_B];
	}
	ok = ok && compare_equal(s, sample, false);
	free(sample[DIFF_A].weight);
	free(sample[DIFF_B].weight);
	return ok;
}

/* ---- by the size line */

/* Medians of a run's sizes, one for each power of two. */
static size_t classes_of(const struct diff_sample *x,
			 const struct diff_state *s,
			 struct na_size_class c[NA_SIZE_CLASSES], double *tmp)
{
	uint64_t seen[NA_SIZE_CLASSES] = {0};
	double bytes[NA_SIZE_CLASSES] = {0};
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		uint32_t bin = s->got.strata.keys[x->x[i].kind].c;

		seen[bin / 4]++;
		bytes[bin / 4] += na_diff_bin_bytes(bin);
	}
	for (size_t k = 0; k < NA_SIZE_CLASSES; k++) {
		uint64_t at = 0;

		if (!seen[k])
			continue;
		/* Ascending: the middle one is the median. */
		for (size_t i = 0; i < x->n; i++) {
			if (s->got.strata.keys[x->x[i].kind].c / 4 == k)
				tmp[at++] = x->x[i].value;
		}
		c[n++] = (struct na_size_class){bytes[k] / (double)seen[k],
						tmp[(at - 1) / 2] * 1e-6, at};
	}
	return n;
}

/* Of A, or where its sizes are all alike, of B; never of both together: such
 * a line would take any change for one of sizes. */
static bool line_of(const struct diff_state *s, struct na_size_line *line,
		    bool *ok)
{
	const struct diff_metric *m = &s->metrics[DIFF_LATENCY];
	size_t most = m->s[DIFF_A].n > m->s[DIFF_B].n ? m->s[DIFF_A].n
						      : m->s[DIFF_B].n;
	struct na_size_class c[NA_SIZE_CLASSES];
	double *tmp = na_calloc(most + 1, sizeof(*tmp));
	bool found = false;

	*ok = tmp;
	for (int r = 0; tmp && !found && r < DIFF_RUNS; r++)
		found = na_size_line(c, classes_of(&m->s[r], s, c, tmp), line);
	free(tmp);
	return found && line->fixed_us + line->us_per_byte > 0;
}

static bool by_line(struct diff_state *s)
{
	const struct diff_metric *m = &s->metrics[DIFF_LATENCY];
	struct diff_sample sample[DIFF_RUNS] = {m->s[DIFF_A], m->s[DIFF_B]};
	struct na_size_line line;
	bool ok;

	if (!line_of(s, &line, &ok) || !ok)
		return ok;
	for (int r = 0; r < DIFF_RUNS; r++) {
		struct na_boot_item *x = na_calloc(m->s[r].n + 1, sizeof(*x));

		ok = ok && x;
		for (size_t i = 0; ok && i < m->s[r].n; i++) {
			double bytes = na_diff_bin_bytes(
				s->got.strata.keys[m->s[r].x[i].kind].c);

			x[i] = m->s[r].x[i];
			x[i].value /=
				fmax(1e-6,
				     line.fixed_us + line.us_per_byte * bytes);
		}
		if (ok)
			na_sort(x, m->s[r].n, na_boot_order);
		sample[r].x = x;
	}
	s->mix.by = ok ? DIFF_BY_LINE : DIFF_NO_STRATA;
	ok = ok && compare_equal(s, sample, true);
	free(sample[DIFF_A].x);
	free(sample[DIFF_B].x);
	return ok;
}

static bool look(struct diff_state *s, bool paths, bool *done)
{
	struct strata x = {.of = NULL};
	bool ok = strata_begin(s, &x, paths);

	if (ok && paths) {
		s->mix.moved = moved(s, &x);
		*done = s->mix.moved < DIFF_MIX_SHIFT;
	}
	if (ok && !*done && covers(s, &x, &s->mix)) {
		*done = true;
		s->mix.by = paths ? DIFF_BY_PAIR : DIFF_BY_SIZE;
		ok = by_weights(s, &x);
	}
	strata_end(&x);
	return ok;
}

/* A rate at A's bytes per step: more of them in as much time is no better
 * network. */
static void judge_rates(struct diff_state *s)
{
	struct diff_metric *m = &s->metrics[DIFF_THROUGHPUT];
	double demand = log(s->mix.demand);

	for (size_t k = 0; m->compared && k < DIFF_ROWS; k++) {
		struct diff_row *row = &m->rows[k];
		struct diff_row equal = {
			.ratio = row->ratio / s->mix.demand,
			.of[DIFF_RATIO] = row->of[DIFF_RATIO],
		};

		equal.of[DIFF_RATIO].span.at -= demand;
		equal.of[DIFF_RATIO].known &= fabs(demand) > DIFF_MIX_SHIFT;
		if (row->verdict > DIFF_SAME)
			settle_row(row, k, &equal, DIFF_LARGER, true, 0);
	}
}

static bool says(const struct diff_metric *m, enum diff_verdict v)
{
	bool any = false;

	for (size_t k = 0; k < DIFF_ROWS; k++)
		any |= m->rows[k].verdict == v;
	return any;
}

/* Whether transfers may take so much longer, or shorter, that half of the
 * rate's change comes of it: of programs that wait for each transfer a rate is
 * one over the mean latency. */
static bool may_explain(const struct diff_row *latency,
			const struct diff_row *rate, enum diff_verdict v)
{
	const struct diff_span *s = &latency->of[DIFF_RATIO];
	double half = 1 / sqrt(rate->ratio);

	if (!s->known || !isfinite(half))
		return true;
	return v == DIFF_WORSE ? s->ci[1] > half : s->ci[0] < half;
}

/* In bins of time, a rate holds the pauses of the programs as well: where
 * transfers are shown to take no longer, less was asked for; where that is not
 * shown, nobody knows which it was. */
static void doubt_rates(struct diff_state *s)
{
	const struct diff_metric *m = &s->metrics[DIFF_LATENCY];
	struct diff_metric *rates = &s->metrics[DIFF_THROUGHPUT];
	const struct diff_row *mean = &rates->rows[DIFF_MEAN];

	if (!isnan(s->mix.demand) ||
	    m->rows[DIFF_P50].verdict == DIFF_UNTOLD)
		return;
	for (size_t k = 0; k < DIFF_ROWS; k++) {
		enum diff_verdict *v = &rates->rows[k].verdict;

		if ((*v != DIFF_BETTER && *v != DIFF_WORSE) || says(m, *v))
			continue;
		*v = may_explain(&m->rows[DIFF_P50], mean, *v) ||
				     may_explain(&m->rows[DIFF_MEAN], mean, *v)
			     ? DIFF_UNCLEAR
			     : DIFF_MIX;
	}
}

bool na_diff_judge_mix(struct diff_state *s)
{
	const struct diff_metric *m = &s->metrics[DIFF_LATENCY];
	bool done = false, ok = true;

	judge_rates(s);
	if (m->compared && (says(m, DIFF_BETTER) || says(m, DIFF_WORSE)))
		ok = look(s, true, &done) && (done || look(s, false, &done)) &&
		     (done || by_line(s));
	doubt_rates(s);
	return ok;
}
