/*
 * diff: what captures lose.  Tested are losses that do not follow from each
 * other, alone: timeouts, closed windows and reordered segments come in swarms,
 * and two captures alike have ten times as many of one as of the other.  If
 * both runs lose alike, of all events together as many are B's as of all
 * segments (binomial, given their sum: the exact test of two Poisson rates;
 * Przyborowski and Wilenski, Biometrika 1940), two-sided.
 */
#include <math.h>
#include <stdio.h>

#include "members.h"
#include "netan/analyses/diff/state.h"
#include "netan/base/str.h"
#include "netan/stats/tests/tests.h"

enum { EVENTS_LEAST = 5 };

static const double by_chance = 1e-3;
static const double matters = 2; /* times the rate */

static const char *const names[DIFF_LOSSES] = {
	[DIFF_LOST] = "lost_segments",	 [DIFF_EVENTS] = "loss_events",
	[DIFF_TIMEOUTS] = "timeouts",	 [DIFF_ZERO_WINDOWS] = "zero_windows",
	[DIFF_REORDERED] = "reordered",
};

static const struct diff_losses *of_run(const struct diff_state *s, int run)
{
	return &s->params->judged[run].losses;
}

bool na_diff_has_losses(const struct diff_state *s)
{
	return of_run(s, DIFF_A)->segments > 0 &&
	       of_run(s, DIFF_B)->segments > 0;
}

double na_diff_loss_ratio(const struct diff_losses *a,
			  const struct diff_losses *b, enum diff_loss what)
{
	return (b->n[what] / b->segments) / (a->n[what] / a->segments);
}

double na_diff_loss_p(const struct diff_losses *a, const struct diff_losses *b,
		      enum diff_loss what)
{
	double all = a->n[what] + b->n[what];
	double share = b->segments / (a->segments + b->segments);

	if (what != DIFF_EVENTS || !(a->segments > 0 && b->segments > 0))
		return (double)NAN;
	return fmin(1,
		    2 * fmin(na_binomial_upper((uint64_t)b->n[what],
					       (uint64_t)all, share),
			     na_binomial_upper((uint64_t)a->n[what],
					       (uint64_t)all, 1 - share)));
}

enum diff_verdict na_diff_loss_verdict(const struct diff_losses *a,
				       const struct diff_losses *b,
				       enum diff_loss what)
{
	double p = na_diff_loss_p(a, b, what);
	double rate_a = fmax(a->n[what], 0.5) / a->segments;
	double rate_b = fmax(b->n[what], 0.5) / b->segments;

	if (isnan(p))
		return DIFF_UNTOLD;
	if (!(p < by_chance) || fmax(a->n[what], b->n[what]) < EVENTS_LEAST)
		return DIFF_UNCLEAR;
	if (rate_b > matters * rate_a)
		return DIFF_WORSE;
	return rate_a > matters * rate_b ? DIFF_BETTER : DIFF_UNCLEAR;
}

enum diff_verdict na_diff_losses_verdict(const struct diff_state *s)
{
	enum diff_verdict v = na_diff_loss_verdict(
		of_run(s, DIFF_A), of_run(s, DIFF_B), DIFF_EVENTS);

	return v > DIFF_SAME ? v : DIFF_UNTOLD;
}

/* ---- the result */

static void put_row(struct na_result *r, struct na_value *list,
		    const struct diff_state *s, enum diff_loss what)
{
	const struct diff_losses *a = of_run(s, DIFF_A);
	const struct diff_losses *b = of_run(s, DIFF_B);
	double ratio = na_diff_loss_ratio(a, b, what);
	struct na_value *to = na_put_object(r, list, NULL);

	na_put_text(r, to, M_what, names[what]);
	na_put_count(r, to, M_a, (uint64_t)a->n[what]);
	na_put_count(r, to, M_b, (uint64_t)b->n[what]);
	na_put_real(r, to, M_a_percent, 100 * a->n[what] / a->segments);
	na_put_real(r, to, M_b_percent, 100 * b->n[what] / b->segments);
	na_put_real(r, to, M_ratio,
		    ratio > 0 && isfinite(ratio) ? ratio : (double)NAN);
	na_put_real(r, to, M_p_value, na_diff_loss_p(a, b, what));
	na_put_text(r, to, M_verdict,
		    na_diff_verdicts[na_diff_loss_verdict(a, b, what)]);
}

