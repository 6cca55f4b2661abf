/*
 * Slack: bytes, rates, groups, windows, the reference's numbers; and all of
 * them against another implementation (tests/oracle/slack.tsv).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_slack.h"

extern const struct na_analysis na_an_slack;

static void transmitted(void **state)
{
	static const struct {
		const char *type;
		uint32_t group;
		uint64_t r;
		double want; /* -1: unknown */
		bool estimate;
	} of[] = {
		{"ONE_TO_ONE", 1, 1000, 1000, false},
		{"ONE_TO_ONE", 0, 1000, 1000, false},
		{"ALL_GATHER", 4, 1000, 750, false},
		{"REDUCE_SCATTER", 4, 1000, 3000, false},
		{"ALL_REDUCE", 4, 1000, 1500, false},
		{"ALL_REDUCE", 3, 1000, 1333, false},
		{"ALL_TO_ALL", 2, 1001, 500, false},
		{"RAGGED_ALL_TO_ALL", 4, 1000, 750, true},
		{"ALL_REDUCE", 0, 1000, -1, false},
		{"ALL_REDUCE", 4, NA_UNKNOWN_U64 - 4, -1, false},
		{"ALL_REDUCE", 2, UINT64_C(1) << 62, 4611686018427387904.0,
		 false},
		{"SOMETHING", 4, 1000, -1, false},
		{NULL, 4, 1000, -1, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(of); i++) {
		struct run x;
		const struct na_value *v;

		begin(&x);
		x.type = of[i].type;
		x.group = of[i].group;
		x.bytes = of[i].r;
		plain(&x, "a_0", 0);
		if (of[i].want < 0 && of[i].r > UINT64_C(1) << 62) {
			for (size_t k = 0; k < x.n; k++)
				x.rows[k].op.size_bytes = NA_UNKNOWN_U64;
		}
		fill(&x, 1, NULL);
		analyse(&x, 4);
		v = row(&x, 0);
		if (of[i].want < 0) {
			NOTHING(v, "bytes");
			NOTHING(v, "required_gbps");
		} else {
			SAME(v, "bytes", of[i].want);
			assert_true(na_get(v, "bytes_estimated")->u.flag ==
				    of[i].estimate);
		}
		end(&x);
	}
}

/* Limits 1, 9 and 16: all cores of all hosts, slice 0 as well, by what the
 * trace says of the device; grouped. */
static void devices(void **state)
{
	struct run x;
	struct na_grouping *by = &x.scope.by;

	(void)state;
	begin(&x);
	for (int source = 0; source < 2; source++) {
		for (int core = 0; core < 2; core++) {
			struct hand_row *g;

			x.source = source;
			x.core = core;
			g = push(&x, HAND_GRAPH, 100, 310 + 10 * core);
			g->src = source * 100 + core;
			g->name = "a_0";
			g->local = 2 - core; /* the other way round */
			push(&x, HAND_STEP, 0, 1000)->number = 3;
			plain(&x, "a_0", source * 2);
			x.rows[x.n - 1].end_ps += (source * 2 + core) * US;
		}
	}
	fill(&x, 2, NULL);
	analyse(&x, 3);
	SAME(row(&x, 0), "devices", 4);
	SAME(row(&x, 0), "occurrences", 4);
	SAME(row(&x, 0), "devices_per_host", 2);
	SAME(row(&x, 0), "stall_us.mean", 71.5);
	SAME(row(&x, 0), "stall_share", 286.0 / 4000);
	*by = (struct na_grouping){{NA_KEY_DEVICE}, 1};
	analyse(&x, 3);
	assert_int_equal(rows(&x), 4);
	/* Most stall first: core 1 of host b is device 0 there. */
	assert_string_equal(na_text_of(na_dig(row(&x, 0), "key.device"), ""),
			    "s1d0");
	SAME(row(&x, 0), "stall_us.mean", 73);
	SAME(row(&x, 0), "host_stall_us", 310 - 302);
	SAME(row(&x, 3), "host_stall_us", 320 - 300);
	SAME(row(&x, 3), "stall_share", 0.07);
	SAME(row(&x, 3), "devices_per_host", 2);
	*by = (struct na_grouping){{NA_KEY_HOST, NA_KEY_STEP}, 2};
	analyse(&x, 3);
	assert_int_equal(rows(&x), 2);
	assert_string_equal(na_text_of(na_dig(row(&x, 0), "key.host"), ""),
			    "b");
	assert_string_equal(na_text_of(na_dig(row(&x, 0), "key.step"), ""),
			    "3");
	*by = (struct na_grouping){{NA_KEY_SRC}, 1};
	driven_end(&x.d);
	hand_drive(&x.d, &na_an_slack, &x.scope, &x.params, 3, &x.h.err);
	assert_int_equal(x.d.status, NA_EUSAGE);
	end(&x);
}

