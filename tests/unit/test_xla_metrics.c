/* What is made of logs of PyTorch/XLA: answers, findings, rates. */
#include "netan/analyses/xla_metrics/xla_metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/logs/xla_lines.h"
#include "netan/result/emit.h"

enum { LOGS = 3 };

struct judged {
	struct na_xla_input inputs[LOGS];
	struct na_xla_asked asked;
	struct na_result *r;
	enum na_severity worst;
};

static void read_text(struct na_xla_log *x, const char *text)
{
	struct na_err err = {.status = NA_OK};
	struct na_xla_reader *r;
	uint64_t number = 0;

	na_xla_log_init(x);
	assert_int_equal(na_xla_reader_open(&r, x, NA_XLA_EXACT, &err), NA_OK);
	while (*text) {
		size_t n = strcspn(text, "\n");

		assert_int_equal(na_xla_line(r, text, n, ++number, &err),
				 NA_OK);
		text += n + (text[n] == '\n');
	}
	assert_int_equal(na_xla_end(r, &err), NA_OK);
	na_xla_reader_close(r);
}

static void judge(struct judged *j, int64_t steps, const char *a, const char *b)
{
	static const char *const paths[LOGS] = {"a.log", "b.log", "c.log"};
	const char *texts[LOGS] = {a, b, NULL};
	struct na_err err = {.status = NA_OK};

	memset(j, 0, sizeof(*j));
	for (size_t i = 0; texts[i]; i++) {
		j->inputs[i].path = paths[i];
		read_text(&j->inputs[i].log, texts[i]);
		j->asked.n_inputs = i + 1;
	}
	j->asked.inputs = j->inputs;
	j->asked.steps = steps;
	j->asked.log_interval = 20;
	j->asked.top = 20;
	j->r = na_result_new();
	assert_non_null(j->r);
	assert_int_equal(na_xla_judge(&j->asked, j->r, &j->worst, &err), NA_OK);
}

static void done(struct judged *j)
{
	na_result_free(j->r);
	for (size_t i = 0; i < j->asked.n_inputs; i++)
		na_xla_log_fini(&j->inputs[i].log);
}

static const char *said(const struct judged *j, const char *question)
{
	char path[80];

	snprintf(path, sizeof(path), "questions.%s.text", question);
	return na_text_of(na_dig(na_result_get_body(j->r), path), "");
}

static void assert_says(const struct judged *j, const char *question,
			const char *begin)
{
	const char *text = said(j, question);

	if (strncmp(text, begin, strlen(begin)) != 0)
		fail_msg("%s: \"%s\", not \"%s...\"", question, text, begin);
}

static const struct na_value *finding(const struct judged *j, const char *id)
{
	const struct na_value *f =
		na_get(na_result_get_body(j->r), "findings")->u.of.first;

	for (; f; f = f->next) {
		if (strcmp(na_text_of(na_get(f, "id"), ""), id) == 0)
			return f;
	}
	return NULL;
}

static const struct na_value *row(const struct judged *j, const char *list,
				  const char *name)
{
	const struct na_value *v =
		na_get(na_result_get_body(j->r), list)->u.of.first;

	for (; v; v = v->next) {
		if (strcmp(na_text_of(na_get(v, "name"), ""), name) == 0)
			return v;
	}
	fail_msg("%s: no %s", list, name);
	return NULL;
}

/* A report; what is 0 is left out, as PyTorch/XLA does. */
static char *report(unsigned compiled, unsigned fetched, unsigned steps,
		    unsigned scalars)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (compiled)
		fprintf(out,
			"Metric: CompileTime\n  TotalSamples: %u\n"
			"  Accumulator: 02s700ms000.000us\n",
			compiled);
	if (fetched)
		fprintf(out,
			"Metric: TransferFromDeviceTime\n  TotalSamples: %u\n"
			"  Accumulator: 1.000us\n",
			fetched);
	fprintf(out, "Counter: CachedCompile\n  Value: 1\n");
	if (steps)
		fprintf(out, "Counter: MarkStep\n  Value: %u\n", steps);
	if (scalars)
		fprintf(out,
			"Counter: aten::_local_scalar_dense\n  Value: %u\n",
			scalars);
	assert_int_equal(fclose(out), 0);
	return text;
}

struct run {
	unsigned compiled, fetched, steps, scalars;
};

static void judge_runs(struct judged *j, int64_t steps, struct run a,
		       struct run b)
{
	char *x = report(a.compiled, a.fetched, a.steps, a.scalars);
	char *y = report(b.compiled, b.fetched, b.steps, b.scalars);

