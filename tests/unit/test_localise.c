/*
 * Localisation on fleets made by hand: one known culprit each, and inputs
 * that hold next to nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/methods/localise/localise.h"
#include "netan/synth/rng.h"

enum { STEPS = 20, COLLECTIVES = 2, MOMENTS = STEPS * COLLECTIVES };
enum { HOSTS = 12, IN_RACK = 4, EACH = 80, TICK_US = 100 };
enum { STEP_TICKS = 10000 };

struct fleet {
	struct na_lz_input in;
	struct na_lz_pair pairs[HOSTS * HOSTS];
	struct na_lz_transfer *t;
	struct na_lz_moment moments[MOMENTS];
	struct na_lz_options opt;
	struct na_lz_result r;
	struct na_rng rng;
};

/* What a transfer of this pair in this step takes, from what it would. */
typedef double fault(uint32_t src, uint32_t dst, uint32_t step, size_t i,
		     double us);

static uint32_t rack(uint32_t h)
{
	return h / IN_RACK;
}

static void add_pair(struct fleet *f, uint32_t src, uint32_t dst, size_t each,
		     fault *what)
{
	struct na_lz_pair *p = &f->pairs[f->in.n_pairs++];

	*p = (struct na_lz_pair){src, dst, rack(src) != rack(dst),
				 (uint32_t)each, f->in.n_transfers};
	for (size_t i = 0; i < each; i++) {
		struct na_lz_transfer *t = &f->t[f->in.n_transfers++];
		uint32_t m = (uint32_t)(i * MOMENTS / each);
		double us, noise;

		t->size_bytes = (float)(UINT64_C(1)
					<< (10 + na_rng_below(&f->rng, 11)));
		noise = (double)na_rng_normal_q16(&f->rng) / 65536 * 0.2;
		us = (60 + (double)t->size_bytes * 1e-3) * exp(noise);
		t->moment = m;
		t->tick = m / COLLECTIVES * STEP_TICKS +
			  (uint32_t)na_rng_below(&f->rng, STEP_TICKS / 2);
		if (what)
			us = what(src, dst, m / COLLECTIVES, i, us);
		t->latency_us = us > 0 ? floor(us) : 0;
	}
}

static void begin(struct fleet *f)
{
	memset(f, 0, sizeof(*f));
	na_rng_seed(&f->rng, 20);
	f->t = calloc(HOSTS * HOSTS * EACH, sizeof(*f->t));
	assert_non_null(f->t);
	for (uint32_t m = 0; m < MOMENTS; m++)
		f->moments[m] = (struct na_lz_moment){m % COLLECTIVES,
						      m / COLLECTIVES};
	f->in = (struct na_lz_input){.n_hosts = HOSTS,
				     .n_moments = MOMENTS,
				     .pairs = f->pairs,
				     .transfers = f->t,
				     .moments = f->moments,
				     .tick_us = TICK_US,
				     .locality_given = true};
}

static void run(struct fleet *f)
{
	struct na_err err = {0};

	assert_int_equal(na_localise(&f->in, &f->opt, &f->r, &err), NA_OK);
	for (size_t i = 0; i < f->r.n_findings; i++) {
		const struct na_lz_finding *d = &f->r.findings[i];

		assert_true(isfinite(d->effect) && isfinite(d->ci_low));
		assert_true(isfinite(d->ci_high) && d->ci_low <= d->ci_high);
		assert_true(d->p_value >= 0 && d->p_value <= 1);
	}
	for (size_t i = 0; i < f->in.n_pairs; i++) {
		const struct na_lz_pair_result *p = &f->r.pairs[i];

		assert_true(isfinite(p->effect));
		assert_true(p->q_value >= 0 && p->q_value <= 1);
	}
}

static void all_send(struct fleet *f, fault *what)
{
	begin(f);
	for (uint32_t s = 0; s < HOSTS; s++) {
		for (uint32_t d = 0; d < HOSTS; d++) {
			if (s != d)
				add_pair(f, s, d, EACH, what);
		}
	}
}

static void everybody(struct fleet *f, fault *what)
{
	all_send(f, what);
	run(f);
}

