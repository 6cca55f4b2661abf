/* bursts: from what the sweep found to the result. */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/bursts/bursts.h"
#include "netan/analyses/bursts/state.h"
#include "netan/base/vec.h"
#include "netan/methods/put.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/sort.h"
#include "netan/stats/time/period.h"

#define ONE_BYTE ((double)(1 << NA_SPREAD_SHIFT))

/* Rows of the distribution of levels. */
enum { MAX_LEVELS = 100 };

/* Fewer starts than that show no pattern. */
enum { LEAST_STARTS = 10, LEAST_STEPS = 3 };

static double span_ps(const struct bursts_sum *x)
{
	return (double)((uint64_t)x->last_ps - (uint64_t)x->first_ps);
}

static double busy_share(const struct bursts_sum *x)
{
	return x->timed ? (double)x->busy_ps / span_ps(x) : NAN;
}

static void put_pending(struct na_result *r, struct na_value *in,
			const struct bursts_sum *x)
{
	struct na_value *to = na_put_object(r, in, M_pending);
	const struct na_hold_stats *h = &x->hold;
	double none = x->timed ? 0 : NAN;

	na_put_real(r, to, M_time_mean, h->mean + none);
	na_put_real(r, to, M_p50, (double)h->p50 + none);
	na_put_real(r, to, M_p90, (double)h->p90 + none);
	na_put_real(r, to, M_p99, (double)h->p99 + none);
	na_put_real(r, to, M_max, (double)h->max + none);
	na_put_real(r, to, M_idle_share, h->idle + none);
	na_put_real(r, to, M_variance, h->variance + none);
	na_put_real(r, to, M_peak_to_mean,
		    h->mean > 0 ? (double)h->max / h->mean + none : NAN);
	na_put_real(r, to, M_span_s, na_s(span_ps(x)));
	na_put_int(r, to, M_count, (int64_t)x->n);
}

static void put_arrivals(struct na_result *r, struct na_value *to,
			 const struct na_arrival_stats *a)
{
	na_put_real(r, to, M_burstiness, a->burstiness);
	na_put_real(r, to, M_memory, a->memory);
}

static void put_dispersion(struct na_result *r, struct na_value *body,
			   const struct na_arrival_stats *a)
{
	struct na_value *list = na_put_list(r, body, M_dispersion);

	for (size_t i = 0; i < NA_WINDOWS; i++) {
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_int(r, row, M_window_ms, na_windows_ms[i]);
		na_put_real(r, row, M_idc, a->idc[i]);
		na_put_int(r, row, M_windows, (int64_t)a->windows[i]);
	}
}

static void put_ends(struct na_result *r, struct na_value *row,
		     const struct bursts_state *s, const struct bursts_burst *b)
{
	struct na_value *list = na_put_list(r, row, M_last);
	char buf[NA_KEY_BUF];

	for (size_t i = 0; i < b->n_last; i++) {
		const struct bursts_end *e = &b->last[i];
		const struct na_store *store = s->scope->store;
		struct na_value *to = na_put_object(r, list, NULL);

		na_put_text(r, to, M_src,
			    na_key_text(store, NA_KEY_SRC, e->src, buf));
		na_put_text(r, to, M_dst,
			    na_key_text(store, NA_KEY_DST, e->dst, buf));
		na_put_real(r, to, M_latency_us, na_us(e->latency_ps));
		na_put_real(r, to, M_end_s, na_s(e->end_ps));
	}
}

static void put_bursts(struct na_result *r, struct na_value *body,
		       const struct bursts_state *s)
{
	const struct bursts_sum *x = &s->whole[BURSTS_TRANSFERS];
	struct na_value *list = na_put_list(r, body, M_bursts);

	for (size_t i = 0; i < s->n_bursts; i++) {
		const struct bursts_burst *b = &s->bursts[i];
		struct na_value *row = na_put_object(r, list, NULL);
		uint64_t ps = (uint64_t)b->b.to_ps - (uint64_t)b->b.from_ps;

		na_put_real(r, row, M_from_s, na_s(b->b.from_ps));
		na_put_real(r, row, M_to_s, na_s(b->b.to_ps));
		na_put_int(r, row, M_transfers, (int64_t)b->transfers);
		na_put_amount(r, row, M_bytes, b->amount);
		na_put_int(r, row, M_max_overlap, b->b.peak);
		na_put_real(r, row, M_mean_gbps,
			    (double)b->amount / ONE_BYTE * 8e3 / (double)ps);
		put_ends(r, row, s, b);
	}
	na_put_int(r, body, M_bursts_total, (int64_t)x->bursts);
	na_put_real(r, body, M_burst_share, busy_share(x));
}

