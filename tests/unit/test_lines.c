/*
 * Lines of text against a naive reading of the same bytes: every line and
 * every found one, with its number, offset and what is cut of it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "ingest/logs/lines.h"
#include "ingest/logs/needles.h"
#include "netan/base/similar.h"
#include "netan/synth/rng.h"
#include "tests/unit/pace.h"
#include "tests/unit/reading.h"

static const char *const words[] = {"hang detected", "Potential cause", "xqz",
				    "a\x01\xff"};
static const struct na_needles needles = {words, 4};

struct text {
	char *p;
	size_t n;
};

/* A file with these bytes, through a descriptor's name. */
struct file {
	int fd;
	char path[40];
};

static struct file put(const void *p, size_t n)
{
	struct file f = {.fd = file_of(p, n)};

	snprintf(f.path, sizeof(f.path), "/dev/fd/%d", f.fd);
	return f;
}

/* ---- the naive way */

struct naive {
	const char *p, *end; /* what is left */
	const char *start;
	uint64_t number;
};

static bool naive_next(struct naive *x, struct na_line *line)
{
	const char *e;

	if (x->p == x->end)
		return false;
	e = memchr(x->p, '\n', (size_t)(x->end - x->p));
	if (!e)
		e = x->end;
	line->text = x->p;
	line->offset = (uint64_t)(x->p - x->start);
	line->number = ++x->number;
	line->n = (size_t)(e - x->p);
	if (line->n && e[-1] == '\r')
		line->n--;
	x->p = e < x->end ? e + 1 : e;
	return true;
}

/* The next byte that may begin a word. */
static const char *naive_first(const char *p, const char *end)
{
	for (; p < end; p++) {
		int c = *p | 0x20;

		if (c == 'h' || c == 'p' || c == 'x' || c == 'a')
			break;
	}
	return p;
}

static const char *naive_word(const char *p, const char *end)
{
	while ((p = naive_first(p, end)) < end) {
		for (size_t k = 0; k < needles.n; k++) {
			if (na_starts_nocase(p, (size_t)(end - p), words[k]))
				return p;
		}
		p++;
	}
	return NULL;
}

static void check_line(const struct na_line *got, const struct na_line *want)
{
	assert_int_equal(got->number, want->number);
	assert_int_equal(got->offset, want->offset);
	assert_int_equal(got->cut, want->n > NA_LINE_MAX);
	assert_int_equal(got->n, want->n > NA_LINE_MAX ? NA_LINE_MAX : want->n);
}

/* Words of these tests do not overlap, so that the first is the first. */
static void check_found(const struct na_line *got, const struct na_line *want,
			const char *hit)
{
	size_t at = (size_t)(hit - want->text), from = 0;

	check_line(got, want);
	if (want->n > NA_LINE_MAX && at > NA_LINE_MAX / 2)
		from = at - NA_LINE_MAX / 2;
	if (want->n > NA_LINE_MAX && from > want->n - NA_LINE_MAX)
		from = want->n - NA_LINE_MAX;
	assert_memory_equal(got->text, want->text + from, got->n);
}

/* Goes through the text by next, by find, or by both in turns.  Instead of
 * next sometimes by each, which looks for words in long lines alone. */
static void compare(const char *path, const struct text *t, unsigned turns)
{
	struct naive x = {t->p, t->p + t->n, t->p, 0};
	struct na_err err = {.status = NA_OK};
	struct na_line want, got;
	struct na_lines *l;

	assert_int_equal(na_lines_open(&l, path, &err), NA_OK);
	for (unsigned k = 0;; k++) {
		const char *hit = NULL;
		bool finds = turns >> k % 8 & 1, any;

		while ((any = naive_next(&x, &want)) && finds &&
		       !(hit = naive_word(want.text, want.text + want.n)))
			;
		if (!any)
			break;
		if (finds) {
			assert_int_equal(na_lines_find(l, &needles, &got, &err),
					 NA_OK);
			check_found(&got, &want, hit);
		} else if (k & 1) {
			assert_int_equal(na_lines_each(l, &needles, &got, &err),
					 NA_OK);
			hit = naive_word(want.text, want.text + want.n);
			check_found(&got, &want, hit ? hit : want.text);
		} else {
			assert_int_equal(na_lines_next(l, &got, &err), NA_OK);
			check_line(&got, &want);
			assert_memory_equal(got.text, want.text, got.n);
		}
		assert_int_equal(na_lines_count(l), x.number);
	}
	assert_int_equal(na_lines_find(l, &needles, &got, &err), NA_END);
	assert_int_equal(na_lines_next(l, &got, &err), NA_END);
	assert_int_equal(na_lines_count(l), x.number);
	na_lines_close(l);
}

