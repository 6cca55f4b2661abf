/* hang: what a person reads of stalls of ranks. */
#include <stdio.h>

#include "members.h"
#include "netan/analyses/hang/stall_words.h"
#include "netan/base/ranges.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

const char *na_stall_name(const struct na_stalls *x, uint32_t n)
{
	return n == NA_NO_NAME ? "an operation"
			       : na_strtab_at(&x->ranks->names, n);
}

uint32_t na_stall_host(const struct na_stalls *x, int32_t rank)
{
	uint32_t host = NA_NO_NAME;

	for (size_t k = 0; k < x->ranks->dumps.n; k++) {
		const struct na_fr_dump *d = &x->ranks->dumps.v[k];

		if (d->rank == rank && d->host != NA_NO_NAME)
			host = d->host;
	}
	return host;
}

void na_stall_ranks_word(const int32_t *v, size_t n, char *buf, size_t size)
{
	char list[NA_STALL_RANKS_BUF - 8];

	na_ranges_text(v, n, list, sizeof(list));
	snprintf(buf, size, "rank%s %s", na_plural(n), list);
}

void na_stall_culprits(const struct na_stall *s, char *buf, size_t size)
{
	struct na_stall_ranks ranks = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < s->culprits.n; i++)
		ok = na_add(&ranks, s->culprits.v[i].rank);
	buf[0] = '\0';
	if (ranks.n)
		na_stall_ranks_word(ranks.v, ranks.n, buf, size);
	na_vec_free(&ranks);
}

bool na_stall_all_of(const struct na_stalls *x, struct na_stall_ranks *blamed,
		     struct na_stall_ranks *waiting)
{
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < x->v.n; i++) {
		const struct na_stall *s = &x->v.v[i];

		for (size_t k = 0; ok && k < s->culprits.n; k++)
			ok = na_add(blamed, s->culprits.v[k].rank);
		ok = ok && na_append(waiting, s->waiting.v, s->waiting.n) &&
		     na_append(waiting, s->behind.v, s->behind.n);
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
	if (x->v.n > 1 && na_stall_all_of(x, &blamed, &waiting) && blamed.n)
		na_stall_ranks_word(blamed.v, blamed.n, buf, size);
	na_vec_free(&blamed);
	na_vec_free(&waiting);
}

void na_stall_group(const struct na_stalls *x, uint32_t group, char *buf,
		    size_t size)
{
	const struct na_fr_group *g;
	char ranks[NA_STALL_RANKS_BUF];

	buf[0] = '\0';
	if (group == NA_NO_NAME)
		return;
	g = &x->ranks->groups.v[group];
	snprintf(buf, size, "%.80s", na_stall_name(x, g->name));
	if (!g->n)
		return;
	na_stall_ranks_word(x->ranks->members.v + g->first, g->n, ranks,
			    sizeof(ranks));
	snprintf(buf, size, "%.80s (%s)", na_stall_name(x, g->name), ranks);
}

/* The one host of all who are blamed, or NA_NO_NAME. */
static uint32_t host_of(const struct na_stalls *x, const struct na_stall *s)
{
	uint32_t host = NA_NO_NAME;

	for (size_t i = 0; i < s->culprits.n; i++) {
		uint32_t one = na_stall_host(x, s->culprits.v[i].rank);

		if (one == NA_NO_NAME || (i && one != host))
			return NA_NO_NAME;
		host = one;
	}
	return host;
}

void na_stall_who(const struct na_stalls *x, const struct na_stall *s,
		  char *buf, size_t size)
{
	char ranks[NA_STALL_RANKS_BUF + 8];
	uint32_t host = host_of(x, s);

	na_stall_culprits(s, ranks, sizeof(ranks));
	snprintf(buf, size, "%s%s%.100s", ranks,
		 host == NA_NO_NAME ? "" : " on ",
		 host == NA_NO_NAME ? "" : na_stall_name(x, host));
}

void na_stall_title(const struct na_stalls *x, const struct na_stall *s,
		    char *buf, size_t size)
{
	char who[NA_STALL_RANKS_BUF + 120];
	size_t n = s->waiting.n + s->behind.n;
	struct na_str to = na_str_over(buf, size);

	na_stall_who(x, s, who, sizeof(who));
	if (s->cause == NA_HANG_UNKNOWN || !who[0]) {
		na_str_addf(&to, "%s, nobody can be blamed",
			    na_hang_cause_text(s->cause));
	} else if (s->cause == NA_HANG_HOST_STUCK) {
		/* "process stuck" would be in the operation. */
		na_str_addf(&to, "%s never called %s%.60s", who,
			    s->sequence < 0 ? "the other end of " : "",
			    na_stall_name(x, s->operation));
		if (s->sequence >= 0)
			na_str_addf(&to, " %lld", (long long)s->sequence);
		na_str_addf(&to, "%s",
			    s->others.n ? ", or another before it" : "");
		if (n)
			na_str_addf(&to, ", and %s wait%s", na_grouped(n),
				    n == 1 ? "s" : "");
	} else {
		na_str_addf(&to, "%s: %s (%.60s%s)",
			    na_hang_cause_text(s->cause), who,
			    na_stall_name(x, s->operation),
			    s->others.n ? ", or another before it" : "");
	}
}

