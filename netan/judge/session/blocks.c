#include "netan/judge/session/blocks.h"

#include "netan/base/order.h"

/* Connections by host and device; only of hosts with several. */
static void list_devices(struct na_j_blocks *b, int side,
			 const struct na_groups *g, uint32_t *n_pairs)
{
	const struct na_j_connection *c = b->s->connections;
	size_t first = b->n_devices;

	for (size_t i = 0, end; i < g->n; i = end) {
		uint32_t host = na_j_host_of(&c[na_j_first(g, i)], side);

		for (end = i; end < g->n && na_j_host_of(&c[na_j_first(g, end)],
							 side) == host;)
			end++;
		for (size_t k = i; end - i > 1 && k < end; k++) {
			struct na_j_device *d = &b->devices[b->n_devices++];

			*d = (struct na_j_device){
				(uint32_t)side,
				host,
				na_j_device_of(&c[na_j_first(g, k)], side),
				*n_pairs,
				0,
				(uint32_t)(end - i)};
			for (uint32_t x = g->from[k]; x < g->from[k + 1]; x++)
				if (!d->n || b->device_pair[*n_pairs - 1] !=
						     c[g->row[x]].pair) {
					b->device_pair[(*n_pairs)++] =
						c[g->row[x]].pair;
					d->n++;
				}
		}
	}
	b->device_from[side] = first;
	b->device_from[side + 1] = b->n_devices;
}

static bool devices_init(struct na_j_blocks *b, struct na_arena *mem,
			 struct na_arena *tmp)
{
	const struct na_j_session *s = b->s;
	size_t n = s->n_connections;
	uint32_t *host = NA_NEW(tmp, uint32_t, n),
		 *device = NA_NEW(tmp, uint32_t, n), n_pairs = 0;
	struct na_groups g;

	b->n_devices = 0;
	b->devices = NA_NEW(mem, struct na_j_device, 2 * n);
	b->device_pair = NA_NEW(mem, uint32_t, 2 * n);
	if (!host || !device || !b->devices || !b->device_pair)
		return false;
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < n; i++) {
			host[i] = na_j_host_of(&s->connections[i], side);
			device[i] = na_j_device_of(&s->connections[i], side);
		}
		if (!na_j_group(&g, NA_J_BY(host, device), NULL, n, tmp))
			return false;
		list_devices(b, side, &g, &n_pairs);
	}
	return true;
}

bool na_j_blocks_init(struct na_j_blocks *b, const struct na_j_session *s,
		      struct na_arena *mem)
{
	struct na_arena tmp = {0};
	uint32_t *host = NA_NEW(&tmp, uint32_t, s->n_pairs);
	bool ok = host && na_j_links_init(&b->links, s, mem);

	b->s = s;
	b->all = NA_NEW(mem, uint32_t, s->n_pairs);
	ok = ok && b->all;
	for (size_t p = 0; ok && p < s->n_pairs; p++)
		b->all[p] = (uint32_t)p;
	for (int side = 0; ok && side < 2; side++) {
		struct na_groups *g = &b->by_side[side];

		b->side_at[side] = NA_NEW(mem, uint32_t, s->n_hosts);
		for (size_t p = 0; p < s->n_pairs; p++)
			host[p] = side ? s->pairs[p].dst : s->pairs[p].src;
		ok = b->side_at[side] &&
		     na_j_group(g, NA_J_BY(host), NULL, s->n_pairs, mem);
		for (size_t h = 0; ok && h < s->n_hosts; h++)
			b->side_at[side][h] = NA_JUDGE_NONE;
		for (size_t i = 0; ok && i < g->n; i++)
			b->side_at[side][host[na_j_first(g, i)]] = (uint32_t)i;
	}
	ok = ok && devices_init(b, mem, &tmp);
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

size_t na_j_find_device(const struct na_j_blocks *b, const struct na_place *p)
{
	uint32_t side = p->cause == NA_JUDGE_DST;
	const struct na_j_device *d = b->devices;
	size_t to = b->device_from[side + 1],
	       at = NA_BOUND(i, b->device_from[side], to,
			     d[i].host > p->a || (d[i].host == p->a &&
						  d[i].device >= p->b));

	return at < to && d[at].host == p->a && d[at].device == p->b
		       ? at
		       : b->n_devices;
}

static struct na_j_block one_side(const struct na_j_blocks *b,
				  const struct na_place *p)
{
	size_t at;

	if (p->b == NA_JUDGE_NONE)
		return na_j_side_block(b, p->cause == NA_JUDGE_DST, p->a);
	at = na_j_find_device(b, p);
	return at < b->n_devices
		       ? (struct na_j_block){b->device_pair +
						     b->devices[at].from,
					     b->devices[at].n}
		       : (struct na_j_block){NULL, 0};
}

void na_j_place_blocks(const struct na_j_blocks *b, const struct na_place *p,
		       struct na_j_block out[2])
{
	size_t at;

	out[0] = out[1] = (struct na_j_block){NULL, 0};
	switch (p->cause) {
	case NA_JUDGE_SRC:
	case NA_JUDGE_DST:
		out[0] = one_side(b, p);
		break;
	case NA_JUDGE_HOST:
		out[0] = na_j_side_block(b, 0, p->a);
		out[1] = na_j_side_block(b, 1, p->a);
		break;
	case NA_JUDGE_PAIR:
		at = na_j_find_pair(b, p->a, p->b);
		if (at < b->s->n_pairs)
			out[0] = (struct na_j_block){b->all + at, 1};
		break;
	case NA_JUDGE_RACK_UPLINK:
	case NA_JUDGE_RACK_DOWNLINK:
	case NA_JUDGE_RACK_PAIR:
		at = na_j_find_link(b, p);
		if (at < b->links.n)
			out[0] = na_j_link_block(b, at);
		break;
	case NA_JUDGE_CAUSES:
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