static void window(void **state)
{
	static const char *glob = "b*";
	struct na_text_list names = {&glob, 1, 1};
	struct run x;

	(void)state;
	begin(&x);
	for (int i = 0; i < 4; i++) {
		push(&x, HAND_STEP, 1000 * i, 1000 * i + 1000)->number = i;
		plain(&x, "a_0", 1000 * i);
		op(&x, "send.2", "b_0", 1000 * i + 400, 1000 * i + 410);
		/* Ends with the step. */
		op(&x, "recv-done.2", "b_0", 1000 * i + 900, 1000 * i + 1000);
	}
	fill(&x, 1, NULL);
	x.h.filter.from_ps = 1350 * US;
	x.h.filter.to_ps = 3350 * US;
	analyse(&x, 4);
	assert_int_equal(x.d.used, 4);
	assert_int_equal(na_result_about(x.d.r)->filtered, 4);
	/* Those alone that meet it. */
	assert_true(body(&x, "left_out.outside_window") == 1);
	assert_true(body(&x, "total.step_time_us") == 2000);
	x.h.filter.to_ps = 3450 * US;
	analyse(&x, 4);
	assert_int_equal(na_result_about(x.d.r)->filtered, 3);
	assert_true(body(&x, "left_out.outside_window") == 1);
	x.h.filter.from_ps = NA_TIME_MIN;
	x.h.filter.to_ps = NA_TIME_MAX;
	x.h.filter.first_step = 1;
	x.h.filter.last_step = 2;
	analyse(&x, 4);
	assert_int_equal(x.d.used, 4);
	assert_true(body(&x, "total.step_time_us") == 2000);
	x.h.filter.first_step = x.h.filter.last_step = -1;
	x.h.filter.collective = &names;
	analyse(&x, 4);
	assert_int_equal(rows(&x), 1);
	assert_int_equal(x.d.used, 4);
	SAME(row(&x, 0), "slack_us.mean", 490);
	x.h.filter.collective = NULL;
	end(&x);
}

/* Executions of hosts that are left out are counted, and nothing else of
 * these hosts is. */
static void other_hosts(void **state)
{
	static const char *glob = "b";
	struct na_text_list names = {&glob, 1, 1};
	struct run x;

	(void)state;
	begin(&x);
	for (x.source = 0; x.source < 3; x.source++) {
		for (int i = 0; i < 4; i++)
			plain(&x, "a_0", 1000 * i);
		op(&x, "recv-done.9", "lost_0", 5000, 5010);
		op(&x, "send.9", "cut_0", 5020, 5030);
	}
	fill(&x, 3, NULL);
	x.h.filter.host = &names;
	analyse(&x, 4);
	assert_int_equal(x.d.used, 4);
	assert_true(body(&x, "left_out.other_hosts") == 8);
	assert_true(body(&x, "left_out.recv_done_before_send") == 1);
	assert_true(body(&x, "left_out.unfinished") == 1);
	assert_true(body(&x, "total.devices") == 1);
	assert_int_equal(na_result_about(x.d.r)->filtered, 8);
	assert_int_equal(na_result_about(x.d.r)->left_out, 10);
	x.h.filter.from_ps = 1350 * US;
	x.h.filter.to_ps = 3350 * US;
	analyse(&x, 4);
	assert_int_equal(x.d.used, 2);
	assert_int_equal(na_result_about(x.d.r)->filtered, 10);
	x.h.filter.host = NULL;
	end(&x);
}

