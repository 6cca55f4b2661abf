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

struct run {
	struct hand h;
	struct na_scope scope;
	struct pairs_params params;
	struct driven d;
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

static struct run *analyse(bool slow, int side)
{
	static struct hand_row rows[MOST];
	struct run *x = calloc(1, sizeof(*x));
	size_t n = 0;

	assert_non_null(x);
	hand_init(&x->h, HOSTS, NULL);
	x->h.filter.side = side;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	/* Before the first step. */
	n += put_transfer(rows, 1, 2, -1, 900000, 200, 0);
	for (int step = 0; step < STEPS; step++)
		n += put_step(rows + n, step, slow);
	qsort(rows, n, sizeof(*rows), by_source);
	hand_fill(&x->h, rows, n, 100);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	hand_drive(&x->d, &na_an_pairs, &x->scope, &x->params, 64, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
	return x;
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
	free(x);
}

static const struct na_value *body(const struct run *x, const char *name)
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
	struct run *x = analyse(true, -1);
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
	end(x);
}

/* A send of no step is compared with nothing, and that is told. */
static void of_no_step(void **state)
{
	struct run *x = analyse(true, -1);
	const struct na_value *left = body(x, "sends_left_out");

	(void)state;
	assert_int_equal(na_get(left, "of")->u.i,
			 1 + STEPS * EACH * HOSTS * (HOSTS - 1));
	assert_int_equal(na_get(left, "no_step")->u.i, 1);
	assert_int_equal(na_get(left, "no_time")->u.i, 0);
	end(x);
}

/* Where nobody is named nothing is said of roles. */
static void nobody_has_a_role(void **state)
{
	struct run *x = analyse(false, -1);
	struct na_row_walk walk = na_row_walk(body(x, "pairs"));
	const struct na_value *v;

	(void)state;
	assert_int_equal(na_length(na_result_body(x->d.r), "culprits"), 0);
	while ((v = na_row_next(&walk))) {
		assert_null(na_get(v, "role"));
		assert_null(na_get(v, "sent_p50_us"));
	}
	na_row_end(&walk);
	end(x);
}

/* Sends alone name the same; and as nobody knows when they end, they acquit
 * nobody. */
static void one_side_is_enough(void **state)
{
	struct run *x = analyse(true, NA_TX);

	(void)state;
	assert_int_equal(na_length(na_result_body(x->d.r), "culprits"), 1);
	assert_string_equal(text(na_items(body(x, "culprits")), "suspect"),
			    "transmit side of d");
	end(x);
	x = analyse(false, -1);
	assert_string_equal(text(na_result_body(x->d.r), "outcome"),
			    "not_guilty");
	end(x);
	x = analyse(false, NA_TX);
	assert_string_equal(text(na_result_body(x->d.r), "outcome"),
			    "cannot_tell");
	end(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suspects_lead_and_waits_end),
		cmocka_unit_test(of_no_step),
		cmocka_unit_test(nobody_has_a_role),
		cmocka_unit_test(one_side_is_enough),
	};

	return cmocka_run_group_tests_name("pairs_roles", tests, NULL, NULL);
}
