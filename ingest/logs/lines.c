#include "ingest/logs/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/bytes/feed.h"
#include "ingest/logs/needles.h"
#include "netan/base/inputs.h"

/* Read at once; of a long line, as much is kept before and behind the place
 * that is looked at. */
enum { BINARY_HEAD = 4096 };
enum { CHUNK_BYTES = 256 << 10, ROOM = CHUNK_BYTES + 3 * (int)NA_LINE_MAX };
/* Until a text has filled it: of small logs there may be thousands. */
enum { FIRST_ROOM = 16 << 10 };

/*
 * The buffer holds a piece of the text; `at` goes through it.  What lies
 * before `at` has been counted: it is in line `number`, which began at
 * `line_offset` and perhaps before the piece.
 */
struct na_lines {
	struct na_feed stream;
	const char *path;
	char *buf;
	size_t room; /* of buf */
	size_t n, at;
	uint64_t offset; /* of buf[0] in the text */
	uint64_t line_offset, number;
	char *head; /* NA_LINE_MAX bytes, for na_lines_each() */
	bool end;   /* nothing comes behind buf[n] */
	bool rest;  /* of the line that was told, some is left */
	bool binary;
};

static const char *name_of(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

enum na_status na_lines_open(struct na_lines **out, const char *path,
			     struct na_err *err)
{
	bool piped = strcmp(path, "-") == 0;
	int fd = piped ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct na_lines *l;
	struct stat info;
	enum na_status st;

	*out = NULL;
	if (fd < 0)
		return na_fail(err, NA_EIO, "%s: %s", path, strerror(errno));
	if (!piped && fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
		close(fd);
		return na_fail(err, NA_EIO,
			       "%s: a directory, not a file", path);
	}
	na_inputs_add(fd);
	l = calloc(1, sizeof(*l));
	if (l)
		l->buf = malloc(FIRST_ROOM);
	if (!l || !l->buf) {
		free(l);
		if (!piped)
			close(fd);
		return na_fail_nomem(err);
	}
	l->room = FIRST_ROOM;
	l->path = name_of(path);
	l->number = 1;
	st = na_feed_open(&l->stream, fd, l->path, err);
	if (st != NA_OK) {
		na_lines_close(l);
		return st;
	}
	*out = l;
	return NA_OK;
}

void na_lines_close(struct na_lines *l)
{
	if (!l)
		return;
	na_feed_close(&l->stream);
	free(l->buf);
	free(l->head);
	free(l);
}

const char *na_lines_packing(const struct na_lines *l)
{
	return na_packing_name(l->stream.packing);
}

uint64_t na_lines_bytes(const struct na_lines *l)
{
	return l->stream.taken;
}

/* A line counts when it is begun: what is told of it, or stands behind the
 * last newline. */
uint64_t na_lines_count(const struct na_lines *l)
{
	return l->number - (l->offset + l->at == l->line_offset);
}

bool na_lines_endless(const struct na_lines *l)
{
	return l->stream.said.run >= NA_MONOTONE_BYTES;
}

bool na_lines_binary(const struct na_lines *l)
{
	return l->binary;
}

static bool looks_binary(const char *text, size_t n)
{
	size_t looked = n < BINARY_HEAD ? n : BINARY_HEAD, odd = 0;

	for (size_t i = 0; i < looked; i++) {
		unsigned char c = (unsigned char)text[i];

		odd += (c < 0x20 && !(c >= '\b' && c <= '\r') && c != '\033') ||
		       c == 0x7f;
	}
	return odd > looked / 20;
}

/* A JSON document of netan's begins with its schema. */
static bool is_result(const char *text, size_t n)
{
	static const char begins[] = "{\"schema\":\"netan.";
	size_t at = 0;

	for (size_t i = 0; i < n && begins[at]; i++) {
		if (text[i] == begins[at])
			at++;
		else if (!strchr(" \t\r\n", text[i]))
			return false;
	}
	return !begins[at];
}

/* Where the line begins, or what is left of its beginning. */
static size_t line_start(const struct na_lines *l)
{
	return l->line_offset > l->offset ? (size_t)(l->line_offset - l->offset)
					  : 0;
}

static bool widen(struct na_lines *l)
{
	char *buf = realloc(l->buf, ROOM);

	if (!buf)
		return false;
	l->buf = buf;
	l->room = ROOM;
	return true;
}

/* More text behind what is here from `keep` on.  Places move by `keep`. */
static enum na_status fill(struct na_lines *l, size_t keep, struct na_err *err)
{
	size_t got;
	enum na_status st;

	if (l->n == l->room && l->room < ROOM && !widen(l))
		return na_fail_nomem(err);
	memmove(l->buf, l->buf + keep, l->n - keep);
	l->n -= keep;
	l->at -= keep;
	l->offset += keep;
	st = na_feed_read(&l->stream, (uint8_t *)l->buf + l->n, l->room - l->n,
			  &got, err);
	if (st != NA_OK)
		return st;
	if (!l->offset && !l->n)
		l->binary = looks_binary(l->buf, got) || is_result(l->buf, got);
	l->n += got;
	l->end = got == 0;
	return NA_OK;
}

/* More, without what will not be told: of the line that `at` is in, as much
 * before it as a line may have. */
static enum na_status more(struct na_lines *l, struct na_err *err)
{
	size_t keep = l->at > NA_LINE_MAX ? l->at - NA_LINE_MAX : 0;

	return fill(l, line_start(l) > keep ? line_start(l) : keep, err);
}

/* Counts on to `to`. */
static void pass(struct na_lines *l, size_t to)
{
	const char *from = l->buf + l->at;
	size_t lines = na_count_newlines(from, l->buf + to);

	if (lines) {
		const char *last = memrchr(from, '\n', to - l->at);

		l->number += lines;
		l->line_offset = l->offset + (size_t)(last - l->buf) + 1;
	}
	l->at = to;
}

static enum na_status pass_rest(struct na_lines *l, struct na_err *err)
{
	while (l->rest) {
		const char *newline = memchr(l->buf + l->at, '\n',
					     l->n - l->at);
		enum na_status st;

		l->rest = !newline && !l->end;
		pass(l, newline ? (size_t)(newline - l->buf) + 1 : l->n);
		st = l->rest ? fill(l, l->at, err) : NA_OK;
		if (st != NA_OK)
			return st;
	}
	return NA_OK;
}

static enum na_status ended(const struct na_lines *l, struct na_err *err)
{
	if (l->stream.cut)
		return na_fail(err, NA_EFORMAT, "%s: %s", l->path,
			       l->stream.why);
	return NA_END;
}

/* Where the line that `at` is in ends: at a newline, at the end of the text
 * or not so near that it would be told whole. */
static enum na_status find_end(struct na_lines *l, size_t *end,
			       struct na_err *err)
{
	size_t looked = 0;

	for (;;) {
		size_t from = l->at + looked;
		const char *newline = memchr(l->buf + from, '\n', l->n - from);
		enum na_status st;

		*end = newline ? (size_t)(newline - l->buf) : l->n;
		looked = l->n - l->at;
		if (newline || l->end || looked > NA_LINE_MAX + 1)
			return NA_OK;
		st = more(l, err);
		if (st != NA_OK)
			return st;
	}
}

/* The line that `at` is in, and of a longer one what is around it. */
static void tell(struct na_lines *l, size_t end, struct na_line *line)
{
	bool newline = end < l->n;
	size_t after = end, begin = line_start(l);

	if (end > begin && l->buf[end - 1] == '\r')
		end--;
	line->offset = l->line_offset;
	line->number = l->number;
	if (l->at - begin > NA_LINE_MAX / 2 && end - begin > NA_LINE_MAX)
		begin = l->at - NA_LINE_MAX / 2;
	if (end - begin > NA_LINE_MAX)
		end = begin + NA_LINE_MAX;
	else if (end > NA_LINE_MAX && end - NA_LINE_MAX > line_start(l))
		begin = end - NA_LINE_MAX;
	line->text = l->buf + begin;
	line->n = end - begin;
	line->cut = l->offset + begin != l->line_offset ||
		    (end != after && l->buf[end] != '\r') || after - end > 1;
	pass(l, newline ? after + 1 : l->end ? l->n : end);
	l->rest = !newline && !l->end;
}

enum na_status na_lines_next(struct na_lines *l, struct na_line *line,
			     struct na_err *err)
{
	enum na_status st = pass_rest(l, err);
	size_t end;

	if (st == NA_OK)
		st = find_end(l, &end, err);
	if (st != NA_OK)
		return st;
	if (l->end && l->at == l->n)
		return ended(l, err);
	tell(l, end, line);
	return NA_OK;
}

/* Moves `at` to the first word.  Near the end of what is here, another may
 * stand before it that is not here as a whole. */
static enum na_status seek(struct na_lines *l, const struct na_finder *f,
			   struct na_err *err)
{
	for (;;) {
		const char *hit = na_finder_next(f, l->buf + l->at,
						 l->buf + l->n);
		size_t back = f->longest;
		size_t to = hit ? (size_t)(hit - l->buf) : l->n;
		enum na_status st;

		if (l->end || (hit && l->n - to >= back)) {
			pass(l, to);
			return hit ? NA_OK : ended(l, err);
		}
		pass(l, to - l->at > back ? to - back : l->at);
		st = more(l, err);
		if (st != NA_OK)
			return st;
	}
}

enum na_status na_lines_find(struct na_lines *l,
			     const struct na_needles *needles,
			     struct na_line *line, struct na_err *err)
{
	enum na_status st = pass_rest(l, err);
	struct na_finder f;
	size_t end;

	na_finder_init(&f, needles);
	if (st == NA_OK)
		st = seek(l, &f, err);
	if (st == NA_OK)
		st = find_end(l, &end, err);
	if (st != NA_OK)
		return st;
	tell(l, end, line);
	return NA_OK;
}

/* Moves `at` to the first word in what is left of the line, else behind its
 * end. */
static enum na_status seek_in_line(struct na_lines *l,
				   const struct na_finder *f, bool *found,
				   struct na_err *err)
{
	for (;;) {
		const char *from = l->buf + l->at;
		const char *newline = memchr(from, '\n', l->n - l->at);
		const char *end = newline ? newline : l->buf + l->n;
		const char *hit = na_finder_next(f, from, end);
		bool last = newline || l->end;
		size_t to = (size_t)((hit ? hit : end) - l->buf);
		enum na_status st;

		*found = hit && (last || (size_t)(end - hit) >= f->longest);
		if (*found || last) {
			pass(l, hit ? to : to + (newline != NULL));
			return NA_OK;
		}
		pass(l, to - l->at > f->longest ? to - f->longest : l->at);
		st = more(l, err);
		if (st != NA_OK)
			return st;
	}
}

enum na_status na_lines_each(struct na_lines *l,
			     const struct na_needles *needles,
			     struct na_line *line, struct na_err *err)
{
	enum na_status st = pass_rest(l, err);
	struct na_finder f;
	size_t end = 0;
	bool found;

	if (st == NA_OK)
		st = find_end(l, &end, err);
	if (st != NA_OK)
		return st;
	if (l->end && l->at == l->n)
		return ended(l, err);
	if (end - l->at <= NA_LINE_MAX) {
		tell(l, end, line);
		return NA_OK;
	}
	if (!l->head && !(l->head = malloc(NA_LINE_MAX)))
		return na_fail_nomem(err);
	memcpy(l->head, l->buf + l->at, NA_LINE_MAX);
	*line = (struct na_line){.text = l->head,
				 .n = NA_LINE_MAX,
				 .offset = l->line_offset,
				 .number = l->number,
				 .cut = true};
	na_finder_init(&f, needles);
	st = seek_in_line(l, &f, &found, err);
	if (st == NA_OK && found)
		st = find_end(l, &end, err);
	if (st == NA_OK && found)
		tell(l, end, line);
	return st;
}
