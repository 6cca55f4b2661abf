#include "ingest/logs/hang_shape.h"

#include <stdio.h>
#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

static bool blank(char c)
{
	return na_is_blank(c) || c == '"' || c == ',' || c == '\r';
}

struct na_text na_hang_trim(struct na_text x)
{
	while (x.n && blank(x.s[0])) {
		x.s++;
		x.n--;
	}
	while (x.n && blank(x.s[x.n - 1]))
		x.n--;
	return x;
}

size_t na_hang_find(struct na_text x, const char *word)
{
	for (size_t i = 0; i < x.n; i++) {
		if ((x.s[i] | 0x20) == (word[0] | 0x20) &&
		    na_starts_nocase(x.s + i, x.n - i, word))
			return i;
	}
	return SIZE_MAX;
}

static bool all_digits(struct na_text x)
{
	for (size_t i = 0; i < x.n; i++) {
		if (!na_is_digit(x.s[i]))
			return false;
	}
	return x.n > 0;
}

bool na_hang_number(struct na_text x, uint64_t *value)
{
	bool hex = x.n > 2 && x.s[0] == '0' && (x.s[1] | 0x20) == 'x';
	uint64_t base = hex ? 16 : 10, v = 0;

	if (hex)
		x = na_text_from(x, 2);
	for (size_t i = 0; i < x.n; i++) {
		int d = na_hex_digit(x.s[i]);

		if (d < 0 || (uint64_t)d >= base ||
		    v > (UINT64_MAX - (uint64_t)d) / base)
			return false;
		v = v * base + (uint64_t)d;
	}
	*value = v;
	return x.n > 0;
}

/* One number with its unit, from *at on. */
static bool duration_part(struct na_text x, size_t *at, int64_t *ps)
{
	/* clang-format off */
	static const struct { const char *unit; int64_t ps; } units[] = {
		{"ms", NA_PS_PER_MS}, {"us", NA_PS_PER_US}, {"ns", NA_PS_PER_NS},
		{"h", 3600 * NA_PS_PER_S}, {"m", 60 * NA_PS_PER_S},
		{"s", NA_PS_PER_S},
	};
	/* clang-format on */
	double number = 0, scale = 1;
	size_t i = *at, start = i;

	for (; i < x.n && na_is_digit(x.s[i]) && i - start < 15; i++)
		number = number * 10 + (x.s[i] - '0');
	if (i == start)
		return false;
	if (i < x.n && x.s[i] == '.') {
		for (i++; i < x.n && na_is_digit(x.s[i]); i++)
			number += (x.s[i] - '0') * (scale /= 10);
	}
	for (size_t k = 0; k < sizeof(units) / sizeof(units[0]); k++) {
		size_t n = strlen(units[k].unit);

		if (x.n - i < n || memcmp(x.s + i, units[k].unit, n) != 0)
			continue;
		number *= (double)units[k].ps;
		if (number > 9e18 ||
		    !na_add_i64(*ps, (int64_t)(number + 0.5), ps))
			return false;
		*at = i + n;
		return true;
	}
	return false;
}

bool na_hang_duration(struct na_text x, int64_t *ps)
{
	size_t at = 0;

	*ps = 0;
	x = na_hang_trim(x);
	if (!duration_part(x, &at, ps))
		return false;
	while (at < x.n && na_is_digit(x.s[at])) {
		if (!duration_part(x, &at, ps))
			return false;
	}
	return true;
}

uint32_t na_hang_name(struct na_hang *h, struct na_text x, bool *ok)
{
	size_t n = x.n < NA_HANG_NAME_MAX ? x.n : NA_HANG_NAME_MAX;

	if (!n)
		return NA_NO_NAME;
	/* Not in the middle of a character. */
	while (n < x.n && n > NA_HANG_NAME_MAX - 4 && (x.s[n] & 0xc0) == 0x80)
		n--;
	return na_hang_add_name(h, x.s, strnlen(x.s, n), ok);
}

