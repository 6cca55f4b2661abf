/*
 * From data to page, ticks at round numbers, and the words beside them.
 * Nothing here depends on the locale.
 */
#ifndef PLOT_SCALE_H
#define PLOT_SCALE_H

#include <stdbool.h>
#include <stddef.h>

struct na_scale {
	double from, to;       /* data; from < to; log: both > 0 */
	double at_from, at_to; /* page; a y axis runs downwards */
	bool log;
};

/* Position of x on the page; x outside the data range lands outside. */
double na_scale_at(const struct na_scale *s, double x);

#define NA_TICKS_MAX 64

struct na_ticks {
	double at[NA_TICKS_MAX];  /* ascending, data */
	bool minor[NA_TICKS_MAX]; /* log only: without a label */
	size_t n;
	double step; /* 0 for log */
};

/*
 * Ticks at multiples of 1, 2 or 5 times a power of ten, at most `most` + 1
 * (most >= 1) of them, inside [from, to].  No ticks when from < to does not
 * hold or the range is not finite.
 */
void na_ticks_linear(struct na_ticks *t, double from, double to, size_t most);

/* The same for bytes shown in KiB, MiB, ...: `unit` is the axis' unit, and
 * ticks are round in it. */
void na_ticks_in_unit(struct na_ticks *t, double from, double to, size_t most,
		      double unit);

/* From zero on; more than `most` where that would leave the zero alone, which
 * measures nothing: two always have room. */
void na_ticks_from_zero(struct na_ticks *t, double to, size_t most,
			double unit);

/* Seconds: below ten 1-2-5, above it also the steps of clocks: 10, 20, 30,
 * 60, 120, 300, 600, ... */
void na_ticks_time(struct na_ticks *t, double from, double to, size_t most);

/* 0 < from < to: decades, with 2 and 5 where there is room for them, else
 * every second, third, ... decade; other multiples are minor. */
void na_ticks_log(struct na_ticks *t, double from, double to, size_t most);

enum na_quantity { NA_Q_RATE, NA_Q_BYTES, NA_Q_SECONDS, NA_Q_COUNT };

/* What the numbers on an axis are multiples of. */
struct na_axis_unit {
	double factor; /* printed = data / factor */
	char name[24]; /* "Gbit/s", "MiB", "us", "" */
};

/* Rates are bits per second.  The unit in which `max` prints as 1 to 999,
 * as far as units go; beyond them "x 1e30 bit/s". */
struct na_axis_unit na_unit_for(enum na_quantity q, double max);

#define NA_LABEL_BUF 64 /* bytes of every buf below, which is returned */

/* x with `digits` (0 to 9) digits after the point; zero is "0", and what is
 * no number is "-". */
const char *na_label_fixed(char *buf, double x, int digits);

/* x with `digits` significant digits and without trailing zeros; whole digits
 * are never rounded away: 12345 with 3 is "12345". */
const char *na_label_short(char *buf, double x, int digits);

/* Digits after the point that tell multiples of step / unit apart: 0 to 9. */
int na_label_digits(double step, double unit);

/* x (bits per second, bytes, seconds or a number) with `digits` significant
 * digits in its own best unit: "71.2 Gbit/s", "1.5 KiB", "14 s". */
const char *na_label_quantity(char *buf, enum na_quantity q, double x,
			      int digits);

/* The largest of x [n] that is finite and above 0; 0 when none is, or x is
 * NULL. */
double na_largest(const double *x, size_t n);

#endif
