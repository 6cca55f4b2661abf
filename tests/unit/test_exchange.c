/*
 * Requests and responses told by who speaks when, through na_calls: rows of
 * bytes, rows of what must come out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/heard.h"

enum { MS = 1000 * 1000, ROWS = 8 };

struct spoken {
	uint8_t dir;
	uint32_t n;
	double at_ms;
	uint64_t back; /* bytes before the next new one */
	uint32_t marks;
};

struct told {
	double from_ms, to_ms;
	uint64_t bytes;
	int src;
	bool answered;
};

static void talk(const struct spoken *in, size_t n, const struct told *want,
		 size_t n_want, bool mid_stream)
{
	static const uint8_t text[4096] = "GET nothing in particular\r\n";
	static const char *const names[] = {"10.0.0.1", "10.0.0.2"};
	struct heard *h = malloc(sizeof(*h));
	uint64_t next[2] = {1, 1}, exchanges = 0;

	assert_non_null(h);
	heard_init(h, &na_call_limits);
	h->mid_stream = mid_stream;
	if (!mid_stream)
		heard_syn(h);
	for (size_t i = 0; i < n && in[i].n; i++) {
		const struct spoken *s = &in[i];
		uint64_t seq = next[s->dir] - s->back;

		heard_bytes(h, s->dir, seq, text, s->n,
			    (int64_t)(s->at_ms * MS), s->marks);
		if (seq + s->n > next[s->dir])
			next[s->dir] = seq + s->n;
	}
	heard_close(h);
	assert_int_equal(h->n_calls, 0);
	assert_int_equal(h->n_transfers, n_want);
	for (size_t i = 0; i < n_want; i++) {
		const struct na_transfer *t = &h->transfers[i];
		const struct told *w = &want[i];

		exchanges += w->answered;
		assert_true(t->start_ps == (int64_t)(w->from_ms * MS) * 1000);
		assert_true(t->end_ps == (int64_t)(w->to_ms * MS) * 1000);
		assert_int_equal(t->size_bytes, w->bytes);
		assert_string_equal(na_strtab_at(&h->names, t->src),
				    names[w->src]);
		assert_string_equal(na_strtab_at(&h->names, t->dst),
				    names[!w->src]);
		assert_string_equal(na_strtab_at(&h->names, t->collective),
				    "tcp:50051");
		assert_string_equal(na_strtab_at(&h->names, t->type),
				    w->answered ? "request/response"
						: "one-way");
		assert_int_equal(t->component,
				 w->answered ? NA_COMP_RPC : NA_COMP_NETWORK);
		assert_int_equal(t->style, NA_STYLE_ESTIMATE);
		assert_int_equal(t->klass, w->to_ms > w->from_ms
						   ? NA_VALID
						   : NA_NO_LATENCY);
	}
	assert_int_equal(h->counts.exchanges, exchanges);
	heard_fini(h);
	free(h);
}

/* clang-format off */
static const struct row {
	struct spoken in[ROWS];
	struct told want[ROWS];
} rows[] = {
	/* Question and answer, twice. */
	{{{0, 10, 1, 0, 0}, {1, 20, 3, 0, 0}, {0, 5, 4, 0, 0}, {1, 6, 9, 0, 0}},
	 {{1, 3, 30, 0, true}, {4, 9, 11, 0, true}}},
	/* Both of several packets; the server thinks for long. */
	{{{0, 10, 1, 0, 0}, {0, 10, 2, 0, 0}, {1, 20, 500, 0, 0},
	  {1, 20, 509, 0, 0}, {1, 20, 519, 0, 0}},
	 {{1, 519, 80, 0, true}}},
	/* A pause ends the answer; what follows was not asked for. */
	{{{0, 10, 1, 0, 0}, {1, 20, 2, 0, 0}, {1, 20, 12.5, 0, 0},
	  {1, 20, 13.5, 0, 0}, {0, 1, 14, 0, 0}},
	 {{1, 2, 30, 0, true}, {12.5, 13.5, 40, 1, false},
	  {14, 14, 1, 0, false}}},
	/* Two messages without an answer, a pause between. */
	{{{0, 10, 1, 0, 0}, {0, 10, 11, 0, 0}, {0, 10, 22, 0, 0}},
	 {{1, 11, 20, 0, false}, {22, 22, 10, 0, false}}},
	/* A greeting, then question and answer. */
	{{{1, 30, 1, 0, 0}, {0, 5, 2, 0, 0}, {1, 7, 3, 0, 0}},
	 {{1, 1, 30, 1, false}, {2, 3, 12, 0, true}}},
	/* Sent again without need, and a keep-alive: nothing.  Sent again
	 * because it was lost: the answer is over then. */
	{{{0, 10, 1, 0, 0}, {1, 20, 2, 0, 0}, {1, 20, 3, 20, NA_SEG_SPURIOUS},
	  {1, 1, 4, 1, NA_SEG_KEEP_ALIVE}, {1, 20, 7, 20, 0},
	  {1, 20, 5, 20, NA_SEG_RETRANSMIT}},
	 {{1, 5, 30, 0, true}}},
	/* Half of it is new. */
	{{{0, 10, 1, 0, 0}, {0, 10, 2, 5, NA_SEG_RETRANSMIT},
	  {1, 1, 3, 0, 0}},
	 {{1, 3, 16, 0, true}}},
};
/* clang-format on */

