/*
 * What an acquittal rests on: how slow a side of a host would have had to be
 * to be named in this session.  Power as of a test (Cohen, Statistical Power
 * Analysis for the Behavioral Sciences, 1988): that nothing was found says
 * something only where it would have been found.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/verdict.h"
#include "netan/methods/power.h"
#include "netan/methods/sides.h"
#include "netan/methods/wire/wire.h"

enum { NAMED = 3 }; /* hosts in a sentence */

static double matters(const struct na_value *list)
{
	return na_lz_matters(list ? list->n : 0);
}

/* What stands most often against naming what matters. */
static const char *common_why(const struct na_value *list)
{
	const char *best = "";
	size_t most = 0;

	na_for_each (v, list) {
		const char *why = na_text_at(v, M_why);
		size_t n = 0;

		if (!*why || na_power_factor(v) <= matters(list))
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

static const char *more_steps(struct na_case *c)
{
	const char *wider = na_wider(c);

	return *wider ? wider : "capture more steps, of all hosts at once";
}

/* What would show more. */
static const char *lacking(struct na_case *c, const char *why)
{
	bool places = strstr(why, "topology");
	const char *more = more_steps(c);

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
	char times[NA_UNIT_BUF];
	size_t n = 0;

	na_for_each (v, list) {
		double factor = na_power_factor(v);

		if (factor <= matters(list) || n++ >= NAMED)
			continue;
		text = na_case_text(
			c, "%s%s%s%s%s", text, *text ? ", " : "",
			na_side_of(na_says(v, M_side, "src") ? "src" : "dst"),
			na_text_at(v, M_host),
			isinf(factor) ? ""
				      : na_case_text(
						c, " (only from %sx)",
						na_power_times(times, factor)));
	}
	return n > NAMED ? na_case_text(c, "%s and %s more", text,
					na_case_count(c, n - NAMED))
			 : text;
}

const char *na_power_takes(struct na_case *c)
{
	const struct na_value *steps = na_case_body(c, "steps");
	long long here = (long long)na_length(steps, M_hosts);
	long long n = (long long)na_length(steps, M_steps);
	const char *wider = na_wider(c);

	if (here && here < NA_WIRE_FEW_HOSTS)
		return na_case_text(c,
				    "%d hosts, and these are %s: "
				    "trace more hosts at once",
				    NA_WIRE_FEW_HOSTS, na_case_count(c, here));
	if (n && n < NA_WIRE_MIN_STEPS)
		return na_case_text(
			c, "%d steps, and these are %s: %s",
			NA_WIRE_MIN_STEPS, na_case_count(c, n),
			*wider ? wider
			       : na_case_text(c, "capture %s more",
					      na_case_count(c,
							    NA_WIRE_MIN_STEPS -
								    n)));
	return NULL;
}

static const char *too_little(struct na_case *c)
{
	const char *takes = na_power_takes(c);

	return takes ? na_case_text(c, "that takes %s", takes) : more_steps(c);
}

/* Sides on which what matters would not have been named; 0: too few of all to
 * matter, or none is known. */
static size_t hidden_sides(const struct na_value *list)
{
	size_t shown = 0;

	na_for_each (v, list)
		shown += na_power_factor(v) <= matters(list);
	return !list || (double)shown >= NA_LZ_OF_SIDES * (double)list->n
		       ? 0
		       : list->n - shown;
}

const char *na_power_lacks(struct na_case *c)
{
	const struct na_value *list = na_get(na_case_body(c, "pairs"), M_power);
	size_t hidden = hidden_sides(list);
	char times[NA_UNIT_BUF];

	if (!list || !list->n)
		return na_case_text(c,
				    "no NIC or path stands out, but it is not "
				    "known how slow one would have had to be "
				    "to be named: %s",
				    too_little(c));
	if (!hidden)
		return NULL;
	return na_case_text(c,
			    "no NIC or path stands out, but on %s of %s "
			    "transmit and receive sides of hosts one %sx "
			    "slower would not have been named; to decide it, "
			    "%s",
			    na_case_count(c, hidden), na_case_count(c, list->n),
			    na_power_times(times, matters(list)),
			    lacking(c, common_why(list)));
}

const char *na_power_limits(struct na_case *c)
{
	const struct na_value *list = na_get(na_case_body(c, "pairs"), M_power);
	size_t hidden = hidden_sides(list);
	const char *why = common_why(list);
	char times[NA_UNIT_BUF];

	if (!hidden)
		return "";
	return na_case_text(c,
			    "one that is %sx slower, on %s of %s transmit "
			    "and receive sides of hosts%s%s: %s",
			    na_power_times(times, matters(list)),
			    na_case_count(c, hidden), na_case_count(c, list->n),
			    *why ? ", as " : "", why, unnamed(c, list));
}

const char *na_power_says(struct na_case *c)
{
	struct na_str text = {.s = NULL};
	const char *said;

	c->failed |= !na_power_say(&text, na_get(na_case_body(c, "pairs"),
						 M_power));
	said = na_str_keep(&text, c->arena);
	return said ? said : "";
}
