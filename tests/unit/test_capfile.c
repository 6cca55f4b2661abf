/*
 * pcap and pcapng files made by hand, in both byte orders; every prefix and
 * every changed byte of two small ones; real ones against the numbers of
 * other tools and, packet by packet, against libpcap.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcap.h>

#include "tests/unit/capfile_reading.h"
#include "tests/unit/capture_truth.h"
#include "tests/unit/packet_bytes.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct bytes b;

static void fresh(bool big)
{
	b.n = 0;
	b.big = big;
}

/* n records of 20 + i bytes, a second apart. */
static void some_records(uint32_t n, uint32_t head_extra)
{
	for (uint32_t i = 0; i < n; i++) {
		b_record(&b, 1700000000 + i, 5 + i, 20 + i, 100 + i);
		b_zero(&b, head_extra);
		b_zero(&b, 20 + i);
	}
}

static void magics(void **state)
{
	static const struct {
		uint32_t magic;
		bool big;
		int64_t fraction_ns;
		uint32_t extra;
	} rows[] = {
		{0xa1b2c3d4, false, 1000, 0}, {0xa1b2c3d4, true, 1000, 0},
		{0xa1b23c4d, false, 1, 0},    {0xa1b23c4d, true, 1, 0},
		{0xa1b2cd34, false, 1000, 8}, {0xa1b2cd34, true, 1000, 8},
	};
	struct capfile_reading r;
	const char *why;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		fresh(rows[i].big);
		/* check sum bits in front of the link type */
		b_pcap(&b, rows[i].magic, 2 << 16 | 4, 262144, 0x24000001);
		some_records(3, rows[i].extra);
		assert_int_equal(na_capfile_sniff(b.p, b.n, b.n, &why),
				 NA_SNIFF_YES);
		capfile_read(&r, b.p, b.n);
		assert_int_equal(r.n, 3);
		assert_false(r.in.damaged);
		assert_int_equal(r.in.n_warnings, 0);
		assert_int_equal(r.records[2].time_ns,
				 1700000002 * INT64_C(1000000000) +
					 7 * rows[i].fraction_ns);
		assert_int_equal(r.records[2].captured_bytes, 22);
		assert_int_equal(r.records[2].wire_bytes, 102);
		assert_int_equal(r.records[2].link, 1);
		assert_int_equal(r.records[1].at, 24 + 16 + rows[i].extra + 20);
		assert_int_equal(na_capfile_interfaces(r.file), 1);
		assert_false(na_capfile_is_ng(r.file));
		capfile_end(&r);
	}
}

static void versions(void **state)
{
	static const struct {
		uint32_t version, captured, wire, want_captured, want_wire;
		size_t warnings;
	} rows[] = {
		{2 << 16 | 4, 20, 60, 20, 60, 0},
		{512u << 16 | 1024, 20, 60, 20, 60, 1},
		{2 << 16 | 2, 60, 20, 20, 60, 0}, /* the other way round */
		{2 << 16 | 3, 60, 20, 20, 60, 0},
		{2 << 16 | 3, 20, 60, 20, 60, 0},
		{2 << 16 | 4, 20, 10, 20, 20, 0}, /* captured is there */
	};
	struct capfile_reading r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		fresh(false);
		b_pcap(&b, 0xa1b2c3d4, rows[i].version, 65535, 1);
		b_record(&b, 1, 2, rows[i].captured, rows[i].wire);
		b_zero(&b, 20);
		capfile_read(&r, b.p, b.n);
		assert_int_equal(r.n, 1);
		assert_int_equal(r.records[0].captured_bytes,
				 rows[i].want_captured);
		assert_int_equal(r.records[0].wire_bytes, rows[i].want_wire);
		assert_int_equal(r.in.n_warnings, rows[i].warnings);
		capfile_end(&r);
	}
}

static void cut_files(void **state)
{
	size_t ends[6] = {24};
	struct capfile_reading r;
	char text[64];

	(void)state;
	fresh(false);
	b_pcap(&b, 0xa1b2c3d4, 2 << 16 | 4, 262144, 1);
	some_records(5, 0);
	for (size_t i = 1; i < 6; i++)
		ends[i] = ends[i - 1] + 16 + 20 + i - 1;
	assert_int_equal(ends[5], b.n);
	for (size_t n = 0; n <= b.n; n++) {
		size_t whole = 0;

		capfile_read(&r, b.p, n);
		if (n < 24) {
			assert_null(r.file);
			capfile_end(&r);
			continue;
		}
		while (whole < 5 && ends[whole + 1] <= n)
			whole++;
		assert_int_equal(r.n, whole);
		assert_int_equal(r.in.damaged, n != ends[whole]);
		if (r.in.damaged) {
			snprintf(text, sizeof(text),
				 "at byte %zu:", ends[whole]);
			assert_non_null(strstr(r.in.warnings->text, text));
		}
		capfile_end(&r);
	}
}

