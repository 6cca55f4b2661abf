/*
 * Who is slow: planted faults are named, healthy sessions are not, and units
 * are those of another implementation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/base/vec.h"
#include "netan/judge/explain.h"
#include "netan/judge/verdict.h"
#include "netan/synth/rng.h"

enum { HOSTS = 16, RACKS = 4, STEPS = 40, NOBODY = 99 };

/* All to all in two collectives, small and large in turn; what is slow. */
struct plan {
	uint32_t hosts;
	bool racks, two_clocks;
	uint32_t src, dst;     /* slow sender, receiver; both: the pair alone */
	uint32_t uplink;       /* rack */
	double times;	       /* how much slower */
	uint32_t from, to;     /* steps */
	double late;	       /* share of the sender's transfers */
	double ahead_us;       /* of the clock of host 1 */
	uint64_t seed;
	double far; /* log of how much longer it takes across racks */
	double farther; /* the same by racks between, which no class tells */
	double any_late; /* share of all transfers */
};

struct session {
	struct na_judge_input in;
	struct na_judge_connection connections[HOSTS * HOSTS];
	uint32_t rack_of[HOSTS];
	NA_VEC(struct na_judge_row) rows;
};

static const struct plan healthy = {HOSTS, true, false, NOBODY, NOBODY, NOBODY,
				    1,	   0,	 STEPS, 0,	0,	1};

static double uniform(struct na_rng *r)
{
	return (double)(na_rng_next(r) >> 11) * 0x1p-53;
}

static uint32_t rack_of(uint32_t host)
{
	return host / (HOSTS / RACKS);
}

static bool is_slow(const struct plan *p, uint32_t src, uint32_t dst,
		    uint32_t step)
{
	bool all = p->src == NOBODY && p->dst == NOBODY && p->uplink == NOBODY;

	return !all && step >= p->from && step < p->to &&
	       (p->src == NOBODY || p->src == src) &&
	       (p->dst == NOBODY || p->dst == dst) &&
	       (p->uplink == NOBODY || (p->uplink == rack_of(src) &&
					p->uplink != rack_of(dst)));
}

static double normal(struct na_rng *r)
{
	return (double)na_rng_normal_q16(r) / NA_Q16_ONE;
}

static double took_us(const struct plan *p, uint32_t src, uint32_t dst,
		      uint32_t step, float bytes, struct na_rng *r)
{
	double us = (20 + bytes / 12500.) * exp(.1 * normal(r));

	us *= rack_of(src) != rack_of(dst) ? exp(p->far) : 1;
	us *= exp(p->farther * fabs((double)rack_of(src) - rack_of(dst)));
	if (is_slow(p, src, dst, step)) {
		us *= p->times;
		if (uniform(r) < p->late)
			us += 8000;
	}
	if (p->any_late > 0 && uniform(r) < p->any_late)
		us += 8000;
	return us;
}

static void make(struct session *s, const struct plan *p)
{
	double own[HOSTS * HOSTS]; /* of connections, healthy */
	struct na_rng r;

	memset(s, 0, sizeof(*s));
	na_rng_seed(&r, p->seed);
	for (uint32_t i = 0; i < p->hosts * p->hosts; i++)
		own[i] = .06 * normal(&r);
	for (uint32_t i = 0; i < p->hosts * p->hosts; i++) {
		uint32_t a = i / p->hosts, b = i % p->hosts;

		s->connections[i] = (struct na_judge_connection){
			a, b, 0, 0,
			p->farther > 0 ? 0 : rack_of(a) != rack_of(b)};
	}
	for (uint32_t h = 0; h < p->hosts; h++)
		s->rack_of[h] = rack_of(h);
	for (uint32_t step = 0; step < STEPS; step++)
		for (uint32_t i = 0; i < p->hosts * p->hosts; i++) {
			uint32_t a = i / p->hosts, b = i % p->hosts;
			float bytes = (i + step) % 2 ? 1 << 21 : 1 << 12;
			double us = took_us(p, a, b, step, bytes, &r) *
				    exp(own[i]);

			if (p->two_clocks)
				us += p->ahead_us * ((b == 1) - (a == 1));
			if (a != b)
				assert_true(na_add(
					&s->rows,
					((struct na_judge_row){
						step * 1e6 + i * 700., us,
						bytes, i, (i + step) % 2, step,
						0})));
		}
	s->in = (struct na_judge_input){
		p->hosts,	p->racks ? RACKS : 0, p->hosts * p->hosts,
		s->rows.n,	s->connections,	      s->rack_of,
		s->rows.v,	p->two_clocks};
}

