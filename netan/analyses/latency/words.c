/* latency: the sentences, and what a person sees in a terminal. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/latency/state.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/quantile.h"

enum { SHOWN_GROUPS = 40 };
enum { KEY_BUF = 256, MOST_RUNS = 4 };

static const char *us_text(char *buf, double us)
{
	double ps = us * (double)NA_PS_PER_US;

	return na_print_time(buf,
			     ps < 9e18 ? (int64_t)llround(ps) : NA_TIME_MAX, 3);
}

/* "Network latency", "Send latency", "Call latency"; of several components:
 * "Latency" */
static void what_is_timed(const struct latency_state *s, struct na_str *w)
{
	uint32_t set = s->scope->filter->side == NA_TX
			       ? NA_COMP_BIT(NA_COMP_SEND)
			       : s->scope->components;
	unsigned c = 0;

	if (s->calls == s->scope->used->n) {
		na_str_addf(w, "Call latency");
		return;
	}
	if (!s->calls)
		set &= ~NA_COMP_BIT(NA_COMP_RPC);
	if (set & (set - 1)) {
		na_str_addf(w, "Latency");
		return;
	}
	while (c + 1 < NA_N_COMPONENTS && !(set >> c & 1))
		c++;
	na_str_addf(w, "%s latency", na_component_name((enum na_component)c));
	w->s[0] = (char)toupper((unsigned char)w->s[0]);
}

static const char *tail_words(const char *word)
{
	return strcmp(word, "long_tail") == 0 ? "long tail"
	       : strcmp(word, "sizes") == 0   ? "steady for its sizes"
					      : word;
}

static const char *tail_sentence(const char *word)
{
	return strcmp(word, "long_tail") == 0 ? "a long tail"
	       : strcmp(word, "spread") == 0
		       ? "a wide spread, but no long tail"
	       : strcmp(word, "sizes") == 0
		       ? "steady for its sizes, which explain the spread"
		       : "steady";
}

/* Of clocks that are off, the tail says nothing. */
static void say_one(const struct latency_state *s, struct na_str *w,
		    bool clocks)
{
	const struct latency_row *row = &s->rows[0];
	const char *tail = na_latency_tail_word(row);
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], n[NA_UNIT_BUF];

	us_text(a, na_latency_quantile(row, 0.5));
	us_text(b, na_latency_quantile(row, tail ? 0.99 : 1));
	na_print_count(n, row->n);
	if (tail && clocks)
		na_str_addf(w, ": p50 %s, p99 %s", a, b);
	else if (tail)
		na_str_addf(w, ": p50 %s, p99 %s (%.3gx): %s", a, b,
			    na_latency_tail_ratio(row), tail_sentence(tail));
	else if (row->n == 1)
		na_str_addf(w, ": one transfer, %s", a);
	else
		na_str_addf(
			w,
			": median %s, longest %s; %s transfers are too few for "
			"a p99",
			a, b, n);
}

static const char *group_text(char buf[KEY_BUF], const struct latency_state *s,
			      size_t i)
{
	na_groups_text(buf, KEY_BUF, &s->scope->by, s->scope->store, &s->groups,
		       s->shown.group[i]);
	return buf;
}

/* Each run's own verdict: the highest p99 may hide another's tail. */
static void say_runs(const struct latency_state *s, struct na_str *w,
		     bool clocks)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], key[KEY_BUF];

	na_str_addf(w, " by label");
	for (size_t i = 0; i < s->shown.n; i++) {
		const struct latency_row *row = &s->rows[i];
		const char *tail = na_latency_tail_word(row);
		bool longest = !tail || strcmp(tail, "long_tail") == 0;

		na_str_addf(w, "%s %s p50 %s, p99 %s", i ? ";" : ":",
			    group_text(key, s, i),
			    us_text(a, na_latency_quantile(row, 0.5)),
			    us_text(b, na_latency_quantile(row, 0.99)));
		if (tail && !clocks)
			na_str_addf(w, ", %s", tail_words(tail));
		if (longest)
			na_str_addf(w, ", max %s",
				    us_text(a, na_latency_quantile(row, 1)));
	}
}

/* Groups whose tail is worse than others': the highest p99 need not be one. */
static void say_tails(const struct latency_state *s, struct na_str *w)
{
	static const char *const bad[] = {"long_tail", "spread"};
	size_t n = s->shown.n - s->shown.rest, k = 0, top = 0;
	char a[NA_UNIT_BUF], key[KEY_BUF];

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
	na_str_addf(w,
		    "; %s: ", tail_words(na_latency_tail_word(&s->rows[top])));
	us_text(a, na_latency_quantile(&s->rows[top], 1));
	group_text(key, s, top);
	if (k == 1)
		na_str_addf(w, "%s alone, max %s", key, a);
	else
		na_str_addf(w, "%zu of %zu, max %s (%s)", k, n, a, key);
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
static const char *in_groups(char text[64], const struct latency_state *s)
{
	size_t n = s->shown.n - s->shown.rest;
	size_t all = na_groups_count(&s->groups);

	if (s->shown.rest)
		snprintf(text, 64, " in %zu of %zu groups", n, all);
	else
		snprintf(text, 64, " in %zu groups", n);
	return text;
}

/* The shown group with the highest against the lowest. */
static void say_groups(const struct latency_state *s, struct na_str *w)
{
	size_t n = s->shown.n - s->shown.rest;
	struct apart x = most_apart(s);
	double top = x.top, low = x.low;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], key[KEY_BUF], in[64];

	group_text(key, s, x.worst);
	in_groups(in, s);
	for (size_t i = 0; i < s->scope->by.n; i++)
		na_str_addf(w, "%s%s", i ? " and " : " by ",
			    na_key_name(s->scope->by.keys[i]));
	us_text(a, low);
	us_text(b, top);
	if (n == 1)
		na_str_addf(w, ": %s alone, p50 %s, p99 %s", key,
			    us_text(a, na_latency_quantile(&s->rows[0], 0.5)),
			    b);
	else if (strcmp(a, b) == 0)
		na_str_addf(w, ": p99 alike, %s%s", a, in);
	else if (top < DIFFERS * low)
		na_str_addf(w, ": p99 alike, %s to %s%s", a, b, in);
	else
		na_str_addf(w, ": %s from %s to %s (%s)%s", x.name, a, b, key,
			    s->shown.rest ? in : "");
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
	na_str_addf(w, "; receives: %.0f %% under way", network - queued);
	if (queued > 0)
		na_str_addf(w, ", %.0f %% queued behind others", queued);
	na_str_addf(w, ", %.0f %% waiting for the peer", 100 - network);
}

