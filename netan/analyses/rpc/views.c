/* rpc: the one-line answer, and what a person sees in a terminal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/rpc/tail.h"

/* So few transfers say little about what is rare. */
enum { FEW = 30 };

/* Runs stand side by side: nothing that adds them up is shown. */
static bool apart(const struct rpc_state *s)
{
	return s->scope->store->n_runs > 1;
}

static const struct na_value *first_of(const struct na_value *list)
{
	return list && list->kind == NA_V_LIST ? list->u.of.first : NULL;
}

static const char *us(char *buf, double x)
{
	return na_print_time(buf, (int64_t)fmin(x * 1e6, 9e18), 3);
}

struct text {
	char s[512];
	size_t n;
};

static void add(struct text *t, const char *what)
{
	size_t room = sizeof(t->s) - t->n;
	int n = snprintf(t->s + t->n, room, "%s", what);

	t->n += n > 0 && (size_t)n < room ? (size_t)n : 0;
}

/* ", 98 % sent by host-1" */
static void add_where(struct text *t, const struct na_value *of)
{
	const struct na_value *w = first_of(na_get(of, M_where));
	const struct na_value *named = w ? na_get(w, M_stands_out) : NULL;
	char part[200], share[NA_UNIT_BUF];

	if (!named || !named->u.flag)
		return;
	na_print_number(share, 100 * na_real_of(na_get(w, M_share), 0), 3);
	snprintf(part, sizeof(part), ", %s%s %s %.120s",
		 na_real_of(na_get(w, M_share), 0) < 1 ? share : "all",
		 na_real_of(na_get(w, M_share), 0) < 1 ? " %" : "",
		 strcmp(na_text_of(na_get(w, M_side), ""), "src") == 0
			 ? "sent by"
			 : "received by",
		 na_text_of(na_get(w, M_host), ""));
	add(t, part);
}

/* "; links idle then (3 % of peak)" */
static void add_load(struct text *t, const struct na_value *of)
{
	const struct na_value *load = na_get(of, M_load);
	const char *state = na_text_of(na_get(load, M_state), NULL);
	char part[120], share[NA_UNIT_BUF];

	if (!state)
		return;
	na_print_number(share,
			100 * na_real_of(na_get(load, M_share_of_peak), 0), 2);
	if (strcmp(state, "usual") == 0)
		snprintf(part, sizeof(part), "; links at %s %% of peak then",
			 share);
	else
		snprintf(part, sizeof(part), "; links %s then (%s %% of peak)",
			 state, share);
	add(t, part);
}

static void add_count(struct text *t, const struct na_value *of)
{
	char part[120], n[NA_UNIT_BUF], share[NA_UNIT_BUF];
	int64_t count = na_int_of(na_get(of, M_count), 0);

	na_print_number(share, 100 * na_real_of(na_get(of, M_share), 0), 2);
	snprintf(part, sizeof(part), "%s transfer%s (%s %%)",
		 na_print_count(n, (uint64_t)count), count == 1 ? "" : "s",
		 share);
	add(t, part);
}

static void add_quantiles(struct text *t, const struct rpc_row *row)
{
	char part[200], a[NA_UNIT_BUF], b[NA_UNIT_BUF], c[NA_UNIT_BUF];

	snprintf(part, sizeof(part), "p50 %s, p99 %s, max %s",
		 us(a, row->p50_us), us(b, row->p99_us), us(c, row->max_us));
	add(t, part);
}

/* "200, 600 and 400 ms": the most frequent waits. */
static void add_waits(struct text *t, const struct na_value *mode)
{
	char part[60];

	for (int i = 0; mode && i < 3; mode = mode->next, i++) {
		bool last = i == 2 || !mode->next;

		snprintf(part, sizeof(part), "%s%.0f",
			 !i     ? ""
			 : last ? " and "
				: ", ",
			 na_real_of(na_get(mode, "latency_ms"), 0));
		add(t, part);
	}
	add(t, " ms");
}

/* The timers that explain it; several waits count together where all of
 * them are tail events. */
static void say_mode(struct text *t, const struct na_value *body, bool tail,
		     const char *like)
{
	const struct na_value *mode = first_of(na_get(body, M_modes));
	const struct na_value *of = mode;
	const char *pattern = na_text_of(na_dig(body, M_tail "." M_pattern),
					 "");

	if (tail && mode && mode->next)
		of = na_get(body, M_tail);
	add(t, strcmp(pattern, "clustered") == 0 ? "In clusters: "
						 : "Now and then: ");
	add_count(t, of);
	add(t, " late by ");
	add_waits(t, mode);
	add(t, ", like ");
	add(t, like);
	add_where(t, of);
	add_load(t, of);
}

