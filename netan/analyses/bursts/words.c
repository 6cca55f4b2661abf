/* bursts: what a person reads in a terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/bursts/state.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

enum { SHOWN_BURSTS = 10, SHOWN_ROWS = 20 };

static void sums_view(struct na_result *r)
{
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL),
		       na_result_body(r), &na_table_bursts_result,
		       NA_COLUMNS({M_pending "." M_time_mean},
				  {M_pending "." M_p50}, {M_pending "." M_p90},
				  {M_pending "." M_p99}, {M_pending "." M_max},
				  {M_pending "." M_idle_share}, {M_burstiness},
				  {M_bursts_total}, {M_burst_distance_ms},
				  {M_burst_period_ms}, {M_step_period_ms}),
		       0);
}

static void dispersion_view(struct na_result *r)
{
	na_result_view(r, "dispersion of starts",
		       na_get(na_result_body(r), M_dispersion),
		       &na_table_bursts_result_dispersion,
		       NA_COLUMNS({M_window_ms}, {M_idc}, {M_windows}), 0);
}

struct ranked {
	double length_s;
	const struct na_value *burst;
	size_t place;
};

NA_ORDER(longer_first, struct ranked, NA_DOWN(length_s), NA_UP(place))

/* The burst, and "s0d1->s1d0", the transfer that ended it. */
static void put_longest(struct na_result *r, struct na_value *list,
			const struct ranked *x)
{
	struct na_value *row = na_put_object(r, list, NULL);
	const struct na_value *last = na_get(x->burst, M_last);

	last = last ? last->u.of.last : NULL;
	na_put_alias(r, row, M_burst, x->burst);
	na_put_real(r, row, M_ms, x->length_s * NA_MS_PER_S);
	na_put_textf(r, row, M_ended_by, "%s->%s", na_text_at(last, M_src),
		     na_text_at(last, M_dst));
	na_put_real(r, row, M_last_us, na_number_at(last, M_latency_us));
}

static void bursts_view(struct na_result *r)
{
	const struct na_value *body = na_result_body(r);
	struct na_value *list = na_put_list(r, na_result_side(r), M_longest);
	struct ranked *x = na_calloc(na_length(body, M_bursts), sizeof(*x));
	char title[80], many[NA_UNIT_BUF];
	size_t n = 0;

	na_for_each (v, x ? na_get(body, M_bursts) : NULL) {
		x[n] = (struct ranked){na_number_at(v, M_to_s) -
					       na_number_at(v, M_from_s),
				       v, n};
		n++;
	}
	na_sort(x, n, longer_first);
	for (size_t i = 0; i < n && i < SHOWN_BURSTS; i++)
		put_longest(r, list, &x[i]);
	free(x);
	snprintf(title, sizeof(title), "longest bursts of transfers (of %s)",
		 na_print_count(many,
				(uint64_t)na_count_at(body, M_bursts_total)));
	na_result_view(r, title, list, &na_table_bursts_longest,
		       NA_COLUMNS({M_burst "." M_from_s}, {M_ms},
				  {M_burst "." M_transfers},
				  {M_burst "." M_bytes},
				  {M_burst "." M_max_overlap},
				  {M_burst "." M_mean_gbps}, {M_ended_by},
				  {M_last_us}),
		       0);
}

/* clang-format off */
#define PENDING_COLUMNS \
	{M_pending "." M_time_mean, "mean"}, {M_pending "." M_p50}, \
	{M_pending "." M_p99}, {M_pending "." M_max}, \
	{M_pending "." M_idle_share, "idle %"}, \
	{M_burstiness, "unevenness", NA_F_FIXED, 2, 0}
/* clang-format on */

static void hosts_view(struct na_result *r, const struct bursts_state *s)
{
	static const struct na_column cols[] = {{M_rank},
						{M_host},
						PENDING_COLUMNS};
	const struct na_value *list = na_get(na_result_body(r), M_hosts);
	bool ranks = na_get(na_items(list), M_rank);
	const char *whose = na_result_about(r)->hosts;
	char title[64];

	if (!list || list->n < 2)
		return;
	snprintf(title, sizeof(title), "pending %s of each %s",
		 na_bursts_pending_of(s),
		 ranks   ? "rank"
		 : whose ? whose
			 : "host");
	na_result_view(r, title, list, &na_table_bursts_result_hosts,
		       cols + !ranks, NA_LEN(cols) - !ranks, SHOWN_ROWS);
}

