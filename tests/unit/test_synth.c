/*
 * The synthetic traces: deterministic, canonical, and what their truth says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <zlib.h>

#include "netan/base/units.h"
#include "netan/base/wire_out.h"
#include "netan/synth/rng.h"
#include "tests/unit/synth_session.h"

/* ---- random numbers */

/* Reference outputs of xoshiro256** from the state 1, 2, 3, 4, as the
 * published C program gives them. */
static void rng_matches_the_reference(void **state)
{
	/* clang-format off */
	static const uint64_t want[] = {
		11520, 0, 1509978240, UINT64_C(1215971899390074240)
	};
	/* clang-format on */
	struct na_rng r = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_true(na_rng_next(&r) == want[i]);
	na_rng_seed(&r, 0);
	assert_true(r.s[0] == UINT64_C(0xe220a8397b1dcdaf));
}

static void exp2_is_close(void **state)
{
	(void)state;
	assert_int_equal(na_exp2_q16(0), NA_Q16_ONE);
	assert_int_equal(na_exp2_q16(-NA_Q16_ONE), NA_Q16_ONE / 2);
	assert_int_equal(na_exp2_q16(30 * NA_Q16_ONE),
			 NA_Q16_ONE * (INT64_C(1) << 30));
	for (int64_t x = 0; x < 30 * NA_Q16_ONE; x += 997) {
		double want = exp2((double)x / 65536) * 65536;

		assert_true(fabs((double)na_exp2_q16(x) - want) < want / 16384);
	}
}

static void normal_is_standard(void **state)
{
	double sum = 0, squares = 0;
	struct na_rng r;
	int n = 20000;

	(void)state;
	na_rng_seed(&r, 3);
	for (int i = 0; i < n; i++) {
		double x = (double)na_rng_normal_q16(&r) / 65536;

		sum += x;
		squares += x * x;
	}
	assert_true(fabs(sum / n) < 0.03);
	assert_true(fabs(squares / n - 1) < 0.05);
	assert_int_equal(na_rng_below(&r, 0), 0);
	assert_int_equal(na_rng_below(&r, 1), 0);
	assert_false(na_rng_hit(&r, 0));
	assert_true(na_rng_hit(&r, NA_Q16_ONE));
}

/* ---- wire format */

/* Lengths of one, two and three bytes, against the generated packer. */
static void wire_lengths_are_shortest(void **state)
{
	static const size_t sizes[] = {0,   1,     120,   127,   128,
				       129, 16381, 16383, 16384, 70000};
	char *text = malloc(70001);

	(void)state;
	memset(text, 'x', 70000);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		Netan__Xplane__XLine line;
		Netan__Xplane__XPlane plane;
		Netan__Xplane__XLine *lines[] = {&line};
		struct na_wire w;
		uint8_t *want;
		size_t n, at;

		netan__xplane__xline__init(&line);
		netan__xplane__xplane__init(&plane);
		text[sizes[i]] = '\0';
		line.name = text;
		line.timestamp_ns = -5;
		plane.n_lines = 1;
		plane.lines = lines;
		n = netan__xplane__xplane__get_packed_size(&plane);
		want = malloc(n + 1);
		netan__xplane__xplane__pack(&plane, want);
		memset(&w, 0, sizeof(w));
		at = na_wire_begin(&w, 3);
		if (sizes[i])
			na_wire_str(&w, 2, text);
		na_wire_scalar(&w, 3, -5);
		na_wire_end(&w, at);
		assert_false(w.failed);
		assert_int_equal(w.n, n);
		assert_memory_equal(w.p, want, n);
		na_wire_fini(&w);
		free(want);
		text[sizes[i]] = 'x';
	}
	free(text);
}

/* ---- files */

static uint32_t crc_of_all(const struct session *s)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < s->report.n; i++) {
		size_t n;
		uint8_t *p = session_bytes(s, i, &n);

		crc = (uint32_t)crc32(crc, p, (uInt)n);
		free(p);
	}
	return crc;
}

static uint32_t crc_for_seed(int64_t seed, int generation)
{
	struct session s;
	uint32_t crc;

	session_init(&s);
	s.cfg.seed = seed;
	s.cfg.generation = generation;
	session_make(&s, NA_OK);
	crc = crc_of_all(&s);
	session_end(&s);
	return crc;
}

/* The last number pins the bytes: it changes when the generator is meant
 * to write something else, and never with compiler or machine. */
static void same_seed_same_bytes(void **state)
{
	uint32_t a = crc_for_seed(7, NA_GEN_BOTH);

	(void)state;
	assert_int_equal(a, crc_for_seed(7, NA_GEN_BOTH));
	assert_int_not_equal(a, crc_for_seed(8, NA_GEN_BOTH));
	assert_int_equal(a, 0xdde9f3d9);
}