/* "all_reduce number 156 of ranks 0-7"; a send or receive: whose it is. */
static void operation_text(const struct na_stalls *x, const struct na_stall *s,
			   char *buf, size_t size)
{
	const struct na_fr_group *g = s->group == NA_NO_NAME
					      ? NULL
					      : &x->ranks->groups.v[s->group];
	char ranks[NA_STALL_RANKS_BUF] = "", number[40] = "";

	if (s->sequence < 0 && s->chain.n)
		na_stall_ranks_word(s->chain.v[0].waiting.v,
				    s->chain.v[0].waiting.n, ranks,
				    sizeof(ranks));
	else if (g && g->n)
		na_stall_ranks_word(x->ranks->members.v + g->first, g->n, ranks,
				    sizeof(ranks));
	else if (g)
		snprintf(ranks, sizeof(ranks), "%.80s",
			 na_stall_name(x, g->name));
	if (s->sequence >= 0)
		snprintf(number, sizeof(number), " number %lld",
			 (long long)s->sequence);
	snprintf(buf, size, "%.60s%s%s%s", na_stall_name(x, s->operation),
		 number, ranks[0] ? " of " : "", ranks);
}

void na_stall_no_dump(const struct na_stalls *x, const struct na_stall *s,
		      bool starts, const char *who, struct na_str *to)
{
	size_t damaged = na_stall_damaged(x, s);
	bool many = s->culprits.n > 1;

	if (damaged && damaged == s->culprits.n)
		na_str_addf(to, "%s dump%s of %s %s damaged",
			    starts ? "The" : "the", many ? "s" : "", who,
			    many ? "are" : "is");
	else
		na_str_addf(to, "%s is no %sdump of %s",
			    starts ? "There" : "there",
			    damaged ? "whole " : "", who);
}

void na_stall_sentence(const struct na_stalls *x, const struct na_stall *s,
		       struct na_str *to)
{
	char who[NA_STALL_RANKS_BUF + 120], what[2 * NA_STALL_RANKS_BUF];
	bool many = s->culprits.n > 1;
	size_t n = s->waiting.n + s->behind.n;

	na_stall_who(x, s, who, sizeof(who));
	operation_text(x, s, what, sizeof(what));
	if (who[0] == 'r')
		who[0] = 'R';
	if (s->cause == NA_HANG_DEVICE_STUCK)
		na_str_addf(to, "%s %s still in %s, which a peer has left", who,
			    many ? "are" : "is", what);
	else if (s->cause == NA_HANG_HOST_STUCK)
		na_str_addf(to, "%s never called %s%s%s", who,
			    s->sequence < 0 ? "the other end of " : "", what,
			    s->others.n ? ", or another operation before it"
					: "");
	else if (s->cause == NA_HANG_MISMATCH && who[0])
		na_str_addf(to,
			    "%s call%s something else than the others in %s",
			    who, many ? "" : "s", what);
	else if (s->cause == NA_HANG_MISMATCH)
		na_str_addf(to,
			    "Ranks call different things in %s, and no "
			    "majority says who is wrong",
			    what);
	else if (s->cause == NA_HANG_MISSING_RANK && who[0]) {
		if (who[0] == 'R')
			who[0] = 'r';
		na_stall_no_dump(x, s, true, who, to);
		na_str_addf(to, ", and all others wait in %s", what);
	} else
		na_str_addf(to, "Ranks wait in %s, and nobody can be blamed",
			    what);
	if (n && s->culprits.n)
		na_str_addf(to, "; %s rank%s wait%s for %s", na_grouped(n),
			    na_plural(n), n == 1 ? "s" : "",
			    many ? "them" : "it");
	if (n && s->behind.n)
		na_str_addf(to,
			    ", %s of them behind what is stuck, in operations "
			    "that all have called",
			    na_grouped(s->behind.n));
}

/* ---- what to do */

#define WRITE(...) \
	(snprintf(buf, NA_HANGS_ADVICE_BUF, __VA_ARGS__), (const char *)buf)

static const char *device_next(const struct na_stalls *x, const char *who,
			       size_t i, char *buf)
{
	char awaited[NA_STALL_RANKS_BUF + 8];

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
			     "the ranks that wait for %s are healthy as far as "
			     "the dumps tell",
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
		return WRITE("find out what became of %s: a process may be "
			     "dead or its host unreachable; no whole dump is "
			     "among the files",
			     who);
	case 1:
		return "if it did write a dump (TORCH_NCCL_DEBUG_INFO_TEMP_"
		       "FILE on its host), give that one, too";
	default:
		return NULL;
	}
}

