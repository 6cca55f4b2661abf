/*
 * --hosts: what is read, what is refused, and whose addresses become one host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/packet.h"
#include "netan/model/store.h"

static const char *plain(char *buf, const char *text)
{
	struct na_address a;

	return na_address_parse(&a, text) ? na_address_print(buf, &a) : NULL;
}

static enum na_status parse(struct na_hosts *h, const char *text,
			    struct na_err *err)
{
	*err = (struct na_err){.status = NA_OK};
	return na_hosts_parse(h, text, strlen(text), "h.csv", plain, err);
}

static void rows(void **state)
{
	struct na_hosts h;
	struct na_err err;
	int32_t slice;

	(void)state;
	assert_int_equal(parse(&h,
			       "\xef\xbb\xbf# comment\nAddress,Host,Slice\r\n"
			       " 10.0.0.1 , \"a\", 3\n\nFD00:0:0::1,a\n"
			       "::FFFF:10.0.0.1,b,0",
			       &err),
			 NA_OK);
	assert_int_equal(h.addresses.n, 3);
	assert_string_equal(na_hosts_find(&h, "10.0.0.1", &slice), "a");
	assert_int_equal(slice, 3);
	assert_string_equal(na_hosts_find(&h, "fd00::1", &slice), "a");
	assert_int_equal(slice, -1);
	assert_string_equal(na_hosts_find(&h, "::ffff:10.0.0.1", &slice), "b");
	assert_int_equal(slice, 0);
	assert_null(na_hosts_find(&h, "10.0.0.2", &slice));
	na_hosts_fini(&h);
}

static void quoted(void **state)
{
	struct na_hosts h;
	struct na_err err;
	int32_t slice;

	(void)state;
	assert_int_equal(parse(&h,
			       "\"10.0.0.1\" ,\t\"rack 1, node a\" , \"3\"\r\n"
			       "10.0.0.2, node b \n10.0.0.3,it's\n"
			       "10.0.0.4,6\" disk\n10.0.0.5,\" c\"",
			       &err),
			 NA_OK);
	assert_string_equal(na_hosts_find(&h, "10.0.0.1", &slice),
			    "rack 1, node a");
	assert_int_equal(slice, 3);
	assert_string_equal(na_hosts_find(&h, "10.0.0.2", &slice), "node b");
	assert_string_equal(na_hosts_find(&h, "10.0.0.3", &slice), "it's");
	assert_string_equal(na_hosts_find(&h, "10.0.0.4", &slice), "6\" disk");
	assert_string_equal(na_hosts_find(&h, "10.0.0.5", &slice), " c");
	na_hosts_fini(&h);
}

static void refused(void **state)
{
	/* clang-format off */
	static const struct { const char *text, *why; } bad[] = {
		{"", "no addresses in it"},
		{"address,host\n", "no addresses in it"},
		{"10.0.0.1\n", "line 1: one field"},
		{"10.0.0.1,a\n10.0.0,b\n", "line 2: no IPv4 or IPv6"},
		{"a,10.0.0.1\n", "line 1: no IPv4 or IPv6"},
		{"10.0.0.1,a\n#\n010.0.0.1,b\n", "line 3"},
		{"fd00::1,a\nfd00:0::1,b\n", "line 2: an address for the second"},
		{"10.0.0.1,a,x\n", "line 1: the slice is no number"},
		{"10.0.0.1,a,-1\n", "line 1: the slice is no number"},
		{"10.0.0.1,a,99999999999\n", "line 1: the slice is no number"},
		{"10.0.0.1,a,1,2\n", "line 1: more than three fields"},
		{"10.0.0.1,\n", "line 1: a field that is empty"},
		{"10.0.0.1,\"\"\n", "line 1: a field that is empty"},
		{"10.0.0.1,\"a\n\"\n", "line 1: a quote that nothing closes"},
		{"10.0.0.1,\"\n", "line 1: a quote that nothing closes"},
		{"10.0.0.1,\"a\"\"b\"\n", "line 1: text behind a closing quote"},
		{"10.0.0.1,\"a\" b,1\n", "line 1: text behind a closing quote"},
	};
	/* clang-format on */
	struct na_hosts h;
	struct na_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(&h, bad[i].text, &err), NA_EFORMAT);
		assert_non_null(strstr(err.text, "h.csv"));
		if (!strstr(err.text, bad[i].why))
			fail_msg("%s", err.text);
		na_hosts_fini(&h);
	}
}

static uint32_t address(struct na_sink *sink, const char *a)
{
	return sink->address(sink->ctx, a, strlen(a));
}

/* A trace of host-0 and a capture in one run, the capture again in another;
 * the capture's name is no host's. */
static void joined(void **state)
{
	const struct na_source sources[] = {
		{.host = "host-0"},
		{.host = "job", .capture = true},
		{.host = "job", .label = "again", .run = 1, .capture = true},
	};
	struct na_hosts h;
	struct na_store s;
	struct na_part part;
	struct na_sink sink;
	struct na_err err;
	uint32_t e[5];

	(void)state;
	assert_int_equal(parse(&h,
			       "10.0.0.1,host-0,2\nfd00::1,host-0\n"
			       "10.0.0.2,job\n10.0.0.9,nobody\n",
			       &err),
			 NA_OK);
	assert_int_equal(na_store_init(&s, sources, 3, &err), NA_OK);
	s.names_of = &h;
	for (size_t i = 0; i < 3; i++) {
		na_part_init(&part, &s.pool, NULL, NA_WANT_TRANSFERS);
		sink = na_part_sink(&part);
		e[0] = address(&sink, "10.0.0.1");
		e[1] = address(&sink, "fd00::1");
		e[2] = address(&sink, "10.0.0.2");
		e[3] = address(&sink, "10.0.0.3");
		e[4] = sink.endpoint(sink.ctx, 0, 0);
		assert_int_equal(na_store_take(&s, &part, i, &err), NA_OK);
		na_part_fini(&part);
	}
	assert_int_equal(na_store_resolve(&s, NA_ANCHOR_AUTO, false, &err),
			 NA_OK);
	assert_int_equal(s.n_named, 6);
	assert_int_equal(na_store_host_of(&s, 0, e[0]), 0);
	assert_int_equal(na_store_host_of(&s, 0, e[1]), 0);
	assert_int_equal(s.hosts[0].slice, 2);
	for (uint32_t run = 0; run < 2; run++) {
		uint32_t one = na_store_host_of(&s, run, e[0]);
		uint32_t two = na_store_host_of(&s, run, e[2]);

		assert_int_equal(one, na_store_host_of(&s, run, e[1]));
		assert_string_equal(s.hosts[one].name, "host-0");
		assert_int_equal(s.hosts[one].run, run);
		assert_true(two >= 3);
		assert_string_equal(s.hosts[two].name, "job");
		assert_string_equal(
			s.hosts[na_store_host_of(&s, run, e[3])].name,
			"10.0.0.3");
		assert_string_equal(
			s.hosts[na_store_host_of(&s, run, e[4])].name, "s0d0");
	}
	assert_true(s.hosts[1].nobody && s.hosts[2].nobody);
	na_store_fini(&s);
	na_hosts_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(quoted),
		cmocka_unit_test(refused),
		cmocka_unit_test(joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
