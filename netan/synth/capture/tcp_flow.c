#include "netan/synth/capture/tcp_flow.h"

#include <string.h>

enum {
	FIN = 1,
	SYN = 2,
	SYN_WINDOW = 65535,
	ACK = 16,
	US = 1000,
	MS = 1000000,
	NEAR_NS = 12 * US, /* the host beside the capture point answers */
	DELAYED_NS = 40 * MS
};

const char *const na_flow_words[NA_FLOW_CALLS + 1] = {
	"healthy",        "loss", "timeout", "zero-window",
	"window-limited", "idle", "calls",
};

int64_t na_flow_turn_ns(const struct na_flow *f, unsigned side)
{
	return side == f->sender ? f->rtt_ns : NEAR_NS;
}

void na_flow_plan(struct na_flow *f, const struct na_flow_plan *p)
{
	size_t i = f->n++;

	while (i > 0) {
		struct na_flow_plan *q =
			&f->plans[(f->first + i - 1) % NA_FLOW_PLANS];

		if (q->time_ns <= p->time_ns)
			break;
		f->plans[(f->first + i) % NA_FLOW_PLANS] = *q;
		i--;
	}
	f->plans[(f->first + i) % NA_FLOW_PLANS] = *p;
}

static void plan_simple(struct na_flow *f, unsigned side, uint8_t flags)
{
	struct na_flow_plan p = {
		.time_ns = f->now_ns,
		.seq = f->next[side],
		.ack = flags & ACK ? f->next[!side] : 0,
		.window_bytes = f->window_bytes[side],
		.side = (uint8_t)side,
		.flags = flags,
	};

	na_flow_plan(f, &p);
	if (flags & (SYN | FIN))
		f->next[side]++;
	if (flags & ACK)
		f->acked[!side] = f->next[!side];
}

void na_flow_open(struct na_flow *f)
{
	f->now_ns = f->first_ns = f->start_ns;
	plan_simple(f, 0, SYN);
	f->now_ns += na_flow_turn_ns(f, 0);
	plan_simple(f, 1, SYN | ACK);
	f->now_ns += na_flow_turn_ns(f, 1);
	plan_simple(f, 0, ACK);
	f->now_ns += 5 * US;
	f->last_send_ns = f->now_ns;
}

void na_flow_close(struct na_flow *f)
{
	plan_simple(f, 0, FIN | ACK);
	f->now_ns += na_flow_turn_ns(f, 0);
	plan_simple(f, 1, FIN | ACK);
	f->now_ns += na_flow_turn_ns(f, 1);
	plan_simple(f, 0, ACK);
	f->closed = true;
}

static void ack_due(struct na_flow *f, unsigned side, int64_t due_ns)
{
	size_t i = (f->first_ack + f->n_acks++) % NA_FLOW_ACKS;

	f->acks[i].due_ns = due_ns;
	f->acks[i].upto = f->next[side];
	f->odd = 0;
}

void na_flow_send(struct na_flow *f, unsigned side, uint32_t n,
		  const uint8_t *bytes, uint8_t flags)
{
	struct na_flow_plan p = {
		.time_ns = f->now_ns,
		.seq = f->next[side],
		.ack = f->next[!side],
		.n = n,
		.window_bytes = f->window_bytes[side],
		.bytes = bytes,
		.side = (uint8_t)side,
		.flags = (uint8_t)(ACK | flags),
	};

	na_flow_plan(f, &p);
	f->acked[!side] = f->next[!side];
	f->next[side] += n;
	f->last_send_ns = f->now_ns;
	if (++f->odd == 2)
		ack_due(f, side, f->now_ns + na_flow_turn_ns(f, side));
	f->now_ns += f->gap_ns;
}

void na_flow_ack(struct na_flow *f, unsigned side, int64_t time_ns,
		 uint64_t ack)
{
	struct na_flow_plan p = {
		.time_ns = time_ns,
		.seq = f->next[side],
		.ack = ack,
		.window_bytes = f->window_bytes[side],
		.side = (uint8_t)side,
		.flags = ACK,
	};

	na_flow_plan(f, &p);
	f->acked[!side] = ack;
}

bool na_flow_room(const struct na_flow *f, unsigned side, uint32_t n)
{
	uint64_t flying = f->next[side] - f->acked[side];

	return flying + n <= f->window_bytes[!side] &&
	       flying + n <= (uint64_t)f->window_segments * NA_FLOW_MSS &&
	       f->n_acks < NA_FLOW_ACKS - 1 && f->n < NA_FLOW_PLANS - 8;
}

/* When the next ACK of what `side` sent is due. */
static int64_t next_due(struct na_flow *f, unsigned side)
{
	if (!f->n_acks && f->odd)
		ack_due(f, side,
			f->last_send_ns + na_flow_turn_ns(f, side) +
				DELAYED_NS);
	return f->n_acks ? f->acks[f->first_ack].due_ns : INT64_MAX;
}

void na_flow_turn(struct na_flow *f, unsigned side, int64_t start_ns)
{
	if (start_ns > f->now_ns)
		f->now_ns = start_ns;
	start_ns = f->now_ns;
	while (next_due(f, f->talker) < start_ns)
		na_flow_next_ack(f, f->talker);
	if (f->talker != side) {
		f->n_acks = 0;
		f->odd = 0;
	}
	f->talker = side;
	f->now_ns = start_ns > f->now_ns ? start_ns : f->now_ns;
}

