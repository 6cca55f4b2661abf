/* Units: how a group's transfers compare with those of others. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/judge/constants.h"
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

/* What groups of a stratum are compared with: those that nothing passes
 * beside, or the others. */
struct measure {
	size_t groups;
	double usual;    /* the lower quartile of their medians, since what is
			    wrong makes them slower */
	uint32_t *holds; /* by host: groups that hold it; 0 between strata */
};

struct compared {
	const struct na_links *l;
	double *tmp, *medians; /* [samples] */
	struct measure of[2];  /* by `beside` */
	uint32_t *seen, stamp; /* by host */
	struct ratios *out;
};

static size_t end_of_group(const struct links_sample *v, size_t i, size_t to)
{
	uint32_t group = v[i].group;

	while (i < to && v[i].group == group)
		i++;
	return i;
}

/* Host of part i of a sample's instance; NA_UNKNOWN_U32: it was there since
 * `stamp` was counted up. */
static uint32_t host_once(struct compared *m, const struct links_sample *x,
			  size_t i)
{
	const struct na_ranks *r = m->l->ranks;
	const struct na_rank_instance *k = &r->instances.v[x->instance];
	uint32_t host = m->l->host_of[r->parts.v[k->from + i].rank];

	if (m->seen[host] == m->stamp)
		return NA_UNKNOWN_U32;
	m->seen[host] = m->stamp;
	return host;
}

static double median_of(struct compared *m, const struct links_sample *v,
			size_t n)
{
	for (size_t i = 0; i < n; i++)
		m->tmp[i] = v[i].log_ps;
	return na_median(m->tmp, n);
}

static void take_measure(struct compared *m, const struct links_sample *v,
			 size_t n, struct measure *to)
{
	to->groups = 0;
	for (size_t i = 0, end; i < n; i = end) {
		end = end_of_group(v, i, n);
		if (end - i < LEAST_OF_STRATUM)
			continue;
		m->medians[to->groups++] = median_of(m, &v[i], end - i);
		m->stamp++;
		for (size_t k = 0; k < v[i].ranks; k++) {
			uint32_t host = host_once(m, &v[i], k);

			if (host != NA_UNKNOWN_U32)
				to->holds[host]++;
		}
	}
	if (to->groups)
		to->usual = na_select(m->medians, to->groups,
				      (to->groups - 1) / 4);
}

static void forget(struct compared *m, const struct links_sample *v, size_t n,
		   struct measure *of)
{
	for (size_t i = 0, to; i < n; i = to) {
		to = end_of_group(v, i, n);
		m->stamp++;
		for (size_t k = 0; k < v[i].ranks; k++) {
			uint32_t host = host_once(m, &v[i], k);

			if (host != NA_UNKNOWN_U32)
				of->holds[host] = 0;
		}
	}
}

/* A host that all groups hold would make all of them slow: that they are even
 * says nothing of it. */
static bool may_be_even(struct compared *m, const struct links_sample *v,
			const struct measure *by)
{
	m->stamp++;
	for (size_t k = 0; k < v->ranks; k++) {
		uint32_t host = host_once(m, v, k);

		if (host != NA_UNKNOWN_U32 && by->holds[host] == by->groups)
			return false;
	}
	return true;
}

/*
 * What the instances [0, n) of a group are compared with; NULL: nothing tells.
 * What passes beside makes slower: who is slow beside nobody, compared with
 * those who are not alone, is slow all the more, and the reverse.
 */
static const struct measure *measure_of(struct compared *m,
					const struct links_sample *v, size_t n)
{
	const struct measure *alone = &m->of[0], *beside = &m->of[1];
	const struct measure *own = v->beside ? beside : alone;
	double median = median_of(m, v, n);
	const double even = log(NA_LINKS_EVEN);

	if (n < LEAST_OF_STRATUM)
		return NULL;
	if (own->groups >= LEAST_GROUPS && (!v->beside || !alone->groups) &&
	    (median > own->usual + even || may_be_even(m, v, own)))
		return own;
	if (!v->beside)
		return beside->groups && median > beside->usual + even ? beside
								       : NULL;
	return alone->groups && median <= alone->usual + even &&
			       may_be_even(m, v, alone)
		       ? alone
		       : NULL;
}

static int class_of(uint64_t bytes)
{
	return (63 - __builtin_clzll(bytes | 1)) / 2;
}

static bool compare_stratum(struct compared *m, const struct links_sample *v,
			    size_t n)
{
	size_t mid = 0;
	bool ok = true;

	while (mid < n && !v[mid].beside)
		mid++;
	take_measure(m, v, mid, &m->of[0]);
	take_measure(m, v + mid, n - mid, &m->of[1]);
	for (size_t i = 0, to; ok && i < n; i = to) {
		const struct measure *by;

		to = end_of_group(v, i, i < mid ? mid : n);
		by = measure_of(m, &v[i], to - i);
		for (size_t k = i; by && ok && k < to; k++)
			ok = na_add(m->out,
				    ((struct ratio){v[k].run, v[k].group,
						    v[k].instance,
						    class_of(v[k].bytes),
						    v[k].hosts < 2,
						    v[k].log_ps - by->usual}));
	}
	forget(m, v, mid, &m->of[0]);
	forget(m, v + mid, n - mid, &m->of[1]);
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
	/* Of a median, by the quartiles; hardware differs by 3 %. */
	u.se = hypot(1.2533 / 1.349 / sqrt((double)n) *
			     (v[3 * (n - 1) / 4].log_x -
			      v[(n - 1) / 4].log_x),
		     NA_J_FLOOR_CELL);
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

bool na_links_compare(struct na_links *l, struct links_samples *x)
{
	struct ratios ratios = {0};
	double *tmp = na_calloc(2 * x->n + 1, sizeof(*tmp));
	uint32_t *hosts = na_calloc(3 * (size_t)l->n_hosts + 1, sizeof(*hosts));
	bool ok = tmp && hosts;
	struct compared m = {.l = l, .tmp = tmp, .out = &ratios};

	if (ok) {
		m.medians = tmp + x->n;
		m.of[0].holds = hosts;
		m.of[1].holds = hosts + l->n_hosts;
		m.seen = hosts + 2 * (size_t)l->n_hosts;
	}
	na_sort(x->v, x->n, by_stratum);
	for (size_t i = 0, to; ok && i < x->n; i = to) {
		for (to = i + 1;
		     to < x->n && stratum(&x->v[i], &x->v[to]) == 0;)
			to++;
		ok = compare_stratum(&m, &x->v[i], to - i);
	}
	na_sort(ratios.v, ratios.n, by_unit);
	ok = ok && add_units(l, &ratios);
	free(ratios.v);
	free(tmp);
	free(hosts);
	return ok;
}
