/*
 * straggler: a host that the others wait for, as `steps` names it.  Where
 * `pairs` names who is slow on the network, hosts whose transfers take longest
 * are that one or its victims: one story, told by bad-endpoint.
 *
 * Where it had pairs enough and names nobody, the longest path of a healthy
 * job is last as often: a remark, which the verdict heeds.
 *
 * `steps` names who is last more often than by chance; a host that is late
 * only now and then, by much (a stalled input, a pause), is named here by what
 * that costs: 5 % of the step time and three steps of the same cause.  Of two
 * steps it has to be both, and 10 %: the same host twice by 2 % was seen where
 * nothing is wrong.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/look.h"

enum { LEAST_STEPS = 3, BOTH_STEPS = 2 };

static const double costs = 0.05, costs_both = 0.1, much = 0.5;

/* Of the steps it is next to nothing. */
static bool is_hidden(const struct na_case *c, double ms_per_step)
{
	return ms_per_step < NA_HIDDEN * na_step_ms(c);
}

static bool same_rank(double a, double b)
{
	return a == b || (!isfinite(a) && !isfinite(b));
}

/* Whether a host, of a GPU job a rank, is the straggler, or one of the ranks
 * of that. */
static bool is_who(const struct na_value *x, const struct na_value *who)
{
	double rank = na_number_at(x, M_rank);

	if (!na_says(x, M_host, na_text_at(who, M_host)))
		return false;
	na_for_each (v, na_get(who, M_ranks)) {
		if (na_real_of(v, NAN) == rank)
			return true;
	}
	return !na_length(who, M_ranks) &&
	       same_rank(rank, na_number_at(who, M_rank));
}

/* Mean computing of its steps over that of the other hosts', but of those that
 * are late together with it. */
static double factor_of(const struct na_value *body, const struct na_value *who)
{
	bool together = na_length(who, M_ranks) ||
			isfinite(na_number_at(who, M_together_ms_per_step));
	double own = 0, own_n = 0, others = 0, n = 0;

	na_for_each (v, na_get(body, M_hosts)) {
		double ms = na_number_at(v, M_compute_ms);
		double steps = na_number_at(v, M_steps);

		if (!isfinite(ms * steps))
			continue;
		if (is_who(v, who)) {
			own += ms * steps;
			own_n += steps;
		} else if (!together || !na_flag_at(v, M_straggler)) {
			others += ms * steps;
			n += steps;
		}
	}
	return n > 0 && others > 0 ? own / own_n / (others / n) : (double)NAN;
}

/* "ranks 4 to 7", of a host that is late as one. */
static const char *ranks_of(struct na_case *c, const struct na_value *x)
{
	size_t n = na_length(x, M_ranks);
	double first = INFINITY, last = -INFINITY;
	bool some;

	if (!n)
		return NULL;
	na_for_each (v, na_get(x, M_ranks)) {
		first = fmin(first, na_real_of(v, NAN));
		last = fmax(last, na_real_of(v, NAN));
	}
	some = n < 2 || last - first + 1 > (double)n;
	return na_case_say(c, na_fact_ranks_together(some ? (int64_t)n : 0,
						     (int64_t)first,
						     n == 2 && !some,
						     (int64_t)last));
}

/* A host; of a GPU job a rank, several of which one host may have. */
static const char *name_of(struct na_case *c, const struct na_value *x)
{
	double rank = na_number_at(x, M_rank);
	const char *host = na_text_at(x, M_host), *alone;

	if (!isfinite(rank))
		return host;
	/* Where nothing tells its host it is called after the rank. */
	alone = na_case_say(c, na_fact_rank_on_host((int64_t)rank, NULL));
	return strcmp(host, alone) == 0
		       ? host
		       : na_case_say(c,
				     na_fact_rank_on_host((int64_t)rank, host));
}

struct words {
	const char *does, *culprit, *remedy, *otherwise;
};