/* XProf's integers: device 0, inside program runs, ns and us cut off. */
static void reference(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	x.zero_ns[0] = 5000000000700;
	push(&x, HAND_MODULE, 50, 900)->name = "m";
	plain(&x, "a_0", 0);
	x.rows[x.n - 1].end_ps += 999999;   /* 50.999999 us */
	x.rows[x.n - 1].start_ps += 400999; /* 300.400999 us */
	x.rows[x.n - 4].start_ps += 250999; /* 100.250999 us */
	push(&x, HAND_MODULE, 1000, 1900)->name = "m";
	plain(&x, "a_0", 1000);
	plain(&x, "a_0", 5000); /* in no run */
	x.core = 1;
	push(&x, HAND_MODULE, 50, 900)->name = "m";
	plain(&x, "a_0", 0);
	fill(&x, 1, NULL);
	x.params.reference = true;
	analyse(&x, 4);
	v = row(&x, 0);
	SAME(v, "occurrences", 2);
	SAME(v, "devices", 1);
	/* First: recv-done at 300 400 ns, send at 100 250, ops 9 749, 5 000
	 * and 5 000: 180 401 ns; second: 180 us. */
	SAME(v, "slack_us.mean", 180);
	NOTHING(v, "slack_us.p50");
	/* Stall 9 749 + 5 000 + 5 000 + 50 599: 70 348 ns. */
	SAME(v, "stall_us.mean", 70);
	/* The microseconds begin at 300 ns: 350.999 is of 351 (.699), 100.250
	 * of 100 (.950); the second has 250. */
	SAME(v, "observed_us.mean", 250);
	SAME(v, "send_us", 9);
	SAME(v, "recv_done_us", 50);
	SAME(v, "total_stall_us", 140);
	assert_true(body(&x, "left_out.ops_outside_modules") == 4);
	end(&x);
}

/* Limit 20: what the first of unequal groups makes of it is an estimate. */
static void unequal_groups(void **state)
{
	struct run x;

	(void)state;
	begin(&x);
	plain(&x, "a_0", 0);
	for (size_t i = 0; i < x.n; i++)
		x.rows[i].op.uneven = true;
	fill(&x, 1, NULL);
	analyse(&x, 4);
	SAME(row(&x, 0), "bytes", 12000000);
	assert_true(na_get(row(&x, 0), "bytes_estimated")->u.flag);
	end(&x);
}

/* Limit 21: without slack no rate is enough, which is no large number. */
static void by_required(void **state)
{
	static const char *const order[] = {"none_0", "tight_0", "wide_0",
					    "unsized_0"};
	struct run x;

	(void)state;
	begin(&x);
	op(&x, "send.1", "wide_0", 0, 1);
	op(&x, "recv-done.1", "wide_0", 500, 700);
	op(&x, "send.2", "tight_0", 1000, 1001);
	op(&x, "recv-done.2", "tight_0", 1050, 1060);
	op(&x, "send.3", "none_0", 2000, 2001);
	op(&x, "recv-done.3", "none_0", 2001, 2002);
	x.type = NULL;
	op(&x, "send.4", "unsized_0", 3000, 3001);
	op(&x, "recv-done.4", "unsized_0", 3002, 3900);
	fill(&x, 1, NULL);
	analyse(&x, 4);
	assert_string_equal(na_text_of(na_get(row(&x, 0), "collective"), ""),
			    "unsized_0");
	x.params.sort = SL_BY_REQUIRED;
	analyse(&x, 4);
	for (size_t i = 0; i < COUNT(order); i++)
		assert_string_equal(na_text_of(na_get(row(&x, i), "collective"),
					       ""),
				    order[i]);
	NOTHING(row(&x, 0), "required_gbps");
	x.scope.top = 3;
	analyse(&x, 4);
	assert_int_equal(rows(&x), 3);
	assert_true(body(&x, "not_listed") == 1);
	assert_true(body(&x, "total.occurrences") == 4);
	end(&x);
}

/* Less than one of its transfers takes on the network is small. */
static void below_latency(void **state)
{
	struct run x;

	(void)state;
	begin(&x);
	for (int i = 0; i < 3; i++) {
		struct hand_row *t = push(&x, HAND_RX, 100, 300 + i);

		t->name = "a_0";
		t->size = 1000;
		t->dst = 100;
		t->src = 0;
	}
	plain(&x, "a_0", 0); /* slack 180 of 250 */
	plain(&x, "b_0", 1000);
	fill(&x, 1, NULL);
	analyse(&x, 4);
	SAME(row(&x, 0), "network_p50_us", 201);
	assert_true(na_get(row(&x, 0), "slack_small")->u.flag);
	NOTHING(row(&x, 1), "network_p50_us");
	assert_false(na_get(row(&x, 1), "slack_small")->u.flag);
	end(&x);
}

