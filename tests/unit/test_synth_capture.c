/*
 * Synthetic captures: what is in them, read back byte by byte, is what the
 * truth file says; and what our readers find in them is that, too.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/capture.h"
#include "netan/synth/capture/capture.h"
#include "tests/unit/synth_session.h"

enum { PCAP_HEAD = 24, RECORD_HEAD = 16, ENDS = 128, NAMES = 256 };

static const struct na_text_list no_words = {NULL, 0, 0};

struct made {
	struct session s;
	char path[96];
	const char *words[4];
	uint8_t *bytes;
	size_t n;
};

static void make_ready(struct made *m, const char *name)
{
	memset(m, 0, sizeof(*m));
	session_init(&m->s);
	snprintf(m->path, sizeof(m->path), "%s/%s", m->s.dir, name);
	m->s.cfg = (struct na_synth_config){
		.dir = m->path,
		.seed = 3,
		.hosts = 4,
		.connections = 12,
		.rpcs = 60,
		.roce = 150,
		.loss = 0.01,
		.message_bytes = 3000,
		.size_bytes = 15000000,
		.conditions = no_words,
	};
}

static void make(struct made *m)
{
	session_make(&m->s, NA_OK);
	m->bytes = session_bytes(&m->s, 0, &m->n);
}

static void made_end(struct made *m)
{
	free(m->bytes);
	session_end(&m->s);
}

/* The sum of all members of this name in the truth file. */
static int64_t truth(const struct made *m, const char *name)
{
	char key[64];
	int64_t sum = 0;
	const char *p = m->s.truth;
	bool any = false;

	snprintf(key, sizeof(key), "\"%s\": ", name);
	while ((p = strstr(p, key))) {
		p += strlen(key);
		sum += strtoll(p, NULL, 10);
		any = true;
	}
	assert_true(any);
	return sum;
}

/* ---- byte by byte */

static uint32_t le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static uint32_t be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t be32(const uint8_t *p)
{
	return be16(p) << 16 | be16(p + 2);
}

