/*
 * Links between racks ("Channels"): a block of cross-rack pairs of which far
 * more are slow than of the others.  The upper quartile of a pair says it,
 * since of several connections only some are hashed onto the bad link.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define SLOW        0.4054651081081644 /* log 1.5 */
#define SLOW_MADS   3
#define LEAST_MAD   0.05
#define USUAL_LEAST 0.02
#define TIMES_USUAL 4
#define OVER_USUAL  0.4
#define ONE_HOST    0.67
#define NEEDS_LINKS "check the rack's links and spines"

enum { MIN_PAIRS = 4, MIN_SLOW = 3, MAX_LINKS = 4, MIN_SIDES = 3 };

/* A pair as a part of a block. */
struct part {
	struct na_lz_who block;
	uint32_t pair;
};

struct links {
	struct lz_memory memory;
	struct lz *z;
	struct part *parts; /* three for each cross-rack pair; by block */
	size_t n_parts, n_cross, n_slow, n_blocks;
	double *excess;      /* by pair */
	bool *slow;          /* by pair; not yet explained */
	uint32_t *src, *dst; /* by host: slow pairs of a block; room */
	double *room;        /* by pair */
};

struct block {
	size_t from, to, slow;
	double usual, score;
};

static bool has(const struct na_lz_who who, const struct na_lz_pair *p)
{
	return (who.kind != NA_LZ_DST && who.a == p->src) ||
	       (who.kind != NA_LZ_SRC && who.a == p->dst);
}

/* Upper quartiles, less what hosts explain. */
static void take_excess(struct links *k, const struct lz_explain *large)
{
	const struct lz *z = k->z;
	double centre, limit;
	size_t n = 0;

	for (size_t p = 0; p < z->in->n_pairs; p++) {
		if (!lz_crosses(z, p) || !lz_records(large->v, p))
			continue;
		k->excess[p] = large->v->high[p];
		for (size_t i = 0; i < large->n_chosen; i++) {
			const struct lz_candidate *c = &large->chosen[i];

			if (lz_is_host_kind(c->who.kind) &&
			    has(c->who, &z->in->pairs[p]))
				k->excess[p] -= c->effect;
		}
		k->room[n++] = k->excess[p];
	}
	k->n_cross = n;
	centre = na_median(k->room, n);
	limit = NA_MAD_SIGMA * na_mad(k->room, n, centre);
	limit = lz_larger(SLOW, SLOW_MADS * lz_larger(limit, LEAST_MAD));
	for (size_t p = 0; p < z->in->n_pairs; p++) {
		if (!lz_crosses(z, p) || !lz_records(large->v, p))
			continue;
		k->excess[p] -= centre;
		k->slow[p] = k->excess[p] > limit;
		k->n_slow += k->slow[p];
	}
}

NA_ORDER(by_block, struct part, NA_UP(block.kind), NA_UP(block.a),
	 NA_UP(block.b), NA_UP(pair))

static size_t block_end(const struct links *k, size_t from)
{
	struct na_lz_who w = k->parts[from].block;
	size_t to = from;

	while (to < k->n_parts && k->parts[to].block.kind == w.kind &&
	       k->parts[to].block.a == w.a && k->parts[to].block.b == w.b)
		to++;
	return to;
}

static void cut_blocks(struct links *k, const struct lz_view *v)
{
	const struct lz *z = k->z;
	const uint32_t *rack_of = z->out->rack_of;

	for (uint32_t p = 0; p < z->in->n_pairs; p++) {
		uint32_t a, b;

		if (!lz_crosses(z, p) || !lz_records(v, p))
			continue;
		a = rack_of[z->in->pairs[p].src];
		b = rack_of[z->in->pairs[p].dst];
		k->parts[k->n_parts++] =
			(struct part){{NA_LZ_RACK_UPLINK, a, 0}, p};
		k->parts[k->n_parts++] =
			(struct part){{NA_LZ_RACK_DOWNLINK, b, 0}, p};
		k->parts[k->n_parts++] = (struct part){{NA_LZ_RACK_PAIR, a, b},
						       p};
	}
	na_sort(k->parts, k->n_parts, by_block);
	k->n_blocks = z->out->n_racks * (z->out->n_racks + 1);
}

