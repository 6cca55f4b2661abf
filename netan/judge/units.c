#include "netan/judge/units.h"

#include <math.h>

#include "netan/base/arena.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/judge/constants.h"
#include "netan/judge/grid.h"
#include "netan/stats/tests/robust.h"

enum { LEVEL, SPELL, HYPOTHESES, RATES = 20, SIZES = 5, FEW = 10 };

/* Prior odds that one of the units is at fault. */
#define PRIOR 0.4
/* So many spreads healthy units are apart. */
#define HEALTHY 2

/* A unit that was named is away where it is slow always.  Whoever is the
 * second worst in the bad moments of another one waits for that: these stay. */
enum { IN, AWAY, PASSED };

/* Rates of healthy units differ by 14 % at least. */
#define SPREAD_MIN 0.02
/* Odds that a unit at fault is the worst, over the usual ones. */
#define RATE_MIN 2.0
#define RATE_MAX 100.0
/* At most half of the units is at fault; the others are the null. */
#define NULL_SHARE 2

struct cell { /* a unit in a replicate, beside the median unit */
	uint32_t unit, replicate;
	double x;
};

NA_ORDER(by_replicate, struct cell, NA_UP(replicate), NA_UP(unit), NA_UP(x))
NA_ORDER(by_unit, struct cell, NA_UP(unit), NA_UP(replicate))

struct unit {
	uint32_t id;
	size_t from, to; /* cells */
	size_t blocks;
	double centre, se, block2; /* variance of centre by its blocks */
	double worst, sum; /* replicates in which it is that, by how much */
	double by_size[SIZES];
	double log_bf[HYPOTHESES], effect[HYPOTHESES], upper, log_odds;
};

struct judge {
	const struct na_units_input *in;
	double by; /* from the measure of values to logs */
	struct na_j_grid grid;
	struct cell *cells;
	double *tmp, *tmp2; /* [rows + units] */
	struct unit *units;
	uint8_t *out; /* by unit: IN, AWAY or PASSED */
	size_t n_cells, n_live; /* live: of units */
	size_t n_units, n_replicates;
	double worst, tau, nu, log_null[NA_J_GRID];
	na_j_kernel healthy;
};

/* The lower one of two.  Reorders x. */
static double lower_median(double *x, size_t n)
{
	return na_select(x, n, (n - 1) / 2);
}

/* ---- observations */

/* One cell of [0, n), which are of one replicate and unit, ascending. */
static size_t end_of_cell(const struct cell *c, size_t n)
{
	size_t k = 1;

	while (k < n && c[k].replicate == c->replicate && c[k].unit == c->unit)
		k++;
	return k;
}

/* Of a replicate, in [from, to): one for each unit, less the median unit's.
 * How many are kept. */
static size_t take_replicate(struct judge *j, size_t from, size_t to,
			     struct cell *kept)
{
	size_t n = 0;
	double usual;

	for (size_t i = from, k; i < to; i += k) {
		k = end_of_cell(&j->cells[i], to - i);
		kept[n] = j->cells[i + (k - 1) / 2];
		kept[n].replicate = (uint32_t)j->n_replicates;
		j->tmp[n] = kept[n].x;
		n++;
	}
	if (n < 2)
		return 0;
	usual = lower_median(j->tmp, n);
	for (size_t i = 0; i < n; i++)
		kept[i].x -= usual;
	j->n_replicates++;
	return n;
}

static void take_cells(struct judge *j)
{
	const struct na_units_input *in = j->in;
	size_t n = 0;

	j->n_cells = j->n_replicates = 0;
	for (size_t i = 0; i < in->n_rows; i++) {
		const struct na_units_row *r = &in->rows[i];

		if (j->out[r->unit] != AWAY)
			j->cells[n++] = (struct cell){r->unit, r->replicate,
						      r->value * j->by};
	}
	na_sort(j->cells, n, by_replicate);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && j->cells[to].replicate ==
						  j->cells[from].replicate;)
			to++;
		j->n_cells += take_replicate(j, from, to,
					     &j->cells[j->n_cells]);
	}
	na_sort(j->cells, j->n_cells, by_unit);
}

