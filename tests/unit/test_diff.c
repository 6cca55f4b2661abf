/*
 * Not sanitized: rates of hundreds of runs; diff's goldens read the same.
 *
 * diff, driven through its descriptor on two runs made by hand: what it
 * finds, how often it finds what is not there, and --fail-if.
 *
 * DIFF_RUNS=N makes N pairs of runs for each rate, in place of a few; what
 * 1000 gave is in docs/methods.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/diff/state.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_diff;

#define US     INT64_C(1000000)
#define STEP   (10000 * US)
#define KIB    UINT64_C(1024)
#define MOST   20000
#define TWO_PI 6.283185307179586

struct pair {
	struct hand h;
	struct na_scope scope;
	struct diff_params params;
	struct driven d;
	struct hand_row *rows;
	size_t n;
};

/* Of one run. */
struct job {
	int steps, each;     /* transfers of a step */
	double factor;       /* of all latencies */
	double step_sigma;   /* of a step's, in logarithms */
	double sigma;        /* of a transfer's */
	double large;        /* share of 1 MiB, the others 64 KiB */
	uint64_t small_size; /* 0: 64 KiB */
	int slow_src;        /* whose transfers take twice as long; 0: none */
	double tail;         /* share that takes 50 times as long */
	double stays;        /* of a step's effect in the next one's */
	bool unmarked;       /* no line tells its steps, as in a capture */
	int64_t apart;       /* times as long from step to step; 0: once */
};

