/* The one walk over directories of dumps: order, links that lead back up,
 * links into nothing, how deep. */
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

#include "ingest/hlo/hlo.h"

static char top[64];
static char warned[1000];

static char *at(const char *below)
{
	static char path[1000];

	snprintf(path, sizeof(path), "%s/%s", top, below);
	return path;
}

static void put(const char *below)
{
	FILE *f = fopen(at(below), "w");

	assert_non_null(f);
	fputs("HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n", f);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/netan-walk-XXXXXX");
	warned[0] = '\0';
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static void warn(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(warned, sizeof(warned), "%s", text);
}

static void files_before_directories_and_no_way_round(void **state)
{
	static const char *const wanted[][2] = {
		{"m.txt", NULL},       {"h2/b.txt", "h2"},
		{"h2/gone.txt", "h2"}, {"h2/pipe.txt", "h2"},
		{"h2/a/x.hlo", "h2/a"}, {"h10/c.txt", "h10"},
	};
	struct na_err err = {.status = NA_OK};
	struct na_hlo_dumps f = {.items = NULL};
	struct na_arena a;

	(void)state;
	memset(&a, 0, sizeof(a));
	mkdir(at("h10"), 0700);
	mkdir(at("h2"), 0700);
	mkdir(at("h2/a"), 0700);
	mkdir(at("h2/dir.txt"), 0700);
	put("m.txt");
	put("h10/c.txt");
	put("h2/b.txt");
	put("h2/.hidden.txt");
	put("h2/notes.log");
	put("h2/a/x.hlo");
	assert_int_equal(mkfifo(at("h2/pipe.txt"), 0600), 0);
	assert_int_equal(symlink("nowhere", at("h2/gone.txt")), 0);
	assert_int_equal(symlink("..", at("h2/up")), 0);
	assert_int_equal(symlink("../..", at("h2/a/top")), 0);
	assert_int_equal(symlink(".", at("self")), 0);
	assert_int_equal(na_hlo_walk(top, &a, &f, &err), NA_OK);
	/* Who reads them says that one is a pipe. */
	assert_int_equal(f.n, sizeof(wanted) / sizeof(*wanted));
	for (size_t i = 0; i < f.n; i++) {
		assert_string_equal(f.items[i].path, at(wanted[i][0]));
		if (wanted[i][1])
			assert_string_equal(f.items[i].below, wanted[i][1]);
		else
			assert_null(f.items[i].below);
	}
	assert_ptr_equal(f.items[0].dir, top);
	assert_ptr_equal(f.items[1].dir, f.items[2].dir);
	assert_string_equal(f.items[4].dir, at("h2/a"));
	free(f.items);
	na_arena_fini(&a);
}

static enum na_status deep(int depth, size_t *n, struct na_err *err)
{
	char path[200] = "";
	struct na_hlo h;
	enum na_status st;

	for (int i = 0; i < depth; i++) {
		strcat(path, i ? "/d" : "d");
		mkdir(at(path), 0700);
	}
	strcat(path, "/m.txt");
	put(path);
	na_hlo_init(&h, false);
	*err = (struct na_err){.status = NA_OK};
	st = na_hlo_read_path(&h, top, NULL, warn, NULL, n, err);
	na_hlo_fini(&h);
	return st;
}

static void so_deep_and_no_deeper(void **state)
{
	struct na_err err;
	size_t n;

	(void)state;
	assert_int_equal(deep(NA_HLO_DIR_DEPTH, &n, &err), NA_OK);
	assert_int_equal(n, 1);
	assert_string_equal(warned, "");
	assert_int_equal(deep(NA_HLO_DIR_DEPTH + 1, &n, &err), NA_ELIMIT);
	assert_non_null(strstr(err.text, "more than 16 directories deep"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			files_before_directories_and_no_way_round, setup,
			teardown),
		cmocka_unit_test_setup_teardown(so_deep_and_no_deeper, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
