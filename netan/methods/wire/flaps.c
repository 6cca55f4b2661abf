/*
 * Sides that are slow now and then: in some steps, and as usual in the
 * others.  What a step does to everybody is no host's fault, and one step is
 * one observation, however many transfers it holds.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define LEAST      0.2624 /* log 1.3 */
#define SPREADS    5.0
#define LOW        0.3 /* quantile of a side's transfers in a step */
#define INSIDE     0.4 /* of it, for what stays in the rack */
#define LIKELIER   9.0 /* log likelihood, against the others' share */
#define SUSPECT    3.0
#define MOST_STEPS 0.6
#define LEAST_L    0.5

enum { PEERS = 4, STEPS = 3, EPISODES = 2 };

struct cell {
	uint32_t group, stratum, host, step;
	double over;
};

/* A step in which a side of a host is slow. */
struct flagged {
	uint32_t host, step;
	double effect;
};

struct flaps {
	struct wi *w;
	enum wi_side side;
	struct cell *cells; /* [groups] */
	size_t n;
	double spread;
	NA_VEC(struct flagged) flags; /* by host and step, each once */
};

static double group_quantile(struct wi *w, enum wi_side side,
			     const struct wi_group *g, double p)
{
	for (size_t i = 0; i < g->n; i++)
		w->room[i] = (double)w->fluid[w->order[side][g->first + i]];
	return na_quantile(w->room, g->n, p);
}

NA_ORDER(by_moment, struct cell, NA_UP(stratum), NA_UP(step), NA_UP(host))
NA_ORDER(by_host, struct cell, NA_UP(host), NA_UP(stratum), NA_UP(step))

/* Minus the median over hosts in the step, then minus the host's own. */
static void centre(struct flaps *f, bool of_moments)
{
	double *room = f->w->room;

	for (size_t i = 0, to; i < f->n; i = to) {
		const struct cell *c = f->cells;
		double m;

		for (to = i; to < f->n && c[to].stratum == c[i].stratum &&
			     (of_moments ? c[to].step == c[i].step
					 : c[to].host == c[i].host);
		     to++)
			room[to - i] = c[to].over;
		m = na_median(room, to - i);
		for (size_t k = i; k < to; k++)
			f->cells[k].over -= m;
	}
}

static void make_cells(struct flaps *f)
{
	struct wi *w = f->w;

	f->n = w->groups[f->side].n;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct wi_group *g = &w->groups[f->side].v[i];

		f->cells[i] = (struct cell){i, g->stratum, g->host, g->step,
					    group_quantile(w, f->side, g, LOW)};
	}
	na_sort(f->cells, f->n, by_moment);
	centre(f, true);
	na_sort(f->cells, f->n, by_host);
	centre(f, false);
	for (size_t i = 0; i < f->n; i++)
		w->room[i] = f->cells[i].over;
	f->spread = fmax(0.02, NA_MAD_SIGMA * na_mad(w->room, f->n, 0));
}

static size_t peers_of(struct wi *w, enum wi_side side,
		       const struct wi_group *g)
{
	size_t n = 0;
	uint32_t last = WI_NONE;

	for (size_t i = 0; i < g->n; i++)
		w->room[i] =
			(double)w->host[!side][w->order[side][g->first + i]];
	qsort(w->room, g->n, sizeof(double), na_order_f64);
	for (size_t i = 0; i < g->n; i++) {
		uint32_t h = (uint32_t)w->room[i];

		n += h != last;
		last = h;
	}
	return n;
}

/* Slow inside the rack, too; where nothing stays there, to several peers. */
static bool holds(struct flaps *f, const struct cell *at, size_t from,
		  size_t to)
{
	bool inside = false;

	if (f->w->in->n_racks < 2)
		return true;
	for (size_t i = from; i < to; i++) {
		const struct cell *c = &f->cells[i];

		if (c->step != at->step || c->stratum & 1)
			continue;
		inside = true;
		if (c->over > INSIDE * at->over)
			return true;
	}
	return !inside &&
	       peers_of(f->w, f->side, &f->w->groups[f->side].v[at->group]) >=
		       PEERS;
}

NA_ORDER(by_step, struct flagged, NA_UP(host), NA_UP(step), NA_DOWN(effect))

/* A step that several collectives show: the clearest of them. */
static void fold(struct flaps *f)
{
	struct flagged *v = f->flags.v;
	size_t n = 0;

	na_sort(v, f->flags.n, by_step);
	for (size_t i = 0; i < f->flags.n; i++) {
		if (!n || v[n - 1].host != v[i].host ||
		    v[n - 1].step != v[i].step)
			v[n++] = v[i];
	}
	f->flags.n = n;
}

static void flag(struct flaps *f)
{
	for (size_t i = 0, to; i < f->n; i = to) {
		for (to = i; to < f->n && f->cells[to].host == f->cells[i].host;
		     to++)
			;
		for (size_t k = i; k < to; k++) {
			const struct cell *c = &f->cells[k];

			if (c->over < LEAST || c->over < SPREADS * f->spread ||
			    !holds(f, c, i, to))
				continue;
			f->w->failed |= !na_add(
				&f->flags,
				((struct flagged){c->host, c->step, c->over}));
		}
	}
	fold(f);
}

