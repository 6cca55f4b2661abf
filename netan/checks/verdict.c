/*
 * The first line: is it the network?  A suspect where a finding names a side of
 * it; "looks healthy" only where a fault that matters would have been detected,
 * and none was; else what is missing.
 */
#include "netan/checks/verdict.h"

#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

enum { FEW_TRANSFERS = 100 };

/* Of the transfers: about what a host sends to one of several others. */
#define SKEWED 0.01

static bool is_of(const struct na_finding *f, const char *id)
{
	return strcmp(f->check->id, id) == 0;
}

/* "costs 45 ms a step (median step: 105 ms)"; a mean, or what is more than the
 * median step, is told of means. */
static const char *price(struct na_case *c, const struct na_finding *f)
{
	double step_ms = na_step_ms(c);
	double ms = f->mean_ms > 0 ? f->mean_ms : f->cost_ms_per_step;
	bool mean = f->mean_ms > 0 || ms > step_ms;

	if (mean)
		step_ms = na_steps_ms(c) /
			  (double)na_length(na_case_body(c, "steps"), M_steps);
	if (ms > 0 && step_ms > 0)
		return na_case_say(
			c, na_fact_cost_of_step(f->roughly, ms / NA_MS_PER_S,
						f->mean_ms > 0, mean,
						step_ms / NA_MS_PER_S));
	if (f->lost_s > 0)
		return na_case_say(c, na_fact_cost_with_owner(f->lost_s, f->of));
	return "";
}

/* Beside another finding, whose connection "that" one would be. */
static const char *price_beside(struct na_case *c, struct na_finding f)
{
	f.of = f.of_named ? f.of_named : f.of;
	return price(c, &f);
}

/* Both are of captures, which know no steps. */
static bool costs_more(const struct na_finding *f,
		       const struct na_finding *guilty)
{
	return guilty->lost_s > 0 && f->lost_s > guilty->lost_s &&
	       !(f->cost_ms_per_step > 0 || f->mean_ms > 0 ||
		 guilty->cost_ms_per_step > 0 || guilty->mean_ms > 0);
}

/* Of ranks whose dumps are missing; "". */
static const char *dump_missing(struct na_case *c, const struct na_finding *f)
{
	const struct na_value *who = na_get(f->evidence, M_culprits);

	return na_says(f->evidence, M_cause, "missing_rank")
		       ? na_case_say(c, na_fact_dump_missing(na_items(who) &&
							     who->n > 1))
		       : "";
}

/* A first line has at most three names: they are listed below. */
enum { NAMES_MOST = 3 };

/* "A and B": the nth name, from 0. */
static const char *with_name(struct na_case *c, const char *text, size_t n,
			     const char *name)
{
	return n < NAMES_MOST
		       ? na_case_say(c, na_fact_names_and(text, name))
		       : text;
}

/* "A and B and 4 more", of n. */
static const char *with_rest(struct na_case *c, const char *text, size_t n)
{
	return n > NAMES_MOST
		       ? na_case_say(c, na_fact_names_and_more(
						text, (int64_t)n - NAMES_MOST))
		       : text;
}

/* "rank 12 and rank 14": whom the job waits for, of all its hangs. */
static const char *awaited(struct na_case *c)
{
	const char *text = "";
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (is_of(f, "hang") && f->culprit)
			text = with_name(c, text, n++,
					 na_case_say(c, na_fact_name_with_note(
								f->culprit,
								dump_missing(
									c, f))));
	}
	return with_rest(c, text, n);
}

static bool equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* One cause is accused once, though two checks see it: the same one, or who
 * loses packets after a culprit that is named more exactly. */
