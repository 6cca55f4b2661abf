/* hang: what a person reads of stalls of ranks, one by one. */
#include <math.h>
#include <stdio.h>

#include "facts.h"
#include "netan/analyses/hang/stall_words.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

enum { FRAMES_SHOWN = 12 };

void na_stall_frame_text(const struct na_stalls *x, const struct na_fr_frame *f,
			 char *buf, size_t size)
{
	const char *file = f->file == NA_NO_NAME
				   ? "?"
				   : na_strtab_at(&x->ranks->names, f->file);
	const char *function = f->function == NA_NO_NAME
				       ? "?"
				       : na_strtab_at(&x->ranks->names,
						      f->function);

	if (f->line < 0)
		snprintf(buf, size, "%.400s %.150s", file, function);
	else
		snprintf(buf, size, "%.400s:%d %.150s", file, (int)f->line,
			 function);
}

/* In dumps no time tells when they were written: it hangs for longer. */
static void lasted_text(const struct na_stalls *x, const struct na_stall *s,
			struct na_str *to)
{
	double lasted_s = na_stall_lasted_s(s);
	bool limited = s->timeout_ms > 0 && s->timeout_ms < INT32_MAX;

	if (!isnan(lasted_s))
		na_stall_line(
			x, to,
			na_fact_hangs_for(lasted_s,
					  limited ? (double)s->timeout_ms / 1e3
						  : (double)NAN));
}

/* What is known against them, in one sentence. */
static void because_text(const struct na_stalls *x, const struct na_stall *s,
			 struct na_str *to)
{
	const char *who = na_stall_culprits(x, s), *holders = NULL;

	na_stall_line(x, to,
		      na_fact_stuck_operation(
			      na_stall_operation(x, s->operation, s->sequence,
						 s->group)));
	lasted_text(x, s, to);
	na_stall_others_text(x, s, to);
	switch (s->cause) {
	case NA_HANG_DEVICE_STUCK:
		na_stall_line(x, to, na_fact_why_gpu_is_stuck(who));
		break;
	case NA_HANG_HOST_STUCK:
		if (s->chain.n)
			holders = na_stall_ranks_word(x,
						      &s->chain.v[0].waiting);
		na_stall_line(x, to,
			      na_fact_why_never_called(who, s->sequence < 0,
						       holders));
		break;
	case NA_HANG_MISMATCH:
		na_stall_line(x, to, na_fact_why_mismatch(who));
		break;
	case NA_HANG_MISSING_RANK:
		na_stall_line(x, to,
			      na_fact_why_missing(na_stall_no_dump(x, s, who)));
		break;
	default:
		break;
	}
	if (s->why.id)
		na_stall_line(x, to,
			      na_fact_nobody_is_blamed(
				      na_say(x->phrases, s->why)));
}

enum { GROUPS_SHOWN = 6, WAITS_SHOWN = 4, ROWS_SHOWN = 4096 };

/* Groups of one description are told together: there may be hundreds. */
static bool same_place(const struct na_stalls *x, const struct na_stall_wait *a,
		       const struct na_stall_wait *b)
{
	const struct na_fr_group *g = x->ranks->groups.v;

	return g[a->group].name == g[b->group].name &&
	       (a->sequence < 0) == (b->sequence < 0);
}

/* Row i: is it the first of its kind of group? */
static bool begins(const struct na_stalls *x, const struct na_stall *s,
		   size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (same_place(x, &s->chain.v[k], &s->chain.v[i]))
			return false;
	}
	return true;
}

/* "in TENSOR_PARALLEL: rank 2 for rank 3; ranks 4 and 5 for rank 6" */
static void group_waits_text(const struct na_stalls *x,
			     const struct na_stall *s, size_t first,
			     struct na_str *to)
{
	const struct na_stall_wait *v = s->chain.v;
	bool messages = v[first].sequence < 0;
	struct na_str list = {0};
	int64_t n = 0;

	for (size_t i = first; i < s->chain.n; i++) {
		if (!same_place(x, &v[first], &v[i]) || n++ >= WAITS_SHOWN)
			continue;
		na_str_join(
			&list, "; ", "%s",
			na_say(x->phrases,
			       na_fact_rank_for_rank(
				       na_stall_ranks_word(x, &v[i].waiting),
				       na_stall_ranks_word(x,
							   &v[i].waits_for))));
	}
	n = n > WAITS_SHOWN ? n - WAITS_SHOWN : 0;
	na_stall_line(
		x, to,
		na_fact_waits_in_group(
			na_stall_name(x,
				      x->ranks->groups.v[v[first].group].name),
			messages, na_say_all(x->phrases, &list), n));
}

