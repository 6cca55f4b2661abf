/* hang: what a person reads of stalls of ranks. */
#include <math.h>
#include <stdio.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/hang/stall_words.h"
#include "netan/base/ranges.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

const char *na_stall_name(const struct na_stalls *x, uint32_t n)
{
	return n == NA_NO_NAME ? na_say(x->phrases, na_fact_an_operation())
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

void na_stall_line(const struct na_stalls *x, struct na_str *to,
		   struct na_fact fact)
{
	na_str_addf(to, "%s\n", na_say(x->phrases, fact));
}

const char *na_stall_ranks_word(const struct na_stalls *x,
				const struct na_stall_ranks *ranks)
{
	char list[192];

	na_ranges_text(ranks->v, ranks->n, list, sizeof(list));
	return na_say(x->phrases, na_fact_ranks_named((int64_t)ranks->n, list));
}

const char *na_stall_culprits(const struct na_stalls *x,
			      const struct na_stall *s)
{
	struct na_stall_ranks ranks = {0};
	const char *text = "";
	bool ok = true;

	for (size_t i = 0; ok && i < s->culprits.n; i++)
		ok = na_add(&ranks, s->culprits.v[i].rank);
	if (ranks.n)
		text = na_stall_ranks_word(x, &ranks);
	na_vec_free(&ranks);
	return text;
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

/* "ranks 12 and 14": whom the others wait for; one hang: "". */
static const char *awaited_text(const struct na_stalls *x)
{
	struct na_stall_ranks blamed = {0}, waiting = {0};
	const char *text = "";

	if (x->v.n > 1 && na_stall_all_of(x, &blamed, &waiting) && blamed.n)
		text = na_stall_ranks_word(x, &blamed);
	na_vec_free(&blamed);
	na_vec_free(&waiting);
	return text;
}

/* The ranks of a group, or "". */
static const char *members_text(const struct na_stalls *x,
				const struct na_fr_group *g)
{
	struct na_stall_ranks ranks = {.n = g->n};

	if (!g->n)
		return "";
	ranks.v = x->ranks->members.v + g->first;
	return na_stall_ranks_word(x, &ranks);
}

const char *na_stall_group(const struct na_stalls *x, uint32_t group)
{
	const struct na_fr_group *g;

	if (group == NA_NO_NAME)
		return "";
	g = &x->ranks->groups.v[group];
	return na_say(x->phrases,
		      na_fact_group_with_ranks(na_stall_name(x, g->name),
					       members_text(x, g)));
}

const char *na_stall_operation(const struct na_stalls *x, uint32_t operation,
			       int64_t sequence, uint32_t group)
{
	return na_say(x->phrases,
		      na_fact_operation_of(na_stall_name(x, operation), -1,
					   sequence, false,
					   na_stall_group(x, group)));
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

const char *na_stall_who(const struct na_stalls *x, const struct na_stall *s)
{
	uint32_t host = host_of(x, s);

	return na_say(x->phrases,
		      na_fact_ranks_on_host(na_stall_culprits(x, s),
					    host == NA_NO_NAME
						    ? NULL
						    : na_stall_name(x, host)));
}

const char *na_stall_title(const struct na_stalls *x, const struct na_stall *s)
{
	const char *who = na_stall_who(x, s);
	const char *cause = na_hang_cause_text(s->cause);
	const char *operation = na_stall_name(x, s->operation);
	int64_t n = (int64_t)(s->waiting.n + s->behind.n);

	if (s->cause == NA_HANG_UNKNOWN || !*who)
		return na_say(x->phrases, na_fact_hang_blames_nobody(cause));
	/* "process stuck" would be in the operation. */
	if (s->cause == NA_HANG_HOST_STUCK)
		return na_say(x->phrases, na_fact_rank_never_called_waiting(
						  who, operation, s->sequence,
						  s->others.n > 0, n));
	return na_say(x->phrases, na_fact_hang_blames(cause, who, operation,
						      s->others.n > 0));
}

/* "all_reduce number 156 of ranks 0-7"; a send or receive: whose it is. */
static const char *operation_text(const struct na_stalls *x,
				  const struct na_stall *s)
{
	const struct na_fr_group *g = s->group == NA_NO_NAME
					      ? NULL
					      : &x->ranks->groups.v[s->group];
	const char *of = NULL;

	if (s->sequence < 0 && s->chain.n)
		of = na_stall_ranks_word(x, &s->chain.v[0].waiting);
	else if (g)
		of = g->n ? members_text(x, g) : na_stall_name(x, g->name);
	return na_say(x->phrases,
		      na_fact_operation_of(na_stall_name(x, s->operation), -1,
					   s->sequence, false, of));
}

const char *na_stall_no_dump(const struct na_stalls *x,
			     const struct na_stall *s, const char *who)
{
	size_t damaged = na_stall_damaged(x, s);

	return na_say(x->phrases,
		      damaged && damaged == s->culprits.n
			      ? na_fact_dump_is_damaged(who, damaged > 1)
			      : na_fact_dump_is_missing(who, damaged > 0));
}

static struct na_fact sentence_fact(const struct na_stalls *x,
				    const struct na_stall *s)
{
	const char *who = na_stall_who(x, s), *what = operation_text(x, s);
	bool many = s->culprits.n > 1;

	if (s->cause == NA_HANG_DEVICE_STUCK)
		return na_fact_rank_is_still_in(who, many, what);
	if (s->cause == NA_HANG_HOST_STUCK && s->sequence < 0)
		what = na_say(x->phrases, na_fact_other_end_of(what));
	if (s->cause == NA_HANG_HOST_STUCK)
		return na_fact_rank_never_called(who, what, s->others.n > 0);
	if (s->cause == NA_HANG_MISMATCH)
		return na_fact_rank_calls_something_else(who, many, what);
	if (s->cause == NA_HANG_MISSING_RANK && *who)
		return na_fact_all_others_wait(na_stall_no_dump(x, s, who),
					       what);
	return na_fact_ranks_wait_in(what);
}

const char *na_stall_sentence(const struct na_stalls *x,
			      const struct na_stall *s)
{
	int64_t n = (int64_t)(s->waiting.n + s->behind.n);
	const char *what = na_say(x->phrases, sentence_fact(x, s));
	const char *waits = NULL;

	if (n && s->culprits.n)
		waits = na_say(x->phrases,
			       na_fact_ranks_wait_for(n, NULL,
						      s->culprits.n > 1,
						      (int64_t)s->behind.n));
	return na_say(x->phrases, na_fact_what_and_waits(what, waits));
}

/* ---- what to do */

static void stall_steps(const struct na_stalls *x, const struct na_stall *s,
			struct na_fact to[2])
{
	const char *who = na_stall_culprits(x, s);

	switch (s->cause) {
	case NA_HANG_DEVICE_STUCK:
		to[0] = na_fact_do_look_at_gpu(who);
		to[1] = na_fact_do_take_gpu_out(who, awaited_text(x));
		return;
	case NA_HANG_HOST_STUCK:
		to[0] = na_fact_do_look_into_process(who);
		to[1] = na_fact_do_look_at_process_state();
		return;
	case NA_HANG_MISMATCH:
		to[0] = na_fact_do_compare_code_paths(who);
		to[1] = na_fact_do_run_with_debug();
		return;
	case NA_HANG_MISSING_RANK:
		if (na_stall_damaged(x, s) == s->culprits.n) {
			to[0] = na_fact_do_give_whole_dump(who);
			to[1] = na_fact_or_look_into_process();
			return;
		}
		to[0] = na_fact_do_find_rank(who);
		to[1] = na_fact_do_give_its_dump();
		return;
	default:
		to[0] = s->missing.n ? na_fact_do_give_dumps_of_all()
				     : na_fact_all_ranks_wait_alike();
		return;
	}
}

const char *na_stall_next(const struct na_stalls *x, const struct na_stall *s,
			  size_t i)
{
	struct na_fact steps[2] = {{NA_NO_FACT}};

	stall_steps(x, s, steps);
	return i < NA_LEN(steps) && steps[i].id ? na_say(x->phrases, steps[i])
						: NULL;
}

/* ---- the table */

double na_stall_lasted_s(const struct na_stall *s)
{
	int64_t ps = 0, ran_ps = 0;

	if (s->since_ns == INT64_MIN || s->until_ns <= s->since_ns ||
	    !na_ps_since(s->until_ns, s->since_ns, &ps))
		ps = 0;
	if (na_mul_i64(s->ran_ms, NA_PS_PER_MS, &ran_ps) && ran_ps > ps)
		ps = ran_ps;
	return ps < NA_PS_PER_S ? (double)NAN : (double)ps / NA_PS_PER_S;
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
	const char *title;
	size_t n = 0;

	na_for_each (v, na_get(na_result_body(r), M_events)) {
		const struct na_stall *s;
		struct na_value *row;
		char since[NA_UNIT_BUF], lasted[NA_UNIT_BUF];
		const char *who;
		double lasted_s;

		if (n++ < x->events.n)
			continue;
		s = &x->stalls.v.v[n - 1 - x->events.n];
		row = na_put_object(r, list, NULL);
		na_put_int(r, row, M_hang, (int64_t)n);
		na_put_alias(r, row, M_event, v);
		na_put_text(r, row, M_cause, na_hang_cause_text(s->cause));
		who = na_stall_culprits(&x->stalls, s);
		na_put_text(r, row, M_culprits, *who ? who : NULL);
		na_put_text(r, row, M_group,
			    na_stall_group(&x->stalls, s->group));
		na_put_text(r, row, M_since,
			    s->since_ns == INT64_MIN
				    ? NULL
				    : na_print_utc(since, s->since_ns));
		lasted_s = na_stall_lasted_s(s);
		na_put_text(r, row, M_at_least,
			    isnan(lasted_s)
				    ? NULL
				    : na_print_time(lasted,
						    na_ps_of_s(lasted_s), 3));
		na_put_int(r, row, M_waiting,
			   (int64_t)(s->waiting.n + s->behind.n));
	}
	title = na_hangs_say(x, na_fact_title_stuck());
	if (lasted_any(list))
		na_result_view(r, title, list, &na_table_hang_shown_stall,
			       NA_COLUMNS(STALL_COLUMNS, {M_at_least},
					  {M_waiting}),
			       top);
	else if (list && list->n)
		na_result_view(r, title, list, &na_table_hang_shown_stall,
			       NA_COLUMNS(STALL_COLUMNS, {M_waiting}), top);
}
