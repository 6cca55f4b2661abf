/* trace-quality: what is missing in the inputs, and what it takes away. */
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"

enum { SAID = 3, LISTED = 20, HOLES = 2 };
static const double many_share = 0.01; /* left out: a warning from here on */

static const struct na_value *inputs_of(const struct na_case *c)
{
	return na_get(na_case_doc(c, "session"), M_inputs);
}

enum state { UNREADABLE, DAMAGED, REMARKED };

/* The readable inputs stand in the side tree in the same order: *side is the
 * next of them. */
static enum state state_of(const struct na_value *input,
			   const struct na_value **side)
{
	const struct na_value *x = *side;

	if (!na_text_or(input, M_format, NULL))
		return UNREADABLE;
	*side = x ? x->next : NULL;
	return na_flag_at(x, M_damaged) ? DAMAGED : REMARKED;
}

/* Inputs of one kind, with the first thing that is wrong with each. */
static size_t list_inputs(struct na_case *c, struct na_value *list,
			  enum state state)
{
	const struct na_value *side = na_first(na_case_side(c, "session"),
					       M_inputs);
	size_t n = 0;

	na_for_each (v, inputs_of(c)) {
		bool is = state_of(v, &side) == state;
		const char *why = na_text_of(na_first(v, M_warnings), NULL);
		struct na_value *to;

		if (!is || !why || n++ >= LISTED)
			continue;
		to = na_put_object(c->r, list, NULL);
		na_case_copy(c, to, v, M_path);
		na_put_text(c->r, to, M_what, why);
	}
	return n;
}

static void judge_inputs(struct na_case *c, enum state state)
{
	struct na_value *list = na_case_list(c);
	size_t n = list_inputs(c, list, state);
	size_t all = na_length(na_case_doc(c, "session"), M_inputs);
	const struct na_value *first = na_items(list);
	struct na_finding *f;

	if (!n)
		return;
	f = na_case_find(c, state == REMARKED ? NA_SEV_INFO : NA_SEV_WARNING,
			 NA_CERTAIN, "info");
	/* Why, the evidence says. */
	f->title = na_case_say(c,
			       na_fact_inputs_title((int64_t)n, (int64_t)all,
						    state == UNREADABLE,
						    state == DAMAGED,
						    na_text_at(first, M_path)));
	f->remedy = na_case_say(c, na_fact_inputs_remedy(state == REMARKED));
	for (const struct na_value *v = first; v && f->facts->n < SAID;
	     v = v->next) {
		const char *path = na_text_at(v, M_path);
		const char *what = na_text_at(v, M_what);
		bool names = strncmp(what, path, strlen(path)) == 0;

		na_case_evidence(c, f,
				 na_fact_labelled(names ? NULL : path, what));
	}
	na_put_int(c->r, f->evidence, M_inputs, (int64_t)n);
	na_put_alias(c->r, f->evidence, M_files, list);
}

/* Events that are no use; those that were never meant to be used (loopback,
 * filters) and skewed clocks, which have a check of their own, apart. */
