/*
 * tcp: what the time-sequence graph shows, of bounded size however many
 * segments there are.  Time is cut into columns; each keeps the range of
 * what happened in it, and how often.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/tcp/segment_outcome.h"
#include "netan/base/order.h"

enum {
	MARK_COLUMNS = TCP_COLUMNS / 2,
	UNDER_WAY = 4096,
	HOLES = 256,
	RANGES = 4 /* of bytes in one column, told apart */
};

/* clang-format off */
static const char *const mark_names[TCP_MARKS] = {
	"fast", "timeout", "other", "spurious", "out_of_order", "lost_before",
	"unrecorded", "window_full", "ecn", "sack", "duplicate_ack",
	"zero_window",
};
/* clang-format on */

enum course {
	ACK_FROM,
	ACK_TO,
	EDGE_FROM,
	EDGE_TO,
	FLIGHT_MAX,
	FLIGHT_LAST,
	WINDOW_MIN,
	WINDOW_LAST,
	RTT_MIN,
	RTT_MAX,
	COURSES
};

/* clang-format off */
static const char *const course_names[COURSES] = {
	M_ack_from, M_ack_to, M_edge_from, M_edge_to,
	M_in_flight_max, M_in_flight_last, M_window_min, M_window_last,
	M_rtt_min_us, M_rtt_max_us,
};
/* clang-format on */

/* Bytes that were sent for the first time in one column. */
struct ranges {
	uint64_t from[RANGES], to[RANGES];
	size_t n;
};

struct marked { /* marks of one kind in one column */
	uint64_t n;
	int64_t first_ps;
	double from, to;
};

struct spans {
	struct span {
		int64_t from_ps, to_ps;
	} kept[TCP_SPANS];
	size_t n;
	uint64_t all;
};

struct tcp_sequence {
	const struct tcp_row *row;
	uint8_t way;
	int64_t from_ps, to_ps; /* what is drawn, both inclusive */
	bool whole;             /* all of the connection */
	bool inside;            /* the segment at hand */
	uint64_t segments, sent, acks;
	uint64_t elsewhere; /* segments outside the window */
	double *course[COURSES];
	struct ranges data[TCP_COLUMNS];
	struct marked marks[TCP_MARKS][MARK_COLUMNS];
	uint64_t n_marks[TCP_MARKS];
	struct spans silent, closed;
	struct tcp_outcomes *outcomes; /* where long packets die; or NULL */

	/* As of the last segment. */
	uint64_t sent_to, acked; /* sequence numbers */
	uint64_t lowest;         /* that was told */
	uint32_t window_bytes;
	bool any_sent, any_ack, window_known, is_closed;
	int64_t last_ps; /* that sender could act on: sent or told */
	int64_t closed_ps;

	/* Bytes that were skipped: lost before the capture point, if they come
	 * again; else missed by the capture, if they are acknowledged. */
	struct hole {
		uint64_t from, to;
		int64_t time_ps; /* of the segment behind it */
		bool inside;
	} holes[HOLES];
	size_t n_holes;

	/* Sent once and not acknowledged: for round trips. */
	struct under_way {
		uint64_t end;
		int64_t time_ps;
	} under_way[UNDER_WAY];
	size_t first, waiting;
};

size_t na_tcp_column(int64_t from_ps, int64_t to_ps, int64_t time_ps,
		     size_t columns)
{
	na_i128 at = (na_i128)time_ps - from_ps;
	na_i128 span = (na_i128)to_ps - from_ps + 1;

	if (at <= 0 || span <= 0)
		return 0;
	at = at * (na_i128)columns / span;
	return at < (na_i128)columns ? (size_t)at : columns - 1;
}

static size_t column_of(const struct tcp_sequence *q, int64_t time_ps,
			size_t columns)
{
	return na_tcp_column(q->from_ps, q->to_ps, time_ps, columns);
}

static void widen(struct tcp_sequence *q, size_t at, enum course from,
		  double lo, double hi)
{
	if (!q->inside)
		return;
	/* NaN loses against any number. */
	q->course[from][at] = fmin(q->course[from][at], lo);
	q->course[from + 1][at] = fmax(q->course[from + 1][at], hi);
}

