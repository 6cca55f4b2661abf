#include "netan/judge/blocks.h"

#include "netan/base/order.h"

bool na_j_blocks_init(struct na_j_blocks *b, const struct na_j_session *s,
		      struct na_arena *mem)
{
	struct na_arena tmp = {0};
	uint32_t *host = NA_J_NEW(&tmp, uint32_t, s->n_pairs);
	bool ok = host && na_j_links_init(&b->links, s, mem);

	b->s = s;
	b->all = NA_J_NEW(mem, uint32_t, s->n_pairs);
	ok = ok && b->all;
	for (size_t p = 0; ok && p < s->n_pairs; p++)
		b->all[p] = (uint32_t)p;
	for (int side = 0; ok && side < 2; side++) {
		struct na_groups *g = &b->by_side[side];

		b->side_at[side] = NA_J_NEW(mem, uint32_t, s->n_hosts);
		for (size_t p = 0; p < s->n_pairs; p++)
			host[p] = side ? s->pairs[p].dst : s->pairs[p].src;
		ok = b->side_at[side] &&
		     na_j_group(g, (const uint32_t *const[]){host}, 1, NULL,
				s->n_pairs, mem);
		for (size_t h = 0; ok && h < s->n_hosts; h++)
			b->side_at[side][h] = NA_JUDGE_NONE;
		for (size_t i = 0; ok && i < g->n; i++)
			b->side_at[side][host[na_j_first(g, i)]] = (uint32_t)i;
	}
	na_arena_fini(&tmp);
	return ok;
}

struct na_j_block na_j_side_block(const struct na_j_blocks *b, int side,
				  uint32_t host)
{
	const struct na_groups *g = &b->by_side[side];
	uint32_t at = b->side_at[side][host];

	if (at == NA_JUDGE_NONE)
		return (struct na_j_block){NULL, 0};
	return (struct na_j_block){g->row + g->from[at], na_j_count(g, at)};
}

struct na_j_block na_j_link_block(const struct na_j_blocks *b, size_t link)
{
	const struct na_j_link *l = &b->links.v[link];

	return (struct na_j_block){b->links.pair + l->from, l->n};
}

size_t na_j_find_pair(const struct na_j_blocks *b, uint32_t src, uint32_t dst)
{
	const struct na_j_pair *p = b->s->pairs;
	size_t n = b->s->n_pairs,
	       at = NA_BOUND(i, 0, n,
			     p[i].src > src ||
				     (p[i].src == src && p[i].dst >= dst));

	return at < n && p[at].src == src && p[at].dst == dst ? at : n;
}

size_t na_j_find_link(const struct na_j_blocks *b, const struct na_place *p)
{
	const struct na_j_links *l = &b->links;
	size_t at = NA_BOUND(
		i, 0, l->n,
		l->v[i].a > p->a ||
			(l->v[i].a == p->a &&
			 (l->v[i].cause > p->cause ||
			  (l->v[i].cause == p->cause && l->v[i].b >= p->b))));

	return at < l->n && l->v[at].a == p->a && l->v[at].cause == p->cause &&
			       l->v[at].b == p->b
		       ? at
		       : l->n;
}

void na_j_place_blocks(const struct na_j_blocks *b, const struct na_place *p,
		       struct na_j_block out[2])
{
	size_t at;

	out[0] = out[1] = (struct na_j_block){NULL, 0};
	switch (p->cause) {
	case NA_CAUSE_SRC:
		out[0] = na_j_side_block(b, 0, p->a);
		break;
	case NA_CAUSE_DST:
		out[0] = na_j_side_block(b, 1, p->a);
		break;
	case NA_CAUSE_HOST:
		out[0] = na_j_side_block(b, 0, p->a);
		out[1] = na_j_side_block(b, 1, p->a);
		break;
	case NA_CAUSE_PAIR:
		at = na_j_find_pair(b, p->a, p->b);
		if (at < b->s->n_pairs)
			out[0] = (struct na_j_block){b->all + at, 1};
		break;
	case NA_CAUSE_RACK_UPLINK:
	case NA_CAUSE_RACK_DOWNLINK:
	case NA_CAUSE_RACK_PAIR:
		at = na_j_find_link(b, p);
		if (at < b->links.n)
			out[0] = na_j_link_block(b, at);
		break;
	case NA_CAUSES:
		break;
	}
}

size_t na_j_mark(const struct na_j_blocks *b, const struct na_place *p,
		 bool value, bool *in)
{
	struct na_j_block list[2];
	size_t n = 0;

	na_j_place_blocks(b, p, list);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < list[k].n; i++) {
			n += in[list[k].pair[i]] != value;
			in[list[k].pair[i]] = value;
		}
	return n;
}