/* RFC 1071; 0 for a right one over all. */
static uint32_t checksum(uint32_t sum, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

/* One sender of a TCP connection. */
struct end {
	uint32_t ip, port, other_port;
	uint32_t high, ack, window;
	bool started, acked;
};

struct seen {
	uint64_t packets, wire_bytes, captured_bytes, tcp, udp;
	uint64_t bytes, again, again_bytes, duplicate_acks, zero_windows, sacks;
	int64_t last_ns;
	struct end ends[ENDS];
	size_t n_ends;
};

static struct end *end_of(struct seen *s, uint32_t ip, uint32_t port,
			  uint32_t other_port)
{
	size_t i = 0;

	while (i < s->n_ends &&
	       (s->ends[i].ip != ip || s->ends[i].port != port ||
		s->ends[i].other_port != other_port))
		i++;
	assert_true(i < ENDS);
	if (i == s->n_ends)
		s->ends[s->n_ends++] = (struct end){.ip = ip,
						    .port = port,
						    .other_port = other_port};
	return &s->ends[i];
}

static void see_tcp(struct seen *s, const uint8_t *ip, const uint8_t *p,
		    uint32_t n)
{
	struct end *e = end_of(s, be32(ip + 12), be16(p), be16(p + 2));
	uint32_t head = p[12] / 16 * 4u, flags = p[13], data = n - head;
	uint32_t seq = be32(p + 4), ack = be32(p + 8), window = be16(p + 14);
	bool bare = !data && (flags & 7) == 0;

	assert_true(head >= 20 && head <= n);
	s->tcp++;
	s->bytes += data;
	/* The capture stands beside the sender: what comes again was seen. */
	if (data && e->started && (int32_t)(seq + data - e->high) <= 0) {
		s->again++;
		s->again_bytes += data;
	}
	if (bare && e->acked && ack == e->ack && window == e->window &&
	    window && seq == e->high)
		s->duplicate_acks++;
	if (!window && (flags & 7) == 0)
		s->zero_windows++;
	for (uint32_t i = 20; i < head; i += p[i] == 1 ? 1u : p[i + 1])
		s->sacks += p[i] == 5;
	if (!e->started || (int32_t)(seq + data - e->high) > 0)
		e->high = seq + data;
	e->high += flags & 3 ? 1 : 0;
	e->started = true;
	e->acked = (flags & 16) != 0;
	e->ack = ack;
	e->window = window;
}

static void see_frame(struct seen *s, const uint8_t *f, uint32_t captured,
		      uint32_t wire)
{
	const uint8_t *ip = f + 14, *p = ip + 20;
	uint32_t n = wire - 34;
	uint32_t pseudo = ip[9] + n + be16(ip + 12) + be16(ip + 14) +
			  be16(ip + 16) + be16(ip + 18);

	assert_true(captured >= 54 && captured <= wire);
	assert_int_equal(be16(f + 12), 0x0800);
	assert_int_equal(ip[0], 0x45);
	assert_int_equal(be16(ip + 2), wire - 14);
	assert_int_equal(checksum(0, ip, 20), 0);
	if (ip[9] == 17) {
		s->udp++;
		assert_int_equal(be16(p + 2), 4791);
		assert_int_equal(be16(p + 4), n);
		return;
	}
	assert_int_equal(ip[9], 6);
	if (captured == wire)
		assert_int_equal(checksum(pseudo, p, n), 0);
	see_tcp(s, ip, p, n);
}

static void see_pcap(struct seen *s, const struct made *m)
{
	const uint8_t *p = m->bytes + PCAP_HEAD;
	size_t left = m->n - PCAP_HEAD;

	memset(s, 0, sizeof(*s));
	assert_true(m->n > PCAP_HEAD);
	assert_int_equal(le32(m->bytes), 0xa1b23c4d);
	while (left) {
		int64_t ns = le32(p) * INT64_C(1000000000) + le32(p + 4);
		uint32_t captured = le32(p + 8), wire = le32(p + 12);

		assert_true(left >= RECORD_HEAD + (size_t)captured);
		assert_true(ns >= s->last_ns);
		s->last_ns = ns;
		s->packets++;
		s->wire_bytes += wire;
		s->captured_bytes += captured;
		see_frame(s, p + RECORD_HEAD, captured, wire);
		p += RECORD_HEAD + captured;
		left -= RECORD_HEAD + captured;
	}
}

static void agrees(const struct seen *s, const struct made *m)
{
	/* "packets" is told of the whole, each direction, each queue pair. */
	assert_int_equal(truth(m, "packets"), 2 * s->packets);
	assert_int_equal(s->udp + s->tcp, s->packets);
	assert_int_equal(truth(m, "captured_bytes"), s->captured_bytes);
	assert_int_equal(truth(m, "retransmissions"), s->again);
	assert_int_equal(truth(m, "retransmitted_bytes"), s->again_bytes);
	assert_int_equal(truth(m, "duplicate_acks"), s->duplicate_acks);
	assert_int_equal(truth(m, "zero_windows"), s->zero_windows);
	assert_int_equal(truth(m, "sack_packets"), s->sacks);
	assert_int_equal(truth(m, "unique_bytes"), s->bytes - s->again_bytes);
	assert_true(s->again > 10 && s->zero_windows > 3 && s->sacks > 10);
}

static void whole_packets(void **state)
{
	static struct seen s;
	struct made m;

	(void)state;
	make_ready(&m, "a.pcap");
	make(&m);
	see_pcap(&s, &m);
	agrees(&s, &m);
	assert_int_equal(s.captured_bytes, s.wire_bytes);
	made_end(&m);
}

static void cut_packets(void **state)
{
	static struct seen s;
	struct made m;

	(void)state;
	make_ready(&m, "a.pcap");
	m.s.cfg.snaplen_bytes = 96;
	make(&m);
	see_pcap(&s, &m);
	agrees(&s, &m);
	assert_int_equal(le32(m.bytes + 16), 96);
	assert_true(s.captured_bytes <= 96 * s.packets);
	assert_true(s.captured_bytes < s.wire_bytes / 5);
	made_end(&m);
}

/* ---- the same bytes, the other form */

static void same_seed_same_bytes(void **state)
{
	struct made a, b, c;

	(void)state;
	make_ready(&a, "a.pcap");
	make_ready(&b, "b.pcap");
	make_ready(&c, "c.pcap");
	c.s.cfg.seed = 4;
	make(&a);
	make(&b);
	make(&c);
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.bytes, b.bytes, a.n);
	assert_string_equal(a.s.truth, b.s.truth);
	assert_true(a.n != c.n || memcmp(a.bytes, c.bytes, a.n) != 0);
	made_end(&a);
	made_end(&b);
	made_end(&c);
}

