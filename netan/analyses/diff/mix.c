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

#include "netan/analyses/diff/diff.h"
#include "netan/base/vec.h"
#include "netan/stats/tests/size_line.h"

/* Exponent and two bits: 0, 1, then [1.75, 2), [2, 2.5) ... */
uint32_t df_size_bin(uint64_t bytes)
{
	unsigned high;

	if (bytes < 4)
		return (uint32_t)bytes;
	high = 63 - (unsigned)__builtin_clzll(bytes);
	return 4 * (high - 1) + (uint32_t)(bytes >> (high - 2) & 3);
}

double df_bin_bytes(uint32_t bin)
{
	if (bin < 4)
		return bin;
	/* The middle of [low, low + step). */
	return ldexp(4 + (double)(bin % 4) + 0.5, (int)(bin / 4) - 1);
}

struct strata {
	struct na_triples keys; /* path and bin, or bin */
	uint32_t *of;           /* by the state's strata */
	uint64_t *n[DF_RUNS];   /* of each key */
};

static void strata_end(struct strata *x)
{
	na_triples_fini(&x->keys);
	free(x->of);
	free(x->n[DF_A]);
	free(x->n[DF_B]);
}

static bool strata_begin(const struct df_state *s, struct strata *x, bool paths)
{
	const struct df_metric *m = &s->metrics[DF_LATENCY];

	x->of = na_calloc(s->got.strata.n + 1, sizeof(*x->of));
	for (int r = 0; r < DF_RUNS; r++)
		x->n[r] = na_calloc(s->got.strata.n + 1, sizeof(**x->n));
	if (!x->of || !x->n[DF_A] || !x->n[DF_B])
		return false;
	for (size_t i = 0; i < s->got.strata.n; i++) {
		const struct na_triple *k = &s->got.strata.keys[i];

		x->of[i] = na_triples_add(&x->keys,
					  (struct na_triple){paths ? k->a : 0,
							     k->c, 0});
		if (x->of[i] == NA_NO_TRIPLE)
			return false;
	}
	for (int r = 0; r < DF_RUNS; r++) {
		for (size_t i = 0; i < m->s[r].n; i++)
			x->n[r][x->of[m->s[r].x[i].kind]]++;
	}
	return true;
}

static bool shared(const struct strata *x, size_t i)
{
	return x->n[DF_A][i] >= DF_STRATUM && x->n[DF_B][i] >= DF_STRATUM;
}

/* Half the sum of the differences of shares: what would have to move. */
static double moved(const struct df_state *s, const struct strata *x)
{
	const struct df_metric *m = &s->metrics[DF_LATENCY];
	double sum = 0;

	for (size_t i = 0; i < x->keys.n; i++)
		sum += fabs((double)x->n[DF_A][i] / (double)m->s[DF_A].n -
			    (double)x->n[DF_B][i] / (double)m->s[DF_B].n);
	return sum / 2;
}

static bool covers(const struct df_state *s, const struct strata *x,
		   struct df_mix *mix)
{
	const struct df_metric *m = &s->metrics[DF_LATENCY];
	bool ok = true;

	mix->strata = mix->skipped = 0;
	for (int r = 0; r < DF_RUNS; r++)
		mix->left_out[r] = m->s[r].n;
	for (size_t i = 0; i < x->keys.n; i++) {
		if (!shared(x, i)) {
			mix->skipped++;
			continue;
		}
		mix->strata++;
		for (int r = 0; r < DF_RUNS; r++)
			mix->left_out[r] -= x->n[r][i];
	}
	for (int r = 0; r < DF_RUNS; r++)
		ok = ok && (double)mix->left_out[r] <=
				   (1 - DF_SHARED) * (double)m->s[r].n;
	return ok;
}

/* A change that holds at equal sizes and pairs is one, if it is beyond `least`,
 * too; else it is a mix. */
static void settle(struct df_row *row, size_t at, const struct df_row *equal,
		   enum df_better better, bool ratios_only, double least)
{
	double ci[2] = {NAN, NAN};

	if (!equal->has_span)
		return;
	na_boot_interval(&equal->span, row->alpha, ci);
	row->equal = true;
	row->equal_a = ratios_only ? (double)NAN : equal->a;
	row->equal_b = ratios_only ? (double)NAN : equal->b;
	row->equal_ratio = equal->ratio;
	row->equal_ci[0] = exp(ci[0]);
	row->equal_ci[1] = exp(ci[1]);
	if (row->verdict != DF_BETTER && row->verdict != DF_WORSE)
		return;
	if (!df_notable(at, equal->ratio) || equal->near ||
	    (ci[0] <= 0 && ci[1] >= 0) || fabs(log(equal->ratio)) < least)
		row->verdict = DF_MIX;
	else
		row->verdict = (equal->ratio > 1) == (better == DF_LARGER)
				       ? DF_BETTER
				       : DF_WORSE;
}

static bool compare_equal(struct df_state *s,
			  const struct df_sample sample[DF_RUNS],
			  bool ratios_only)
{
	struct df_row rows[DF_ROWS];

	if (!df_compare(s, DF_LATENCY, sample, rows))
		return false;
	for (size_t k = 0; k < DF_ROWS; k++)
		settle(&s->metrics[DF_LATENCY].rows[k], k, &rows[k], DF_SMALLER,
		       ratios_only, ratios_only ? log(DF_EFFECT_LINE) : 0);
	return true;
}

