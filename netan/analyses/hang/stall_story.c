/* hang: what a person reads of stalls of ranks, one by one. */
#include <stdio.h>

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
static void lasted_text(const struct na_stall *s, struct na_str *to)
{
	char lasted[NA_UNIT_BUF], limit[NA_UNIT_BUF];
	bool told = *na_stall_lasted(s, lasted);

	if (!told)
		return;
	na_str_addf(to, "hangs: for at least %s, as the inputs tell", lasted);
	if (s->timeout_ms > 0 && s->timeout_ms < INT32_MAX)
		na_str_addf(to, "; its timeout is %s",
			    na_print_time(limit, s->timeout_ms * NA_PS_PER_MS,
					  3));
	na_str_addf(to, "\n");
}

/* What is known against them, in one sentence. */
static void because_text(const struct na_stalls *x, const struct na_stall *s,
			 struct na_str *to)
{
	char group[NA_STALL_RANKS_BUF + 100], who[NA_STALL_RANKS_BUF + 8];
	char sequence[40] = "", holders[NA_STALL_RANKS_BUF + 8] = "";

	na_stall_group(x, s->group, group, sizeof(group));
	na_stall_culprits(s, who, sizeof(who));
	if (s->sequence >= 0)
		snprintf(sequence, sizeof(sequence), " number %lld",
			 (long long)s->sequence);
	na_str_addf(to, "operation: %.80s%s of %s\n",
		    na_stall_name(x, s->operation), sequence, group);
	lasted_text(s, to);
	na_stall_others_text(x, s, to);
	switch (s->cause) {
	case NA_HANG_DEVICE_STUCK:
		na_str_addf(to,
			    "why: %s still in it; a peer has entered and "
			    "left it, so it is complete\n",
			    who);
		break;
	case NA_HANG_HOST_STUCK:
		if (s->sequence < 0 && s->chain.n)
			na_stall_ranks_word(s->chain.v[0].waiting.v,
					    s->chain.v[0].waiting.n, holders,
					    sizeof(holders));
		na_str_addf(to, "why: %s never called %s%s%s\n", who,
			    s->sequence >= 0 ? "it; the others of the group "
					       "wait in it"
					     : "the other end of it",
			    holders[0] ? "; it is held by " : "", holders);
		break;
	case NA_HANG_MISMATCH:
		na_str_addf(to,
			    "why: the ranks of the group call different "
			    "operations here%s%s\n",
			    who[0] ? "; beside the majority: " : "", who);
		break;
	case NA_HANG_MISSING_RANK:
		na_str_addf(to, "why: ");
		na_stall_no_dump(x, s, false, who, to);
		na_str_addf(to, ", and all others of the group wait in it\n");
		break;
	default:
		break;
	}
	if (s->why)
		na_str_addf(to, "nobody is blamed: %s\n", s->why);
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
	size_t n = 0;

	na_str_addf(to, "waits: in %.80s%s: ",
		    na_stall_name(x, x->ranks->groups.v[v[first].group].name),
		    v[first].sequence < 0 ? " (point-to-point)" : "");
	for (size_t i = first; i < s->chain.n; i++) {
		char a[NA_STALL_RANKS_BUF + 8], b[NA_STALL_RANKS_BUF + 8];

		if (!same_place(x, &v[first], &v[i]) || n++ >= WAITS_SHOWN)
			continue;
		na_stall_ranks_word(v[i].waiting.v, v[i].waiting.n, a,
				    sizeof(a));
		na_stall_ranks_word(v[i].waits_for.v, v[i].waits_for.n, b,
				    sizeof(b));
		na_str_addf(to, "%s%s for %s", n > 1 ? "; " : "", a, b);
	}
	if (n > WAITS_SHOWN)
		na_str_addf(to, "; and %s more", na_grouped(n - WAITS_SHOWN));
	na_str_addf(to, "\n");
}

/* Group by group, those next to the culprits first. */
static void chain_text(const struct na_stalls *x, const struct na_stall *s,
		       struct na_str *to)
{
	char who[NA_STALL_RANKS_BUF + 8];
	size_t n = 0;

	for (size_t i = 0; i < s->chain.n && i < ROWS_SHOWN; i++) {
		if (begins(x, s, i) && n++ < GROUPS_SHOWN)
			group_waits_text(x, s, i, to);
	}
	if (n > GROUPS_SHOWN)
		na_str_addf(to, "waits: in groups of %s more kind%s\n",
			    na_grouped(n - GROUPS_SHOWN),
			    na_plural(n - GROUPS_SHOWN));
	if (!s->behind.n)
		return;
	na_stall_ranks_word(s->behind.v, s->behind.n, who, sizeof(who));
	na_str_addf(to, "waits: behind what is stuck: %s, in operations that "
			"all have called\n",
		    who);
}