static struct na_judge_result judged(const struct plan *p)
{
	struct session s;
	struct na_judge_result r;
	struct na_err err = {.status = NA_OK};

	make(&s, p);
	assert_int_equal(na_judge(&s.in, &r, &err), NA_OK);
	na_vec_free(&s.rows);
	return r;
}

/* The only finding. */
static const struct na_judge_finding *only(const struct na_judge_result *r,
					   enum na_judge_cause cause, uint32_t a,
					   uint32_t b)
{
	const struct na_judge_finding *f = r->findings;

	assert_int_equal(r->outcome, NA_JUDGE_GUILTY);
	assert_int_equal(r->n_findings, 1);
	assert_int_equal(f->place.cause, cause);
	assert_int_equal(f->place.a, a);
	assert_int_equal(f->place.b, b);
	assert_true(f->log_odds > log(9));
	return f;
}

static void slow_sender(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;
	const struct na_judge_finding *f;

	(void)state;
	p.src = 5;
	p.times = 2;
	r = judged(&p);
	f = only(&r, NA_JUDGE_SRC, 5, NA_JUDGE_NONE);
	assert_true(f->low < log(2) && log(2) < f->high);
	assert_true(fabs(f->effect - log(2)) < .1);
	assert_int_equal(f->pairs, HOSTS - 1);
	assert_int_equal(f->transfers, (HOSTS - 1) * STEPS);
	assert_true(f->posterior > .9);
	/* Its bound says so, and those of others say that they are not. */
	assert_true(r.bounds[2 * 5].upper > 1.9);
	assert_true(r.bounds[2 * 6].upper < 1.3);
	for (size_t i = 0; i < r.n_pairs; i++) {
		const struct na_judge_pair *pair = &r.pairs[i];
		double expected = pair->src == 5 ? log(2) : 0;

		assert_true(fabs(pair->effect - expected) < 4 * pair->se);
		assert_true(pair->se < .1);
		assert_int_equal(pair->transfers, STEPS);
	}
	assert_int_equal(r.n_pairs, HOSTS * (HOSTS - 1));
	na_judge_result_fini(&r);
}

static void slow_receiver_without_racks(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;

	(void)state;
	p.dst = 11;
	p.times = 1.6;
	p.racks = false;
	r = judged(&p);
	only(&r, NA_JUDGE_DST, 11, NA_JUDGE_NONE);
	na_judge_result_fini(&r);
}

static void slow_host(void **state)
{
	struct plan p = healthy, q = p;
	struct session s, t;
	struct na_judge_result r;
	struct na_err err = {.status = NA_OK};

	(void)state;
	p.src = q.dst = 3;
	p.times = q.times = 2;
	make(&s, &p);
	make(&t, &q);
	for (size_t i = 0; i < s.rows.n; i++)
		if (s.connections[s.rows.v[i].connection].dst == 3)
			s.rows.v[i].took_us = t.rows.v[i].took_us;
	assert_int_equal(na_judge(&s.in, &r, &err), NA_OK);
	only(&r, NA_JUDGE_HOST, 3, NA_JUDGE_NONE);
	na_judge_result_fini(&r);
	na_vec_free(&s.rows);
	na_vec_free(&t.rows);
}

