#include "netan/judge/session/group.h"

#include <string.h>

#include "netan/base/vec.h"
#include "netan/stats/tests/robust.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void pass(uint32_t *to, const uint32_t *row, size_t n,
		 const uint32_t *col, unsigned shift)
{
	uint32_t at[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[col[row[i]] >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[col[row[i]] >> shift & (DIGITS - 1)]++] = row[i];
}

bool na_j_order(uint32_t *row, size_t n, const uint32_t *const *cols,
		size_t n_cols)
{
	struct na_arena tmp = {0};
	uint32_t *other = NA_NEW(&tmp, uint32_t, n), *now = row;

	if (!other)
		return false;
	for (size_t c = n_cols; c-- > 0;) {
		uint32_t differ = 0;

		for (size_t i = 1; i < n; i++)
			differ |= cols[c][row[i]] ^ cols[c][row[0]];
		for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS) {
			uint32_t *to = now == row ? other : row;

			if (!(differ >> shift & (DIGITS - 1)))
				continue;
			pass(to, now, n, cols[c], shift);
			now = to;
		}
	}
	if (now != row)
		memcpy(row, now, n * sizeof(*row));
	na_arena_fini(&tmp);
	return true;
}

/* Ordered as the doubles: high and low words. */
static void split(double x, uint32_t *high, uint32_t *low)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	bits ^= bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63;
	*high = (uint32_t)(bits >> 32);
	*low = (uint32_t)bits;
}

bool na_j_order_times(uint32_t *row, size_t n, const double *x)
{
	struct na_arena tmp = {0};
	size_t most = 0;
	uint32_t *high, *low;
	bool ok;

	for (size_t i = 0; i < n; i++)
		most = row[i] > most ? row[i] : most;
	high = NA_NEW(&tmp, uint32_t, most + 1);
	low = NA_NEW(&tmp, uint32_t, most + 1);
	for (size_t i = 0; high && low && i < n; i++)
		split(x[row[i]], &high[row[i]], &low[row[i]]);
	ok = high && low && na_j_order(row, n, NA_J_BY(high, low));
	na_arena_fini(&tmp);
	return ok;
}

static bool differ(const uint32_t *const *cols, size_t n_cols, uint32_t a,
		   uint32_t b)
{
	for (size_t c = 0; c < n_cols; c++)
		if (cols[c][a] != cols[c][b])
			return true;
	return false;
}

bool na_j_group(struct na_groups *g, const uint32_t *const *cols,
		size_t n_cols, const uint32_t *only, size_t n,
		struct na_arena *a)
{
	g->n = 0;
	g->row = NA_NEW(a, uint32_t, n);
	if (!g->row)
		return false;
	for (size_t i = 0; i < n; i++)
		g->row[i] = only ? only[i] : (uint32_t)i;
	if (!na_j_order(g->row, n, cols, n_cols))
		return false;
	for (size_t i = 0; i < n; i++)
		g->n += !i || differ(cols, n_cols, g->row[i - 1], g->row[i]);
	g->from = NA_NEW(a, uint32_t, g->n + 1);
	if (!g->from)
		return false;
	g->n = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || differ(cols, n_cols, g->row[i - 1], g->row[i]))
			g->from[g->n++] = (uint32_t)i;
	g->from[g->n] = (uint32_t)n;
	return true;
}

bool na_j_rank(uint32_t *rank, size_t *n_ranks, const uint32_t *const *cols,
	       size_t n_cols, size_t n, struct na_arena *tmp)
{
	struct na_groups g;

	if (!na_j_group(&g, cols, n_cols, NULL, n, tmp))
		return false;
	for (size_t i = 0; i < g.n; i++)
		for (uint32_t k = g.from[i]; k < g.from[i + 1]; k++)
			rank[g.row[k]] = (uint32_t)i;
	*n_ranks = g.n;
	return true;
}

uint32_t *na_j_of_groups(const struct na_groups *g, const uint32_t *col,
			 struct na_arena *a)
{
	uint32_t *of = NA_NEW(a, uint32_t, g->n);

	for (size_t i = 0; of && i < g->n; i++)
		of[i] = col[na_j_first(g, i)];
	return of;
}

double na_j_order_statistic(double *x, size_t n, double q)
{
	size_t k;

	if (!n)
		return 0;
	k = (size_t)(q * (double)(n - 1) + .5);
	return na_select(x, n, k < n ? k : n - 1);
}

double na_j_mad(double *x, size_t n)
{
	return n ? NA_MAD_SIGMA * na_mad(x, n, na_median(x, n)) : 0;
}

double *na_j_quantiles(const struct na_groups *g, const double *v, double q,
		       struct na_arena *a)
{
	double *x, *out = NA_NEW(a, double, g->n);
	size_t most = 0;

	for (size_t i = 0; i < g->n; i++)
		if (na_j_count(g, i) > most)
			most = na_j_count(g, i);
	x = NA_NEW(a, double, most);
	for (size_t i = 0; x && out && i < g->n; i++) {
		size_t n = na_j_count(g, i);

		for (size_t k = 0; k < n; k++)
			x[k] = v[g->row[g->from[i] + k]];
		out[i] = na_j_order_statistic(x, n, q);
	}
	return x ? out : NULL;
}
