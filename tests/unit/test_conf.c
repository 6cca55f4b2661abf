/*
 * netan.conf: what its rows come to, and any bytes in its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/cli/common.h"
#include "netan/cli/conf/conf.h"

static enum na_status parse(struct na_conf *conf, const char *text, size_t n,
			    struct na_err *err)
{
	*conf = (struct na_conf){.path = "/etc/x/netan/netan.conf"};
	*err = (struct na_err){.status = NA_OK};
	return na_conf_parse(conf, text, n, err);
}

static char *joined(const char *text, const char *command, int argc,
		    const char *const *words)
{
	const struct na_command *c = na_command_find(command);
	struct na_conf conf;
	struct na_err err;
	char **argv = calloc((size_t)argc + 1, sizeof(*argv)), **to;
	char *line = calloc(1, 1024);

	assert_non_null(argv);
	assert_non_null(line);
	for (int i = 0; i < argc; i++)
		argv[i] = (char *)(uintptr_t)words[i];
	assert_int_equal(parse(&conf, text, strlen(text), &err), NA_OK);
	to = na_conf_join(&conf, c, &argc, argv);
	assert_non_null(to);
	for (int i = 0; i < argc; i++)
		snprintf(line + strlen(line), 1024 - strlen(line), "%s%s",
			 i ? " " : "", to[i]);
	free(to);
	free(argv);
	na_conf_free(&conf);
	return line;
}

#define JOINED(text, command, want, ...) \
	do { \
		const char *const words[] = {"netan", command, __VA_ARGS__}; \
		char *line = joined(text, command, \
				    (int)(sizeof(words) / sizeof(*words)), \
				    words); \
		assert_string_equal(line, want); \
		free(line); \
	} while (0)

static void test_words(void **state)
{
	(void)state;
	JOINED("", "timeline", "netan timeline x", "x");
	JOINED("capacity=1Gbps", "timeline",
	       "netan timeline --capacity=1Gbps x", "x");
	JOINED("# a\n \t\r\n  capacity =\t4x200Gbps/2 \r\n", "timeline",
	       "netan timeline --capacity=4x200Gbps/2 x", "x");
	/* Where it is one of the command's options, and not given. */
	JOINED("capacity = 1Gbps", "sizes", "netan sizes x", "x");
	JOINED("capacity = 1Gbps", "timeline", "netan timeline -c2Gbps x",
	       "-c2Gbps", "x");
	JOINED("capacity = 1Gbps", "timeline",
	       "netan timeline --capacity 2Gbps x", "--capacity", "2Gbps", "x");
	JOINED("capacity = 1Gbps", "timeline",
	       "netan timeline --capacity=1Gbps -- --capacity", "--",
	       "--capacity");
	/* Paths are those of the file's folder, and may hold blanks. */
	JOINED("topology = a b#c.csv", "pairs",
	       "netan pairs --topology=/etc/x/netan/a b#c.csv x", "x");
	JOINED("topology = /a=b", "pairs", "netan pairs --topology=/a=b x",
	       "x");
	JOINED("wide = yes\ncolor = always", "sysctl",
	       "netan sysctl --color=always --wide -q", "-q");
	JOINED("wide = no", "sysctl", "netan sysctl -q", "-q");
	/* How it looks is said where shards are made. */
	JOINED("wide = yes\ntheme = dark", "merge", "netan merge x", "x");
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"capacity", "netan.conf:1: wanted option = value"},
		{"\n\n=3", "netan.conf:3: wanted option = value"},
		{"Capacity = 1Gbps", "netan.conf:1: 'Capacity' cannot be set"},
		{"--capacity = 1Gbps", "'--capacity' cannot be set"},
		{"output = a.json", "'output' cannot be set"},
		{"capacity = ", "netan.conf:1: capacity has no value"},
		{"capacity = 0", "netan.conf:1: --capacity: \"0\""},
		{"theme = dar", "netan.conf:1: theme = dar: wanted"},
		{"theme = dark|light", "theme = dark|light: wanted"},
		{"wide = 1", "wide = 1: wanted yes or no"},
		{"wide = no\nwide = yes",
		 "netan.conf:2: wide is set in line 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct na_conf conf;
		struct na_err err;

		assert_int_equal(parse(&conf, rows[i].text,
				       strlen(rows[i].text), &err),
				 NA_EUSAGE);
		assert_non_null(strstr(err.text, rows[i].why));
		na_conf_free(&conf);
	}
}

/* Read or refused with a message. */
static void test_any_bytes(void **state)
{
	static const char good[] = "capacity = 4x200Gbps/2\n# x\nwide = yes\n"
				   "topology = racks.csv\ntheme = dark\n";
	uint32_t seed = 1;

	(void)state;
	for (int turn = 0; turn < 20000; turn++) {
		char text[sizeof(good)];
		size_t n = sizeof(good) - 1;
		struct na_conf conf;
		struct na_err err;

		memcpy(text, good, n);
		for (int k = turn % 5; k >= 0; k--) {
			seed = seed * 1664525 + 1013904223;
			text[(seed >> 8) % n] = (char)(seed >> 24);
		}
		if (parse(&conf, text, (seed >> 4) % n, &err) != NA_OK)
			assert_true(err.text[0]);
		na_conf_free(&conf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