/* Group by group, those next to the culprits first. */
static void chain_text(const struct na_stalls *x, const struct na_stall *s,
		       struct na_str *to)
{
	int64_t n = 0;

	for (size_t i = 0; i < s->chain.n && i < ROWS_SHOWN; i++) {
		if (begins(x, s, i) && n++ < GROUPS_SHOWN)
			group_waits_text(x, s, i, to);
	}
	if (n > GROUPS_SHOWN)
		na_stall_line(x, to,
			      na_fact_waits_in_more_groups(n - GROUPS_SHOWN));
	if (s->behind.n)
		na_stall_line(x, to,
			      na_fact_waits_behind(
				      na_stall_ranks_word(x, &s->behind)));
}

const char *na_stall_calls_text(const struct na_stalls *x,
				const struct na_fr_entry *e)
{
	char size[NA_UNIT_BUF] = "";

	if (e->size_bytes != UINT64_MAX)
		na_print_bytes(size, (double)e->size_bytes, 3);
	return na_say(x->phrases,
		      na_fact_call(na_stall_name(x, e->operation), size,
				   e->type == NA_NO_NAME
					   ? NULL
					   : na_stall_name(x, e->type)));
}

static void differs_text(const struct na_stalls *x, const struct na_stall *s,
			 struct na_str *to)
{
	for (size_t i = 0; i < s->differs.n && i < 16; i++)
		na_stall_line(
			x, to,
			na_fact_rank_calls(
				s->differs.v[i].rank,
				na_stall_calls_text(x, s->differs.v[i].entry)));
}

/* Whose stack it is, and where it was taken. */
static void whose_text(const struct na_stalls *x, const struct na_stall *s,
		       const struct na_stall_frames *f, struct na_str *to)
{
	const struct na_fr_entry *e = f->entry;
	bool of_it = e->group == s->group &&
		     (s->sequence < 0 || e->sequence == s->sequence);
	bool blamed = na_stall_blames(s, f->dump->rank);
	bool in_it = blamed && s->cause != NA_HANG_HOST_STUCK && of_it;
	bool differs = s->cause == NA_HANG_MISMATCH;

	na_stall_line(x, to,
		      na_fact_stack_of_rank(
			      f->dump->rank, s->culprits.n && !blamed,
			      in_it && differs, in_it && !differs,
			      blamed && !in_it
				      ? na_stall_operation(x, e->operation,
							   e->p2p ? -1
								  : e->sequence,
							   e->group)
				      : NULL));
}

static void stack_text(const struct na_stalls *x, const struct na_stall *s,
		       const struct na_stall_frames *f, struct na_str *to)
{
	char text[600];

	whose_text(x, s, f, to);
	for (uint32_t k = 0; k < f->entry->n_frames && k < FRAMES_SHOWN; k++) {
		na_stall_frame_text(x, &f->dump->frames.v[f->entry->frame + k],
				    text, sizeof(text));
		na_stall_line(x, to, na_fact_stack_frame(text));
	}
}

/* Of a culprit, and of one who waits. */
static void frames_text(const struct na_stalls *x, const struct na_stall *s,
			struct na_str *to)
{
	const struct na_stall_frames *v = s->frames.v;
	size_t n = s->frames.n;

	if (!n)
		return;
	stack_text(x, s, &v[0], to);
	if (n > 1 && !na_stall_blames(s, v[n - 1].dump->rank))
		stack_text(x, s, &v[n - 1], to);
}

static void doubts_text(const struct na_stalls *x, const struct na_stall *s,
			struct na_str *to)
{
	if (s->missing.n)
		na_stall_line(x, to,
			      na_fact_no_whole_dumps(
				      na_stall_ranks_word(x, &s->missing)));
	if (s->overflow.n)
		na_stall_line(x, to,
			      na_fact_rings_are_short(
				      na_stall_ranks_word(x, &s->overflow)));
}

