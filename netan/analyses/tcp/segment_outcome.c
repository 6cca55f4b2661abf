#include "netan/analyses/tcp/segment_outcome.h"

#include <stdlib.h>

#include "members.h"

enum { KEPT = 256, COLUMNS = TCP_COLUMNS / 2, PIECES_MOST = 64 };

enum outcome { ARRIVED, LOST, OPEN, OUTCOMES };

static const char *const outcome_names[OUTCOMES] = {"arrived", "lost", "open"};

struct sent { /* one packet */
	uint64_t seq, end;
	uint64_t again_bytes; /* of these: sent again later */
	int64_t time_ps;
	bool inside, settled;
};

struct column { /* packets of one outcome, long or short */
	uint64_t n;
	int64_t first_ps;
	uint64_t least, most; /* bytes */
};

struct tcp_outcomes {
	uint32_t long_bytes;
	int64_t from_ps, to_ps;
	struct sent sent[KEPT]; /* the newest that many */
	uint64_t n;             /* sent ever */
	struct column columns[2][OUTCOMES][COLUMNS]; /* short, long */
	uint64_t counts[2][OUTCOMES];
};

uint32_t na_tcp_long_bytes(const struct tcp_row *row, size_t way)
{
	const struct na_direction *d = &row->c->dir[way];

	if (na_tcp_long_die(row, way))
		return d->long_least;
	if (na_tcp_black_hole(row, way) && d->last_again_bytes <= UINT32_MAX)
		return (uint32_t)d->last_again_bytes;
	return 0;
}

struct tcp_outcomes *na_tcp_outcomes_new(uint32_t long_bytes, int64_t from_ps,
					 int64_t to_ps)
{
	struct tcp_outcomes *f = na_calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->long_bytes = long_bytes;
	f->from_ps = from_ps;
	f->to_ps = to_ps;
	return f;
}

void na_tcp_outcomes_free(struct tcp_outcomes *f)
{
	free(f);
}

static void settle(struct tcp_outcomes *f, struct sent *s, enum outcome outcome)
{
	uint64_t bytes = s->end - s->seq;
	bool is_long = bytes >= f->long_bytes;
	struct column *c;

	if (s->settled)
		return;
	s->settled = true;
	if (!s->inside)
		return;
	c = &f->columns[is_long][outcome][na_tcp_column(f->from_ps, f->to_ps,
							s->time_ps, COLUMNS)];
	if (!c->n++)
		*c = (struct column){1, s->time_ps, bytes, bytes};
	c->first_ps = s->time_ps < c->first_ps ? s->time_ps : c->first_ps;
	c->least = bytes < c->least ? bytes : c->least;
	c->most = bytes > c->most ? bytes : c->most;
	f->counts[is_long][outcome]++;
}

static enum outcome outcome_of(const struct sent *s, bool acked)
{
	if (s->again_bytes >= s->end - s->seq)
		return LOST;
	return acked ? ARRIVED : OPEN;
}

static uint64_t oldest(const struct tcp_outcomes *f)
{
	return f->n > KEPT ? f->n - KEPT : 0;
}

/* The last that carried the byte at seq; NULL: none is kept. */
static struct sent *carrier(struct tcp_outcomes *f, uint64_t seq)
{
	for (uint64_t n = f->n; n-- > oldest(f);) {
		struct sent *s = &f->sent[n % KEPT];

		if (s->seq <= seq && seq < s->end)
			return s;
	}
	return NULL;
}

/* What carried these bytes before did not bring them. */
static void sent_again(struct tcp_outcomes *f, uint64_t seq, uint64_t end)
{
	for (int n = 0; n < PIECES_MOST && seq < end; n++) {
		struct sent *s = carrier(f, seq);
		uint64_t to;

		if (!s)
			return;
		to = s->end < end ? s->end : end;
		if (!s->settled)
			s->again_bytes += to - seq;
		seq = to;
	}
}

void na_tcp_outcomes_sent(struct tcp_outcomes *f, const struct na_segment *x,
			  bool inside)
{
	uint64_t end = x->seq + x->size_bytes;
	struct sent *to = &f->sent[f->n % KEPT];

	if (!(x->marks & NA_SEG_SPURIOUS))
		sent_again(f, x->seq, end);
	if (f->n >= KEPT)
		settle(f, to, outcome_of(to, false));
	f->n++;
	*to = (struct sent){.seq = x->seq,
			    .end = end,
			    .time_ps = x->time_ps,
			    .inside = inside};
}

void na_tcp_outcomes_acked(struct tcp_outcomes *f, const struct na_segment *x)
{
	for (uint64_t n = f->n; n-- > oldest(f);) {
		struct sent *s = &f->sent[n % KEPT];
		bool block = x->n_sack && x->sack_from <= s->seq &&
			     s->end <= x->sack_to;

		if (s->end <= x->ack || block)
			settle(f, s, outcome_of(s, true));
	}
}

void na_tcp_outcomes_end(struct tcp_outcomes *f)
{
	for (uint64_t n = oldest(f); n < f->n; n++)
		settle(f, &f->sent[n % KEPT],
		       outcome_of(&f->sent[n % KEPT], false));
}

static void put_columns(struct na_result *r, struct na_value *list,
			const struct column *columns, const char *outcome)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		struct na_value *to;

		if (!columns[i].n)
			continue;
		to = na_put_object(r, list, NULL);
		na_put_text(r, to, M_fate, outcome);
		na_put_real(r, to, M_time_s, na_s(columns[i].first_ps));
		na_put_int(r, to, M_least_bytes, (int64_t)columns[i].least);
		na_put_int(r, to, M_most_bytes, (int64_t)columns[i].most);
		na_put_int(r, to, M_count, (int64_t)columns[i].n);
	}
}

void na_tcp_outcomes_put(struct na_result *r, struct na_value *in,
			 const struct tcp_outcomes *f)
{
	struct na_value *to = na_put_object(r, in, M_fates), *list;

	na_put_int(r, to, M_long_least, f->long_bytes);
	na_put_int(r, to, M_long_arrived, (int64_t)f->counts[1][ARRIVED]);
	na_put_int(r, to, M_long_lost, (int64_t)f->counts[1][LOST]);
	na_put_int(r, to, M_short_arrived, (int64_t)f->counts[0][ARRIVED]);
	na_put_int(r, to, M_short_lost, (int64_t)f->counts[0][LOST]);
	list = na_put_list(r, to, M_packets);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < OUTCOMES; i++)
			put_columns(r, list, f->columns[k][i],
				    outcome_names[i]);
}