static void check_text(const struct text *t)
{
	static const unsigned turns[] = {0, 0xff, 0x55, 0xfe, 0x10};
	struct file f = put(t->p, t->n);
	size_t packed;
	uint8_t *z = gzip_of(t->p, t->n, &packed);
	struct file g = put(z, packed);

	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		lseek(f.fd, 0, SEEK_SET);
		compare(f.path, t, turns[i]);
		lseek(g.fd, 0, SEEK_SET);
		compare(g.path, t, turns[i]);
	}
	close(f.fd);
	close(g.fd);
	free(z);
}

/* ---- random text */

static size_t put_word(struct na_rng *r, char *to)
{
	const char *w = words[na_rng_below(r, needles.n)];
	size_t n = strlen(w);

	for (size_t i = 0; i < n; i++) {
		bool letter = (w[i] | 0x20) >= 'a' && (w[i] | 0x20) <= 'z';

		to[i] = letter && na_rng_below(r, 2) ? (char)(w[i] ^ 0x20)
						     : w[i];
	}
	return n;
}

/* Pieces of words too, and bytes that only look like letters. */
static struct text random_text(uint64_t seed, size_t n, size_t line)
{
	static const char some[] = "aAbxXqQzZ @\x01\xff[{hang detecte";
	struct text t = {malloc(n + 64), 0};
	struct na_rng r;

	assert_non_null(t.p);
	na_rng_seed(&r, seed);
	while (t.n < n) {
		uint64_t what = na_rng_below(&r, 4 * line);

		if (what < 2)
			t.p[t.n++] = '\n';
		else if (what == 2)
			t.n += (size_t)snprintf(t.p + t.n, 8, "\r\n");
		else if (what == 3)
			t.n += put_word(&r, t.p + t.n);
		else
			t.p[t.n++] = some[na_rng_below(&r, sizeof(some))];
	}
	return t;
}

static void random_texts(void **state)
{
	static const size_t lines[] = {1, 5, 80, 3000, 70000, 400000};

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed += pace()) {
		size_t n = seed % 3 ? 2000 * (size_t)(seed + 1) : 900000;
		struct text t = random_text(seed, n, lines[seed % 6]);

		check_text(&t);
		free(t.p);
	}
}

static void words_around(struct text *t, size_t border)
{
	for (size_t at = border - 40; at < border + 40; at += pace()) {
		memset(t->p, '.', t->n);
		memcpy(t->p + at, "HANG detected", 13);
		memcpy(t->p + at + 20, "XQZ", 3);
		t->p[at - 5] = '\n';
		if (at & 1)
			t->p[at + 16] = '\n';
		check_text(t);
	}
}

/* A word at every place around the borders of the buffers, the first of which
 * is small, and a line as long as is kept, and a byte more or less. */
static void borders(void **state)
{
	size_t n = 3 << 18;
	struct text t = {malloc(n), n};

	(void)state;
	assert_non_null(t.p);
	words_around(&t, 256 << 10);
	t.n = 40 << 10;
	words_around(&t, 16 << 10);
	t.n = n;
	for (size_t len = NA_LINE_MAX - 2; len < NA_LINE_MAX + 3; len++) {
		for (size_t at = 0; at + 3 < len; at += len / 5) {
			memset(t.p, '.', n);
			memcpy(t.p + at, "XQZ", 3);
			memcpy(t.p + len, "\r\n", 2);
			check_text(&t);
		}
	}
	free(t.p);
}

static void no_text(void **state)
{
	static const char *const texts[] = {"",     "\n",  "\r",    "\r\n",
					    "a",    "a\r", "\n\n",  "\n\na",
					    "\r\r", "xqz", "xqz\n", "xq"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text t = {strdup(texts[i]), strlen(texts[i])};

		check_text(&t);
		free(t.p);
	}
}

struct writer {
	const struct text *t;
	size_t step;
	int fd;
};

static void *write_all(void *ctx)
{
	const struct writer *w = ctx;

	for (size_t i = 0; i < w->t->n; i += w->step) {
		size_t n = w->t->n - i < w->step ? w->t->n - i : w->step;

		if (write(w->fd, w->t->p + i, n) != (ssize_t)n)
			break;
	}
	close(w->fd);
	return NULL;
}

/* Bytes that come one by one, or in odd pieces: of a pipe that is O_DIRECT,
 * a read gives what one write put there. */