void na_stalls_texts(const struct na_hangs *x, size_t most, struct na_result *r)
{
	for (size_t i = 0; i < x->stalls.v.n && i < most; i++) {
		const struct na_stall *s = &x->stalls.v.v[i];
		struct na_str to = {0};
		const char *text;

		because_text(&x->stalls, s, &to);
		differs_text(&x->stalls, s, &to);
		na_stall_own_text(&x->stalls, s, &to);
		chain_text(&x->stalls, s, &to);
		frames_text(&x->stalls, s, &to);
		doubts_text(&x->stalls, s, &to);
		for (size_t k = 0; (text = na_stall_next(&x->stalls, s, k));
		     k++)
			na_stall_line(&x->stalls, &to, na_fact_next_step(text));
		na_hangs_text(x, x->events.n + i, s->cause, &to, r);
	}
}

/* ---- notes */

static void stall_note(const struct na_stalls *x, struct na_result *r,
		       struct na_fact fact)
{
	na_result_note(r, "%s", na_say(x->phrases, fact));
}

/* Several roots of one stop: each event tells of its own alone. */
static void note_all(const struct na_stalls *x, struct na_result *r)
{
	struct na_stall_ranks blamed = {0}, waiting = {0};

	if (x->v.n > 1 && na_stall_all_of(x, &blamed, &waiting) && blamed.n &&
	    waiting.n)
		stall_note(x, r,
			   na_fact_ranks_wait_for_several(
				   na_stall_ranks_word(x, &waiting),
				   (int64_t)waiting.n,
				   na_stall_ranks_word(x, &blamed)));
	na_vec_free(&blamed);
	na_vec_free(&waiting);
}

static bool is_old(const struct na_flight_record *x, int32_t rank)
{
	return x->old.n &&
	       bsearch(&rank, x->old.v, x->old.n, sizeof(rank), na_order_i32);
}

/* Dumps of several moments: which of them were judged. */
static void note_again(const struct na_stalls *x, struct na_result *r)
{
	const struct na_flight_record *of = x->ranks;
	struct na_stall_ranks ranks = {0};
	int64_t most_ns = -1;
	bool ok = true;

	for (size_t i = 0; ok && i < of->again.n; i++) {
		if (is_old(of, of->again.v[i].rank))
			continue;
		ok = na_add(&ranks, of->again.v[i].rank);
		if (of->again.v[i].apart_ns > most_ns)
			most_ns = of->again.v[i].apart_ns;
	}
	if (ok && ranks.n)
		stall_note(x, r,
			   na_fact_last_dumps_are_judged(
				   na_stall_ranks_word(x, &ranks),
				   most_ns < 0 ? (double)NAN
					       : (double)most_ns / 1e9));
	na_vec_free(&ranks);
}

/* Ranks without a dump of the time that is judged. */
static void note_old(const struct na_stalls *x, struct na_result *r)
{
	struct na_stall_ranks old = {.v = x->ranks->old.v,
				     .n = x->ranks->old.n};

	if (old.n)
		stall_note(x, r,
			   na_fact_old_dumps_are_not_judged(
				   na_stall_ranks_word(x, &old)));
}

/* Who is blamed, and where that is nobody knows. */
static void note_hosts(const struct na_stalls *x, struct na_result *r)
{
	struct na_stall_ranks ranks = {0};
	bool ok = true;

	for (size_t i = 0; i < x->v.n; i++) {
		const struct na_stall *s = &x->v.v[i];

		for (size_t k = 0; ok && k < s->culprits.n; k++) {
			int32_t rank = s->culprits.v[k].rank;

			if (na_stall_host(x, rank) == NA_NO_NAME)
				ok = na_add(&ranks, rank);
		}
	}
	na_stall_order(&ranks);
	if (ok && ranks.n)
		stall_note(x, r,
			   na_fact_hosts_are_not_told(
				   na_stall_ranks_word(x, &ranks)));
	na_vec_free(&ranks);
}

void na_stalls_notes(const struct na_stalls *x, struct na_result *r)
{
	note_all(x, r);
	if (x->ranks) {
		note_again(x, r);
		note_old(x, r);
		note_hosts(x, r);
	}
	if (x->running)
		stall_note(x, r,
			   na_fact_logs_cannot_tell_yet((int64_t)x->running));
	if (x->v.n && x->ranks->undated)
		stall_note(x, r, na_fact_logs_tell_no_year());
	if (x->v.n && x->ranks->unzoned)
		stall_note(x, r, na_fact_logs_tell_no_zone());
}
