/*
 * Sides that lose packets: now and then a transfer waits for a
 * retransmission timer.  One timeout is one episode: what queues behind it on
 * its connection, and who waits for it, is not counted again.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/triples.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define LEAST_US   4000.0 /* timers of less are not in use */
#define OVER_USUAL 0.916  /* log 2.5, over the 90 % quantile of the stratum */
#define CALM       0.405  /* log 1.5: the others of that step are not slow */
#define SHARP      0.02   /* of a timer, where hosts are seldom set to it */
#define BELOW      0.06
#define ABOVE      0.12
#define LIKELIER   9.0
#define LEAST_L    0.1
#define ONE_HOST   0.67 /* of a rack link's episodes */

enum { EPISODES = 3, OF_LINK = 4, DOUBLINGS = 3, MOST_BLAMED = 2 };

struct tail {
	uint32_t row, connection;
	double start_us, end_us, excess_us;
};

struct losses {
	struct wi *w;
	NA_VEC(struct tail) v;
	double timer_us;
	uint32_t *group[WI_SIDES]; /* by row */
};

/* Of a stratum: the 90 % quantile of fluid, and what a transfer takes. */
struct usual {
	double fluid, took_us;
};

static bool usual_of(struct wi *w, struct usual *usual)
{
	uint32_t *idx = na_calloc(w->n, sizeof(*idx));

	for (uint32_t i = 0; idx && i < w->n; i++)
		idx[i] = i;
	if (!idx || !wi_sort(idx, w->n, w->stratum, w->n_strata)) {
		free(idx);
		return false;
	}
	for (size_t i = 0, to; i < w->n; i = to) {
		uint32_t s = w->stratum[idx[i]];

		for (to = i; to < w->n && w->stratum[idx[to]] == s; to++)
			w->room[to - i] = (double)w->fluid[idx[to]];
		usual[s].fluid = fmax(0, na_quantile(w->room, to - i, 0.9));
		for (size_t k = i; k < to; k++)
			w->room[k - i] = w->in->rows[idx[k]].took_us;
		usual[s].took_us = na_median(w->room, to - i);
	}
	free(idx);
	return true;
}

static bool map_groups(struct losses *l)
{
	struct wi *w = l->w;

	for (int side = 0; side < WI_SIDES; side++) {
		l->group[side] = na_calloc(w->n, sizeof(uint32_t));
		if (!l->group[side])
			return false;
		for (uint32_t g = 0; g < w->groups[side].n; g++) {
			const struct wi_group *x = &w->groups[side].v[g];

			for (size_t i = 0; i < x->n; i++)
				l->group[side][w->order[side][x->first + i]] =
					g;
		}
	}
	return true;
}

/* The others of its side in that step are as quick as ever. */
static bool is_calm(struct losses *l, uint32_t row)
{
	struct wi *w = l->w;

	for (int side = 0; side < WI_SIDES; side++) {
		const struct wi_group *g =
			&w->groups[side].v[l->group[side][row]];
		size_t n = 0;

		for (size_t i = 0; i < g->n; i++) {
			uint32_t r = w->order[side][g->first + i];

			if (r != row)
				w->room[n++] = (double)w->fluid[r];
		}
		if (n && na_quantile(w->room, n, 0.75) > CALM)
			return false;
	}
	return true;
}

NA_ORDER(by_life, struct tail, NA_UP(connection), NA_UP(start_us), NA_UP(row))

/* The first of each chain of overlapping ones on a connection. */
static void keep_first(struct losses *l)
{
	size_t n = 0;
	uint32_t connection = WI_NONE;
	double until_us = 0;

	na_sort(l->v.v, l->v.n, by_life);
	for (size_t i = 0; i < l->v.n; i++) {
		const struct tail t = l->v.v[i];
		bool first = t.connection != connection ||
			     t.start_us > until_us;

		until_us = first ? t.end_us : fmax(until_us, t.end_us);
		connection = t.connection;
		if (first && is_calm(l, t.row))
			l->v.v[n++] = t;
	}
	l->v.n = n;
}

/* Of a connection in a collective: with what is always slow no timer is slow
 * now and then. */
static struct usual usual_of_lane(struct wi *w, const struct wi_lane *l,
				  struct usual u)
{
	double took_us;

	if (l->steps < NA_WIRE_MIN_STEPS)
		return u;
	for (size_t i = 0; i < l->n; i++)
		w->room[i] = w->in->rows[w->by_lane[l->first + i]].took_us;
	took_us = na_median(w->room, l->n);
	return (struct usual){fmax(u.fluid, l->mid), fmax(u.took_us, took_us)};
}

static bool tails_of(struct losses *l, const struct wi_lane *lane,
		     struct usual u)
{
	struct wi *w = l->w;
	const uint32_t *rows = w->by_lane + lane->first;

