/* steps: from the steps of devices to those of hosts; who is slowest, and
 * why. */
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

int64_t na_steps_exposed(const struct st_cell *c)
{
	int64_t sum = 0;

	for (int k = 0; k < NA_N_NETWORKS; k++)
		sum += na_steps_exposed_of(c, k);
	return sum;
}

int64_t na_steps_idle(const struct st_cell *c)
{
	return na_steps_duration(c) - c->busy_ps - na_steps_exposed(c);
}

bool na_steps_notable(int64_t ps, int64_t typical_ps, double share)
{
	return ps > ST_EFFECT_PS && (double)ps > share * (double)typical_ps;
}

void na_steps_sum_up(struct st_sums *x, const struct st_cell *c)
{
	x->n++;
	x->duration_ps += na_steps_duration(c);
	x->busy_ps += c->busy_ps;
	x->flight_ps += c->flight_ps;
	x->overlap_ps += c->overlap_ps;
	x->idle_ps += na_steps_idle(c);
	x->gap_ps += na_steps_gap(c);
	x->waiting_ps += na_steps_waiting(c);
	for (int k = 0; k < NA_N_NETWORKS; k++)
		x->exposed_ps[k] += na_steps_exposed_of(c, k);
}

NA_ORDER(by_step, struct st_host_step, NA_UP(run), NA_UP(cell->number),
	 NA_UP(host), NA_UP(cell->core), NA_UP(cell->start_ps))

static bool same_step(const struct st_host_step *a,
		      const struct st_host_step *b)
{
	return a->run == b->run && a->cell->number == b->cell->number;
}

static bool slower(const struct st_host_step *a, const struct st_host_step *b)
{
	if (a->cell->launch && a->cell->start_ps != b->cell->start_ps)
		return a->cell->start_ps > b->cell->start_ps;
	if (a->own_ps != b->own_ps)
		return a->own_ps > b->own_ps;
	return na_steps_duration(a->cell) > na_steps_duration(b->cell);
}

/* One for each device first; then the slowest device stands for its host. */
static bool list_devices(struct st_state *s)
{
	const struct na_store *store = s->scope->store;

	s->host_steps = na_calloc(s->n_cells + 1, sizeof(*s->host_steps));
	if (!s->host_steps)
		return false;
	for (size_t i = 0; i < s->n_cells; i++) {
		const struct st_cell *c = &s->cells[i];
		uint32_t input = na_steps_host_of(s, c->core);
		int64_t period;

		if (!c->kept)
			continue;
		if (!na_add_i64(na_steps_duration(c), na_steps_gap(c), &period))
			period = NA_TIME_MAX;
		s->host_steps[s->n_host_steps++] = (struct st_host_step){
			.cell = c,
			.host = input,
			.run = store->sources[input].run,
			.period_ps = period,
			.own_ps = (c->launch ? na_steps_duration(c) : period) -
				  na_steps_exposed(c),
		};
	}
	na_sort(s->host_steps, s->n_host_steps, by_step);
	return true;
}

static void one_of_each_host(struct st_state *s)
{
	struct st_host_step *x = s->host_steps;
	uint32_t core = NA_UNKNOWN_U32;
	size_t n = 0;

	for (size_t i = 0; i < s->n_host_steps; i++) {
		struct st_host_step *last = n ? &x[n - 1] : NULL;
		bool same = last && same_step(last, &x[i]) &&
			    last->host == x[i].host;

		if (same && core == x[i].cell->core) {
			s->repeated++;
			continue;
		}
		core = x[i].cell->core;
		na_extent_add(&s->used, x[i].cell->start_ps, x[i].cell->end_ps);
		if (!same)
			x[n++] = x[i];
		else if (slower(&x[i], last))
			*last = x[i];
	}
	s->n_host_steps = n;
	x = n ? realloc(x, n * sizeof(*x)) : NULL;
	s->host_steps = x ? x : s->host_steps;
}

