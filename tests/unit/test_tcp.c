/*
 * tcp, driven through its descriptor on connections and segments made by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/fake_tcp.h"

extern const struct na_analysis na_an_tcp;

#define MS  INT64_C(1000000) /* in ns */
#define MSP INT64_C(1000000000)

struct run {
	struct hand h;
	struct na_scope scope;
	struct tcp_params params;
	struct driven d;
};

/* A healthy one: 1 s, 100 segments of 1000 bytes each way. */
static struct na_connection healthy(uint32_t id)
{
	struct na_connection c = {
		.id = id,
		.src_port = (uint16_t)(1000 + id),
		.dst_port = 80,
		.to_ps = 1000 * MSP,
		.initial_rtt_ns = 2 * MS,
	};

	for (size_t i = 0; i < 2; i++)
		c.dir[i] = (struct na_direction){
			.packets = 200,
			.wire_bytes = 110000,
			.bytes = 100000,
			.unique_bytes = 100000,
			.data_packets = 100,
			.rtt_samples = 50,
			.rtt_min_ns = MS,
			.rtt_p50_ns = 2 * MS,
			.rtt_p99_ns = 3 * MS,
			.max_in_flight_bytes = 5000,
			.max_window_bytes = 65536,
			.mss = 1460,
			.saw_syn = 1,
			.window_scale_known = 1,
		};
	return c;
}

static void fill(struct run *x, const struct na_connection *c, size_t n,
		 size_t input)
{
	struct na_part part;
	struct na_sink sink;

	na_part_init(&part, &x->h.store.pool, &x->h.filter,
		     NA_WANT_CONNECTIONS);
	sink = na_part_sink(&part);
	for (size_t i = 0; i < n; i++) {
		struct na_connection one = c[i];

		one.src = sink.address(sink.ctx, "10.0.0.1", 8);
		one.dst = one.id % 2 ? sink.address(sink.ctx, "fd00::2", 7)
				     : sink.address(sink.ctx, "10.0.0.2", 8);
		assert_int_equal(sink.connection(sink.ctx, &one), NA_OK);
	}
	assert_int_equal(na_store_take(&x->h.store, &part, input, &x->h.err),
			 NA_OK);
	na_part_fini(&part);
}

static void begin(struct run *x, const struct na_connection *c, size_t n)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, 1, NULL);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->params.connection = 1;
	fill(x, c, n, 0);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
}