	for (size_t i = 0; i < lane->n; i++) {
		const struct na_wire_row *r = &w->in->rows[rows[i]];
		double excess = r->took_us - u.took_us;

		if (excess < LEAST_US ||
		    (double)w->fluid[rows[i]] < OVER_USUAL + u.fluid)
			continue;
		if (!na_add(&l->v, ((struct tail){rows[i], r->connection,
						  r->start_us,
						  r->start_us + r->took_us,
						  excess})))
			return false;
	}
	return true;
}

static bool find_tails(struct losses *l, const struct usual *usual)
{
	struct wi *w = l->w;
	bool ok = true;

	for (size_t i = 0; ok && i < w->lanes.n; i++) {
		const struct wi_lane *lane = &w->lanes.v[i];

		ok = tails_of(l, lane,
			      usual_of_lane(w, lane, usual[lane->stratum]));
	}
	return ok;
}

NA_ORDER(by_excess, struct tail, NA_UP(excess_us), NA_UP(row))

/* How near its multiples: a timer fires when it says, and sending again adds a
 * little. */
static bool at_timer(double excess_us, double timer_us, double below,
		     double above)
{
	for (int k = 1; k <= DOUBLINGS; k++) {
		double x = excess_us / (k * timer_us);

		if (x >= 1 - below && x <= 1 + above)
			return true;
	}
	return false;
}

/* What hosts are set to: 5 ms or 10 ms and their doublings where somebody
 * lowered it, else 200 ms; and a second before anything is known of the path
 * (RFC 6298). */
static bool is_usual(double timer_us)
{
	static const double ms[] = {5,   10,  20,  40,   80,   160,
				    200, 400, 800, 1000, 2000, 3000};

	for (size_t i = 0; i < NA_LEN(ms); i++) {
		double x = timer_us / (ms[i] * 1000);

		if (x >= 1 - BELOW && x <= 1 + BELOW)
			return true;
	}
	return false;
}

/* Of tails by excess: those within so much of the timer or a multiple. */
static size_t count_at(const struct losses *l, double timer_us, double within)
{
	const struct tail *v = l->v.v;
	size_t n = 0, to = 0;

	for (int k = 1; k <= DOUBLINGS; k++) {
		double least = (1 - within) * k * timer_us;
		double most = (1 + within) * k * timer_us;
		size_t from = NA_BOUND(i, to, l->v.n, v[i].excess_us >= least);

		to = NA_BOUND(i, from, l->v.n, v[i].excess_us > most);
		n += to - from;
	}
	return n;
}

/* The timer that most of them sit at; those that sit at none of its
 * multiples are something else: slow, not lost. */
static void find_timer(struct losses *l)
{
	size_t best = 0, n = 0;
	double below, above;

	na_sort(l->v.v, l->v.n, by_excess);
	for (size_t i = 0; i < l->v.n; i++) {
		double t = l->v.v[i].excess_us;
		size_t k = count_at(l, t, SHARP);

		if (k > best) {
			best = k;
			l->timer_us = t;
		}
	}
	below = is_usual(l->timer_us) ? BELOW : SHARP;
	above = is_usual(l->timer_us) ? ABOVE : SHARP;
	for (size_t i = 0; i < l->v.n; i++) {
		if (at_timer(l->v.v[i].excess_us, l->timer_us, below, above))
			l->v.v[n++] = l->v.v[i];
	}
	l->v.n = n;
}

/* ---- whose are they? */

struct suspect {
	struct na_lz_who who;
	size_t episodes, tails, peers;
	double score, usual;
};

static bool is_of(const struct wi *w, uint32_t row, struct na_lz_who who)
{
	uint32_t src = w->host[WI_TX][row], dst = w->host[WI_RX][row];

	switch (who.kind) {
	case NA_LZ_SRC:
		return src == who.a;
	case NA_LZ_DST:
		return dst == who.a;
	case NA_LZ_RACK_UPLINK:
		return wi_crosses(w->stratum[row]) &&
		       w->in->rack_of[src] == who.a;
	case NA_LZ_RACK_DOWNLINK:
		return wi_crosses(w->stratum[row]) &&
		       w->in->rack_of[dst] == who.a;
	default:
		return false;
	}
}

/* Distinct steps of a collective, and distinct peers. */
static void count(struct losses *l, struct suspect *x, size_t *all,
		  uint32_t *of_host)
{
	struct wi *w = l->w;
	struct na_triples moments = {0}, everywhere = {0}, peers = {0};
	size_t most = 0;

	memset(of_host, 0, 2 * w->in->n_hosts * sizeof(*of_host));
	for (size_t i = 0; i < l->v.n; i++) {
		uint32_t row = l->v.v[i].row;
		struct na_triple at = {w->stratum[row] / 2, w->step[row], 0};
		bool its = is_of(w, row, x->who);
		uint32_t src = w->host[WI_TX][row], dst = w->host[WI_RX][row];

		w->failed |= na_triples_add(its ? &moments : &everywhere, at) ==
			     NA_NO_TRIPLE;
		if (!its)
			continue;
		x->tails++;
		w->failed |= na_triples_add(
				     &peers,
				     (struct na_triple){x->who.kind == NA_LZ_SRC
								? dst
								: src,
							0, 0}) == NA_NO_TRIPLE;
		of_host[src]++;
		of_host[w->in->n_hosts + dst]++;
	}
	for (size_t h = 0; h < 2 * w->in->n_hosts; h++)
		most = of_host[h] > most ? of_host[h] : most;
	x->episodes = moments.n;
	x->peers = peers.n;
	*all = everywhere.n;
	if (x->who.kind >= NA_LZ_RACK_UPLINK &&
	    (double)most > ONE_HOST * (double)x->tails)
		x->episodes = 0;
	na_triples_fini(&moments);
	na_triples_fini(&everywhere);
	na_triples_fini(&peers);
}

