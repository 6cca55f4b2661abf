/* hang: what a person reads of stalls of ranks. */
#include <stdio.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/judges/hang/hang.h"

enum { RANKS_BUF = 200, FRAMES_SHOWN = 12 };

static const char *name(const struct na_stalls *x, uint32_t n)
{
	return n == NA_NO_NAME ? "an operation"
			       : na_strtab_at(&x->ranks->names, n);
}

/* "rank 3", "ranks 3, 5-8 and 12" */
static void ranks_text(const int32_t *v, size_t n, char *buf, size_t size)
{
	char list[RANKS_BUF - 8];

	na_stall_ranks_text(v, n, list, sizeof(list));
	snprintf(buf, size, "rank%s %s", na_plural(n), list);
}

static void culprits_text(const struct na_stall *s, char *buf, size_t size)
{
	struct na_stall_ranks ranks = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < s->culprits.n; i++)
		ok = na_add(&ranks, s->culprits.v[i].rank);
	buf[0] = '\0';
	if (ranks.n)
		ranks_text(ranks.v, ranks.n, buf, size);
	na_vec_free(&ranks);
}

/* Of all hangs together: who is blamed, and who waits for them. */
static bool all_of(const struct na_stalls *x, struct na_stall_ranks *blamed,
		   struct na_stall_ranks *waiting)
{
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < x->v.n; i++) {
		const struct na_stall *s = &x->v.v[i];

		for (size_t k = 0; ok && k < s->culprits.n; k++)
			ok = na_add(blamed, s->culprits.v[k].rank);
		ok = ok && na_append(waiting, s->waiting.v, s->waiting.n);
	}
	na_stall_order(blamed);
	na_stall_order(waiting);
	for (size_t i = 0; i < waiting->n; i++) {
		if (!na_stall_has(blamed, waiting->v[i]))
			waiting->v[n++] = waiting->v[i];
	}
	waiting->n = n;
	return ok;
}

/* "ranks 12 and 14": whom the others wait for; one hang: "it". */
static void awaited_text(const struct na_stalls *x, char *buf, size_t size)
{
	struct na_stall_ranks blamed = {0}, waiting = {0};

	snprintf(buf, size, "it");
	if (x->v.n > 1 && all_of(x, &blamed, &waiting) && blamed.n)
		ranks_text(blamed.v, blamed.n, buf, size);
	na_vec_free(&blamed);
	na_vec_free(&waiting);
}

static void group_text(const struct na_stalls *x, uint32_t group, char *buf,
		       size_t size)
{
	const struct na_testimony_group *g;
	char ranks[RANKS_BUF];

	buf[0] = '\0';
	if (group == NA_NO_NAME)
		return;
	g = &x->ranks->groups.v[group];
	snprintf(buf, size, "%.80s", name(x, g->name));
	if (!g->n)
		return;
	ranks_text(x->ranks->members.v + g->first, g->n, ranks, sizeof(ranks));
	snprintf(buf, size, "%.80s (%s)", name(x, g->name), ranks);
}

void na_stall_title(const struct na_stalls *x, const struct na_stall *s,
		    char *buf, size_t size)
{
	char who[RANKS_BUF + 8];

	culprits_text(s, who, sizeof(who));
	if (s->cause == NA_HANG_UNKNOWN || !who[0])
		snprintf(buf, size, "%s, nobody can be blamed",
			 na_hang_cause_text(s->cause));
	else
		snprintf(buf, size, "%s: %s (%.60s)",
			 na_hang_cause_text(s->cause), who,
			 name(x, s->operation));
}

/* ---- what to do */

#define WRITE(...) \
	(snprintf(buf, NA_HANGS_ADVICE_BUF, __VA_ARGS__), (const char *)buf)

static const char *device_next(const struct na_stalls *x, const char *who,
			       size_t i, char *buf)
{
	char awaited[RANKS_BUF + 8];

	awaited_text(x, awaited, sizeof(awaited));
	switch (i) {
	case 0:
		return WRITE("on the host of %s: dmesg (NVRM, Xid), nvidia-smi "
			     "-q (ECC, retired pages, throttling), and the "
			     "state of its NICs: the GPU or its link does not "
			     "finish what its peers have finished",
			     who);
	case 1:
		return WRITE("take the GPU of %s out of the job and restart; "
			     "all other ranks wait for %s and are healthy as "
			     "far as the dumps tell",
			     who, awaited);
	default:
		return NULL;
	}
}

static const char *host_next(const char *who, size_t i, char *buf)
{
	switch (i) {
	case 0:
		return WRITE("look into the process of %s: py-spy dump --pid "
			     "PID (--native), and its log: it never called "
			     "the operation that its peers wait in (data "
			     "loading, a checkpoint, a lock, an exception, a "
			     "dead process)",
			     who);
	case 1:
		return "is the process there, stopped, or swapping? ps -o "
		       "stat,wchan:30 -p PID, dmesg (out of memory)";
	default:
		return NULL;
	}
}

