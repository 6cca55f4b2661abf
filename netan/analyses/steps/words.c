/* steps: the answer in a sentence. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/judge/units.h"
#include "netan/base/str.h"

/* Mean computing of its steps over that of the other hosts', but those that
 * are late together with it. */
static double factor_of(const struct st_state *s, const struct st_host *h)
{
	na_i128 sum = 0, own = 0;
	size_t n = 0, steps = 0;

	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *o = &s->hosts[i];

		if (o->run != h->run)
			continue;
		if (na_steps_is_part(h, o)) {
			own += o->sums.busy_ps;
			steps += o->n;
		} else if (h->gain_ps < 0 || !o->straggler) {
			sum += o->sums.busy_ps;
			n += o->n;
		}
	}
	if (sum <= 0 || !steps)
		return 1;
	return (double)own / (double)steps / ((double)sum / (double)n);
}

bool na_steps_together(const struct st_state *s, const struct st_host *h)
{
	for (size_t i = 0; i < s->n_stragglers; i++) {
		const struct st_host *o = s->stragglers[i];

		if (o != h && o->run == h->run && o->gain_ps >= 0)
			return h->gain_ps >= 0;
	}
	return false;
}

/* "host-1 (ranks 4 to 7)". */
static const char *who_unit(const struct st_state *s, const struct st_host *h,
			    char buf[NA_KEY_BUF])
{
	struct na_str t = na_str_over(buf, NA_KEY_BUF);
	int32_t first = INT32_MAX, last = -1;

	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *o = &s->hosts[i];
		int32_t rank = o->unit == h ? na_steps_rank_of(s, o->host) : -1;

		first = rank >= 0 && rank < first ? rank : first;
		last = rank > last ? rank : last;
	}
	na_str_addf(&t, "%s (", s->scope->store->hosts[h->host].name);
	if ((size_t)(last - first) + 1 == h->n_ranks && h->n_ranks > 2)
		na_str_addf(&t, "ranks %" PRId32 " to %" PRId32 ")", first,
			    last);
	else if (h->n_ranks == 2)
		na_str_addf(&t, "ranks %" PRId32 " and %" PRId32 ")", first,
			    last);
	else
		na_str_addf(&t, "%s ranks of %" PRId32 " to %" PRId32 ")",
			    na_grouped(h->n_ranks), first, last);
	return buf;
}

/* A host; of a GPU job a rank, several of which one host may have. */
static const char *who(const struct st_state *s, const struct st_host *h,
		       char buf[NA_KEY_BUF])
{
	const char *name = s->scope->store->hosts[h->host].name;
	int32_t rank = na_steps_rank_of(s, h->host);

	if (h->n_ranks)
		return who_unit(s, h, buf);
	/* Where nothing tells its host it is called after the rank. */
	if (rank < 0 || s->scope->store->sources[h->host].no_host)
		return name;
	snprintf(buf, NA_KEY_BUF, "rank %" PRId32 " on %s", rank, name);
	return buf;
}

static void add_cost(struct na_str *t, const struct st_state *s,
		     const struct st_host *h)
{
	const char *is = na_steps_cost_is(h);
	char number[NA_UNIT_BUF];

	if (na_steps_cost_ms(h) > 0)
		na_str_addf(t, ", which costs %s%s%s a step%s", is ? is : "",
			    is ? " " : "",
			    na_print_time(number,
					  na_ps_of_s(na_steps_cost_ms(h) /
						     NA_MS_PER_S),
					  3),
			    na_steps_together(s, h) ? " while others are late"
						    : "");
	else if (na_steps_own_ms(h) > 0)
		na_str_addf(t, ", which steps do not wait for");
}

