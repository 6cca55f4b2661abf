/* Records come back as they were, whether they fit or not. */
#include "netan/model/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "tests/unit/hand_store.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

struct lists {
	struct na_pool pool;
	struct na_chunk_list wide, wide_exec;
};

static void begin(struct lists *b)
{
	na_pool_init(&b->pool);
	na_chunks_init(&b->wide, &b->pool, sizeof(struct na_transfer));
	na_chunks_init(&b->wide_exec, &b->pool, sizeof(struct na_exec));
}

static struct na_transfer usual(void)
{
	struct na_transfer t;

	memset(&t, 0, sizeof(t));
	t.start_ps = -5;
	t.end_ps = 20 * NA_PS_PER_MS;
	t.action_ps = 0;
	t.size_bytes = 1 << 20;
	t.src = 70000;
	t.dst = UINT32_MAX - 1;
	t.collective = 3000000;
	t.launch = 4000000000u;
	t.step = 17;
	t.type = t.iteration = NA_UNKNOWN_U32;
	t.chunk = NA_UNKNOWN_I32;
	t.input = NA_INPUTS_MAX;
	t.level = -1;
	t.side = NA_TX;
	t.klass = NA_VALID;
	t.style = NA_STYLE_ESTIMATE;
	t.component = NA_COMP_RPC;
	return t;
}

/* Packs and unpacks; whether it had to be kept whole. */
static bool kept_whole(struct lists *b, const struct na_transfer *t)
{
	struct na_packed_transfer p;
	struct na_transfer back;
	size_t before = b->wide.n;

	memset(&p, 0xa5, sizeof(p)); /* a chunk that was used before */
	assert_true(na_pack_transfer(&p, t, &b->wide));
	back = na_unpack_transfer(&p);
	hand_same_transfer(&back, t);
	assert_int_equal(p.side, t->side); /* drive.c looks at it first */
	return b->wide.n > before;
}

/* The largest value of each field that fits, and the next. */
static void transfers(void **state)
{
	const int64_t most = (INT64_C(1) << 48) - 1;
	const int64_t longest = (INT64_C(1) << 44) - 1;
	struct na_transfer t = usual();
	struct lists b;

	(void)state;
	begin(&b);
	assert_false(kept_whole(&b, &t));
	t.action_ps = NA_UNKNOWN_PS;
	assert_false(kept_whole(&b, &t));
#define EDGE(field, fits, not ) \
	do { \
		t = usual(); \
		t.field = (fits); \
		assert_false(kept_whole(&b, &t)); \
		t.field = (not ); \
		assert_true(kept_whole(&b, &t)); \
	} while (0)
	EDGE(end_ps, -5 + longest, -5 + longest + 1);
	EDGE(end_ps, -5, -6);
	EDGE(start_ps, 20 * NA_PS_PER_MS - longest, NA_TIME_MIN);
	EDGE(action_ps, most - 1, most);
	EDGE(action_ps, 1, -1);
	EDGE(size_bytes, (uint64_t)most, (uint64_t)most + 1);
	EDGE(type, 65534, 65535);
	EDGE(iteration, 65534, 65535);
	EDGE(chunk, 65534, 65535);
	EDGE(chunk, 0, -1);
	EDGE(chunk, 1, INT32_MAX);
	EDGE(level, 14, 15);
	EDGE(level, 0, -2);
#undef EDGE
	for (int klass = 0; klass < NA_N_CLASSES; klass++) {
		t = usual();
		t.klass = (uint8_t)klass;
		t.side = NA_RX;
		assert_false(kept_whole(&b, &t));
		t.level = 100;
		assert_true(kept_whole(&b, &t));
	}
	na_pool_fini(&b.pool);
}

static bool exec_kept_whole(struct lists *b, const struct na_exec *e)
{
	struct na_packed_exec p;
	struct na_exec back;
	size_t before = b->wide_exec.n;

	memset(&p, 0xa5, sizeof(p));
	assert_true(na_pack_exec(&p, e, &b->wide_exec));
	back = na_unpack_exec(&p);
	assert_int_equal(back.start_ps, e->start_ps);
	assert_int_equal(back.end_ps, e->end_ps);
	assert_int_equal(back.size_bytes, e->size_bytes);
	assert_int_equal(back.device, e->device);
	assert_int_equal(back.collective, e->collective);
	assert_int_equal(back.type, e->type);
	assert_int_equal(back.step, e->step);
	assert_int_equal(back.input, e->input);
	assert_int_equal(back.style, e->style);
	assert_int_equal(back.kind, e->kind);
	return b->wide_exec.n > before;
}

static void executions(void **state)
{
	const struct na_exec plain = {.start_ps = -7,
				      .end_ps = NA_PS_PER_MS,
				      .device = NA_UNKNOWN_U32,
				      .collective = NA_UNKNOWN_U32,
				      .type = NA_UNKNOWN_U32,
				      .step = NA_UNKNOWN_U32,
				      .input = NA_INPUTS_MAX,
				      .style = NA_STYLE_ESTIMATE,
				      .kind = NA_ACT_COPY};
	struct na_exec e = plain;
	struct lists b;

	(void)state;
	begin(&b);
	assert_false(exec_kept_whole(&b, &e));
#define EDGE(field, fits, not ) \
	do { \
		e = plain; \
		e.field = (fits); \
		assert_false(exec_kept_whole(&b, &e)); \
		e.field = (not ); \
		assert_true(exec_kept_whole(&b, &e)); \
	} while (0)
	EDGE(end_ps, -8 + (INT64_C(1) << 44), -7 + (INT64_C(1) << 44));
	EDGE(end_ps, -7, -8);
	EDGE(size_bytes, (UINT64_C(1) << 40) - 1, UINT64_C(1) << 40);
	EDGE(device, (1u << 20) - 2, (1u << 20) - 1);
	EDGE(collective, (1u << 20) - 2, (1u << 20) - 1);
	EDGE(type, (1u << 17) - 2, (1u << 17) - 1);
	EDGE(step, (1u << 24) - 2, (1u << 24) - 1);
#undef EDGE
	na_pool_fini(&b.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfers),
		cmocka_unit_test(executions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