void na_stall_calls_text(const struct na_stalls *x, const struct na_fr_entry *e,
			 struct na_str *to)
{
	char size[NA_UNIT_BUF] = "size not told";

	if (e->size_bytes != UINT64_MAX)
		na_print_bytes(size, (double)e->size_bytes, 3);
	na_str_addf(to, "%.60s, %s%s%.40s", na_stall_name(x, e->operation),
		    size, e->type == NA_NO_NAME ? "" : ", ",
		    e->type == NA_NO_NAME ? "" : na_stall_name(x, e->type));
}

static void differs_text(const struct na_stalls *x, const struct na_stall *s,
			 struct na_str *to)
{
	for (size_t i = 0; i < s->differs.n && i < 16; i++) {
		na_str_addf(to, "calls: rank %d ", (int)s->differs.v[i].rank);
		na_stall_calls_text(x, s->differs.v[i].entry, to);
		na_str_addf(to, "\n");
	}
}

/* Whose stack it is, and where it was taken. */
static void whose_text(const struct na_stalls *x, const struct na_stall *s,
		       const struct na_stall_frames *f, struct na_str *to)
{
	const struct na_fr_entry *e = f->entry;
	bool of_it = e->group == s->group &&
		     (s->sequence < 0 || e->sequence == s->sequence);
	char group[NA_STALL_RANKS_BUF + 100];

	na_str_addf(to, "stack of rank %d", (int)f->dump->rank);
	if (!s->culprits.n) {
		na_str_addf(to, ":\n");
	} else if (!na_stall_blames(s, f->dump->rank)) {
		na_str_addf(to, ", which waits in it:\n");
	} else if (s->cause != NA_HANG_HOST_STUCK && of_it) {
		na_str_addf(to, ", which %s:\n",
			    s->cause == NA_HANG_MISMATCH
				    ? "calls something else"
				    : "is stuck in it");
	} else {
		na_stall_group(x, e->group, group, sizeof(group));
		na_str_addf(to, ", where it called its last operation, %.60s",
			    na_stall_name(x, e->operation));
		if (!e->p2p && e->sequence >= 0)
			na_str_addf(to, " number %lld", (long long)e->sequence);
		na_str_addf(to, " of %s:\n", group);
	}
}

