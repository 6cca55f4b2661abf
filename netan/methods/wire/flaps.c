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
#define LIKELIER   6.0 /* log likelihood, against the others' share */
#define SUSPECT    3.0
#define CLEAR      0.4055 /* log 1.5 */
#define SLOW       0.2    /* log: a transfer that is, against its connection */
#define KEEPS      0.4    /* or so much of the side's effect */
#define OWN        0.15   /* of its transfers with others than its peer */
#define TIMES      4.0    /* as many as of the peer's with others */
#define MOST_STEPS 0.6
#define LEAST_L    0.5
#define LATE       0.3  /* of what its transfers take */
#define SHOWN      0.25 /* of its steps, in a second collective */

enum { PEERS = 4, STEPS = 3, EPISODES = 3 };
enum { AGREEING = 3, AGREED = 8, TWICE = 2 };

struct cell {
	uint32_t group, stratum, host, step;
	double over;
	double late_us; /* the side's first transfer of it */
};

/* A step in which a side of a host is slow. */
struct flagged {
	uint32_t host, step;
	double effect;
	double in_time; /* the same, of what it did not begin late */
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
	double *over = f->w->room;
	double *late_us = over + f->w->in->n_hosts + f->w->in->n_steps;

	for (size_t i = 0, to; i < f->n; i = to) {
		const struct cell *c = f->cells;
		double o, l;

		for (to = i; to < f->n && c[to].stratum == c[i].stratum &&
			     (of_moments ? c[to].step == c[i].step
					 : c[to].host == c[i].host);
		     to++) {
			over[to - i] = c[to].over;
			late_us[to - i] = c[to].late_us;
		}
		o = na_median(over, to - i);
		l = na_median(late_us, to - i);
		for (size_t k = i; k < to; k++) {
			f->cells[k].over -= o;
			f->cells[k].late_us -= l;
		}
	}
}

static double first_start_us(const struct flaps *f, const struct wi_group *g)
{
	const uint32_t *rows = f->w->order[f->side] + g->first;
	double first = INFINITY;

	for (size_t i = 0; i < g->n; i++)
		first = fmin(first, f->w->in->rows[rows[i]].start_us);
	return first;
}

static double usual_took_us(const struct flaps *f, const struct wi_group *g)
{
	const uint32_t *rows = f->w->order[f->side] + g->first;

	for (size_t i = 0; i < g->n; i++)
		f->w->room[i] = f->w->in->rows[rows[i]].took_us;
	return na_median(f->w->room, g->n);
}

static void make_cells(struct flaps *f)
{
	struct wi *w = f->w;

	f->n = w->groups[f->side].n;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct wi_group *g = &w->groups[f->side].v[i];

		f->cells[i] = (struct cell){
			.group = i,
			.stratum = g->stratum,
			.host = g->host,
			.step = g->step,
			.over = group_quantile(w, f->side, g, LOW),
			.late_us = first_start_us(f, g),
		};
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

		if (c->step != at->step || wi_crosses(c->stratum))
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
		v[n - 1].in_time = fmax(v[n - 1].in_time, v[i].in_time);
	}
	f->flags.n = n;
}

static bool is_slow(const struct flaps *f, const struct cell *c)
{
	return c->over >= LEAST && c->over >= SPREADS * f->spread;
}

/* Later than it usually is: it meets another crowd than the others do. */
static bool is_late(const struct flaps *f, const struct cell *c)
{
	return c->late_us >
	       LATE * usual_took_us(f, &f->w->groups[f->side].v[c->group]);
}

