/*
 * Times, bytes and rates: checked conversions, parsing of what a user
 * types, and printing.  Times are int64_t picoseconds (106 days either way
 * of an origin); rates are bits per second.
 */
#ifndef NETAN_BASE_UNITS_H
#define NETAN_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 na_i128;

#define NA_PS_PER_NS INT64_C(1000)
#define NA_PS_PER_US INT64_C(1000000)
#define NA_PS_PER_MS INT64_C(1000000000)
#define NA_PS_PER_S  INT64_C(1000000000000)
#define NA_TIME_MIN  INT64_MIN
#define NA_TIME_MAX  INT64_MAX

/* Picoseconds, of any arithmetic type, as a real number of a larger unit. */
#define na_s(ps)  ((double)(ps) / 1e12)
#define na_ms(ps) ((double)(ps) / 1e9)
#define na_us(ps) ((double)(ps) / 1e6)
#define na_ns(ps) ((double)(ps) / 1e3)

/* The same of nanoseconds. */
#define na_s_of_ns(ns)  ((double)(ns) / 1e9)
#define na_ms_of_ns(ns) ((double)(ns) / 1e6)
#define na_us_of_ns(ns) ((double)(ns) / 1e3)

#define NA_MS_PER_S  1000
#define NA_US_PER_S  1000000
#define NA_NS_PER_S  INT64_C(1000000000)
#define NA_NS_PER_US 1000
#define NA_US_PER_MS 1000
#define NA_GIGA      1e9 /* bit/s in a Gbit/s */

/* Real seconds as picoseconds, cut off; they are in reach. */
static inline int64_t na_ps_of_s(double s)
{
	return (int64_t)(s * 1e12);
}

/* From start to end; 0 if that is backwards.  Times of hostile inputs may lie
 * further apart than int64_t reaches: NA_TIME_MAX then. */
int64_t na_time_between(int64_t start_ps, int64_t end_ps);

/* False, and *out untouched, when the result does not fit. */
static inline bool na_add_i64(int64_t a, int64_t b, int64_t *out)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*out = sum;
	return true;
}

static inline bool na_mul_i64(int64_t a, int64_t b, int64_t *out)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*out = product;
	return true;
}

/* The power-of-two class of a size: [2^(k-1), 2^k) is class k, up to 64; 0
 * bytes are class 0. */
static inline unsigned na_size_class(uint64_t bytes)
{
	return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
}

/* How far from the origin picoseconds reach, in ns; and the times there. */
#define NA_REACH_NS (NA_TIME_MAX / NA_PS_PER_NS - 1)
static inline void na_reach(int64_t zero_ns, int64_t *lowest_ns,
			    int64_t *highest_ns)
{
	if (!na_add_i64(zero_ns, -NA_REACH_NS, lowest_ns))
		*lowest_ns = NA_TIME_MIN;
	if (!na_add_i64(zero_ns, NA_REACH_NS, highest_ns))
		*highest_ns = NA_TIME_MAX;
}

/* A time in ns as picoseconds since zero_ns; false: out of range. */
static inline bool na_ps_since(int64_t ns, int64_t zero_ns, int64_t *ps)
{
	int64_t off;

	return !__builtin_sub_overflow(ns, zero_ns, &off) &&
	       na_mul_i64(off, NA_PS_PER_NS, ps);
}

/*
 * What a user types.  A number without its unit is refused, except 0.
 *   time   "1.5s" "200ms" "10us" "5ns" "1ps" "2m" "1h", sign allowed
 *   bytes  "64KiB" "10MB" "1GiB" "512B", and a bare integer (bytes)
 *   rate   "100Gbps" "25Gbit/s" "400Mbps" "12.5GB/s"
 * Decimal digits are exact as far as the target unit goes; the rest is
 * rounded.  False: not a value of that kind, or out of range.
 */
bool na_parse_time(const char *s, int64_t *ps);
bool na_parse_bytes(const char *s, uint64_t *bytes);
bool na_parse_rate(const char *s, double *bits_per_s);

/* "2026-11-20T21:28:00Z", with fraction digits allowed: ns since the Unix
 * epoch, UTC, independent of time zone and locale. */
bool na_parse_utc(const char *s, int64_t *unix_ns);

/* Room for any of the na_print_ functions below. */
#define NA_UNIT_BUF 48

/* Engineering form with `digits` significant digits (2 to 6): "12.3 us",
 * "64 KiB", "71.2 Gbit/s".  Return `buf`. */
const char *na_print_time(char *buf, int64_t ps, int digits);
const char *na_print_bytes(char *buf, double bytes, int digits);
const char *na_print_rate(char *buf, double bits_per_s, int digits);

/* "2026-11-20 21:28:00.123 UTC". */
const char *na_print_utc(char *buf, int64_t unix_ns);

/* A count with thousands set apart by a narrow space is for people only:
 * "1 234 567". */
const char *na_print_count(char *buf, uint64_t n);
/* The same as text that is good to the end of the block around it. */
#define na_grouped(n) na_print_count((char[NA_UNIT_BUF]){0}, (uint64_t)(n))

/* The shortest decimal form that reads back as the same double, with '.'
 * whatever the locale: for JSON and CSV.  x is finite. */
const char *na_print_double(char *buf, double x);

/*
 * Plain numbers for people, '.' whatever the locale: `digits` significant
 * digits (the whole part is never rounded away: 12346, not 12300), or
 * `digits` digits after the point.  "-" when x is not finite.
 */
const char *na_print_number(char *buf, double x, int digits);
/* A share in percent, three digits, but "over 99.9" of what is near 100 and
 * less.  Without the sign. */
const char *na_print_percent(char *buf, double share);
const char *na_print_fixed(char *buf, double x, int digits);
/* A ratio: na_print_number() and "x". */
const char *na_print_times(char *buf, double ratio, int digits);
/* A probability: "0.0012", "1.4e-17", "below 1e-20", which is more than anybody
 * needs; "-" when it is not finite. */
const char *na_print_chance(char *buf, double p);
/* In a sentence: "p = 0.0012", "p below 1e-20". */
const char *na_print_p(char *buf, double p);

#endif
