/* What the text of an item says. */
#include <string.h>

#include "ingest/json/json.h"
#include "netan/base/text.h"

/* Four digits; false, and s where it was: they are not there. */
static bool hex4(const char **s, const char *end, uint32_t *x)
{
	uint32_t sum = 0;

	if (end - *s < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int d = na_hex_digit((*s)[i]);

		if (d < 0)
			return false;
		sum = sum << 4 | (uint32_t)d;
	}
	*s += 4;
	*x = sum;
	return true;
}

/* Behind \u: a character, perhaps of two halves. */
static uint32_t unicode(const char **s, const char *end)
{
	const char *low;
	uint32_t a, b;

	if (!hex4(s, end, &a))
		return NA_RUNE_BAD;
	if (a < 0xd800 || a > 0xdfff)
		return a;
	low = *s + 2;
	if (a > 0xdbff || end - *s < 6 || (*s)[0] != '\\' || (*s)[1] != 'u' ||
	    !hex4(&low, end, &b) || b < 0xdc00 || b > 0xdfff)
		return NA_RUNE_BAD;
	*s = low;
	return 0x10000 + ((a - 0xd800) << 10) + (b - 0xdc00);
}

/* Behind a backslash. */
static uint32_t escape(const char **s, const char *end)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (*s == end)
		return NA_RUNE_BAD;
	if (**s == 'u') {
		++*s;
		return unicode(s, end);
	}
	at = memchr(from, **s, sizeof(from) - 1);
	if (!at)
		return NA_RUNE_BAD;
	++*s;
	return (unsigned char)to[at - from];
}

size_t na_json_unescape(struct na_text raw, char *buf, size_t size)
{
	const char *s = raw.s, *end = raw.n ? raw.s + raw.n : raw.s;
	size_t n = 0;

	while (s < end) {
		char out[4];
		uint32_t rune;
		size_t k;

		if (*s == '\\') {
			s++;
			rune = escape(&s, end);
		} else {
			s += na_utf8_next(s, (size_t)(end - s), &rune);
		}
		k = na_utf8_put(out, rune);
		if (k >= size - n)
			break;
		memcpy(buf + n, out, k);
		n += k;
	}
	buf[n] = '\0';
	return n;
}

bool na_json_is(const struct na_json *j, const char *word)
{
	char buf[128];
	size_t n;

	if (!j->escaped)
		return na_text_is(j->text, word);
	n = na_json_unescape(j->text, buf, sizeof(buf));
	return na_text_is(na_text_n(buf, n), word);
}

/* sum * 10 + digit, or false past INT64_MAX. */
static bool push(uint64_t *sum, unsigned digit)
{
	if (*sum > ((uint64_t)INT64_MAX - digit) / 10)
		return false;
	*sum = *sum * 10 + digit;
	return true;
}

/* Behind `e`; clamped to what makes any number nothing or too much. */
static bool exponent(const char *s, const char *end, int *power)
{
	bool minus = s < end && *s == '-';
	int sum = 0;

	s += s < end && (*s == '-' || *s == '+');
	if (s == end)
		return false;
	for (; s < end && na_is_digit(*s); s++) {
		if (sum < 100000)
			sum = sum * 10 + (*s - '0');
	}
	*power += minus ? -sum : sum;
	return s == end;
}

/* Digits and perhaps a point: how many digits stand before it, and where all
 * this ends. */
static const char *mantissa(const char *s, const char *end, int64_t *before)
{
	const char *from = s, *point = NULL;

	for (; s < end && (na_is_digit(*s) || (*s == '.' && !point)); s++) {
		if (*s == '.')
			point = s;
	}
	*before = (point ? point : s) - from;
	return s;
}

bool na_json_decimal(struct na_text text, int power, int64_t *x)
{
	const char *s = text.s, *end = text.n ? text.s + text.n : text.s, *e;
	bool minus = s < end && *s == '-';
	int64_t left;
	uint64_t sum = 0;

	s += minus;
	if (s == end || !na_is_digit(*s))
		return false;
	e = mantissa(s, end, &left);
	if (e < end &&
	    ((*e != 'e' && *e != 'E') || !exponent(e + 1, end, &power)))
		return false;
	/* So many digits from the left are before the new point. */
	left += power;
	for (; s < e && left > 0; s++) {
		if (*s == '.')
			continue;
		if (!push(&sum, (unsigned)(*s - '0')))
			return false;
		left--;
	}
	for (; left > 0 && sum; left--) {
		if (!push(&sum, 0))
			return false;
	}
	*x = minus ? -(int64_t)sum : (int64_t)sum;
	return true;
}

bool na_json_count(struct na_text text, uint64_t *x)
{
	return na_text_number(text, x);
}
