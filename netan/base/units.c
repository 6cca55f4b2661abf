#include "netan/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/date.h"
#include "netan/base/text.h"

__extension__ typedef unsigned __int128 u128;

enum { FRAC_DIGITS = 18 };
#define FRAC_ONE UINT64_C(1000000000000000000)

struct unit {
	const char *name;
	uint64_t size; /* in the target unit */
};

/* clang-format off */
static const struct unit time_units[] = {
	{"ps", 1}, {"ns", 1000}, {"us", 1000000},
	{"\xc2\xb5s", 1000000}, {"\xce\xbcs", 1000000}, /* micro, mu */
	{"ms", 1000000000}, {"s", UINT64_C(1000000000000)},
	{"m", UINT64_C(60000000000000)}, {"min", UINT64_C(60000000000000)},
	{"h", UINT64_C(3600000000000000)}, {NULL, 0}
};
/* clang-format on */

/* clang-format off */
static const struct unit byte_units[] = {
	{"", 1}, {"B", 1}, {"kB", 1000}, {"KB", 1000}, {"MB", 1000000},
	{"GB", 1000000000}, {"TB", UINT64_C(1000000000000)},
	{"PB", UINT64_C(1000000000000000)}, {"KiB", UINT64_C(1) << 10},
	{"MiB", UINT64_C(1) << 20}, {"GiB", UINT64_C(1) << 30},
	{"TiB", UINT64_C(1) << 40}, {"PiB", UINT64_C(1) << 50}, {NULL, 0}
};
/* clang-format on */

/* Bits per second; the part after the prefix is in rate_tails. */
/* clang-format off */
static const struct unit rate_heads[] = {
	{"", 1}, {"k", 1000}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000},
	{"T", UINT64_C(1000000000000)}, {"Ki", UINT64_C(1) << 10},
	{"Mi", UINT64_C(1) << 20}, {"Gi", UINT64_C(1) << 30},
	{"Ti", UINT64_C(1) << 40}, {NULL, 0}
};
/* clang-format on */

/* clang-format off */
static const struct unit rate_tails[] = {
	{"bps", 1}, {"bit/s", 1}, {"b/s", 1}, {"B/s", 8}, {NULL, 0}
};
/* clang-format on */

/* A decimal number, exact: whole + frac / 10^18. */
struct decimal {
	bool negative, fractional;
	uint64_t whole, frac;
};

/* Reads "[+-]digits[.digits]" and moves *s behind it and behind spaces. */
static bool read_decimal(const char **s, struct decimal *d)
{
	const char *p = *s;
	uint64_t place = FRAC_ONE / 10;
	bool any = false;

	memset(d, 0, sizeof(*d));
	if (*p == '+' || *p == '-')
		d->negative = *p++ == '-';
	for (; na_is_digit(*p); p++, any = true)
		if (__builtin_mul_overflow(d->whole, 10, &d->whole) ||
		    __builtin_add_overflow(d->whole, (uint64_t)(*p - '0'),
					   &d->whole))
			return false;
	if (*p == '.') {
		d->fractional = true;
		for (p++; na_is_digit(*p); p++, any = true, place /= 10)
			d->frac += place * (uint64_t)(*p - '0');
	}
	while (*p == ' ')
		p++;
	*s = p;
	return any;
}

/* d * size rounded half up; at most 2^64 * 2^60 or so, so it fits. */
static u128 scaled(const struct decimal *d, uint64_t size)
{
	u128 frac = (u128)d->frac * size;

	return (u128)d->whole * size + (frac + FRAC_ONE / 2) / FRAC_ONE;
}

static const struct unit *unit_find(const struct unit *u, const char *name)
{
	while (u->name && strcmp(u->name, name) != 0)
		u++;
	return u->name ? u : NULL;
}

bool na_parse_time(const char *s, int64_t *ps)
{
	const struct unit *u;
	struct decimal d;
	u128 v;

	if (!read_decimal(&s, &d))
		return false;
	if (!*s && d.whole == 0 && d.frac == 0) {
		*ps = 0;
		return true;
	}
	u = unit_find(time_units, s);
	if (!u)
		return false;
	v = scaled(&d, u->size);
	if (v > INT64_MAX)
		return false;
	*ps = d.negative ? -(int64_t)v : (int64_t)v;
	return true;
}

bool na_parse_bytes(const char *s, uint64_t *bytes)
{
	const struct unit *u;
	struct decimal d;
	u128 v;

	if (!read_decimal(&s, &d) || d.negative)
		return false;
	u = unit_find(byte_units, s);
	if (!u || (!*s && d.fractional))
		return false;
	v = scaled(&d, u->size);
	if (v > UINT64_MAX)
		return false;
	*bytes = (uint64_t)v;
	return true;
}

