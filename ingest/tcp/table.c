#include "ingest/tcp/table.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { SLAB = NA_TCP_SLAB, FIRST_SLOTS = 256 };
enum { LINE = 64, FETCH_FROM = 512 };

struct na_tcp_rare *na_tcp_rare(struct na_tcp_dir *d)
{
	if (!d->rare)
		d->rare = calloc(1, sizeof(*d->rare));
	return d->rare;
}

bool na_tcp_table_init(struct na_tcp_table *t)
{
	memset(t, 0, sizeof(*t));
	t->unused = NA_TCP_NONE;
	memset(t->recent, 0xff, sizeof(t->recent));
	for (unsigned i = 0; i < NA_TCP_LISTS; i++)
		t->list[i] = (struct na_tcp_list){NA_TCP_NONE, NA_TCP_NONE, 0};
	t->key = na_hash_key();
	t->slot = calloc(FIRST_SLOTS, sizeof(*t->slot));
	t->mask = FIRST_SLOTS - 1;
	return t->slot;
}

void na_tcp_table_fini(struct na_tcp_table *t)
{
	for (size_t i = 0; i < t->n_slabs; i++)
		free(t->slab[i]);
	free(t->slab);
	free(t->slot);
	t->slab = NULL;
	t->slot = NULL;
	t->n_slabs = 0;
}

static uint64_t hash_end(uint64_t key, const struct na_address *a,
			 uint16_t port)
{
	return na_hash_address(key ^ (uint64_t)port << 48, a);
}

/* The same for both directions: the ends add up. */
uint32_t na_tcp_hash(const struct na_tcp_table *t, const struct na_packet *p)
{
	uint64_t h = hash_end(t->key, &p->src, p->src_port) +
		     hash_end(t->key, &p->dst, p->dst_port);

	h = na_hash_mix(h ^ t->key, 0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32);
}

/* Most of it will be read: with many connections that is what takes time. */
static void fetch(const struct na_tcp_conn *c)
{
	const char *p = (const char *)c;

	for (size_t i = 0; i < sizeof(*c); i += LINE)
		__builtin_prefetch(p + i, 1);
}

uint32_t na_tcp_find(struct na_tcp_table *t, uint32_t hash,
		     const struct na_packet *p, unsigned *dir)
{
	for (size_t i = hash & t->mask; t->slot[i].at; i = (i + 1) & t->mask) {
		const struct na_tcp_conn *c;
		uint32_t at = t->slot[i].at - 1;

		if (t->slot[i].hash != hash)
			continue;
		c = na_tcp_at(t, at);
		if (t->used >= FETCH_FROM)
			fetch(c);
		if (na_tcp_is(c, p, dir)) {
			*na_tcp_recent(t, c->port[0], c->port[1]) = at;
			return at;
		}
	}
	*dir = 0;
	return NA_TCP_NONE;
}

static void put_slot(struct na_tcp_table *t, struct na_tcp_slot s)
{
	size_t i = s.hash & t->mask;

	while (t->slot[i].at)
		i = (i + 1) & t->mask;
	t->slot[i] = s;
}

static bool widen(struct na_tcp_table *t)
{
	size_t n = t->mask + 1;
	struct na_tcp_slot *old = t->slot;
	struct na_tcp_slot *v = na_calloc(n * 2, sizeof(*v));

	if (!v)
		return false;
	t->slot = v;
	t->mask = n * 2 - 1;
	for (size_t i = 0; i < n; i++)
		if (old[i].at)
			put_slot(t, old[i]);
	free(old);
	return true;
}

/* Holes are closed: what probed over the slot moves up. */
static void drop_slot(struct na_tcp_table *t, uint32_t hash, uint32_t at)
{
	size_t i = hash & t->mask, k;

	while (t->slot[i].at != at + 1)
		i = (i + 1) & t->mask;
	for (k = (i + 1) & t->mask; t->slot[k].at; k = (k + 1) & t->mask) {
		size_t home = t->slot[k].hash & t->mask;

		if (((k - home) & t->mask) >= ((k - i) & t->mask)) {
			t->slot[i] = t->slot[k];
			i = k;
		}
	}
	t->slot[i] = (struct na_tcp_slot){0, 0};
}

static void link_newest(struct na_tcp_table *t, struct na_tcp_list *l,
			uint32_t at)
{
	struct na_tcp_conn *c = na_tcp_at(t, at);

	c->newer = NA_TCP_NONE;
	c->older = l->newest;
	if (l->newest != NA_TCP_NONE)
		na_tcp_at(t, l->newest)->newer = at;
	else
		l->oldest = at;
	l->newest = at;
	l->n++;
}

static void unlink_it(struct na_tcp_table *t, struct na_tcp_list *l,
		      const struct na_tcp_conn *c)
{
	if (c->newer != NA_TCP_NONE)
		na_tcp_at(t, c->newer)->older = c->older;
	else
		l->newest = c->older;
	if (c->older != NA_TCP_NONE)
		na_tcp_at(t, c->older)->newer = c->newer;
	else
		l->oldest = c->newer;
	l->n--;
}

static uint32_t make(struct na_tcp_table *t)
{
	uint32_t at = t->unused;

	if (at != NA_TCP_NONE) {
		t->unused = na_tcp_at(t, at)->newer;
		return at;
	}
	if (t->made == t->n_slabs * SLAB) {
		struct na_tcp_conn *s;

		if (!na_grow(&t->slab, &t->cap_slabs, t->n_slabs + 1,
			     sizeof(struct na_tcp_conn *)))
			return NA_TCP_NONE;
		s = na_calloc(SLAB, sizeof(*s));
		if (!s)
			return NA_TCP_NONE;
		t->slab[t->n_slabs++] = s;
	}
	return (uint32_t)t->made++;
}

uint32_t na_tcp_insert(struct na_tcp_table *t, uint32_t hash,
		       const struct na_packet *p)
{
	struct na_tcp_conn *c;
	uint32_t at;

	if (t->used * 2 > t->mask && !widen(t))
		return NA_TCP_NONE;
	at = make(t);
	if (at == NA_TCP_NONE)
		return at;
	c = na_tcp_at(t, at);
	memset(c, 0, sizeof(*c));
	c->end[0] = p->src;
	c->end[1] = p->dst;
	c->port[0] = p->src_port;
	c->port[1] = p->dst_port;
	c->hash = hash;
	put_slot(t, (struct na_tcp_slot){hash, at + 1});
	t->used++;
	c->in = NA_TCP_FRESH;
	link_newest(t, &t->list[c->in], at);
	return at;
}

void na_tcp_remove(struct na_tcp_table *t, uint32_t at)
{
	struct na_tcp_conn *c = na_tcp_at(t, at);

	uint32_t *recent = na_tcp_recent(t, c->port[0], c->port[1]);

	if (*recent == at)
		*recent = NA_TCP_NONE;
	unlink_it(t, &t->list[c->in], c);
	drop_slot(t, c->hash, at);
	t->used--;
	c->newer = t->unused;
	t->unused = at;
}

void na_tcp_move(struct na_tcp_table *t, uint32_t at, unsigned list)
{
	struct na_tcp_conn *c = na_tcp_at(t, at);

	unlink_it(t, &t->list[c->in], c);
	c->in = (uint8_t)list;
	link_newest(t, &t->list[list], at);
}