/* JOB/TASK or TASK. */
static void job_and_task(struct na_hang *h, struct na_text x,
			 struct na_hang_worker *w, bool *ok)
{
	size_t slash = na_text_last(x, '/');

	if (slash != SIZE_MAX) {
		w->job = na_hang_name(h, na_text_n(x.s, slash), ok);
		x = na_text_from(x, slash + 1);
	}
	w->task = na_hang_name(h, x, ok);
}

/* Cuts ":NUMBER" off the end. */
static struct na_text cut_number(struct na_text *x)
{
	size_t colon = na_text_last(*x, ':');
	struct na_text number = {NULL, 0};

	if (colon == SIZE_MAX || !all_digits(na_text_from(*x, colon + 1)))
		return number;
	number = na_text_from(*x, colon + 1);
	x->n = colon;
	return number;
}

static void worker_at(struct na_hang *h, struct na_text left,
		      struct na_text right, struct na_hang_worker *w, bool *ok)
{
	struct na_text core = cut_number(&right), chip;
	size_t colon = na_text_first(left, ':');

	if (colon != SIZE_MAX) { /* TASK:HOST@CHIP:CORE */
		job_and_task(h, na_text_n(left.s, colon), w, ok);
		w->host = na_hang_name(h, na_text_from(left, colon + 1), ok);
		w->chip = na_hang_name(h, right, ok);
		w->core = na_hang_name(h, core, ok);
		return;
	}
	chip = cut_number(&right);
	if (!chip.n) { /* TASK@HOST:CHIP */
		chip = core;
		core.n = 0;
	}
	job_and_task(h, left, w, ok);
	w->host = na_hang_name(h, right, ok);
	w->chip = na_hang_name(h, chip, ok);
	w->core = na_hang_name(h, core, ok);
}

bool na_hang_worker_of(struct na_hang *h, struct na_text x,
		       struct na_hang_worker *w, bool *ok)
{
	size_t at, colon, slash;

	*w = (struct na_hang_worker){NA_NO_NAME, NA_NO_NAME, NA_NO_NAME,
				     NA_NO_NAME, NA_NO_NAME};
	x = na_hang_trim(x);
	while (x.n && (x.s[0] == '[' || x.s[0] == '('))
		x = na_hang_trim(na_text_from(x, 1));
	while (x.n && (x.s[x.n - 1] == ']' || x.s[x.n - 1] == ')'))
		x = na_hang_trim(na_text_n(x.s, x.n - 1));
	if (!x.n || na_text_first(x, ' ') != SIZE_MAX)
		return false;
	at = na_text_first(x, '@');
	colon = na_text_first(x, ':');
	slash = na_text_first(x, '/');
	if (at != SIZE_MAX) {
		worker_at(h, na_text_n(x.s, at), na_text_from(x, at + 1), w,
			  ok);
	} else if (colon != SIZE_MAX && ((slash != SIZE_MAX && slash < colon) ||
					 all_digits(na_text_n(x.s, colon)))) {
		job_and_task(h, na_text_n(x.s, colon), w, ok);
		w->host = na_hang_name(h, na_text_from(x, colon + 1), ok);
	} else if (slash != SIZE_MAX && na_starts_nocase(x.s, x.n, "slice")) {
		w->host = na_hang_name(h, na_text_n(x.s, slash), ok);
		w->task = na_hang_name(h, na_text_from(x, slash + 1), ok);
	} else if (slash != SIZE_MAX || all_digits(x)) {
		job_and_task(h, x, w, ok);
	} else {
		w->host = na_hang_name(h, x, ok);
	}
	return w->host != NA_NO_NAME || w->task != NA_NO_NAME;
}

/* The last "): ", or "):" at the end of the line. */
static size_t last_close(struct na_text x)
{
	for (size_t i = x.n; i >= 2; i--) {
		if (x.s[i - 2] == ')' && x.s[i - 1] == ':' &&
		    (i == x.n || x.s[i] == ' ' || x.s[i] == '\t' ||
		     x.s[i] == '['))
			return i - 2;
	}
	return SIZE_MAX;
}

