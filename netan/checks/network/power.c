/*
 * What ruling the network out rests on: the upper bounds of how slow each side
 * of a host may be, which `pairs` takes from the same fit that names suspects.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/checks/look.h"
#include "netan/checks/verdict.h"

/* Fewer hosts cannot be compared; in fewer steps chance decides. */
enum { LEAST_HOSTS = 4, LEAST_STEPS = 8 };

/* The largest bound, 1 without any; how many sides have none. */
static double largest_bound(const struct na_case *c, size_t *unknown)
{
	return fmax(1,
		    na_largest_bound(na_get(na_case_body(c, "pairs"), M_power),
				     unknown));
}

static const char *to_record(struct na_case *c)
{
	const struct na_value *steps = na_case_body(c, "steps");
	long long hosts = (long long)na_length(steps, M_hosts);
	long long n = (long long)na_length(steps, M_steps);
	const char *wider = na_wider(c);

	if (hosts && hosts < LEAST_HOSTS)
		return na_case_text(c,
				    "it takes %d hosts, and these are %s: "
				    "trace more hosts at once",
				    LEAST_HOSTS, na_case_count(c, hosts));
	if (*wider)
		return wider;
	if (n && n < LEAST_STEPS)
		return na_case_text(c,
				    "it takes %d steps, and these are %s: "
				    "capture %s more",
				    LEAST_STEPS, na_case_count(c, n),
				    na_case_count(c, LEAST_STEPS - n));
	return na_locality(c) == NA_NO_TOPOLOGY
		       ? "give --topology FILE, or capture more steps"
		       : "capture more steps, of all hosts at once";
}

/* What keeps it open: how sure it is that nothing is slow, or a bound. */
static const char *open_by(struct na_case *c)
{
	size_t unknown;
	double most = largest_bound(c, &unknown);
	double healthy = na_number_at(na_case_side(c, "pairs"), M_healthy);

	if (isfinite(healthy))
		return na_case_text(c,
				    "the probability that none is slow is only "
				    "%s",
				    na_case_number(c, healthy));
	if (most > 1)
		return na_case_text(c,
				    "a side of a host may be up to %sx slower "
				    "than usual (97.5 %% bound)",
				    na_case_number(c, most));
	return "no side of a host has a bound";
}

const char *na_power_lacks(struct na_case *c)
{
	if (na_says(na_case_body(c, "pairs"), M_outcome, "not_guilty"))
		return NULL;
	if (na_length(na_case_body(c, "pairs"), M_culprits))
		return "transfers of a host look slow, and may only wait for "
		       "it, as it is slow by itself";
	return na_case_text(c,
			    "no NIC or path stands out, but %s; to decide it, "
			    "%s",
			    open_by(c), to_record(c));
}

const char *na_power_says(struct na_case *c)
{
	size_t unknown;
	double most = largest_bound(c, &unknown);
	const struct na_value *list = na_get(na_case_body(c, "pairs"), M_power);

	return na_case_text(c,
			    "a NIC more than %sx slower than usual is ruled out "
			    "on all of %s transmit and receive sides%s",
			    na_case_number(c, most),
			    na_case_count(c, (int64_t)(list->n - unknown)),
			    unknown ? na_case_text(
					      c, " (%s have no bound)",
					      na_case_count(c, (int64_t)unknown))
				    : "");
}