/* Slow pairs from several hosts to several hosts, no host in most. */
static bool spread_out(struct links *k, const struct block *b)
{
	const struct na_lz_pair *pairs = k->z->in->pairs;
	size_t sources = 0, sinks = 0;
	uint32_t most = 0;

	for (size_t i = b->from; i < b->to; i++) {
		const struct na_lz_pair *p = &pairs[k->parts[i].pair];

		if (!k->slow[k->parts[i].pair])
			continue;
		sources += k->src[p->src]++ == 0;
		sinks += k->dst[p->dst]++ == 0;
		most = k->src[p->src] > most ? k->src[p->src] : most;
		most = k->dst[p->dst] > most ? k->dst[p->dst] : most;
	}
	for (size_t i = b->from; i < b->to; i++) {
		k->src[pairs[k->parts[i].pair].src] = 0;
		k->dst[pairs[k->parts[i].pair].dst] = 0;
	}
	return sources >= 2 && sinks >= 2 &&
	       (double)most <= ONE_HOST * (double)b->slow;
}

/* How much likelier the slow pairs are with this block; 0: not at all. */
static void judge_block(struct links *k, struct block *b)
{
	double m = (double)(b->to - b->from), n, f1, f0, llr;
	double outside = (double)k->n_cross - m;

	b->slow = 0;
	b->score = 0;
	for (size_t i = b->from; i < b->to; i++)
		b->slow += k->slow[k->parts[i].pair];
	n = (double)b->slow;
	if (m < MIN_PAIRS || b->slow < MIN_SLOW)
		return;
	f1 = n / m;
	f0 = outside > 0 ? ((double)k->n_slow - n) / outside : 0;
	f0 = lz_larger(f0, USUAL_LEAST);
	b->usual = f0;
	if (f0 >= 1 || (f1 < TIMES_USUAL * f0 && f1 < f0 + OVER_USUAL))
		return;
	llr = na_share_llr(n, m, f0) -
	      log(3 * (double)k->n_blocks / k->z->alpha);
	if (llr > 0 && spread_out(k, b))
		b->score = llr;
}

static bool best_block(struct links *k, struct block *best)
{
	*best = (struct block){0};
	for (size_t i = 0, to; i < k->n_parts; i = to) {
		struct block b = {.from = i};

		to = b.to = block_end(k, i);
		judge_block(k, &b);
		if (b.score > best->score)
			*best = b;
	}
	return best->score > 0;
}

/* Paths named inside a bad link are its victims. */
static void drop_paths(struct links *k, const struct block *b)
{
	struct lz *z = k->z;

	for (size_t i = z->found.n; i-- > 0;) {
		struct na_lz_who w = z->found.v[i].who;
		bool in = false;

		for (size_t j = b->from; w.kind == NA_LZ_PAIR && j < b->to; j++)
			in |= na_lz_find_pair(z, w.a, w.b) == k->parts[j].pair;
		if (in)
			na_lz_drop_found(z, i);
	}
}

static enum na_status report(struct links *k, const struct lz_view *v,
			     const struct block *b, struct na_err *err)
{
	struct na_lz_finding f = {.who = k->parts[b->from].block,
				  .channel = NA_LZ_LARGE,
				  .needs = NEEDS_LINKS};
	double half;
	size_t n = 0;

	for (size_t i = b->from; i < b->to; i++) {
		uint32_t p = k->parts[i].pair;

		f.transfers += v->n[p];
		if (k->slow[p])
			k->room[n++] = k->excess[p];
	}
	f.pairs = b->to - b->from;
	f.effect = na_median(k->room, n);
	half = NA_MAD_SIGMA * na_mad(k->room, n, f.effect);
	half *= LZ_Z95 * sqrt(LZ_HALF_PI / (double)n);
	f.ci_low = f.effect - half;
	f.ci_high = f.effect + half;
	f.p_value = na_binomial_upper(b->slow, b->to - b->from, b->usual);
	drop_paths(k, b);
	for (size_t i = b->from; i < b->to; i++) {
		k->n_slow -= k->slow[k->parts[i].pair];
		k->slow[k->parts[i].pair] = false;
	}
	return na_lz_found(k->z, &f, err);
}