static void analyse(struct run *x, size_t block)
{
	hand_drive(&x->d, &na_an_tcp, &x->scope, &x->params, block, &x->h.err);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

static const struct na_value *at(const struct run *x, const char *path)
{
	return na_dig(na_result_body(x->d.r), path);
}

static const struct na_value *row(const struct run *x, size_t k)
{
	const struct na_value *v = at(x, "connections");

	assert_non_null(v);
	v = v->u.of.first;
	while (v && k--)
		v = v->next;
	assert_non_null(v);
	return v;
}

static const char *verdict(const struct run *x, size_t k)
{
	return na_text_of(na_get(row(x, k), "verdict"), "null");
}

static double number(const struct na_value *v, const char *path)
{
	return na_real_of(na_dig(v, path), NAN);
}

/* Each rule at its threshold, and just below. */
static void thresholds(void **state)
{
	struct na_connection c[12];
	struct tcp_row r[12];

	(void)state;
	for (uint32_t i = 0; i < 12; i++)
		c[i] = healthy(i);
	c[1].dir[0].timeouts = 1;
	c[1].dir[0].timeout_total_ns = 100 * MS;
	c[2].dir[0].timeouts = 1;
	c[2].dir[0].timeout_total_ns = 99 * MS;
	c[3].dir[0].zero_window_ns = 100 * MS;
	c[3].dir[1].zero_windows = 1;
	c[4].dir[0].zero_window_ns = 99 * MS;
	c[4].dir[1].zero_windows = 1;
	c[5].dir[1].retransmissions = 3;
	c[6].dir[1].retransmissions = 3;
	c[6].dir[1].spurious = 1;
	c[7].dir[1].retransmissions = 3;
	c[7].dir[1].data_packets = 3001;
	c[8].dir[0].window_full_ns = 100 * MS;
	c[9].dir[0].window_full_ns = 99 * MS;
	c[10].dir[0].idle_ns = c[10].dir[1].idle_ns = 500 * MS;
	c[11].dir[0].idle_ns = 900 * MS;
	c[11].dir[1].idle_ns = 499 * MS;
	for (size_t i = 0; i < 12; i++) {
		static const enum tcp_verdict wanted[] = {
			TCP_HEALTHY,        TCP_TIMEOUT_BOUND,
			TCP_NETWORK_LOSS,   TCP_RECEIVER_TOO_SLOW,
			TCP_HEALTHY,        TCP_NETWORK_LOSS,
			TCP_HEALTHY,        TCP_HEALTHY,
			TCP_WINDOW_LIMITED, TCP_HEALTHY,
			TCP_SENDER_IDLE,    TCP_HEALTHY,
		};

		r[i] = (struct tcp_row){.c = &c[i]};
		na_tcp_judge(&r[i]);
		if (r[i].verdict != wanted[i])
			fail_msg("connection %zu: %s, not %s", i,
				 na_tcp_verdict_names[r[i].verdict],
				 na_tcp_verdict_names[wanted[i]]);
	}
}

/* What the evidence decides: each at its rule, and beside it. */
static void retransmit_evidence(void **state)
{
	enum { N = 14 };
	static const enum tcp_verdict wanted[N] = {
		TCP_HEALTHY,       TCP_NETWORK_LOSS, TCP_HEALTHY,
		TCP_CAPTURE_LOSS,  TCP_NETWORK_LOSS, TCP_PEER_VANISHED,
		TCP_PEER_VANISHED, TCP_RESET,        TCP_HEALTHY,
		TCP_SERVER_SLOW,   TCP_HEALTHY,      TCP_QUEUEING,
		TCP_DELAYED_ACK,   TCP_CANNOT_TELL,
	};
	struct na_connection c[N];

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		c[i] = healthy(i);
		c[i].dir[0].testified = c[i].dir[1].testified = 1;
		/* The marks alone say nothing any more. */
		c[i].dir[0].retransmissions = 9;
		c[i].dir[0].fast = 9;
	}
	c[1].dir[0].needed = 1;
	c[2].dir[0].needed = 1; /* four times as many for nothing */
	c[2].dir[0].needless = 3;
	c[2].dir[0].reordered = 1;
	c[3].dir[0].needed = 2;
	c[3].dir[1].capture_holes = 2;
	c[4].dir[0].needed = 3;
	c[4].dir[1].capture_holes = 2;
	c[5].dir[0].last_again = 2;
	c[5].dir[1].mute_ns = 1001 * MS;
	c[6].dir[0].last_again = 5; /* a black hole: the peer is there */
	c[6].dir[0].last_again_bytes = 1448;
	c[6].dir[0].stuck_ns = 1001 * MS;
	c[7].dir[1].reset = 1;
	c[8].dir[1].reset = 1; /* after its end */
	c[8].dir[0].closed = 1;
	c[9].turns = 40;
	c[9].serves = c[9].slow_serves = 3;
	c[9].serve_ns = c[9].slow_serve_ns = 600 * MS;
	c[10].turns = 40; /* in whose time something was sent again */
	c[10].upset_turns = 3;
	c[10].upset_ns = 600 * MS;
	c[11].dir[0].rtt_min_ns = MS;
	c[11].dir[0].rtt_p50_ns = 10 * MS;
	c[12].dir[0].released = 5;
	c[12].dir[0].slow_acks = 10;
	c[12].dir[0].released_even = 1;
	c[12].dir[0].released_p50_ns = 40 * MS;
	c[13].dir[1].packets = 0;
	for (size_t i = 0; i < N; i++) {
		struct tcp_row r = {.c = &c[i]};

		na_tcp_judge(&r);
		if (r.verdict != wanted[i])
			fail_msg("connection %zu: %s, not %s", i,
				 na_tcp_verdict_names[r.verdict],
				 na_tcp_verdict_names[wanted[i]]);
	}
}

