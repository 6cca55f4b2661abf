/* rpc: the one-line answer, and what a person sees in a terminal. */
#include <math.h>
#include <string.h>

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
static void add_where(struct na_str *t, const struct na_value *of)
{
	const struct na_value *w = na_first(of, M_where);
	bool named = na_flag_at(w, M_stands_out), sent;
	char buf[NA_UNIT_BUF];
	double share;

	w = named ? w : na_count_at(of, M_count) > 1 ? whole(of) : NULL;
	if (!w)
		return;
	share = na_number_at(w, M_share);
	sent = strcmp(na_text_at(w, M_side), "src") == 0;
	na_print_number(buf, 100 * share, 3);
	na_str_addf(t, ", %s%s %s %.120s", share < 1 ? buf : "all",
		    share < 1 ? " %" : "", sent ? "sent by" : "received by",
		    na_text_at(w, M_host));
	if (!named)
		na_str_addf(t, ", as %s %% of all transfers are",
			    na_print_number(buf,
					    100 * na_number_at(w, M_expected_share),
					    2));
}

/* "; links idle then (3 % of their busiest bin)": what they could carry
 * nothing tells. */
static void add_load(struct na_str *t, const struct na_value *of)
{
	const struct na_value *load = na_get(of, M_load);
	const char *state = na_text_at(load, M_state);
	char share[NA_UNIT_BUF];

	if (!*state)
		return;
	na_print_number(share, 100 * na_number_at(load, M_share_of_peak), 2);
	if (strcmp(state, "usual") == 0)
		na_str_addf(t, "; links at %s %% of their busiest bin then",
			    share);
	else
		na_str_addf(t, "; links %s then (%s %% of their busiest bin)",
			    state, share);
}

static void add_count(struct na_str *t, const struct na_value *of)
{
	char n[NA_COUNT_BUF], share[NA_UNIT_BUF];

	na_print_number(share, 100 * na_number_or(of, M_share, 0), 2);
	na_str_addf(t, "%s (%s %%)",
		    na_count_of(n, (uint64_t)na_count_at(of, M_count),
				"transfer"),
		    share);
}

static void add_quantiles(struct na_str *t, const struct rpc_row *row)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], c[NA_UNIT_BUF];

	na_rpc_time(a, row->p50_us);
	na_rpc_time(c, row->max_us);
	if (row->n < FEW_FOR_P99)
		na_str_addf(t, "median %s, longest %s", a, c);
	else
		na_str_addf(t, "p50 %s, p99 %s, max %s", a,
			    na_rpc_time(b, row->p99_us), c);
}

/* "200, 600 and 400 ms": the most frequent waits. */
static void add_waits(struct na_str *t, const struct na_value *mode)
{
	for (int i = 0; mode && i < 3; mode = mode->next, i++) {
		bool last = i == 2 || !mode->next;

		na_str_addf(t, "%s%.0f",
			    !i     ? ""
			    : last ? " and "
				   : ", ",
			    na_number_at(mode, M_latency_ms));
	}
	na_str_addf(t, " ms");
}

/* The timers that explain it; several waits count together where all of
 * them are tail events. */
static void say_mode(struct na_str *t, const struct na_value *body, bool tail,
		     const char *like)
{
	const struct na_value *mode = na_first(body, M_modes), *of = mode;
	const char *pattern = na_text_at(body, M_tail "." M_pattern);

	if (tail && mode && mode->next)
		of = na_get(body, M_tail);
	na_str_addf(t, "%s",
		    strcmp(pattern, "clustered") == 0 ? "In clusters: "
						      : "Now and then: ");
	add_count(t, of);
	na_str_addf(t, " late by ");
	add_waits(t, mode);
	na_str_addf(t, ", like %s", like);
	add_where(t, of);
	add_load(t, of);
}

/* Those that lie together, of tail events; NULL. */
static const struct na_value *alike_of_tail(const struct na_value *body)
{
	const struct na_value *alike = na_get(body, M_alike);

	return na_number_at(alike, M_latency_ms) > 100 ? alike : NULL;
}

/* A mode may stand out of a tail that is heavy for other reasons. */
static void say_heavy(struct na_str *t, const struct na_value *body)
{
	const struct na_value *mode = na_first(body, M_modes);
	const struct na_value *alike = alike_of_tail(body);
	char n[NA_UNIT_BUF];

	/* What is less late than a tail event is none. */
	while (mode && na_number_at(mode, M_latency_ms) < 100)
		mode = mode->next;
	na_str_addf(t, "Heavy tail, %s",
		    mode     ? "not of one timer"
		    : !alike ? "no timer signature"
		    : na_flag_at(alike, M_nothing_sent_again)
			    ? "not of TCP's timers"
			    : "perhaps of a timer");
	if (mode)
		na_str_addf(t,
			    ", though %s of them lie at %g ms (looks like %s)",
			    na_print_count(n, (uint64_t)na_count_at(mode,
								    M_count)),
			    na_number_at(mode, M_latency_ms),
			    na_text_at(mode, M_cause));
	na_str_addf(t, ": ");
}