static uint64_t apart(const struct ranges *r, size_t i, uint64_t from,
		      uint64_t to)
{
	return from > r->to[i]   ? from - r->to[i]
	       : r->from[i] > to ? r->from[i] - to
				 : 0;
}

/* To the range that it touches, to one of its own, or to the nearest. */
static void add_range(struct ranges *r, uint64_t from, uint64_t to)
{
	size_t best = 0;

	for (size_t i = 1; i < r->n; i++) {
		if (apart(r, i, from, to) < apart(r, best, from, to))
			best = i;
	}
	if (r->n < RANGES && (!r->n || apart(r, best, from, to))) {
		best = r->n++;
		r->from[best] = from;
		r->to[best] = to;
	}
	r->from[best] = from < r->from[best] ? from : r->from[best];
	r->to[best] = to > r->to[best] ? to : r->to[best];
}

static void mark(struct tcp_sequence *q, enum tcp_mark kind, int64_t time_ps,
		 double from, double to)
{
	struct marked *m = &q->marks[kind][column_of(q, time_ps, MARK_COLUMNS)];

	if (!q->inside)
		return;
	if (!m->n++)
		*m = (struct marked){1, time_ps, from, to};
	m->from = fmin(m->from, from);
	m->to = fmax(m->to, to);
	q->n_marks[kind]++;
}

/* What became of a hole. */
static void settle(struct tcp_sequence *q, size_t i, enum tcp_mark kind)
{
	struct hole h = q->holes[i];
	bool inside = q->inside;

	q->inside = h.inside;
	mark(q, kind, h.time_ps, (double)h.to, (double)h.to);
	q->inside = inside;
	q->n_holes--;
	memmove(q->holes + i, q->holes + i + 1,
		(q->n_holes - i) * sizeof(*q->holes));
}

static void open_hole(struct tcp_sequence *q, uint64_t to, int64_t time_ps)
{
	if (q->n_holes == HOLES)
		settle(q, 0, TCP_MARK_LOST);
	q->holes[q->n_holes++] = (struct hole){q->any_sent ? q->sent_to : to,
					       to, time_ps, q->inside};
}

static void fill_holes(struct tcp_sequence *q, uint64_t from, uint64_t to)
{
	for (size_t i = q->n_holes; i-- > 0;)
		if (from < q->holes[i].to && q->holes[i].from < to)
			settle(q, i, TCP_MARK_LOST);
}

static void ack_holes(struct tcp_sequence *q, uint64_t ack)
{
	for (size_t i = q->n_holes; i-- > 0;)
		if (q->holes[i].to <= ack)
			settle(q, i, TCP_MARK_UNRECORDED);
}

static uint64_t length(const struct span *s)
{
	return (uint64_t)s->to_ps - (uint64_t)s->from_ps;
}

/* The longest are kept. */
static void add_span(struct spans *s, int64_t from_ps, int64_t to_ps)
{
	size_t least = 0;

	if (to_ps <= from_ps)
		return;
	s->all++;
	if (s->n < TCP_SPANS) {
		s->kept[s->n++] = (struct span){from_ps, to_ps};
		return;
	}
	for (size_t i = 1; i < s->n; i++) {
		if (length(&s->kept[i]) < length(&s->kept[least]))
			least = i;
	}
	if (length(&s->kept[least]) < (uint64_t)to_ps - (uint64_t)from_ps)
		s->kept[least] = (struct span){from_ps, to_ps};
}

NA_ORDER(longer_first, struct span, NA_CMP(length(y), length(x)),
	 NA_UP(from_ps))
NA_ORDER(earlier_first, struct span, NA_UP(from_ps))

/* The n longest, by time. */
static void keep_longest(struct spans *s, uint64_t n)
{
	na_sort(s->kept, s->n, longer_first);
	if (s->n > n)
		s->n = (size_t)n;
	na_sort(s->kept, s->n, earlier_first);
}

/* The evidence, and of what there is none, the age. */
static bool is_again(uint32_t marks)
{
	const uint32_t aged = NA_SEG_RETRANSMIT | NA_SEG_FAST |
			      NA_SEG_TIMEOUT | NA_SEG_SPURIOUS;

	return marks & NA_SEG_AGAIN || (marks & aged && !(marks & NA_SEG_LATE));
}

