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

/* " (ranks 4 to 7)", of a host that is late as one. */
static const char *ranks_of(struct na_case *c, const struct na_value *x)
{
	const struct na_value *list = na_get(x, M_ranks);
	size_t n = na_length(x, M_ranks);
	double first = INFINITY, last = -INFINITY;

	if (!n)
		return "";
	na_for_each (v, list) {
		first = fmin(first, na_real_of(v, NAN));
		last = fmax(last, na_real_of(v, NAN));
	}
	if (n < 2 || last - first + 1 > (double)n)
		return na_case_text(c, " (%s of ranks %d to %d)",
				    na_case_count(c, n), (int)first, (int)last);
	return na_case_text(c, " (ranks %d %s %d)", (int)first,
			    n > 2 ? "to" : "and", (int)last);
}

/* A host; of a GPU job a rank, several of which one host may have. */
static const char *name_of(struct na_case *c, const struct na_value *x)
{
	double rank = na_number_at(x, M_rank);
	const char *host = na_text_at(x, M_host);
	const char *alone = isfinite(rank)
				    ? na_case_text(c, "rank %d", (int)rank)
				    : "";

	/* Where nothing tells its host it is called after the rank. */
	return !isfinite(rank) ? host
	       : strcmp(host, alone) == 0
		       ? host
		       : na_case_text(c, "%s on %s", alone, host);
}

struct words {
	const char *title, *culprit, *remedy;
};

static struct words words_of(struct na_case *c, const struct na_value *body,
			     const struct na_value *x)
{
	const char *host = name_of(c, x), *ranks = ranks_of(c, x);
	struct words w;

	if (na_says(x, M_cause, "computation")) {
		w.title = na_case_text(
			c, "%s%s computes %s times as long as the others", host,
			ranks, na_case_number(c, factor_of(body, x)));
		w.culprit = na_case_text(c, "%s's own computation%s", host,
					 ranks);
		w.remedy = "look at that host's devices and CPU: clocks and "
			   "throttling, other processes";
	} else if (na_says(x, M_cause, "input")) {
		w.title = na_case_text(c,
				       "%s%s waits for its input or its host",
				       host, ranks);
		w.culprit = na_case_text(c, "%s's input or host%s", host,
					 ranks);
		w.remedy = "look at that host's input pipeline, CPU and "
			   "storage: more prefetching, other processes";
	} else if (na_says(x, M_cause, "late_start")) {
		w.title = na_case_text(c, "%s starts its collectives late",
				       host);
		w.culprit = na_case_text(c, "%s, which starts late", host);
		w.remedy = "look at what that host does before: input "
			   "pipeline, CPU, computation";
	} else {
		w.title = na_case_text(c, "the transfers of %s take longest",
				       host);
		/* Whom nothing accuses the first line does not name. */
		w.culprit = "the transfers of one host take longest, and no "
			    "test blames its network";
		w.remedy = "look at that host's NIC, CPU and input pipeline, "
			   "and at the pairs that it is in";
	}
	return w;
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
	na_case_fact(c, f,
		     "in %s of %s %s the transfers of %s take longest%s",
		     na_case_count(c, na_count_at(x, M_times)),
		     na_case_count(c, na_count_at(x, M_tried)),
		     na_says(x, M_of, "steps") ? "steps"
					       : "runs of collectives",
		     name_of(c, x),
		     na_touches(f->evidence, na_text_at(x, M_host))
			     ? ""
			     : ", which only waits for it");
	na_case_join(c, f);
}

/* What of its own time the steps wait for, where it is known. */
static void put_hidden(struct na_case *c, struct na_finding *f,
		       const struct na_value *x)
{
	double own_ms = na_number_at(x, M_own_ms_per_step);
	double ms = f->cost_ms_per_step;
	const char *own = na_case_seconds(c, own_ms / NA_MS_PER_S);

	if (!(own_ms > 0) || na_is_at_most(f))
		return;
	na_case_copy(c, f->evidence, x, M_own_ms_per_step);
	if (is_hidden(c, ms))
		f->brief = na_case_text(c,
					"%s takes %s a step longer, which costs "
					"next to nothing: the steps wait as "
					"long for the network",
					f->culprit, own);
	na_case_fact(c, f,
		     "it takes %s a step longer than the median host, of which "
		     "they wait for %s%s: the rest is hidden behind what they "
		     "wait for anyway",
		     own, f->roughly,
		     ms > 0 ? na_case_seconds(c, ms / NA_MS_PER_S)
			    : "nothing");
}