static void pipes(void **state)
{
	struct text t = random_text(7, 20000, 30);

	(void)state;
	for (size_t step = 1; step < 4000; step = step * 7 + 1) {
		struct writer w = {.t = &t, .step = step};
		pthread_t thread;
		char path[40];
		int fds[2];

		assert_int_equal(pipe2(fds, O_DIRECT), 0);
		w.fd = fds[1];
		assert_int_equal(pthread_create(&thread, NULL, write_all, &w),
				 0);
		snprintf(path, sizeof(path), "/dev/fd/%d", fds[0]);
		compare(path, &t, 0x5a);
		pthread_join(thread, NULL);
		close(fds[0]);
	}
	free(t.p);
}

/* What came before the damage is told, then the damage. */
static void damaged_packing(void **state)
{
	static const char text[] = "one\ntwo xqz\nthree\n";
	size_t n;
	uint8_t *z = gzip_of(text, sizeof(text) - 1, &n);

	(void)state;
	for (size_t cut = 1; cut < n; cut++) {
		struct file f = put(z, cut);
		struct na_err err = {.status = NA_OK};
		enum na_status st;
		struct na_line line;
		struct na_lines *l;
		uint64_t lines = 0;

		assert_int_equal(na_lines_open(&l, f.path, &err), NA_OK);
		while ((st = na_lines_next(l, &line, &err)) == NA_OK)
			lines++;
		assert_int_equal(na_lines_count(l), lines);
		if (cut >= 2) {
			assert_int_equal(st, NA_EFORMAT);
			assert_non_null(strstr(err.text, f.path));
			assert_non_null(strstr(err.text, "ends early"));
			assert_string_equal(na_lines_packing(l), "gzip");
			assert_int_equal(na_lines_bytes(l), cut);
		}
		if (cut + 8 >= n)
			assert_int_equal(lines, 3);
		na_lines_close(l);
		close(f.fd);
	}
	free(z);
}

static void zstd_too(void **state)
{
	struct text t = random_text(3, 300000, 50);
	size_t room = ZSTD_compressBound(t.n), n;
	char *z = malloc(room);
	struct file f;

	(void)state;
	assert_non_null(z);
	n = ZSTD_compress(z, room, t.p, t.n, 3);
	assert_false(ZSTD_isError(n));
	f = put(z, n);
	compare(f.path, &t, 0xff);
	close(f.fd);
	free(z);
	free(t.p);
}

static void cannot_open(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_lines *l;

	(void)state;
	assert_int_equal(na_lines_open(&l, "/does/not/exist", &err), NA_EIO);
	assert_null(l);
	assert_string_equal(err.text,
			    "/does/not/exist: No such file or directory");
	err.status = NA_OK;
	assert_int_equal(na_lines_open(&l, "/", &err), NA_EIO);
	assert_non_null(strstr(err.text, "directory"));
}

/* The processor's wide instructions tell what the plain way tells; at the
 * end of a block of exactly its size. */
static void wide_is_plain(void **state)
{
	static const char *const many[] = {
		"abc",  "bca",           "cabac",     "hang det", "ected",
		"aaab", "xqz",           "z@x",       "a[b",      "{h{",
		"gan",  "Nag",           "\377\001a", "   ",      "ddd",
		"tet",  "too rare to be"};
	struct na_needles all = {many, sizeof(many) / sizeof(many[0])};
	struct na_finder f;

	(void)state;
	for (uint64_t seed = 100; seed < 160; seed++) {
		struct text t = random_text(seed, 10 * seed - 990, 20);
		char *p = malloc(t.n), *from = p;

		assert_non_null(p);
		memcpy(p, t.p, t.n);
		all.n = seed % 3 ? sizeof(many) / sizeof(many[0]) : 4;
		na_finder_init(&f, &all);
		while (from) {
			const char *a = na_finder_next(&f, from, p + t.n);
			const char *b = na_finder_next_plain(&f, from, p + t.n);

			assert_ptr_equal(a, b);
			from = a ? p + (a - p) + 1 : NULL;
		}
		free(p);
		free(t.p);
	}
}

static void newlines(void **state)
{
	size_t n = 100000, want = 0;
	char *p = malloc(n);

	(void)state;
	assert_non_null(p);
	memset(p, '\n', n);
	for (size_t i = 0; i < n; i += 997)
		assert_int_equal(na_count_newlines(p + i, p + n), n - i);
	for (size_t i = 0; i < n; i++) {
		p[i] = i * i % 7 ? '\n' : '\v';
		want += p[i] == '\n';
	}
	assert_int_equal(na_count_newlines(p, p + n), want);
	free(p);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_texts),
		cmocka_unit_test(borders),
		cmocka_unit_test(no_text),
		cmocka_unit_test(pipes),
		cmocka_unit_test(damaged_packing),
		cmocka_unit_test(zstd_too),
		cmocka_unit_test(cannot_open),
		cmocka_unit_test(wide_is_plain),
		cmocka_unit_test(newlines),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