	judge(j, steps, x, y);
	free(x);
	free(y);
}

/* One in --log-interval (20) steps is where growth begins. */
static void test_the_edge_of_growth(void **state)
{
	struct judged j;

	(void)state;
	judge_runs(&j, 0, (struct run){4, 1, 100, 0},
		   (struct run){53, 1, 1100, 0});
	assert_says(&j, "compilations_grow", "no: 49 in 1000 steps");
	assert_null(finding(&j, "recompilation"));
	done(&j);
	judge_runs(&j, 0, (struct run){4, 1, 100, 0},
		   (struct run){54, 1, 1100, 0});
	assert_says(&j, "compilations_grow", "yes: 50 in 1000 steps");
	assert_int_equal(j.worst, NA_SEV_WARNING);
	done(&j);
	judge_runs(&j, 0, (struct run){4, 1, 100, 0},
		   (struct run){505, 1, 1100, 0});
	assert_int_equal(j.worst, NA_SEV_ERROR);
	done(&j);
	/* Transfers: one in each step, beyond one in twenty. */
	judge_runs(&j, 0, (struct run){4, 10, 100, 0},
		   (struct run){4, 1059, 1100, 0});
	assert_says(&j, "transfers_grow", "yes, but not in every step");
	assert_int_equal(j.worst, NA_SEV_INFO);
	done(&j);
	judge_runs(&j, 0, (struct run){4, 10, 100, 0},
		   (struct run){4, 1060, 1100, 0});
	assert_says(&j, "transfers_grow", "yes: 1050 in 1000 steps");
	assert_int_equal(j.worst, NA_SEV_WARNING);
	done(&j);
	judge_runs(&j, 0, (struct run){4, 10, 100, 0},
		   (struct run){4, 60, 1100, 0});
	assert_says(&j, "transfers_grow", "no: 50 in 1000 steps");
	assert_int_equal(j.worst, NA_SEV_NONE);
	done(&j);
}

/* Ten steps may compile each. */
static void test_the_warm_up(void **state)
{
	char *text = report(10, 0, 10000, 0);
	struct judged j;

	(void)state;
	judge(&j, 0, text, NULL);
	assert_says(&j, "compilations_grow", "no: 10 in the first 10000");
	done(&j);
	judge(&j, 8, text, NULL);
	assert_says(&j, "compilations_grow", "cannot tell: 10 in the first 8");
	done(&j);
	free(text);
	text = report(14, 0, 90, 0);
	judge(&j, 0, text, NULL); /* 4 in the 80 after it */
	assert_says(&j, "compilations_grow", "yes: 14 in the first 90");
	done(&j);
	free(text);
	text = report(13, 0, 90, 0);
	judge(&j, 0, text, NULL);
	assert_says(&j, "compilations_grow", "no: 13 in the first 90");
	done(&j);
	free(text);
	/* It may lie behind the first report. */
	judge_runs(&j, 0, (struct run){1, 0, 1, 0},
		   (struct run){10, 0, 100, 0});
	assert_says(&j, "compilations_grow", "no: 9 in 99 steps");
	done(&j);
}

/* Compilations of the first steps, and none since. */
static void test_growth_that_has_ended(void **state)
{
	char text[2000] = "";
	struct judged j;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		char *one = report(i ? 60 : 1, 0, 10 + 1000 * i, 0);

		strcat(text, one);
		free(one);
	}
	judge(&j, 0, text, NULL);
	assert_says(&j, "compilations_grow",
		    "no: 59 in 2000 steps (MarkStep), but none since");
	done(&j);
}