static bool is_late(uint32_t marks)
{
	return marks & (NA_SEG_LATE | NA_SEG_OUT_OF_ORDER) && !is_again(marks);
}

static enum tcp_mark retransmission_of(uint32_t marks)
{
	if (marks & NA_SEG_SPURIOUS)
		return TCP_MARK_SPURIOUS;
	if (marks & NA_SEG_TIMEOUT)
		return TCP_MARK_TIMEOUT;
	return marks & NA_SEG_FAST ? TCP_MARK_FAST : TCP_MARK_OTHER;
}

static void remember(struct tcp_sequence *q, uint64_t end, int64_t time_ps)
{
	if (q->waiting == UNDER_WAY) {
		q->first = (q->first + 1) % UNDER_WAY;
		q->waiting--;
	}
	q->under_way[(q->first + q->waiting++) % UNDER_WAY] =
		(struct under_way){end, time_ps};
}

static void other_marks(struct tcp_sequence *q, const struct na_segment *x,
			double lo, double hi)
{
	if (is_late(x->marks))
		mark(q, TCP_MARK_DISORDER, x->time_ps, lo, hi);
	if (x->marks & NA_SEG_WINDOW_FULL)
		mark(q, TCP_MARK_FULL, x->time_ps, hi, hi);
	if (x->marks & NA_SEG_CE)
		mark(q, TCP_MARK_CE, x->time_ps, lo, hi);
}

static void lower(struct tcp_sequence *q, uint64_t seq)
{
	if (seq < q->lowest)
		q->lowest = seq;
}

static void add_data(struct tcp_sequence *q, const struct na_segment *x,
		     size_t at)
{
	uint64_t end = x->seq + x->size_bytes;
	double lo = (double)x->seq, hi = (double)end;

	if (q->outcomes)
		na_tcp_outcomes_sent(q->outcomes, x, q->inside);
	lower(q, x->seq);
	fill_holes(q, x->seq, end);
	if (x->marks & NA_SEG_LOST_BEFORE)
		open_hole(q, x->seq, x->time_ps);
	if (x->marks & NA_SEG_TIMEOUT && q->any_sent)
		add_span(&q->silent, q->last_ps, x->time_ps);
	if (is_again(x->marks)) {
		mark(q, retransmission_of(x->marks), x->time_ps, lo, hi);
		q->waiting = 0; /* Karn: whose ACK comes next is unknown */
	} else {
		if (q->inside)
			add_range(&q->data[at], x->seq, end);
		if (!is_late(x->marks))
			remember(q, end, x->time_ps);
	}
	other_marks(q, x, lo, hi);
	q->sent += q->inside;
	q->any_sent = true;
	q->last_ps = x->time_ps;
	if (end > q->sent_to)
		q->sent_to = end;
}

static void round_trip(struct tcp_sequence *q, const struct na_segment *x,
		       size_t at)
{
	int64_t sent_ps = 0, ps;
	bool any = false;

	while (q->waiting && q->under_way[q->first].end <= x->ack) {
		any = q->under_way[q->first].end == x->ack;
		sent_ps = q->under_way[q->first].time_ps;
		q->first = (q->first + 1) % UNDER_WAY;
		q->waiting--;
	}
	if (any && na_add_i64(x->time_ps, -sent_ps, &ps) && ps >= 0)
		widen(q, at, RTT_MIN, na_us(ps), na_us(ps));
}

static void add_window(struct tcp_sequence *q, const struct na_segment *x,
		       size_t at)
{
	bool closed = x->marks & NA_SEG_ZERO_WINDOW;

	/* Of a window without its scale nobody knows the edge. */
	if (q->row->c->dir[1 - q->way].window_scale_known) {
		q->window_bytes = x->window_bytes;
		q->window_known = true;
		widen(q, at, EDGE_FROM, (double)x->ack + x->window_bytes,
		      (double)x->ack + x->window_bytes);
	}
	if (closed)
		mark(q, TCP_MARK_ZERO, x->time_ps, (double)x->ack,
		     (double)x->ack);
	if (closed && !q->is_closed)
		q->closed_ps = x->time_ps;
	if (!closed && x->window_bytes && q->is_closed)
		add_span(&q->closed, q->closed_ps, x->time_ps);
	q->is_closed = closed || (q->is_closed && !x->window_bytes);
}