/* Both findings are out of what is left. */
static void two_are_slow(void **state)
{
	struct plan p = healthy;
	struct session s;
	struct na_judge_result r;
	struct na_err err = {.status = NA_OK};

	(void)state;
	p.racks = false;
	make(&s, &p);
	for (size_t i = 0; i < s.rows.n; i++) {
		uint32_t src = s.connections[s.rows.v[i].connection].src;

		s.rows.v[i].took_us *= src == 3 ? 2 : src == 9 ? 3 : 1;
	}
	assert_int_equal(na_judge(&s.in, &r, &err), NA_OK);
	assert_int_equal(r.n_findings, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(r.findings[i].place.cause, NA_JUDGE_SRC);
	assert_true(r.nobody > .9);
	assert_true(r.upper < 1.5);
	na_judge_result_fini(&r);
	na_vec_free(&s.rows);
}

/* What is taken out after a restore is what was taken out before. */
static void taken_again(void **state)
{
	const struct na_place pair = {NA_JUDGE_PAIR, 2, 9};
	struct plan p = healthy;
	struct session s;
	struct na_j_session fit;
	struct na_j_decision d;
	struct na_j_rows rows;
	struct na_j_taken taken;
	struct na_arena mem = {0};
	const struct na_j_row *row;

	(void)state;
	p.racks = false;
	p.src = 2;
	p.dst = 9;
	p.times = 3;
	make(&s, &p);
	assert_true(na_j_session_init(&fit, &s.in));
	assert_true(na_j_decision_init(&d, &fit));
	assert_true(na_j_rows_init(&rows, &d, &mem) && na_j_gains(&d, &rows));
	row = na_j_find_row(&d, &rows, &pair);
	assert_non_null(row);
	na_j_taken_of(&d, &rows, row, &taken);
	for (int round = 0; round < 2; round++) {
		const struct na_j_level *v = &d.level[0][0];

		assert_true(na_j_take(&d, &taken) && na_j_gains(&d, &rows));
		for (size_t u = 0; u < v->n; u++)
			if (na_j_is_of(&s.in, &pair, &v->units[u]))
				assert_true(v->units[u].centre < .3);
		na_j_restore(&d);
	}
	na_arena_fini(&mem);
	na_j_decision_fini(&d);
	na_j_session_fini(&fit);
	na_vec_free(&s.rows);
}

/* Hosts with four devices each, which take turns; `slow` of host 5 sends slowly,
 * DEVICES: all of them. */
enum { DEVICES = 4 };

static struct na_judge_result with_devices(const struct plan *p, uint32_t slow)
{
	struct na_judge_connection c[HOSTS * HOSTS * DEVICES];
	struct session s;
	struct na_judge_result r;
	struct na_err err = {.status = NA_OK};

	make(&s, p);
	for (uint32_t i = 0; i < s.in.n_connections * DEVICES; i++) {
		c[i] = s.connections[i / DEVICES];
		c[i].src_dev = c[i].dst_dev = i % DEVICES;
	}
	for (size_t i = 0; i < s.rows.n; i++) {
		struct na_judge_row *row = &s.rows.v[i];
		uint32_t device = row->step / 2 % DEVICES;

		row->connection = row->connection * DEVICES + device;
		if (c[row->connection].src == 5 &&
		    (slow == device || slow == DEVICES))
			row->took_us *= 2;
	}
	s.in.rows = s.rows.v;
	s.in.connections = c;
	s.in.n_connections *= DEVICES;
	assert_int_equal(na_judge(&s.in, &r, &err), NA_OK);
	na_vec_free(&s.rows);
	return r;
}

static void slow_device(void **state)
{
	struct plan p = healthy;

	(void)state;
	for (p.seed = 1; p.seed <= 4; p.seed++) {
		struct na_judge_result r;
		const struct na_judge_finding *f;

		p.two_clocks = p.seed > 2;
		r = with_devices(&p, 2);
		f = only(&r, NA_JUDGE_SRC, 5, 2);
		assert_true(f->low < log(2) && log(2) < f->high);
		assert_int_equal(f->pairs, HOSTS - 1);
		assert_int_equal(f->transfers, (HOSTS - 1) * STEPS / DEVICES);
		na_judge_result_fini(&r);
	}
}

static void slow_side_of_devices(void **state)
{
	struct na_judge_result r = with_devices(&healthy, DEVICES);

	(void)state;
	only(&r, NA_JUDGE_SRC, 5, NA_JUDGE_NONE);
	na_judge_result_fini(&r);
}

static void no_device_is_slow(void **state)
{
	struct plan p = healthy;

	(void)state;
	for (p.seed = 1; p.seed <= 8; p.seed++) {
		struct na_judge_result r = with_devices(&p, NOBODY);

		assert_int_equal(r.n_findings, 0);
		na_judge_result_fini(&r);
	}
}

static void slow_pair(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;

	(void)state;
	p.src = 2;
	p.dst = 9;
	p.times = 3;
	r = judged(&p);
	only(&r, NA_JUDGE_PAIR, 2, 9);
	na_judge_result_fini(&r);
}

static void slow_uplink(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;

	(void)state;
	p.uplink = 2;
	p.times = 3;
	r = judged(&p);
	only(&r, NA_JUDGE_RACK_UPLINK, 2, NA_JUDGE_NONE);
	na_judge_result_fini(&r);
}

/* A straggler has them, too. */
static void slow_steps_name_nothing(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;

	(void)state;
	p.src = 7;
	p.times = 3;
	p.from = 20;
	p.to = 25;
	r = judged(&p);
	assert_int_equal(r.n_findings, 0);
	assert_int_equal(r.outcome, NA_JUDGE_CANNOT_TELL);
	for (size_t i = 0; i < r.n_bounds; i++)
		assert_true(r.bounds[i].upper < 1.5);
	assert_true(r.upper > 2.5 && r.upper < 4);
	na_judge_result_fini(&r);
}

/* Timers that fire everywhere are no fault; those of one sender may be. */
static void even_late_transfers(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;

	(void)state;
	p.any_late = .002;
	r = judged(&p);
	assert_int_equal(r.outcome, NA_JUDGE_NOT_GUILTY);
	na_judge_result_fini(&r);
	p.src = 4;
	p.late = .008;
	r = judged(&p);
	assert_int_equal(r.n_findings, 0);
	assert_true(r.nobody > .9 && r.upper < 1.5);
	assert_int_equal(r.outcome, NA_JUDGE_CANNOT_TELL);
	na_judge_result_fini(&r);
}

static void late_transfers(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;
	const struct na_judge_finding *f;

	(void)state;
	p.src = 4;
	p.late = .05;
	r = judged(&p);
	f = only(&r, NA_JUDGE_SRC, 4, NA_JUDGE_NONE);
	assert_int_equal(f->mechanism, NA_MECH_LATE);
	assert_in_range(f->late, 10, 40);
	assert_true(f->effect > log(3));
	na_judge_result_fini(&r);
}

/* Pairs are compared with those of their class, though no rack has a name. */
static void distances_without_racks(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;
	const struct na_judge_finding *f;

	(void)state;
	p.racks = false;
	p.far = 1;
	p.src = 1;
	p.dst = 6;
	p.times = 2.5;
	r = judged(&p);
	f = only(&r, NA_JUDGE_PAIR, 1, 6);
	assert_true(f->low < log(2.5) && log(2.5) < f->high);
	na_judge_result_fini(&r);
}

/* Nobody tells what is far, but the ways back do. */
static void distances_learnt(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;

	(void)state;
	p.racks = false;
	p.farther = .5;
	p.src = 1;
	p.dst = 6;
	p.times = 2.5;
	r = judged(&p);
	only(&r, NA_JUDGE_PAIR, 1, 6);
	na_judge_result_fini(&r);
}

/* Each host sends to one: what the pair shows bounds both of its sides, unless
 * clocks are fitted to it. */
static void bounds_of_a_ring(void **state)
{
	struct plan p = healthy;

	(void)state;
	p.racks = false;
	for (int clocks = 1; clocks <= 2; clocks++) {
		struct na_judge_result r;
		struct na_err err = {.status = NA_OK};
		struct session s;
		size_t n = 0;

		p.two_clocks = clocks == 2;
		make(&s, &p);
		for (size_t i = 0; i < s.rows.n; i++) {
			const struct na_judge_connection *c =
				&s.connections[s.rows.v[i].connection];

			if (c->dst == (c->src + 1) % HOSTS)
				s.rows.v[n++] = s.rows.v[i];
		}
		s.in.n_rows = n;
		assert_int_equal(na_judge(&s.in, &r, &err), NA_OK);
		assert_int_equal(r.n_bounds, 2 * HOSTS);
		for (size_t i = 0; i < r.n_bounds; i++)
			assert_true(clocks == 2 ? isnan(r.bounds[i].upper)
						: r.bounds[i].upper < 2);
		assert_int_equal(isinf(r.upper) != 0, clocks == 2);
		na_judge_result_fini(&r);
		na_vec_free(&s.rows);
	}
}

static void nothing_is_slow(void **state)
{
	struct plan p = healthy;

	(void)state;
	for (p.seed = 1; p.seed <= 8; p.seed++) {
		struct na_judge_result r;

		p.racks = p.seed > 4;
		r = judged(&p);
		assert_int_equal(r.n_findings, 0);
		assert_int_equal(r.outcome, NA_JUDGE_NOT_GUILTY);
		assert_true(r.upper < 1.5);
		assert_true(r.nobody > .9 && !r.unsure);
		assert_int_equal(r.n_open, 3);
		assert_true(r.open[0].log_odds >= r.open[2].log_odds);
		na_judge_result_fini(&r);
	}
}

/* A pair that is a little slow is not named, nor do bounds of sides show it. */
static void bounds_alone(void **state)
{
	struct plan p = {.hosts = HOSTS, .src = 1, .dst = 6, .uplink = NOBODY,
			 .times = 1.5, .to = STEPS, .seed = 1};
	struct na_judge_result r = judged(&p);

	(void)state;
	assert_int_equal(r.n_findings, 0);
	assert_true(r.unsure && r.upper < 1.5 && r.nobody < .9);
	na_judge_result_fini(&r);
}

static void too_few_hosts(void **state)
{
	struct plan p = healthy;
	struct na_judge_result r;

	(void)state;
	p.racks = false;
	p.src = 0;
	p.times = 3;
	p.hosts = 2;
	r = judged(&p);
	assert_int_equal(r.outcome, NA_JUDGE_CANNOT_TELL);
	assert_int_equal(r.n_findings, 0);
	na_judge_result_fini(&r);
}

static void clocks_apart(void **state)
{
	struct plan p = healthy;
	struct session s;
	struct na_j_session fit;
	struct na_judge_result r;

	(void)state;
	p.two_clocks = true;
	p.ahead_us = 15;
	r = judged(&p);
	assert_true(r.two_clocks);
	assert_int_equal(r.outcome, NA_JUDGE_NOT_GUILTY);
	assert_int_equal(r.n_findings, 0);
	na_judge_result_fini(&r);
	make(&s, &p);
	assert_true(na_j_session_init(&fit, &s.in));
	for (size_t h = 0; h < HOSTS; h++) {
		double ahead = fit.ahead_us[h] - fit.ahead_us[0];

		assert_true(fabs(ahead - (h == 1 ? 15 : 0)) < 6);
	}
	na_j_session_fini(&fit);
	na_vec_free(&s.rows);
}

/* Clamped latencies say nothing, and there are no others. */
static void all_clamped(void **state)
{
	struct session s;
	struct plan p = healthy;
	struct na_judge_result r;
	struct na_err err = {.status = NA_OK};

	(void)state;
	p.two_clocks = true;
	make(&s, &p);
	for (size_t i = 0; i < s.rows.n; i++)
		s.rows.v[i].took_us = 0;
	assert_int_equal(na_judge(&s.in, &r, &err), NA_OK);
	assert_int_equal(r.outcome, NA_JUDGE_CANNOT_TELL);
	assert_int_equal(r.n_findings, 0);
	na_judge_result_fini(&r);
	na_vec_free(&s.rows);
}

static void nothing_at_all(void **state)
{
	struct na_judge_input in = {.n_hosts = 4};
	struct na_judge_result r;
	struct na_err err = {.status = NA_OK};

	(void)state;
	assert_int_equal(na_judge(&in, &r, &err), NA_OK);
	assert_int_equal(r.outcome, NA_JUDGE_CANNOT_TELL);
	assert_int_equal(r.n_findings, 0);
	na_judge_result_fini(&r);
}

static void one_transfer(void **state)
{
	struct na_judge_connection c = {0, 1, 0, 0, 0};
	uint32_t racks[] = {0, 1};
	struct na_judge_row row = {0, 10, 100, 0, 0, 0, 0};
	struct na_judge_input in = {2, 2, 1, 1, &c, racks, &row, false};
	struct na_judge_result r;
	struct na_err err = {.status = NA_OK};

	(void)state;
	for (int clocks = 0; clocks < 2; clocks++) {
		in.two_clocks = clocks;
		assert_int_equal(na_judge(&in, &r, &err), NA_OK);
		assert_int_equal(r.outcome, NA_JUDGE_CANNOT_TELL);
		na_judge_result_fini(&r);
	}
	row.took_us = row.start_us = INFINITY;
	row.size_bytes = NAN;
	assert_int_equal(na_judge(&in, &r, &err), NA_OK);
	na_judge_result_fini(&r);
}

static void refused(void **state)
{
	struct na_judge_connection c = {0, 1, 0, 0, 0};
	uint32_t racks[] = {0, 7};
	struct na_judge_row row = {0, 10, 100, 0, 0, 0, 0};
	struct na_judge_input in = {2, 0, 1, 1, &c, racks, &row, false};
	struct na_judge_result r;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct na_err err = {.status = NA_OK};

		row.connection = i == 0;
		c.dst = i == 1 ? 2 : 1;
		in.n_racks = i == 2 ? 2 : 0;
		assert_int_equal(na_judge(&in, &r, &err), NA_EDOMAIN);
		na_judge_result_fini(&r);
	}
}

