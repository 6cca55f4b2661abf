/*
 * pairs: which of its rows are the suspect's, and which only wait: sends and
 * receives by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/pairs/state.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_pairs;

#define US INT64_C(1000000)

enum {
	HOSTS = 8,
	STEPS = 12,
	EACH = 3, /* transfers of a pair in a step */
	STEP_US = 100000,
	SLOW = 3,  /* what it sends takes longer */
	WAITS = 0, /* what it gets it waits for */
	MOST = 2 + STEPS * (HOSTS + 2 * EACH * HOSTS * (HOSTS - 1))
};

/* A send, and the receive of it. */
static size_t put_transfer(struct hand_row *rows, int src, int dst, int step,
			   int64_t at_us, int64_t took_us, int64_t waited_us)
{
	int64_t end_us = at_us + took_us;
	const struct hand_row send = {.what = HAND_TX,
				      .source = src,
				      .start_ps = at_us * US,
				      .end_ps = end_us * US,
				      .size = 1 << 20,
				      .src = src * 100,
				      .dst = dst * 100,
				      .launch = step + 1,
				      .iteration = 1,
				      .name = "all-to-all.1"};

	rows[0] = rows[1] = send;
	rows[1].what = HAND_RX;
	rows[1].source = dst;
	rows[1].end_ps = (end_us + waited_us) * US;
	return 2;
}

static size_t put_step(struct hand_row *rows, int step, bool slow)
{
	int64_t at_us = INT64_C(1000000) + step * (int64_t)STEP_US;
	size_t n = 0;

	for (int host = 0; host < HOSTS; host++)
		rows[n++] = (struct hand_row){
			.what = HAND_STEP,
			.source = host,
			.start_ps = at_us * US,
			.end_ps = (at_us + STEP_US - 1) * US,
			.src = host * 100,
			.number = step};
	for (int k = 0; k < EACH * HOSTS * (HOSTS - 1); k++) {
		int src = k % HOSTS, dst = k / HOSTS % (HOSTS - 1);
		int64_t took_us = 200 + (k * 7 + step * 13) % 40;

		dst += dst >= src;
		n += put_transfer(rows + n, src, dst, step, at_us + 400 * k,
				  slow && src == SLOW ? 4 * took_us : took_us,
				  slow && dst == WAITS ? 3000 : 0);
	}
	return n;
}

static int by_source(const void *a, const void *b)
{
	const struct hand_row *x = a, *y = b;

	if (x->source != y->source)
		return x->source - y->source;
	return (x->end_ps > y->end_ps) - (x->end_ps < y->end_ps);
}

static struct hand_run *analyse(bool slow, int side)
{
	static const struct pairs_params params;
	static struct hand_row rows[MOST];
	struct hand_run *x = hand_run_begin(HOSTS, side);
	size_t n = 0;

	/* Before the first step. */
	n += put_transfer(rows, 1, 2, -1, 900000, 200, 0);
	for (int step = 0; step < STEPS; step++)
		n += put_step(rows + n, step, slow);
	qsort(rows, n, sizeof(*rows), by_source);
	hand_run_drive(x, rows, n, &na_an_pairs, &params, 64);
	return x;
}

static const struct na_value *body(const struct hand_run *x, const char *name)
{
	return na_get(na_result_body(x->d.r), name);
}

static const char *text(const struct na_value *row, const char *name)
{
	return na_text_of(na_get(row, name), "");
}

/* The suspect's pairs lead, though what waits took longer, and that ends. */
static void suspects_lead_and_waits_end(void **state)
{
	struct hand_run *x = analyse(true, -1);
	struct na_row_walk walk = na_row_walk(body(x, "pairs"));
	const struct na_value *v;
	size_t i = 0;

	(void)state;
	assert_string_equal(text(na_items(body(x, "culprits")), "suspect"),
			    "transmit side of d");
	for (; (v = na_row_next(&walk)); i++) {
		bool waits = i > HOSTS * (HOSTS - 1) - HOSTS + 1;
		double sent_us = na_real_of(na_get(v, "sent_p50_us"), NAN);
		double alike = na_real_of(na_get(v, "alike_excess"), NAN);

		assert_string_equal(text(v, "role"), i < HOSTS - 1 ? "suspect"
						     : waits       ? "waits"
								   : "");
		assert_int_equal(strcmp(text(v, "src"), "d") == 0,
				 i < HOSTS - 1);
		if (waits)
			assert_string_equal(text(v, "dst"), "a");
		assert_true(i < HOSTS - 1 ? sent_us > 700 : sent_us < 300);
		assert_true(i < HOSTS - 1 ? alike > 3 && alike < 5
					  : alike < 1.3);
	}
	na_row_end(&walk);
	assert_int_equal(i, HOSTS * (HOSTS - 1));
	hand_run_end(x);
}

