/* Device planes in parts and in the store: busy times against a count of
 * every picosecond, op types, which endpoint a core is. */
#include "netan/model/devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/model/transfer.h"
#include "tests/unit/hand_store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct span {
	uint32_t core;
	int64_t from, to;
};

/* All that is in a list, in order; returns how many. */
static size_t spans_of(const struct na_chunk_list *b, struct span *out,
		       size_t max)
{
	size_t n = 0;

	for (const struct na_chunk *c = b->first; c; c = c->next) {
		const struct na_busy *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			assert_true(n < max);
			out[n++] =
				(struct span){x[i].core, x[i].start_ps,
					      x[i].start_ps +
						      (int64_t)x[i].length_ps};
		}
	}
	return n;
}

static void expect_spans(const struct na_chunk_list *b, const struct span *want,
			 size_t n)
{
	struct span got[32];

	assert_int_equal(spans_of(b, got, COUNT(got)), n);
	for (size_t i = 0; i < n; i++) {
		if (got[i].core != want[i].core ||
		    got[i].from != want[i].from || got[i].to != want[i].to)
			fail_msg("%zu: core %u from %lld to %lld", i,
				 got[i].core, (long long)got[i].from,
				 (long long)got[i].to);
	}
}

static void fill(struct na_devices *d, struct na_chunk_list *busy,
		 const struct span *x, size_t n)
{
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(na_devices_core(d, NA_DEVICE_TPU, 0,
						 (int32_t)i),
				 i);
	for (size_t i = 0; i < n; i++)
		assert_true(na_devices_busy(d, busy, x[i].core, x[i].from,
					    x[i].to));
}

static void one_part(void **state)
{
	static const struct {
		struct span in[6], out[6];
		size_t n_in, n_out;
		bool tangled;
	} rows[] = {
		/* within another, and beyond its end */
		{{{0, 0, 100}, {0, 10, 20}, {0, 90, 110}},
		 {{0, 0, 100}, {0, 100, 110}},
		 3,
		 2,
		 false},
		/* one after the other */
		{{{0, 0, 10}, {0, 10, 20}, {0, 21, 22}},
		 {{0, 0, 20}, {0, 21, 22}},
		 3,
		 2,
		 false},
		/* nothing at all, and what follows it at once */
		{{{0, 0, 3}, {0, 5, 5}, {0, 5, 7}},
		 {{0, 0, 3}, {0, 5, 7}},
		 3,
		 2,
		 false},
		/* of another core there is nothing to go on with */
		{{{0, 0, 10}, {1, 0, 5}, {0, 10, 20}, {1, 5, 6}},
		 {{0, 0, 10}, {1, 0, 5}, {0, 10, 20}, {1, 5, 6}},
		 4,
		 4,
		 false},
		/* starts in order although ends are not */
		{{{0, 10, 20}, {0, 12, 25}, {0, 15, 30}},
		 {{0, 10, 20}, {0, 20, 25}, {0, 25, 30}},
		 3,
		 3,
		 false},
		{{{0, 10, 20}, {0, 5, 15}},
		 {{0, 10, 20}, {0, 5, 15}},
		 2,
		 2,
		 true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_devices d;
		struct na_chunk_list busy;
		struct na_pool pool;
		struct span got[8], want[8];
		size_t n;

		na_pool_init(&pool);
		memset(&d, 0, sizeof(d));
		na_chunks_init(&busy, &pool, sizeof(struct na_busy));
		fill(&d, &busy, rows[i].in, rows[i].n_in);
		assert_int_equal(d.cores[0].tangled, rows[i].tangled);
		assert_false(d.cores[1].tangled);
		/* Touching ones may be one record or two. */
		n = spans_of(&busy, got, COUNT(got));
		memcpy(want, rows[i].out, sizeof(rows[i].out));
		for (size_t k = 1; k < n; k++)
			assert_true(got[k].core != got[k - 1].core ||
				    got[k].from >= got[k - 1].to ||
				    rows[i].tangled);
		if (n == rows[i].n_out)
			expect_spans(&busy, want, rows[i].n_out);
		else
			assert_true(n < rows[i].n_out &&
				    got[n - 1].to ==
					    want[rows[i].n_out - 1].to);
		na_devices_fini(&d);
		na_pool_fini(&pool);
	}
}

static void longer_than_the_field(void **state)
{
	const int64_t half = NA_BUSY_MAX_PS / 2 + 1;
	const struct span want[] = {{0, 5, 5 + NA_BUSY_MAX_PS},
				    {0, 5 + NA_BUSY_MAX_PS, 6 + 2 * half}};
	const struct span once[] = {{0, 5, 6 + 2 * half}};
	const struct span twice[] = {{0, 5, 5 + half},
				     {0, 5 + half, 6 + 2 * half}};
	struct na_devices d;
	struct na_chunk_list busy;
	struct na_pool pool;

	(void)state;
	na_pool_init(&pool);
	memset(&d, 0, sizeof(d));
	na_chunks_init(&busy, &pool, sizeof(struct na_busy));
	fill(&d, &busy, once, 1);
	expect_spans(&busy, want, 2);
	na_devices_fini(&d);
	memset(&d, 0, sizeof(d));
	na_chunks_init(&busy, &pool, sizeof(struct na_busy));
	fill(&d, &busy, twice, 2);
	expect_spans(&busy, twice, 2);
	na_devices_fini(&d);
	na_pool_fini(&pool);
}

/* ---- blocks of any size */

enum { CORES = 3, TICKS = 400, EVENTS = 120 };

static uint32_t next_random(uint64_t *x)
{
	*x = *x * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*x >> 33);
}