/* A mode may stand out of a tail that is heavy for other reasons. */
static void say_heavy(struct text *t, const struct na_value *mode)
{
	char part[160], n[NA_UNIT_BUF];

	/* What is less late than a tail event is none. */
	while (mode && na_real_of(na_get(mode, "latency_ms"), 0) < 100)
		mode = mode->next;
	if (!mode) {
		add(t, "Heavy tail, no timer signature: ");
		return;
	}
	na_print_count(n, (uint64_t)na_int_of(na_get(mode, M_count), 0));
	snprintf(
		part, sizeof(part),
		"Heavy tail, no timer signature, though %s of them lie at %g ms "
		"(%s): ",
		n, na_real_of(na_get(mode, "latency_ms"), 0),
		na_text_of(na_get(mode, M_cause), "a timer"));
	add(t, part);
}

static void say_tail(struct text *t, const struct na_value *body,
		     const struct rpc_row *row)
{
	const struct na_value *tail = na_get(body, M_tail);

	if (row->verdict.kind == NA_TAIL_HEAVY) {
		say_heavy(t, first_of(na_get(body, M_modes)));
		add_count(t, tail);
		add(t, " more than 100 ms late");
		add_where(t, tail);
		add_load(t, tail);
		return;
	}
	add(t, "Steady but for ");
	add_count(t, tail);
	add(t, " more than 100 ms late: ");
	add_quantiles(t, row);
}

/* "nearly all that host-2 receives is late by 205 ms: ..." */
static void add_constant(struct text *t, const struct rpc_state *s)
{
	const struct rpc_constant *w = &s->worst;
	size_t hosts = na_rpc_hosts(s);
	bool rx = w->side >= hosts;
	char part[300];

	snprintf(part, sizeof(part),
		 na_rpc_captured(s->scope->store)
			 ? "%s all that %.120s %s is late by %.0f ms: this "
			   "host, or what it waits for, is slow%.0s"
			 : "%s all that %.120s %s is late by %.0f ms: its "
			   "clock may be %s, or the host slow; netan pairs "
			   "tells",
		 w->share >= 0.9 ? "nearly" : "more than half of",
		 s->scope->store->hosts[rx ? w->side - hosts : w->side].name,
		 rx ? "receives" : "sends", w->excess_ms,
		 rx ? "ahead" : "behind");
	add(t, part);
}

/* Of a host that is always late, and of the others. */
static void say_constant(struct text *t, const struct rpc_state *s,
			 const char *verdict)
{
	char part[120], n[NA_UNIT_BUF];
	uint64_t others = s->all.verdict.tail;

	add_constant(t, s);
	t->s[0] = t->s[0] == 'n' ? 'N' : 'M';
	if (others) {
		snprintf(part, sizeof(part),
			 "; of the others %s more than 100 ms late",
			 na_print_count(n, others));
		add(t, part);
	}
	if (strcmp(verdict, "constantly high") != 0) {
		add(t, others ? ", " : "; the others: ");
		add(t, verdict);
	}
}