bool na_parse_rate(const char *s, double *bits_per_s)
{
	struct decimal d;

	if (!read_decimal(&s, &d) || d.negative)
		return false;
	if (!*s && d.whole == 0 && d.frac == 0) {
		*bits_per_s = 0;
		return true;
	}
	for (const struct unit *h = rate_heads; h->name; h++) {
		size_t n = strlen(h->name);
		const struct unit *t;

		if (strncmp(s, h->name, n) != 0)
			continue;
		t = unit_find(rate_tails, s + n);
		if (t) {
			*bits_per_s = (double)scaled(&d, h->size * t->size);
			return true;
		}
	}
	return false;
}

static int month_days(int y, int m)
{
	static const int days[] = {31, 28, 31, 30, 31, 30,
				   31, 31, 30, 31, 30, 31};
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	return m == 2 && leap ? 29 : days[m - 1];
}

/* Exactly n digits, then `after` (0: nothing is checked behind them). */
static bool field(const char **s, int n, char after, int *out)
{
	int v = 0;

	for (int k = 0; k < n; k++, (*s)++) {
		if (!na_is_digit(**s))
			return false;
		v = v * 10 + (**s - '0');
	}
	*out = v;
	if (after && *(*s)++ != after)
		return false;
	return true;
}

bool na_parse_utc(const char *s, int64_t *unix_ns)
{
	int y, mo, d, h, mi, sec;
	struct decimal frac = {0};
	na_i128 ns;

	if (!field(&s, 4, '-', &y) || !field(&s, 2, '-', &mo) ||
	    !field(&s, 2, 0, &d) || (*s != 'T' && *s != ' '))
		return false;
	s++;
	if (!field(&s, 2, ':', &h) || !field(&s, 2, ':', &mi) ||
	    !field(&s, 2, 0, &sec))
		return false;
	if (*s == '.' && (!na_is_digit(s[1]) || !read_decimal(&s, &frac)))
		return false;
	if (strcmp(s, "Z") != 0 && strcmp(s, "UTC") != 0)
		return false;
	if (mo < 1 || mo > 12 || d < 1 || d > month_days(y, mo) || h > 23 ||
	    mi > 59 || sec > 59)
		return false;
	ns = (na_i128)na_days_of(y, mo, d) * 86400 + h * 3600 + mi * 60 + sec;
	ns = ns * 1000000000 + (na_i128)scaled(&frac, 1000000000);
	if (ns > INT64_MAX || ns < INT64_MIN)
		return false;
	*unix_ns = (int64_t)ns;
	return true;
}

/* A library in the same process may have set a locale with ','. */
static void force_point(char *buf)
{
	for (char *p = buf; *p; p++)
		if (!na_is_digit(*p) && !strchr("+-einfa", *p))
			*p = '.';
}

const char *na_print_fixed(char *buf, double x, int digits)
{
	if (!isfinite(x)) {
		strcpy(buf, "-");
		return buf;
	}
	if (fabs(x) >= 1e15)
		snprintf(buf, NA_UNIT_BUF, "%.6e", x);
	else
		snprintf(buf, NA_UNIT_BUF, "%.*f", digits < 15 ? digits : 15,
			 x);
	force_point(buf);
	if (buf[0] == '-' && !strpbrk(buf, "123456789"))
		memmove(buf, buf + 1, strlen(buf)); /* no "-0.00" */
	return buf;
}

const char *na_print_number(char *buf, double x, int digits)
{
	const char *e;
	int decimals;

	if (x == 0 || !isfinite(x)) {
		strcpy(buf, x == 0 ? "0" : "-");
		return buf;
	}
	snprintf(buf, NA_UNIT_BUF, "%.*e", digits - 1, x);
	e = strchr(buf, 'e');
	decimals = digits - 1 - (e ? (int)strtol(e + 1, NULL, 10) : 0);
	if (decimals > 8) { /* tiny: the exponent says more */
		force_point(buf);
		return buf;
	}
	return na_print_fixed(buf, x, decimals > 0 ? decimals : 0);
}

const char *na_print_percent(char *buf, double share)
{
	if (share < 1 && share > 0.9995)
		return strcpy(buf, "over 99.9");
	return na_print_number(buf, 100 * share, 3);
}

const char *na_print_times(char *buf, double ratio, int digits)
{
	na_print_number(buf, ratio, digits);
	if (isfinite(ratio))
		strcat(buf, "x");
	return buf;
}

