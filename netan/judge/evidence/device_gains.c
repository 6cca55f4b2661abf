/*
 * Bayes factors of one device of a host: its shift beside that of the host's
 * other devices, against what healthy devices of one host differ by.
 *
 * What slows all of them is in the others' shift, so that a slow side speaks
 * for none of its devices.  On two clocks the host's clock is, too.
 */
#include <math.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/judge/constants.h"
#include "netan/judge/evidence/level.h"

/* A device that this table has. */
struct part {
	uint32_t host, device;
	size_t from, to; /* its groups by collective */
};

/* Parts of a host, one after the other. */
struct parts {
	struct part *v;
	size_t n, most; /* most: of one host */
};

static bool list_parts(const struct na_j_level *v, int side, struct parts *p,
		       struct na_arena *tmp)
{
	const struct na_groups *g = &v->by_device_coll[side];
	size_t of_host = 0;

	*p = (struct parts){NA_NEW(tmp, struct part, g->n), 0, 0};
	for (size_t i = 0; p->v && i < g->n; i++) {
		const struct na_j_unit *u = &v->units[na_j_first(g, i)];
		struct part *last = p->n ? &p->v[p->n - 1] : NULL;
		bool same = last && last->host == u->host[side];

		if (same && last->device == u->device[side]) {
			last->to = i + 1;
			continue;
		}
		of_host = same ? of_host + 1 : 1;
		p->most = of_host > p->most ? of_host : p->most;
		p->v[p->n++] = (struct part){u->host[side], u->device[side], i,
					     i + 1};
	}
	return p->v;
}

/* Where the parts of a host end that begin at i. */
static size_t end_of_host(const struct parts *p, size_t i)
{
	size_t end = i;

	while (end < p->n && p->v[end].host == p->v[i].host)
		end++;
	return end;
}

/* ---- what healthy ones differ by */

/* The median of what is left for the units of groups from..to but for those of
 * less..more, and its variance. */
static double middle_of(const struct na_j_level *v, const struct na_groups *g,
			size_t from, size_t to, size_t less, size_t more,
			double *variance, double *x)
{
	double weight = 0;
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		for (uint32_t k = g->from[i];
		     (i < less || i >= more) && k < g->from[i + 1]; k++) {
			const struct na_j_unit *u = &v->units[g->row[k]];

			x[n++] = u->own;
			weight += 1 / (u->scale * u->scale);
		}
	*variance = NA_J_MEDIAN_VARIANCE / weight;
	return na_j_order_statistic(x, n, .5);
}

/* Moderated variance and tails of the differences of each device from the others
 * of its host. */
static bool side_spread(struct na_j_level *v, int side, const struct parts *p,
			struct na_arena *tmp)
{
	const struct na_groups *g = &v->by_device_coll[side];
	double *apart = NA_NEW(tmp, double, p->n),
	       *variance = NA_NEW(tmp, double, p->n),
	       *x = NA_NEW(tmp, double, v->n + p->n),
	       least = NA_J_FLOOR_SIDE * NA_J_FLOOR_SIDE, own, hosts = 0;
	size_t n = 0;

	if (!apart || !variance || !x)
		return false;
	for (size_t i = 0, end; i < p->n; i = end) {
		size_t from = p->v[i].from, to;

		end = end_of_host(p, i);
		to = p->v[end - 1].to;
		hosts += end - i > 1;
		for (size_t k = i; end - i > 1 && k < end; k++, n++) {
			const struct part *d = &p->v[k];
			double others;

			apart[n] = middle_of(v, g, d->from, d->to, to, to,
					     &variance[n], x);
			apart[n] -= middle_of(v, g, from, to, d->from, d->to,
					      &others, x);
			variance[n] += others;
		}
	}
	memcpy(x, apart, n * sizeof(*x));
	own = na_j_mad(x, n);
	memcpy(x, variance, n * sizeof(*x));
	own = own * own - na_j_order_statistic(x, n, .5);
	own = (NA_J_PRIOR_WEIGHT * least + hosts * fmax(own, least)) /
	      (NA_J_PRIOR_WEIGHT + hosts);
	for (size_t i = 0; i < n; i++)
		apart[i] /= sqrt(own + variance[i]);
	v->device[side] = (struct na_j_side_spread){sqrt(own), 0,
						    n ? na_j_tail(apart, n)
						      : NA_J_NU_FEW};
	return true;
}

/* ---- gains */