/* ", 6 of them by 200 ms alike, while nothing was sent again, ..." */
static void add_alike(struct na_str *t, const struct na_value *alike,
		      int64_t tail)
{
	int64_t count = na_count_at(alike, M_count);
	char n[NA_UNIT_BUF], ms[NA_UNIT_BUF];

	if (!alike)
		return;
	na_str_addf(t, ", %s%s by %s ms alike%s",
		    count == tail ? "all" : na_print_count(n, (uint64_t)count),
		    count == tail ? "" : " of them",
		    na_print_number(ms, na_number_at(alike, M_latency_ms), 3),
		    na_flag_at(alike, M_nothing_sent_again)
			    ? ", while nothing was sent again, so that no "
			      "timer of TCP made them wait"
			    : ", few, but as by a timer");
}

/* Those that are no tail events. */
static void add_alike_below(struct na_str *t, const struct na_value *body)
{
	const struct na_value *alike = na_get(body, M_alike);
	char n[NA_COUNT_BUF], ms[NA_UNIT_BUF];

	if (alike && na_number_at(alike, M_latency_ms) < NA_TAIL_MS)
		na_str_addf(t, "; %s late by %s ms alike, few, but as by a "
			       "timer",
			    na_count_of(n, (uint64_t)na_count_at(alike,
								 M_count),
					"transfer"),
			    na_print_number(ms,
					    na_number_at(alike, M_latency_ms),
					    3));
}

static void say_tail(struct na_str *t, const struct na_value *body,
		     const struct rpc_row *row)
{
	const struct na_value *tail = na_get(body, M_tail);

	if (row->verdict.kind == NA_TAIL_HEAVY) {
		say_heavy(t, body);
		add_count(t, tail);
		na_str_addf(t, " more than 100 ms late");
		add_alike(t, alike_of_tail(body),
			  na_count_at(tail, M_count));
		add_where(t, tail);
		add_load(t, tail);
		return;
	}
	add_count(t, tail);
	na_str_addf(t, " more than 100 ms late: ");
	add_quantiles(t, row);
}

/* "nearly all that host-2 receives is late by 205 ms: ..." */
static void add_constant(struct na_str *t, const struct rpc_state *s)
{
	const struct rpc_constant *w = &s->worst;
	size_t hosts = na_rpc_hosts(s);
	bool rx = w->side >= hosts;

	na_str_addf(t, "%s all that %.120s %s is late by %.0f ms: ",
		    w->share >= 0.9 ? "nearly" : "more than half of",
		    s->scope->store->hosts[rx ? w->side - hosts : w->side].name,
		    rx ? "receives" : "sends", w->excess_ms);
	if (na_rpc_captured(s->scope->store))
		na_str_addf(t, "this host, or what it waits for, is slow");
	else
		na_str_addf(t,
			    "its clock may be %s, or the host slow; netan "
			    "pairs says",
			    rx ? "ahead" : "behind");
}

/* Of a host that is always late, and of the others. */
static void say_constant(struct na_str *t, const struct rpc_state *s,
			 const char *verdict)
{
	uint64_t others = s->all.verdict.tail;
	char n[NA_UNIT_BUF];

	add_constant(t, s);
	t->s[0] = t->s[0] == 'n' ? 'N' : 'M';
	if (others)
		na_str_addf(t, "; of the others %s more than 100 ms late",
			    na_print_count(n, others));
	if (strcmp(verdict, "constantly high") != 0)
		na_str_addf(t, "%s%s",
			    others ? ", " : "; the others: ", verdict);
}

/* "The slowest 1 % take 12.1x as long as usual for their size; none is 100 ms
 * late: p50 ..." */
static void say_slow(struct na_str *t, const struct rpc_state *s,
		     const struct na_value *body)
{
	char n[NA_UNIT_BUF], times[NA_UNIT_BUF];

	na_print_number(times, na_rpc_long_tail(s), 3);
	if (s->ends.n < FEW_FOR_P99)
		na_str_addf(t,
			    "The slowest of %s transfers takes %sx as long as "
			    "usual for its size",
			    na_print_count(n, s->ends.n), times);
	else
		na_str_addf(t,
			    "The slowest 1 %% take %sx as long as usual for "
			    "their size",
			    times);
	add_alike_below(t, body);
	na_str_addf(t, "; none is 100 ms late: ");
	add_quantiles(t, &s->all);
}

