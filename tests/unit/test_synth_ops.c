/*
 * What synthetic devices did, computed once more from the files and held
 * against the truth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "tests/unit/synth_session.h"

static const char mega[] = "/device:CUSTOM:Megascale Trace";

/* ---- slack and stall */

enum { RECV, SEND, SEND_DONE, RECV_DONE, KINDS };

static const char *const kinds[KINDS] = {"recv.", "send.", "send-done.",
					 "recv-done."};

struct op {
	int64_t start_ps, end_ps, launch;
	int kind; /* of KINDS; else something else ran */
	int number;
};

struct ops {
	struct op *items;
	size_t n, cap;
	const char *line, *prefix;
};

static void add_op(struct ops *o, struct op op)
{
	assert_true(na_grow(&o->items, &o->cap, o->n + 1, sizeof(*o->items)));
	o->items[o->n++] = op;
}

static void collect_ops(void *ctx, const struct event *e)
{
	struct op op = {e->start_ps, e->end_ps, 0, KINDS, 0};

	if (strcmp(e->line->name, "XLA Ops"))
		return;
	for (int k = 0; k < KINDS; k++)
		if (!strncmp(e->name, kinds[k], strlen(kinds[k]))) {
			op.kind = k;
			op.number = atoi(e->name + strlen(kinds[k]));
		}
	add_op(ctx, op);
}

static void collect_graphs(void *ctx, const struct event *e)
{
	struct ops *o = ctx;

	if (!strcmp(e->name, o->prefix))
		add_op(o, (struct op){e->start_ps, e->end_ps,
				      event_number(e, "launch_id") * 2 +
					      event_number(e, "loop_iteration"),
				      0, 0});
}

/* Number i of the ops of that kind and number, in order of time. */
static const struct op *op_at(const struct ops *o, int kind, int number,
			      size_t i)
{
	for (size_t k = 0; k < o->n; k++)
		if (o->items[k].kind == kind && o->items[k].number == number &&
		    !i--)
			return &o->items[k];
	return NULL;
}

struct cost {
	int64_t n, slack, observed, stall, host, parts[KINDS], least, most;
};

static void add_execution(struct cost *c, const struct ops *o,
			  const struct op *const part[KINDS],
			  const struct op *graph)
{
	int64_t slack = part[RECV_DONE]->start_ps - part[SEND]->start_ps;

	for (size_t k = 0; k < o->n; k++)
		if (o->items[k].kind < KINDS &&
		    o->items[k].start_ps >= part[SEND]->start_ps &&
		    o->items[k].start_ps < part[RECV_DONE]->start_ps)
			slack -= o->items[k].end_ps - o->items[k].start_ps;
	for (int k = 0; k < KINDS; k++) {
		int64_t took = part[k]->end_ps - part[k]->start_ps;

		c->parts[k] += took;
		c->stall += took;
	}
	c->least = !c->n || slack < c->least ? slack : c->least;
	c->most = !c->n || slack > c->most ? slack : c->most;
	c->n++;
	c->slack += slack;
	c->observed += part[RECV_DONE]->end_ps - part[SEND]->start_ps;
	c->host += graph->end_ps - part[RECV_DONE]->start_ps;
}

static void compare(const struct session *s, const char *coll, int host,
		    const char *key, int64_t seen)
{
	char in[80], at[40], member[40];
	int64_t want;

	snprintf(in, sizeof(in), "{\"collective\": \"%s\"", coll);
	snprintf(at, sizeof(at), "{\"host\": \"host-%d\"", host);
	snprintf(member, sizeof(member), "\"%s\": ", key);
	want = session_number(s, "\"collectives\": [", in, at, member, NULL);
	if (seen != want)
		fail_msg("%s, host %d: %s is %" PRId64 ", the truth says "
			 "%" PRId64,
			 coll, host, key, seen, want);
}