/* Timers that cost less than recovery are in the evidence of loss; at
 * TCP_TIMEOUT_MOST of the time they are the verdict all the same. */
static void timers_or_loss(void **state)
{
	static const struct {
		int64_t timeouts_ms, recovery_ms;
		enum tcp_verdict wanted;
	} v[] = {
		{150, 150, TCP_TIMEOUT_BOUND}, {150, 151, TCP_NETWORK_LOSS},
		{299, 600, TCP_NETWORK_LOSS},  {300, 600, TCP_TIMEOUT_BOUND},
		{99, 0, TCP_NETWORK_LOSS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct na_connection c = healthy(0);
		struct tcp_row r = {.c = &c};

		c.dir[0].timeouts = 1;
		c.dir[0].timeout_total_ns = v[i].timeouts_ms * MS;
		c.dir[1].recovery_ns = v[i].recovery_ms * MS;
		na_tcp_judge(&r);
		if (r.verdict != v[i].wanted)
			fail_msg("row %zu: %s", i,
				 na_tcp_verdict_names[r.verdict]);
		assert_int_equal(r.lost_ns,
				 (v[i].timeouts_ms + v[i].recovery_ms) * MS);
	}
}

/* What costs more wins, the other one stays in the evidence. */
static void the_costliest(void **state)
{
	struct na_connection c = healthy(0);
	const struct na_value *v;
	struct run x;
	bool timeouts = false;

	(void)state;
	c.dir[0].timeouts = 2;
	c.dir[0].timeout_total_ns = 210 * MS;
	c.dir[0].longest_timeout_ns = 200 * MS;
	c.dir[0].zero_window_ns = 300 * MS;
	c.dir[1].zero_windows = 4;
	begin(&x, &c, 1);
	analyse(&x, 1);
	assert_string_equal(verdict(&x, 0), "receiver_too_slow");
	for (v = na_get(row(&x, 0), "evidence")->u.of.first; v; v = v->next)
		timeouts |= strstr(na_text_of(v, ""),
				   "2 retransmission timeouts of "
				   "10.0.0.1:1000, up to 200 ms: 210 ms of "
				   "1 s silent") != NULL;
	assert_true(timeouts);
	assert_true(number(row(&x, 0), "lost_ms") == 510);
	assert_true(number(row(&x, 0), "longest_timeout_ms") == 200);
	assert_int_equal(x.d.severity, NA_SEV_WARNING);
	end(&x);
}

/* Throughput <= window / RTT: 64 KiB / 2 ms is 32 MB/s. */
static void window_over_rtt(void **state)
{
	struct na_connection c = healthy(0);
	struct tcp_row r = {.c = &c};

	(void)state;
	c.dir[1].bytes = c.dir[1].unique_bytes = 30000000;
	c.dir[1].max_in_flight_bytes = 65000;
	na_tcp_judge(&r);
	assert_int_equal(r.verdict, TCP_WINDOW_LIMITED);
	c.dir[1].unique_bytes = 20000000;
	na_tcp_judge(&r);
	assert_int_equal(r.verdict, TCP_HEALTHY);
	c.dir[1].unique_bytes = 30000000;
	c.dir[0].window_scale_known = 0;
	na_tcp_judge(&r);
	assert_int_equal(r.verdict, TCP_HEALTHY);
}

/* Any numbers that a hostile capture can lead to. */
static void extremes(void **state)
{
	struct na_connection c = healthy(0);
	struct run x;

	(void)state;
	memset(&c.dir, 0xff, sizeof(c.dir));
	for (size_t i = 0; i < 2; i++) {
		c.dir[i].timeout_total_ns = c.dir[i].window_full_ns =
			c.dir[i].zero_window_ns = c.dir[i].idle_ns =
				c.dir[i].recovery_ns = c.dir[i].rtt_p50_ns =
					INT64_MAX;
	}
	c.from_ps = INT64_MIN;
	c.to_ps = INT64_MAX;
	begin(&x, &c, 1);
	analyse(&x, 1);
	assert_int_equal(x.d.status, NA_OK);
	end(&x);
	c.from_ps = INT64_MAX - 1;
	c.to_ps = INT64_MIN;
	begin(&x, &c, 1);
	analyse(&x, 1);
	assert_int_equal(x.d.status, NA_OK);
	assert_true(number(row(&x, 0), "lost_ms") == 0);
	end(&x);
}

/* The rules once more, in another language (tests/oracle/tcp.py). */
static struct na_direction from_table(const long long *v)
{
	return (struct na_direction){
		.packets = TCP_ENOUGH,
		.bytes = (uint64_t)v[0],
		.unique_bytes = (uint64_t)v[1],
		.data_packets = (uint64_t)v[2],
		.retransmissions = (uint64_t)v[3],
		.spurious = (uint64_t)v[4],
		.fast = (uint64_t)v[5],
		.timeouts = (uint64_t)v[6],
		.timeout_total_ns = v[7] * 1000,
		.recovery_ns = v[8] * 1000,
		.zero_windows = (uint64_t)v[9],
		.zero_window_ns = v[10] * 1000,
		.window_full_ns = v[11] * 1000,
		.idle_ns = v[12] * 1000,
		.rtt_samples = v[13] >= 0,
		.rtt_min_ns = v[13] < 0 ? -1 : v[13] * 1000,
		.rtt_p50_ns = v[13] < 0 ? -1 : v[13] * 1000,
		.max_in_flight_bytes = (uint64_t)v[14],
		.max_window_bytes = (uint64_t)v[15],
		.window_scale_known = 1,
	};
}

static void oracle(void **state)
{
	FILE *f = fopen("tests/oracle/tcp.tsv", "r");
	char line[2000];
	size_t rows = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct na_connection c = {.id = 0};
		struct tcp_row r = {.c = &c};
		long long v[35], active, lost;
		char *p = line, wanted[40];

		if (*line == '#')
			continue;
		for (size_t i = 0; i < 34; i++)
			v[i] = strtoll(p, &p, 10);
		assert_int_equal(sscanf(p, "%39s %lld %lld", wanted, &active,
					&lost),
				 3);
		c.to_ps = v[0] * 1000000;
		c.initial_rtt_ns = v[1] < 0 ? -1 : v[1] * 1000;
		c.dir[0] = from_table(v + 2);
		c.dir[1] = from_table(v + 18);
		na_tcp_judge(&r);
		if (strcmp(na_tcp_verdict_names[r.verdict], wanted) != 0)
			fail_msg("row %zu: %s, not %s", rows,
				 na_tcp_verdict_names[r.verdict], wanted);
		assert_int_equal(r.active_ns, active * 1000);
		assert_int_equal(r.lost_ns, lost * 1000);
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 400);
}