/* ---- units */

static double mad(double *x, size_t n, double centre)
{
	return NA_MAD_SIGMA * na_mad(x, n, centre);
}

static double centre_of(struct judge *j, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		j->tmp[i - from] = j->cells[i].x;
	return lower_median(j->tmp, to - from);
}

/* Of its median, by the medians of blocks of replicates: clusters. */
static void take_noise(struct judge *j, struct unit *u)
{
	size_t blocks = j->n_replicates < NA_J_BLOCKS ? j->n_replicates
						      : NA_J_BLOCKS;
	double sd;

	for (size_t i = u->from, to; i < u->to; i = to) {
		size_t b = j->cells[i].replicate * blocks / j->n_replicates;

		for (to = i; to < u->to && j->cells[to].replicate * blocks /
						   j->n_replicates == b;)
			to++;
		j->tmp2[u->blocks++] = centre_of(j, i, to);
	}
	sd = mad(j->tmp2, u->blocks, u->centre);
	if (u->blocks > 1)
		sd *= sqrt((double)u->blocks / (double)(u->blocks - 1));
	u->block2 = 1.86 * sd * sd / (double)u->blocks;
}

static void list_units(struct judge *j)
{
	j->n_units = j->n_live = 0;
	for (size_t i = 0, to; i < j->n_cells; i = to) {
		struct unit *u = &j->units[j->n_units];

		for (to = i; to < j->n_cells &&
			     j->cells[to].unit == j->cells[i].unit;)
			to++;
		if (j->out[j->cells[i].unit])
			continue;
		j->n_units++;
		j->n_live += to - i;
		*u = (struct unit){
			.id = j->cells[i].unit, .from = i, .to = to};
		u->centre = centre_of(j, i, to);
		take_noise(j, u);
	}
}

/* Variance of a median times its observations: of the median unit; where there
 * are few blocks, by what all units' are off. */
static double pooled_noise2(struct judge *j)
{
	double sd;
	size_t n = 0;

	if (j->n_replicates >= FEW) {
		for (size_t i = 0; i < j->n_units; i++)
			j->tmp[i] = j->units[i].block2 *
				    (double)(j->units[i].to - j->units[i].from);
		return na_median(j->tmp, j->n_units);
	}
	for (size_t i = 0; i < j->n_units; i++)
		for (size_t k = j->units[i].from; k < j->units[i].to; k++)
			j->tmp[n++] = j->cells[k].x - j->units[i].centre;
	sd = 1.3 * mad(j->tmp, n, 0);
	return 1.86 * sd * sd;
}

/* Its blocks', drawn to what all units' say. */
static void take_errors(struct judge *j)
{
	double pooled = pooled_noise2(j);

	for (size_t i = 0; i < j->n_units; i++) {
		struct unit *u = &j->units[i];
		double own = (double)u->blocks - 1;
		double unsure = j->in->unsure ? j->in->unsure[u->id] * j->by
					      : 0;

		u->se = sqrt((NA_J_PRIOR_WEIGHT * pooled /
				      (double)(u->to - u->from) +
			      own * u->block2) /
				     (NA_J_PRIOR_WEIGHT + own) +
			     NA_J_FLOOR_CELL * NA_J_FLOOR_CELL /
				     (double)u->blocks +
			     unsure * unsure);
	}
}