static double uniform(struct na_rng *rng)
{
	return ((double)(na_rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct na_rng *rng)
{
	double r = sqrt(-2 * log(uniform(rng)));

	return r * cos(TWO_PI * uniform(rng));
}

static void add(struct pair *p, struct hand_row row)
{
	assert_true(p->n < MOST);
	p->rows[p->n++] = row;
}

static void begin(struct pair *p)
{
	static const char *const labels[] = {"A", "B"};

	memset(p, 0, sizeof(*p));
	hand_init(&p->h, 2, labels);
	p->h.sources[1].host = "a"; /* the same host in both */
	p->rows = calloc(MOST, sizeof(*p->rows));
	assert_non_null(p->rows);
	p->params.top = 10;
	p->scope.store = &p->h.store;
	p->scope.filter = &p->h.filter;
	p->scope.by = (struct na_grouping){{NA_KEY_LABEL}, 1};
}

static void fill(struct pair *p, int run, const struct job *j,
		 struct na_rng *rng)
{
	double of_step = 0;
	int64_t step = STEP * (j->apart ? j->apart : 1);

	for (int s = 0; s < j->steps; s++) {
		double own = s ? sqrt(1 - j->stays * j->stays) : 1;

		of_step = j->stays * of_step +
			  own * j->step_sigma * normal(rng);

		if (!j->unmarked)
			add(p, (struct hand_row){.what = HAND_STEP,
						 .source = run,
						 .start_ps = s * step,
						 .end_ps = (s + 1) * step,
						 .number = s});
		for (int i = 0; i < j->each; i++) {
			bool large = uniform(rng) < j->large;
			int src = 101 + i % 4;
			double us = large ? 900 : 100;
			int64_t end = s * step + (i + 1) * STEP / (j->each + 1);

			us *= j->factor * exp(of_step + j->sigma * normal(rng));
			us *= src == j->slow_src ? 2 : 1;
			us *= uniform(rng) < j->tail ? 50 : 1;
			add(p, (struct hand_row){
				       .what = HAND_RX,
				       .source = run,
				       .start_ps = end - (int64_t)(us * 1e6),
				       .end_ps = end,
				       .size = large           ? 1024 * KIB
					       : j->small_size ? j->small_size
							       : 64 * KIB,
				       .src = src,
				       .dst = 0,
				       .name = i % 2 ? "odd" : "even",
			       });
		}
	}
}

static void analyse(struct pair *p, size_t block)
{
	hand_fill(&p->h, p->rows, p->n, 1000);
	hand_resolve(&p->h, NA_ANCHOR_END);
	hand_drive(&p->d, &na_an_diff, &p->scope, &p->params, block, &p->h.err);
}

static void end(struct pair *p)
{
	driven_end(&p->d);
	hand_fini(&p->h);
	free(p->rows);
}

static void compare(struct pair *p, const struct job *a, const struct job *b,
		    uint64_t seed)
{
	struct na_rng rng;

	na_rng_seed(&rng, seed);
	begin(p);
	fill(p, 0, a, &rng);
	fill(p, 1, b, &rng);
	analyse(p, 700);
	assert_int_equal(p->d.status, NA_OK);
	assert_true(na_result_ok(p->d.r));
}

static const struct na_value *metric(const struct pair *p, const char *name)
{
	const struct na_value *v = na_get(na_result_body(p->d.r), "metrics");

	assert_non_null(v);
	for (v = v->u.of.first; v; v = v->next) {
		if (strcmp(na_text_of(na_get(v, "name"), ""), name) == 0)
			return v;
	}
	return NULL;
}

static const char *verdict(const struct pair *p, const char *name)
{
	const struct na_value *m = metric(p, name);

	return na_text_of(na_get(m, "verdict"), "null");
}

static const char *overall(const struct pair *p)
{
	return na_text_of(na_get(na_result_body(p->d.r), "verdict"), "null");
}

static double real(const struct na_value *v, const char *name)
{
	return na_real_of(na_get(v, name), NAN);
}

static const struct job usual = {
	.steps = 24, .each = 60, .factor = 1, .step_sigma = 0.05, .sigma = 0.4};

/* ---- what is found */

static void slower(void **state)
{
	struct job b = usual;
	struct pair p;
	const struct na_value *m;
	const double *ci;
	size_t n;

	(void)state;
	b.factor = 1.5;
	compare(&p, &usual, &b, 3);
	assert_string_equal(overall(&p), "worse");
	assert_string_equal(verdict(&p, "latency.p50"), "worse");
	assert_string_equal(verdict(&p, "latency.p90"), "worse");
	assert_string_equal(verdict(&p, "sizes.p50"), "same");
	m = metric(&p, "latency.p50");
	ci = na_reals_of(na_get(m, "ratio_ci95"), &n);
	assert_true(n == 2 && ci[0] < 1.5 && ci[1] > 1.5 && ci[0] > 1.1);
	ci = na_reals_of(na_get(m, "ci95"), &n);
	assert_true(n == 2 && ci[0] > 0 && ci[0] < real(m, "shift") &&
		    ci[1] > real(m, "shift"));
	assert_true(fabs(real(m, "b") - real(m, "a") - real(m, "shift")) <
		    1e-9);
	assert_true(fabs(real(m, "ratio") - real(m, "b") / real(m, "a")) <
		    1e-9);
	/* One in a thousand of 1440: two values beyond. */
	assert_string_equal(verdict(&p, "latency.p99_9"), "null");
	end(&p);
}

/* Only every hundredth transfer is slow: the middle stays. */
static void tail(void **state)
{
	struct job b = usual;
	struct pair p;

	(void)state;
	b.tail = 0.03;
	compare(&p, &usual, &b, 4);
	assert_string_equal(verdict(&p, "latency.p50"), "unclear");
	assert_string_equal(verdict(&p, "latency.p99"), "worse");
	end(&p);
}

static void one_source(void **state)
{
	struct job b = usual;
	struct pair p;
	const struct na_value *list, *first;

	(void)state;
	b.slow_src = 102;
	compare(&p, &usual, &b, 5);
	list = na_get(na_result_body(p.d.r), "hosts");
	assert_non_null(list);
	first = list->u.of.first;
	assert_string_equal(na_text_of(na_get(first, "host"), ""), "s1d2");
	assert_string_equal(na_text_of(na_get(first, "side"), ""), "sends");
	assert_true(fabs(real(first, "ratio") - 2) < 0.2);
	list = na_get(na_result_body(p.d.r), "pairs");
	assert_int_equal(list->n, 1);
	/* Its transfers are of the odd ones, every second of these. */
	list = na_get(na_result_body(p.d.r), "collectives");
	assert_int_equal(list->n, 1);
	first = list->u.of.first;
	assert_string_equal(na_text_of(na_get(first, "collective"), ""), "odd");
	end(&p);
}

/* More large transfers, and each as fast as before. */
static void other_mix(void **state)
{
	struct job a = usual, b = usual;
	const struct na_value *m;
	struct pair p;

	(void)state;
	a.large = 0.3;
	b.large = 0.7;
	compare(&p, &a, &b, 6);
	assert_string_equal(overall(&p), "mix");
	assert_string_equal(verdict(&p, "latency.p50"), "mix");
	m = metric(&p, "latency.p50");
	assert_true(real(m, "ratio") > 2);
	assert_true(fabs(log(na_real_of(na_dig(m, "at_equal_mix.ratio"),
					NAN))) < log(1.1));
	assert_string_equal(na_text_of(na_dig(na_result_body(p.d.r), "mix.by"),
				       ""),
			    "size and pair");
	end(&p);
	/* The mix is another one, and all are slower, too. */
	b.factor = 1.6;
	compare(&p, &a, &b, 7);
	assert_string_equal(verdict(&p, "latency.p50"), "worse");
	end(&p);
}

/* All small ones are of a size that A has not: the line tells. */
static void other_sizes(void **state)
{
	struct job a = usual, b = usual;
	struct pair p;

	(void)state;
	a.large = 0.5;
	b.small_size = 1024 * KIB; /* at the speed of small ones */
	b.factor = 9;              /* as a large one */
	compare(&p, &a, &b, 8);
	assert_string_equal(na_text_of(na_dig(na_result_body(p.d.r), "mix.by"),
				       ""),
			    "size line");
	assert_string_equal(verdict(&p, "latency.p10"), "mix");
	end(&p);
}

/* ---- what there is */

static void few_steps(void **state)
{
	struct job a = usual, b = usual;
	const struct na_value *v;
	struct pair p;

	(void)state;
	b.steps = 5;
	compare(&p, &a, &b, 9);
	v = na_get(na_result_body(p.d.r), "compared");
	v = v->u.of.first;
	assert_string_equal(na_text_of(na_get(v, "a_resampled"), ""),
			    "stretches");
	assert_string_equal(na_text_of(na_get(v, "b_resampled"), ""), "events");
	assert_int_equal(na_int_of(na_get(v, "b_values"), 0), 300);
	end(&p);
}

static void nothing(void **state)
{
	const struct na_value *m;
	struct job a = usual;
	struct na_rng rng;
	struct pair p;

	(void)state;
	na_rng_seed(&rng, 1);
	begin(&p);
	fill(&p, 0, &a, &rng);
	analyse(&p, 100);
	assert_int_equal(p.d.status, NA_OK);
	assert_int_equal(p.d.used, 0);
	m = metric(&p, "latency.p50");
	assert_true(real(m, "a") > 50 && isnan(real(m, "b")));
	assert_string_equal(verdict(&p, "latency.p50"), "null");
	assert_string_equal(na_text_of(na_get(m, "why"), ""),
			    "B: no network transfers");
	assert_string_equal(overall(&p), "null");
	end(&p);
	begin(&p);
	analyse(&p, 100);
	assert_int_equal(p.d.used, 0);
	assert_null(metric(&p, "latency.p50"));
	end(&p);
}

/* Whatever the blocks. */
static void blocks(void **state)
{
	struct job b = usual;
	struct na_rng rng;
	char *first = NULL;

	(void)state;
	b.large = 0.4;
	for (size_t size = 1; size < 5000; size = size * 7 + 3) {
		struct pair p;
		char *text;

		na_rng_seed(&rng, 11);
		begin(&p);
		fill(&p, 0, &usual, &rng);
		fill(&p, 1, &b, &rng);
		analyse(&p, size);
		text = driven_json(&p.d);
		if (first)
			assert_string_equal(text, first);
		else
			first = strdup(text);
		free(text);
		end(&p);
	}
	free(first);
}

/* Launches stand for steps, where nobody tells these. */
static void launches(void **state)
{
	struct pair p;

	(void)state;
	begin(&p);
	for (int i = 0; i < 4000; i++) {
		int64_t at = i % 2000 * 100 * US;

		add(&p, (struct hand_row){.what = HAND_RX,
					  .source = i / 2000,
					  .start_ps = at,
					  .end_ps = at + (50 + i % 7) * US,
					  .size = 4096,
					  .src = 100,
					  .dst = 0,
					  .name = "x",
					  .launch = 1 + i % 2000 / 100});
	}
	analyse(&p, 333);
	assert_string_equal(overall(&p), "same");
	assert_string_equal(verdict(&p, "steps.p50"), "same");
	assert_true(fabs(real(metric(&p, "steps.p50"), "a") - 9.95) < 0.1);
	end(&p);
}

/* No interval leaves no change out beside a verdict that there may be none:
 * half the transfers are large, and a median lands on either side. */
static void verdicts_by_intervals(void **state)
{
	const struct job job = {8, 40, 1, 0.3, 0.4, 0.5, 0, 0, 0, 0};

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		const struct na_value *m;
		struct pair p;

		compare(&p, &job, &job, seed);
		m = na_get(na_result_body(p.d.r), "metrics")->u.of.first;
		for (; m; m = m->next) {
			const char *told = na_text_of(na_get(m, "verdict"),
						      "null");
			size_t n, k;
			const double *ci = na_reals_of(na_get(m, "ci95"), &n);
			const double *of = na_reals_of(na_get(m, "ratio_ci95"),
						       &k);
			bool out = n == 2 && k == 2 &&
				   (ci[0] > 0 || ci[1] < 0 || of[0] > 1 ||
				    of[1] < 1);

			if (strcmp(told, "same") == 0)
				assert_true(real(m, "shift") == 0 ||
					    (of[0] >= 1 / 1.1 && of[1] <= 1.1));
			else if (strcmp(told, "unclear") == 0)
				assert_true(of[0] < 1 / 1.05 || of[1] > 1.05);
			if (strcmp(told, "unclear") == 0 &&
			    fabs(log(real(m, "ratio"))) > log(1.1))
				assert_false(out);
			else if (strcmp(told, "null") != 0 &&
				 strcmp(told, "same") != 0 &&
				 strcmp(told, "unclear") != 0)
				assert_true(out);
		}
		end(&p);
	}
}

/* ---- rates */

static int runs(int fast)
{
	const char *n = getenv("DIFF_RUNS");

	return n ? atoi(n) : fast;
}

/* How often the overall verdict, or that of a metric, is the one or the
 * other. */
static double rate(const struct job *a, const struct job *b, const char *name,
		   const char *want, const char *or, int n)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		const char *told;
		struct pair p;

		compare(&p, a, b, 1000 + (uint64_t)i);
		told = name ? verdict(&p, name) : overall(&p);
		found += strcmp(told, want) == 0 || strcmp(told, or) == 0;
		end(&p);
	}
	return (double)found / n;
}