static void worst_first(void **state)
{
	struct na_connection c[60];
	char *text[2];
	struct run x;

	(void)state;
	for (uint32_t i = 0; i < 60; i++) {
		c[i] = healthy(i);
		c[i].dir[0].timeouts = i % 3 == 1;
		c[i].dir[0].timeout_total_ns = i % 3 == 1 ? i * MS : 0;
		/* Much lost time, but no trouble. */
		c[i].dir[0].window_full_ns = i % 3 == 2 ? 98 * MS : 0;
	}
	for (size_t k = 0; k < 2; k++) {
		begin(&x, c, 60);
		analyse(&x, k ? 7 : 64);
		text[k] = driven_json(&x.d);
		if (!k) {
			end(&x);
			continue;
		}
		assert_true(number(row(&x, 0), "id") == 58);
		assert_true(number(row(&x, 19), "id") == 1);
		assert_true(number(row(&x, 20), "id") == 2);
		assert_true(number(row(&x, 59), "id") == 57);
		assert_string_equal(na_text_of(at(&x, "verdict"), ""),
				    "60 connections: 20 lose packets, 40 "
				    "healthy");
		end(&x);
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

static void the_rest_is_counted(void **state)
{
	struct na_connection c[9];
	struct run x;

	(void)state;
	for (uint32_t i = 0; i < 9; i++)
		c[i] = healthy(i);
	c[3].end = NA_CONN_EVICTED;
	begin(&x, c, 9);
	x.scope.top = 2;
	x.scope.connections = 12;
	analyse(&x, 4);
	assert_int_equal(at(&x, "connections")->n, 2);
	assert_true(driven_real(&x.d, "connections_seen") == 12);
	assert_true(driven_real(&x.d, "connections_not_told") == 3);
	assert_true(driven_real(&x.d, "connections_filtered") == 0);
	assert_true(driven_real(&x.d, "connections_used") == 9);
	assert_true(driven_real(&x.d, "connections_not_listed") == 7);
	assert_true(driven_real(&x.d, "connections_evicted") == 1);
	assert_true(driven_real(&x.d, "totals.packets") == 9 * 400);
	assert_true(driven_real(&x.d, "totals.verdicts.healthy") == 9);
	assert_int_equal(x.d.used, 9);
	assert_int_equal(x.d.severity, NA_SEV_NONE);
	end(&x);
}

static void members(void **state)
{
	struct na_connection c = healthy(1);
	struct run x;

	(void)state;
	c.dir[0].rtt_samples = 0;
	c.dir[1].mss = 0;
	c.dir[1].duplicate_acks = 5;
	begin(&x, &c, 1);
	analyse(&x, 1);
	assert_string_equal(na_text_of(na_get(row(&x, 0), "src"), ""),
			    "10.0.0.1:1001");
	assert_string_equal(na_text_of(na_get(row(&x, 0), "dst"), ""),
			    "[fd00::2]:80");
	assert_null(na_get(row(&x, 0), "src_host"));
	assert_int_equal(na_dig(row(&x, 0), "fwd.rtt_us.p50")->kind, NA_V_NULL);
	assert_true(number(row(&x, 0), "rev.rtt_us.p50") == 2000);
	assert_true(number(row(&x, 0), "fwd.mss") == 1460);
	assert_int_equal(na_dig(row(&x, 0), "rev.mss")->kind, NA_V_NULL);
	assert_true(number(row(&x, 0), "rev.duplicate_acks") == 5);
	assert_true(number(row(&x, 0), "initial_rtt_us") == 2000);
	assert_int_equal(na_get(row(&x, 0), "longest_timeout_ms")->kind,
			 NA_V_NULL);
	assert_null(at(&x, "sequence"));
	end(&x);
}

static void severities(void **state)
{
	struct na_connection c = healthy(0);
	struct tcp_row r = {.c = &c};

	(void)state;
	c.dir[0].data_packets = 1000;
	c.dir[0].retransmissions = 9;
	na_tcp_judge(&r);
	assert_int_equal(na_tcp_severity_of(&r), NA_SEV_WARNING);
	c.dir[0].retransmissions = 10;
	na_tcp_judge(&r);
	assert_int_equal(na_tcp_severity_of(&r), NA_SEV_ERROR);
}

/* A few on each connection are enough where all of this sender to the listener
 * wait alike; not where most ACKs release nothing, where the waits differ, or
 * with those to another listener. */
static void few_on_each_connection(void **state)
{
	static const struct {
		uint64_t slow; /* for each two that are released */
		int64_t step_ms;
		bool other_port, held;
	} cases[] = {
		{2, 1, false, true},   {4, 0, false, true},
		{5, 0, false, false},  {2, 20, false, false},
		{2, 0, true, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct na_connection c[4];
		struct run x;

		for (uint32_t k = 0; k < 4; k++) {
			struct na_direction *d = c[k].dir;

			c[k] = healthy(2 * k); /* of one peer */
			if (cases[i].other_port && k > 1)
				c[k].dst_port++;
			d->testified = 1;
			d->slow_acks = cases[i].slow;
			d->released = 2;
			d->released_even = 1;
			d->released_p50_ns = 40 * MS +
					     k * cases[i].step_ms * MS;
		}
		begin(&x, c, 4);
		analyse(&x, 1);
		for (size_t k = 0; k < 4; k++) {
			assert_true((number(row(&x, k), "fwd.held_back_ms") >
				     0) == cases[i].held);
			assert_true(number(row(&x, k), "rev.held_back_ms") ==
				    0);
		}
		end(&x);
	}
}

/* Each wait is like its neighbours where there are many: they are of one timer
 * only where nearly all are alike. */
static void alike_among_many(void **state)
{
	enum { MANY = 60 };
	static const struct {
		uint32_t alike; /* at 40 ms; the others from 35 to 240 ms */
		bool even, held;
	} cases[] = {
		{0, true, false},  {30, true, false}, {MANY, true, true},
		{50, true, true},  {30, false, false}, {50, false, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct na_connection c[MANY];
		struct run x;
		size_t held = 0;

		for (uint32_t k = 0; k < MANY; k++) {
			struct na_direction *d = c[k].dir;

			c[k] = healthy(2 * k);
			d->testified = 1;
			d->slow_acks = d->released = 1;
			d->released_even = k < cases[i].alike || cases[i].even;
			d->released_p50_ns =
				(k < cases[i].alike
					 ? 40
					 : 35 + 205 * (int64_t)k / MANY) *
				MS;
		}
		begin(&x, c, MANY);
		analyse(&x, 1);
		for (size_t k = 0; k < MANY; k++)
			held += number(row(&x, k), "fwd.held_back_ms") > 0;
		if (held < cases[i].alike * cases[i].held ||
		    (!cases[i].held && held))
			fail_msg("case %zu: %zu held back", i, held);
		end(&x);
	}
}

static void nothing(void **state)
{
	struct run x;

	(void)state;
	begin(&x, NULL, 0);
	analyse(&x, 1);
	assert_int_equal(x.d.status, NA_OK);
	assert_int_equal(x.d.used, 0);
	assert_int_equal(at(&x, "connections")->n, 0);
	assert_int_equal(at(&x, "verdict")->kind, NA_V_NULL);
	end(&x);
}

static void groups_are_refused(void **state)
{
	struct na_connection c = healthy(0);
	struct run x;

	(void)state;
	begin(&x, &c, 1);
	x.scope.by = (struct na_grouping){{NA_KEY_HOST}, 1};
	analyse(&x, 1);
	assert_int_equal(x.d.status, NA_EUSAGE);
	end(&x);
}

/* The picture and the first sentence are of the way that loses, though the
 * other one carries more; each rate has what it counts in its base. */
static void of_the_loser(void **state)
{
	struct na_connection c = {.initial_rtt_ns = -1,
				  .to_ps = 2000 * NA_PS_PER_NS * 1000000};
	struct na_direction *d = c.dir;
	struct tcp_row row = {.c = &c};

	(void)state;
	d[0] = (struct na_direction){.packets = 100,
				     .data_packets = 100,
				     .bytes = 100000,
				     .unique_bytes = 100000,
				     .unacked_bytes = 2000,
				     .rtt_samples = 9,
				     .rtt_min_ns = 50000,
				     .testified = 1};
	d[1] = (struct na_direction){.packets = 60,
				     .data_packets = 50,
				     .data_segments = 50,
				     .bytes = 5000,
				     .needed = 7,
				     .lost_upstream = 6,
				     .tail_losses = 2,
				     .recovery_ns = 100000000,
				     .testified = 1};
	na_tcp_judge(&row);
	assert_int_equal(row.verdict, TCP_NETWORK_LOSS);
	assert_int_equal(row.way, 0);
	assert_int_equal(row.told, 1);
	assert_int_equal(na_tcp_data_lost(&row, 1), 9);
	assert_int_equal(na_tcp_data_unseen(&row, 1), 8);
	assert_int_equal(na_tcp_data_sent(&row, 1), 58);
	assert_true(na_tcp_goodput(&row, 0) == 98000 / 2.0);
	assert_true(isnan(na_tcp_goodput(&row, 1)));
	/* One side of the capture point alone is no path. */
	assert_false(row.whole_rtt);
	d[1].rtt_samples = 1;
	d[1].rtt_min_ns = 20000000;
	na_tcp_judge(&row);
	assert_true(row.whole_rtt);
	assert_int_equal(row.rtt_ns, 20050000);
	assert_true(na_tcp_is_far(&row));
}

/* Client and listener of `healthy()`, from_s on: refused, without an answer, or
 * let in. */
static struct na_connection knock(uint32_t id, int64_t from_s, char how)
{
	struct na_connection c = healthy(id);

	c.from_ps = from_s * 1000 * MSP;
	c.to_ps = c.from_ps + (how == 'y' ? 1000 * MSP : 0);
	if (how == 'y')
		return c;
	for (size_t i = 0; i < 2; i++) {
		c.dir[i].bytes = c.dir[i].unique_bytes = 0;
		c.dir[i].data_packets = 0;
		c.dir[i].testified = 1;
		c.dir[i].packets = 1;
	}
	c.dir[1].saw_syn = 0;
	c.dir[1].reset = how == 'n';
	c.dir[1].packets = how == 'n';
	return c;
}

/* One after the other, at these seconds. */
static void listeners(void **state)
{
	static const struct {
		const char *how;
		int64_t at_s[4];
		const char *verdict; /* of the first n or '?' */
		bool harmless;
		double let_in_ms; /* 0: never */
	} rows[] = {
		{"ny", {0, 1}, "refused", true, 1e3},
		{"ny", {0, 60}, "refused", true, 6e4},
		{"ny", {0, 61}, "refused", false, 6.1e4},
		{"nny", {0, 50, 61}, "refused", false, 6.1e4},
		{"n", {0}, "refused", false, 0},
		/* It was up before. */
		{"yny", {0, 5, 6}, "refused", false, 1e3},
		{"yn", {0, 5}, "refused", false, 0},
		{"??", {0, 2}, "cannot_tell", false, 0},
		{"???", {0, 1, 2}, "peer_vanished", false, 0},
		{"???", {0, 0, 0}, "cannot_tell", false, 0},
		{"???y", {0, 1, 2, 9}, "peer_vanished", false, 9e3},
		{"??y?", {0, 1, 2, 9}, "cannot_tell", false, 2e3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].how), k = 0;
		struct na_connection c[4];
		const struct na_value *v;
		struct run x;

		for (size_t j = 0; j < n; j++)
			c[j] = knock(2 * (uint32_t)j, rows[i].at_s[j],
				     rows[i].how[j]);
		begin(&x, c, n);
		analyse(&x, n);
		while (number(row(&x, k), "id") !=
		       2 * (double)strcspn(rows[i].how, "n?"))
			k++;
		v = row(&x, k);
		if (strcmp(verdict(&x, k), rows[i].verdict) != 0 ||
		    na_flag_at(v, "harmless") != rows[i].harmless ||
		    !(rows[i].let_in_ms > 0
			      ? number(v, "let_in_ms") == rows[i].let_in_ms
			      : isnan(number(v, "let_in_ms"))))
			fail_msg("row %zu: %s, %g ms", i, verdict(&x, k),
				 number(v, "let_in_ms"));
		end(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thresholds),
		cmocka_unit_test(listeners),
		cmocka_unit_test(retransmit_evidence),
		cmocka_unit_test(timers_or_loss),
		cmocka_unit_test(the_costliest),
		cmocka_unit_test(window_over_rtt),
		cmocka_unit_test(extremes),
		cmocka_unit_test(oracle),
		cmocka_unit_test(worst_first),
		cmocka_unit_test(the_rest_is_counted),
		cmocka_unit_test(members),
		cmocka_unit_test(severities),
		cmocka_unit_test(nothing),
		cmocka_unit_test(groups_are_refused),
		cmocka_unit_test(few_on_each_connection),
		cmocka_unit_test(alike_among_many),
		cmocka_unit_test(of_the_loser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
