/*
 * The simulated job: its two ends agree, the link is never overrun, devices
 * wait for their hosts; and every fault that is planted can be seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "tests/unit/synth_session.h"

static const char mega[] = "/device:CUSTOM:Megascale Trace";

/* ---- both ends agree */

struct texts {
	char (*items)[160];
	size_t n, cap;
};

static void add_text(struct texts *t, const struct event *e)
{
	const char *key = strstr(event_text(e, "graph_key"), "_gid_");

	assert_non_null(key);
	assert_true(na_grow(&t->items, &t->cap, t->n + 1, sizeof(t->items[0])));
	snprintf(t->items[t->n++], sizeof(t->items[0]), "%s %s", key,
		 event_text(e, "buffer_sizes"));
}

struct both {
	struct texts sent, received;
};

static void collect_texts(void *ctx, const struct event *e)
{
	struct both *b = ctx;

	if (!strcmp(e->name, "NetworkSend END"))
		add_text(&b->sent, e);
	else if (!strcmp(e->name, "NetworkReceive END"))
		add_text(&b->received, e);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void both_ends_agree(void **state)
{
	struct both b = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct session s;

	(void)state;
	session_init(&s);
	session_make(&s, NA_OK);
	for (size_t i = 0; i < 3; i++) {
		Netan__Xplane__XSpace *x = session_space(&s, i);

		space_each(x, mega, collect_texts, &b);
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	assert_true(b.sent.n > 100);
	assert_int_equal(b.sent.n, b.received.n);
	qsort(b.sent.items, b.sent.n, sizeof(b.sent.items[0]), by_text);
	qsort(b.received.items, b.received.n, sizeof(b.sent.items[0]), by_text);
	for (size_t i = 0; i < b.sent.n; i++) {
		assert_string_equal(b.sent.items[i], b.received.items[i]);
		/* One key, one transfer. */
		assert_true(!i || strcmp(b.sent.items[i], b.sent.items[i - 1]));
	}
	free(b.sent.items);
	free(b.received.items);
	session_end(&s);
}

/* ---- the link */

struct change {
	int64_t at_ps;
	double bits_per_s;
};

struct changes {
	struct change *items;
	size_t n, cap;
	bool send;
};

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->at_ps != y->at_ps)
		return x->at_ps < y->at_ps ? -1 : 1;
	return x->bits_per_s < y->bits_per_s ? -1
					     : x->bits_per_s > y->bits_per_s;
}

static void collect_rates(void *ctx, const struct event *e)
{
	struct changes *c = ctx;
	int64_t took, bytes = 0;
	double rate;

	if (strcmp(e->name, c->send ? "NetworkSend END" : "NetworkReceive END"))
		return;
	for (const char *p = event_text(e, "buffer_sizes");
	     (p = strchr(p, '=')); p++)
		bytes += atoll(p + 1);
	took = c->send ? event_number(e, "action_duration_ns") * 1000
		       : event_number(e, "network_transport_latency_us") *
				 1000000;
	assert_true(took > 0);
	rate = (double)bytes * 8e12 / (double)took;
	assert_true(na_grow(&c->items, &c->cap, c->n + 2, sizeof(*c->items)));
	c->items[c->n++] = (struct change){e->end_ps - took, rate};
	c->items[c->n++] = (struct change){e->end_ps, -rate};
}

