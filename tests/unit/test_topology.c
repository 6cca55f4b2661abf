/*
 * Topology files: shapes, classes, what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "netan/model/hosts/topology.h"

static enum na_status parse(struct na_topology *t, const char *text,
			    struct na_err *err)
{
	*err = (struct na_err){.status = NA_OK};
	return na_topology_parse(t, text, strlen(text), "topo.csv", err);
}

static const char *class_of(const struct na_topology *t, const char *a,
			    const char *b)
{
	uint32_t c = na_topology_class(t,
				       na_strtab_find(&t->hosts, a, strlen(a)),
				       na_strtab_find(&t->hosts, b, strlen(b)));

	return c == UINT32_MAX ? "none" : na_topology_class_name(t, c);
}

static void shapes(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text, *a, *b, *want;
	} rows[] = {
		{"host,rack\na,r1\nb,r1\nc,r2\n", "a", "b", "same_rack"},
		{"host,rack\na,r1\nb,r1\nc,r2\n", "a", "c", "cross_rack"},
		{"a,r1\nb,r1", "a", "b", "same_rack"},
		{"\xef\xbb\xbfHost,Rack,Block\r\na,r1,x\r\nb,r2,x\r\nc,r1,y\r\n",
		 "a", "b", "same_block"},
		{"host,rack,block\na,r1,x\nc,r1,y\n", "a", "c", "cross_block"},
		{"# us\n\nsrc_host,dst_host,class\na,b,near\nb,c,far\n",
		 "a", "b", "near"},
		{"src_host,dst_host,class\na,b,near\n", "b", "a", "near"},
		{"src_host,dst_host,class\na,b,near\nb,a,far\n", "b", "a",
		 "far"},
		{"src_host,dst_host,class\na,b,near\nb,c,far\n", "a", "c",
		 "none"},
		{"a,b,near\na,c,far\n", "a", "c", "far"},
		{"a,r1,x\nb,r2,x\n", "a", "b", "same_block"},
		{" \"a\" , r1\nb,r1\n", "a", "b", "same_rack"},
		{"host,rack\na,r1\n", "a", "zz", "none"},
	};
	/* clang-format on */
	struct na_topology t;
	struct na_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (parse(&t, rows[i].text, &err) != NA_OK)
			fail_msg("row %zu: %s", i, err.text);
		if (strcmp(class_of(&t, rows[i].a, rows[i].b), rows[i].want))
			fail_msg("row %zu: %s, want %s", i,
				 class_of(&t, rows[i].a, rows[i].b),
				 rows[i].want);
		na_topology_fini(&t);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"", "empty"},
		{"host,rack\na\n", "line 2: one field"},
		{"host,rack\na,\n", "line 2: a field that is empty"},
		{"host,rack\na,b,c,d\n", "more than three"},
		{"host,rack\na,x\na,y\n", "line 3: a host for the second"},
		{"src_host,dst_host,class\na,b\n", "without a class"},
	};
	struct na_topology t;
	struct na_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(parse(&t, rows[i].text, &err), NA_EFORMAT);
		if (!strstr(err.text, rows[i].why))
			fail_msg("row %zu: %s", i, err.text);
		na_topology_fini(&t);
	}
}

/* Every prefix of a file is read or refused. */
static void cut_off(void **state)
{
	static const char text[] = "host,rack,block\n\"a\",r1,x\n#\nb,r2,y\n";
	struct na_topology t;
	struct na_err err;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		err = (struct na_err){.status = NA_OK};
		if (na_topology_parse(&t, text, n, "t", &err) != NA_OK)
			assert_true(err.text[0]);
		na_topology_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),
		cmocka_unit_test(refused),
		cmocka_unit_test(cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
