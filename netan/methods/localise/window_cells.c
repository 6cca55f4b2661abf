/*
 * Host sides by window: records grouped by counting, three times: by
 * moment for what a collective does in a step to everybody, then by window
 * with the pairs in the order of their sources, and of their destinations.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/window.h"
#include "netan/stats/tests/robust.h"

#define WINDOW_US 1e6
#define NOISE     0.04

enum {
	MOMENT_SHRINK = 10,
	CELL_RECORDS = 3,
	WINDOWS_LEAST = 50, /* of time */
	WINDOWS_MAX = 1 << 16
};

/* Steps by number; false: memory. */
bool na_lz_windows_steps(struct lz_windows *k)
{
	const struct na_lz_input *in = k->z->in;
	size_t n = 0, m;

	k->steps = na_lz_take(&k->memory, in->n_moments, sizeof(*k->steps));
	k->window_of = na_lz_take(&k->memory, in->n_moments,
				  sizeof(*k->window_of));
	if (k->memory.failed)
		return false;
	for (size_t i = 0; i < in->n_moments; i++) {
		if (in->moments[i].step != NA_LZ_NONE)
			k->steps[n++] = in->moments[i].step;
	}
	m = na_lz_distinct(k->steps, n);
	for (size_t i = 0; i < in->n_moments; i++) {
		const uint32_t *at = bsearch(&in->moments[i].step, k->steps, m,
					     sizeof(*k->steps), na_order_u32);

		k->window_of[i] = at ? (uint32_t)(at - k->steps) : NA_LZ_NONE;
	}
	k->n = m;
	k->by_step = m > 0;
	return true;
}

/* Seconds; shorter where they would be few, longer where too many. */
void na_lz_windows_seconds(struct lz_windows *k)
{
	const struct na_lz_input *in = k->z->in;
	uint32_t last = 0;
	double span;

	for (size_t i = 0; i < in->n_transfers; i++) {
		if (in->transfers[i].tick > last)
			last = in->transfers[i].tick;
	}
	span = (double)last * k->z->tick_us;
	k->width_us = lz_smaller(WINDOW_US, span / WINDOWS_LEAST);
	k->width_us = lz_larger(k->width_us, span / (WINDOWS_MAX - 1));
	k->width_us = lz_larger(k->width_us, 1);
	k->n = (size_t)(span / k->width_us) + 1;
}

static uint32_t window_at(const struct lz_windows *k, const struct lz_tail *t,
			  uint32_t moment, double end_us)
{
	if (t)
		end_us = t->end_us;
	if (!k->by_step)
		return (uint32_t)(end_us / k->width_us);
	return moment < k->z->in->n_moments ? k->window_of[moment] : NA_LZ_NONE;
}

/* Steps with a tail are slow for everybody who waits for it. */
void na_lz_windows_skip_tails(struct lz_windows *k)
{
	size_t n = 0;

	for (size_t i = 0; k->by_step && i < k->z->tails.n; i++) {
		const struct lz_tail *t = &k->z->tails.v[i];
		uint32_t w = window_at(k, t, t->moment, 0);

		if (w != NA_LZ_NONE && !k->skip[w]) {
			k->skip[w] = true;
			n++;
		}
	}
	if (2 * n > k->n)
		memset(k->skip, 0, k->n * sizeof(*k->skip));
}

/* The window of a record that counts, or NA_LZ_NONE. */
static uint32_t window_of(const struct lz_windows *k, size_t p,
			  const struct na_lz_transfer *t)
{
	uint32_t w = window_at(k, NULL, t->moment,
			       (double)t->tick * k->z->tick_us);
	const struct na_lz_pair *pair = &k->z->in->pairs[p];

	if (w == NA_LZ_NONE || k->skip[w] || na_lz_tail_ms(k->z, p, t) > 0)
		return NA_LZ_NONE;
	for (size_t i = 0; i < k->n_chosen; i++) {
		uint32_t side = k->chosen[i].side;

		if (k->chosen[i].in[w] &&
		    (side == pair->src ||
		     side == k->z->in->n_hosts + pair->dst))
			return NA_LZ_NONE;
	}
	return w;
}

static float value(const struct lz_windows *k, size_t p,
		   const struct na_lz_transfer *t)
{
	double x = lz_rest_shared(k->z, p, t);

	if (t->moment < k->z->in->n_moments)
		x -= (double)k->shift[t->moment];
	return (float)x;
}

/* Median of each moment, shrunk. */
enum na_status na_lz_windows_moments(struct lz_windows *k, struct na_err *err)
{
	const struct na_lz_input *in = k->z->in;
	size_t *first = na_calloc(in->n_moments + 2, sizeof(*first));
	enum na_status s = NA_OK;

	if (!first)
		return na_fail_nomem(err);
	for (size_t i = 0; i < in->n_transfers; i++) {
		if (in->transfers[i].moment < in->n_moments)
			first[in->transfers[i].moment + 2]++;
	}
	for (size_t m = 0; m < in->n_moments; m++)
		first[m + 1] += first[m];
	for (size_t p = 0; p < in->n_pairs; p++) {
		for (size_t i = 0; i < in->pairs[p].n; i++) {
			const struct na_lz_transfer *t =
				&in->transfers[in->pairs[p].first + i];

			if (t->moment < in->n_moments)
				k->x[first[t->moment + 1]++] = value(k, p, t);
		}
	}
	for (size_t m = 0; m < in->n_moments; m++) {
		size_t n = first[m + 1] - first[m];

		if (!na_grow(&k->tmp, &k->cap_tmp, n, sizeof(*k->tmp))) {
			s = na_fail_nomem(err);
			break;
		}
		na_sort_f32(k->x + first[m], k->tmp, n);
		k->shift[m] = (float)(na_quantile_f32(k->x + first[m], n, 0.5) *
				      (double)n / (double)(n + MOMENT_SHRINK));
	}
	free(first);
	return s;
}