static void say_clock(const struct na_clock_off *o, struct na_str *w)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	na_str_addf(
		w,
		", not to be trusted; the clock of %s is %s others', %s of %s "
		"transfers that it %s arrive before they were sent",
		o->host, o->ahead ? "ahead of" : "behind",
		na_print_count(a, o->early), na_print_count(b, o->n),
		o->ahead ? "sends" : "receives");
}

static void note_clock(struct na_result *r, const struct na_clock_off *o,
		       bool split)
{
	char whose[NA_WHOSE_BUF], n[NA_UNIT_BUF];
	struct na_str t = na_str_over(whose, sizeof(whose));

	na_clock_off_say(&t, o);
	na_result_note(r,
		       "%s: %s of its "
		       "transfers arrive before they were sent and are left "
		       "out; latencies that touch it are not to be trusted%s; "
		       "netan pairs estimates the offset, and netan rpc tells "
		       "latencies without it",
		       whose, na_print_count(n, o->early),
		       split ? ", nor what receives waited for, slow ones "
			       "among them"
			     : "");
}

static bool by_run_alone(const struct latency_state *s)
{
	return s->scope->by.n == 1 && s->scope->by.keys[0] == NA_KEY_LABEL &&
	       s->shown.n > 1 && s->shown.n <= MOST_RUNS && !s->shown.rest;
}

static void say_all(const struct latency_state *s, struct na_str *w,
		    bool clocks)
{
	what_is_timed(s, w);
	if (by_run_alone(s))
		say_runs(s, w, clocks);
	else if (s->scope->by.n)
		say_groups(s, w);
	else
		say_one(s, w, clocks);
	if (clocks)
		return;
	if (s->scope->by.n && !by_run_alone(s))
		say_tails(s, w);
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

	na_result_view(r,
		       line ? "latency given size (robust line)"
			    : "tail (sizes do not vary enough for a line)",
		       group, &na_table_latency_group, cols,
		       line ? NA_LEN(cols) : 1, 0);
}

static void split_view(struct na_result *r, const struct latency_state *s)
{
	if (!s->split.n || s->scope->store->n_runs > 1)
		return;
	na_result_view(r, "network or host: what receives waited for",
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
	na_result_view(r, "slowest", slowest_rows(r, s), &na_table_latency_slow,
		       NA_COLUMNS({M_time_s}, {M_latency_us}, {M_residual},
				  {M_bytes}, {M_src}, {M_dst}, {M_host},
				  {M_collective}),
		       0);
}

/* A quantile that rests on fewer transfers than it needs is marked. */
static void few_note(struct na_result *r, const struct latency_row *row)
{
	char n[NA_UNIT_BUF];
	const char *of = row->n < 2      ? "any quantile"
			 : row->n < 10   ? "p90 and above"
			 : row->n < 20   ? "p95 and above"
			 : row->n < 100  ? "p99 and above"
			 : row->n < 1000 ? "p99.9 and above"
					 : "p99.99";

	if (row->n < 10000)
		na_result_note(r, "%s transfer%s too few for %s",
			       na_print_count(n, row->n),
			       row->n == 1 ? " is" : "s are", of);
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
		na_result_note(
			r,
			"host is the receiving one; senders differ more: "
			"what %s sends takes %.3g times as long as what "
			"the middle host sends; --by src shows senders",
			host, factor);
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
	char untimed[NA_COUNT_BUF];

	if (waits_within(s->scope->store))
		na_result_note(r, "a receive of a rank holds the wait for its "
				  "sender: netan pairs and netan collectives "
				  "tell what the transfer itself takes");
	if (s->split.n && narrowed(s->scope->filter))
		na_result_note(r, "what receives waited for is inferred from "
				  "the transfers that the filters keep: others "
				  "may have kept the links busy");
	if (s->untimed)
		na_result_note(r,
			       "%s receives do not record how long their "
			       "action lasted",
			       na_print_count(untimed, s->untimed));
}

void na_latency_say(struct na_result *r, const struct latency_state *s)
{
	struct na_clock_off off;
	bool clocks = na_early_off(&s->clocks, &off);

	if (clocks)
		note_clock(r, &off,
			   s->split.n && s->scope->store->n_runs < 2);
	if (s->scope->used->n) {
		char text[512];
		struct na_str w = na_str_over(text, sizeof(text));

		say_all(s, &w, clocks);
		if (clocks)
			say_clock(&off, &w);
		else
			note_senders(r, s);
		na_result_word(r, NA_WORD_MESSAGE, text);
		note(r, s);
	} else {
		na_result_word(r, NA_WORD_MESSAGE, "No transfers to time");
	}
	put_views(r, s);
}
