/* Logs of PyTorch/XLA as text: what of them is kept. */
#include "ingest/logs/xla_lines.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void feed(struct na_xla_log *x, const char *text)
{
	struct na_err err = {.status = NA_OK};
	struct na_xla_reader *r;
	uint64_t number = 0;

	na_xla_log_init(x);
	assert_int_equal(na_xla_reader_open(&r, x, NA_XLA_EXACT, &err), NA_OK);
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = malloc(n ? n : 1);

		assert_non_null(line);
		memcpy(line, text, n);
		assert_int_equal(na_xla_line(r, line, n, ++number, &err),
				 NA_OK);
		free(line);
		text += n + (text[n] == '\n');
	}
	assert_int_equal(na_xla_end(r, &err), NA_OK);
	na_xla_reader_close(r);
}

static const struct na_xla_process *process(const struct na_xla_log *x,
					    const char *prefix)
{
	for (size_t i = 0; i < x->n_processes; i++) {
		const struct na_xla_process *p = &x->processes[i];

		if (strcmp(na_strtab_at(&x->names, p->prefix), prefix) == 0)
			return p;
	}
	fail_msg("no process %s", prefix);
	return NULL;
}

static int64_t samples(const struct na_xla_log *x,
		       const struct na_xla_report *r, const char *name)
{
	const struct na_xla_metric *m = na_xla_metric_named(x, r, name);

	return m ? (int64_t)m->samples : -1;
}

static int64_t value(const struct na_xla_log *x, const struct na_xla_report *r,
		     const char *name)
{
	const struct na_xla_counter *c = na_xla_counter_named(x, r, name);

	return c ? c->value : -1;
}

/* All lines of a report behind the same prefix. */
static void add_report(char *to, size_t size, const char *prefix,
		       unsigned compiled, unsigned steps)
{
	size_t n = strlen(to);

	snprintf(to + n, size - n,
		 "%1$sMetric: CompileTime\n"
		 "%1$s  TotalSamples: %2$u\n"
		 "%1$s  Accumulator: 02s700ms000.000us\n"
		 "%1$sMetric: ExecuteTime\n"
		 "%1$s  TotalSamples: %3$u\n"
		 "%1$s  Accumulator: 12s310ms842.117us\n"
		 "%1$sCounter: MarkStep\n"
		 "%1$s  Value: %3$u\n",
		 prefix, compiled, steps);
}

static void test_a_report(void **state)
{
	static const char text[] =
		"Epoch 1, Metric: 0.93\n"
		"Metric: CompileTime\r\n"
		"  TotalSamples: 24\r\n"
		"  Accumulator: 07s501ms263.438us\r\n"
		"  ValueRate: 415ms845.224us / second\r\n"
		"  Rate: 1.5e-05 / second\r\n"
		"  Percentiles: 1%=092ms776.335us; 50%=270ms754.761us; "
		"99.9%=417ms171.393us\r\n"
		"Metric: InboundData\r\n"
		"  TotalSamples: 880\r\n"
		"  Accumulator: 3.44KB\r\n"
		"Counter: MarkStep\r\n"
		"  Value: 40\r\n"
		"Counter: aten::nonzero\r\n"
		"  Value: 3\r\n";
	struct na_xla_log x;
	const struct na_xla_report *r;
	const struct na_xla_metric *m;

	(void)state;
	feed(&x, text);
	assert_int_equal(x.reports, 1);
	assert_int_equal(x.damaged, 0);
	assert_int_equal(x.lines, 13);
	assert_int_equal(x.n_processes, 1);
	r = &x.processes[0].last;
	assert_int_equal(r->first_line, 2);
	assert_int_equal(r->last_line, 14);
	assert_int_equal(r->n_metrics, 2);
	assert_int_equal(r->n_counters, 2);
	m = na_xla_metric_named(&x, r, "CompileTime");
	assert_int_equal(m->total.ns, INT64_C(6501263438));
	assert_int_equal(m->value_rate.ns, 414845224);
	assert_true(m->rate == 1.5e-05);
	assert_int_equal(m->n_percentiles, 3);
	assert_true(m->percentiles[2].percent == 99.9);
	assert_int_equal(m->percentiles[1].value.ns, 269754761);
	m = na_xla_metric_named(&x, r, "InboundData");
	assert_int_equal(m->total.kind, NA_XLA_BYTES);
	assert_true(isnan(m->rate));
	assert_int_equal(value(&x, r, "aten::nonzero"), 3);
	na_xla_log_fini(&x);
}

