#include "netan/stats/samples/census.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

enum { FIRST_CAP = 64 };

static size_t slot_of(uint32_t group, int64_t value, size_t cap)
{
	uint64_t h = (uint64_t)value + group * UINT64_C(0x9e3779b97f4a7c15);

	/* Sizes are multiples of powers of two: their low bits say little. */
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	h ^= h >> 32;
	return (size_t)h & (cap - 1);
}

static struct na_census_item *find(const struct na_census *c, uint32_t group,
				   int64_t value)
{
	size_t i = slot_of(group, value, c->cap);

	while (c->items[i].count &&
	       (c->items[i].value != value || c->items[i].group != group))
		i = (i + 1) & (c->cap - 1);
	return &c->items[i];
}

/* Three quarters full at most: 87 000 values take 2 MiB. */
static bool widen(struct na_census *c)
{
	struct na_census next = {.cap = c->cap ? c->cap * 2 : FIRST_CAP,
				 .n = c->n};

	next.items = na_calloc(next.cap, sizeof(*next.items));
	if (!next.items)
		return false;
	for (size_t i = 0; i < c->cap; i++) {
		const struct na_census_item *x = &c->items[i];

		if (x->count)
			*find(&next, x->group, x->value) = *x;
	}
	free(c->items);
	*c = next;
	return true;
}

bool na_census_add(struct na_census *c, uint32_t group, int64_t value)
{
	struct na_census_item *x;

	if (c->n + 1 > c->cap / 4 * 3 && !widen(c))
		return false;
	x = find(c, group, value);
	if (!x->count) {
		x->value = value;
		x->group = group;
		c->n++;
	}
	x->count++;
	return true;
}

NA_ORDER(by_group, struct na_census_item, NA_UP(group), NA_UP(value))

/* Not na_grow(): the room of a long run must not double. */
static bool resize(struct na_census *c, size_t n)
{
	struct na_census_item *p;

	if (n > SIZE_MAX / sizeof(*p))
		return false;
	p = realloc(c->items, (n ? n : 1) * sizeof(*p));
	if (!p)
		return false;
	c->items = p;
	c->cap = n;
	return true;
}

/* Room that is not used goes back; keeping it is no error. */
static void fit_room(struct na_census *c)
{
	if (!resize(c, c->n))
		c->cap = c->n;
}

void na_census_close(struct na_census *c)
{
	size_t n = 0;

	if (!c->items)
		return;
	for (size_t i = 0; i < c->cap; i++) {
		if (c->items[i].count)
			c->items[n++] = c->items[i];
	}
	na_sort(c->items, n, by_group);
	fit_room(c);
}

void na_census_regroup(struct na_census *c, const uint32_t *group_of)
{
	bool sorted = true;

	for (size_t i = 0; i < c->n; i++) {
		c->items[i].group = group_of[c->items[i].group];
		sorted = sorted &&
			 (!i || by_group(&c->items[i - 1], &c->items[i]) <= 0);
	}
	if (!sorted)
		na_sort(c->items, c->n, by_group);
}

void na_census_fini(struct na_census *c)
{
	free(c->items);
	*c = (struct na_census){NULL, 0, 0};
}

void na_census_pack(const struct na_census *c, struct na_serializer *to)
{
	na_pack_number(to, c->n);
	for (size_t i = 0; i < c->n; i++) {
		na_pack_number(to, c->items[i].group);
		na_pack_number(to, (uint64_t)c->items[i].value);
		na_pack_number(to, c->items[i].count);
	}
}

void na_census_unpack(struct na_census *c, size_t n_groups,
		      struct na_deserializer *from)
{
	size_t n = na_unpack_count(from);

	na_unpack_must(from, resize(c, n));
	for (c->n = 0; !from->failed && c->n < n; c->n++) {
		struct na_census_item *x = &c->items[c->n];

		x->group = (uint32_t)na_unpack_index(from, n_groups);
		x->value = (int64_t)na_unpack_number(from);
		x->count = (uint32_t)na_unpack_index(from, UINT64_C(1) << 32);
		na_unpack_must(from, x->count > 0);
	}
}

/* Equal items become one where their counts fit. */
static bool absorbs(struct na_census_item *into, const struct na_census_item *x)
{
	if (by_group(into, x) != 0 || into->count > UINT32_MAX - x->count)
		return false;
	into->count += x->count;
	return true;
}

