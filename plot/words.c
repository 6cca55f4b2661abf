#include "plot/words.h"
#include "members.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/result/emit.h"
#include "plot/canvas.h"
#include "plot/scale.h"
#include "plot/theme.h"

#define SHORT_NAME 48 /* of one run among others */

void na_words_add(struct words *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->n = na_text_append(w->text, sizeof(w->text), w->n, fmt, ap);
	va_end(ap);
}

/* The values of a key, "host1 / network"; or the key itself if it is text. */
void na_words_key(char *buf, size_t size, const struct na_value *key)
{
	const struct na_value *part = key;
	size_t n = 0;

	if (key && key->kind == NA_V_OBJECT)
		part = key->u.of.first;
	buf[0] = '\0';
	for (; part && n + 1 < size; part = part->next) {
		char number[NA_UNIT_BUF];
		const char *s = na_text_of(part, NULL);
		int len;

		if (!s && part->kind == NA_V_INT) {
			snprintf(number, sizeof(number), "%" PRId64, part->u.i);
			s = number;
		} else if (!s) {
			s = part->kind == NA_V_REAL
				    ? na_label_short(number, part->u.d, 4)
				    : "unknown";
		}
		len = snprintf(buf + n, size - n, "%s%s", n ? " / " : "", s);
		n += len > 0 ? (size_t)len : 0;
		if (part == key)
			break;
	}
}

/* The analysis' own sum of what it left out, "rest" in every part of its
 * key, never counts as a series. */
bool na_is_rest(const struct na_value *s)
{
	const struct na_value *part = na_get(s, M_key);

	if (part && part->kind == NA_V_OBJECT)
		part = part->u.of.first;
	if (s->next || !part)
		return false;
	for (; part; part = part->next) {
		if (strcmp(na_text_of(part, ""), "rest") != 0)
			return false;
	}
	return true;
}

/* Between two parts of a subtitle. */
void na_words_break(struct words *w)
{
	if (w->n)
		na_words_add(w, " \xc2\xb7 ");
}

/* Whether no input before this one has its label. */
static bool is_new_run(const struct na_value *list,
		       const struct na_value *input)
{
	const char *label = na_text_at(input, M_label);
	const struct na_value *v = list->u.of.first;

	for (; v != input; v = v->next) {
		if (strcmp(na_text_at(v, M_label), label) == 0)
			return false;
	}
	return true;
}

/* "runs a, b, c and 2 more" */
void na_words_runs(const struct na_value *doc, struct words *w)
{
	const struct na_value *list = na_get(doc, M_inputs);
	size_t n = 0;

	na_for_each (v, list) {
		const char *label = na_text_or(v, M_label, "unlabelled");
		char name[SHORT_NAME];

		if (!is_new_run(list, v))
			continue;
		if (n++ < NA_TOP_SERIES)
			na_words_add(w, "%s%s", n > 1 ? ", " : "runs ",
				     na_text_clean(name, sizeof(name), label));
	}
	if (n > NA_TOP_SERIES)
		na_words_add(w, " and %zu more", n - NA_TOP_SERIES);
}

void na_words_inputs(const struct na_value *doc, struct words *w)
{
	const struct na_value *list = na_get(doc, M_inputs), *first;
	const char *name;

	first = na_items(list);
	if (!first)
		return;
	name = na_text_at(first, M_label);
	if (!*name)
		name = na_text_at(first, M_path);
	/* A path's end tells more than its start. */
	if (strlen(name) > 48) {
		const char *cut = name + strlen(name) - 46;

		while ((*cut & 0xc0) == 0x80)
			cut++;
		na_words_add(w, "\xe2\x80\xa6%s", cut);
	} else {
		na_words_add(w, "%s", name);
	}
	if (list->n > 1)
		na_words_add(w, " and %zu more", list->n - 1);
}

void na_words_coverage(const struct na_result *r, struct words *w)
{
	const struct na_value *doc = na_result_get_doc(r);
	const struct na_value *left = na_dig(doc, M_coverage "." M_left_out);
	int64_t used = na_count_or(doc, M_coverage "." M_used, -1);
	const char *noun = na_result_get_word(r, NA_WORD_NOUN, "transfer");
	int64_t own = na_result_get_about(r)->left_out;
	uint64_t sum = own > 0 ? (uint64_t)own : 0;
	char buf[NA_COUNT_BUF];

	if (used < 0)
		return;
	na_words_break(w);
	na_words_add(w, "%s used", na_count_of(buf, (uint64_t)used, noun));
	na_for_each (v, left) {
		int64_t n = na_int_of(v, 0);

		sum += n > 0 ? (uint64_t)n : 0;
	}
	if (sum)
		na_words_add(w, ", %s left out", na_print_count(buf, sum));
}

void na_words_data(const struct na_value *doc, bool runs_apart, struct words *w)
{
	if (runs_apart)
		na_words_runs(doc, w);
	else
		na_words_inputs(doc, w);
}

void na_words_origin(const struct na_value *doc, struct words *w)
{
	const struct na_value *origin = na_get(doc, M_origin_unix_ns);
	char buf[NA_UNIT_BUF];

	if (!origin || origin->kind != NA_V_INT)
		return;
	na_words_break(w);
	na_words_add(w, "origin %s", na_print_utc(buf, origin->u.i));
}

void na_words_seconds(double seconds, struct words *w)
{
	char buf[NA_LABEL_BUF];

	na_words_break(w);
	na_words_add(w, "%s", na_label_quantity(buf, NA_Q_SECONDS, seconds, 3));
}
