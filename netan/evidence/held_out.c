/* Each host of a few held out: see held_out.h. */
#include "netan/evidence/held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"

enum { HOSTS = NA_HELD_OUT_MOST, PAIRS_LEAST = 4, GRID = 60, TRIALS = 4 };

/* Who records packets suspects the network: more than the judge's. */
#define PRIOR_SIDE 0.3
#define PRIOR_HOST 0.2
#define SPREAD     0.1 /* healthy sides differ by so much, log */
#define WEIGHT     4.0 /* of that, in degrees of freedom */
#define NAMED      9.0 /* odds: posterior 0.9 */
#define SLOWEST    20.0
#define SLOW       1.15
#define LEAST_US   (50 / 65536.0) /* a byte: below, processors decide */
#define ACQUITTED  1.43 /* times: 0.7 of the rate; a bound below is healthy */

struct fleet {
	size_t n;
	double x[HOSTS][HOSTS]; /* NaN: nothing between them */
	uint32_t rows[HOSTS][HOSTS];
	bool gone[HOSTS];
};

struct tried {
	struct na_place place;
	double log_odds, m, s, dof, upper;
	size_t pairs;
};

struct list {
	size_t n;
	double v[HOSTS * HOSTS];
};

static void put(struct list *l, double x)
{
	if (!isnan(x))
		l->v[l->n++] = x;
}

static int by_value(const void *first, const void *second)
{
	const double *a = first, *b = second;

	return NA_CMP(*a, *b);
}

/* Nearest rank; NaN of none. */
static double quantile(struct list *l, double p)
{
	na_sort(l->v, l->n, by_value);
	return l->n ? l->v[(size_t)(p * (double)(l->n - 1) + 0.5)]
		    : (double)NAN;
}

/* ---- rows to pairs */

/* How many rows were on a port from a to b, on average: of sorted begins and
 * ends, and their sums. */
struct port {
	size_t n;
	double *begin, *end, *begins, *ends;
};

/* Sum over all of how far each is before x. */
static double before(const double *v, const double *sums, size_t n, double x)
{
	size_t i = NA_BOUND(k, 0, n, v[k] > x);

	return (double)i * x - sums[i];
}

static double load(const struct port *p, double from, double to)
{
	double at[2], x[2] = {from, to};

	for (int i = 0; i < 2; i++)
		at[i] = before(p->begin, p->begins, p->n, x[i]) -
			before(p->end, p->ends, p->n, x[i]);
	return fmax(1, (at[1] - at[0]) / (to - from));
}

static void fill_port(struct port *p, const struct na_evidence *e, uint32_t host,
		      bool dst, double *room)
{
	size_t n = e->rows.n;

	*p = (struct port){0, room, room + n, room + 2 * n, room + 3 * n + 1};
	for (size_t i = 0; i < n; i++) {
		const struct na_judge_row *r = &e->rows.v[i];
		const struct na_judge_connection *c =
			&e->connections.v[r->connection];

		if ((dst ? c->dst : c->src) != host)
			continue;
		p->begin[p->n] = r->start_us;
		p->end[p->n++] = r->start_us + r->took_us;
	}
	na_sort(p->begin, p->n, by_value);
	na_sort(p->end, p->n, by_value);
	p->begins[0] = p->ends[0] = 0;
	for (size_t i = 0; i < p->n; i++) {
		p->begins[i + 1] = p->begins[i] + p->begin[i];
		p->ends[i + 1] = p->ends[i] + p->end[i];
	}
}

/* Of each row the load of the busier of its two ports. */
static bool loads(const struct na_evidence *e, double *load_of)
{
	double *room = na_calloc(4 * e->rows.n + 2, sizeof(*room));
	struct port p;

	for (uint32_t k = 0; room && k < 2 * e->n_hosts; k++) {
		fill_port(&p, e, k / 2, k % 2, room);
		for (size_t i = 0; i < e->rows.n; i++) {
			const struct na_judge_row *r = &e->rows.v[i];
			const struct na_judge_connection *c =
				&e->connections.v[r->connection];

			if ((k % 2 ? c->dst : c->src) == k / 2)
				load_of[i] = fmax(load_of[i],
						  load(&p, r->start_us,
						       r->start_us +
							       r->took_us));
		}
	}
	free(room);
	return room != NULL;
}