bool na_hang_spot_of(struct na_text x, struct na_hang_spot *spot)
{
	size_t close, open, colon, at;
	struct na_text place;
	uint64_t number;

	x = na_hang_trim(x);
	close = last_close(x);
	open = na_text_first(x, '(');
	if (close == SIZE_MAX || open >= close)
		return false;
	*spot = (struct na_hang_spot){
		.hlo = na_text_n(x.s + open + 1, close - open - 1),
		.workers = na_hang_trim(na_text_from(x, close + 2))};
	place = na_hang_trim(na_text_n(x.s, open));
	if (na_text_first(place, ' ') != SIZE_MAX)
		return false;
	at = na_text_first(place, '@');
	if (at != SIZE_MAX)
		place = na_text_from(place, at + 1);
	colon = na_text_last(place, ':');
	if (colon == SIZE_MAX) {
		spot->tag = place;
		if (at != SIZE_MAX && na_hang_number(place, &number))
			spot->pc = place;
		return at != SIZE_MAX && place.n > 0;
	}
	spot->tag = na_text_n(place.s, colon);
	spot->pc = na_text_from(place, colon + 1);
	return true;
}

/* clang-format off */
static const struct { const char *word; enum na_hang_cause cause; } causes[] = {
	{"bad tpu", NA_HANG_BAD_CHIP}, {"bad_tpu", NA_HANG_BAD_CHIP},
	{"bad_sc", NA_HANG_BAD_CHIP}, {"bad sc", NA_HANG_BAD_CHIP},
	{"bad sparse", NA_HANG_BAD_CHIP}, {"bad tensor", NA_HANG_BAD_CHIP},
	{"bad_tc", NA_HANG_BAD_CHIP}, {"bad chip", NA_HANG_BAD_CHIP},
	{"networking", NA_HANG_NETWORKING},
	{"network issue", NA_HANG_NETWORKING},
	{"different module", NA_HANG_DIFFERENT_MODULE},
	{"different_module", NA_HANG_DIFFERENT_MODULE},
	{"fingerprint", NA_HANG_FINGERPRINT_MISMATCH},
	{"inconsistent", NA_HANG_FINGERPRINT_MISMATCH},
	{"input stall", NA_HANG_INPUT_STALL},
	{"input_stall", NA_HANG_INPUT_STALL},
	{"unrecoverable", NA_HANG_UNRECOVERABLE_ERROR},
	{"not queued", NA_HANG_PROGRAM_NOT_QUEUED},
	{"not_queued", NA_HANG_PROGRAM_NOT_QUEUED},
	{"not been queued", NA_HANG_PROGRAM_NOT_QUEUED},
	{"cannot determine", NA_HANG_UNKNOWN},
	{"unknown", NA_HANG_UNKNOWN},
};
/* clang-format on */

/* The one that is named first. */
bool na_hang_cause_of(struct na_text x, enum na_hang_cause *cause)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		size_t at = na_hang_find(x, causes[i].word);

		if (at < first) {
			first = at;
			*cause = causes[i].cause;
		}
	}
	return first != SIZE_MAX;
}

/* ---- times */

/* n digits at *at. */
static bool digits(struct na_text x, size_t *at, int n, int *value)
{
	*value = 0;
	for (int i = 0; i < n; i++, ++*at) {
		if (*at >= x.n || !na_is_digit(x.s[*at]))
			return false;
		*value = *value * 10 + (x.s[*at] - '0');
	}
	return true;
}

static bool one_of(struct na_text x, size_t *at, const char *chars)
{
	if (*at >= x.n || !x.s[*at] || !strchr(chars, x.s[*at]))
		return false;
	++*at;
	return true;
}

