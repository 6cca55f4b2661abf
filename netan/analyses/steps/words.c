/* steps: the answer in a sentence. */
#include <math.h>

#include "facts.h"
#include "netan/analyses/steps/steps.h"
#include "netan/base/str.h"
#include "netan/judge/units.h"

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
static const char *who_unit(struct na_result *r, const struct st_state *s,
			    const struct st_host *h)
{
	int32_t first = INT32_MAX, last = -1;
	struct na_str t = {0};
	bool some;

	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *o = &s->hosts[i];
		int32_t rank = o->unit == h ? na_steps_rank_of(s, o->host) : -1;

		first = rank >= 0 && rank < first ? rank : first;
		last = rank > last ? rank : last;
	}
	some = h->n_ranks > 2 && (size_t)(last - first) + 1 != h->n_ranks;
	na_str_addf(&t, "%s (", s->scope->store->hosts[h->host].name);
	na_say_to(&t, na_fact_ranks_together(some ? (int64_t)h->n_ranks : 0,
					     first, h->n_ranks == 2, last));
	na_str_addf(&t, ")");
	return na_result_keep(r, &t);
}

/* A host; of a GPU job a rank, several of which one host may have. */
static const char *who(struct na_result *r, const struct st_state *s,
		       const struct st_host *h)
{
	const char *name = s->scope->store->hosts[h->host].name;
	int32_t rank = na_steps_rank_of(s, h->host);

	if (h->n_ranks)
		return who_unit(r, s, h);
	/* Where nothing tells its host it is called after the rank. */
	if (rank < 0 || s->scope->store->sources[h->host].no_host)
		return name;
	return na_result_say(r, na_fact_rank_on_host(rank, name));
}

static const char *cost_text(struct na_result *r, const struct st_state *s,
			     const struct st_host *h)
{
	double ms = na_steps_cost_ms(h);

	if (!(ms > 0 || na_steps_own_ms(h) > 0))
		return NULL;
	return na_result_say(r,
			     na_fact_straggler_costs(ms > 0 ? ms / NA_MS_PER_S
							    : NAN,
						     na_steps_cost_is(h),
						     na_steps_together(s, h)));
}

