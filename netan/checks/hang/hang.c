/*
 * hang: the job stands still, and what it left (dumps, logs) says for whom it
 * waits, as `netan hang` judges it.  Nothing that is measured of steps or
 * transfers explains as much.  What accuses the network of the same run, a
 * capture say, is told beside it.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/ranges.h"
#include "netan/base/units.h"
#include "netan/checks/hang/hang_came.h"
#include "netan/checks/look.h"

enum { EVENTS = 8, NAMED = 6, OTHERS = 3 };

struct story {
	const char *who;   /* "rank 11 on host-1", "ranks 12 and 14" */
	const char *where; /* "all_reduce number 156 of ranks 8-11" */
	bool many;
	bool end; /* `where` is the other end of what never was called */
};

static const char *who_of(struct na_case *c, const struct na_value *event)
{
	const struct na_value *list = na_get(event, M_culprits);
	const char *text = "", *host;
	size_t n = 0, all = list ? list->n : 0;

	na_for_each (v, list) {
		double rank = na_number_at(v, M_rank);

		if (n == NAMED)
			break;
		host = na_text_or(v, M_host, NULL);
		text = na_case_text(c, "%s%s%s%s%s", text,
				    !n             ? ""
				    : n + 1 == all ? " and "
						   : ", ",
				    isfinite(rank)
					    ? na_case_text(c, "%s%d",
							   n         ? ""
							   : all > 1 ? "ranks "
								     : "rank ",
							   (int)rank)
				    : host ? host
					   : "?",
				    isfinite(rank) && host ? " on " : "",
				    isfinite(rank) && host ? host : "");
		n++;
	}
	if (all > n)
		text = na_case_text(c, "%s and %s more", text,
				    na_case_count(c, all - n));
	return n ? text : na_case_names(c, na_get(event, M_blocked_by), NAMED);
}

/* A send or receive, which others than the culprit called. */
static bool is_end(const struct na_value *v)
{
	return na_says(v, M_collective, "send") ||
	       na_says(v, M_collective, "recv");
}

/* Whose it is: of an event, who waits in it, is told first. */
static const char *holder_of(struct na_case *c, const struct na_value *v)
{
	const struct na_value *chain = na_get(v, M_chain);
	const struct na_value *list = na_get(chain ? na_items(chain) : v,
					     M_waiting_ranks);

	return list && list->n == 1 && na_items(list)->kind == NA_V_INT
		       ? na_case_text(c, " of rank %d",
				      (int)na_items(list)->u.i)
		       : "";
}

/* "all_reduce number 156 of ranks 8-11"; of an event, and of what is listed
 * beside it. */
static const char *where_of(struct na_case *c, const struct na_value *v)
{
	double number = na_number_at(v, M_sequence);
	const char *group = na_text_or(v, M_group, NULL);
	char ranks[120];
	bool listed = group && group[0] >= '0' && group[0] <= '9';

	return na_case_text(
		c, "%s%s%s%s%s", na_text_or(v, M_collective, "an operation"),
		is_end(v) ? holder_of(c, v) : "",
		isfinite(number) ? na_case_text(c, " number %.0f", number) : "",
		!group      ? ""
		: is_end(v) ? ", within ranks "
		: listed    ? " of ranks "
			    : " of ",
		group ? na_ranges_of(group, ranks, sizeof(ranks)) : "");
}

static struct story story_of(struct na_case *c, const struct na_value *event)
{
	const struct na_value *list = na_get(event, M_culprits);

	return (struct story){.who = who_of(c, event),
			      .where = where_of(c, event),
			      .many = list && list->n > 1,
			      .end = is_end(event)};
}

static size_t doubts(const struct na_value *event)
{
	const struct na_value *list = na_get(event, M_undecided);

	return list ? list->n : 0;
}

/* What keeps the job, of which nobody else can say as much. */
static const char *title_of(struct na_case *c, const struct na_value *event,
			    const struct story *s)
{
	if (na_says(event, M_cause, "device_stuck"))
		return na_case_text(c,
				    "the job hangs: the GPU%s of %s %s stuck "
				    "in %s",
				    s->many ? "s" : "", s->who,
				    s->many ? "are" : "is", s->where);
	if (na_says(event, M_cause, "host_stuck"))
		return na_case_text(c, "the job hangs: %s never called %s%s%s",
				    s->who, s->end ? "the other end of " : "",
				    s->where,
				    doubts(event)
					    ? ", or another operation before it"
					    : "");
	if (na_says(event, M_cause, "mismatch"))
		return na_case_text(
			c, "the job hangs: %s%s not what the others call in %s",
			*s->who ? s->who : "ranks",
			*s->who && !s->many ? " calls" : " call", s->where);
	if (na_says(event, M_cause, "missing_rank"))
		return na_case_text(c,
				    "the job hangs: %s %s nothing, and %s "
				    "waits",
				    s->who, s->many ? "tell" : "tells",
				    s->where);
	return na_case_text(c, "the job hangs: %s%s%s",
			    na_text_at(event, M_cause), *s->who ? ": " : "",
			    s->who);
}