/* How far healthy units are apart. */
static void take_null(struct judge *j)
{
	double *x = j->tmp, usual, se2, own;
	size_t n = j->n_units;

	for (size_t i = 0; i < n; i++)
		x[i] = j->units[i].centre;
	usual = lower_median(x, n);
	for (size_t i = 0; i < n; i++)
		j->units[i].centre -= usual;
	for (size_t i = 0; i < n; i++) {
		x[i] = fabs(j->units[i].centre);
		j->tmp2[i] = j->units[i].se * j->units[i].se;
	}
	own = NA_MAD_SIGMA * lower_median(x, n);
	se2 = na_median(j->tmp2, n);
	j->tau = sqrt(fmax(own * own - se2, NA_J_FLOOR_SIDE * NA_J_FLOOR_SIDE));
	for (size_t i = 0; i < n; i++)
		x[i] = j->units[i].centre /
		       hypot(j->units[i].se, j->tau);
	j->nu = na_j_tail(x, n);
	na_j_null(&j->grid, j->tau, j->nu, j->log_null);
	na_j_kernel_init(&j->grid, j->tau, j->nu, j->healthy);
}

/* ---- level */

static double at_most(const struct judge *j, double x)
{
	return fmax(j->grid.at[0],
		    fmin(x, j->grid.at[j->grid.fault.to - 1]));
}

static void judge_level(const struct judge *j, struct unit *u)
{
	const struct na_j_grid *g = &j->grid;
	double x = at_most(j, u->centre), ll[NA_J_GRID], with, without, sum = 0;
	size_t at = NA_BOUND(i, 0, NA_J_GRID - 1, g->at[i] >= x);
	double scale = fmax(u->se, g->width[at] / 3); /* no finer than these */

	for (size_t i = 0; i < NA_J_GRID; i++)
		ll[i] = na_j_t_log((x - g->at[i]) / scale, NA_J_NU_FEW);
	with = na_j_lse_sum(ll, g->fault.log_p, NA_J_GRID);
	without = na_j_lse_sum(ll, j->log_null, NA_J_GRID);
	for (size_t i = 0; i < NA_J_GRID; i++)
		sum += exp(ll[i] + g->fault.log_p[i] - with) * g->at[i];
	u->log_bf[LEVEL] = with - without;
	u->effect[LEVEL] = u->centre > sum ? u->centre : sum;
	na_j_smear(j->healthy, ll);
	for (size_t i = 0; i < NA_J_GRID; i++)
		ll[i] += g->log_width[i];
	u->upper = na_j_grid_quantile(g, 0, NA_J_GRID, ll, 0.975);
}

/* ---- spell: counts of replicates in which it is the worst, by a fault's
 * size.  What healthy units do by chance, all are as likely to do. */

/* Beside what a healthy unit may always have of its own, as far as it is known;
 * in place. */
static void take_usual(struct judge *j)
{
	for (size_t i = 0; i < j->n_units; i++) {
		const struct unit *u = &j->units[i];
		double sure = j->tau * j->tau /
			      (j->tau * j->tau + u->se * u->se);
		double own = fmax(-HEALTHY * j->tau,
				  fmin(sure * u->centre, HEALTHY * j->tau));

		for (size_t k = u->from; k < u->to; k++)
			j->cells[k].x -= own;
	}
}

/* A replicate is that of the worst in it. */
static void count_worst(struct judge *j, double least)
{
	double *most = j->tmp, *second = j->tmp2;

	j->worst = 0;
	for (size_t r = 0; r < j->n_replicates; r++)
		most[r] = second[r] = -INFINITY;
	for (size_t k = 0; k < j->n_cells; k++) {
		const struct cell *c = &j->cells[k];
		double *at = &most[c->replicate];

		second[c->replicate] = fmax(second[c->replicate],
					    fmin(*at, c->x));
		*at = fmax(*at, c->x);
	}
	for (size_t i = 0; i < j->n_units; i++) {
		struct unit *u = &j->units[i];

		u->worst = u->sum = 0;
		for (size_t k = u->from; k < u->to; k++) {
			const struct cell *c = &j->cells[k];

			if (c->x < most[c->replicate] ||
			    c->x <= second[c->replicate] ||
			    c->x < least)
				continue;
			u->worst++;
			u->sum += c->x;
		}
		j->worst += u->worst;
	}
}

