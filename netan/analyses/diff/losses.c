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

static const struct kind {
	const char *name;
	bool rdma, tested;
} kinds[DIFF_LOSSES] = {
	[DIFF_LOST] = {"lost_segments", false, false},
	[DIFF_EVENTS] = {"loss_events", false, true},
	[DIFF_TIMEOUTS] = {"timeouts", false, false},
	[DIFF_ZERO_WINDOWS] = {"zero_windows", false, false},
	[DIFF_REORDERED] = {"reordered", false, false},
	[DIFF_RDMA_LOST] = {"rdma_lost_packets", true, false},
	[DIFF_RDMA_EVENTS] = {"rdma_loss_events", true, true},
	[DIFF_RDMA_REPEATS] = {"rdma_repeats", true, false},
	[DIFF_RDMA_NAKS] = {"rdma_sequence_naks", true, false},
	[DIFF_RDMA_TIMEOUTS] = {"rdma_timeouts", true, false},
};

/* What shares are of. */
static double base(const struct diff_losses *x, enum diff_loss what)
{
	return kinds[what].rdma ? x->packets : x->segments;
}

static const struct diff_losses *of_run(const struct diff_state *s, int run)
{
	return &s->params->judged[run].losses;
}

/* Both runs may lose such. */
static bool has(const struct diff_state *s, enum diff_loss what)
{
	return base(of_run(s, DIFF_A), what) > 0 &&
	       base(of_run(s, DIFF_B), what) > 0;
}

bool na_diff_has_losses(const struct diff_state *s)
{
	return has(s, DIFF_LOST) || has(s, DIFF_RDMA_LOST);
}

double na_diff_loss_ratio(const struct diff_losses *a,
			  const struct diff_losses *b, enum diff_loss what)
{
	return (b->n[what] / base(b, what)) / (a->n[what] / base(a, what));
}

double na_diff_loss_p(const struct diff_losses *a, const struct diff_losses *b,
		      enum diff_loss what)
{
	double all = a->n[what] + b->n[what];
	double of_a = base(a, what), of_b = base(b, what);
	double share = of_b / (of_a + of_b);

	if (!kinds[what].tested || !(of_a > 0 && of_b > 0))
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
	double rate_a = fmax(a->n[what], 0.5) / base(a, what);
	double rate_b = fmax(b->n[what], 0.5) / base(b, what);

	if (isnan(p))
		return DIFF_UNTOLD;
	if (!(p < by_chance) || fmax(a->n[what], b->n[what]) < EVENTS_LEAST)
		return DIFF_UNCLEAR;
	if (rate_b > matters * rate_a)
		return DIFF_WORSE;
	return rate_a > matters * rate_b ? DIFF_BETTER : DIFF_UNCLEAR;
}

static enum diff_verdict verdict(const struct diff_state *s,
				 enum diff_loss what)
{
	enum diff_verdict v = na_diff_loss_verdict(of_run(s, DIFF_A),
						   of_run(s, DIFF_B), what);

	return v > DIFF_SAME ? v : DIFF_UNTOLD;
}

enum diff_verdict na_diff_losses_verdict(const struct diff_state *s)
{
	enum diff_verdict tcp = verdict(s, DIFF_EVENTS);
	enum diff_verdict rdma = verdict(s, DIFF_RDMA_EVENTS);

	if (tcp == DIFF_UNTOLD || rdma == DIFF_UNTOLD)
		return tcp == DIFF_UNTOLD ? rdma : tcp;
	return tcp == rdma ? tcp : DIFF_MIXED;
}

/* ---- the result */

static void put_row(struct na_result *r, struct na_value *list,
		    const struct diff_state *s, enum diff_loss what)
{
	const struct diff_losses *a = of_run(s, DIFF_A);
	const struct diff_losses *b = of_run(s, DIFF_B);
	double ratio = na_diff_loss_ratio(a, b, what);
	struct na_value *to = na_put_object(r, list, NULL);

	na_put_text(r, to, M_what, kinds[what].name);
	na_put_count(r, to, M_a, (uint64_t)a->n[what]);
	na_put_count(r, to, M_b, (uint64_t)b->n[what]);
	na_put_real(r, to, M_a_percent, 100 * a->n[what] / base(a, what));
	na_put_real(r, to, M_b_percent, 100 * b->n[what] / base(b, what));
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

	for (int i = 0; i < DIFF_LOSSES; i++) {
		if (i == DIFF_RDMA_LOST && has(s, DIFF_LOST))
			put_rtt(r, list, s);
		if (has(s, (enum diff_loss)i))
			put_row(r, list, s, (enum diff_loss)i);
	}
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

/* "2.1 % of 8 100 data segments" */
static const char *part(char *buf, size_t size, const struct diff_losses *x,
			enum diff_loss lost)
{
	const char *what = kinds[lost].rdma ? "packets of RoCEv2"
					    : "data segments";
	char n[NA_UNIT_BUF], share[NA_UNIT_BUF];

	na_print_count(n, (uint64_t)base(x, lost));
	if (x->n[lost] > 0)
		snprintf(buf, size, "%s %% of %s %s",
			 na_print_number(share,
					 100 * x->n[lost] / base(x, lost), 2),
			 n, what);
	else
		snprintf(buf, size, "none of %s %s", n, what);
	return buf;
}

/* Packets `lost`, and of these the `events`. */
static void say_lost(struct na_str *to, const struct diff_state *s,
		     enum diff_loss lost, enum diff_loss events)
{
	enum diff_verdict v = verdict(s, events);
	int more = v == DIFF_WORSE ? DIFF_B : DIFF_A;
	const struct diff_losses *x = of_run(s, more);
	const struct diff_losses *y = of_run(s, DIFF_A + DIFF_B - more);
	char a[100], b[100], n[NA_UNIT_BUF], m[NA_UNIT_BUF], p[NA_UNIT_BUF];

	if (v == DIFF_UNTOLD)
		return;
	na_str_addf(to,
		    "%s loses more packets than %s: %s against %s (%s losses "
		    "that do not follow from each other against %s, %s). ",
		    s->labels[more], s->labels[DIFF_A + DIFF_B - more],
		    part(a, sizeof(a), x, lost), part(b, sizeof(b), y, lost),
		    na_print_count(n, (uint64_t)x->n[events]),
		    na_print_count(m, (uint64_t)y->n[events]),
		    na_print_p(p, na_diff_loss_p(y, x, events)));
}

void na_diff_say_losses(struct na_str *to, const struct diff_state *s)
{
	say_lost(to, s, DIFF_LOST, DIFF_EVENTS);
	say_lost(to, s, DIFF_RDMA_LOST, DIFF_RDMA_EVENTS);
}