struct side {
	struct na_j_level *v;
	int side;
	na_j_kernel *collectives, *own;
	double null[NA_J_GRID];  /* of the side */
	double (*ll)[NA_J_GRID]; /* of a host's devices */
};

/* Mean of a shift with these log masses, and its variance. */
static double mean_of(const struct na_j_grid *g, const double *log_mass,
		      double *variance)
{
	double all = na_j_lse(log_mass, NA_J_GRID), mean = 0, square = 0;

	for (size_t a = 0; a < NA_J_GRID; a++)
		mean += exp(log_mass[a] - all) * g->at[a];
	for (size_t a = 0; a < NA_J_GRID; a++) {
		double d = g->at[a] - mean;

		/* Uniform within a cell of the grid. */
		square += exp(log_mass[a] - all) *
			  (d * d + g->width[a] * g->width[a] / 12);
	}
	*variance = square;
	return mean;
}

static struct na_j_gain gain_of_part(const struct side *s, const struct part *d,
				     const double *others)
{
	struct na_j_level *v = s->v;
	struct na_j_gain gain;
	const struct na_j_side_spread *spread = &v->device[s->side];
	double ll[NA_J_GRID], null[NA_J_GRID], variance,
		less = mean_of(v->grid, others, &variance);

	na_j_level_groups(v, s->side, &v->by_device_coll[s->side], d->from,
			  d->to, less, NA_J_KERNEL(s->collectives), ll);
	na_j_null(v->grid, sqrt(spread->tau * spread->tau + variance),
		  spread->nu, null);
	gain = na_j_gain_of(v->grid, ll, null);
	v->device_bound = fmax(v->device_bound,
			       na_j_bound_of(v->grid, ll, NA_J_KERNEL(s->own)));
	return gain;
}

static void host_gains(const struct side *s, const struct part *d, size_t n,
		       const struct na_j_blocks *b, struct na_j_gain *out)
{
	const struct na_j_level *v = s->v;
	double all[NA_J_GRID], others[NA_J_GRID];

	memcpy(all, s->null, sizeof(all));
	for (size_t i = 0; i < n; i++) {
		na_j_level_groups(v, s->side, &v->by_device_coll[s->side],
				  d[i].from, d[i].to, 0,
				  NA_J_KERNEL(s->collectives), s->ll[i]);
		for (size_t a = 0; a < NA_J_GRID; a++)
			all[a] += s->ll[i][a];
	}
	for (size_t i = 0; i < n; i++) {
		const struct na_place place = {s->side ? NA_JUDGE_DST
						       : NA_JUDGE_SRC,
					       d[i].host, d[i].device};

		for (size_t a = 0; a < NA_J_GRID; a++)
			others[a] = all[a] - s->ll[i][a];
		out[na_j_find_device(b, &place)] = gain_of_part(s, &d[i],
								others);
	}
}

static bool side_gains(struct na_j_level *v, int side,
		       const struct na_j_blocks *b, struct na_j_gain *out)
{
	struct na_arena tmp = {0};
	struct side s = {v, side, na_j_collectives(v, side),
			 na_calloc(1, sizeof(*s.own))};
	struct parts p;
	bool ok = s.collectives && s.own && list_parts(v, side, &p, &tmp) &&
		  (v->devices_known || side_spread(v, side, &p, &tmp));

	if (ok)
		s.ll = na_arena_array(&tmp, p.most, sizeof(*s.ll));
	ok = ok && s.ll;
	if (ok)
		na_j_kernel_init(v->grid, v->device[side].tau,
				 v->device[side].nu, *s.own);
	na_j_null(v->grid, v->side[side].tau, v->side[side].nu, s.null);
	for (size_t i = 0, end; ok && i < p.n; i = end) {
		end = end_of_host(&p, i);
		if (end - i > 1)
			host_gains(&s, &p.v[i], end - i, b, out);
	}
	free(s.collectives);
	free(s.own);
	na_arena_fini(&tmp);
	return ok;
}

bool na_j_level_devices(struct na_j_level *v, const struct na_j_blocks *b,
			struct na_j_gain *out)
{
	for (size_t i = 0; i < b->n_devices; i++)
		out[i] = (struct na_j_gain){0};
	v->device_bound = -INFINITY;
	if (!b->n_devices)
		return true;
	if (!side_gains(v, 0, b, out) || !side_gains(v, 1, b, out))
		return false;
	v->devices_known = true;
	return true;
}
