#include "netan/methods/whole_steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

/* By --step. */
static bool is_asked(const struct na_step *x, const struct na_filter *f)
{
	return f->first_step < 0 || (x->number >= f->first_step &&
				     x->number <= f->last_step);
}

static bool is_whole(const struct na_step *x, const struct na_filter *f)
{
	return x->start_ps >= f->from_ps && x->end_ps <= f->to_ps &&
	       is_asked(x, f);
}

struct na_whole_steps *na_whole_steps(const struct na_scope *scope)
{
	const struct na_store *store = scope->store;
	struct na_whole_steps *of = na_calloc(store->n_runs, sizeof(*of));

	for (size_t i = 0; of && i < store->n_steps; i++) {
		const struct na_step *x = &store->steps[i];
		struct na_whole_steps *to = &of[x->run];

		if (!is_whole(x, scope->filter))
			continue;
		if (!to->n || x->start_ps < to->from_ps)
			to->from_ps = x->start_ps;
		if (!to->n || x->end_ps > to->to_ps)
			to->to_ps = x->end_ps;
		to->n++;
	}
	return of;
}

void na_steps_around(size_t n, size_t enough, size_t *from, size_t *to)
{
	while (*to - *from < enough && *to - *from < n) {
		if (*from > 0)
			--*from;
		if (*to - *from < enough && *to < n)
			++*to;
	}
}

const char *na_window_words(char buf[NA_WINDOW_BUF], double from_s, double to_s)
{
	char from[NA_UNIT_BUF], to[NA_UNIT_BUF];

	snprintf(buf, NA_WINDOW_BUF, "--from %ss --to %ss",
		 na_print_fixed(from,
				floor(from_s * NA_MS_PER_S) / NA_MS_PER_S, 3),
		 na_print_fixed(to, ceil(to_s * NA_MS_PER_S) / NA_MS_PER_S,
				3));
	return buf;
}

/* It is, in part, in the window. */
static bool is_met(const struct na_step *x, const struct na_filter *f)
{
	return x->end_ps > f->from_ps && x->start_ps < f->to_ps &&
	       is_asked(x, f);
}

/* The filter of n steps. */
static void ask_for(struct na_filter *f, const struct na_step *steps, size_t n)
{
	if (f->first_step >= 0) {
		f->first_step = steps[0].number;
		f->last_step = steps[n - 1].number;
		return;
	}
	f->from_ps = NA_TIME_MAX;
	f->to_ps = NA_TIME_MIN;
	for (size_t i = 0; i < n; i++) {
		f->from_ps = steps[i].start_ps < f->from_ps ? steps[i].start_ps
							    : f->from_ps;
		f->to_ps = steps[i].end_ps > f->to_ps ? steps[i].end_ps
						      : f->to_ps;
	}
}

bool na_wider_filter(const struct na_store *store, struct na_filter *f)
{
	size_t from = SIZE_MAX, to = 0, whole = 0;

	if (store->n_runs != 1)
		return false;
	for (size_t i = 0; i < store->n_steps; i++) {
		whole += is_whole(&store->steps[i], f);
		if (!is_met(&store->steps[i], f))
			continue;
		from = from == SIZE_MAX ? i : from;
		to = i + 1;
	}
	if (from == SIZE_MAX || whole >= NA_STEPS_ENOUGH)
		return false;
	na_steps_around(store->n_steps, NA_STEPS_ENOUGH, &from, &to);
	if (to - from <= whole)
		return false;
	ask_for(f, store->steps + from, to - from);
	return true;
}

const char *na_wider_window(char buf[NA_WINDOW_BUF],
			    const struct na_store *store,
			    const struct na_filter *f)
{
	struct na_filter wider = *f;

	buf[0] = '\0';
	if (!na_wider_filter(store, &wider))
		return buf;
	if (f->first_step < 0)
		return na_window_words(buf, na_s((double)wider.from_ps),
				       na_s((double)wider.to_ps));
	snprintf(buf, NA_WINDOW_BUF, "--step %" PRId64 "-%" PRId64,
		 wider.first_step, wider.last_step);
	return buf;
}
