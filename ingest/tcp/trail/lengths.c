#include "ingest/tcp/trail/lengths.h"

#include <math.h>
#include <string.h>

enum { PIECES_MOST = 64 };

static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0; /* RFC 1982 */
}

static uint32_t oldest(const struct na_lengths *x)
{
	return x->next > NA_LENGTHS_KEPT ? x->next - NA_LENGTHS_KEPT : 0;
}

/* ---- kinds of lengths */

static bool alike(const struct na_length_kind *a,
		  const struct na_length_kind *b)
{
	return !a->lost == !b->lost && !a->arrived == !b->arrived;
}

/* Two neighbours become one: the nearest of those that fared alike. */
static void join_two(struct na_lengths *x)
{
	struct na_length_kind *v = x->kind;
	double best = INFINITY;
	size_t at = 0;

	for (size_t i = 0; i + 1 < x->n_kinds; i++) {
		double apart = log((double)v[i + 1].least / v[i].most) +
			       (alike(&v[i], &v[i + 1]) ? 0 : 100);

		if (apart < best) {
			best = apart;
			at = i;
		}
	}
	v[at].most = v[at + 1].most;
	v[at].arrived += v[at + 1].arrived;
	v[at].lost += v[at + 1].lost;
	v[at].lost_again += v[at + 1].lost_again;
	x->n_kinds--;
	memmove(v + at + 1, v + at + 2, (x->n_kinds - at - 1) * sizeof(*v));
}

static struct na_length_kind *kind_of(struct na_lengths *x, uint32_t bytes)
{
	struct na_length_kind *v = x->kind;
	size_t i = 0;

	while (i < x->n_kinds && v[i].most < bytes)
		i++;
	if (i < x->n_kinds && v[i].least <= bytes)
		return &v[i];
	if (x->n_kinds == NA_LENGTHS_KINDS) {
		join_two(x);
		return kind_of(x, bytes);
	}
	memmove(v + i + 1, v + i, (x->n_kinds - i) * sizeof(*v));
	x->n_kinds++;
	v[i] = (struct na_length_kind){.least = bytes, .most = bytes};
	return &v[i];
}

/* What became of the one that is kept at i. */
static void decide(struct na_lengths *x, size_t i, uint32_t una)
{
	uint32_t bytes = x->sent[i].end - x->sent[i].seq;
	struct na_length_kind *to;

	if (!bytes || before(una, x->sent[i].end))
		return;
	to = kind_of(x, bytes);
	if (x->sent[i].lost < bytes) {
		to->arrived++;
	} else {
		to->lost++;
		to->lost_again += x->sent[i].again;
	}
}

/* ---- transmissions */

uint32_t na_lengths_sent(struct na_lengths *x, uint32_t seq, uint32_t end,
			 uint32_t una, bool again)
{
	uint32_t number = x->next++;
	size_t i = number % NA_LENGTHS_KEPT;

	if (number >= NA_LENGTHS_KEPT)
		decide(x, i, una);
	x->sent[i].seq = seq;
	x->sent[i].end = end;
	x->sent[i].lost = 0;
	x->sent[i].again = again;
	return number;
}

/* The last before `number` that carried the byte at seq; -1: none is kept. */
static int carrier(const struct na_lengths *x, uint32_t number, uint32_t seq)
{
	uint32_t first = oldest(x);

	for (uint32_t n = number; n > first; n--) {
		size_t i = (n - 1) % NA_LENGTHS_KEPT;

		if (!before(seq, x->sent[i].seq) && before(seq, x->sent[i].end))
			return (int)i;
	}
	return -1;
}

void na_lengths_needed(struct na_lengths *x, uint32_t number, uint32_t seq,
		       uint32_t end, bool needed)
{
	if (number >= x->next)
		return;
	for (int n = 0; n < PIECES_MOST && before(seq, end); n++) {
		int i = carrier(x, number, seq);
		uint32_t to, piece;

		if (i < 0)
			return;
		to = before(x->sent[i].end, end) ? x->sent[i].end : end;
		piece = to - seq;
		if (needed)
			x->sent[i].lost += piece;
		else
			x->sent[i].lost -= piece < x->sent[i].lost
						   ? piece
						   : x->sent[i].lost;
		seq = to;
	}
}

/* ---- the cut */

/* Logarithm of the likelihood of so many lost, at the rate they show. */
static double likely(double lost, double sent)
{
	double got = sent - lost, sum = 0;

	if (lost > 0)
		sum += lost * log(lost / sent);
	if (got > 0)
		sum += got * log(got / sent);
	return sum;
}

static struct na_length_cut cut_at(const struct na_length_kind *v, size_t n,
				   size_t at)
{
	struct na_length_cut c = {
		.short_most = v[at - 1].most,
		.long_least = v[at].least,
		.cuts = (uint32_t)n - 1,
	};

	for (size_t i = 0; i < n; i++) {
		uint32_t sent = v[i].arrived + v[i].lost;

		*(i < at ? &c.short_sent : &c.long_sent) += sent;
		*(i < at ? &c.short_lost : &c.long_lost) += v[i].lost;
		c.long_lost_again += i < at ? 0 : v[i].lost_again;
	}
	return c;
}

static double worth(const struct na_length_cut *c)
{
	if ((uint64_t)c->long_lost * c->short_sent <=
	    (uint64_t)c->short_lost * c->long_sent)
		return 0;
	return likely(c->long_lost, c->long_sent) +
	       likely(c->short_lost, c->short_sent) -
	       likely((double)c->long_lost + c->short_lost,
		      (double)c->long_sent + c->short_sent);
}

struct na_length_cut na_lengths_cut(const struct na_lengths *x, uint32_t una,
				    uint32_t longest)
{
	struct na_lengths all = *x;
	struct na_length_cut best = {.cuts = 0};
	double most = 0;

	for (uint32_t n = oldest(x); n < x->next; n++)
		decide(&all, n % NA_LENGTHS_KEPT, una);
	if (longest)
		kind_of(&all, longest)->arrived++;
	for (size_t at = 1; at < all.n_kinds; at++) {
		struct na_length_cut c = cut_at(all.kind, all.n_kinds, at);

		if (worth(&c) > most) {
			most = worth(&c);
			best = c;
		}
	}
	return best;
}
