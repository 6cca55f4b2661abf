/* latency: the sentences, and what a person sees in a terminal. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/latency/state.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/quantile.h"

enum { SHOWN_GROUPS = 40 };
enum { KEY_BUF = 256, MOST_RUNS = 4 };

static double seconds(const struct latency_row *row, double p)
{
	return na_latency_quantile(row, p) / NA_US_PER_S;
}

/* "Network latency", "Send latency", "Call latency"; of several components:
 * "Latency" */
static void what_is_timed(const struct latency_state *s, struct na_str *w)
{
	uint32_t set = s->scope->filter->side == NA_TX
			       ? NA_COMP_BIT(NA_COMP_SEND)
			       : s->scope->components;
	bool calls = s->calls == s->scope->used->n;
	unsigned c = 0;

	if (!s->calls)
		set &= ~NA_COMP_BIT(NA_COMP_RPC);
	while (c + 1 < NA_N_COMPONENTS && !(set >> c & 1))
		c++;
	na_say_to(w,
		  na_fact_latency_of(calls,
				     set & (set - 1)
					     ? NULL
					     : na_component_name(
						       (enum na_component)c)));
	if (w->n)
		w->s[0] = (char)toupper((unsigned char)w->s[0]);
}

static const char *tail_text(struct na_result *r, const char *word)
{
	return na_result_say(r,
			     na_fact_tail_is(strcmp(word, "long_tail") == 0,
					     strcmp(word, "sizes") == 0, word));
}

/* Of clocks that are off, the tail says nothing. */
static struct na_fact of_all(const struct latency_state *s, bool clocks)
{
	const struct latency_row *row = &s->rows[0];
	const char *tail = na_latency_tail_word(row);
	double p50_s = seconds(row, 0.5);

	if (!tail)
		return na_fact_latency_of_few((int64_t)row->n, p50_s,
					      seconds(row, 1));
	return na_fact_latency_of_all(p50_s, seconds(row, 0.99), clocks,
				      clocks ? NAN : na_latency_tail_ratio(row),
				      strcmp(tail, "long_tail") == 0,
				      strcmp(tail, "spread") == 0,
				      strcmp(tail, "sizes") == 0);
}

static const char *group_text(char buf[KEY_BUF], const struct latency_state *s,
			      size_t i)
{
	na_groups_text(buf, KEY_BUF, &s->scope->by, s->scope->store, &s->groups,
		       s->shown.group[i]);
	return buf;
}

/* Each run's own verdict: the highest p99 may hide another's tail. */
static void say_runs(struct na_result *r, const struct latency_state *s,
		     struct na_str *w, bool clocks)
{
	char key[KEY_BUF];

	na_say_to(w, na_fact_latency_by(false, "label"));
	for (size_t i = 0; i < s->shown.n; i++) {
		const struct latency_row *row = &s->rows[i];
		const char *tail = na_latency_tail_word(row);
		bool longest = !tail || strcmp(tail, "long_tail") == 0;

		na_say_to(w,
			  na_fact_latency_of_run(
				  i > 0, group_text(key, s, i),
				  seconds(row, 0.5), seconds(row, 0.99),
				  tail && !clocks ? tail_text(r, tail) : NULL,
				  longest ? seconds(row, 1) : NAN));
	}
}

/* Groups whose tail is worse than others': the highest p99 need not be one. */
static void say_tails(struct na_result *r, const struct latency_state *s,
		      struct na_str *w)
{
	static const char *const bad[] = {"long_tail", "spread"};
	size_t n = s->shown.n - s->shown.rest, k = 0, top = 0;
	char key[KEY_BUF];

	for (size_t b = 0; k == 0 && b < 2; b++) {
		for (size_t i = 0; i < n; i++) {
			const char *tail = na_latency_tail_word(&s->rows[i]);

			if (!tail || strcmp(tail, bad[b]) != 0)
				continue;
			if (k++ == 0 ||
			    na_latency_quantile(&s->rows[i], 1) >
				    na_latency_quantile(&s->rows[top], 1))
				top = i;
		}
	}
	if (k == 0 || k == n)
		return;
	na_say_to(w, na_fact_tails_of_groups(
			     tail_text(r, na_latency_tail_word(&s->rows[top])),
			     (int64_t)k, (int64_t)n, seconds(&s->rows[top], 1),
			     group_text(key, s, top)));
}

/* The groups between which a quantile differs most. */
struct apart {
	const char *name;
	double top, low;
	size_t worst;
	bool proven; /* chance does not set them apart */
};

#define DIFFERS 1.5