static enum na_cause cause_of(const struct na_value *event)
{
	return na_says(event, M_cause, "networking")    ? NA_CAUSE_NETWORK
	       : na_says(event, M_cause, "input_stall") ? NA_CAUSE_INPUT
	       : na_says(event, M_cause, "mismatch")    ? NA_CAUSE_SETTINGS
							: NA_CAUSE_COMPUTE;
}

/* Seconds from the origin; NaN. */
static double since_of(const struct na_case *c, const struct na_value *event)
{
	const struct na_value *doc = na_case_doc(c, "session");
	const struct na_value *at = na_get(event, M_since_unix_ns);
	const struct na_value *zero = na_get(doc, M_origin_unix_ns);

	return at && at->kind == NA_V_INT && zero && zero->kind == NA_V_INT
		       ? (double)(at->u.i - zero->u.i) / NA_NS_PER_S
		       : (double)NAN;
}

/* Whom else the same run accuses: of the network, then. */
static void tell_network(struct na_case *c, struct na_finding *f)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *g = c->findings[i];
		bool before = g->to_s < f->from_s;

		if (g == f || g->cause != NA_CAUSE_NETWORK)
			continue;
		na_case_fact(c, f, "the network, %s: %s",
			     before ? "before"
			     : isfinite(g->from_s) && isfinite(f->from_s)
				     ? "at that time"
				     : "of the same run",
			     g->culprit ? g->culprit : g->title);
		return;
	}
}

/* What a stopped job costs is all of its time. */
static void tell_since(struct na_case *c, struct na_finding *f,
		       const struct na_value *event)
{
	const char *time = na_text_or(event, M_time, NULL);
	double s = na_number_at(event, M_lasted_s);

	if (!time)
		return;
	if (!na_get(event, M_chain))
		na_case_fact(c, f, "since %s", time);
	else
		na_case_fact(c, f, "since %s, and all time from then on is "
				   "lost: %s%s",
			     time, isfinite(s) ? "at least " : "",
			     isfinite(s) ? na_case_seconds(c, s)
					 : "how long, nothing here tells");
}

static void tell_waiting(struct na_case *c, struct na_finding *f,
			 const struct na_value *event)
{
	size_t behind = na_length(event, M_waiting_behind);
	size_t n = na_length(event, M_waiting) + behind;

	if (n && f->culprit)
		na_case_fact(c, f, "%s rank%s for %s%s", na_case_count(c, n),
			     n == 1 ? " waits" : "s wait", f->culprit,
			     !behind ? ""
				     : na_case_text(c,
						    ", %s of them behind "
						    "what is stuck, in "
						    "operations that all have "
						    "called",
						    na_case_count(c, behind)));
	tell_since(c, f, event);
}

/* Who it is stays certain; what he should have called first is not. */
static void tell_doubts(struct na_case *c, struct na_finding *f,
			const struct na_value *event, const struct story *s)
{
	size_t n = 0, all = doubts(event);
	const char *text = "";

	if (!all || !*s->who)
		return;
	na_for_each (v, na_get(event, M_undecided)) {
		if (n++ < OTHERS)
			text = na_case_text(c, "%s%s%s%s", text,
					    n > 1 ? "; " : "",
					    is_end(v) ? "the other end of "
						      : "",
					    where_of(c, v));
	}
	if (all > OTHERS)
		text = na_case_text(c, "%s; %s more", text,
				    na_case_count(c, all - OTHERS));
	na_case_fact(c, f, "or before it %s", text);
	f->confidence = NA_LIKELY;
	f->sure = na_case_text(c,
			       "%s %s certain, which of these %s operations "
			       "came first in the program is not",
			       s->who, s->many ? "are" : "is",
			       na_case_count(c, all + 1));
}

/* A dump tells that a rank has not finished what a peer has; not why. */
static void tell_stuck(struct na_case *c, struct na_finding *f,
		       const struct na_value *event, const struct story *s)
{
	if (!na_says(event, M_cause, "device_stuck"))
		return;
	na_case_fact(c, f,
		     "a peer has entered and left it, so all had called it");
	f->confidence = NA_LIKELY;
	f->sure = na_case_text(c,
			       "that %s %s not finished it is certain, that "
			       "the GPU or its link is why is not",
			       s->who, s->many ? "have" : "has");
	f->otherwise = "a dump that is older than those of its peers, or "
		       "earlier work of its stream that does not end";
}