/* Damage to one record costs that one; a length that may be, by the snap
 * length, also what it hides. */
static void damage_and_back(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	struct capfile_reading r;

	(void)state;
	for (int way = 0; way < 4; way++) {
		fresh(way & 1);
		b_pcap(&b, 0xa1b2c3d4, 2 << 16 | 4, way & 2 ? 262144 : 64, 1);
		some_records(20, 0);
		for (size_t at = 24; at < b.n; at++)
			for (size_t v = 0; v < COUNT(values); v++) {
				uint8_t was = b.p[at];

				b.p[at] = values[v];
				capfile_read(&r, b.p, b.n);
				/* 18: one hides exactly two */
				assert_in_range(r.n, way & 2 ? 12 : 18, 20);
				capfile_end(&r);
				b.p[at] = was;
			}
	}
	fresh(false);
	b_pcap(&b, 0xa1b2c3d4, 2 << 16 | 4, 262144, 1);
	some_records(20, 0);
	b.p[24 + 36 + 11] = 0x70; /* second record: captured */
	capfile_read(&r, b.p, b.n);
	assert_int_equal(r.n, 19);
	assert_true(r.in.damaged);
	assert_int_equal(r.records[1].at, 24 + 36 + 37);
	assert_non_null(
		strstr(r.in.warnings->text,
		       "at byte 60: went on at byte 97, 37 bytes lost"));
	capfile_end(&r);
}

/* A length on the wire that no frame has. */
static void endless_frame(void **state)
{
	struct capfile_reading r;

	(void)state;
	fresh(false);
	b_pcap(&b, 0xa1b2c3d4, 2 << 16 | 4, 262144, 1);
	some_records(3, 0);
	b.p[24 + 36 + 15] = 0x70;
	capfile_read(&r, b.p, b.n);
	assert_int_equal(r.n, 3);
	assert_true(r.in.damaged);
	assert_int_equal(r.records[1].wire_bytes, 21);
	assert_int_equal(r.records[2].wire_bytes, 102);
	capfile_end(&r);

	fresh(false);
	b_section(&b);
	b_interface(&b, 1, 0, 0, 0);
	b_enhanced(&b, 0, 1, 20, 0x70000000);
	capfile_read(&r, b.p, b.n);
	assert_int_equal(r.n, 1);
	assert_true(r.in.damaged);
	assert_int_equal(r.records[0].wire_bytes, 20);
	capfile_end(&r);
}

/* A header anywhere in the first 24 bytes: read or refused. */
static void damaged_file_header(void **state)
{
	struct capfile_reading r;

	(void)state;
	fresh(false);
	b_pcap(&b, 0xa1b2c3d4, 2 << 16 | 4, 262144, 1);
	some_records(3, 0);
	for (size_t at = 0; at < 24; at++)
		for (unsigned v = 0; v < 256; v++) {
			uint8_t was = b.p[at];

			b.p[at] = (uint8_t)v;
			capfile_read(&r, b.p, b.n);
			assert_true(at < 4 || r.n == 3);
			capfile_end(&r);
			b.p[at] = was;
		}
}

static void resolutions(void **state)
{
	static const struct {
		uint32_t code;
		int64_t offset_s;
		uint64_t units;
		int64_t want_ns;
	} rows[] = {
		{0, 0, 1700000000123456, 1700000000123456000},
		{6, 0, 1700000000123456, 1700000000123456000},
		{9, 0, 1700000000123456789, 1700000000123456789},
		{3, 0, 1700000000123, 1700000000123000000},
		{12, 0, 1700000123456789012, 1700000123456789},
		{1, 0, 17, 1700000000},
		{0x80 | 10, 0, 1024 * 3 + 512, 3500000000},
		{0x80 | 32, 0, UINT64_C(0x180000000), 1500000000},
		{0x80 | 64, 0, UINT64_C(1) << 63, 500000000},
		{0xff, 0, UINT64_MAX, 0},
		{127, 0, UINT64_MAX, 0},
		{6, 1600000000, 100000000123456, 1700000000123456000},
		{6, -5, 6000000, 1000000000},
		{6, 0, UINT64_MAX, INT64_MAX},
		{1, INT64_MIN, 0, INT64_MIN},
	};
	struct capfile_reading r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (int big = 0; big < 2; big++) {
			fresh(big);
			b_section(&b);
			b_interface(&b, 1, 96, rows[i].code, rows[i].offset_s);
			b_enhanced(&b, 0, rows[i].units, 21, 1500);
			capfile_read(&r, b.p, b.n);
			assert_int_equal(r.n, 1);
			assert_int_equal(r.records[0].time_ns, rows[i].want_ns);
			assert_int_equal(r.records[0].captured_bytes, 21);
			assert_int_equal(r.records[0].wire_bytes, 1500);
			capfile_end(&r);
		}
}

