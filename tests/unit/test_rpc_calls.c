/*
 * The calls of captures in rpc, and what the other analyses make of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/bursts/state.h"
#include "netan/analyses/rpc/state.h"
#include "netan/analyses/sizes/state.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_rpc, na_an_latency, na_an_bursts,
	na_an_sizes;

#define MS INT64_C(1000000000)
enum { CALLS = 60 };

struct run {
	struct hand h;
	struct hand_row rows[CALLS + 2];
	struct na_scope scope;
	struct driven d;
};

/* Calls of two methods, a third of /slow fails, the last has no answer; one
 * estimated exchange. */
static struct run *make(void)
{
	struct run *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	for (int i = 0; i < CALLS; i++) {
		bool slow = i % 4 == 0;
		int64_t at = (i * 17 % CALLS) * 10 * MS;

		x->rows[i] = (struct hand_row){
			.what = HAND_CALL,
			.start_ps = at,
			.first_ps = at + MS,
			.end_ps = at + (slow ? 9 : 2) * MS + i * 1000,
			.size = (uint64_t)(100 + i),
			.response = 1000,
			.name = slow ? "/a.B/slow" : "/a.B/fast",
			.number = 200,
			.grpc = 1 + (slow && i % 3 == 0 ? 4 : 0),
			.src_ip = "10.0.0.1",
			.dst_ip = i % 2 ? "10.0.0.2" : "10.0.0.3",
		};
	}
	x->rows[CALLS] = x->rows[0];
	x->rows[CALLS].first_ps = x->rows[CALLS].end_ps = NA_UNKNOWN_PS;
	x->rows[CALLS].start_ps = 3;
	x->rows[CALLS].number = 0;
	x->rows[CALLS].grpc = 0;
	x->rows[CALLS + 1] = (struct hand_row){
		.what = HAND_RX,
		.start_ps = 5 * MS,
		.end_ps = 6 * MS,
		.size = 77,
		.name = "tcp:443",
		.src_ip = "10.0.0.1",
		.dst_ip = "10.0.0.9",
		.style = NA_STYLE_ESTIMATE,
		.component = NA_COMP_RPC,
	};
	hand_init(&x->h, 1, NULL);
	x->h.filter.side = NA_RX;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	return x;
}

