/* pairs: a side that its own pairs do not show, and the host's other one does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "netan/analyses/pairs/state.h"

enum { PEERS = 4, PAIRS = 2 * PEERS };

struct made {
	struct pairs_pair pairs[PAIRS];
	struct na_lz_pair_result of[PAIRS];
	struct na_lz_finding found;
	struct pairs_run run;
	struct pairs_state s;
};

/* Host 0 sends to each peer, then gets from each; so many of both are slow. */
static size_t alternatives(struct made *m, enum na_lz_kind named, size_t out,
			   size_t in)
{
	*m = (struct made){.found = {.who = {named, 0, 0},
				     .channel = NA_LZ_ALL}};
	for (uint32_t i = 0; i < PEERS; i++) {
		m->pairs[i] = (struct pairs_pair){.src = 0, .dst = i + 1};
		m->of[i] = (struct na_lz_pair_result){i < out ? 1.0 : 0.02, 0.1,
						      i < out ? 1e-9 : 0.8};
		m->pairs[PEERS + i] =
			(struct pairs_pair){.src = i + 1, .dst = 0};
		m->of[PEERS + i] = (struct na_lz_pair_result){
			i < in ? 1.0 : 0.02, 0.1, i < in ? 1e-9 : 0.8};
	}
	m->s.pairs = m->pairs;
	m->run.n_remote = m->run.n_pairs = PAIRS;
	m->run.found.pairs = m->of;
	m->run.found.findings = &m->found;
	m->run.found.n_findings = 1;
	assert_true(na_pairs_doubt_sides(&m->s, &m->run));
	return m->found.n_alternatives;
}

static void the_other_side_shows_it(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(alternatives(&m, NA_LZ_SRC, 0, PEERS), 1);
	assert_int_equal(m.found.alternatives[0].kind, NA_LZ_DST);
	assert_int_equal(m.found.alternatives[0].a, 0);
	assert_non_null(m.found.needs);
	free(m.found.alternatives);
	assert_int_equal(alternatives(&m, NA_LZ_DST, PEERS, 0), 1);
	assert_int_equal(m.found.alternatives[0].kind, NA_LZ_SRC);
	free(m.found.alternatives);
}

static void its_own_pairs_show_it(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(alternatives(&m, NA_LZ_SRC, 1, PEERS), 0);
	assert_int_equal(alternatives(&m, NA_LZ_SRC, PEERS, 0), 0);
}

/* What half of the others show may be of those others. */
static void few_of_the_other_side(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(alternatives(&m, NA_LZ_SRC, 0, PEERS / 2), 0);
	assert_int_equal(alternatives(&m, NA_LZ_HOST, 0, PEERS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_other_side_shows_it),
		cmocka_unit_test(its_own_pairs_show_it),
		cmocka_unit_test(few_of_the_other_side),
	};

	return cmocka_run_group_tests_name("pairs_other_side", tests, NULL,
					   NULL);
}