static const char *mismatch_next(const struct na_stall *s, const char *who,
				 size_t i, char *buf)
{
	if (i == 0 && s->culprits.n)
		return WRITE("compare the code path of %s with that of the "
			     "others: it calls another operation, type or "
			     "size at this point (a branch that depends on "
			     "the rank or on the data)",
			     who);
	if (i == 0)
		return "compare the code paths of these ranks: they call "
		       "different operations, types or sizes at this point";
	return i == 1 ? "run with TORCH_DISTRIBUTED_DEBUG=DETAIL: it stops at "
			"the first difference"
		      : NULL;
}

static const char *missing_next(const char *who, size_t i, char *buf)
{
	switch (i) {
	case 0:
		return WRITE("find out what became of %s: its process may be "
			     "dead or its host unreachable; no dump of it is "
			     "among the files",
			     who);
	case 1:
		return "if it did write a dump (TORCH_NCCL_DEBUG_INFO_TEMP_"
		       "FILE on its host), give that one, too";
	default:
		return NULL;
	}
}

static const char *unknown_next(const struct na_stall *s, size_t i)
{
	if (i == 0 && s->missing.n)
		return "give the dumps of all ranks: who is to blame may be "
		       "one whose dump is missing";
	return i == 0 ? "all ranks wait alike: the network of the job, or "
			"work on the GPU before the operation; take stacks of "
			"all ranks (py-spy dump --native), and look at NCCL's "
			"log (NCCL_DEBUG=INFO) and at netan rdma"
		      : NULL;
}

const char *na_stall_next(const struct na_stalls *x, const struct na_stall *s,
			  size_t i, char buf[NA_HANGS_ADVICE_BUF])
{
	char who[RANKS_BUF + 8];

	culprits_text(s, who, sizeof(who));
	switch (s->cause) {
	case NA_HANG_DEVICE_STUCK:
		return device_next(x, who, i, buf);
	case NA_HANG_HOST_STUCK:
		return host_next(who, i, buf);
	case NA_HANG_MISMATCH:
		return mismatch_next(s, who, i, buf);
	case NA_HANG_MISSING_RANK:
		return missing_next(who, i, buf);
	default:
		return unknown_next(s, i);
	}
}

/* ---- the table */

void na_stalls_view(const struct na_hangs *x, size_t top, struct na_result *r)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_chain);
	char text[RANKS_BUF + 100];
	size_t n = 0;

	na_for_each (v, na_get(na_result_body(r), M_events)) {
		const struct na_stall *s;
		struct na_value *row;
		char since[NA_UNIT_BUF];

		if (n++ < x->events.n)
			continue;
		s = &x->stalls.v.v[n - 1 - x->events.n];
		row = na_put_object(r, list, NULL);
		na_put_int(r, row, M_hang, (int64_t)n);
		na_put_alias(r, row, M_event, v);
		na_put_text(r, row, M_cause, na_hang_cause_text(s->cause));
		culprits_text(s, text, sizeof(text));
		na_put_text(r, row, M_culprits, text[0] ? text : NULL);
		group_text(&x->stalls, s->group, text, sizeof(text));
		na_put_text(r, row, M_group, text);
		na_put_text(r, row, M_since,
			    s->since_ns == INT64_MIN
				    ? NULL
				    : na_print_utc(since, s->since_ns));
		na_put_int(r, row, M_waiting, (int64_t)s->waiting.n);
	}
	if (list && list->n)
		na_result_view(r, "Stuck operations", list,
			       &na_table_hang_shown_stall,
			       NA_COLUMNS({M_hang}, {M_cause}, {M_culprits},
					  {M_event "." M_collective}, {M_group},
					  {M_event "." M_sequence}, {M_since},
					  {M_waiting}),
			       top);
}

/* ---- one by one */

void na_stall_frame_text(const struct na_stalls *x,
			 const struct na_testimony_frame *f, char *buf,
			 size_t size)
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

/* What is known against them, in one sentence. */
static void because_text(const struct na_stalls *x, const struct na_stall *s,
			 struct na_str *to)
{
	char group[RANKS_BUF + 100], who[RANKS_BUF + 8];
	char sequence[40] = "";

	group_text(x, s->group, group, sizeof(group));
	culprits_text(s, who, sizeof(who));
	if (s->sequence >= 0)
		snprintf(sequence, sizeof(sequence), " number %lld",
			 (long long)s->sequence);
	na_str_addf(to, "operation: %.80s%s of %s\n", name(x, s->operation),
		    sequence, group);
	switch (s->cause) {
	case NA_HANG_DEVICE_STUCK:
		na_str_addf(to,
			    "why: %s still in it; a peer has entered and "
			    "left it, so it is complete\n",
			    who);
		break;
	case NA_HANG_HOST_STUCK:
		na_str_addf(to, "why: %s never called %s\n", who,
			    s->sequence < 0 ? "the other end of it, and "
					      "waits for nobody"
					    : "it; the others of the group "
					      "wait in it");
		break;
	case NA_HANG_MISMATCH:
		na_str_addf(to,
			    "why: the ranks of the group call different "
			    "operations here%s%s\n",
			    who[0] ? "; beside the majority: " : "", who);
		break;
	case NA_HANG_MISSING_RANK:
		na_str_addf(to,
			    "why: there is no dump of %s, and all others "
			    "of the group wait in it\n",
			    who);
		break;
	default:
		break;
	}
	if (s->why)
		na_str_addf(to, "nobody is blamed: %s\n", s->why);
}

