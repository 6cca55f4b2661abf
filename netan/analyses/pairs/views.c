/* pairs: tables and remarks for people. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"
#include "netan/base/units.h"

enum { DEFAULT_TOP = 20, TOLD = 3 };

/* What is said of them then shows in no column either. */
static bool compares_nothing(const struct pairs_state *s)
{
	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		if (!na_pairs_uncompared(&s->runs[i]))
			return false;
	}
	return s->scope->store->n_runs > 0;
}

/* A culprit in few words. */
static void put_suspect(struct na_result *r, struct na_value *list,
			const struct na_value *v)
{
	struct na_value *row = na_put_object(r, list, NULL);
	const double *ci = na_reals_at(v, M_excess_ci95, 2);

	na_put_alias(r, row, M_culprit, v);
	na_put_textf(r, row, M_suspect, "%s%s%.64s%s", na_text_at(v, M_suspect),
		     na_get(v, M_endpoint) ? ", device " : "",
		     na_text_at(v, M_endpoint),
		     na_length(v, M_alternatives) ? " (or alternatives)" : "");
	na_put_real(r, row, M_low, ci ? ci[0] : NAN);
	na_put_real(r, row, M_high, ci ? ci[1] : NAN);
	na_put_real(r, row, M_posterior, na_number_at(v, M_posterior));
	na_put_textf(r, row, M_channel, "%s%s", na_text_at(v, M_channel),
		     na_flag_at(v, M_intermittent) ? ", now and then" : "");
}

/* The first column, the label, is for several runs. */
static void put_view(struct na_result *r, const struct pairs_state *s,
		     const char *title, const struct na_value *list,
		     const struct na_table *table, const struct na_column *cols,
		     size_t n, size_t max_rows)
{
	size_t skip = !na_pairs_has_runs(s);

	na_result_view(r, title, list, table, cols + skip, n - skip, max_rows);
}

static void suspects_view(struct na_result *r, const struct pairs_state *s,
			  const char *title)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_suspects);

	na_for_each (v, na_get(na_result_body(r), M_culprits))
		put_suspect(r, list, v);
	put_view(r, s, title, list, &na_table_pairs_suspect,
		 NA_COLUMNS({M_culprit "." M_label}, {M_suspect},
			    {M_culprit "." M_excess}, {M_low}, {M_high},
			    {M_posterior}, {M_channel}, {M_culprit "." M_pairs},
			    {M_culprit "." M_transfers}),
		 0);
}

static void pairs_view(struct na_result *r, const struct pairs_state *s,
		       const char *title)
{
	const struct na_value *list = na_get(na_result_body(r), M_pairs);
	size_t top = s->scope->top ? s->scope->top : DEFAULT_TOP;
	bool named = na_first(na_result_body(r), M_culprits);

	if (named)
		title = "pairs: the suspects' own first, then the slowest";
	if (!named && compares_nothing(s))
		put_view(r, s, title, list, &na_table_pairs_pair,
			 NA_COLUMNS({M_label}, {M_src}, {M_dst}, {M_count},
				    {M_p50_us}, {M_p99_us}, {M_bytes}),
			 top);
	else
		put_view(r, s, title, list, &na_table_pairs_pair,
			 NA_COLUMNS({M_label}, {M_src}, {M_dst}, {M_excess},
				    {M_q_value}, {M_count}, {M_p50_us},
				    {M_p99_us}, {M_expected_us}, {M_bytes}),
			 top);
}

static void note_not_listed(struct na_result *r)
{
	uint64_t n = (uint64_t)na_count_at(na_result_body(r),
					   M_pairs_not_listed);
	char count[NA_COUNT_BUF];

	if (n)
		na_result_note(r, "not listed (--top): %s",
			       na_count_of(count, n, "more pair"));
}

static void clocks_view(struct na_result *r, const struct pairs_state *s)
{
	put_view(r, s, "clocks that are off (corrected here)",
		 na_get(na_result_body(r), M_clock_offsets),
		 &na_table_pairs_result_clock_offsets,
		 NA_COLUMNS({M_label}, {M_host}, {M_ahead_us},
			    {M_uncertainty_us}),
		 0);
}

