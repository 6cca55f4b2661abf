#include "ingest/logs/xla_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/logs/xla_parts.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

struct na_text na_xla_trimmed(struct na_text x)
{
	while (x.n && na_xla_is_blank(x.s[x.n - 1]))
		x.n--;
	while (x.n && na_xla_is_blank(x.s[0]))
		x = na_text_from(x, 1);
	return x;
}

size_t na_xla_count(const char *s, size_t n, uint64_t *x)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; i < n && na_is_digit(s[i]); i++) {
		if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return 0;
	}
	if (i)
		*x = v;
	return i;
}

size_t na_xla_decimal(const char *s, size_t n, double *x)
{
	enum { DIGITS = 60 };
	char buf[DIGITS + 1];
	size_t i = 0, digits = 0, mark;
	double v;

	if (i < n && s[i] == '-')
		i++;
	for (; i < n && na_is_digit(s[i]); i++)
		digits++;
	if (i < n && s[i] == '.') {
		for (i++; i < n && na_is_digit(s[i]); i++)
			digits++;
	}
	mark = i;
	if (i < n && (s[i] == 'e' || s[i] == 'E')) {
		size_t from;

		i++;
		i += i < n && (s[i] == '+' || s[i] == '-');
		from = i;
		while (i < n && na_is_digit(s[i]))
			i++;
		if (i == from)
			i = mark;
	}
	if (!digits || i > DIGITS)
		return 0;
	memcpy(buf, s, i);
	buf[i] = 0;
	v = strtod(buf, NULL);
	if (!isfinite(v))
		return 0;
	*x = v;
	return i;
}

/* ---- durations */

enum { UNITS = 6, US = 5 };

static const struct unit {
	const char *name;
	size_t n;
	int64_t ns;
} units[UNITS] = {
	{"d", 1, INT64_C(86400000000000)}, {"h", 1, INT64_C(3600000000000)},
	{"m", 1, INT64_C(60000000000)},    {"s", 1, INT64_C(1000000000)},
	{"ms", 2, INT64_C(1000000)},       {"us", 2, INT64_C(1000)},
};

struct parts {
	int64_t count[UNITS];
	bool there[UNITS];
	int64_t fraction_ns; /* of the last part */
};

/* The unit at the text, "ms" before "m"; UNITS: none. */
static size_t unit_at(const char *s, size_t n)
{
	static const uint8_t order[UNITS] = {4, 5, 0, 1, 2, 3};

	for (size_t k = 0; k < UNITS; k++) {
		const struct unit *u = &units[order[k]];

		if (n >= u->n && memcmp(s, u->name, u->n) == 0)
			return order[k];
	}
	return UNITS;
}

/* ".901" of a unit, in ns, rounded to nearest. */
static size_t fraction_at(const char *s, size_t n, int64_t unit_ns, int64_t *ns)
{
	size_t i = 1;
	double share = 0, scale = 0.1;

	if (!n || s[0] != '.')
		return 0;
	for (; i < n && na_is_digit(s[i]); i++) {
		share += scale * (s[i] - '0');
		scale /= 10;
	}
	*ns = (int64_t)llround(share * (double)unit_ns);
	return i > 1 ? i : 0;
}

static bool split(const char *s, size_t n, struct parts *p)
{
	size_t next = 0;

	memset(p, 0, sizeof(*p));
	while (n) {
		uint64_t count;
		size_t k = na_xla_count(s, n, &count), dot, unit;

		if (!k || count > INT64_MAX)
			return false;
		dot = k;
		while (dot < n && (s[dot] == '.' || na_is_digit(s[dot])))
			dot++;
		unit = unit_at(s + dot, n - dot);
		if (unit == UNITS || unit < next)
			return false;
		if (dot > k) { /* only the last part has a fraction */
			if (fraction_at(s + k, dot - k, units[unit].ns,
					&p->fraction_ns) != dot - k ||
			    dot + units[unit].n != n)
				return false;
		}
		p->count[unit] = (int64_t)count;
		p->there[unit] = true;
		next = unit + 1;
		s += dot + units[unit].n;
		n -= dot + units[unit].n;
	}
	return next > 0;
}

static bool plain_sum(const struct parts *p, int64_t *ns)
{
	int64_t total = p->fraction_ns, part;

	for (size_t u = 0; u < UNITS; u++) {
		if (!na_mul_i64(p->count[u], units[u].ns, &part) ||
		    !na_add_i64(total, part, &total))
			return false;
	}
	*ns = total;
	return true;
}

/* False: the printer cannot have printed this. */
static bool undo_rounding(const struct parts *p, size_t first, int64_t *ns)
{
	int64_t total = p->fraction_ns, part;

	if (!na_mul_i64(p->count[US], units[US].ns, &part) ||
	    !na_add_i64(total, part, &total))
		return false;
	for (size_t u = US; u-- > 0;) {
		int64_t count = p->count[u], unit = units[u].ns;

		if (!p->there[u])
			continue;
		if (count >= 1 && total >= unit - unit / 2) {
			count--;
			if (u == first && count == 0)
				return false;
		}
		if (!na_mul_i64(count, unit, &part) ||
		    !na_add_i64(total, part, &total))
			return false;
	}
	*ns = total;
	return true;
}

bool na_xla_duration(const char *s, size_t n, enum na_xla_durations how,
		     int64_t *ns)
{
	struct na_text x = na_xla_trimmed(na_text_n(s, n));
	struct parts p;
	size_t first = 0;

	if (!x.n || !split(x.s, x.n, &p))
		return false;
	while (!p.there[first])
		first++;
	if (how == NA_XLA_EXACT && undo_rounding(&p, first, ns))
		return true;
	return plain_sum(&p, ns);
}

/* ---- bytes and numbers */

static bool bytes_of(const char *s, size_t n, double *bytes)
{
	static const char letters[] = "KMGTP";
	double scale = 1;
	const char *letter;

	if (n == 2 && s[1] == 'B' && (letter = memchr(letters, s[0], 5))) {
		for (const char *l = letters; l <= letter; l++)
			scale *= 1024;
	} else if (n != 1 || s[0] != 'B') {
		return false;
	}
	*bytes *= scale;
	return isfinite(*bytes);
}

bool na_xla_value(const char *s, size_t n, enum na_xla_durations how,
		  struct na_xla_value *v)
{
	struct na_text x = na_xla_trimmed(na_text_n(s, n));
	double number;
	size_t k;

	memset(v, 0, sizeof(*v));
	if (na_xla_duration(x.s, x.n, how, &v->ns)) {
		v->kind = NA_XLA_TIME;
		return true;
	}
	v->ns = 0;
	k = na_xla_decimal(x.s, x.n, &number);
	if (!k || (k < x.n && !bytes_of(x.s + k, x.n - k, &number)))
		return false;
	v->kind = k < x.n ? NA_XLA_BYTES : NA_XLA_NUMBER;
	v->number = number;
	return true;
}