/* It may have called it, too, and its dump was not copied. */
static void tell_missing(struct na_case *c, struct na_finding *f,
			 const struct na_value *event, const struct story *s)
{
	if (!na_says(event, M_cause, "missing_rank"))
		return;
	f->confidence = NA_LIKELY;
	f->sure = na_case_text(c,
			       "that nothing here tells of %s is certain, that "
			       "%s never called it is not",
			       s->who, s->many ? "they" : "it");
	f->otherwise = "a dump that was written and is not among the files, or "
		       "not whole";
}

static void put_evidence(struct na_case *c, struct na_finding *f,
			 const struct na_value *event)
{
	na_case_copy(c, f->evidence, event, M_cause, M_evidence, M_group,
		     M_collective, M_sequence, M_since_unix_ns, M_culprits,
		     M_undecided, M_missing_ranks, M_overflow, M_dump_spread_s,
		     M_lasted_s, M_chain, M_differs, M_frames);
}

/* Of ranks, it is the k-th, from 1; else 0. */
static void judge_event(struct na_case *c, const struct na_value *event,
			size_t k)
{
	const struct na_value *culprits = na_get(event, M_culprits);
	const struct na_value *next = na_get(event, M_next);
	struct story s = story_of(c, event);
	struct na_finding *f =
		na_case_find(c, *s.who ? NA_SEV_ERROR : NA_SEV_WARNING,
			     NA_CERTAIN, "hang");
	const struct na_value *drawn = na_get(na_case_body(c, "hang"),
					      M_progress);

	if (drawn && drawn->n)
		na_case_draw(c, f, "hang -o hang.svg");
	f->title = title_of(c, event, &s);
	f->remedy = na_text_of(na_items(next), "netan hang says more");
	f->from_s = since_of(c, event);
	f->culprit = *s.who ? s.who : NULL;
	tell_waiting(c, f, event);
	tell_stuck(c, f, event, &s);
	tell_missing(c, f, event, &s);
	tell_doubts(c, f, event, &s);
	put_evidence(c, f, event);
	if (k) {
		na_hang_tell_came(c, f, event, k);
		na_hang_tell_stack(c, f, event, k);
	}
	tell_network(c, f);
	if (culprits && culprits->n)
		na_case_accuse(f, cause_of(event),
			       (struct na_who){.kind = "host",
					       .culprits = culprits,
					       .certain = !na_says(
						       event, M_cause,
						       "missing_rank")},
			       s.who);
}

/* Ranks wait, and who did not come may be one whose dump is no whole one. */
static void say_untold(struct na_case *c, const struct na_value *event)
{
	const struct na_value *ranks = na_get(event, M_missing_ranks);
	const char *whose;

	if (!na_length(event, M_missing_ranks))
		return;
	whose = ranks->n == 1
			? na_case_text(c, "rank %d is",
				       (int)na_real_of(na_items(ranks), 0))
			: na_case_text(c, "%s ranks are",
				       na_case_count(c, ranks->n));
	na_case_missing(c,
			"whole dumps of all ranks: %s %s in %s %s of %s, and "
			"the dump of %s missing or damaged (netan hang)",
			na_case_names(c, na_get(event, M_waiting), NAMED),
			na_length(event, M_waiting) == 1 ? "waits" : "wait",
			na_text_at(event, M_collective),
			na_case_count(c, na_count_at(event, M_sequence)),
			na_text_at(event, M_group_name), whose);
}

static void judge_hang(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "hang");
	size_t n = 0, of_ranks = 0;

	na_for_each (v, na_get(body, M_events)) {
		bool ranks = na_get(v, M_chain);

		of_ranks += ranks;
		/* What is under way in a job that runs is no hang. */
		if (na_says(v, M_cause, "unknown")) {
			say_untold(c, v);
			continue;
		}
		if (n++ == EVENTS)
			continue;
		judge_event(c, v, ranks ? of_ranks : 0);
	}
	/* Who stands in a group of its own stands there alone. */
	if (!n && !c->missing && na_of_ranks(c))
		c->missing = na_files_missing(c);
}

const struct na_check na_check_hang = {
	.id = "hang",
	.question = "a job that stands still, and for whom it waits",
	.does_not_mean = "why the rank stopped: the dumps show who did not "
			 "arrive, its stack and its log show the reason",
	.needs = {"hang"},
	.judge = judge_hang,
	.explains = NA_EXPLAINS_ALL,
	.named_as = "the job hangs, waiting for ",
};
