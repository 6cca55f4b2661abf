/*
 * pairs on captures: both ends of a call are timed by one clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/analyses/pairs/state.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_pairs;

#define US INT64_C(1000000)
enum { HOSTS = 8, EACH = 40, ROWS = HOSTS * HOSTS * EACH };

static const char *const ips[HOSTS] = {
	"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4",
	"10.0.0.5", "10.0.0.6", "10.0.0.7", "10.0.0.8",
};

/* All to all; what host 3 receives takes `in` longer, what it sends `out`. */
static size_t fleet(struct hand_row *rows, bool calls, int64_t in, int64_t out)
{
	struct na_rng rng;
	size_t n = 0;

	na_rng_seed(&rng, 9);
	for (int i = 0; i < ROWS; i++) {
		int src = i / HOSTS % HOSTS, dst = i % HOSTS;
		int64_t at = i * 50 * US;
		int64_t took = na_rng_lognormal(&rng, 1000 * US, 6000);

		took += (dst == 3 ? in : 0) + (src == 3 ? out : 0);
		if (src == dst)
			continue;
		rows[n++] = (struct hand_row){
			.what = calls ? HAND_CALL : HAND_RX,
			.source = calls ? 0 : dst,
			.start_ps = at,
			.first_ps = at + took / 2,
			.end_ps = at + took,
			.size = 1000,
			.name = "/a/B",
			.src = 100 * src,
			.dst = 100 * dst,
			.src_ip = calls ? ips[src] : NULL,
			.dst_ip = calls ? ips[dst] : NULL,
		};
	}
	return n;
}

static struct hand_run *analyse(bool calls, int64_t in, int64_t out)
{
	static struct hand_row rows[ROWS];
	const struct pairs_params params = {.level = PAIRS_DEVICE};
	struct hand_run *x = hand_run_begin(calls ? 1 : HOSTS, NA_RX);

	hand_run_drive(x, rows, fleet(rows, calls, in, out), &na_an_pairs,
		       &params, 500);
	return x;
}

static size_t found(const struct hand_run *x, const char *list)
{
	return na_get(na_result_body(x->d.r), list)->n;
}

/* Of two clocks 400 us are within what a round trip of 2 ms leaves open. */
static void no_clock_is_off_in_captures(void **state)
{
	struct hand_run *traced = analyse(false, 400 * US, -400 * US);
	struct hand_run *captured = analyse(true, 400 * US, -400 * US);

	(void)state;
	assert_int_equal(found(traced, "clock_offsets"), 0);
	assert_int_equal(found(captured, "clock_offsets"), 0);
	hand_run_end(traced);
	hand_run_end(captured);
}

static void a_slow_server_is_named(void **state)
{
	struct hand_run *x = analyse(true, 3000 * US, 0);
	const struct na_value *c;

	(void)state;
	assert_int_equal(found(x, "culprits"), 1);
	assert_int_equal(found(x, "pairs"), HOSTS * (HOSTS - 1));
	c = na_get(na_result_body(x->d.r), "culprits")->u.of.first;
	assert_string_equal(na_text_of(na_get(c, "kind"), ""), "dst");
	assert_string_equal(na_text_of(na_get(c, "host"), ""), ips[3]);
	hand_run_end(x);
}

static void nobody_among_addresses(void **state)
{
	struct hand_run *x = analyse(true, 0, 0);

	(void)state;
	assert_int_equal(found(x, "culprits"), 0);
	assert_non_null(
		strstr(na_text_of(na_get(na_result_body(x->d.r), "verdict"),
				  ""),
		       "56 pairs of 8 addresses"));
	hand_run_end(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_clock_is_off_in_captures),
		cmocka_unit_test(a_slow_server_is_named),
		cmocka_unit_test(nobody_among_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