bool na_flow_next_ack(struct na_flow *f, unsigned side)
{
	int64_t due_ns;

	next_due(f, side);
	if (!f->n_acks)
		return false;
	due_ns = f->acks[f->first_ack].due_ns;
	if (due_ns < f->now_ns)
		due_ns = f->now_ns;
	na_flow_ack(f, !side, due_ns, f->acks[f->first_ack].upto);
	f->first_ack = (f->first_ack + 1) % NA_FLOW_ACKS;
	f->n_acks--;
	f->now_ns = due_ns + 2 * US;
	return true;
}

void na_flow_drain(struct na_flow *f, unsigned side)
{
	while (na_flow_next_ack(f, side))
		;
}

/* ---- to the file */

/* Timestamps are milliseconds, each host from its own start. */
static uint32_t ms_at(const struct na_flow *f, int64_t time_ns)
{
	return (uint32_t)((time_ns - f->start_ns) / MS);
}

/* The last one of the other side that `side` had received.  What the far
 * side sends now it sent before it got what the capture point saw since. */
static uint32_t echoed_ms(const struct na_flow *f, unsigned side,
			  int64_t time_ns)
{
	const uint32_t *seen = f->seen_ms[!side];
	uint32_t at = ms_at(f, side == f->sender || time_ns < f->rtt_ns
				       ? time_ns
				       : time_ns - f->rtt_ns);
	size_t i = 0;

	while (i + 1 < NA_FLOW_STAMPS && seen[i] > at)
		i++;
	return seen[i];
}

static void remember_ms(struct na_flow *f, unsigned side, uint32_t ms)
{
	uint32_t *seen = f->seen_ms[side];

	if (seen[0] == ms)
		return;
	memmove(seen + 1, seen, (NA_FLOW_STAMPS - 1) * sizeof(*seen));
	seen[0] = ms;
}

static void put_stamps(struct na_flow *f, const struct na_flow_plan *p,
		       struct na_frame_tcp *t)
{
	uint8_t *o = t->options + t->n_options;
	uint32_t ms = ms_at(f, p->time_ns), echo = 0;

	if (p->flags & ACK)
		echo = f->isn[!p->side] / 3 + echoed_ms(f, p->side, p->time_ns);
	o = na_put_be(o, 0x0101080a, 4);
	o = na_put_be(o, f->isn[p->side] / 3 + ms, 4);
	na_put_be(o, echo, 4);
	t->n_options = (uint8_t)(t->n_options + 12);
	remember_ms(f, p->side, ms);
}

static void put_options(struct na_flow *f, const struct na_flow_plan *p,
			struct na_frame_tcp *t)
{
	static const uint8_t syn[] = {2, 4, 1460 >> 8, 1460 & 255,
				      1, 3, 3,         NA_FLOW_SHIFT,
				      1, 1, 4,         2};
	uint8_t *o;

	if (p->flags & SYN) {
		memcpy(t->options, syn, sizeof(syn));
		t->n_options = sizeof(syn);
	}
	put_stamps(f, p, t);
	if (p->sack[0] == p->sack[1])
		return;
	o = na_put_be(t->options + t->n_options, 0x0101050a, 4);
	o = na_put_be(o, f->isn[!p->side] + (uint32_t)p->sack[0], 4);
	na_put_be(o, f->isn[!p->side] + (uint32_t)p->sack[1], 4);
	t->n_options = (uint8_t)(t->n_options + 12);
}

static void count(struct na_flow *f, const struct na_flow_plan *p,
		  uint64_t wire_bytes)
{
	struct na_flow_truth *d = &f->dir[p->side];
	uint64_t edge = f->seen_ack[!p->side] + f->seen_window[!p->side];

	d->packets++;
	d->wire_bytes += wire_bytes;
	d->bytes += p->n;
	d->data_packets += p->n > 0;
	if (p->marks & NA_PLAN_AGAIN)
		d->retransmitted_bytes += p->n;
	d->retransmissions += !!(p->marks & NA_PLAN_AGAIN);
	d->fast += !!(p->marks & NA_PLAN_FAST);
	d->timeout += !!(p->marks & NA_PLAN_TIMEOUT);
	d->duplicate_acks += !!(p->marks & NA_PLAN_DUPLICATE);
	d->keep_alives += !!(p->marks & NA_PLAN_KEEP_ALIVE);
	d->sack_packets += p->sack[0] != p->sack[1];
	d->zero_windows += !p->window_bytes && !(p->flags & (SYN | FIN));
	d->window_full += p->n && p->seq + p->n == edge;
	f->seen_window[p->side] = p->flags & SYN ? SYN_WINDOW : p->window_bytes;
	if (p->flags & ACK)
		f->seen_ack[p->side] = p->ack;
	f->end_ns = p->time_ns;
}

enum na_status na_flow_put(struct na_flow *f, struct na_frames *out,
			   struct na_err *err)
{
	struct na_flow_plan *p = &f->plans[f->first];
	struct na_frame_tcp t = {
		.seq = f->isn[p->side] + (uint32_t)p->seq,
		.ack = p->flags & ACK ? f->isn[!p->side] + (uint32_t)p->ack : 0,
		.flags = p->flags,
	};
	struct na_frame_data data = {p->bytes, p->seq, p->n};
	uint64_t before = na_frames_sums(out)->wire_bytes;
	enum na_status st;

	/* A SYN's window is not scaled. */
	t.window = (uint16_t)(p->flags & SYN
				      ? SYN_WINDOW
				      : p->window_bytes >> NA_FLOW_SHIFT);
	put_options(f, p, &t);
	st = na_frames_tcp(out, p->time_ns, &f->ends[p->side],
			   &f->ends[!p->side], &t, &data, err);
	count(f, p, na_frames_sums(out)->wire_bytes - before);
	f->first = (f->first + 1) % NA_FLOW_PLANS;
	f->n--;
	return st;
}
