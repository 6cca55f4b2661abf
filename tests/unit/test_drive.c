/*
 * Several analyses over one reading: each result is the same as from a
 * reading of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/cli/common.h"
#include "netan/engine/drive.h"
#include "tests/unit/hand_drive.h"

static void command_line(struct na_cli *cli, const char *name)
{
	static char path[] = "tests/data/graph.xplane.pb", netan[] = "netan";
	static char quiet[] = "-q";
	char *argv[] = {netan, netan, quiet, path, NULL};
	struct na_err err = {.status = NA_OK};

	assert_int_equal(na_cli_parse(cli, na_command_find(name), 4, argv,
				      &err),
			 NA_OK);
}

static void open_filtered(struct na_session *s, const struct na_cli *cli)
{
	struct na_err err = {.status = NA_OK};

	assert_int_equal(na_session_open(s, &cli->request,
					 NA_WANT_TRANSFERS | NA_WANT_GRAPHS |
						 NA_WANT_STEPS),
			 NA_OK);
	assert_int_equal(na_session_filter(s, &err), NA_OK);
}

static char *drive(struct na_session *s, const struct na_analysis *a,
		   const void *params)
{
	const struct na_grouping by = {{NA_KEY_HOST}, 0};
	struct na_err err = {.status = NA_OK};
	struct na_result *r = na_result_new();
	struct na_driven d;
	char *text;

	assert_int_equal(na_drive(s, a, params, &by, r, &d, &err), NA_OK);
	text = driven_json(&(struct driven){.r = r});
	na_result_free(r);
	return text;
}

static char *alone(const struct na_analysis *a)
{
	const struct na_grouping by = {{NA_KEY_HOST}, 0};
	struct na_err err = {.status = NA_OK};
	struct na_session s;
	struct na_cli cli;
	char *text;

	command_line(&cli, a->info.name);
	open_filtered(&s, &cli);
	s.filter = na_drive_filter(a, &s.filter, &by, false);
	s.wants = na_drive_wants(a, &s.filter, &by);
	s.for_one = true;
	assert_int_equal(na_session_read(&s, true, &err), NA_OK);
	text = drive(&s, a, cli.params);
	na_session_close(&s);
	na_cli_free(&cli);
	return text;
}

/* What all of them together want read. */
static void widen(struct na_session *s)
{
	const struct na_grouping by = {{NA_KEY_HOST}, 0};
	const struct na_filter asked = s->filter;

	s->filter.side = -1;
	for (size_t i = 0; na_analyses[i]; i++) {
		struct na_filter f = na_drive_filter(na_analyses[i], &asked,
						     &by, false);

		s->filter.clip |= f.clip;
		s->filter.instants |= f.instants;
		s->filter.components |= f.components;
		s->wants |= na_drive_wants(na_analyses[i], &f, &by);
	}
}

static void one_reading_serves_all(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_filter asked;
	struct na_session s;
	struct na_cli cli;

	(void)state;
	command_line(&cli, "timeline");
	open_filtered(&s, &cli);
	asked = s.filter;
	widen(&s);
	assert_int_equal(na_session_read(&s, true, &err), NA_OK);
	s.filter = asked; /* each makes of it what it means */
	for (size_t i = 0; na_analyses[i]; i++) {
		const struct na_analysis *a = na_analyses[i];
		char *want = alone(a), *got;
		struct na_cli own;

		command_line(&own, a->info.name);
		got = drive(&s, a, own.params);
		if (strcmp(got, want) != 0)
			fail_msg("%s:\n%s\n%s", a->info.name, got, want);
		na_cli_free(&own);
		free(want);
		free(got);
	}
	na_session_close(&s);
	na_cli_free(&cli);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_reading_serves_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
