/*
 * The clearest cause, then the clearest of what it leaves: sides that are
 * slow inside their racks, too; racks' links; other sides; paths.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/tests.h"

#define TIE         0.9 /* of what the other end shows */
#define SLOW_SCORE  6.0
#define SLOW_EFFECT 0.4055 /* log 1.5 */
#define COVERS      0.8 /* of the transfers that show it: explains it as well */

static const enum na_lz_kind kinds[] = {NA_LZ_SRC, NA_LZ_DST};

struct na_lz_finding *wi_report(struct wi *w, struct na_lz_who who,
				enum na_lz_channel channel, double effect,
				double spread, double p_value)
{
	struct na_lz_finding *f = na_push(&w->found);

	w->failed |= !f;
	if (!f)
		return NULL;
	*f = (struct na_lz_finding){.who = who,
				    .channel = channel,
				    .effect = effect,
				    .ci_low = effect - 1.96 * spread,
				    .ci_high = effect + 1.96 * spread,
				    .p_value = p_value};
	return f;
}

static void alternative(struct wi *w, struct na_lz_finding *f,
			struct na_lz_who who)
{
	struct na_lz_who *to = realloc(f->alternatives,
				       (f->n_alternatives + 1) * sizeof(*to));

	w->failed |= !to;
	if (!to)
		return;
	f->alternatives = to;
	to[f->n_alternatives++] = who;
}

static uint32_t other_end(const struct wi *w, uint32_t row, enum wi_side side)
{
	return w->host[side == WI_TX ? WI_RX : WI_TX][row];
}

/* What is slow of a side: rows, and how many of them go to each peer. */
struct evidence {
	size_t rows, peers, all, alone; /* alone: compared with nobody */
	uint32_t most; /* the peer with the most */
	size_t of_most;
};

static struct evidence gather(struct wi *w, const struct wi_candidate *c,
			      uint32_t *count)
{
	struct evidence e = {0};
	size_t n = 0;
	const struct wi_stratum *s = wi_strata_of(w, c->side, c->host, &n);

	for (size_t i = 0; i < n; i++) {
		size_t n_rows = 0;
		const uint32_t *rows = wi_rows_of(w, c->side, &s[i], &n_rows);

		e.all += n_rows;
		e.alone += s[i].judged ? 0 : n_rows;
		if (!s[i].judged || s[i].effect <= 0)
			continue;
		for (size_t k = 0; k < n_rows; k++)
			count[other_end(w, rows[k], c->side)]++;
		e.rows += n_rows;
	}
	for (uint32_t h = 0; h < w->in->n_hosts; h++) {
		e.peers += count[h] > 0;
		if (count[h] > e.of_most) {
			e.of_most = count[h];
			e.most = h;
		}
	}
	return e;
}

/* What others send to (get from) the peer is as slow: or nobody else does. */
static bool peer_is_slow(struct wi *w, const struct wi_candidate *c,
			 uint32_t peer)
{
	size_t all = 0, slow = 0, n = 0;
	const uint32_t *lanes = wi_lanes_of(w, !c->side, peer, &n);

	for (size_t k = 0; k < n; k++) {
		const struct wi_lane *l = &w->lanes.v[lanes[k]];
		const struct na_wire_connection *e =
			&w->in->connections[l->connection];
		uint32_t host = c->side == WI_TX ? e->src : e->dst;

		if (!l->judged || host == c->host)
			continue;
		all++;
		slow += l->effect > c->effect / 2;
	}
	return 2 * slow >= all;
}

static void only_pair(struct wi *w, struct na_lz_finding *f, uint32_t src,
		      uint32_t dst)
{
	alternative(w, f, (struct na_lz_who){NA_LZ_PAIR, src, dst});
	wi_alike_is(w, src, dst, f->effect);
}

static void report_side(struct wi *w, const struct wi_candidate *c)
{
	uint32_t *count = na_calloc(w->in->n_hosts, sizeof(*count));
	struct na_lz_finding *f;
	struct evidence e;

	w->failed |= !count;
	if (!count)
		return;
	e = gather(w, c, count);
	f = wi_report(w, (struct na_lz_who){kinds[c->side], c->host, 0},
		      NA_LZ_ALL, c->measured, c->effect / (6 * c->score),
		      na_normal_upper(6 * c->score));
	free(count);
	if (!f)
		return;
	/* From what the port's own crowd leaves to what the clock showed. */
	f->ci_low = fmin(f->ci_low, c->effect);
	f->pairs = e.peers;
	f->transfers = e.rows;
	f->of_transfers = e.all;
	f->alone = e.alone;
	f->on_racks = c->on_racks;
	f->has_equals = c->has_equals || c->company > WI_NO_COMPANY;
	f->is_own = c->company == WI_APART ||
		    (c->company == WI_NO_COMPANY && !c->has_equals);
	if ((double)e.of_most >= COVERS * (double)e.rows &&
	    peer_is_slow(w, c, e.most))
		alternative(w, f,
			    (struct na_lz_who){kinds[!c->side], e.most, 0});
	if (e.peers == 1)
		only_pair(w, f, c->side == WI_TX ? c->host : e.most,
			  c->side == WI_TX ? e.most : c->host);
	if (f->n_alternatives)
		f->needs = "transfers of the same host with others: iperf3 "
			   "from it to two other hosts, and back";
}

