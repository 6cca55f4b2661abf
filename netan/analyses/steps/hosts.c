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

bool na_steps_notable(int64_t ps, int64_t typical_ps)
{
	return ps > ST_EFFECT_PS &&
	       (double)ps > ST_EFFECT_SHARE * (double)typical_ps;
}

bool na_steps_notable_launch(int64_t ps, int64_t typical_ps)
{
	return ps > ST_EFFECT_PS &&
	       (double)ps > ST_LAUNCH_SHARE * (double)typical_ps;
}

int64_t na_steps_gap(const struct st_cell *c)
{
	return c->gap_ps > 0 ? c->gap_ps : 0;
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

struct field {
	na_i128 median; /* the lower one */
	na_i128 most, second, least;
	size_t at; /* of the most; the first */
};

/* What a field of the host steps of one step comes to. */
static struct field survey(const struct st_host_step *x, size_t n,
			   na_i128 (*of)(const struct st_host_step *x),
			   na_i128 *tmp)
{
	struct field f = {.at = 0};

	for (size_t i = 0; i < n; i++) {
		tmp[i] = of(&x[i]);
		if (tmp[i] > of(&x[f.at]))
			f.at = i;
	}
	na_sort(tmp, n, by_i128);
	f.least = tmp[0];
	f.median = tmp[(n - 1) / 2];
	f.most = tmp[n - 1];
	f.second = n > 1 ? tmp[n - 2] : tmp[0];
	return f;
}

static na_i128 own(const struct st_host_step *x)
{
	return x->own_ps;
}
static na_i128 period(const struct st_host_step *x)
{
	return x->period_ps;
}
static na_i128 duration(const struct st_host_step *x)
{
	return na_steps_duration(x->cell);
}
static na_i128 compute(const struct st_host_step *x)
{
	return x->cell->busy_ps;
}
static na_i128 waiting(const struct st_host_step *x)
{
	return (na_i128)x->own_ps - x->cell->busy_ps;
}
static na_i128 exposed(const struct st_host_step *x)
{
	return na_steps_exposed(x->cell);
}
static na_i128 network(const struct st_host_step *x)
{
	return x->network_ps;
}

/* Sums of hostile latencies may be anything. */
static int64_t cut(na_i128 ps)
{
	return ps > NA_TIME_MAX ? NA_TIME_MAX : (int64_t)ps;
}

static void blame(struct st_step *t, const struct field *f, enum st_cause cause)
{
	t->slowest = t->from + f->at;
	t->late_ps = cut(f->most - f->median);
	t->lost_ps = cut(f->most - f->second);
	t->cause = cause;
}

static bool slower_network(const struct field *w)
{
	return (double)w->most > ST_NETWORK_RATIO * (double)w->median;
}

/* Transfers of one host take longer by more than the latest host is late,
 * and that one waits for them too: it is not who is waited for. */
static bool network_first(const struct st_host_step *x, const struct field *o,
			  const struct field *w)
{
	na_i128 late = o->most - o->median, slow = w->most - w->median;

	return slower_network(w) && slow - x[w->at].unsure_ps > late &&
	       exposed(&x[o->at]) > late;
}

/*
 * Own time first; where all own times are alike, or matter less, whose
 * transfers take longest; then the longest duration.
 */
static void judge_step(struct st_state *s, struct st_step *t, na_i128 *tmp)
{
	struct st_host_step *x = &s->host_steps[t->from];
	size_t n = t->to - t->from;
	struct field o = survey(x, n, own, tmp), p = survey(x, n, period, tmp);
	struct field d = survey(x, n, duration, tmp);
	struct field e = survey(x, n, exposed, tmp);
	struct field w = survey(x, n, network, tmp);
	int64_t typical = (int64_t)p.median;

	t->spread_ps = (int64_t)(d.most - d.least);
	for (size_t i = 0; i < n; i++) {
		x[i].late_ps = x[i].own_ps - (int64_t)o.median;
		x[i].waits_less_ps = (int64_t)e.median -
				     na_steps_exposed(x[i].cell);
	}
	if (n < 2)
		return;
	if (na_steps_notable(cut(o.most - o.median), typical) &&
	    !network_first(x, &o, &w)) {
		na_i128 c = compute(&x[o.at]) -
			    survey(x, n, compute, tmp).median;
		na_i128 g = waiting(&x[o.at]) -
			    survey(x, n, waiting, tmp).median;

		blame(t, &o, c >= g ? ST_COMPUTATION : ST_INPUT);
	} else if (slower_network(&w) &&
		   na_steps_notable(cut(w.most - w.median), typical) &&
		   w.most - w.median > x[w.at].unsure_ps) {
		blame(t, &w, ST_NETWORK);
	} else if ((double)(p.most - p.median) >
		   ST_DIFFER_SHARE * (double)p.median) {
		blame(t, &p, ST_NETWORK);
	} else {
		blame(t, &o, ST_NONE);
	}
	x[t->slowest - t->from].slowest = true;
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
	bool ok = true;
	na_i128 *tmp;

	for (size_t i = 0; i < s->n_steps; i++) {
		size_t n = s->steps[i].to - s->steps[i].from;

		most = n > most ? n : most;
	}
	tmp = na_calloc(most, sizeof(*tmp));
	for (size_t i = 0; tmp && ok && i < s->n_steps; i++) {
		if (s->by_launch[s->steps[i].run])
			ok = na_steps_judge_launch(s, &s->steps[i]);
		else
			judge_step(s, &s->steps[i], tmp);
	}
	free(tmp);
	return tmp && ok;
}
