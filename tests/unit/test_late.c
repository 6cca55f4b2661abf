/*
 * Why an execution was late: critical paths through actions made by hand,
 * against what was planted, and random ones against what always holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/base/units.h"
#include "netan/methods/late/late.h"
#include "tests/unit/hand_store.h"

#define US NA_PS_PER_US

enum { MOST = 256, HOSTS = 4 };

/* Times in us, true ones; endpoint of host h: h * 100. */
struct act {
	int host;
	enum na_action_kind kind;
	int64_t start, end;
	int src, dst; /* of sends and receives: hosts */
	int64_t latency;
	int chunk, index;
	const char *inputs;
	int launch;
	enum na_style style;
};

struct world {
	struct hand h;
	struct na_host_clocks clocks;
	struct na_scope scope;
	const struct act *acts;
	size_t n;
	int64_t ahead[HOSTS]; /* us */
	bool skip[HOSTS];     /* no trace of this host */
	struct na_result *r;
	struct na_late_ask ask;
};

static uint32_t endpoint(const struct world *w, int host)
{
	return na_names_find(&w->h.store.names, host, 0);
}

static enum na_status
feed_one(const struct world *w, const struct act *x,
	 enum na_status (*each)(void *, const struct na_replay *), void *arg)
{
	const struct na_strtab *names = &w->h.store.names.strings;
	uint32_t name = na_strtab_find(names, "a.1", 3);
	int64_t off = w->ahead[x->host];
	bool moves = x->kind == NA_ACT_SEND || x->kind == NA_ACT_RECEIVE;
	struct na_action a = {
		.kind = x->kind,
		.style = x->style,
		.start_ps = (x->start + off) * US,
		.end_ps = (x->end + off) * US,
		.device = endpoint(w, x->host),
		.collective = name,
		.type = NA_UNKNOWN_U32,
		.launch = (uint32_t)x->launch,
		.iteration = 0,
		.action_index = x->index,
		.chunk = x->chunk,
		.name = {"Act", 3},
		.inputs = {x->inputs, x->inputs ? strlen(x->inputs) : 0},
	};
	int64_t latency = x->latency + w->ahead[x->host] - w->ahead[x->src];
	struct na_transfer t = {
		.end_ps = a.end_ps,
		.size_bytes = 4096,
		.src = endpoint(w, x->src),
		.dst = endpoint(w, x->dst),
		.collective = name,
		.launch = a.launch,
		.iteration = 0,
		.chunk = x->chunk,
		.side = x->kind == NA_ACT_SEND ? NA_TX : NA_RX,
		.klass = NA_VALID,
		.style = (uint8_t)x->style,
	};
	struct na_replay replay = {(uint16_t)x->host, &a, &t, moves};

	latency = x->kind == NA_ACT_SEND ? x->end - x->start : latency;
	t.klass = latency > 0 ? NA_VALID : NA_CLOCK_SKEW;
	t.start_ps = t.end_ps - (latency > 0 ? latency : 0) * US;
	return each(arg, &replay);
}

static enum na_status feed(void *ctx, const struct na_execution *of, size_t n,
			   enum na_status (*each)(void *arg,
						  const struct na_replay *x),
			   void *arg, struct na_err *err)
{
	const struct world *w = ctx;
	enum na_status st = NA_OK;

	(void)of;
	(void)err;
	assert_true(n > 0);
	for (size_t i = 0; i < w->n && st == NA_OK; i++) {
		if (!w->skip[w->acts[i].host])
			st = feed_one(w, &w->acts[i], each, arg);
	}
	return st == NA_ENOMEM ? st : NA_OK;
}

/* Each host holds a device; each pair exchanges a transfer of 100 us either
 * way, which is what the clocks are estimated from. */