static const char *damaged_next(const char *who, size_t i, char *buf)
{
	switch (i) {
	case 0:
		return WRITE("give a whole dump of %s: that which is here is "
			     "damaged, and does not tell whether it called "
			     "the operation that the others wait in",
			     who);
	case 1:
		return "or look into its process: py-spy dump --pid PID "
		       "(--native), and its log";
	default:
		return NULL;
	}
}

static const char *unknown_next(const struct na_stall *s, size_t i)
{
	if (i == 0 && s->missing.n)
		return "give whole dumps of all ranks: who is to blame may be "
		       "one whose dump is missing or damaged";
	return i == 0 ? "all ranks wait alike: the network of the job, or "
			"work on the GPU before the operation; take stacks of "
			"all ranks (py-spy dump --native), and look at NCCL's "
			"log (NCCL_DEBUG=INFO) and at netan rdma"
		      : NULL;
}

const char *na_stall_next(const struct na_stalls *x, const struct na_stall *s,
			  size_t i, char buf[NA_HANGS_ADVICE_BUF])
{
	char who[NA_STALL_RANKS_BUF + 8];

	na_stall_culprits(s, who, sizeof(who));
	switch (s->cause) {
	case NA_HANG_DEVICE_STUCK:
		return device_next(x, who, i, buf);
	case NA_HANG_HOST_STUCK:
		return host_next(who, i, buf);
	case NA_HANG_MISMATCH:
		return mismatch_next(s, who, i, buf);
	case NA_HANG_MISSING_RANK:
		return na_stall_damaged(x, s) == s->culprits.n
			       ? damaged_next(who, i, buf)
			       : missing_next(who, i, buf);
	default:
		return unknown_next(s, i);
	}
}

/* ---- the table */

int64_t na_stall_lasted_ps(const struct na_stall *s)
{
	int64_t ps = 0, ran_ps = 0;

	if (s->since_ns == INT64_MIN || s->until_ns <= s->since_ns ||
	    !na_ps_since(s->until_ns, s->since_ns, &ps))
		ps = 0;
	if (na_mul_i64(s->ran_ms, NA_PS_PER_MS, &ran_ps) && ran_ps > ps)
		ps = ran_ps;
	return ps < NA_PS_PER_S ? -1 : ps;
}

const char *na_stall_lasted(const struct na_stall *s, char buf[NA_UNIT_BUF])
{
	int64_t ps = na_stall_lasted_ps(s);

	return ps < 0 ? "" : na_print_time(buf, ps, 3);
}

static bool lasted_any(const struct na_value *list)
{
	na_for_each (v, list) {
		if (na_text_or(v, M_at_least, NULL))
			return true;
	}
	return false;
}

/* clang-format off */
#define STALL_COLUMNS \
	{M_hang}, {M_cause}, {M_culprits}, {M_event "." M_collective}, \
	{M_group}, {M_event "." M_sequence}, {M_since}
/* clang-format on */

void na_stalls_view(const struct na_hangs *x, size_t top, struct na_result *r)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_chain);
	char text[NA_STALL_RANKS_BUF + 100];
	size_t n = 0;

	na_for_each (v, na_get(na_result_body(r), M_events)) {
		const struct na_stall *s;
		struct na_value *row;
		char since[NA_UNIT_BUF], lasted[NA_UNIT_BUF];

		if (n++ < x->events.n)
			continue;
		s = &x->stalls.v.v[n - 1 - x->events.n];
		row = na_put_object(r, list, NULL);
		na_put_int(r, row, M_hang, (int64_t)n);
		na_put_alias(r, row, M_event, v);
		na_put_text(r, row, M_cause, na_hang_cause_text(s->cause));
		na_stall_culprits(s, text, sizeof(text));
		na_put_text(r, row, M_culprits, text[0] ? text : NULL);
		na_stall_group(&x->stalls, s->group, text, sizeof(text));
		na_put_text(r, row, M_group, text);
		na_put_text(r, row, M_since,
			    s->since_ns == INT64_MIN
				    ? NULL
				    : na_print_utc(since, s->since_ns));
		na_put_text(r, row, M_at_least,
			    *na_stall_lasted(s, lasted) ? lasted : NULL);
		na_put_int(r, row, M_waiting,
			   (int64_t)(s->waiting.n + s->behind.n));
	}
	if (list && list->n && lasted_any(list))
		na_result_view(r, "Stuck operations", list,
			       &na_table_hang_shown_stall,
			       NA_COLUMNS(STALL_COLUMNS, {M_at_least},
					  {M_waiting}),
			       top);
	else if (list && list->n)
		na_result_view(r, "Stuck operations", list,
			       &na_table_hang_shown_stall,
			       NA_COLUMNS(STALL_COLUMNS, {M_waiting}), top);
}