/* Its sum is called "Counter:", as counters are. */
static void test_older_wording(void **state)
{
	static const char *const texts[] = {
		"Metric: CompileTime\n  TotalSamples: 2\n"
		"  Counter: 02s700ms000.000us\n"
		"Counter: CachedCompile\n  Value: 84\n",
		/* the blanks were lost */
		"Metric: CompileTime\nTotalSamples: 2\n"
		"Counter: 02s700ms000.000us\n"
		"Counter: CachedCompile\nValue: 84\n",
		"w0 | Metric: CompileTime\nw0 | \tTotalSamples: 2\n"
		"w0 | \tCounter: 02s700ms000.000us\n"
		"w0 | Counter: CachedCompile\nw0 | \tValue: 84\n",
	};
	/* a counter that is called like a value, behind a metric cut off */
	static const char odd[] = "Metric: CompileTime\n  TotalSamples: 2\n"
				  "Counter: 12.00\n  Value: 5\n";
	struct na_xla_log x;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct na_xla_report *r;

		feed(&x, texts[i]);
		r = &x.processes[0].last;
		assert_int_equal(r->metrics[0].total.ns, INT64_C(1700000000));
		assert_int_equal(r->n_counters, 1);
		assert_int_equal(value(&x, r, "CachedCompile"), 84);
		na_xla_log_fini(&x);
	}
	feed(&x, odd);
	assert_int_equal(value(&x, &x.processes[0].last, "12.00"), 5);
	na_xla_log_fini(&x);
}

static void test_prefixes_of_every_kind(void **state)
{
	static const char *const prefixes[] = {
		"",
		"I1120 21:28:00.123456    4242 metrics.cc:12] ",
		"2026-11-20 21:28:00,123 - INFO - ",
		"[2026-11-20T21:28:00Z] [rank0] ",
		"0: ",
		"(Worker pid=77, ip=10.0.0.1) ",
		"worker-3 | ",
		"\033[36m(pid=3)\033[0m ",
		"\033[32m",
		"train.py:55: ",
		"1732138080.123 ",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		char text[4096] = "step 1\n";
		struct na_xla_log x;
		const struct na_xla_process *p;

		add_report(text, sizeof(text), prefixes[i], 3, 10);
		strcat(text, "step 2\nstep 3\nstep 4\n");
		add_report(text, sizeof(text), prefixes[i], 5, 20);
		feed(&x, text);
		assert_int_equal(x.n_processes, 1);
		p = &x.processes[0];
		assert_int_equal(p->n_reports, 2);
		assert_int_equal(samples(&x, &p->first, "CompileTime"), 3);
		assert_int_equal(samples(&x, &p->last, "CompileTime"), 5);
		assert_int_equal(value(&x, &p->last, "MarkStep"), 20);
		assert_int_equal(p->last.metrics[0].total.ns,
				 INT64_C(1700000000));
		na_xla_log_fini(&x);
	}
}

static void test_colours(void **state)
{
	struct na_xla_log x;

	(void)state;
	feed(&x, "\033[1;32mCounter: MarkStep\033[0m\n"
		 "\033[1;32m  Value: 5\033[0m\n"
		 "\033[3mCounter: m\n  Value: 7m\nmCounter: z\n  Value: 1\n");
	assert_int_equal(x.processes[0].last.n_counters, 1);
	assert_int_equal(value(&x, &x.processes[0].last, "MarkStep"), 5);
	assert_int_equal(x.damaged, 1);
	na_xla_log_fini(&x);
}