static void begin(struct world *w, size_t sources, const int64_t *ahead)
{
	struct hand_row rows[MOST];
	size_t n = 0;

	memset(w, 0, sizeof(*w));
	memset(rows, 0, sizeof(rows));
	hand_init(&w->h, sources, NULL);
	w->h.filter.instants = true;
	for (int h = 0; h < HOSTS; h++)
		w->ahead[h] = ahead ? ahead[h] : 0;
	for (int h = 0; h < (int)sources; h++) {
		rows[n++] = (struct hand_row){.what = HAND_GRAPH,
					      .source = h,
					      .src = h * 100,
					      .name = "a.1",
					      .end_ps = US,
					      .local = 1};
		rows[n++] = (struct hand_row){.what = HAND_STEP,
					      .source = h,
					      .start_ps = -US,
					      .end_ps = 10000 * US,
					      .number = 7};
		for (int k = 0; k < HOSTS; k++) {
			int64_t us = 100 + w->ahead[h] - w->ahead[k];
			struct hand_row r = {.what = HAND_RX,
					     .source = h,
					     .src = k * 100,
					     .dst = h * 100,
					     .size = 1,
					     .name = "a.1",
					     .launch = 1,
					     .iteration = 1};
			struct hand_row t = r;

			r.end_ps = (5000 + w->ahead[h]) * US;
			r.start_ps = r.end_ps - (us > 0 ? us : 0) * US;
			r.klass = us > 0 ? 0 : NA_CLOCK_SKEW;
			t.what = HAND_TX;
			t.source = k;
			t.start_ps = (4900 + w->ahead[k]) * US;
			t.end_ps = t.start_ps + 200 * US;
			if (h != k)
				rows[n++] = r;
			if (h != k && k < (int)sources)
				rows[n++] = t;
		}
	}
	hand_fill(&w->h, rows, n, 5);
	hand_resolve(&w->h, NA_ANCHOR_END);
	w->clocks.store = &w->h.store;
	assert_non_null(
		na_host_clocks_of(&(struct na_scope){.store = &w->h.store},
				  NULL, &w->clocks));
	w->scope = (struct na_scope){.store = &w->h.store,
				     .actions = feed,
				     .actions_ctx = w};
	w->r = na_result_new();
	assert_non_null(w->r);
}

static enum na_status ask(struct world *w, const struct act *acts, size_t n,
			  int64_t from, int64_t to)
{
	const struct na_strtab *names = &w->h.store.names.strings;

	w->acts = acts;
	w->n = n;
	w->ask = (struct na_late_ask){.collective = na_strtab_find(names, "a.1",
								   3),
				      .from_ps = from * US,
				      .to_ps = to * US,
				      .stall_ps = 12 * US};
	return na_put_late(&w->scope, &w->clocks, &w->ask, 1, w->r, &w->h.err);
}

static void explain(struct world *w, const struct act *acts, size_t n,
		    int64_t from, int64_t to)
{
	assert_int_equal(ask(w, acts, n, from, to), NA_OK);
	assert_true(na_result_ok(w->r));
}

static void end(struct world *w)
{
	na_result_free(w->r);
	na_host_clocks_fini(&w->clocks);
	hand_fini(&w->h);
}

static const struct na_value *late_of(const struct world *w)
{
	return na_get(na_result_body(w->r), "late")->u.of.first;
}

static void assert_cause(const struct world *w, const char *part)
{
	const char *cause = na_text_of(na_get(late_of(w), "cause"), "");

	if (!strstr(cause, part))
		fail_msg("\"%s\" is not in \"%s\"", part, cause);
}

struct want {
	const char *kind, *host;
	double from, to;
};

static void assert_path(const struct world *w, const struct want *want,
			size_t n, double tolerance)
{
	const struct na_value *path = na_get(late_of(w), "path");
	const struct na_value *s = path->u.of.first;

	assert_int_equal(path->n, n);
	for (size_t i = 0; i < n; i++, s = s->next) {
		assert_string_equal(na_text_of(na_get(s, "kind"), ""),
				    want[i].kind);
		assert_string_equal(na_text_of(na_get(s, "host"), ""),
				    want[i].host);
		assert_float_equal(na_real_of(na_get(s, "from_us"), NAN),
				   want[i].from, tolerance);
		assert_float_equal(na_real_of(na_get(s, "to_us"), NAN),
				   want[i].to, tolerance);
	}
}

#define ACT(h, k, from, to) \
	.host = (h), .kind = NA_ACT_##k, .start = (from), .end = (to)
#define N(x) (sizeof(x) / sizeof((x)[0]))

/* Of host 0 and 1: 1 begins 680 us later. */
static const struct act two[] = {
	{ACT(0, GRAPH, 10, 970), .index = -1},
	{ACT(0, D2H, 10, 20)},
	{ACT(0, SEND, 20, 150), .src = 0, .dst = 1, .chunk = 1},
	{ACT(0, RECEIVE, 10, 900), .src = 1, .dst = 0, .latency = 100,
	 .chunk = 2},
	{ACT(0, COMPUTE, 900, 930)},
	{ACT(0, H2D, 930, 960)},
	{ACT(1, GRAPH, 690, 980), .index = -1},
	{ACT(1, D2H, 700, 760)},
	{ACT(1, SEND, 780, 905), .src = 1, .dst = 0, .chunk = 2},
	{ACT(1, RECEIVE, 690, 840), .src = 0, .dst = 1, .latency = 130,
	 .chunk = 1},
};