/* Nothing changed: verdicts other than "same" and "unclear". */
static void false_alarms(void **state)
{
	static const struct {
		const char *what;
		struct job job;
	} jobs[] = {
		{"steps alike", {24, 60, 1, 0, 0.4, 0, 0, 0, 0, 0}},
		{"steps vary", {24, 60, 1, 0.15, 0.4, 0, 0, 0, 0, 0}},
		{"10 steps vary", {10, 100, 1, 0.15, 0.4, 0.3, 0, 0, 0, 0}},
		{"steps like those before",
		 {60, 40, 1, 0.15, 0.4, 0, 0, 0, 0, 0.8}},
		{"heavy tails", {20, 100, 1, 0.1, 1.2, 0.3, 0, 0, 0.01, 0}},
		{"pieces of time vary",
		 {24, 60, 1, 0.15, 0.4, 0, 0, 0, 0, 0, true, 0}},
		{"pieces like those before",
		 {60, 40, 1, 0.15, 0.4, 0, 0, 0, 0, 0.8, true, 0}},
	};
	int n = runs(15);

	(void)state;
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		const struct job *job = &jobs[i].job;
		double wrong = 1 - rate(job, job, NULL, "same", "unclear", n);

		if (getenv("DIFF_RUNS"))
			printf("false alarms, %s: %.4f\n", jobs[i].what, wrong);
		/* Of 15, with a rate of 5 %, 4 or more: 0.6 %; of 100, 9
		 * or more: 6 %. */
		assert_true(wrong <= 0.05 + (n < 100 ? 0.16 : 0.03));
	}
}

