/*
 * What an acquittal rests on: how slow a side of a host would have had to be
 * to be named in this session.  Power as of a test (Cohen, Statistical Power
 * Analysis for the Behavioral Sciences, 1988): that nothing was found says
 * something only where it would have been found.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/look.h"
#include "netan/checks/verdict.h"
#include "netan/methods/wire/wire.h"

enum { NAMED = 3 }; /* hosts in a sentence */

static const double typical = 0.9; /* of the hosts, for the sentence */

/* A host by its worse side: infinite where nothing would have been named. */
struct host {
	const char *name, *why;
	double factor;
};

typedef NA_VEC(struct host) hosts;

NA_ORDER(by_factor, struct host, NA_UP(factor), strcmp(x->name, y->name))

static double factor_of(const struct na_value *row)
{
	double factor = na_number_at(row, M_factor);

	return isnan(factor) ? (double)INFINITY : factor;
}

static struct host *find(const hosts *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->v[i].name, name) == 0)
			return &all->v[i];
	}
	return NULL;
}

static hosts hosts_of(struct na_case *c)
{
	hosts all = {NULL, 0, 0};

	na_for_each (v, na_get(na_case_body(c, "pairs"), M_power)) {
		struct host x = {na_text_at(v, M_host), na_text_at(v, M_why),
				 factor_of(v)};
		struct host *known = find(&all, x.name);

		if (!known)
			c->failed |= !na_add(&all, x);
		else if (x.factor > known->factor)
			*known = x;
	}
	na_sort(all.v, all.n, by_factor);
	return all;
}

/* Rounded up: what is claimed is true. */
static const char *times(struct na_case *c, double factor)
{
	return na_case_text(c, "%.3g", ceil(factor * 10 - 1e-9) / 10);
}

/* What stands most often against naming what matters. */
static const char *common_why(const struct na_value *list)
{
	const char *best = "";
	size_t most = 0;

	na_for_each (v, list) {
		const char *why = na_text_at(v, M_why);
		size_t n = 0;

		if (!*why || factor_of(v) <= NA_LZ_MATTERS)
			continue;
		na_for_each (w, list)
			n += strcmp(na_text_at(w, M_why), why) == 0;
		if (n > most) {
			most = n;
			best = why;
		}
	}
	return best;
}

/* What would show more. */
static const char *lacking(struct na_case *c, const char *why)
{
	bool places = strstr(why, "topology");
	const char *more = "capture more steps, of all hosts at once";

	switch (na_locality(c)) {
	case NA_PLACED:
		return more;
	case NA_UNPLACED:
		return places ? "trace more hosts at once, or give a topology "
				"that tells them apart: this one names one "
				"rack, one for each host, or not all of them"
			      : more;
	default:
		return places ? "give --topology FILE, or trace more hosts at "
				"once"
			      : na_case_text(c, "%s, and give --topology FILE",
					     more);
	}
}

/* "transmit side of host-2 (from 2.5x), receive side of host-5 and 3 more",
 * which would not have been named by what matters. */
static const char *unnamed(struct na_case *c, const struct na_value *list)
{
	const char *text = "";
	size_t n = 0;

	na_for_each (v, list) {
		double factor = factor_of(v);

		if (factor <= NA_LZ_MATTERS || n++ >= NAMED)
			continue;
		text = na_case_text(
			c, "%s%s%s side of %s%s", text, *text ? ", " : "",
			na_says(v, M_side, "src") ? "transmit" : "receive",
			na_text_at(v, M_host),
			isinf(factor) ? ""
				      : na_case_text(c, " (only from %sx)",
						     times(c, factor)));
	}
	return n > NAMED ? na_case_text(c, "%s and %zu more", text, n - NAMED)
			 : text;
}

/* What the tests that know it take at least (netan/methods/wire). */
static const char *too_little(struct na_case *c)
{
	const struct na_value *steps = na_case_body(c, "steps");
	long long here = (long long)na_length(steps, M_hosts);
	long long n = (long long)na_length(steps, M_steps);

	if (here && here < NA_WIRE_FEW_HOSTS)
		return na_case_text(c,
				    "that takes %d hosts, and these are %lld: "
				    "trace more hosts at once",
				    NA_WIRE_FEW_HOSTS, here);
	if (n && n < NA_WIRE_MIN_STEPS)
		return na_case_text(c,
				    "that takes %d steps, and these are %lld: "
				    "capture %lld more",
				    NA_WIRE_MIN_STEPS, n,
				    NA_WIRE_MIN_STEPS - n);
	return "capture more steps, of all hosts at once";
}

const char *na_power_lacks(struct na_case *c)
{
	const struct na_value *list = na_get(na_case_body(c, "pairs"), M_power);
	size_t shown = 0;
	const char *why;

	if (!list || !list->n)
		return na_case_text(c,
				    "no NIC or path stands out, but it is not "
				    "known how slow one would have had to be "
				    "to be named: %s",
				    too_little(c));
	na_for_each (v, list)
		shown += factor_of(v) <= NA_LZ_MATTERS;
	if ((double)shown >= NA_LZ_OF_SIDES * (double)list->n)
		return NULL;
	why = common_why(list);
	return na_case_text(c,
			    "no NIC or path stands out, but on %zu of %zu "
			    "sides of hosts one %sx slower would not have been "
			    "named%s%s: %s; to decide it, %s",
			    list->n - shown, list->n, times(c, NA_LZ_MATTERS),
			    *why ? ", as " : "", why, unnamed(c, list),
			    lacking(c, why));
}

static const char *names(struct na_case *c, const struct host *x, size_t n)
{
	const char *text = "";

	for (size_t i = 0; i < n && i < NAMED; i++)
		text = na_case_text(c, "%s%s%s", text, i ? ", " : "",
				    x[i].name);
	if (n > NAMED)
		text = na_case_text(c, "%s and %zu more", text, n - NAMED);
	return text;
}

static const char *why_of(struct na_case *c, const struct host *x)
{
	return *x->why ? na_case_text(c, " (%s)", x->why) : "";
}

/* Of those that are harder to name than most: what it takes on the hardest,
 * apart from hosts on which nothing would have been named. */
static const char *rest(struct na_case *c, const struct host *x, size_t n)
{
	const char *text = "";
	size_t some = n;

	while (some && isinf(x[some - 1].factor))
		some--;
	if (some)
		text = na_case_text(c, "; on %s only from %sx%s",
				    names(c, x, some),
				    times(c, x[some - 1].factor),
				    why_of(c, &x[some - 1]));
	if (some < n)
		text = na_case_text(c, "%s; on %s none would%s", text,
				    names(c, x + some, n - some),
				    why_of(c, &x[some]));
	return text;
}

const char *na_power_says(struct na_case *c)
{
	hosts all = hosts_of(c);
	size_t n = (size_t)ceil(typical * (double)all.n);
	const char *text = "";

	while (n && isinf(all.v[n - 1].factor))
		n--;
	if (n) {
		double factor = all.v[n - 1].factor;

		while (n < all.n && all.v[n].factor <= factor)
			n++;
		text = na_case_text(c,
				    "a NIC %sx slower would have been named on "
				    "%zu of %zu hosts%s",
				    times(c, factor), n, all.n,
				    rest(c, all.v + n, all.n - n));
	}
	na_vec_free(&all);
	return text;
}