/* Only the first line of each message has its prefix; or every line has
 * another one. */
static void test_inconsistent_prefixes(void **state)
{
	static const char first_only[] =
		"I1120 21:28:00.1 42 a.cc:1] Metric: CompileTime\n"
		"  TotalSamples: 3\n  Accumulator: 1.000us\n"
		"Counter: MarkStep\n  Value: 10\n"
		"I1120 21:28:01.1 42 a.cc:1] step\n"
		"I1120 21:29:40.1 42 b.cc:9] Metric: CompileTime\n"
		"  TotalSamples: 4\n  Accumulator: 2.000us\n"
		"Counter: MarkStep\n  Value: 20\n";
	static const char numbered[] =
		"line17 Metric: CompileTime\nline18   TotalSamples: 3\n"
		"line19   Accumulator: 1.000us\nline20 Counter: MarkStep\n"
		"line21   Value: 10\nline22 step\n\n\n\n"
		"line31 Metric: CompileTime\nline32   TotalSamples: 4\n"
		"line33 Counter: MarkStep\nline34   Value: 20\n";
	const char *const texts[] = {first_only, numbered};
	struct na_xla_log x;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct na_xla_process *p;

		feed(&x, texts[i]);
		assert_int_equal(x.n_processes, 1);
		p = &x.processes[0];
		assert_int_equal(p->n_reports, 2);
		assert_int_equal(samples(&x, &p->first, "CompileTime"), 3);
		assert_int_equal(value(&x, &p->last, "MarkStep"), 20);
		if (i == 0)
			assert_int_equal(p->last.stamp.us - p->first.stamp.us,
					 INT64_C(100000000));
		na_xla_log_fini(&x);
	}
}

/* Line by line in turn. */
static void test_interleaved_processes(void **state)
{
	char a[4096] = "", b[4096] = "", text[9000] = "";
	const char *pa = a, *pb = b;
	const struct na_xla_process *p;
	struct na_xla_log x;

	(void)state;
	add_report(a, sizeof(a), "[rank0] ", 3, 10);
	add_report(a, sizeof(a), "[rank0] ", 5, 20);
	add_report(b, sizeof(b), "[rank1] ", 7, 30);
	add_report(b, sizeof(b), "[rank1] ", 9, 40);
	while (*pa || *pb) {
		const char **from = strlen(pa) > strlen(pb) ? &pa : &pb;
		size_t n = strcspn(*from, "\n") + 1;

		strncat(text, *from, n);
		*from += n;
	}
	feed(&x, text);
	assert_int_equal(x.n_processes, 2);
	p = process(&x, "rank0");
	assert_int_equal(p->n_reports, 2);
	assert_int_equal(samples(&x, &p->first, "CompileTime"), 3);
	assert_int_equal(value(&x, &p->last, "MarkStep"), 20);
	p = process(&x, "rank1");
	assert_int_equal(p->n_reports, 2);
	assert_int_equal(samples(&x, &p->last, "CompileTime"), 9);
	na_xla_log_fini(&x);
}

