/*
 * Registrations and copies on host threads: when the steady state begins,
 * which transfers they touch (against a count of all pairs), and what the
 * checks make of it, just below and above their limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/synth/rng.h"
#include "tests/unit/hand_case.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_host_events;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       INT64_C(1000000000)
#define S        (1000 * MS)

#define RX(host, from, to) \
	{ \
		.what = HAND_RX, .source = host, .start_ps = from, \
		.end_ps = to, .size = 100, .src = 100 * (host + 1), \
		.dst = 100 * host, .name = "ar" \
	}
#define EVENT(k, host, from, to, on) \
	{ \
		.what = HAND_ACTION, .number = k, .source = host, \
		.start_ps = from, .end_ps = to, .thread = on \
	}
#define REG(host, from, to, on)  EVENT(NA_ACT_REGISTRATION, host, from, to, on)
#define COPY(host, from, to, on) EVENT(NA_ACT_COPY, host, from, to, on)
#define STEP(host, n, from, to) \
	{ \
		.what = HAND_STEP, .source = host, .start_ps = from, \
		.end_ps = to, .number = n \
	}

struct run {
	struct hand h;
	struct na_scope scope;
	struct driven d;
};

static void make(struct run *x, size_t sources, const char *const *labels,
		 const struct hand_row *rows, size_t n)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, sources, labels);
	for (size_t i = 0; i < sources; i++)
		x->h.sources[i].host_threads = true;
	hand_fill(&x->h, rows, n, 5);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
}

static void analyse(struct run *x, size_t block)
{
	hand_drive(&x->d, &na_an_host_events, &x->scope, NULL, block,
		   &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

static const struct na_value *run_at(const struct run *x, size_t i)
{
	const struct na_value *v = na_get(na_result_body(x->d.r), "runs");

	for (v = v->u.of.first; v && i; i--)
		v = v->next;
	assert_non_null(v);
	return v;
}

#define SAME(v, path, want) \
	do { \
		double got_ = na_real_of(na_dig(v, path), -12345); \
		if (got_ != (double)(want)) \
			fail_msg("%s: %.17g, not %.17g", path, got_, \
				 (double)(want)); \
	} while (0)
#define TEXT(v, path, want) \
	assert_string_equal(na_text_of(na_dig(v, path), "(null)"), want)

/* ---- the steady state */

static void from_the_first_step(void **state)
{
	/* Two devices: the step is over when the later one is done. */
	static const struct hand_row rows[] = {
		STEP(0, 1, 1 * S, 3 * S),
		STEP(0, 2, 3 * S, 5 * S),
		RX(0, 1 * S, 2 * S),
		REG(0, 2 * S, 4 * S, "t"), /* began before */
		REG(0, 3 * S, 4 * S, "t"), /* at the border: in */
		REG(0, 4 * S, 4 * S + 1, "u"),
		COPY(0, 0, 1, "t"),
	};
	struct run x;

	(void)state;
	make(&x, 1, NULL, rows, COUNT(rows));
	analyse(&x, 3);
	TEXT(run_at(&x, 0), "steady_by", "step");
	SAME(run_at(&x, 0), "steady_from_s", 3);
	SAME(run_at(&x, 0), "registrations.count", 2);
	SAME(run_at(&x, 0), "registrations.startup", 1);
	SAME(run_at(&x, 0), "registrations.n_threads", 2);
	SAME(run_at(&x, 0), "registrations.hosts", 1);
	SAME(run_at(&x, 0), "registrations.first_s", 3);
	SAME(run_at(&x, 0), "registrations.last_s", (double)(4 * S + 1) / 1e12);
	SAME(run_at(&x, 0), "copies.count", 1);
	SAME(run_at(&x, 0), "copies.startup", 1);
	end(&x);
}