static void test_rates(void **state)
{
	static const char text[] =
		"I1231 23:59:00.5 1 a.cc:1] Metric: CompileTime\n"
		"I1231 23:59:00.5 1 a.cc:1]   TotalSamples: 4\n"
		"I1231 23:59:00.5 1 a.cc:1]   Accumulator: 02s700ms000.000us\n"
		"I1231 23:59:00.5 1 a.cc:1] Counter: MarkStep\n"
		"I1231 23:59:00.5 1 a.cc:1]   Value: 10\n"
		"I1231 23:59:50.5 1 a.cc:1] Metric: CompileTime\n"
		"I1231 23:59:50.5 1 a.cc:1]   TotalSamples: 104\n"
		"I1231 23:59:50.5 1 a.cc:1]   Accumulator: 12s700ms000.000us\n"
		"I1231 23:59:50.5 1 a.cc:1] Counter: MarkStep\n"
		"I1231 23:59:50.5 1 a.cc:1]   Value: 210\n";
	const struct na_value *m;
	struct judged j;

	(void)state;
	judge(&j, 0, text, NULL);
	m = row(&j, "metrics", "CompileTime");
	assert_true(na_real_of(na_get(m, "total_s"), 0) == 11.7);
	assert_true(na_real_of(na_get(m, "new_s"), 0) == 10);
	assert_true(na_real_of(na_get(m, "per_step"), 0) == 0.5);
	assert_true(na_real_of(na_get(m, "per_s"), 0) == 2);
	assert_int_equal(na_int_of(na_get(m, "new_samples"), 0), 100);
	m = row(&j, "counters", "MarkStep");
	assert_true(na_real_of(na_get(m, "per_s"), 0) == 4);
	done(&j);
	judge(&j, 1000, text, NULL);
	m = row(&j, "metrics", "CompileTime");
	assert_true(na_real_of(na_get(m, "per_step"), 0) == 0.1);
	done(&j);
}

static void test_pairs_of_files(void **state)
{
	struct judged j;

	(void)state;
	judge_runs(&j, 0, (struct run){54, 1, 1100, 0},
		   (struct run){4, 1, 100, 0});
	assert_says(&j, "compilations_grow", "yes: 50 in 1000 steps");
	assert_int_equal(na_get(na_result_get_body(j.r), "processes")->n, 1);
	done(&j);
	judge_runs(&j, 0, (struct run){4, 100, 100, 0},
		   (struct run){54, 1, 1100, 0});
	assert_int_equal(na_get(na_result_get_body(j.r), "processes")->n, 2);
	assert_non_null(strstr(na_result_notes(j.r)->text, "not two reports"));
	done(&j);
}

static void test_early_evaluation(void **state)
{
	const struct na_value *f;
	struct judged j;

	(void)state;
	judge_runs(&j, 0, (struct run){4, 1, 100, 3},
		   (struct run){4, 1, 1100, 2003});
	f = finding(&j, "early-evaluation");
	assert_non_null(f);
	assert_int_equal(na_int_of(na_dig(f, "evidence.count"), 0), 2000);
	assert_true(na_real_of(na_dig(f, "evidence.per_step"), 0) == 2);
	assert_string_equal(na_text_of(na_get(f, "severity"), ""), "warning");
	done(&j);
	judge_runs(&j, 0, (struct run){4, 1, 100, 3},
		   (struct run){4, 1, 1100, 53});
	f = finding(&j, "early-evaluation");
	assert_string_equal(na_text_of(na_get(f, "severity"), ""), "info");
	done(&j);
	judge_runs(&j, 0, (struct run){4, 1, 100, 3},
		   (struct run){4, 1, 1100, 3});
	assert_null(finding(&j, "early-evaluation"));
	done(&j);
}

#define P "pt-xla-profiler: "
/* Profiler lines alone: counts since the start, so what grows is what lies
 * between two of them. */