static bool list_steps(struct st_state *s)
{
	const struct st_host_step *x = s->host_steps;

	s->steps = na_calloc(s->n_host_steps + 1, sizeof(*s->steps));
	if (!s->steps)
		return false;
	for (size_t i = 0; i < s->n_host_steps; i++) {
		const struct st_cell *c = x[i].cell;
		int64_t from = na_host_clocks_time(s->clocks, x[i].host,
						   c->start_ps);
		int64_t to = na_host_clocks_time(s->clocks, x[i].host,
						 c->end_ps);
		struct st_step *t;

		if (!i || !same_step(&x[i - 1], &x[i]))
			s->steps[s->n_steps++] =
				(struct st_step){.number = c->number,
						 .run = x[i].run,
						 .start_ps = from,
						 .end_ps = to,
						 .slowest = SIZE_MAX,
						 .from = i};
		t = &s->steps[s->n_steps - 1];
		t->to = i + 1;
		t->start_ps = from < t->start_ps ? from : t->start_ps;
		t->end_ps = to > t->end_ps ? to : t->end_ps;
	}
	return true;
}

NA_ORDER(by_i128, na_i128, NA_CMP(*x, *y))

bool na_steps_same_clock(const struct st_state *s, uint32_t host,
			 uint32_t *group)
{
	if (!na_steps_is_tied(s, host))
		return false;
	if (*group == NA_UNKNOWN_U32)
		*group = s->clocks->group[host];
	return s->clocks->group[host] == *group;
}

static na_i128 value_of(const struct st_state *s, const struct st_host_step *x,
			enum st_measure m)
{
	const struct st_cell *c = x->cell;

	switch (m) {
	case ST_OWN:
		return x->own_ps;
	case ST_PERIOD:
		return x->period_ps;
	case ST_DURATION:
		return na_steps_duration(c);
	case ST_COMPUTE:
		return c->busy_ps;
	case ST_OWN_REST:
		return (na_i128)x->own_ps - c->busy_ps;
	case ST_EXPOSED:
		return na_steps_exposed(c);
	case ST_LATENCY:
		return x->network_ps;
	case ST_LATENCY_SEEN:
		return na_steps_cut(x->network_ps);
	case ST_GAP:
		return c->gap_ps;
	default:
		return na_host_clocks_time(s->clocks, x->host,
					   m == ST_START ? c->start_ps
							 : c->end_ps);
	}
}

bool na_steps_measure(const struct st_state *s, const struct st_host_step *x,
		      enum st_measure m, uint32_t *group, na_i128 *ps)
{
	if ((m == ST_LATENCY_SEEN && x->network_ps <= 0) ||
	    (m == ST_GAP && x->cell->gap_ps < 0) ||
	    ((m == ST_START || m == ST_END) &&
	     !na_steps_same_clock(s, x->host, group)))
		return false;
	*ps = value_of(s, x, m);
	return true;
}

struct st_field na_steps_survey(const struct st_state *s,
				const struct st_step *t, enum st_measure m,
				na_i128 *tmp)
{
	struct st_field f = {.at = SIZE_MAX, .of = m};
	uint32_t group = NA_UNKNOWN_U32;

	for (size_t i = t->from; i < t->to; i++) {
		if (!na_steps_measure(s, &s->host_steps[i], m, &group,
				      &tmp[f.n]))
			continue;
		if (!f.n || tmp[f.n] > f.most) {
			f.most = tmp[f.n];
			f.at = i;
		}
		f.n++;
	}
	if (!f.n)
		return f;
	na_sort(tmp, f.n, by_i128);
	f.least = tmp[0];
	f.median = tmp[(f.n - 1) / 2];
	f.second = f.n > 1 ? tmp[f.n - 2] : tmp[0];
	return f;
}

void na_steps_blame(struct st_step *t, const struct st_field *f,
		    enum st_cause cause)
{
	t->slowest = f->at;
	t->by = f->of;
	t->late_ps = na_steps_cut(f->most - f->median);
	t->lost_ps = na_steps_cut(f->most - f->second);
	t->cause = cause;
}

