/*
 * Not sanitized: the accuracy bench's own generator, which is no part of netan.
 *
 * The fleets of the accuracy bench are what they say, and its scorer tells
 * right from wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/accuracy/tables.h"

enum { SOME = 25 };

static void make(enum fl_generator g, uint32_t index, struct fl_fleet *f)
{
	assert_true(fl_make(g, 7, index, f));
}

static const struct fl_case *case_named(enum fl_generator g, const char *name)
{
	size_t n;
	const struct fl_case *c = fl_cases(g, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(c[i].name, name) == 0)
			return &c[i];
	fail_msg("no case named %s", name);
	return NULL;
}

/* ---- every fleet */

static void check_pairs(const struct fl_fleet *f)
{
	size_t at = 0;

	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct fl_pair *p = &f->pairs[i];

		assert_true(p->src < f->n_hosts && p->dst < f->n_hosts);
		assert_true(p->src != p->dst && p->n > 0 && p->first == at);
		assert_true(p->locality <= 2);
		assert_true(i == 0 || p[-1].src < p->src ||
			    (p[-1].src == p->src && p[-1].dst < p->dst));
		at += p->n;
	}
	assert_true(at == f->n_transfers);
}

static void check_transfers(const struct fl_fleet *f)
{
	for (size_t i = 0; i < f->n_transfers; i++) {
		const struct fl_transfer *t = &f->transfers[i];

		assert_true(t->latency_us >= (f->skewed == FL_NONE));
		assert_true(t->latency_us < 1e8);
		assert_true(t->latency_us == floor(t->latency_us));
		assert_true(t->size_bytes >= 1);
		assert_true(t->own_us > 0 && t->collective < f->n_collectives);
	}
}

static void check_truths(const struct fl_fleet *f)
{
	enum fl_plan plan = f->plan->plan;

	assert_true((plan == FL_SKEWED) == (f->skewed != FL_NONE));
	assert_int_equal(plan >= FL_SINGLE, f->n_truths > 0);
	for (size_t i = 0; i < f->n_truths; i++) {
		const struct fl_truth *t = &f->truths[i];

		assert_true(isfinite(t->ratio) && t->factor > 1);
		assert_true(t->affected <= f->n_transfers);
		assert_true(t->tails <= t->affected);
		assert_true(!t->well_posed || t->enough);
		assert_true(plan != FL_SINGLE ||
			    (t->who.cause == f->plan->kind &&
			     t->how == f->plan->how));
	}
}

static void well_formed(void **state)
{
	(void)state;
	for (int g = 0; g < FL_GENERATORS; g++)
		for (uint32_t i = 0; i < SOME; i++) {
			struct fl_fleet f;

			make((enum fl_generator)g, i, &f);
			check_pairs(&f);
			check_transfers(&f);
			check_truths(&f);
			fl_fini(&f);
		}
}

static void deterministic(void **state)
{
	(void)state;
	for (int g = 0; g < FL_GENERATORS; g++) {
		struct fl_fleet a, b, other;

		make((enum fl_generator)g, 1, &a);
		make((enum fl_generator)g, 1, &b);
		assert_true(a.n_transfers == b.n_transfers);
		assert_memory_equal(a.transfers, b.transfers,
				    a.n_transfers * sizeof(*a.transfers));
		assert_memory_equal(a.pairs, b.pairs,
				    a.n_pairs * sizeof(*a.pairs));
		assert_true(fl_make((enum fl_generator)g, 8, 1, &other));
		assert_true(a.n_transfers != other.n_transfers ||
			    memcmp(a.transfers, other.transfers,
				   a.n_transfers * sizeof(*a.transfers)) != 0);
		fl_fini(&a);
		fl_fini(&b);
		fl_fini(&other);
	}
}

/* ---- faults do what they say */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Median latency of what passes a fault (or not) in one collective, by
 * byte: sizes vary too much for anything simpler.
 */
