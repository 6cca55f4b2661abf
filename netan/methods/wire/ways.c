/*
 * Nobody is named, and the ways from some hosts to some others are slow
 * together: a link between them, which no side of a host and no single path
 * shows.  What rows and columns of the pairs (sides of hosts) explain is taken
 * away first (median polish: Tukey, Exploratory Data Analysis, 1977); what is
 * left is searched for a block, from each host's slow ways by turns.  That it
 * is none by chance is asked of all blocks of that size at once (Bonferroni).
 *
 * Where two groups are all hosts, a block is the same as half of the hosts
 * sending slowly.  Then it must be slow one way, and hosts of one group alike:
 * both ways it is no more than far.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define LEAST        0.1133 /* log 1.12 */
#define LEAST_SPREAD 0.03   /* of healthy ways, and of sides */
#define MOST         1.5    /* one way counts for no more */
#define ALIKE        0.8    /* of its ways: slow as the block is */
#define APART        2.0    /* times what hosts of one group are: two of them */
#define COVER        0.8    /* of the hosts, that have enough ways */
#define BY_CHANCE    4.61   /* log of one in a hundred */

enum {
	POLISHES = 4,
	TURNS = 6,
	STARTS = 64,
	ROW = 5,
	LEAST_WAYS = 4,
	HALF = 2,
	GROUP = 3
};

struct way {
	uint32_t src, dst;
	double x; /* of what is searched */
};

struct ways {
	struct wi *w;
	size_t hosts, n;
	struct way *v;      /* by src and dst */
	size_t *first;      /* by src */
	bool *in[WI_SIDES]; /* by host: of the block */
	double *sum, *count; /* by host */
	double *room; /* [n] */
	double spread;
};

static uint32_t end_of(const struct way *v, enum wi_side side)
{
	return side == WI_TX ? v->src : v->dst;
}

NA_ORDER(by_dst, struct way, NA_UP(dst), NA_UP(src))
NA_ORDER(by_src, struct way, NA_UP(src), NA_UP(dst))

static bool room(struct ways *x)
{
	size_t n = x->w->out->n_alike, h = x->hosts;

	x->v = wi_take(x->w, n, sizeof(*x->v));
	x->first = wi_take(x->w, h + 1, sizeof(*x->first));
	x->in[WI_TX] = wi_take(x->w, h, sizeof(bool));
	x->in[WI_RX] = wi_take(x->w, h, sizeof(bool));
	x->sum = wi_take(x->w, h, sizeof(*x->sum));
	x->count = wi_take(x->w, h, sizeof(*x->count));
	x->room = wi_take(x->w, n, sizeof(*x->room));
	return !x->w->failed;
}

static void read(struct ways *x)
{
	x->n = 0;
	for (size_t i = 0; i < x->w->out->n_alike; i++) {
		const struct na_wire_alike *a = &x->w->out->alike[i];

		if (!isnan(a->effect))
			x->v[x->n++] =
				(struct way){a->src, a->dst, a->effect};
	}
}

static void index_rows(struct ways *x)
{
	memset(x->first, 0, (x->hosts + 1) * sizeof(*x->first));
	for (size_t i = 0; i < x->n; i++)
		x->first[x->v[i].src + 1]++;
	for (size_t h = 0; h < x->hosts; h++)
		x->first[h + 1] += x->first[h];
}

/* Takes the median away of all that share an end; they are in its order. */
static void take_medians(struct ways *x, enum wi_side side)
{
	for (size_t i = 0, to; i < x->n; i = to) {
		double middle;

		for (to = i; to < x->n && end_of(&x->v[to], side) ==
						  end_of(&x->v[i], side);
		     to++)
			x->room[to - i] = x->v[to].x;
		middle = na_median(x->room, to - i);
		for (size_t k = i; k < to; k++)
			x->v[k].x -= middle;
	}
}

static void polish(struct ways *x)
{
	for (int i = 0; i < POLISHES; i++) {
		take_medians(x, WI_TX);
		na_sort(x->v, x->n, by_dst);
		take_medians(x, WI_RX);
		na_sort(x->v, x->n, by_src);
	}
}

