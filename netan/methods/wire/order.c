/* Rows in the order of a key, and medians of those that share one. */
#include <math.h>
#include <stdlib.h>

#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

void *wi_take(struct wi *w, size_t n, size_t size)
{
	void *p = n > SIZE_MAX / size
			  ? NULL
			  : na_arena_alloc(&w->arena, n ? n * size : 1);

	if (p)
		memset(p, 0, n * size);
	w->failed |= !p;
	return p;
}

bool wi_sort(uint32_t *idx, size_t n, const uint32_t *key, size_t n_keys)
{
	uint32_t *at = na_calloc(n_keys + 1, sizeof(*at));
	uint32_t *to = na_calloc(n, sizeof(*to));
	bool ok = at && to;

	for (size_t i = 0; ok && i < n; i++)
		at[key[idx[i]] + 1]++;
	for (size_t k = 0; ok && k < n_keys; k++)
		at[k + 1] += at[k];
	for (size_t i = 0; ok && i < n; i++)
		to[at[key[idx[i]]]++] = idx[i];
	if (ok && n)
		memcpy(idx, to, n * sizeof(*idx));
	free(at);
	free(to);
	return ok;
}

/* Connections of a group, at most `enough`. */
static size_t connections(const struct wi *w, const uint32_t *rows, size_t n,
			  size_t enough)
{
	uint32_t seen[8];
	size_t k = 0;

	for (size_t i = 0; i < n && k < enough; i++) {
		uint32_t c = w->in->rows[rows[i]].connection;
		size_t at = 0;

		while (at < k && seen[at] != c)
			at++;
		if (at == k)
			seen[k++] = c;
	}
	return k;
}

/* What fewer connections share may be what is wrong with one of them. */
enum { ENOUGH = 5 };

struct wi_centre wi_centre_of(double *v, size_t n, double least)
{
	struct wi_centre c = {na_median(v, n), 0};
	double mad = NA_MAD_SIGMA * na_mad(v, n, c.at);

	c.spread = sqrt(mad * mad + least * least);
	return c;
}

void wi_centre(struct wi *w, float *x, const struct wi_shares *s)
{
	const uint32_t *key = s->key, *idx = s->rows;

	for (size_t i = 0, to; i < w->n; i = to) {
		double m;

		for (to = i; to < w->n && key[idx[to]] == key[idx[i]]; to++)
			w->room[to - i] = (double)x[idx[to]];
		if (connections(w, idx + i, to - i, ENOUGH) < ENOUGH)
			continue;
		m = na_median(w->room, to - i);
		for (size_t k = i; k < to; k++)
			x[idx[k]] -= (float)m;
	}
}
