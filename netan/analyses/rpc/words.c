/* rpc: the one-line answer, and what a person sees in a terminal. */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/rpc/tail.h"

/* So few transfers say little about what is rare. */
enum { FEW = 30, FEW_FOR_P99 = 100 };

/* Runs stand side by side: nothing that adds them up is shown. */
static bool apart(const struct rpc_state *s)
{
	return s->scope->store->n_runs > 1;
}

/* A side that has them all, and not all other transfers, too; NULL. */
static const struct na_value *whole(const struct na_value *of)
{
	na_for_each (w, na_get(of, M_where))
		if (na_number_at(w, M_share) >= 1 &&
		    na_number_at(w, M_expected_share) < 1)
			return w;
	return NULL;
}

/* ", 98 % sent by host-1"; ", all received by host-1, as 60 % of all transfers
 * are", which proves nothing. */
static const char *where_text(struct na_result *r, const struct na_value *of)
{
	const struct na_value *w = na_first(of, M_where);
	bool named = na_flag_at(w, M_stands_out);

	w = named ? w : na_count_at(of, M_count) > 1 ? whole(of) : NULL;
	if (!w)
		return NULL;
	return na_result_say(
		r,
		na_fact_late_of_host(
			na_number_at(w, M_share) >= 1, na_number_at(w, M_share),
			strcmp(na_text_at(w, M_side), "src") == 0,
			na_text_at(w, M_host),
			named ? NAN : 100 * na_number_at(w, M_expected_share)));
}

/* What links could carry nothing tells. */
static const char *load_text(struct na_result *r, const struct na_value *of)
{
	const struct na_value *load = na_get(of, M_load);
	const char *state = na_text_at(load, M_state);

	return *state ? na_result_say(
				r, na_fact_links_then(
					   strcmp(state, "usual") == 0, state,
					   100 * na_number_at(load,
							      M_share_of_peak)))
		      : NULL;
}

static double share_of(const struct na_value *of)
{
	return 100 * na_number_or(of, M_share, 0);
}

static double seconds(double us)
{
	return us / NA_US_PER_S;
}

static const char *quantiles(struct na_result *r, const struct rpc_row *row)
{
	return na_result_say(r, na_fact_rpc_quantiles(row->n < FEW_FOR_P99,
						      seconds(row->p50_us),
						      seconds(row->p99_us),
						      seconds(row->max_us)));
}

/* "200, 600 and 400 ms": the most frequent waits. */
static const char *waits_text(struct na_result *r, const struct na_value *mode)
{
	int64_t ms[3] = {-1, -1, -1};

	for (int i = 0; mode && i < 3; mode = mode->next, i++)
		ms[i] = (int64_t)lround(na_number_at(mode, M_latency_ms));
	return na_result_say(r, na_fact_waits_of_modes(ms[0], ms[1], ms[2]));
}

/* The timers that explain it; several waits count together where all of
 * them are tail events. */
static struct na_fact of_timer(struct na_result *r, const char *verdict)
{
	const struct na_value *body = na_result_body(r);
	const struct na_value *mode = na_first(body, M_modes), *of = mode;
	const char *pattern = na_text_at(body, M_tail "." M_pattern);

	if (strcmp(verdict, "RTO-like") == 0 && mode && mode->next)
		of = na_get(body, M_tail);
	return na_fact_late_as_by_timer(strcmp(pattern, "clustered") == 0,
					na_count_at(of, M_count), share_of(of),
					waits_text(r, mode),
					strcmp(verdict, "delayed-ACK-like") ==
						0,
					strcmp(verdict, "low-RTO-like") == 0,
					where_text(r, of), load_text(r, of));
}

/* ", 6 of them by 200 ms alike, while nothing was sent again, ..." */
static const char *alike_text(struct na_result *r, const struct na_value *alike,
			      int64_t tail)
{
	int64_t count = na_count_at(alike, M_count);

	return alike ? na_result_say(r,
				     na_fact_transfers_late_alike(
					     count, count == tail,
					     na_number_at(alike, M_latency_ms),
					     na_flag_at(alike,
							M_nothing_sent_again)))
		     : NULL;
}