static double level(const struct fl_fleet *f, uint32_t coll, bool passes)
{
	double *v = calloc(f->n_transfers + 1, sizeof(*v)), out;
	size_t n = 0;

	assert_non_null(v);
	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct fl_pair *p = &f->pairs[i];

		if (fl_passes(&f->truths[0].who, p->src, p->dst) != passes)
			continue;
		for (size_t k = p->first; k < p->first + p->n; k++)
			if (f->transfers[k].collective == coll)
				v[n++] = f->transfers[k].latency_us;
	}
	qsort(v, n, sizeof(*v), by_value);
	out = n >= 30 ? v[n / 2] : NAN;
	free(v);
	return out;
}

/* Excess of the faulty side in fleets of one case, as a share of what was
 * planted (in logs); the median over fleets. */
static double found_share(const char *name)
{
	const struct fl_case *c = case_named(FL_STATISTICAL, name);
	double share[SOME];
	size_t n = 0;

	for (uint64_t seed = 0; seed < SOME; seed++) {
		struct fl_fleet f;
		double ratio;

		assert_true(fl_make_case(FL_STATISTICAL, seed, c, &f));
		ratio = level(&f, 0, true) / level(&f, 0, false);
		if (isfinite(ratio) && f.truths[0].factor >= 2)
			share[n++] = log(ratio) / log(f.truths[0].factor);
		fl_fini(&f);
	}
	assert_true(n > 4);
	qsort(share, n, sizeof(*share), by_value);
	return share[n / 2];
}

static void faults_multiply(void **state)
{
	double share;

	(void)state;
	share = found_share("slow tx");
	assert_true(share > 0.85 && share < 1.15);
	share = found_share("slow rx");
	assert_true(share > 0.85 && share < 1.15);
	share = found_share("slow host");
	assert_true(share > 0.85 && share < 1.15);
	/* Only bandwidth, only some steps: less, or nothing in the median. */
	share = found_share("capped tx");
	assert_true(share > 0.3 && share < 1.1);
	share = found_share("windows tx");
	assert_true(share > -0.1 && share < 0.5);
}

static uint64_t tails_on(const struct fl_fleet *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct fl_pair *p = &f->pairs[i];

		if (!fl_passes(&f->truths[0].who, p->src, p->dst))
			continue;
		for (size_t k = p->first; k < p->first + p->n; k++)
			n += f->transfers[k].latency_us >= 200e3;
	}
	return n;
}

static void tails_are_timeouts(void **state)
{
	static const char *const names[] = {"tails tx", "tails rx",
					    "tails path"};
	uint64_t tails = 0;

	(void)state;
	for (int g = 0; g < FL_GENERATORS; g++)
		for (uint64_t seed = 0; seed < 12; seed++) {
			struct fl_fleet f;
			const struct fl_case *c =
				case_named((enum fl_generator)g,
					   names[seed % 3]);

			assert_true(fl_make_case((enum fl_generator)g, seed, c,
						 &f));
			assert_true(tails_on(&f) >= f.truths[0].tails);
			tails += f.truths[0].tails;
			fl_fini(&f);
		}
	assert_true(tails > 100);
}

/* A host at a fifth of its bandwidth slows what passes it; a bad link of a
 * rack what crosses it. */
static void mechanisms_slow(void **state)
{
	static const char *const names[] = {"slow tx",       "capped rx",
					    "capped host",   "rack uplink",
					    "rack downlink", "rack pair"};
	int slow = 0, tried = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct fl_case *c = case_named(FL_QUEUEING, names[i]);

		for (uint64_t seed = 0; seed < 6; seed++) {
			struct fl_fleet f;

			assert_true(fl_make_case(FL_QUEUEING, seed, c, &f));
			if (f.truths[0].factor >= 4 &&
			    f.truths[0].affected >= 60) {
				tried++;
				slow += f.truths[0].ratio >= 1.5;
			}
			fl_fini(&f);
		}
	}
	assert_true(tried >= 8 && 3 * slow >= 2 * tried);
}

/* ---- clocks */