static double spread_of(struct ways *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->room[i] = x->v[i].x;
	return fmax(LEAST_SPREAD,
		    NA_MAD_SIGMA *
			    na_mad(x->room, x->n, na_median(x->room, x->n)));
}

/* Who has ways with the other group, and slow ones in the mean. */
static void regroup(struct ways *x, enum wi_side side, double least)
{
	memset(x->sum, 0, x->hosts * sizeof(*x->sum));
	memset(x->count, 0, x->hosts * sizeof(*x->count));
	for (size_t i = 0; i < x->n; i++) {
		const struct way *v = &x->v[i];

		if (!x->in[!side][end_of(v, !side)])
			continue;
		x->sum[end_of(v, side)] += fmin(v->x, MOST);
		x->count[end_of(v, side)]++;
	}
	for (size_t h = 0; h < x->hosts; h++)
		x->in[side][h] = x->count[h] >= HALF && !x->in[!side][h] &&
				 x->sum[h] > least * x->count[h];
}

static size_t size_of(const struct ways *x, enum wi_side side)
{
	size_t n = 0;

	for (size_t h = 0; h < x->hosts; h++)
		n += x->in[side][h];
	return n;
}

/* The ways of the block, into x->room. */
static size_t gather(struct ways *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		if (x->in[WI_TX][x->v[i].src] && x->in[WI_RX][x->v[i].dst])
			x->room[n++] = x->v[i].x;
	}
	return n;
}

/* So slow that a block of n ways from a hosts to b is none by chance. */
static double least_of(const struct ways *x, size_t a, size_t b, size_t n)
{
	double hosts = (double)x->hosts;
	double chance = BY_CHANCE + na_ln_choose(hosts, (double)a) +
			na_ln_choose(hosts, (double)b);
	double of_sides = 1 / (double)a + 1 / (double)b;
	double var = x->spread * x->spread / (double)n +
		     LEAST_SPREAD * LEAST_SPREAD * of_sides;

	return fmax(LEAST, sqrt(2 * chance * var));
}

/* By how much the block is slow, beyond what chance makes so; 0: it is not. */
static double judge(struct ways *x, double *effect, size_t *n)
{
	size_t a = size_of(x, WI_TX), b = size_of(x, WI_RX), slow = 0;

	*n = gather(x);
	if (a < HALF || b < HALF || *n < LEAST_WAYS || HALF * *n < a * b)
		return 0;
	*effect = na_median(x->room, *n);
	for (size_t i = 0; i < *n; i++)
		slow += x->room[i] > *effect / 2;
	if ((double)slow < ALIKE * (double)*n)
		return 0;
	return fmax(0, *effect - least_of(x, a, b, *n)) * sqrt((double)*n);
}

static void keep(struct ways *x, double effect, size_t n)
{
	struct na_wire_ways *to = &x->w->out->ways;

	*to = (struct na_wire_ways){.effect = effect, .pairs = n};
	for (uint32_t h = 0; h < x->hosts; h++) {
		for (int side = 0; side < WI_SIDES; side++) {
			if (!x->in[side][h])
				continue;
			if (to->n[side] < NA_WIRE_WAYS)
				to->hosts[side][to->n[side]] = h;
			to->n[side]++;
		}
	}
}

/* From a host's slowest ways on. */
static void search_from(struct ways *x, uint32_t host, double *best)
{
	double most[2] = {0, 0}, effect = 0, score;
	size_t n = 0;

	for (size_t i = x->first[host]; i < x->first[host + 1]; i++) {
		double at = x->v[i].x;

		most[1] = fmax(most[1], fmin(at, most[0]));
		most[0] = fmax(most[0], at);
	}
	if (x->first[host + 1] - x->first[host] < ROW || most[1] < LEAST / 2)
		return;
	memset(x->in[WI_TX], 0, x->hosts * sizeof(bool));
	memset(x->in[WI_RX], 0, x->hosts * sizeof(bool));
	for (size_t i = x->first[host]; i < x->first[host + 1]; i++)
		x->in[WI_RX][x->v[i].dst] = x->v[i].x > most[1] / 2;
	for (int i = 0; i < TURNS; i++) {
		regroup(x, i & 1 ? WI_RX : WI_TX, most[1] / 2);
		score = judge(x, &effect, &n);
		if (score > *best) {
			*best = score;
			keep(x, effect, n);
		}
	}
}