static bool is_told(const struct na_case *c, size_t i)
{
	const struct na_finding *f = c->findings[i];

	for (size_t k = 0; k < i; k++) {
		const struct na_finding *g = c->findings[k];

		if (g->cause != f->cause)
			continue;
		/* The network somewhere. */
		if (!f->who.kind && !g->who.kind && !f->who.culprits &&
		    !g->who.culprits)
			return true;
		if (equal(f->who.kind, g->who.kind) &&
		    equal(f->who.host, g->who.host) &&
		    equal(f->who.src_host, g->who.src_host) &&
		    equal(f->who.dst_host, g->who.dst_host) && !f->who.hosts &&
		    !g->who.hosts && !f->who.culprits && !g->who.culprits)
			return true;
		if (f->cause == NA_CAUSE_NETWORK && is_of(f, "rpc-latency") &&
		    !is_of(g, "rpc-latency"))
			return true;
	}
	return false;
}

/* "costs 3 ms a step", of one of several; "". */
static const char *own_price(struct na_case *c, const struct na_finding *f)
{
	double ms = f->mean_ms > 0 ? f->mean_ms : f->cost_ms_per_step;

	if (!(ms > 0))
		return "";
	return na_case_say(c, na_fact_cost_alone(f->roughly, ms / NA_MS_PER_S,
						 f->mean_ms > 0));
}

/* "receive side of host-4 (costs 3 ms a step) and path host-1 -> host-2": the
 * other suspects. */
static const char *other_suspects(struct na_case *c,
			       const struct na_finding *guilty)
{
	const char *names = "";
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (f == guilty || f->cause != NA_CAUSE_NETWORK ||
		    f->severity < NA_SEV_ERROR || !f->culprit || is_told(c, i))
			continue;
		names = with_name(c, names, n++,
				  na_case_say(c, na_fact_name_with_note(
							 f->culprit,
							 own_price(c, f))));
	}
	return with_rest(c, names, n);
}

/* It costs a quarter as much as the culprit, or more: who takes that one out
 * would find the job slow still. */
static bool matters_beside(const struct na_finding *f,
			   const struct na_finding *guilty)
{
	return f->culprit && f->severity > NA_SEV_INFO && f->lost_s > 0 &&
	       !(guilty->lost_s > 4 * f->lost_s);
}

/* A job that hangs, a host that is slow by itself, a program that keeps its
 * peers waiting. */
static const char *besides(struct na_case *c, const struct na_finding *guilty)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (is_of(f, "hang") && f != guilty && f->culprit)
			return na_case_say(c, na_fact_also_hang(
						      f->check->named_as,
						      awaited(c)));
		if (!matters_beside(f, guilty))
			continue;
		if (is_of(f, "straggler") && f->cause)
			return na_case_say(c, na_fact_also_waits(f->culprit,
								 price(c, f)));
		if (f->cause == NA_CAUSE_SERVER || f->cause == NA_CAUSE_CLIENT)
			return na_case_say(
				c, na_fact_also_lost(costs_more(f, guilty),
						     f->culprit,
						     price_beside(c, *f)));
	}
	return "";
}

/* What would make it sure. */
static const char *to_confirm(struct na_case *c, const struct na_finding *f)
{
	return f->who.no_file
		       ? na_case_say(c, na_fact_file_would_confirm(f->who.host))
		       : "";
}

/* Of equals one that names a side or a path comes before the network at
 * large. */
struct na_finding *na_verdict_accuser(const struct na_case *c)
{
	struct na_finding *first = NULL;

	for (size_t i = 0; i < c->n; i++) {
		struct na_finding *f = c->findings[i];

		if (f->cause != NA_CAUSE_NETWORK)
			continue;
		if (!first || (f->severity == first->severity && f->who.kind &&
			       !first->who.kind))
			first = f;
	}
	return first;
}

static int64_t unread_inputs(const struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");

	return na_count_at(side, M_damaged) + na_count_at(side, M_refused);
}

/* "1 of 8 inputs is damaged". */
static const char *damage(struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");
	int64_t refused = na_count_at(side, M_refused), n = unread_inputs(c);
	int64_t all = na_count_at(side, M_files) + refused;

	return na_case_say(
		c, na_fact_inputs_damaged(n, all, n > refused, refused > 0));
}