static void compare_cost(const struct session *s, const char *coll, int host,
			 const struct cost *c)
{
	compare(s, coll, host, "occurrences", c->n);
	compare(s, coll, host, "slack_ps", c->slack);
	compare(s, coll, host, "slack_min_ps", c->least);
	compare(s, coll, host, "slack_max_ps", c->most);
	compare(s, coll, host, "observed_ps", c->observed);
	compare(s, coll, host, "stall_ps", c->stall);
	compare(s, coll, host, "send_ps", c->parts[SEND]);
	compare(s, coll, host, "send_done_ps", c->parts[SEND_DONE]);
	compare(s, coll, host, "recv_ps", c->parts[RECV]);
	compare(s, coll, host, "recv_done_ps", c->parts[RECV_DONE]);
	compare(s, coll, host, "host_stall_ps", c->host);
}

static int by_launch(const void *a, const void *b)
{
	const struct op *x = a, *y = b;

	return x->launch < y->launch ? -1 : x->launch > y->launch;
}

static void check_device(Netan__Xplane__XSpace *x, int host, int device,
			 const char *coll, struct cost *c)
{
	struct ops ops = {NULL, 0, 0, NULL, NULL};
	struct ops graphs = ops;
	const struct op *part[KINDS];
	char name[80];
	int number = atoi(strchr(coll, '.') + 1);

	snprintf(name, sizeof(name), "/device:TPU:%d", device);
	space_each(x, name, collect_ops, &ops);
	snprintf(name, sizeof(name), "device_%d_gid_%s", host * 100000 + device,
		 coll);
	graphs.prefix = name;
	space_each(x, mega, collect_graphs, &graphs);
	qsort(graphs.items, graphs.n, sizeof(*graphs.items), by_launch);
	for (size_t i = 0;; i++) {
		for (int k = 0; k < KINDS; k++)
			part[k] = op_at(&ops, k, number, i);
		if (!part[RECV_DONE])
			break;
		assert_true(i < graphs.n);
		add_execution(c, &ops, part, &graphs.items[i]);
	}
	free(ops.items);
	free(graphs.items);
}