const char *na_print_chance(char *buf, double p)
{
	if (p < 1e-20)
		return strcpy(buf, "below 1e-20");
	if (!(p < 1e-3))
		return na_print_number(buf, p, 2);
	snprintf(buf, NA_UNIT_BUF, "%.1e", p);
	force_point(buf);
	return buf;
}

const char *na_print_p(char *buf, double p)
{
	char chance[NA_UNIT_BUF];

	na_print_chance(chance, p);
	snprintf(buf, NA_UNIT_BUF, "p %s%.40s", na_is_digit(*chance) ? "= " : "",
		 chance);
	return buf;
}

static void strip_zeros(char *buf)
{
	char *end = buf + strlen(buf);

	if (!strchr(buf, '.') || strchr(buf, 'e'))
		return;
	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	*end = '\0';
}

/* x in units[0]; each next unit is `step` times as large. */
static const char *print_scaled(char *buf, double x, int digits,
				const char *const *units, double step)
{
	size_t k = 0, len;

	if (!isfinite(x)) {
		strcpy(buf, "-");
		return buf;
	}
	for (;; k++, x /= step) {
		double shown;

		na_print_number(buf, x, digits);
		/* Rounding may reach the next unit: 999.96 us is 1 ms. */
		shown = fabs(x) < step / 2 ? 0 : fabs(atof(buf));
		if (!units[k + 1] || (shown < step && fabs(x) < step))
			break;
	}
	strip_zeros(buf);
	len = strlen(buf);
	snprintf(buf + len, NA_UNIT_BUF - len, " %s", units[k]);
	return buf;
}

const char *na_print_time(char *buf, int64_t ps, int digits)
{
	static const char *const units[] = {"ps", "ns", "us", "ms", "s", NULL};

	if (ps == 0)
		return strcpy(buf, "0 s");
	return print_scaled(buf, (double)ps, digits, units, 1000);
}

const char *na_print_bytes(char *buf, double bytes, int digits)
{
	static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
					    "TiB", "PiB", "EiB", NULL};

	return print_scaled(buf, bytes, digits, units, 1024);
}

const char *na_print_rate(char *buf, double bits_per_s, int digits)
{
	static const char *const units[] = {"bit/s",  "kbit/s", "Mbit/s",
					    "Gbit/s", "Tbit/s", NULL};

	return print_scaled(buf, bits_per_s, digits, units, 1000);
}

const char *na_print_utc(char *buf, int64_t unix_ns)
{
	int64_t ms = unix_ns / 1000000 - (unix_ns % 1000000 < 0);
	int64_t days = ms / 86400000 - (ms % 86400000 < 0);
	int64_t rest = ms - days * 86400000;
	int64_t y;
	int m, d;

	na_date_of(days, &y, &m, &d);
	snprintf(buf, NA_UNIT_BUF, "%04d-%02d-%02d %02d:%02d:%02d.%03d UTC",
		 (int)y, m, d, (int)(rest / 3600000), (int)(rest / 60000 % 60),
		 (int)(rest / 1000 % 60), (int)(rest % 1000));
	return buf;
}

const char *na_print_count(char *buf, uint64_t n)
{
	static const char narrow[] = "\xe2\x80\xaf"; /* U+202F */
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%llu",
				      (unsigned long long)n);
	char *p = buf;

	for (size_t k = 0; k < len; k++) {
		if (k && (len - k) % 3 == 0) {
			memcpy(p, narrow, 3);
			p += 3;
		}
		*p++ = digits[k];
	}
	*p = '\0';
	return buf;
}

const char *na_print_double(char *buf, double x)
{
	/* 15 digits are unique for normal doubles; below that, search. */
	int digits = fabs(x) < 2.3e-308 ? 1 : 15;

	if (fabs(x) < 1e15 && x == trunc(x) && x != 0) {
		snprintf(buf, NA_UNIT_BUF, "%lld", (long long)x);
		return buf;
	}
	for (; digits <= 17; digits++) {
		snprintf(buf, NA_UNIT_BUF, "%.*g", digits, x);
		if (strtod(buf, NULL) == x)
			break;
	}
	force_point(buf);
	return buf;
}

int64_t na_time_between(int64_t start_ps, int64_t end_ps)
{
	uint64_t ps = (uint64_t)end_ps - (uint64_t)start_ps;

	return end_ps <= start_ps ? 0
	       : ps < NA_TIME_MAX ? (int64_t)ps
				  : NA_TIME_MAX;
}