static void groups_view(struct na_result *r, const struct bursts_state *s)
{
	na_groups_view(r, "pending transfers of each group", &s->scope->by,
		       NULL, na_get(na_result_body(r), M_groups),
		       &na_table_bursts_result_groups,
		       NA_COLUMNS({M_transfers}, {M_bytes}, {M_bursts},
				  PENDING_COLUMNS, {M_verdict}),
		       0);
}

static void say_pending(struct na_result *r, const struct bursts_state *s,
			const char *verdict)
{
	const struct bursts_sum *x = na_bursts_pending(s);
	const char *of = na_bursts_pending_of(s);
	char mean[NA_UNIT_BUF], idle[NA_UNIT_BUF], max[NA_UNIT_BUF];

	if (!s->scope->used->n || !x->n)
		na_result_wordf(r, NA_WORD_MESSAGE, "No %s to count",
				s->scope->used->n ? of : "transfers");
	else if (!x->timed)
		na_result_wordf(r, NA_WORD_MESSAGE, "No %s lasted any time",
				of);
	else
		na_result_wordf(r, NA_WORD_MESSAGE,
				"%s: mean %s pending %s, max %s, idle %s %%",
				verdict, na_print_number(mean, x->hold.mean, 3),
				of, na_print_count(max, (uint64_t)x->hold.max),
				na_print_percent(idle, x->hold.idle));
}

static void say_apart(struct na_result *r, const struct bursts_state *s)
{
	na_result_about(r)->runs_apart = true;
	na_result_wordf(r, NA_WORD_MESSAGE,
			"Pending transfers of %zu runs side by side",
			s->scope->store->n_runs);
	na_result_note(r, "in JSON and CSV the counts outside groups add the "
			  "runs; groups holds each by itself");
}

static void note_clocks(struct na_result *r, const struct bursts_state *s)
{
	char whose[NA_WHOSE_BUF], early[NA_UNIT_BUF];
	struct na_str t = na_str_over(whose, sizeof(whose));
	struct na_clock_off off;

	if (!na_early_off(&s->clocks, &off))
		return;
	na_clock_off_say(&t, &off);
	na_result_note(r,
		       "%s: %s of its transfers arrive before they were sent "
		       "and are left out, and the other way they last by as "
		       "much longer; bursts hold that, so that steps may run "
		       "into one; netan pairs estimates the offset",
		       whose, na_print_count(early, off.early));
}

static void note_rest(struct na_result *r, const struct bursts_state *s)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];
	uint64_t all = s->whole[BURSTS_TRANSFERS].bursts;

	if (s->n_bursts < all)
		na_result_note(r,
			       "%s bursts; JSON lists the %s longest (--top)",
			       na_print_count(a, all),
			       na_print_count(b, s->n_bursts));
	if (na_store_of_ranks(s->scope->store))
		na_result_note(r, "a receive of a rank is pending while it "
				  "waits for its sender, too: netan timeline "
				  "draws what ranks move without the waits, "
				  "collectives among it");
	if (s->instants)
		na_result_note(r, "%s of no length: counted, but never pending",
			       na_print_count(a, s->instants));
}

void na_bursts_say(struct na_result *r, const struct bursts_state *s,
		   const char *verdict)
{
	/* Runs side by side are never added up. */
	bool apart = s->scope->store->n_runs > 1;

	if (apart)
		say_apart(r, s);
	else
		say_pending(r, s, verdict);
	note_clocks(r, s);
	note_rest(r, s);
	if (!apart) {
		sums_view(r);
		dispersion_view(r);
		bursts_view(r);
		hosts_view(r, s);
	}
	if (s->scope->by.n)
		groups_view(r, s);
}
