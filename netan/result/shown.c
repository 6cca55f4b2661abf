/* What is shown of a result beside its tree: headline, notes, views, words. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/result/member.h"
#include "netan/result/result_impl.h"

const char *na_result_get_headline(const struct na_result *r)
{
	return r ? r->headline : NULL;
}

const struct na_view *na_result_views(const struct na_result *r)
{
	return r ? r->views : NULL;
}

const struct na_text_line *na_result_notes(const struct na_result *r)
{
	return r ? r->notes : NULL;
}

void na_result_word(struct na_result *r, enum na_word which, const char *text)
{
	if (r)
		r->words[which] = text ? na_result_copy(r, text) : NULL;
}

void na_result_wordf(struct na_result *r, enum na_word which, const char *fmt,
		     ...)
{
	va_list ap;

	if (!r)
		return;
	va_start(ap, fmt);
	r->words[which] = na_result_copyv(r, &r->arena, fmt, ap);
	va_end(ap);
}

const char *na_result_get_word(const struct na_result *r, enum na_word which,
			       const char *fallback)
{
	return r && r->words[which] ? r->words[which] : fallback;
}

const char *na_result_message(const struct na_result *r)
{
	const struct na_view *v = na_result_views(r);

	return na_result_get_word(r, NA_WORD_MESSAGE, v ? v->title : NULL);
}

void na_result_retitle(struct na_result *r, const char *title)
{
	na_result_word(r, NA_WORD_MESSAGE, title);
	if (r && r->views)
		r->views->title = r->words[NA_WORD_MESSAGE];
}

struct na_about *na_result_about(struct na_result *r)
{
	return &r->about;
}

const struct na_about *na_result_get_about(const struct na_result *r)
{
	return &r->about;
}

uint64_t na_result_left_out(const struct na_result *r)
{
	const struct na_value *c = na_get(na_result_get_doc(r), M_coverage);
	uint64_t sum = 0;

	if (r->about.left_out >= 0)
		return (uint64_t)r->about.left_out;
	na_for_each (v, na_get(c, M_left_out)) {
		int64_t n = na_int_of(v, 0);

		sum += n > 0 ? (uint64_t)n : 0;
	}
	return sum;
}

void na_result_headline(struct na_result *r, const char *fmt, ...)
{
	va_list ap;

	if (!r)
		return;
	va_start(ap, fmt);
	r->headline = na_result_copyv(r, &r->arena, fmt, ap);
	va_end(ap);
}

void na_result_note(struct na_result *r, const char *fmt, ...)
{
	struct na_text_line *line;
	va_list ap;

	line = r ? na_result_take(r, sizeof(*line)) : NULL;
	if (!line)
		return;
	va_start(ap, fmt);
	line->text = na_result_copyv(r, &r->arena, fmt, ap);
	va_end(ap);
	if (!line->text)
		return;
	*r->notes_end = line;
	r->notes_end = &line->next;
}

struct na_column na_column_declared(const struct na_table *table,
				    const struct na_column *c)
{
	const struct na_member *m = na_member_at(table, c->field);
	struct na_column made = m ? m->column : *c;

	if (c->format != NA_F_DECLARED)
		return *c;
	made.field = c->field;
	if (c->header)
		made.header = c->header;
	assert(made.header && made.format != NA_F_DECLARED);
	return made;
}

enum { HEADER_BUF = 128 };

/* "receiving host" is "receiving rank" where ranks stand for hosts. */
static const char *whose(const struct na_result *r, const char *header,
			 char buf[HEADER_BUF])
{
	size_t n = strlen(header), host = strlen("host");

	if (!r->about.hosts || n < host || n >= HEADER_BUF / 2 ||
	    strcmp(header + n - host, "host") != 0 ||
	    (n > host && header[n - host - 1] != ' '))
		return header;
	snprintf(buf, HEADER_BUF, "%.*s%.40s", (int)(n - host), header,
		 r->about.hosts);
	return buf;
}

static bool copy_columns(struct na_result *r, struct na_column *to,
			 const struct na_table *table,
			 const struct na_column *from, size_t n)
{
	char buf[HEADER_BUF];

	for (size_t k = 0; k < n; k++) {
		to[k] = na_column_declared(table, &from[k]);
		to[k].field = na_result_copy(r, from[k].field);
		to[k].header = na_result_copy(r, whose(r, to[k].header, buf));
	}
	return !r->failed;
}

void na_result_view(struct na_result *r, const char *title,
		    const struct na_value *list, const struct na_table *table,
		    const struct na_column *cols, size_t n_cols,
		    size_t max_rows)
{
	struct na_column *copy;
	struct na_view *view;

	if (!r || !list)
		return;
	view = na_result_take(r, sizeof(*view));
	copy = na_result_take(r, n_cols * sizeof(*copy));
	if (!view || !copy || !copy_columns(r, copy, table, cols, n_cols))
		return;
	view->title = title ? na_result_copy(r, title) : NULL;
	view->list = list;
	view->cols = copy;
	view->n_cols = n_cols;
	view->max_rows = max_rows;
	*r->views_end = r->last = view;
	r->views_end = &view->next;
}

void na_result_text(struct na_result *r, const char *title, const char *fmt,
		    ...)
{
	struct na_view *view = r ? na_result_take(r, sizeof(*view)) : NULL;
	va_list ap;

	if (!view)
		return;
	va_start(ap, fmt);
	view->text = na_result_copyv(r, &r->arena, fmt, ap);
	va_end(ap);
	view->title = title ? na_result_copy(r, title) : NULL;
	if (!view->text)
		return;
	*r->views_end = r->last = view;
	r->views_end = &view->next;
}

void na_result_whole(struct na_result *r)
{
	if (r && r->last)
		r->last->whole = true;
}

void na_result_tone(struct na_result *r, enum na_severity tone)
{
	if (r && r->last)
		r->last->tone = tone;
}