static void end(struct fleet *f)
{
	na_lz_result_fini(&f->r);
	free(f->t);
}

static const struct na_lz_finding *only(const struct fleet *f,
					enum na_lz_kind kind, uint32_t a,
					uint32_t b, enum na_lz_channel channel)
{
	const struct na_lz_finding *d = f->r.findings;

	assert_int_equal(f->r.n_findings, 1);
	assert_int_equal(d->who.kind, kind);
	assert_int_equal(d->who.a, a);
	if (kind == NA_LZ_PAIR || kind == NA_LZ_RACK_PAIR)
		assert_int_equal(d->who.b, b);
	assert_int_equal(d->channel, channel);
	assert_int_equal(f->r.n_undecided, 0);
	assert_false(f->r.too_few);
	return d;
}

static double slow_tx(uint32_t s, uint32_t d, uint32_t step, size_t i,
		      double us)
{
	(void)d, (void)step, (void)i;
	return s == 5 ? 2 * us : us;
}

static double slow_rx(uint32_t s, uint32_t d, uint32_t step, size_t i,
		      double us)
{
	return slow_tx(d, s, step, i, us);
}

static double slow_host(uint32_t s, uint32_t d, uint32_t step, size_t i,
			double us)
{
	(void)step, (void)i;
	return s == 5 || d == 5 ? 2 * us : us;
}

static double slow_path(uint32_t s, uint32_t d, uint32_t step, size_t i,
			double us)
{
	(void)step, (void)i;
	return s == 5 && d == 9 ? 3 * us : us;
}

static double capped_tx(uint32_t s, uint32_t d, uint32_t step, size_t i,
			double us)
{
	(void)d, (void)step, (void)i;
	return s == 5 && us > 200 ? 2.5 * us : us;
}

static double slow_uplink(uint32_t s, uint32_t d, uint32_t step, size_t i,
			  double us)
{
	(void)step, (void)i;
	return rack(s) == 1 && rack(d) != 1 ? 2.5 * us : us;
}

static double sometimes(uint32_t s, uint32_t d, uint32_t step, size_t i,
			double us)
{
	(void)d, (void)i;
	return s == 5 && step % 5 == 2 ? 2.5 * us : us;
}

static double tails(uint32_t s, uint32_t d, uint32_t step, size_t i, double us)
{
	(void)step;
	return s == 5 && (i + d * 7) % 29 == 3 ? us + 205e3 : us;
}

static double skewed(uint32_t s, uint32_t d, uint32_t step, size_t i, double us)
{
	(void)step, (void)i;
	return us + (d == 5 ? 500 : 0) - (s == 5 ? 500 : 0);
}

static double off_by_a_few(uint32_t s, uint32_t d, uint32_t step, size_t i,
			   double us)
{
	(void)step, (void)i;
	return us + (d == 5 ? 30 : 0) - (s == 5 ? 30 : 0);
}

