/*
 * Collectives, driven through the descriptor on records made by hand, with
 * values worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_collectives;

#define US INT64_C(1000000)

enum { MOST = 128 };

struct run {
	struct hand h;
	struct na_scope scope;
	struct driven d;
	struct hand_row rows[MOST];
	size_t n;
};

static struct hand_row *push(struct run *x, enum hand_what what, int source,
			     int src, int64_t from_us, int64_t to_us)
{
	struct hand_row *row = &x->rows[x->n++];

	assert_true(x->n <= MOST);
	*row = (struct hand_row){.what = what,
				 .source = source,
				 .start_ps = from_us * US,
				 .end_ps = to_us * US,
				 .src = src,
				 .number = -1};
	return row;
}

static void graph(struct run *x, int source, int device, const char *of,
		  int64_t from_us, int64_t to_us, uint64_t bytes)
{
	struct hand_row *row = push(x, HAND_GRAPH, source, device, from_us,
				    to_us);

	row->name = of;
	row->transfer_type = "ALL_REDUCE";
	row->size = bytes;
}

static void receive(struct run *x, int source, int src, int dst, const char *of,
		    int64_t from_us, int64_t to_us, uint64_t bytes)
{
	struct hand_row *row = push(x, HAND_RX, source, src, from_us, to_us);

	row->dst = dst;
	row->name = of;
	row->size = bytes;
}

static struct hand_row *op(struct run *x, int source, int core,
			   const char *name, int64_t from_us, int64_t to_us)
{
	struct hand_row *row = push(x, HAND_OP, source, core, from_us, to_us);

	row->op_name = name;
	row->module = "jit_step";
	row->op.network = NA_NET_ICI;
	row->op.opcode = NA_OPCODE_ALL_REDUCE;
	row->op.channel = -1;
	row->op.program_id = NA_UNKNOWN_U64;
	row->op.size_bytes = NA_UNKNOWN_U64;
	return row;
}

static void program(struct run *x, int source, int core, int64_t from_us,
		    int64_t to_us, int number)
{
	struct hand_row *row = push(x, HAND_MODULE, source, core, from_us,
				    to_us);

	row->name = "jit_step";
	row->number = number;
}

/* In blocks of any size the result is the same. */
static void analyse(struct run *x, size_t sources)
{
	char *first, *again;

	hand_init(&x->h, sources, NULL);
	x->h.filter.components |= NA_COMP_BIT(NA_COMP_COMPUTE);
	hand_fill(&x->h, x->rows, x->n, 3);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	hand_drive(&x->d, &na_an_collectives, &x->scope, NULL, 1, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
	first = driven_json(&x->d);
	for (size_t size = 2; size < 200; size *= 3) {
		driven_end(&x->d);
		hand_drive(&x->d, &na_an_collectives, &x->scope, NULL, size,
			   &x->h.err);
		assert_int_equal(x->d.status, NA_OK);
		again = driven_json(&x->d);
		assert_string_equal(first, again);
		free(again);
	}
	free(first);
}

/* The same records as a filter lets them through. */
static void again(struct run *x)
{
	driven_end(&x->d);
	hand_drive(&x->d, &na_an_collectives, &x->scope, NULL, 5, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

static const struct na_value *nth(const struct na_value *list, size_t i)
{
	const struct na_value *v = na_items(list);

	while (v && i--)
		v = v->next;
	return v;
}

static const struct na_value *list(const struct run *x, const char *name)
{
	return na_get(na_result_body(x->d.r), name);
}

static const struct na_value *named(const struct run *x, const char *name)
{
	const struct na_value *all = list(x, "collectives");

	for (size_t i = 0; nth(all, i); i++) {
		if (strcmp(na_text_of(na_get(nth(all, i), "collective"), ""),
			   name) == 0)
			return nth(all, i);
	}
	fail_msg("no row of %s", name);
	return NULL;
}

static void is(const struct na_value *row, const char *path, double want)
{
	double found = na_real_of(na_dig(row, path), NAN);

	if (isnan(want) != isnan(found) ||
	    fabs(found - want) > 1e-9 * fabs(want))
		fail_msg("%s is %.12g, not %.12g", path, found, want);
}

static void says(const struct na_value *row, const char *path, const char *want)
{
	assert_string_equal(na_text_of(na_dig(row, path), "(null)"), want);
}

/* Two executions on each of a's devices; b's executes one once, the other
 * never; nobody recorded slice 9. */
static void fill_dcn(struct run *x)
{
	memset(x, 0, sizeof(*x));
	graph(x, 0, 0, "ar.1", 0, 100, 1000);
	graph(x, 0, 0, "ar.1", 200, 400, 1000);
	graph(x, 0, 1, "ar.1", 0, 300, 1000);
	graph(x, 0, 1, "ar.1", 500, 900, 1000);
	receive(x, 0, 100, 0, "ar.1", 10, 20, 700);
	receive(x, 0, 101, 1, "ar.1", 10, 30, 700);
	receive(x, 0, 900, 1, "ar.1", 10, 40, 50);
	graph(x, 1, 100, "ar.1", 0, 500, 1000);
	graph(x, 1, 101, "other.2", 0, 10, 8);
}

static void test_dcn(void **state)
{
	struct run x;
	const struct na_value *row;

	(void)state;
	fill_dcn(&x);
	analyse(&x, 2);
	row = named(&x, "ar.1");
	says(row, "network", "dcn");
	says(row, "transfer_type", "ALL_REDUCE");
	is(row, "participants", 5);
	is(row, "not_captured", 1);
	is(row, "executions", 5);
	is(row, "bytes", 5000);
	is(row, "transfer_bytes", 1450);
	is(row, "transfers", 3);
	/* 100 200 300 400 500 us */
	is(row, "p50_us", 300);
	is(row, "p99_us", 496);
	is(row, "bandwidth_gbps", 5000 * 8 / 1.5e-3 / 1e9);
	is(row, "instances", NAN);
	is(named(&x, "other.2"), "missing_count", 0);
	end(&x);
}

static void test_missing(void **state)
{
	struct run x;
	const struct na_value *row;

	(void)state;
	fill_dcn(&x);
	analyse(&x, 2);
	row = named(&x, "ar.1");
	is(row, "missing_count", 2);
	row = nth(na_get(row, "missing"), 0);
	says(row, "device", "s1d0");
	says(row, "host", "b");
	is(row, "executions", 1);
	is(row, "of", 2);
	row = nth(na_get(named(&x, "ar.1"), "missing"), 1);
	says(row, "device", "s1d1");
	is(row, "executions", 0);
	assert_int_equal(x.d.severity, NA_SEV_WARNING);
	/* Without the look at b, nobody knows what it executed. */
	x.h.filter.host =
		&(struct na_text_list){.n = 1, .items = (const char *[]){"a"}};
	again(&x);
	is(named(&x, "ar.1"), "missing_count", 0);
	is(named(&x, "ar.1"), "not_captured", 3);
	assert_int_equal(x.d.severity, NA_SEV_NONE);
	end(&x);
}

/* A window cuts executions off: two of others prove nothing. */
static void test_window(void **state)
{
	struct run x;

	(void)state;
	fill_dcn(&x);
	analyse(&x, 2);
	x.h.filter.to_ps = 1000 * US;
	again(&x);
	is(named(&x, "ar.1"), "executions", 5);
	is(named(&x, "ar.1"), "missing_count", 0);
	end(&x);
}

/* Devices count their runs each for itself, and one began earlier. */
static void test_ici(void **state)
{
	struct run x = {.n = 0};
	const struct na_value *row;

	(void)state;
	for (int core = 0; core < 3; core++) {
		for (int k = 0; k < 3; k++) {
			int64_t at = 1000 * k + core;

			program(&x, 0, core, 1000 * k, 1000 * k + 900,
				k + core);
			op(&x, 0, core, "all-reduce.1", at + 100,
			   1000 * k + 200 + 10 * k)
				->op.size_bytes = 1000000;
		}
	}
	analyse(&x, 1);
	row = named(&x, "all-reduce.1");
	says(row, "network", "ici");
	says(row, "module", "jit_step");
	says(row, "transfer_type", "ALL_REDUCE");
	is(row, "participants", 3);
	is(row, "executions", 9);
	is(row, "instances", 3);
	is(row, "bytes", 9e6);
	/* The last starts 2 us late: 98, 108, 118 us. */
	is(row, "p50_us", 108);
	is(row, "total_s", (3 * (98 + 108 + 118) + 3 * 3) * 1e-6);
	is(row, "waiting_us.mean", 1);
	is(row, "bandwidth_gbps", 3e6 * 8 / (98 + 108 + 118) / 1e3);
	is(row, "bus_gbps", 3e6 * 8 / (98 + 108 + 118) / 1e3 * 4 / 3);
	is(row, "start_skew_us.max", 2);
	says(row, "last_device.device", "TPU:2");
	is(row, "last_device.count", 3);
	is(row, "missing_count", 0);
	assert_int_equal(x.d.used, 9);
	end(&x);
}

/* Ops that do not name their program are of the one that runs, whose id every
 * host chooses for itself; equal names in two programs are two collectives. */
static void test_programs(void **state)
{
	static const char *const names[2][2] = {{"jit_step(7)", "jit_eval(8)"},
						{"jit_step(9)",
						 "jit_eval(10)"}};
	struct run x = {.n = 0};
	const struct na_value *row;

	(void)state;
	for (int host = 0; host < 2; host++) {
		for (int k = 0; k < 2; k++) {
			int64_t at = 1000 * k;
			struct hand_row *r;

			program(&x, host, 0, at, at + 500, 1);
			x.rows[x.n - 1].name = names[host][k];
			r = op(&x, host, 0, "all-reduce", at + 10, at + 20 + k);
			r->module = NULL;
			r->op.program_id = (uint64_t)(10 * host + k);
		}
	}
	analyse(&x, 2);
	row = list(&x, "collectives");
	assert_null(nth(row, 2));
	says(nth(row, 0), "module", "jit_eval");
	is(nth(row, 0), "p50_us", 11);
	is(nth(row, 0), "participants", 2);
	is(nth(row, 0), "instances", 1);
	says(nth(row, 1), "module", "jit_step");
	is(nth(row, 1), "p50_us", 10);
	end(&x);
}

/* Row "ag.k" is executed by all devices but k, and by the one behind it once
 * less. */
static void test_crews(void **state)
{
	static const char *const names[] = {"ag.0", "ag.1", "ag.2", "ag.3"};
	struct run x = {.n = 0};
	const struct na_value *list;

	(void)state;
	for (int core = 0; core < 4; core++) {
		program(&x, 0, core, 0, 500, 1);
		for (int k = 0; k < 4; k++) {
			for (int n = core == (k + 1) % 4; n < 2 && core != k;
			     n++)
				op(&x, 0, core, names[k], 100 * k + 10 * n,
				   100 * k + 10 * n + 5);
		}
	}
	analyse(&x, 1);
	for (int k = 0; k < 4; k++) {
		int first = k == 3 ? 0 : k, second = k == 3 ? 3 : k + 1;
		char device[8];

		is(named(&x, names[k]), "participants", 4);
		is(named(&x, names[k]), "missing_count", 2);
		list = na_get(named(&x, names[k]), "missing");
		snprintf(device, sizeof(device), "TPU:%d", first);
		says(nth(list, 0), "device", device);
		is(nth(list, 0), "executions", first == k ? 0 : 1);
		snprintf(device, sizeof(device), "TPU:%d", second);
		says(nth(list, 1), "device", device);
		is(nth(list, 1), "of", 2);
		assert_null(nth(list, 2));
	}
	end(&x);
}

/* Of one device the trace holds an execution before the others'. */
static void test_begins_earlier(void **state)
{
	struct run x = {.n = 0};
	const struct na_value *row;

	(void)state;
	for (int k = -1; k < 4; k++) {
		for (int core = k < 0 ? 1 : 0; core < 2; core++)
			op(&x, 0, core, "all-reduce.1", 2000 + 1000 * k + core,
			   2100 + 1000 * k);
	}
	analyse(&x, 1);
	row = named(&x, "all-reduce.1");
	is(row, "instances", 5);
	is(row, "executions", 9);
	is(row, "p50_us", 99);
	is(row, "start_skew_us.max", 1);
	is(row, "bytes", NAN);
	is(row, "bandwidth_gbps", NAN);
	is(row, "missing_count", 1);
	says(nth(na_get(row, "missing"), 0), "device", "TPU:0");
	end(&x);
}

/* A start and its done are one execution, named by the start. */
static void test_split(void **state)
{
	struct run x = {.n = 0};
	const struct na_value *row;
	struct hand_row *r;

	(void)state;
	r = op(&x, 0, 0, "all-reduce-done.7", 5, 8);
	r->op.phase = NA_OP_DONE; /* its start is not in the trace */
	for (int k = 0; k < 2; k++) {
		r = op(&x, 0, 0, "all-reduce-start.7", 100 * k + 10,
		       100 * k + 12);
		r->op.phase = NA_OP_START;
		r = op(&x, 0, 0, "all-reduce-done.7", 100 * k + 40,
		       100 * k + 50 + k);
		r->op.phase = NA_OP_DONE;
		r = op(&x, 0, 0, "ag-start", 100 * k + 60, 100 * k + 61);
		r->op.phase = NA_OP_START;
		r->op.opcode = NA_OPCODE_ALL_GATHER;
		r = op(&x, 0, 0, "weird", 100 * k + 70, 100 * k + 75);
		r->op.phase = NA_OP_DONE;
		r->op.opcode = NA_OPCODE_ALL_GATHER;
		r->op.size_bytes = 64;
		r->start_op = "ag-start";
	}
	analyse(&x, 1);
	row = named(&x, "all-reduce-start.7");
	is(row, "executions", 2);
	is(row, "p50_us", 40.5);
	row = named(&x, "ag-start");
	is(row, "executions", 2);
	is(row, "bytes", 128);
	is(row, "p50_us", 15);
	assert_true(driven_real(&x.d, "unpaired") == 1);
	end(&x);
}

/* Four ranks on two hosts whose clocks are 1 s apart, in two groups. */
static void test_gpu_groups(void **state)
{
	static const int ends[4] = {50, 90, 50, 90}; /* pairs 0,2 and 1,3 */
	struct run x = {.n = 0};
	const struct na_value *row;

	(void)state;
	for (int k = 0; k < 3; k++) {
		for (int rank = 0; rank < 4; rank++) {
			struct hand_row *r = op(&x, 0, rank, "reduce-scatter.1",
						1000 * k + 5 * rank,
						1000 * k + ends[rank]);

			r->device = NA_DEVICE_GPU;
			r->kernel = "ncclDevKernel_ReduceScatter";
			r->op.network = NA_NET_GPU;
			r->op.opcode = NA_OPCODE_REDUCE_SCATTER;
			r->op.size_bytes = 1000;
			r->op.group_size = 2;
			r->op.n_groups = 2;
		}
	}
	analyse(&x, 1);
	row = named(&x, "reduce-scatter.1");
	says(row, "network", "gpu");
	is(row, "executions", 12);
	is(row, "instances", 6);
	is(row, "group_size", 2);
	/* 50 and 40 us; 85 and 75 us. */
	is(row, "p50_us", 57.5);
	is(row, "waiting_us.mean", 5);
	is(row, "bytes", 12000);
	is(row, "bandwidth_gbps", 2000 * 8 / 115e-6 / 1e9);
	is(row, "bus_gbps", 2000 * 8 / 115e-6 / 1e9);
	is(row, "not_captured", 0);
	says(row, "last_device.device", "GPU:2");
	is(row, "last_device.count", 3);
	end(&x);
}

/* Two hosts, clocks 1 s apart: matched by order all the same. */
static void test_two_clocks(void **state)
{
	struct run x = {.n = 0};
	const struct na_value *row;

	(void)state;
	for (int source = 0; source < 2; source++) {
		for (int k = 0; k < 3; k++)
			for (int core = 0; core < 2; core++)
				op(&x, source, core, "all-reduce.1",
				   1000000 * source + 100 * k + source,
				   1000000 * source + 100 * k + 50);
	}
	analyse(&x, 2);
	row = named(&x, "all-reduce.1");
	is(row, "participants", 4);
	is(row, "instances", 3);
	is(row, "p50_us", 49);
	is(row, "waiting_us.mean", 0.5);
	/* Clocks of different hosts are not compared. */
	is(row, "start_skew_us.max", 0);
	/* Both devices of b were last: nobody is named. */
	assert_int_equal(na_dig(row, "last_device.device")->kind, NA_V_NULL);
	end(&x);
}

static void test_reductions(void **state)
{
	static const int us[5] = {100, 102, 98, 101, 200};
	struct run x = {.n = 0};
	const struct na_value *row;

	(void)state;
	for (int host = 0; host < 5; host++) {
		for (int k = 0; k < 3; k++) {
			struct hand_row *r = push(&x, HAND_ACTION, host,
						  100 * host, 1000 * k,
						  1000 * k + us[host] + k - 1);

			r->number = NA_ACT_COMPUTE;
			r->name = "ar.1";
		}
		graph(&x, host, 100 * host, "ar.1", 0, 10, 10);
	}
	analyse(&x, 5);
	row = nth(list(&x, "reductions"), 4);
	says(row, "host", "e");
	is(row, "count", 3);
	is(row, "p50_us", 200);
	is(row, "total_s", 600e-6);
	/* Others: median 100.5, MAD 1. */
	is(row, "ratio", 200 / 100.5);
	is(row, "z", 99.5 / 1.4826);
	assert_true(na_get(row, "slow")->u.flag);
	assert_false(na_get(nth(list(&x, "reductions"), 1), "slow")->u.flag);
	assert_int_equal(x.d.severity, NA_SEV_WARNING);
	end(&x);
}

/* No host tells of executions: the devices' own ops do. */
static void test_devices_alone(void **state)
{
	struct run x = {.n = 0};

	(void)state;
	for (int i = 0; i < 12; i++) {
		struct hand_row *o = op(&x, 0, i / 6, "send", i, i + 1);

		o->name = "ar_0";
		o->op.network = NA_NET_DCN;
		o->op.opcode = NA_OPCODE_SEND;
		o->op.phase = i % 2 ? NA_OP_DONE : NA_OP_START;
		o->op.size_bytes = 1000;
	}
	analyse(&x, 1);
	is(named(&x, "ar_0"), "executions", 6);
	is(named(&x, "ar_0"), "participants", 2);
	is(named(&x, "ar_0"), "bytes", 6000);
	end(&x);
}

/* Transfers alone, as older traces tell them. */
static void test_messages(void **state)
{
	struct run x = {.n = 0};
	const struct na_value *row;

	(void)state;
	receive(&x, 0, 100, 0, "ar.1", 10, 20, 700);
	x.rows[0].style = NA_STYLE_MESSAGE;
	analyse(&x, 1);
	row = named(&x, "ar.1");
	is(row, "executions", NAN);
	is(row, "bytes", 700);
	says(row, "bytes_from", "transfers");
	is(row, "p50_us", NAN);
	is(row, "missing_count", 0);
	end(&x);
}

static void test_by_type(void **state)
{
	struct run x;
	const struct na_value *row;

	(void)state;
	fill_dcn(&x);
	op(&x, 0, 0, "all-reduce.1", 0, 10);
	op(&x, 0, 0, "all-reduce.2", 20, 40);
	x.scope.by = (struct na_grouping){{NA_KEY_TRANSFER_TYPE}, 1};
	/* Sources stand together. */
	for (size_t i = 0; i < 2; i++) {
		struct hand_row r = x.rows[7 + i];

		x.rows[7 + i] = x.rows[9 + i];
		x.rows[9 + i] = r;
	}
	analyse(&x, 2);
	row = nth(list(&x, "collectives"), 0);
	says(row, "key.transfer_type", "ALL_REDUCE");
	is(row, "executions", 6);
	row = nth(list(&x, "collectives"), 1);
	says(row, "network", "ici");
	is(row, "executions", 2);
	is(row, "instances", 2);
	assert_null(nth(list(&x, "collectives"), 2));
	end(&x);
}

/* Operations of two types in turn. */
static void test_types_in_turn(void **state)
{
	static const char *const names[] = {"op.0", "op.1", "op.2", "op.3"};
	struct run x = {.n = 0};
	const struct na_value *row;

	(void)state;
	for (int core = 0; core < 2; core++) {
		for (int k = 0; k < 4; k++) {
			if (core && k == 2)
				continue;
			op(&x, 0, core, names[k], 100 * k,
			   100 * k + 10 * (k + 1))
				->op.opcode = k % 2 ? NA_OPCODE_ALL_GATHER
						    : NA_OPCODE_ALL_REDUCE;
		}
	}
	x.scope.by = (struct na_grouping){{NA_KEY_TRANSFER_TYPE}, 1};
	analyse(&x, 1);
	row = nth(list(&x, "collectives"), 0);
	says(row, "key.transfer_type", "ALL_GATHER");
	is(row, "instances", 2);
	is(row, "executions", 4);
	is(row, "p50_us", 30);
	row = nth(list(&x, "collectives"), 1);
	says(row, "key.transfer_type", "ALL_REDUCE");
	is(row, "instances", 2);
	is(row, "executions", 3);
	is(row, "p50_us", 20);
	is(row, "participants", 2);
	is(row, "missing_count", 0);
	assert_null(nth(list(&x, "collectives"), 2));
	end(&x);
}

static void test_nothing(void **state)
{
	struct run x = {.n = 0};

	(void)state;
	analyse(&x, 1);
	assert_int_equal(x.d.used, 0);
	assert_non_null(na_result_get_word(x.d.r, NA_WORD_EMPTY, NULL));
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dcn),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_ici),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_crews),
		cmocka_unit_test(test_begins_earlier),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_gpu_groups),
		cmocka_unit_test(test_two_clocks),
		cmocka_unit_test(test_reductions),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_devices_alone),
		cmocka_unit_test(test_by_type),
		cmocka_unit_test(test_types_in_turn),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
