/*
 * Synthetic PyTorch jobs: the same seed, the same bytes; pickles as
 * TorchScript writes them; what is planted is there, and only that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "netan/synth/pytorch/pickle_out.h"
#include "netan/synth/pytorch/pytorch.h"
#include "tests/unit/synth_session.h"

static void job_ready(struct session *s, const char **evidence, size_t n)
{
	session_init(s);
	s->cfg.run = NULL;
	s->cfg.profile = NA_PROFILE_PYTORCH;
	s->cfg.hosts = 2;
	s->cfg.devices = 8;
	s->cfg.evidence = (struct na_text_list){evidence, n, n};
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* A whole file as text. */
static char *text_of(const struct session *s, size_t file)
{
	size_t n;

	return (char *)session_bytes(s, file, &n);
}

/* ---- pickles */

static void assert_wire(const struct na_wire *w, const char *want, size_t n)
{
	assert_false(w->failed);
	assert_int_equal(w->n, n);
	assert_memory_equal(w->p, want, n);
}

#define WIRE_IS(w, bytes) assert_wire(w, bytes, sizeof(bytes) - 1)

static void test_pickle_values(void **state)
{
	struct na_wire w = {0};
	struct na_pickle p = {.w = &w};

	(void)state;
	na_pickle_begin(&p);
	na_pickle_open(&p, '{');
	na_pickle_text(&p, "a");
	na_pickle_open(&p, '[');
	na_pickle_int(&p, 0);
	na_pickle_int(&p, 255);
	na_pickle_int(&p, 256);
	na_pickle_int(&p, 65536);
	na_pickle_int(&p, -1);
	na_pickle_int(&p, INT64_C(1) << 31);
	na_pickle_close(&p, ']');
	na_pickle_text(&p, "b");
	na_pickle_text(&p, "a");
	na_pickle_text(&p, "b");
	na_pickle_pair(&p);
	na_pickle_bool(&p, true);
	na_pickle_none(&p);
	na_pickle_close(&p, '}');
	na_pickle_end(&p);
	WIRE_IS(&w, "\x80\x02}(X\1\0\0\0aq\0]("
		    "K\0K\xffM\0\1J\0\0\1\0J\xff\xff\xff\xff"
		    "\x8a\x08\0\0\0\x80\0\0\0\0e"
		    "X\1\0\0\0bq\1h\0h\1\x86\x88Nuq\2.");
	na_wire_fini(&w);
}

/* Behind 256 texts the memo's numbers are wide; a container that is used
 * again is numbered behind itself. */
static void test_pickle_memo(void **state)
{
	struct na_wire w = {0};
	struct na_pickle p = {.w = &w};
	char name[16];

	(void)state;
	na_pickle_begin(&p);
	for (int i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "%d", i);
		na_pickle_text(&p, name);
	}
	w.n = 0;
	assert_false(na_pickle_again(&p, "255"));
	na_pickle_open(&p, '{');
	na_pickle_close(&p, '}');
	na_pickle_keep(&p, "255");
	assert_true(na_pickle_again(&p, "255"));
	na_pickle_text(&p, "255");
	na_pickle_text(&p, "x");
	na_pickle_text(&p, "x");
	na_pickle_end(&p);
	WIRE_IS(&w, "}(ur\0\1\0\0j\0\1\0\0h\xff"
		    "X\1\0\0\0xr\1\1\0\0j\1\1\0\0r\2\1\0\0.");
	na_wire_fini(&w);
}

/* ---- jobs */

static void test_same_seed_same_bytes(void **state)
{
	const char *all[] = {"kineto", "recorder", "recorder-json",
			     "inspector"};
	struct session a, b;

	(void)state;
	job_ready(&a, all, NA_LEN(all));
	job_ready(&b, all, NA_LEN(all));
	session_make(&a, NA_OK);
	session_make(&b, NA_OK);
	assert_int_equal(a.report.n, 4 * 16 + 1);
	assert_int_equal(a.report.n, b.report.n);
	for (size_t i = 0; i < a.report.n; i++) {
		size_t n, m;
		uint8_t *x = session_bytes(&a, i, &n);
		uint8_t *y = session_bytes(&b, i, &m);

		assert_int_equal(n, m);
		assert_memory_equal(x, y, n);
		free(x);
		free(y);
	}
	session_end(&a);
	session_end(&b);
}

