#include "ingest/logs/xla_lines.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/logs/xla_parts.h"
#include "netan/base/vec.h"

/* clang-format off */
static const struct word {
	const char *text; /* ends with ':' or '=' */
	size_t n;
	enum na_xla_word word;
} words[] = {
#define WORD(text, word) {text, sizeof(text) - 1, word}
	WORD("Metric:", NA_XLA_W_METRIC),
	WORD("Counter:", NA_XLA_W_COUNTER),
	WORD("TotalSamples:", NA_XLA_W_SAMPLES),
	WORD("Accumulator:", NA_XLA_W_TOTAL),
	WORD("ValueRate:", NA_XLA_W_VALUE_RATE),
	WORD("Rate:", NA_XLA_W_RATE),
	WORD("Percentiles:", NA_XLA_W_PERCENTILES),
	WORD("Value:", NA_XLA_W_VALUE),
	WORD("[MetricsData; step=", NA_XLA_W_TITLE),
	WORD("pt-xla-profiler:", NA_XLA_W_PROFILER),
	WORD("Post Compilation Analysis:", NA_XLA_W_POST),
	WORD("Compilation Analysis:", NA_XLA_W_COMPILATION),
	WORD("Execution Analysis:", NA_XLA_W_EXECUTION),
};

static const char *const needles[] = {
	"Metric:", "Counter:", "TotalSamples:", "Accumulator:", "Rate:",
	"Percentiles:", "Value:", "[MetricsData;", "pt-xla-profiler:",
	"Compilation Analysis:", "Execution Analysis:",
};
/* clang-format on */

const struct na_needles na_xla_needles = {
	needles,
	sizeof(needles) / sizeof(needles[0]),
};

/* Where the terminal's colour that ends before s[end] begins ("\033[0m");
 * `end`: there is none. */
static size_t before_colour(const char *s, size_t end)
{
	size_t i = end;

	if (!i || s[i - 1] != 'm')
		return end;
	for (i--;
	     i && ((s[i - 1] >= '0' && s[i - 1] <= '9') || s[i - 1] == ';');)
		i--;
	return i >= 2 && s[i - 1] == '[' && s[i - 2] == '\033' ? i - 2 : end;
}

/* A word of its own, not the end of another one. */
static bool begins_word(const char *s, size_t at)
{
	char c = at ? s[at - 1] : ' ';

	return before_colour(s, at) < at ||
	       !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		 (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
		 (unsigned char)c >= 0x80);
}

/* The word that ends at s[end - 1]; NULL: none. */
static const struct word *word_before(const char *s, size_t end)
{
	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
		size_t n = words[k].n;

		if (n <= end && memcmp(s + end - n, words[k].text, n) == 0 &&
		    begins_word(s, end - n))
			return &words[k];
	}
	return NULL;
}

/* The first word of the line, and where it begins. */
static const struct word *find_word(const char *s, size_t n, size_t *at)
{
	for (size_t i = 0; i < n; i++) {
		const struct word *w;

		if (s[i] != ':' && s[i] != '=')
			continue;
		w = word_before(s, i + 1);
		if (w) {
			*at = i + 1 - w->n;
			return w;
		}
	}
	return NULL;
}

/* ---- whose line is it */

/* Reports span lines; those of the profiler stand for themselves, those of
 * blocks carry their word. */
static bool is_report(enum na_xla_word word)
{
	return word < NA_XLA_W_PROFILER;
}

static bool begins_something(const struct na_xla_stream *recent,
			     enum na_xla_word word)
{
	if (is_report(word))
		return word == NA_XLA_W_METRIC || word == NA_XLA_W_COUNTER ||
		       word == NA_XLA_W_TITLE;
	return word == NA_XLA_W_PROFILER || !recent || !recent->block.open;
}

static size_t find_stream(const struct na_xla_reader *r,
			  const struct na_xla_prefix *p)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct na_xla_stream *s = &r->streams[i];

		if (s->key_n == p->n && memcmp(s->key, p->key, p->n) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* One of which nothing came may be given to another. */
static size_t idle_stream(const struct na_xla_reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (!r->streams[i].kept && !r->streams[i].block.open)
			return i;
	}
	return SIZE_MAX;
}

static enum na_status add_stream(struct na_xla_reader *r,
				 const struct na_xla_prefix *p, size_t *out,
				 struct na_err *err)
{
	struct na_xla_log *log = r->log;
	size_t i = r->n;
	uint32_t name = NA_NO_NAME;

	*out = SIZE_MAX;
	if (r->n == NA_XLA_PROCESSES_MAX) {
		i = idle_stream(r);
		if (i == SIZE_MAX) {
			log->left_out++;
			return NA_OK;
		}
	}
	if (!na_grow(&r->streams, &r->cap, i + 1, sizeof(*r->streams)) ||
	    !na_grow(&log->processes, &log->cap_processes, i + 1,
		     sizeof(*log->processes)))
		return na_fail_nomem(err);
	if (i == r->n) {
		r->n++;
		log->n_processes = r->n;
	}
	if (p->n && na_xla_name(log, p->key, p->n, &name, err) != NA_OK)
		return err->status;
	log->processes[i] = (struct na_xla_process){.prefix = name};
	memset(&r->streams[i], 0, sizeof(*r->streams));
	memcpy(r->streams[i].key, p->key, p->n);
	r->streams[i].key_n = p->n;
	*out = i;
	return NA_OK;
}