static void by_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = 0;

		while (n < ROWS && rows[i].want[n].bytes)
			n++;
		talk(rows[i].in, ROWS, rows[i].want, n, false);
		talk(rows[i].in, ROWS, rows[i].want, n, true);
	}
}

static uint8_t random_byte(struct na_rng *rng)
{
	return (uint8_t)na_rng_next(rng);
}

static uint8_t small_byte(struct na_rng *rng, uint64_t seed)
{
	return (uint8_t)na_rng_below(rng, 2 + seed % 9);
}

/* Byte i of something that is not HTTP/2: random, records of TLS, arrays of
 * small numbers, lengths in front of messages. */
static uint8_t other_byte(struct na_rng *rng, uint64_t seed, size_t i)
{
	static const uint8_t tls[] = {23, 3, 3, 1, 239},
			     length[] = {0, 0, 0, 60};

	switch (seed % 8) {
	case 1: /* 32 bits, little and big end first */
		return i % 4 ? 0 : small_byte(rng, seed);
	case 2:
		return i % 4 < 3 ? 0 : small_byte(rng, seed);
	case 3: /* 16 bits */
		return i % 2 ? 0 : (uint8_t)(random_byte(rng) % 20);
	case 4: /* counting */
		return (uint8_t)(i / 4 >> 8 * (3 - i % 4));
	case 5:
		return i % 500 < sizeof(tls) ? tls[i % 500] : random_byte(rng);
	case 6: /* mostly zero */
		return na_rng_below(rng, 8) ? 0
					    : (uint8_t)(random_byte(rng) % 20);
	case 7:
		return i % 64 < sizeof(length) ? length[i % 64]
					       : small_byte(rng, seed);
	}
	return random_byte(rng);
}

static void not_http2(void **state)
{
	uint8_t *p = malloc(400 * 1448);
	struct na_rng rng;

	(void)state;
	assert_non_null(p);
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct heard *h = malloc(sizeof(*h));
		size_t n = 300 * 1448, at = 0;
		uint64_t seq = 1;
		int64_t now = 1;

		assert_non_null(h);
		na_rng_seed(&rng, seed);
		heard_init(h, &na_call_limits);
		h->mid_stream = true;
		for (size_t i = 0; i < n; i++)
			p[i] = other_byte(&rng, seed, i);
		while (at < n && h->n_transfers < TALK_HEARD - 10) {
			size_t k = seed % 3 ? 1448
					    : 1 + na_rng_below(&rng, 300);

			k = k < n - at ? k : n - at;
			heard_bytes(h, 0, seq + at, p + at, k, now += 1000, 0);
			at += k;
		}
		heard_close(h);
		assert_int_equal(h->counts.http2_connections, 0);
		assert_int_equal(h->n_transfers, 1);
		assert_int_equal(h->transfers[0].size_bytes, at);
		heard_fini(h);
		free(h);
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_rows),
		cmocka_unit_test(not_http2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
