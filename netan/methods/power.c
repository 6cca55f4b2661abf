#include "netan/methods/power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/localise.h"

enum { NAMED = 3 }; /* hosts in a sentence */

static const double typical = 0.9; /* of the hosts, for the sentence */

/* A host by its worse side: infinite where nothing would have been named. */
struct host {
	const char *name, *why;
	double factor;
};

typedef NA_VEC(struct host) hosts;

NA_ORDER(by_factor, struct host, NA_UP(factor), strcmp(x->name, y->name))

double na_power_factor(const struct na_value *row)
{
	double factor = na_number_at(row, M_factor);

	return isnan(factor) ? (double)INFINITY : factor;
}

const char *na_power_times(char buf[NA_UNIT_BUF], double factor)
{
	snprintf(buf, NA_UNIT_BUF, "%.3g", ceil(factor * 10 - 1e-9) / 10);
	return buf;
}

NA_ORDER(by_name, struct host, strcmp(x->name, y->name), NA_DOWN(factor))

/* One of each host: the worse. */
static bool gather(hosts *all, const struct na_value *list)
{
	size_t n = 0;

	na_for_each (v, list) {
		struct host x = {na_text_at(v, M_host), na_text_at(v, M_why),
				 na_power_factor(v)};

		if (!na_add(all, x))
			return false;
	}
	na_sort(all->v, all->n, by_name);
	for (size_t i = 0; i < all->n; i++) {
		if (!n || strcmp(all->v[n - 1].name, all->v[i].name) != 0)
			all->v[n++] = all->v[i];
	}
	all->n = n;
	na_sort(all->v, all->n, by_factor);
	return true;
}

static void say_names(struct na_str *to, const struct host *x, size_t n)
{
	for (size_t i = 0; i < n && i < NAMED; i++)
		na_str_addf(to, "%s%s", i ? ", " : "", x[i].name);
	if (n > NAMED)
		na_str_addf(to, " and %zu more", n - NAMED);
}

static void say_why(struct na_str *to, const struct host *x)
{
	if (*x->why)
		na_str_addf(to, " (%s)", x->why);
}

/* Of those that are harder to name than most: what it takes on the hardest,
 * apart from hosts on which nothing would have been named. */
static void say_rest(struct na_str *to, const struct host *x, size_t n)
{
	char times[NA_UNIT_BUF];
	size_t some = n;

	while (some && isinf(x[some - 1].factor))
		some--;
	if (some) {
		na_str_addf(to, "; on ");
		say_names(to, x, some);
		na_str_addf(to, " only from %sx",
			    na_power_times(times, x[some - 1].factor));
		say_why(to, &x[some - 1]);
	}
	if (some < n) {
		na_str_addf(to, "; on ");
		say_names(to, x + some, n - some);
		na_str_addf(to, " none would");
		say_why(to, &x[some]);
	}
}

/* Of few hosts, one that is slow both ways looks like the rest waiting for it:
 * nobody is acquitted beside it, and mostly it is not named. */
static const char *one_side(size_t n_hosts)
{
	return n_hosts < NA_LZ_FEW_HOSTS ? " on one side" : "";
}

bool na_power_say(struct na_str *to, const struct na_value *list)
{
	hosts all = {NULL, 0, 0};
	bool ok = gather(&all, list);
	size_t n = (size_t)ceil(typical * (double)all.n);
	char times[NA_UNIT_BUF];

	while (n && isinf(all.v[n - 1].factor))
		n--;
	if (ok && n) {
		double factor = all.v[n - 1].factor;

		while (n < all.n && all.v[n].factor <= factor)
			n++;
		na_str_addf(to,
			    "a NIC %sx slower%s would have been named on %zu "
			    "of %zu hosts",
			    na_power_times(times, factor), one_side(all.n), n,
			    all.n);
		say_rest(to, all.v + n, all.n - n);
	}
	na_vec_free(&all);
	return ok;
}