struct cell {
	uint32_t pair;
	double x;
};

NA_ORDER(by_pair, struct cell, NA_UP(pair), NA_UP(x))

static bool gather(const struct na_evidence *e, struct fleet *f)
{
	size_t n = e->rows.n;
	double *load_of = na_calloc(n + 1, sizeof(*load_of));
	struct cell *v = na_calloc(n + 1, sizeof(*v));
	bool ok = load_of && v && loads(e, load_of);

	for (size_t i = 0; i < HOSTS * HOSTS; i++)
		f->x[i / HOSTS][i % HOSTS] = (double)NAN;
	for (size_t i = 0; ok && i < n; i++) {
		const struct na_judge_row *r = &e->rows.v[i];
		const struct na_judge_connection *c =
			&e->connections.v[r->connection];

		v[i] = (struct cell){c->src * HOSTS + c->dst,
				     log(r->took_us / load_of[i] /
						 (double)r->size_bytes +
					 LEAST_US)};
	}
	if (ok)
		na_sort(v, n, by_pair);
	for (size_t i = 0, end; ok && i < n; i = end) {
		uint32_t s = v[i].pair / HOSTS, t = v[i].pair % HOSTS;

		for (end = i; end < n && v[end].pair == v[i].pair; end++)
			;
		f->x[s][t] = v[i + (end - i) / 2].x;
		f->rows[s][t] = (uint32_t)(end - i);
	}
	free(load_of);
	free(v);
	return ok;
}

/* ---- what the others predict */

static double log_t(double z, double dof)
{
	return -(dof + 1) / 2 * log1p(z * z / dof); /* but a constant */
}

/* Log Bayes factor of a slowdown. */
static double gain(const struct tried *t)
{
	double sum = 0, m = fmin(t->m, log(SLOWEST));
	double null = log_t(m / t->s, t->dof);

	for (int i = 0; i < GRID; i++) {
		double a = log(SLOW) + log(SLOWEST / SLOW) * i / (GRID - 1);

		sum += exp(log_t((m - a) / t->s, t->dof) - null);
	}
	return log(sum / GRID);
}

/* Pairs of one side of a host, or all where host is HOSTS, without those of
 * `less` and of hosts that are gone. */
static struct list side(const struct fleet *f, size_t host, bool dst, size_t less)
{
	struct list l = {0};

	for (size_t a = 0; a < f->n; a++)
		for (size_t b = 0; b < f->n; b++)
			if (!f->gone[a] && !f->gone[b] && a != less &&
			    b != less &&
			    (host == HOSTS || (dst ? b : a) == host))
				put(&l, f->x[a][b]);
	return l;
}

static double square_sum(const struct list *l, double mu)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += (l->v[i] - mu) * (l->v[i] - mu);
	return sum;
}

/* Centre and spread of healthy ones without `host`; false: too few. */
__attribute__((noinline)) static bool predict(const struct fleet *f, size_t host, double *mu, double *side2,
		    double *pair2, size_t *sides)
{
	struct list all = side(f, HOSTS, false, host), medians = {0};

	if (all.n < PAIRS_LEAST)
		return false;
	*mu = quantile(&all, 0.5);
	for (size_t i = 0; i < 2 * f->n; i++) {
		struct list one = side(f, i / 2, i % 2, host);

		put(&medians, quantile(&one, 0.5));
	}
	*sides = medians.n;
	*side2 = (square_sum(&medians, *mu) + WEIGHT * SPREAD * SPREAD) /
		 ((double)medians.n - 1 + WEIGHT);
	*pair2 = fmax(0, square_sum(&all, *mu) / (double)all.n - *side2);
	return true;
}

static size_t living(const struct fleet *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += !f->gone[i];
	return n;
}

