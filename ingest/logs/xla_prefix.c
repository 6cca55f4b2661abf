/* What stands in front of a line's own words: who wrote it, and when. */
#include <string.h>

#include "ingest/logs/xla_parts.h"
#include "netan/base/date.h"
#include "netan/base/text.h"

static bool all_digits(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!na_is_digit(s[i]))
			return false;
	}
	return n > 0;
}

static int number_of(const char *s, size_t n)
{
	int x = 0;

	for (size_t i = 0; i < n; i++)
		x = 10 * x + (s[i] - '0');
	return x;
}

/* "2026-11-20", also with slashes: 10 characters. */
static bool date_at(const char *s, size_t n, int64_t *us)
{
	int month, day;

	if (n < 10 || !all_digits(s, 4) || !all_digits(s + 5, 2) ||
	    !all_digits(s + 8, 2) || (s[4] != '-' && s[4] != '/') ||
	    s[7] != s[4])
		return false;
	month = number_of(s + 5, 2);
	day = number_of(s + 8, 2);
	if (month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	*us = na_days_of(number_of(s, 4), month, day) * INT64_C(86400000000);
	return true;
}

/* "I1120": no year, so any does for a difference. */
static bool glog_date_at(const char *s, size_t n, int64_t *us)
{
	int month, day;

	if (n != 5 || !memchr("IWEFD", s[0], 5) || !all_digits(s + 1, 4))
		return false;
	month = number_of(s + 1, 2);
	day = number_of(s + 3, 2);
	if (month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	*us = na_days_of(2000, month, day) * INT64_C(86400000000);
	return true;
}

/* "21:28:00", "21:28:00.123456" or with a comma. */
static bool clock_at(const char *s, size_t n, int64_t *us)
{
	int64_t scale = 100000;

	if (n < 8 || !all_digits(s, 2) || s[2] != ':' ||
	    !all_digits(s + 3, 2) || s[5] != ':' || !all_digits(s + 6, 2))
		return false;
	*us = (number_of(s, 2) * 3600 + number_of(s + 3, 2) * 60 +
	       number_of(s + 6, 2)) *
	      INT64_C(1000000);
	if (n > 8 && (s[8] == '.' || s[8] == ',')) {
		for (size_t i = 9; i < n && na_is_digit(s[i]); i++) {
			*us += scale * (s[i] - '0');
			scale /= 10;
		}
	}
	return true;
}

struct times {
	int64_t day_us, clock_us;
	bool dated, clocked;
};

/* Takes what a token tells of the time; whether it tells it. */
static bool time_token(const char *s, size_t n, struct times *t)
{
	bool joined;

	if (date_at(s, n, &t->day_us)) {
		joined = n >= 19 && (s[10] == 'T' || s[10] == '_');
		if (joined)
			t->clocked |= clock_at(s + 11, n - 11, &t->clock_us);
		t->dated = true;
		return n == 10 || joined;
	}
	if (glog_date_at(s, n, &t->day_us)) {
		t->dated = true;
		return true;
	}
	if (clock_at(s, n, &t->clock_us)) {
		t->clocked = true;
		return true;
	}
	return false;
}

/* "1732138080.123" */
static bool epoch_token(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && na_is_digit(s[i]))
		i++;
	if (i < 9)
		return false;
	return i == n || (s[i] == '.' &&
			  (i + 1 == n || all_digits(s + i + 1, n - i - 1)));
}

/* "metrics.cc:123", "train.py:55" */
static bool source_token(const char *s, size_t n)
{
	const char *colon = memchr(s, ':', n), *dot = memchr(s, '.', n);

	return colon && dot && dot < colon && dot > s &&
	       ((dot[1] >= 'a' && dot[1] <= 'z')) && colon - dot <= 4 &&
	       all_digits(colon + 1, n - (size_t)(colon + 1 - s));
}

static bool level_token(const char *s, size_t n)
{
	static const char *const words[] = {"INFO",   "WARNING", "WARN",
					    "ERROR",  "DEBUG",   "CRITICAL",
					    "stdout", "stderr",  "I",
					    "W",      "E",       "F",
					    "-",      "|",       NULL};

	for (const char *const *w = words; *w; w++) {
		if (strlen(*w) == n && memcmp(*w, s, n) == 0)
			return true;
	}
	return false;
}

static bool punctuation(char c)
{
	return memchr("[](){}<>:,;|\"'", c, 14) != NULL;
}

/* A token without the brackets and colons that it comes in. */
static bool says_who(const char **s, size_t *n, struct times *t)
{
	while (*n && punctuation((*s)[*n - 1]))
		--*n;
	while (*n && punctuation(**s)) {
		++*s;
		--*n;
	}
	return *n && !time_token(*s, *n, t) && !epoch_token(*s, *n) &&
	       !source_token(*s, *n) && !level_token(*s, *n);
}

static void add(struct na_xla_prefix *p, const char *s, size_t n)
{
	if (p->n && p->n < sizeof(p->key))
		p->key[p->n++] = ' ';
	if (n > sizeof(p->key) - p->n)
		n = sizeof(p->key) - p->n;
	memcpy(p->key + p->n, s, n);
	p->n += n;
}

/* Members of log entries as JSON are apart, too. */
static bool between_tokens(char c)
{
	return na_xla_is_blank(c) || c == '"' || c == ',' || c == '{' ||
	       c == '}';
}

/* "21:28:00,123" */
static bool is_decimal(const char *s, size_t n, size_t i)
{
	return s[i] == ',' && i && i + 1 < n && na_is_digit(s[i - 1]) &&
	       na_is_digit(s[i + 1]);
}

void na_xla_prefix(const char *s, size_t n, struct na_xla_prefix *p)
{
	struct times t = {0};
	bool unique = false; /* of each entry another one */
	size_t i = 0;

	memset(p, 0, sizeof(*p));
	for (size_t k = n; k && na_xla_is_blank(s[k - 1]); k--)
		p->indent += s[k - 1] == '\t' ? 2 : 1;
	while (i < n) {
		const char *token;
		size_t len;

		while (i < n && between_tokens(s[i]))
			i++;
		token = s + i;
		while (i < n && (!between_tokens(s[i]) || is_decimal(s, n, i)))
			i++;
		len = (size_t)(s + i - token);
		if (!len || !says_who(&token, &len, &t))
			continue;
		if (!unique)
			add(p, token, len);
		unique = len == 8 && memcmp(token, "insertId", 8) == 0;
	}
	if (t.clocked) {
		p->stamp.kind = t.dated ? NA_XLA_DATED : NA_XLA_CLOCK;
		p->stamp.us = t.clock_us + (t.dated ? t.day_us : 0);
	}
}