/* A tenth of the time, at least a second; of the profile where it tells. */
static void from_a_tenth(void **state)
{
	static const struct {
		int64_t last, start, stop;
		double want_s;
	} rows[] = {
		{5 * S, NA_UNKNOWN_PS, NA_UNKNOWN_PS, 1},
		{10 * S, NA_UNKNOWN_PS, NA_UNKNOWN_PS, 1},
		{30 * S, NA_UNKNOWN_PS, NA_UNKNOWN_PS, 3},
		{30 * S, -10 * S, 90 * S, 0},
		{30 * S, -10 * S, -5 * S, -9},
		{30 * S, -10 * S, NA_UNKNOWN_PS, 3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct hand_row events[] = {
			RX(0, 0, 1 * S),
			REG(0, 2 * S, rows[i].last, NULL),
		};
		struct run x;

		make(&x, 1, NULL, events, COUNT(events));
		x.h.sources[0].profile_start_ps = rows[i].start;
		x.h.sources[0].profile_stop_ps = rows[i].stop;
		analyse(&x, 1);
		TEXT(run_at(&x, 0), "steady_by", "time");
		SAME(run_at(&x, 0), "steady_from_s", rows[i].want_s);
		SAME(run_at(&x, 0), "registrations.count",
		     rows[i].want_s <= 2 ? 1 : 0);
		end(&x);
	}
}

/* A trace shorter than any start-up tells nothing of the steady state. */
static void start_up_alone(void **state)
{
	static const struct hand_row rows[] = {
		RX(0, 0, S / 2),
		REG(0, S / 4, S, "t"),
		REG(0, S / 2, S + 1, "t"),
	};
	struct run x;

	(void)state;
	for (size_t n = 2; n <= COUNT(rows); n++) {
		make(&x, 1, NULL, rows, n);
		analyse(&x, 1);
		SAME(run_at(&x, 0), "steady_from_s", 1);
		assert_int_equal(na_get(run_at(&x, 0), "steady_seen")->u.flag,
				 n == COUNT(rows));
		end(&x);
	}
}

static void runs_side_by_side(void **state)
{
	static const char *const labels[] = {"old", "new"};
	static const struct hand_row rows[] = {
		STEP(0, 1, 0, 1 * S),       RX(0, 1 * S, 9 * S),
		REG(0, 2 * S, 3 * S, "t"),  STEP(1, 1, 0, 5 * S),
		RX(1, 1 * S, 9 * S),        REG(1, 2 * S, 3 * S, "t"),
		COPY(1, 2 * S, 3 * S, "t"),
	};
	struct run x;

	(void)state;
	make(&x, 2, labels, rows, COUNT(rows));
	analyse(&x, 2);
	TEXT(run_at(&x, 0), "label", "old");
	SAME(run_at(&x, 0), "registrations.count", 1);
	SAME(run_at(&x, 0), "registrations.touched_share", 1);
	SAME(run_at(&x, 0), "copies.count", 0);
	SAME(run_at(&x, 1), "registrations.count", 0);
	SAME(run_at(&x, 1), "registrations.touched", 0);
	SAME(run_at(&x, 1), "copies.count", 1);
	SAME(run_at(&x, 1), "transfers", 1);
	end(&x);
}

/* ---- what they touch */

static void borders(void **state)
{
	static const struct {
		int64_t from, to;
		int touched;
	} rows[] = {
		{0, 100, 0},   {0, 101, 1},   {150, 160, 1}, {199, 300, 1},
		{200, 300, 0}, {100, 100, 1}, {99, 99, 0},   {199, 199, 1},
		{200, 200, 0}, {0, 300, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		/* The other host's transfer is none of its business. */
		const struct hand_row events[] = {
			RX(0, 100, 200),
			COPY(0, rows[i].from, rows[i].to, "t"),
			RX(1, 100, 200),
		};
		struct run x;

		make(&x, 2, NULL, events, COUNT(events));
		analyse(&x, 2);
		SAME(run_at(&x, 0), "copies.touched", rows[i].touched);
		SAME(run_at(&x, 0), "copies.touched_share",
		     rows[i].touched / 2.0);
		if (rows[i].touched) {
			TEXT(run_at(&x, 0), "copies.worst_host", "a");
			SAME(run_at(&x, 0), "copies.worst_share", 1);
		}
		end(&x);
	}
}

static bool meet(const struct hand_row *t, const struct hand_row *e)
{
	int64_t to = e->end_ps > e->start_ps ? e->end_ps : e->start_ps + 1;

	return t->source == e->source && t->start_ps < to &&
	       e->start_ps < t->end_ps;
}

enum { ROWS = 160, STEADY = 300 };

/* All pairs. */
static uint64_t touched(const struct hand_row *rows, int kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i < ROWS; i++) {
		bool hit = false;

		for (size_t k = 0; rows[i].what == HAND_RX && k < ROWS; k++)
			hit |= rows[k].what == HAND_ACTION &&
			       rows[k].number == kind &&
			       (kind == NA_ACT_COPY ||
				rows[k].start_ps >= STEADY) &&
			       meet(&rows[i], &rows[k]);
		n += hit;
	}
	return n;
}

static void against_all_pairs(void **state)
{
	struct hand_row rows[ROWS];
	struct na_rng rng;
	char *first = NULL;

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		na_rng_seed(&rng, seed);
		rows[0] = (struct hand_row)STEP(0, 1, 0, STEADY);
		for (size_t i = 1; i < ROWS; i++) {
			int host = (int)(3 * i / ROWS);
			int64_t from = (int64_t)na_rng_below(&rng, 2000);
			int64_t to = from + (int64_t)na_rng_below(&rng, 40);

			if (na_rng_below(&rng, 3))
				rows[i] = (struct hand_row)RX(host, from,
							      to + 1);
			else
				rows[i] = (struct hand_row)
					EVENT(na_rng_below(&rng, 2)
						      ? NA_ACT_COPY
						      : NA_ACT_REGISTRATION,
					      host, from, to, "t");
		}
		for (size_t block = 1; block <= ROWS; block *= 7) {
			struct run x;
			char *json;

			make(&x, 3, NULL, rows, ROWS);
			analyse(&x, block);
			SAME(run_at(&x, 0), "copies.touched",
			     touched(rows, NA_ACT_COPY));
			SAME(run_at(&x, 0), "registrations.touched",
			     touched(rows, NA_ACT_REGISTRATION));
			json = driven_json(&x.d);
			if (block == 1)
				first = json;
			else
				assert_string_equal(json, first);
			if (block > 1)
				free(json);
			end(&x);
		}
		free(first);
	}
}

