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

static void add_scope(const struct na_result *r, struct words *w)
{
	const char *scope = na_result_get_word(r, NA_WORD_SCOPE, NULL);

	if (!scope)
		return;
	na_words_break(w);
	na_words_add(w, "only %.200s", scope);
}

/* "runs a, b, c and 2 more" */
void na_words_runs(const struct na_result *r, struct words *w)
{
	const struct na_value *list = na_get(na_result_get_doc(r), M_inputs);
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
	add_scope(r, w);
}

/* The folder of a path: how many bytes come before its last part. */
static size_t folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

/* The last part of a path of n bytes; "" of "." and "..". */
static const char *last_part(const char *path, size_t n, size_t *length)
{
	size_t from = n;

	while (from && path[from - 1] != '/')
		from--;
	*length = n - from;
	if (strspn(path + from, ".") >= *length)
		*length = 0;
	return path + from;
}

static const char above_runs[] = "plugins/profile/";

static bool in_session(const char *path, size_t folder, size_t name)
{
	size_t n = strlen(above_runs);

	return folder >= name + n &&
	       memcmp(path + folder - name - n, above_runs, n) == 0;
}

static bool same_folder(const struct na_value *list, const char *path,
			size_t folder)
{
	na_for_each (v, list) {
		const char *other = na_text_at(v, M_path);

		if (folder_of(other) != folder ||
		    memcmp(other, path, folder) != 0)
			return false;
	}
	return true;
}

/* Names of one length: 48 bytes tell one from another. */
static void add_name(struct words *w, const char *s, size_t n)
{
	size_t half = 22;

	if (n <= 2 * half + 4) {
		na_words_add(w, "%.*s", (int)n, s);
		return;
	}
	while (half < n && (s[half] & 0xc0) == 0x80)
		half++;
	na_words_add(w, "%.*s\xe2\x80\xa6", (int)half, s);
	for (half = n - 22; half < n && (s[half] & 0xc0) == 0x80;)
		half++;
	na_words_add(w, "%.*s", (int)(n - half), s + half);
}

static void add_files(const struct na_value *list, struct words *w)
{
	const struct na_value *first = na_items(list);
	const char *path = na_text_at(first, M_path), *name;
	size_t folder = folder_of(path), n;
	bool together = same_folder(list, path, folder), session;

	name = last_part(path, folder, &n);
	session = n && in_session(path, folder, n);
	if (together && session) {
		na_words_add(w, "run ");
		add_name(w, name, n);
	} else if (together && n && list->n > 1) {
		add_name(w, name, n);
		na_words_add(w, ", %zu files", list->n);
	} else {
		add_name(w, path + folder + (path[folder] == '/'),
			 strlen(path) - folder - (path[folder] == '/'));
		if (list->n > 1)
			na_words_add(w, " and %zu more files", list->n - 1);
	}
	if (session && list->n == 1)
		na_words_add(w, " \xc2\xb7 host %.64s",
			     na_text_or(first, M_host, "unknown"));
}

static bool has_other_label(const struct na_value *list, const char *label)
{
	na_for_each (v, list) {
		if (strcmp(na_text_at(v, M_label), label) != 0)
			return true;
	}
	return false;
}

void na_words_inputs(const struct na_result *r, struct words *w)
{
	const struct na_value *list = na_get(na_result_get_doc(r), M_inputs);
	const struct na_value *first = na_items(list);
	const char *label;

	if (!first)
		return;
	label = na_text_at(first, M_label);
	if (has_other_label(list, label)) {
		na_words_runs(r, w);
		return;
	}
	if (*label) {
		na_words_add(w, "run ");
		add_name(w, label, strlen(label));
	} else {
		add_files(list, w);
	}
	add_scope(r, w);
}

static bool is_of(const struct na_value *input, const char *label)
{
	return strcmp(na_text_at(input, M_label), label) == 0;
}

void na_words_run(const struct na_result *r, const char *label, struct words *w)
{
	const struct na_value *list = na_get(na_result_get_doc(r), M_inputs);
	const struct na_value *first = na_items(list);
	size_t inputs = 0, folder, n, above;
	const char *path, *name, *log;

	while (first && !is_of(first, label))
		first = first->next;
	if (!first)
		return;
	na_for_each (v, list)
		inputs += is_of(v, label);
	path = na_text_at(first, M_path);
	folder = folder_of(path);
	name = last_part(path, folder, &n);
	if (n && in_session(path, folder, n)) {
		above = folder - n - strlen(above_runs);
		log = last_part(path, above ? above - 1 : 0, &above);
		add_name(w, log, above);
		na_words_add(w, "%s", above ? "/" : "");
	} else if (!n || inputs < 2) {
		name = path + folder + (path[folder] == '/');
		n = strlen(name);
	}
	add_name(w, name, n);
}

void na_words_coverage(const struct na_result *r, struct words *w)
{
	const struct na_value *doc = na_result_get_doc(r);
	int64_t used = na_count_or(doc, M_coverage "." M_used, -1);
	const char *noun = na_result_get_word(r, NA_WORD_NOUN, "transfer");
	uint64_t sum = na_result_left_out(r);
	char buf[NA_COUNT_BUF];

	if (used < 0)
		return;
	na_words_break(w);
	na_words_add(w, "%s%s used", na_count_of(buf, (uint64_t)used, noun),
		     na_result_get_word(r, NA_WORD_SIDES, ""));
	if (sum)
		na_words_add(w, ", %s left out", na_print_count(buf, sum));
	if (strcmp(noun, "transfer") == 0 &&
	    na_count_or(doc, M_coverage "." M_captured_aside, 0) > 0)
		na_words_add(w, " \xc2\xb7 captures beside the traces are not "
				"drawn");
}

void na_words_data(const struct na_result *r, bool runs_apart, struct words *w)
{
	if (runs_apart)
		na_words_runs(r, w);
	else
		na_words_inputs(r, w);
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