/* Ops that lie within others, of each core in order; `mess`: and some that
 * come too late. */
static size_t random_rows(struct hand_row *rows, uint64_t seed, bool mess)
{
	size_t n = 0;

	for (int core = 0; core < CORES; core++) {
		uint32_t at = next_random(&seed) % 20;

		while (at < TICKS - 40 && n < EVENTS * CORES) {
			uint32_t from = at;

			if (mess && next_random(&seed) % 8 == 0)
				from = next_random(&seed) % (at + 1);
			rows[n++] = (struct hand_row){
				.what = HAND_BUSY,
				.start_ps = from,
				.end_ps = from + next_random(&seed) % 30,
				.src = core};
			at += next_random(&seed) % 12;
		}
	}
	return n;
}

static void check_covered(const struct na_store *store,
			  const struct hand_row *rows, size_t n)
{
	static bool want[CORES][TICKS], got[CORES][TICKS];
	static struct span spans[2 * EVENTS * CORES];
	size_t m = spans_of(&store->busy, spans, COUNT(spans));
	int64_t last[CORES] = {0};

	memset(want, 0, sizeof(want));
	memset(got, 0, sizeof(got));
	for (size_t i = 0; i < n; i++) {
		for (int64_t t = rows[i].start_ps; t < rows[i].end_ps; t++)
			want[rows[i].src][t] = true;
	}
	for (size_t i = 0; i < m; i++) {
		int32_t c = store->devices.cores[spans[i].core].number;

		/* Of tangled cores: made straight at the end. */
		if (spans[i].from == spans[i].to)
			continue;
		assert_true(spans[i].from >= last[c]);
		last[c] = spans[i].to;
		for (int64_t t = spans[i].from; t < spans[i].to; t++) {
			assert_false(got[c][t]);
			got[c][t] = true;
		}
	}
	assert_memory_equal(got, want, sizeof(got));
}

static void blocks_of_any_size(void **state)
{
	static struct hand_row rows[EVENTS * CORES];
	bool tangled = false;

	(void)state;
	for (uint64_t seed = 1; seed < 60; seed++) {
		bool mess = seed % 2;
		size_t n = random_rows(rows, seed, mess);

		for (size_t block = 1; block < n; block += 1 + block / 2) {
			struct hand h;

			hand_init(&h, 1, NULL);
			hand_fill(&h, rows, n, block);
			hand_resolve(&h, NA_ANCHOR_AUTO);
			for (size_t i = 0; i < h.store.devices.n_cores; i++) {
				tangled |= h.store.devices.cores[i].tangled;
				assert_true(mess ||
					    !h.store.devices.cores[i].tangled);
			}
			check_covered(&h.store, rows, n);
			hand_fini(&h);
		}
	}
	assert_true(tangled);
}