/* Distribution-free interval, of all groups at once (Bonferroni). */
static void interval(const struct latency_row *row, double p, size_t groups,
		     double *from, double *to)
{
	size_t lower, upper;

	na_quantile_ci(row->n < 2 ? 0 : row->n, p, 1 - 0.05 / (double)groups,
		       &lower, &upper);
	*from = lower ? row->us[lower - 1] : 0;
	*to = upper ? row->us[upper - 1] : INFINITY;
}

static struct apart apart_in(const struct latency_state *s, const char *name,
			     double p)
{
	size_t n = s->shown.n - s->shown.rest, best = 0;
	struct apart x = {.name = name,
			  .top = na_latency_quantile(&s->rows[0], p)};
	double from, to, nothing;

	x.low = x.top;
	for (size_t i = 1; i < n; i++) {
		double q = na_latency_quantile(&s->rows[i], p);

		if (q > x.top) {
			x.top = q;
			x.worst = i;
		}
		if (q < x.low) {
			x.low = q;
			best = i;
		}
	}
	interval(&s->rows[x.worst], p, n, &from, &nothing);
	interval(&s->rows[best], p, n, &nothing, &to);
	x.proven = x.top >= DIFFERS * x.low && from > to;
	return x;
}

/* The tail, where that differs; else what differs most, by more than chance:
 * all transfers of a group may be slower, and the slowest of all as
 * slow. */
static struct apart most_apart(const struct latency_state *s)
{
	static const struct {
		const char *name;
		double p;
	} others[] = {{"p50", 0.5}, {"p90", 0.9}};
	struct apart best = apart_in(s, "p99", 0.99);

	if (best.top >= DIFFERS * best.low)
		return best;
	for (size_t i = 0; i < NA_LEN(others); i++) {
		struct apart x = apart_in(s, others[i].name, others[i].p);

		if (x.proven &&
		    (!best.proven || x.top * best.low > best.top * x.low))
			best = x;
	}
	return best;
}

/* " in 4 groups", " in 4 of 224 groups": where not all are shown, of the others
 * nothing is said. */
static const char *in_groups(struct na_result *r, const struct latency_state *s)
{
	size_t all = na_groups_count(&s->groups);

	return na_result_say(
		r, na_fact_groups_shown((int64_t)(s->shown.n - s->shown.rest),
					s->shown.rest ? (int64_t)all : 0));
}

/* Whether they are the same in print. */
static bool alike(double a_us, double b_us)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	return strcmp(na_print_time(a, na_ps_of_s(a_us / NA_US_PER_S), 3),
		      na_print_time(b, na_ps_of_s(b_us / NA_US_PER_S), 3)) == 0;
}

/* The shown group with the highest against the lowest. */
static void say_groups(struct na_result *r, const struct latency_state *s,
		       struct na_str *w)
{
	struct apart x = most_apart(s);
	double top_s = x.top / NA_US_PER_S, low_s = x.low / NA_US_PER_S;
	const char *in = in_groups(r, s);
	char key[KEY_BUF];

	group_text(key, s, x.worst);
	for (size_t i = 0; i < s->scope->by.n; i++)
		na_say_to(w, na_fact_latency_by(
				     i > 0, na_key_name(s->scope->by.keys[i])));
	if (s->shown.n - s->shown.rest == 1)
		na_say_to(w, na_fact_latency_of_one_group(
				     key, seconds(&s->rows[0], 0.5), top_s));
	else if (x.top < DIFFERS * x.low || alike(x.top, x.low))
		na_say_to(w, na_fact_latency_is_alike(
				     low_s, alike(x.top, x.low) ? NAN : top_s,
				     in));
	else
		na_say_to(w,
			  na_fact_latency_differs(x.name, low_s, top_s, key,
						  s->shown.rest ? in : NULL));
}

/* What a filter has left out cannot be seen to keep a link busy. */
static bool narrowed(const struct na_filter *f)
{
	return (f->host && f->host->n) || (f->src && f->src->n) ||
	       (f->dst && f->dst->n) || (f->collective && f->collective->n) ||
	       f->min_bytes > 0 || f->max_bytes < UINT64_MAX ||
	       f->max_rate_bps > 0;
}

static void say_split(const struct latency_state *s, struct na_str *w)
{
	const struct latency_split *x = &s->split;
	double network = na_latency_network_share(x), queued;

	/* Runs side by side: nothing that adds them up means anything. */
	if (isnan(network) || s->scope->store->n_runs > 1 ||
	    narrowed(s->scope->filter))
		return;
	network = round(100 * network);
	queued = round(100 * (double)x->queued_ps / (double)x->action_ps);
	na_say_to(w, na_fact_receives_wait((int64_t)(network - queued),
					   (int64_t)queued,
					   (int64_t)(100 - network)));
}

static struct na_fact mistrust(const struct na_clock_off *o)
{
	return na_fact_latency_not_to_be_trusted(o->host, o->ahead,
						 (int64_t)o->early,
						 (int64_t)o->n);
}

