/*
 * rpc-latency, of calls that failed or were not answered: counted, by status
 * and method; a warning of those alone that a server failed.  Why, packets
 * seldom tell: it acquits and accuses nobody.
 */
#include "members.h"
#include "netan/base/str.h"
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

/* " (22 DEADLINE_EXCEEDED, 16 UNAVAILABLE)" */
static const char *statuses(struct na_case *c, const struct na_value *side)
{
	const char *text = "";
	int n = 0;

	na_for_each (v, na_get(side, M_failures)) {
		if (n++ == STATUSES)
			return na_case_text(c, "%s, ...)", text);
		text = na_case_text(c, "%s%s%s %s", text, n > 1 ? ", " : " (",
				    na_case_count(c, na_count_at(v, M_calls)),
				    na_text_at(v, M_status));
	}
	return n ? na_case_text(c, "%s)", text) : "";
}

static const char *title_of(struct na_case *c, const struct na_value *side)
{
	int64_t failed = na_count_at(side, M_calls_failed);
	int64_t open = na_count_at(side, M_calls_unanswered);
	const char *all = na_case_count(c, na_count_at(side, M_calls));

	if (!failed)
		return na_case_text(c,
				    "%s of %s calls %s no answer until the "
				    "capture ends",
				    na_case_count(c, open), all,
				    open == 1 ? "has" : "have");
	return na_case_text(c, "%s of %s calls failed%s%s",
			    na_case_count(c, failed), all, statuses(c, side),
			    !open ? ""
				  : na_case_text(c,
						 "; %s %s no answer until the "
						 "capture ends",
						 na_case_count(c, open),
						 open == 1 ? "has" : "have"));
}

static void tell_worst(struct na_case *c, struct na_finding *f,
		       const struct na_value *m)
{
	const char *name = na_text_or(m, M_method, "an unknown method");

	int64_t failed = na_count_at(m, M_failed);
	int64_t open = na_count_at(m, M_unanswered);
	const char *n = na_case_count(c, failed ? failed : open);

	na_case_fact(c, f, "%s of %s calls of %.100s %s%s", n,
		     na_case_count(c, na_count_at(m, M_calls)), name,
		     failed ? "failed" : "got no answer",
		     failed && open
			     ? na_case_text(c, ", %s got no answer",
					    na_case_count(c, open))
			     : "");
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
	f->title = title_of(c, side);
	if (worst)
		tell_worst(c, f, worst);
	f->remedy = bad > 0 ? "look into the logs of who answers for these "
			     "statuses: UNAVAILABLE and resets are of a "
			     "server that was gone or refused, "
			     "DEADLINE_EXCEEDED of one that took too long "
			     "(netan rpc lists the calls)"
		    : given_up ? "ask the client why it gives calls up: a "
				 "deadline that passed, or answers that it no "
				 "longer wants (netan rpc lists the calls)"
			       : "capture for longer: calls that stream never "
				 "end, others wait for their server (netan rpc "
				 "lists them)";
	na_put_int(c->r, f->evidence, M_calls, calls);
	na_put_int(c->r, f->evidence, M_failed, failed);
	na_put_int(c->r, f->evidence, M_unanswered, open);
}