/* +20 % of 1000 transfers in 20 steps. */
static void power(void **state)
{
	struct job a = {20, 50, 1, 0.05, 0.4, 0, 0, 0, 0, 0}, b = a;
	int n = runs(15);
	double found;

	(void)state;
	b.factor = 1.2;
	found = rate(&a, &b, "latency.p50", "worse", "", n);
	if (getenv("DIFF_RUNS"))
		printf("+20 %% found: %.4f\n", found);
	assert_true(found >= (n < 100 ? 0.8 : 0.95));
}

static void mixes(void **state)
{
	struct job a = {20, 100, 1, 0.05, 0.4, 0.3, 0, 0, 0, 0}, b = a;
	int n = runs(10);
	double found;

	(void)state;
	b.large = 0.6;
	found = rate(&a, &b, NULL, "mix", "", n);
	if (getenv("DIFF_RUNS"))
		printf("mix called so: %.4f\n", found);
	assert_true(found >= (n < 100 ? 0.8 : 0.95));
}

/* As many transfers, as fast, in three times as long: the programs paused. */
static void pauses(void **state)
{
	struct job a = usual, b;
	struct pair p;

	(void)state;
	a.unmarked = true;
	b = a;
	b.apart = 3;
	compare(&p, &a, &b, 17);
	assert_string_equal(verdict(&p, "throughput.mean"), "mix");
	assert_string_equal(overall(&p), "mix");
	end(&p);
	/* Where transfers take longer as well, a lower rate is one more. */
	b.factor = 3;
	compare(&p, &a, &b, 17);
	assert_string_equal(verdict(&p, "throughput.mean"), "worse");
	assert_string_equal(overall(&p), "worse");
	end(&p);
	/* Nothing is shown of latencies that vary so much: they may be why. */
	b.factor = 1;
	a.step_sigma = b.step_sigma = 1.5;
	compare(&p, &a, &b, 17);
	assert_string_equal(verdict(&p, "latency.mean"), "unclear");
	assert_string_equal(verdict(&p, "throughput.mean"), "unclear");
	end(&p);
}