static struct words words_of(struct na_case *c, const struct na_value *body,
			     const struct na_value *x)
{
	const char *host = name_of(c, x), *ranks = ranks_of(c, x);

	if (na_says(x, M_cause, "computation"))
		return (struct words){
			na_case_say(c,
				    na_fact_straggler_computes(
					    host, ranks, factor_of(body, x))),
			na_case_say(c, na_fact_own_computation(host, ranks)),
			na_case_say(c, na_fact_look_at_devices()),
			na_case_say(c, na_fact_or_more_work())};
	if (na_says(x, M_cause, "input"))
		return (struct words){
			na_case_say(c,
				    na_fact_straggler_waits_for_input(host,
								      ranks)),
			na_case_say(c, na_fact_own_input(host, ranks)),
			na_case_say(c, na_fact_look_at_input()),
			na_case_say(c, na_fact_or_garbage_collection())};
	if (na_says(x, M_cause, "late_start"))
		return (struct words){
			na_case_say(c, na_fact_straggler_starts_late(host)),
			na_case_say(c, na_fact_who_starts_late(host)),
			na_case_say(c, na_fact_look_at_what_comes_before()),
			NULL};
	/* Whom nothing accuses the first line does not name. */
	return (struct words){na_case_say(c, na_fact_straggler_transfers(host)),
			      na_case_say(c, na_fact_transfers_of_one_host()),
			      na_case_say(c, na_fact_look_at_nic()),
			      na_says(x, M_cause, "network")
				      ? na_case_say(c, na_fact_or_only_waits())
				      : NULL};
}

/* Files that do not all tell the wall clock: what traffic says of their clocks
 * may be off by more than hosts are late. */
static bool other_clocks(const struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");

	return na_count_at(side, M_files) > 1 && !na_flag_at(side, M_one_clock);
}

/* `pairs` compared them all, and none stands out. */
static bool nobody_is_slow(const struct na_case *c)
{
	return na_case_asks(c, "bad-endpoint") && na_pairs_name_nobody(c);
}

static void accuse(struct na_finding *f, const struct na_value *x,
		   const char *name)
{
	bool computes = na_says(x, M_cause, "computation");

	na_case_accuse(f, computes ? NA_CAUSE_COMPUTE : NA_CAUSE_INPUT,
		       (struct na_who){.kind = "host",
				       .host = na_text_at(x, M_host),
				       .rank = na_get(x, M_rank)},
		       name);
}

/* The finding about a culprit of `pairs`: who it is, else who it waits for. */
static struct na_finding *accused_of(const struct na_case *c, const char *host)
{
	struct na_finding *first = NULL;

	for (size_t i = 0; i < c->n; i++) {
		struct na_finding *f = c->findings[i];

		if (strcmp(f->check->id, "bad-endpoint") != 0 || !f->culprit)
			continue;
		if (na_touches(f->evidence, host))
			return f;
		first = first ? first : f;
	}
	return first;
}

/* Its transfers take longest, and `pairs` knows whose fault that is: it is told
 * there. */
static void join_culprit(struct na_case *c, const struct na_value *x)
{
	struct na_finding *f = accused_of(c, na_text_at(x, M_host));

	if (!f)
		return;
	na_case_evidence(
		c, f,
		na_fact_transfers_take_longest(
			na_count_at(x, M_times), na_count_at(x, M_tried),
			na_says(x, M_of, "steps"), name_of(c, x),
			!na_touches(f->evidence, na_text_at(x, M_host))));
	na_case_join(c, f);
}

/* What of its own time the steps wait for, where it is known. */
static void put_hidden(struct na_case *c, struct na_finding *f,
		       const struct na_value *x)
{
	double own_s = na_number_at(x, M_own_ms_per_step) / NA_MS_PER_S;
	double ms = f->cost_ms_per_step;

	if (!(own_s > 0) || na_is_at_most(f))
		return;
	na_case_copy(c, f->evidence, x, M_own_ms_per_step);
	if (is_hidden(c, ms))
		f->brief = na_case_say(c, na_fact_own_time_hidden(f->culprit,
								  own_s));
	na_case_evidence(c, f,
			 na_fact_own_time(own_s, f->roughly,
					  ms > 0 ? ms / NA_MS_PER_S
						 : (double)NAN));
}

/* What it costs the job, as long as the steps show that. */
static void put_cost(struct na_case *c, struct na_finding *f,
		     const struct na_value *x)
{
	const char *is = na_text_or(x, M_cost_is, "");

	f->lost_s = na_number_at(x, M_lost_ms) / NA_MS_PER_S;
	f->cost_ms_per_step = na_number_at(x, M_cost_ms_per_step);
	f->base = na_case_say(c, na_fact_own_cost_of_steps());
	if (*is)
		f->roughly = na_case_text(c, "%s ", is);
	if (isfinite(na_number_at(x, M_own_ms_per_step)) && !na_is_at_most(f))
		na_case_cost(c, f,
			     f->cost_ms_per_step / NA_MS_PER_S *
				     (double)na_length(na_case_body(c, "steps"),
						       M_steps));
}