/* Its transfers as they would be without it. */
static void remove_side(struct wi *w, const struct wi_candidate *c)
{
	size_t n = 0;
	const struct wi_stratum *s = wi_strata_of(w, c->side, c->host, &n);

	for (; n--; s++) {
		float e = (float)(s->judged ? s->effect : c->effect);
		float raw = (float)(s->judged ? s->raw_effect : c->effect);
		size_t n_rows = 0;
		const uint32_t *rows = wi_rows_of(w, c->side, s, &n_rows);

		for (size_t k = 0; k < n_rows; k++) {
			w->fluid[rows[k]] -= e > 0 ? e : 0;
			w->raw[rows[k]] -= raw > 0 ? raw : 0;
		}
	}
}

static void judge(struct wi *w)
{
	wi_sides_judge(w, WI_TX);
	wi_sides_judge(w, WI_RX);
	wi_lanes_judge(w);
}

static bool better(const struct wi_candidate *a, const struct wi_candidate *b)
{
	if (a->proven != b->proven)
		return a->proven;
	return a->pooled > b->pooled;
}

/* All that a host sends (gets) goes to (comes from) that one. */
static bool only_with(const struct wi *w, enum wi_side side, uint32_t host,
		      uint32_t peer)
{
	size_t n = 0;
	const uint32_t *lanes = wi_lanes_of(w, side, host, &n);

	for (size_t i = 0; i < n; i++) {
		const struct na_wire_connection *e =
			&w->in->connections[w->lanes.v[lanes[i]].connection];

		if ((side == WI_TX ? e->dst : e->src) != peer)
			return false;
	}
	return true;
}

/* Not where both are the same transfers, which are told as alternatives, nor
 * where it is as slow with all others. */
bool wi_rivals(struct wi *w, const struct wi_candidate *best, uint32_t host)
{
	return host != best->host &&
	       wi_candidate(w, !best->side, host).pooled >=
		       TIE * best->pooled &&
	       !(only_with(w, best->side, best->host, host) &&
		 only_with(w, !best->side, host, best->host)) &&
	       !wi_is_broad(w, best, host);
}

static bool has_rival(struct wi *w, const struct wi_candidate *best)
{
	for (uint32_t h = 0; h < w->in->n_hosts; h++) {
		if (wi_rivals(w, best, h))
			return true;
	}
	return false;
}

/* The clearest side that nothing speaks against. */
static bool best_side(struct wi *w, struct wi_candidate *best)
{
	bool any = false;

	for (int side = 0; side < WI_SIDES; side++) {
		for (uint32_t h = 0; h < w->in->n_hosts; h++) {
			struct wi_candidate c =
				wi_candidate(w, (enum wi_side)side, h);

			if (c.score > w->out->strongest &&
			    (c.score < 1 || c.against))
				w->out->strongest = c.score;
			if (c.score < 1 || c.against ||
			    (any && !better(&c, best)))
				continue;
			*best = c;
			any = true;
		}
	}
	return any && (best->proven || !has_rival(w, best));
}

static void report_link(struct wi *w, const struct wi_link *l)
{
	struct na_lz_finding *f = wi_report(w, l->who, NA_LZ_ALL, l->effect,
					    l->effect / l->score, l->p_value);

	if (!f)
		return;
	f->transfers = wi_link_rows(w, l, &f->pairs);
	wi_link_alike(w, l);
	if (l->part)
		f->pairs = wi_link_slow_pairs(w, l);
}

static bool name_side(struct wi *w, const struct wi_candidate *c)
{
	report_side(w, c);
	remove_side(w, c);
	return true;
}

static bool name_link(struct wi *w, const struct wi_link *l)
{
	report_link(w, l);
	wi_link_remove(w, l);
	return true;
}

/* All as it is.  A trial asks for no more than the name. */
static void look_beside(struct wi *w)
{
	wi_alike(w);
	wi_apart(w);
}

/* One more cause; false: nothing is left. */
static bool find_one(struct wi *w)
{
	struct wi_candidate side = {0};
	struct wi_link link;
	const char *why;
	bool any;

	judge(w);
	if (!w->found.n && !w->again)
		look_beside(w);
	w->out->strongest = 0;
	any = best_side(w, &side);
	/* Inside its rack no link of the rack slows a host. */
	if (any && side.proven)
		return name_side(w, &side);
	if (!w->in->two_clocks && wi_rack_best(w, true, &link))
		return name_link(w, &link);
	if (any)
		return name_side(w, &side);
	/* What a receiver's wait does looks like a link of its rack. */
	return !w->in->two_clocks &&
	       (wi_rack_best(w, false, &link) ||
		wi_path_best(w, &link, &why)) &&
	       name_link(w, &link);
}