static void say_straggler(struct na_str *t, const struct st_state *s,
			  const struct st_host *h)
{
	const struct st_verdict *v = &h->tests[h->evidence];
	char number[NA_UNIT_BUF], time[NA_UNIT_BUF], buf[NA_KEY_BUF];
	const char *name = who(s, h, buf);

	switch (h->cause) {
	case ST_COMPUTATION:
		na_str_addf(
			t,
			"%s computes %sx as long as the others (its own work, "
			"not its network)",
			name, na_print_number(number, factor_of(s, h), 3));
		break;
	case ST_INPUT:
		na_str_addf(t,
			    "%s waits for its input or its host before it "
			    "computes (not for the network)",
			    name);
		break;
	case ST_LATE_START:
		na_str_addf(t,
			    "%s starts its collectives late (its own work, or "
			    "transfers that it waits for)",
			    name);
		break;
	default:
		na_str_addf(t, "the transfers of %s take longest", name);
	}
	na_str_addf(t, ", by %s%s, in %s %% of %s %s",
		    na_print_time(time, v->effect_ps, 3),
		    h->cause != ST_NETWORK ? ""
		    : h->evidence == ST_OF_STEPS
			    ? " of transfer time a step (the mean of each "
			      "collective, added up)"
			    : " of transfer time a run",
		    na_print_number(number,
				    100 * (double)v->last / (double)v->n, 3),
		    na_grouped(v->n),
		    h->evidence == ST_OF_STEPS ? "steps"
					       : "runs of collectives");
	if (h->cause == ST_NETWORK)
		na_str_addf(t, "; whose side of the network is slow, its own or "
			       "that of whom it waits for, and what that costs "
			       "a step, netan check tells");
	add_cost(t, s, h);
}

static double share(na_i128 part, na_i128 all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

struct compared {         /* those of a run that have steps */
	size_t n, ranks;  /* those whose rank is told */
	size_t files;     /* of ranks, told or not */
	uint64_t steps;   /* that were compared */
	bool collectives; /* these were compared as well */
};

static struct compared compared_of(const struct st_state *s, uint32_t run)
{
	struct compared x = {.n = 0};

	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *h = &s->hosts[i];

		if (h->run != run || !h->n)
			continue;
		x.n++;
		x.ranks += na_steps_rank_of(s, h->host) >= 0;
		x.files += s->scope->store->sources[h->host].ranks;
		if (h->tests[ST_OF_STEPS].n > x.steps)
			x.steps = h->tests[ST_OF_STEPS].n;
		for (unsigned k = ST_OF_STEPS + 1; k < ST_TESTS; k++)
			x.collectives |= h->tests[k].n > 0;
	}
	return x;
}

/* The one that is named is the best of all; 0: nobody to compare with. */
static size_t least_steps(const struct compared *x)
{
	return x->n < 2 ? 0 : na_units_least_replicates(x->n);
}

size_t na_steps_enough(const struct st_state *s, uint32_t run)
{
	struct compared x = compared_of(s, run);

	return x.files >= x.n && x.collectives ? 0 : least_steps(&x);
}

/* So little is not worth its digits. */
static const char *percent(char buf[NA_UNIT_BUF], na_i128 part, na_i128 all)
{
	double x = share(part, all);

	if (x > 0 && x < 0.1) {
		snprintf(buf, NA_UNIT_BUF, "under 0.1");
		return buf;
	}
	return na_print_number(buf, x, 3);
}

static const char *word_of(const struct compared *x)
{
	return x->ranks == x->n   ? "ranks"
	       : x->files == x->n ? "files of ranks (which ones is not told)"
				  : "hosts";
}