/* Blocks of pcapng hold the records of pcap. */
static void pcapng_has_the_same(void **state)
{
	struct made a, b;
	const uint8_t *p, *q;

	(void)state;
	make_ready(&a, "a.pcap");
	make_ready(&b, "a.pcapng");
	make(&a);
	make(&b);
	p = a.bytes + PCAP_HEAD;
	assert_int_equal(le32(b.bytes), 0x0a0d0d0a);
	q = b.bytes + le32(b.bytes + 4);
	assert_int_equal(le32(q), 1);
	q += le32(q + 4);
	while (p < a.bytes + a.n) {
		uint64_t ns = (uint64_t)le32(q + 12) << 32 | le32(q + 16);
		uint32_t all = le32(q + 4), captured = le32(q + 20);

		assert_int_equal(le32(q), 6);
		assert_int_equal(le32(q + all - 4), all);
		assert_int_equal(ns,
				 le32(p) * UINT64_C(1000000000) + le32(p + 4));
		assert_int_equal(captured, le32(p + 8));
		assert_int_equal(le32(q + 24), le32(p + 12));
		assert_memory_equal(q + 28, p + RECORD_HEAD, captured);
		p += RECORD_HEAD + captured;
		q += all;
	}
	assert_ptr_equal(q, b.bytes + b.n);
	made_end(&a);
	made_end(&b);
}

/* ---- what our readers find */

static struct found {
	struct na_sink sink;
	char names[NAMES][64];
	uint32_t n_names;
	struct na_capture_counts counts;
	uint64_t calls, bytes_req, bytes_resp, status, streams;
	int64_t first_ns, end_ns;
	uint64_t roce, roce_bytes;
	int64_t roce_ns;
	uint64_t connections, again, fast, timeout, duplicate_acks,
		zero_windows, window_full, keep_alives, timeouts;
	int64_t methods[NAMES];
} found;

static uint32_t number(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	for (uint32_t i = 0; i < found.n_names; i++)
		if (strlen(found.names[i]) == n &&
		    !memcmp(found.names[i], s, n))
			return i;
	assert_true(found.n_names < NAMES && n < sizeof(found.names[0]));
	memcpy(found.names[found.n_names], s, n);
	return found.n_names++;
}

static enum na_status take_transfer(void *ctx, const struct na_transfer *t)
{
	(void)ctx;
	if (strncmp(found.names[t->collective], "roce:", 5) != 0)
		return NA_OK;
	found.roce++;
	found.roce_bytes += t->size_bytes;
	found.roce_ns += (t->end_ps - t->start_ps) / 1000;
	return NA_OK;
}

static enum na_status take_call(void *ctx, const struct na_call *c)
{
	(void)ctx;
	found.calls++;
	found.bytes_req += c->bytes_req;
	found.bytes_resp += c->bytes_resp;
	found.status += (uint64_t)c->grpc_status;
	found.streams += c->stream;
	found.first_ns += (c->first_ps - c->start_ps) / 1000;
	found.end_ns += (c->end_ps - c->start_ps) / 1000;
	found.methods[c->method]++;
	return NA_OK;
}