static bool links_room(struct links *k)
{
	size_t pairs = k->z->in->n_pairs, hosts = k->z->in->n_hosts;
	struct lz_memory *m = &k->memory;

	k->parts = na_lz_take(m, 3 * pairs, sizeof(*k->parts));
	k->excess = na_lz_take(m, pairs, sizeof(*k->excess));
	k->slow = na_lz_take(m, pairs, sizeof(*k->slow));
	k->room = na_lz_take(m, pairs, sizeof(*k->room));
	k->src = na_lz_take(m, hosts, sizeof(*k->src));
	k->dst = na_lz_take(m, hosts, sizeof(*k->dst));
	return !m->failed;
}

enum na_status na_lz_rack_links(struct lz *z, const struct lz_explain *large,
				struct na_err *err)
{
	struct links k = {.z = z};
	struct block b;
	enum na_status s = NA_OK;

	if (z->out->n_racks < 2)
		return NA_OK;
	if (links_room(&k)) {
		take_excess(&k, large);
		cut_blocks(&k, large->v);
	} else {
		s = na_fail_nomem(err);
	}
	for (int i = 0; s == NA_OK && i < MAX_LINKS && best_block(&k, &b); i++)
		s = report(&k, large->v, &b, err);
	na_arena_fini(&k.memory.arena);
	return s;
}

static size_t sides_in(const struct lz *z, uint32_t rack, enum na_lz_kind side)
{
	size_t n = 0;

	for (size_t i = 0; i < z->found.n; i++)
		n += z->found.v[i].who.kind == side &&
		     z->out->rack_of[z->found.v[i].who.a] == rack;
	return n;
}

static bool link_named(const struct lz *z, uint32_t rack, enum na_lz_kind link)
{
	for (size_t i = 0; i < z->found.n; i++) {
		if (z->found.v[i].who.kind == link &&
		    z->found.v[i].who.a == rack)
			return true;
	}
	return false;
}

/* Removes the side findings of a rack; the first becomes the link. */
static void into_link(struct lz *z, uint32_t rack, enum na_lz_kind side,
		      enum na_lz_kind link, bool keep)
{
	for (size_t i = 0; i < z->found.n;) {
		struct na_lz_finding *f = &z->found.v[i];
		bool its = f->who.kind == side &&
			   z->out->rack_of[f->who.a] == rack;

		if (its && !keep) {
			na_lz_drop_found(z, i);
			continue;
		}
		if (its) {
			f->who = (struct na_lz_who){link, rack, 0};
			f->needs = NEEDS_LINKS;
			keep = false;
		}
		i++;
	}
}

void na_lz_rack_sides(struct lz *z)
{
	size_t *size = NULL, racks = z->out->n_racks;

	if (racks < 2 || !lz_on(z, NA_LZ_PART_RACK_LINKS) || !z->found.n)
		return;
	size = na_calloc(racks, sizeof(*size));
	for (size_t h = 0; size && h < z->in->n_hosts; h++)
		size[z->out->rack_of[h]]++;
	for (uint32_t r = 0; size && r < racks; r++) {
		for (int up = 0; up < 2; up++) {
			enum na_lz_kind side = up ? NA_LZ_SRC : NA_LZ_DST;
			enum na_lz_kind link = up ? NA_LZ_RACK_UPLINK
						  : NA_LZ_RACK_DOWNLINK;
			size_t n = sides_in(z, r, side);

			if (n >= 2 && link_named(z, r, link))
				into_link(z, r, side, link, false);
			else if (n >= MIN_SIDES && 2 * n > size[r])
				into_link(z, r, side, link, true);
		}
	}
	free(size);
}