static void test_profiler_lines_alone(void **state)
{
	static const struct {
		const char *text, *compilations, *transfers;
	} rows[] = {
		{P "CompileTime too frequent: 21 counts during 11 steps\n",
		 "cannot tell: 21 in the first 11", "cannot tell"},
		{P "CompileTime too frequent: 21 counts during 11 steps\n" P
		   "CompileTime too frequent: 23 counts during 12 steps\n",
		 "yes: 23 in the first 12 steps (pt-xla-profiler), 2.00",
		 "cannot tell"},
		{P "CompileTime too frequent: 11 counts during 11 steps\n" P
		   "CompileTime too frequent: 11 counts during 21 steps\n" P
		   "TransferFromServerTime too frequent: 488 counts during "
		   "465 steps\n" P
		   "TransferFromServerTime too frequent: 504 counts during "
		   "480 steps\n",
		 "no: 11 in the first 21",
		 "yes: 504 in the first 480 steps (pt-xla-profiler), 1.07 per "
		 "step since step 465"},
		{P "CompileTime too frequent: 11 counts during 11 steps\n" P
		   "CompileTime too frequent: 16 counts during 21 steps\n" P
		   "TransferFromDeviceTime too frequent: 300 counts during "
		   "500 steps\n",
		 "cannot tell: 16 in the first 21 steps (pt-xla-profiler), but",
		 "yes, but not in every step: 300 in the first 500"},
		{P "CompileTime too frequent: 60 counts during 100 steps\n",
		 "yes: 60 in the first 100", "cannot tell"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct judged j;

		judge(&j, 0, rows[i].text, NULL);
		assert_says(&j, "compilations_grow", rows[i].compilations);
		assert_says(&j, "transfers_grow", rows[i].transfers);
		done(&j);
	}
}

#define E "Execution Analysis: "
/* Whose frame is whose. */
static void test_frames(void **state)
{
	static const struct {
		const char *frames, *user, *called;
	} rows[] = {
		{E "  item (/src/torch_xla/a.py:1)\n" E "  f (/u/t.py:2)\n",
		 "f (/u/t.py:2)", "item (/src/torch_xla/a.py:1)"},
		{E "  f (/u/torch/train.py:2)\n", "f (/u/torch/train.py:2)",
		 NULL},
		{E "  __repr__ (/usr/lib/python3.10/site-packages/torch/"
		   "_tensor.py:1)\n" E "  f (t.py:2)\n",
		 "f (t.py:2)",
		 "__repr__ (/usr/lib/python3.10/site-packages/torch/"
		 "_tensor.py:1)"},
		{E "  g (/w/pytorch/torch/nn/modules/module.py:9)\n" E
		   "  h (/x/site-packages/transformers/t5.py:2)\n",
		 "h (/x/site-packages/transformers/t5.py:2)",
		 "g (/w/pytorch/torch/nn/modules/module.py:9)"},
		{E "  g (/w/torch_xla/core.py:9)\n", NULL, NULL},
		{E "  f (<eval_with_key>.7:5)\n" E "  h (/u/t.py:2)\n",
		 "h (/u/t.py:2)", "f (<eval_with_key>.7:5)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct na_value *s;
		char text[1000];
		struct judged j;

		snprintf(text, sizeof(text),
			 E "Execution Cause\n" E "  user mark_step\n" E
			   "Python Frame Triggered Execution:\n%s",
			 rows[i].frames);
		judge(&j, 0, text, text); /* of two processes, together */
		s = na_get(na_result_get_body(j.r), "stacks")->u.of.first;
		assert_null(s->next);
		assert_int_equal(na_int_of(na_get(s, "count"), 0), 2);
		assert_string_equal(na_text_of(na_get(s, "user_frame"), "-"),
				    rows[i].user ? rows[i].user : "-");
		assert_string_equal(na_text_of(na_get(s, "operator"), "-"),
				    rows[i].called ? rows[i].called : "-");
		done(&j);
	}
}

static void test_operators_by_count(void **state)
{
	static const char text[] =
		"Metric: CompileTime\n  TotalSamples: 1\n"
		"Counter: MarkStep\n  Value: 100\n"
		"Counter: aten::a\n  Value: 5\nCounter: aten::b\n  Value: 70\n"
		"Counter: aten::c\n  Value: 5\nCounter: xla::d\n  Value: 900\n"
		"Counter: aten::_local_scalar_dense\n  Value: 999\n";
	static const char *const order[] = {"aten::b", "aten::a", "aten::c"};
	const struct na_value *op;
	struct judged j;

	(void)state;
	judge(&j, 0, text, NULL);
	assert_says(&j, "operators_unlowered", "yes: aten::b 70 times");
	op = na_dig(finding(&j, "unlowered-op"), "evidence.ops")->u.of.first;
	for (size_t i = 0; i < 3; i++, op = op->next)
		assert_string_equal(na_text_of(na_get(op, "op"), ""), order[i]);
	assert_null(op);
	done(&j);
}

/* What a report does not tell is not a "no". */
static void test_cut_reports(void **state)
{
	char *whole = report(4, 10, 100, 0);
	char text[2000];
	struct judged j;

	(void)state;
	snprintf(text, sizeof(text),
		 "%sMetric: CompileTime\n  TotalSamples: 9\n", whole);
	judge(&j, 500, text, NULL);
	assert_says(&j, "compilations_grow", "no: 5 in 500 steps");
	assert_says(&j, "transfers_grow", "cannot tell");
	assert_says(&j, "operators_unlowered", "cannot tell");
	done(&j);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_edge_of_growth),
		cmocka_unit_test(test_the_warm_up),
		cmocka_unit_test(test_growth_that_has_ended),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_pairs_of_files),
		cmocka_unit_test(test_early_evaluation),
		cmocka_unit_test(test_profiler_lines_alone),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_operators_by_count),
		cmocka_unit_test(test_cut_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