/*
 * How much more the rates of units differ than by chance: squared coefficient
 * of variation, by moments; of all but the one that is the worst most often.
 */
static double spread_of(const struct judge *j)
{
	const struct unit *most = &j->units[0];
	double more = 0, of = 0, rate;

	for (size_t i = 0; i < j->n_units; i++)
		if (j->units[i].worst > most->worst)
			most = &j->units[i];
	rate = (j->worst - most->worst + .5) /
	       ((double)(j->n_live - (most->to - most->from)) + 1);
	for (size_t i = 0; i < j->n_units; i++) {
		const struct unit *u = &j->units[i];
		double e = rate * (double)(u->to - u->from);

		if (u == most)
			continue;
		more += (u->worst - e) * (u->worst - e) - u->worst;
		of += e * e;
	}
	/* As far as it is beyond what chance alone makes of so few. */
	more -= sqrt(2 * of);
	return fmin(fmax(more / of, SPREAD_MIN), 4);
}

/* Log likelihood of k events in n where their probability has this mean and
 * squared coefficient of variation: beta-binomial, but for what is the same
 * for all. */
static double log_count(double k, double n, double mean, double spread)
{
	double sum = fmax((1 - mean) / (mean * spread) - 1, 1);
	double a = mean * sum, b = sum - a;

	return lgamma(k + a) - lgamma(a) + lgamma(n - k + b) - lgamma(b) +
	       lgamma(sum) - lgamma(n + sum);
}

static double count_bf(const struct judge *j, const struct unit *u,
		       double spread)
{
	double n = (double)(u->to - u->from), k = u->worst;
	double usual = fmin(j->worst / (double)j->n_live, .99), ll[RATES];

	if (k < NA_J_LATE_MIN)
		return 0;
	for (size_t i = 0; i < RATES; i++) {
		double odds = usual / (1 - usual) * RATE_MIN *
			      pow(RATE_MAX / RATE_MIN,
				  ((double)i + .5) / RATES);

		ll[i] = k * log(odds / (1 + odds)) - (n - k) * log1p(odds);
	}
	return na_j_lse(ll, RATES) - log((double)RATES) -
	       log_count(k, n, usual, spread);
}

/* A fault of one size or the other: log-uniform. */
static void judge_spells(struct judge *j)
{
	double least = NA_J_EFFECT_MIN;

	take_usual(j);
	for (size_t s = 0; s < SIZES; s++, least *= 2) {
		double spread;

		count_worst(j, least);
		spread = spread_of(j);
		for (size_t i = 0; i < j->n_units; i++) {
			struct unit *u = &j->units[i];
			double bf = count_bf(j, u, spread);

			if (bf > 0 && bf > u->log_bf[SPELL]) {
				u->log_bf[SPELL] = bf;
				u->effect[SPELL] = u->sum / u->worst;
			}
			u->by_size[s] = bf;
		}
	}
	for (size_t i = 0; i < j->n_units; i++)
		j->units[i].log_bf[SPELL] =
			na_j_lse(j->units[i].by_size, SIZES) -
			log((double)SIZES);
}

/* ---- odds */

/* What the others show in the same way is what healthy ones show. */
static void take_off_null(struct judge *j, int hypothesis)
{
	size_t n = j->n_units, at = n > NULL_SHARE ? n / NULL_SHARE : 1;
	double edge, next;

	for (size_t i = 0; i < n; i++)
		j->tmp[i] = j->units[i].log_bf[hypothesis];
	na_sort(j->tmp, n, na_order_f64);
	edge = j->tmp[n - 1 - at]; /* n > 1 */
	next = j->tmp[n - at];
	for (size_t i = 0; i < n; i++) {
		double *bf = &j->units[i].log_bf[hypothesis];

		*bf -= fmax(*bf >= next ? edge : next, 0);
	}
}

size_t na_units_least_replicates(size_t n_units)
{
	double bar = NA_J_NAME_LOG_ODDS - log(PRIOR / HYPOTHESES);

	return (size_t)ceil(2 + bar / log((double)n_units) - 1e-9);
}

