#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/pseudonyms.h"

static void check(struct na_pseudonyms *p, const char *text, const char *want)
{
	char *got = na_pseudonyms_replace(p, text), *again;

	assert_non_null(got);
	if (strcmp(got, want) != 0)
		fail_msg("\"%s\" became \"%s\", not \"%s\"", text, got, want);
	again = na_pseudonyms_replace(p, got);
	assert_string_equal(again, got);
	free(again);
	free(got);
}

static void names(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();

	(void)state;
	assert_non_null(p);
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "alice-pc"),
			    "host-1");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "bob.example.com"),
			    "host-2");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_ADDR, "10.0.0.1"),
			    "addr-1");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "alice-pc"),
			    "host-1");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_INPUT, "-"), "-");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "7"), "host-3");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_INPUT, "my logs/a (1).pb"),
			    "input-1");
	check(p, "7", "host-3");
	check(p, "7 of 7 files", "7 of 7 files");
	check(p, "alice-pc and bob.example.com: late",
	      "host-1 and host-2: late");
	check(p, "alice-pc2 xalice-pc", "alice-pc2 xalice-pc");
	check(p, "rx_alice-pc_1 alice-pc-2 x-alice-pc",
	      "rx_host-1_1 host-1-2 x-host-1");
	check(p, "tx:alice-pc/eth0,alice-pc", "tx:host-1/eth0,host-1");
	check(p, "10.0.0.1:80 > 10.0.0.17:443", "addr-1:80 > addr-2:443");
	check(p, "[fd00::1]:80 02:42:ac:11:00:02", "[addr-3]:80 addr-4");
	check(p, "at 12:30:45, 1.2.3, add::dec",
	      "at 12:30:45, 1.2.3, add::dec");
	check(p, "my logs/a (1).pb: cut off", "input-1: cut off");
	check(p, "slowest: bob.example.co...", "slowest: host-2...");
	na_pseudonym(p, NA_ALIAS_HOST, "a-very-long-name.of.a-pod-0123456789");
	check(p, "\"a-very-long-name.of.a-po\" is late", "\"host-4\" is late");
	na_pseudonyms_free(p);
}

static void paths(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();

	(void)state;
	assert_non_null(p);
	check(p, "cannot open /home/carol/x y.pb", "cannot open path-1 y.pb");
	check(p, "carol said \"gs://b/c.pb\", /tmp/a.py:12: no",
	      "user-1 said \"path-2\", path-3:12: no");
	check(p, "at /app/src/train.py:7 (/app/run)", "at path-4:7 (/app/run)");
	check(p, "10.0.0.1->10.0.0.2, /app/run:7", "addr-1->addr-2, path-5:7");
	na_pseudonym(p, NA_ALIAS_DIR, "/home/dave/run");
	check(p, "dave-trainer", "user-2-trainer");
	check(p, "dave's trainer", "user-2's trainer");
	check(p, "/device:TPU:0 /host:CPU /pkg.Service/Method jit(f)/tmp",
	      "/device:TPU:0 /host:CPU /pkg.Service/Method jit(f)/tmp");
	na_pseudonyms_free(p);
}

/* One host, however it is spelled; hosts of its domain. */
static void spellings(void **state)
{
	char labels[300] = "";
	struct na_pseudonyms *p = na_pseudonyms_new();

	(void)state;
	assert_non_null(p);
	na_pseudonym(p, NA_ALIAS_HOST, "Alice.corp.example.com");
	na_pseudonym(p, NA_ALIAS_HOST, "bob");
	for (int i = 0; i < 119; i++)
		strcat(labels, "a.");
	strcat(labels, "corp.example.com");
	check(p, "ALICE, alice:80, alice.corp.example.com",
	      "host-1, host-1:80, host-1");
	check(p, "BOB.corp.example.com. Bob.json", "host-2. host-2.json");
	check(p, "at gw.corp.example.com, example.org",
	      "at host-3, example.org");
	/* No host has so many labels; its end may be one. */
	assert_int_equal(strlen(labels), 254);
	check(p, labels, "a.host-4");
	check(p, labels + 2, "host-4");
	/* Two of one short name: it says neither. */
	na_pseudonym(p, NA_ALIAS_HOST, "zoe.a.com");
	na_pseudonym(p, NA_ALIAS_HOST, "zoe.b.com");
	check(p, "zoe of zoe.a.com, zoe.b.com", "host-7 of host-5, host-6");
	/* Spelled like a given one, but another one. */
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "alice"), "host-8");
	check(p, "Alice.corp.example.com alice", "host-1 host-8");
	na_pseudonyms_free(p);
}