static const struct want two_path[] = {
	{"late_peer", "b", 0, 700}, {"d2h", "b", 700, 760},
	{"wait", "b", 760, 780},    {"send", "b", 780, 800},
	{"network", "a", 800, 900}, {"compute", "a", 900, 930},
	{"h2d", "a", 930, 960},     {"recv_done", "a", 960, 1000},
};

static void late_peer(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, NULL);
	explain(&w, two, N(two), 0, 1000);
	assert_path(&w, two_path, N(two_path), 1e-9);
	assert_cause(&w, "waiting for a peer: b (s1d0) began 690 us after");
	assert_int_equal(na_int_of(na_get(late_of(&w), "step"), 0), 7);
	assert_float_equal(na_real_of(na_dig(late_of(&w), "shares.late_peer"),
				      NAN),
			   0.7, 1e-9);
	end(&w);
}

/* How late the peer began needs a number for each device: where these do not
 * fit into memory, nothing is said, and no "0 us after". */
static void no_memory(void **state)
{
	size_t *n;
	struct world w;

	(void)state;
	begin(&w, 2, NULL);
	n = &w.h.store.names.n_endpoints;
	*n += (SIZE_MAX / sizeof(int64_t)) + 1;
	assert_int_equal(ask(&w, two, N(two), 0, 1000), NA_ENOMEM);
	assert_int_equal(na_length(na_result_body(w.r), "late"), 1);
	assert_null(na_text_or(late_of(&w), "cause", NULL));
	*n -= (SIZE_MAX / sizeof(int64_t)) + 1;
	end(&w);
}

/* The peer's clock is off; what is shown is true within what is said, and
 * what is shorter than that may be missing. */
static void clocks_apart(void **state)
{
	static const int64_t ahead[] = {30, 5000, -90000};

	(void)state;
	for (size_t k = 0; k < N(ahead); k++) {
		int64_t own[HOSTS] = {0, ahead[k], 0, 0};
		const struct na_value *first;
		struct world w;
		double known;

		begin(&w, 2, own);
		explain(&w, two, N(two), 0, 1000);
		known = na_real_of(na_get(late_of(&w), "clock_uncertainty_us"),
				   NAN);
		assert_true(known > 0 && known < 101.1);
		if (k == 0)
			assert_path(&w, two_path, N(two_path), 1);
		first = na_get(late_of(&w), "path")->u.of.first;
		assert_string_equal(na_text_of(na_get(first, "host"), ""), "b");
		assert_float_equal(na_real_of(na_get(first, "to_us"), NAN), 700,
				   known);
		assert_cause(&w, "waiting for a peer: b (s1d0) began");
		end(&w);
	}
}

/* Without the peer's trace: when it went out is known, not why. */
static void no_trace(void **state)
{
	static const struct want want[] = {
		{"wait", "a", 0, 10},       {"late_peer", "b", 10, 800},
		{"network", "a", 800, 900}, {"compute", "a", 900, 930},
		{"h2d", "a", 930, 960},     {"recv_done", "a", 960, 1000},
	};
	struct world w;

	(void)state;
	begin(&w, 2, NULL);
	w.skip[1] = true;
	explain(&w, two, N(two), 0, 1000);
	assert_path(&w, want, N(want), 1e-9);
	assert_cause(&w,
		     "waiting for a peer: chunk 2 from s1d0 (b) was not sent");
	end(&w);
}

static void slow_network(void **state)
{
	static const struct act acts[] = {
		{ACT(0, D2H, 10, 20)},
		{ACT(0, RECEIVE, 10, 9900), .src = 1, .dst = 0, .latency = 9800,
		 .chunk = 2},
		{ACT(0, RECEIVE, 10, 300), .src = 2, .dst = 0, .latency = 100,
		 .chunk = 3},
		{ACT(0, H2D, 9900, 9950)},
		{ACT(1, D2H, 40, 100)},
		{ACT(1, SEND, 100, 9905), .src = 1, .dst = 0, .chunk = 2},
	};
	static const struct want want[] = {
		{"late_peer", "b", 0, 40},       {"d2h", "b", 40, 100},
		{"network", "a", 100, 9900},     {"h2d", "a", 9900, 9950},
		{"recv_done", "a", 9950, 10000},
	};
	struct world w;

	(void)state;
	begin(&w, 2, NULL);
	explain(&w, acts, N(acts), 0, 10000);
	assert_path(&w, want, N(want), 1e-9);
	assert_cause(
		&w,
		"on the network: chunk 2 from s1d0 (b) to s0d0 (a) took 9.8 ms "
		"of 10 ms");
	end(&w);
}

