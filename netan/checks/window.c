/*
 * When a finding is, in whole steps: a window that is cut out of the session
 * and looked at alone must tell what all of it tells.  Evidence adds up over
 * steps: what is unlikely by p in all of n is so by p^(k/n) in k of them.
 */
#include <math.h>

#include "members.h"
#include "netan/checks/look.h"
#include "netan/checks/verdict.h"
#include "netan/methods/whole_steps.h"

/* Of one host of all: what tests name is below it, with room for steps that
 * tell less than the mean. */
#define DECIDES 0.001

static bool accuses(const struct na_finding *f)
{
	return f->cause && f->severity > NA_SEV_INFO;
}

static size_t steps_of(const struct na_finding *f, size_t n, size_t hosts)
{
	double p = na_number_at(f->evidence, M_p_value);
	double least = DECIDES / (double)(hosts ? hosts : 1);

	if (!(p > 0) || p <= 1e-300)
		return 0;
	return p >= least ? n : (size_t)ceil((double)n * log(least) / log(p));
}

/* How many steps tell whoever is accused. */
static size_t enough(const struct na_case *c, size_t n)
{
	size_t hosts = na_length(na_case_body(c, "steps"), M_hosts);
	size_t most = NA_STEPS_ENOUGH;

	for (size_t i = 0; i < c->n; i++) {
		size_t k = accuses(c->findings[i])
				   ? steps_of(c->findings[i], n, hosts)
				   : 0;

		most = k > most ? k : most;
	}
	return most;
}

struct span {
	double from_s, to_s;
};

static bool has_time(const struct na_finding *f)
{
	return !isnan(f->from_s) && !isnan(f->to_s);
}

static struct span join(struct span x, double from_s, double to_s)
{
	return (struct span){fmin(x.from_s, from_s), fmax(x.to_s, to_s)};
}

/* Of those who are accused for what they do now and then. */
static struct span span_of_accused(const struct na_case *c)
{
	struct span x = {INFINITY, -INFINITY};

	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (accuses(f) && has_time(f))
			x = join(x, f->from_s, f->to_s);
	}
	return x;
}

/* Whole steps [*from, *to) that meet it; *to = 0: none. */
static void find_steps(const struct na_value *steps, const struct span *x,
		       size_t *from, size_t *to)
{
	size_t i = 0;

	*from = *to = 0;
	na_for_each (v, steps) {
		if (na_number_at(v, M_to_s) > x->from_s &&
		    na_number_at(v, M_from_s) < x->to_s) {
			*from = *to ? *from : i;
			*to = i + 1;
		}
		i++;
	}
}

static struct span span_of_steps(const struct na_value *steps, size_t from,
				 size_t to)
{
	struct span x = {INFINITY, -INFINITY};
	size_t i = 0;

	na_for_each (v, steps) {
		if (i >= from && i < to)
			x = join(x, na_number_at(v, M_from_s),
				 na_number_at(v, M_to_s));
		i++;
	}
	return x;
}

/* Holds x, and so many steps; NULL: nothing less than all of them does. */
static const char *window_of(struct na_case *c, const struct na_value *steps,
			     size_t least, struct span x)
{
	char buf[NA_WINDOW_BUF];
	size_t from, to;

	find_steps(steps, &x, &from, &to);
	if (!to)
		return NULL;
	na_steps_around(steps->n, least, &from, &to);
	if (to - from == steps->n)
		return NULL;
	x = span_of_steps(steps, from, to);
	return na_case_text(c, "%s", na_window_words(buf, x.from_s, x.to_s));
}

void na_case_windows(struct na_case *c)
{
	const struct na_value *steps = na_get(na_case_body(c, "steps"),
					      M_steps);
	struct span accused = span_of_accused(c);
	size_t least;

	if (!steps || na_count_at(na_case_side(c, "session"), M_runs) != 1)
		return;
	least = enough(c, steps->n);
	for (size_t i = 0; i < c->n; i++) {
		struct na_finding *f = c->findings[i];

		if (has_time(f))
			f->window = window_of(c, steps, least,
					      join(accused, f->from_s,
						   f->to_s));
	}
}