/* ---- types and cores of several inputs */

static const struct na_op_type send_type = {.program_id = 7,
					    .channel = 3,
					    .opcode = NA_OPCODE_SEND};

static void types(void **state)
{
	/* Names get other numbers in every part. */
	const struct hand_row rows[] = {
		{.what = HAND_OP, .op = send_type, .op_name = "a", .end_ps = 1},
		{.what = HAND_OP, .op = send_type, .op_name = "b", .end_ps = 2},
		{.what = HAND_OP, .op = send_type, .op_name = "a", .end_ps = 3},
		{.what = HAND_OP,
		 .op = send_type,
		 .op_name = "a",
		 .source = 1,
		 .end_ps = 4},
		{.what = HAND_OP,
		 .op = send_type,
		 .op_name = "a",
		 .source = 1,
		 .src = 1,
		 .end_ps = 5},
	};
	static const char *const names[] = {"a", "b", "a", "a", "a"};
	static const uint32_t inputs[] = {0, 0, 0, 1, 1};
	static const int32_t numbers[] = {0, 0, 0, 0, 1};

	(void)state;
	for (size_t block = 1; block <= COUNT(rows); block++) {
		const struct na_op *ops;
		const struct na_devices *d;
		struct hand h;

		hand_init(&h, 2, NULL);
		hand_fill(&h, rows, COUNT(rows), block);
		d = &h.store.devices;
		assert_int_equal(d->types.n, 3);
		assert_int_equal(d->n_cores, 3);
		assert_int_equal(h.store.ops.n, COUNT(rows));
		ops = (const void *)h.store.ops.first->data;
		for (size_t i = 0; i < COUNT(rows); i++) {
			const struct na_op_type *t =
				&d->types.items[ops[i].type];

			assert_int_equal(ops[i].end_ps, i + 1);
			assert_string_equal(na_strtab_at(&h.store.names.strings,
							 t->name),
					    names[i]);
			assert_int_equal(t->collective, NA_UNKNOWN_U32);
			assert_int_equal(t->input, inputs[i]);
			assert_int_equal(d->cores[ops[i].core].input,
					 inputs[i]);
			assert_int_equal(d->cores[ops[i].core].number,
					 numbers[i]);
		}
		hand_fini(&h);
	}
}

static void many_types(void **state)
{
	struct na_devices d;
	struct na_op_type t;

	(void)state;
	memset(&d, 0, sizeof(d));
	memset(&t, 0, sizeof(t));
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 1000; i++) {
			t.name = i;
			assert_int_equal(na_devices_type(&d, &t), i);
		}
		na_devices_settle_types(&d);
	}
	assert_int_equal(d.types.n, 1000);
	assert_null(d.types.slots);
	na_devices_fini(&d);
}

/* ---- which endpoint a core is */

enum { NONE = -1 };