/* Another run of the same job: its clocks stay, its times do not. */
static void test_repeat(void **state)
{
	const char *kind[] = {"inspector"};
	struct session a, b;
	char *x, *y;

	(void)state;
	job_ready(&a, kind, 1);
	job_ready(&b, kind, 1);
	b.cfg.repeat = 1;
	session_make(&a, NA_OK);
	session_make(&b, NA_OK);
	x = strstr(a.truth, "\"groups\"");
	y = strstr(b.truth, "\"groups\"");
	assert_int_equal(x - a.truth, y - b.truth);
	assert_memory_equal(a.truth, b.truth, (size_t)(x - a.truth));
	assert_string_not_equal(x, y);
	session_end(&a);
	session_end(&b);
}

/* Of a rank of 16: a stage of two, two micro-batches, eight collectives. */
enum { TENSOR = 8, P2P = 4, DATA = 2, STEP_OPS = TENSOR + P2P + DATA + 1 };

static void test_kineto(void **state)
{
	const char *kind[] = {"kineto"};
	const char *less[] = {"seq", "kernel-args"};
	struct session s;
	char *text;

	(void)state;
	for (int without = 0; without < 2; without++) {
		job_ready(&s, kind, 1);
		if (without)
			s.cfg.without = (struct na_text_list){less,
							      NA_LEN(less),
							      NA_LEN(less)};
		session_make(&s, NA_OK);
		text = text_of(&s, 5);
		assert_int_equal(count(text, "ncclDevKernel_"), 3 * STEP_OPS);
		assert_int_equal(count(text, "record_param_comms"),
				 3 * STEP_OPS);
		assert_int_equal(count(text, "ProfilerStep#"), 3);
		assert_int_equal(count(text, "\"Seq\""),
				 without ? 0 : 6 * STEP_OPS);
		assert_int_equal(count(text, "\"Collective name\""),
				 (without ? 3 : 6) * STEP_OPS);
		assert_int_equal(count(text, "\"rank\": 5,"), 1);
		assert_int_equal(count(text, "Dst Rank\": 13"),
				 (without ? 3 : 6) * P2P / 2);
		free(text);
		session_end(&s);
	}
}

/* Who is late comes last where it is waited for, in its tensor group. */
static void test_late_rank(void **state)
{
	const char *kind[] = {"inspector"};
	struct session s;
	size_t last = 0, all = 0;

	(void)state;
	job_ready(&s, kind, 1);
	session_fault(&s, "late-rank:r6:4ms");
	session_make(&s, NA_OK);
	assert_non_null(strstr(s.truth, "\"kind\": \"late-rank\", \"rank\": 6, "
					"\"host\": \"host-0\", \"late_ps\": "
					"4000000000"));
	for (const char *p = s.truth;
	     (p = strstr(p, "{\"group\": 2, \"sequence\": ")); p++) {
		long sequence = strtol(p + 24, NULL, 10);
		const char *end = strchr(p, '}');

		if (sequence % TENSOR != 1)
			continue;
		all++;
		last += !strncmp(end - 3, ": 6", 3);
	}
	assert_int_equal(all, 3);
	assert_int_equal(last, 3);
	session_end(&s);
}

static void test_clock(void **state)
{
	const char *kind[] = {"inspector"};
	struct session s;

	(void)state;
	job_ready(&s, kind, 1);
	session_fault(&s, "clock:1:-30ms");
	session_make(&s, NA_OK);
	assert_int_equal(session_number(&s, "hosts", "host-1",
					"ahead_ns\": ", NULL),
			 -30000000);
	session_end(&s);
}

/* ---- hangs, in dumps of JSON: a culprit does what its kind says */

static int64_t last_enqueued(const char *text, const char *pg_id)
{
	char key[24];
	const char *p = strstr(text, "\"pg_status\"");

	assert_non_null(p);
	snprintf(key, sizeof(key), "\"%s\":{", pg_id);
	p = strstr(p, key);
	assert_non_null(p);
	p = strstr(p, "\"last_enqueued_collective\":\"");
	assert_non_null(p);
	return strtoll(p + 28, NULL, 10);
}

static size_t held(const char *text)
{
	return count(text, "\"state\":\"scheduled\"");
}