static void test_where_a_report_begins(void **state)
{
	struct na_xla_log x;
	const struct na_xla_process *p;

	(void)state;
	/* The second has a new first metric, and follows at once. */
	feed(&x, "Metric: B\n  TotalSamples: 1\nCounter: x\n  Value: 1\n"
		 "Metric: A\n  TotalSamples: 5\nMetric: B\n  TotalSamples: 2\n"
		 "Counter: x\n  Value: 2\n");
	p = &x.processes[0];
	assert_int_equal(p->n_reports, 2);
	assert_int_equal(samples(&x, &p->first, "A"), -1);
	assert_int_equal(samples(&x, &p->last, "A"), 5);
	na_xla_log_fini(&x);
	/* Metrics of the backend behind the counters are of the report. */
	feed(&x, "Metric: B\n  TotalSamples: 1\nCounter: x\n  Value: 1\n"
		 "Metric: XrtExecute\n  TotalSamples: 0\n"
		 "  Accumulator: nanB\n  Mean: nanB\n  Percentiles: \n");
	p = &x.processes[0];
	assert_int_equal(p->n_reports, 1);
	assert_int_equal(samples(&x, &p->last, "XrtExecute"), 0);
	assert_int_equal(x.damaged, 0);
	na_xla_log_fini(&x);
	/* A short report names a counter twice. */
	feed(&x, "Metric: B\n  TotalSamples: 1\nCounter: MarkStep\n  Value: 1\n"
		 "Counter: aten::item\n  Value: 4\nCounter: aten::item\n"
		 "  Value: 4\n");
	assert_int_equal(x.processes[0].n_reports, 1);
	assert_int_equal(x.processes[0].last.n_counters, 2);
	na_xla_log_fini(&x);
	/* Titles tell the step. */
	feed(&x, "[MetricsData; step=10]\nCounter: y\n  Value: 1\n\n"
		 "[MetricsData; step=30]\nCounter: z\n  Value: 1\n");
	p = &x.processes[0];
	assert_int_equal(p->n_reports, 2);
	assert_int_equal(p->first.step, 10);
	assert_int_equal(p->last.step, 30);
	na_xla_log_fini(&x);
	/* The first, the one before the last, and the last. */
	feed(&x, "Counter: y\n  Value: 1\nCounter: y\n  Value: 2\n"
		 "Counter: y\n  Value: 3\nCounter: y\n  Value: 4\n");
	p = &x.processes[0];
	assert_int_equal(p->n_reports, 4);
	assert_int_equal(value(&x, &p->first, "y"), 1);
	assert_int_equal(value(&x, &p->before, "y"), 3);
	assert_int_equal(value(&x, &p->last, "y"), 4);
	na_xla_log_fini(&x);
}

static void test_a_restart(void **state)
{
	char text[4096] = "";
	const struct na_xla_process *p;
	struct na_xla_log x;

	(void)state;
	add_report(text, sizeof(text), "", 30, 1000);
	add_report(text, sizeof(text), "", 31, 2000);
	add_report(text, sizeof(text), "", 3, 10);
	add_report(text, sizeof(text), "", 4, 20);
	feed(&x, text);
	p = &x.processes[0];
	assert_int_equal(p->restarts, 1);
	assert_int_equal(p->restart_line, 17);
	assert_string_equal(na_strtab_at(&x.names, p->shrank), "CompileTime");
	assert_int_equal(p->n_reports, 2);
	assert_int_equal(value(&x, &p->first, "MarkStep"), 10);
	assert_int_equal(x.reports, 4);
	na_xla_log_fini(&x);
}

static void test_cut_off(void **state)
{
	char text[4096] = "", part[4096];
	struct na_xla_log x;

	(void)state;
	add_report(text, sizeof(text), "", 30, 1000);
	for (size_t n = 0; n <= strlen(text); n++) {
		memcpy(part, text, n);
		part[n] = 0;
		feed(&x, part);
		assert_true(x.reports <= 1);
		na_xla_log_fini(&x);
	}
	feed(&x, "Metric: ExecuteTime\n  TotalSamples: 5\n");
	assert_int_equal(x.unfinished, 1);
	na_xla_log_fini(&x);
	feed(&x, "Metric: A\n  TotalSamples: x\nMetric: B\n"
		 "  TotalSamples: 5\n  Accumulator: ?\n");
	assert_int_equal(x.damaged, 2);
	assert_int_equal(x.processes[0].last.n_metrics, 1);
	na_xla_log_fini(&x);
	feed(&x, "Metric: accuracy 0.9\nMetric: loss\nCounter: 5\nValue: 3x\n"
		 "Rate: 5\nLearning Rate: 0.1\nValue: 7\n");
	assert_int_equal(x.reports, 0);
	na_xla_log_fini(&x);
}