/* The order of rows does not show. */
static void any_order(void **state)
{
	struct plan p = healthy;
	struct session s;
	struct na_judge_result a, b;
	struct na_err err = {.status = NA_OK};
	struct na_rng rng;

	(void)state;
	p.src = 5;
	p.times = 1.5;
	p.late = .02;
	make(&s, &p);
	assert_int_equal(na_judge(&s.in, &a, &err), NA_OK);
	na_rng_seed(&rng, 5);
	for (size_t i = s.rows.n - 1; i; i--) {
		size_t k = (size_t)(uniform(&rng) * (double)(i + 1));
		struct na_judge_row t = s.rows.v[i];

		s.rows.v[i] = s.rows.v[k];
		s.rows.v[k] = t;
	}
	assert_int_equal(na_judge(&s.in, &b, &err), NA_OK);
	assert_int_equal(a.n_findings, b.n_findings);
	assert_true(a.n_findings > 0);
	assert_memory_equal(&a.findings->log_odds, &b.findings->log_odds,
			    sizeof(double));
	assert_memory_equal(&a.nobody, &b.nobody, sizeof(double));
	assert_memory_equal(a.bounds, b.bounds, a.n_bounds * sizeof(*a.bounds));
	assert_int_equal(a.n_pairs, b.n_pairs);
	for (size_t i = 0; i < a.n_pairs; i++)
		assert_memory_equal(&a.pairs[i].effect, &b.pairs[i].effect,
				    sizeof(double));
	na_judge_result_fini(&a);
	na_judge_result_fini(&b);
	na_vec_free(&s.rows);
}

