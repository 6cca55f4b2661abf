/* Units: how a group's transfers compare with those of others. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/links/impl.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/tests/robust.h"

enum {
	LEAST_OF_STRATUM = 3, /* instances of a group, to be a measure */
	LEAST_GROUPS = 2
};

static const double level = 0.99;

/* All but `beside`. */
#define OF_STRATUM \
	NA_CMP(x->run, y->run), NA_CMP(x->bytes, y->bytes), \
		NA_CMP(x->operation, y->operation)
#define OF_SHAPE \
	NA_CMP(x->ranks, y->ranks), NA_CMP(x->hosts, y->hosts), \
		NA_CMP(x->most, y->most)
#define OF_PLACE \
	NA_CMP(x->racks, y->racks), NA_CMP(x->purpose, y->purpose), \
		NA_CMP(x->times, y->times)

static int stratum(const struct links_sample *x, const struct links_sample *y)
{
	int order = NA_THEN(OF_STRATUM);

	order = order ? order : NA_THEN(OF_SHAPE);
	return order ? order : NA_THEN(OF_PLACE);
}

bool na_links_alike(const struct links_sample *a, const struct links_sample *b)
{
	return stratum(a, b) == 0;
}

NA_ORDER(by_stratum, struct links_sample, stratum(x, y), NA_UP(beside),
	 NA_UP(group), NA_UP(instance))

/* The logarithm of a ratio, of a group in operations of about one size. */
struct ratio {
	uint32_t run, group, instance;
	int size_class;
	bool local;
	double log_x;
};

NA_ORDER(by_unit, struct ratio, NA_UP(run), NA_UP(group), NA_UP(size_class),
	 NA_UP(log_x), NA_UP(instance))

struct ratios {
	struct ratio *v;
	size_t n, cap;
};

static size_t end_of_group(const struct links_sample *v, size_t i, size_t to)
{
	uint32_t group = v[i].group;

	while (i < to && v[i].group == group)
		i++;
	return i;
}

/* What is usual: the lower quartile of the groups' medians, since what is
 * wrong makes them slower.  NaN: too few groups. */
static double usual(const struct links_sample *v, size_t n, double *tmp,
		    double *medians)
{
	size_t groups = 0;

	for (size_t i = 0, to; i < n; i = to) {
		to = end_of_group(v, i, n);
		if (to - i < LEAST_OF_STRATUM)
			continue;
		for (size_t k = i; k < to; k++)
			tmp[k - i] = v[k].log_ps;
		medians[groups++] = na_median(tmp, to - i);
	}
	return groups < LEAST_GROUPS
		       ? (double)NAN
		       : na_select(medians, groups, (groups - 1) / 4);
}

static int class_of(uint64_t bytes)
{
	return (63 - __builtin_clzll(bytes | 1)) / 2;
}

static bool compare_stratum(const struct links_sample *v, size_t n, double *tmp,
			    struct ratios *out)
{
	double centre = usual(v, n, tmp, tmp + n);
	bool ok = true;

	for (size_t i = 0, to; isfinite(centre) && ok && i < n; i = to) {
		to = end_of_group(v, i, n);
		for (size_t k = i; ok && to - i >= LEAST_OF_STRATUM && k < to;
		     k++)
			ok = na_add(out,
				    ((struct ratio){v[k].run, v[k].group,
						    v[k].instance,
						    class_of(v[k].bytes),
						    v[k].hosts < 2,
						    v[k].log_ps - centre}));
	}
	return ok;
}

/* Of [0, n), ascending. */
static struct na_links_unit unit_of(const struct ratio *v, size_t n)
{
	struct na_links_unit u = {.run = v->run,
				  .group = v->group,
				  .instance = v->instance,
				  .size_class = v->size_class,
				  .local = v->local,
				  .n = n,
				  .low = 0,
				  .high = INFINITY};
	size_t lower, upper;

	u.excess = exp((v[(n - 1) / 2].log_x + v[n / 2].log_x) / 2);
	na_quantile_ci(n, 0.5, level, &lower, &upper);
	if (lower)
		u.low = exp(v[lower - 1].log_x);
	if (upper)
		u.high = exp(v[upper - 1].log_x);
	u.state = u.low > NA_LINKS_SLOW    ? NA_LINKS_IS_SLOW
		  : u.high < NA_LINKS_EVEN ? NA_LINKS_IS_EVEN
					   : NA_LINKS_UNSURE;
	return u;
}

static bool add_units(struct na_links *l, const struct ratios *x)
{
	bool ok = true;

	for (size_t i = 0, to; ok && i < x->n; i = to) {
		for (to = i; to < x->n && x->v[to].run == x->v[i].run &&
			     x->v[to].group == x->v[i].group &&
			     x->v[to].size_class == x->v[i].size_class;)
			to++;
		ok = na_add(&l->units, unit_of(&x->v[i], to - i));
	}
	return ok;
}

/* Of a stratum, those that nothing passes beside, where two groups have such;
 * else all the others. */
static size_t alone(const struct links_sample *v, size_t n, size_t *from)
{
	size_t groups = 0, to = 0;

	while (to < n && !v[to].beside) {
		size_t end = to;

		while (end < n && !v[end].beside && v[end].group == v[to].group)
			end++;
		groups += end - to >= LEAST_OF_STRATUM;
		to = end;
	}
	*from = groups < LEAST_GROUPS ? to : 0;
	return groups < LEAST_GROUPS ? n - to : to;
}

bool na_links_compare(struct na_links *l, struct links_samples *x)
{
	struct ratios ratios = {0};
	double *tmp = na_calloc(2 * x->n + 1, sizeof(*tmp));
	bool ok = tmp;

	na_sort(x->v, x->n, by_stratum);
	for (size_t i = 0, to; ok && i < x->n; i = to) {
		size_t from, n;

		for (to = i + 1;
		     to < x->n && stratum(&x->v[i], &x->v[to]) == 0;)
			to++;
		n = alone(&x->v[i], to - i, &from);
		ok = compare_stratum(&x->v[i + from], n, tmp, &ratios);
	}
	na_sort(ratios.v, ratios.n, by_unit);
	ok = ok && add_units(l, &ratios);
	free(ratios.v);
	free(tmp);
	return ok;
}
