/*
 * steps: what the picture needs and a table does not: a series over the
 * steps for each host, in at most ST_COLUMNS columns.  A column is a step, or
 * several: then the largest own time, and the mean of the parts.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/steps/steps.h"
#include "netan/base/vec.h"

enum { ST_COLUMNS = 1200 };

struct columns { /* of the steps of a run */
	const struct st_state *s;
	size_t from, to; /* steps */
	bool by_order;   /* numbers with holes: columns by their order */
	int64_t first;
	size_t n, each;
};

static size_t column_of(const struct columns *c, size_t step)
{
	uint64_t place = c->by_order ? step - c->from
				     : (uint64_t)c->s->steps[step].number -
					       (uint64_t)c->first;

	return (size_t)(place / c->each);
}

static struct columns columns_of(const struct st_state *s, uint32_t run)
{
	struct columns c = {.s = s, .each = 1};
	uint64_t wide;

	while (c.from < s->n_steps && s->steps[c.from].run != run)
		c.from++;
	c.to = c.from;
	while (c.to < s->n_steps && s->steps[c.to].run == run)
		c.to++;
	if (c.to == c.from)
		return c;
	c.first = s->steps[c.from].number;
	wide = (uint64_t)s->steps[c.to - 1].number - (uint64_t)c.first;
	c.by_order = wide >= 2 * (uint64_t)(c.to - c.from);
	c.n = c.by_order ? c.to - c.from : (size_t)wide + 1;
	c.each = (c.n + ST_COLUMNS - 1) / ST_COLUMNS;
	c.n = (c.n + c.each - 1) / c.each;
	return c;
}

static double *series(struct na_result *r, struct na_value *to,
		      const char *name, size_t n)
{
	double *x = na_put_reals(r, to, name, n);

	for (size_t i = 0; x && i < n; i++)
		x[i] = NAN;
	return x;
}

static void largest(double *x, double value)
{
	if (!(*x >= value))
		*x = value;
}

/* What the others wait for: own time; of a slow network, what it adds. */
static double behind(const struct st_state *s, const struct st_step *t,
		     size_t i)
{
	if (i == t->slowest)
		return na_ms(t->late_ps);
	return fmax(na_ms(s->host_steps[i].late_ps), 0);
}

static void put_host(struct na_result *r, struct na_value *list,
		     const struct columns *c, const struct st_host *h)
{
	struct na_value *to = na_put_object(r, list, NULL);
	const struct st_state *s = c->s;
	int32_t rank = na_steps_rank_of(s, h->host);
	double *own, *late;
	size_t step = c->from;

	if (rank >= 0)
		na_put_textf(r, to, M_name, "rank %" PRId32, rank);
	else
		na_put_text(r, to, M_name,
			    s->scope->store->hosts[h->host].name);
	na_put_text(r, to, M_cause,
		    h->straggler ? na_steps_cause_names[h->cause] : NULL);
	na_put_real(r, to, M_behind_ms, na_ms(h->tests[h->evidence].effect_ps));
	own = series(r, to, M_own_ms, c->n);
	late = series(r, to, M_late_ms, c->n);
	for (size_t i = 0; own && late && i < h->n; i++) {
		size_t k = s->by_host[h->from + i], at;

		while (s->steps[step].to <= k)
			step++;
		at = column_of(c, step);
		largest(&own[at], na_ms(s->host_steps[k].own_ps));
		largest(&late[at], behind(s, &s->steps[step], k));
	}
}

enum part { COMPUTE, OVERLAP, EXPOSED, IDLE, PARTS };

static void put_parts(struct na_result *r, struct na_value *side,
		      const struct columns *c)
{
	static const char *const names[PARTS] = {M_compute_ms, M_overlap_ms,
						 M_exposed_ms, M_idle_ms};
	struct na_value *to = na_put_object(r, side, M_parts);
	size_t *count = na_calloc(c->n + 1, sizeof(*count));
	double *x[PARTS];
	bool ok = count;

	for (int k = 0; k < PARTS; k++) {
		x[k] = na_put_reals(r, to, names[k], c->n);
		ok = ok && x[k];
	}
	for (size_t i = c->from; ok && i < c->to; i++) {
		const struct st_step *t = &c->s->steps[i];
		size_t at = column_of(c, i);

		for (size_t k = t->from; k < t->to; k++, count[at]++) {
			const struct st_cell *y = c->s->host_steps[k].cell;

			x[COMPUTE][at] += (double)(y->busy_ps - y->overlap_ps);
			x[OVERLAP][at] += (double)y->overlap_ps;
			x[EXPOSED][at] += (double)na_steps_exposed(y);
			x[IDLE][at] += (double)na_steps_idle(y);
		}
	}
	for (size_t i = 0; ok && i < c->n; i++) {
		for (int k = 0; k < PARTS; k++)
			x[k][i] = count[i] ? na_ms(x[k][i]) / (double)count[i]
					   : (double)NAN;
	}
	free(count);
}

static void put_run(struct na_result *r, struct na_value *list,
		    const struct columns *c, const char *name)
{
	struct na_value *to = na_put_object(r, list, NULL);
	double *mean;

	na_put_text(r, to, M_name, name);
	mean = series(r, to, M_own_ms, c->n);
	for (size_t i = c->from; mean && i < c->to; i++) {
		const struct st_step *t = &c->s->steps[i];
		na_i128 sum = 0;

		for (size_t k = t->from; k < t->to; k++)
			sum += na_steps_duration(c->s->host_steps[k].cell);
		largest(&mean[column_of(c, i)],
			na_ms(sum) / (double)(t->to - t->from));
	}
}

static void put_axis(struct na_result *r, struct na_value *side,
		     const struct columns *c)
{
	na_put_int(r, side, M_first, c->first);
	na_put_int(r, side, M_each, (int64_t)c->each);
	na_put_int(r, side, M_columns, (int64_t)c->n);
	na_put_bool(r, side, M_by_order, c->by_order);
}

/* Runs side by side: the mean of each, from its first step on. */
static void put_runs(struct na_result *r, const struct st_state *s)
{
	const struct na_store *store = s->scope->store;
	struct na_value *side = na_result_side(r);
	struct na_value *list = na_put_list(r, side, M_lines);
	struct columns widest = {.n = 0, .each = 1};

	for (uint32_t run = 0; run < store->n_runs; run++) {
		struct columns c = columns_of(s, run);

		if (c.n * c.each > widest.n * widest.each)
			widest = c;
	}
	put_axis(r, side, &widest);
	for (uint32_t run = 0; run < store->n_runs; run++) {
		struct columns c = columns_of(s, run);
		size_t i = 0;

		c.n = widest.n;
		c.each = widest.each;
		while (store->sources[i].run != run)
			i++;
		put_run(r, list, &c, store->sources[i].label);
	}
}

void na_steps_put_picture(struct na_result *r, const struct st_state *s)
{
	struct na_value *side = na_result_side(r), *list;
	struct columns c;

	na_result_word(r, NA_WORD_MESSAGE, na_steps_message(r, s));
	na_result_about(r)->runs_apart = s->scope->store->n_runs > 1;
	if (s->scope->store->n_runs > 1) {
		put_runs(r, s);
		return;
	}
	c = columns_of(s, 0);
	put_axis(r, side, &c);
	list = na_put_list(r, side, M_lines);
	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].n)
			put_host(r, list, &c, &s->hosts[i]);
	}
	na_put_bool(r, side, M_launches, s->by_launch[0]);
	if (!s->by_launch[0])
		put_parts(r, side, &c);
}
