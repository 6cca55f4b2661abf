#include "plot/figures/tcp/data.h"
#include "members.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

/* Room above the data for the window's edge, at most. */
#define ABOVE 1.3
/* Bytes before the first that is drawn: less than this is shown as well. */
#define FROM_ZERO 0.2

/* clang-format off */
static const char *const names[TMS] = {
	"sack", "duplicate_ack", "window_full", "out_of_order", "lost_before",
	"unrecorded", "ecn", "zero_window", "spurious", "other", "fast", "timeout",
};
/* clang-format on */

static const double *course(const struct tcp_figure *f, const char *name)
{
	size_t n;
	const double *x = na_reals_of(na_get(f->sequence, name), &n);

	return x && n == f->n ? x : NULL;
}

static bool read_marks(struct tcp_figure *f)
{
	const struct na_value *list = na_get(f->sequence, M_marks);
	const struct na_value *counts = na_get(f->sequence, M_mark_counts);
	const struct na_value *v;

	for (size_t k = 0; k < TMS; k++)
		f->counts[k] = na_count_at(counts, names[k]);
	if (!list || list->kind != NA_V_LIST || !list->n)
		return true;
	f->marks = na_calloc(list->n, sizeof(*f->marks));
	if (!f->marks)
		return false;
	for (v = list->u.of.first; v; v = v->next) {
		const char *kind = na_text_at(v, M_kind);
		struct tcp_figure_row *m = &f->marks[f->n_marks];
		size_t k = 0;

		while (k < TMS && strcmp(kind, names[k]) != 0)
			k++;
		m->kind = (enum tcp_figure_mark)k;
		m->time_s = na_number_at(v, M_time_s);
		m->from = na_number_at(v, M_from_byte);
		m->to = na_number_at(v, M_to_byte);
		m->n = na_number_or(v, M_count, 0);
		if (k == TMS || !isfinite(m->time_s) || !(m->from <= m->to))
			continue;
		f->shown[k]++;
		f->n_marks++;
	}
	return true;
}

/* Where marks are too dense to be told apart, how many there were when. */
static bool sum_resent(struct tcp_figure *f)
{
	const size_t columns = f->n / 4;
	size_t most = 0;

	for (size_t k = TM_SPURIOUS; k < TMS; k++)
		most = f->shown[k] > most ? f->shown[k] : most;
	if (most <= TCP_GLYPHS_MAX || !columns)
		return true;
	f->resent = na_calloc(columns, sizeof(*f->resent));
	f->resent_n = columns;
	for (size_t i = 0; f->resent && i < f->n_marks; i++) {
		const struct tcp_figure_row *m = &f->marks[i];
		double at = (m->time_s - f->from_s) / (f->to_s - f->from_s) *
			    (double)columns;

		if (m->kind < TM_SPURIOUS || !(at >= 0))
			continue;
		at = fmin(at, (double)columns - 1);
		f->resent[(size_t)at] += m->n;
		f->resent_top = fmax(f->resent_top, f->resent[(size_t)at]);
	}
	return f->resent;
}

/* What is long, and the longest of either kind. */
static void read_fates(struct tcp_figure *f)
{
	const struct na_value *list;

	f->fates = na_get(f->sequence, M_fates);
	list = na_get(f->fates, M_packets);
	if (!list || list->kind != NA_V_LIST || !list->n) {
		f->fates = NULL;
		return;
	}
	f->long_bytes = na_number_or(f->fates, M_long_least, 0);
	na_for_each (v, list) {
		double most = na_number_or(v, M_most_bytes, 0);

		f->most_bytes = fmax(f->most_bytes, most);
		if (most < f->long_bytes)
			f->short_bytes = fmax(f->short_bytes, most);
	}
}

static double length_of(const struct na_value *list)
{
	double s = 0;

	if (!list || list->kind != NA_V_LIST)
		return 0;
	na_for_each (v, list)
		s += na_number_or(v, M_to_s, 0) - na_number_or(v, M_from_s, 0);
	return s;
}

/* As high as data and its marks reach, and the window's edge if it is near;
 * else the edge would press the data down to a line. */
static void find_tops(struct tcp_figure *f)
{
	double least = INFINITY;

	double data = na_largest(f->ack, f->n),
	       edge = na_largest(f->edge, f->n);

	for (size_t i = 0; i < f->n_data; i++) {
		least = fmin(least, (double)f->data[3 * i + 1]);
		data = fmax(data, (double)f->data[3 * i + 2]);
	}
	for (size_t i = 0; i < f->n_marks; i++) {
		least = fmin(least, f->marks[i].from);
		data = fmax(data, f->marks[i].to);
	}
	for (size_t i = 0; f->ack && i < f->n; i++)
		least = fmin(least, f->ack[i]); /* NaN loses */
	/* Of a piece, what lies before it is no part of the picture. */
	f->base = least > FROM_ZERO * data && isfinite(least) ? least : 0;
	f->top = fmax(data, fmin(edge, f->base + ABOVE * (data - f->base)));
	f->edge_above = edge > f->top;
	data = na_largest(f->flight_max, f->n);
	f->flight_top = fmax(data,
			     fmin(na_largest(f->window, f->n), 2.5 * data));
	f->rtt_top = na_largest(f->rtt_max, f->n) / 1e6;
}

static void read_courses(struct tcp_figure *f)
{
	na_reals_of(na_get(f->sequence, M_time_s), &f->n);
	f->data = na_rows_of(na_get(f->sequence, M_data), &f->n_data);
	f->ack = course(f, M_ack_to);
	f->edge = course(f, M_edge_to);
	f->flight_max = course(f, M_in_flight_max);
	f->flight = course(f, M_in_flight_last);
	f->window = course(f, M_window_last);
	f->window_min = course(f, M_window_min);
	if (!(na_largest(f->edge, f->n) > 0)) /* its scale is not known */
		f->edge = f->window = NULL;
	f->rtt_min = course(f, M_rtt_min_us);
	f->rtt_max = course(f, M_rtt_max_us);
}