static void clocks_clamp(void **state)
{
	const struct fl_case *c = case_named(FL_STATISTICAL, "skewed clock");
	size_t zeroes = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SOME; seed++) {
		struct fl_fleet f;

		assert_true(fl_make_case(FL_STATISTICAL, seed, c, &f));
		for (size_t i = 0; i < f.n_pairs; i++) {
			const struct fl_pair *p = &f.pairs[i];
			bool late = f.ahead_us > 0 ? p->src == f.skewed
						   : p->dst == f.skewed;

			for (size_t k = p->first; k < p->first + p->n; k++) {
				bool zero = f.transfers[k].latency_us < 1;

				assert_true(late || !zero);
				zeroes += zero;
			}
		}
		fl_fini(&f);
	}
	assert_true(zeroes > 100);
}

/* ---- the scorer, on fleets and findings made by hand */

enum { HOSTS = 6 };

static uint32_t hand_racks[HOSTS] = {0, 0, 0, 1, 1, 1};

/* A ring, and one more path 1 -> 3. */
static struct fl_pair hand_pairs[] = {
	{0, 1, 0, 1, 0}, {1, 2, 0, 1, 1}, {1, 3, 1, 1, 2}, {2, 3, 1, 1, 3},
	{3, 4, 0, 1, 4}, {4, 5, 0, 1, 5}, {5, 0, 1, 1, 6},
};

static struct fl_fleet hand(struct na_place truth)
{
	size_t n;

	return (struct fl_fleet){
		.plan = fl_cases(FL_STATISTICAL, &n),
		.n_hosts = HOSTS,
		.n_racks = 2,
		.rack_of = hand_racks,
		.n_truths = 1,
		.truths[0] = {.who = truth, .factor = 2, .ratio = 2},
		.skewed = FL_NONE,
		.n_pairs = sizeof(hand_pairs) / sizeof(*hand_pairs),
		.pairs = hand_pairs};
}

static struct fl_score judge(struct na_place truth, struct na_place found,
			     struct na_place alternative)
{
	struct fl_fleet f = hand(truth);
	struct na_rival other = {.place = alternative};
	struct na_judge_finding x = {.place = found,
				     .posterior = 0.93,
				     .alternatives = &other,
				     .n_alternatives = 1};
	struct na_judge_bound bounds[] = {{1, NA_JUDGE_SRC, 1.4},
					  {1, NA_JUDGE_DST, NAN},
					  {2, NA_JUDGE_SRC, 1.1},
					  {4, NA_JUDGE_DST, 0.9}};
	struct na_judge_result r = {.findings = &x,
				    .n_findings = 1,
				    .bounds = bounds,
				    .n_bounds = 4};
	struct fl_score s;

	fl_compare(&f, &r, &s);
	return s;
}

#define WHO(cause, a, b) ((struct na_place){NA_JUDGE_##cause, a, b})

static void scorer_hits(void **state)
{
	const struct na_place far = WHO(HOST, 5, 0);
	struct fl_score s;

	(void)state;
	s = judge(WHO(SRC, 1, 0), WHO(SRC, 1, 9), far);
	assert_true(s.faults[0].hit && s.right == 1 && s.on_hosts == 1);
	assert_true(s.said[0].strict);
	s = judge(WHO(SRC, 1, 0), WHO(HOST, 1, 0), far);
	assert_true(!s.faults[0].hit && s.faults[0].touched && s.right == 0);
	s = judge(WHO(SRC, 1, 0), WHO(SRC, 2, 0), far);
	assert_true(!s.faults[0].hit && !s.faults[0].touched);
	s = judge(WHO(PAIR, 1, 3), WHO(PAIR, 1, 2), far);
	assert_true(!s.faults[0].hit && s.faults[0].touched && s.on_pairs == 1);
	/* 3 sends to 4 alone, and 4 hears nobody else: the same pair. */
	s = judge(WHO(SRC, 3, 0), WHO(PAIR, 3, 4), WHO(SRC, 3, 0));
	assert_true(s.faults[0].hit && s.said[0].strict);
	s = judge(WHO(SRC, 3, 0), WHO(PAIR, 3, 4), far);
	assert_false(s.faults[0].hit);
	s = judge(WHO(DST, 4, 0), WHO(SRC, 3, 0), WHO(DST, 4, 0));
	assert_true(s.faults[0].hit && s.said[0].strict);
	/* 1 sends to two: printed, but the posterior is of the other one. */
	s = judge(WHO(SRC, 1, 0), WHO(PAIR, 1, 3), WHO(SRC, 1, 0));
	assert_true(s.faults[0].hit && s.said[0].right && !s.said[0].strict);
}

