/* hang: the members of stalls of ranks. */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/hang/stall_words.h"
#include "netan/base/units.h"

static const char *name(const struct na_stalls *x, uint32_t n)
{
	return n == NA_NO_NAME ? NULL : na_strtab_at(&x->ranks->names, n);
}

static void put_number(struct na_result *r, struct na_value *in,
		       const char *member, int64_t v)
{
	if (v < 0)
		na_put_null(r, in, member);
	else
		na_put_int(r, in, member, v);
}

static void put_ranks(struct na_result *r, struct na_value *in,
		      const char *member, const struct na_stall_ranks *ranks)
{
	struct na_value *list = na_put_list(r, in, member);

	for (size_t i = 0; i < ranks->n; i++)
		na_put_int(r, list, NULL, ranks->v[i]);
}

void na_hangs_evidence(struct na_result *r, struct na_value *row, uint32_t bits)
{
	static const char *const words[] = {"megascale", "flight_recorder",
					    "ras", "nccl_log", "watchdog"};
	struct na_value *list = na_put_list(r, row, M_evidence);

	for (size_t i = 0; i < NA_LEN(words); i++) {
		if (bits >> i & 1)
			na_put_text(r, list, NULL, words[i]);
	}
}

static void put_group(const struct na_stalls *x, struct na_result *r,
		      struct na_value *in, uint32_t group)
{
	const struct na_fr_group *g = group == NA_NO_NAME
					      ? NULL
					      : &x->ranks->groups.v[group];
	const char *members = g ? name(x, g->members) : NULL;
	const char *called = g ? name(x, g->name) : NULL;

	na_put_text(r, in, M_group, members ? members : called);
	na_put_text(r, in, M_group_name, called);
}

/* "all_reduce 155 of 4,5" */
static void put_operation(const struct na_stalls *x, struct na_result *r,
			  struct na_value *in, const char *member,
			  const struct na_fr_entry *e)
{
	const struct na_fr_group *g = &x->ranks->groups.v[e->group];
	char number[24] = "";

	if (e->sequence >= 0 && !e->p2p)
		snprintf(number, sizeof(number), " %lld",
			 (long long)e->sequence);
	na_put_textf(r, in, member, "%s%s of %s",
		     na_stall_name(x, e->operation), number,
		     na_stall_name(x, g->n ? g->members : g->name));
}

/* What a culprit's own dump tells. */
static void put_own(const struct na_stalls *x, int32_t rank,
		    struct na_result *r, struct na_value *o)
{
	struct na_stall_own own = na_stall_own(x, rank);

	put_number(r, o, M_pending, own.dump ? (int64_t)own.pending : -1);
	if (own.last)
		put_operation(x, r, o, M_last_called, own.last);
	else
		na_put_null(r, o, M_last_called);
}

/* Of the other kind of culprit, what it does not have. */
static void put_culprits(const struct na_stalls *x, const struct na_stall *s,
			 struct na_result *r, struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_culprits);

	for (size_t i = 0; i < s->culprits.n; i++) {
		const struct na_stall_culprit *c = &s->culprits.v[i];
		struct na_value *o = na_put_object(r, list, NULL);
		uint32_t host = na_stall_host(x, c->rank);

		na_put_null(r, o, M_job);
		na_put_null(r, o, M_task);
		na_put_text(r, o, M_host, name(x, host));
		na_put_null(r, o, M_chip);
		na_put_null(r, o, M_core);
		na_put_null(r, o, M_pc);
		na_put_int(r, o, M_rank, c->rank);
		na_put_text(r, o, M_kind, na_hang_cause_word(c->kind));
		put_own(x, c->rank, r, o);
	}
}

static void put_chain(const struct na_stalls *x, const struct na_stall *s,
		      struct na_result *r, struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_chain);

	for (size_t i = 0; i < s->chain.n; i++) {
		const struct na_stall_wait *w = &s->chain.v[i];
		struct na_value *o = na_put_object(r, list, NULL);

		put_group(x, r, o, w->group);
		put_number(r, o, M_sequence, w->sequence);
		put_ranks(r, o, M_waiting_ranks, &w->waiting);
		put_ranks(r, o, M_waits_for, &w->waits_for);
	}
}

static void put_undecided(const struct na_stalls *x, const struct na_stall *s,
			  struct na_result *r, struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_undecided);

	for (size_t i = 0; i < s->others.n; i++) {
		const struct na_stall_other *w = &s->others.v[i];
		struct na_value *o = na_put_object(r, list, NULL);

		put_group(x, r, o, w->group);
		na_put_text(r, o, M_collective, name(x, w->operation));
		put_number(r, o, M_sequence, w->sequence);
		put_ranks(r, o, M_waiting_ranks, &w->waiting);
	}
}

static void put_frames(const struct na_stalls *x, const struct na_stall *s,
		       struct na_result *r, struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_frames);

	for (size_t i = 0; i < s->frames.n; i++) {
		const struct na_stall_frames *f = &s->frames.v[i];
		struct na_value *o = na_put_object(r, list, NULL), *lines;
		char text[600];

		na_put_int(r, o, M_rank, f->dump->rank);
		lines = na_put_list(r, o, M_frames);
		for (uint32_t k = 0; k < f->entry->n_frames; k++) {
			na_stall_frame_text(
				x, &f->dump->frames.v[f->entry->frame + k],
				text, sizeof(text));
			na_put_text(r, lines, NULL, text);
		}
		put_operation(x, r, o, M_operation, f->entry);
	}
}