static void add_ack(struct tcp_sequence *q, const struct na_segment *x,
		    size_t at)
{
	double ack = (double)x->ack;

	bool blocks = x->n_sack && x->sack_to > x->ack &&
		      x->sack_to > x->sack_from && x->sack_to <= INT64_MAX;

	if (q->outcomes)
		na_tcp_outcomes_acked(q->outcomes, x);
	lower(q, x->ack);
	q->acks += q->inside;
	widen(q, at, ACK_FROM, ack, ack);
	if (blocks)
		mark(q, TCP_MARK_SACK, x->time_ps, (double)x->sack_from,
		     (double)x->sack_to);
	if (x->marks & NA_SEG_DUPLICATE_ACK)
		mark(q, TCP_MARK_DUPLICATE, x->time_ps, ack, ack);
	round_trip(q, x, at);
	ack_holes(q, x->ack);
	if (x->ack > q->acked || x->n_sack || x->marks & NA_SEG_DUPLICATE_ACK)
		q->last_ps = x->time_ps;
	if (x->ack > q->acked)
		q->acked = x->ack;
	q->any_ack = true;
	if (!(x->marks & NA_SEG_RST))
		add_window(q, x, at);
}

/* Where the graph's bytes begin: without a SYN the reader's numbers are
 * large, and nothing is known before the lowest. */
static uint64_t base_of(const struct tcp_sequence *q)
{
	return q->lowest == UINT64_MAX || q->lowest <= INT32_MAX ? 0
								 : q->lowest;
}

static bool in_range(uint64_t seq, uint32_t size)
{
	return seq <= (uint64_t)INT64_MAX - size;
}

/* What is in flight, and the window, as the segment left them. */
static void keep_levels(struct tcp_sequence *q, size_t at)
{
	double flight = q->sent_to > q->acked ? (double)(q->sent_to - q->acked)
					      : 0;
	double window = q->window_bytes;

	if (q->any_sent && q->any_ack) {
		q->course[FLIGHT_LAST][at] = flight;
		q->course[FLIGHT_MAX][at] = fmax(q->course[FLIGHT_MAX][at],
						 flight);
	}
	if (q->window_known) {
		q->course[WINDOW_LAST][at] = window;
		q->course[WINDOW_MIN][at] = fmin(q->course[WINDOW_MIN][at],
						 window);
	}
}

static enum na_status add_segment(void *ctx, const struct na_segment *x)
{
	struct tcp_sequence *q = ctx;
	size_t at = column_of(q, x->time_ps, TCP_COLUMNS);

	q->inside = q->whole ||
		    (x->time_ps >= q->from_ps && x->time_ps <= q->to_ps);
	q->segments += q->inside;
	q->elsewhere += !q->inside;
	if (x->dir == q->way) {
		if (x->size_bytes && !(x->marks & NA_SEG_KEEP_ALIVE) &&
		    in_range(x->seq, x->size_bytes))
			add_data(q, x, at);
	} else if (x->ack && in_range(x->ack, x->window_bytes)) {
		add_ack(q, x, at);
	}
	if (q->inside)
		keep_levels(q, at);
	return NA_OK;
}

void na_tcp_sequence_free(struct tcp_sequence *q)
{
	if (!q)
		return;
	na_tcp_outcomes_free(q->outcomes);
	free(q->course[0]);
	free(q);
}

static struct tcp_sequence *sequence_new(void)
{
	struct tcp_sequence *q = na_calloc(1, sizeof(*q));
	double *x = na_calloc(COURSES * (size_t)TCP_COLUMNS, sizeof(*x));

	if (!q || !x) {
		free(q);
		free(x);
		return NULL;
	}
	for (size_t i = 0; i < (size_t)COURSES * TCP_COLUMNS; i++)
		x[i] = NAN;
	for (size_t i = 0; i < COURSES; i++)
		q->course[i] = x + i * TCP_COLUMNS;
	q->lowest = UINT64_MAX;
	return q;
}

