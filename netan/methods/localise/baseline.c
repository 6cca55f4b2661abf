/*
 * What a healthy transfer of this size, class and collective takes
 * (docs/methods.md, "Baseline").
 *
 * A record weighs min(1, 50 / n_pair) in the method.  Here at most 50 of
 * each pair (fewer when pairs are very many) make a sample in which all
 * weigh the same: those whose content has the smallest hash, so that the
 * order of the input does not matter and no schedule keeps step with it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"
#include "netan/stats/tests/robust.h"

#define SMALL_B    8192.0
#define LARGE_B    131072.0
#define LEAST_US_B 1e-12

enum {
	PER_PAIR = 50,
	SAMPLE_MAX = 1 << 19,
	FEW = 20,
	LINE_SHRINK = 15,
	CONTEXT_SHRINK = 30,
	PER_KNOT = 60,
	COLLECTIVES_MAX = 1 << 22
};

struct drawing {
	struct lz *z;
	size_t most;   /* of each pair */
	size_t *first; /* slot of each pair's sample */
	uint32_t *got;
};

struct ticket {
	uint64_t hash;
	size_t at;
};

/* Finaliser of splitmix64 over the fields (Steele et al., OOPSLA 2014). */
static uint64_t hash_of(const struct na_lz_transfer *t)
{
	uint64_t h, latency;
	uint32_t bytes;

	memcpy(&latency, &t->latency_us, sizeof(latency));
	memcpy(&bytes, &t->size_bytes, sizeof(bytes));
	h = latency ^ ((uint64_t)t->tick << 32 | bytes) * 0x9e3779b97f4a7c15u;
	h ^= (uint64_t)t->moment << 17;
	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 27) * 0x94d049bb133111ebu;
	return h ^ h >> 31;
}

static uint32_t cell_of(const struct lz *z, const struct na_lz_transfer *t)
{
	uint32_t c;

	if (t->moment >= z->in->n_moments)
		return NA_LZ_NONE;
	c = z->in->moments[t->moment].collective;
	if (c >= COLLECTIVES_MAX)
		return NA_LZ_NONE;
	return 2 * c + (t->size_bytes >= (float)LZ_CELL_B);
}

/* Keeps the `most` smallest hashes, ascending. */
static size_t draw(const struct na_lz_transfer *t, size_t n, size_t most,
		   struct ticket *kept)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t h = hash_of(&t[i]);
		size_t k = m;

		if (!(t[i].latency_us > 0) ||
		    (m == most && h >= kept[m - 1].hash))
			continue;
		if (m < most)
			m++;
		else
			k--;
		for (; k && kept[k - 1].hash > h; k--)
			kept[k] = kept[k - 1];
		kept[k] = (struct ticket){h, i};
	}
	return m;
}

static void draw_share(void *arg, size_t share)
{
	struct drawing *d = arg;
	const struct na_lz_input *in = d->z->in;
	struct ticket kept[PER_PAIR];
	size_t from, to;

	na_lz_share(in->n_pairs, share, &from, &to);
	for (size_t p = from; p < to; p++) {
		const struct na_lz_transfer *t = in->transfers +
						 in->pairs[p].first;
		size_t m = draw(t, in->pairs[p].n, d->most, kept);

		d->got[p] = (uint32_t)m;
		for (size_t i = 0; i < m; i++) {
			const struct na_lz_transfer *one = &t[kept[i].at];

			d->z->base.sample[d->first[p] + i] =
				(struct lz_sample){.at = in->pairs[p].first +
							 kept[i].at,
						   .bytes = one->size_bytes,
						   .pair = (uint32_t)p,
						   .cell = cell_of(d->z, one)};
		}
	}
}

/* Pairs may have drawn fewer than there was room for. */
static void close_up(struct drawing *d)
{
	struct lz_baseline *b = &d->z->base;

	for (size_t p = 0; p < d->z->in->n_pairs; p++) {
		memmove(b->sample + b->n_sample, b->sample + d->first[p],
			d->got[p] * sizeof(*b->sample));
		b->n_sample += d->got[p];
	}
}