static void chain_text(const struct na_stalls *x, const struct na_stall *s,
		       struct na_str *to)
{
	for (size_t i = 0; i < s->chain.n && i < 6; i++) {
		const struct na_stall_wait *w = &s->chain.v[i];
		char a[RANKS_BUF + 8], b[RANKS_BUF + 8];

		ranks_text(w->waiting.v, w->waiting.n, a, sizeof(a));
		ranks_text(w->waits_for.v, w->waits_for.n, b, sizeof(b));
		na_str_addf(to, "waits: %s for %s, in %.80s%s\n", a, b,
			    name(x, x->ranks->groups.v[w->group].name),
			    w->sequence < 0 ? " (point-to-point)" : "");
	}
	if (s->chain.n > 6)
		na_str_addf(to, "waits: %zu more groups\n", s->chain.n - 6);
}

static void differs_text(const struct na_stalls *x, const struct na_stall *s,
			 struct na_str *to)
{
	for (size_t i = 0; i < s->differs.n && i < 16; i++) {
		const struct na_testimony_entry *e = s->differs.v[i].entry;
		char size[NA_UNIT_BUF] = "size not told";

		if (e->size_bytes != UINT64_MAX)
			na_print_bytes(size, (double)e->size_bytes, 3);
		na_str_addf(to, "calls: rank %d %.60s, %s%s%.40s\n",
			    (int)s->differs.v[i].rank, name(x, e->operation),
			    size, e->type == NA_NO_NAME ? "" : ", ",
			    e->type == NA_NO_NAME ? "" : name(x, e->type));
	}
}

static void frames_text(const struct na_stalls *x, const struct na_stall *s,
			struct na_str *to)
{
	char text[600];

	if (!s->frames.n)
		return;
	na_str_addf(to, "stack of rank %d:\n", (int)s->frames.v[0].dump->rank);
	for (uint32_t k = 0;
	     k < s->frames.v[0].entry->n_frames && k < FRAMES_SHOWN; k++) {
		na_stall_frame_text(
			x,
			&s->frames.v[0]
				 .dump->frames
				 .v[s->frames.v[0].entry->frame + k],
			text, sizeof(text));
		na_str_addf(to, "at: %.160s\n", text);
	}
}

static void doubts_text(const struct na_stall *s, struct na_str *to)
{
	char who[RANKS_BUF + 8];

	if (s->missing.n) {
		ranks_text(s->missing.v, s->missing.n, who, sizeof(who));
		na_str_addf(to, "no whole dump: %s\n", who);
	}
	if (s->overflow.n) {
		ranks_text(s->overflow.v, s->overflow.n, who, sizeof(who));
		na_str_addf(to,
			    "ring too short (TORCH_NCCL_TRACE_BUFFER_SIZE): "
			    "%s\n",
			    who);
	}
}

/* Several roots of one stop: each event tells of its own alone. */
static void note_all(const struct na_stalls *x, struct na_result *r)
{
	struct na_stall_ranks blamed = {0}, waiting = {0};
	char a[RANKS_BUF + 8], b[RANKS_BUF + 8];

	if (x->v.n > 1 && all_of(x, &blamed, &waiting) && blamed.n &&
	    waiting.n) {
		ranks_text(waiting.v, waiting.n, a, sizeof(a));
		ranks_text(blamed.v, blamed.n, b, sizeof(b));
		na_result_note(r,
			       "%s wait%s for %s, each for one of them or for "
			       "several, some through others",
			       a, waiting.n == 1 ? "s" : "", b);
	}
	na_vec_free(&blamed);
	na_vec_free(&waiting);
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
		chain_text(&x->stalls, s, &to);
		frames_text(&x->stalls, s, &to);
		doubts_text(s, &to);
		for (size_t k = 0;
		     (text = na_stall_next(&x->stalls, s, k, buf)); k++)
			na_str_addf(&to, "next: %s\n", text);
		na_result_text(r, title, "%s", lines);
	}
	note_all(&x->stalls, r);
	if (x->stalls.running)
		na_result_note(r,
			       "cannot tell yet: %zu operation%s not called by "
			       "all ranks where the logs end; NCCL's calls "
			       "alone do not tell a hang from a job that runs: "
			       "the watchdog's lines do, or the times of lines "
			       "(NCCL_DEBUG_TIMESTAMP_LEVELS=INFO) that go on "
			       "for two minutes after the last call",
			       x->stalls.running,
			       x->stalls.running == 1 ? " was" : "s were");
	if (x->stalls.v.n && x->stalls.ranks->unzoned)
		na_result_note(r, "the logs tell no time zone: their times are "
				  "read as UTC");
}
