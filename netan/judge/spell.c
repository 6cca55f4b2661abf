#include "netan/judge/spell.h"

#include <math.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/judge/constants.h"
#include "netan/stats/tests/robust.h"

enum {
	BATCH = 12, /* factors from exp(-50) to exp(50) */
	MOST_LOG = 50,
	WORST = 2 /* steps that the jackknife takes out: a host pauses */
};

/* A host's step has at least so many transfers. */
static const double least_transfers = 3;

static uint32_t host_of(const struct na_j_spell *v, size_t cell, int side)
{
	const struct na_j_pair *p = &v->s->pairs[v->cells[cell].pair];

	return side ? p->dst : p->src;
}

/* Medians of pairs' steps, less those of the pairs. */
static bool cells_of_view(struct na_j_spell *v, const struct na_groups *pairs,
			  const struct na_groups *cells, size_t view,
			  struct na_arena *tmp)
{
	const double *e = v->s->view[view];
	double *x = NA_J_NEW(tmp, double, v->s->n),
	       *centre = NA_J_NEW(tmp, double, pairs->n);

	v->value[view] = NA_J_NEW(&v->mem, double, cells->n);
	if (!x || !centre || !v->value[view] ||
	    !na_j_quantiles(pairs, e, .5, centre, tmp))
		return false;
	for (size_t p = 0; p < pairs->n; p++)
		for (uint32_t k = pairs->from[p]; k < pairs->from[p + 1]; k++)
			x[pairs->row[k]] = e[pairs->row[k]] - centre[p];
	return na_j_quantiles(cells, x, .5, v->value[view], tmp);
}

/* Cells by host and step, and these entries by host and by step. */
static bool group_side(struct na_j_spell *v, int side, struct na_arena *tmp)
{
	uint32_t *host = NA_J_NEW(tmp, uint32_t, v->n),
		 *step = NA_J_NEW(tmp, uint32_t, v->n);
	struct na_groups *g = &v->entries[side];

	if (!host || !step)
		return false;
	for (size_t i = 0; i < v->n; i++) {
		host[i] = host_of(v, i, side);
		step[i] = v->cells[i].step;
	}
	if (!na_j_group(g, (const uint32_t *const[]){host, step}, 2, NULL, v->n,
			&v->mem))
		return false;
	for (size_t i = 0; i < g->n; i++) {
		uint32_t cell = na_j_first(g, i);

		host[i] = host_of(v, cell, side);
		step[i] = v->cells[cell].step;
	}
	for (size_t i = 0; i < v->s->n_views; i++) {
		v->side[side][i].x = NA_J_NEW(&v->mem, double, g->n);
		v->side[side][i].scale = NA_J_NEW(&v->mem, double, g->n);
		if (!v->side[side][i].x || !v->side[side][i].scale)
			return false;
	}
	return na_j_group(&v->hosts[side], (const uint32_t *const[]){host}, 1,
			  NULL, g->n, &v->mem) &&
	       na_j_group(&v->steps[side], (const uint32_t *const[]){step}, 1,
			  NULL, g->n, &v->mem);
}

bool na_j_spell_init(struct na_j_spell *v, const struct na_j_session *s,
		     const struct na_j_grid *grid, bool large)
{
	const uint32_t *const cols[] = {s->pair, s->step};
	const uint32_t *only = large ? s->large : NULL;
	size_t n = large ? s->n_large : s->n;
	struct na_groups pairs, cells;
	struct na_arena tmp = {0};
	bool ok;

	*v = (struct na_j_spell){grid, s};
	ok = na_j_group(&pairs, cols, 1, only, n, &tmp) &&
	     na_j_group(&cells, cols, 2, only, n, &tmp);
	if (ok)
		v->cells = NA_J_NEW(&v->mem, struct na_j_cell, cells.n);
	ok = ok && v->cells;
	for (size_t i = 0; ok && i < cells.n; i++) {
		uint32_t row = na_j_first(&cells, i);

		v->cells[i] = (struct na_j_cell){
			s->pair[row], s->step[row],
			(uint32_t)na_j_count(&cells, i)};
	}
	v->n = ok ? cells.n : 0;
	for (size_t i = 0; ok && i < s->n_views; i++)
		ok = cells_of_view(v, &pairs, &cells, i, &tmp);
	ok = ok && group_side(v, 0, &tmp) && group_side(v, 1, &tmp);
	na_arena_fini(&tmp);
	return ok;
}

