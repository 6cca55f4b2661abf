/*
 * hang: the job stands still, and what it left (dumps, logs) says for whom it
 * waits, as `netan hang` judges it.  Nothing that is measured of steps or
 * transfers explains as much.  What accuses the network of the same run, a
 * capture say, is told beside it.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/checks/hang/hang_came.h"
#include "netan/checks/look.h"

enum { EVENTS = 8, NAMED = 6, OTHERS = 3 };

struct story {
	const char *who;   /* "rank 11 on host-1", "ranks 12 and 14" */
	const char *where; /* "all_reduce number 156 of ranks 8-11" */
	bool many;
};

static const char *who_of(struct na_case *c, const struct na_value *event)
{
	const struct na_value *list = na_get(event, M_culprits);
	size_t n = 0, all = list ? list->n : 0;
	struct na_str names = {0};
	struct na_fact who;

	na_for_each (v, list) {
		if (n++ == NAMED)
			break;
		who = na_fact_blamed_rank(n == 1, all > 1,
					  na_count_or(v, M_rank, -1),
					  na_text_or(v, M_host, NULL));
		na_str_join(&names, n == all ? " and " : ", ", "%s",
			    na_case_say(c, who));
	}
	if (!n)
		return na_case_names(c, na_get(event, M_blocked_by), NAMED);
	return na_case_say(c, na_fact_names_and_more(
				      na_say_all(&c->phrases, &names),
				      all > NAMED ? (int64_t)all - NAMED : 0));
}

/* A send or receive, which others than the culprit called. */
static bool is_end(const struct na_value *v)
{
	return na_says(v, M_collective, "send") ||
	       na_says(v, M_collective, "recv");
}

/* Whose it is: of an event, who waits in it, is told first.  -1: several. */
static int64_t holder_of(const struct na_value *v)
{
	const struct na_value *chain = na_get(v, M_chain);
	const struct na_value *list = na_get(chain ? na_items(chain) : v,
					     M_waiting_ranks);

	return list && list->n == 1 ? na_int_of(na_items(list), -1) : -1;
}

/* "all_reduce number 156 of ranks 8-11"; of an event, and of what is listed
 * beside it. */
static const char *where_of(struct na_case *c, const struct na_value *v)
{
	return na_case_say(c, na_fact_operation_of(
				      na_text_or(v, M_collective, NULL),
				      is_end(v) ? holder_of(v) : -1,
				      na_count_or(v, M_sequence, -1), is_end(v),
				      na_hang_group(c, na_text_or(v, M_group,
								  NULL))));
}

/* The same of what somebody never called: the other end of a message. */
static const char *not_called(struct na_case *c, const struct na_value *v)
{
	const char *where = where_of(c, v);

	return is_end(v) ? na_case_say(c, na_fact_other_end_of(where)) : where;
}

static struct story story_of(struct na_case *c, const struct na_value *event)
{
	const struct na_value *list = na_get(event, M_culprits);

	return (struct story){.who = who_of(c, event),
			      .where = where_of(c, event),
			      .many = list && list->n > 1};
}

/* What keeps the job, of which nobody else can say as much. */
static struct na_fact title_fact(struct na_case *c,
				 const struct na_value *event,
				 const struct story *s)
{
	if (na_says(event, M_cause, "device_stuck"))
		return na_fact_gpu_is_stuck(s->who, s->many, s->where);
	if (na_says(event, M_cause, "host_stuck"))
		return na_fact_rank_never_called(s->who, not_called(c, event),
						 na_length(event, M_undecided) >
							 0);
	if (na_says(event, M_cause, "mismatch"))
		return na_fact_rank_calls_another(s->who, s->many, s->where);
	if (na_says(event, M_cause, "missing_rank"))
		return na_fact_rank_tells_nothing(s->who, s->many, s->where);
	return na_fact_hang_of_cause(na_text_at(event, M_cause), s->who);
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
		na_case_evidence(c, f,
				 na_fact_network_beside_hang(
					 before,
					 isfinite(g->from_s) &&
						 isfinite(f->from_s),
					 g->culprit ? g->culprit : g->title));
		return;
	}
}

/* What a stopped job costs is all of its time. */
static void tell_since(struct na_case *c, struct na_finding *f,
		       const struct na_value *event)
{
	const char *time = na_text_or(event, M_time, NULL);

	if (time)
		na_case_evidence(
			c, f,
			na_fact_hang_since(time, na_get(event, M_chain),
					   na_number_at(event, M_lasted_s)));
}

