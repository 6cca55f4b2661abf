/* steps: what each host's steps come to, and how step times change over the
 * steps. */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/sort.h"
#include "netan/stats/time/course.h"

/* Host steps by host, each in the order of steps. */
static bool sort_by_host(struct st_state *s)
{
	size_t hosts = s->scope->store->n_hosts, at = 0;
	size_t *next = na_calloc(hosts + 1, sizeof(*next));

	s->by_host = na_calloc(s->n_host_steps + 1, sizeof(*s->by_host));
	if (!next || !s->by_host) {
		free(next);
		return false;
	}
	for (size_t i = 0; i < s->n_hosts; i++) {
		s->hosts[i].from = at;
		next[s->hosts[i].host] = at;
		at += s->hosts[i].n;
	}
	for (size_t i = 0; i < s->n_host_steps; i++)
		s->by_host[next[s->host_steps[i].host]++] = i;
	free(next);
	return true;
}

static void sum_host(const struct st_state *s, struct st_host *h, double *x,
		     double *tmp)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct st_cell *c =
			s->host_steps[s->by_host[h->from + i]].cell;

		na_steps_sum_up(&h->sums, c);
		x[i] = na_ms(na_steps_duration(c));
	}
	na_sort_f64(x, tmp, h->n);
	h->p99_ms = na_quantile_sorted(x, h->n, 0.99);
	for (size_t i = 0; i < h->n; i++)
		x[i] = na_ms(s->host_steps[s->by_host[h->from + i]].late_ps);
	na_sort_f64(x, tmp, h->n);
	h->behind_ms = na_quantile_sorted(x, h->n, 0.5);
	if (s->by_launch[h->run] && !na_steps_is_tied(s, h->host))
		h->behind_ms = (double)NAN;
}

static bool put_change(struct st_state *s, struct st_change c)
{
	if (s->severity < NA_SEV_WARNING)
		s->severity = NA_SEV_WARNING;
	return na_add(&s->changes, c);
}

/* numbers[i]: the step of x[i]. */
static bool judge_series(struct st_state *s, uint32_t run, uint32_t host,
			 const double *x, const int64_t *numbers, size_t n)
{
	struct na_course *c = calloc(1, sizeof(*c));
	struct st_change change = {.run = run, .host = host, .p = NAN};
	bool ok = c && na_course_judge(x, n, c);

	if (ok && c->drifts) {
		change.drift = true;
		change.step = numbers[0];
		change.from_ms = c->from;
		change.to_ms = c->to;
		change.p = c->p;
		ok = put_change(s, change);
	}
	for (size_t i = 0; ok && i < c->n; i++) {
		change.step = numbers[c->changes[i].at];
		change.from_ms = c->changes[i].from;
		change.to_ms = c->changes[i].to;
		ok = put_change(s, change);
	}
	free(c);
	return ok;
}

/* All hosts: the mean duration of each step. */
static bool judge_run(struct st_state *s, uint32_t run, double *x,
		      int64_t *numbers)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];
		na_i128 sum = 0;

		if (t->run != run)
			continue;
		for (size_t k = t->from; k < t->to; k++)
			sum += na_steps_duration(s->host_steps[k].cell);
		numbers[n] = t->number;
		x[n++] = na_ms(sum) / (double)(t->to - t->from);
	}
	return judge_series(s, run, NA_UNKNOWN_U32, x, numbers, n);
}

/*
 * One host against the others: its own time, less what the median host's
 * changed.
 */
static bool judge_host(struct st_state *s, const struct st_host *h, double *x,
		       int64_t *numbers, double *tmp)
{
	double typical;

	for (size_t i = 0; i < h->n; i++) {
		const struct st_host_step *y =
			&s->host_steps[s->by_host[h->from + i]];

		x[i] = na_ms((double)y->own_ps - (double)y->late_ps);
	}
	na_sort_f64(x, tmp, h->n);
	typical = na_quantile_sorted(x, h->n, 0.5);
	for (size_t i = 0; i < h->n; i++) {
		const struct st_host_step *y =
			&s->host_steps[s->by_host[h->from + i]];

		numbers[i] = y->cell->number;
		x[i] = typical + na_ms(y->late_ps);
	}
	return judge_series(s, h->run, h->host, x, numbers, h->n);
}

/* Of launches nobody knows the own time. */
static bool compared(const struct st_state *s, const struct st_host *h)
{
	return h->tests[ST_OF_STEPS].n > 0 && !s->by_launch[h->run];
}

bool na_steps_judge_course(struct st_state *s)
{
	size_t n = s->n_host_steps + s->n_steps;
	double *x = na_calloc(2 * n + 1, sizeof(*x));
	int64_t *numbers = na_calloc(n + 1, sizeof(*numbers));
	bool ok = x && numbers && sort_by_host(s);

	for (size_t i = 0; ok && i < s->n_hosts; i++)
		sum_host(s, &s->hosts[i], x, x + n);
	for (uint32_t r = 0; ok && r < s->scope->store->n_runs; r++)
		ok = judge_run(s, r, x, numbers);
	for (size_t i = 0; ok && i < s->n_hosts; i++) {
		if (compared(s, &s->hosts[i]))
			ok = judge_host(s, &s->hosts[i], x, numbers, x + n);
	}
	free(x);
	free(numbers);
	return ok;
}
