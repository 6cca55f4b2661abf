/*
 * What answers are worth in the third world of the accuracy bench.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/answer.h"
#include "tests/accuracy/sync/json.h"
#include "tests/accuracy/sync/score.h"

/* Hosts 0 and 1 in one rack, 2 and 3 in the next; the third has none. */
static const struct sy_plan plan = {.n_hosts = 4,
				    .n_racks = 3,
				    .rack_of = {0, 0, 1, 1}};

static void answer_of(const char *text, struct sy_answer *out)
{
	struct sy_json *said = sy_json_read(text);

	assert_non_null(said);
	assert_true(sy_understand(&plan, said, out));
	sy_json_free(said);
}

#define HOST(kind, host) \
	"{\"result\": {\"culprits\": [{\"kind\": \"" kind \
	"\", \"host\": \"" host "\", \"alternatives\": []}]}}"
#define RACK(kind, hosts) \
	"{\"result\": {\"culprits\": [{\"kind\": \"" kind \
	"\", \"hosts\": [" hosts "]}]}}"

static void grades(void **state)
{
	static const struct sy_fault tx = {.place = SY_SRC,
					   .host = 2,
					   .rack = SY_ANY},
				     up = {.place = SY_UPLINK,
					   .host = SY_ANY,
					   .rack = 1,
					   .toward = SY_ANY,
					   .spine = SY_ANY},
				     path = {.place = SY_PATH,
					     .host = SY_ANY,
					     .rack = 0,
					     .toward = 1};
	static const struct {
		const struct sy_fault *fault;
		const char *said;
		enum sy_grade want;
	} rows[] = {
		{&tx, HOST("src", "host-02"), SY_RIGHT},
		{&tx, HOST("dst", "host-02"), SY_NEAR},
		{&tx, HOST("host", "host-02"), SY_NEAR},
		{&tx, HOST("src", "host-01"), SY_WRONG},
		{&tx,
		 "{\"result\": {\"culprits\": [{\"kind\": \"pair\", \"src_host\": "
		 "\"host-00\", \"dst_host\": \"host-01\", \"alternatives\": "
		 "[{\"kind\": \"src\", \"host\": \"host-02\"}]}]}}",
		 SY_RIGHT},
		{&tx, RACK("rack_uplink", "\"host-02\", \"host-03\""),
		 SY_WRONG},
		{&up, RACK("rack_uplink", "\"host-02\", \"host-03\""),
		 SY_RIGHT},
		{&up, RACK("rack_uplink", "\"host-00\", \"host-01\""),
		 SY_WRONG},
		{&up, RACK("rack_downlink", "\"host-02\""), SY_NEAR},
		{&up, HOST("src", "host-02"), SY_WRONG},
		{&path, RACK("rack_pair", "\"host-00\", \"host-02\""),
		 SY_RIGHT},
		{&path, RACK("rack_uplink", "\"host-00\""), SY_RIGHT},
		{&path, RACK("rack_uplink", "\"host-02\""), SY_WRONG}};
	struct sy_answer a;

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		answer_of(rows[i].said, &a);
		assert_int_equal(a.n_network, 1);
		assert_int_equal(sy_grade(&plan, rows[i].fault, &a.network[0]),
				 rows[i].want);
	}
}

