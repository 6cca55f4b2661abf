/*
 * steps: what of an execution waits for devices that come later.  The
 * shortest of an execution is its transfer: who takes longer has waited
 * before, by what it took longer.
 */
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/matches/op_match.h"

/* Inputs whose devices are ranks: what these do together their records tell
 * (ranks.c). */
static bool *inputs_of_ranks(const struct st_state *s)
{
	const struct na_devices *d = &s->scope->store->devices;
	bool *of = na_calloc(s->scope->store->n_sources + 1, sizeof(*of));

	for (size_t i = 0; of && i < d->n_cores; i++) {
		if (d->cores[i].kind == NA_DEVICE_RANK)
			of[d->cores[i].input] = true;
	}
	return of;
}

static bool wanted(void *arg, const struct na_op_type *t, uint32_t name)
{
	const struct st_state *s = arg;

	(void)name;
	return !s->of_ranks[t->input];
}

static bool add_execution(void *arg, const struct na_op_piece *x, size_t n)
{
	struct st_state *s = arg;
	int64_t least = NA_TIME_MAX;
	atomic_bool *matched;

	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);

		least = d < least ? d : least;
	}
	if (n < 2 || least < 0)
		return true;
	matched = &s->matched[s->scope->store
				      ->sources[na_steps_host_of(s, x[0].core)]
				      .run];
	/* Seldom written, lest threads wait for each other. */
	if (!atomic_load_explicit(matched, memory_order_relaxed))
		atomic_store_explicit(matched, true, memory_order_relaxed);
	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);

		if (d > least && d < NA_TIME_MAX)
			s->op_waits[x[i].op] = d - least;
	}
	return true;
}

NA_ORDER(by_core, struct st_wait, NA_UP(core), NA_UP(start_ps), NA_UP(end_ps))

/* Runs of programs, which say which executions belong together. */
static struct na_span *runs_of(const struct st_state *s, size_t *n)
{
	struct na_span *x = na_calloc(s->got.spans.n + 1, sizeof(*x));

	*n = 0;
	for (size_t i = 0; x && i < s->got.spans.n; i++) {
		const struct st_span *p = &s->got.spans.v[i];

		if (p->program && na_steps_passes(s, p->core))
			x[(*n)++] = (struct na_span){.kind = NA_SPAN_MODULE,
						     .start_ps = p->start_ps,
						     .end_ps = p->end_ps,
						     .number = p->number,
						     .name = p->name,
						     .core = p->core};
	}
	return x;
}

bool na_steps_find_waits(struct st_state *s)
{
	struct na_strtab names = {0};
	struct na_op_match m = {.scope = s->scope,
				.ops = s->got.ops.v,
				.n_ops = s->got.ops.n,
				.modules = &names,
				.instance = add_execution,
				.at_once = true,
				.arg = s};
	bool ok;

	s->matched = na_calloc(s->scope->store->n_runs + 1,
			       sizeof(*s->matched));
	s->of_ranks = inputs_of_ranks(s);
	s->op_waits = na_calloc(m.n_ops, sizeof(*s->op_waits));
	m.runs = runs_of(s, &m.n_runs);
	ok = s->matched && s->of_ranks && s->op_waits && m.runs &&
	     na_op_units(&m, wanted) && na_op_match(&m) &&
	     na_steps_find_rank_waits(s);
	na_op_match_fini(&m);
	free(m.runs);
	na_strtab_fini(&names);
	na_sort(s->waits.v, s->waits.n, by_core);
	return ok;
}

/* Time that is spent in the collectives themselves, of a step's hosts; only
 * between devices: over the data-center network nobody knows who waits. */
static double transfers_of(const struct st_state *s, const struct st_step *t)
{
	double sum = 0;

	for (size_t i = t->from; i < t->to; i++) {
		const struct st_cell *c = s->host_steps[i].cell;

		sum += (double)(na_steps_exposed_of(c, NA_NET_ICI) +
				na_steps_exposed_of(c, NA_NET_GPU) -
				na_steps_waiting(c));
	}
	return sum / (double)(t->to - t->from);
}

static double duration_of(const struct st_state *s, const struct st_step *t)
{
	double sum = 0;

	for (size_t i = t->from; i < t->to; i++)
		sum += (double)na_steps_duration(s->host_steps[i].cell);
	return sum / (double)(t->to - t->from);
}

static double median_of(double *x, size_t n)
{
	na_sort(x, n, na_order_f64);
	return x[(n - 1) / 2];
}

/* A step that nobody is late in, and that takes longer than the median one
 * since its collectives do on all devices. */
static void find_slow_network(struct st_state *s, size_t from, size_t to,
			      double *tmp)
{
	double transfers, duration;

	for (size_t i = from; i < to; i++)
		tmp[i - from] = transfers_of(s, &s->steps[i]);
	transfers = median_of(tmp, to - from);
	for (size_t i = from; i < to; i++)
		tmp[i - from] = duration_of(s, &s->steps[i]);
	duration = median_of(tmp, to - from);
	for (size_t i = from; i < to; i++) {
		struct st_step *t = &s->steps[i];
		double more = transfers_of(s, t) - transfers;
		double longer = duration_of(s, t) - duration;

		if (t->cause == ST_NONE && longer > ST_EFFECT_PS &&
		    longer > ST_EFFECT_SHARE * duration && 2 * more > longer)
			t->cause = ST_NETWORK;
	}
}

bool na_steps_judge_transfers(struct st_state *s)
{
	double *tmp = na_calloc(s->n_steps + 1, sizeof(*tmp));

	for (size_t from = 0, to; tmp && from < s->n_steps; from = to) {
		for (to = from;
		     to < s->n_steps && s->steps[to].run == s->steps[from].run;)
			to++;
		if (s->matched[s->steps[from].run])
			find_slow_network(s, from, to, tmp);
	}
	free(tmp);
	return tmp;
}
