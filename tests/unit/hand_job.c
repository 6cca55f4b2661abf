#include "tests/unit/hand_job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/cli/common.h"

static void fine(enum na_status st, const struct na_err *err)
{
	if (st != NA_OK)
		fail_msg("%s", err->text);
}

static void forget(struct hand_job *j)
{
	if (!j->r)
		return;
	na_result_free(j->r);
	j->r = NULL;
	na_session_close(&j->s);
	na_cli_free(&j->cli);
}

static void read_all(struct hand_job *j, const struct na_analysis *a,
		     const struct na_grouping *by, struct na_err *err)
{
	assert_int_equal(na_session_open(&j->s, &j->cli.request, a->wants),
			 NA_OK);
	fine(na_session_filter(&j->s, err), err);
	j->s.filter = na_drive_filter(a, &j->s.filter, by,
				      j->cli.request.component >= 0);
	j->s.wants = na_drive_wants(a, &j->s.filter, by);
	assert_int_equal(na_session_read(&j->s, true, err), NA_OK);
	fine(na_session_place(&j->s, err), err);
}

void hand_job_run(struct hand_job *j, const char *name, ...)
{
	static char netan[] = "netan", quiet[] = "-q";
	const struct na_analysis *a = na_analysis_find(name);
	struct na_err err = {.status = NA_OK};
	struct na_grouping by;
	char *argv[32] = {netan, netan, quiet};
	int argc = 3;
	va_list list;

	hand_trace_close(j->t);
	snprintf(j->dir, sizeof(j->dir), "%s", hand_trace_dir(j->t));
	forget(j);
	assert_non_null(a);
	va_start(list, name);
	while ((argv[argc] = va_arg(list, char *)))
		assert_true(++argc < 30);
	va_end(list);
	argv[argc++] = j->dir;
	fine(na_cli_parse(&j->cli, na_command_find(name), argc, argv, &err),
	     &err);
	fine(na_grouping_parse(j->cli.common.by, &by, &err), &err);
	read_all(j, a, &by, &err);
	j->r = na_result_new();
	fine(na_drive(&j->s, a, j->cli.params, &by, j->r, &j->d, &err), &err);
	na_envelope(&j->s, j->r, name, j->d.used, 0, j->d.side, j->d.dropped);
}

const struct na_value *hand_job_body(const struct hand_job *j)
{
	return na_result_body(j->r);
}

const struct na_value *hand_job_row(const struct hand_job *j, const char *list,
				    size_t i)
{
	const struct na_value *v = na_dig(hand_job_body(j), list);

	v = na_items(v);
	while (v && i--)
		v = v->next;
	assert_non_null(v);
	return v;
}

const struct na_value *hand_job_find(const struct hand_job *j, const char *list,
				     const char *path, const char *text)
{
	const struct na_value *v = na_dig(hand_job_body(j), list);

	for (v = na_items(v); v; v = v->next) {
		if (strcmp(na_text_of(na_dig(v, path), ""), text) == 0)
			return v;
	}
	fail_msg("no row of %s with %s = %s", list, path, text);
	return NULL;
}

double hand_job_real(const struct na_value *v, const char *path)
{
	return na_real_of(na_dig(v, path), NAN);
}

void hand_job_end(struct hand_job *j)
{
	forget(j);
	hand_trace_free(j->t);
}
