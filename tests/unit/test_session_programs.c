/*
 * Whatever a trace leaves out, its ops get the same collectives and sizes:
 * sessions without their modules, without long names, without the rendezvous
 * of the -done, with dumps in the place of modules, packed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "netan/cli/common.h"
#include "netan/engine/drive.h"
#include "tests/unit/synth_session.h"

struct variant {
	const char *name, *without[4];
	bool shuffled, dumps;
	int compress;
	uint64_t modules;          /* 2 hosts, 1 program each */
	enum na_op_join any, not ; /* a way that must, or must not, be used */
};

/* One line for each op type: what it is and what it was joined with. */
static char *told(const struct na_store *s)
{
	const struct na_strtab *names = &s->names.strings;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	/* Types stand in the order of their first events. */
	for (size_t i = 0; i < s->devices.types.n; i++) {
		const struct na_op_type *t = &s->devices.types.items[i];

		fprintf(f, "%u %s: net %u op %u phase %u, %s %s, %llu bytes",
			t->input, na_strtab_at(names, t->name), t->network,
			t->opcode, t->phase, na_strtab_at(names, t->collective),
			na_strtab_at(names, t->transfer_type),
			(unsigned long long)t->size_bytes);
		if (t->phase == NA_OP_DONE)
			fprintf(f, ", from %s",
				na_strtab_at(names, t->start_op));
		fprintf(f, ", %u groups of %u\n", t->n_groups, t->group_size);
	}
	fclose(f);
	return text;
}

static char *read_session(char *dir, char *dumps, struct na_op_joins *joins)
{
	static char netan[] = "netan", slack[] = "slack", quiet[] = "-q";
	static char option[] = "--hlo";
	char *argv[] = {netan, slack, quiet, dir, option, dumps, NULL};
	struct na_err err = {.status = NA_OK};
	struct na_session s;
	struct na_cli cli;
	char *text;

	assert_int_equal(na_cli_parse(&cli, na_command_find("slack"),
				      dumps ? 6 : 4, argv, &err),
			 NA_OK);
	assert_int_equal(na_session_open(&s, &cli.request,
					 NA_WANT_OPS | NA_WANT_MODULES |
						 NA_WANT_PROGRAMS),
			 NA_OK);
	assert_int_equal(na_session_filter(&s, &err), NA_OK);
	assert_int_equal(na_session_read(&s, false, &err), NA_OK);
	assert_false(s.damaged);
	text = told(&s.store);
	*joins = s.joins;
	na_session_close(&s);
	na_cli_free(&cli);
	return text;
}

static char *make_and_read(const struct variant *v, struct na_op_joins *joins)
{
	char dumps[96], command[128];
	struct session s;
	char *text;

	session_init(&s);
	snprintf(dumps, sizeof(dumps), "%s-dumps", s.dir);
	s.cfg.hosts = 2;
	s.cfg.steps = 2;
	s.cfg.collectives = 3;
	s.cfg.icis = 2;
	s.cfg.shuffle_suffixes = v->shuffled;
	s.cfg.compress = v->compress;
	s.cfg.hlo_dump = v->dumps ? dumps : NULL;
	s.cfg.without =
		(struct na_text_list){(const char **)(uintptr_t)v->without, 0,
				      4};
	while (s.cfg.without.n < 4 && v->without[s.cfg.without.n])
		s.cfg.without.n++;
	session_make(&s, NA_OK);
	text = read_session(s.dir, v->dumps ? dumps : NULL, joins);
	session_end(&s);
	snprintf(command, sizeof(command), "rm -rf '%s'", dumps);
	assert_int_equal(system(command), 0);
	return text;
}

/* clang-format off */
static const struct variant variants[] = {
	{"packed", .compress = NA_PACK_GZIP, .modules = 2,
	 .any = NA_OPJOIN_INSTRUCTION},
	{"modules alone", {"long-names"}, .modules = 2,
	 .any = NA_OPJOIN_GRAPH, .not = NA_OPJOIN_LONG_NAME},
	{"modules, -done bare", {"long-names", "done-rendezvous"},
	 .modules = 2, .any = NA_OPJOIN_GRAPH},
	{"dumps alone", {"hlo", "long-names"}, .dumps = true, .modules = 2,
	 .any = NA_OPJOIN_GRAPH, .not = NA_OPJOIN_LONG_NAME},
	{"dumps, no channels", {"hlo", "long-names", "channels"},
	 .dumps = true, .modules = 2, .any = NA_OPJOIN_GRAPH},
	{"texts alone", {"hlo"}, .any = NA_OPJOIN_LONG_NAME,
	 .not = NA_OPJOIN_INSTRUCTION},
	{"texts, -done bare", {"hlo", "done-rendezvous"},
	 .any = NA_OPJOIN_GRAPH, .not = NA_OPJOIN_INSTRUCTION},
};
/* clang-format on */

/* Both end with a line. */
static void same(const char *name, const char *got, const char *want)
{
	while (*got && *want) {
		size_t n = strcspn(got, "\n") + 1, k = strcspn(want, "\n") + 1;

		if (n != k || memcmp(got, want, n) != 0)
			fail_msg("%s:\n got %.*swant %.*s", name, (int)n, got,
				 (int)k, want);
		got += n;
		want += k;
	}
	assert_true(*got == *want);
}

static void all_tell_the_same(bool shuffled)
{
	const struct variant full = {"full", .shuffled = shuffled};
	struct na_op_joins joins;
	char *want = make_and_read(&full, &joins);

	assert_non_null(strstr(want, " send-done."));
	assert_null(strstr(want, "18446744073709551615 bytes"));
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct variant v = variants[i];
		char *got;

		v.shuffled = shuffled;
		got = make_and_read(&v, &joins);
		same(v.name, got, want);
		assert_int_equal(joins.modules, v.modules);
		assert_int_equal(joins.types[NA_OPJOIN_NONE], 0);
		if (!joins.types[v.any] || (v.not &&joins.types[v.not ]))
			fail_msg("%s: %llu and %llu op types", v.name,
				 (unsigned long long)joins.types[v.any],
				 (unsigned long long)joins.types[v.not ]);
		free(got);
	}
	free(want);
}

static void as_numbered(void **state)
{
	(void)state;
	all_tell_the_same(false);
}

static void numbered_otherwise(void **state)
{
	(void)state;
	all_tell_the_same(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_numbered),
		cmocka_unit_test(numbered_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