static void say_verdict(struct text *t, const struct rpc_state *s,
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
		add(t, s->ends.n < FEW                  ? "Too few to tell: "
		       : strcmp(verdict, "steady") != 0 ? "High all the time: "
							: "Steady: ");
		add_quantiles(t, &s->all);
		add(t, "; none is 100 ms late");
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

void na_rpc_say(struct na_result *r, const struct rpc_state *s)
{
	struct na_value *side = na_result_side(r);
	struct text t = {.n = 0};

	na_put_int(r, side, M_hosts, (int64_t)hosts_of(s->scope->store));
	if (s->all.constant) {
		add_constant(&t, s);
		na_result_note(r, "%s (left out of the modes)", t.s);
		t.n = 0;
	}
	if (apart(s)) {
		na_result_about(r)->runs_apart = true;
		na_result_wordf(r, NA_WORD_MESSAGE,
				"Latency over time of %zu runs side by side",
				s->scope->store->n_runs);
		na_result_note(r, "in JSON and CSV the series and modes of "
				  "all add the runs; groups holds each by "
				  "itself");
		return;
	}
	say_verdict(&t, s, na_result_body(r));
	na_rpc_calls_say(t.s, sizeof(t.s), r);
	note_packets(r, s);
	na_result_word(r, NA_WORD_MESSAGE, t.s);
	if (s->late.shift)
		na_result_note(r,
			       "more than %zu late transfers: hosts, pairs "
			       "and times are those of a sample",
			       s->late.max);
}

static void sums_view(struct na_result *r, const struct na_value *body)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_verdict, "verdict", NA_F_TEXT, 0, 0},
		{M_overall "." M_transfers, "transfers", NA_F_COUNT, 0, 0},
		{M_overall "." M_p50_us, "p50, us", NA_F_NUMBER, 4, 0},
		{M_overall "." M_p99_us, "p99, us", NA_F_NUMBER, 4, 0},
		{M_overall "." M_p99_9_us, "p99.9, us", NA_F_NUMBER, 4, 0},
		{M_overall "." M_max_us, "max, us", NA_F_NUMBER, 4, 0},
		{M_expected "." M_fixed_us, "expected: fixed, us", NA_F_NUMBER, 4, 0},
		{M_expected "." M_bandwidth_gbps, "expected: bandwidth, Gbit/s",
		 NA_F_NUMBER, 3, 0},
		{M_tail "." M_count, "tail events (over 100 ms and 8 x expected late)",
		 NA_F_COUNT, 0, 0},
		{M_tail "." M_share, "tail events, %", NA_F_NUMBER, 3, 100},
		{M_tail "." M_pattern, "tail events in time", NA_F_TEXT, 0, 0},
		{M_tail "." M_hill_alpha, "Hill alpha of the top 5 %", NA_F_NUMBER,
		 3, 0},
		{M_bin_s, "bin, ms", NA_F_NUMBER, 4, 1e3},
	};
	/* clang-format on */

	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL), body,
		       NULL, cols, sizeof(cols) / sizeof(cols[0]), 0);
}

/* The lists of a mode as words. */
static const char *joined(char *buf, size_t size, const struct na_value *list)
{
	size_t at = 0;

	buf[0] = '\0';
	for (const struct na_value *v = first_of(list); v; v = v->next) {
		int n = snprintf(buf + at, size - at, "%s%s", at ? ", " : "",
				 na_text_of(v, ""));

		if (n < 0 || (size_t)n >= size - at)
			break;
		at += (size_t)n;
	}
	return buf;
}

static void mode_row(struct na_result *r, struct na_value *list,
		     const struct na_value *mode)
{
	/* clang-format off */
	static const char *const same[] = {
		"latency_ms", "count", "share", M_first_s, M_last_s,
	};
	/* clang-format on */
	struct na_value *row = na_put_object(r, list, NULL);
	char hosts[160];

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		const struct na_value *v = na_get(mode, same[i]);

		if (v && v->kind == NA_V_INT)
			na_put_int(r, row, same[i], v->u.i);
		else
			na_put_real(r, row, same[i], na_real_of(v, NAN));
	}
	joined(hosts, sizeof(hosts), na_get(mode, M_hosts));
	na_put_text(r, row, M_cause, na_text_of(na_get(mode, M_cause), ""));
	na_put_text(r, row, M_hosts, *hosts ? hosts : "spread");
	na_put_text(r, row, M_links,
		    na_text_of(na_dig(mode, M_load "." M_state), "-"));
	na_put_real(r, row, M_load,
		    na_real_of(na_dig(mode, M_load "." M_share_of_peak), NAN));
	na_put_real(r, row, "usual",
		    na_real_of(na_dig(mode, M_load "." M_usual_share_of_peak),
			       NAN));
}

static void modes_view(struct na_result *r, const struct na_value *body)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{"latency_ms", "late by ms", NA_F_NUMBER, 4, 0},
		{M_count, "transfers", NA_F_COUNT, 0, 0},
		{M_share, "%", NA_F_NUMBER, 3, 100},
		{M_hosts, "concentrated in", NA_F_TEXT, 0, 0},
		{M_links, "links then", NA_F_TEXT, 0, 0},
		{M_load, "% of peak", NA_F_NUMBER, 2, 100},
		{"usual", "usually %", NA_F_NUMBER, 2, 100},
		{M_first_s, "first s", NA_F_FIXED, 3, 0},
		{M_last_s, "last s", NA_F_FIXED, 3, 0},
		{M_cause, "like", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	const struct na_value *modes = na_get(body, M_modes);
	struct na_value *list;

	if (!first_of(modes))
		return;
	list = na_put_list(r, na_result_side(r), "mode_rows");
	for (const struct na_value *m = first_of(modes); m; m = m->next)
		mode_row(r, list, m);
	na_result_view(r, "modes of late transfers", list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 10);
}

