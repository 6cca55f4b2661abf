#include "ingest/tcp/seen.h"

#include <stdlib.h>
#include <string.h>

void na_seen_init(struct na_seen *s, int64_t start)
{
	memset(s, 0, sizeof(*s));
	s->low = s->high = start;
}

void na_seen_fini(struct na_seen *s, struct na_cells *budget)
{
	free(s->hole);
	budget->used -= s->cap;
	na_seen_init(s, 0);
}

static bool grow(struct na_seen *s, struct na_cells *budget)
{
	size_t cap = s->cap ? (size_t)s->cap * 2 : 4;
	struct na_hole *v;

	if (cap > NA_SEEN_MOST || cap - s->cap > budget->most - budget->used)
		return false;
	v = realloc(s->hole, cap * sizeof(*v));
	if (!v)
		return false;
	budget->used += cap - s->cap;
	s->hole = v;
	s->cap = (uint16_t)cap;
	return true;
}

static void cut_out(struct na_seen *s, size_t i, size_t n)
{
	memmove(s->hole + i, s->hole + i + n,
		(s->n - i - n) * sizeof(*s->hole));
	s->n = (uint16_t)(s->n - n);
}

/* A hole at index i, later ones move up. */
static void put_in(struct na_seen *s, struct na_cells *budget, size_t i,
		   struct na_hole h)
{
	if (s->n == s->cap && !grow(s, budget)) {
		size_t n = s->n / 4 + 1; /* at once: it is a move of all */

		n = n < i ? n : i;
		budget->dropped += n ? n : 1;
		if (n == 0)
			return;
		cut_out(s, 0, n);
		i -= n;
	}
	memmove(s->hole + i + 1, s->hole + i, (s->n - i) * sizeof(*s->hole));
	s->hole[i] = h;
	s->n++;
}

/* First hole that ends behind x. */
static size_t find(const struct na_seen *s, int64_t x)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->hole[mid].to > x)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* from..to lies between low and high: what of it fills holes. */
static uint64_t fill(struct na_seen *s, struct na_cells *budget, int64_t from,
		     int64_t to)
{
	size_t i = find(s, from);
	uint64_t fresh = 0;

	while (i < s->n && s->hole[i].from < to) {
		struct na_hole *h = s->hole + i;
		struct na_hole was = *h;
		int64_t a = from > was.from ? from : was.from;
		int64_t b = to < was.to ? to : was.to;

		fresh += (uint64_t)(b - a);
		if (a == was.from && b == was.to) {
			cut_out(s, i, 1);
			continue;
		}
		if (a == was.from) {
			h->from = b;
		} else {
			h->to = a;
			if (b < was.to)
				put_in(s, budget, i + 1,
				       (struct na_hole){b, was.to});
		}
		if (b == to)
			break;
		i++;
	}
	return fresh;
}

uint64_t na_seen_add(struct na_seen *s, struct na_cells *budget, int64_t from,
		     int64_t to)
{
	uint64_t fresh = 0;

	if (from >= to)
		return 0;
	if (s->low == s->high) { /* the first bytes */
		s->low = from;
		s->high = to;
		return (uint64_t)(to - from);
	}
	if (to > s->high) {
		int64_t old = s->high;

		if (from > old)
			put_in(s, budget, s->n, (struct na_hole){old, from});
		fresh += (uint64_t)(to - (from > old ? from : old));
		s->high = to;
		to = from > old ? from : old;
	}
	if (from < s->low) {
		int64_t old = s->low;

		if (to < old)
			put_in(s, budget, 0, (struct na_hole){to, old});
		fresh += (uint64_t)((to < old ? to : old) - from);
		s->low = from;
		from = to < old ? to : old;
	}
	if (s->n > 0 && from < to)
		fresh += fill(s, budget, from, to);
	return fresh;
}