/* src, dst and host of one that is held out; how many could be tried. */
static size_t try_host(const struct fleet *f, size_t h, struct tried out[3])
{
	double mu, side2, pair2, prior = PRIOR_SIDE / (double)living(f);
	struct list l[2] = {side(f, h, false, HOSTS), side(f, h, true, HOSTS)};
	size_t n = 0, sides;

	if (f->gone[h] || !predict(f, h, &mu, &side2, &pair2, &sides))
		return 0;
	for (size_t i = 0; i < 2; i++) {
		struct tried *t = &out[n];

		if (l[i].n < 2)
			continue;
		n++;
		*t = (struct tried){
			.place = {i ? NA_CAUSE_DST : NA_CAUSE_SRC, (uint32_t)h,
				  NA_JUDGE_NONE},
			.m = quantile(&l[i], 0.25) - mu,
			.s = sqrt(side2 * (1 + 1 / (double)sides) +
				  pair2 * 1.57 / (double)l[i].n),
			.dof = (double)sides - 1 + WEIGHT,
			.pairs = l[i].n,
		};
		t->upper = exp(quantile(&l[i], 0.5) - mu + 2 * t->s);
		t->log_odds = gain(t) + log(prior);
	}
	if (n < 2)
		return n;
	out[2] = out[0].m < out[1].m ? out[0] : out[1];
	out[2].place.cause = NA_CAUSE_HOST;
	out[2].pairs = l[0].n + l[1].n;
	out[2].log_odds = gain(&out[2]) +
			  log(PRIOR_HOST / (double)living(f));
	return 3;
}

/* Of one pair whose ends have no other peer; false: not such. */
__attribute__((noinline)) static bool try_pair(const struct fleet *f, size_t a, size_t b, struct tried *t)
{
	struct list others = {0};
	double mu, s2;

	if (isnan(f->x[a][b]) || f->gone[a] || f->gone[b] ||
	    side(f, a, false, HOSTS).n != 1 || side(f, b, true, HOSTS).n != 1)
		return false;
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->n; k++)
			if ((i != a || k != b) && !f->gone[i] && !f->gone[k])
				put(&others, f->x[i][k]);
	if (others.n < PAIRS_LEAST)
		return false;
	mu = quantile(&others, 0.5);
	s2 = (square_sum(&others, mu) + WEIGHT * SPREAD * SPREAD) /
	     ((double)others.n - 1 + WEIGHT);
	*t = (struct tried){
		.place = {NA_CAUSE_PAIR, (uint32_t)a, (uint32_t)b},
		.m = f->x[a][b] - mu,
		.s = sqrt(s2 * (1 + 1 / (double)others.n)),
		.dof = (double)others.n - 1 + WEIGHT,
		.pairs = 1,
	};
	t->upper = exp(t->m + 2 * t->s);
	/* Either end, or the path. */
	t->log_odds = gain(t) + log((2 * PRIOR_SIDE + PRIOR_HOST) /
				    (double)(others.n + 1));
	return true;
}

/* ---- the verdict */

/* The best of a host, with the odds of all its sides; a host, where neither side
 * is surely the one. */
static struct tried best_of(const struct tried *v, size_t n)
{
	struct tried best = v[0];
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += exp(fmin(v[i].log_odds, 100));
		if (v[i].log_odds > best.log_odds)
			best = v[i];
	}
	if (n == 3 && exp(fmin(best.log_odds, 100)) < 0.9 * sum)
		best = v[2];
	best.log_odds = log(sum);
	return best;
}

static bool better(double log_odds, const struct tried *than)
{
	return isnan(than->log_odds) || log_odds > than->log_odds;
}

static void bound(struct na_judge_result *r, const struct tried *t)
{
	bool dst = t->place.cause == NA_CAUSE_DST;
	double *upper = &r->bounds[2 * t->place.a + dst].upper;

	if (t->place.cause == NA_CAUSE_SRC || dst)
		*upper = isnan(*upper) ? t->upper : *upper;
	else if (t->place.cause == NA_CAUSE_PAIR)
		r->upper = fmax(r->upper, t->upper);
}

