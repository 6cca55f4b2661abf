/*
 * The parts of the tracker against plain ones: bytes seen against a map of
 * bytes, segments in flight against a list, quantiles against sorting; and
 * the table against what it was given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/tcp/table.h"
#include "netan/synth/rng.h"

enum { SPAN = 3000, LISTED = 512 };

static void seen(void **state)
{
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 1);
	for (int round = 0; round < 300; round++) {
		struct na_cells cells = {.most = 4096};
		uint8_t map[SPAN] = {0};
		struct na_seen s;

		na_seen_init(&s, 0);
		for (int i = 0; i < 100; i++) {
			int64_t from = (int64_t)na_rng_below(&r, SPAN);
			int64_t to = from + (int64_t)na_rng_below(&r, 60);
			uint64_t fresh = 0;

			if (to > SPAN)
				to = SPAN;
			for (int64_t k = from; k < to; k++)
				fresh += !map[k];
			if (to > from)
				memset(map + from, 1, (size_t)(to - from));
			assert_int_equal(na_seen_add(&s, &cells, from, to),
					 fresh);
		}
		assert_int_equal(cells.dropped, 0);
		na_seen_fini(&s, &cells);
		assert_int_equal(cells.used, 0);
	}
}

/* Without room for holes the lowest is taken for seen. */
static void seen_bounded(void **state)
{
	struct na_cells cells = {.most = 4};
	struct na_seen s;

	(void)state;
	na_seen_init(&s, 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(na_seen_add(&s, &cells, i * 10, i * 10 + 5),
				 5);
	assert_int_equal(cells.dropped, 9 - s.n);
	assert_in_range(s.n, 2, 4);
	assert_int_equal(na_seen_add(&s, &cells, 5, 10), 0);  /* gone */
	assert_int_equal(na_seen_add(&s, &cells, 85, 90), 5); /* kept */
	na_seen_fini(&s, &cells);
	assert_int_equal(cells.used, 0);
}

/* The list: in order of sending. */
struct listed {
	struct na_cell v[LISTED];
	size_t n;
};

static bool list_ack(struct listed *l, uint32_t ack, int64_t *sent_ns)
{
	bool found = false;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct na_cell c = l->v[i];

		if (c.next == ack && !found) {
			found = true;
			*sent_ns = c.time_ns;
		}
		if ((int32_t)(c.next - ack) <= 0)
			continue;
		if ((int32_t)(c.seq - ack) < 0)
			c.seq = ack;
		l->v[n++] = c;
	}
	l->n = n;
	return found;
}

static uint32_t list_span(const struct listed *l, uint32_t base)
{
	uint32_t lo = UINT32_MAX, hi = 0;

	for (size_t i = 0; i < l->n; i++) {
		uint32_t a = l->v[i].seq - base, b = l->v[i].next - base;

		lo = a < lo ? a : lo;
		hi = b > hi ? b : hi;
	}
	return l->n ? hi - lo : 0;
}