/* Names of one or two letters, where they are no words of a sentence. */
static void short_names(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();

	(void)state;
	assert_non_null(p);
	na_pseudonym(p, NA_ALIAS_HOST, "q3");
	na_pseudonym(p, NA_ALIAS_HOST, "in");
	na_pseudonym(p, NA_ALIAS_HOST, "host");
	na_pseudonym(p, NA_ALIAS_HOST, "w");
	check(p, "q3 in 12 s: job/3:q3 (q3:80), w",
	      "host-1 in 12 s: job/3:host-1 (host-1:80), host-4");
	check(p, "xq3 q35 d_q3 q3-x 1 host", "xq3 q35 d_q3 q3-x 1 host");
	na_pseudonym(p, NA_ALIAS_HOST, "trace");
	check(p, "trace-quality of trace", "trace-quality of host-5");
	check(p, "in", "host-2");
	check(p, "host", "host-3");
	na_pseudonyms_free(p);
}

/* Called like words of netan's sentences: found as a whole, nowhere else. */
static void own_words(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();

	(void)state;
	assert_non_null(p);
	na_pseudonym(p, NA_ALIAS_DIR, "slow");
	na_pseudonym(p, NA_ALIAS_HOST, "Network");
	na_pseudonym(p, NA_ALIAS_HOST, "elsewhere");
	check(p, "network: not guilty; slow runs of slow/a, b/slow, elsewhere",
	      "network: not guilty; slow runs of dir-1/a, b/dir-1, host-2");
	check(p, "slow", "dir-1");
	check(p, "network", "host-1");
	na_pseudonyms_free(p);
}

/* Names of another run's pseudonyms stay, so that texts can be replaced
 * twice; two never become one. */
static void already(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();

	(void)state;
	assert_non_null(p);
	na_pseudonyms_trust(p, true);
	na_pseudonyms_reserve(p, "host-1");
	na_pseudonyms_reserve(p, "host-3");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "zoe"), "host-2");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "host-1"), "host-1");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "yan"), "host-4");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "host-3"), "host-3");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "anonhost-3"),
			    "anonhost-3");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "host-007"),
			    "host-5");
	check(p, "zoe host-1 yan host-3", "host-2 host-1 host-4 host-3");
	na_pseudonyms_trust(p, false);
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "host-9"),
			    "anonhost-6");
	check(p, "zoe host-1 host-9", "host-2 host-1 anonhost-6");
	na_pseudonyms_free(p);
}

/* No pseudonym is the name of anybody. */
static void alike(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();

	(void)state;
	assert_non_null(p);
	na_pseudonyms_reserve(p, "host-3");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "zoe"),
			    "anonhost-1");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "host-3"),
			    "anonhost-2");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_ADDR, "10.0.0.1"),
			    "addr-1");
	check(p, "zoe, host-3:80, rx_host-3, host-3-eth0, host-30",
	      "anonhost-1, anonhost-2:80, rx_anonhost-2, anonhost-2-eth0, "
	      "host-30");
	na_pseudonyms_free(p);
	p = na_pseudonyms_new();
	assert_non_null(p);
	na_pseudonyms_reserve(p, "anonhost-7");
	na_pseudonyms_reserve(p, "Host-2.corp.example.com");
	na_pseudonyms_reserve(p, "anonanonanonrack-1");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST,
					 "Host-2.corp.example.com"),
			    "anonanonhost-1");
	check(p, "host-2 is late", "anonanonhost-1 is late");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_RACK, "x1"), "rack-1");
	/* Of a name that is told late nothing but the next ones can know. */
	assert_string_equal(na_pseudonym(p, NA_ALIAS_TASK, "rack-1"), "task-1");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_RACK, "x2"), "anonrack-2");
	na_pseudonyms_free(p);
}

/* All that a pseudonym could be called is taken. */
static void all_taken(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();
	char name[400] = "";

	(void)state;
	assert_non_null(p);
	for (int i = 0; i < 70; i++) {
		strcpy(name + 4 * i, "host-1");
		na_pseudonyms_reserve(p, name);
		strcpy(name + 4 * i, "anon");
	}
	strcpy(name + 4 * 63, "host-2");
	assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, "zoe"), name);
	na_pseudonyms_free(p);
}

/* As many names as a fleet has, in a time that tests have. */
static void many(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();
	char name[40], want[40];

	(void)state;
	assert_non_null(p);
	for (int i = 0; i < 70000; i++) {
		snprintf(name, sizeof(name), "%s-%d", i % 2 ? "host" : "w", i);
		na_pseudonyms_reserve(p, name);
	}
	for (int i = 0; i < 70000; i++) {
		snprintf(name, sizeof(name), "%s-%d", i % 2 ? "host" : "w", i);
		snprintf(want, sizeof(want), "anonhost-%d", i + 1);
		assert_string_equal(na_pseudonym(p, NA_ALIAS_HOST, name), want);
	}
	check(p, "w-69998 is late", "anonhost-69999 is late");
	na_pseudonyms_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),     cmocka_unit_test(paths),
		cmocka_unit_test(spellings), cmocka_unit_test(short_names),
		cmocka_unit_test(own_words),
		cmocka_unit_test(already),   cmocka_unit_test(alike),
		cmocka_unit_test(all_taken), cmocka_unit_test(many),
	};

	return cmocka_run_group_tests_name("pseudonyms", tests, NULL, NULL);
}