/* Median distance between the starts of steps that follow each other, ms. */
static double step_period(const struct bursts_state *s, size_t *n)
{
	const struct na_store *store = s->scope->store;
	double *x = na_calloc(store->n_steps, 2 * sizeof(*x)), median = NAN;

	*n = 0;
	for (size_t i = 0; x && i < store->n_steps; i++) {
		const struct na_step *step = &store->steps[i];

		if (step->end_ps > s->lo_ps && step->start_ps < s->hi_ps)
			x[(*n)++] = na_ms(step->start_ps);
	}
	if (x && *n > 1 && store->n_runs == 1) {
		na_sort_f64(x, x + store->n_steps, *n);
		for (size_t i = 0; i + 1 < *n; i++)
			x[i] = x[i + 1] - x[i];
		na_sort_f64(x, x + store->n_steps, *n - 1);
		median = na_quantile_sorted(x, *n - 1, 0.5);
	}
	free(x);
	return median;
}

enum verdict { UNKNOWN, STEADY, REGULAR, BURSTY, STEP_BURSTS };

/* clang-format off */
static const struct {
	const char *name, *words, *mild;
} verdicts[] = {
	[UNKNOWN] = {"unknown", "Too few starts to judge", NULL},
	[STEADY] = {"steady", "Steady", NULL},
	[REGULAR] = {"regular", "Evenly paced", NULL},
	[BURSTY] = {"bursty", "Bursty", "Uneven"},
	[STEP_BURSTS] = {"step_bursts", "Bursty every step",
			 "Up and down with each step"},
};
/* clang-format on */

/* As `check` takes it. */
static bool matters(const struct bursts_sum *x)
{
	double idc = NAN;

	for (size_t i = 0; i < NA_WINDOWS; i++) {
		if (na_windows_ms[i] == 10)
			idc = x->arrivals.idc[i];
	}
	return idc > NA_BURSTS_IDC &&
	       (double)x->hold.max > NA_BURSTS_PEAK * x->hold.mean;
}

static const char *words_of(enum verdict verdict, const struct bursts_sum *x)
{
	return verdicts[verdict].mild && !matters(x) ? verdicts[verdict].mild
						     : verdicts[verdict].words;
}

/* The rules that the help of the command states. */
static enum verdict judge(const struct bursts_sum *x, bool with_steps)
{
	const struct na_arrival_stats *a = &x->arrivals;
	bool over = false, above_one = false;

	if (x->arrived < LEAST_STARTS || isnan(a->burstiness))
		return UNKNOWN;
	for (size_t i = 0; i < NA_WINDOWS; i++) {
		double noise = 4 * sqrt(2 / (double)a->windows[i]);

		over |= a->idc[i] > 2 + noise;
		above_one |= a->idc[i] > 1;
	}
	over |= a->burstiness > 0.3;
	if (with_steps && (over || x->hold.idle > 0.1))
		return STEP_BURSTS;
	if (over)
		return BURSTY;
	return a->burstiness < -0.3 && !above_one ? REGULAR : STEADY;
}

static bool near_step(double ms, double step_ms)
{
	return ms >= 0.8 * step_ms && ms <= 1.2 * step_ms;
}

/* Bursts against steps; whether they come together. */
static bool put_periods(struct na_result *r, struct na_value *body,
			const struct bursts_state *s)
{
	size_t steps, lag = s->bins.n ? na_period(s->mean, s->bins.n) : 0;
	bool apart = s->scope->store->n_runs > 1;
	double period_ms = lag && !apart
				   ? na_ms((double)lag * (double)s->bins.bin_ps)
				   : NAN;
	double distance_ms = apart ? NAN : na_ms(s->period_ps);
	double step_ms = step_period(s, &steps);

	na_put_real(r, body, M_burst_period_ms, period_ms);
	na_put_real(r, body, M_burst_distance_ms, distance_ms);
	na_put_real(r, body, M_step_period_ms, step_ms);
	na_put_real(r, body, M_burstiness_plain,
		    na_bursts_pending(s)->arrivals.burstiness_plain);
	na_put_real(r, body, M_gap_us, na_us(s->params->gap_ps));
	return steps >= LEAST_STEPS && (near_step(period_ms, step_ms) ||
					near_step(distance_ms, step_ms));
}