static void judge_left_out(struct na_case *c)
{
	static const char *const reasons[] = {M_bad_key, M_no_latency,
					      M_bad_duration, M_damaged,
					      M_aggregated};
	const struct na_value *doc = na_case_doc(c, "session");
	const struct na_value *out = na_dig(doc, M_coverage "." M_left_out);
	const struct na_value *side = na_case_side(c, "session");
	double used = na_number_at(doc, M_coverage "." M_used), share;
	char reason[NA_UNIT_BUF];
	const char *text = "";
	struct na_finding *f;
	bool traces = false;
	int64_t n = 0;

	na_for_each (v, na_get(side, M_inputs))
		traces |= na_flag_at(v, M_trace);
	for (size_t i = 0; i < NA_LEN(reasons); i++) {
		int64_t one = na_count_at(out, reasons[i]);

		/* timeline draws them; nobody else can use them.  In packets
		 * nothing needs to be answered. */
		if (strcmp(reasons[i], M_no_latency) == 0)
			one = traces ? na_count_at(side, reasons[i]) : 0;
		if (!one)
			continue;
		na_print_words(reason, sizeof(reason), reasons[i]);
		text = na_case_say(c,
				   na_fact_counted_events(text, one, reason));
		n += one;
	}
	if (!n)
		return;
	share = (double)n / ((double)n + (used > 0 ? used : 0));
	f = na_case_find(c, share > many_share ? NA_SEV_WARNING : NA_SEV_INFO,
			 NA_CERTAIN, "info");
	f->title = na_case_say(c, na_fact_unusable_events(n, text,
							  share > many_share));
	f->remedy = na_case_say(c, na_fact_unusable_events_remedy(
					   n == na_count_at(out, M_damaged)));
	na_case_evidence(c, f, na_fact_share_of_events(share));
	na_put_int(c->r, f->evidence, M_left_out, n);
	na_put_real(c->r, f->evidence, M_left_out_share, share);
}

/* What is not here may be in what is lost of a damaged file, if there is one:
 * the finding says so. */
static bool put_lost(struct na_case *c, struct na_finding *f)
{
	struct na_value *list = na_case_list(c);
	size_t n = list_inputs(c, list, DAMAGED);

	if (n)
		na_case_evidence(c, f,
				 na_fact_lost_in_damaged(
					 na_text_at(na_items(list), M_path),
					 n > 1));
	return n > 0;
}

/* Devices that transfers name, and nobody recorded. */
static void judge_absent(struct na_case *c)
{
	const struct na_value *doc = na_case_doc(c, "session");
	int64_t n = na_count_at(doc, M_coverage "." M_devices_not_here);
	struct na_finding *f;
	bool lost;

	if (!n)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "info");
	na_case_evidence(c, f, na_fact_named_devices(n));
	lost = put_lost(c, f);
	f->title = na_case_say(c, na_fact_devices_not_here(n, lost));
	f->remedy = na_case_say(c, na_fact_give_all_hosts(lost));
	na_put_int(c->r, f->evidence, M_devices_not_here, n);
}

/* Ranks of the job, told by the groups of those that are here. */
static void judge_absent_ranks(struct na_case *c)
{
	const struct na_value *doc = na_case_doc(c, "session");
	int64_t n = na_count_at(doc, M_coverage "." M_ranks_not_here);
	struct na_finding *f;

	if (!n)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "info");
	f->title = na_case_say(c, na_fact_ranks_not_here(n));
	f->remedy = na_case_say(c, na_fact_give_all_ranks());
	na_case_evidence(c, f, na_fact_ranks_without_file(n));
	na_put_int(c->r, f->evidence, M_ranks_not_here, n);
}

/* Without device planes nobody knows what waits for the transfers. */
static void judge_planes(struct na_case *c)
{
	struct na_value *list = na_case_list(c);
	size_t traces = 0, without = 0;
	struct na_finding *f;

	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs)) {
		/* A job on CPUs has no devices. */
		if (!na_flag_at(v, M_trace) || na_flag_at(v, M_on_cpus))
			continue;
		traces++;
		if (na_count_at(v, M_devices))
			continue;
		if (without++ < LISTED)
			na_put_text(c->r, list, NULL, na_text_at(v, M_path));
	}
	if (!without)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "info");
	f->title = na_case_say(c,
			       na_fact_traces_without_planes((int64_t)without,
							     (int64_t)traces));
	f->remedy = na_case_say(c, na_fact_capture_devices());
	na_case_evidence(c, f,
			 na_fact_without_planes(na_case_names(c, list, SAID)));
	na_put_alias(c->r, f->evidence, M_files, list);
}

/* Of ranks, when they leave operations together tells it: these clocks are
 * corrected, and no finding. */
