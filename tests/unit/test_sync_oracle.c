/*
 * What an oracle tells of sessions made by hand: four hosts in two racks, one
 * collective, 20 steps; a transfer moves in 100 us, or in what the case says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/oracle.h"
#include "tests/accuracy/sync/score.h"

enum { HOSTS = 4, STEPS = 20, MOVES = HOSTS * (HOSTS - 1), USUAL_NS = 100000 };

struct session {
	struct sy_plan plan;
	struct sy_transfer with[STEPS * MOVES], without[STEPS * MOVES];
	struct sy_run runs[2];
};

static void add(struct session *s, uint32_t step, uint32_t src, uint32_t dst)
{
	size_t i = s->runs[0].n_transfers;
	bool cross = s->plan.rack_of[src] != s->plan.rack_of[dst];

	s->without[i] = (struct sy_transfer){.src = (uint8_t)src,
					     .dst = (uint8_t)dst,
					     .spine = cross ? 0 : SY_ANY,
					     .step = step,
					     .n_segments = 10,
					     .sent = INT64_C(1000000) * step,
					     .landed = INT64_C(1000000) * step +
						       USUAL_NS +
						       (int64_t)(i % 7)};
	s->with[i] = s->without[i];
	s->runs[0].n_transfers = s->runs[1].n_transfers = i + 1;
}

/* Each to each, or each to the following one. */
static void begin(struct session *s, bool ring)
{
	*s = (struct session){.plan = {.n_hosts = HOSTS,
				       .n_racks = 2,
				       .n_spines = 1,
				       .n_steps = STEPS,
				       .n_collectives = 1,
				       .n_faults = 1,
				       .rack_of = {0, 0, 1, 1}}};
	s->runs[0] = (struct sy_run){.plan = &s->plan, .transfers = s->with};
	s->runs[1] = (struct sy_run){.plan = &s->plan, .transfers = s->without};
	for (uint32_t step = 0; step < STEPS; step++)
		for (uint32_t i = 0; i < HOSTS * HOSTS; i++) {
			uint32_t src = i / HOSTS, dst = i % HOSTS;

			if (ring ? dst == (src + 1) % HOSTS : dst != src)
				add(s, step, src, dst);
		}
}

/* By half, in steps that are a multiple of `every`. */
static void slow(struct session *s, const struct sy_fault *f, uint32_t every)
{
	for (size_t i = 0; i < s->runs[0].n_transfers; i++) {
		struct sy_transfer *t = &s->with[i];

		if (sy_passes(f, &s->plan, t) && t->step % every == 0)
			t->landed += USUAL_NS / 2;
	}
}

static void ask(const struct session *s, struct sy_oracle *out)
{
	assert_true(sy_oracle(&s->runs[0], &s->runs[1], out));
}

static const struct sy_fault src_2 = {.place = SY_SRC, .host = 2},
			     dst_1 = {.place = SY_DST, .host = 1},
			     host_3 = {.place = SY_HOST, .host = 3},
			     up_0 = {.place = SY_UPLINK,
				     .host = SY_ANY,
				     .rack = 0,
				     .toward = SY_ANY,
				     .spine = SY_ANY};

static void told(void **state)
{
	static const struct {
		const struct sy_fault *fault;
		uint32_t every;
	} rows[] = {{&src_2, 1}, {&dst_1, 1}, {&host_3, 1},
		    {&up_0, 1},  {&src_2, 5}, {&dst_1, 4}};
	struct session s;
	struct sy_oracle o;

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		begin(&s, false);
		slow(&s, rows[i].fault, rows[i].every);
		ask(&s, &o);
		assert_int_equal(o.answer.n_network, 1);
		assert_int_equal(o.n_ties, 0);
		assert_int_equal(sy_grade(&s.plan, rows[i].fault,
					  &o.answer.network[0]),
				 SY_RIGHT);
	}
}

/* In a ring, what 2 sends and what 3 receives are the same transfers. */
static void tied(void **state)
{
	struct session s;
	struct sy_oracle o;
	struct sy_score score = {.n_faults = 1};

	(void)state;
	begin(&s, true);
	slow(&s, &src_2, 1);
	ask(&s, &o);
	assert_int_equal(o.answer.n_network, 0);
	assert_int_equal(o.n_ties, 1);
	assert_int_equal(o.ties[0].n, 2);
	assert_false(o.ties[0].more);
	s.plan.faults[0] = src_2;
	sy_score_oracle(&score, &s.plan, &o);
	assert_string_equal(score.faults[0].tied, " src 2 dst 3");
	assert_int_equal(score.faults[0].by[SY_ORACLE], SY_WRONG);
}

/* As good a fit, but there is an answer that is right for both. */
static void same_answer(void **state)
{
	struct session s;
	struct sy_oracle o;
	struct sy_fault down_1 = up_0;

	(void)state;
	down_1.place = SY_DOWNLINK;
	down_1.rack = 1;
	begin(&s, false);
	slow(&s, &down_1, 1);
	ask(&s, &o);
	assert_int_equal(o.answer.n_network, 1);
	assert_int_equal(sy_grade(&s.plan, &down_1, &o.answer.network[0]),
			 SY_RIGHT);
}

/* From no excess nothing follows, nor from three transfers', nor from as much
 * up as down anywhere, nor from transfers that are shorter. */
static void too_faint(void **state)
{
	struct session s;
	struct sy_oracle o;

	(void)state;
	for (int i = 0; i < 4; i++) {
		begin(&s, false);
		for (size_t t = 3; i == 1 && t < s.runs[0].n_transfers;
		     t += (size_t)7 * MOVES)
			s.with[t].landed += 10 * USUAL_NS;
		for (size_t t = 0; i == 2 && t < s.runs[0].n_transfers; t++)
			s.with[t].landed += ((int64_t)(t * 7919 % 101) - 50) *
					    500;
		for (size_t t = 0; i == 3 && t < s.runs[0].n_transfers; t++)
			if (s.with[t].src == 2)
				s.with[t].landed -= USUAL_NS / 2;
		ask(&s, &o);
		assert_int_equal(o.answer.n_network, 0);
		assert_int_equal(o.n_ties, 0);
	}
}

/* A host whose segments are lost makes another's transfers longer. */
static void timers_decide(void **state)
{
	struct session s;
	struct sy_oracle o;

	(void)state;
	begin(&s, false);
	slow(&s, &src_2, 1);
	for (size_t t = 0, n = 0; t < s.runs[0].n_transfers; t++)
		if (s.with[t].dst == 1)
			s.with[t].timeouts = n++ % 4 == 0;
	ask(&s, &o);
	assert_int_equal(o.answer.n_network, 1);
	assert_int_equal(o.answer.network[0].who.place, SY_DST);
	assert_int_equal(o.answer.network[0].who.host, 1);
	s.plan.n_faults = 2;
	ask(&s, &o);
	assert_int_equal(o.answer.n_network, 2);
	assert_int_equal(o.answer.network[1].who.place, SY_SRC);
	assert_int_equal(o.answer.network[1].who.host, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told),          cmocka_unit_test(tied),
		cmocka_unit_test(same_answer),   cmocka_unit_test(too_faint),
		cmocka_unit_test(timers_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