static void put_hosts(struct na_result *r, struct na_value *body,
		      const struct bursts_state *s)
{
	struct na_value *list = na_put_list(r, body, M_hosts);

	for (size_t i = 0; i < s->scope->store->n_sources; i++) {
		const struct na_source *from = &s->scope->store->sources[i];
		struct na_value *row;

		if (!s->hosts || !s->hosts[i].n)
			continue;
		row = na_put_object(r, list, NULL);
		if (from->of_rank && !from->no_host)
			na_put_int(r, row, M_rank, from->rank);
		na_put_text(r, row, M_host, from->host);
		put_pending(r, row, &s->hosts[i]);
		na_put_real(r, row, M_burstiness,
			    s->hosts[i].arrivals.burstiness);
	}
}

static void put_groups(struct na_result *r, struct na_value *body,
		       const struct bursts_state *s)
{
	struct na_value *list = na_put_list(r, body, M_groups);

	for (size_t i = 0; i < s->shown.n; i++) {
		const struct bursts_sum *x = &s->rows[i];
		struct na_value *row = na_put_object(r, list, NULL);

		na_groups_put_key(r, row, &s->scope->by, s->scope->store,
				  &s->groups, s->shown.group[i],
				  na_shown_is_rest(&s->shown, i));
		na_put_int(r, row, M_transfers, (int64_t)x->n);
		na_put_amount(r, row, M_bytes, x->amount);
		put_pending(r, row, x);
		na_put_int(r, row, M_bursts, (int64_t)x->bursts);
		na_put_real(r, row, M_burst_share, busy_share(x));
		put_arrivals(r, row, &x->arrivals);
		na_put_text(r, row, M_verdict, verdicts[judge(x, false)].name);
		if (x->course)
			na_put_series(r, row, M_pending_mean, x->course,
				      s->bins.n);
	}
}

/* The distribution in at most MAX_LEVELS rows of equal width above zero. */
static void put_levels(struct na_result *r, struct na_value *body,
		       const struct bursts_state *s)
{
	const struct na_hold *h = &s->fleet[na_bursts_pending_kind(s)].hold;
	const struct bursts_sum *x = na_bursts_pending(s);
	struct na_value *list = na_put_list(r, body, M_levels);
	double total = (double)na_hold_total(h);
	int64_t width = (x->hold.max + MAX_LEVELS - 1) / MAX_LEVELS;

	for (int64_t from = 0; x->timed && from <= x->hold.max;) {
		int64_t to = from + (from ? width : 1);
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_int(r, row, M_from, from);
		na_put_int(r, row, M_to, to);
		na_put_real(r, row, M_share,
			    (double)na_hold_between(h, from, to) / total);
		from = to;
	}
}

static void put_courses(struct na_result *r, struct na_value *body,
			const struct bursts_state *s)
{
	size_t n = s->bins.n;

	na_put_real(r, body, M_bin_s, n ? na_s(s->bins.bin_ps) : NAN);
	na_put_bin_starts(r, body, &s->bins);
	na_put_series(r, body, M_pending_mean, s->mean, n);
	na_put_series(r, body, M_pending_min, s->least, n);
	na_put_series(r, body, M_pending_max, s->most, n);
}

enum na_status na_bursts_finish(void *state, struct na_result *r,
				struct na_err *err)
{
	struct bursts_state *s = state;
	struct na_value *body = na_result_body(r);
	const struct bursts_sum *x = na_bursts_pending(s);
	bool apart = s->scope->store->n_runs > 1, with_steps;
	enum verdict verdict;

	(void)err;
	s->scope->used->first_ps = s->whole[BURSTS_TRANSFERS].first_ps;
	s->scope->used->last_ps = s->whole[BURSTS_TRANSFERS].last_ps;
	na_put_text(r, body, M_pending_of, na_bursts_pending_of(s));
	put_pending(r, body, x);
	put_dispersion(r, body, &x->arrivals);
	put_arrivals(r, body, &x->arrivals);
	put_bursts(r, body, s);
	with_steps = put_periods(r, body, s);
	verdict = apart || !s->scope->used->n ? UNKNOWN : judge(x, with_steps);
	na_put_text(r, body, M_verdict, verdicts[verdict].name);
	put_hosts(r, body, s);
	if (s->scope->by.n)
		put_groups(r, body, s);
	put_levels(r, body, s);
	put_courses(r, body, s);
	na_put_steps(r, body, s->scope, s->lo_ps, s->hi_ps);
	na_bursts_say(r, s, words_of(verdict, x));
	return NA_OK;
}
