/*
 * Any bytes as a log: every line is told once, in order, within the text,
 * and the lines found are those that hold a word.  The first byte says which
 * of the two ways is taken when.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ingest/bytes/inflate.h"
#include "ingest/logs/lines.h"
#include "netan/base/similar.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words[] = {"error", "Hang", "_id"};
static const struct na_needles needles = {words, 3};

static bool holds_word(const char *p, size_t n)
{
	for (size_t k = 0; k < needles.n; k++) {
		if (na_contains_nocase(p, n, words[k]))
			return true;
	}
	return false;
}

/* Of plain text, how many lines without a word stand before `end`. */
static void walk_between(const char *p, const char *end)
{
	while (p < end) {
		const char *e = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((e ? e : end) - p);

		walk_must(n > NA_LINE_MAX || !holds_word(p, n));
		p += n + 1;
	}
}

static void walk_lines(struct na_lines *l, const uint8_t *data, size_t size,
		       unsigned turns)
{
	struct na_err err = {.status = NA_OK};
	uint64_t number = 0, from = 0;
	const char *text = (const char *)data;
	enum na_status st;

	for (unsigned k = 0;; k++) {
		bool finds = turns >> k % 8 & 1;
		struct na_line line;

		st = finds ? na_lines_find(l, &needles, &line, &err)
			   : na_lines_next(l, &line, &err);
		if (st != NA_OK)
			break;
		walk_must(line.number > number && line.n <= NA_LINE_MAX);
		walk_must(finds || line.number == number + 1);
		walk_must(na_lines_count(l) == line.number);
		walk_must(!line.n || !memchr(line.text, '\n', line.n));
		walk_must(!finds || holds_word(line.text, line.n));
		number = line.number;
		if (na_lines_packing(l))
			continue;
		walk_must(line.offset <= size);
		walk_must(line.cut ||
			  !memcmp(text + line.offset, line.text, line.n));
		if (finds)
			walk_between(text + from, text + line.offset);
		from = line.offset + line.n;
		while (from < size && text[from] != '\n')
			from++;
		from += from < size;
	}
	walk_must(st == NA_END || (st == NA_EFORMAT && err.text[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_lines *l = NULL;
	char path[40];
	int fd;

	if (!size)
		return 0;
	fd = memfd_create("log", MFD_CLOEXEC);
	walk_must(fd >= 0 &&
		  write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	if (na_lines_open(&l, path, &err) == NA_OK)
		walk_lines(l, data + 1, size - 1, data[0]);
	else
		walk_must(err.text[0] != '\0');
	na_lines_close(l);
	close(fd);
	return 0;
}