/* An entry of a log as JSON: line ends are two characters. */
static void test_json_entries(void **state)
{
	struct na_xla_log x;
	const struct na_xla_process *p;

	(void)state;
	feed(&x,
	     "{\"insertId\":\"abc1\",\"textPayload\":\"Metric: CompileTime"
	     "\\n  TotalSamples: 3\\n  Accumulator: 1.000us\\n"
	     "Counter: MarkStep\\n  Value: 10\\n\",\"timestamp\":\"2026\"}\n"
	     "{\"insertId\":\"abc2\",\"textPayload\":\"Metric: CompileTime"
	     "\\n  TotalSamples: 4\\nCounter: MarkStep\\n  Value: 20\"}\n");
	assert_int_equal(x.n_processes, 1);
	assert_int_equal(x.damaged, 0);
	p = &x.processes[0];
	assert_int_equal(p->n_reports, 2);
	assert_int_equal(value(&x, &p->first, "MarkStep"), 10);
	assert_int_equal(value(&x, &p->last, "MarkStep"), 20);
	na_xla_log_fini(&x);
}

static const struct na_xla_hint *
hint(const struct na_xla_log *x, enum na_xla_hint_kind kind, const char *name)
{
	for (size_t i = 0; i < x->n_hints; i++) {
		const char *s = na_strtab_at(&x->names, x->hints[i].name);

		if (x->hints[i].kind == kind && strcmp(s, name) == 0)
			return &x->hints[i];
	}
	fail_msg("no hint for %s", name);
	return NULL;
}

static void test_profiler_lines(void **state)
{
	static const char text[] =
		"pt-xla-profiler: CompileTime too frequent: 21 counts during "
		"22 steps\n"
		"W1120 21:28:00.1 42 x.cc:1] pt-xla-profiler: "
		"TransferFromServerTime too frequent: 50 counts during 60 "
		"steps\n"
		"pt-xla-profiler: CompileTime too frequent: 40 counts during "
		"44 steps\r\n"
		"pt-xla-profiler: Op(s) not lowered: aten::nonzero, "
		"aten::masked_select,  Please open a GitHub issue with the "
		"above op lowering requests.\n"
		"pt-xla-profiler: ExecuteTime too slow: longest instance took "
		"21m37s200ms100.000us. Please open a GitHub issue with the "
		"graph dump\n"
		"pt-xla-profiler: Following metrics too frequent: "
		"XrtCompile (9 counts), XrtRead (12 counts), during 10 steps. "
		"Note: XRT metrics\n"
		"pt-xla-profiler: ====\n"
		"pt-xla-profiler: X too frequent: many\n"
		"pt-xla-profiler: Op(s) not lowered: ";
	const struct na_xla_hint *h;
	struct na_xla_log x;

	(void)state;
	feed(&x, text);
	h = hint(&x, NA_XLA_TOO_FREQUENT, "CompileTime");
	assert_int_equal(h->count, 40);
	assert_int_equal(h->steps, 44);
	assert_int_equal(h->first_count, 21);
	assert_int_equal(h->times, 2);
	h = hint(&x, NA_XLA_TOO_FREQUENT, "TransferFromServerTime");
	assert_int_equal(h->count, 50);
	assert_int_equal(hint(&x, NA_XLA_NOT_LOWERED, "aten::nonzero")->times,
			 1);
	hint(&x, NA_XLA_NOT_LOWERED, "aten::masked_select");
	h = hint(&x, NA_XLA_TOO_SLOW, "ExecuteTime");
	assert_int_equal(h->longest_ns, INT64_C(1237200100000));
	h = hint(&x, NA_XLA_TOO_FREQUENT, "XrtRead");
	assert_int_equal(h->count, 12);
	assert_int_equal(h->steps, 10);
	assert_int_equal(x.n_hints, 7);
	assert_int_equal(x.damaged, 1);
	na_xla_log_fini(&x);
}

