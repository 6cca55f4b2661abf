/*
 * What ruling the network out rests on: the upper bounds of how slow each side
 * of a host may be, which `pairs` takes from the same fit that names suspects.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
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
	int64_t hosts = (int64_t)na_length(steps, M_hosts);
	int64_t n = (int64_t)na_length(steps, M_steps);
	const char *wider = na_wider(c);

	if (hosts && hosts < LEAST_HOSTS)
		return na_case_say(c, na_fact_takes_more_hosts(LEAST_HOSTS,
							       hosts));
	if (*wider)
		return wider;
	if (n && n < LEAST_STEPS)
		return na_case_say(c, na_fact_takes_more_steps(LEAST_STEPS, n,
							       LEAST_STEPS - n));
	return na_case_say(c, na_fact_record_more_steps(na_locality(c) ==
							NA_NO_TOPOLOGY));
}

/* What keeps it open is how sure it is that nothing is slow, or a bound. */
const char *na_power_lacks(struct na_case *c)
{
	size_t unknown;
	double most = largest_bound(c, &unknown);
	double healthy = na_number_at(na_case_side(c, "pairs"), M_healthy);

	if (na_pairs_acquit(c))
		return NULL;
	if (na_length(na_case_body(c, "pairs"), M_culprits))
		return na_case_say(c, na_fact_transfers_may_wait_for_host());
	return na_case_say(
		c, na_fact_nothing_stands_out(healthy,
					      most > 1 ? most : (double)NAN,
					      to_record(c)));
}

const char *na_power_says(struct na_case *c)
{
	size_t unknown;
	double most = largest_bound(c, &unknown);
	const struct na_value *list = na_get(na_case_body(c, "pairs"), M_power);

	return na_case_say(
		c, na_fact_slower_is_ruled_out(most,
					       (int64_t)(list->n - unknown),
					       (int64_t)unknown));
}