static bool close_cell(struct lz_windows *k, uint32_t side, size_t w,
		       size_t from, size_t to)
{
	if (to - from < CELL_RECORDS)
		return true;
	if (!na_grow(&k->tmp, &k->cap_tmp, to - from, sizeof(*k->tmp)) ||
	    !na_room(&k->cells, 1))
		return false;
	na_sort_f32(k->x + from, k->tmp, to - from);
	k->cells.v[k->cells.n++] = (struct lz_cell){
		.side = side,
		.window = (uint32_t)w,
		.n = (uint32_t)(to - from),
		.median = (float)na_quantile_f32(k->x + from, to - from, 0.5),
		.low = (float)na_quantile_f32(k->x + from, to - from, 0.25)};
	return true;
}

static void count_windows(struct lz_windows *k)
{
	const struct na_lz_input *in = k->z->in;

	memset(k->first, 0, (k->n + 2) * sizeof(*k->first));
	for (size_t p = 0; p < in->n_pairs; p++) {
		for (size_t i = 0; i < in->pairs[p].n; i++) {
			uint32_t w = window_of(
				k, p, &in->transfers[in->pairs[p].first + i]);

			if (w != NA_LZ_NONE)
				k->first[w + 2]++;
		}
	}
	for (size_t w = 0; w < k->n; w++)
		k->first[w + 1] += k->first[w];
}

/* Pairs in the order of one side, so that inside a window each host's
 * records lie together. */
static void fill_windows(struct lz_windows *k, const struct lz_index *side)
{
	const struct na_lz_input *in = k->z->in;
	size_t n = side->first[in->n_hosts];

	for (size_t l = 0; l < n; l++) {
		uint32_t p = side->list[l];
		const struct na_lz_pair *pair = &in->pairs[p];

		for (size_t i = 0; i < pair->n; i++) {
			const struct na_lz_transfer *t =
				&in->transfers[pair->first + i];
			uint32_t w = window_of(k, p, t);
			size_t at;

			if (w == NA_LZ_NONE)
				continue;
			at = k->first[w + 1]++;
			k->x[at] = value(k, p, t);
			k->host[at] = side == &k->z->row ? pair->src
							 : pair->dst;
		}
	}
}

static bool cut_cells(struct lz_windows *k, uint32_t base)
{
	for (size_t w = 0; w < k->n; w++) {
		size_t end = k->first[w + 1], to;

		for (size_t i = k->first[w]; i < end; i = to) {
			for (to = i; to < end && k->host[to] == k->host[i];)
				to++;
			if (!close_cell(k, base + k->host[i], w, i, to))
				return false;
		}
	}
	return true;
}

NA_ORDER(by_side, struct lz_cell, NA_UP(side), NA_UP(window))

size_t na_lz_windows_side_end(const struct lz_windows *k, size_t from)
{
	size_t to = from;

	while (to < k->cells.n && k->cells.v[to].side == k->cells.v[from].side)
		to++;
	return to;
}

double na_lz_windows_se(const struct lz_windows *k, const struct lz_cell *c)
{
	double n = c->n;

	return sqrt(LZ_HALF_PI * k->z->sigma0 * k->z->sigma0 / n * (1 + 3 / n) +
		    NOISE * NOISE);
}

/* The median of all windows of a side, whose cells are [from, to). */
static bool add_own(struct lz_windows *k, size_t from, size_t to, double *room)
{
	struct lz_own own;

	for (size_t c = from; c < to; c++)
		room[c - from] = (double)k->cells.v[c].median;
	own.median = na_median(room, to - from);
	for (size_t c = from; c < to; c++)
		room[c - from] = (double)k->cells.v[c].low;
	own.low = na_median(room, to - from);
	for (size_t c = from; c < to; c++)
		k->cells.v[c].own = (uint32_t)k->own.n;
	return na_add(&k->own, own);
}

/* How far each cell is above its side's median, in standard errors. */
static bool standardise(struct lz_windows *k)
{
	double *room = na_calloc(k->cells.n, sizeof(*room));
	bool ok;

	free(k->z_of);
	k->z_of = na_calloc(k->cells.n, sizeof(*k->z_of));
	k->own.n = 0;
	ok = room && k->z_of;
	for (size_t i = 0, to; ok && i < k->cells.n; i = to) {
		to = na_lz_windows_side_end(k, i);
		ok = add_own(k, i, to, room);
		for (size_t c = i; ok && c < to; c++)
			k->z_of[c] = ((double)k->cells.v[c].median -
				      k->own.v[k->own.n - 1].median) /
				     na_lz_windows_se(k, &k->cells.v[c]);
	}
	if (ok && k->cells.n) {
		memcpy(room, k->z_of, k->cells.n * sizeof(*room));
		k->scale = na_median(room, k->cells.n);
		k->scale = NA_MAD_SIGMA * na_mad(room, k->cells.n, k->scale);
		k->scale = lz_larger(k->scale, 1);
	}
	free(room);
	return ok;
}

enum na_status na_lz_windows_measure(struct lz_windows *k, struct na_err *err)
{
	uint32_t hosts = (uint32_t)k->z->in->n_hosts;
	bool ok;

	k->cells.n = 0;
	count_windows(k);
	fill_windows(k, &k->z->row);
	ok = cut_cells(k, 0);
	if (ok) {
		count_windows(k);
		fill_windows(k, &k->z->col);
		ok = cut_cells(k, hosts);
	}
	if (ok)
		na_sort(k->cells.v, k->cells.n, by_side);
	if (!ok || !standardise(k))
		return na_fail_nomem(err);
	return NA_OK;
}
