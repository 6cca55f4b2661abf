/* Named values in words. */
#include "netan/result/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/ranges.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

_Static_assert(NA_PLAIN_BUF >= NA_UNIT_BUF + 8, "a number and its unit fit");

enum { DIGITS = 3 };

enum unit { PLAIN, TIME, RATE, BYTES, SHARE, CHANCE };

struct suffix {
	const char *text;
	enum unit unit;
	double scale; /* to ps, bit/s, bytes, percent */
};

/* clang-format off */
static const struct suffix suffixes[] = {
	{"_share", SHARE, 100},
	{"p_value", CHANCE, 1},
	{"q_value", CHANCE, 1},
	{"_gbps", RATE, 1e9},
	{"_bytes", BYTES, 1},
	{"_ns", TIME, 1e3},
	{"_us", TIME, 1e6},
	{"_ms", TIME, 1e9},
	{"_s", TIME, 1e12},
};
/* clang-format on */

static const struct suffix *suffix_of(const char *name)
{
	static const struct suffix bytes = {"bytes", BYTES, 1};
	size_t n = name ? strlen(name) : 0;

	for (size_t i = 0; i < NA_LEN(suffixes); i++) {
		size_t k = strlen(suffixes[i].text);

		/* A unit has something before it. */
		if (n + (suffixes[i].unit == CHANCE) > k && n >= k &&
		    strcmp(name + n - k, suffixes[i].text) == 0)
			return &suffixes[i];
	}
	return n && strcmp(name, bytes.text) == 0 ? &bytes : NULL;
}

/* Shares, bytes and chances keep their word: "small share" says of what it
 * is. */
const char *na_plain_name(char *buf, const char *name)
{
	const struct suffix *s = suffix_of(name);
	size_t n = name ? strlen(name) : 0;

	if (name && strcmp(name, "q_value") == 0)
		return strcpy(buf, "p value, corrected");
	if (name && strncmp(name, "n_", 2) == 0 && n > 2) {
		name += 2;
		n -= 2;
	}
	if (s && s->unit != SHARE && s->unit != BYTES && s->unit != CHANCE)
		n -= strlen(s->text);
	if (n > NA_PLAIN_BUF - 1)
		n = NA_PLAIN_BUF - 1;
	if (n)
		memcpy(buf, name, n);
	buf[n] = '\0';
	for (char *p = buf; *p; p++) {
		if (*p == '_') /* p99_9 */
			*p = p > buf && na_is_digit(p[-1]) && na_is_digit(p[1])
				     ? '.'
				     : ' ';
	}
	return buf;
}

/* What digits after the point cannot tell: 2.37e-47, in any locale. */
static const char *small(char *buf, double x)
{
	snprintf(buf, NA_PLAIN_BUF, "%.*e", DIGITS - 1, x);
	buf[x < 0 ? 2 : 1] = '.';
	return buf;
}

const char *na_plain_real(char *buf, const char *name, double x)
{
	const struct suffix *s = suffix_of(name);
	double scaled = x * (s ? s->scale : 1);

	if (!isfinite(scaled))
		return strcpy(buf, "-");
	if (s && s->unit == TIME && fabs(scaled) < 9e18)
		return na_print_time(buf, (int64_t)llround(scaled), DIGITS);
	if (s && s->unit == RATE)
		return na_print_rate(buf, scaled, DIGITS);
	if (s && s->unit == CHANCE)
		return na_print_chance(buf, scaled);
	if (s && s->unit == BYTES)
		return na_print_bytes(buf, scaled, DIGITS);
	if (!s && x != 0 && fabs(x) < 1e-3)
		return small(buf, x);
	na_print_number(buf, s && s->unit == TIME ? scaled / 1e12 : scaled,
			DIGITS);
	if (s)
		strcat(buf, s->unit == TIME ? " s" : " %");
	return buf;
}

const char *na_plain_number(char *buf, const struct na_value *v)
{
	if (v->kind == NA_V_INT && !suffix_of(v->name)) {
		bool below = v->u.i < 0;

		buf[0] = '-';
		na_print_count(buf + below,
			       below ? 0 - (uint64_t)v->u.i : (uint64_t)v->u.i);
		return buf;
	}
	return na_plain_real(buf, v->name, na_real_of(v, (double)NAN));
}

const char *na_plain_ranges(char *buf, size_t size, const struct na_value *list)
{
	struct na_numbers all = {.n = 0};
	bool ok = true;

	na_for_each (v, list)
		ok = ok && na_add(&all, (int32_t)na_int_of(v, -1));
	if (ok)
		na_ranges_text(all.v, all.n, buf, size);
	na_vec_free(&all);
	return ok ? buf : NULL;
}