static struct na_fact straggler(struct na_result *r, const struct st_state *s,
				const struct st_host *h)
{
	const struct st_verdict *v = &h->tests[h->evidence];

	return na_fact_straggler_of_steps(
		who(r, s, h),
		h->cause == ST_COMPUTATION ? factor_of(s, h) : NAN,
		h->cause == ST_INPUT, h->cause == ST_LATE_START,
		h->cause == ST_NETWORK, na_s(v->effect_ps),
		(double)v->last / (double)v->n, (int64_t)v->n,
		h->evidence == ST_OF_STEPS, cost_text(r, s, h));
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
static const char *percent(struct na_result *r, na_i128 part, na_i128 all)
{
	double x = all > 0 ? 100 * (double)part / (double)all : 0;

	return na_result_say(r, na_fact_share_of_step(x > 0 && x < 0.1, x));
}

static struct na_fact nobody(struct na_result *r, const struct compared *x,
			     size_t needed)
{
	const char *compared =
		na_result_say(r, na_fact_compared_are((int64_t)x->n,
						      x->ranks == x->n,
						      x->files == x->n));
	size_t least = least_steps(x);

	if (x->n < 2)
		return na_fact_nobody_to_compare_with(x->ranks);
	if (x->steps < needed)
		return na_fact_steps_name_nobody((int64_t)x->steps, compared,
						 (int64_t)needed);
	if (x->steps < least)
		return na_fact_steps_too_few_for_own_work(compared,
							  (int64_t)x->steps,
							  (int64_t)least);
	return na_fact_nobody_stands_out_by_steps(x->ranks, compared);
}

static void say_nobody(struct na_result *r, struct na_str *t,
		       const struct st_state *s, uint32_t run)
{
	na_i128 exposed = 0, idle = 0, all = 0, waiting = 0;
	na_i128 between = 0;
	struct compared x = compared_of(s, run);
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
	na_say_to(t, nobody(r, &x, needed));
	if (s->by_launch[run])
		return;
	/* Waits not where another network counts most, or nothing is exposed;
	 * who waits for a slow NIC is no later than all the others. */
	na_say_to(t, na_fact_step_consists_of(
			     percent(r, exposed, all),
			     s->matched[run] && 2 * between > exposed &&
					     100 * exposed > all
				     ? percent(r, waiting, all)
				     : NULL,
			     x.ranks, percent(r, idle, all),
			     x.n > 1 && 100 * (exposed - between) > all));
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

static bool by_itself(enum st_cause cause)
{
	return cause == ST_COMPUTATION || cause == ST_INPUT;
}

static bool is_habit(const struct st_state *s, const struct st_host *h,
		     enum st_cause cause, struct at_times *x)
{
	if (!by_itself(cause) || h->causes[cause] < SOME_STEPS)
		return false;
	*x = at_times(s, h, cause);
	return x->n >= SOME_STEPS &&
	       (double)x->lost_ps >= notable_share * (double)x->steps_ps;
}

bool na_steps_tells_waits(const struct st_state *s, const struct st_host *h,
			  enum st_cause cause)
{
	struct at_times x;

	return !h || h->unit || (h->straggler && by_itself(h->cause)) ||
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

static void say_at_times(struct na_result *r, struct na_str *t,
			 const struct st_state *s, const struct st_host *h)
{
	for (enum st_cause k = ST_NONE; k < ST_CAUSES; k++) {
		struct at_times x;

		if (is_habit(s, h, k, &x))
			na_say_to(t, na_fact_steps_wait_for_host(
					     x.n < x.all, who(r, s, h),
					     k == ST_COMPUTATION, (int64_t)x.n,
					     (int64_t)x.all,
					     na_s(x.late_ps / (na_i128)x.n),
					     na_s(x.late_ps / (na_i128)x.all)));
	}
}

static void say_waits(struct na_result *r, struct na_str *t,
		      const struct st_state *s, uint32_t run)
{
	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *h = &s->hosts[i];

		if (h->run == run && !h->unit &&
		    !(h->straggler && by_itself(h->cause)))
			say_at_times(r, t, s, h);
	}
}

struct na_fact na_steps_hiccup(struct na_result *r, const struct st_state *s,
			       const struct st_hiccup *x)
{
	const struct st_step *step = x->step;
	const struct st_host *h =
		na_steps_host(s, s->host_steps[step->slowest].host);

	return na_fact_step_took_longer(step->number, x->took_ms, x->median_ms,
					who(r, s, h), step->cause == ST_INPUT,
					na_s(step->late_ps), (int64_t)x->n - 1);
}

static void say_once(struct na_result *r, struct na_str *t,
		     const struct st_state *s, uint32_t run)
{
	if (!s->hiccups[run].step)
		return;
	na_str_addf(t, "; ");
	na_say_to(t, na_steps_hiccup(r, s, &s->hiccups[run]));
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
	na_say_to(t, na_fact_steps_are_launches(i < d->n_cores));
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
		na_say_to(t, na_fact_steps_change(c->drift, a, b, c->step));
		return;
	}
}

/* Repairing one of them alone may gain next to nothing. */
static void say_together(struct na_str *t, const struct st_state *s,
			 uint32_t run)
{
	for (size_t i = 0; i < s->n_stragglers; i++) {
		const struct st_host *h = s->stragglers[i];

		if (h->run != run || !na_steps_together(s, h))
			continue;
		na_say_to(t, na_fact_together_they_cost(na_s(h->together_ps)));
		return;
	}
}

static void say_run(struct na_result *r, struct na_str *t,
		    const struct st_state *s, uint32_t run)
{
	size_t told = 0;

	for (size_t i = 0; i < s->n_stragglers; i++) {
		const struct st_host *h = s->stragglers[i];

		if (h->run != run)
			continue;
		na_str_addf(t, "%s", told++ ? "; " : "");
		na_say_to(t, straggler(r, s, h));
	}
	say_together(t, s, run);
	if (!told)
		say_nobody(r, t, s, run);
	say_waits(r, t, s, run);
	say_once(r, t, s, run);
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

const char *na_steps_verdict(struct na_result *r, const struct st_state *s)
{
	const struct na_store *store = s->scope->store;
	struct na_str t = {0};
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
		say_run(r, &t, s, x->run);
	}
	return na_result_keep(r, &t);
}

/* A picture's title accuses nobody whom netan check may acquit. */
static struct na_fact transfers(struct na_result *r, const struct st_state *s,
				const struct st_host *h)
{
	const struct st_verdict *v = &h->tests[h->evidence];

	return na_fact_transfers_of_host_take_longer(
		v->last == v->n, (int64_t)v->last, (int64_t)v->n,
		h->evidence == ST_OF_STEPS, who(r, s, h), na_s(v->effect_ps),
		compared_of(s, h->run).ranks);
}

const char *na_steps_message(struct na_result *r, const struct st_state *s)
{
	const struct st_host *worst = s->n_stragglers ? s->stragglers[0] : NULL;
	size_t n = s->n_stragglers, runs = s->scope->store->n_runs;
	struct na_str t = {0};

	if (runs > 1)
		return na_result_say(r,
				     na_fact_step_times_of_runs((int64_t)runs));
	if (!s->used.n)
		return na_result_say(r, na_fact_no_steps_to_draw());
	if (!worst)
		say_nobody(r, &t, s, 0);
	else if (worst->cause == ST_NETWORK)
		na_say_to(&t, transfers(r, s, worst));
	else
		na_say_to(&t, straggler(r, s, worst));
	if (n > 1)
		na_say_to(&t, na_fact_more_stragglers((int64_t)n - 1));
	/* Names stay as they are. */
	if (!worst && t.n && t.s[0] >= 'a' && t.s[0] <= 'z')
		t.s[0] = (char)(t.s[0] - 'a' + 'A');
	return na_result_keep(r, &t);
}
