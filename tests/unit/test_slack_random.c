/*
 * Slack against a second implementation, straight from the definitions
 * (docs/methods.md, "Slack and stall"; the joining rule of slack/walk.c's
 * head) and quadratic, over random sequences of ops: loops, several executions
 * and collectives in flight, recv before send, send-done after recv-done, ops
 * of no length, ops that are missing.  All sums are equal.
 *
 * Where nothing is missing the sequence is made from executions, and the
 * second implementation joins nothing: it knows whose each op is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/slack/slack.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_slack;

enum { MOST_OPS = 300, MOST_RUNS = 3, COLLECTIVES = 4, CORES = 2 };

struct op {
	int core, run, collective, part; /* enum sl_part */
	int of;                          /* execution; -1: not known */
	int64_t start_ps, ps;
};

struct ops {
	struct op items[MOST_OPS];
	size_t n;
	int64_t run_ps[MOST_RUNS], run_end_ps[MOST_RUNS], at_ps[CORES];
};

static const char *const names[COLLECTIVES] = {"a_0", "b_0", "c_0", "d_0"};
static const char *const parts[SL_PARTS] = {"send", "send-done", "recv",
					    "recv-done"};

/* ---- the second implementation */

struct execution {
	int core, run, collective;
	const struct op *ops[SL_PARTS];
	bool closed;
};

struct sums {
	int64_t n, slack_ps, slack_min_ps, slack_max_ps, observed_ps, stall_ps;
	int64_t part_ps[SL_PARTS];
};

static int64_t overlap(const struct op *send, const struct op *done)
{
	int64_t sum = 0;

	for (const struct op *x = send; x < done; x++)
		sum += x->core == send->core ? x->ps : 0;
	return sum;
}

static void add(struct sums *s, const struct execution *e)
{
	const struct op *send = e->ops[SL_SEND], *done = e->ops[SL_RECV_DONE];
	int64_t slack;

	if (!send || !done)
		return;
	slack = done->start_ps - send->start_ps - overlap(send, done);
	s->slack_min_ps = !s->n || slack < s->slack_min_ps ? slack
							   : s->slack_min_ps;
	s->slack_max_ps = !s->n || slack > s->slack_max_ps ? slack
							   : s->slack_max_ps;
	s->n++;
	s->slack_ps += slack;
	s->observed_ps += done->start_ps + done->ps - send->start_ps;
	for (int p = 0; p < SL_PARTS; p++) {
		s->part_ps[p] += e->ops[p] ? e->ops[p]->ps : 0;
		s->stall_ps += e->ops[p] ? e->ops[p]->ps : 0;
	}
}

/* The first execution that lacks the op. */
static struct execution *first(struct execution *all, size_t n,
			       const struct op *x)
{
	for (struct execution *e = all; e < all + n; e++) {
		if (e->core == x->core && e->run == x->run &&
		    e->collective == x->collective && !e->closed &&
		    !e->ops[x->part] &&
		    (x->part != SL_SEND_DONE || e->ops[SL_SEND]) &&
		    (x->part != SL_RECV || !e->ops[SL_RECV_DONE]))
			return e;
	}
	return NULL;
}

static void by_rule(const struct ops *all, struct sums *sums)
{
	static struct execution made[MOST_OPS];
	struct execution *e;
	size_t n = 0;

	for (const struct op *x = all->items; x < all->items + all->n; x++) {
		e = first(made, n, x);
		if (!e && (x->part == SL_SEND || x->part == SL_RECV)) {
			e = &made[n++];
			*e = (struct execution){
				x->core, x->run, x->collective, {NULL}, false};
		}
		if (!e)
			continue;
		if (x->part == SL_RECV_DONE && !e->ops[SL_SEND])
			e->closed = true; /* its send was before the trace */
		else
			e->ops[x->part] = x;
	}
	for (size_t i = 0; i < n; i++)
		add(&sums[made[i].collective], &made[i]);
}

static void by_owner(const struct ops *all, struct sums *sums)
{
	static struct execution made[MOST_OPS];

	memset(made, 0, sizeof(made));
	for (const struct op *x = all->items; x < all->items + all->n; x++) {
		made[x->of].collective = x->collective;
		made[x->of].ops[x->part] = x;
	}
	for (size_t i = 0; i < MOST_OPS; i++)
		add(&sums[made[i].collective], &made[i]);
}