static enum na_status take_connection(void *ctx, const struct na_connection *c)
{
	(void)ctx;
	found.connections++;
	for (int i = 0; i < 2; i++) {
		const struct na_direction *d = &c->dir[i];

		found.again += d->retransmissions;
		found.fast += d->fast;
		found.timeout += d->timeout;
		found.duplicate_acks += d->duplicate_acks;
		found.zero_windows += d->zero_windows;
		found.window_full += d->window_full;
		found.keep_alives += d->keep_alives;
		found.timeouts += d->timeouts;
	}
	return NA_OK;
}

static void left_out(void *ctx, enum na_reason why, uint64_t n)
{
	(void)ctx;
	(void)why;
	(void)n;
}

static void read_back(const struct made *m)
{
	struct na_capture_options o = {
		.wants = NA_WANT_TRANSFERS | NA_WANT_CALLS |
			 NA_WANT_CONNECTIONS,
		.segments_of = NA_UNKNOWN_U32,
		.zero_ns = INT64_C(1767607200000000000),
		.sink = &found.sink,
	};
	struct na_capture *c;

	memset(&found, 0, sizeof(found));
	found.sink = (struct na_sink){
		.transfer = take_transfer,
		.call = take_call,
		.connection = take_connection,
		.name = number,
		.address = number,
		.left_out = left_out,
	};
	c = na_capture_new(&o);
	assert_non_null(c);
	for (size_t at = PCAP_HEAD; at < m->n;) {
		const uint8_t *p = m->bytes + at;
		struct na_record r = {
			.time_ns = le32(p) * INT64_C(1000000000) + le32(p + 4),
			.data = p + RECORD_HEAD,
			.captured_bytes = le32(p + 8),
			.wire_bytes = le32(p + 12),
			.link = 1,
			.at = at,
		};

		assert_int_equal(na_capture_record(c, &r), NA_OK);
		at += RECORD_HEAD + r.captured_bytes;
	}
	assert_int_equal(na_capture_finish(c), NA_OK);
	found.counts = *na_capture_counts(c);
	na_capture_free(c);
}

static void tcp_as_planted(const struct made *m)
{
	assert_int_equal(found.counts.malformed, 0);
	assert_int_equal(found.connections, 12 + 3);
	assert_int_equal(found.again, truth(m, "retransmissions"));
	assert_int_equal(found.fast, truth(m, "fast"));
	assert_int_equal(found.timeout, truth(m, "timeout"));
	assert_int_equal(found.timeouts, truth(m, "timeouts"));
	assert_int_equal(found.duplicate_acks, truth(m, "duplicate_acks"));
	assert_int_equal(found.zero_windows, truth(m, "zero_windows"));
	assert_int_equal(found.window_full, truth(m, "window_full"));
	assert_int_equal(found.keep_alives, truth(m, "keep_alives"));
}

static void calls_as_planted(const struct made *m)
{
	const char *calls = strstr(m->s.truth, "\"calls\": [");

	assert_int_equal(found.calls, 60);
	assert_int_equal(found.bytes_req, truth(m, "bytes_req"));
	assert_int_equal(found.bytes_resp, truth(m, "bytes_resp"));
	assert_int_equal(found.status, truth(m, "grpc_status"));
	assert_int_equal(found.streams, truth(m, "stream"));
	assert_int_equal(found.end_ns, truth(m, "end_ns"));
	/* Connections have a first_ns as well. */
	for (const char *p = calls; (p = strstr(p, "\"first_ns\": ")); p++)
		found.first_ns -= strtoll(p + 12, NULL, 10);
	assert_int_equal(found.first_ns, 0);
	for (const char *p = calls; (p = strstr(p, "\"method\": \"")); p++) {
		const char *name = p + 11, *end = strchr(name, '"');

		found.methods[number(NULL, name, (size_t)(end - name))]--;
	}
	for (size_t i = 0; i < NAMES; i++)
		assert_int_equal(found.methods[i], 0);
}