enum na_status na_lz_baseline_sample(struct lz *z, struct na_err *err)
{
	size_t n = z->in->n_pairs, room = 0;
	struct drawing d = {.z = z, .most = PER_PAIR};
	struct lz_memory m = {.failed = false};
	enum na_status s = NA_OK;

	if (n > SAMPLE_MAX / PER_PAIR)
		d.most = n < SAMPLE_MAX ? SAMPLE_MAX / n : 1;
	d.first = na_lz_take(&m, n, sizeof(*d.first));
	d.got = na_lz_take(&m, n, sizeof(*d.got));
	for (size_t p = 0; d.first && p < n; p++) {
		size_t has = z->in->pairs[p].n;

		d.first[p] = room;
		room += has < d.most ? has : d.most;
	}
	z->base.sample = na_calloc(room, sizeof(*z->base.sample));
	z->base.lines = na_lz_take(&z->memory, z->n_classes,
				   sizeof(*z->base.lines));
	if (m.failed || z->memory.failed || !z->base.sample)
		s = na_fail_nomem(err);
	else
		s = na_lz_shares(z, draw_share, &d, err);
	if (s == NA_OK)
		close_up(&d);
	na_arena_fini(&m.arena);
	return s;
}

static double sample_us(const struct lz *z, const struct lz_sample *s)
{
	return lz_latency(z, s->pair, &z->in->transfers[s->at]);
}

/* Records of the sample by number, and room for their values. */
struct batch {
	const struct lz *z;
	const uint32_t *of;
	size_t n;
	double *x;
};

static const struct lz_sample *nth(const struct batch *b, size_t i)
{
	return &b->z->base.sample[b->of[i]];
}

static double size_quantile(const struct batch *b, double p)
{
	for (size_t i = 0; i < b->n; i++)
		b->x[i] = (double)nth(b, i)->bytes;
	return na_quantile(b->x, b->n, p);
}

/* Sizes up to (from) this one make the fixed cost (the rate). */
static double size_limit(const struct batch *b, bool small)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		double size = (double)nth(b, i)->bytes;

		n += small ? size <= SMALL_B : size >= LARGE_B;
	}
	if (n >= FEW)
		return small ? SMALL_B : LARGE_B;
	return size_quantile(b, small ? 0.3 : 0.7);
}

static double fixed_cost(const struct batch *b, size_t *n)
{
	double limit = size_limit(b, true);

	*n = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct lz_sample *s = nth(b, i);

		if ((double)s->bytes <= limit)
			b->x[(*n)++] = sample_us(b->z, s);
	}
	return lz_larger(na_median(b->x, *n), 0.5);
}

static double cost_of_byte(const struct batch *b, double a, size_t *n)
{
	double limit = size_limit(b, false);

	*n = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct lz_sample *s = nth(b, i);
		double over = sample_us(b->z, s) - a;

		if ((double)s->bytes >= limit && s->bytes > 0)
			b->x[(*n)++] = lz_larger(over, 0) / (double)s->bytes;
	}
	return lz_larger(na_median(b->x, *n), LEAST_US_B);
}

/* A class with few records leans on the line of all. */
static void fit_line(const struct batch *b, const struct lz_line *pooled,
		     struct lz_line *out)
{
	size_t na, nb;
	double a = fixed_cost(b, &na), c = cost_of_byte(b, a, &nb);
	double wa = (double)na, wb = (double)nb;

	*out = (struct lz_line){a, c};
	if (!pooled)
		return;
	wa /= wa + LINE_SHRINK;
	wb /= wb + LINE_SHRINK;
	out->a_us = exp(wa * log(a) + (1 - wa) * log(pooled->a_us));
	out->b_us = exp(wb * log(c) + (1 - wb) * log(pooled->b_us));
}

