#include "netan/base/ranges.h"

#include <stdbool.h>
#include <stdlib.h>

#include "netan/base/str.h"
#include "netan/base/vec.h"

enum { PIECES = 12, DIGITS = 9 };

void na_ranges_text(const int32_t *v, size_t n, char *buf, size_t size)
{
	struct na_str to = na_str_over(buf, size);
	size_t shown = 0, run;

	buf[0] = '\0';
	for (size_t i = 0; i < n; i += run) {
		for (run = 1; i + run < n; run++) {
			if (v[i + run] != (int64_t)v[i] + (int64_t)run)
				break;
		}
		if (run == 2)
			run = 1;
		if (++shown > PIECES) {
			na_str_addf(&to, " and %zu more", n - i);
			return;
		}
		if (run == 1)
			na_str_join(&to, i + 1 == n ? " and " : ", ", "%d",
				    (int)v[i]);
		else
			na_str_join(&to, i + run == n ? " and " : ", ", "%d-%d",
				    (int)v[i], (int)v[i + run - 1]);
	}
}

/* A number from *p on; -1: there is none, or it is too long. */
static int32_t number_at(const char **p)
{
	int32_t x = 0;
	int digits = 0;

	for (; **p >= '0' && **p <= '9' && digits <= DIGITS; ++*p) {
		if (++digits <= DIGITS)
			x = 10 * x + (**p - '0');
	}
	return digits && digits <= DIGITS ? x : -1;
}

bool na_ranges_read(struct na_numbers *to, const char *list)
{
	to->n = 0;
	for (const char *p = list;; p++) {
		int32_t x = number_at(&p);

		if (x < 0 || (*p && *p != ',')) {
			to->n = 0;
			return true;
		}
		if (!na_add(to, x))
			return false;
		if (!*p)
			return true;
	}
}

const char *na_ranges_of(const char *list, char *buf, size_t size)
{
	struct na_numbers all = {.n = 0};
	bool taken = na_ranges_read(&all, list) && all.n;

	if (taken)
		na_ranges_text(all.v, all.n, buf, size);
	na_vec_free(&all);
	return taken ? buf : list;
}