/* Both sides of a host are one finding. */
static void join_sides(struct wi *w)
{
	struct na_lz_finding *v = w->found.v;

	for (size_t i = 0; i < w->found.n; i++) {
		for (size_t k = i + 1; k < w->found.n; k++) {
			if (v[i].channel != v[k].channel ||
			    v[i].who.a != v[k].who.a ||
			    v[i].who.kind > NA_LZ_DST ||
			    v[k].who.kind > NA_LZ_DST ||
			    v[i].who.kind == v[k].who.kind)
				continue;
			v[i].who.kind = NA_LZ_HOST;
			v[i].on_racks |= v[k].on_racks;
			v[i].has_equals |= v[k].has_equals;
			v[i].is_own |= v[k].is_own;
			v[i].pairs += v[k].pairs;
			v[i].transfers += v[k].transfers;
			v[i].of_transfers += v[k].of_transfers;
			v[i].alone += v[k].alone;
			free(v[i].alternatives);
			v[i].alternatives = NULL;
			v[i].n_alternatives = 0;
			v[i].needs = NULL;
			free(v[k].alternatives);
			memmove(&v[k], &v[k + 1],
				(--w->found.n - k) * sizeof(*v));
			break;
		}
	}
}

NA_ORDER(by_pair, struct na_wire_connection, NA_UP(src), NA_UP(dst))

/*
 * Is a connection slow in most of what it carries, as far as there was something
 * to compare?  One that is in a single collective, and no slower in all others,
 * meets there with what the collective does.
 */
static bool slow_throughout(const struct wi *w, uint32_t connection)
{
	size_t slow = 0, all = 0;

	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *l = &w->lanes.v[i];

		if (!l->judged || l->connection != connection)
			continue;
		all += l->n;
		slow += l->effect > SLOW_EFFECT ? l->n : 0;
	}
	return 2 * slow > all;
}

/* Connections that nobody explains, as pairs of hosts. */
static void list_slow(struct wi *w)
{
	NA_VEC(struct na_wire_connection) slow = {NULL, 0, 0};
	size_t n = 0;

	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *l = &w->lanes.v[i];

		if (l->judged && l->score > SLOW_SCORE &&
		    l->effect > SLOW_EFFECT &&
		    slow_throughout(w, l->connection))
			w->failed |= !na_add(&slow,
					     w->in->connections[l->connection]);
	}
	na_sort(slow.v, slow.n, by_pair);
	for (size_t i = 0; i < slow.n; i++)
		if (!n || by_pair(&slow.v[n - 1], &slow.v[i]))
			slow.v[n++] = slow.v[i];
	w->out->slow = slow.v;
	w->out->n_slow = n;
}

/* Connections that are compared with no others. */
static void count_unseen(struct wi *w)
{
	size_t unseen = 0, fleeting = 0;

	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *l = &w->lanes.v[i];

		if (l->judged)
			continue;
		if (l->steps >= NA_WIRE_MIN_STEPS) {
			unseen += l->n;
			continue;
		}
		fleeting += l->n;
		w->out->steps = l->steps > w->out->steps ? l->steps
							 : w->out->steps;
	}
	if (!w->n)
		return;
	w->out->unseen = (double)unseen / (double)w->n;
	w->out->fleeting = (double)fleeting / (double)w->n;
}

/* Itself, or as one of the few that it may be. */
static bool is_about(const struct na_lz_finding *f, enum wi_side side,
		     uint32_t host)
{
	bool is = f->who.kind == kinds[side] && f->who.a == host;

	for (size_t i = 0; i < f->n_alternatives; i++)
		is |= f->alternatives[i].kind == kinds[side] &&
		      f->alternatives[i].a == host;
	return is;
}

bool wi_finds(struct wi *w, enum wi_side side, uint32_t host)
{
	while (!w->failed && w->found.n < WI_MOST_FOUND && find_one(w)) {
		if (is_about(&w->found.v[w->found.n - 1], side, host))
			return true;
	}
	return false;
}

static uint32_t host_in(const struct wi *w, uint32_t block)
{
	uint32_t h = 0;

	while (w->in->block_of[h] != block)
		h++;
	return h;
}

/* Of links that blocks share one run tells too little to name them. */
static void doubt_blocks(struct wi *w)
{
	struct wi_link link;

	w->out->block.kind = NA_LZ_KINDS;
	if (w->found.n || w->in->two_clocks || !wi_block_best(w, &link))
		return;
	w->out->block = (struct na_lz_who){link.who.kind,
					   host_in(w, link.who.a),
					   host_in(w, link.who.b)};
	w->out->block_effect = link.effect;
}

void wi_find(struct wi *w)
{
	while (!w->failed && w->found.n < WI_MOST_FOUND && find_one(w))
		;
	if (!w->found.n) {
		if (!w->in->two_clocks)
			wi_ways(w);
		wi_alike_forget(w);
	}
	join_sides(w);
	list_slow(w);
	count_unseen(w);
	wi_doubt(w);
	w->out->across = w->found.n ? (double)NAN : wi_across(w);
	doubt_blocks(w);
}