static void say_nobody(struct na_str *t, const struct st_state *s, uint32_t run)
{
	na_i128 exposed = 0, idle = 0, all = 0, waiting = 0;
	na_i128 between = 0;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], c[NA_UNIT_BUF];
	struct compared x = compared_of(s, run);
	size_t least = least_steps(&x);
	/* Hosts are named by their transfers, too. */
	size_t needed = x.files < x.n ? 0 : na_steps_enough(s, run);

	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *h = &s->hosts[i];

		if (h->run != run || !h->n)
			continue;
		all += h->sums.duration_ps;
		idle += h->sums.idle_ps;
		waiting += h->sums.waiting_ps;
		between += h->sums.exposed_ps[NA_NET_ICI] +
			   h->sums.exposed_ps[NA_NET_GPU];
		for (int k = 0; k < NA_N_NETWORKS; k++)
			exposed += h->sums.exposed_ps[k];
	}
	if (x.n > 1 && x.steps < needed)
		na_str_addf(t,
			    "%s step%s of %s %s, and it takes %s to name a "
			    "straggler",
			    na_grouped(x.steps), na_plural(x.steps),
			    na_grouped(x.n), word_of(&x), na_grouped(needed));
	else if (x.n > 1 && x.steps < least)
		na_str_addf(
			t,
			"nobody's transfers stand out among %s %s; %s step%s "
			"too few to tell of their own work (it takes %s)",
			na_grouped(x.n), word_of(&x), na_grouped(x.steps),
			x.steps == 1 ? " is" : "s are", na_grouped(least));
	else if (x.n > 1)
		na_str_addf(t, "no %s stands out by its steps (%s %s)",
			    x.ranks ? "rank" : "host", na_grouped(x.n),
			    word_of(&x));
	else
		na_str_addf(t, "one %s, nobody to compare it with",
			    x.ranks ? "rank" : "host");
	if (s->by_launch[run])
		return;
	na_str_addf(t, ": %s %% of the step is exposed communication",
		    percent(a, exposed, all));
	/* Not where another network counts most, or nothing is exposed. */
	if (s->matched[run] && 2 * between > exposed && 100 * exposed > all)
		na_str_addf(t, " (%s %% waits for later %s)",
			    percent(c, waiting, all),
			    x.ranks ? "ranks" : "devices");
	na_str_addf(t, ", %s %% idle", percent(b, idle, all));
	/* Who waits for a slow NIC is no later than all the others. */
	if (x.n > 1 && 100 * (exposed - between) > all)
		na_str_addf(t, "; a slow NIC or path may hold them all up "
			       "alike: netan pairs looks for it");
}

/* Now and then: no habit, and yet what it costs, as check has it. */
enum { SOME_STEPS = 3 };

static const double notable_share = 0.05; /* of the steps' time */

struct at_times { /* steps that wait for what a host does itself */
	size_t n, all;
	na_i128 lost_ps, late_ps, steps_ps;
};

static struct at_times at_times(const struct st_state *s,
				const struct st_host *h, enum st_cause cause)
{
	struct at_times x = {.n = 0};

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];
		struct st_sums sums = {.n = 0};

		if (t->run != h->run)
			continue;
		for (size_t k = t->from; k < t->to; k++)
			na_steps_sum_up(&sums, s->host_steps[k].cell);
		x.all++;
		x.steps_ps += sums.n ? sums.duration_ps / (na_i128)sums.n : 0;
		if (t->slowest == SIZE_MAX || t->cause != cause ||
		    s->host_steps[t->slowest].host != h->host ||
		    t->lost_ps <= 0)
			continue;
		x.n++;
		x.lost_ps += t->lost_ps;
		x.late_ps += t->late_ps;
	}
	return x;
}

/* NULL: nothing by itself. */
static const char *what_it_does(enum st_cause cause)
{
	return cause == ST_COMPUTATION ? "computes longer than the others"
	       : cause == ST_INPUT     ? "waits for its input or its host"
				       : NULL;
}

static bool is_habit(const struct st_state *s, const struct st_host *h,
		     enum st_cause cause, struct at_times *x)
{
	if (!what_it_does(cause) || h->causes[cause] < SOME_STEPS)
		return false;
	*x = at_times(s, h, cause);
	return x->n >= SOME_STEPS &&
	       (double)x->lost_ps >= notable_share * (double)x->steps_ps;
}

bool na_steps_tells_waits(const struct st_state *s, const struct st_host *h,
			  enum st_cause cause)
{
	struct at_times x;

	return !h || h->unit || (h->straggler && what_it_does(h->cause)) ||
	       is_habit(s, h, cause, &x);
}

