/*
 * --cache: what other nodes put there, at any time and of anything, never
 * speaks for a trace of this one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/cli/commands/ingest_out.h"
#include "netan/cli/common.h"
#include "tests/unit/synth_session.h"

/* Of two nodes, and what the other one writes instead of ours. */
static struct {
	struct session mine, other;
	char cache[80];
	bool written;
	enum { OURS, OF_OTHER, OF_BOTH, A_TRACE, NOTHING } writes;
} here;

static const char *trace_of(const struct session *s)
{
	return s->report.files[0].path;
}

static bool copy(const char *from, const char *to)
{
	char line[512];

	snprintf(line, sizeof(line), "cp %s %s", from, to);
	return system(line) == 0;
}

/* The other trace is mounted at our path. */
static enum na_status write_of_other(const struct na_request *q, uint64_t asked,
				     const char *path, struct na_err *err)
{
	const char *mine = trace_of(&here.mine);
	enum na_status st;
	char aside[512];

	snprintf(aside, sizeof(aside), "%s.aside", mine);
	if (rename(mine, aside) != 0 || !copy(trace_of(&here.other), mine))
		return NA_EIO;
	st = na_ingest_stand_in(q, asked ^ 1, path, err);
	return rename(aside, mine) == 0 ? st : NA_EIO;
}

static enum na_status write_of_both(const struct na_request *q, uint64_t asked,
				    const char *path, struct na_err *err)
{
	struct na_request_input two[] = {
		{.path = trace_of(&here.mine), .found = true},
		{.path = here.other.report.files[1].path, .found = true}};
	struct na_request both = *q;

	both.inputs = two;
	both.n_inputs = 2;
	return na_ingest_stand_in(&both, asked, path, err);
}

static enum na_status write_it(const struct na_request *q, uint64_t asked,
			       const char *path, struct na_err *err)
{
	here.written = true;
	switch (here.writes) {
	case OURS:
		return na_ingest_stand_in(q, asked, path, err);
	case OF_OTHER:
		return write_of_other(q, asked, path, err);
	case OF_BOTH:
		return write_of_both(q, asked, path, err);
	case A_TRACE:
		return copy(trace_of(&here.other), path) ? NA_OK : NA_EIO;
	case NOTHING:
		break;
	}
	return NA_OK;
}

/* What came of reading the trace of this node. */
enum { WRITTEN = 1, STANDS_IN = 2, SAYS_THE_SAME = 4, FAILED = 8 };

static int found(const struct na_cli *cli, const char *path)
{
	struct na_err err = {.status = NA_OK};
	struct na_input direct, *in;
	struct na_session s;
	int is;

	if (na_session_open(&s, &cli->request, NA_WANT_TRANSFERS) != NA_OK ||
	    s.n_inputs != 1 ||
	    na_input_open(&direct, path, 0, NULL, &err) != NA_OK)
		return FAILED;
	in = &s.inputs[0];
	is = (here.written ? WRITTEN : 0) | (in->stands_in ? STANDS_IN : 0);
	if (in->content_hash == direct.content_hash &&
	    in->content_bytes == direct.content_bytes &&
	    strcmp(in->path, path) == 0)
		is |= SAYS_THE_SAME;
	na_input_close(&direct);
	na_session_close(&s);
	return is;
}

/* In a process of its own: none replaces what it has read. */
static int run(const char *commit)
{
	static char netan[] = "netan", info[] = "info", quiet[] = "-q";
	static char option[] = "--cache";
	char path[512];
	char *argv[] = {netan, info, quiet, option, here.cache, path, NULL};
	struct na_err err = {.status = NA_OK};
	struct na_cli cli;
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s", trace_of(&here.mine));
	assert_int_equal(na_cli_parse(&cli, na_command_find("info"), 6, argv,
				      &err),
			 NA_OK);
	cli.request.stand_in = write_it;
	cli.request.commit = commit;
	pid = fork();
	if (!pid)
		_exit(found(&cli, path));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	na_cli_free(&cli);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int set_up(void **state)
{
	(void)state;
	session_init(&here.mine);
	session_make(&here.mine, NA_OK);
	session_init(&here.other);
	here.other.cfg.seed++;
	session_make(&here.other, NA_OK);
	snprintf(here.cache, sizeof(here.cache), "%s/kept", here.mine.dir);
	here.writes = OURS;
	return 0;
}

static int tear_down(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", here.cache);
	assert_int_equal(system(line), 0);
	session_end(&here.mine);
	session_end(&here.other);
	return 0;
}

static void of_another_node(void **state)
{
	(void)state;
	here.writes = OF_OTHER;
	assert_int_equal(run(NULL), SAYS_THE_SAME | WRITTEN);
	here.writes = OURS;
	assert_int_equal(run(NULL), SAYS_THE_SAME | WRITTEN | STANDS_IN);
	assert_int_equal(run(NULL), SAYS_THE_SAME | STANDS_IN);
}

static void of_something_else(void **state)
{
	(void)state;
	here.writes = OF_BOTH;
	assert_int_equal(run(NULL), SAYS_THE_SAME | WRITTEN);
	here.writes = A_TRACE;
	assert_int_equal(run(NULL), SAYS_THE_SAME | WRITTEN);
	here.writes = NOTHING;
	assert_int_equal(run(NULL), SAYS_THE_SAME | WRITTEN);
}

static void of_another_state_of_netan(void **state)
{
	const int made = SAYS_THE_SAME | WRITTEN | STANDS_IN;

	(void)state;
	assert_int_equal(run("0123456789ab (2026-01-05)"), made);
	assert_int_equal(run("0123456789ab (2026-01-05)"), made & ~WRITTEN);
	assert_int_equal(run("0123456789ac (2026-01-05)"), made);
	assert_int_equal(run(NULL), made);
	assert_int_equal(run(NULL), made & ~WRITTEN);
}

/* What is no file of one trace stands for none. */
static void refused_to_stand(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_input in;

	(void)state;
	assert_int_equal(na_input_open(&in, trace_of(&here.mine), 0, NULL,
				       &err),
			 NA_OK);
	assert_false(na_xfer_stand_in(&in, "trace"));
	na_input_close(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_another_node, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(of_something_else, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(of_another_state_of_netan,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(refused_to_stand, set_up,
						tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