static const struct {
	const char *what;
	/* Graphs by endpoint (slice * 100 + device) and local device + 1. */
	struct {
		int endpoint, local;
	} graphs[4];
	size_t n_graphs, n_cores;
	int cores[4]; /* numbers, as they come */
	int want[4];  /* endpoint by core */
	bool told;
} ends[] = {
	{"by rank, in the order of numbers",
	 {{105, 0}, {103, 0}},
	 2,
	 2,
	 {4, 1},
	 {105, 103},
	 false},
	{"as the trace tells",
	 {{103, 2}, {105, 1}},
	 2,
	 2,
	 {0, 1},
	 {105, 103},
	 true},
	{"told, though not every core is in use",
	 {{103, 3}},
	 1,
	 3,
	 {0, 1, 2},
	 {NONE, NONE, 103},
	 true},
	{"not told, and other counts",
	 {{103, 0}},
	 1,
	 2,
	 {0, 1},
	 {NONE, NONE},
	 false},
	{"one of them is not told",
	 {{103, 2}, {105, 0}},
	 2,
	 2,
	 {0, 1},
	 {103, 105},
	 false},
	{"two are told to be the same",
	 {{103, 1}, {105, 1}},
	 2,
	 2,
	 {0, 1},
	 {103, 105},
	 false},
	{"told to be what is not there",
	 {{103, 9}, {105, 8}},
	 2,
	 2,
	 {0, 1},
	 {103, 105},
	 false},
	{"the plane of one of them is missing",
	 {{103, 1}, {105, 2}, {107, 3}},
	 3,
	 2,
	 {1, 2},
	 {105, 107},
	 true},
	{"two to be the same, and a plane is missing",
	 {{103, 1}, {105, 1}, {107, 2}},
	 3,
	 2,
	 {0, 1},
	 {NONE, NONE},
	 false},
	{"two to be the same, and other counts",
	 {{103, 1}, {105, 1}},
	 2,
	 3,
	 {0, 1, 2},
	 {NONE, NONE, NONE},
	 false},
};

static void endpoints(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(ends); k++) {
		struct hand_row rows[9] = {{.what = HAND_GRAPH}};
		const struct na_store *s;
		struct hand h;
		size_t n = 0;

		for (size_t i = 0; i < ends[k].n_cores; i++)
			rows[n++] = (struct hand_row){.what = HAND_BUSY,
						      .src = ends[k].cores[i],
						      .end_ps = 1};
		for (size_t i = 0; i < ends[k].n_graphs; i++)
			rows[n++] = (struct hand_row){
				.what = HAND_GRAPH,
				.name = "x",
				.src = ends[k].graphs[i].endpoint,
				.local = ends[k].graphs[i].local,
				.end_ps = 1};
		/* A GPU is none of them. */
		rows[n++] = (struct hand_row){.what = HAND_BUSY,
					      .device = NA_DEVICE_GPU,
					      .end_ps = 1};
		hand_init(&h, 1, NULL);
		hand_fill(&h, rows, n, 2);
		hand_resolve(&h, NA_ANCHOR_AUTO);
		s = &h.store;
		for (size_t i = 0; i < ends[k].n_cores; i++) {
			const struct na_core *c = &s->devices.cores[i];
			const struct na_endpoint *e =
				c->endpoint == NA_UNKNOWN_U32
					? NULL
					: &s->names.endpoints[c->endpoint];
			int got = e ? e->slice * 100 + e->device : NONE;

			if (got != ends[k].want[i] ||
			    c->told != (e && ends[k].told))
				fail_msg("%s: core %d is %d", ends[k].what,
					 c->number, got);
		}
		assert_int_equal(
			s->devices.cores[s->devices.n_cores - 1].endpoint,
			NA_UNKNOWN_U32);
		hand_fini(&h);
	}
}

/* Spans and ops of one plane have one core, of another kind another. */
static void spans(void **state)
{
	const struct hand_row rows[] = {
		{.what = HAND_STEP, .src = 1, .end_ps = 1},
		{.what = HAND_MODULE, .name = "m", .src = 1, .end_ps = 2},
		{.what = HAND_BUSY, .src = 1, .end_ps = 2},
		{.what = HAND_STEP,
		 .src = 1,
		 .end_ps = 3,
		 .device = NA_DEVICE_GPU},
	};

	(void)state;
	for (size_t block = 1; block <= COUNT(rows); block++) {
		const struct na_span *steps, *modules;
		struct hand h;

		hand_init(&h, 1, NULL);
		hand_fill(&h, rows, COUNT(rows), block);
		assert_int_equal(h.store.spans.n, 2);
		assert_int_equal(h.store.modules.n, 1);
		assert_int_equal(h.store.devices.n_cores, 2);
		steps = (const void *)h.store.spans.first->data;
		modules = (const void *)h.store.modules.first->data;
		assert_int_equal(steps[0].core, 0);
		assert_int_equal(steps[1].core, 1);
		assert_int_equal(modules[0].core, 0);
		assert_int_equal(h.store.devices.cores[1].kind, NA_DEVICE_GPU);
		hand_fini(&h);
	}
}