static void where_view(struct na_result *r, const struct na_value *body)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_side, "as", NA_F_TEXT, 0, 0},
		{M_share, "% of tail events", NA_F_NUMBER, 3, 100},
		{M_expected_share, "% of transfers", NA_F_NUMBER, 3, 100},
		{M_p_value, "p", NA_F_NUMBER, 2, 0},
	};
	/* clang-format on */
	const struct na_value *where = na_dig(body, M_tail "." M_where);

	if (first_of(where))
		na_result_view(r, "where tail events come from", where, NULL,
			       cols, sizeof(cols) / sizeof(cols[0]), 5);
}

/* Ten to twenty lines that show the course of the run in a terminal. */
static void course_view(struct na_result *r, const struct rpc_state *s)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_from_s, "from s", NA_F_FIXED, 3, 0},
		{M_transfers, "transfers", NA_F_COUNT, 0, 0},
		{M_p50, "p50 us (worst bin)", NA_F_NUMBER, 4, 0},
		{M_p99, "p99 us (worst bin)", NA_F_NUMBER, 4, 0},
		{M_max, "max us", NA_F_NUMBER, 4, 0},
		{M_tail, "tail events", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), "course");
	size_t n = s->bins.n, rows = n < 20 ? n : 20;
	const double *count = na_reals_of(na_get(na_result_body(r), M_count),
					  NULL);
	const double *tail =
		na_reals_of(na_get(na_result_body(r), M_tail_count), NULL);

	for (size_t i = 0; count && tail && i < rows; i++) {
		size_t from = i * n / rows, to = (i + 1) * n / rows;
		size_t all = s->n_rows * n;
		struct na_value *row = na_put_object(r, list, NULL);
		double events = 0, late = 0;
		double p50 = NAN, p99 = NAN, max = NAN;

		for (size_t k = from; k < to; k++) {
			events += count[k];
			late += tail[k];
			p50 = fmax(p50, s->p50[all + k]);
			p99 = fmax(p99, s->p99[all + k]);
			max = fmax(max, s->max[all + k]);
		}
		na_put_real(r, row, M_from_s, na_bins_start_s(&s->bins, from));
		na_put_int(r, row, M_transfers, (int64_t)events);
		na_put_real(r, row, M_p50, p50);
		na_put_real(r, row, M_p99, p99);
		na_put_real(r, row, M_max, max);
		na_put_int(r, row, M_tail, (int64_t)late);
	}
	na_result_view(r, "course of the run", list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 0);
}

static void groups_view(struct na_result *r, const struct na_value *groups,
			const struct rpc_state *s)
{
	/* clang-format off */
	static const struct na_column sums[] = {
		{M_overall "." M_transfers, "transfers", NA_F_COUNT, 0, 0},
		{M_overall "." M_p50_us, "p50 us", NA_F_NUMBER, 4, 0},
		{M_overall "." M_p99_us, "p99 us", NA_F_NUMBER, 4, 0},
		{M_overall "." M_max_us, "max us", NA_F_NUMBER, 4, 0},
		{M_tail "." M_count, "tail events", NA_F_COUNT, 0, 0},
		{M_tail "." M_share, "%", NA_F_NUMBER, 3, 100},
		{M_verdict, "verdict", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	enum { SUMS = sizeof(sums) / sizeof(sums[0]) };
	struct na_column cols[NA_MAX_KEYS + SUMS];
	size_t n = na_groups_columns(&s->scope->by, cols);

	memcpy(cols + n, sums, sizeof(sums));
	na_result_view(r,
		       apart(s) ? na_result_get_word(r, NA_WORD_MESSAGE, NULL)
				: "groups",
		       groups, NULL, cols, n + SUMS, 0);
}

void na_rpc_views(struct na_result *r, const struct rpc_state *s)
{
	const struct na_value *body = na_result_body(r);

	if (!apart(s)) {
		sums_view(r, body);
		modes_view(r, body);
		if (s->all.verdict.tail || s->all.constant)
			where_view(r, body);
		na_rpc_calls_views(r);
		course_view(r, s);
	}
	if (s->scope->by.n)
		groups_view(r, na_get(body, M_groups), s);
}