static void scorer_racks(void **state)
{
	const struct na_place far = WHO(HOST, 5, 0);
	struct fl_score s;

	(void)state;
	s = judge(WHO(RACK_UPLINK, 0, 0), WHO(RACK_UPLINK, 0, 0), far);
	assert_true(s.faults[0].hit && !s.faults[0].hosted && s.on_racks == 1);
	s = judge(WHO(RACK_UPLINK, 0, 0), WHO(RACK_UPLINK, 1, 0), far);
	assert_false(s.faults[0].hit);
	s = judge(WHO(RACK_PAIR, 1, 0), WHO(RACK_PAIR, 1, 0), far);
	assert_true(s.faults[0].hit);
	/* With two racks, the link out of one is the pair of both. */
	s = judge(WHO(RACK_PAIR, 1, 0), WHO(RACK_UPLINK, 1, 0),
		  WHO(RACK_PAIR, 1, 0));
	assert_true(s.faults[0].hit && s.said[0].strict);
	s = judge(WHO(RACK_UPLINK, 0, 0), WHO(SRC, 1, 0), far);
	assert_true(!s.faults[0].hit && s.faults[0].hosted);
}

/* Bounds of the faulty side, and of hosts that have no fault. */
static void scorer_bounds(void **state)
{
	const struct na_place far = WHO(HOST, 5, 0);
	struct fl_score s;

	(void)state;
	s = judge(WHO(SRC, 1, 0), far, far);
	assert_true(s.faults[0].upper == 1.4);
	assert_true(s.sound == 2 && s.sound_covered == 1);
	s = judge(WHO(PAIR, 1, 2), far, far);
	assert_true(isnan(s.faults[0].upper) && s.sound == 1);
	s = judge(WHO(RACK_UPLINK, 0, 0), far, far);
	assert_true(s.sound == 0);
}

static void reliability(void **state)
{
	struct fl_reliability r = {0};

	(void)state;
	fl_count_said(&r, NAN, true);
	fl_count_said(&r, 0.33, false);
	fl_count_said(&r, 0.9, true);
	fl_count_said(&r, 0.949, false);
	fl_count_said(&r, 1, true);
	assert_true(r.said[0].n == 1 && r.said[0].k == 0);
	assert_true(r.said[2].n == 2 && r.said[2].k == 1);
	assert_true(r.said[4].n == 1 && r.said[4].k == 1);
	fl_count_bound(&r.planted, 1.5, NAN);
	fl_count_bound(&r.planted, 1.5, 1.4);
	fl_count_bound(&r.planted, 1.4, 1.4);
	assert_true(r.planted.n == 2 && r.planted.k == 1);
}

/* prop.test(81, 93, correct = FALSE)$conf.int in R; 0, 10; 10, 10. */
static void intervals(void **state)
{
	double low, high;

	(void)state;
	fl_wilson((struct fl_share){81, 93}, &low, &high);
	assert_true(fabs(low - 0.787882) < 2e-6);
	assert_true(fabs(high - 0.924623) < 2e-6);
	fl_wilson((struct fl_share){0, 10}, &low, &high);
	assert_true(low == 0 && fabs(high - 0.277533) < 2e-6);
	fl_wilson((struct fl_share){10, 10}, &low, &high);
	assert_true(fabs(low - 0.722467) < 2e-6 && high == 1);
	fl_wilson((struct fl_share){0, 0}, &low, &high);
	assert_true(low == 0 && high == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_formed),
		cmocka_unit_test(deterministic),
		cmocka_unit_test(faults_multiply),
		cmocka_unit_test(tails_are_timeouts),
		cmocka_unit_test(mechanisms_slow),
		cmocka_unit_test(clocks_clamp),
		cmocka_unit_test(scorer_hits),
		cmocka_unit_test(scorer_racks),
		cmocka_unit_test(scorer_bounds),
		cmocka_unit_test(reliability),
		cmocka_unit_test(intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
