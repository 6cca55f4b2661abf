/* Fragments: a few slots, a buffer and a map of 8-byte units for each. */
#include "ingest/capture/fragment.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/capture/addresses.h"
#include "netan/base/vec.h"

enum {
	DATAGRAM_TOP = 65535, /* bytes */
	MAP_BYTES = 8192 / 8  /* one bit for each 8 bytes */
};
static const uint64_t age_top_ns = UINT64_C(60000000000); /* RFC 8200, 4.5 */

struct slot {
	uint32_t hash; /* 0: free */
	bool dead;     /* overlapped: swallows what still comes */
	uint8_t protocol;
	uint32_t id;
	struct na_address src, dst;
	uint32_t total;   /* 0: the last fragment was not seen */
	uint32_t covered; /* bytes that are there */
	uint32_t reach;   /* of the furthest */
	int64_t first_ns;
	uint64_t order;
	uint8_t *data, *map;
	size_t room;
};

struct na_fragments {
	struct slot *slots; /* NULL: few captures have a fragment */
	uint8_t *whole;     /* handed out; freed at the next call */
	uint64_t seen, lost, order, live;
	size_t bytes;
};

struct na_fragments *na_fragments_new(void)
{
	return na_calloc(1, sizeof(struct na_fragments));
}

static void release(struct na_fragments *f, struct slot *s)
{
	f->bytes -= s->room;
	f->live -= s->hash != 0;
	free(s->data);
	free(s->map);
	memset(s, 0, sizeof(*s));
}

void na_fragments_free(struct na_fragments *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->live; i++)
		release(f, &f->slots[i]);
	free(f->slots);
	free(f->whole);
	free(f);
}

uint64_t na_fragments_seen(const struct na_fragments *f)
{
	return f->seen;
}

uint64_t na_fragments_lost(const struct na_fragments *f)
{
	return f->lost + f->live;
}

static void lose(struct na_fragments *f, struct slot *s)
{
	release(f, s);
	f->lost++;
}

static uint32_t hash_of(const struct na_fragment *x)
{
	uint64_t h = na_hash_address((uint64_t)x->protocol << 32 | x->id,
				     &x->src);

	return (uint32_t)na_hash_address(h, &x->dst) | 1;
}

static bool same(const struct slot *s, const struct na_fragment *x)
{
	return s->id == x->id && s->protocol == x->protocol &&
	       na_address_same(&s->src, &x->src) &&
	       na_address_same(&s->dst, &x->dst);
}

/* The least recently begun; `keep` stays. */
static struct slot *oldest(struct na_fragments *f, const struct slot *keep)
{
	struct slot *o = NULL;

	for (size_t i = 0; i < NA_FRAGMENT_DATAGRAMS; i++) {
		struct slot *s = &f->slots[i];

		if (s->hash && s != keep && (!o || s->order < o->order))
			o = s;
	}
	return o;
}

static uint64_t apart_ns(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static struct slot *slot_of(struct na_fragments *f, const struct na_fragment *x)
{
	uint32_t hash = hash_of(x);
	struct slot *s, *empty = NULL;

	if (!f->slots)
		f->slots = na_calloc(NA_FRAGMENT_DATAGRAMS, sizeof(*f->slots));
	if (!f->slots)
		return NULL;
	for (size_t i = 0; i < NA_FRAGMENT_DATAGRAMS; i++) {
		s = &f->slots[i];
		if (!s->hash)
			empty = s;
		if (s->hash != hash || !same(s, x))
			continue;
		if (apart_ns(x->time_ns, s->first_ns) <= age_top_ns)
			return s;
		lose(f, s);
		empty = s;
		break;
	}
	if (!empty) {
		empty = oldest(f, NULL);
		lose(f, empty);
	}
	s = empty;
	s->map = na_calloc(MAP_BYTES, 1);
	if (!s->map)
		return NULL;
	s->hash = hash;
	s->id = x->id;
	s->protocol = x->protocol;
	s->src = x->src;
	s->dst = x->dst;
	s->first_ns = x->time_ns;
	s->order = f->order++;
	f->live++;
	return s;
}

static bool make_room(struct na_fragments *f, struct slot *s, size_t want)
{
	size_t was = s->room;
	bool ok = na_grow(&s->data, &s->room, want, 1);

	f->bytes += s->room - was;
	while (ok && f->bytes > NA_FRAGMENT_BYTES) {
		struct slot *o = oldest(f, s);

		if (!o)
			return false;
		lose(f, o);
	}
	return ok;
}

/* Marks the units of x; how many of them were there before. */
static uint32_t mark(struct slot *s, const struct na_fragment *x)
{
	uint32_t from = x->offset / 8;
	uint32_t to = (x->offset + (uint32_t)x->wire + 7) / 8, were = 0;

	for (uint32_t i = from; i < to; i++) {
		uint8_t bit = (uint8_t)(1u << (i & 7));

		were += (s->map[i / 8] & bit) != 0;
		s->map[i / 8] |= bit;
	}
	return were;
}

static void kill(struct na_fragments *f, struct slot *s)
{
	s->dead = true;
	f->bytes -= s->room;
	free(s->data);
	s->data = NULL;
	s->room = 0;
}

/* False: x does not fit what is there, or nothing can come of it. */
static bool lay(struct na_fragments *f, struct slot *s,
		const struct na_fragment *x)
{
	uint32_t n = (uint32_t)x->wire, end = x->offset + n, were;
	uint32_t units = (n + 7) / 8;

	if (x->captured < x->wire || n == 0 || (x->more && n % 8))
		return false;
	if (s->total && (end > s->total || (!x->more && end != s->total)))
		return false;
	if (!x->more && s->reach > end)
		return false;
	if (!make_room(f, s, end))
		return false;
	were = mark(s, x);
	if (were == units) /* again; the same bytes or not? */
		return memcmp(s->data + x->offset, x->data, n) == 0;
	if (were)
		return false;
	memcpy(s->data + x->offset, x->data, n);
	s->covered += n;
	s->reach = end > s->reach ? end : s->reach;
	if (!x->more)
		s->total = end;
	return true;
}

/* True: x completes its datagram, which leaves its slot. */
static bool take(struct na_fragments *f, const struct na_fragment *x, size_t *n)
{
	struct slot *s = slot_of(f, x);

	if (!s || s->dead)
		return false;
	if (x->wire > DATAGRAM_TOP || x->offset > DATAGRAM_TOP - x->wire ||
	    !lay(f, s, x)) {
		kill(f, s);
		return false;
	}
	if (!s->total || s->covered != s->total)
		return false;
	*n = s->total;
	f->whole = s->data;
	s->data = NULL;
	release(f, s);
	return true;
}

bool na_fragments_add(struct na_fragments *f, const struct na_fragment *x,
		      const uint8_t **whole, size_t *n)
{
	uint8_t *before = f->whole; /* x may lie in it: a tunnel's */
	bool done;

	f->whole = NULL;
	f->seen++;
	done = take(f, x, n);
	if (done)
		*whole = f->whole;
	free(before);
	return done;
}