static void tell_waiting(struct na_case *c, struct na_finding *f,
			 const struct na_value *event)
{
	size_t behind = na_length(event, M_waiting_behind);
	size_t n = na_length(event, M_waiting) + behind;

	if (n && f->culprit)
		na_case_evidence(c, f,
				 na_fact_ranks_wait_for((int64_t)n, f->culprit,
							false,
							(int64_t)behind));
	tell_since(c, f, event);
}

/* Who it is stays certain; what he should have called first is not. */
static void tell_doubts(struct na_case *c, struct na_finding *f,
			const struct na_value *event, const struct story *s)
{
	int64_t n = 0, all = (int64_t)na_length(event, M_undecided);
	struct na_str list = {0};

	if (!all || !*s->who)
		return;
	na_for_each (v, na_get(event, M_undecided)) {
		if (n++ < OTHERS)
			na_str_join(&list, "; ", "%s", not_called(c, v));
	}
	na_case_evidence(c, f,
			 na_fact_or_before_it(na_say_all(&c->phrases, &list),
					      all > OTHERS ? all - OTHERS : 0));
	f->confidence = NA_LIKELY;
	f->sure = na_case_say(c,
			      na_fact_first_operation_is_unsure(s->who, s->many,
								all + 1));
}

/* A dump tells that a rank has not finished what a peer has; not why. */
static void tell_stuck(struct na_case *c, struct na_finding *f,
		       const struct na_value *event, const struct story *s)
{
	if (!na_says(event, M_cause, "device_stuck"))
		return;
	na_case_evidence(c, f, na_fact_peer_has_left());
	f->confidence = NA_LIKELY;
	f->sure = na_case_say(c, na_fact_stuck_gpu_is_unsure(s->who, s->many));
	f->otherwise = na_case_say(c, na_fact_or_dump_is_older());
}

/* It may have called it, too, and its dump was not copied. */
static void tell_missing(struct na_case *c, struct na_finding *f,
			 const struct na_value *event, const struct story *s)
{
	if (!na_says(event, M_cause, "missing_rank"))
		return;
	f->confidence = NA_LIKELY;
	f->sure = na_case_say(c,
			      na_fact_missing_rank_is_unsure(s->who, s->many));
	f->otherwise = na_case_say(c, na_fact_or_dump_is_elsewhere());
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
	const char *remedy = na_text_of(na_first(event, M_next), NULL);
	struct story s = story_of(c, event);
	struct na_finding *f =
		na_case_find(c, *s.who ? NA_SEV_ERROR : NA_SEV_WARNING,
			     NA_CERTAIN, "hang");
	const struct na_value *drawn = na_get(na_case_body(c, "hang"),
					      M_progress);

	if (drawn && drawn->n)
		na_case_draw(c, f, "hang -o hang.svg");
	f->title = na_case_say(
		c, na_fact_job_hangs(na_case_say(c, title_fact(c, event, &s))));
	f->remedy = remedy ? remedy : na_case_say(c, na_fact_hang_says_more());
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
		na_case_accuse(
			f, cause_of(event),
			(struct na_who){.kind = "host",
					.culprits = culprits,
					.certain = !na_says(event, M_cause,
							    "missing_rank")},
			s.who);
}

/* Ranks wait, and who did not come may be one whose dump is no whole one. */
static void say_untold(struct na_case *c, const struct na_value *event)
{
	const struct na_value *ranks = na_get(event, M_missing_ranks);

	if (!na_length(event, M_missing_ranks))
		return;
	na_case_needs(c,
		      na_fact_needs_dumps_of_all(
			      na_case_names(c, na_get(event, M_waiting), NAMED),
			      (int64_t)na_length(event, M_waiting),
			      na_text_at(event, M_collective),
			      na_count_at(event, M_sequence),
			      na_text_at(event, M_group_name),
			      (int64_t)ranks->n,
			      na_int_of(na_items(ranks), 0)));
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
	.version = 1,
	.question = "a job that hangs, and the rank it waits for",
	.does_not_mean = "why the rank stopped: the dumps show which did not "
			 "arrive, its stack and its log show the reason",
	.needs = {"hang"},
	.judge = judge_hang,
	.explains = NA_EXPLAINS_ALL,
	.named_as = "the job hangs, waiting for ",
};
