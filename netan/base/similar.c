#include "netan/base/similar.h"

#include <stdint.h>
#include <string.h>

static int fold(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

size_t na_edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][NA_SIMILAR_MAX + 1];
	size_t *two = rows[0], *one = rows[1], *now = rows[2];

	na = na > NA_SIMILAR_MAX ? NA_SIMILAR_MAX : na;
	nb = nb > NA_SIMILAR_MAX ? NA_SIMILAR_MAX : nb;
	for (size_t j = 0; j <= nb; j++)
		one[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *spare = two;

		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t cost = fold(a[i - 1]) != fold(b[j - 1]);

			now[j] = min3(one[j] + 1, now[j - 1] + 1,
				      one[j - 1] + cost);
			if (i > 1 && j > 1 &&
			    fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]) &&
			    two[j - 2] + 1 < now[j])
				now[j] = two[j - 2] + 1;
		}
		two = one;
		one = now;
		now = spare;
	}
	return one[nb];
}

bool na_starts_nocase(const char *a, size_t na, const char *prefix)
{
	for (size_t i = 0; prefix[i]; i++) {
		if (i == na || fold(a[i]) != fold(prefix[i]))
			return false;
	}
	return true;
}

bool na_same_nocase(const char *a, size_t na, const char *b)
{
	return na == strlen(b) && na_starts_nocase(a, na, b);
}

bool na_ends_nocase(const char *a, size_t na, const char *suffix)
{
	size_t n = strlen(suffix);

	return n <= na && na_starts_nocase(a + (na - n), n, suffix);
}

bool na_contains_nocase(const char *a, size_t na, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= na; i++) {
		if (na_starts_nocase(a + i, n, part))
			return true;
	}
	return false;
}

const char *na_closest(const char *word, const char *const *names, size_t n)
{
	size_t len = strlen(word), best = SIZE_MAX;
	const char *found = NULL;

	for (size_t k = 0; k < n; k++) {
		size_t m = strlen(names[k]);
		size_t d = na_edit_distance(word, len, names[k], m);

		if (len >= 2 && na_starts_nocase(names[k], m, word))
			d = 0;
		/* A third of the letters may differ, two at least, but not
		 * most of what was typed. */
		if (d < best && d <= (m > 8 ? m / 3 : 2) && d < m &&
		    d <= len / 2) {
			best = d;
			found = names[k];
		}
	}
	return found;
}
