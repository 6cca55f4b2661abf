/* Looking at results. */
#include "netan/checks/look.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

const char *na_case_names(struct na_case *c, const struct na_value *list,
			  const char *member, size_t most)
{
	const struct na_value *v = na_items(list);
	const char *text = "";
	size_t n = 0;

	for (; v && n < most; v = v->next, n++) {
		const char *one = na_text_of(member ? na_get(v, member) : v,
					     "?");

		text = na_case_text(c, "%s%s%s", text,
				    !n                 ? ""
				    : n + 1 == list->n ? " and "
						       : ", ",
				    one);
	}
	if (v)
		text = na_case_text(c, "%s and %zu more", text, list->n - n);
	return text;
}

const char *na_case_number(struct na_case *c, double x)
{
	char buf[NA_UNIT_BUF];

	return na_case_text(c, "%s", na_print_number(buf, x, 3));
}

const char *na_case_seconds(struct na_case *c, double s)
{
	char buf[NA_UNIT_BUF];

	if (!(fabs(s) < 1e6))
		return na_case_text(c, "%s s", na_print_number(buf, s, 3));
	return na_case_text(c, "%s", na_print_time(buf, na_ps_of_s(s), 3));
}

bool na_touches(const struct na_value *culprit, const char *host)
{
	static const char *const ends[] = {"host", M_src_host, M_dst_host};

	for (size_t i = 0; i < NA_LEN(ends); i++) {
		if (strcmp(na_text_at(culprit, ends[i]), host) == 0)
			return true;
	}
	na_for_each (v, na_get(culprit, M_hosts)) {
		if (strcmp(na_text_of(v, ""), host) == 0)
			return true;
	}
	return false;
}

const struct na_value *na_first_culprit(const struct na_case *c)
{
	if (!na_case_asks(c, "bad-endpoint"))
		return NULL;
	return na_first(na_case_body(c, "pairs"), "culprits");
}

bool na_slow_itself(const struct na_value *straggler)
{
	const char *cause = na_text_at(straggler, M_cause);

	return strcmp(cause, "computation") == 0 || strcmp(cause, "input") == 0;
}

double na_stall_s(const struct na_case *c)
{
	const struct na_value *slack = na_case_body(c, "slack");
	double devices = na_number_at(slack, M_total "." M_devices);

	return devices > 0 ? na_number_at(slack, M_total "." M_stall_us) /
				     devices / NA_US_PER_S
			   : (double)NAN;
}

double na_waiting_share(const struct na_case *c)
{
	double share = na_number_at(na_case_body(c, "slack"),
				    M_total "." M_stall_share);
	double exposed = 0, all = 0;

	if (isfinite(share))
		return share;
	na_for_each (v, na_get(na_case_body(c, "steps"), "hosts")) {
		double n = na_number_at(v, M_steps);

		exposed += n * na_number_at(v, M_exposed_ms);
		all += n * na_number_at(v, M_mean_ms);
	}
	return all > 0 ? exposed / all : (double)NAN;
}

double na_skewed_share(const struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");

	return na_number_at(side, M_clock_skew) /
	       na_number_at(side, M_receives);
}

bool na_clocks_differ(const struct na_case *c)
{
	return na_skewed_share(c) > c->limits->skewed ||
	       na_length(na_case_body(c, "pairs"), M_clock_offsets);
}

bool na_few_pairs(const struct na_case *c)
{
	return strstr(na_text_at(na_case_body(c, "pairs"), "verdict"),
		      "too few");
}

double na_steps_ms(const struct na_case *c)
{
	double all_ms = 0;

	na_for_each (v, na_get(na_case_body(c, "steps"), "steps"))
		all_ms += na_number_at(v, M_duration_ms);
	return all_ms;
}