/* ---- the checks */

enum { MANY = 1000 };

/* `hit` of MANY transfers lie in the event. */
static void judge(int kind, size_t hit, const char *id, const char *want)
{
	static struct hand_row rows[MANY + 2];
	struct hand_case c;
	struct run x;

	rows[0] = (struct hand_row)STEP(0, 1, 0, 10);
	rows[1] = (struct hand_row)EVENT(kind, 0, 1000, 2000, "t");
	for (size_t i = 0; i < MANY; i++)
		rows[i + 2] = (struct hand_row)RX(0, i < hit ? 1500 : 2500,
						  i < hit ? 1600 : 2600);
	make(&x, 1, NULL, rows, COUNT(rows));
	analyse(&x, 64);
	hand_case_init(&c);
	hand_show(&c, "host_events", x.d.r);
	hand_run(&c, id);
	assert_string_equal(hand_severity(&c, 0), want);
	assert_null(hand_finding(&c, 1));
	assert_int_equal(
		na_int_of(na_dig(hand_finding(&c, 0), "evidence.touched"), -1),
		hit);
	assert_non_null(
		strstr(na_text_of(na_get(hand_finding(&c, 0), "remedy"), ""),
		       "--megascale_grpc_premap_memory_bytes"));
	hand_case_fini(&c);
	end(&x);
}