static void flight(void **state)
{
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 2);
	for (uint32_t round = 0; round < 200; round++) {
		struct na_cells cells = {.most = 8192};
		static struct listed l;
		struct na_flight f;
		uint32_t base = UINT32_MAX - 20000, top = base;

		l.n = 0;
		na_flight_init(&f);
		for (int i = 0; i < 400; i++) {
			uint32_t back = (uint32_t)na_rng_below(&r, 4) ? 0 : 900;
			struct na_cell c = {top, 0, i};
			int64_t a = -1, b = -1;

			if (back && top - base > back)
				c.seq -= (uint32_t)na_rng_below(&r, back);
			c.next = c.seq + 1 + (uint32_t)na_rng_below(&r, 300);
			if ((int32_t)(c.next - top) > 0)
				top = c.next;
			l.v[l.n++] = c;
			na_flight_add(&f, &cells, c.seq, c.next, c.time_ns);
			assert_int_equal(na_flight_span(&f),
					 list_span(&l, base));
			if (na_rng_below(&r, 6) == 0) {
				uint32_t ack = l.v[na_rng_below(&r, l.n)].next -
					       (uint32_t)na_rng_below(&r, 3);

				assert_int_equal(na_flight_ack(&f, &cells, ack,
							       &a),
						 list_ack(&l, ack, &b));
				assert_int_equal(a, b);
			}
			assert_int_equal(f.count, l.n);
		}
		na_flight_fini(&f, &cells);
		assert_int_equal(cells.used, 0);
		assert_int_equal(cells.dropped, 0);
	}
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void quantiles(void **state)
{
	static const size_t counts[] = {1, 2, 3, 16, 17, 100, 20000};
	static const double ps[] = {0.01, 0.5, 0.9, 0.99, 1};
	static int64_t v[20000];
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 3);
	for (size_t k = 0; k < 7 * 8; k++) {
		struct na_rtt_pages pages = {.most = 64};
		struct na_rtt rtt = {0};
		size_t n = counts[k % 7];

		for (size_t i = 0; i < n; i++) {
			v[i] = (int64_t)(na_rng_next(&r) >>
					 (24 + na_rng_below(&r, 39)));
			na_rtt_add(&rtt, &pages, v[i]);
		}
		qsort(v, n, sizeof(*v), by_value);
		assert_int_equal(rtt.n, n);
		assert_int_equal(rtt.min_ns, v[0]);
		for (size_t i = 0; i < 5; i++) {
			double at = ps[i] * (double)n;
			size_t rank = (size_t)at + ((double)(size_t)at < at);
			int64_t want = v[rank ? rank - 1 : 0];
			int64_t got = na_rtt_quantile(&rtt, ps[i]);
			int64_t off = got > want ? got - want : want - got;

			assert_true(n <= NA_RTT_EXACT ? off == 0
						      : off * 60 <= want);
		}
		na_rtt_fini(&rtt, &pages);
		assert_int_equal(pages.dropped, 0);
		na_rtt_pages_fini(&pages);
		assert_int_equal(pages.used, 0);
	}
}

/* No page to be had: the first samples still tell. */
static void quantiles_bounded(void **state)
{
	struct na_rtt_pages pages = {.most = 0};
	struct na_rtt rtt = {0};

	(void)state;
	assert_int_equal(na_rtt_quantile(&rtt, 0.5), -1);
	for (int64_t i = 100; i > 0; i--)
		na_rtt_add(&rtt, &pages, i);
	assert_int_equal(rtt.n, 100);
	assert_int_equal(rtt.min_ns, 1);
	assert_int_equal(na_rtt_quantile(&rtt, 0.5), 99);
	assert_int_equal(pages.dropped, 98);
	na_rtt_fini(&rtt, &pages);
}

static void table(void **state)
{
	enum { N = 3000 };
	static uint32_t at[N];
	struct na_tcp_table t;
	struct na_packet p = {.src.family = 6, .dst.family = 6};
	struct na_rng r;
	unsigned dir = 9;

	(void)state;
	na_rng_seed(&r, 5);
	assert_true(na_tcp_table_init(&t));
	for (uint32_t i = 0; i < N; i++)
		at[i] = NA_TCP_NONE;
	for (int round = 0; round < 40000; round++) {
		uint32_t i = (uint32_t)na_rng_below(&r, N), hash;
		bool turned = na_rng_below(&r, 2);

		memcpy(turned ? p.dst.bytes : p.src.bytes, &i, sizeof(i));
		memset(turned ? p.src.bytes : p.dst.bytes, 1, sizeof(i));
		p.src_port = turned ? 80 : 1;
		p.dst_port = turned ? 1 : 80;
		hash = na_tcp_hash(&t, &p);
		assert_int_equal(na_tcp_find(&t, hash, &p, &dir), at[i]);
		if (at[i] == NA_TCP_NONE) {
			at[i] = na_tcp_insert(&t, hash, &p);
			assert_int_not_equal(at[i], NA_TCP_NONE);
		} else if (na_rng_below(&r, 3) == 0) {
			na_tcp_remove(&t, at[i]);
			at[i] = NA_TCP_NONE;
		}
	}
	for (uint32_t i = 0, n = 0; i < N; i++) {
		n += at[i] != NA_TCP_NONE;
		if (i + 1 == N)
			assert_int_equal(t.list[NA_TCP_FRESH].n, n);
	}
	na_tcp_table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seen),
		cmocka_unit_test(seen_bounded),
		cmocka_unit_test(flight),
		cmocka_unit_test(quantiles),
		cmocka_unit_test(quantiles_bounded),
		cmocka_unit_test(table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
