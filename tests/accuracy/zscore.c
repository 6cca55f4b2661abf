/* The single largest z of pair medians, to compare with. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/stats/tests/robust.h"
#include "tests/accuracy/score.h"

#define LARGEST 4
#define LEAST   0.02 /* of a spread, in logs */

enum { MIN_PAIRS = 2 };

/* Collective and power of two of the size: what is alike. */
static size_t kind_of(const struct fl_transfer *t)
{
	int size = (int)log2(fmax((double)t->size_bytes, 1));

	return (size_t)t->collective * 64 + (size_t)size;
}

/* The median of each kind, at its place in usual. */
static bool take_usual(const struct fl_fleet *f, const double *log_us,
		       double *usual, size_t n_kinds, double *x)
{
	size_t *first = na_calloc(n_kinds + 2, sizeof(*first));

	if (!first)
		return false;
	for (size_t i = 0; i < f->n_transfers; i++)
		first[kind_of(&f->transfers[i]) + 2]++;
	for (size_t k = 0; k < n_kinds; k++)
		first[k + 1] += first[k];
	for (size_t i = 0; i < f->n_transfers; i++)
		x[first[kind_of(&f->transfers[i]) + 1]++] = log_us[i];
	for (size_t k = 0; k < n_kinds; k++)
		usual[k] = na_median(x + first[k], first[k + 1] - first[k]);
	free(first);
	return true;
}

/* Mean of the side's pair medians; NaN where it has too few. */
static void take_sides(const struct fl_fleet *f, const double *median,
		       double *side)
{
	size_t H = f->n_hosts;

	for (size_t s = 0; s < 2 * H; s++) {
		double sum = 0;
		size_t n = 0;

		for (size_t p = 0; p < f->n_pairs; p++) {
			if ((s < H ? f->pairs[p].src : H + f->pairs[p].dst) !=
			    s)
				continue;
			sum += median[p];
			n++;
		}
		side[s] = n < MIN_PAIRS ? (double)NAN : sum / (double)n;
	}
}

static struct na_place largest(const struct fl_fleet *f, const double *side,
				double *x)
{
	struct na_place who = {NA_JUDGE_PAIR, 0, 0};
	double centre, spread, most = LARGEST;
	size_t n = 0, H = f->n_hosts;

	for (size_t s = 0; s < 2 * H; s++) {
		if (!isnan(side[s]))
			x[n++] = side[s];
	}
	if (!n)
		return who;
	centre = na_median(x, n);
	spread = fmax(NA_MAD_SIGMA * na_mad(x, n, centre), LEAST);
	for (size_t s = 0; s < 2 * H; s++) {
		if (!(side[s] - centre > most * spread))
			continue;
		most = (side[s] - centre) / spread;
		who.cause = s < H ? NA_JUDGE_SRC : NA_JUDGE_DST;
		who.a = (uint32_t)(s % H);
	}
	return who;
}

bool fl_largest_z(const struct fl_fleet *f, struct na_place *out)
{
	size_t n = f->n_transfers, kinds = (size_t)f->n_collectives * 64;
	double *log_us = na_calloc(n, sizeof(*log_us));
	double *x = na_calloc(n + 2 * f->n_hosts, sizeof(*x));
	double *usual = na_calloc(kinds, sizeof(*usual));
	double *median = na_calloc(f->n_pairs, sizeof(*median));
	double *side = na_calloc(2 * (size_t)f->n_hosts, sizeof(*side));
	bool ok = log_us && x && usual && median && side;

	for (size_t i = 0; ok && i < n; i++)
		log_us[i] = log(fmax(f->transfers[i].latency_us, 0.5));
	ok = ok && take_usual(f, log_us, usual, kinds, x);
	for (size_t p = 0; ok && p < f->n_pairs; p++) {
		const struct fl_pair *pair = &f->pairs[p];

		for (size_t i = 0; i < pair->n; i++) {
			size_t at = pair->first + i;

			x[i] = log_us[at] -
			       usual[kind_of(&f->transfers[at])];
		}
		median[p] = na_median(x, pair->n);
	}
	if (ok) {
		take_sides(f, median, side);
		*out = largest(f, side, x);
	}
	free(log_us);
	free(x);
	free(usual);
	free(median);
	free(side);
	return ok;
}