/* The receiver posts its buffer late: the sender waited for it. */
static void slow_receiver(void **state)
{
	static const struct act acts[] = {
		{ACT(0, D2H, 10, 700)},
		{ACT(0, RECEIVE, 710, 900), .src = 1, .dst = 0, .latency = 100,
		 .chunk = 2},
		{ACT(0, H2D, 900, 950)},
		{ACT(1, D2H, 40, 100)},
		{ACT(1, SEND, 100, 905), .src = 1, .dst = 0, .chunk = 2},
	};
	static const struct want want[] = {
		{"wait", "a", 0, 10},       {"d2h", "a", 10, 700},
		{"wait", "a", 700, 710},    {"receive", "a", 710, 800},
		{"network", "a", 800, 900}, {"h2d", "a", 900, 950},
	};
	struct world w;

	(void)state;
	begin(&w, 2, NULL);
	explain(&w, acts, N(acts), 0, 950);
	assert_path(&w, want, N(want), 1e-9);
	assert_cause(
		&w,
		"copied from the device: the copy from s0d0 (a) took 690 us");
	end(&w);
}

/* Hosts 0 to 2 send to each other in a ring; of host 1 the send waits for
 * 600 us, of the others for as long as is asked. */
static void waits_as(struct world *w, int64_t wait_0_us, int64_t wait_2_us)
{
	struct act acts[] = {
		{ACT(0, D2H, 10, 20)},
		{ACT(0, SEND, 20 + wait_0_us, 30 + wait_0_us), .src = 0,
		 .dst = 2, .chunk = 1},
		{ACT(0, RECEIVE, 10, 720), .src = 1, .dst = 0, .latency = 100,
		 .chunk = 2},
		{ACT(0, H2D, 720, 750)},
		{ACT(1, D2H, 10, 20)},
		{ACT(1, SEND, 620, 640), .src = 1, .dst = 0, .chunk = 2},
		{ACT(2, D2H, 10, 20)},
		{ACT(2, SEND, 20 + wait_2_us, 30 + wait_2_us), .src = 2,
		 .dst = 1, .chunk = 3},
	};

	begin(w, 3, NULL);
	explain(w, acts, N(acts), 0, 760);
}

/* Who waits as the others do is not named. */
static void alike(void **state)
{
	static const struct {
		int64_t wait_0_us, wait_2_us;
		const char *want;
	} rows[] = {
		{5, 5, "waiting on a host: b waited 600 us of 760 us with its "
		       "send"},
		{5, 299, "waiting on a host: b waited 600 us of 760 us"},
		{5, 301, "waiting on a host: b waited 600 us of 760 us"},
		{590, 500, "waiting on hosts: 600 us of 760 us before a send; "
			   "every host waits so, why is not known"},
		{301, 301, "every host waits so"},
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct world w;

		waits_as(&w, rows[i].wait_0_us, rows[i].wait_2_us);
		assert_cause(&w, rows[i].want);
		end(&w);
	}
}

/* What the graph says comes before what time suggests; where indices name
 * several actions, time decides. */
static void told_inputs(void **state)
{
	struct act acts[] = {
		{ACT(0, D2H, 0, 100), .index = 0},
		{ACT(0, COMPUTE, 100, 200), .index = 1, .inputs = "[0]"},
		{ACT(0, COMPUTE, 100, 240), .index = 2, .inputs = "[0]"},
		{ACT(0, H2D, 300, 400), .index = 3, .inputs = "1"},
	};
	static const struct want told[] = {
		{"d2h", "a", 0, 100},
		{"compute", "a", 100, 200},
		{"wait", "a", 200, 300},
		{"h2d", "a", 300, 400},
	};
	static const struct want inferred[] = {
		{"d2h", "a", 0, 100},
		{"compute", "a", 100, 240},
		{"wait", "a", 240, 300},
		{"h2d", "a", 300, 400},
	};

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		struct world w;

		begin(&w, 1, NULL);
		acts[2].index = twice ? 1 : 2;
		explain(&w, acts, N(acts), 0, 400);
		if (twice)
			assert_path(&w, inferred, N(inferred), 1e-9);
		else
			assert_path(&w, told, N(told), 1e-9);
		assert_string_equal(na_text_of(na_get(late_of(&w), "order"),
					       ""),
				    twice ? "inferred" : "told");
		end(&w);
	}
}