static void put_facts(struct na_case *c, struct na_finding *f,
		      const struct na_value *x)
{
	double together_ms = na_number_at(x, M_together_ms_per_step);

	na_case_evidence(c, f,
			 na_fact_last_so_often(na_number_at(x, M_share),
					       na_number_at(x,
							    M_expected_share)));
	na_case_evidence(c, f,
			 na_fact_behind_in_all(na_number_at(x, M_lost_ms) /
					       NA_MS_PER_S));
	put_hidden(c, f, x);
	if (isfinite(together_ms)) {
		na_case_evidence(c, f,
				 na_fact_others_late_too(f->roughly,
							 together_ms /
								 NA_MS_PER_S));
		na_case_copy(c, f->evidence, x, M_together_ms_per_step);
	}
}

static void judge_one(struct na_case *c, const struct na_value *body,
		      const struct na_value *x)
{
	bool network = na_says(x, M_cause, "network");
	double odds = na_number_at(x, M_odds);
	struct words w = words_of(c, body, x);
	struct na_finding *f;
	bool doubted;

	if (!na_slow_itself(x) && na_first_culprit(c)) {
		join_culprit(c, x);
		return;
	}
	/* Longer than all steps took: that are the clocks. */
	if (other_clocks(c) && na_number_at(x, M_lost_ms) > na_steps_ms(c))
		return;
	doubted = (network && nobody_is_slow(c)) ||
		  (other_clocks(c) && na_says(x, M_cause, "late_start"));
	f = na_case_find(c, doubted ? NA_SEV_INFO : NA_SEV_WARNING,
			 network || doubted ? NA_POSSIBLE : NA_LIKELY, "steps");
	na_case_draw(c, f, "steps -o steps.svg");
	f->culprit = w.culprit;
	f->suspicion = network;
	if (!network && !doubted)
		accuse(f, x, w.culprit);
	/* Of transfers, that is no cost: bad-endpoint knows whose it is. */
	put_cost(c, f, x);
	f->title = na_case_say(
		c, na_fact_straggler_title(w.does, na_count_at(x, M_times),
					   na_count_at(x, M_tried),
					   na_says(x, M_of, "steps"),
					   na_number_at(x, M_behind_ms) /
						   NA_MS_PER_S));
	f->remedy = w.remedy;
	f->otherwise = w.otherwise;
	put_facts(c, f, x);
	if (isfinite(odds))
		f->sure = na_case_say(c, na_fact_odds_of_late(odds,
							      na_of_ranks(c)));
	na_case_copy(c, f->evidence, x, M_host, M_cause, M_of, M_times, M_tried,
		     M_expected_share, M_posterior, M_odds, M_behind_ms,
		     M_lost_ms);
	if (isfinite(na_number_at(x, M_rank)))
		na_case_copy(c, f->evidence, x, M_rank);
	if (na_length(x, M_ranks))
		na_case_copy(c, f->evidence, x, M_ranks);
}

/* Steps that wait for what one host does itself. */
struct waits {
	const struct na_value *who;
	const char *cause;
	double lost_ms, behind_ms, from_s, to_s;
	int64_t n;
};

static bool is_of(const struct na_value *step, const struct waits *x)
{
	return na_says(step, M_slowest_host, na_text_at(x->who, M_host)) &&
	       same_rank(na_number_at(step, M_slowest_rank),
			 na_number_at(x->who, M_rank)) &&
	       na_says(step, M_cause, x->cause);
}

static struct waits sum_of(const struct na_value *body,
			   const struct na_value *who, const char *cause)
{
	struct waits x = {.who = who,
			  .cause = cause,
			  .from_s = INFINITY,
			  .to_s = -INFINITY};

	na_for_each (v, na_get(body, M_steps)) {
		if (!is_of(v, &x) || !(na_number_at(v, M_lost_ms) > 0))
			continue;
		x.n++;
		x.lost_ms += na_number_at(v, M_lost_ms);
		x.behind_ms += na_number_at(v, M_behind_ms);
		x.from_s = fmin(x.from_s, na_number_at(v, M_from_s));
		x.to_s = fmax(x.to_s, na_number_at(v, M_to_s));
	}
	return x;
}

static bool is_named(const struct na_value *body, const struct na_value *who)
{
	na_for_each (v, na_get(body, M_stragglers)) {
		if (na_slow_itself(v) && is_who(v, who))
			return true;
	}
	return false;
}

static bool is_habit(const struct waits *x, size_t steps, double all_ms)
{
	if (steps == BOTH_STEPS)
		return x->n == BOTH_STEPS && x->lost_ms >= costs_both * all_ms;
	return x->n >= LEAST_STEPS && x->lost_ms >= costs * all_ms;
}