static void weigh(struct na_judge_result *r, const struct tried *v, size_t n,
		  struct tried *best)
{
	for (size_t i = 0; i < n; i++)
		bound(r, &v[i]);
	if (n && better(best_of(v, n).log_odds, best))
		*best = best_of(v, n);
}

/* The most likely one of all. */
static struct tried look(const struct fleet *f, struct na_judge_result *r)
{
	struct tried best = {.log_odds = (double)NAN}, t[3];

	for (size_t h = 0; h < f->n; h++)
		weigh(r, t, try_host(f, h, t), &best);
	for (size_t i = 0; i < f->n * f->n; i++)
		weigh(r, t, try_pair(f, i / f->n, i % f->n, t), &best);
	return best;
}

static bool is_of(const struct na_place *p, size_t src, size_t dst)
{
	if (p->cause == NA_CAUSE_PAIR)
		return src == p->a && dst == p->b;
	return (p->cause != NA_CAUSE_DST && src == p->a) ||
	       (p->cause != NA_CAUSE_SRC && dst == p->a);
}

/* Out of what follows with it. */
static void name(struct na_judge_result *r, struct fleet *f,
		 const struct tried *t)
{
	struct na_judge_finding *v = &r->findings[r->n_findings++];

	*v = (struct na_judge_finding){
		.place = t->place,
		.mechanism = NA_MECH_LEVEL,
		.effect = t->m,
		.low = t->m - 2 * t->s,
		.high = t->m + 2 * t->s,
		.log_odds = t->log_odds,
		.posterior = 1 / (1 + exp(-t->log_odds)),
		.rival = {.place = {.cause = NA_CAUSES}},
		.pairs = t->pairs,
	};
	for (size_t i = 0; i < f->n * f->n; i++)
		if (is_of(&t->place, i / f->n, i % f->n))
			v->transfers += f->rows[i / f->n][i % f->n];
	if (t->place.cause == NA_CAUSE_PAIR)
		f->x[t->place.a][t->place.b] = (double)NAN;
	else
		f->gone[t->place.a] = true;
}

static void decide(struct fleet *f, struct na_judge_result *r)
{
	for (size_t k = 0; k < TRIALS; k++) {
		struct tried t = look(f, r);

		if (isnan(t.log_odds))
			return;
		if (t.log_odds < log(NAMED) || t.m - 2 * t.s < log(SLOW)) {
			r->open[0] = (struct na_rival){t.place, t.log_odds};
			r->n_open = 1;
			r->nobody = 1 / (1 + exp(t.log_odds));
			return;
		}
		name(r, f, &t);
	}
}

enum na_status na_held_out(const struct na_evidence *e,
			   struct na_judge_result *out, struct na_err *err)
{
	struct fleet f = {.n = e->n_hosts};

	memset(out, 0, sizeof(*out));
	out->bounds = na_calloc(2 * f.n + 1, sizeof(*out->bounds));
	out->findings = na_calloc(TRIALS, sizeof(*out->findings));
	out->open = na_calloc(1, sizeof(*out->open));
	if (!out->bounds || !out->findings || !out->open || !gather(e, &f))
		return na_fail_nomem(err);
	out->n_bounds = 2 * f.n;
	for (size_t i = 0; i < out->n_bounds; i++)
		out->bounds[i] = (struct na_judge_bound){
			(uint32_t)(i / 2), i % 2 ? NA_CAUSE_DST : NA_CAUSE_SRC,
			(double)NAN};
	decide(&f, out);
	for (size_t i = 0; i < out->n_bounds; i++)
		out->upper = fmax(out->upper, out->bounds[i].upper);
	out->outcome = out->n_findings ? NA_GUILTY
		       : out->upper > 0 && out->upper <= ACQUITTED
			       ? NA_NOT_GUILTY
			       : NA_CANNOT_TELL;
	return NA_OK;
}