static void judge(struct losses *l, struct na_lz_who who, uint32_t *of_host,
		  struct suspect *best)
{
	struct wi *w = l->w;
	struct suspect x = {.who = who};
	size_t others = 0, rows = 0, least;
	double k;

	count(l, &x, &others, of_host);
	least = who.kind >= NA_LZ_RACK_UPLINK ? OF_LINK : EPISODES;
	if (x.episodes < least || x.peers < 2)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		rows += is_of(w, i, who);
	k = (double)x.episodes;
	x.usual = fmax(LEAST_L, (double)others * (double)rows /
					fmax(1, (double)(w->n - rows)));
	if (k <= x.usual)
		return;
	x.score = na_count_llr(k, x.usual);
	if (x.score >= LIKELIER && x.score > best->score)
		*best = x;
}

static bool best_suspect(struct losses *l, uint32_t *of_host,
			 struct suspect *best)
{
	struct wi *w = l->w;

	*best = (struct suspect){.score = 0};
	for (uint32_t h = 0; h < w->in->n_hosts; h++) {
		judge(l, (struct na_lz_who){NA_LZ_SRC, h, 0}, of_host, best);
		judge(l, (struct na_lz_who){NA_LZ_DST, h, 0}, of_host, best);
	}
	for (uint32_t r = 0; w->in->n_racks > 1 && r < w->in->n_racks; r++) {
		judge(l, (struct na_lz_who){NA_LZ_RACK_UPLINK, r, 0}, of_host,
		      best);
		judge(l, (struct na_lz_who){NA_LZ_RACK_DOWNLINK, r, 0}, of_host,
		      best);
	}
	return best->score > 0;
}

static void report(struct losses *l, const struct suspect *x)
{
	struct na_lz_finding *f =
		wi_report(l->w, x->who, NA_LZ_RATE,
			  log((double)x->episodes / x->usual),
			  1 / sqrt((double)x->episodes),
			  na_poisson_upper(x->episodes, x->usual));
	size_t n = 0;

	if (!f)
		return;
	f->tails = x->tails;
	f->episodes = x->episodes;
	f->pairs = x->peers;
	f->loses_packets = true;
	for (uint32_t i = 0; i < l->w->n; i++)
		f->transfers += is_of(l->w, i, x->who);
	for (size_t i = 0; i < l->v.n; i++) {
		if (!is_of(l->w, l->v.v[i].row, x->who))
			l->v.v[n++] = l->v.v[i];
	}
	l->v.n = n;
}

/* Before what somebody is named by is taken away. */
static void keep_late(struct losses *l)
{
	struct wi *w = l->w;
	struct na_wire_connection *to = na_calloc(l->v.n, sizeof(*to));

	w->failed |= !to;
	for (size_t i = 0; to && i < l->v.n; i++)
		to[i] = w->in->connections[l->v.v[i].connection];
	free(w->out->late);
	w->out->late = to;
	w->out->n_late = to ? l->v.n : 0;
}

/* Where many sides lose, queues overflow everywhere: that is no side's. */
static void blame(struct losses *l, uint32_t *of_host)
{
	struct wi *w = l->w;
	size_t before = w->found.n, all = l->v.n;
	struct suspect best;

	keep_late(l);

	while (!w->failed && w->found.n < WI_MOST_FOUND && l->v.n &&
	       best_suspect(l, of_host, &best))
		report(l, &best);
	if (w->found.n > before + MOST_BLAMED)
		w->found.n = before;
	else
		all = l->v.n;
	if (w->found.n == before)
		w->out->n_late = 0;
	w->out->timeouts = all >= EPISODES ? all : 0;
}

void wi_losses(struct wi *w)
{
	struct losses l = {.w = w};
	struct usual *usual = na_calloc(w->n_strata, sizeof(*usual));
	uint32_t *of_host = na_calloc(2 * w->in->n_hosts, sizeof(*of_host));
	bool ok = usual && of_host && usual_of(w, usual) &&
		  find_tails(&l, usual) && (!l.v.n || map_groups(&l));

	if (ok && l.v.n) {
		keep_first(&l);
		find_timer(&l);
		blame(&l, of_host);
	}
	w->failed |= !ok;
	na_vec_free(&l.v);
	for (int side = 0; side < WI_SIDES; side++)
		free(l.group[side]);
	free(usual);
	free(of_host);
}
