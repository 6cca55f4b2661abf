/*
 * Not sanitized: simulated fleets; what judges them is, by hand-made ones.
 *
 * The judge on a few simulated fleets: far below what make bench-accuracy
 * expects, so that a failure means something broke.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/accuracy/score.h"

enum { FAULTS = 20, HEALTHY = 5 };

static const struct fl_mode mode = {.locality = true, .one_clock = true};

/* The next well-posed fleet, or healthy one, of the statistical kind. */
static void next(bool healthy, uint32_t *index, struct fl_fleet *f)
{
	for (;; fl_fini(f)) {
		assert_true(fl_make(FL_STATISTICAL, 3, (*index)++, f));
		if (healthy && f->plan->plan == FL_HEALTHY)
			return;
		if (!healthy && f->n_truths == 1 && f->truths[0].well_posed)
			return;
	}
}

static void finds_faults(void **state)
{
	uint32_t index = 0, hits = 0;

	(void)state;
	for (int i = 0; i < FAULTS; i++) {
		struct fl_fleet f;
		struct fl_score s;

		next(false, &index, &f);
		assert_true(fl_score(&f, mode, &s));
		hits += s.faults[0].hit;
		fl_fini(&f);
	}
	print_message("%u of %d faults named\n", hits, FAULTS);
	assert_true(hits * 10 >= FAULTS * 6);
}

static void leaves_the_healthy_alone(void **state)
{
	uint32_t index = 0;

	(void)state;
	for (int i = 0; i < HEALTHY; i++) {
		struct fl_fleet f;
		struct fl_score s;

		next(true, &index, &f);
		assert_true(fl_score(&f, mode, &s));
		assert_int_equal(s.findings, 0);
		fl_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_faults),
		cmocka_unit_test(leaves_the_healthy_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
