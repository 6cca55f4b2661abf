/* tcp: the segments of the connection that is drawn, in columns. */
#include <math.h>

#include "tests/unit/fake_tcp.h"

static double number(const struct na_value *v, const char *path)
{
	return na_real_of(na_dig(v, path), NAN);
}

static double least(const struct na_value *v, double most)
{
	size_t n = 0;
	const double *x = na_reals_of(v, &n);

	assert_int_equal(n, TCP_COLUMNS);
	for (size_t i = 0; i < n; i++)
		most = x[i] < most ? x[i] : most;
	return most;
}

static double most(const struct na_value *v)
{
	size_t n = 0;
	const double *x = na_reals_of(v, &n);
	double top = -1;

	for (size_t i = 0; i < n; i++)
		top = x[i] > top ? x[i] : top;
	return top;
}

/* Bytes in all ranges, which never overlap here. */
static double sent(const struct na_value *v)
{
	size_t n = 0;
	const int64_t *x = na_rows_of(v, &n);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)(x[3 * i + 2] - x[3 * i + 1]);
	return sum;
}

/* No mark is lost on the way to columns, whatever their number. */
static void sequence(void **state)
{
	static const size_t per_round[] = {5, 20, 900};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct fake_tcp f = {.rounds = 40,
				     .per_round = per_round[k],
				     .lost_every = 7,
				     .timeout = true,
				     .closed = true};
		double bytes = 40000.0 * (double)per_round[k], marked = 0;
		const struct na_value *s, *v;
		struct driven d;

		fake_make(&f);
		fake_drive(&f, (struct tcp_params){.connection = 1}, &d);
		assert_int_equal(f.calls, 1);
		s = na_get(na_result_body(d.r), "sequence");
		assert_true(number(s, "segments") == (double)f.n);
		assert_true(number(s, "mark_counts.fast") ==
			    (double)(40 * per_round[k] / 7));
		assert_true(number(s, "mark_counts.timeout") == 1);
		for (v = na_get(s, "marks")->u.of.first; v; v = v->next)
			if (strcmp(na_text_of(na_get(v, "kind"), ""), "fast") ==
			    0)
				marked += number(v, "count");
		assert_true(marked == number(s, "mark_counts.fast"));
		assert_true(sent(na_get(s, "data")) == bytes);
		assert_true(most(na_get(s, "edge_to")) == bytes + 1 + 64000);
		assert_true(least(na_get(s, "window_min"), 9) == 0);
		assert_true(number(na_get(s, "silent")->u.of.first, "to_s") -
				    number(na_get(s, "silent")->u.of.first,
					   "from_s") >
			    0.1999);
		assert_true(number(s, "closures") == 1);
		driven_end(&d);
		free(f.x);
	}
}

/* --from and --to: two pieces hold what the whole does. */
static void pieces(void **state)
{
	static const char *const sums[] = {
		"segments",
		"data_segments",
		"acks",
		"mark_counts.fast",
		"mark_counts.duplicate_ack",
	};
	struct fake_tcp f = {.rounds = 40,
			     .per_round = 20,
			     .lost_every = 7,
			     .timeout = true};
	double sum[3][5], silent[3];

	(void)state;
	fake_make(&f);
	for (size_t k = 0; k < 3; k++) {
		int64_t middle = 300 * (int64_t)FAKE_MS;
		const struct na_value *s;
		struct driven d;

		f.from_ps = k == 2 ? middle : NA_TIME_MIN;
		f.to_ps = k == 1 ? middle : NA_TIME_MAX;
		fake_drive(&f, (struct tcp_params){.connection = 1}, &d);
		s = na_get(na_result_body(d.r), "sequence");
		for (size_t i = 0; i < 5; i++)
			sum[k][i] = number(s, sums[i]);
		silent[k] = number(s, "silent_ms");
		assert_int_equal(na_get(s, "whole")->u.flag, k == 0);
		assert_true(number(s, "from_s") == (k == 2 ? 0.3 : 0));
		assert_true(most(na_get(s, "rtt_max_us")) > 0);
		driven_end(&d);
	}
	for (size_t i = 0; i < 5; i++) {
		assert_true(sum[1][i] > 0 && sum[2][i] > 0);
		assert_true(sum[1][i] + sum[2][i] == sum[0][i]);
	}
	assert_true(silent[1] > 90 && silent[2] > 90);
	assert_true(fabs(silent[1] + silent[2] - silent[0]) < 1e-3);
	free(f.x);
}

/* What was skipped and came again was lost upstream; what was acknowledged
 * without, the capture missed. */
static void holes(void **state)
{
	struct fake_tcp f = {.rounds = 2, .per_round = 4};
	const struct na_value *s;
	struct driven d;
	int64_t t;

	(void)state;
	fake_make(&f);
	t = f.c.from_ps;
	f.n = 0;
	fake_put(&f, t, true, 1, 0);
	fake_put(&f, t + 1, true, 2001, NA_SEG_LOST_BEFORE);
	fake_put(&f, t + 2, true, 1001, NA_SEG_RETRANSMIT);
	fake_put(&f, t + 3, true, 4001, NA_SEG_LOST_BEFORE);
	fake_put(&f, t + 4, false, 5001, 0);
	fake_put(&f, t + 5, true, 7001, NA_SEG_LOST_BEFORE); /* open */
	fake_drive(&f, (struct tcp_params){.connection = 1}, &d);
	s = na_get(na_result_body(d.r), "sequence");
	assert_true(number(s, "mark_counts.lost_before") == 2);
	assert_true(number(s, "mark_counts.unrecorded") == 1);
	driven_end(&d);
	free(f.x);
}

/* Segments that no reader should bring. */
static void hostile_segments(void **state)
{
	struct fake_tcp f = {.rounds = 2, .per_round = 2};
	struct driven d;

	(void)state;
	fake_make(&f);
	f.x[0].seq = UINT64_MAX;
	f.x[0].marks = 0xffff;
	f.x[1].ack = UINT64_MAX;
	f.x[1].marks = 0xffff;
	f.x[2].time_ps = INT64_MIN;
	f.x[2].marks = NA_SEG_TIMEOUT;
	f.x[3] = (struct na_segment){.dir = 1,
				     .time_ps = INT64_MAX,
				     .ack = INT64_MAX - UINT32_MAX,
				     .window_bytes = UINT32_MAX,
				     .n_sack = 255,
				     .sack_from = 7,
				     .sack_to = UINT64_MAX};
	f.x[4].time_ps = INT64_MAX;
	f.x[5].dir = 255;
	f.c.from_ps = INT64_MIN;
	f.c.to_ps = INT64_MAX;
	fake_drive(&f, (struct tcp_params){.connection = 1}, &d);
	assert_int_equal(d.status, NA_OK);
	driven_end(&d);
	f.c.from_ps = f.c.to_ps = 5;
	fake_drive(&f, (struct tcp_params){.connection = 1}, &d);
	assert_int_equal(d.status, NA_OK);
	driven_end(&d);
	fake_drive(&f, (struct tcp_params){.connection = 2}, &d);
	assert_int_equal(d.status, NA_EUSAGE);
	driven_end(&d);
	free(f.x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequence),
		cmocka_unit_test(pieces),
		cmocka_unit_test(holes),
		cmocka_unit_test(hostile_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