/*
 * A line without a prefix goes on where the line before it was; one whose
 * prefix nobody has (a line number in it, say) too.  SIZE_MAX with NA_OK:
 * nobody's.
 */
static enum na_status stream_of(struct na_xla_reader *r,
				const struct na_xla_found *f, size_t *out,
				struct na_err *err)
{
	bool other = !is_report(f->word), follows;
	size_t recent = r->recent[other];
	struct na_xla_stream *s = recent == SIZE_MAX ? NULL
						     : &r->streams[recent];

	follows = s && f->number - s->last_line[other] <= 1;
	*out = recent;
	if (!f->prefix->n && follows && !other)
		return NA_OK;
	*out = find_stream(r, f->prefix);
	if (*out != SIZE_MAX)
		return NA_OK;
	*out = recent;
	if (f->prefix->n && follows && !begins_something(s, f->word)) {
		s->loose = true;
		return NA_OK;
	}
	if (s && s->loose)
		return NA_OK;
	*out = SIZE_MAX;
	if (!begins_something(s, f->word) && !other)
		return NA_OK;
	return add_stream(r, f->prefix, out, err);
}

static enum na_status take(struct na_xla_reader *r,
			   const struct na_xla_found *f, struct na_err *err)
{
	size_t stream;

	if (stream_of(r, f, &stream, err) != NA_OK || stream == SIZE_MAX)
		return err->status;
	r->recent[!is_report(f->word)] = stream;
	r->streams[stream].last_line[!is_report(f->word)] = f->number;
	if (f->word < NA_XLA_W_PROFILER)
		return na_xla_report_line(r, stream, f, err);
	if (f->word == NA_XLA_W_PROFILER)
		return na_xla_hint_line(r, stream, f, err);
	return na_xla_block_line(r, stream, f, err);
}

/* A line; or a part of one that holds several, which is in quotes. */
static enum na_status one(struct na_xla_reader *r, const char *s, size_t n,
			  uint64_t number, bool quoted, struct na_err *err)
{
	struct na_xla_prefix prefix;
	struct na_xla_found f = {.prefix = &prefix, .number = number};
	struct na_text rest, behind;
	const struct word *w;
	size_t at;

	w = find_word(s, n, &at);
	if (!w)
		return NA_OK;
	na_xla_prefix(s, at, &prefix);
	f.word = w->word;
	rest = na_text_n(s + at + w->n, n - at - w->n);
	if (quoted)
		na_text_split(rest, "\"", &rest, &behind);
	while (rest.n && na_xla_is_blank(rest.s[rest.n - 1]))
		rest.n--;
	rest.n = before_colour(rest.s, rest.n);
	while (rest.n && na_xla_is_blank(rest.s[0]))
		rest = na_text_from(rest, 1);
	f.rest = rest;
	return take(r, &f, err);
}

enum na_status na_xla_line(struct na_xla_reader *r, const char *text, size_t n,
			   uint64_t number, struct na_err *err)
{
	bool quoted = false;

	while (n) {
		const char *end = memmem(text, n, "\\n", 2);
		size_t part = end ? (size_t)(end - text) : n;

		quoted = quoted || end;
		if (one(r, text, part, number, quoted, err) != NA_OK)
			return err->status;
		part += end ? 2 : 0;
		text += part;
		n -= part;
	}
	return NA_OK;
}

enum na_status na_xla_end(struct na_xla_reader *r, struct na_err *err)
{
	for (size_t i = 0; i < r->n; i++) {
		na_xla_report_end(r, i);
		if (na_xla_block_end(r, i, err) != NA_OK)
			return err->status;
	}
	return NA_OK;
}

enum na_status na_xla_name(struct na_xla_log *log, const char *s, size_t n,
			   uint32_t *name, struct na_err *err)
{
	if (n > NA_XLA_NAME_BYTES)
		n = NA_XLA_NAME_BYTES;
	*name = na_strtab_find(&log->names, s, n);
	if (*name != NA_NO_NAME)
		return NA_OK;
	if (log->names.n >= NA_XLA_NAMES_MAX) {
		log->left_out++;
		return NA_OK;
	}
	*name = na_strtab_add(&log->names, s, n);
	return *name == NA_NO_NAME ? na_fail_nomem(err) : NA_OK;
}

enum na_status na_xla_reader_open(struct na_xla_reader **r,
				  struct na_xla_log *log,
				  enum na_xla_durations how, struct na_err *err)
{
	*r = na_calloc(1, sizeof(**r));
	if (!*r)
		return na_fail_nomem(err);
	(*r)->log = log;
	(*r)->how = how;
	(*r)->recent[0] = (*r)->recent[1] = SIZE_MAX;
	return NA_OK;
}

void na_xla_reader_close(struct na_xla_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		na_xla_report_fini(&r->streams[i].now);
	free(r->streams);
	free(r);
}
