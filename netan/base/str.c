#include "netan/base/str.h"

#include <stdio.h>
#include <stdlib.h>

#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

struct na_str na_str_over(char *buf, size_t size)
{
	buf[0] = '\0';
	return (struct na_str){.s = buf, .cap = size, .fixed = true};
}

void na_str_addv(struct na_str *s, const char *fmt, va_list ap)
{
	if (!s->fixed && !s->failed) {
		va_list again;
		int want;

		va_copy(again, ap);
		want = vsnprintf(NULL, 0, fmt, again);
		va_end(again);
		s->failed = want < 0 || !na_grow(&s->s, &s->cap,
						 s->n + (size_t)want + 1, 1);
	}
	if (!s->failed)
		s->n = na_text_append(s->s, s->cap, s->n, fmt, ap);
}

void na_str_addf(struct na_str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	na_str_addv(s, fmt, ap);
	va_end(ap);
}

void na_str_join(struct na_str *s, const char *between, const char *fmt, ...)
{
	va_list ap;

	if (s->n)
		na_str_addf(s, "%s", between);
	va_start(ap, fmt);
	na_str_addv(s, fmt, ap);
	va_end(ap);
}

char *na_str_keep(struct na_str *s, struct na_arena *a)
{
	char *kept = s->failed ? NULL : na_arena_strn(a, s->s, s->n);

	free(s->s);
	*s = (struct na_str){.s = NULL};
	return kept;
}

const char *na_count_of(char buf[NA_COUNT_BUF], uint64_t n, const char *noun)
{
	char count[NA_UNIT_BUF];

	snprintf(buf, NA_COUNT_BUF, "%s %s%s", na_print_count(count, n), noun,
		 na_plural(n));
	return buf;
}

const char *na_print_words(char *buf, size_t size, const char *word)
{
	snprintf(buf, size, "%s", word);
	for (char *p = buf; *p; p++) {
		if (*p == '_')
			*p = ' ';
	}
	return buf;
}