static bool by_weights(struct df_state *s, const struct strata *x)
{
	const struct df_metric *m = &s->metrics[DF_LATENCY];
	struct df_sample sample[DF_RUNS] = {m->s[DF_A], m->s[DF_B]};
	double left[DF_RUNS];
	bool ok = true;

	for (int r = 0; r < DF_RUNS; r++) {
		left[r] = (double)(m->s[r].n - s->mix.left_out[r]);
		sample[r].weight = na_calloc(s->got.strata.n + 1,
					     sizeof(double));
		ok = ok && sample[r].weight;
	}
	for (size_t i = 0; ok && i < s->got.strata.n; i++) {
		uint32_t k = x->of[i];

		if (!shared(x, k))
			continue;
		sample[DF_A].weight[i] = 1;
		sample[DF_B].weight[i] = (double)x->n[DF_A][k] / left[DF_A] *
					 left[DF_B] / (double)x->n[DF_B][k];
	}
	ok = ok && compare_equal(s, sample, false);
	free(sample[DF_A].weight);
	free(sample[DF_B].weight);
	return ok;
}

/* ---- by the size line */

/* Medians of a run's sizes, one for each power of two. */
static size_t classes_of(const struct df_sample *x, const struct df_state *s,
			 struct na_size_class c[NA_SIZE_CLASSES], double *tmp)
{
	uint64_t seen[NA_SIZE_CLASSES] = {0};
	double bytes[NA_SIZE_CLASSES] = {0};
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		uint32_t bin = s->got.strata.keys[x->x[i].kind].c;

		seen[bin / 4]++;
		bytes[bin / 4] += df_bin_bytes(bin);
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
static bool line_of(const struct df_state *s, struct na_size_line *line,
		    bool *ok)
{
	const struct df_metric *m = &s->metrics[DF_LATENCY];
	size_t most = m->s[DF_A].n > m->s[DF_B].n ? m->s[DF_A].n : m->s[DF_B].n;
	struct na_size_class c[NA_SIZE_CLASSES];
	double *tmp = na_calloc(most + 1, sizeof(*tmp));
	bool found = false;

	*ok = tmp;
	for (int r = 0; tmp && !found && r < DF_RUNS; r++)
		found = na_size_line(c, classes_of(&m->s[r], s, c, tmp), line);
	free(tmp);
	return found && line->fixed_us + line->us_per_byte > 0;
}

static bool by_line(struct df_state *s)
{
	const struct df_metric *m = &s->metrics[DF_LATENCY];
	struct df_sample sample[DF_RUNS] = {m->s[DF_A], m->s[DF_B]};
	struct na_size_line line;
	bool ok;

	if (!line_of(s, &line, &ok) || !ok)
		return ok;
	for (int r = 0; r < DF_RUNS; r++) {
		struct na_boot_item *x = na_calloc(m->s[r].n + 1, sizeof(*x));

		ok = ok && x;
		for (size_t i = 0; ok && i < m->s[r].n; i++) {
			double bytes = df_bin_bytes(
				s->got.strata.keys[m->s[r].x[i].kind].c);

			x[i] = m->s[r].x[i];
			x[i].value /=
				fmax(1e-6,
				     line.fixed_us + line.us_per_byte * bytes);
		}
		if (ok)
			qsort(x, m->s[r].n, sizeof(*x), na_boot_order);
		sample[r].x = x;
	}
	s->mix.by = ok ? DF_BY_LINE : DF_NO_STRATA;
	ok = ok && compare_equal(s, sample, true);
	free(sample[DF_A].x);
	free(sample[DF_B].x);
	return ok;
}

static bool changed(const struct df_metric *m)
{
	bool any = false;

	for (size_t k = 0; k < DF_ROWS; k++)
		any |= m->rows[k].verdict == DF_BETTER ||
		       m->rows[k].verdict == DF_WORSE;
	return any;
}

static bool look(struct df_state *s, bool paths, bool *done)
{
	struct strata x = {.of = NULL};
	bool ok = strata_begin(s, &x, paths);

	if (ok && paths) {
		s->mix.moved = moved(s, &x);
		*done = s->mix.moved < DF_MIX_SHIFT;
	}
	if (ok && !*done && covers(s, &x, &s->mix)) {
		*done = true;
		s->mix.by = paths ? DF_BY_PAIR : DF_BY_SIZE;
		ok = by_weights(s, &x);
	}
	strata_end(&x);
	return ok;
}

/* A rate at A's bytes per step: more of them in as much time is no better
 * network. */
static void judge_rates(struct df_state *s)
{
	struct df_metric *m = &s->metrics[DF_THROUGHPUT];

	for (size_t k = 0; m->compared && k < DF_ROWS; k++) {
		struct df_row *row = &m->rows[k];
		struct df_row equal = {
			.ratio = row->ratio / s->mix.demand,
			.span = row->span,
			.has_span = row->has_span &&
				    fabs(log(s->mix.demand)) > DF_MIX_SHIFT,
		};

		equal.span.at -= log(s->mix.demand);
		if (row->verdict > DF_SAME)
			settle(row, k, &equal, DF_LARGER, true, 0);
	}
}

bool df_judge_mix(struct df_state *s)
{
	struct df_metric *m = &s->metrics[DF_LATENCY];
	bool done = false;

	judge_rates(s);
	if (!m->compared || !changed(m))
		return true;
	return look(s, true, &done) && (done || look(s, false, &done)) &&
	       (done || by_line(s));
}