static void check_costs(const char *fault, const char *const *colls, size_t n)
{
	struct session s;

	session_init(&s);
	if (fault)
		session_fault(&s, fault);
	session_make(&s, NA_OK);
	for (int h = 0; h < 3; h++) {
		Netan__Xplane__XSpace *x = session_space(&s, (size_t)h);

		for (size_t i = 0; i < n; i++) {
			struct cost c = {0};

			for (int d = 0; d < 2; d++)
				check_device(x, h, d, colls[i], &c);
			assert_true(c.n >= 6);
			compare_cost(&s, colls[i], h, &c);
		}
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	session_end(&s);
}

static void costs_equal_the_truth(void **state)
{
	static const char *const colls[] = {
		"all-gather.12_0", "all-reduce.19_1", "all-reduce.26_2",
		"ppermute.33_0",   "all-reduce.40_1", "reduce-scatter.47_2",
		"psum.54_0",       "all-to-all.61_1"};

	(void)state;
	check_costs(NULL, colls, 8);
	check_costs("stall:all-reduce.26_2:9ms", colls, 8);
	check_costs("small-slack:all-reduce.19_1", colls + 1, 1);
}

static void stalls_are_planted(void **state)
{
	struct session s;
	int64_t ps;

	(void)state;
	session_init(&s);
	session_fault(&s, "stall:psum.54_0:30ms");
	session_make(&s, NA_OK);
	/* No step's slack is that long. */
	ps = session_number(&s, "\"collectives\": [",
			    "{\"collective\": \"psum.54_0\"",
			    "\"recv_done_ps\": ", NULL);
	assert_true(ps / 18 > 20 * NA_PS_PER_MS);
	session_end(&s);
}

/* Of 3 slices: what trace-formats says of each type, of 3 steps on 6
 * devices. */
static void bytes_are_exact(void **state)
{
	static const struct {
		const char *coll;
		int64_t bytes;
	} want[] = {
		{"all-gather.12_0", 2 * 524544},
		{"all-reduce.19_1", 2 * 2 * 2 * 2097408 / 3},
		{"ppermute.33_0", 66048},
		{"reduce-scatter.47_2", 2 * 2097408 / 3},
		{"all-to-all.61_1", 2 * 1048576 / 3},
	};
	struct session s;

	(void)state;
	session_init(&s);
	session_make(&s, NA_OK);
	for (size_t i = 0; i < 5; i++) {
		char in[80];
		int64_t got, unit;

		snprintf(in, sizeof(in), "{\"collective\": \"%s\"",
			 want[i].coll);
		got = session_number(&s, "\"collectives\": [", in,
				     "\"bytes\": ", NULL);
		/* Sizes are rounded up to whole rows. */
		unit = got - want[i].bytes * 18;
		if (unit < 0 || unit > 18 * 2048)
			fail_msg("%s: %" PRId64 " bytes", want[i].coll, got);
	}
	session_end(&s);
}

/* ---- steps */

struct spent {
	int64_t start[8], took[8], dcn[8], busy[8], first[8];
	int n;
	bool ops;
};

static void collect_steps(void *ctx, const struct event *e)
{
	struct spent *t = ctx;

	if (!strcmp(e->line->name, "Steps") && !t->ops) {
		assert_true(t->n < 8);
		t->start[t->n] = e->start_ps;
		t->took[t->n++] = e->end_ps - e->start_ps;
	}
	if (strcmp(e->line->name, "XLA Ops") || !t->ops)
		return;
	for (int i = 0; i < t->n; i++) {
		int64_t took = e->end_ps - e->start_ps;

		if (e->start_ps < t->start[i] ||
		    e->start_ps >= t->start[i] + t->took[i])
			continue;
		if (!t->first[i])
			t->first[i] = e->start_ps;
		if (!strncmp(e->name, "fusion", 6))
			t->busy[i] += took;
		else
			t->dcn[i] += took;
	}
}

static void compare_steps(const struct session *s, int host,
			  const struct spent *t)
{
	for (int i = 0; i < t->n; i++) {
		char row[80];
		int64_t took, comp, exposed, idle;

		snprintf(row, sizeof(row),
			 "{\"host\": \"host-%d\", \"device\": 1, "
			 "\"step\": %d,",
			 host, i);
		took = session_number(s, "\"device_steps\": [", row,
				      "\"duration_ps\": ", NULL);
		comp = session_number(s, "\"device_steps\": [", row,
				      "\"compute_ps\": ", NULL);
		exposed = session_number(s, "\"device_steps\": [", row,
					 "\"exposed_ps\": ", NULL);
		idle = session_number(s, "\"device_steps\": [", row,
				      "\"idle_ps\": ", NULL);
		assert_int_equal(took, t->took[i]);
		assert_int_equal(comp, t->busy[i]);
		assert_int_equal(exposed, t->dcn[i]);
		assert_int_equal(idle, took - comp - exposed);
	}
}

static void measure_steps(Netan__Xplane__XSpace *x, struct spent *t)
{
	memset(t, 0, sizeof(*t));
	space_each(x, "/device:TPU:1", collect_steps, t);
	t->ops = true;
	space_each(x, "/device:TPU:1", collect_steps, t);
	assert_int_equal(t->n, 3);
}

static void steps_equal_the_truth(void **state)
{
	struct session s;
	struct spent t;

	(void)state;
	session_init(&s);
	s.cfg.icis = 4;
	session_fault(&s, "late-input:2:3ms");
	session_make(&s, NA_OK);
	for (int h = 0; h < 3; h++) {
		Netan__Xplane__XSpace *x = session_space(&s, (size_t)h);

		measure_steps(x, &t);
		compare_steps(&s, h, &t);
		for (int i = 0; i < 3; i++)
			assert_int_equal(t.first[i] - t.start[i],
					 NA_PS_PER_US +
						 (h == 2 ? 3 * NA_PS_PER_MS
							 : 0));
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	assert_int_equal(session_number(&s, "\"late\": [", "\"step\": 1",
					"\"by_ps\": ", NULL),
			 3 * NA_PS_PER_MS);
	session_end(&s);
}

static void some_steps_are_late(void **state)
{
	struct session s;
	struct spent t;
	int late = 0, told = 0;

	(void)state;
	session_init(&s);
	s.cfg.steps = 8;
	session_fault(&s, "late-input:1:2ms:0.5");
	session_make(&s, NA_OK);
	for (int h = 1; h < 2; h++) {
		Netan__Xplane__XSpace *x = session_space(&s, (size_t)h);

		memset(&t, 0, sizeof(t));
		space_each(x, "/device:TPU:1", collect_steps, &t);
		t.ops = true;
		space_each(x, "/device:TPU:1", collect_steps, &t);
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	for (int i = 0; i < 8; i++)
		late += t.first[i] - t.start[i] > NA_PS_PER_MS;
	for (const char *p = s.truth; (p = strstr(p, "\"cause\": \"input\""));
	     p++)
		told++;
	assert_true(late > 1 && late < 7);
	assert_int_equal(late, told);
	session_end(&s);
}

/* ---- the graphs of actions */

enum { MOST = 64 };

struct actions {
	const char *key; /* of one execution */
	int64_t start_ps[MOST], end_ps[MOST], num_actions;
	char inputs[MOST][256], name[MOST][32];
	int n;
};

static void collect_actions(void *ctx, const struct event *e)
{
	struct actions *a = ctx;
	int64_t i = event_number(e, "action_index");

	if (strcmp(event_text(e, "graph_key"), a->key))
		return;
	if (strstr(e->name, "_gid_"))
		a->num_actions = event_number(e, "num_actions");
	if (!strstr(e->name, " END"))
		return;
	assert_true(i >= 0 && i < MOST && !a->end_ps[i]);
	a->end_ps[i] = e->end_ps;
	a->start_ps[i] = e->end_ps -
			 event_number(e, "action_duration_ns") * 1000;
	snprintf(a->inputs[i], sizeof(a->inputs[i]), "%s",
		 event_text(e, "action_inputs"));
	snprintf(a->name[i], sizeof(a->name[i]), "%s", e->name);
	a->n++;
}

static int check_inputs(const struct actions *a, int i)
{
	const char *p = a->inputs[i];
	int n = 0;

	assert_int_equal(*p, '[');
	for (p++; *p != ']'; n++) {
		char *end;
		long k = strtol(p, &end, 10);

		assert_true(end > p && k >= 0 && k < a->n && k != i);
		/* What is waited for is over before the waiting ends. */
		if (a->end_ps[k] > a->start_ps[i])
			fail_msg("%s %d began before %s %ld ended", a->name[i],
				 i, a->name[k], k);
		p = end + (*end == ',');
	}
	return n;
}

static void check_graph(Netan__Xplane__XSpace *x, const char *key)
{
	struct actions a = {.key = key};

	space_each(x, mega, collect_actions, &a);
	assert_int_equal(a.n, a.num_actions);
	assert_string_equal(a.name[0], "DeviceToHost END");
	assert_string_equal(a.name[a.n - 1], "HostToDevice END");
	for (int i = 0; i < a.n; i++) {
		int n = check_inputs(&a, i);

		if (!strcmp(a.name[i], "NetworkReceive END") || !i)
			assert_int_equal(n, 0);
		else
			assert_true(n > 0);
	}
}

static void actions_know_what_they_wait_for(void **state)
{
	(void)state;
	for (int ring = 0; ring < 2; ring++) {
		Netan__Xplane__XSpace *x;
		struct session s;

		session_init(&s);
		s.cfg.pattern = ring ? NA_PATTERN_RING : NA_PATTERN_DIRECT;
		session_make(&s, NA_OK);
		x = session_space(&s, 1);
		check_graph(x, "device_100001_gid_all-reduce.26_2$l401^i0");
		check_graph(x, "device_100000_gid_all-gather.12_0$l400^i0");
		check_graph(x, "device_100001_gid_all-reduce.19_1$l402^i1");
		check_graph(x, "device_100001_gid_reduce-scatter.47_2$l401^i0");
		netan__xplane__xspace__free_unpacked(x, NULL);
		session_end(&s);
	}
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_equal_the_truth),
		cmocka_unit_test(stalls_are_planted),
		cmocka_unit_test(bytes_are_exact),
		cmocka_unit_test(steps_equal_the_truth),
		cmocka_unit_test(some_steps_are_late),
		cmocka_unit_test(actions_know_what_they_wait_for),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