/* --from and --to show a piece of a connection. */
static void choose_window(struct tcp_sequence *q, const struct na_filter *f)
{
	const struct na_connection *c = q->row->c;

	q->from_ps = c->from_ps > f->from_ps ? c->from_ps : f->from_ps;
	q->to_ps = c->to_ps < f->to_ps ? c->to_ps : f->to_ps - 1;
	/* What a window has cut off is not in c. */
	q->whole = q->from_ps == c->from_ps && q->to_ps == c->to_ps &&
		   f->from_ps == NA_TIME_MIN && f->to_ps == NA_TIME_MAX;
}

/* Cut at what is drawn; pieces outside go. */
static void clip(struct spans *s, const struct tcp_sequence *q)
{
	size_t n = 0;

	if (q->whole)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct span x = s->kept[i];

		x.from_ps = x.from_ps > q->from_ps ? x.from_ps : q->from_ps;
		x.to_ps = x.to_ps < q->to_ps ? x.to_ps : q->to_ps;
		if (x.from_ps < x.to_ps)
			s->kept[n++] = x;
	}
	s->n = n;
	s->all = n;
}

/* False: no memory. */
static bool follow_outcomes(struct tcp_sequence *q)
{
	uint32_t long_bytes = na_tcp_long_bytes(q->row, q->way);

	if (!long_bytes)
		return true;
	q->outcomes = na_tcp_outcomes_new(long_bytes, q->from_ps, q->to_ps);
	return q->outcomes;
}

enum na_status na_tcp_sequence_read(struct tcp_state *s, struct na_err *err)
{
	struct tcp_sequence *q = sequence_new();
	enum na_status st;

	if (!q)
		return na_fail_nomem(err);
	s->drawn = q;
	q->row = &s->rows.v[s->params->connection - 1];
	q->way = s->params->way == TCP_FWD   ? 0
		 : s->params->way == TCP_REV ? 1
					     : q->row->told;
	choose_window(q, s->scope->filter);
	if (!follow_outcomes(q))
		return na_fail_nomem(err);
	st = s->scope->segments(s->scope->segments_ctx, q->row->c, add_segment,
				q, err);
	while (q->n_holes)
		settle(q, q->n_holes - 1, TCP_MARK_LOST);
	if (q->outcomes)
		na_tcp_outcomes_end(q->outcomes);
	if (q->is_closed)
		add_span(&q->closed, q->closed_ps, q->row->c->to_ps);
	/* Of a timeout's retransmissions only the first ends a silence. */
	q->silent.all = q->row->c->dir[q->way].timeouts;
	keep_longest(&q->silent, q->silent.all);
	keep_longest(&q->closed, q->closed.all);
	clip(&q->silent, q);
	clip(&q->closed, q);
	return st;
}

static double length_of(const struct spans *s)
{
	double ps = 0;

	for (size_t i = 0; i < s->n; i++)
		ps += (double)length(&s->kept[i]);
	return ps;
}

static void put_spans(struct na_result *r, struct na_value *in,
		      const char *name, const char *all,
		      const struct spans *spans)
{
	struct na_value *list = na_put_list(r, in, name);

	for (size_t i = 0; i < spans->n; i++) {
		struct na_value *to = na_put_object(r, list, NULL);

		na_put_real(r, to, M_from_s, na_s(spans->kept[i].from_ps));
		na_put_real(r, to, M_to_s, na_s(spans->kept[i].to_ps));
	}
	na_put_int(r, in, all, (int64_t)spans->all);
}

static void put_marks(struct na_result *r, struct na_value *in,
		      const struct tcp_sequence *q)
{
	struct na_value *list = na_put_list(r, in, M_marks), *counts;
	double base = (double)base_of(q);

	for (size_t k = 0; k < TCP_MARKS; k++) {
		for (size_t i = 0; i < MARK_COLUMNS; i++) {
			const struct marked *m = &q->marks[k][i];
			struct na_value *to;

			if (!m->n)
				continue;
			to = na_put_object(r, list, NULL);
			na_put_text(r, to, M_kind, mark_names[k]);
			na_put_real(r, to, M_time_s, na_s(m->first_ps));
			na_put_real(r, to, M_from_byte, m->from - base);
			na_put_real(r, to, M_to_byte, m->to - base);
			na_put_int(r, to, M_count, (int64_t)m->n);
		}
	}
	counts = na_put_object(r, in, M_mark_counts);
	for (size_t k = 0; k < TCP_MARKS; k++)
		na_put_int(r, counts, mark_names[k], (int64_t)q->n_marks[k]);
}