/* Its squares stand out as its rows do, though the other ones waited longer. */
static void picture_shows_what_names(void **state)
{
	struct hand_run *x = analyse(true, -1);
	const struct na_value *m =
		na_items(na_get(na_result_side(x->d.r), "matrices"));
	size_t n = 0;
	const double *excess = na_reals_of(na_get(m, "excess"), &n);
	const double *src = na_reals_at(m, "src", n);

	(void)state;
	assert_string_equal(text(m, "measure"), "sends");
	assert_null(na_get(m, "role"));
	assert_int_equal(n, HOSTS * (HOSTS - 1));
	for (size_t i = 0; i < n; i++)
		assert_true(src[i] == 3 ? excess[i] > 3 && excess[i] < 5
					: excess[i] < 1.3);
	hand_run_end(x);
}

/* A send of no step is compared with nothing, and that is told. */
static void of_no_step(void **state)
{
	struct hand_run *x = analyse(true, -1);
	const struct na_value *left = body(x, "sends_left_out");

	(void)state;
	assert_int_equal(na_get(left, "of")->u.i,
			 1 + STEPS * EACH * HOSTS * (HOSTS - 1));
	assert_int_equal(na_get(left, "no_step")->u.i, 1);
	assert_int_equal(na_get(left, "no_time")->u.i, 0);
	hand_run_end(x);
}

/* Where nobody is named nothing is said of roles. */
static void nobody_has_a_role(void **state)
{
	struct hand_run *x = analyse(false, -1);
	struct na_row_walk walk = na_row_walk(body(x, "pairs"));
	const struct na_value *v;

	(void)state;
	assert_int_equal(na_length(na_result_body(x->d.r), "culprits"), 0);
	while ((v = na_row_next(&walk))) {
		assert_null(na_get(v, "role"));
		assert_null(na_get(v, "sent_p50_us"));
	}
	na_row_end(&walk);
	hand_run_end(x);
}

/* Sends alone name the same; and as nobody knows when they end, they acquit
 * nobody. */
static void one_side_is_enough(void **state)
{
	struct hand_run *x = analyse(true, NA_TX);

	(void)state;
	assert_int_equal(na_length(na_result_body(x->d.r), "culprits"), 1);
	assert_string_equal(text(na_items(body(x, "culprits")), "suspect"),
			    "transmit side of d");
	hand_run_end(x);
	x = analyse(false, -1);
	assert_string_equal(text(na_result_body(x->d.r), "outcome"),
			    "not_guilty");
	hand_run_end(x);
	x = analyse(false, NA_TX);
	assert_string_equal(text(na_result_body(x->d.r), "outcome"),
			    "cannot_tell");
	hand_run_end(x);
}

/* Of a side that is slow in some steps: those of them that have a number, and
 * of which they are. */
static void steps_are_listed(void **state)
{
	static const struct {
		size_t n_steps;
		uint32_t one_in, steps[NA_WIRE_SHOWN];
		const char *says;
	} rows[] = {
		{3, 1, {0, 1, 3}, " else in 3 steps (7, 8, 10)"},
		{5, 1, {0, 1, 2, 3}, " else in 5 steps (7, 8, 9, 10, ...)"},
		{3, 1, {9, 1, 3}, " else in 3 steps (8, 10, ...)"},
		{1, 1, {9}, " else in 1 step"},
		{3, 2, {0, 2, 9},
		 " else in 3 steps (7, 9, ...), where one step in 2 was "
		 "looked at"},
	};
	struct na_host host = {.name = "a"};
	struct na_step steps[] = {{.number = 7}, {.number = 8},
				  {.number = 9}, {.number = 10}};
	const struct na_store store = {.hosts = &host,
				       .n_hosts = 1,
				       .steps = steps,
				       .n_steps = NA_LEN(steps)};
	const struct na_scope scope = {.store = &store};
	const struct pairs_run run = {.n_nodes = 1};
	struct pairs_state s = {.scope = &scope};

	(void)state;
	assert_true(na_add(&s.nodes, ((struct pairs_node){.name = "a"})));
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct na_wire_result w = {.suspects = 1};
		struct na_lz_result r = {.n_undecided = 0};

		w.clearest[0] = (struct na_wire_suspect){
			.who = {NA_LZ_SRC, 0, 0},
			.n_steps = rows[i].n_steps,
			.one_in = rows[i].one_in};
		memcpy(w.clearest[0].steps, rows[i].steps,
		       sizeof(rows[i].steps));
		assert_true(na_pairs_put_flapping(&s, &run, &r, &w));
		assert_string_equal(strstr(r.undecided[0].what, " else in"),
				    rows[i].says);
		na_lz_undecided_clear(&r);
		free(r.undecided);
	}
	na_arena_fini(&s.text);
	na_vec_free(&s.nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suspects_lead_and_waits_end),
		cmocka_unit_test(of_no_step),
		cmocka_unit_test(picture_shows_what_names),
		cmocka_unit_test(nobody_has_a_role),
		cmocka_unit_test(one_side_is_enough),
		cmocka_unit_test(steps_are_listed),
	};

	return cmocka_run_group_tests_name("pairs_roles", tests, NULL, NULL);
}