/* XProf's own, word for word: of device 0, in whole nanoseconds, each
 * occurrence in whole microseconds. */
static void by_text(const struct ops *all, struct sums *sums)
{
	struct {
		bool known, sent;
		int64_t start_ns, overlap_ns, stall_ns;
	} at[COLLECTIVES] = {{.known = false}}, *c;

	for (const struct op *x = all->items; x < all->items + all->n; x++) {
		struct sums *s = &sums[x->collective];
		int64_t start_ns = x->start_ps / 1000, ns = x->ps / 1000;

		if (x->core != 0)
			continue;
		c = &at[x->collective];
		c->known = true;
		if (x->part == SL_SEND) {
			c->sent = true;
			c->start_ns = start_ns;
			c->overlap_ns = c->stall_ns = 0;
		}
		c->stall_ns += ns;
		if (x->part == SL_RECV_DONE && c->sent) {
			s->n++;
			s->slack_ps +=
				(start_ns - c->start_ns - c->overlap_ns) / 1000;
			s->observed_ps += (start_ns + ns) / 1000 -
					  c->start_ns / 1000;
			s->stall_ps += c->stall_ns / 1000;
		}
		for (int i = 0; i < COLLECTIVES; i++)
			at[i].overlap_ns += at[i].known ? ns : 0;
	}
}

/* ---- random sequences */

static int64_t below(struct na_rng *g, int64_t n)
{
	return (int64_t)na_rng_below(g, (uint64_t)n);
}

/* One behind the other on its core, often without a gap or a length. */
static void put(struct ops *to, struct na_rng *g, struct op x)
{
	x.start_ps = to->at_ps[x.core] + (below(g, 3) ? below(g, 9000001) : 0);
	x.ps = below(g, 4) ? 1 + below(g, 3000000) : 0;
	to->at_ps[x.core] = x.start_ps + x.ps;
	if (to->at_ps[x.core] > to->run_end_ps[x.run])
		to->run_end_ps[x.run] = to->at_ps[x.core];
	assert_true(to->n < MOST_OPS);
	to->items[to->n++] = x;
}

static void begin_run(struct ops *to, int run)
{
	int64_t at = 0;

	for (int c = 0; c < CORES; c++)
		at = to->at_ps[c] > at ? to->at_ps[c] : at;
	to->run_ps[run] = at + 5;
	for (int c = 0; c < CORES; c++)
		to->at_ps[c] = at + 10;
}

/* Any op at any time. */
static void soup(struct ops *to, struct na_rng *g)
{
	memset(to, 0, sizeof(*to));
	for (int run = 0; run < MOST_RUNS; run++) {
		begin_run(to, run);
		for (int64_t i = below(g, MOST_OPS / MOST_RUNS); i > 0; i--)
			put(to, g,
			    (struct op){.core = (int)below(g, CORES),
					.run = run,
					.collective = (int)below(g,
								 COLLECTIVES),
					.part = (int)below(g, SL_PARTS),
					.of = -1});
	}
}

struct loop { /* of one collective on one core in one run */
	int core, collective, first, n;
	int begun[SL_PARTS]; /* how many of each op there were */
	int flight;          /* at most so many at once */
};

static bool may(const struct loop *l, int part)
{
	int i = l->begun[part];

	if (i == l->n)
		return false;
	switch (part) {
	case SL_SEND:
		return i - l->begun[SL_RECV_DONE] < l->flight;
	case SL_RECV: /* also before the send, of the next one alone */
		return i <= l->begun[SL_SEND];
	case SL_SEND_DONE:
		return i < l->begun[SL_SEND];
	default:
		return i < l->begun[SL_SEND] && i < l->begun[SL_RECV];
	}
}

static bool over(const struct loop *l)
{
	for (int p = 0; p < SL_PARTS; p++) {
		if (l->begun[p] < l->n)
			return false;
	}
	return true;
}