static void note_corrected(struct na_case *c)
{
	const struct na_value *list = na_get(na_case_side(c, "collectives"),
					     M_clocks);
	size_t n = list ? list->n : 0;

	if (n)
		na_result_note(c->r, "%s",
			       na_case_say(c, na_fact_clocks_corrected(
						      na_clocks_text(c, list),
						      n > 3 ? (int64_t)n - 3
							    : 0)));
}

static void judge_clock(struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");
	struct na_finding *f;
	bool lost;

	note_corrected(c);
	if (na_flag_at(side, M_one_clock) || na_count_at(side, M_files) < 2)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "info");
	f->title = na_case_say(c, na_fact_files_without_clock());
	na_case_evidence(c, f,
			 na_fact_files_with_own_clocks(
				 na_count_at(side, M_files)));
	lost = put_lost(c, f);
	f->remedy = na_case_say(c, na_fact_files_without_clock_remedy(lost));
	na_put_int(c->r, f->evidence, M_files, na_count_at(side, M_files));
}

/* Packets that were cut, or counted and not followed. */
static void judge_packets(struct na_case *c)
{
	static const char *const names[] = {M_malformed_packets, M_limits_hit,
					    M_http2_damaged, M_backward_steps};
	const struct na_value *side = na_case_side(c, "session");
	const struct na_fact defects =
		na_fact_capture_defects(na_count_at(side, M_malformed_packets),
					na_count_at(side, M_limits_hit),
					na_count_at(side, M_http2_damaged),
					na_count_at(side, M_backward_steps));
	const char *text = na_case_say(c, defects);
	struct na_finding *f;

	if (!*text)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "info");
	f->title = na_case_say(c, na_fact_capture_title(text));
	f->remedy = na_case_say(c, na_fact_capture_with_larger_buffer());
	na_case_evidence(c, f, defects);
	for (size_t i = 0; i < NA_LEN(names); i++)
		na_put_int(c->r, f->evidence, names[i],
			   na_count_at(side, names[i]));
}

/* What was acknowledged, and never recorded: no loss of the network. */
static void judge_unrecorded(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "tcp");
	int64_t n = na_count_at(body, M_totals "." M_unrecorded);
	int64_t copies = na_count_at(body, M_totals "." M_copies);
	int64_t packets = na_count_at(body, M_totals "." M_packets);
	struct na_finding *f;

	if (n >= HOLES) {
		f = na_case_find(c, NA_SEV_WARNING, NA_CERTAIN, "tcp");
		f->title = na_case_say(c, na_fact_capture_missed_packets(n));
		f->remedy = na_case_say(c, na_fact_capture_less());
		na_case_evidence(c, f,
				 na_fact_acknowledged_alone(n, packets + n));
		na_put_int(c->r, f->evidence, M_unrecorded, n);
	}
	if (copies) {
		f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "tcp");
		f->title = na_case_say(c, na_fact_packets_twice(copies));
		f->remedy = na_case_say(c, na_fact_name_one_interface());
		na_case_evidence(c, f,
				 na_fact_copies_of_packets(copies, packets));
		na_put_int(c->r, f->evidence, M_copies, copies);
	}
}

static void judge_trace_quality(struct na_case *c)
{
	judge_inputs(c, UNREADABLE);
	judge_inputs(c, DAMAGED);
	judge_inputs(c, REMARKED);
	judge_left_out(c);
	judge_absent(c);
	judge_absent_ranks(c);
	judge_planes(c);
	judge_clock(c);
	na_captures_say_apart(c);
	judge_packets(c);
	judge_unrecorded(c);
}

const struct na_check na_check_trace_quality = {
	.id = "trace-quality",
	.version = 1,
	.question = "what is damaged or missing in the inputs",
	.does_not_mean = "that the job is faulty: only these files are damaged "
			 "or incomplete",
	.needs = {"session"},
	.uses = {"tcp"},
	.judge = judge_trace_quality,
	.explains = NA_EXPLAINS_NOTHING,
};