const struct st_host *na_steps_host(const struct st_state *s, uint32_t host)
{
	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].host == host)
			return &s->hosts[i];
	}
	return NULL;
}

static void say_at_times(struct na_str *t, const struct st_state *s,
			 const struct st_host *h)
{
	char buf[NA_KEY_BUF], by[NA_UNIT_BUF], cost[NA_UNIT_BUF];

	for (enum st_cause k = ST_NONE; k < ST_CAUSES; k++) {
		struct at_times x;

		if (!is_habit(s, h, k, &x))
			continue;
		na_str_addf(
			t,
			"; %s%s %s: %s of %s steps wait for it, by %s, which "
			"costs at most %s a step",
			x.n < x.all ? "now and then " : "", who(s, h, buf),
			what_it_does(k), na_grouped(x.n), na_grouped(x.all),
			na_print_time(by,
				      na_steps_cut(x.late_ps / (na_i128)x.n),
				      3),
			na_print_time(cost,
				      na_steps_cut(x.late_ps / (na_i128)x.all),
				      3));
	}
}

static void say_waits(struct na_str *t, const struct st_state *s, uint32_t run)
{
	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *h = &s->hosts[i];

		if (h->run == run && !h->unit &&
		    !(h->straggler && what_it_does(h->cause)))
			say_at_times(t, s, h);
	}
}

void na_steps_say_hiccup(struct na_str *t, const struct st_state *s,
			 const struct st_hiccup *x)
{
	const struct st_step *step = x->step;
	const struct st_host *h =
		na_steps_host(s, s->host_steps[step->slowest].host);
	char buf[NA_KEY_BUF], took[NA_UNIT_BUF], median[NA_UNIT_BUF];
	char late[NA_UNIT_BUF];

	na_print_number(took, x->took_ms, 3);
	na_print_number(median, x->median_ms, 3);
	na_print_time(late, step->late_ps, 3);
	na_str_addf(t, "step %" PRId64 " took %s ms (median %s): ",
		    step->number, took, median);
	if (step->cause == ST_INPUT)
		na_str_addf(t, "%s waited for its input or its host for %s",
			    who(s, h, buf), late);
	else
		na_str_addf(t, "%s computed %s longer than the others",
			    who(s, h, buf), late);
	if (x->n > 1)
		na_str_addf(t, " (and %s more such step%s)",
			    na_grouped(x->n - 1), na_plural(x->n - 1));
}

static void say_once(struct na_str *t, const struct st_state *s, uint32_t run)
{
	if (!s->hiccups[run].step)
		return;
	na_str_addf(t, "; ");
	na_steps_say_hiccup(t, s, &s->hiccups[run]);
}

/* What steps are where no device tells them. */
static void say_launches(struct na_str *t, const struct st_state *s,
			 uint32_t run)
{
	const struct na_devices *d = &s->scope->store->devices;
	size_t i = 0;

	while (i < d->n_cores &&
	       (s->scope->store->sources[d->cores[i].input].run != run ||
		!na_steps_passes(s, (uint32_t)i)))
		i++;
	na_str_addf(t, "; steps are program launches: %s",
		    i < d->n_cores
			    ? "no steps or program runs on the device planes"
			    : "no device plane in these traces");
}

/* The first of all hosts. */
static void say_change(struct na_str *t, const struct st_state *s, uint32_t run)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	for (size_t i = 0; i < s->changes.n; i++) {
		const struct st_change *c = &s->changes.v[i];

		if (c->run != run || c->host != NA_UNKNOWN_U32)
			continue;
		na_print_number(a, c->from_ms, 4);
		na_print_number(b, c->to_ms, 4);
		if (c->drift)
			na_str_addf(t, "; steps drift from %s to %s ms", a, b);
		else
			na_str_addf(
				t,
				"; steps go from %s to %s ms at step %" PRId64,
				a, b, c->step);
		return;
	}
}