/* The log Bayes factor of a side by its observations, of one collective. */
static double by_hand(const struct na_judge_explanation *x,
		      const struct na_judge_evidence *e)
{
	double ll[NA_J_GRID] = {0}, null[NA_J_GRID];
	struct na_j_grid g;

	na_j_grid_init(&g);
	na_j_null(&g, e->spread, e->freedom, null);
	for (size_t i = 0; i < x->n_observations; i++) {
		const struct na_judge_observation *o = &x->observations[i];

		if (o->side != e->side || o->mechanism != e->mechanism ||
		    o->loaded != e->loaded)
			continue;
		assert_true(fabs(o->centre - o->others - o->rest) < 1e-12);
		for (size_t a = 0; a < NA_J_GRID; a++)
			ll[a] += na_j_t_log((o->rest - g.at[a]) / o->spread,
					    e->unit_freedom);
	}
	return na_j_lse_sum(ll + g.fault.from, g.fault.log_p + g.fault.from,
			    g.fault.to - g.fault.from) -
	       na_j_lse_sum(ll, null, NA_J_GRID);
}

static void explained(void **state)
{
	struct plan p = healthy;
	struct session s;
	struct na_judge_explanation x;
	struct na_err err = {.status = NA_OK};
	size_t large = 0;

	(void)state;
	p.src = 5;
	p.times = 1.7;
	p.late = .01;
	make(&s, &p);
	assert_int_equal(na_judge_explain(&s.in, 5, &x, &err), NA_OK);
	for (int side = 0; side < 2; side++) {
		double sum = NA_MECHANISMS;

		for (size_t i = 0; i < x.n_evidence; i++) {
			const struct na_judge_evidence *e = &x.evidence[i];

			if ((int)e->side != side || !e->counts)
				continue;
			sum += exp(e->log_factor - e->null) - 1;
			if (e->mechanism != NA_MECH_LARGE)
				continue;
			large++;
			assert_true(fabs(by_hand(&x, e) - e->log_factor) <
				    1e-9);
		}
		assert_true(fabs(log(sum / NA_MECHANISMS) +
				 x.odds[side].log_prior -
				 x.odds[side].log_odds) < 1e-9);
	}
	assert_int_equal(large, 2);
	assert_true(isnan(x.odds[NA_JUDGE_SRC].left));
	assert_true(x.odds[NA_JUDGE_DST].left < 0);
	assert_int_equal(x.n_rivals, 4);
	assert_int_equal(x.rivals[0].place.cause, NA_JUDGE_SRC);
	assert_int_equal(x.rivals[0].place.a, 5);
	assert_true(x.rivals[0].log_odds >= x.rivals[1].log_odds);
	na_judge_explanation_fini(&x);
	err = (struct na_err){.status = NA_OK};
	assert_int_equal(na_judge_explain(&s.in, HOSTS, &x, &err), NA_EDOMAIN);
	na_judge_explanation_fini(&x);
	na_vec_free(&s.rows);
}

