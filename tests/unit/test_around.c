/* Which packets outside of its window a slice of a capture holds: of which
 * connections and queue pairs, and how long these last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/slice/around.h"
#include "tests/unit/packet_bytes.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { FIN = 1, SYN = 2, ACK = 16, FILE_0 = 0, FILE_1 = 1 };

/* Of TCP: hosts 10.0.0.X, and ports where they matter. */
struct shot {
	int from, to;
	unsigned from_port, to_port, flags;
	uint32_t seq, ack;
	int64_t at_ns;
};

static struct bytes b;

static struct na_record record(int64_t at_ns)
{
	return (struct na_record){
		.data = b.p,
		.captured_bytes = (uint32_t)b.n,
		.wire_bytes = (uint32_t)b.n,
		.link = 1,
		.time_ns = at_ns,
	};
}

static void addresses(int from, int to)
{
	b.p[29] = (uint8_t)from;
	b.p[33] = (uint8_t)to;
}

static void put_16(size_t at, unsigned x)
{
	b.p[at] = (uint8_t)(x >> 8);
	b.p[at + 1] = (uint8_t)x;
}

static void put_32(size_t at, uint32_t x)
{
	put_16(at, x >> 16);
	put_16(at + 2, x & 0xffff);
}

static struct na_record tcp(const struct shot *s)
{
	b.n = 0;
	b_ethernet(&b, 0x0800);
	b_ip4(&b, 40, 6, 1, 0);
	b_tcp(&b, s->flags, "");
	addresses(s->from, s->to);
	put_16(34, s->from_port);
	put_16(36, s->to_port);
	put_32(38, s->seq);
	put_32(42, s->ack);
	return record(s->at_ns);
}

/* One message of 4 bytes, or with another opcode. */
static struct na_record roce(int from, int to, unsigned opcode, uint32_t pair,
			     int64_t at_ns)
{
	b.n = 0;
	b_ethernet(&b, 0x0800);
	b_ip4(&b, 20 + 8 + 20, 17, 1, 0);
	b_udp(&b, 49152 + pair, 4791, 8 + 20);
	b_hex(&b, "0400ffff00000022000000010badcafe00000000");
	addresses(from, to);
	b.p[42] = (uint8_t)opcode;
	put_16(48, pair);
	return record(at_ns);
}

static void see(struct na_around *a, struct na_record r, uint32_t file,
		uint64_t nth)
{
	assert_int_equal(na_around_see(a, &r, file, nth), NA_OK);
}

static void lasts(const struct na_around *a, struct na_record r,
		  int64_t first_ns, int64_t last_ns)
{
	int64_t first = -1, last = -1;

	assert_true(na_around_lasted(a, &r, &first, &last));
	assert_int_equal(first, first_ns);
	assert_int_equal(last, last_ns);
}

static bool known(const struct na_around *a, struct na_record r)
{
	int64_t first, last;

	return na_around_lasted(a, &r, &first, &last);
}

/* Whichever side sends, in whichever file, and in whichever order. */
static void connections_last(void **state)
{
	const struct shot there = {1, 2, 40000, 80, ACK, 7, 9, 500};
	const struct shot back = {2, 1, 80, 40000, ACK, 9, 8, 300};
	const struct shot later = {2, 1, 80, 40000, FIN | ACK, 9, 8, 900};
	const struct shot other = {1, 2, 40001, 80, ACK, 7, 9, 5000};
	const struct shot unseen = {1, 3, 40000, 80, ACK, 7, 9, 500};
	struct na_around *a = na_around_new();

	(void)state;
	assert_non_null(a);
	assert_false(known(a, tcp(&there)));
	see(a, tcp(&there), FILE_0, 0);
	lasts(a, tcp(&back), 500, 500);
	see(a, tcp(&back), FILE_0, 1);
	see(a, tcp(&other), FILE_0, 2);
	see(a, tcp(&later), FILE_1, 0);
	lasts(a, tcp(&there), 300, 900);
	lasts(a, tcp(&back), 300, 900);
	lasts(a, tcp(&other), 5000, 5000);
	assert_false(known(a, tcp(&unseen)));
	na_around_free(a);
}

