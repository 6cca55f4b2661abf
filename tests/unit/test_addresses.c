/* Endpoints of addresses: asked once each, and a bounded number of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "ingest/capture/addresses.h"

static struct {
	uint32_t asked, other, non_ip;
} w;

static uint32_t address(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	assert_int_equal(strlen(s), n);
	w.other += strcmp(s, "other") == 0;
	w.non_ip += strcmp(s, "non-IP") == 0;
	return w.asked++;
}

static const struct na_sink sink = {.address = address};

static struct na_address v4(uint32_t i)
{
	return (struct na_address){{(uint8_t)(i >> 24), (uint8_t)(i >> 16),
				    (uint8_t)(i >> 8), (uint8_t)i},
				   4};
}

static uint32_t of(struct na_addresses *t, uint32_t i)
{
	struct na_address a = v4(i);

	return na_addresses_endpoint(t, &a);
}

static void start(struct na_addresses *t)
{
	memset(&w, 0, sizeof(w));
	na_addresses_init(t, &sink);
}

static void test_each_is_asked_once(void **state)
{
	struct na_addresses t;
	struct na_address six = v4(7);

	(void)state;
	start(&t);
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t i = 0; i < 1000; i++)
			assert_int_equal(of(&t, i * 77), i);
	assert_int_equal(w.asked, 1000);
	/* The same bytes, another family. */
	six.family = 6;
	assert_int_equal(na_addresses_endpoint(&t, &six), 1000);
	assert_int_equal(na_addresses_endpoint(&t, &six), 1000);
	na_addresses_fini(&t);
}

static void test_no_address(void **state)
{
	const struct na_address none = {.family = 0};
	struct na_addresses t;

	(void)state;
	start(&t);
	assert_int_equal(na_addresses_endpoint(&t, &none), 0);
	assert_int_equal(na_addresses_endpoint(&t, &none), 0);
	assert_int_equal(w.non_ip, 1);
	assert_int_equal(t.n, 0);
	na_addresses_fini(&t);
}

static void test_beyond_the_limit_is_other(void **state)
{
	struct na_addresses t;

	(void)state;
	start(&t);
	t.most = 5;
	for (uint32_t i = 0; i < 5; i++)
		of(&t, i);
	assert_int_equal(t.dropped, 0);
	for (uint32_t i = 5; i < 100000; i++)
		assert_int_equal(of(&t, i), 5);
	assert_int_equal(w.other, 1);
	assert_int_equal(w.asked, 6);
	assert_int_equal(t.dropped, 100000 - 5);
	assert_int_equal(of(&t, 3), 3); /* known ones stay */
	na_addresses_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_is_asked_once),
		cmocka_unit_test(test_no_address),
		cmocka_unit_test(test_beyond_the_limit_is_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