struct start {
	double slow;
	uint32_t host;
};

NA_ORDER(slowest_first, struct start, NA_DOWN(slow), NA_UP(host))

/* From those that have most to explain. */
static void search(struct ways *x)
{
	struct start *s = wi_take(x->w, x->hosts, sizeof(*s));
	double best = 0;

	for (uint32_t h = 0; s && h < x->hosts; h++) {
		s[h] = (struct start){0, h};
		for (size_t i = x->first[h]; i < x->first[h + 1]; i++)
			s[h].slow += fmax(0, fmin(x->v[i].x, MOST));
	}
	if (s)
		na_sort(s, x->hosts, slowest_first);
	for (size_t i = 0; s && i < x->hosts && i < STARTS; i++)
		search_from(x, s[i].host, &best);
}

/* By how much it is slower than the way back; NaN: there is none. */
static double one_way(const struct ways *x, const struct way *v)
{
	size_t to = x->first[v->dst + 1];
	size_t at = NA_BOUND(i, x->first[v->dst], to, x->v[i].dst >= v->src);

	return at < to && x->v[at].dst == v->src ? v->x - x->v[at].x
						 : (double)NAN;
}

/* Of a host: how much slower its ways out are than those back. */
static size_t lean_of_hosts(struct ways *x, struct start *to)
{
	size_t hosts = 0;

	for (uint32_t h = 0; h < x->hosts; h++) {
		size_t n = 0;

		for (size_t i = x->first[h]; i < x->first[h + 1]; i++) {
			double by = one_way(x, &x->v[i]);

			if (!isnan(by))
				x->room[n++] = by;
		}
		if (n >= ROW)
			to[hosts++] = (struct start){na_median(x->room, n), h};
	}
	return hosts;
}

/* Of hosts in order: two groups that lie apart, as the first `a` and the rest;
 * 0: there are none. */
static size_t split(const struct start *s, size_t n)
{
	size_t a = 0;
	double wide = 0, within;

	for (size_t i = GROUP; i + GROUP <= n; i++) {
		double gap = s[i - 1].slow - s[i].slow;

		if (gap <= wide)
			continue;
		wide = gap;
		a = i;
	}
	if (!a)
		return 0;
	within = fmax(s[0].slow - s[a - 1].slow, s[a].slow - s[n - 1].slow);
	return wide > APART * fmax(within, LEAST_SPREAD) ? a : 0;
}

/* Two groups that are all hosts, and slow one way. */
static void find_halves(struct ways *x)
{
	struct start *s = wi_take(x->w, x->hosts, sizeof(*s));
	size_t n = s ? lean_of_hosts(x, s) : 0, a, pairs = 0;
	double effect;

	if (s)
		na_sort(s, n, slowest_first);
	a = s ? split(s, n) : 0;
	if (!a || COVER * (double)x->hosts > (double)n)
		return;
	for (size_t i = 0; i < x->hosts; i++)
		x->in[WI_TX][i] = x->in[WI_RX][i] = false;
	for (size_t i = 0; i < n; i++)
		x->in[i < a ? WI_TX : WI_RX][s[i].host] = true;
	for (size_t i = 0; i < x->n; i++) {
		double by = one_way(x, &x->v[i]);

		if (x->in[WI_TX][x->v[i].src] && x->in[WI_RX][x->v[i].dst] &&
		    !isnan(by))
			x->room[pairs++] = by;
	}
	effect = pairs ? na_median(x->room, pairs) : 0;
	if (effect > LEAST) {
		keep(x, effect, pairs);
		x->w->out->ways.halves = true;
	}
}

void wi_ways(struct wi *w)
{
	struct ways x = {.w = w, .hosts = w->in->n_hosts};

	if (!room(&x))
		return;
	read(&x);
	if (!x.n)
		return;
	index_rows(&x);
	find_halves(&x);
	if (w->out->ways.pairs)
		return;
	polish(&x);
	x.spread = spread_of(&x);
	search(&x);
}