/* Those that are no tail events. */
static const char *alike_below(struct na_result *r)
{
	const struct na_value *alike = na_get(na_result_body(r), M_alike);
	double ms = na_number_at(alike, M_latency_ms);

	return alike && ms < NA_TAIL_MS
		       ? na_result_say(r,
				       na_fact_late_alike_below(
					       na_count_at(alike, M_count), ms))
		       : NULL;
}

/* A mode may stand out of a tail that is heavy for other reasons. */
static struct na_fact of_heavy_tail(struct na_result *r)
{
	const struct na_value *body = na_result_body(r);
	const struct na_value *tail = na_get(body, M_tail);
	const struct na_value *mode = na_first(body, M_modes);
	const struct na_value *alike = na_get(body, M_alike);

	/* What is less late than a tail event is none. */
	while (mode && na_number_at(mode, M_latency_ms) < 100)
		mode = mode->next;
	if (!(na_number_at(alike, M_latency_ms) > 100))
		alike = NULL;
	return na_fact_tail_is_heavy(na_count_at(mode, M_count),
				     na_number_at(mode, M_latency_ms),
				     na_text_at(mode, M_cause),
				     na_flag_at(alike, M_nothing_sent_again),
				     na_count_at(tail, M_count), share_of(tail),
				     alike_text(r, alike,
						na_count_at(tail, M_count)),
				     where_text(r, tail), load_text(r, tail));
}

static struct na_fact of_tail(struct na_result *r, const struct rpc_row *row)
{
	const struct na_value *tail = na_get(na_result_body(r), M_tail);

	return row->verdict.kind == NA_TAIL_HEAVY
		       ? of_heavy_tail(r)
		       : na_fact_tail_is_late(na_count_at(tail, M_count),
					      share_of(tail),
					      quantiles(r, row));
}

/* "nearly all that host-2 receives is late by 205 ms: ..."; and of the
 * others. */
static struct na_fact always_late(const struct rpc_state *s, bool noted,
				  const char *verdict)
{
	const struct rpc_constant *w = &s->worst;
	size_t hosts = na_rpc_hosts(s);
	bool rx = w->side >= hosts;

	return na_fact_host_is_always_late(
		s->scope->store->hosts[rx ? w->side - hosts : w->side].name,
		noted, w->share >= 0.9, rx, (int64_t)lround(w->excess_ms),
		na_rpc_captured(s->scope->store),
		noted ? 0 : (int64_t)s->all.verdict.tail,
		!noted && strcmp(verdict, "constantly high") != 0 ? verdict
								  : NULL);
}

/* No tail.  Not that all is well: a slow host may be slow all the time. */
static struct na_fact of_no_tail(struct na_result *r, const struct rpc_state *s,
				 bool steady)
{
	bool plain = steady && s->ends.n >= FEW;

	if (plain && na_rpc_long_tail(s) > RPC_LONG_TAIL)
		return na_fact_slowest_take_longer((int64_t)s->ends.n,
						   s->ends.n < FEW_FOR_P99,
						   na_rpc_long_tail(s),
						   alike_below(r),
						   quantiles(r, &s->all));
	return na_fact_no_transfer_is_late(plain, s->ends.n < FEW,
					   plain ? alike_below(r) : NULL,
					   quantiles(r, &s->all));
}

static struct na_fact latencies(struct na_result *r, const struct rpc_state *s)
{
	const char *verdict = na_rpc_verdict(s, &s->all);

	if (s->all.constant)
		return always_late(s, false, verdict);
	if (strcmp(verdict, "RTO-like") == 0 ||
	    strcmp(verdict, "low-RTO-like") == 0 ||
	    strcmp(verdict, "delayed-ACK-like") == 0)
		return of_timer(r, verdict);
	return s->all.verdict.kind != NA_TAIL_NONE
		       ? of_tail(r, &s->all)
		       : of_no_tail(r, s, strcmp(verdict, "steady") == 0);
}

/* Of the largest run, or at most where only packets tell. */
static size_t hosts_of(const struct na_store *store)
{
	size_t most = 0;

	if (na_rpc_captured(store))
		return na_store_hosts(store);
	for (size_t run = 0; run < store->n_runs; run++) {
		size_t hosts = 0;

		for (size_t i = 0; i < store->n_sources; i++)
			hosts += store->sources[i].run == run;
		most = hosts > most ? hosts : most;
	}
	return most;
}

