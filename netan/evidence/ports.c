/* Ports compared with what the others predict: see ports.h. */
#include "netan/evidence/ports.h"

#include <math.h>

#include "netan/base/arena.h"
#include "netan/base/order.h"
#include "netan/stats/tests/robust.h"

enum { OTHERS_LEAST = 3, ROWS_LEAST = 4, GRID = 60, TRIALS = 4 };

/* Who records packets suspects the network: more than the judge's. */
#define PRIOR     0.4
#define SPREAD    0.05 /* ports of one speed differ by so much, log */
#define WEIGHT    4.0  /* of that, in degrees of freedom */
#define NAMED     9.0  /* odds: posterior 0.9 */
#define SLOWEST   20.0
#define SLOW      1.15
#define SIGMAS    1.2816 /* from a normal one's 10 % quantile to its median */
#define LEAST_US  (50 / 65536.0) /* a byte: below, processors decide */
#define ACQUITTED 1.43 /* times: 0.7 of the rate; a bound below is healthy */

struct port {
	double x, d; /* x: NaN, too few rows */
	size_t rows, peers;
	uint32_t peer; /* the last one */
	double m, s, log_odds, upper;
};

static const struct port unknown = {
	.x = (double)NAN, .log_odds = (double)NAN, .upper = (double)NAN};

struct cell {
	uint32_t host, peer;
	double x;
};

struct fleet {
	const struct na_port_row *rows;
	size_t n_rows, n;
	bool *gone;           /* rows of who is named */
	struct cell *cells;   /* [n_rows] */
	double *x;            /* [n_rows] */
	struct port *port[2]; /* [n] senders', receivers' */
	struct cell *by_x[2]; /* those with x, [n] */
	size_t n_by_x[2];
	struct na_arena mem; /* all of this */
};

NA_ORDER(by_peer, struct cell, NA_UP(host), NA_UP(peer), NA_UP(x))

/* What rows of one host tell. */
static struct port measure(const struct cell *v, size_t n, double *x)
{
	struct port p = unknown;

	p.rows = n;
	p.peer = v[n - 1].peer;
	for (size_t i = 0; i < n; i++) {
		p.peers += i == 0 || v[i].peer != v[i - 1].peer;
		x[i] = v[i].x;
	}
	if (n < ROWS_LEAST)
		return p;
	p.d = (na_quantile(x, n, 0.5) - na_quantile(x, n, 0.1)) / SIGMAS;
	p.x = na_quantile(x, n, 0.25);
	return p;
}

static void measure_all(struct fleet *f, int side)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_rows; i++) {
		const struct na_port_row *r = &f->rows[i];

		if (!f->gone[i] && !isnan(r->us_per_byte[side]))
			f->cells[n++] = (struct cell){r->host[side],
						      r->host[!side],
						      log(r->us_per_byte[side] +
							  LEAST_US)};
	}
	na_sort(f->cells, n, by_peer);
	for (size_t h = 0; h < f->n; h++)
		f->port[side][h] = unknown;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && f->cells[end].host == f->cells[i].host;
		     end++)
			;
		f->port[side][f->cells[i].host] = measure(f->cells + i, end - i,
							  f->x);
	}
}

static double log_t(double z, double dof)
{
	return -(dof + 1) / 2 * log1p(z * z / dof); /* but a constant */
}

/* Log Bayes factor of a slowdown. */
static double gain(const struct port *p, double dof)
{
	double sum = 0, m = fmin(p->m, log(SLOWEST));
	double null = log_t(m / p->s, dof);

	for (int i = 0; i < GRID; i++) {
		double a = log(SLOW) + log(SLOWEST / SLOW) * i / (GRID - 1);

		sum += exp(log_t((m - a) / p->s, dof) - null);
	}
	return log(sum / GRID);
}

/* How full ports other than a host's differ, and the middle of each kind. */
struct others {
	size_t n[2];
	double mu[2], squares, weight;
};

/* What a port tells of full ones: 1 of one that is. */
static double fullness(const struct port *p)
{
	return SPREAD * SPREAD / (SPREAD * SPREAD + p->d * p->d);
}

/* Not one that has met nobody but h. */
static bool is_other(const struct fleet *f, int side, size_t i, size_t h)
{
	const struct port *p = &f->port[side][i];

	return i != h && (p->peers > 1 || p->peer != h);
}