static void note_clock(struct na_result *r, const struct na_clock_off *o,
		       bool split)
{
	char whose[NA_WHOSE_BUF];
	struct na_str t = na_str_over(whose, sizeof(whose));

	na_clock_off_say(&t, o);
	na_result_note_fact(r,
			    na_fact_latencies_left_out(whose, (int64_t)o->early,
						       split));
}

static bool by_run_alone(const struct latency_state *s)
{
	return s->scope->by.n == 1 && s->scope->by.keys[0] == NA_KEY_LABEL &&
	       s->shown.n > 1 && s->shown.n <= MOST_RUNS && !s->shown.rest;
}

static void say_all(struct na_result *r, const struct latency_state *s,
		    struct na_str *w, bool clocks)
{
	what_is_timed(s, w);
	if (by_run_alone(s))
		say_runs(r, s, w, clocks);
	else if (s->scope->by.n)
		say_groups(r, s, w);
	else
		na_say_to(w, of_all(s, clocks));
	if (clocks)
		return;
	if (s->scope->by.n && !by_run_alone(s))
		say_tails(r, s, w);
	say_split(s, w);
}

/* Without --by: a line for each quantile, with its interval. */
static struct na_value *quantile_rows(struct na_result *r,
				      const struct na_value *group)
{
	/* clang-format off */
	static const struct {
		const char *name, *of, *interval;
	} rows[] = {
		{"min", M_min_us, NULL},
		{"mean", M_mean_us, NULL},
		{"p50", M_p50_us, M_p50_ci95_us},
		{"p90", M_p90_us, M_p90_ci95_us},
		{"p95", M_p95_us, M_p95_ci95_us},
		{"p99", M_p99_us, M_p99_ci95_us},
		{"p99.9", M_p99_9_us, M_p99_9_ci95_us},
		{"p99.99", M_p99_99_us, M_p99_99_ci95_us},
		{"max", M_max_us, NULL},
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), M_quantiles);

	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct na_value *o = na_put_object(r, list, NULL);
		const double *ends = na_reals_at(group, rows[i].interval, 2);

		na_put_text(r, o, M_of, rows[i].name);
		na_put_real(r, o, M_us, na_number_at(group, rows[i].of));
		na_put_real(r, o, M_lower, ends ? ends[0] : NAN);
		na_put_real(r, o, M_upper, ends ? ends[1] : NAN);
	}
	return list;
}

static void quantiles_view(struct na_result *r, const struct na_value *group)
{
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL),
		       quantile_rows(r, group), &na_table_latency_quantile,
		       NA_COLUMNS({M_of}, {M_us}, {M_lower}, {M_upper}), 0);
}

static void size_view(struct na_result *r, const struct na_value *group)
{
	static const struct na_column cols[] = {{M_tail_ratio},
						{M_fixed_us},
						{M_bandwidth_gbps},
						{M_residual_p99}};
	bool line = !isnan(na_number_at(group, M_fixed_us));

	na_result_view(r, na_result_say(r, na_fact_title_latency_of_size(line)),
		       group, &na_table_latency_group, cols,
		       line ? NA_LEN(cols) : 1, 0);
}

static void split_view(struct na_result *r, const struct latency_state *s)
{
	if (!s->split.n || s->scope->store->n_runs > 1)
		return;
	na_result_view(r, na_result_say(r, na_fact_title_waits_of_receives()),
		       na_get(na_result_body(r), M_split),
		       &na_table_latency_split,
		       NA_COLUMNS({M_receive_p50_us}, {M_receive_p99_us},
				  {M_under_way_share}, {M_queued_share},
				  {M_waiting_share}, {M_unposted_share},
				  {M_slow}, {M_slow_network}, {M_slow_waiting}),
		       0);
}

/* Nothing but what hosts receive, so that a host is the receiving one. */
static bool receivers(const struct latency_state *s)
{
	uint32_t of = NA_COMP_BIT(NA_COMP_NETWORK) |
		      NA_COMP_BIT(NA_COMP_RECEIVE);

	return s->scope->filter->side != NA_TX && !s->calls &&
	       !(s->scope->components & ~(of | NA_COMP_BIT(NA_COMP_RPC)));
}

static void groups_view(struct na_result *r, const struct latency_state *s)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_count}, {M_p50_us}, {M_p90_us}, {M_p99_us}, {M_p99_9_us},
		{M_max_us}, {M_tail_ratio, "p99/p50"}, {M_fixed_us, "fixed us"},
		{M_bandwidth_gbps, "Gbit/s"},
		{M_split "." M_waiting_share, "waiting %"},
		{M_split "." M_slow, "slow"},
		{M_split "." M_slow_waiting, "of them waiting"},
	};
	/* clang-format on */
	enum { OF_SPLIT = 3 };

	na_groups_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL),
		       &s->scope->by, receivers(s) ? "receiving host" : NULL,
		       na_get(na_result_body(r), M_groups),
		       &na_table_latency_group, cols,
		       NA_LEN(cols) - (s->split.n ? 0 : OF_SPLIT),
		       SHOWN_GROUPS);
}