static void analyse(struct run *x, const struct na_analysis *a)
{
	const struct rpc_params rpc = {.bin_ps = 100 * MS};
	const struct sizes_params sizes = {.small_bytes = 65536};
	const struct bursts_params bursts = {.gap_ps = 0};
	const void *params = a == &na_an_rpc     ? (const void *)&rpc
			     : a == &na_an_sizes ? (const void *)&sizes
						 : &bursts;

	x->scope.components = x->h.filter.components;
	hand_fill(&x->h, x->rows, CALLS + 2, 9);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	hand_drive(&x->d, a, &x->scope, params, 13, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
	free(x);
}

static const struct na_value *list(const struct run *x, const char *name)
{
	const struct na_value *v = na_get(na_result_body(x->d.r), name);

	assert_non_null(v);
	return v;
}

static const char *message(const struct run *x)
{
	return na_result_get_word(x->d.r, NA_WORD_MESSAGE, "");
}

/* The row that a call came from. */
static const struct hand_row *row_at(const struct run *x, double time_s)
{
	for (int i = 0; i <= CALLS; i++) {
		if (fabs((double)x->rows[i].start_ps / 1e12 - time_s) < 1e-13)
			return &x->rows[i];
	}
	fail_msg("no call at %g s", time_s);
	return NULL;
}

static void every_call_is_told(void **state)
{
	struct run *x = make();
	double before = -1;

	(void)state;
	analyse(x, &na_an_rpc);
	assert_int_equal(list(x, "calls")->n, CALLS + 1);
	for (const struct na_value *v = list(x, "calls")->u.of.first; v;
	     v = v->next) {
		double at = na_real_of(na_get(v, "time_s"), -1);
		const struct hand_row *r = row_at(x, at);
		bool open = r->end_ps == NA_UNKNOWN_PS;
		double us = na_real_of(na_get(v, "end_us"), NAN);

		assert_true(at > before);
		before = at;
		assert_string_equal(na_text_of(na_get(v, "method"), ""),
				    r->name);
		assert_string_equal(na_text_of(na_get(v, "dst"), ""),
				    r->dst_ip);
		assert_int_equal(na_int_of(na_get(v, "bytes_req"), -1),
				 r->size);
		assert_int_equal(na_int_of(na_get(v, "status"), -7),
				 open ? -7 : r->grpc - 1);
		if (open)
			assert_true(isnan(us));
		else
			assert_true(
				fabs(us - (double)(r->end_ps - r->start_ps) /
						  1e6) < 1e-6);
	}
	/* The estimate is a transfer, and no call. */
	assert_int_equal(driven_real(&x->d, "overall.transfers"), CALLS + 1);
	end(x);
}

static void top_keeps_the_slowest(void **state)
{
	struct run *x = make();
	double before = -1;
	int n = 0;

	(void)state;
	x->scope.top = 5;
	analyse(x, &na_an_rpc);
	for (const struct na_value *v = list(x, "calls")->u.of.first; v;
	     v = v->next, n++) {
		double at = na_real_of(na_get(v, "time_s"), -1);

		assert_true(at > before);
		before = at;
		assert_string_equal(row_at(x, at)->name, "/a.B/slow");
		/* Rows 44, 48, 52 and 56 took longest, by a nanosecond each. */
		assert_true(row_at(x, at) - x->rows >= 44);
	}
	assert_int_equal(n, 5);
	assert_int_equal(driven_real(&x->d, "calls_not_shown"), CALLS - 4);
	end(x);
}

static void methods_and_failures(void **state)
{
	struct run *x = make();
	const struct na_value *m;

	(void)state;
	analyse(x, &na_an_rpc);
	m = list(x, "methods")->u.of.first;
	assert_string_equal(na_text_of(na_get(m, "method"), ""), "/a.B/slow");
	assert_int_equal(na_int_of(na_get(m, "calls"), 0), CALLS / 4 + 1);
	/* 0, 12, 24, 36 and 48 */
	assert_int_equal(na_int_of(na_get(m, "failed"), 0), 5);
	assert_int_equal(na_int_of(na_get(m, "unanswered"), 0), 1);
	/* The median of 15: row 28. */
	assert_true(fabs(na_real_of(na_get(m, "p50_us"), 0) - 9000.028) < 1e-9);
	assert_true(fabs(na_real_of(na_get(m, "max_us"), 0) - 9000.056) < 1e-9);
	assert_non_null(strstr(message(x), "/a.B/slow"));
	assert_non_null(strstr(message(x), "5 of 61 calls failed (5 "
					   "DEADLINE_EXCEEDED)"));
	assert_non_null(strstr(message(x), "1 without an answer"));
	end(x);
}

/* Plain HTTP/2: its own status, and 400 and above is a failure. */
static void http_status_without_grpc(void **state)
{
	struct run *x = make();
	int64_t found = 0;

	(void)state;
	x->rows[1].grpc = 0;
	x->rows[1].number = 503;
	x->rows[2].grpc = 0;
	analyse(x, &na_an_rpc);
	for (const struct na_value *v = list(x, "calls")->u.of.first; v;
	     v = v->next) {
		const struct hand_row *r =
			row_at(x, na_real_of(na_get(v, "time_s"), -1));

		if (r == &x->rows[1] || r == &x->rows[2])
			found += na_int_of(na_get(v, "status"), 0);
	}
	assert_int_equal(found, 503 + 200);
	assert_non_null(strstr(message(x), "6 of 61 calls failed (5 "
					   "DEADLINE_EXCEEDED, 1 HTTP 503)"));
	end(x);
}

/* Calls that were reset have failed, and are not open: whoever did it. */
static void resets(void **state)
{
	struct run *x = make();
	const struct na_value *m;

	(void)state;
	for (int i = 1; i < 4; i++) {
		x->rows[i].grpc = 0;
		x->rows[i].number = 0;
		x->rows[i].first_ps = x->rows[i].end_ps = NA_UNKNOWN_PS;
		x->rows[i].reset = i == 1 ? NA_RESET_BY_SERVER
					  : NA_RESET_BY_CLIENT;
	}
	analyse(x, &na_an_rpc);
	m = list(x, "methods")->u.of.first;
	while (m && strcmp(na_text_of(na_get(m, "method"), ""), "/a.B/fast"))
		m = m->next;
	assert_int_equal(na_int_of(na_get(m, "failed"), -1), 3);
	assert_int_equal(na_int_of(na_get(m, "unanswered"), -1), 0);
	m = na_result_side(x->d.r);
	assert_int_equal(na_int_of(na_get(m, "calls_given_up"), -1), 2);
	assert_non_null(strstr(message(x), "8 of 61 calls failed (5 "
					   "DEADLINE_EXCEEDED, 2 given up by "
					   "the client, 1 reset)"));
	end(x);
}

static void filters_choose_calls(void **state)
{
	static const char *method[] = {"*fast"}, *server[] = {"10.0.0.2"};
	const struct na_text_list by_method = {.items = method, .n = 1};
	const struct na_text_list by_dst = {.items = server, .n = 1};
	struct run *x = make();
	size_t want = 0;

	(void)state;
	x->h.filter.collective = &by_method;
	x->h.filter.dst = &by_dst;
	x->h.filter.from_ps = 100 * MS;
	x->h.filter.min_bytes = 1120;
	for (int i = 0; i < CALLS; i++)
		want += i % 4 && i % 2 && x->rows[i].end_ps >= 100 * MS &&
			i >= 20;
	analyse(x, &na_an_rpc);
	assert_int_equal(list(x, "calls")->n, want);
	assert_int_equal(driven_real(&x->d, "overall.transfers"), want);
	end(x);
}

static void component_network_has_no_calls(void **state)
{
	struct run *x = make();

	(void)state;
	x->h.filter.components = NA_COMP_BIT(NA_COMP_NETWORK);
	analyse(x, &na_an_rpc);
	assert_int_equal(list(x, "calls")->n, 0);
	assert_int_equal(x->d.used, 0);
	end(x);
}

static void unanswered_alone(void **state)
{
	struct run *x = make();

	(void)state;
	x->rows[0] = x->rows[CALLS];
	hand_fill(&x->h, x->rows, 1, 1);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	hand_drive(&x->d, &na_an_rpc, &x->scope,
		   &(struct rpc_params){.bin_ps = 0}, 1, &x->h.err);
	assert_int_equal(list(x, "calls")->n, 1);
	assert_int_equal(x->d.used, 1);
	assert_string_equal(message(x),
			    "1 call, none timed; 1 without an answer");
	end(x);
}

static void latency_of_calls(void **state)
{
	struct run *x = make();
	const struct na_value *g;

	(void)state;
	x->scope.by =
		(struct na_grouping){{NA_KEY_COMPONENT, NA_KEY_COLLECTIVE}, 2};
	analyse(x, &na_an_latency);
	g = list(x, "groups")->u.of.first;
	assert_int_equal(list(x, "groups")->n, 3);
	for (; g; g = g->next) {
		const char *name = na_text_of(na_dig(g, "key.collective"), "");
		int want = strcmp(name, "/a.B/slow") == 0   ? CALLS / 4
			   : strcmp(name, "/a.B/fast") == 0 ? CALLS * 3 / 4
							    : 1;

		assert_string_equal(na_text_of(na_dig(g, "key.component"), ""),
				    "rpc");
		assert_int_equal(na_int_of(na_get(g, "count"), 0), want);
		if (want == 1)
			assert_string_equal(name, "tcp:443");
	}
	assert_non_null(strstr(message(x), "Call latency"));
	end(x);
}

static void sizes_of_calls(void **state)
{
	struct run *x = make();
	uint64_t want = 77;

	(void)state;
	for (int i = 0; i < CALLS; i++)
		want += x->rows[i].size + x->rows[i].response;
	analyse(x, &na_an_sizes);
	assert_int_equal(
		na_int_of(na_get(list(x, "groups")->u.of.first, "bytes"), 0),
		want);
	end(x);
}

static void pending_calls(void **state)
{
	struct run *x = make();

	(void)state;
	x->h.filter.clip = true;
	analyse(x, &na_an_bursts);
	assert_string_equal(na_text_of(list(x, "pending_of"), ""), "transfers");
	/* The estimate lies in the second call of 10 ms. */
	assert_int_equal(driven_real(&x->d, "pending.max"), 2);
	end(x);
}

static void counts_of_both_styles(void **state)
{
	struct run *x = make();

	(void)state;
	analyse(x, &na_an_sizes);
	assert_int_equal(na_store_count(&x->h.store, 0, NA_RX, NA_VALID),
			 CALLS + 1);
	end(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_is_told),
		cmocka_unit_test(top_keeps_the_slowest),
		cmocka_unit_test(methods_and_failures),
		cmocka_unit_test(http_status_without_grpc),
		cmocka_unit_test(filters_choose_calls),
		cmocka_unit_test(component_network_has_no_calls),
		cmocka_unit_test(resets),
		cmocka_unit_test(unanswered_alone),
		cmocka_unit_test(latency_of_calls),
		cmocka_unit_test(sizes_of_calls),
		cmocka_unit_test(pending_calls),
		cmocka_unit_test(counts_of_both_styles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