static void put_rtt(struct na_result *r, struct na_value *list,
		    const struct diff_state *s)
{
	double a = of_run(s, DIFF_A)->rtt_us, b = of_run(s, DIFF_B)->rtt_us;
	struct na_value *to;

	if (!(a > 0 && b > 0))
		return;
	to = na_put_object(r, list, NULL);
	na_put_text(r, to, M_what, "rtt_us");
	na_put_count(r, to, M_a, (uint64_t)llround(a));
	na_put_count(r, to, M_b, (uint64_t)llround(b));
	na_put_real(r, to, M_a_percent, (double)NAN);
	na_put_real(r, to, M_b_percent, (double)NAN);
	na_put_real(r, to, M_ratio, b / a);
	na_put_real(r, to, M_p_value, (double)NAN);
	na_put_text(r, to, M_verdict, NULL);
}

void na_diff_put_losses(struct na_result *r, const struct diff_state *s)
{
	struct na_value *list = na_put_list(r, na_result_body(r), M_losses);

	if (!na_diff_has_losses(s))
		return;
	for (int i = 0; i < DIFF_LOSSES; i++)
		put_row(r, list, s, (enum diff_loss)i);
	put_rtt(r, list, s);
}

void na_diff_losses_view(struct na_result *r)
{
	const struct na_value *list = na_get(na_result_body(r), M_losses);
	bool any = false;

	na_for_each (v, list)
		any |= na_number_at(v, M_a_percent) > 0 ||
		       na_number_at(v, M_b_percent) > 0;
	if (any)
		na_result_view(r, "What the captures lose", list,
			       &na_table_diff_result_losses,
			       NA_COLUMNS({M_what}, {M_a}, {M_b}, {M_a_percent},
					  {M_b_percent}, {M_ratio}, {M_p_value},
					  {M_verdict}),
			       0);
}

/* ---- in words */

static const char *chance(char *buf, double p)
{
	if (p < 1e-6)
		return "p below 1e-6";
	snprintf(buf, NA_UNIT_BUF, "p = %.1g", p);
	return buf;
}

/* "2.1 % of 8 100 data segments" */
static const char *part(char *buf, size_t size, const struct diff_losses *x)
{
	char n[NA_UNIT_BUF], share[NA_UNIT_BUF];

	na_print_count(n, (uint64_t)x->segments);
	if (x->n[DIFF_LOST] > 0)
		snprintf(buf, size, "%s %% of %s data segments",
			 na_print_number(share,
					 100 * x->n[DIFF_LOST] / x->segments,
					 2),
			 n);
	else
		snprintf(buf, size, "none of %s data segments", n);
	return buf;
}

static void say_lost(struct na_str *to, const struct diff_state *s,
		     enum diff_verdict v)
{
	int more = v == DIFF_WORSE ? DIFF_B : DIFF_A;
	const struct diff_losses *x = of_run(s, more);
	const struct diff_losses *y = of_run(s, DIFF_A + DIFF_B - more);
	char a[100], b[100], n[NA_UNIT_BUF], m[NA_UNIT_BUF], p[NA_UNIT_BUF];

	na_str_addf(to,
		    "%s loses more packets than %s: %s against %s (%s losses "
		    "that do not follow from each other against %s, %s). ",
		    s->labels[more], s->labels[DIFF_A + DIFF_B - more],
		    part(a, sizeof(a), x), part(b, sizeof(b), y),
		    na_print_count(n, (uint64_t)x->n[DIFF_EVENTS]),
		    na_print_count(m, (uint64_t)y->n[DIFF_EVENTS]),
		    chance(p, na_diff_loss_p(y, x, DIFF_EVENTS)));
}

void na_diff_say_losses(struct na_str *to, const struct diff_state *s)
{
	enum diff_verdict v = na_diff_losses_verdict(s);

	if (v != DIFF_UNTOLD)
		say_lost(to, s, v);
}