/* Kernels of a step, on any stream and in any block, are one step. */
static void pieces(void **state)
{
#define PIECE(n, from, to) \
	{ \
		.what = HAND_STEP, .src = 1, .number = (n), \
		.start_ps = (from), .end_ps = (to), .device = NA_DEVICE_GPU, \
		.piece = true \
	}
	const struct hand_row rows[] = {
		PIECE(4, 10, 20),
		PIECE(4, 30, 40),
		PIECE(5, 50, 60),
		{.what = HAND_STEP, .src = 1, .number = 4, .end_ps = 3},
		PIECE(4, 5, 8),
		PIECE(5, 55, 90),
	};
#undef PIECE

	(void)state;
	for (size_t block = 1; block <= COUNT(rows); block++) {
		size_t n = 0;
		struct hand h;

		hand_init(&h, 1, NULL);
		hand_fill(&h, rows, COUNT(rows), block);
		hand_resolve(&h, NA_ANCHOR_AUTO);
		na_each_record (struct na_span, x, &h.store.spans) {
			static const int64_t want[][3] = {{4, 5, 40},
							  {5, 50, 90},
							  {4, 0, 3}};

			assert_true(n < COUNT(want));
			assert_int_equal(x->number, want[n][0]);
			assert_int_equal(x->start_ps, want[n][1]);
			assert_int_equal(x->end_ps, want[n][2]);
			assert_false(x->piece);
			n++;
		}
		assert_int_equal(n, 3);
		assert_int_equal(h.store.spans.n, 3);
		hand_fini(&h);
	}
}

/* What no index can name is left out, counted, and said once. */
static void too_many_cores(void **state)
{
	enum { PLANES = NA_CORES_MAX + 3, BLOCK = 1000 };
	struct hand_row *rows = calloc(PLANES, sizeof(*rows));
	struct hand h;
	uint64_t left;

	(void)state;
	assert_non_null(rows);
	for (int i = 0; i < PLANES; i++)
		rows[i] = (struct hand_row){.what = i % 2 ? HAND_BUSY
							  : HAND_STEP,
					    .start_ps = i,
					    .end_ps = i + 1,
					    .number = 1,
					    .src = i};
	hand_init(&h, 1, NULL);
	hand_fill(&h, rows, PLANES, BLOCK);
	left = h.store.tallies[0].left_out[NA_LEFT_FILTERED];
	assert_true(left > 0 && left <= BLOCK);
	assert_int_equal(h.store.spans.n + h.store.busy.n + left, PLANES);
	assert_int_equal(h.store.n_remarks[0], 1);
	assert_non_null(strstr(h.store.remarks[0].text, "device planes"));
	hand_fini(&h);
	free(rows);
}

static void ops_in_order(void **state)
{
	static const int64_t starts[] = {5, 7, 9, 11, 8};
	struct na_op ops[5];
	const struct na_op *at[5];

	(void)state;
	for (size_t n = 0; n <= 5; n++) {
		for (size_t i = 0; i < n; i++) {
			ops[i] = (struct na_op){.core = i > 3 ? 0 : 1,
						.start_ps = starts[i],
						.end_ps = 20};
			at[i] = &ops[i];
		}
		na_sort_ops(at, n);
		for (size_t i = 1; i < n; i++)
			assert_true(na_op_order(at[i - 1], at[i]) < 0);
	}
	assert_int_equal(at[0]->start_ps, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_part),
		cmocka_unit_test(longer_than_the_field),
		cmocka_unit_test(blocks_of_any_size),
		cmocka_unit_test(types),
		cmocka_unit_test(many_types),
		cmocka_unit_test(endpoints),
		cmocka_unit_test(spans),
		cmocka_unit_test(pieces),
		cmocka_unit_test(too_many_cores),
		cmocka_unit_test(ops_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