/* Another launch of the same collective, at the same time. */
static void other_launch(void **state)
{
	struct act acts[N(two) + 2];
	struct world w;

	(void)state;
	memcpy(acts, two, sizeof(two));
	acts[N(two)] = (struct act){ACT(0, H2D, 940, 990), .launch = 1};
	acts[N(two) + 1] = (struct act){ACT(1, D2H, 761, 779), .launch = 1};
	begin(&w, 2, NULL);
	explain(&w, acts, N(acts), 0, 1000);
	assert_path(&w, two_path, N(two_path), 1e-9);
	end(&w);
}

static void nothing_there(void **state)
{
	static const struct act graph[] = {
		{ACT(0, GRAPH, 10, 970), .index = -1}};
	struct world w;

	(void)state;
	begin(&w, 2, NULL);
	explain(&w, two, 0, 0, 1000);
	assert_null(na_text_of(na_get(late_of(&w), "cause"), NULL));
	assert_string_equal(na_text_of(na_get(late_of(&w), "missing"), ""),
			    "the trace holds no action of it");
	end(&w);
	begin(&w, 2, NULL);
	explain(&w, graph, 1, 0, 1000);
	assert_non_null(strstr(na_text_of(na_get(late_of(&w), "missing"), ""),
			       "none of its actions"));
	end(&w);
	begin(&w, 2, NULL);
	w.scope.actions = NULL;
	explain(&w, two, N(two), 0, 1000);
	assert_null(late_of(&w));
	end(&w);
}

static int64_t draw(uint64_t *state, int64_t n)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (int64_t)((*state >> 33) % (uint64_t)n);
}

/* Whatever the actions are: without gaps from the first to the last, and
 * the shares are one. */
static void sums_up(void **state)
{
	static const enum na_action_kind kinds[] = {
		NA_ACT_D2H,     NA_ACT_SEND, NA_ACT_RECEIVE,
		NA_ACT_COMPUTE, NA_ACT_H2D,  NA_ACT_GRAPH};
	static const char *const inputs[] = {NULL,   "[0]",
					     "3, 4", "[1,2,3]",
					     "x",    "99999999999999999999"};
	uint64_t seed = 11;

	(void)state;
	for (int round = 0; round < 300; round++) {
		int64_t ahead[HOSTS] = {0, draw(&seed, 300), draw(&seed, 9000),
					draw(&seed, 50)};
		size_t n = 1 + (size_t)draw(&seed, 60);
		const struct na_value *path;
		struct act acts[64];
		struct world w;
		double at = 0, sum = 0;

		memset(acts, 0, sizeof(acts));
		for (size_t i = 0; i < n; i++) {
			int64_t from = draw(&seed, 1000);

			acts[i] = (struct act){
				.host = (int)draw(&seed, 3),
				.kind = kinds[draw(&seed, 6)],
				.start = from,
				.end = from + draw(&seed, 4) * draw(&seed, 200),
				.src = (int)draw(&seed, HOSTS),
				.dst = (int)draw(&seed, HOSTS),
				.latency = draw(&seed, 500),
				.chunk = (int)draw(&seed, 3),
				.index = (int)draw(&seed, 8) - 1,
				.inputs = inputs[draw(&seed, 6)],
				.launch = draw(&seed, 9) ? 0 : -1,
			};
		}
		acts[0].host = 0;
		begin(&w, 3, ahead);
		explain(&w, acts, n, 0, 1000);
		path = na_get(late_of(&w), "path");
		for (const struct na_value *s = path->u.of.first; s;
		     s = s->next) {
			double from = na_real_of(na_get(s, "from_us"), NAN);
			double to = na_real_of(na_get(s, "to_us"), NAN);

			assert_true(from == at);
			assert_true(to > from);
			at = to;
		}
		if (path->n)
			assert_true(at == 1000);
		else
			assert_non_null(
				na_text_of(na_get(late_of(&w), "missing"),
					   NULL));
		path = na_get(late_of(&w), "shares");
		for (const struct na_value *s = path->u.of.first; s;
		     s = s->next)
			sum += na_real_of(s, NAN);
		assert_true(at == 0 || fabs(sum - 1) < 1e-9);
		end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_peer),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(clocks_apart),
		cmocka_unit_test(no_trace),
		cmocka_unit_test(slow_network),
		cmocka_unit_test(slow_receiver),
		cmocka_unit_test(alike),
		cmocka_unit_test(told_inputs),
		cmocka_unit_test(other_launch),
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(sums_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