static void stack_text(const struct na_stalls *x, const struct na_stall *s,
		       const struct na_stall_frames *f, struct na_str *to)
{
	char text[600];

	whose_text(x, s, f, to);
	for (uint32_t k = 0; k < f->entry->n_frames && k < FRAMES_SHOWN; k++) {
		na_stall_frame_text(x, &f->dump->frames.v[f->entry->frame + k],
				    text, sizeof(text));
		na_str_addf(to, "at: %.160s\n", text);
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

static void doubts_text(const struct na_stall *s, struct na_str *to)
{
	char who[NA_STALL_RANKS_BUF + 8];

	if (s->missing.n) {
		na_stall_ranks_word(s->missing.v, s->missing.n, who,
				    sizeof(who));
		na_str_addf(to, "no whole dump: %s\n", who);
	}
	if (s->overflow.n) {
		na_stall_ranks_word(s->overflow.v, s->overflow.n, who,
				    sizeof(who));
		na_str_addf(to,
			    "ring too short (TORCH_NCCL_TRACE_BUFFER_SIZE): "
			    "%s\n",
			    who);
	}
}

void na_stalls_texts(const struct na_hangs *x, size_t most, struct na_result *r)
{
	for (size_t i = 0; i < x->stalls.v.n && i < most; i++) {
		const struct na_stall *s = &x->stalls.v.v[i];
		char title[80], lines[8192], buf[NA_HANGS_ADVICE_BUF];
		struct na_str to = na_str_over(lines, sizeof(lines));
		const char *text;

		snprintf(title, sizeof(title), "Hang %zu: %s",
			 x->events.n + i + 1, na_hang_cause_text(s->cause));
		because_text(&x->stalls, s, &to);
		differs_text(&x->stalls, s, &to);
		na_stall_own_text(&x->stalls, s, &to);
		chain_text(&x->stalls, s, &to);
		frames_text(&x->stalls, s, &to);
		doubts_text(s, &to);
		for (size_t k = 0;
		     (text = na_stall_next(&x->stalls, s, k, buf)); k++)
			na_str_addf(&to, "next: %s\n", text);
		na_result_text(r, title, "%s", lines);
	}
}

/* ---- notes */

/* Several roots of one stop: each event tells of its own alone. */
static void note_all(const struct na_stalls *x, struct na_result *r)
{
	struct na_stall_ranks blamed = {0}, waiting = {0};
	char a[NA_STALL_RANKS_BUF + 8], b[NA_STALL_RANKS_BUF + 8];

	if (x->v.n > 1 && na_stall_all_of(x, &blamed, &waiting) && blamed.n &&
	    waiting.n) {
		na_stall_ranks_word(waiting.v, waiting.n, a, sizeof(a));
		na_stall_ranks_word(blamed.v, blamed.n, b, sizeof(b));
		na_result_note(r,
			       "%s wait%s for %s, each for one of them or for "
			       "several, some through others",
			       a, waiting.n == 1 ? "s" : "", b);
	}
	na_vec_free(&blamed);
	na_vec_free(&waiting);
}

static bool is_old(const struct na_flight_record *x, int32_t rank)
{
	return x->old.n &&
	       bsearch(&rank, x->old.v, x->old.n, sizeof(rank), na_order_i32);
}

/* Dumps of several moments: which of them were judged. */
static void note_again(const struct na_flight_record *x, struct na_result *r)
{
	struct na_stall_ranks ranks = {0};
	char who[NA_STALL_RANKS_BUF + 8], apart[NA_UNIT_BUF];
	int64_t most_ns = -1;
	bool ok = true;

	for (size_t i = 0; ok && i < x->again.n; i++) {
		if (is_old(x, x->again.v[i].rank))
			continue;
		ok = na_add(&ranks, x->again.v[i].rank);
		if (x->again.v[i].apart_ns > most_ns)
			most_ns = x->again.v[i].apart_ns;
	}
	if (ok && ranks.n) {
		na_stall_ranks_word(ranks.v, ranks.n, who, sizeof(who));
		if (most_ns >= 0)
			na_print_time(apart,
				      most_ns > INT64_MAX / NA_PS_PER_NS
					      ? INT64_MAX
					      : most_ns * NA_PS_PER_NS,
				      3);
		na_result_note(r,
			       "there are dumps of several moments of %s%s%s: "
			       "of each rank the last one is judged",
			       who, most_ns >= 0 ? ", apart by up to " : "",
			       most_ns >= 0 ? apart : "");
	}
	na_vec_free(&ranks);
}

/* Ranks without a dump of the time that is judged. */
static void note_old(const struct na_flight_record *x, struct na_result *r)
{
	char who[NA_STALL_RANKS_BUF + 8];

	if (!x->old.n)
		return;
	na_stall_ranks_word(x->old.v, x->old.n, who, sizeof(who));
	na_result_note(r,
		       "not judged: the dumps of %s, older than the last ones "
		       "of other ranks (another attempt of the job?): name the "
		       "directory of one attempt to judge it",
		       who);
}

/* Who is blamed, and where that is nobody knows. */
static void note_hosts(const struct na_stalls *x, struct na_result *r)
{
	struct na_stall_ranks ranks = {0};
	char who[NA_STALL_RANKS_BUF + 8];
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
	if (ok && ranks.n) {
		na_stall_ranks_word(ranks.v, ranks.n, who, sizeof(who));
		na_result_note(
			r,
			"nothing here tells the host of %s: --hosts FILE "
			"(rows rank,host) names it",
			who);
	}
	na_vec_free(&ranks);
}

void na_stalls_notes(const struct na_stalls *x, struct na_result *r)
{
	note_all(x, r);
	if (x->ranks) {
		note_again(x->ranks, r);
		note_old(x->ranks, r);
		note_hosts(x, r);
	}
	if (x->running)
		na_result_note(r,
			       "cannot tell yet: %s operation%s not called by "
			       "all ranks where the logs end; NCCL's calls "
			       "alone do not tell a hang from a job that runs: "
			       "the watchdog's lines do, or the times of lines "
			       "(NCCL_DEBUG_TIMESTAMP_LEVELS=INFO) that go on "
			       "for two minutes after the last call",
			       na_grouped(x->running),
			       x->running == 1 ? " was" : "s were");
	if (x->v.n && x->ranks->undated)
		na_result_note(r, "the logs' times have no year, and nothing "
				  "beside them tells one year: since when is "
				  "not told");
	if (x->v.n && x->ranks->unzoned)
		na_result_note(r, "the logs tell no time zone: their times are "
				  "read as UTC");
}