void na_j_spell_fini(struct na_j_spell *v)
{
	na_arena_fini(&v->mem);
}

struct weighted {
	double value;
	uint32_t weight;
};

NA_ORDER(by_value, struct weighted, NA_UP(value))

/* Weighted median of an entry's cells; NaN where these are too few. */
static double entry_median(const struct na_j_spell *v, int side, size_t view,
			   size_t entry, const bool *pair_out,
			   struct weighted *w)
{
	const struct na_groups *g = &v->entries[side];
	double all = 0, sum = 0;
	size_t n = 0;

	for (uint32_t k = g->from[entry]; k < g->from[entry + 1]; k++) {
		const struct na_j_cell *c = &v->cells[g->row[k]];

		if (pair_out && pair_out[c->pair])
			continue;
		w[n++] = (struct weighted){v->value[view][g->row[k]],
					   c->transfers};
		all += c->transfers;
	}
	if (all < least_transfers)
		return NAN;
	na_sort(w, n, by_value);
	for (size_t i = 0; i < n; i++) {
		sum += w[i].weight;
		if (sum >= all / 2)
			return w[i].value;
	}
	return NAN;
}

/* Values of a group that are there. */
static size_t known(const struct na_groups *g, size_t i, const double *x,
		    double *out)
{
	size_t n = 0;

	for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
		if (!isnan(x[g->row[k]]))
			out[n++] = x[g->row[k]];
	return n;
}

static void take_medians(const struct na_groups *g, double *x, double *tmp)
{
	for (size_t i = 0; i < g->n; i++) {
		size_t n = known(g, i, x, tmp);
		double centre = na_median(tmp, n);

		for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
			x[g->row[k]] -= centre;
	}
}

/* Hosts' own scales, none below the median of all. */
static void set_scales(const struct na_groups *hosts, const double *x,
		       double *scale, double *tmp)
{
	double middle;
	size_t n = 0;

	for (size_t h = 0; h < hosts->n; h++) {
		size_t m = known(hosts, h, x, tmp);

		for (size_t i = 0; i < m; i++)
			tmp[i] = fabs(tmp[i]);
		scale[h] = m ? NA_MAD_SIGMA * na_median(tmp, m) : NAN;
	}
	for (size_t h = 0; h < hosts->n; h++)
		if (!isnan(scale[h]))
			tmp[n++] = scale[h];
	middle = na_median(tmp, n);
	for (size_t h = 0; h < hosts->n; h++)
		scale[h] = hypot(fmax(scale[h], middle), NA_J_FLOOR_CELL);
}

static void set_side(struct na_j_spell *v, int side, size_t view,
		     const bool *pair_out, struct weighted *w, double *tmp)
{
	struct na_j_side_steps *to = &v->side[side][view];
	const struct na_groups *hosts = &v->hosts[side];
	size_t n = v->entries[side].n, m = 0;

	for (size_t i = 0; i < n; i++)
		to->x[i] = entry_median(v, side, view, i, pair_out, w);
	take_medians(hosts, to->x, tmp);
	take_medians(&v->steps[side], to->x, tmp);
	set_scales(hosts, to->x, to->scale, tmp);
	for (size_t h = 0; h < hosts->n; h++)
		for (uint32_t k = hosts->from[h]; k < hosts->from[h + 1]; k++)
			to->x[hosts->row[k]] /= to->scale[h];
	for (size_t i = 0; i < n; i++)
		if (!isnan(to->x[i]))
			tmp[m++] = to->x[i];
	to->nu = na_j_fit_nu(tmp, m);
}

bool na_j_spell_set(struct na_j_spell *v, const bool *pair_out)
{
	struct na_arena tmp = {0};
	struct weighted *w = NA_J_NEW(&tmp, struct weighted, v->n);
	double *x = NA_J_NEW(&tmp, double, v->n);
	bool ok = w && x;

	for (int side = 0; ok && side < 2; side++)
		for (size_t view = 0; view < v->s->n_views; view++)
			set_side(v, side, view, pair_out, w, x);
	na_arena_fini(&tmp);
	return ok;
}