/* What the generated code packs from what it read is what was written:
 * canonical order, shortest lengths, no unknown fields, no zero scalars. */
static void bytes_are_canonical(void **state)
{
	struct session s;

	(void)state;
	session_init(&s);
	s.cfg.generation = NA_GEN_BOTH;
	session_make(&s, NA_OK);
	for (size_t i = 0; i + 1 < s.report.n; i++) {
		Netan__Xplane__XSpace *x = session_space(&s, i);
		size_t n, m = netan__xplane__xspace__get_packed_size(x);
		uint8_t *want = malloc(m), *p = session_bytes(&s, i, &n);

		assert_non_null(want);
		netan__xplane__xspace__pack(x, want);
		assert_int_equal(n, m);
		assert_memory_equal(p, want, n);
		free(want);
		free(p);
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	session_end(&s);
}

/* ---- counts */

struct sums {
	int64_t rx, tx, valid, skew, loopback, no_latency, bad;
	int64_t rx_bytes, tx_bytes, d2h, h2d, compute, graphs;
};

/* Adds up `s<src>-><dst>d|$c<n>=<bytes>`; returns how many there are. */
static int entries(const char *sizes, int64_t *bytes, bool *loop)
{
	int n = 0;

	*bytes = 0;
	while (sizes) {
		long src, dst, chunk, b;

		if (sscanf(sizes, "s%ld->%ldd|$c%ld=%ld", &src, &dst, &chunk,
			   &b) == 4) {
			n++;
			*bytes += b;
			*loop = src == dst;
		}
		sizes = strchr(sizes, ',');
		if (sizes)
			sizes++;
	}
	return n;
}

static void add_graph_event(void *ctx, const struct event *e)
{
	struct sums *t = ctx;
	int64_t bytes, us = event_number(e, "network_transport_latency_us");
	bool loop = false;
	int n = entries(event_text(e, "buffer_sizes"), &bytes, &loop);

	t->graphs += !strncmp(e->name, "device_", 7);
	t->d2h += !strcmp(e->name, "DeviceToHost END");
	t->h2d += !strcmp(e->name, "HostToDevice END");
	t->compute += !strcmp(e->name, "Reduce END");
	if (!strcmp(e->name, "NetworkSend END")) {
		t->tx += n;
		t->tx_bytes += bytes;
	}
	if (strcmp(e->name, "NetworkReceive END"))
		return;
	t->rx += n ? n : 1;
	if (!n) {
		t->bad++;
	} else if (us < 0) {
		t->no_latency += n;
	} else if (us == 0) {
		t->skew += n;
	} else if (loop) {
		t->loopback += n;
	} else {
		t->valid += n;
		t->rx_bytes += bytes;
	}
}

static void add_message(void *ctx, const struct event *e)
{
	struct sums *t = ctx;
	int64_t us = event_number(e, "duration_us");
	int64_t bytes = event_number(e, "payload_size_bytes");

	t->d2h += !strcmp(e->name,
			  "MegaScale: Device to Host Transfer Finished");
	t->h2d += !strcmp(e->name,
			  "MegaScale: Host to Device Transfer Finished");
	t->compute += !strcmp(e->name, "MegaScale: Reduction Finished");
	if (!strcmp(e->name, "MegaScale: Communication Transport Send")) {
		t->tx++;
		t->tx_bytes += bytes;
	}
	if (strcmp(e->name, "MegaScale: Communication Transport Receive"))
		return;
	t->rx++;
	if (!*event_text(e, "dcn_label")) {
		t->bad++;
	} else if (us < 0) {
		t->no_latency++;
	} else if (us == 0) {
		t->skew++;
	} else if (event_number(e, "dcn_source_slice_id") ==
		   event_number(e, "dcn_destination_slice_id")) {
		t->loopback++;
	} else {
		t->valid++;
		t->rx_bytes += bytes;
	}
}

static void compare(const struct session *s, const char *host,
		    const char *section, const struct sums *t)
{
	/* clang-format off */
	const struct { const char *key; int64_t found; } rows[] = {
		{ "transfers_rx", t->rx }, { "transfers_tx", t->tx },
		{ "valid", t->valid }, { "loopback", t->loopback },
		{ "clock_skew", t->skew }, { "no_latency", t->no_latency },
		{ "bad", t->bad }, { "rx_bytes", t->rx_bytes },
		{ "tx_bytes", t->tx_bytes }, { "d2h", t->d2h },
		{ "h2d", t->h2d }, { "compute", t->compute },
		{ "graphs", t->graphs },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t want = session_truth(s, host, section, rows[i].key);

		if (want != rows[i].found)
			fail_msg("%s %s %s: found %lld, truth %lld", host,
				 section, rows[i].key, (long long)rows[i].found,
				 (long long)want);
	}
}

static void check_counts(int generation, int pattern, int64_t slices)
{
	struct session s;

	session_init(&s);
	s.cfg.generation = generation;
	s.cfg.pattern = pattern;
	s.cfg.hosts = 4;
	s.cfg.slices = slices;
	session_fault(&s, "loopback:0:3");
	session_fault(&s, "no-latency:1:4");
	session_fault(&s, "bad-key:2:5");
	session_fault(&s, "clock:3:-2ms");
	session_make(&s, NA_OK);
	assert_int_equal(s.report.n, 5);
	for (size_t i = 0; i < 4; i++) {
		Netan__Xplane__XSpace *x = session_space(&s, i);
		struct sums graph = {0}, message = {0};
		char host[16];

		snprintf(host, sizeof(host), "host-%zu", i);
		assert_string_equal(x->hostnames[0], host);
		space_each(x, "/device:CUSTOM:Megascale Trace", add_graph_event,
			   &graph);
		space_each(x, "/host:CPU", add_message, &message);
		compare(&s, host, "graph", &graph);
		compare(&s, host, "message", &message);
		assert_true(generation == NA_GEN_MESSAGE || graph.valid > 0);
		assert_true(generation == NA_GEN_GRAPH || message.valid > 0);
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	session_end(&s);
}

static void counts_equal_the_truth(void **state)
{
	(void)state;
	check_counts(NA_GEN_GRAPH, NA_PATTERN_DIRECT, 0);
	check_counts(NA_GEN_MESSAGE, NA_PATTERN_DIRECT, 2);
	check_counts(NA_GEN_BOTH, NA_PATTERN_RING, 0);
}

static void count_event(void *ctx, const struct event *e)
{
	(void)e;
	++*(int64_t *)ctx;
}

static void planes_equal_the_truth(void **state)
{
	struct session s;
	Netan__Xplane__XSpace *x;
	int64_t events = 0;
	const char *p;

	(void)state;
	session_init(&s);
	session_make(&s, NA_OK);
	x = session_space(&s, 1);
	p = strstr(s.truth, "{\"host\": \"host-1\"");
	for (size_t i = 0; i < x->n_planes; i++)
		for (size_t k = 0; k < x->planes[i]->n_lines; k++) {
			const Netan__Xplane__XLine *l = x->planes[i]->lines[k];
			char want[160];

			snprintf(want, sizeof(want),
				 "{\"name\": \"%s\", \"events\": %zu}", l->name,
				 l->n_events);
			p = strstr(p, want);
			assert_non_null(p);
		}
	space_each(x, "", count_event, &events);
	assert_int_equal(events, session_truth(&s, "host-1", NULL, "events"));
	assert_int_equal(events, s.report.files[1].events);
	assert_int_equal(plane_number(x, "Task Environment",
				      "profile_start_time"),
			 session_truth(&s, "host-1", NULL, "start_unix_ns"));
	netan__xplane__xspace__free_unpacked(x, NULL);
	session_end(&s);
}

/* ---- files for measurements */

static void has_four_stats(void *ctx, const struct event *e)
{
	++*(int64_t *)ctx;
	assert_int_equal(e->event->n_stats, 4);
}

static void check_large(int profile, int64_t events)
{
	struct session s;
	struct sums sums = {0};
	Netan__Xplane__XSpace *x;
	int64_t all = 0, network = 0;

	session_init(&s);
	s.cfg.profile = profile;
	s.cfg.events = events;
	session_make(&s, NA_OK);
	x = session_space(&s, 0);
	space_each(x, "", has_four_stats, &all);
	space_each(x, "/device:CUSTOM:Megascale", has_four_stats, &network);
	space_each(x, "/device:CUSTOM:Megascale", add_graph_event, &sums);
	assert_int_equal(all, events);
	assert_int_equal(network,
			 profile == NA_PROFILE_TYPICAL ? events / 8 : events);
	compare(&s, "host-0", "graph", &sums);
	assert_true(events < 1000 || sums.valid > 0);
	if (profile == NA_PROFILE_NETWORK)
		assert_int_equal(sums.valid + sums.tx + sums.graphs, events);
	netan__xplane__xspace__free_unpacked(x, NULL);
	session_end(&s);
}

static void large_files_equal_the_truth(void **state)
{
	(void)state;
	check_large(NA_PROFILE_TYPICAL, 20000);
	check_large(NA_PROFILE_NETWORK, 3001);
	check_large(NA_PROFILE_TYPICAL, 16);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rng_matches_the_reference),
		cmocka_unit_test(exp2_is_close),
		cmocka_unit_test(normal_is_standard),
		cmocka_unit_test(wire_lengths_are_shortest),
		cmocka_unit_test(same_seed_same_bytes),
		cmocka_unit_test(bytes_are_canonical),
		cmocka_unit_test(counts_equal_the_truth),
		cmocka_unit_test(planes_equal_the_truth),
		cmocka_unit_test(large_files_equal_the_truth),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