static void roce_as_planted(const struct made *m)
{
	const struct na_capture_counts *c = &found.counts;
	const char *roce = strstr(m->s.truth, "\"roce\": [");
	uint64_t bytes = 0;

	for (const char *p = roce; (p = strstr(p, "\"bytes\": ")); p++)
		bytes += strtoull(p + 9, NULL, 10);
	assert_int_equal(found.roce, 150);
	assert_int_equal(found.roce_bytes, bytes);
	assert_int_equal(found.roce_ns, truth(m, "latency_sum_ns"));
	assert_int_equal(c->roce_messages, truth(m, "messages"));
	assert_int_equal(c->roce_naks, truth(m, "naks"));
	assert_int_equal(c->roce_rnr_naks, truth(m, "rnr_naks"));
	assert_int_equal(c->roce_psn_repeats, truth(m, "psn_repeats"));
	assert_int_equal(c->roce_psn_gaps, 0);
	assert_int_equal(c->roce_congestion, truth(m, "congestion"));
	assert_int_equal(c->roce_ce_marks, truth(m, "ce_marks"));
}

static void readers_find_what_was_planted(void **state)
{
	(void)state;
	for (int64_t seed = 1; seed < 4; seed++) {
		struct made m;

		make_ready(&m, "a.pcap");
		m.s.cfg.seed = seed;
		make(&m);
		read_back(&m);
		tcp_as_planted(&m);
		calls_as_planted(&m);
		roce_as_planted(&m);
		made_end(&m);
	}
}

/* ---- what is asked for */

static void conditions(void **state)
{
	struct made m;

	(void)state;
	make_ready(&m, "a.pcap");
	m.words[0] = "healthy";
	m.words[1] = "window-limited";
	m.s.cfg.conditions = (struct na_text_list){m.words, 2, 4};
	make(&m);
	assert_null(strstr(m.s.truth, "\"condition\": \"loss\""));
	assert_int_equal(truth(&m, "retransmissions"), 0);
	assert_true(truth(&m, "window_full") > 100);
	made_end(&m);

	make_ready(&m, "a.pcap");
	m.words[0] = "slow";
	m.s.cfg.conditions = (struct na_text_list){m.words, 1, 4};
	session_make(&m.s, NA_EUSAGE);
	made_end(&m);
}

static void share_of_losses(void **state)
{
	struct made m;
	double share;

	(void)state;
	make_ready(&m, "a.pcap");
	m.words[0] = "loss";
	m.s.cfg.conditions = (struct na_text_list){m.words, 1, 4};
	m.s.cfg.rpcs = m.s.cfg.roce = 0;
	m.s.cfg.size_bytes = 30000000;
	make(&m);
	share = (double)truth(&m, "retransmissions") /
		(double)truth(&m, "data_packets");
	assert_true(share > 0.008 && share < 0.012);
	made_end(&m);
}

static void nothing_at_all(void **state)
{
	struct made m;

	(void)state;
	make_ready(&m, "a.pcap");
	m.s.cfg.connections = m.s.cfg.rpcs = m.s.cfg.roce = 0;
	session_make(&m.s, NA_EUSAGE);
	made_end(&m);
	make_ready(&m, "a.pcap");
	m.s.cfg.hosts = 1;
	session_make(&m.s, NA_EUSAGE);
	made_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_packets),
		cmocka_unit_test(cut_packets),
		cmocka_unit_test(same_seed_same_bytes),
		cmocka_unit_test(pcapng_has_the_same),
		cmocka_unit_test(readers_find_what_was_planted),
		cmocka_unit_test(conditions),
		cmocka_unit_test(share_of_losses),
		cmocka_unit_test(nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