/* "Z", "+01:00", "-0800"; none is UTC. */
static int64_t zone_s(struct na_text x, size_t *at)
{
	size_t i = *at;
	int sign, h, m;

	if (one_of(x, at, "Z") || i >= x.n || (x.s[i] != '+' && x.s[i] != '-'))
		return 0;
	sign = x.s[i++] == '-' ? -1 : 1;
	if (!digits(x, &i, 2, &h))
		return 0;
	one_of(x, &i, ":");
	if (!digits(x, &i, 2, &m) || h > 24 || m > 59)
		return 0;
	*at = i;
	return sign * (h * 3600 + m * 60);
}

/* HH:MM:SS[.frac][zone] of a day; sets the time. */
static size_t clock_of(struct na_text x, size_t at, int year, int month,
		       int day, struct na_hang_time *t)
{
	int h, m, s, n = 0;
	char text[64], frac[10] = "";
	size_t before;
	int64_t shift;

	if (!digits(x, &at, 2, &h) || !one_of(x, &at, ":") ||
	    !digits(x, &at, 2, &m) || !one_of(x, &at, ":") ||
	    !digits(x, &at, 2, &s))
		return 0;
	if (at + 1 < x.n && (x.s[at] == '.' || x.s[at] == ',') &&
	    na_is_digit(x.s[at + 1])) {
		for (at++; at < x.n && na_is_digit(x.s[at]); at++) {
			if (n < 9)
				frac[n++] = x.s[at];
		}
	}
	snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d%s%sZ",
		 year ? year : 1972, month, day, h, m, s, n ? "." : "", frac);
	if (!na_parse_utc(text, &t->ns))
		return 0;
	before = at;
	shift = zone_s(x, &at);
	t->has_zone = at > before;
	if (!na_add_i64(t->ns, -shift * 1000000000, &t->ns))
		return 0;
	t->known = true;
	t->has_year = year != 0;
	t->borrowed = false;
	return at;
}

static int month_of(struct na_text x)
{
	static const char *const names[] = {"jan", "feb", "mar", "apr",
					    "may", "jun", "jul", "aug",
					    "sep", "oct", "nov", "dec"};

	for (int i = 0; i < 12; i++) {
		if (na_starts_nocase(x.s, x.n, names[i]))
			return i + 1;
	}
	return 0;
}

/* "I0102 03:04:05.6", also with the year; PyTorch leaves out a leading 0. */
static size_t glog_time(struct na_text x, struct na_hang_time *t)
{
	size_t at = 1, n;
	int year = 0, month, day;

	for (n = 0; 1 + n < x.n && na_is_digit(x.s[1 + n]); n++)
		;
	if ((n != 3 && n != 4 && n != 8) ||
	    (n == 8 && !digits(x, &at, 4, &year)) ||
	    !digits(x, &at, n == 3 ? 1 : 2, &month) ||
	    !digits(x, &at, 2, &day) || !one_of(x, &at, " "))
		return 0;
	return clock_of(x, at, year, month, day, t);
}

size_t na_hang_time_of(struct na_text x, struct na_hang_time *t)
{
	int year, month, day;
	size_t at = 0;

	if (x.n < 12)
		return 0;
	if (strchr("IWEFD", x.s[0]) && na_is_digit(x.s[1]))
		return glog_time(x, t);
	if (na_is_digit(x.s[0])) {
		if (!digits(x, &at, 4, &year) || !one_of(x, &at, "-/") ||
		    !digits(x, &at, 2, &month) || !one_of(x, &at, "-/") ||
		    !digits(x, &at, 2, &day) || !one_of(x, &at, "T ") || !year)
			return 0;
		return clock_of(x, at, year, month, day, t);
	}
	month = month_of(x);
	if (!month || x.s[3] != ' ')
		return 0;
	at = x.s[4] == ' ' ? 5 : 4;
	if (!digits(x, &at, x.s[4] == ' ' ? 1 : 2, &day) ||
	    !one_of(x, &at, " "))
		return 0;
	return clock_of(x, at, 0, month, day, t);
}
