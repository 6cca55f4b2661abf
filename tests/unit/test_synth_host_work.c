/*
 * What is planted on the hosts' own work: reductions that take longer, and
 * transfers that are sent in one piece.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/unit/synth_session.h"

static const char mega[] = "/device:CUSTOM:Megascale Trace";

struct sums {
	int64_t n, ns;
};

static void collect_reductions(void *ctx, const struct event *e)
{
	struct sums *s = ctx;

	if (strcmp(e->name, "Reduce END"))
		return;
	s->n++;
	s->ns += event_number(e, "action_duration_ns");
}

static void reductions(const char *fault, struct sums out[3])
{
	struct session s;

	session_init(&s);
	if (fault)
		session_fault(&s, fault);
	session_make(&s, NA_OK);
	for (size_t i = 0; i < 3; i++) {
		Netan__Xplane__XSpace *x = session_space(&s, i);

		out[i] = (struct sums){0, 0};
		space_each(x, mega, collect_reductions, &out[i]);
		netan__xplane__xspace__free_unpacked(x, NULL);
	}
	session_end(&s);
}

static void slow_reductions(void **state)
{
	struct sums plain[3], slow[3];

	(void)state;
	reductions(NULL, plain);
	reductions("slow-reduction:host-1:2.5", slow);
	for (int i = 0; i < 3; i++) {
		double ratio = (double)slow[i].ns / (double)plain[i].ns;

		assert_true(plain[i].n > 10);
		assert_int_equal(plain[i].n, slow[i].n);
		if (ratio < (i == 1 ? 2.4 : 0.95) ||
		    ratio > (i == 1 ? 2.6 : 1.05))
			fail_msg("host-%d: %.3f times", i, ratio);
	}
}

struct sizes {
	const char *collective;
	int64_t want, n, others;
};

static void collect_sizes(void *ctx, const struct event *e)
{
	const char *key, *at;
	struct sizes *s = ctx;
	long bytes;

	if (strcmp(e->name, "NetworkSend END"))
		return;
	key = strstr(event_text(e, "graph_key"), "_gid_");
	assert_non_null(key);
	if (strncmp(key + 5, s->collective, strlen(s->collective))) {
		s->others++;
		return;
	}
	at = strchr(event_text(e, "buffer_sizes"), '=');
	assert_non_null(at);
	assert_int_equal(sscanf(at, "=%ld", &bytes), 1);
	assert_int_equal(bytes, s->want);
	s->n++;
}

/* Each of three hosts of two devices sends to two peers in two phases. */
static void large_shards(void **state)
{
	struct sizes all = {"all-reduce.26_2", 24 << 20, 0, 0};
	/* A gather is told in two chunks; one-to-one: one peer and phase. */
	struct sizes gather = {"all-gather.12_0", 12 << 20, 0, 0};
	struct sizes one = {"ppermute.33_0", 24 << 20, 0, 0};
	struct session s;
	Netan__Xplane__XSpace *x;

	(void)state;
	session_init(&s);
	session_fault(&s, "large-shard:all-reduce.26_2:24MiB");
	session_fault(&s, "large-shard:all-gather.12_0:24MiB");
	session_fault(&s, "large-shard:ppermute.33_0:24MiB");
	session_make(&s, NA_OK);
	x = session_space(&s, 0);
	space_each(x, mega, collect_sizes, &all);
	space_each(x, mega, collect_sizes, &gather);
	space_each(x, mega, collect_sizes, &one);
	netan__xplane__xspace__free_unpacked(x, NULL);
	session_end(&s);
	assert_int_equal(all.n, 3 * 2 * 2 * 2);
	assert_int_equal(gather.n, 3 * 2 * 2);
	assert_int_equal(one.n, 3 * 2);
	assert_true(all.others > 0);
}

static void refused(void **state)
{
	static const struct {
		const char *fault, *says;
	} rows[] = {
		{"large-shard:all-reduce.26_2", "COLLECTIVE:BYTES"},
		{"large-shard:all-reduce.26_2:0", "COLLECTIVE:BYTES"},
		{"large-shard:all-reduce.26_2:5GiB", "COLLECTIVE:BYTES"},
		{"large-shard:all-reduce.26_2:-1", "COLLECTIVE:BYTES"},
		{"large-shard:nobody:1MiB", "no such collective"},
		{"slow-reduction:host-1", "HOST:FACTOR"},
		{"slow-reduction:host-1:0.5", "HOST:FACTOR"},
		{"slow-reduction:host-9:2", "no host"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct session s;

		session_init(&s);
		session_fault(&s, rows[i].fault);
		session_make(&s, NA_EUSAGE);
		if (!strstr(s.err.text, rows[i].says))
			fail_msg("%s: %s", rows[i].fault, s.err.text);
		session_end(&s);
	}
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_reductions),
		cmocka_unit_test(large_shards),
		cmocka_unit_test(refused),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