static void link_is_never_overrun(void **state)
{
	struct session s;

	(void)state;
	session_init(&s);
	s.cfg.link_rate = 50e9;
	session_make(&s, NA_OK);
	for (size_t i = 0; i < 6; i++) {
		Netan__Xplane__XSpace *x = session_space(&s, i / 2);
		struct changes c = {NULL, 0, 0, i % 2};
		double now = 0, peak = 0;

		space_each(x, mega, collect_rates, &c);
		qsort(c.items, c.n, sizeof(*c.items), by_time);
		for (size_t k = 0; k < c.n; k++) {
			now += c.items[k].bits_per_s;
			if (now > peak)
				peak = now;
		}
		assert_true(peak < 50e9 * 1.000001);
		assert_true(peak > 20e9);
		free(c.items);
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	session_end(&s);
}

/* ---- devices wait for their hosts */

enum { MOST = 64 };

struct waits {
	int64_t done[MOST], graph[MOST];
	size_t n_done, n_graph;
	int fusions_inside, open; /* between send.N and recv-done.N */
	const char *device, *graphs, *send, *recv_done;
};

static void collect_waits(void *ctx, const struct event *e)
{
	struct waits *w = ctx;

	if (!strcmp(e->plane->name, w->device) &&
	    !strcmp(e->line->name, "XLA Ops")) {
		if (!strcmp(e->name, w->send))
			w->open = 1;
		if (!strcmp(e->name, w->recv_done)) {
			w->open = 0;
			assert_true(w->n_done < MOST);
			w->done[w->n_done++] = e->end_ps;
		}
		if (w->open && !strncmp(e->name, "fusion", 6))
			w->fusions_inside++;
	} else if (!strcmp(e->name, w->graphs)) {
		assert_true(w->n_graph < MOST);
		w->graph[w->n_graph++] = e->end_ps;
	}
}

static void check_waits(const char *fault, bool small)
{
	struct session s;
	struct waits w = {.device = "/device:TPU:1",
			  .graphs = "device_200001_gid_all-reduce.19_1",
			  .send = "send.19",
			  .recv_done = "recv-done.19"};
	Netan__Xplane__XSpace *x;

	session_init(&s);
	if (fault)
		session_fault(&s, fault);
	session_make(&s, NA_OK);
	x = session_space(&s, 2);
	space_each(x, "", collect_waits, &w);
	/* Two executions in each of three steps. */
	assert_int_equal(w.n_done, 6);
	assert_int_equal(w.n_graph, 6);
	for (size_t i = 0; i < 6; i++)
		assert_true(w.done[i] > w.graph[i]);
	assert_int_equal(w.fusions_inside == 0, small);
	netan__xplane__xspace__free_unpacked(x, NULL);
	session_end(&s);
}

static void devices_wait_for_hosts(void **state)
{
	(void)state;
	check_waits(NULL, false);
	check_waits("small-slack:all-reduce.19_1", true);
}

/* ---- faults in the network */

struct means {
	double sum[3][3];
	int n[3][3];
	int tails;
	bool slowest_only;
};

static void collect_latency(void *ctx, const struct event *e)
{
	struct means *m = ctx;
	const char *sizes = event_text(e, "buffer_sizes");
	int64_t us = event_number(e, "network_transport_latency_us");
	int src, dst;

	if (strcmp(e->name, "NetworkReceive END"))
		return;
	assert_int_equal(sscanf(sizes, "s%d->%d", &src, &dst), 2);
	src /= 100000;
	dst /= 100000;
	m->sum[src][dst] += (double)us;
	m->n[src][dst]++;
	m->tails += us >= 200000;
}

static void measure(struct session *s, struct means *m)
{
	memset(m, 0, sizeof(*m));
	session_make(s, NA_OK);
	for (size_t i = 0; i < 3; i++) {
		Netan__Xplane__XSpace *x = session_space(s, i);

		space_each(x, mega, collect_latency, m);
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
}

/* want[src][dst]: by how much the pair must be slower than without. */
static void check_slow(const char *fault, const double want[3][3])
{
	struct session plain, bad;
	struct means a, b;

	session_init(&plain);
	measure(&plain, &a);
	session_end(&plain);
	session_init(&bad);
	session_fault(&bad, fault);
	measure(&bad, &b);
	session_end(&bad);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++) {
			double ratio;

			if (i == k)
				continue;
			assert_int_equal(a.n[i][k], b.n[i][k]);
			ratio = b.sum[i][k] / a.sum[i][k] / want[i][k];
			if (ratio < 0.85 || ratio > 1.18)
				fail_msg("%s: %d->%d is %.3f of what it "
					 "should be",
					 fault, i, k, ratio);
		}
}

static void slow_parts_are_slow(void **state)
{
	static const double sender[3][3] = {{1, 1, 1}, {4, 1, 4}, {1, 1, 1}};
	static const double receiver[3][3] = {{1, 1, 3}, {1, 1, 3}, {1, 1, 1}};
	static const double host[3][3] = {{1, 2, 2}, {2, 1, 1}, {2, 1, 1}};
	static const double path[3][3] = {{1, 1, 1}, {1, 1, 1}, {2.5, 1, 1}};

	(void)state;
	check_slow("slow-sender:host-1:4", sender);
	check_slow("slow-receiver:2:3", receiver);
	check_slow("slow-host:0:2", host);
	check_slow("slow-path:2:host-0:2.5", path);
}

static void tails_are_counted(void **state)
{
	struct session s;
	struct means m;

	(void)state;
	session_init(&s);
	session_fault(&s, "tail:host-1:0.05");
	measure(&s, &m);
	assert_true(m.tails > 3);
	assert_int_equal(m.tails,
			 session_truth(&s, "host-1", NULL, "tails_sent"));
	assert_int_equal(session_truth(&s, "host-0", NULL, "tails_sent"), 0);
	session_end(&s);
}

/* ---- faults of a host */

struct work {
	int early, late, copies, programs;
	int64_t first_step_ps, computing_ps;
};

static void collect_work(void *ctx, const struct event *e)
{
	struct work *w = ctx;

	if (!strcmp(e->line->name, "Steps") &&
	    (!w->first_step_ps || e->start_ps < w->first_step_ps))
		w->first_step_ps = e->start_ps;
	if (!strncmp(e->name, "fusion", 6))
		w->computing_ps += e->event->duration_ps;
	w->copies += !strcmp(e->name, "MegaScale: Memory Copy");
	if (strcmp(e->name, "MapDmaBuffer"))
		return;
	/* The device planes come first, so the first step is known. */
	assert_true(w->first_step_ps > 0);
	if (e->start_ps < w->first_step_ps)
		w->early++;
	else
		w->late++;
}

static int64_t program_of(const Netan__Xplane__XSpace *x)
{
	for (size_t i = 0; i < x->n_planes; i++)
		if (!strcmp(x->planes[i]->name, "/host:metadata"))
			return x->planes[i]->event_metadata[0]->key;
	return 0;
}

static void hosts_show_their_faults(void **state)
{
	struct work w[3];
	int64_t programs[3];
	struct session s;

	(void)state;
	memset(w, 0, sizeof(w));
	session_init(&s);
	session_fault(&s, "registration:1:5");
	session_fault(&s, "copy:host-2:4");
	session_fault(&s, "slow-compute:0:1.5");
	session_fault(&s, "program:2");
	session_make(&s, NA_OK);
	for (size_t i = 0; i < 3; i++) {
		Netan__Xplane__XSpace *x = session_space(&s, i);

		space_each(x, "", collect_work, &w[i]);
		programs[i] = program_of(x);
		assert_int_equal(w[i].early, 3);
		assert_int_equal(w[i].late, i == 1 ? 5 : 0);
		assert_int_equal(w[i].copies, i == 2 ? 4 : 0);
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	assert_int_equal(programs[0], programs[1]);
	assert_int_not_equal(programs[0], programs[2]);
	assert_true((double)w[0].computing_ps / (double)w[1].computing_ps >
		    1.4);
	assert_true((double)w[0].computing_ps / (double)w[1].computing_ps <
		    1.6);
	session_end(&s);
}

static int64_t clock_of(const char *fault, int64_t *skewed)
{
	Netan__Xplane__XSpace *x;
	struct session s;
	int64_t start;

	session_init(&s);
	if (fault)
		session_fault(&s, fault);
	session_make(&s, NA_OK);
	x = session_space(&s, 1);
	start = plane_number(x, "Task Environment", "profile_start_time");
	*skewed = session_truth(&s, "host-1", "graph", "clock_skew");
	netan__xplane__xspace__free_unpacked(x, NULL);
	session_end(&s);
	return start;
}

static void clocks_are_off(void **state)
{
	int64_t skewed, right = clock_of(NULL, &skewed);

	(void)state;
	assert_int_equal(skewed, 0);
	assert_int_equal(clock_of("clock:1:3ms", &skewed), right + 3000000);
	assert_int_equal(skewed, 0);
	assert_int_equal(clock_of("clock:1:-1s", &skewed), right - 1000000000);
	assert_true(skewed > 100);
}

static void check_cut(const char *fault, size_t want)
{
	struct session whole, cut;
	uint8_t *a, *b;
	size_t n, m;

	session_init(&whole);
	session_make(&whole, NA_OK);
	a = session_bytes(&whole, 1, &n);
	session_init(&cut);
	session_fault(&cut, fault);
	session_make(&cut, NA_OK);
	b = session_bytes(&cut, 1, &m);
	if (!want)
		want = n / 2 - 1;
	assert_true(m >= want && m <= want + 1);
	assert_memory_equal(a, b, m);
	assert_int_equal(session_truth(&cut, "host-1", NULL, "cut_from_bytes"),
			 n);
	assert_int_equal(session_truth(&cut, "host-1", NULL, "file_bytes"), m);
	free(a);
	free(b);
	session_end(&whole);
	session_end(&cut);
}

static void files_are_cut(void **state)
{
	(void)state;
	check_cut("truncate:1:1000", 1000);
	check_cut("truncate:host-1:0.5", 0);
}

/* ---- what is refused */

static void refused(const char *fault, const char *says)
{
	struct session s;

	session_init(&s);
	session_fault(&s, fault);
	session_make(&s, NA_EUSAGE);
	if (!strstr(s.err.text, says))
		fail_msg("%s: \"%s\" does not say \"%s\"", fault, s.err.text,
			 says);
	session_end(&s);
}

static void nonsense_is_refused(void **state)
{
	struct session s;

	(void)state;
	refused("slow-sneder:1:2", "slow-sender");
	refused("slow-sender:7:2", "host-0 to host-2");
	refused("slow-sender:-1:2", "no host");
	refused("slow-sender:1", "slow-sender:HOST:FACTOR");
	refused("slow-sender:1:0.5", "factor of 1");
	refused("slow-path:1:2", "SRC:DST");
	refused("tail:1:1.5", "between 0 and 1");
	refused("copy:1:0", "COUNT");
	refused("copy:1:2.5", "COUNT");
	refused("clock:1:5", "TIME");
	refused("clock:1:5ps", "TIME");
	refused("truncate:1:1.5", "SHARE");
	refused("small-slack:nothing", "all-reduce.19_1");
	refused("program", "program:HOST");
	refused("program:1:2", "program:HOST");
	session_init(&s);
	s.cfg.slices = 2;
	session_make(&s, NA_EUSAGE);
	session_end(&s);
	session_init(&s);
	s.cfg.run = "a/b";
	session_make(&s, NA_EUSAGE);
	session_end(&s);
	session_init(&s);
	s.cfg.hosts = 1;
	session_fault(&s, "tail:0:0.5");
	session_make(&s, NA_EUSAGE);
	session_end(&s);
}

static void leftovers_are_refused(void **state)
{
	struct na_synth_report first;
	struct session s;

	(void)state;
	session_init(&s);
	session_make(&s, NA_OK);
	first = s.report;
	s.cfg.hosts = 2;
	assert_int_equal(na_synth_run(&s.cfg, &s.report, &s.err), NA_EIO);
	assert_non_null(strstr(s.err.text, "host-2.xplane.pb"));
	na_synth_report_fini(&s.report);
	s.report = first;
	session_end(&s);
}

static void one_host_alone_is_fine(void **state)
{
	struct session s;
	int64_t events;

	(void)state;
	session_init(&s);
	s.cfg.hosts = 1;
	s.cfg.icis = 2;
	session_make(&s, NA_OK);
	assert_int_equal(s.report.n, 2);
	events = session_truth(&s, "host-0", "graph", "transfers_rx");
	assert_int_equal(events, 0);
	session_end(&s);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_agree),
		cmocka_unit_test(link_is_never_overrun),
		cmocka_unit_test(devices_wait_for_hosts),
		cmocka_unit_test(slow_parts_are_slow),
		cmocka_unit_test(tails_are_counted),
		cmocka_unit_test(hosts_show_their_faults),
		cmocka_unit_test(clocks_are_off),
		cmocka_unit_test(files_are_cut),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(leftovers_are_refused),
		cmocka_unit_test(one_host_alone_is_fine),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