/* Of equals the same one is the worst in all of k replicates by chance once in
 * n^(k - 1): no likelihood says more, whatever is taken for the noise of so
 * few. */
static void limit(const struct judge *j, struct unit *u)
{
	double most = (double)(u->to - u->from - 1) * log((double)j->n_units);

	for (int k = 0; k < HYPOTHESES; k++)
		u->log_bf[k] = fmin(u->log_bf[k], most);
}

static void judge_units(struct judge *j)
{
	double prior = log(PRIOR / (double)j->n_units);

	take_errors(j);
	take_null(j);
	judge_spells(j);
	for (size_t i = 0; i < j->n_units; i++) {
		judge_level(j, &j->units[i]);
		limit(j, &j->units[i]);
	}
	for (int k = 0; k < HYPOTHESES; k++)
		take_off_null(j, k);
	for (size_t i = 0; i < j->n_units; i++) {
		struct unit *u = &j->units[i];

		u->log_odds = na_j_lse(u->log_bf, HYPOTHESES) -
			      log((double)HYPOTHESES) + prior;
	}
}

static void tell(const struct judge *j, const struct unit *u,
		 const struct unit *rival, struct na_units_result *out)
{
	bool spell = u->log_bf[SPELL] > u->log_bf[LEVEL];

	*out = (struct na_units_result){
		.effect = u->effect[spell ? SPELL : LEVEL] / j->by,
		.upper = u->upper / j->by,
		.log_odds = u->log_odds,
		.posterior = 1 / (1 + exp(-u->log_odds)),
		.rival = rival ? rival->id : UINT32_MAX,
		.spell = spell,
	};
}

static const struct unit *best_but(const struct judge *j, const struct unit *x)
{
	const struct unit *best = NULL;

	for (size_t i = 0; i < j->n_units; i++)
		if (&j->units[i] != x &&
		    (!best || j->units[i].log_odds > best->log_odds))
			best = &j->units[i];
	return best;
}

/* Whether a unit was named and taken out. */
static bool judge_round(struct judge *j, uint32_t round,
			struct na_units_result *out)
{
	const struct unit *best;

	take_cells(j);
	list_units(j);
	if (j->n_units < 2)
		return false;
	judge_units(j);
	best = best_but(j, NULL);
	for (size_t i = 0; i < j->n_units; i++)
		tell(j, &j->units[i],
		     &j->units[i] == best ? best_but(j, best) : best,
		     &out[j->units[i].id]);
	if (best->log_odds < NA_J_NAME_LOG_ODDS)
		return false;
	out[best->id].rounds = round;
	j->out[best->id] = out[best->id].spell ? PASSED : AWAY;
	return true;
}

bool na_units_judge(const struct na_units_input *in,
		    struct na_units_result *out)
{
	struct na_arena mem = {0};
	struct judge *j = NA_NEW(&mem, struct judge, 1);
	size_t n = in->n_rows + in->n_units + 1;
	bool ok = j;

	for (size_t i = 0; i < in->n_units; i++)
		out[i] = (struct na_units_result){.log_odds = -INFINITY,
						  .upper = (double)NAN,
						  .rival = UINT32_MAX};
	if (ok) {
		j->in = in;
		j->by = NA_J_EFFECT_MIN / in->least;
		na_j_grid_init(&j->grid);
		j->cells = NA_NEW(&mem, struct cell, n);
		j->tmp = NA_NEW(&mem, double, n);
		j->tmp2 = NA_NEW(&mem, double, n);
		j->units = NA_NEW(&mem, struct unit, n);
		j->out = NA_NEW(&mem, uint8_t, n);
		ok = j->cells && j->tmp && j->tmp2 && j->units && j->out;
	}
	for (uint32_t i = 1; ok && i <= in->n_units / 2; i++)
		if (!judge_round(j, i, out))
			break;
	na_arena_fini(&mem);
	return ok;
}