/* Sentences, which a column would break after a word or two. */
static void undecided_view(struct na_result *r)
{
	char pairs[NA_COUNT_BUF];
	struct na_str all = {.s = NULL};

	na_for_each (v, na_get(na_result_body(r), M_undecided)) {
		const char *label = na_text_or(v, M_label, NULL);
		const char *needs = na_text_at(v, M_needs);
		uint64_t n = (uint64_t)na_count_at(v, M_n_pairs);

		na_str_join(&all, "\n", "%.40s%s%.*s", label ? label : "",
			    label ? ": " : "", PAIRS_WORDS,
			    na_text_at(v, M_what));
		if (n)
			na_str_addf(&all, "; %s",
				    na_count_of(pairs, n, "pair"));
		if (*needs)
			na_str_addf(&all, "\nwhat would decide: %.*s",
				    PAIRS_WORDS, needs);
	}
	na_result_text(r, "undecided", "%s", all.s ? all.s : "");
	free(all.s);
}

static bool same_text(const struct na_value *a, const struct na_value *b,
		      const char *name)
{
	return strcmp(na_text_at(a, name), na_text_at(b, name)) == 0;
}

static bool same_test(const struct na_value *a, const struct na_value *b)
{
	return same_text(a, b, M_test_next) && same_text(a, b, M_needs);
}

/* What to test: one remark for all suspects that ask for the same. */
static void note_tests(struct na_result *r)
{
	const struct na_value *first = na_first(na_result_body(r), M_culprits);

	for (const struct na_value *v = first; v; v = v->next) {
		const char *needs = na_text_at(v, M_needs);
		char buf[PAIRS_WORDS];
		struct na_str who = na_str_over(buf, sizeof(buf));
		const struct na_value *u = first;
		size_t n = 0;

		while (!same_test(u, v))
			u = u->next;
		if (u != v)
			continue; /* told */
		for (; u; u = u->next) {
			if (same_test(u, v) && n++ < TOLD)
				na_str_join(&who, ", ", "%.80s",
					    na_text_at(u, M_suspect));
		}
		if (n > TOLD)
			na_str_addf(&who, " and %zu more", n - TOLD);
		na_result_note(r, "test %s: %s%s%s", who.s,
			       na_text_at(v, M_test_next),
			       *needs ? "; what would decide: " : "", needs);
	}
	if (first && !na_flag_at(first, M_one_clock))
		na_result_note(r, "a suspect is not a verdict: latency that "
				  "holds a wait for a late host looks like a "
				  "slow NIC");
}

/* Of pairs that are compared. */
static void note_few(struct na_result *r, const struct pairs_state *s)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];
	uint64_t few = 0, all = 0;

	for (size_t i = 0; i < s->keys.n; i++) {
		const struct pairs_run *run = &s->runs[s->pairs[i].run];

		if (s->pairs[i].local || !run->effects ||
		    na_pairs_uncompared(run))
			continue;
		all++;
		few += na_pairs_is_few(s, &s->pairs[i]);
	}
	if (few)
		na_result_note(r,
			       "pairs with fewer than %d transfers: %s of %s; "
			       "how many times slower these are says little",
			       PAIRS_FEW, na_print_count(a, few),
			       na_print_count(b, all));
}