static void tell_waits(struct na_case *c, const struct na_value *body,
		       const struct waits *x)
{
	struct na_finding *f = na_case_find(c, NA_SEV_WARNING, NA_POSSIBLE,
					    "steps");
	bool input = strcmp(x->cause, "input") == 0;
	double behind_ms = x->behind_ms / (double)x->n;
	const char *name = name_of(c, x->who);
	size_t steps = na_length(body, M_steps);

	na_case_draw(c, f, "steps -o steps.svg");
	na_case_accuse(f, input ? NA_CAUSE_INPUT : NA_CAUSE_COMPUTE,
		       (struct na_who){.kind = "host",
				       .host = na_text_at(x->who, M_host),
				       .rank = na_get(x->who, M_rank)},
		       na_case_say(c, input ? na_fact_own_input(name, NULL)
					    : na_fact_own_computation(name,
								      NULL)));
	f->lost_s = x->lost_ms / NA_MS_PER_S;
	f->cost_ms_per_step = x->behind_ms / (double)steps;
	f->roughly = NA_AT_MOST;
	f->base = na_case_say(c, na_fact_mean_of_steps());
	f->from_s = x->from_s;
	f->to_s = x->to_s;
	f->title = na_case_say(c, na_fact_steps_wait_now_and_then(
					  name, input, (size_t)x->n == steps,
					  steps == BOTH_STEPS, x->n,
					  (int64_t)steps,
					  behind_ms / NA_MS_PER_S));
	f->remedy = na_case_say(c, na_fact_look_at_these_times());
	na_case_evidence(c, f,
			 na_fact_wait_of_steps(behind_ms / NA_MS_PER_S,
					       x->lost_ms / NA_MS_PER_S));
	f->otherwise = na_case_say(c, na_fact_or_few_steps());
	na_put_text(c->r, f->evidence, M_host, na_text_at(x->who, M_host));
	if (isfinite(na_number_at(x->who, M_rank)))
		na_case_copy(c, f->evidence, x->who, M_rank);
	na_put_text(c->r, f->evidence, M_cause, x->cause);
	na_put_int(c->r, f->evidence, M_times, x->n);
	na_put_int(c->r, f->evidence, M_tried, (int64_t)steps);
	na_put_real(c->r, f->evidence, M_behind_ms, behind_ms);
	na_put_real(c->r, f->evidence, M_lost_ms, x->lost_ms);
}

static bool judge_waits(struct na_case *c, const struct na_value *body)
{
	static const char *const causes[] = {"computation", "input"};
	double all_ms = na_steps_ms(c);
	bool told = false;

	na_for_each (v, na_get(body, M_hosts)) {
		if (is_named(body, v))
			continue;
		for (size_t i = 0; i < NA_LEN(causes); i++) {
			struct waits x = sum_of(body, v, causes[i]);

			if (!is_habit(&x, na_length(body, M_steps), all_ms))
				continue;
			tell_waits(c, body, &x);
			told = true;
		}
	}
	return told;
}

/* One long step is worth a look, and is nobody's habit. */
static void judge_hiccup(struct na_case *c, const struct na_value *body)
{
	const struct na_value *side = na_case_side(c, "steps");
	const struct na_value *x;
	int64_t at = na_count_at(side, M_hiccup_at);
	struct na_finding *f;

	if (!na_get(side, M_hiccup))
		return;
	x = na_items(na_get(body, M_steps));
	while (x && at-- > 0)
		x = x->next;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN,
			 na_case_text(c, "steps --step %d",
				      (int)na_count_at(x, M_step)));
	f->title = na_text_at(side, M_hiccup);
	f->lost_s = na_number_at(x, M_lost_ms) / NA_MS_PER_S;
	f->from_s = na_number_at(x, M_from_s);
	f->to_s = na_number_at(x, M_to_s);
	f->remedy = na_case_say(c, na_fact_look_at_that_step());
	na_case_evidence(c, f,
			 na_fact_own_time_in_step(na_number_at(x, M_behind_ms) /
							  NA_MS_PER_S,
						  f->lost_s));
	na_case_copy(c, f->evidence, x, M_step, M_cause, M_behind_ms,
		     M_lost_ms, M_duration_ms);
	na_put_text(c->r, f->evidence, M_host, na_text_at(x, M_slowest_host));
}