/* Installed (site-packages, dist-packages), or of its sources. */
static bool is_of_pytorch(const struct na_stalls *x,
			  const struct na_fr_frame *f)
{
	const char *file = f->file == NA_NO_NAME
				   ? ""
				   : na_strtab_at(&x->ranks->names, f->file);

	return strstr(file, "-packages/torch/") ||
	       strstr(file, "/torch/distributed/");
}

/* Which of the frames of its first stack is the innermost that is not PyTorch's
 * own: what hides paths leaves nothing to tell that by.  Of none, the first. */
static void put_called_at(const struct na_stalls *x, const struct na_stall *s,
			  struct na_result *r, struct na_value *list)
{
	const struct na_stall_frames *f = s->frames.v;
	uint32_t n = s->frames.n ? f->entry->n_frames : 0, k = 0;

	while (k < n &&
	       is_of_pytorch(x, &f->dump->frames.v[f->entry->frame + k]))
		k++;
	na_put_int(r, list, NULL, k < n ? k : 0);
}

static void put_differs(const struct na_stalls *x, const struct na_stall *s,
			struct na_result *r, struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_differs);

	for (size_t i = 0; i < s->differs.n; i++) {
		const struct na_fr_entry *e = s->differs.v[i].entry;
		struct na_value *o = na_put_object(r, list, NULL);

		na_put_int(r, o, M_rank, s->differs.v[i].rank);
		na_put_text(r, o, M_operation, name(x, e->operation));
		if (e->size_bytes > INT64_MAX)
			na_put_null(r, o, M_bytes);
		else
			na_put_int(r, o, M_bytes, (int64_t)e->size_bytes);
		na_put_text(r, o, M_dtype, name(x, e->type));
	}
}

/* "r0", "r1": as those who are blamed or wait are called elsewhere. */
static void put_called(struct na_result *r, struct na_value *row,
		       const char *member, const struct na_stall_ranks *ranks)
{
	struct na_value *list = na_put_list(r, row, member);
	char text[32];

	for (size_t i = 0; i < ranks->n; i++) {
		snprintf(text, sizeof(text), "r%d", (int)ranks->v[i]);
		na_put_text(r, list, NULL, text);
	}
}

static void put_blocked(const struct na_stalls *x, const struct na_stall *s,
			struct na_result *r, struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_blocked_by);
	char text[32];

	for (size_t i = 0; i < s->culprits.n; i++) {
		snprintf(text, sizeof(text), "r%d", (int)s->culprits.v[i].rank);
		na_put_text(r, list, NULL, text);
	}
	na_put_text(r, row, M_blocked_why,
		    s->why.id ? na_say(x->phrases, s->why) : NULL);
	put_called(r, row, M_waiting, &s->waiting);
	put_called(r, row, M_waiting_behind, &s->behind);
}

static void put_next(const struct na_stalls *x, const struct na_stall *s,
		     struct na_result *r, struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_next);
	const char *text;

	for (size_t i = 0; (text = na_stall_next(x, s, i)); i++)
		na_put_text(r, list, NULL, text);
}

static void put_stall(const struct na_stalls *x, const struct na_stall *s,
		      struct na_result *r, struct na_value *list)
{
	struct na_value *row = na_put_object(r, list, NULL);
	struct na_hang_time t = {.ns = s->since_ns,
				 .known = s->since_ns != INT64_MIN,
				 .has_year = true};
	char buf[NA_HANG_TIME_BUF];
	const char *who = na_stall_who(x, s);

	na_put_text(r, row, M_time, na_hang_time_text(&t, buf));
	na_put_text(r, row, M_cause, na_hang_cause_word(s->cause));
	na_put_text(r, row, M_culprit, *who ? who : NULL);
	na_hangs_evidence(r, row, s->evidence);
	na_put_null(r, row, M_launch_id);
	na_put_real(r, row, M_timeout_s,
		    s->timeout_ms < 0 ? (double)NAN
				      : (double)s->timeout_ms / 1e3);
	na_put_null(r, row, M_awaited);
	na_put_null(r, row, M_completed);
	na_put_null(r, row, M_step_in_progress);
	put_culprits(x, s, r, row);
	na_put_list(r, row, M_modules);
	put_blocked(x, s, r, row);
	put_next(x, s, r, row);
	put_group(x, r, row, s->group);
	na_put_text(r, row, M_collective, name(x, s->operation));
	put_number(r, row, M_sequence, s->sequence);
	put_number(r, row, M_since_unix_ns, s->since_ns);
	put_undecided(x, s, r, row);
	put_chain(x, s, r, row);
	put_frames(x, s, r, row);
	put_differs(x, s, r, row);
	put_ranks(r, row, M_missing_ranks, &s->missing);
	put_ranks(r, row, M_overflow, &s->overflow);
	na_put_real(r, row, M_dump_spread_s,
		    s->spread_ns < 0 ? (double)NAN
				     : (double)s->spread_ns / 1e9);
	na_put_real(r, row, M_lasted_s, na_stall_lasted_s(s));
}

void na_stalls_result(const struct na_stalls *x, struct na_result *r,
		      struct na_value *events)
{
	struct na_value *at = na_put_list(r, na_result_side(r), M_frames);

	for (size_t i = 0; i < x->v.n; i++) {
		put_stall(x, &x->v.v[i], r, events);
		put_called_at(x, &x->v.v[i], r, at);
	}
}