static void verdicts(void **state)
{
	struct sy_answer a;

	(void)state;
	answer_of("{\"result\": {\"outcome\": \"not_guilty\", \"accused\": "
		  "[{\"cause\": \"compute\", \"host\": \"host-03\"}]}}",
		  &a);
	assert_int_equal(a.outcome, SY_NOT_GUILTY);
	assert_int_equal(a.compute, 8);
	assert_int_equal(a.n_network, 0);
	answer_of(
		"{\"result\": {\"verdict\": \"guilty: x\", \"outcome\": "
		"\"guilty\", \"accused\": [{\"cause\": \"network\", \"kind\": "
		"\"dst\", \"host\": \"host-01\", \"cost_ms_per_step\": 2.5, "
		"\"posterior\": 0.93}, "
		"{\"cause\": \"input\", \"host\": \"host-00\"}], "
		"\"power\": [{\"host\": \"host-02\", \"side\": \"dst\", "
		"\"upper_factor\": 1.5}, {\"host\": \"host-03\", \"side\": "
		"\"src\", \"upper_factor\": null}]}}",
		&a);
	assert_int_equal(a.outcome, SY_GUILTY);
	assert_int_equal(a.n_network, 1);
	assert_int_equal(a.network[0].who.place, SY_DST);
	assert_int_equal(a.input, 1);
	assert_true(a.network[0].cost_ms == 2.5);
	assert_true(a.network[0].posterior == 0.93);
	assert_true(a.upper[2][1] == 1.5 && a.upper[2][0] == 0);
	assert_true(a.upper[3][0] == 0);
	answer_of("{\"result\": {\"outcome\": \"one_of\"}}", &a);
	assert_int_equal(a.outcome, SY_ONE_OF);
	answer_of("{\"result\": {\"outcome\": \"cannot_tell\"}}", &a);
	assert_int_equal(a.outcome, SY_CANNOT_TELL);
}

/* Of each session a score; of two names one right, one wrong. */
static void scores(void **state)
{
	struct sy_plan p = plan;
	struct sy_truth t = {.effects = {{.median = 2, .visible = true}}};
	struct sy_answer a = {.outcome = SY_NOT_GUILTY, .n_network = 2};
	struct sy_score s;

	(void)state;
	p.kind = SY_TX;
	p.late_host = SY_ANY;
	p.n_faults = 1;
	p.faults[0] = (struct sy_fault){.kind = SY_TX,
					.place = SY_SRC,
					.host = 2,
					.rack = SY_ANY};
	a.network[0].who = (struct sy_suspect){.place = SY_SRC, .host = 2};
	a.network[1].who = (struct sy_suspect){.place = SY_SRC, .host = 3};
	a.network[0].cost_ms = 7;
	a.upper[2][0] = 1.5;
	a.upper[3][1] = 1.1;
	sy_score_begin(&s, &p, &t);
	sy_score_answer(&s, &p, SY_CHECK, &a);
	assert_true(s.visible);
	assert_int_equal(s.faults[0].by[SY_CHECK], SY_RIGHT);
	assert_int_equal(s.faults[0].by[SY_PAIRS], SY_WRONG);
	assert_int_equal(s.said[SY_CHECK].right, 1);
	assert_int_equal(s.said[SY_CHECK].wrong, 1);
	assert_string_equal(s.said[SY_CHECK].words, " src 2 src 3");
	assert_int_equal(s.said[SY_CHECK].outcome, SY_NOT_GUILTY);
	assert_true(s.faults[0].said_ms == 7);
	sy_score_answer(&s, &p, SY_PAIRS, &a);
	assert_true(s.faults[0].upper == 1.5);
	assert_true(s.sound == 1 && s.sound_covered == 1);
	assert_true(s.said[SY_PAIRS].names[0].strict);
	assert_false(s.said[SY_PAIRS].names[1].strict);
}

static void late_hosts(void **state)
{
	struct sy_plan p = plan;
	struct sy_truth t = {0};
	struct sy_answer a = {.input = 1 << 1, .compute = 1 << 3};
	struct sy_score s;

	(void)state;
	p.kind = SY_INPUT;
	p.late_host = 1;
	sy_score_begin(&s, &p, &t);
	sy_score_answer(&s, &p, SY_CHECK, &a);
	assert_true(s.said[SY_CHECK].late_named);
	assert_int_equal(s.said[SY_CHECK].late_wrong, 1);
	p.kind = SY_COMPUTE; /* the right host for the wrong reason */
	sy_score_begin(&s, &p, &t);
	sy_score_answer(&s, &p, SY_CHECK, &a);
	assert_false(s.said[SY_CHECK].late_named);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grades),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(scores),
		cmocka_unit_test(late_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