static void limits(void **state)
{
	(void)state;
	judge(NA_ACT_REGISTRATION, 0, "dma-registration", "warning");
	judge(NA_ACT_REGISTRATION, 10, "dma-registration", "warning");
	judge(NA_ACT_REGISTRATION, 11, "dma-registration", "error");
	judge(NA_ACT_COPY, 0, "memory-copy", "warning");
	judge(NA_ACT_COPY, 50, "memory-copy", "warning");
	judge(NA_ACT_COPY, 51, "memory-copy", "error");
}

static void nothing_found(void **state)
{
	/* Start-up only; the check of copies has nothing either. */
	static const struct hand_row rows[] = {
		STEP(0, 1, 0, 10),
		REG(0, 1, 5, "t"),
		RX(0, 1, 5),
	};
	struct hand_case c;
	struct run x;

	(void)state;
	make(&x, 1, NULL, rows, COUNT(rows));
	analyse(&x, 2);
	hand_case_init(&c);
	hand_show(&c, "host_events", x.d.r);
	hand_run(&c, "dma-registration");
	assert_null(hand_finding(&c, 0));
	assert_null(hand_missing(&c));
	hand_run(&c, "memory-copy");
	assert_null(hand_finding(&c, 0));
	hand_case_fini(&c);
	end(&x);
}

/* Nothing crosses the network: nothing waits. */
static void without_transfers(void **state)
{
	static const struct hand_row rows[] = {
		STEP(0, 1, 0, 10),
		REG(0, 20, 30, "t"),
	};
	struct hand_case c;
	struct run x;

	(void)state;
	make(&x, 1, NULL, rows, COUNT(rows));
	analyse(&x, 2);
	assert_int_equal(x.d.used, 1);
	hand_case_init(&c);
	hand_show(&c, "host_events", x.d.r);
	hand_run(&c, "dma-registration");
	assert_string_equal(hand_severity(&c, 0), "info");
	hand_case_fini(&c);
	end(&x);
}

/* Without a host plane nobody can say that there was nothing. */
static void without_threads(void **state)
{
	static const struct hand_row rows[] = {RX(0, 1, 5)};
	struct run x;

	(void)state;
	make(&x, 1, NULL, rows, COUNT(rows));
	x.h.sources[0].host_threads = false;
	analyse(&x, 2);
	assert_int_equal(x.d.used, 0);
	assert_non_null(na_result_get_word(x.d.r, NA_WORD_EMPTY, NULL));
	end(&x);
}

/* --host and --from leave events out. */
static void filters(void **state)
{
	static const char *names[] = {"b"};
	static const struct na_text_list hosts = {.items = names, .n = 1};
	static const struct hand_row rows[] = {
		STEP(0, 1, 0, 10), RX(0, 20, 90),        COPY(0, 30, 40, "t"),
		RX(1, 20, 90),     COPY(1, 30, 40, "t"), COPY(1, 50, 60, "t"),
	};
	struct run x;

	(void)state;
	make(&x, 2, NULL, rows, COUNT(rows));
	x.h.filter.host = &hosts;
	x.h.filter.from_ps = 45;
	analyse(&x, 2);
	SAME(run_at(&x, 0), "copies.count", 1);
	SAME(run_at(&x, 0), "transfers", 1);
	end(&x);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_first_step),
		cmocka_unit_test(from_a_tenth),
		cmocka_unit_test(start_up_alone),
		cmocka_unit_test(runs_side_by_side),
		cmocka_unit_test(borders),
		cmocka_unit_test(against_all_pairs),
		cmocka_unit_test(limits),
		cmocka_unit_test(nothing_found),
		cmocka_unit_test(without_transfers),
		cmocka_unit_test(without_threads),
		cmocka_unit_test(filters),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