static void put_data(struct na_result *r, struct na_value *in,
		     const struct tcp_sequence *q)
{
	static const char *const fields[] = {M_column, M_from_byte, M_to_byte,
					     NULL};
	int64_t *cells;
	size_t n = 0;

	cells = na_calloc((size_t)TCP_COLUMNS * RANGES, 3 * sizeof(*cells));
	na_result_adopt(r, cells);
	for (size_t i = 0; cells && i < TCP_COLUMNS; i++) {
		const struct ranges *x = &q->data[i];

		for (size_t k = 0; k < x->n; k++, n++) {
			cells[3 * n] = (int64_t)i;
			cells[3 * n + 1] = (int64_t)(x->from[k] - base_of(q));
			cells[3 * n + 2] = (int64_t)(x->to[k] - base_of(q));
		}
	}
	na_put_rows(r, in, M_data, fields, cells, n);
}

static void put_courses(struct na_result *r, struct na_value *in,
			const struct tcp_sequence *q)
{
	double *time = na_put_reals(r, in, M_time_s, TCP_COLUMNS);
	double span = na_s((double)q->to_ps - (double)q->from_ps + 1);
	double base = (double)base_of(q);

	for (size_t i = 0; time && i < TCP_COLUMNS; i++)
		time[i] = na_s(q->from_ps) + span * (double)i / TCP_COLUMNS;
	for (size_t k = 0; k < COURSES; k++) {
		double *x = na_put_reals(r, in, course_names[k], TCP_COLUMNS);

		for (size_t i = 0; x && i < TCP_COLUMNS; i++)
			x[i] = q->course[k][i] - (k <= EDGE_TO ? base : 0);
	}
}

void na_tcp_sequence_put(struct na_result *r, const struct tcp_state *s)
{
	const struct tcp_sequence *q = s->drawn;
	const struct na_connection *c;
	struct na_value *to;
	char src[NA_SOCKET_BUF], dst[NA_SOCKET_BUF], address[NA_ENDPOINT_BUF];

	if (!q)
		return;
	c = q->row->c;
	to = na_put_object(r, na_result_body(r), M_sequence);
	na_put_int(r, to, M_rank, s->params->connection);
	na_put_text(r, to, M_direction, q->way ? "rev" : "fwd");
	na_tcp_ends(s, c, q->way, src, dst);
	na_put_text(r, to, M_src, src);
	na_put_text(r, to, M_dst, dst);
	na_put_int(r, to, M_segments, (int64_t)q->segments);
	na_put_int(r, to, M_segments_outside, (int64_t)q->elsewhere);
	na_put_int(r, to, M_data_segments, (int64_t)q->sent);
	na_put_int(r, to, M_acks, (int64_t)q->acks);
	na_put_real(r, to, M_from_s, na_s(q->from_ps));
	na_put_real(r, to, M_to_s, na_s(q->to_ps));
	na_put_bool(r, to, M_whole, !q->elsewhere);
	na_put_bool(r, to, M_mid_stream, base_of(q) > 0);
	if (q->row->whole_rtt)
		na_put_real(r, to, M_path_rtt_us, na_us_of_ns(q->row->rtt_ns));
	na_put_text(r, to, M_verdict, na_tcp_verdict_names[q->row->verdict]);
	na_put_fact(r, to, M_cause, na_tcp_cause(s, q->row, q->way, address));
	na_tcp_put_evidence(r, na_put_list(r, to, M_evidence), s, q->row);
	if (!q->segments)
		return;
	put_data(r, to, q);
	put_courses(r, to, q);
	put_marks(r, to, q);
	if (q->outcomes)
		na_tcp_outcomes_put(r, to, q->outcomes);
	na_put_real(r, to, M_silent_ms,
		    q->whole ? na_ms_of_ns(c->dir[q->way].timeout_total_ns)
			     : na_ms(length_of(&q->silent)));
	put_spans(r, to, M_silent, M_silences, &q->silent);
	put_spans(r, to, M_closed, M_closures, &q->closed);
}