/* A simple packet of the first interface, an obsolete one of the second. */
static void add_old_packets(void)
{
	struct bytes *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	x->big = b.big;
	b_32(x, 200); /* wire */
	b_zero(x, 96);
	b_block(&b, 3, x);
	x->n = 0;
	b_16(x, 1);
	b_16(x, 7); /* drops */
	b_32(x, 0);
	b_32(x, 5000);
	b_32(x, 14);
	b_32(x, 60);
	b_zero(x, 14);
	b_block(&b, 2, x);
	free(x);
}

static void add_section(bool big)
{
	static const uint32_t others[] = {4, 5, 10, 0xbad, 0x40000bad, 77};
	struct bytes *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	b.big = big;
	b_section(&b);
	b_interface(&b, 1, 96, 0, 0);
	b_interface(&b, 113, 0, 9, 0);
	b_enhanced(&b, 1, 3000000001, 31, 31);
	b_zero(x, 9);
	for (size_t i = 0; i < COUNT(others); i++)
		b_block(&b, others[i], x);
	free(x);
	add_old_packets();
	b_enhanced(&b, 0, 4000000, 60, 60);
}

static void sections(void **state)
{
	static const struct {
		int64_t time_ns;
		uint32_t captured, wire, link, interface;
	} want[] = {
		{3000000001, 31, 31, 113, 1},
		{3000000001, 96, 200, 1, 0},
		{5000, 14, 60, 113, 1},
		{4000000000, 60, 60, 1, 0},
	};
	struct capfile_reading r;
	const char *why;

	(void)state;
	fresh(false);
	add_section(true);
	add_section(false);
	add_section(true);
	assert_int_equal(na_capfile_sniff(b.p, b.n, b.n, &why), NA_SNIFF_YES);
	capfile_read(&r, b.p, b.n);
	assert_int_equal(r.n, 12);
	assert_false(r.in.damaged);
	assert_true(na_capfile_is_ng(r.file));
	assert_int_equal(na_capfile_interfaces(r.file), 6);
	for (size_t i = 0; i < r.n; i++) {
		const struct na_record *x = &r.records[i];

		assert_int_equal(x->time_ns, want[i % 4].time_ns);
		assert_int_equal(x->captured_bytes, want[i % 4].captured);
		assert_int_equal(x->wire_bytes, want[i % 4].wire);
		assert_int_equal(x->link, want[i % 4].link);
		assert_int_equal(x->interface,
				 i / 4 * 2 + want[i % 4].interface);
	}
	capfile_end(&r);
}

static void damaged_blocks(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x80, 0xff};
	struct capfile_reading r;
	size_t n;

	(void)state;
	fresh(false);
	add_section(true);
	add_section(false);
	n = b.n;
	for (size_t i = 0; i <= n; i++) {
		capfile_read(&r, b.p, i);
		assert_true(r.n <= 8);
		assert_true(i < n || (r.n == 8 && !r.in.damaged));
		capfile_end(&r);
	}
	/* After the headers: one block is lost, and with an interface or a
	 * section what depends on it. */
	for (size_t at = 0; at < n; at++)
		for (size_t v = 0; v < COUNT(values); v++) {
			uint8_t was = b.p[at];

			b.p[at] = values[v];
			capfile_read(&r, b.p, n);
			assert_true(r.n <= 8);
			/* the second section hangs on the file's first block
			 * alone */
			assert_true(at < 28 || r.n >= 4);
			capfile_end(&r);
			b.p[at] = was;
		}
}

static void bad_blocks(void **state)
{
	struct capfile_reading r;

	(void)state;
	fresh(false);
	b_section(&b);
	b_enhanced(&b, 0, 1, 20, 20); /* no interface yet */
	b_interface(&b, 1, 0, 0, 0);
	b_enhanced(&b, 1, 1, 20, 20); /* no such one */
	b_enhanced(&b, 0, 1, 20, 20);
	b.p[b.n - 32 + 1] = 9; /* captured 0x914: more than the block has */
	b_enhanced(&b, 0, 7000000, 20, 20);
	capfile_read(&r, b.p, b.n);
	assert_int_equal(r.n, 1);
	assert_true(r.in.damaged);
	assert_int_equal(r.in.n_warnings, 3);
	assert_int_equal(r.records[0].time_ns, 7000000000);
	capfile_end(&r);

	fresh(false);
	b_section(&b);
	b.p[12] = 2; /* version */
	capfile_read(&r, b.p, b.n);
	assert_null(r.file);
	assert_non_null(strstr(r.err.text, "version 2.0"));
	capfile_end(&r);
}