#define C "Compilation Analysis: "
#define E "Execution Analysis: "
static void test_blocks(void **state)
{
	static const char block[] =
		"[r0] " C "========\n"
		"[r0] " C "Compilation Cause\n"
		"[r0] " C "  user mark_step\n"
		"[r0] " C "Graph Info: \n"
		"[r0] " C "  Graph Hash: %d\n"
		"[r0] " C "  Number of Graph Inputs: 35\n"
		"[r0] " C "Python Frame Triggered Execution: \n"
		"[r0] " C "  mark_step (/x/torch_xla/core/xla_model.py:1055)\n"
		"step %d\n"
		"[r0] " C "  step (/home/u/train.py:48)\n"
		"[r0] " C "  ..........\n"
		"[r0] " C "--------\n"
		"[r0] " C "========\n"
		"[r0] Post " C "========\n"
		"[r0] Post " C "Compiled program size: 0.02821 GB\n"
		"[r0] Post " C "--------\n"
		"[r0] Post " C "========\n";
	char text[8192] = "";
	struct na_xla_log x;

	(void)state;
	for (int i = 0; i < 3; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 block, i / 2, i);
	/* Cut off, and then another one. */
	strcat(text, E "Execution Cause\n" E "  dynamo\n" E "Python Frame\n" E
		       "  f (a.py:1)\n" E "Execution Cause\n" E "  dynamo\n" E
		       "Python Frame Triggered Execution:\n" E
		       "  f (<eval_with_key>.7:5)\n");
	feed(&x, text);
	assert_int_equal(x.blocks, 5);
	assert_int_equal(x.n_stacks, 3);
	assert_int_equal(x.stacks[0].count, 3);
	assert_int_equal(x.stacks[0].n_graphs, 2);
	assert_int_equal(x.stacks[0].n_frames, 2);
	assert_string_equal(na_strtab_at(&x.names, x.stacks[0].cause),
			    "user mark_step");
	assert_string_equal(na_strtab_at(&x.names, x.stacks[0].frames[1]),
			    "step (/home/u/train.py:48)");
	assert_false(x.stacks[0].execution);
	assert_true(x.stacks[1].execution);
	assert_true(x.program_gb == 0.02821);
	na_xla_log_fini(&x);
}

/* More than is kept is counted, not kept. */
static void test_bounds(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_xla_reader *r;
	struct na_xla_log x;
	char line[100];

	(void)state;
	na_xla_log_init(&x);
	assert_int_equal(na_xla_reader_open(&r, &x, NA_XLA_EXACT, &err), NA_OK);
	for (int i = 0; i < 70000; i++) {
		snprintf(line, sizeof(line), "p%d Counter: c%d", i, i);
		assert_int_equal(na_xla_line(r, line, strlen(line),
					     (uint64_t)i * 9, &err),
				 NA_OK);
		snprintf(line, sizeof(line), "p%d   Value: 1", i);
		assert_int_equal(na_xla_line(r, line, strlen(line),
					     (uint64_t)i * 9 + 1, &err),
				 NA_OK);
	}
	assert_int_equal(na_xla_end(r, &err), NA_OK);
	na_xla_reader_close(r);
	assert_int_equal(x.n_processes, NA_XLA_PROCESSES_MAX);
	assert_true(x.left_out > 0);
	na_xla_log_fini(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_report),
		cmocka_unit_test(test_older_wording),
		cmocka_unit_test(test_prefixes_of_every_kind),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_inconsistent_prefixes),
		cmocka_unit_test(test_interleaved_processes),
		cmocka_unit_test(test_where_a_report_begins),
		cmocka_unit_test(test_a_restart),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_json_entries),
		cmocka_unit_test(test_profiler_lines),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