static void connections_begin(void **state)
{
	static const struct {
		struct shot of;
		uint32_t file;
		bool begins;
	} rows[] = {
		{{1, 2, 40000, 80, SYN, 100, 0, 1}, FILE_0, true},
		{{2, 1, 80, 40000, SYN | ACK, 900, 101, 2}, FILE_0, false},
		/* Sent again. */
		{{1, 2, 40000, 80, SYN, 100, 0, 3}, FILE_0, false},
		{{1, 2, 40000, 80, ACK, 101, 901, 4}, FILE_0, false},
		/* One whose begin is not in the capture. */
		{{3, 2, 40000, 80, ACK, 55, 66, 5}, FILE_0, true},
		{{2, 3, 80, 40000, ACK, 66, 56, 6}, FILE_0, false},
		/* The port once more, for another connection. */
		{{1, 2, 40000, 80, SYN, 5000, 0, 7}, FILE_0, true},
		{{1, 2, 40000, 80, ACK, 5001, 700, 8}, FILE_0, false},
		/* A file of its own is read by itself, too. */
		{{1, 2, 40000, 80, ACK, 5001, 700, 9}, FILE_1, true},
		{{2, 1, 80, 40000, ACK, 700, 5001, 10}, FILE_1, false},
	};
	struct na_around *a = na_around_new();
	uint64_t nth[COUNT(rows)], n[2] = {0, 0};

	(void)state;
	assert_non_null(a);
	for (size_t i = 0; i < COUNT(rows); i++) {
		nth[i] = n[rows[i].file]++;
		see(a, tcp(&rows[i].of), rows[i].file, nth[i]);
	}
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(na_around_begins(a, rows[i].file, nth[i]),
				 rows[i].begins);
	/* Backwards, and of packets and files that were not seen. */
	for (size_t i = COUNT(rows); i-- > 0;)
		assert_int_equal(na_around_begins(a, rows[i].file, nth[i]),
				 rows[i].begins);
	assert_false(na_around_begins(a, FILE_1, 99));
	assert_false(na_around_begins(a, 2, 0));
	assert_true(na_around_begins(a, FILE_0, 0));
	na_around_free(a);
}

/* All of two addresses last as one, as answers name another queue pair; each
 * begins by itself. */
static void queue_pairs(void **state)
{
	enum { SEND_ONLY = 0x04, NO_OPCODE = 0x1f };
	static const struct {
		int from, to;
		unsigned opcode;
		uint32_t pair, file;
		bool begins;
	} rows[] = {
		{1, 2, SEND_ONLY, 0x22, FILE_0, true},
		{1, 2, SEND_ONLY, 0x23, FILE_0, true},
		{1, 2, SEND_ONLY, 0x22, FILE_0, false},
		{2, 1, SEND_ONLY, 0x22, FILE_0, true},
		{1, 3, NO_OPCODE, 0x22, FILE_0, false},
		{1, 3, SEND_ONLY, 0x22, FILE_0, true},
		{1, 2, SEND_ONLY, 0x23, FILE_1, true},
		{1, 2, SEND_ONLY, 0x23, FILE_1, false},
	};
	struct na_around *a = na_around_new();
	uint64_t nth[COUNT(rows)], n[2] = {0, 0};

	(void)state;
	assert_non_null(a);
	for (size_t i = 0; i < COUNT(rows); i++) {
		nth[i] = n[rows[i].file]++;
		see(a,
		    roce(rows[i].from, rows[i].to, rows[i].opcode,
			 rows[i].pair, 100 * (int64_t)i),
		    rows[i].file, nth[i]);
	}
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(na_around_begins(a, rows[i].file, nth[i]),
				 rows[i].begins);
	lasts(a, roce(1, 2, SEND_ONLY, 0x99, 0), 0, 700);
	lasts(a, roce(3, 1, SEND_ONLY, 0x99, 0), 400, 500);
	na_around_free(a);
}

/* Frames without addresses are of nobody. */
static void others(void **state)
{
	struct na_around *a = na_around_new();

	(void)state;
	assert_non_null(a);
	b.n = 0;
	b_ethernet(&b, 0x88cc);
	b_zero(&b, 46);
	see(a, record(5), FILE_0, 0);
	assert_false(known(a, record(5)));
	assert_false(na_around_begins(a, FILE_0, 0));
	b.n = 0;
	see(a, record(6), FILE_0, 1);
	na_around_free(a);
	na_around_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_last),
		cmocka_unit_test(connections_begin),
		cmocka_unit_test(queue_pairs),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
