#include "netan/base/text.h"

#include <string.h>

#include "netan/base/vec.h"

enum { ESCAPE_ROOM = 16 };

size_t na_utf8_next(const char *s, size_t n, uint32_t *rune)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char lo = 0x80, hi = 0xBF;
	uint32_t r = p[0];
	size_t len, k;

	*rune = r;
	if (r < 0x80)
		return 1;
	*rune = NA_RUNE_BAD;
	if (r < 0xC2 || r > 0xF4)
		return 1;
	len = r < 0xE0 ? 2 : r < 0xF0 ? 3 : 4;
	/* The second byte excludes overlong forms, surrogates, > 10FFFF. */
	if (r == 0xE0)
		lo = 0xA0;
	else if (r == 0xED)
		hi = 0x9F;
	else if (r == 0xF0)
		lo = 0x90;
	else if (r == 0xF4)
		hi = 0x8F;
	r &= 0x7Fu >> len;
	for (k = 1; k < len; k++) {
		if (k >= n || p[k] < lo || p[k] > hi)
			return k;
		r = r << 6 | (p[k] & 0x3Fu);
		lo = 0x80;
		hi = 0xBF;
	}
	/* Characters of no text: XML forbids them. */
	if (r != 0xFFFE && r != 0xFFFF)
		*rune = r;
	return len;
}

