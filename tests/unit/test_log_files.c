/* From what a user names to the logs below it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/logs/files.h"

struct tree {
	char root[40];
	struct na_arena arena;
	struct na_log_files found;
	struct na_err err;
	enum na_status status;
};

static const char *at(const struct tree *t, const char *name)
{
	static char path[100];

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	return path;
}

static void put(const struct tree *t, const char *name)
{
	FILE *f = fopen(at(t, name), "w");

	assert_non_null(f);
	fclose(f);
}

static void grow(struct tree *t)
{
	memset(t, 0, sizeof(*t));
	strcpy(t->root, "/tmp/netan-logs-XXXXXX");
	assert_non_null(mkdtemp(t->root));
	chmod(t->root, 0755);
	memset(&t->arena, 0, sizeof(t->arena));
	assert_int_equal(mkdir(at(t, "closed"), 0), 0);
	assert_int_equal(mkdir(at(t, "open"), 0755), 0);
	put(t, "a.log");
	put(t, "open/host-10");
	put(t, "open/host-9");
	put(t, "open/x.pcap");
	put(t, ".hidden");
}

static void fell(struct tree *t)
{
	static const char *const files[] = {"a.log",       "open/host-10",
					    "open/host-9", "open/x.pcap",
					    ".hidden",     NULL};

	for (const char *const *f = files; *f; f++)
		unlink(at(t, *f));
	rmdir(at(t, "closed"));
	rmdir(at(t, "open"));
	rmdir(t->root);
	free(t->found.paths);
	na_arena_fini(&t->arena);
}

/* As somebody who may not read everything. */
static void look(struct tree *t, const char *path)
{
	bool root = geteuid() == 0;

	if (root)
		assert_int_equal(seteuid(65534), 0);
	t->status = na_log_files_find(path, &t->arena, &t->found, &t->err);
	if (root)
		assert_int_equal(seteuid(0), 0);
}

static void one_is_closed(void **state)
{
	struct tree t;

	(void)state;
	grow(&t);
	look(&t, t.root);
	assert_int_equal(t.status, NA_OK);
	assert_int_equal(t.found.unreadable, 1);
	assert_int_equal(t.found.passed_over, 1);
	assert_int_equal(t.found.n, 3);
	assert_string_equal(t.found.paths[0], at(&t, "a.log"));
	assert_string_equal(t.found.paths[1], at(&t, "open/host-9"));
	assert_string_equal(t.found.paths[2], at(&t, "open/host-10"));
	fell(&t);
}

static void named_itself(void **state)
{
	struct tree t;

	(void)state;
	grow(&t);
	look(&t, at(&t, "closed"));
	assert_int_equal(t.status, NA_EIO);
	assert_int_equal(t.found.n, 0);
	fell(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_closed),
		cmocka_unit_test(named_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