/* One host's steps. */
struct steps {
	const struct na_j_grid *g;
	size_t n, shifts;
	const double *x;
	double *odds; /* [n][shifts]: of a shift */
	double ll[NA_J_SHARES][NA_J_GRID];
	double most; /* of the best share and shift */
	size_t share, shift;
};

/*
 * x[i] to the power (nu + 1) / 2, within e^-50 and e^50.  2 (nu + 1) is a whole
 * number for each nu there is, so roots and products do.
 */
static void raise(double *x, size_t n, double nu)
{
	unsigned quarters = (unsigned)(2 * (nu + 1)), roots = 0;
	double least = exp(-MOST_LOG), most = exp(MOST_LOG);

	while (roots < 2 && quarters % 4) {
		roots++;
		quarters *= 2;
	}
	for (size_t i = 0; i < n; i++) {
		double base = x[i], y = 1;

		for (unsigned k = 0; k < roots; k++)
			base = sqrt(base);
		for (unsigned e = quarters / 4; e; e >>= 1) {
			if (e & 1)
				y *= base;
			base *= base;
		}
		x[i] = fmin(fmax(y, least), most);
	}
}

/* Odds of each shift, of all steps. */
static void odds_of(struct steps *s, double scale, double nu)
{
	const double *at = s->g->at + s->g->high.from;

	for (size_t i = 0; i < s->n; i++) {
		double *odds = s->odds + i * s->shifts, x = s->x[i],
		       above = 1 + x * x / nu;

		for (size_t a = 0; a < s->shifts; a++) {
			double z = x - at[a] / scale;

			odds[a] = above / (1 + z * z / nu);
		}
	}
	raise(s->odds, s->n * s->shifts, nu);
}

/* Log likelihood by share and shift, with the prior, of all steps but two. */
static double factor(struct steps *s, const size_t *without, size_t n_without)
{
	const double *prior = s->g->high.log_p + s->g->high.from;
	double by_share[NA_J_SHARES], product[NA_J_GRID];

	for (size_t f = 0; f < NA_J_SHARES; f++) {
		double share = na_j_step_shares[f], *ll = s->ll[f];
		size_t waiting = 0;

		for (size_t a = 0; a < s->shifts; a++) {
			ll[a] = prior[a];
			product[a] = 1;
		}
		for (size_t i = 0; i <= s->n; i++) {
			const double *odds = s->odds + i * s->shifts;

			if (waiting == BATCH || i == s->n) {
				for (size_t a = 0; a < s->shifts; a++) {
					ll[a] += log(product[a]);
					product[a] = 1;
				}
				waiting = 0;
			}
			if (i == s->n || (n_without && (i == without[0] ||
							i == without[1])))
				continue;
			for (size_t a = 0; a < s->shifts; a++)
				product[a] *= 1 - share + share * odds[a];
			waiting++;
		}
		by_share[f] = na_j_lse(ll, s->shifts);
	}
	return na_j_lse(by_share, NA_J_SHARES) - log(NA_J_SHARES);
}

static void find_most(struct steps *s)
{
	s->most = -INFINITY;
	for (size_t f = 0; f < NA_J_SHARES; f++)
		for (size_t a = 0; a < s->shifts; a++)
			if (s->ll[f][a] > s->most) {
				s->most = s->ll[f][a];
				s->share = f;
				s->shift = a;
			}
}

/* The two steps of greatest odds at the best shift. */
static void worst(const struct steps *s, size_t *out)
{
	out[0] = out[1] = SIZE_MAX;
	for (int k = 0; k < WORST; k++)
		for (size_t i = 0; i < s->n; i++)
			if (i != out[0] &&
			    (out[k] == SIZE_MAX ||
			     s->odds[i * s->shifts + s->shift] >
				     s->odds[out[k] * s->shifts + s->shift]))
				out[k] = i;
}

static struct na_j_gain gain_of(struct steps *s, int view)
{
	const struct na_j_prior *p = &s->g->high;
	struct na_j_gain g = {.there = true, .view = view};
	double posterior[NA_J_GRID], by_share[NA_J_SHARES];
	size_t without[WORST];