static void fit_lines(struct lz *z, uint32_t *order, size_t *first, double *x)
{
	struct lz_baseline *b = &z->base;
	struct batch all = {z, order, b->n_sample, x};
	struct lz_line pooled;

	for (size_t i = 0; i < b->n_sample; i++)
		first[lz_class_of(z, b->sample[i].pair) + 2]++;
	for (size_t c = 0; c < z->n_classes; c++)
		first[c + 1] += first[c];
	for (size_t i = 0; i < b->n_sample; i++)
		order[first[lz_class_of(z, b->sample[i].pair) + 1]++] =
			(uint32_t)i;
	fit_line(&all, NULL, &pooled);
	for (size_t c = 0; c < z->n_classes; c++) {
		struct batch one = {z, order + first[c],
				    first[c + 1] - first[c], x};

		if (z->n_classes == 1 || one.n == 0)
			b->lines[c] = pooled;
		else
			fit_line(&one, &pooled, &b->lines[c]);
	}
	z->out->base_us = pooled.a_us;
	z->out->us_per_byte = pooled.b_us;
}

static double log2_size(float bytes)
{
	return log2(lz_larger((double)bytes, 1));
}

static double line_log(const struct lz_line *l, float bytes)
{
	return log(lz_larger(l->a_us + l->b_us * (double)bytes, 1));
}

struct sized {
	float bytes;
	double over; /* log latency over the line */
};

NA_ORDER(by_size, struct sized, NA_UP(bytes))

/* Equal counts, but one size is never cut in two. */
static size_t knot_end(const struct sized *s, size_t n, size_t from,
		       size_t each)
{
	size_t to = n - from < each ? n : from + each;

	while (to < n && s[to].bytes <= s[to - 1].bytes)
		to++;
	return n - to < PER_KNOT ? n : to;
}

static void fit_knots(struct lz_baseline *b, struct sized *s, double *x)
{
	size_t n = b->n_sample, each = n / LZ_KNOTS + 1;

	na_sort(s, n, by_size);
	if (each < PER_KNOT)
		each = PER_KNOT;
	b->n_knots = 0;
	for (size_t from = 0, to; from < n; from = to) {
		to = knot_end(s, n, from, each);
		for (size_t i = from; i < to; i++)
			x[i - from] = s[i].over;
		b->knot_x[b->n_knots] = log2_size(s[(from + to - 1) / 2].bytes);
		b->knot_y[b->n_knots++] = na_median(x, to - from);
	}
}

/* Linear between knots, flat outside. */
static double correction(const struct lz_baseline *b, float bytes)
{
	double at = log2_size(bytes), gap;
	size_t k = 0;

	if (!b->n_knots)
		return 0;
	while (k < b->n_knots && b->knot_x[k] < at)
		k++;
	if (k == 0)
		return b->knot_y[0];
	if (k == b->n_knots)
		return b->knot_y[k - 1];
	gap = b->knot_x[k] - b->knot_x[k - 1];
	if (!(gap > 0))
		return b->knot_y[k];
	at = (at - b->knot_x[k - 1]) / gap;
	return b->knot_y[k - 1] + at * (b->knot_y[k] - b->knot_y[k - 1]);
}

double na_lz_expect_log(const struct lz *z, uint32_t class_of, float bytes)
{
	return line_log(&z->base.lines[class_of], bytes) +
	       correction(&z->base, bytes);
}