/* What of the inputs could not be looked at; NULL. */
static const char *unread(struct na_case *c)
{
	int64_t n = unread_inputs(c);

	if (na_flag_at(na_case_doc(c, "session"), M_interrupted))
		return na_case_say(c, na_fact_interrupted());
	if (n)
		return na_case_say(c, na_fact_inputs_again(damage(c), n));
	return NULL;
}

const char *na_verdict_guilty(struct na_case *c)
{
	const struct na_finding *f = na_verdict_accuser(c);
	bool damaged = f && unread_inputs(c) && !f->who.no_file;

	if (!f)
		return NULL;
	return na_case_say(
		c, na_fact_suspect_line(f->culprit ? f->culprit : f->title,
					f->how, f->on_racks, price(c, f),
					f->confidence == NA_POSSIBLE
						? NULL
						: na_confidences[f->confidence],
					to_confirm(c, f), other_suspects(c, f),
					besides(c, f),
					damaged ? damage(c) : NULL));
}

/* What of the window no transfer file tells; NULL. */
static const char *left_whole(struct na_case *c)
{
	int64_t n = na_count_at(na_case_side(c, "session"),
				M_connections_left_whole);

	return n ? na_case_say(c, na_fact_connections_left_whole(n)) : NULL;
}

/* Whether anybody asked for those checks that could blame the network. */
static const char *unasked(struct na_case *c)
{
	bool packets = false;

	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs))
		packets |= !na_flag_at(v, M_trace);
	for (const struct na_check *const *k = na_checks; *k; k++) {
		if (((*k)->acquits == NA_ACQUITS ||
		     ((*k)->acquits == NA_ACQUITS_PACKETS && packets)) &&
		    !na_case_asks(c, (*k)->id))
			return na_case_say(c, na_fact_checks_not_asked());
	}
	return NULL;
}

static bool warned(const struct na_case *c, const char *id)
{
	for (size_t i = 0; i < c->n; i++) {
		if (is_of(c->findings[i], id) &&
		    c->findings[i]->severity >= NA_SEV_WARNING)
			return true;
	}
	return false;
}

/* A remark, and it costs next to nothing. */
static bool a_trifle(const struct na_case *c, const struct na_finding *f)
{
	return f->severity < NA_SEV_WARNING &&
	       f->lost_s < NA_HIDDEN * na_steps_ms(c) / NA_MS_PER_S;
}

/* The first; before others one of which it is known what would decide. */
static const struct na_finding *suspicion(const struct na_case *c, bool apart)
{
	const struct na_finding *first = NULL;

	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (!f->suspicion || f->apart != apart || a_trifle(c, f))
			continue;
		if (f->decides)
			return f;
		first = first ? first : f;
	}
	return first;
}

/* Before what captures show that cannot be joined with the traces. */
static const char *suspected(struct na_case *c)
{
	const struct na_finding *f = suspicion(c, false);
	const char *text;

	f = f ? f : suspicion(c, true);
	if (!f)
		return NULL;
	text = f->culprit ? f->culprit : f->title;
	if (f->decides)
		text = na_case_say(
			c, na_fact_what_would_decide(f->title, f->decides));
	return f->apart ? na_case_say(c, na_fact_of_captures_apart(text)) : text;
}

/* What nobody has looked at; NULL. */
static const char *unlooked(struct na_case *c)
{
	const char *why = unread(c);

	why = why ? why : left_whole(c);
	return why ? why : unasked(c);
}

const char *na_verdict_unheard(struct na_case *c)
{
	const char *first = suspected(c), *why = unlooked(c);

	return first && why ? na_case_say(c, na_fact_open_points(first, why))
	       : first      ? first
			    : why;
}

static int explains(const struct na_finding *f)
{
	static const int weights[] = {
		[NA_EXPLAINS_NOTHING] = 0, [NA_EXPLAINS_LITTLE] = 1,
		[NA_EXPLAINS_SOME] = 2,    [NA_EXPLAINS_DEMAND] = 3,
		[NA_EXPLAINS_WAITING] = 4, [NA_EXPLAINS_ALL] = 5,
	};

	return f->cause == NA_CAUSE_NETWORK || f->suspicion || f->no_wait ||
			       f->severity < NA_SEV_WARNING
		       ? 0
		       : weights[f->check->explains];
}

