/*
 * rpc-latency, of calls that failed or were not answered: counted, by status
 * and method; a warning of those alone that a server failed.  Why, packets
 * seldom tell: it acquits and accuses nobody.
 */
#include "facts.h"
#include "members.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

/* Of fewer a share says little. */
enum { MANY_LEAST = 10, STATUSES = 3 };

static double bad_of(const struct na_value *method)
{
	return na_number_or(method, M_failed, 0) +
	       na_number_or(method, M_unanswered, 0);
}

/* The method with the most of them. */
static const struct na_value *worst_of(const struct na_value *body)
{
	const struct na_value *worst = NULL;

	na_for_each (m, na_get(body, M_methods)) {
		if (bad_of(m) > (worst ? bad_of(worst) : 0))
			worst = m;
	}
	return worst;
}

/* "22 DEADLINE_EXCEEDED, 16 UNAVAILABLE" */
static const char *statuses(struct na_case *c, const struct na_value *side)
{
	const char *text = NULL;
	int n = 0;

	na_for_each (v, na_get(side, M_failures)) {
		bool more = n++ == STATUSES;

		text = na_case_say(
			c, na_fact_calls_of_status(
				   text, more ? 0 : na_count_at(v, M_calls),
				   more ? "..." : na_text_at(v, M_status)));
		if (more)
			break;
	}
	return text;
}

static void tell_worst(struct na_case *c, struct na_finding *f,
		       const struct na_value *m)
{
	const char *name = na_case_text(c, "%.100s", na_text_at(m, M_method));

	na_case_evidence(c, f,
			 na_fact_method_failed(na_count_at(m, M_failed),
					       na_count_at(m, M_unanswered),
					       na_count_at(m, M_calls), name));
	na_case_copy(c, f->evidence, m, M_method);
}

void na_check_failed_calls(struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "rpc");
	const struct na_value *worst = worst_of(na_case_body(c, "rpc"));
	int64_t calls = na_count_at(side, M_calls);
	int64_t failed = na_count_at(side, M_calls_failed);
	int64_t open = na_count_at(side, M_calls_unanswered);
	/* Of those that clients gave up and those still open nobody knows
	 * whether anything is wrong: streams stay open, and hedged calls are
	 * cancelled. */
	int64_t given_up = na_count_at(side, M_calls_given_up);
	int64_t bad = failed - given_up;
	struct na_finding *f;

	if (failed + open <= 0)
		return;
	f = na_case_find(c,
			 bad >= MANY_LEAST &&
					 (double)bad > c->limits->failed_calls *
							       (double)calls
				 ? NA_SEV_WARNING
				 : NA_SEV_INFO,
			 NA_CERTAIN, "rpc");
	f->no_wait = true;
	f->title = na_case_say(
		c, na_fact_calls_failed(failed, calls, statuses(c, side), open));
	if (worst)
		tell_worst(c, f, worst);
	f->remedy = na_case_say(c, bad > 0    ? na_fact_failed_calls_remedy()
				   : given_up ? na_fact_given_up_calls_remedy()
					      : na_fact_open_calls_remedy());
	na_put_int(c->r, f->evidence, M_calls, calls);
	na_put_int(c->r, f->evidence, M_failed, failed);
	na_put_int(c->r, f->evidence, M_unanswered, open);
}