static bool slower(const struct latency_worst *a, const struct latency_worst *b)
{
	if (a->latency_ps != b->latency_ps)
		return a->latency_ps > b->latency_ps;
	return a->end_ps < b->end_ps;
}

/* The slowest of all rows: each has its own in order. */
static struct na_value *slowest_rows(struct na_result *r,
				     const struct latency_state *s)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_slowest);
	size_t *at = na_calloc(s->shown.n, sizeof(*at));

	for (size_t k = 0; at && k < LATENCY_SLOWEST; k++) {
		const struct latency_worst *worst = NULL;
		size_t best = 0;

		for (size_t i = 0; i < s->shown.n; i++) {
			const struct latency_row *row = &s->rows[i];

			if (at[i] < row->n_worst &&
			    (!worst || slower(&row->worst[at[i]], worst))) {
				worst = &row->worst[at[i]];
				best = i;
			}
		}
		if (!worst)
			break;
		na_latency_put_worst(r, list, s, &s->rows[best], worst);
		at[best]++;
	}
	free(at);
	return list;
}

static void slowest_view(struct na_result *r, const struct latency_state *s)
{
	na_result_view(r, na_result_say(r, na_fact_title_slowest()),
		       slowest_rows(r, s), &na_table_latency_slow,
		       NA_COLUMNS({M_time_s}, {M_latency_us}, {M_residual},
				  {M_bytes}, {M_src}, {M_dst}, {M_host},
				  {M_collective}),
		       0);
}

/* A quantile that rests on fewer transfers than it needs is marked. */
static void few_note(struct na_result *r, const struct latency_row *row)
{
	const char *from = row->n < 2      ? NULL
			   : row->n < 10   ? "p90"
			   : row->n < 20   ? "p95"
			   : row->n < 100  ? "p99"
			   : row->n < 1000 ? "p99.9"
					   : "p99.99";

	if (row->n < 10000)
		na_result_note_fact(
			r, na_fact_too_few_for_quantile((int64_t)row->n, from,
							row->n >= 1000));
}

static void put_views(struct na_result *r, const struct latency_state *s)
{
	const struct na_value *one = na_first(na_result_body(r), M_groups);

	if (s->scope->by.n) {
		groups_view(r, s);
	} else if (one && s->scope->used->n) {
		quantiles_view(r, one);
		size_view(r, one);
		few_note(r, &s->rows[0]);
	}
	if (!s->scope->used->n)
		return;
	split_view(r, s);
	slowest_view(r, s);
}

/* Who is slow as a sender looks best among receivers. */
static void note_senders(struct na_result *r, const struct latency_state *s)
{
	const char *host;
	double factor;

	if (na_grouping_has(&s->scope->by, NA_KEY_HOST) && receivers(s) &&
	    s->scope->store->n_runs < 2 &&
	    na_latency_senders_differ(s, &host, &factor))
		na_result_note_fact(r, na_fact_senders_differ(host, factor));
}

/* Of ranks, whose receives begin before there is anything to receive. */
static bool waits_within(const struct na_store *s)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		if (s->sources[i].ranks && s->sources[i].told == NA_TOLD_TRACE)
			return true;
	}
	return false;
}

static void note(struct na_result *r, const struct latency_state *s)
{
	if (waits_within(s->scope->store))
		na_result_note_fact(r, na_fact_receive_holds_wait());
	if (s->split.n && narrowed(s->scope->filter))
		na_result_note_fact(r, na_fact_waits_are_inferred());
	if (s->untimed)
		na_result_note_fact(r, na_fact_receives_untimed(
					       (int64_t)s->untimed));
}

void na_latency_say(struct na_result *r, const struct latency_state *s)
{
	struct na_clock_off off;
	bool clocks = na_early_off(&s->clocks, &off);

	if (clocks)
		note_clock(r, &off, s->split.n && s->scope->store->n_runs < 2);
	if (s->scope->used->n) {
		struct na_str w = {0};

		say_all(r, s, &w, clocks);
		if (clocks)
			na_say_to(&w, mistrust(&off));
		else
			note_senders(r, s);
		na_result_word(r, NA_WORD_MESSAGE, na_result_keep(r, &w));
		note(r, s);
	} else {
		na_result_word(r, NA_WORD_MESSAGE,
			       na_result_say(r,
					     na_fact_no_transfers_to_time()));
	}
	put_views(r, s);
}