static void flag(struct flaps *f)
{
	for (size_t i = 0, to; i < f->n; i = to) {
		for (to = i; to < f->n && f->cells[to].host == f->cells[i].host;
		     to++)
			;
		for (size_t k = i; k < to; k++) {
			const struct cell *c = &f->cells[k];

			if (!is_slow(f, c) || !holds(f, c, i, to))
				continue;
			f->w->failed |= !na_add(
				&f->flags,
				((struct flagged){
					c->host, c->step, c->over,
					is_late(f, c) ? 0 : c->over}));
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
	enum wi_side side;
	uint32_t host, peer; /* peer: with whom it is slow most often */
	size_t steps, episodes;
	size_t peers, slow; /* who it is slow with then, and its transfers */
	double score, effect, in_time, usual;
	bool alone; /* its other transfers are slow, the peer's are not */
};

static struct flapping judge(struct flaps *f, uint32_t host)
{
	size_t all = f->flags.n, n_hosts = f->w->in->n_hosts;
	struct flapping x = {.side = f->side, .host = host, .peer = WI_NONE};
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
	for (size_t i = 0; i < x.steps; i++)
		f->w->room[i] = on[i].in_time;
	x.in_time = na_median(f->w->room, x.steps);
	x.score = na_count_llr(k, x.usual);
	return x;
}

static bool is_on(const struct flagged *on, size_t n, uint32_t step)
{
	size_t i = NA_BOUND(k, 0, n, on[k].step >= step);

	return i < n && on[i].step == step;
}

struct tally {
	size_t all, slow;
};

/* What a side of a host does in the steps in which x is slow: transfers with
 * others than `but` that take longer than their connection does else.  By
 * peer, too, where that is asked. */
static struct tally slow_then(const struct flaps *f, const struct flapping *x,
			      enum wi_side side, uint32_t host, uint32_t but,
			      uint32_t *of_peer)
{
	struct wi *w = f->w;
	double least = fmax(SLOW, KEEPS * x->effect);
	struct tally t = {0, 0};
	size_t n = 0, n_on = 0;
	const uint32_t *lanes = wi_lanes_of(w, side, host, &n);
	const struct flagged *on = flags_of(f, x->host, &n_on);

	for (size_t i = 0; i < n; i++) {
		const struct wi_lane *l = &w->lanes.v[lanes[i]];
		const uint32_t *rows = w->by_lane + l->first;
		uint32_t peer = w->host[!side][rows[0]];

		for (size_t k = 0; peer != but && k < l->n; k++) {
			bool slow = (double)w->fluid[rows[k]] - l->mid > least;

			if (!is_on(on, n_on, w->step[rows[k]]))
				continue;
			t.all++;
			t.slow += slow;
			if (of_peer)
				of_peer[peer] += slow;
		}
	}
	return t;
}

/* A port is slow for whatever passes it.  What one collective alone does in
 * some steps is its order, or who waits in it. */
static bool in_one_collective(const struct flaps *f, const struct flapping *x)
{
	size_t n_on = 0, of = 0, best = 0, second = 0;
	const struct flagged *on = flags_of(f, x->host, &n_on);
	size_t from = NA_BOUND(i, 0, f->n, f->cells[i].host >= x->host);

	for (size_t i = from, to; i < f->n && f->cells[i].host == x->host;
	     i = to) {
		uint32_t stratum = f->cells[i].stratum;
		size_t shown[2] = {0, 0}, there = 0, most;

		for (to = i; to < f->n && f->cells[to].host == x->host &&
			     f->cells[to].stratum / 2 == stratum / 2;
		     to++) {
			const struct cell *c = &f->cells[to];

			if (!is_on(on, n_on, c->step))
				continue;
			there++;
			shown[wi_crosses(c->stratum)] += is_slow(f, c);
		}
		most = shown[0] > shown[1] ? shown[0] : shown[1];
		second = most > best ? best : most > second ? most : second;
		best = most > best ? most : best;
		of += there > 0;
	}
	return of >= TWICE &&
	       (second < TWICE || (double)second < SHOWN * (double)n_on);
}

/* Whoever sends slowly makes somebody's receiving slow, and the other way
 * round: the one is at fault whose transfers with others are slow as well,
 * while the other's are not. */
static void ask_peers(const struct flaps *f, struct flapping *x,
		      uint32_t *of_peer)
{
	struct wi *w = f->w;
	struct tally own, its;

	memset(of_peer, 0, w->in->n_hosts * sizeof(*of_peer));
	x->slow = slow_then(f, x, x->side, x->host, WI_NONE, of_peer).slow;
	x->peer = 0;
	for (uint32_t h = 0; h < w->in->n_hosts; h++) {
		x->peers += of_peer[h] > 0;
		if (of_peer[h] > of_peer[x->peer])
			x->peer = h;
	}
	own = slow_then(f, x, x->side, x->host, x->peer, NULL);
	its = slow_then(f, x, !x->side, x->peer, x->host, NULL);
	x->alone = !in_one_collective(f, x) && x->peers >= AGREEING &&
		   own.slow >= AGREED &&
		   (double)own.slow >= OWN * (double)own.all &&
		   (double)own.slow * (double)its.all >=
			   TIMES * (double)its.slow * (double)own.all;
}

static void report(struct flaps *f, const struct flapping *x,
		   enum na_lz_kind kind)
{
	size_t n = 0;
	const struct flagged *on = flags_of(f, x->host, &n);
	struct na_lz_finding *out =
		wi_report(f->w, (struct na_lz_who){kind, x->host, 0},
			  NA_LZ_WINDOW, x->effect, f->spread,
			  na_poisson_upper(x->steps, x->usual));

	if (!out)
		return;
	out->intermittent = true;
	out->pairs = x->peers;
	out->transfers = x->slow;
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

/* Half of its steps are those of one of another host that is at fault more
 * clearly: its victim. */
static bool is_victim(const struct flaps *f, struct flapping *const x[WI_SIDES],
		      const struct flapping *it)
{
	size_t n = 0, n_on, both;
	const struct flagged *own = flags_of(&f[it->side], it->host, &n), *on;

	for (uint32_t i = 0; i < WI_SIDES * f->w->in->n_hosts; i++) {
		const struct flapping *other = &x[0][i];

		if (!other->alone || other->score <= it->score ||
		    other->host == it->host)
			continue;
		on = flags_of(&f[other->side], other->host, &n_on);
		both = 0;
		for (size_t k = 0; k < n; k++)
			both += is_on(on, n_on, own[k].step);
		if (2 * both >= n)
			return true;
	}
	return false;
}

/* Its place among the clearest; what follows makes room, and the last goes. */
static void suspect(struct flaps *f, const struct flapping *x)
{
	struct na_wire_result *out = f->w->out;
	size_t n = 0, at = 0;
	const struct flagged *on = flags_of(&f[x->side], x->host, &n);
	struct na_wire_suspect s = {
		.who = {x->side == WI_TX ? NA_LZ_SRC : NA_LZ_DST, x->host, 0},
		.effect = x->effect,
		.score = x->score,
		.n_steps = n,
		.one_in = f->w->every};

	for (size_t i = 0; i < n && i < NA_WIRE_SHOWN; i++)
		s.steps[i] = on[i].step * f->w->every;
	while (at < out->suspects && at < NA_WIRE_SUSPECTS &&
	       out->clearest[at].score >= s.score)
		at++;
	for (size_t i = NA_WIRE_SUSPECTS - 1; i > at; i--)
		out->clearest[i] = out->clearest[i - 1];
	if (at < NA_WIRE_SUSPECTS)
		out->clearest[at] = s;
	out->suspects++;
}

static void tell(struct flaps *f, struct flapping *const x[WI_SIDES])
{
	static const enum na_lz_kind kinds[] = {NA_LZ_SRC, NA_LZ_DST};

	for (uint32_t h = 0; h < f->w->in->n_hosts; h++) {
		struct flapping *tx = &x[WI_TX][h], *rx = &x[WI_RX][h];
		bool at_fault[WI_SIDES] = {tx->alone && !is_victim(f, x, tx),
					   rx->alone && !is_victim(f, x, rx)};

		if (is_named(f->w, h))
			continue;
		if (at_fault[WI_TX] && at_fault[WI_RX])
			report(&f[WI_TX], tx, NA_LZ_HOST);
		else if (at_fault[WI_TX] || at_fault[WI_RX])
			report(&f[at_fault[WI_RX]], &x[at_fault[WI_RX]][h],
			       kinds[at_fault[WI_RX]]);
		else if (fmax(tx->score, rx->score) >= SUSPECT)
			suspect(f, tx->score >= rx->score ? tx : rx);
	}
}

/* Who comes early or late in some steps looks the same on two clocks: from
 * receives it stays a suspicion. */
static void judge_sides(struct flaps *f, struct flapping *const x[WI_SIDES],
			uint32_t *of_peer)
{
	bool sends = !f->w->in->two_clocks;

	for (int side = 0; side < WI_SIDES; side++) {
		make_cells(&f[side]);
		flag(&f[side]);
		for (uint32_t h = 0; h < f->w->in->n_hosts; h++) {
			struct flapping *it = &x[side][h];

			*it = judge(&f[side], h);
			if (sends && it->score >= LIKELIER &&
			    it->in_time >= CLEAR)
				ask_peers(&f[side], it, of_peer);
		}
	}
	tell(f, x);
}

void wi_flaps(struct wi *w)
{
	struct flaps f[WI_SIDES] = {{.w = w, .side = WI_TX},
				    {.w = w, .side = WI_RX}};
	size_t n = w->in->n_hosts;
	struct flapping *room = na_calloc(WI_SIDES * n, sizeof(*room));
	uint32_t *of_peer = na_calloc(n, sizeof(*of_peer));
	bool ok = room && of_peer;

	for (int side = 0; side < WI_SIDES; side++) {
		f[side].cells = na_calloc(w->groups[side].n,
					  sizeof(struct cell));
		ok = ok && f[side].cells;
	}
	if (ok)
		judge_sides(f, (struct flapping *[]){room, room + n}, of_peer);
	w->failed |= !ok;
	free(room);
	free(of_peer);
	for (int side = 0; side < WI_SIDES; side++) {
		free(f[side].cells);
		na_vec_free(&f[side].flags);
	}
}