/* No tail.  Not that all is well: a slow host may be slow all the time. */
static void say_none(struct na_str *t, const struct rpc_state *s,
		     const struct na_value *body, bool steady)
{
	bool plain = steady && s->ends.n >= FEW;

	if (plain && na_rpc_long_tail(s) > RPC_LONG_TAIL) {
		say_slow(t, s, body);
		return;
	}
	na_str_addf(t, "%s",
		    plain             ? "No transfer is 100 ms late"
		    : s->ends.n < FEW ? "Too few to tell"
				      : "High all the time");
	if (plain)
		add_alike_below(t, body);
	na_str_addf(t, ": ");
	add_quantiles(t, &s->all);
	if (!plain)
		na_str_addf(t, "; none is 100 ms late");
}

static void say_verdict(struct na_str *t, const struct rpc_state *s,
			const struct na_value *body)
{
	const char *verdict = na_rpc_verdict(s, &s->all);

	if (s->all.constant) {
		say_constant(t, s, verdict);
	} else if (strcmp(verdict, "RTO-like") == 0) {
		say_mode(t, body, true, "TCP retransmission timeouts");
	} else if (strcmp(verdict, "low-RTO-like") == 0) {
		say_mode(t, body, false,
			 "TCP retransmission timeouts with a lowered minimum");
	} else if (strcmp(verdict, "delayed-ACK-like") == 0) {
		say_mode(t, body, false, "delayed acknowledgements");
	} else if (s->all.verdict.kind != NA_TAIL_NONE) {
		say_tail(t, body, &s->all);
	} else {
		say_none(t, s, body, strcmp(verdict, "steady") == 0);
	}
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
	char n[NA_UNIT_BUF], m[NA_UNIT_BUF];

	if (s->n_calls && s->n_calls < s->ends.n)
		na_result_note(r,
			       "%s of %s transfers are calls, the others "
			       "messages one way: --component rpc, or network, "
			       "looks at one kind alone",
			       na_print_count(n, s->n_calls),
			       na_print_count(m, s->ends.n));
	if (na_get(na_result_body(r), M_calls) && verdict &&
	    (strcmp(verdict, "RTO-like") == 0 ||
	     strcmp(verdict, "low-RTO-like") == 0))
		na_result_note(r, "netan tcp shows the retransmissions and "
				  "timeouts of each connection");
}

static void say_apart(struct na_result *r, const struct rpc_state *s)
{
	na_result_about(r)->runs_apart = true;
	na_result_wordf(r, NA_WORD_MESSAGE,
			"Latency over time of %zu runs side by side",
			s->scope->store->n_runs);
	na_result_note(r, "in JSON and CSV the series and modes of all add "
			  "the runs; groups holds each by itself");
}

/* No call was answered, or there is none. */
static void say_silence(struct na_result *r, const struct rpc_state *s)
{
	char buf[300];
	struct na_str t = na_str_over(buf, sizeof(buf));

	if (s->calls.n)
		na_str_addf(&t, "%zu call%s, none timed", s->calls.n,
			    na_plural(s->calls.n));
	else
		na_str_addf(&t, "No network transfers to draw");
	na_rpc_calls_say(&t, r);
	na_result_word(r, NA_WORD_MESSAGE, t.s);
}

/* Clocks that differ are corrected, and what they hide is not there. */
static void note_clocks(struct na_result *r, const struct rpc_state *s)
{
	for (uint32_t i = 0; i < s->scope->store->n_runs; i++) {
		int64_t ps = na_host_clocks_apart(s->clocks, i);
		char time[NA_UNIT_BUF];

		if (!ps)
			continue;
		na_result_note(r,
			       "clocks of hosts differ by up to %s: latencies "
			       "are told without that; netan pairs says whose "
			       "clock is off",
			       na_print_time(time, ps, 3));
		return;
	}
}

static void say_latencies(struct na_result *r, const struct rpc_state *s)
{
	char buf[512];
	struct na_str t = na_str_over(buf, sizeof(buf));

	say_verdict(&t, s, na_result_body(r));
	na_rpc_calls_say(&t, r);
	note_packets(r, s);
	na_result_word(r, NA_WORD_MESSAGE, t.s);
	if (s->late.shift)
		na_result_note(r,
			       "more than %zu late transfers: hosts, pairs "
			       "and times are those of a sample",
			       s->late.max);
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
	na_result_view(r, "modes of late transfers", list,
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
		na_result_view(r, "where tail events come from", where,
			       &na_table_rpc_late_where,
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
	na_result_view(r, "course of the run", list, &na_table_rpc_course,
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

/* Of those that are late all the time; they are in no mode. */
static void note_constant(struct na_result *r, const struct rpc_state *s)
{
	char buf[300];
	struct na_str t = na_str_over(buf, sizeof(buf));

	add_constant(&t, s);
	na_result_note(r, "%s (left out of the modes)", t.s);
}

void na_rpc_say(struct na_result *r, const struct rpc_state *s)
{
	if (!s->ends.n) {
		say_silence(r, s);
		na_rpc_calls_views(r);
		return;
	}
	na_put_int(r, na_result_side(r), M_hosts,
		   (int64_t)hosts_of(s->scope->store));
	if (s->all.constant)
		note_constant(r, s);
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