/* Repairing one of them alone may gain next to nothing. */
static void say_together(struct na_str *t, const struct st_state *s,
			 uint32_t run)
{
	char number[NA_UNIT_BUF];

	for (size_t i = 0; i < s->n_stragglers; i++) {
		const struct st_host *h = s->stragglers[i];

		if (h->run != run || !na_steps_together(s, h))
			continue;
		na_print_time(number, na_steps_cut(h->together_ps), 3);
		na_str_addf(t, "; together they cost %s a step", number);
		return;
	}
}

static void say_run(struct na_str *t, const struct st_state *s, uint32_t run)
{
	size_t told = 0;

	for (size_t i = 0; i < s->n_stragglers; i++) {
		const struct st_host *h = s->stragglers[i];

		if (h->run != run)
			continue;
		na_str_addf(t, "%s", told++ ? "; " : "");
		say_straggler(t, s, h);
	}
	say_together(t, s, run);
	if (!told)
		say_nobody(t, s, run);
	say_waits(t, s, run);
	say_once(t, s, run);
	say_change(t, s, run);
	if (s->by_launch[run])
		say_launches(t, s, run);
}

static bool has_run(const struct st_state *s, uint32_t run)
{
	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].run == run)
			return true;
	}
	return false;
}

const char *na_steps_verdict(char buf[ST_VERDICT_BUF], const struct st_state *s)
{
	const struct na_store *store = s->scope->store;
	struct na_str t = na_str_over(buf, ST_VERDICT_BUF);
	uint32_t done = 0;

	for (size_t i = 0; i < store->n_sources; i++) {
		const struct na_source *x = &store->sources[i];

		if (x->run != done || !has_run(s, x->run)) {
			done += x->run == done;
			continue;
		}
		done++;
		na_str_addf(&t, "%s", t.n ? "; " : "");
		if (store->n_runs > 1)
			na_str_addf(&t, "%s: ", x->label);
		say_run(&t, s, x->run);
	}
	return buf;
}

/* A picture's title accuses nobody whom netan check may acquit. */
static void say_transfers(struct na_str *t, const struct st_state *s,
			  const struct st_host *h)
{
	const struct st_verdict *v = &h->tests[h->evidence];
	bool steps = h->evidence == ST_OF_STEPS, always = v->last == v->n;
	char time[NA_UNIT_BUF], buf[NA_KEY_BUF];

	if (!always)
		na_str_addf(t, "In %s of %s %s the", na_grouped(v->last),
			    na_grouped(v->n),
			    steps ? "steps" : "runs of collectives");
	na_str_addf(t,
		    "%s transfers of %s take %s%s longer than the median "
		    "%s's; it is slow, or waits for who is; netan check tells "
		    "which",
		    always ? "The" : "", who(s, h, buf),
		    na_print_time(time, v->effect_ps, 3),
		    !always ? ""
		    : steps ? " a step"
			    : " a run",
		    compared_of(s, h->run).ranks ? "rank" : "host");
}

const char *na_steps_message(char buf[ST_VERDICT_BUF], const struct st_state *s)
{
	struct na_str t = na_str_over(buf, ST_VERDICT_BUF);
	const struct st_host *worst = s->n_stragglers ? s->stragglers[0] : NULL;
	size_t n = s->n_stragglers;

	if (s->scope->store->n_runs < 2 && !s->used.n) {
		na_str_addf(&t, "No steps to draw");
		return buf;
	}
	if (s->scope->store->n_runs > 1) {
		na_str_addf(&t, "Step times of %s runs",
			    na_grouped(s->scope->store->n_runs));
		return buf;
	}
	if (!worst)
		say_nobody(&t, s, 0);
	else if (worst->cause == ST_NETWORK)
		say_transfers(&t, s, worst);
	else
		say_straggler(&t, s, worst);
	if (n > 1)
		na_str_addf(&t, "; and %s more", na_grouped(n - 1));
	/* Names stay as they are. */
	if (!worst && buf[0] >= 'a' && buf[0] <= 'z')
		buf[0] = (char)(buf[0] - 'a' + 'A');
	return buf;
}
