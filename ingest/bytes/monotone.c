#include "ingest/bytes/monotone.h"

#include <string.h>

enum { LEAST = 512, LINE_MOST = 200 };

/* How far apart two newlines are; 1: there is none.  0: too far. */
static size_t period(const uint8_t *p, size_t n)
{
	const uint8_t *a = memchr(p, '\n', n), *b;

	if (!a)
		return 1;
	b = memchr(a + 1, '\n', n - (size_t)(a - p) - 1);
	return b && b - a <= LINE_MOST ? (size_t)(b - a) : 0;
}

bool na_monotone_goes_on(struct na_monotone *m, const uint8_t *p, size_t n)
{
	size_t by = n < LEAST ? 0 : period(p, n);

	if (by && memcmp(p, p + by, n - by) == 0)
		m->run += n;
	else
		m->run = 0;
	return m->run >= NA_MONOTONE_BYTES;
}
