#include "netan/base/order.h"

#include <string.h>

#include "netan/base/memory/spill.h"

#define PLAIN(name, type) \
	int name(const void *first, const void *second) \
	{ \
		const type *x = first, *y = second; \
\
		return NA_CMP(*x, *y); \
	}

PLAIN(na_order_i32, int32_t)
PLAIN(na_order_u32, uint32_t)
PLAIN(na_order_i64, int64_t)
PLAIN(na_order_f64, double)

int na_order_text(const void *first, const void *second)
{
	const char *const *x = first, *const *y = second;

	return strcmp(*x, *y);
}

struct sort {
	size_t size;
	int (*order)(const void *, const void *);
	char *scratch; /* of half of the elements */
};

/* Most elements are a number, or two. */
static inline char *put(char *to, const char *from, size_t size)
{
	if (size == 8)
		memcpy(to, from, 8);
	else if (size == 16)
		memcpy(to, from, 16);
	else
		memcpy(to, from, size);
	return to + size;
}

/* The left part, moved aside, and the right one where it is. */
static void merge(const struct sort *s, char *v, size_t left, size_t n)
{
	const char *a = s->scratch, *a_end = a + left * s->size;
	const char *b = v + left * s->size, *b_end = v + n * s->size;

	memcpy(s->scratch, v, left * s->size);
	while (a < a_end && b < b_end) {
		const char **from = s->order(a, b) <= 0 ? &a : &b;

		v = put(v, *from, s->size);
		*from += s->size;
	}
	memcpy(v, a, (size_t)(a_end - a));
}

static void sort(const struct sort *s, char *v, size_t n)
{
	size_t left = n / 2;
	char *middle = v + left * s->size;

	if (n * s->size <= 1024) {
		qsort(v, n, s->size, s->order);
		return;
	}
	sort(s, v, left);
	sort(s, middle, n - left);
	if (s->order(middle - s->size, middle) > 0)
		merge(s, v, left, n);
}

void na_sort_of(void *v, size_t n, size_t size,
		int (*order)(const void *, const void *))
{
	struct sort s = {.size = size, .order = order};

	if (n < 2)
		return;
	if (n > NA_SPILL_BYTES / size)
		s.scratch = malloc(n / 2 * size);
	/* The library's takes memory that nobody counts. */
	if (s.scratch)
		sort(&s, v, n);
	else
		qsort(v, n, size, order);
	free(s.scratch);
}