NA_ORDER(by_x, struct cell, NA_UP(x), NA_UP(host))

/* Once for all hosts that are compared. */
static void order(struct fleet *f, int side)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (!isnan(f->port[side][i].x))
			f->by_x[side][n++] =
				(struct cell){.host = (uint32_t)i,
					      .x = f->port[side][i].x};
	na_sort(f->by_x[side], n, by_x);
	f->n_by_x[side] = n;
}

/* The median of v[n], which ascend, by fullness. */
static double middle(const struct port *port, const struct cell *v, size_t n)
{
	double all = 0, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		all += fullness(&port[v[i].host]);
	for (i = 0; i + 1 < n; i++)
		if ((sum += fullness(&port[v[i].host])) >= all / 2)
			break;
	return v[i].x;
}

static void add_side(struct fleet *f, int side, size_t h, struct others *o)
{
	const struct port *port = f->port[side];
	size_t n = 0;

	for (size_t i = 0; i < f->n_by_x[side]; i++)
		if (is_other(f, side, f->by_x[side][i].host, h))
			f->cells[n++] = f->by_x[side][i];
	o->n[side] = n;
	if (n < OTHERS_LEAST)
		return;
	o->mu[side] = middle(port, f->cells, n);
	for (size_t i = 0; i < n; i++) {
		double away = f->cells[i].x - o->mu[side];

		o->weight += fullness(&port[f->cells[i].host]);
		o->squares += fullness(&port[f->cells[i].host]) * away * away;
	}
	o->weight -= fmin(1, o->weight - WEIGHT);
}

/* Both ports of h with those of the others. */
static void compare(struct fleet *f, size_t h)
{
	struct others o = {.weight = WEIGHT,
			   .squares = WEIGHT * SPREAD * SPREAD};
	double dof = WEIGHT, s2;

	if (isnan(f->port[0][h].x) && isnan(f->port[1][h].x))
		return;
	add_side(f, 0, h, &o);
	add_side(f, 1, h, &o);
	s2 = o.squares / o.weight;
	for (int side = 0; side < 2; side++)
		dof += o.n[side] < OTHERS_LEAST ? 0 : (double)o.n[side] - 1;
	for (int side = 0; side < 2; side++) {
		struct port *p = &f->port[side][h];
		double known = 0, of;

		if (isnan(p->x) || o.n[side] < OTHERS_LEAST)
			continue;
		for (size_t i = 0; i < f->n; i++)
			if (!isnan(f->port[side][i].x) &&
			    is_other(f, side, i, h))
				known += 1 / (s2 + f->port[side][i].d *
							   f->port[side][i].d);
		of = s2 + 1 / known;
		p->m = p->x - o.mu[side];
		p->s = sqrt(of + p->d * p->d);
		p->upper = exp(p->m + 2 * sqrt(of));
		p->log_odds = gain(p, dof) + log(PRIOR / (double)f->n);
	}
}

static bool stands_out(const struct port *p)
{
	return p->log_odds >= log(NAMED) && p->m - 2 * p->s >= log(SLOW);
}

/* The most likely port, its side and host; NULL: none could be compared. */
static const struct port *look(struct fleet *f, struct na_place *place)
{
	const struct port *best = NULL;

	for (int side = 0; side < 2; side++) {
		measure_all(f, side);
		order(f, side);
	}
	for (size_t h = 0; h < f->n; h++)
		compare(f, h);
	for (size_t i = 0; i < 2 * f->n; i++) {
		const struct port *p = &f->port[i % 2][i / 2];

		if (isnan(p->log_odds) ||
		    (best && p->log_odds <= best->log_odds))
			continue;
		best = p;
		*place = (struct na_place){i % 2 ? NA_JUDGE_DST : NA_JUDGE_SRC,
					   (uint32_t)(i / 2), NA_JUDGE_NONE};
	}
	return best;
}

static void bound(const struct fleet *f, struct na_judge_result *r)
{
	r->upper = 0;
	for (size_t i = 0; i < r->n_bounds; i++) {
		double upper = f->port[i % 2][i / 2].upper;

		if (isnan(r->bounds[i].upper))
			r->bounds[i].upper = upper;
		r->upper = fmax(r->upper, upper);
	}
}