static const char *why_empty(const struct tcp_figure *f,
			     const struct na_result *r)
{
	if (!f->sequence)
		return na_result_get_word(
			r, NA_WORD_EMPTY,
			"There is no TCP connection to draw.");
	if (!na_count_at(f->sequence, M_segments) &&
	    na_count_at(f->sequence, M_segments_outside))
		return "The connection has no packet between --from and --to.";
	if (!na_count_at(f->sequence, M_segments))
		return "The input does not hold the packets of this "
		       "connection: a transfer file keeps what TCP did, not "
		       "its packets. Draw from the capture itself.";
	if (!na_count_at(f->sequence, M_data_segments))
		return "No data was sent in this direction of the connection; "
		       "--direction draws the other one.";
	return f->n && f->data ? NULL : "The result holds no sequence to draw.";
}

enum na_status na_tcp_figure_read(struct tcp_figure *f,
				  const struct na_result *r, struct na_err *err)
{
	memset(f, 0, sizeof(*f));
	f->result = r;
	f->body = na_result_get_body(r);
	f->sequence = na_get(f->body, M_sequence);
	read_courses(f);
	f->empty = why_empty(f, r);
	if (f->empty)
		return NA_OK;
	f->from_s = na_number_or(f->sequence, M_from_s, 0);
	f->to_s = na_number_or(f->sequence, M_to_s, 0);
	if (!(f->to_s > f->from_s))
		f->to_s = f->from_s + 1e-6;
	if (!read_marks(f) || !sum_resent(f))
		return na_fail_nomem(err);
	read_fates(f);
	f->silent = na_get(f->sequence, M_silent);
	f->closed = na_get(f->sequence, M_closed);
	f->silences = na_count_at(f->sequence, M_silences);
	f->closures = na_count_at(f->sequence, M_closures);
	f->silent_s = na_number_or(f->sequence, M_silent_ms, 0) / 1e3;
	f->closed_s = length_of(f->closed);
	find_tops(f);
	return NA_OK;
}

void na_tcp_figure_fini(struct tcp_figure *f)
{
	free(f->marks);
	free(f->resent);
	f->marks = NULL;
	f->resent = NULL;
}

static const char *verdict_words(const char *name)
{
	static const char *const words[][2] = {
		{"timeout_bound", "Bound by timeouts"},
		{"receiver_too_slow", "Receiver too slow"},
		{"network_loss", "Packets are lost"},
		{"window_limited", "Limited by the window"},
		{"sender_idle", "Sender idle"},
		{"peer_vanished", "Peer gone"},
		{"refused", "Refused"},
		{"reset", "Reset"},
		{"server_slow", "Slow server"},
		{"delayed_ack", "Delayed ACKs"},
		{"queueing", "Queues on the path"},
		{"capture_loss", "Packets missing in the capture"},
		{"healthy", "Nothing wrong seen"},
	};

	for (size_t i = 0; i < NA_LEN(words); i++) {
		if (strcmp(name, words[i][0]) == 0)
			return words[i][1];
	}
	return "TCP connection";
}

/* What `check` says: the cause, where one is known behind the verdict, with
 * the first part of its proof below. */
void na_tcp_figure_title(const struct tcp_figure *f, struct words *w)
{
	const struct na_value *list = na_get(f->sequence, M_evidence);
	const char *verdict = na_text_at(f->sequence, M_verdict);
	const char *cause = na_text_or(f->sequence, M_cause, "");
	const char *first = list && list->kind == NA_V_LIST && list->n
				    ? na_text_of(list->u.of.first, "")
				    : "";

	if (!f->sequence)
		na_words_add(w, "No TCP connection to draw");
	else if (*cause)
		na_words_add(w, "%c%s%s%.*s", toupper((unsigned char)*cause),
			     cause + 1, *first ? "; " : "",
			     (int)strcspn(first, ";"), first);
	else
		na_words_add(w, "%s%s%s", verdict_words(verdict),
			     *first ? ": " : "", first);
}

void na_tcp_figure_subtitle(const struct tcp_figure *f, struct words *w)
{
	char n[NA_COUNT_BUF], m[NA_UNIT_BUF];
	int64_t rank = na_count_at(f->sequence, M_rank);
	int64_t all = na_count_at(f->body, M_connections_used);
	int64_t segments = na_count_at(f->sequence, M_segments);
	const struct na_value *whole = na_get(f->sequence, M_whole);

	na_words_inputs(f->result, w);
	if (!f->sequence)
		return;
	na_words_break(w);
	na_words_add(w, "data from %s to %s (%s)",
		     na_text_or(f->sequence, M_src, "?"),
		     na_text_or(f->sequence, M_dst, "?"),
		     na_text_or(f->sequence, M_direction, "?"));
	na_words_break(w);
	na_words_add(w, "connection %s of %s%s, worst first",
		     na_print_count(n, (uint64_t)rank),
		     na_print_count(m, (uint64_t)all),
		     whole && !whole->u.flag ? " in this window" : "");
	if (!segments)
		return;
	na_words_break(w);
	na_words_add(w, "%s both ways%s",
		     na_count_of(n, (uint64_t)segments, "packet"),
		     whole && !whole->u.flag ? ", a piece of it" : "");
}

void na_tcp_figure_evidence(const struct tcp_figure *f, struct words *w)
{
	na_for_each (v, na_get(f->sequence, M_evidence))
		na_words_add(w, ". %s", na_text_of(v, ""));
}
