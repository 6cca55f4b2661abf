#include "ingest/logs/hang_prefix.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/similar.h"
#include "netan/base/text.h"

/* The next word at *at; false: none. */
static bool word(struct na_text x, size_t *at, struct na_text *w)
{
	size_t i = *at, start;

	while (i < x.n && na_is_blank(x.s[i]))
		i++;
	start = i;
	while (i < x.n && !na_is_blank(x.s[i]))
		i++;
	*at = i;
	*w = na_text_n(x.s + start, i - start);
	return w->n > 0;
}

static struct na_text bare(struct na_text w)
{
	while (w.n && strchr("[(<\"{", w.s[0]) && w.s[0]) {
		w.s++;
		w.n--;
	}
	while (w.n && strchr("])>:|,\"}", w.s[w.n - 1]) && w.s[w.n - 1])
		w.n--;
	return w;
}

static bool is_severity(struct na_text w)
{
	static const char *const words[] = {"info",  "warning", "warn",
					    "error", "fatal",   "debug",
					    "trace", "notice",  "critical"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (na_same_nocase(w.s, w.n, words[i]))
			return true;
	}
	return false;
}

/* "I0102", "E20260102", "E603". */
static bool is_glog(struct na_text w)
{
	if ((w.n != 4 && w.n != 5 && w.n != 9) || !strchr("IWEFD", w.s[0]) ||
	    !w.s[0])
		return false;
	for (size_t i = 1; i < w.n; i++) {
		if (!na_is_digit(w.s[i]))
			return false;
	}
	return true;
}

/* Digits with what stands between those of dates and times; an address,
 * with three dots, is none. */
static bool is_time(struct na_text w)
{
	size_t digits = 0, marks = 0, dots = 0;

	for (size_t i = 0; i < w.n; i++) {
		digits += na_is_digit(w.s[i]);
		dots += w.s[i] == '.';
		marks += w.s[i] && strchr(":.,-/", w.s[i]) != NULL;
		if (!na_is_digit(w.s[i]) &&
		    (!w.s[i] || !strchr(":.,-/TZ+", w.s[i])))
			return false;
	}
	return digits >= 2 && marks > 0 && dots != 3;
}

/* "x.cc:9" */
static bool is_place(struct na_text w)
{
	const char *colon = w.n ? memrchr(w.s, ':', w.n) : NULL;

	if (!colon || !memchr(w.s, '.', (size_t)(colon - w.s)))
		return false;
	for (const char *p = colon + 1; p < w.s + w.n; p++) {
		if (!na_is_digit(*p))
			return false;
	}
	/* A host with its port has no letter behind its last dot... */
	for (const char *p = colon; p > w.s && p[-1] != '.'; p--) {
		if (!((p[-1] | 0x20) >= 'a' && (p[-1] | 0x20) <= 'z'))
			return false;
	}
	return colon + 1 < w.s + w.n;
}

static bool changes(struct na_text w)
{
	w = bare(w);
	return is_severity(w) || is_glog(w) || is_time(w) || is_place(w);
}

size_t na_prefix_match(struct na_text prefix, struct na_text text, size_t *end)
{
	size_t at = 0, to = 0, n = 0;
	struct na_text a, b;

	*end = 0;
	while (word(prefix, &at, &a) && word(text, &to, &b)) {
		bool glued = at == prefix.n && b.n > a.n;

		if (glued && na_text_same(a, na_text_n(b.s, a.n))) {
			*end = (size_t)(b.s - text.s) + a.n;
			return n + 1;
		}
		if (!na_text_same(a, b) && !(changes(a) && changes(b)))
			break;
		*end = to;
		n++;
	}
	return n;
}

size_t na_prefix_words(struct na_text prefix)
{
	size_t at = 0, n = 0;
	struct na_text w;

	while (word(prefix, &at, &w))
		n++;
	return n;
}

bool na_prefix_may_end(struct na_text prefix, size_t n)
{
	bool changed = false;
	size_t at = 0, k = 0;
	struct na_text w;

	for (; word(prefix, &at, &w); k++) {
		if (k == n)
			return !changed || changes(w);
		changed = changes(w);
	}
	return true;
}

bool na_prefix_begins(struct na_text text)
{
	size_t at = 0;
	struct na_text w;

	return word(text, &at, &w) && changes(w);
}

size_t na_prefix_who(struct na_text prefix, char *out, size_t room)
{
	size_t at = 0, n = 0;
	struct na_text w;

	while (word(prefix, &at, &w)) {
		if (changes(w) || w.s[0] == '"')
			continue;
		if (n && n < room)
			out[n++] = ' ';
		for (size_t i = 0; i < w.n && n < room; i++)
			out[n++] = w.s[i];
	}
	return n;
}

void na_prefix_time(struct na_text prefix, struct na_hang_time *t)
{
	*t = (struct na_hang_time){.known = false};
	for (size_t i = 0; i < prefix.n && !t->has_year; i++) {
		char before = i ? prefix.s[i - 1] : ' ';
		struct na_hang_time one = {.known = false};

		if (na_is_digit(before) ||
		    ((before | 0x20) >= 'a' && (before | 0x20) <= 'z'))
			continue;
		if (na_hang_time_of(na_text_from(prefix, i), &one) &&
		    (!t->known || one.has_year))
			*t = one;
	}
}

/* ---- the ends of a log */

enum {
	END_BYTES = 16384, /* of a log's lines at either end */
	FRONT_MAX = 200    /* where a time may stand */
};

/* The years that lines begin with, whatever they tell. */
static void note_years(struct na_flight_record *x, const char *s, size_t n)
{
	for (size_t at = 0, end; at < n; at = end + 1) {
		const char *to = memchr(s + at, '\n', n - at);
		struct na_hang_time t = {.known = false};

		end = to ? (size_t)(to - s) : n;
		at += at < end && s[at] == '[';
		if (na_hang_time_of(na_text_n(s + at, end - at), &t) &&
		    t.has_year)
			na_fr_dated(x, t.ns);
	}
}

static void last_of(const char *s, size_t n, struct na_hang_time *t)
{
	for (size_t end = n; end > 0 && !t->known;) {
		size_t at = end - 1;

		while (at > 0 && s[at - 1] != '\n')
			at--;
		na_prefix_time(na_text_n(s + at, end - at < FRONT_MAX
							 ? end - at
							 : FRONT_MAX),
			       t);
		end = at;
	}
}

void na_hang_ends(const char *path, struct na_hang_time *last,
		  struct na_flight_record *x)
{
	char *buf = malloc(END_BYTES);
	int fd = buf && strcmp(path, "-")
			 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
			 : -1;
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	off_t from = size > END_BYTES ? size - END_BYTES : 0;
	ssize_t n = size > 0 ? pread(fd, buf, END_BYTES, from) : -1;

	*last = (struct na_hang_time){.known = false};
	if (n > 0) {
		last_of(buf, (size_t)n, last);
		note_years(x, buf, (size_t)n);
	}
	n = from > 0 ? pread(fd, buf, END_BYTES, 0) : -1;
	if (n > 0)
		note_years(x, buf, (size_t)n);
	free(buf);
	if (fd >= 0)
		close(fd);
}
