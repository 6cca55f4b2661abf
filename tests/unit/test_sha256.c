/*
 * SHA-256 against the vectors of FIPS 180-4's examples (NIST), of memory and
 * of files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/sha256.h"

static const struct {
	const char *text, *hex;
} vectors[] = {
	{"",
	 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc",
	 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void memory(void **state)
{
	char hex[NA_SHA256_HEX];

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		na_sha256(vectors[i].text, strlen(vectors[i].text), hex);
		assert_string_equal(hex, vectors[i].hex);
	}
}

/* A million times "a" passes the size of one read. */
static void file(void **state)
{
	static const char want[] = "cdc76e5c9914fb9281a1c7e284d73e67"
				   "f1809a48a497200e046d39ccc7112cd0";
	char path[] = "/tmp/netan-sha256-XXXXXX", hex[NA_SHA256_HEX];
	FILE *f = fdopen(mkstemp(path), "w");

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < 1000000; i++)
		putc('a', f);
	assert_int_equal(fclose(f), 0);
	assert_true(na_sha256_file(path, NULL, NULL, hex));
	assert_string_equal(hex, want);
	unlink(path);
	assert_false(na_sha256_file(path, NULL, NULL, hex));
	assert_string_equal(hex, "");
	assert_false(na_sha256_file("/tmp", NULL, NULL, hex));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(na_sha256_file(path, NULL, NULL, hex));
	unlink(path);
}

/* Several blocks of a mapping, the last one short; with a name and without. */
static void large_file(void **state)
{
	char path[] = "/tmp/netan-sha256-XXXXXX", hex[NA_SHA256_HEX];
	char want[NA_SHA256_HEX], by_fd[64];
	size_t n = (3 << 20) + 5;
	int fd = mkstemp(path);
	char *p = malloc(n);

	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < n; i++)
		p[i] = (char)(i * 2654435761U >> 7);
	assert_int_equal(write(fd, p, n), (ssize_t)n);
	na_sha256(p, n, want);
	assert_true(na_sha256_file(path, NULL, NULL, hex));
	assert_string_equal(hex, want);
	snprintf(by_fd, sizeof(by_fd), "/proc/self/fd/%d", fd);
	unlink(path);
	assert_true(na_sha256_file(by_fd, NULL, NULL, hex));
	assert_string_equal(hex, want);
	free(p);
	close(fd);
}

/* Becomes shorter, in the middle of a page, or longer while it is read: it
 * counts as it is then. */
struct changing {
	const char *path;
	off_t size;
	int turn;
};

static bool change(void *ctx)
{
	struct changing *c = ctx;

	if (c->turn++ == 1)
		assert_int_equal(truncate(c->path, c->size), 0);
	return true;
}

static void changed_file(void **state)
{
	static const off_t sizes[] = {(1 << 20) + 100, (5 << 20) + 100};
	char path[] = "/tmp/netan-sha256-XXXXXX", hex[NA_SHA256_HEX];
	char want[NA_SHA256_HEX];
	int fd = mkstemp(path);
	char *p = calloc(1, 6 << 20);

	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct changing c = {.path = path, .size = sizes[i]};

		assert_int_equal(ftruncate(fd, 3 << 20), 0);
		assert_true(na_sha256_file(path, change, &c, hex));
		na_sha256(p, (size_t)sizes[i], want);
		assert_string_equal(hex, want);
	}
	free(p);
	close(fd);
	unlink(path);
}

/* So many MiB, and no more. */
static bool go_on(void *left)
{
	return (*(int *)left)--;
}

static void given_up(void **state)
{
	char hex[NA_SHA256_HEX] = "x";

	int none = 0, some = 1000;

	(void)state;
	assert_false(na_sha256_file("/proc/self/exe", go_on, &none, hex));
	assert_string_equal(hex, "");
	assert_true(na_sha256_file("/proc/self/exe", go_on, &some, hex));
	assert_true(some < 1000);
}

/* As `printf abc | openssl dgst -sha256 -binary | base64` says it. */
static void base64(void **state)
{
	char text[NA_SHA256_BASE64];

	(void)state;
	na_sha256_base64("abc", 3, text);
	assert_string_equal(text,
			    "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory),
		cmocka_unit_test(file),
		cmocka_unit_test(large_file),
		cmocka_unit_test(changed_file),
		cmocka_unit_test(given_up),
		cmocka_unit_test(base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
