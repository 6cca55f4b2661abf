#include "plot/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/vec.h"

double na_scale_at(const struct na_scale *s, double x)
{
	double share;

	if (s->log)
		share = log(x / s->from) / log(s->to / s->from);
	else
		share = (x - s->from) / (s->to - s->from);
	return s->at_from + share * (s->at_to - s->at_from);
}

/* The smallest of 1, 2, 5 times a power of ten that is >= x > 0. */
static double round_up(double x)
{
	double decade = pow(10, floor(log10(x)));

	/* pow() and log10() may be off by one bit at a power of ten. */
	for (double d = decade / 10; d <= decade * 10; d *= 10) {
		static const double steps[] = {1, 2, 5};

		for (size_t i = 0; i < 3; i++) {
			if (steps[i] * d >= x * (1 - 1e-9))
				return steps[i] * d;
		}
	}
	return decade * 10;
}

static bool range_ok(double from, double to)
{
	return isfinite(from) && isfinite(to) && from < to &&
	       isfinite(to - from);
}

/* Multiples of step, each computed afresh so that errors do not add up. */
static void fill_ticks(struct na_ticks *t, double from, double to, double step)
{
	double first = ceil(from / step - 1e-9);

	t->step = step;
	for (size_t i = 0; i < NA_TICKS_MAX; i++) {
		double x = (first + (double)i) * step;

		if (x > to + step * 1e-9)
			break;
		t->at[t->n++] = x == 0 ? 0 : x; /* no -0 */
	}
}

void na_ticks_in_unit(struct na_ticks *t, double from, double to, size_t most,
		      double unit)
{
	double step;

	*t = (struct na_ticks){.n = 0};
	if (!range_ok(from, to) || most < 1)
		return;
	if (most > NA_TICKS_MAX - 1)
		most = NA_TICKS_MAX - 1;
	step = round_up((to - from) / unit / (double)most) * unit;
	/* Too far from zero for this span: the multiples would coincide. */
	if (step <= 0 || from + step == from || to - step == to)
		return;
	fill_ticks(t, from, to, step);
}

void na_ticks_from_zero(struct na_ticks *t, double to, size_t most, double unit)
{
	do {
		na_ticks_in_unit(t, 0, to, most, unit);
	} while (t->n < 2 && ++most < 10);
}

void na_ticks_linear(struct na_ticks *t, double from, double to, size_t most)
{
	na_ticks_in_unit(t, from, to, most, 1);
}

void na_ticks_time(struct na_ticks *t, double from, double to, size_t most)
{
	static const double clock[] = {10,   20,    30,    60,    120,
				       300,  600,   1200,  1800,  3600,
				       7200, 14400, 21600, 43200, 86400};
	double want;

	na_ticks_linear(t, from, to, most);
	if (!t->n || t->step < 10)
		return;
	want = (to - from) / (double)most;
	for (size_t i = 0; i < NA_LEN(clock); i++) {
		if (clock[i] >= want * (1 - 1e-9)) {
			t->n = 0;
			fill_ticks(t, from, to, clock[i]);
			return;
		}
	}
}

void na_ticks_log(struct na_ticks *t, double from, double to, size_t most)
{
	int first, last, every;
	double decades;

	*t = (struct na_ticks){.n = 0};
	if (!range_ok(from, to) || from <= 0 || most < 1)
		return;
	first = (int)floor(log10(from) + 1e-9);
	last = (int)floor(log10(to) + 1e-9);
	decades = log10(to / from);
	every = (int)ceil(decades / (double)most);
	if (every < 1)
		every = 1;
	for (int e = first; e <= last; e++) {
		for (int k = 1; k < 10 && t->n < NA_TICKS_MAX; k++) {
			double x = k * pow(10, e);
			bool named = k == 1 ? e % every == 0
					    : (k == 2 || k == 5) &&
						      decades * 3 <=
							      (double)most;

			/* With many decades, only the decades. */
			if (k > 1 && decades > 6)
				break;
			if (x < from * (1 - 1e-9) || x > to * (1 + 1e-9))
				continue;
			t->minor[t->n] = !named;
			t->at[t->n++] = x;
		}
	}
}

struct unit_row {
	double factor;
	const char *name;
};

/* clang-format off */
static const struct unit_row rate_units[] = {
	{1, "bit/s"},     {1e3, "kbit/s"},  {1e6, "Mbit/s"}, {1e9, "Gbit/s"},
	{1e12, "Tbit/s"}, {1e15, "Pbit/s"}, {0, NULL}};