size_t na_utf8_put(char *out, uint32_t r)
{
	if (r < 0x80) {
		out[0] = (char)r;
		return 1;
	}
	if (r < 0x800) {
		out[0] = (char)(0xC0 | r >> 6);
		out[1] = (char)(0x80 | (r & 0x3F));
		return 2;
	}
	if (r < 0x10000) {
		out[0] = (char)(0xE0 | r >> 12);
		out[1] = (char)(0x80 | (r >> 6 & 0x3F));
		out[2] = (char)(0x80 | (r & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | r >> 18);
	out[1] = (char)(0x80 | (r >> 12 & 0x3F));
	out[2] = (char)(0x80 | (r >> 6 & 0x3F));
	out[3] = (char)(0x80 | (r & 0x3F));
	return 4;
}

bool na_utf8_valid(const char *s, size_t n)
{
	uint32_t rune;

	while (n) {
		size_t k = na_utf8_next(s, n, &rune);

		/* A real U+FFFD takes three bytes "EF BF BD". */
		if (rune == NA_RUNE_BAD &&
		    (k != 3 || (uint8_t)s[0] != 0xEF || (uint8_t)s[2] != 0xBD))
			return false;
		s += k;
		n -= k;
	}
	return true;
}

struct range {
	uint32_t from, to;
};

static bool in_ranges(const struct range *r, size_t n, uint32_t rune)
{
	for (size_t k = 0; k < n; k++)
		if (rune >= r[k].from && rune <= r[k].to)
			return true;
	return false;
}

#define IN(table, rune) in_ranges(table, NA_LEN(table), rune)

/* Characters that hide, move the cursor or reorder what is around them. */
static bool is_hidden(uint32_t rune)
{
	/* clang-format off */
	static const struct range hidden[] = {
		{0x00, 0x1F}, {0x7F, 0x9F}, {0xAD, 0xAD}, {0x61C, 0x61C},
		{0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},
		{0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
		{0xE0000, 0xE007F}
	};
	/* clang-format on */

	return rune >= 0x20 && rune < 0x7F ? false : IN(hidden, rune);
}

static size_t put_hidden(enum na_escape how, uint32_t r, char *out)
{
	static const char letters[] = "abtnvfr"; /* 0x07 to 0x0D */

	if ((r >= 0x08 && r <= 0x0D && r != 0x0B) ||
	    (r == 0x07 && how != NA_ESC_JSON))
		return (size_t)snprintf(out, ESCAPE_ROOM, "\\%c",
					letters[r - 7]);
	if (r > 0xFFFF && how == NA_ESC_JSON)
		return (size_t)
			snprintf(out, ESCAPE_ROOM, "\\u%04x\\u%04x",
				 (unsigned)(0xD800 + ((r - 0x10000) >> 10)),
				 (unsigned)(0xDC00 + ((r - 0x10000) & 0x3FF)));
	if (r > 0xFFFF)
		return (size_t)snprintf(out, ESCAPE_ROOM, "\\U%08x",
					(unsigned)r);
	if (r < 0x80 && how != NA_ESC_JSON)
		return (size_t)snprintf(out, ESCAPE_ROOM, "\\x%02x",
					(unsigned)r);
	return (size_t)snprintf(out, ESCAPE_ROOM, "\\u%04x", (unsigned)r);
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c & 0x80);
}

static size_t put_text(const char *text, char *out)
{
	size_t n = strlen(text);

	memcpy(out, text, n);
	return n;
}

/* A Markdown mark at s[0], s[-1] valid unless first. */
static size_t put_mark(const char *s, bool first, char *out)
{
	const char *text = NULL;

	if (*s == '<')
		text = "&lt;";
	else if (*s == '>')
		text = "&gt;";
	else if (*s == '&')
		text = "&amp;";
	if (text)
		return put_text(text, out);
	/* all_reduce_1 needs no escape and reads better without. */
	if (*s == '_' && !first && is_word(s[-1]) && is_word(s[1])) {
		out[0] = '_';
		return 1;
	}
	out[0] = '\\';
	out[1] = *s;
	return 2;
}

/* What some form writes otherwise. */
static bool is_mark(char c)
{
	switch (c) {
	case '"':
	case '&':
	case '\'':
	case '*':
	case '<':
	case '>':
	case '[':
	case '\\':
	case ']':
	case '_':
	case '`':
	case '|':
	case '~':
		return true;
	default:
		return false;
	}
}

/* The entity of a character that HTML reads as more than itself, or NULL. */
static const char *entity(uint32_t rune)
{
	return rune == '<'    ? "&lt;"
	       : rune == '>'  ? "&gt;"
	       : rune == '&'  ? "&amp;"
	       : rune == '"'  ? "&quot;"
	       : rune == '\'' ? "&#39;"
			      : NULL;
}

/* The escaped form of the character at s (start: of the whole text); moves
 * *s on and returns the bytes in out. */
static size_t escape_next(enum na_escape how, const char *start, const char **s,
			  char out[ESCAPE_ROOM])
{
	const char *at = *s;
	uint32_t rune;

	*s += na_utf8_next(at, strnlen(at, 4), &rune);
	if (is_hidden(rune))
		return put_hidden(how, rune, out);
	if (rune < 0x80) {
		if (how == NA_ESC_JSON && (rune == '"' || rune == '\\')) {
			out[0] = '\\';
			out[1] = (char)rune;
			return 2;
		}
		if (how == NA_ESC_CSV && rune == '"') {
			memcpy(out, "\"\"", 2);
			return 2;
		}
		if (how == NA_ESC_MD && strchr("\\`*_[]<>|&~", (int)rune))
			return put_mark(at, at == start, out);
		if (how == NA_ESC_HTML && entity(rune))
			return put_text(entity(rune), out);
	}
	return na_utf8_put(out, rune);
}

static const char *past_digits(const char *s)
{
	return s + strspn(s, "0123456789");
}

/* "-3", "+1.50", "-2e-6": nothing that a spreadsheet would compute. */
static bool is_number(const char *s)
{
	const char *from = s + (*s == '+' || *s == '-'), *at, *power;

	at = past_digits(from);
	if (*at == '.' && at > from)
		at = past_digits(at + 1);
	if (at > from && (*at == 'e' || *at == 'E')) {
		power = at + 1 + (at[1] == '+' || at[1] == '-');
		at = past_digits(power);
		if (at == power)
			return false;
	}
	return at > from && !*at;
}

static bool is_formula(const char *s)
{
	uint32_t rune;

	if (!*s || is_number(s))
		return false;
	na_utf8_next(s, strlen(s), &rune);
	return (rune < 0x80 && strchr("=+-@\t\r", (int)rune)) ||
	       rune == 0xFF1D || rune == 0xFF0B || rune == 0xFF0D ||
	       rune == 0xFF20;
}

static bool needs_quote_mark(enum na_escape how, const char *s)
{
	return (how == NA_ESC_CSV || how == NA_ESC_TSV) && is_formula(s);
}

size_t na_escape(enum na_escape how, const char *s, char *buf, size_t size)
{
	const char *start = s;
	char part[ESCAPE_ROOM];
	size_t need = 0, used = 0;

	if (needs_quote_mark(how, s)) {
		need = 1;
		if (size > 1)
			buf[used++] = '\'';
	}
	while (*s) {
		size_t n = escape_next(how, start, &s, part);

		/* Once one part did not fit, nothing behind it is written. */
		if (used == need && used + n < size) {
			memcpy(buf + used, part, n);
			used += n;
		}
		need += n;
	}
	if (size)
		buf[used] = '\0';
	return need;
}

/* How many bytes from s on stand for themselves in every form. */
static size_t plain_bytes(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~' && !is_mark(s[n]))
		n++;
	return n;
}

bool na_escape_to(enum na_escape how, const char *s, FILE *out)
{
	const char *start = s;
	char part[ESCAPE_ROOM];

	if (needs_quote_mark(how, s))
		putc('\'', out);
	while (*s) {
		const char *from = s;
		size_t n = plain_bytes(s);

		if (n) {
			s += n;
		} else {
			n = escape_next(how, start, &s, part);
			from = part;
		}
		if (fwrite(from, 1, n, out) != n)
			return false;
	}
	return !ferror(out);
}

static size_t rune_width(uint32_t rune)
{
	/* clang-format off */
	static const struct range zero[] = {
		{0x300, 0x36F}, {0x483, 0x489}, {0x591, 0x5BD},
		{0x610, 0x61A}, {0x64B, 0x65F}, {0x1AB0, 0x1AFF},
		{0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
		{0xFE20, 0xFE2F}
	};
	/* clang-format on */
	/* clang-format off */
	static const struct range wide[] = {
		{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0x33FF},
		{0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA000, 0xA4CF},
		{0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},
		{0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
		{0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}
	};
	/* clang-format on */

	if (rune < 0x300)
		return 1;
	if (IN(zero, rune))
		return 0;
	return IN(wide, rune) ? 2 : 1;
}

size_t na_text_width(const char *s)
{
	return na_text_width_to(s, SIZE_MAX);
}

size_t na_text_width_to(const char *s, size_t most)
{
	char part[ESCAPE_ROOM];
	const char *start = s;
	size_t width = 0;

	while (*s && width <= most) {
		size_t n = escape_next(NA_ESC_TERMINAL, start, &s, part);

		if ((part[0] & 0x80) == 0) {
			width += n;
		} else {
			uint32_t rune;

			na_utf8_next(part, n, &rune);
			width += rune_width(rune);
		}
	}
	return width;
}

static size_t next(const char *s, uint32_t *rune)
{
	return na_utf8_next(s, strnlen(s, 4), rune);
}

/* p is behind '['.  Returns what is behind ']', or NULL when none closes. */
static const char *match_set(const char *p, uint32_t rune, bool *hit)
{
	bool negate = *p == '!' || *p == '^';
	const char *first;
	uint32_t lo, hi;

	p += negate;
	*hit = false;
	for (first = p; *p && (*p != ']' || p == first);) {
		if (*p == '\\' && p[1])
			p++;
		p += next(p, &lo);
		hi = lo;
		if (p[0] == '-' && p[1] && p[1] != ']') {
			p++;
			if (*p == '\\' && p[1])
				p++;
			p += next(p, &hi);
		}
		if (rune >= lo && rune <= hi)
			*hit = true;
	}
	if (negate)
		*hit = !*hit;
	return *p ? p + 1 : NULL;
}

/* One pattern element other than '*' against the character at *t. */
static bool match_one(const char **p, const char **t)
{
	const char *behind;
	uint32_t want, have;
	size_t n;
	bool hit;

	n = next(*t, &have);
	if (**p == '[') {
		behind = match_set(*p + 1, have, &hit);
		if (behind) {
			*p = behind;
			*t += n;
			return hit;
		}
	}
	if (**p == '?') {
		(*p)++;
		*t += n;
		return true;
	}
	if (**p == '\\' && (*p)[1])
		(*p)++;
	else if (!**p)
		return false;
	*p += next(*p, &want);
	*t += n;
	return want == have;
}

bool na_glob(const char *pattern, const char *text)
{
	const char *p = pattern, *t = text;
	const char *star = NULL, *from = NULL; /* last '*', its text */

	while (*t) {
		uint32_t rune;

		if (*p == '*') {
			star = ++p;
			from = t;
			continue;
		}
		if (match_one(&p, &t))
			continue;
		if (!star)
			return false;
		from += next(from, &rune);
		p = star;
		t = from;
	}
	while (*p == '*')
		p++;
	return !*p;
}

int na_natural_order(const char *a, const char *b)
{
	const char *x = a, *y = b;

	while (*x && *y) {
		size_t n = 0, m = 0;
		int order;

		if (!na_is_digit(*x) || !na_is_digit(*y)) {
			if (*x != *y)
				break;
			x++;
			y++;
			continue;
		}
		x += strspn(x, "0");
		y += strspn(y, "0");
		while (na_is_digit(x[n]))
			n++;
		while (na_is_digit(y[m]))
			m++;
		order = n != m ? (n < m ? -1 : 1) : strncmp(x, y, n);
		if (order)
			return order;
		x += n;
		y += m;
	}
	if (*x != *y)
		return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
	return strcmp(a, b); /* 7 and 07 are equal but not the same */
}

size_t na_text_append(char *text, size_t size, size_t n, const char *fmt,
		      va_list ap)
{
	size_t room = size - n;
	int want = vsnprintf(text + n, room, fmt, ap);

	if (want <= 0)
		return n;
	return n + ((size_t)want < room ? (size_t)want : room - 1);
}