static void test_stuck_host(void **state)
{
	const char *kind[] = {"recorder-json"};
	struct session s;
	char *stuck, *peer;

	(void)state;
	for (int seed = 1; seed < 9; seed++) {
		job_ready(&s, kind, 1);
		s.cfg.seed = seed;
		session_fault(&s, "stuck-host:3");
		session_make(&s, NA_OK);
		assert_non_null(strstr(s.truth, "\"cause\": \"host_stuck\", "
						"\"took_hold\": true"));
		stuck = text_of(&s, 3);
		peer = text_of(&s, 2);
		/* The world's last is never called by it. */
		assert_int_equal(last_enqueued(stuck, "0"), 2);
		assert_true(held(peer) > 0);
		free(stuck);
		free(peer);
		session_end(&s);
	}
}

/* It holds an operation that the others have left. */
static void test_stuck_device(void **state)
{
	const char *kind[] = {"recorder-json"};
	struct session s;
	char *stuck, *peer;

	(void)state;
	for (int seed = 1; seed < 9; seed++) {
		job_ready(&s, kind, 1);
		s.cfg.seed = seed;
		session_fault(&s, "stuck-device:3");
		session_make(&s, NA_OK);
		stuck = text_of(&s, 3);
		peer = text_of(&s, 2);
		assert_true(held(stuck) > 0);
		assert_true(held(stuck) >= held(peer));
		free(stuck);
		free(peer);
		session_end(&s);
	}
}

static void test_missing_rank(void **state)
{
	const char *kind[] = {"recorder"};
	struct session s;

	(void)state;
	job_ready(&s, kind, 1);
	session_fault(&s, "missing-rank:r3");
	session_make(&s, NA_OK);
	assert_int_equal(s.report.n, 15 + 1);
	assert_non_null(strstr(s.report.files[3].path, "rank_4"));
	session_end(&s);
}

/* A healthy job's dumps hold nothing that is unfinished; by default a job
 * writes traces. */
static void test_healthy(void **state)
{
	const char *kind[] = {"recorder-json"};
	struct session s;
	char *text;

	(void)state;
	job_ready(&s, kind, 1);
	session_make(&s, NA_OK);
	text = text_of(&s, 9);
	assert_int_equal(held(text), 0);
	assert_int_equal(count(text, "\"state\":\"completed\""), 3 * STEP_OPS);
	free(text);
	session_end(&s);
	job_ready(&s, NULL, 0);
	session_make(&s, NA_OK);
	assert_non_null(strstr(s.report.files[0].path, "/kineto/host-0_4000."));
	session_end(&s);
}

/* Computing that takes no time, and groups that are not made. */
static void test_odd_sizes(void **state)
{
	static const struct {
		int hosts, devices, step_ps, collectives;
	} rows[] = {
		{2, 8, 1, 8}, {2, 1, 1, 0},         {1, 2, 1000000, 1},
		{5, 3, 1, 8}, {7, 6, 1000000, 100},
	};
	const char *kind[] = {"recorder"};
	struct session s;

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		job_ready(&s, kind, 1);
		s.cfg.hosts = rows[i].hosts;
		s.cfg.devices = rows[i].devices;
		s.cfg.step_ps = rows[i].step_ps;
		s.cfg.collectives = rows[i].collectives;
		session_fault(&s, "late-rank:1:1us");
		session_make(&s, NA_OK);
		session_end(&s);
	}
}

static void test_refused(void **state)
{
	static const char *const faults[] = {
		"late-rank:16:1ms", "late-rank:1:0ms", "late-rank:1",
		"stuck-host",       "stuck-host:1:2",  "tail:1:0.1",
	};
	const char *kind[] = {"chrome"};
	struct session s;

	(void)state;
	for (size_t i = 0; i < NA_LEN(faults); i++) {
		job_ready(&s, NULL, 0);
		session_fault(&s, faults[i]);
		session_make(&s, NA_EUSAGE);
		session_end(&s);
	}
	job_ready(&s, kind, 1);
	session_make(&s, NA_EUSAGE);
	session_end(&s);
	session_init(&s);
	session_fault(&s, "late-rank:1:2ms");
	session_make(&s, NA_EUSAGE);
	assert_non_null(strstr(s.err.text, "--profile pytorch"));
	session_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pickle_values),
		cmocka_unit_test(test_pickle_memo),
		cmocka_unit_test(test_same_seed_same_bytes),
		cmocka_unit_test(test_repeat),
		cmocka_unit_test(test_kineto),
		cmocka_unit_test(test_late_rank),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_stuck_host),
		cmocka_unit_test(test_stuck_device),
		cmocka_unit_test(test_missing_rank),
		cmocka_unit_test(test_healthy),
		cmocka_unit_test(test_odd_sizes),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