static const struct flagged *flags_of(const struct flaps *f, uint32_t host,
				      size_t *n)
{
	const struct flagged *v = f->flags.v;
	size_t all = f->flags.n;
	size_t from = NA_BOUND(i, 0, all, v[i].host >= host);

	*n = NA_BOUND(i, from, all, v[i].host > host) - from;
	return *n ? v + from : NULL;
}

struct flapping {
	uint32_t host;
	size_t steps, episodes;
	double score, effect, usual;
};

static struct flapping judge(struct flaps *f, uint32_t host)
{
	size_t all = f->flags.n, n_hosts = f->w->in->n_hosts;
	struct flapping x = {.host = host};
	const struct flagged *on = flags_of(f, host, &x.steps);
	double k = (double)x.steps;

	for (size_t i = 0; i < x.steps; i++) {
		f->w->room[i] = on[i].effect;
		x.episodes += i == 0 || on[i].step != on[i - 1].step + 1;
	}
	x.usual = fmax(LEAST_L, ((double)all - k) / (double)(n_hosts - 1));
	if (x.steps < STEPS || x.episodes < EPISODES ||
	    k * f->w->every > MOST_STEPS * (double)f->w->in->n_steps ||
	    k <= x.usual)
		return x;
	x.effect = na_median(f->w->room, x.steps);
	x.score = na_count_llr(k, x.usual);
	return x;
}

/* The same steps on both sides of a host: what one side's peers or its
 * schedule do does not look like this. */
static bool coincide(const struct flaps *f, uint32_t host)
{
	size_t n_tx = 0, n_rx = 0, both = 0;
	const struct flagged *tx = flags_of(&f[WI_TX], host, &n_tx);
	const struct flagged *rx = flags_of(&f[WI_RX], host, &n_rx);

	for (size_t i = 0, k = 0; i < n_tx; i++) {
		while (k < n_rx && rx[k].step < tx[i].step)
			k++;
		both += k < n_rx && rx[k].step == tx[i].step;
	}
	return 2 * both >= n_tx && 2 * both >= n_rx;
}

static void report(struct flaps *f, const struct flapping *x)
{
	size_t n = 0;
	const struct flagged *on = flags_of(f, x->host, &n);
	struct na_lz_finding *out =
		wi_report(f->w, (struct na_lz_who){NA_LZ_HOST, x->host, 0},
			  NA_LZ_WINDOW, x->effect, f->spread,
			  na_poisson_upper(x->steps, x->usual));

	if (!out)
		return;
	out->intermittent = true;
	out->windows = na_calloc(n, sizeof(*out->windows));
	f->w->failed |= !out->windows;
	for (size_t i = 0; out->windows && i < n; i++)
		out->windows[out->n_windows++] =
			(struct na_lz_window){.step = on[i].step * f->w->every,
					      .effect = on[i].effect};
}

/* Named already, as slow at all times. */
static bool is_named(const struct wi *w, uint32_t host)
{
	for (size_t i = 0; i < w->found.n; i++) {
		const struct na_lz_who *who = &w->found.v[i].who;

		if (who->kind <= NA_LZ_HOST && who->a == host)
			return true;
	}
	return false;
}

/* One side alone is a suspicion: peers, late hosts and bursts make that, too,
 * and more often than NICs do.  Both sides in the same steps are a finding. */
static void judge_hosts(struct flaps *f)
{
	struct wi *w = f->w;

	for (int side = 0; side < WI_SIDES; side++) {
		make_cells(&f[side]);
		flag(&f[side]);
	}
	for (uint32_t h = 0; h < w->in->n_hosts; h++) {
		struct flapping x[WI_SIDES];

		if (is_named(w, h))
			continue;
		for (int side = 0; side < WI_SIDES; side++)
			x[side] = judge(&f[side], h);
		if (x[WI_TX].score >= LIKELIER && x[WI_RX].score >= LIKELIER &&
		    coincide(f, h))
			report(&f[WI_TX], &x[WI_TX]);
		else
			w->out->suspects += fmax(x[WI_TX].score,
						 x[WI_RX].score) >= SUSPECT;
	}
}

void wi_flaps(struct wi *w)
{
	struct flaps f[WI_SIDES] = {{.w = w, .side = WI_TX},
				    {.w = w, .side = WI_RX}};
	bool ok = true;

	for (int side = 0; side < WI_SIDES; side++) {
		f[side].cells = na_calloc(w->groups[side].n,
					  sizeof(struct cell));
		ok = ok && f[side].cells;
	}
	if (ok)
		judge_hosts(f);
	w->failed |= !ok;
	for (int side = 0; side < WI_SIDES; side++) {
		free(f[side].cells);
		na_vec_free(&f[side].flags);
	}
}