/* What a collective does to everybody: the median of each cell, shrunk. */
static bool fit_context(struct lz *z, uint32_t *order, double *x)
{
	struct lz_baseline *b = &z->base;
	size_t *first, n_cells = 0;

	for (size_t i = 0; i < b->n_sample; i++) {
		if (b->sample[i].cell != NA_LZ_NONE &&
		    b->sample[i].cell >= n_cells)
			n_cells = b->sample[i].cell + 1;
	}
	free(b->context);
	b->context = na_calloc(n_cells, sizeof(*b->context));
	first = na_calloc(n_cells + 2, sizeof(*first));
	b->n_cells = b->context && first ? n_cells : 0;
	for (size_t i = 0; b->n_cells && i < b->n_sample; i++) {
		if (b->sample[i].cell != NA_LZ_NONE)
			first[b->sample[i].cell + 2]++;
	}
	for (size_t c = 0; c < b->n_cells; c++)
		first[c + 1] += first[c];
	for (size_t i = 0; b->n_cells && i < b->n_sample; i++) {
		if (b->sample[i].cell != NA_LZ_NONE)
			order[first[b->sample[i].cell + 1]++] = (uint32_t)i;
	}
	for (size_t c = 0; c < b->n_cells; c++) {
		size_t n = first[c + 1] - first[c];

		for (size_t i = 0; i < n; i++)
			x[i] = b->sample[order[first[c] + i]].r;
		b->context[c] = (float)(na_median(x, n) * (double)n /
					(double)(n + CONTEXT_SHRINK));
	}
	free(first);
	return b->context != NULL;
}

static bool fit(struct lz *z, uint32_t *order, size_t *first, double *x,
		struct sized *s)
{
	struct lz_baseline *b = &z->base;

	fit_lines(z, order, first, x);
	for (size_t i = 0; i < b->n_sample; i++) {
		struct lz_sample *one = &b->sample[i];
		uint32_t c = lz_class_of(z, one->pair);

		one->r = log(sample_us(z, one)) -
			 line_log(&b->lines[c], one->bytes);
		s[i] = (struct sized){one->bytes, one->r};
	}
	fit_knots(b, s, x);
	for (size_t i = 0; i < b->n_sample; i++)
		b->sample[i].r -= correction(b, b->sample[i].bytes);
	return !lz_on(z, NA_LZ_PART_CONTEXT) || fit_context(z, order, x);
}

enum na_status na_lz_baseline_fit(struct lz *z, struct na_err *err)
{
	size_t n = z->base.n_sample;
	struct lz_memory m = {.failed = false};
	uint32_t *order = na_lz_take(&m, n, sizeof(*order));
	size_t *first = na_lz_take(&m, z->n_classes + 2, sizeof(*first));
	double *x = na_lz_take(&m, n, sizeof(*x));
	struct sized *s = na_lz_take(&m, n, sizeof(*s));
	bool ok = !m.failed && fit(z, order, first, x, s);

	na_arena_fini(&m.arena);
	return ok ? NA_OK : na_fail_nomem(err);
}

/* Sizes repeat: a few expectations are kept at hand. */
struct memo {
	uint32_t class_of[256];
	float bytes[256];
	double expect[256];
};

static double remember(const struct lz *z, struct memo *m, uint32_t class_of,
		       float bytes)
{
	uint32_t u, k;

	memcpy(&u, &bytes, sizeof(u));
	k = (u * UINT32_C(0x9e3779b1)) >> 24;
	if (m->class_of[k] != class_of || m->bytes[k] < bytes ||
	    m->bytes[k] > bytes) {
		m->class_of[k] = class_of;
		m->bytes[k] = bytes;
		m->expect[k] = na_lz_expect_log(z, class_of, bytes);
	}
	return m->expect[k];
}

static void residual_share(void *arg, size_t share)
{
	const struct lz *z = arg;
	const struct na_lz_input *in = z->in;
	struct memo memo;
	size_t from, to;

	memset(&memo, 0xff, sizeof(memo.class_of));
	na_lz_share(in->n_pairs, share, &from, &to);
	for (size_t p = from; p < to; p++) {
		struct na_lz_transfer *t = in->transfers + in->pairs[p].first;

		for (size_t i = 0; i < in->pairs[p].n; i++) {
			size_t at = in->pairs[p].first + i;
			double r = log(lz_latency(z, p, &t[i]));
			uint32_t cell = cell_of(z, &t[i]);
			float *out = z->shared ? &z->shared[at]
					       : &t[i].residual;

			r -= remember(z, &memo, lz_class_of(z, p),
				      z->shared ? *out : t[i].size_bytes);
			if (cell < z->base.n_cells)
				r -= (double)z->base.context[cell];
			if (!(t[i].latency_us > 0) && r > 0)
				r = 0;
			*out = (float)r;
		}
	}
}