/* b into a: the longer run grows, and fills up from its end. */
static bool merge(struct na_census *a, struct na_census *b)
{
	size_t i = a->n, k = b->n, all = a->n + b->n, at = all;
	struct na_census_item *x;

	if (!resize(a, all))
		return false;
	x = a->items;
	while (i || k) {
		const struct na_census_item *next;

		if (!k || (i && by_group(&x[i - 1], &b->items[k - 1]) > 0))
			next = &x[--i];
		else
			next = &b->items[--k];
		if (at == all || !absorbs(&x[at], next))
			x[--at] = *next;
	}
	a->n = all - at;
	memmove(x, x + at, a->n * sizeof(*x));
	na_census_fini(b);
	fit_room(a);
	return true;
}

/* Merges the last two runs. */
static bool fold(struct na_census_stack *s)
{
	struct na_census *a = &s->runs[s->n - 2], *b = &s->runs[s->n - 1];
	struct na_census swap;

	if (a->n < b->n) {
		swap = *a;
		*a = *b;
		*b = swap;
	}
	if (!merge(a, b))
		return false;
	s->n--;
	return true;
}

bool na_census_push(struct na_census_stack *s, struct na_census *c)
{
	if (!c->n)
		return true;
	s->runs[s->n++] = *c;
	*c = (struct na_census){NULL, 0, 0};
	while (s->n > 1 && s->runs[s->n - 2].n / 2 < s->runs[s->n - 1].n) {
		if (!fold(s))
			return false;
	}
	return true;
}

void na_census_stack_fini(struct na_census_stack *s)
{
	for (size_t i = 0; i < s->n; i++)
		na_census_fini(&s->runs[i]);
	s->n = 0;
}

_Static_assert(sizeof(struct na_weighted) == sizeof(struct na_census_item),
	       "a run becomes the result in its own room");

bool na_census_join(struct na_census_stack *s, size_t n_groups,
		    struct na_weighted **out, size_t *from)
{
	struct na_census all = {NULL, 0, 0};
	size_t n = 0, group = 0, begin = 0;
	struct na_weighted *x;

	*out = NULL;
	while (s->n > 1) {
		if (!fold(s))
			return false;
	}
	if (s->n)
		all = s->runs[--s->n];
	x = (struct na_weighted *)(void *)all.items;
	for (size_t i = 0; i < all.n; i++) {
		const struct na_census_item item = all.items[i];

		for (; group <= item.group; group++)
			from[group] = begin = n;
		if (n > begin && x[n - 1].value == item.value)
			x[n - 1].count += item.count;
		else
			x[n++] = (struct na_weighted){item.value, item.count};
	}
	for (; group <= n_groups; group++)
		from[group] = n;
	*out = x;
	return true;
}

static uint64_t total_of(const struct na_weighted *x, size_t n)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += (uint64_t)x[i].count;
	return total;
}

double na_weighted_quantile(const struct na_weighted *x, size_t n, double p)
{
	uint64_t total = total_of(x, n), seen = 0, whole;
	double h, lower;
	size_t i = 0;

	if (!total)
		return NAN;
	h = (double)(total - 1) * p;
	whole = (uint64_t)h;
	while (seen + (uint64_t)x[i].count <= whole)
		seen += (uint64_t)x[i++].count;
	lower = (double)x[i].value;
	if (whole + 1 < seen + (uint64_t)x[i].count || i + 1 == n)
		return lower;
	return lower + (h - (double)whole) * ((double)x[i + 1].value - lower);
}

static na_i128 sum_of(const struct na_weighted *x, size_t n)
{
	na_i128 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (na_i128)x[i].value * x[i].count;
	return sum;
}

double na_weighted_gini(const struct na_weighted *x, size_t n)
{
	int64_t total = (int64_t)total_of(x, n), below = 0;
	na_i128 sum = sum_of(x, n), spread = 0;

	if (!sum)
		return NAN;
	/* Ranks below + 1 ... below + count, against their mirror images:
	 * at most sum * total in size, and that is below 2^127. */
	for (size_t i = 0; i < n; i++) {
		spread += (na_i128)x[i].value * x[i].count *
			  (2 * below + x[i].count - total);
		below += x[i].count;
	}
	return (double)spread / ((double)sum * (double)total);
}

int64_t na_weighted_half(const struct na_weighted *x, size_t n)
{
	na_i128 sum = sum_of(x, n), seen = 0;

	for (size_t i = 0; sum && i < n; i++) {
		seen += (na_i128)x[i].value * x[i].count;
		if (2 * seen >= sum)
			return x[i].value;
	}
	return -1;
}
