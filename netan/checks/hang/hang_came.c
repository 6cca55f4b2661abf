#include "netan/checks/hang/hang_came.h"

#include <string.h>

#include "members.h"
#include "netan/base/ranges.h"
#include "netan/checks/look.h"
#include "netan/result/plain.h"

enum { GROUPS = 2, PLACES = 4 /* of a group that are told */ };

const char *na_hang_ranks(struct na_case *c, const struct na_value *list)
{
	char buf[200];
	const char *ranks = na_plain_ranges(buf, sizeof(buf), list);
	size_t n = list ? list->n : 0;

	c->failed |= !ranks;
	return n && ranks
		       ? na_case_text(c, "rank%s %s", na_plural(n), ranks)
		       : "";
}

/* What decides: who never called it has called less than its peers, who is
 * stuck in it has ended less. */
static const char *place_of(struct na_case *c, const struct na_value *event,
			    const struct na_value *place)
{
	bool stuck = na_says(event, M_cause, "device_stuck");
	const char *calls = na_text_or(place, M_calls, NULL);
	int64_t n = na_count_or(place, stuck ? M_completed : M_enqueued, -1);

	return calls   ? na_case_text(c, "called %s", calls)
	       : n < 0 ? "of which nothing is told"
		       : na_case_text(c, "%s up to number %lld",
				      stuck ? "ended" : "called", (long long)n);
}

/* "of ranks 2 and 3" */
static const char *of_group(struct na_case *c, const char *list)
{
	char ranks[200];

	return na_case_text(c, "of %s%s",
			    *list >= '0' && *list <= '9' ? "ranks " : "",
			    na_ranges_of(list, ranks, sizeof(ranks)));
}

/* "of ranks 2 and 3: rank 2 called up to number 232, rank 3 up to 246" */
static void tell_group(struct na_case *c, struct na_finding *f,
		       const struct na_value *event,
		       const struct na_value *group)
{
	const char *list = na_text_or(group, M_group, NULL), *text = "";
	size_t n = 0, all = na_length(group, M_positions);

	if (!list)
		return;
	na_for_each (v, na_get(group, M_positions)) {
		if (n++ < PLACES)
			text = na_case_text(c, "%s%s%s %s", text,
					    n > 1 ? ", " : "",
					    na_hang_ranks(c, na_get(v, M_ranks)),
					    place_of(c, event, v));
	}
	if (all > PLACES)
		text = na_case_text(c, "%s, and so on (%s places in all)", text,
				    na_case_count(c, all));
	na_case_fact(c, f, "%s: %s", of_group(c, list), text);
}

/* Of a mismatch what ranks call there alone; who has no dump has no place.
 * Numbers of sends and receives are each rank's own. */
static bool decides(const struct na_value *event, const struct na_value *group)
{
	return na_count_or(group, M_sequence, -1) >= 0 &&
	       (na_says(event, M_cause, "host_stuck") ||
		na_says(event, M_cause, "device_stuck") ||
		(na_says(event, M_cause, "mismatch") &&
		 na_flag_at(group, M_own)));
}

void na_hang_tell_came(struct na_case *c, struct na_finding *f,
		       const struct na_value *event, size_t k)
{
	struct na_value *list = na_put_list(c->r, f->evidence, M_progress);
	size_t told = 0;

	na_for_each (v, na_get(na_case_body(c, "hang"), M_progress)) {
		if (na_count_at(v, M_hang) != (int64_t)k)
			continue;
		na_put_alias(c->r, list, NULL, v);
		if (decides(event, v) && told++ < GROUPS)
			tell_group(c, f, event, v);
	}
}

/* ---- where the code stands */

/* The innermost of the k-th hang that is not PyTorch's own. */
static const char *frame_of(const struct na_case *c, size_t k,
			    const struct na_value *frames)
{
	const struct na_value *at =
		na_items(na_get(na_case_side(c, "hang"), M_frames));
	const struct na_value *frame = na_items(frames);

	while (at && --k)
		at = at->next;
	for (int64_t n = at ? at->u.i : 0; frame && n; n--)
		frame = frame->next;
	return na_text_of(frame, "");
}

static bool is_blamed(const struct na_value *event, int64_t rank)
{
	na_for_each (v, na_get(event, M_culprits)) {
		if (na_count_or(v, M_rank, -1) == rank)
			return true;
	}
	return false;
}

/* The dump of a culprit is here, and no stack of what it still holds. */
static const char *stackless(struct na_case *c, const struct na_value *event)
{
	const struct na_value *culprit = na_first(event, M_culprits);

	if (na_count_or(culprit, M_pending, -1) < 0)
		return "";
	return na_case_text(c, "; of what rank %d still holds no stack is told",
			    (int)na_count_or(culprit, M_rank, -1));
}

/* "all_reduce 233 of ranks 2 and 3" */
static const char *called(struct na_case *c, const struct na_value *stack)
{
	const char *text = na_text_or(stack, M_operation, "an operation");
	const char *of = strstr(text, " of ");

	return !of ? text
		   : na_case_text(c, "%.*s %s", (int)(of - text), text,
				  of_group(c, of + strlen(" of ")));
}

void na_hang_tell_stack(struct na_case *c, struct na_finding *f,
			const struct na_value *event, size_t k)
{
	const struct na_value *stack = na_first(event, M_frames);
	int64_t rank = na_count_or(stack, M_rank, -1);
	const char *then;

	if (!stack || !na_length(event, M_culprits))
		return;
	then = !is_blamed(event, rank) ? stackless(c, event)
	       : na_says(event, M_cause, "host_stuck") ? ", and no later one"
						       : "";
	na_case_fact(c, f, "rank %d called %s at %s%s", (int)rank,
		     called(c, stack), frame_of(c, k, na_get(stack, M_frames)),
		     then);
}