/* What it costs the job, as long as the steps show that. */
static void put_cost(struct na_case *c, struct na_finding *f,
		     const struct na_value *x)
{
	const char *is = na_text_or(x, M_cost_is, "");

	f->lost_s = na_number_at(x, M_lost_ms) / NA_MS_PER_S;
	f->cost_ms_per_step = na_number_at(x, M_cost_ms_per_step);
	f->base = " (netan steps: own cost)";
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

	na_case_fact(c, f,
		     "it is last in %s %% of them, by chance it would be "
		     "in %s %%",
		     na_case_number(c, 100 * na_number_at(x, M_share)),
		     na_case_number(c,
				    100 * na_number_at(x, M_expected_share)));
	na_case_fact(c, f,
		     "when last it is %s behind the next slowest, all added up",
		     na_case_seconds(c, na_number_at(x, M_lost_ms) /
						NA_MS_PER_S));
	put_hidden(c, f, x);
	if (isfinite(together_ms)) {
		na_case_fact(c, f,
			     "others are late, too: all of them in time save "
			     "%s%s a step",
			     f->roughly,
			     na_case_seconds(c, together_ms / NA_MS_PER_S));
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
	f->title = na_case_text(
		c, "%s, last in %s of %s %s, by %s in the median", w.title,
		na_case_count(c, na_count_at(x, M_times)),
		na_case_count(c, na_count_at(x, M_tried)),
		na_says(x, M_of, "steps") ? "steps" : "runs of collectives",
		na_case_seconds(c, na_number_at(x, M_behind_ms) / 1e3));
	f->remedy = w.remedy;
	put_facts(c, f, x);
	if (network)
		f->otherwise = "it only waits for another one";
	else if (na_says(x, M_cause, "input"))
		f->otherwise = "garbage collection, or a checkpoint";
	else if (na_says(x, M_cause, "computation"))
		f->otherwise = "it gets more work than the others: no host is "
			       "at fault then";
	if (isfinite(odds))
		f->sure = na_case_text(c,
				       "odds %s to 1 that it is not as late as "
				       "the other %s are",
				       na_case_number(c, odds),
				       na_of_ranks(c) ? "ranks" : "hosts");
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

static const char *waits_title(struct na_case *c, const struct waits *x,
			       size_t steps, double behind_ms)
{
	bool input = strcmp(x->cause, "input") == 0;
	const char *does = input ? "waits for its input or its host"
				 : "computes longer than the others";
	const char *by = na_case_seconds(c, behind_ms / NA_MS_PER_S);
	const char *name = name_of(c, x->who);

	if ((size_t)x->n == steps)
		return na_case_text(c, "%s %s: %s%s steps wait for it, by %s",
				    name, does,
				    steps == BOTH_STEPS ? "both" : "all ",
				    steps == BOTH_STEPS
					    ? ""
					    : na_case_count(c, steps),
				    by);
	return na_case_text(c, "%s %s now and then: %s of %s steps wait for "
			       "it, by %s",
			    name, does, na_case_count(c, x->n),
			    na_case_count(c, steps), by);
}

static void tell_waits(struct na_case *c, const struct na_value *body,
		       const struct waits *x)
{
	struct na_finding *f = na_case_find(c, NA_SEV_WARNING, NA_POSSIBLE,
					    "steps");
	bool input = strcmp(x->cause, "input") == 0;
	double behind_ms = x->behind_ms / (double)x->n;
	const char *name = name_of(c, x->who);

	na_case_draw(c, f, "steps -o steps.svg");
	na_case_accuse(f, input ? NA_CAUSE_INPUT : NA_CAUSE_COMPUTE,
		       (struct na_who){.kind = "host",
				       .host = na_text_at(x->who, M_host),
				       .rank = na_get(x->who, M_rank)},
		       na_case_text(c,
				    input ? "%s's input or host"
					  : "%s's own computation",
				    name));
	f->lost_s = x->lost_ms / NA_MS_PER_S;
	f->cost_ms_per_step = x->behind_ms / (double)na_length(body, M_steps);
	f->roughly = NA_AT_MOST;
	f->base = ", in the mean of all steps (netan steps)";
	f->from_s = x->from_s;
	f->to_s = x->to_s;
	f->title = waits_title(c, x, na_length(body, M_steps), behind_ms);
	f->remedy = "look at what that host does at these times: input "
		    "pipeline, storage, checkpoints, other processes, "
		    "throttling";
	na_case_fact(c, f, "they wait %s in the mean, %s in all",
		     na_case_seconds(c, behind_ms / NA_MS_PER_S),
		     na_case_seconds(c, x->lost_ms / NA_MS_PER_S));
	f->otherwise = "chance: so few steps show no habit";
	na_put_text(c->r, f->evidence, M_host, na_text_at(x->who, M_host));
	if (isfinite(na_number_at(x->who, M_rank)))
		na_case_copy(c, f->evidence, x->who, M_rank);
	na_put_text(c->r, f->evidence, M_cause, x->cause);
	na_put_int(c->r, f->evidence, M_times, x->n);
	na_put_int(c->r, f->evidence, M_tried,
		   (int64_t)na_length(body, M_steps));
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
	f->remedy = "look at what that host did then: input pipeline, storage, "
		    "garbage collection, a checkpoint, other processes";
	na_case_fact(c, f,
		     "its own time in that step is %s behind the median host's "
		     "and %s behind the next slowest's",
		     na_case_seconds(c, na_number_at(x, M_behind_ms) /
						NA_MS_PER_S),
		     na_case_seconds(c, f->lost_s));
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
	na_case_missing(c,
			"could not tell who: ranks wait %s %% of the steps for "
			"later ones, what they do themselves differs by %s %% "
			"of a step, and no rank or host is the last of most "
			"steps by more than the others differ (netan steps)",
			na_case_number(c, 100 * waiting),
			na_case_number(c, 100 * behind_ms / all_ms));
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
	f->title = na_case_text(
		c,
		"the others wait for %s: it begins %s after them in %s "
		"of %s launches",
		name,
		na_case_seconds(c, na_number_at(x, M_behind_ms) / NA_MS_PER_S),
		na_case_count(c, na_count_at(x, M_times)),
		na_case_count(c, na_count_at(x, M_tried)));
	f->remedy = "give that file, too: it tells whether the host computes "
		    "longer, waits for its input or for its network; else look "
		    "at its devices, CPU, input pipeline and NIC";
	na_case_fact(c, f,
		     "its first transfers are sent after all others' in %s "
		     "of %s launches, by chance in %s %% of them",
		     na_case_count(c, na_count_at(x, M_times)),
		     na_case_count(c, na_count_at(x, M_tried)),
		     na_case_number(c,
				    100 * na_number_at(x, M_expected_share)));
	na_case_fact(c, f,
		     "more time has passed then than for the others since data "
		     "reached it last");
	f->otherwise = "it computes as the others do, and its sends wait on "
		       "the host, or what it waits for comes late";
	f->sure = na_case_text(c, "as often by chance with %s",
			       na_case_chance(c, na_number_at(x, M_p_value)));
	na_case_copy(c, f->evidence, x, M_hosts, M_times, M_tried,
		     M_expected_share, M_p_value, M_behind_ms, M_lost_ms);
}

/* Whose own work nobody has recorded is not acquitted. */
static void judge_without_file(struct na_case *c, const struct na_value *body)
{
	const struct na_value *list = na_get(body, M_without_file);
	const char *others = "";
	bool late = false;

	na_for_each (v, list) {
		late |= na_flag_at(v, M_late);
		if (na_flag_at(v, M_late))
			judge_late_group(c, v);
	}
	if (list && list->n > 1)
		others = na_case_text(c, ", or one of %s more",
				      na_case_count(c, list->n - 1));
	if (list && list->n)
		na_case_missing(c,
				"the files of all hosts: %s%s may %sbe the one "
				"that the others wait for",
				na_text_at(na_items(list), M_name), others,
				late ? "also " : "");
}

static void judge_straggler(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "steps");
	const char *wider = na_wider(c);
	bool told = na_length(body, M_stragglers) > 0;

	na_for_each (v, na_get(body, M_stragglers))
		judge_one(c, body, v);
	told |= judge_waits(c, body);
	judge_hiccup(c, body);
	judge_unexplained(c, body);
	judge_without_file(c, body);
	if (na_length(body, M_hosts) < 2)
		na_case_missing(c, "steps of two %s or more, to compare them",
				na_of_ranks(c) ? "ranks" : "hosts");
	else if (!told &&
		 (int64_t)na_length(body, M_steps) < na_steps_needed(c))
		na_case_missing(c,
				"%s steps of these %s: %s %s too few to "
				"name one that is late%s%s",
				na_case_count(c, na_steps_needed(c)),
				na_of_ranks(c) ? "ranks" : "hosts",
				na_case_count(c, na_length(body, M_steps)),
				na_length(body, M_steps) == 1 ? "is" : "are",
				*wider ? "; " : "", wider);
}

const struct na_check na_check_straggler = {
	.id = "straggler",
	.question = "a host that the others wait for in their steps",
	.does_not_mean = "why the host is late, unless a cause is printed: "
			 "computation, input and network look alike from "
			 "outside",
	.needs = {"steps"},
	.uses = {"pairs", "session"},
	.judge = judge_straggler,
	.explains = NA_EXPLAINS_WAITING,
	.each_host = true,
};