/* ---- runs of other work */

/* A program over all steps of a run, and one for a share of the time. */
static void run_programs(struct pair *p, int run, const char *name,
			 const char *beside, double share)
{
	int64_t until = 24 * STEP;
	int64_t cut = until - (int64_t)((double)until * share);

	add(p, (struct hand_row){.what = HAND_MODULE,
				 .source = run,
				 .start_ps = 0,
				 .end_ps = cut,
				 .name = name});
	if (cut < until)
		add(p, (struct hand_row){.what = HAND_MODULE,
					 .source = run,
					 .start_ps = cut,
					 .end_ps = until,
					 .name = beside});
}

/* Twice as slow is worse where the programs are the same, and nothing where
 * they are not. */
static void programs(void **state)
{
	static const struct {
		const char *a, *b;
		double other; /* share of B in a third program */
		const char *verdict, *text;
	} rows[] = {
		{"jit_step(7)", "jit_step(12)", 0, "worse", NULL},
		{"jit_step(7)", "jit_step(7)", 0.05, "worse", NULL},
		{"jit_step(7)", "jit_step(7)", 0.2, "unlike",
		 "1 of 2 programs in common"},
		{"jit_step(7)", "jit_eval(7)", 0, "unlike",
		 "0 of 2 programs in common"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct na_value *body, *v;
		struct job b = usual;
		struct na_rng rng;
		struct pair p;

		b.factor = 2;
		na_rng_seed(&rng, 3);
		begin(&p);
		fill(&p, 0, &usual, &rng);
		fill(&p, 1, &b, &rng);
		run_programs(&p, 0, rows[i].a, NULL, 0);
		run_programs(&p, 1, rows[i].b, "jit_load(3)", rows[i].other);
		analyse(&p, 700);
		body = na_result_body(p.d.r);
		assert_string_equal(na_text_at(body, "verdict"),
				    rows[i].verdict);
		v = na_first(body, "unlike");
		assert_int_equal(v != NULL, rows[i].text != NULL);
		if (v)
			assert_string_equal(na_text_at(v, "text"),
					    rows[i].text);
		end(&p);
	}
}

/* ---- --fail-if */

/* By the interval: met, not met, and what the data leaves open. */
static void decided(void **state)
{
	static const char *items[] = {"latency.p50>+10%", "latency.p50>+90%",
				      "latency.p50>+50%", "latency.p50<-1%",
				      "slack.p50>1ms",    "latency.p99_9>+1%"};
	static const char *const want[] = {"met",     "not met",   "undecided",
					   "not met", "undecided", "undecided"};
	const struct na_value *v;
	struct job b = usual;
	struct na_rng rng;
	struct pair p;

	(void)state;
	b.factor = 1.5;
	na_rng_seed(&rng, 3);
	begin(&p);
	p.params.fail_if = (struct na_text_list){items, 6, 6};
	fill(&p, 0, &usual, &rng);
	fill(&p, 1, &b, &rng);
	analyse(&p, 700);
	v = na_get(na_result_body(p.d.r), "fail_if")->u.of.first;
	for (size_t i = 0; i < 6; i++, v = v->next)
		assert_string_equal(na_text_of(na_get(v, "state"), ""),
				    want[i]);
	assert_int_equal(p.d.severity, NA_SEV_ERROR);
	end(&p);
}

/* Losses are judged that do not follow from each other, alone; few, and rates
 * that are alike, are no difference. */
static void what_captures_lose(void **state)
{
	static const struct {
		double a_of, b_of, a, b;
		enum diff_verdict said;
	} cases[] = {
		{8000, 8000, 0, 0, DIFF_UNCLEAR},
		{8000, 8000, 0, 4, DIFF_UNCLEAR},
		{8000, 8000, 0, 10, DIFF_UNCLEAR},
		{8000, 8000, 0, 11, DIFF_WORSE}, /* p = 2 / 2^11 */
		{8000, 8000, 120, 2, DIFF_BETTER},
		{8000, 8000, 300, 400, DIFF_UNCLEAR}, /* less than twice */
		{8000, 800, 110, 11, DIFF_UNCLEAR},   /* of fewer segments */
		{8000, 800, 11, 11, DIFF_WORSE},
		{0, 8000, 0, 90, DIFF_UNTOLD},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct diff_losses a = {.segments = cases[i].a_of};
		struct diff_losses b = {.segments = cases[i].b_of};

		a.n[DIFF_EVENTS] = cases[i].a;
		b.n[DIFF_EVENTS] = cases[i].b;
		a.n[DIFF_LOST] = b.n[DIFF_TIMEOUTS] = 1000;
		assert_int_equal(na_diff_loss_verdict(&a, &b, DIFF_EVENTS),
				 cases[i].said);
		assert_int_equal(na_diff_loss_verdict(&a, &b, DIFF_LOST),
				 DIFF_UNTOLD);
		assert_int_equal(na_diff_loss_verdict(&a, &b, DIFF_TIMEOUTS),
				 DIFF_UNTOLD);
		/* RoCEv2 has packets of its own. */
		a.n[DIFF_RDMA_EVENTS] = cases[i].a;
		b.n[DIFF_RDMA_EVENTS] = cases[i].b;
		a.n[DIFF_RDMA_REPEATS] = 1000;
		assert_int_equal(na_diff_loss_verdict(&a, &b, DIFF_RDMA_EVENTS),
				 DIFF_UNTOLD);
		a.packets = cases[i].a_of;
		b.packets = cases[i].b_of;
		a.segments = b.segments = 0;
		assert_int_equal(na_diff_loss_verdict(&a, &b, DIFF_RDMA_EVENTS),
				 cases[i].said);
		assert_int_equal(na_diff_loss_verdict(&a, &b, DIFF_EVENTS),
				 DIFF_UNTOLD);
		assert_int_equal(na_diff_loss_verdict(&a, &b,
						      DIFF_RDMA_REPEATS),
				 DIFF_UNTOLD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_captures_lose),
		cmocka_unit_test(slower),
		cmocka_unit_test(tail),
		cmocka_unit_test(one_source),
		cmocka_unit_test(other_mix),
		cmocka_unit_test(other_sizes),
		cmocka_unit_test(few_steps),
		cmocka_unit_test(nothing),
		cmocka_unit_test(blocks),
		cmocka_unit_test(launches),
		cmocka_unit_test(verdicts_by_intervals),
		cmocka_unit_test(false_alarms),
		cmocka_unit_test(power),
		cmocka_unit_test(mixes),
		cmocka_unit_test(pauses),
		cmocka_unit_test(programs),
		cmocka_unit_test(decided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