/* What explains as much as a port that stands out. */
static struct na_place whole(const struct fleet *f, struct na_place at)
{
	int side = at.cause == NA_JUDGE_DST;
	const struct port *p = &f->port[side][at.a];
	const struct port *own = &f->port[!side][at.a];
	const struct port *far = &f->port[!side][p->peer];

	if (stands_out(own) && own->m + 2 * own->s > p->m - 2 * p->s)
		return (struct na_place){NA_JUDGE_HOST, at.a, NA_JUDGE_NONE};
	if (p->peers == 1 && far->peers == 1 &&
	    far->m + 2 * far->s > p->m - 2 * p->s)
		return (struct na_place){NA_JUDGE_PAIR, side ? p->peer : at.a,
					 side ? at.a : p->peer};
	return at;
}

/* Out of what follows with it. */
static void name(struct fleet *f, struct na_judge_result *r,
		 const struct port *p, struct na_place at)
{
	struct na_judge_finding *v = &r->findings[r->n_findings++];

	*v = (struct na_judge_finding){
		.place = whole(f, at),
		.mechanism = NA_MECH_LEVEL,
		.effect = p->m,
		.low = p->m - 2 * p->s,
		.high = p->m + 2 * p->s,
		.log_odds = p->log_odds,
		.posterior = 1 / (1 + exp(-p->log_odds)),
		.rival = {.place = {.cause = NA_JUDGE_CAUSES}},
		.pairs = p->peers,
		.transfers = p->rows,
	};
	for (size_t i = 0; i < f->n_rows; i++) {
		const uint32_t *host = f->rows[i].host;

		f->gone[i] |= v->place.cause == NA_JUDGE_PAIR
				      ? host[0] == v->place.a &&
						host[1] == v->place.b
				      : host[0] == at.a || host[1] == at.a;
	}
}

static void decide(struct fleet *f, struct na_judge_result *r)
{
	for (size_t k = 0; k <= TRIALS; k++) {
		struct na_place place;
		const struct port *p = look(f, &place);

		bound(f, r);
		if (!p)
			return;
		if (k == TRIALS || !stands_out(p)) {
			r->open[0] = (struct na_rival){place, p->log_odds};
			r->n_open = 1;
			r->nobody = 1 / (1 + exp(p->log_odds));
			return;
		}
		name(f, r, p, place);
	}
}

static bool make_room(struct fleet *f, struct na_judge_result *out)
{
	bool ok;

	f->gone = NA_NEW(&f->mem, bool, f->n_rows);
	f->cells = NA_NEW(&f->mem, struct cell, f->n_rows);
	f->x = NA_NEW(&f->mem, double, f->n_rows);
	ok = f->gone && f->cells && f->x;
	for (int side = 0; side < 2; side++) {
		f->port[side] = NA_NEW(&f->mem, struct port, f->n);
		f->by_x[side] = NA_NEW(&f->mem, struct cell, f->n);
		ok = ok && f->port[side] && f->by_x[side];
	}
	*out = (struct na_judge_result){
		.n_bounds = 2 * f->n,
		.bounds = na_calloc(2 * f->n, sizeof(*out->bounds)),
		.findings = na_calloc(TRIALS, sizeof(*out->findings)),
		.open = na_calloc(1, sizeof(*out->open))};
	ok = ok && out->bounds && out->findings && out->open;
	for (size_t i = 0; ok && i < out->n_bounds; i++)
		out->bounds[i] = (struct na_judge_bound){
			(uint32_t)(i / 2), i % 2 ? NA_JUDGE_DST : NA_JUDGE_SRC,
			(double)NAN};
	return ok;
}

enum na_status na_ports_judge(const struct na_port_rows *in, size_t n_hosts,
			      struct na_judge_result *out, struct na_err *err)
{
	struct fleet f = {.rows = in->rows.v,
			  .n_rows = in->rows.n,
			  .n = n_hosts};
	bool ok = make_room(&f, out);

	if (ok) {
		decide(&f, out);
		out->outcome = out->n_findings ? NA_JUDGE_GUILTY
			       : out->upper > 0 && out->upper <= ACQUITTED
				       ? NA_JUDGE_NOT_GUILTY
				       : NA_JUDGE_CANNOT_TELL;
	}
	na_arena_fini(&f.mem);
	return ok ? NA_OK : na_fail_nomem(err);
}