/* What ranks wait for each other, where nobody is named for it. */
static const char *late_ranks(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "steps");
	size_t steps = na_length(body, M_steps);
	double waiting = na_later_share(c);

	if (!isfinite(waiting) || na_length(body, M_hosts) < 2 ||
	    !na_case_asks(c, "straggler"))
		return "";
	if ((int64_t)steps < na_steps_needed(c))
		return na_case_say(
			c, na_fact_ranks_wait_few_steps(waiting, (int64_t)steps,
							na_steps_needed(c)));
	return na_case_say(c, na_fact_ranks_wait_none_named(waiting));
}

/* Those that are late together: what repairing one alone saves is no price. */
static const char *late_together(struct na_case *c, const struct na_finding *f)
{
	double ms = na_number_at(f->evidence, M_together_ms_per_step);
	const char *names = f->culprit;
	size_t n = 1;

	if (!isfinite(ms) && f->brief)
		return f->brief;
	if (!isfinite(ms))
		return na_case_say(c, na_fact_steps_wait(names, price(c, f)));
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *o = c->findings[i];

		if (o != f && is_of(o, "straggler") && o->culprit &&
		    isfinite(na_number_at(o->evidence, M_together_ms_per_step)))
			names = with_name(c, names, n++, o->culprit);
	}
	names = with_rest(c, names, n);
	return na_case_say(
		c, na_fact_steps_wait_together(names, f->roughly,
					       ms / NA_MS_PER_S,
					       na_step_ms(c) / NA_MS_PER_S));
}

/* Of equals the costliest, which come first. */
static const struct na_finding *explanation(const struct na_case *c)
{
	const struct na_finding *f = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (explains(c->findings[i]) > (f ? explains(f) : 0))
			f = c->findings[i];
	}
	return f;
}

const char *na_verdict_instead(struct na_case *c)
{
	const struct na_finding *f = explanation(c);

	if (!f)
		return na_of_ranks(c) ? late_ranks(c) : "";
	if (is_of(f, "straggler"))
		return late_together(c, f);
	if (is_of(f, "hang"))
		return f->culprit ? na_case_say(c, na_fact_instead(
							   f->check->named_as,
							   awaited(c)))
				  : f->title;
	return na_case_say(c, na_fact_instead(f->check->named_as,
					      f->culprit ? f->culprit
					      : f->brief ? f->brief
							 : f->title));
}

const char *na_verdict_cannot_tell(struct na_case *c, const char *why)
{
	const struct na_finding *f = explanation(c);
	const char *instead = na_verdict_instead(c);

	/* What is known comes before what is not, unless it is a remark, or may
	 * be no more than how a suspicion shows. */
	if (f && (f->check->explains >= NA_EXPLAINS_WAITING ||
		  (f->severity != NA_SEV_INFO &&
		   f->check->explains != NA_EXPLAINS_LITTLE && !suspected(c))))
		return na_case_say(c, na_fact_known_and_network_open(instead,
								     why));
	return na_case_say(c, na_fact_network_open(why, instead));
}

/* Of ranks, whose transfers blame nobody. */
static const char *sends_wait(struct na_case *c)
{
	return na_case_say(c, na_fact_sends_hold_waits(na_ranks_compared(c)));
}

/* What they saw and did may be what the answer lacks: what they sent they alone
 * have timed, and nobody has seen what they sent each other. */
static const char *absent(struct na_case *c)
{
	const struct na_value *doc = na_case_doc(c, "session");
	int64_t n = na_count_at(doc, M_coverage "." M_devices_not_here);
	int64_t ranks = na_count_at(doc, M_coverage "." M_ranks_not_here);
	int64_t files = na_count_at(na_case_side(c, "session"), M_files);

	if ((!n && !ranks) || !na_case_body(c, "pairs"))
		return "";
	if (ranks > 0)
		return na_case_say(c, na_fact_rank_files_missing(ranks));
	return na_case_say(c, na_fact_host_files_missing(files, n));
}