/* ---- the oracle: another implementation, of an earlier state of the model.
 * It does not center healthy spreads by racks and has other odds, so what comes
 * before the spreads is compared, and who is named. */

struct oracle {
	struct na_judge_input in;
	NA_VEC(struct na_judge_connection) connections;
	NA_VEC(struct na_judge_row) rows;
	NA_VEC(uint32_t) racks;
	NA_VEC(char *) expected; /* lines */
};

static void read_row(struct oracle *o, const char *line)
{
	struct na_judge_connection c = {0};
	struct na_judge_row r = {.connection = (uint32_t)o->rows.n};

	assert_int_equal(sscanf(line, "row %u %u %u %u %u %u %f %lf %lf %u",
				&c.src, &c.dst, &c.src_dev, &r.collective,
				&r.part, &r.step, &r.size_bytes, &r.start_us,
				&r.took_us, &c.distance),
			 10);
	assert_true(na_add(&o->connections, c) && na_add(&o->rows, r));
}

static void read_oracle(struct oracle *o)
{
	FILE *f = fopen("tests/oracle/judge.tsv", "r");
	char line[400];
	uint32_t rack;

	memset(o, 0, sizeof(*o));
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		if (sscanf(line, "rack %u", &rack) == 1)
			assert_true(na_add(&o->racks, rack));
		else if (!strncmp(line, "row ", 4))
			read_row(o, line);
		else
			assert_true(na_add(&o->expected, strdup(line)));
	}
	fclose(f);
	o->in = (struct na_judge_input){
		o->racks.n, 3, o->rows.n, o->rows.n,
		o->connections.v, o->racks.v, o->rows.v, false};
}