enum na_status na_lz_residuals(struct lz *z, struct na_err *err)
{
	return na_lz_shares(z, residual_share, z, err);
}

#define FASTEST  0.05
#define EXPLAINS 0.97 /* of the spread without, or it explains nothing */

/* Cost of a byte on a port that moves nothing else: of each host the
 * fastest, then the middle of the hosts. */
static double cost_of_port(const struct lz *z, double *x, double *each)
{
	const struct lz_baseline *b = &z->base;
	size_t n_each = 0;

	for (size_t i = 0, to; i < b->n_sample; i = to) {
		uint32_t src = z->in->pairs[b->sample[i].pair].src;
		size_t n = 0;

		for (to = i; to < b->n_sample; to++) {
			const struct lz_sample *s = &b->sample[to];

			if (z->in->pairs[s->pair].src != src)
				break;
			if ((double)s->bytes >= LARGE_B)
				x[n++] = sample_us(z, s) / (double)s->bytes;
		}
		if (n)
			each[n_each++] = na_quantile(x, n, FASTEST);
	}
	return n_each ? na_median(each, n_each) : z->out->us_per_byte;
}

static bool fit_fluid(struct lz *z, uint32_t *order, double *x, double *each)
{
	struct lz_baseline *b = &z->base;
	double b_us;

	for (size_t i = 0; i < b->n_sample; i++)
		b->sample[i].bytes = z->shared[b->sample[i].at];
	b_us = cost_of_port(z, x, each);
	for (size_t c = 0; c < z->n_classes; c++)
		b->lines[c].b_us = b_us;
	b->n_knots = 0;
	for (size_t i = 0; i < b->n_sample; i++) {
		struct lz_sample *s = &b->sample[i];

		s->r = log(sample_us(z, s)) -
		       line_log(&b->lines[lz_class_of(z, s->pair)], s->bytes);
	}
	return !lz_on(z, NA_LZ_PART_CONTEXT) || fit_context(z, order, x);
}

static double sample_spread(const struct lz *z, double *x)
{
	size_t n = z->base.n_sample;

	for (size_t i = 0; i < n; i++) {
		const struct lz_sample *s = &z->base.sample[i];

		x[i] = s->r;
		if (s->cell < z->base.n_cells)
			x[i] -= (double)z->base.context[s->cell];
	}
	return na_mad(x, n, na_median(x, n));
}

enum na_status na_lz_fluid_residuals(struct lz *z, struct na_err *err)
{
	struct lz_baseline usual = z->base;
	size_t n = z->base.n_sample;
	struct lz_memory m = {.failed = false};
	uint32_t *order = na_lz_take(&m, n, sizeof(*order));
	double *x = na_lz_take(&m, n, sizeof(*x));
	double *each = na_lz_take(&m, n, sizeof(*x));
	enum na_status s = NA_OK;

	double raw = m.failed ? 0 : sample_spread(z, x);

	z->base.context = NULL;
	z->base.lines = na_lz_take(&m, z->n_classes, sizeof(*z->base.lines));
	if (!m.failed)
		memcpy(z->base.lines, usual.lines,
		       z->n_classes * sizeof(*z->base.lines));
	if (m.failed || !fit_fluid(z, order, x, each))
		s = na_fail_nomem(err);
	if (s == NA_OK && sample_spread(z, x) > EXPLAINS * raw)
		z->shared = NULL;
	else if (s == NA_OK)
		s = na_lz_residuals(z, err);
	free(z->base.context);
	z->base = usual;
	na_arena_fini(&m.arena);
	return s;
}