const char *na_verdict_thin(struct na_case *c)
{
	double n = na_number_at(na_first(na_case_body(c, "sizes"), M_groups),
				M_count);

	if (na_of_ranks(c) &&
	    na_length(na_case_body(c, "steps"), M_hosts) < 2 &&
	    na_count_at(na_case_side(c, "session"), M_ranks) < 2)
		return na_case_say(c, na_fact_one_rank_alone());
	if (na_recorders_alone(c))
		return na_case_say(c, na_fact_recorders_show_queueing());
	if (na_of_ranks(c) && !na_case_body(c, "pairs") &&
	    !na_ranks_compared(c))
		return na_case_say(c, na_fact_no_pair_of_ranks());
	if (na_sends_wait(c))
		return sends_wait(c);
	if (!na_case_body(c, "pairs"))
		return na_case_say(c, na_fact_no_transfers());
	if (n < FEW_TRANSFERS)
		return na_case_say(c, na_fact_few_transfers((int64_t)n));
	if (na_one_host(c))
		return na_case_say(c, na_fact_one_host_alone());
	/* `pairs` skips those whose times clocks hide. */
	if (na_skewed_share(c) > SKEWED && warned(c, "slack-small") &&
	    !na_pairs_acquit(c))
		return na_case_say(
			c, na_fact_transfers_without_time(na_skewed_share(c)));
	if (na_few_pairs(c))
		return na_case_say(c, na_fact_few_hosts(na_pairs_sentence(c)));
	if (*absent(c))
		return na_case_say(c, na_fact_nobody_here_stands_out());
	return na_ranks_slow(c) ? na_ranks_compared(c) : na_power_lacks(c);
}

/* Devices that hardly wait for communication make the question idle; they do
 * not answer it. */
static const char *why_open(struct na_case *c, const char *why,
			    const char *missing)
{
	double waiting = na_waiting_share(c);
	bool idle = waiting < NA_HIDDEN;

	return na_case_say(
		c, na_fact_why_open(why, missing, idle && !na_communicates(c),
				    idle && na_communicates(c) ? waiting
							       : (double)NAN));
}

/* Who reads on compares times of hosts: that their clocks are off comes first
 * where nobody is guilty, as a remark that accuses nobody. */
static const char *clocks_remark(const struct na_case *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (strcmp(f->check->id, "clock-skew") == 0 &&
		    f->confidence == NA_CERTAIN)
			return f->brief;
	}
	return NULL;
}

static const char *acquittal(struct na_case *c, const char *instead)
{
	enum na_locality known = na_locality(c);

	return na_case_say(c, na_fact_network_healthy(
				      known == NA_PLACED, na_power_says(c),
				      known == NA_NO_TOPOLOGY, instead));
}

/* What steps waited for before the job stood still, or in another one. */
static const char *beside_hang(struct na_case *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (is_of(f, "straggler") && f->culprit && explains(f) > 0)
			return late_together(c, f);
	}
	return "";
}

/* A job that stands still comes before what it did while it ran. */
static const char *acquitted(struct na_case *c)
{
	const struct na_finding *f = explanation(c);

	bool hangs = f && is_of(f, "hang");
	const char *instead = na_verdict_instead(c);

	return na_case_say(
		c, na_fact_healthy_line(
			   hangs ? instead : NULL,
			   acquittal(c, hangs ? beside_hang(c) : instead)));
}

/* Nothing is suspected but by captures of who knows which hosts, and traces
 * alone would acquit theirs; NULL. */
static const char *half_acquitted(struct na_case *c)
{
	if (suspicion(c, false) || !suspicion(c, true) || unlooked(c) ||
	    na_verdict_thin(c))
		return NULL;
	return na_case_say(c, na_fact_traces_healthy_captures_open(
				      suspected(c),
				      acquittal(c, na_verdict_instead(c))));
}

