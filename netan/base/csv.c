#include "netan/base/csv.h"

#include <string.h>
#include <strings.h>

#include "netan/base/text.h"

static struct na_text trimmed(const char *s, const char *end)
{
	while (s < end && na_is_blank(*s))
		s++;
	while (s < end && (na_is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	return na_between(s, end);
}

/* The field at *s, which is led to the comma behind it, or to the end.  What
 * is wrong with it; or NULL. */
static const char *take_field(const char **s, const char *end,
			      struct na_text *f)
{
	const char *open = *s, *close, *comma;

	while (open < end && na_is_blank(*open))
		open++;
	close = open < end && *open == '"'
			? memchr(open + 1, '"', (size_t)(end - open - 1))
			: open;
	if (!close)
		return "a quote that nothing closes";
	comma = memchr(close, ',', (size_t)(end - close));
	comma = comma ? comma : end;
	*s = comma;
	if (close == open) {
		*f = trimmed(open, comma);
		return NULL;
	}
	*f = na_between(open + 1, close);
	return trimmed(close + 1, comma).n
		       ? "text behind a closing quote (a quote cannot stand "
			 "in a name)"
		       : NULL;
}

static bool skip_line(const char *s, const char *end)
{
	while (s < end && (na_is_blank(*s) || *s == '\r'))
		s++;
	return s == end || *s == '#';
}

enum na_status na_csv_bad(const struct na_csv *c, const char *what,
			  struct na_err *err)
{
	return na_fail(err, NA_EFORMAT, "%s: line %zu: %s; expected %s",
		       c->file, c->line, what, c->expected);
}

enum na_status na_csv_next(struct na_csv *c, struct na_csv_row *r,
			   struct na_err *err)
{
	const char *s, *stop, *wrong;

	do {
		if (c->p == c->end)
			return NA_END;
		s = c->p;
		stop = memchr(s, '\n', (size_t)(c->end - s));
		stop = stop ? stop : c->end;
		c->p = stop < c->end ? stop + 1 : stop;
		c->line++;
	} while (skip_line(s, stop));
	for (r->n = 0; s <= stop; s++) {
		struct na_text f;

		wrong = take_field(&s, stop, &f);
		if (wrong)
			return na_csv_bad(c, wrong, err);
		if (r->n == NA_CSV_FIELDS)
			return na_csv_bad(c, "more than three fields", err);
		if (!f.n || f.n > NA_CSV_FIELD_BYTES || memchr(f.s, '\0', f.n))
			return na_csv_bad(c,
					  "a field that is empty, very long "
					  "or no text",
					  err);
		r->f[r->n++] = f;
	}
	return r->n < 2 ? na_csv_bad(c, "one field", err) : NA_OK;
}

bool na_csv_is(const struct na_text *f, const char *word)
{
	return f->n == strlen(word) && strncasecmp(f->s, word, f->n) == 0;
}

struct na_csv na_csv_of(const char *text, size_t n, const char *file,
			const char *expected)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (n >= 3 && memcmp(text, mark, 3) == 0) {
		text += 3;
		n -= 3;
	}
	return (struct na_csv){text, text + n, file, expected, 0};
}
