/* netan's transfer file: no kind of record and no source of communication is
 * lost on the way, now or when there is one more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "netan/model/store.h"
#include "tests/unit/xfer_story.h"

enum { STEPS = 4000 };

/* Of what is drawn of one connection, and of what is judged where it was
 * captured, a transfer file has nothing. */
static bool is_kept(enum na_record_kind kind)
{
	return kind != NA_RECORDS_SEGMENTS && kind != NA_RECORDS_QUEUE_PAIRS &&
	       kind != NA_RECORDS_QP_MARKS && kind != NA_RECORDS_QP_USES;
}

struct both {
	struct na_pool pool;
	struct na_filter filter;
	struct na_part told, back;
};

static void open_both(struct both *x)
{
	uint32_t wants = EVERYTHING | NA_WANT_HOST_EVENTS;
	struct na_xf_bytes file = {.p = NULL};
	struct na_sink sink;
	struct back b;

	memset(x, 0, sizeof(*x));
	na_filter_init(&x->filter);
	x->filter.components = UINT32_MAX;
	x->filter.include_loopback = x->filter.instants = true;
	na_pool_init(&x->pool);
	na_part_init(&x->told, &x->pool, &x->filter, wants);
	na_part_init(&x->back, &x->pool, &x->filter, wants);
	sink = na_part_sink(&x->told);
	for (uint32_t s = 0; s < SOURCES; s++)
		story(100 * s, STEPS, &sink);
	make_file(&file, 1, STEPS, false);
	open_back(&b, file.p, file.n, wants);
	assert_true(b.opened);
	sink = na_part_sink(&x->back);
	tell_to(&b, &sink);
	assert_false(b.damaged);
	close_back(&b);
	na_xf_bytes_fini(&file);
}

static void close_both(struct both *x)
{
	na_part_fini(&x->told);
	na_part_fini(&x->back);
	na_pool_fini(&x->pool);
}

static void each_kind_comes_back(void **state)
{
	struct both x;

	(void)state;
	open_both(&x);
#define NA_RECORD(KIND, chunks, ...) \
	if (is_kept(NA_RECORDS_##KIND) && !x.told.chunks.n) \
		fail_msg("the story has no " #chunks); \
	if (is_kept(NA_RECORDS_##KIND) && x.told.chunks.n != x.back.chunks.n) \
		fail_msg(#chunks ": %zu of %zu came back", x.back.chunks.n, \
			 x.told.chunks.n);
#include "netan/model/records.def"
	close_both(&x);
}

static void each_source_comes_back(void **state)
{
	size_t told[NA_N_COMM_SOURCES] = {0}, back[NA_N_COMM_SOURCES] = {0};
	struct both x;

	(void)state;
	open_both(&x);
	na_each_record (struct na_comm, c, &x.told.comms)
		told[c->source]++;
	na_each_record (struct na_comm, c, &x.back.comms)
		back[c->source]++;
	for (size_t i = 0; i < NA_N_COMM_SOURCES; i++) {
		assert_true(told[i] > 0);
		assert_int_equal(told[i], back[i]);
	}
	close_both(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_comes_back),
		cmocka_unit_test(each_source_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