/* Loops side by side; ops of one kind in the order of their executions. */
static void loops(struct ops *to, struct na_rng *g)
{
	struct loop all[CORES * COLLECTIVES];
	int made = 0;

	memset(to, 0, sizeof(*to));
	for (int run = 0; run < MOST_RUNS; run++) {
		int left = CORES * COLLECTIVES;

		begin_run(to, run);
		for (int i = 0; i < CORES * COLLECTIVES; i++) {
			all[i] = (struct loop){.core = i % CORES,
					       .collective = i / CORES,
					       .first = made,
					       .n = (int)below(g, 4),
					       .flight = 1 + (int)below(g, 3)};
			made += all[i].n;
			left -= over(&all[i]);
		}
		while (left) {
			struct loop *l = &all[below(g, CORES * COLLECTIVES)];
			int p = (int)below(g, SL_PARTS);

			if (!may(l, p))
				continue;
			put(to, g,
			    (struct op){.core = l->core,
					.run = run,
					.collective = l->collective,
					.part = p,
					.of = l->first + l->begun[p]});
			l->begun[p]++;
			left -= over(l);
		}
	}
}

/* ---- ours */

static size_t rows_of(const struct ops *x, struct hand_row *rows)
{
	static char op_names[SL_PARTS][COLLECTIVES][24];
	size_t n = 0;

	for (int c = 0; c < CORES; c++) {
		for (int run = 0; run < MOST_RUNS; run++)
			rows[n++] =
				(struct hand_row){.what = HAND_MODULE,
						  .src = c,
						  .name = "m",
						  .start_ps = x->run_ps[run],
						  .end_ps = x->run_end_ps[run] +
							    1};
	}
	for (size_t i = 0; i < x->n; i++) {
		const struct op *o = &x->items[i];
		bool done = o->part == SL_SEND_DONE || o->part == SL_RECV_DONE;
		char *name = op_names[o->part][o->collective];

		snprintf(name, 24, "%s.%d", parts[o->part], o->collective);
		rows[n] = (struct hand_row){.what = HAND_OP,
					    .src = o->core,
					    .start_ps = o->start_ps,
					    .end_ps = o->start_ps + o->ps,
					    .op_name = name,
					    .name = names[o->collective]};
		rows[n].op.network = NA_NET_DCN;
		rows[n].op.opcode = o->part < SL_RECV ? NA_OPCODE_SEND
						      : NA_OPCODE_RECV;
		rows[n].op.phase = done ? NA_OP_DONE : NA_OP_START;
		rows[n].op.size_bytes = NA_UNKNOWN_U64;
		rows[n++].op.channel = -1;
	}
	return n;
}

static void same(const struct na_value *v, const char *path, double want,
		 uint64_t seed)
{
	double got = na_real_of(na_dig(v, path), NAN);

	if (got != want)
		fail_msg("seed %d: %s: %.17g, not %.17g", (int)seed, path, got,
			 want);
}

static double mean_us(int64_t sum_ps, int64_t n)
{
	return (double)sum_ps / ((double)n * 1e6);
}

static void compare(const struct driven *d, const struct sums *sums,
		    uint64_t seed)
{
	const struct na_value *list = na_get(na_result_body(d->r),
					     "collectives");
	size_t found = 0;

	for (const struct na_value *v = list->u.of.first; v; v = v->next) {
		const char *name = na_text_of(na_get(v, "collective"), "");
		const struct sums *s = &sums[name[0] - 'a'];

		same(v, "occurrences", (double)s->n, seed);
		same(v, "slack_us.mean", mean_us(s->slack_ps, s->n), seed);
		same(v, "slack_us.min", (double)s->slack_min_ps / 1e6, seed);
		same(v, "slack_us.max", (double)s->slack_max_ps / 1e6, seed);
		same(v, "observed_us.mean", mean_us(s->observed_ps, s->n),
		     seed);
		same(v, "stall_us.mean", mean_us(s->stall_ps, s->n), seed);
		same(v, "total_stall_us", (double)s->stall_ps / 1e6, seed);
		same(v, "send_us", mean_us(s->part_ps[SL_SEND], s->n), seed);
		same(v, "recv_us", mean_us(s->part_ps[SL_RECV], s->n), seed);
		same(v, "send_done_us", mean_us(s->part_ps[SL_SEND_DONE], s->n),
		     seed);
		same(v, "recv_done_us", mean_us(s->part_ps[SL_RECV_DONE], s->n),
		     seed);
	}
	for (int c = 0; c < COLLECTIVES; c++)
		found += sums[c].n > 0;
	assert_int_equal(found, list->n);
}