static void near(double got, double expected, double within, const char *line)
{
	if (!(fabs(got - expected) <= within * fmax(1, fabs(expected))))
		fail_msg("%.17g, not as in %s", got, line);
}

static void check_unit(const struct na_j_decision *d, const char *line)
{
	unsigned table, view;
	size_t at;
	double centre, se;
	const struct na_j_unit *u;

	assert_int_equal(sscanf(line, "unit %u %u %zu %lf %lf", &table, &view,
				&at, &centre, &se),
			 5);
	assert_true(table < d->n_tables && view < d->s->n_views &&
		    at < d->level[table][view].n);
	u = &d->level[table][view].units[at];
	near(u->centre0, centre, 1e-9, line);
	near(u->se, se, 1e-9, line);
}

static size_t check_found(const struct na_judge_result *r, const char *line)
{
	char cause[20];
	int a, b;

	assert_int_equal(sscanf(line, "found %19s %d %d", cause, &a, &b), 3);
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct na_judge_finding *f = &r->findings[i];

		if (strcmp(na_judge_kinds[f->place.cause], cause) == 0 &&
		    (int)f->place.a == a && (int)f->place.b == b)
			return 1;
	}
	fail_msg("not found: %s", line);
	return 0;
}

static void as_the_oracle(void **state)
{
	struct oracle o;
	struct na_j_session s;
	struct na_j_decision d;
	struct na_j_rows rows;
	struct na_arena mem = {0};
	struct na_judge_result r;
	struct na_err err = {.status = NA_OK};
	size_t found = 0;
	double x;

	(void)state;
	read_oracle(&o);
	assert_true(na_j_session_init(&s, &o.in));
	assert_true(na_j_decision_init(&d, &s));
	assert_true(na_j_rows_init(&rows, &d, &mem));
	assert_true(na_j_gains(&d, &rows));
	assert_int_equal(na_judge(&o.in, &r, &err), NA_OK);
	for (size_t i = 0; i < o.expected.n; i++) {
		const char *line = o.expected.v[i];

		if (!strncmp(line, "unit ", 5))
			check_unit(&d, line);
		else if (!strncmp(line, "found ", 6))
			found += check_found(&r, line);
		else if (sscanf(line, "kappa %lf", &x) == 1)
			near(r.kappa, x, 1e-9, line);
		else if (sscanf(line, "late %lf", &x) == 1)
			near(d.late.spread, x, 1e-9, line);
		else
			fail_msg("unknown: %s", line);
		free(o.expected.v[i]);
	}
	assert_int_equal(r.n_findings, found);
	assert_true(found > 0);
	na_judge_result_fini(&r);
	na_arena_fini(&mem);
	na_j_decision_fini(&d);
	na_j_session_fini(&s);
	na_vec_free(&o.connections);
	na_vec_free(&o.rows);
	na_vec_free(&o.racks);
	na_vec_free(&o.expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_sender),
		cmocka_unit_test(slow_receiver_without_racks),
		cmocka_unit_test(slow_host),
		cmocka_unit_test(two_are_slow),
		cmocka_unit_test(taken_again),
		cmocka_unit_test(slow_device),
		cmocka_unit_test(slow_side_of_devices),
		cmocka_unit_test(no_device_is_slow),
		cmocka_unit_test(slow_pair),
		cmocka_unit_test(slow_uplink),
		cmocka_unit_test(slow_steps_name_nothing),
		cmocka_unit_test(late_transfers),
		cmocka_unit_test(even_late_transfers),
		cmocka_unit_test(distances_without_racks),
		cmocka_unit_test(distances_learnt),
		cmocka_unit_test(bounds_of_a_ring),
		cmocka_unit_test(nothing_is_slow),
		cmocka_unit_test(bounds_alone),
		cmocka_unit_test(too_few_hosts),
		cmocka_unit_test(clocks_apart),
		cmocka_unit_test(all_clamped),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(one_transfer),
		cmocka_unit_test(refused),
		cmocka_unit_test(any_order),
		cmocka_unit_test(explained),
		cmocka_unit_test(as_the_oracle),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