static void one_culprit(void **state)
{
	static const struct {
		fault *what;
		enum na_lz_kind kind;
		enum na_lz_channel channel;
		uint32_t a, b;
		double factor;
	} cases[] = {
		{slow_tx, NA_LZ_SRC, NA_LZ_ALL, 5, 0, 2},
		{slow_rx, NA_LZ_DST, NA_LZ_ALL, 5, 0, 2},
		{slow_host, NA_LZ_HOST, NA_LZ_ALL, 5, 0, 2},
		{slow_path, NA_LZ_PAIR, NA_LZ_ALL, 5, 9, 3},
		{capped_tx, NA_LZ_SRC, NA_LZ_LARGE, 5, 0, 2.5},
		{slow_uplink, NA_LZ_RACK_UPLINK, NA_LZ_LARGE, 1, 0, 2.5},
		{sometimes, NA_LZ_SRC, NA_LZ_WINDOW, 5, 0, 2.5},
		{tails, NA_LZ_SRC, NA_LZ_RATE, 5, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct na_lz_finding *d;
		struct fleet f;

		everybody(&f, cases[i].what);
		d = only(&f, cases[i].kind, cases[i].a, cases[i].b,
			 cases[i].channel);
		if (cases[i].factor > 0)
			assert_true(fabs(d->effect - log(cases[i].factor)) <
				    0.25);
		assert_int_equal(f.r.n_racks, HOSTS / IN_RACK);
		assert_int_equal(f.r.n_clocks, 0);
		end(&f);
	}
}

static void windows_are_named(void **state)
{
	const struct na_lz_finding *d;
	struct fleet f;

	(void)state;
	everybody(&f, sometimes);
	d = only(&f, NA_LZ_SRC, 5, 0, NA_LZ_WINDOW);
	assert_true(d->intermittent);
	assert_int_equal(d->n_windows, 4);
	for (size_t i = 0; i < d->n_windows; i++)
		assert_int_equal(d->windows[i].step, i * 5 + 2);
	end(&f);
}

static void timeouts_are_counted(void **state)
{
	const struct na_lz_finding *d;
	struct fleet f;

	(void)state;
	everybody(&f, tails);
	d = only(&f, NA_LZ_SRC, 5, 0, NA_LZ_RATE);
	assert_true(d->loses_packets && d->tails >= 30);
	assert_true(d->episodes >= 3 && d->episodes <= d->tails);
	assert_int_equal(f.r.n_stalls, 0);
	end(&f);
}

/* Records of one host end together, all late by a pause that no timer
 * makes. */
static double pauses(uint32_t s, uint32_t d, uint32_t step, size_t i, double us)
{
	(void)i;
	return (s == 5 || d == 5) && step % 3 == 0 ? us + 310e3 : us;
}

static void a_pause_is_no_nic(void **state)
{
	struct fleet f;

	(void)state;
	begin(&f);
	for (uint32_t s = 0; s < HOSTS; s++) {
		for (uint32_t d = 0; d < HOSTS; d++) {
			if (s != d)
				add_pair(&f, s, d, EACH, pauses);
		}
	}
	for (size_t i = 0; i < f.in.n_transfers; i++) {
		if (f.t[i].latency_us > 200e3)
			f.t[i].tick -= f.t[i].tick % STEP_TICKS;
	}
	run(&f);
	assert_int_equal(f.r.n_findings, 0);
	assert_int_equal(f.r.n_stalls, 1);
	assert_int_equal(f.r.stalls[0].host, 5);
	assert_int_equal(f.r.stalls[0].side, NA_LZ_HOST);
	assert_int_equal(f.r.stalls[0].episodes, 7);
	end(&f);
}

static void clocks_are_no_nics(void **state)
{
	struct fleet f;

	(void)state;
	everybody(&f, skewed);
	assert_int_equal(f.r.n_findings, 0);
	assert_int_equal(f.r.n_clocks, 1);
	assert_int_equal(f.r.clocks[0].host, 5);
	assert_true(fabs(f.r.clocks[0].ahead_us - 500) < 20);
	assert_true(f.r.clocks[0].uncertainty_us > 0);
	end(&f);
	everybody(&f, off_by_a_few);
	assert_int_equal(f.r.n_findings, 0);
	end(&f);
}

/* What stamps of both ends leave open: of most clocks 60 us either way, of that
 * of host 5 from here to there. */
struct bounds {
	double least_us, most_us;
};

static bool bounds_of(void *ctx, uint32_t a, uint32_t b, double *least_us,
		      double *most_us)
{
	const struct bounds *x = ctx;

	*least_us = a == 5 ? x->least_us : b == 5 ? -x->most_us : -60;
	*most_us = a == 5 ? x->most_us : b == 5 ? -x->least_us : 60;
	return true;
}

static void bounded(struct fleet *f, struct bounds *x)
{
	all_send(f, skewed);
	f->opt.clock_bounds = bounds_of;
	f->opt.clock_ctx = x;
	run(f);
}

static void clocks_stay_within_their_bounds(void **state)
{
	struct fleet f;

	(void)state;
	bounded(&f, &(struct bounds){450, 560});
	assert_int_equal(f.r.n_clocks, 1);
	assert_true(fabs(f.r.clocks[0].ahead_us - 500) < 20);
	assert_true(f.r.clocks[0].uncertainty_us > 40);
	assert_true(f.r.clocks[0].uncertainty_us < 90);
	end(&f);
	/* It cannot be so far ahead: something else makes them late. */
	bounded(&f, &(struct bounds){-60, 100});
	assert_int_equal(f.r.n_clocks, 0);
	end(&f);
	/* A receiver that is late to take them: all is left open. */
	bounded(&f, &(struct bounds){-60, 4000});
	assert_int_equal(f.r.n_clocks, 0);
	end(&f);
}

static void the_healthy_are_left_alone(void **state)
{
	struct fleet f;

	(void)state;
	everybody(&f, NULL);
	assert_int_equal(f.r.n_findings, 0);
	assert_int_equal(f.r.n_clocks, 0);
	assert_int_equal(f.r.n_stalls, 0);
	assert_int_equal(f.r.n_undecided, 0);
	assert_true(f.r.base_us > 50 && f.r.base_us < 75);
	assert_true(fabs(f.r.us_per_byte * 1e3 - 1) < 0.1);
	end(&f);
}

/* A ring in one direction: a side and its only path look the same. */
static void a_ring_cannot_tell(void **state)
{
	const struct na_lz_finding *d;
	struct fleet f;

	(void)state;
	begin(&f);
	for (uint32_t s = 0; s < HOSTS; s++)
		add_pair(&f, s, (s + 1) % HOSTS, EACH, slow_tx);
	for (size_t i = 0; i < f.in.n_pairs; i++)
		f.pairs[i].locality = 0;
	run(&f);
	d = only(&f, NA_LZ_PAIR, 5, 6, NA_LZ_ALL);
	assert_int_equal(d->n_alternatives, 2);
	assert_int_equal(d->alternatives[0].kind, NA_LZ_SRC);
	assert_int_equal(d->alternatives[0].a, 5);
	assert_int_equal(d->alternatives[1].kind, NA_LZ_DST);
	assert_int_equal(d->alternatives[1].a, 6);
	assert_non_null(d->needs);
	end(&f);
}

static void few_pairs_say_nothing(void **state)
{
	struct fleet f;

	(void)state;
	for (uint32_t n = 0; n < 6; n++) {
		begin(&f);
		for (uint32_t s = 0; s < n; s++)
			add_pair(&f, s, s + 1, EACH, slow_tx);
		run(&f);
		assert_true(f.r.too_few);
		assert_int_equal(f.r.n_findings, 0);
		end(&f);
	}
}

static bool backwards(void *ctx, size_t n, void (*job)(void *arg, size_t i),
		      void *arg)
{
	(void)ctx;
	while (n-- > 0)
		job(arg, n);
	return true;
}

/* Transfers of a pair in another order, jobs in another order. */
static void order_does_not_matter(void **state)
{
	struct fleet f, g;

	(void)state;
	everybody(&f, slow_host);
	begin(&g);
	for (uint32_t s = 0; s < HOSTS; s++) {
		for (uint32_t d = 0; d < HOSTS; d++) {
			if (s != d)
				add_pair(&g, s, d, EACH, slow_host);
		}
	}
	for (size_t p = 0; p < g.in.n_pairs; p++) {
		struct na_lz_transfer *t = g.t + g.pairs[p].first;

		for (size_t i = EACH - 1; i > 0; i--) {
			size_t k = (size_t)na_rng_below(&g.rng, i + 1);
			struct na_lz_transfer was = t[i];

			t[i] = t[k];
			t[k] = was;
		}
	}
	g.opt.parallel = backwards;
	run(&g);
	assert_int_equal(f.r.n_findings, g.r.n_findings);
	for (size_t i = 0; i < f.r.n_findings; i++) {
		assert_memory_equal(&f.r.findings[i].effect,
				    &g.r.findings[i].effect,
				    3 * sizeof(double));
	}
	assert_memory_equal(f.r.pairs, g.r.pairs,
			    f.in.n_pairs * sizeof(*f.r.pairs));
	assert_memory_equal(&f.r.base_us, &g.r.base_us, 2 * sizeof(double));
	end(&f);
	end(&g);
}

/* Each part off, with everything wrong at once: it still ends well. */
static double all_wrong(uint32_t s, uint32_t d, uint32_t step, size_t i,
			double us)
{
	us = slow_path(s, d, step, i, capped_tx(s, d, step, i, us));
	us = tails(d, s, step, i, sometimes(s + 1, d, step, i, us));
	return s == 8 || d == 8 ? skewed(s - 3, d - 3, step, i, us) : us;
}

static void parts_switch_off(void **state)
{
	(void)state;
	for (int part = -1; part <= NA_LZ_PARTS; part++) {
		struct fleet f;

		begin(&f);
		f.opt.off = part == NA_LZ_PARTS ? UINT64_MAX
			    : part < 0          ? 0
						: UINT64_C(1) << part;
		for (uint32_t s = 0; s < HOSTS; s++) {
			for (uint32_t d = 0; d < HOSTS; d++) {
				if (s != d)
					add_pair(&f, s, d, EACH, all_wrong);
			}
		}
		run(&f);
		end(&f);
	}
	for (int part = 0; part < NA_LZ_PARTS; part++)
		assert_non_null(na_lz_part_names[part]);
}

/* Values that no network has. */
static double strange(uint32_t s, uint32_t d, uint32_t step, size_t i,
		      double us)
{
	static const double values[] = {0, 1, 1e15, 1e300, 7, 1e-9};

	(void)step, (void)us;
	return values[(s * 5 + d * 3 + i) % 6];
}

static double same(uint32_t s, uint32_t d, uint32_t step, size_t i, double us)
{
	(void)s, (void)d, (void)step, (void)i, (void)us;
	return 100;
}

static double never(uint32_t s, uint32_t d, uint32_t step, size_t i, double us)
{
	(void)s, (void)d, (void)step, (void)i, (void)us;
	return 0;
}

static void strange_values(void **state)
{
	static fault *const all[] = {strange, same, never};
	static const size_t each[] = {1, 2, 7, EACH};

	(void)state;
	for (size_t k = 0; k < 3 * 4 * 4; k++) {
		struct fleet f;

		begin(&f);
		for (uint32_t s = 0; s < HOSTS; s++) {
			for (uint32_t d = 0; d < HOSTS; d++)
				add_pair(&f, s, d, each[k / 3 % 4], all[k % 3]);
		}
		if (k / 12 == 1)
			f.in.n_moments = 0;
		for (size_t i = 0; i < f.in.n_transfers; i++) {
			if (k / 12 == 2)
				f.t[i].size_bytes = i % 2 ? 0 : 1e30F;
			if (k / 12 == 3)
				f.t[i].tick = i % 2 ? 0 : UINT32_MAX;
		}
		if (k / 12 == 3)
			f.moments[3].step = f.moments[4].collective =
				NA_LZ_NONE;
		if (k / 12 == 2)
			f.in.locality_given = false;
		run(&f);
		if (all[k % 3] != strange)
			assert_int_equal(f.r.n_findings, 0);
		end(&f);
	}
}

/* Pairs without transfers are listed, and are no evidence. */
static void empty_pairs(void **state)
{
	struct fleet f;

	(void)state;
	begin(&f);
	for (uint32_t s = 0; s < HOSTS; s++) {
		for (uint32_t d = 0; d < HOSTS; d++) {
			if (s != d)
				add_pair(&f, s, d, (s + d) % 3 ? EACH : 0,
					 slow_tx);
		}
	}
	run(&f);
	only(&f, NA_LZ_SRC, 5, 0, NA_LZ_ALL);
	for (size_t i = 0; i < f.in.n_pairs; i++)
		assert_true(f.pairs[i].n || f.r.pairs[i].q_value == 1);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_culprit),
		cmocka_unit_test(windows_are_named),
		cmocka_unit_test(timeouts_are_counted),
		cmocka_unit_test(a_pause_is_no_nic),
		cmocka_unit_test(clocks_are_no_nics),
		cmocka_unit_test(clocks_stay_within_their_bounds),
		cmocka_unit_test(the_healthy_are_left_alone),
		cmocka_unit_test(a_ring_cannot_tell),
		cmocka_unit_test(few_pairs_say_nothing),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(parts_switch_off),
		cmocka_unit_test(strange_values),
		cmocka_unit_test(empty_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