static void sniffing(void **state)
{
	static const struct {
		const char *head;
		size_t n;
		enum na_sniff want;
	} rows[] = {
		{"\xd4\xc3\xb2\xa1", 4, NA_SNIFF_YES},
		{"\xa1\xb2\x3c\x4d", 4, NA_SNIFF_YES},
		{"\xd4\xc3\xb2", 3, NA_SNIFF_NO},
		{"\x0a\x0d\x0d\x0a", 4, NA_SNIFF_YES},
		{"\x0a\x0d\x0d\x0a\0\0\0\x1c\x1a\x2b\x3c\x4d", 12,
		 NA_SNIFF_YES},
		{"\x0a\x0d\x0d\x0a\0\0\0\x1c\x1a\x2b\x3c\x4e", 12,
		 NA_SNIFF_DAMAGED},
		{"\x0a\x0d\x0a\x0a\0\0", 6, NA_SNIFF_NO},
		{"", 0, NA_SNIFF_NO},
	};
	const char *why = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(na_capfile_sniff((const uint8_t *)rows[i].head,
						  rows[i].n, rows[i].n, &why),
				 rows[i].want);
	assert_non_null(why);
}

static void real_counts(void **state)
{
	char path[4096];

	(void)state;
	for (size_t i = 0; i < n_capture_truths; i++) {
		const struct capture_truth *t = &capture_truths[i];
		uint64_t n = 0, wire = 0, captured = 0, cut = 0, back = 0;
		int64_t last = INT64_MIN;
		struct na_record r;
		struct na_input in;
		struct na_capfile *f = capfile_real(&in, t->name, path,
						    sizeof(path));

		if (!f) {
			puts("skip: NETAN_TEST_DATA is not set, or has "
			     "no such file");
			skip();
		}
		for (; na_capfile_next(f, &r) == NA_OK; n++) {
			wire += r.wire_bytes;
			captured += r.captured_bytes;
			cut += r.captured_bytes < r.wire_bytes;
			back += r.time_ns < last;
			last = r.time_ns;
		}
		assert_int_equal(n, t->packets);
		assert_int_equal(wire, t->wire_bytes);
		assert_int_equal(captured, t->captured_bytes);
		assert_int_equal(cut, t->cut);
		assert_int_equal(back, t->backward);
		assert_int_equal(in.damaged,
				 strcmp(t->name, "file_cut_mid_record.pcap") ==
					 0);
		capfile_real_end(&in, f);
	}
}

/* libpcap refuses an odd version, and stops at a second link type. */
static void real_libpcap(void **state)
{
	char path[4096], why[PCAP_ERRBUF_SIZE];
	size_t compared = 0;

	(void)state;
	for (size_t i = 0; i < n_capture_truths; i++) {
		struct pcap_pkthdr *h;
		const u_char *data;
		struct na_record r;
		struct na_input in;
		struct na_capfile *f = capfile_real(&in, capture_truths[i].name,
						    path, sizeof(path));
		pcap_t *p;

		if (!f) {
			puts("skip: NETAN_TEST_DATA is not set, or has "
			     "no such file");
			skip();
		}
		p = pcap_open_offline_with_tstamp_precision(
			path, PCAP_TSTAMP_PRECISION_NANO, why);
		compared += p != NULL;
		while (p && pcap_next_ex(p, &h, &data) == 1) {
			assert_int_equal(na_capfile_next(f, &r), NA_OK);
			assert_int_equal(r.time_ns,
					 h->ts.tv_sec * INT64_C(1000000000) +
						 h->ts.tv_usec);
			assert_int_equal(r.captured_bytes, h->caplen);
			assert_int_equal(r.wire_bytes, h->len);
			assert_memory_equal(r.data, data, h->caplen);
			if (r.link != 101)
				assert_int_equal(r.link, pcap_datalink(p));
		}
		if (p)
			pcap_close(p);
		capfile_real_end(&in, f);
	}
	assert_int_equal(compared, n_capture_truths - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(magics),
		cmocka_unit_test(versions),
		cmocka_unit_test(cut_files),
		cmocka_unit_test(damage_and_back),
		cmocka_unit_test(endless_frame),
		cmocka_unit_test(damaged_file_header),
		cmocka_unit_test(resolutions),
		cmocka_unit_test(sections),
		cmocka_unit_test(damaged_blocks),
		cmocka_unit_test(bad_blocks),
		cmocka_unit_test(sniffing),
		cmocka_unit_test(real_counts),
		cmocka_unit_test(real_libpcap),
	};

	return cmocka_run_group_tests_name("capfile", tests, NULL, NULL);
}