/* What only packets tell, and what they mix. */
static void note_packets(struct na_result *r, const struct rpc_state *s)
{
	const char *verdict = na_rpc_verdict(s, &s->all);

	if (s->n_calls && s->n_calls < s->ends.n)
		na_result_note_fact(
			r, na_fact_calls_and_messages((int64_t)s->n_calls,
						      (int64_t)s->ends.n));
	if (na_get(na_result_body(r), M_calls) && verdict &&
	    (strcmp(verdict, "RTO-like") == 0 ||
	     strcmp(verdict, "low-RTO-like") == 0))
		na_result_note_fact(r, na_fact_tcp_shows_connections());
}

static void say_apart(struct na_result *r, const struct rpc_state *s)
{
	na_result_about(r)->runs_apart = true;
	na_result_word(
		r, NA_WORD_MESSAGE,
		na_result_say(r, na_fact_latency_of_runs(
					 (int64_t)s->scope->store->n_runs)));
	na_result_note_fact(r, na_fact_groups_hold_runs());
}

/* What the message says, and of the calls behind it. */
static void say_message(struct na_result *r, struct na_fact fact)
{
	struct na_str t = {0};

	na_say_to(&t, fact);
	na_rpc_calls_say(&t, r);
	na_result_word(r, NA_WORD_MESSAGE, na_result_keep(r, &t));
}

/* Clocks that differ are corrected, and what they hide is not there. */
static void note_clocks(struct na_result *r, const struct rpc_state *s)
{
	for (uint32_t i = 0; i < s->scope->store->n_runs; i++) {
		int64_t ps = na_host_clocks_apart(s->clocks, i);

		if (!ps)
			continue;
		na_result_note_fact(r,
				    na_fact_latencies_without_clocks(na_s(ps)));
		return;
	}
}

static void say_latencies(struct na_result *r, const struct rpc_state *s)
{
	say_message(r, latencies(r, s));
	note_packets(r, s);
	if (s->late.shift)
		na_result_note_fact(r, na_fact_late_transfers_are_sample(
					       (int64_t)s->late.max));
}

static void sums_view(struct na_result *r)
{
	na_result_view(
		r, na_result_get_word(r, NA_WORD_MESSAGE, NULL),
		na_result_body(r), &na_table_rpc_result,
		NA_COLUMNS({M_verdict}, {M_overall "." M_transfers},
			   {M_overall "." M_p50_us, "p50, us"},
			   {M_overall "." M_p99_us, "p99, us"},
			   {M_overall "." M_p99_9_us},
			   {M_overall "." M_max_us, "max, us"},
			   {M_expected "." M_fixed_us},
			   {M_expected "." M_bandwidth_gbps},
			   {M_tail "." M_count,
			    "tail events (over 100 ms and 8 x expected late)",
			    NA_F_COUNT},
			   {M_tail "." M_share, "tail events, %", NA_F_NUMBER,
			    3, 100},
			   {M_tail "." M_pattern, "tail events in time",
			    NA_F_TEXT},
			   {M_bin_s}),
		0);
}

static void put_mode_row(struct na_result *r, struct na_value *list,
			 const struct na_value *mode)
{
	struct na_value *row = na_put_object(r, list, NULL);
	char buf[160];
	struct na_str hosts = na_str_over(buf, sizeof(buf));

	na_for_each (v, na_get(mode, M_hosts))
		na_str_join(&hosts, ", ", "%s", na_text_of(v, ""));
	na_put_alias(r, row, M_mode, mode);
	na_put_text(r, row, M_concentrated, hosts.n ? hosts.s : "spread");
}

static void modes_view(struct na_result *r)
{
	const struct na_value *modes = na_get(na_result_body(r), M_modes);
	struct na_value *list;

	if (!na_items(modes))
		return;
	list = na_put_list(r, na_result_side(r), M_mode_rows);
	na_for_each (mode, modes)
		put_mode_row(r, list, mode);
	na_result_view(r, na_result_say(r, na_fact_title_rpc_modes()), list,
		       &na_table_rpc_mode_row,
		       NA_COLUMNS({M_mode "." M_latency_ms},
				  {M_mode "." M_count}, {M_mode "." M_share},
				  {M_concentrated},
				  {M_mode "." M_load "." M_state},
				  {M_mode "." M_load "." M_share_of_peak},
				  {M_mode "." M_load "." M_usual_share_of_peak},
				  {M_mode "." M_first_s}, {M_mode "." M_last_s},
				  {M_mode "." M_cause}),
		       10);
}