	g.gain = factor(s, NULL, 0);
	find_most(s);
	g.effect = s->g->at[p->from + s->shift];
	g.share = na_j_step_shares[s->share];
	for (size_t a = 0; a < s->shifts; a++) {
		for (size_t f = 0; f < NA_J_SHARES; f++)
			by_share[f] = s->ll[f][a];
		posterior[a] = na_j_lse(by_share, NA_J_SHARES);
	}
	g.low = na_j_grid_quantile(s->g, p->from, s->shifts, posterior, .025);
	g.high = na_j_grid_quantile(s->g, p->from, s->shifts, posterior, .975);
	if (g.share * (double)s->n < 1.5)
		g.gain = -1;
	worst(s, without);
	if (g.gain > 0 && factor(s, without, WORST) <= 0)
		g.gain = fmin(g.gain, 1);
	return g;
}

/* The least gain of both views. */
static void host_gain(const struct na_j_spell *v, int side, size_t h,
		      struct steps *s, double *x, struct na_j_gain *out)
{
	const struct na_groups *hosts = &v->hosts[side];

	for (size_t view = 0; view < v->s->n_views; view++) {
		const struct na_j_side_steps *at = &v->side[side][view];
		struct na_j_gain g;

		s->n = known(hosts, h, at->x, x);
		if (s->n < NA_J_MIN_SIDE_STEPS)
			return;
		odds_of(s, at->scale[h], at->nu);
		g = gain_of(s, (int)view);
		if (!out->there || g.gain < out->gain)
			*out = g;
	}
}

static size_t longest(const struct na_j_spell *v)
{
	size_t most = 0;

	for (int side = 0; side < 2; side++)
		for (size_t h = 0; h < v->hosts[side].n; h++)
			if (na_j_count(&v->hosts[side], h) > most)
				most = na_j_count(&v->hosts[side], h);
	return most;
}

static bool steps_init(struct steps *s, const struct na_j_spell *v, double **x,
		       struct na_arena *tmp)
{
	size_t most = longest(v);

	s->g = v->grid;
	s->shifts = v->grid->high.to - v->grid->high.from;
	s->odds = NA_J_NEW(tmp, double, most * s->shifts);
	s->x = *x = NA_J_NEW(tmp, double, most);
	return s->odds && *x;
}

bool na_j_spell_gains(const struct na_j_spell *v, struct na_j_gain *out)
{
	struct na_arena tmp = {0};
	struct steps s;
	double *x;
	bool ok = steps_init(&s, v, &x, &tmp);

	for (int side = 0; ok && side < 2; side++)
		for (size_t h = 0; h < v->hosts[side].n; h++) {
			uint32_t entry = na_j_first(&v->hosts[side], h),
				 host = host_of(v,
						na_j_first(&v->entries[side],
							   entry),
						side);

			host_gain(v, side, h, &s, x,
				  &out[(size_t)side * v->s->n_hosts + host]);
		}
	na_arena_fini(&tmp);
	return ok;
}

static size_t find_host(const struct na_j_spell *v, int side, uint32_t host)
{
	const struct na_groups *g = &v->hosts[side];

	return NA_BOUND(i, 0, g->n,
			host_of(v, na_j_first(&v->entries[side],
					      na_j_first(g, i)),
				side) >= host);
}

bool na_j_spell_steps(const struct na_j_spell *v, int side, uint32_t host,
		      const struct na_j_gain *gain, uint32_t **out, size_t *n)
{
	const struct na_groups *hosts = &v->hosts[side];
	size_t h = find_host(v, side, host);
	const struct na_j_side_steps *at = &v->side[side][gain->view];
	double shift;

	*n = 0;
	*out = na_calloc(na_j_count(hosts, h), sizeof(**out));
	if (!*out)
		return false;
	shift = gain->effect / at->scale[h];
	for (uint32_t k = hosts->from[h]; k < hosts->from[h + 1]; k++) {
		uint32_t entry = hosts->row[k],
			 cell = na_j_first(&v->entries[side], entry);
		double x = at->x[entry], odds;

		if (isnan(x))
			continue;
		odds = gain->share * exp(na_j_t_log(x - shift, at->nu) -
					 na_j_t_log(x, at->nu));
		if (odds > 1 - gain->share)
			(*out)[(*n)++] = v->s->step_name[v->cells[cell].step];
	}
	return true;
}