/* Of ranks that wait much nobody is acquitted. */
static void judge_unexplained(struct na_case *c, const struct na_value *body)
{
	double waiting = na_later_share(c), behind_ms = 0, differ_ms;
	double all_ms = na_steps_ms(c), most = -INFINITY, least = INFINITY;

	if (!na_of_ranks(c) || na_length(body, M_stragglers))
		return;
	na_for_each (v, na_get(body, M_steps)) {
		double ms = na_number_at(v, M_behind_ms);

		behind_ms += ms > 0 ? ms : 0;
	}
	na_for_each (v, na_get(body, M_hosts)) {
		double own_ms = na_number_at(v, M_compute_ms) +
				na_number_at(v, M_idle_ms) +
				na_number_at(v, M_gap_ms);

		most = fmax(most, own_ms);
		least = fmin(least, own_ms);
	}
	/* Where most of them are late, that is the median rank. */
	differ_ms = (most - least) * (double)na_length(body, M_steps);
	behind_ms = fmax(behind_ms, differ_ms);
	if (!(waiting > much) && !(behind_ms > costs * all_ms))
		return;
	na_case_needs(c,
		      na_fact_who_is_late_unknown(waiting, behind_ms / all_ms));
}

/* A host without a file, as the others see it: whom they wait for, but not
 * what it does meanwhile. */
static void judge_late_group(struct na_case *c, const struct na_value *x)
{
	const struct na_value *culprit = na_first_culprit(c);
	const char *name = na_text_at(x, M_name);
	struct na_finding *f;

	/* Slow transfers make late, too. */
	if (culprit &&
	    na_touches(culprit, na_text_of(na_first(x, M_hosts), "")))
		return;
	f = na_case_find(c, NA_SEV_WARNING, NA_LIKELY, "steps");
	na_case_draw(c, f, "steps -o steps.svg");
	f->culprit = name;
	f->lost_s = na_number_at(x, M_lost_ms) / NA_MS_PER_S;
	f->roughly = "at least ";
	f->cost_ms_per_step = na_number_at(x, M_lost_ms) /
			      (double)na_count_at(x, M_tried);
	f->title = na_case_say(
		c, na_fact_others_wait_for(
			   name, na_number_at(x, M_behind_ms) / NA_MS_PER_S,
			   na_count_at(x, M_times), na_count_at(x, M_tried)));
	f->remedy = na_case_say(c, na_fact_give_that_file());
	na_case_evidence(
		c, f,
		na_fact_sends_after_all(na_count_at(x, M_times),
					na_count_at(x, M_tried),
					na_number_at(x, M_expected_share)));
	na_case_evidence(c, f, na_fact_data_reached_it_before());
	f->otherwise = na_case_say(c, na_fact_or_sends_wait_on_host());
	f->sure = na_case_say(c, na_fact_as_often_by_chance(
					 na_number_at(x, M_p_value)));
	na_case_copy(c, f->evidence, x, M_hosts, M_times, M_tried,
		     M_expected_share, M_p_value, M_behind_ms, M_lost_ms);
}

/* Whose own work nobody has recorded is not acquitted. */
static void judge_without_file(struct na_case *c, const struct na_value *body)
{
	const struct na_value *list = na_get(body, M_without_file);
	bool late = false;

	na_for_each (v, list) {
		late |= na_flag_at(v, M_late);
		if (na_flag_at(v, M_late))
			judge_late_group(c, v);
	}
	if (list && list->n)
		na_case_needs(c, na_fact_straggler_without_file(
					 na_text_at(na_items(list), M_name),
					 (int64_t)list->n - 1, late));
}

static void judge_straggler(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "steps");
	int64_t steps = (int64_t)na_length(body, M_steps);
	bool told = na_length(body, M_stragglers) > 0;

	na_for_each (v, na_get(body, M_stragglers))
		judge_one(c, body, v);
	told |= judge_waits(c, body);
	judge_hiccup(c, body);
	judge_unexplained(c, body);
	judge_without_file(c, body);
	if (na_length(body, M_hosts) < 2)
		na_case_needs(c, na_fact_steps_of_two(na_of_ranks(c)));
	else if (!told && steps < na_steps_needed(c))
		na_case_needs(c, na_fact_more_steps(na_steps_needed(c),
						    na_of_ranks(c), steps,
						    na_wider(c)));
}

const struct na_check na_check_straggler = {
	.id = "straggler",
	.version = 1,
	.question = "a host that delays the steps of the others",
	.does_not_mean = "why the host is late, unless a cause is printed: "
			 "computation, input and network look the same "
			 "from outside",
	.needs = {"steps"},
	.uses = {"pairs", "session"},
	.judge = judge_straggler,
	.explains = NA_EXPLAINS_WAITING,
	.each_host = true,
};
