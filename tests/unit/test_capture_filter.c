/* Filters by hand, and against libpcap's own reading of real captures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pcap.h>

#include "ingest/capture/filter.h"
#include "tests/unit/capfile_reading.h"
#include "tests/unit/capture_truth.h"
#include "tests/unit/packet_bytes.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct bytes b;

static struct na_capture_filter *filter(const char *expression)
{
	struct na_err err = {.status = NA_OK};
	struct na_capture_filter *f;

	assert_int_equal(na_capture_filter_new(&f, expression, &err), NA_OK);
	assert_non_null(f);
	return f;
}

static bool passes(struct na_capture_filter *f, uint32_t link)
{
	struct na_record r = {
		.data = b.p,
		.captured_bytes = (uint32_t)b.n,
		.wire_bytes = (uint32_t)b.n,
		.link = link,
	};

	return na_capture_filter_pass(f, &r);
}

static void refused(void **state)
{
	static const char *const rows[] = {
		"tcp prt 80",           "host", "((tcp)", "port 99999",
		"no.such.host.invalid", "\xff"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_err err = {.status = NA_OK};
		struct na_capture_filter *f;

		assert_int_equal(na_capture_filter_new(&f, rows[i], &err),
				 NA_EUSAGE);
		assert_null(f);
		assert_non_null(strstr(err.text, rows[i]));
		assert_true(strlen(err.text) > strlen(rows[i]) + 40);
	}
}

/* One packet behind many link layers; both byte orders of loopback. */
static void links(void **state)
{
	static const struct {
		uint32_t link;
		const char *head;
	} rows[] = {
		{1, "020000000001 020000000002 0800"},
		{12, ""},
		{14, ""},
		{101, ""},
		{228, ""},
		{113, "0000 0001 0006 020000000001 0000 0800"},
		{276, "0800 0000 00000002 0001 00 06 020000000001 0000"},
		{0, "02000000"},
		{0, "00000002"},
		{108, "00000002"},
		{9, "ff03 0021"},
	};
	struct na_capture_filter *yes = filter("tcp dst port 2000");
	struct na_capture_filter *no = filter("udp or net 192.0.2.0/24");
	struct na_capture_filter *all = filter("");
	const char *why;
	uint32_t link;

	(void)state;
	for (int twice = 0; twice < 2; twice++)
		for (size_t i = 0; i < COUNT(rows); i++) {
			b.n = 0;
			b_hex(&b, rows[i].head);
			b_ip4(&b, 40, 6, 1, 0);
			b_tcp(&b, 2, "");
			assert_true(passes(yes, rows[i].link));
			assert_false(passes(no, rows[i].link));
			assert_true(passes(all, rows[i].link));
		}
	assert_int_equal(na_capture_filter_unfit(yes, &link, &why), 0);
	na_capture_filter_free(yes);
	na_capture_filter_free(no);
	na_capture_filter_free(all);
}

static void unfit(void **state)
{
	struct na_capture_filter *f = filter("vlan 7");
	const char *why;
	uint32_t link;

	(void)state;
	b.n = 0;
	b_hex(&b, "020000000001 020000000002 8100 0007 0800 45000000");
	assert_true(passes(f, 1));
	assert_false(passes(f, 101));
	assert_false(passes(f, 101));
	assert_true(passes(f, 1));
	assert_false(passes(f, 101));
	assert_int_equal(na_capture_filter_unfit(f, &link, &why), 3);
	assert_int_equal(link, 101);
	assert_non_null(strstr(why, "VLAN"));
	/* More link types than there is room for: counted, not read. */
	for (uint32_t i = 0; i < 200; i++)
		passes(f, 5000 + i);
	assert_true(passes(f, 1));
	assert_int_equal(na_capture_filter_unfit(f, &link, &why), 203);
	na_capture_filter_free(f);
}

/* Words that Ethernet does not take, but another link type does. */
static void other_words(void **state)
{
	struct na_capture_filter *f = filter("outbound");

	(void)state;
	b.n = 0;
	b_hex(&b, "0004 0001 0006 020000000001 0000 0800 45000000");
	assert_true(passes(f, 113));
	b.p[1] = 0;
	assert_false(passes(f, 113));
	na_capture_filter_free(f);
}

/* Compiled ahead, it is the same, and no filter's own. */
static void compiled_ahead(void **state)
{
	na_capture_filter_ahead("vlan 7");
	unfit(state);
	unfit(state);
	other_words(state);
}

static void real(void **state)
{
	static const char *const rows[] = {
		"tcp",
		"udp port 53 or arp",
		"ip6",
		"greater 1000",
		"tcp[tcpflags] & (tcp-syn|tcp-fin) != 0",
		"host 192.168.1.2",
		"vlan and tcp",
	};
	char path[4096], why[PCAP_ERRBUF_SIZE];
	size_t passed = 0;

	(void)state;
	for (size_t i = 0; i < n_capture_truths * COUNT(rows); i++) {
		const char *name = capture_truths[i / COUNT(rows)].name;
		struct na_capture_filter *f = filter(rows[i % COUNT(rows)]);
		struct bpf_program code;
		struct pcap_pkthdr *h;
		const u_char *data;
		struct na_record r;
		struct na_input in;
		struct na_capfile *file = capfile_real(&in, name, path,
						       sizeof(path));
		pcap_t *p;

		if (!file) {
			na_capture_filter_free(f);
			puts("skip: NETAN_TEST_DATA is not set, or has "
			     "no such file");
			skip();
		}
		p = pcap_open_offline(path, why);
		if (p && pcap_compile(p, &code, rows[i % COUNT(rows)], 1,
				      PCAP_NETMASK_UNKNOWN) == 0) {
			while (pcap_next_ex(p, &h, &data) == 1 &&
			       na_capfile_next(file, &r) == NA_OK) {
				bool want = pcap_offline_filter(&code, h, data);

				passed += want;
				assert_int_equal(na_capture_filter_pass(f, &r),
						 want);
			}
			pcap_freecode(&code);
		}
		if (p)
			pcap_close(p);
		capfile_real_end(&in, file);
		na_capture_filter_free(f);
	}
	assert_true(passed > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),        cmocka_unit_test(links),
		cmocka_unit_test(unfit),          cmocka_unit_test(other_words),
		cmocka_unit_test(compiled_ahead), cmocka_unit_test(real),
	};

	return cmocka_run_group_tests_name("capture_filter", tests, NULL, NULL);
}
