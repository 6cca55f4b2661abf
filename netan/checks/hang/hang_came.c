#include "netan/checks/hang/hang_came.h"

#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/ranges.h"
#include "netan/base/str.h"
#include "netan/checks/look.h"
#include "netan/result/plain.h"

enum { GROUPS = 2, PLACES = 4 /* of a group that are told */ };

const char *na_hang_group(struct na_case *c, const char *group)
{
	char ranks[200];

	return !group ? NULL
		      : na_case_say(c, na_fact_group_of_ranks(
					       *group >= '0' && *group <= '9',
					       na_ranges_of(group, ranks,
							    sizeof(ranks))));
}

/* "rank 2", "ranks 3, 5-8 and 12", of a list of numbers; "" without any. */
static const char *named_ranks(struct na_case *c, const struct na_value *list)
{
	char buf[200];
	const char *ranks = na_plain_ranges(buf, sizeof(buf), list);
	int64_t n = list ? (int64_t)list->n : 0;

	c->failed |= !ranks;
	return n && ranks ? na_case_say(c, na_fact_ranks_named(n, ranks)) : "";
}

/* "rank 2 called up to number 232".  What decides: who never called it has
 * called less than its peers, who is stuck in it has ended less. */
static struct na_fact place_of(struct na_case *c, const struct na_value *event,
			       const struct na_value *place)
{
	bool stuck = na_says(event, M_cause, "device_stuck");

	return na_fact_ranks_came(named_ranks(c, na_get(place, M_ranks)),
				  na_text_or(place, M_calls, NULL), stuck,
				  na_count_or(place,
					      stuck ? M_completed : M_enqueued,
					      -1));
}

/* "of ranks 2 and 3: rank 2 called up to number 232, rank 3 up to 246" */
static void tell_group(struct na_case *c, struct na_finding *f,
		       const struct na_value *event,
		       const struct na_value *group)
{
	const char *list = na_text_or(group, M_group, NULL);
	int64_t n = 0, all = (int64_t)na_length(group, M_positions);
	struct na_str places = {0};

	if (!list)
		return;
	na_for_each (v, na_get(group, M_positions)) {
		if (n++ < PLACES)
			na_str_join(&places, ", ", "%s",
				    na_case_say(c, place_of(c, event, v)));
	}
	na_case_evidence(c, f,
			 na_fact_group_came(na_hang_group(c, list),
					    na_say_all(&c->phrases, &places),
					    all > PLACES ? all : 0));
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

/* The culprit whose dump is here, and no stack of what it still holds; -1. */
static int64_t stackless(const struct na_value *event)
{
	const struct na_value *culprit = na_first(event, M_culprits);

	return na_count_or(culprit, M_pending, -1) < 0
		       ? -1
		       : na_count_or(culprit, M_rank, -1);
}

/* "all_reduce 233 of ranks 2 and 3" */
static const char *called(struct na_case *c, const struct na_value *stack)
{
	const char *text = na_text_or(stack, M_operation, NULL);
	const char *of = text ? strstr(text, " of ") : NULL;
	struct na_str name = {0};

	if (!of)
		return text;
	na_str_addf(&name, "%.*s", (int)(of - text), text);
	return na_case_say(
		c, na_fact_operation_of(na_say_all(&c->phrases, &name), -1, -1,
					false,
					na_hang_group(c, of + strlen(" of "))));
}

void na_hang_tell_stack(struct na_case *c, struct na_finding *f,
			const struct na_value *event, size_t k)
{
	const struct na_value *stack = na_first(event, M_frames);
	int64_t rank = na_count_or(stack, M_rank, -1);
	bool blamed = is_blamed(event, rank);

	if (stack && na_length(event, M_culprits))
		na_case_evidence(c, f,
				 na_fact_rank_called_at(
					 rank, called(c, stack),
					 frame_of(c, k,
						  na_get(stack, M_frames)),
					 blamed ? -1 : stackless(event),
					 blamed && na_says(event, M_cause,
							   "host_stuck")));
}
