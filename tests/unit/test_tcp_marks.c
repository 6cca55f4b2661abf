/*
 * The marks, round trips and bytes in flight of made-up connections against
 * tshark's answers: tests/oracle/tcp_marks.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/tcp/table.h"
#include "tests/unit/hand_tcp.h"

enum { MOST_STREAMS = 256 };

struct answer {
	int64_t time_us;
	unsigned dir, stream, marks;
	int64_t rtt_ns, first_rtt_ns;
	uint32_t in_flight;
};

static struct {
	uint32_t marks[32]; /* how often each bit */
	uint64_t rtts, in_flight;
	int64_t rtt_min, first_rtt;
} want[MOST_STREAMS][2];

static void read_sacks(struct na_packet *p, char *text)
{
	char *save = NULL;

	for (char *w = strtok_r(text, ",", &save); w && p->n_sack < NA_MAX_SACK;
	     w = strtok_r(NULL, ",", &save)) {
		char *right = strtok_r(NULL, ",", &save);

		if (!right)
			return;
		p->sack[p->n_sack].left = (uint32_t)strtoul(w, NULL, 10);
		p->sack[p->n_sack++].right = (uint32_t)strtoul(right, NULL, 10);
	}
}

static struct na_packet read_line(struct hand_tcp *h, const char *line,
				  struct answer *a)
{
	unsigned port, flags, seq, ack, window, size, shift;
	struct na_packet p;
	char sacks[256];

	assert_int_equal(sscanf(line,
				"%ld %u %u %u %u %u %u %u %u %255s %u %u %ld "
				"%ld %u",
				&a->time_us, &port, &a->dir, &flags, &seq, &ack,
				&window, &size, &shift, sacks, &a->stream,
				&a->marks, &a->rtt_ns, &a->first_rtt_ns,
				&a->in_flight),
			 15);
	h->port = (uint16_t)(1000 + port);
	p = hand_packet(h, a->dir, seq, ack);
	p.flags = (uint8_t)flags;
	p.window = (uint16_t)window;
	p.payload_bytes = size;
	p.window_shift = (uint8_t)shift;
	read_sacks(&p, sacks);
	return p;
}

/* Directions of the answers are ends; a connection's are by first packet. */
static unsigned first_end[MOST_STREAMS];

static void note(const struct answer *a)
{
	unsigned d = a->dir ^ first_end[a->stream];

	for (unsigned i = 0; i < 20; i++)
		want[a->stream][d].marks[i] += a->marks >> i & 1;
	if (a->in_flight > want[a->stream][d].in_flight)
		want[a->stream][d].in_flight = a->in_flight;
	if (a->rtt_ns > 0) {
		uint64_t n = want[a->stream][!d].rtts++;

		if (n == 0 || a->rtt_ns < want[a->stream][!d].rtt_min)
			want[a->stream][!d].rtt_min = a->rtt_ns;
	}
	if (a->first_rtt_ns > 0)
		want[a->stream][0].first_rtt = a->first_rtt_ns;
}

static unsigned times(unsigned stream, unsigned d, unsigned mark)
{
	return want[stream][d].marks[__builtin_ctz(mark)];
}

static void compare(const struct na_connection *c)
{
	for (unsigned d = 0; d < 2; d++) {
		const struct na_direction *o = &c->dir[d];

		assert_int_equal(o->retransmissions,
				 times(c->id, d, NA_SEG_RETRANSMIT));
		assert_int_equal(o->fast, times(c->id, d, NA_SEG_FAST));
		assert_int_equal(o->spurious, times(c->id, d, NA_SEG_SPURIOUS));
		assert_int_equal(o->out_of_order,
				 times(c->id, d, NA_SEG_OUT_OF_ORDER));
		assert_int_equal(o->lost_before,
				 times(c->id, d, NA_SEG_LOST_BEFORE));
		assert_int_equal(o->duplicate_acks,
				 times(c->id, d, NA_SEG_DUPLICATE_ACK));
		assert_int_equal(o->zero_windows,
				 times(c->id, d, NA_SEG_ZERO_WINDOW));
		assert_int_equal(o->window_full,
				 times(c->id, d, NA_SEG_WINDOW_FULL));
		assert_int_equal(o->keep_alives,
				 times(c->id, d, NA_SEG_KEEP_ALIVE));
		assert_int_equal(o->zero_probes,
				 times(c->id, d, NA_TCP_MARK_ZERO_PROBE));
		assert_int_equal(o->rtt_samples, want[c->id][d].rtts);
		if (o->rtt_samples > 0)
			assert_int_equal(o->rtt_min_ns, want[c->id][d].rtt_min);
		/* "flight from before" shows more than tshark. */
		assert_true(o->max_in_flight_bytes >= want[c->id][d].in_flight);
		if (c->dir[d].saw_syn && c->dir[0].retransmissions == 0)
			assert_int_equal(o->max_in_flight_bytes,
					 want[c->id][d].in_flight);
	}
	if (want[c->id][0].first_rtt)
		assert_int_equal(c->initial_rtt_ns, want[c->id][0].first_rtt);
}

static void as_tshark(void **state)
{
	FILE *f = fopen("tests/oracle/tcp_marks.tsv", "r");
	struct hand_tcp h;
	struct answer a;
	char line[1024];
	unsigned n = 0;
	static bool seen[MOST_STREAMS];

	(void)state;
	assert_non_null(f);
	hand_start_at(&h, NULL, INT64_C(1700000000) * 1000000000);
	h.now_us = 0;
	while (fgets(line, sizeof(line), f)) {
		struct na_packet p;
		uint32_t marks;

		if (line[0] == '#')
			continue;
		n++;
		p = read_line(&h, line, &a);
		assert_in_range(a.stream, 0, MOST_STREAMS - 1);
		if (!seen[a.stream])
			first_end[a.stream] = a.dir;
		seen[a.stream] = true;
		note(&a);
		marks = hand_feed(&h, a.time_us - h.now_us, p);
		if (!h.told) /* bytes from before the connection */
			continue;
		/* What tshark has no word for. */
		marks &= ~(uint32_t)(NA_SEG_TIMEOUT | NA_SEG_SYN | NA_SEG_FIN |
				     NA_SEG_RST | NA_SEG_AGAIN | NA_SEG_LATE);
		if (h.last.connection != a.stream || marks != a.marks)
			fail_msg("line %u: connection %u marks %x, tshark %u "
				 "%x",
				 n + 1, h.last.connection, marks, a.stream,
				 a.marks);
		assert_int_equal((h.last.marks & NA_TCP_MARK_RTT) != 0,
				 a.rtt_ns > 0);
	}
	fclose(f);
	assert_true(n > 1000);
	hand_end(&h);
	assert_int_equal(h.counts.limits_hit, 0);
	for (size_t i = 0; i < h.n_conn; i++)
		compare(&h.conn[i]);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_tshark)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
