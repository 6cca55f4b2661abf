#include "netan/base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* From here on room grows by a quarter, by a thirty-second. */
enum { LARGE_BYTES = 1 << 20, HUGE_BYTES = 16 << 20 };

bool na_grow_past(void *p, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap;
	void *old, *new;

	while (n < want) {
		if (n > SIZE_MAX / 2)
			return false;
		if (!n)
			n = 8;
		else if (!size || n < LARGE_BYTES / size)
			n *= 2;
		else
			n += n / (n < HUGE_BYTES / size ? 4 : 32) + 1;
	}
	if (size && n > SIZE_MAX / size)
		return false;
	memcpy(&old, p, sizeof(old));
	new = realloc(old, n * size);
	if (!new)
		return false;
	memcpy(p, &new, sizeof(new));
	*cap = n;
	return true;
}

void na_fit(void *p, size_t *cap, size_t n, size_t size)
{
	void *old, *less;

	memcpy(&old, p, sizeof(old));
	less = n && n < *cap ? realloc(old, n * size) : NULL;
	if (!less)
		return;
	memcpy(p, &less, sizeof(less));
	*cap = n;
}

bool na_vec_zero_to(void *p, size_t *n, size_t *cap, size_t i, size_t size)
{
	unsigned char *v;

	if (!na_grow(p, cap, i + 1, size))
		return false;
	memcpy(&v, p, sizeof(v));
	memset(v + *n * size, 0, (i + 1 - *n) * size);
	*n = i + 1;
	return true;
}

void *na_calloc(size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		return NULL;
	return calloc(n ? n : 1, size ? size : 1);
}