static void where_view(struct na_result *r)
{
	const struct na_value *where = na_dig(na_result_body(r),
					      M_tail "." M_where);

	if (na_items(where))
		na_result_view(r, na_result_say(r, na_fact_title_rpc_where()),
			       where, &na_table_rpc_late_where,
			       NA_COLUMNS({M_host}, {M_side}, {M_share},
					  {M_expected_share}, {M_p_value}),
			       5);
}

/* Bins [from, to) as one row. */
static void put_course(struct na_result *r, struct na_value *list,
		       const struct rpc_state *s, size_t from, size_t to)
{
	const double *count = na_reals_at(na_result_body(r), M_count, to);
	const double *tail = na_reals_at(na_result_body(r), M_tail_count, to);
	size_t all = s->shown.n * s->bins.n;
	struct na_value *row = na_put_object(r, list, NULL);
	double events = 0, late = 0, p50 = NAN, p99 = NAN, max = NAN;

	for (size_t k = from; count && tail && k < to; k++) {
		events += count[k];
		late += tail[k];
		p50 = fmax(p50, s->p50[all + k]);
		p99 = fmax(p99, s->p99[all + k]);
		max = fmax(max, s->max[all + k]);
	}
	na_put_real(r, row, M_from_s, na_bins_start_s(&s->bins, from));
	na_put_int(r, row, M_transfers, (int64_t)events);
	na_put_real(r, row, M_p50_us, p50);
	na_put_real(r, row, M_p99_us, p99);
	na_put_real(r, row, M_max_us, max);
	na_put_int(r, row, M_tail_count, (int64_t)late);
}

/* Ten to twenty lines that show the course of the run in a terminal. */
static void course_view(struct na_result *r, const struct rpc_state *s)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_course);
	size_t n = s->bins.n, rows = n < 20 ? n : 20;

	for (size_t i = 0; i < rows; i++)
		put_course(r, list, s, i * n / rows, (i + 1) * n / rows);
	na_result_view(r, na_result_say(r, na_fact_title_rpc_course()), list,
		       &na_table_rpc_course,
		       NA_COLUMNS({M_from_s}, {M_transfers}, {M_p50_us},
				  {M_p99_us}, {M_max_us}, {M_tail_count}),
		       0);
}

static void groups_view(struct na_result *r, const struct rpc_state *s)
{
	na_groups_view(r,
		       apart(s) ? na_result_get_word(r, NA_WORD_MESSAGE, NULL)
				: "groups",
		       &s->scope->by, NULL, na_get(na_result_body(r), M_groups),
		       &na_table_rpc_result_groups,
		       NA_COLUMNS({M_overall "." M_transfers},
				  {M_overall "." M_p50_us},
				  {M_overall "." M_p99_us},
				  {M_overall "." M_max_us},
				  {M_tail "." M_count, "tail events"},
				  {M_tail "." M_share}, {M_verdict}),
		       0);
}

void na_rpc_say(struct na_result *r, const struct rpc_state *s)
{
	if (!s->ends.n) {
		/* No call was answered, or there is none. */
		say_message(r, na_fact_no_latencies((int64_t)s->calls.n));
		na_rpc_calls_views(r);
		return;
	}
	na_put_int(r, na_result_side(r), M_hosts,
		   (int64_t)hosts_of(s->scope->store));
	if (s->all.constant) /* they are in no mode */
		na_result_note_fact(r, always_late(s, true, NULL));
	note_clocks(r, s);
	if (apart(s)) {
		say_apart(r, s);
	} else {
		say_latencies(r, s);
		sums_view(r);
		modes_view(r);
		if (s->all.verdict.tail || s->all.constant)
			where_view(r);
		na_rpc_calls_views(r);
		course_view(r, s);
	}
	if (s->scope->by.n)
		groups_view(r, s);
}