static bool slower_network(const struct st_field *w)
{
	return (double)w->most > ST_NETWORK_RATIO * (double)w->median;
}

/* Transfers of one host take longer by more than the latest host is late,
 * and that one waits for them too: it is not who is waited for. */
static bool network_first(const struct st_state *s, const struct st_field *o,
			  const struct st_field *w)
{
	na_i128 late = o->most - o->median, slow = w->most - w->median;

	return slower_network(w) &&
	       slow - s->host_steps[w->at].unsure_ps > late &&
	       na_steps_exposed(s->host_steps[o->at].cell) > late;
}

/* Which part of its own time is above the other hosts'. */
static enum st_cause cause_of(const struct st_state *s, const struct st_step *t,
			      size_t slowest, na_i128 *tmp)
{
	const struct st_host_step *x = &s->host_steps[slowest];
	na_i128 compute = value_of(s, x, ST_COMPUTE) -
			  na_steps_survey(s, t, ST_COMPUTE, tmp).median;
	na_i128 rest = value_of(s, x, ST_OWN_REST) -
		       na_steps_survey(s, t, ST_OWN_REST, tmp).median;

	return compute >= rest ? ST_COMPUTATION : ST_INPUT;
}

/*
 * Own time first; where all own times are alike, or matter less, whose
 * transfers take longest; then the longest duration.
 */
static void judge_step(struct st_state *s, struct st_step *t, na_i128 *tmp)
{
	struct st_field own = na_steps_survey(s, t, ST_OWN, tmp);
	struct st_field period = na_steps_survey(s, t, ST_PERIOD, tmp);
	struct st_field lasted = na_steps_survey(s, t, ST_DURATION, tmp);
	struct st_field exposed = na_steps_survey(s, t, ST_EXPOSED, tmp);
	struct st_field net = na_steps_survey(s, t, ST_LATENCY, tmp);
	int64_t typical = (int64_t)period.median;

	t->spread_ps = (int64_t)(lasted.most - lasted.least);
	for (size_t i = t->from; i < t->to; i++) {
		struct st_host_step *x = &s->host_steps[i];

		x->late_ps = x->own_ps - (int64_t)own.median;
		x->waits_less_ps = (int64_t)exposed.median -
				   na_steps_exposed(x->cell);
	}
	if (own.n < 2)
		return;
	if (na_steps_notable(na_steps_cut(own.most - own.median), typical,
			     ST_EFFECT_SHARE) &&
	    !network_first(s, &own, &net))
		na_steps_blame(t, &own, cause_of(s, t, own.at, tmp));
	else if (slower_network(&net) &&
		 na_steps_notable(na_steps_cut(net.most - net.median), typical,
				  ST_EFFECT_SHARE) &&
		 net.most - net.median > s->host_steps[net.at].unsure_ps)
		na_steps_blame(t, &net, ST_NETWORK);
	else if ((double)(period.most - period.median) >
		 ST_DIFFER_SHARE * (double)period.median)
		na_steps_blame(t, &period, ST_NETWORK);
	else
		na_steps_blame(t, &own, ST_NONE);
	s->host_steps[t->slowest].slowest = true;
}

bool na_steps_build_hosts(struct st_state *s)
{
	if (!list_devices(s))
		return false;
	one_of_each_host(s);
	return list_steps(s);
}

bool na_steps_judge_steps(struct st_state *s)
{
	size_t most = 1;
	na_i128 *tmp;

	for (size_t i = 0; i < s->n_steps; i++) {
		size_t n = s->steps[i].to - s->steps[i].from;

		most = n > most ? n : most;
	}
	tmp = na_calloc(most, sizeof(*tmp));
	for (size_t i = 0; tmp && i < s->n_steps; i++) {
		if (s->by_launch[s->steps[i].run])
			na_steps_judge_launch(s, &s->steps[i], tmp);
		else
			judge_step(s, &s->steps[i], tmp);
	}
	free(tmp);
	return tmp;
}