static void note_rest(struct na_result *r, const struct pairs_state *s)
{
	uint64_t local = 0, transfers = 0;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	for (size_t i = 0; i < s->keys.n; i++) {
		local += s->pairs[i].local;
		if (s->pairs[i].local)
			transfers += s->sums.v[s->pairs[i].found].n;
	}
	if (na_pairs_calls_in_part(s))
		na_result_note(r,
			       "%s of %s transfers are calls, the others "
			       "messages one way: --component rpc, or network, "
			       "compares what is alike",
			       na_print_count(a, s->calls),
			       na_print_count(b, s->scope->used->n));
	if (na_pairs_all_captured(s) && s->calls)
		na_result_note(r, "the latency of a call holds the server's "
				  "own time: a slow server looks like a slow "
				  "receive side of its host");
	else if (s->keys.n && !na_pairs_all_captured(s) && !s->of_hosts &&
		 s->params->level == PAIRS_AUTO)
		na_result_note(r, "one host's file shows each remote source on "
				  "few paths; the files of all hosts tell a "
				  "source from its path");
	if (!s->scope->store->topology && s->keys.n > local)
		na_result_note(r, "locality not given: a far pair and a slow "
				  "one look alike, so less is claimed; "
				  "--topology FILE separates them");
	else if (!na_pairs_placed(s) && s->keys.n > local)
		na_result_note(r, "the topology does not tell these pairs "
				  "apart (one rack, one for each host, or not "
				  "all of them named): no more is claimed than "
				  "without it");
	if (local)
		na_result_note(r,
			       "%s pair%s inside a host (%s transfers) listed "
			       "but not judged",
			       na_print_count(a, local), na_plural(local),
			       na_print_count(b, transfers));
	if (s->clamped)
		na_result_note(r,
			       "%s transfers with a clock behind the sender's "
			       "show clocks, and are in no statistics",
			       na_print_count(a, s->clamped));
}

/* What an option has left out, and what that would have told. */
static void note_side(struct na_result *r, const struct pairs_state *s)
{
	if (s->of_hosts && na_pairs_of_sends(s))
		na_result_note(r, "--side tx leaves out what receivers saw: "
				  "whether sends end with their "
				  "acknowledgement is not known, and nobody is "
				  "acquitted");
	else if (s->of_hosts && s->scope->filter->side == NA_RX)
		na_result_note(r, "--side rx leaves out what senders timed by "
				  "their own clock, which tells a slow sender "
				  "from receivers that wait");
}

static void note_sends(struct na_result *r)
{
	const struct na_value *x = na_get(na_result_body(r), M_sends_left_out);
	int64_t no_step = na_count_at(x, M_no_step);
	int64_t no_time = na_count_at(x, M_no_time);
	char n[NA_UNIT_BUF], all[NA_UNIT_BUF];

	if (!x)
		return;
	na_result_note(r, "sends that are not compared: %s of %s%s%s",
		       na_print_count(n, (uint64_t)(no_step + no_time)),
		       na_print_count(all, (uint64_t)na_count_at(x, M_of)),
		       no_step ? ", as they are in no step" : "",
		       !no_time  ? ""
		       : no_step ? " or have no valid time"
				 : ", as they have no valid time");
}

static void note_joined(struct na_result *r, const struct pairs_state *s)
{
	char n[NA_COUNT_BUF];

	if (!s->joined.n)
		return;
	if (!na_first(na_result_body(r), M_culprits))
		na_result_note(r, "of ranks pairs names nobody: netan "
				  "collectives compares what all ranks of an "
				  "operation transfer from when the last one "
				  "has come, and whom check names rests on "
				  "that");
	na_result_note(r,
		       "%s of ranks last from when the later of both sides "
		       "had come; where one is not here, the wait for it is "
		       "in them",
		       na_count_of(n, s->joined.n, "transfer"));
}

void na_pairs_views(struct na_result *r, const struct pairs_state *s)
{
	const struct na_value *body = na_result_body(r);
	const char *verdict = na_text_or(body, M_verdict,
					 "no pairs: no transfers");
	bool named = na_first(body, M_culprits);

	na_result_wordf(r, NA_WORD_MESSAGE, "%c%s",
			na_pairs_has_runs(s) ? *verdict
					     : toupper((unsigned char)*verdict),
			verdict + 1);
	if (named)
		suspects_view(r, s, verdict);
	na_pairs_explain_views(r, s);
	if (na_first(body, M_clock_offsets))
		clocks_view(r, s);
	pairs_view(r, s, verdict);
	if (na_first(body, M_undecided))
		undecided_view(r);
	note_tests(r);
	note_joined(r, s);
	note_sends(r);
	note_side(r, s);
	note_few(r, s);
	note_not_listed(r);
	note_rest(r, s);
}