/* Several explanations of the same observations, none of them likely enough. */
static bool is_one_of(const struct na_finding *f)
{
	return f && f->who.alternatives && f->who.alternatives->n &&
	       f->confidence == NA_POSSIBLE;
}

static const char *verdict_of(struct na_case *c, enum na_outcome *outcome)
{
	const char *why, *missing = NULL;

	if (na_captures_alone(c))
		return na_verdict_packets(c, outcome);
	*outcome = is_one_of(na_verdict_accuser(c)) ? NA_ONE_OF : NA_GUILTY;
	why = na_verdict_guilty(c);
	if (why)
		return why;
	*outcome = NA_CANNOT_TELL;
	why = half_acquitted(c);
	if (why)
		return why;
	why = na_verdict_unheard(c);
	if (!why && (why = na_verdict_thin(c)) && !na_one_host(c))
		missing = absent(c);
	if (why)
		return na_verdict_cannot_tell(c, why_open(c, why, missing));
	*outcome = NA_NOT_GUILTY;
	return acquitted(c);
}

const char *na_verdict(struct na_case *c, enum na_outcome *outcome)
{
	const char *text = verdict_of(c, outcome);
	const char *clocks = clocks_remark(c);

	return clocks && *outcome > NA_ONE_OF
		       ? na_case_say(c, na_fact_line_and_remark(text, clocks))
		       : text;
}

static void put_accused(struct na_case *c, struct na_value *list,
			const struct na_finding *f, const struct na_who *w)
{
	static const char *const causes[] = {
		[NA_CAUSE_NETWORK] = "network",
		[NA_CAUSE_COMPUTE] = "compute",
		[NA_CAUSE_INPUT] = "input",
		[NA_CAUSE_SERVER] = "server",
		[NA_CAUSE_CLIENT] = "client",
		[NA_CAUSE_SETTINGS] = "settings",
	};
	struct na_value *row = na_put_object(c->r, list, NULL);

	na_put_text(c->r, row, M_cause, causes[f->cause]);
	na_put_text(c->r, row, M_kind, w->kind);
	if (w->host)
		na_put_text(c->r, row, M_host, w->host);
	if (w->src_host)
		na_put_text(c->r, row, M_src_host, w->src_host);
	if (w->dst_host)
		na_put_text(c->r, row, M_dst_host, w->dst_host);
	if (w->hosts && w->hosts->n)
		na_put_alias(c->r, row, M_hosts, w->hosts);
	if (w->rank)
		na_put_alias(c->r, row, M_rank, w->rank);
	else
		na_put_null(c->r, row, M_rank);
	na_put_real(c->r, row, M_cost_ms_per_step, f->cost_ms_per_step);
	na_put_text(c->r, row, M_confidence,
		    na_confidences[w->certain ? NA_CERTAIN : f->confidence]);
	if (w->alternatives && w->alternatives->n)
		na_put_alias(c->r, row, M_alternatives, w->alternatives);
	if (na_get(w->row, M_posterior))
		na_case_copy(c, row, w->row, M_posterior, M_odds, M_rival,
			     M_effect);
}

void na_verdict_put_accused(struct na_case *c, struct na_value *body)
{
	struct na_value *list = na_put_list(c->r, body, M_accused);

	for (size_t i = 0; i < c->n; i++) {
		/* A remark is not an accusation. */
		const struct na_finding *f = c->findings[i];

		if (!f->cause || f->severity <= NA_SEV_INFO || is_told(c, i))
			continue;
		if (!f->who.culprits)
			put_accused(c, list, f, &f->who);
		na_for_each (v, f->who.culprits) {
			struct na_who who = {.kind = f->who.kind,
					     .host = na_text_or(v, M_host,
								NULL),
					     .rank = na_get(v, M_rank),
					     .certain = f->who.certain};

			put_accused(c, list, f, &who);
		}
	}
}