/* Means of whole microseconds, in microseconds. */
static void compare_text(const struct driven *d, const struct sums *sums,
			 uint64_t seed)
{
	const struct na_value *list = na_get(na_result_body(d->r),
					     "collectives");

	for (const struct na_value *v = list->u.of.first; v; v = v->next) {
		const char *name = na_text_of(na_get(v, "collective"), "");
		const struct sums *s = &sums[name[0] - 'a'];

		same(v, "occurrences", (double)s->n, seed);
		same(v, "slack_us.mean", (double)(s->slack_ps / s->n), seed);
		same(v, "observed_us.mean", (double)(s->observed_ps / s->n),
		     seed);
		same(v, "stall_us.mean", (double)(s->stall_ps / s->n), seed);
		same(v, "total_stall_us",
		     (double)(s->stall_ps / s->n) * (double)s->n, seed);
	}
}

/* Events of a line in any order: of ops that begin at different times. */
static void shuffle(struct hand_row *rows, size_t n, struct na_rng *g)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = na_rng_below(g, i);
		struct hand_row was = rows[k];

		rows[k] = rows[i - 1];
		rows[i - 1] = was;
	}
}

static void check(const struct ops *x, const struct sums *sums, bool text,
		  struct na_rng *mix, uint64_t seed)
{
	static struct hand_row rows[MOST_OPS + CORES * MOST_RUNS];
	struct na_scope scope = {.store = NULL};
	struct sl_params params = {.reference = text};
	struct driven d;
	struct hand h;
	size_t n = rows_of(x, rows);

	if (mix)
		shuffle(rows, n, mix);
	hand_init(&h, 1, NULL);
	hand_fill(&h, rows, n, 1 + seed % 90);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	scope.store = &h.store;
	scope.filter = &h.filter;
	memset(&d, 0, sizeof(d));
	hand_drive(&d, &na_an_slack, &scope, &params, 1 + seed % 50, &h.err);
	assert_int_equal(d.status, NA_OK);
	(text ? compare_text : compare)(&d, sums, seed);
	driven_end(&d);
	hand_fini(&h);
}

/* ---- tests */

enum { SEEDS = 400 };

static void any_ops(void **state)
{
	static struct ops x;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct sums sums[COLLECTIVES] = {{.n = 0}};
		struct na_rng g;

		na_rng_seed(&g, seed);
		soup(&x, &g);
		by_rule(&x, sums);
		check(&x, sums, false, NULL, seed);
	}
}

/* --reference */
static void xprofs_own(void **state)
{
	static struct ops x;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct sums sums[COLLECTIVES] = {{.n = 0}};
		struct na_rng g;

		na_rng_seed(&g, seed);
		soup(&x, &g);
		by_text(&x, sums);
		check(&x, sums, true, NULL, seed);
	}
}

static void owned_ops(void **state)
{
	static struct ops x;
	int64_t n = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct sums sums[COLLECTIVES] = {{.n = 0}};
		struct na_rng g;

		na_rng_seed(&g, seed);
		loops(&x, &g);
		by_owner(&x, sums);
		check(&x, sums, false, NULL, seed);
		n += sums[0].n;
	}
	assert_true(n > SEEDS); /* there was something to compare */
}

/* No two ops begin at one time, all else stays: times in another unit. */
static void spread_out(struct ops *x)
{
	const int64_t unit = 1000;

	for (size_t i = 0; i < x->n; i++) {
		x->items[i].start_ps *= unit;
		x->items[i].start_ps += (int64_t)i;
		x->items[i].ps *= unit;
	}
	for (int run = 0; run < MOST_RUNS; run++)
		x->run_ps[run] *= unit;
}

static void lines_out_of_order(void **state)
{
	static struct ops x;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct sums sums[COLLECTIVES] = {{.n = 0}};
		struct na_rng g;

		na_rng_seed(&g, seed);
		loops(&x, &g);
		spread_out(&x);
		by_owner(&x, sums);
		check(&x, sums, false, &g, seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_ops),
		cmocka_unit_test(owned_ops),
		cmocka_unit_test(xprofs_own),
		cmocka_unit_test(lines_out_of_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