static void bound(void **state)
{
	struct run x;

	(void)state;
	begin(&x);
	push(&x, HAND_STEP, 0, 1000)->number = 1;
	plain(&x, "a_0", 0); /* needs 533 Gbit/s */
	fill(&x, 1, NULL);
	x.params.capacity = "1000Gbps";
	analyse(&x, 4);
	assert_false(na_get(row(&x, 0), "bandwidth_bound")->u.flag);
	x.params.capacity = "500Gbps";
	analyse(&x, 4);
	assert_true(na_get(row(&x, 0), "bandwidth_bound")->u.flag);
	assert_string_equal(na_text_of(na_get(na_result_body(x.d.r), "verdict"),
				       ""),
			    "bandwidth_bound");
	assert_int_equal(x.d.severity, NA_SEV_WARNING);
	end(&x);
}

/* ---- another implementation */

static FILE *open_oracle(void)
{
	const char *root = getenv("NETAN_ROOT");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/oracle/slack.tsv",
		 root ? root : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

/* Names live as long as the test. */
static const char *keep(const char *text)
{
	static char kept[64][32];
	size_t i = 0;

	while (*kept[i] && strcmp(kept[i], text) != 0)
		i++;
	assert_true(i < COUNT(kept) && strlen(text) < sizeof(kept[i]));
	strcpy(kept[i], text);
	return kept[i];
}

static const struct na_value *row_named(const struct run *x, const char *name)
{
	for (size_t i = 0; i < rows(x); i++) {
		const struct na_value *v = row(x, i);

		if (strcmp(na_text_of(na_get(v, "collective"), ""), name) == 0)
			return v;
	}
	fail_msg("no row %s", name);
	return NULL;
}

/* A sum or an extreme in ps, as the result tells it. */
static void check_want(const struct na_value *v, const char *field, double want)
{
	const char *under = strrchr(field, '_');
	double n = real(v, "occurrences");
	char path[64];

	if (strcmp(field, "n") == 0) {
		SAME(v, "occurrences", want);
		return;
	}
	if (under &&
	    (strcmp(under, "_min") == 0 || strcmp(under, "_max") == 0 ||
	     strcmp(under, "_p50") == 0)) {
		snprintf(path, sizeof(path), "%.*s_us.%s", (int)(under - field),
			 field, under + 1);
		SAME(v, path, want / 1e6);
		return;
	}
	snprintf(path, sizeof(path), "%s_us%s", field,
		 strncmp(field, "send", 4) == 0 ||
				 strncmp(field, "recv", 4) == 0
			 ? ""
			 : ".mean");
	SAME(v, path, want / (n * 1e6));
	if (strcmp(field, "stall") == 0)
		SAME(v, "total_stall_us", want / 1e6);
}

static void oracle_line(struct run *x, bool *filled, const char *line)
{
	char a[32], b[32];
	long long from, to;
	double want;
	int core;

	if (sscanf(line, "m\t%d\t%lld\t%lld", &core, &from, &to) == 3) {
		x->core = core;
		push(x, HAND_MODULE, 0, 0)->name = "m";
	} else if (sscanf(line, "op\t%d\t%31s\t%31s\t%lld\t%lld", &core, a, b,
			  &from, &to) == 5) {
		x->core = core;
		op(x, keep(a), keep(b), 0, 0);
	} else if (sscanf(line, "want\t%31s\t%31s\t%lf", a, b, &want) == 3) {
		if (!*filled) {
			fill(x, 1, NULL);
			analyse(x, 17);
		}
		*filled = true;
		check_want(row_named(x, a), b, want);
		return;
	} else {
		return;
	}
	x->rows[x->n - 1].start_ps = from;
	x->rows[x->n - 1].end_ps = to;
}

static void oracle(void **state)
{
	FILE *f = open_oracle();
	char line[256];
	bool filled = false;
	struct run x;
	int cases = 0;

	(void)state;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "case", 4) == 0) {
			if (cases++)
				end(&x);
			begin(&x);
			filled = false;
		}
		oracle_line(&x, &filled, line);
	}
	assert_int_equal(cases, 5);
	end(&x);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transmitted), cmocka_unit_test(devices),
		cmocka_unit_test(window),      cmocka_unit_test(other_hosts),
		cmocka_unit_test(reference),   cmocka_unit_test(unequal_groups),
		cmocka_unit_test(by_required), cmocka_unit_test(below_latency),
		cmocka_unit_test(bound),       cmocka_unit_test(oracle),
	};

	return cmocka_run_group_tests_name("slack_values", tests, NULL, NULL);
}