static const struct unit_row byte_units[] = {{1, "B"},
					     {1024.0, "KiB"},
					     {1048576.0, "MiB"},
					     {1073741824.0, "GiB"},
					     {1099511627776.0, "TiB"},
					     {1125899906842624.0, "PiB"},
					     {0, NULL}};
static const struct unit_row second_units[] = {{1e-12, "ps"}, {1e-9, "ns"},
					       {1e-6, "us"},  {1e-3, "ms"},
					       {1, "s"},      {0, NULL}};
static const struct unit_row count_units[] = {
	{1, ""}, {1e3, "thousand"}, {1e6, "million"}, {0, NULL}};
static const struct unit_row *const units[] = {
	[NA_Q_RATE] = rate_units,
	[NA_Q_BYTES] = byte_units,
	[NA_Q_SECONDS] = second_units,
	[NA_Q_COUNT] = count_units,
};
/* clang-format on */

struct na_axis_unit na_unit_for(enum na_quantity q, double max)
{
	const struct unit_row *row = units[q];
	struct na_axis_unit u;

	/* Nothing is nothing in any unit, but "0 ps" is odd. */
	if (q == NA_Q_SECONDS && max == 0)
		max = 1;
	while (row[1].name && max >= row[1].factor * (1 - 1e-9))
		row++;
	if (q == NA_Q_COUNT && max < 1e4)
		row = units[q]; /* 9999 needs no thousand */
	u.factor = row->factor;
	snprintf(u.name, sizeof(u.name), "%s", row->name);
	/* A year is 31536000 s, but no link carries 1e6 Pbit/s. */
	if (isfinite(max) &&
	    max / row->factor >= (q == NA_Q_SECONDS ? 1e9 : 1e6)) {
		int e = (int)floor(log10(max / row->factor) / 3) * 3;

		u.factor *= pow(10, e);
		snprintf(u.name, sizeof(u.name), "x 1e%d %s", e, row->name);
	}
	return u;
}

const char *na_label_fixed(char *buf, double x, int digits)
{
	const char *sign = x < 0 ? "\xe2\x88\x92" : ""; /* a minus sign */
	double scaled;
	uint64_t v, one = 1;
	int after = 0;

	if (x == 0)
		digits = 0;
	x = fabs(x);
	/* A double has no more than 16 digits worth printing. */
	while (after < digits && after < 9 && x * (double)one < 1e14) {
		one *= 10;
		after++;
	}
	scaled = nearbyint(x * (double)one);
	if (!isfinite(scaled)) {
		snprintf(buf, NA_LABEL_BUF, "-");
		return buf;
	}
	if (scaled >= 1e18) {
		int e = (int)floor(log10(x));

		snprintf(buf, NA_LABEL_BUF, "%s%de%d", sign,
			 (int)(x / pow(10, e)), e);
		return buf;
	}
	v = (uint64_t)scaled;
	if (v == 0)
		sign = "";
	if (after > 0)
		snprintf(buf, NA_LABEL_BUF, "%s%" PRIu64 ".%0*" PRIu64, sign,
			 v / one, after, v % one);
	else
		snprintf(buf, NA_LABEL_BUF, "%s%" PRIu64, sign, v);
	return buf;
}

const char *na_label_short(char *buf, double x, int digits)
{
	int magnitude = x == 0 || !isfinite(x)
				? 0
				: (int)floor(log10(fabs(x)) + 1e-12);
	int after = digits - 1 - magnitude;
	char *point;

	na_label_fixed(buf, x, after < 0 ? 0 : after > 9 ? 9 : after);
	point = strchr(buf, '.');
	if (point) {
		char *end = point + strlen(point);

		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			end[-1] = '\0';
	}
	return buf;
}

int na_label_digits(double step, double unit)
{
	double e = step > 0 && unit > 0 ? log10(step / unit) : 0;
	int digits = (int)ceil(-e - 1e-9);

	return digits < 0 ? 0 : digits > 9 ? 9 : digits;
}

const char *na_label_quantity(char *buf, enum na_quantity q, double x,
			      int digits)
{
	struct na_axis_unit u = na_unit_for(q, fabs(x));
	char number[NA_LABEL_BUF];

	na_label_short(number, x / u.factor, digits);
	snprintf(buf, NA_LABEL_BUF, "%.24s%s%.14s", number, *u.name ? " " : "",
		 u.name);
	return buf;
}

double na_largest(const double *x, size_t n)
{
	double max = 0;

	for (size_t i = 0; x && i < n; i++) {
		if (isfinite(x[i]) && x[i] > max)
			max = x[i];
	}
	return max;
}
