/*
 * A sender with a window of segments, clocked by ACKs of every other
 * segment, and episodes: each one drains the connection first, so that its
 * packets are known before they are sent.
 */
#include "netan/synth/capture/tcp_bulk.h"

enum {
	PSH = 8,
	US = 1000,
	MS = 1000000,
	MSS = NA_FLOW_MSS,
	INITIAL_WINDOW = 10,
	LARGEST_WINDOW = 36,
	FLIGHT = 24, /* of an episode */
	RTO_NS = 200 * MS,
	BUFFER = 48 * MSS,
	SMALL_BUFFER = 8 * MSS,
	STEP = 16 /* packets planned at a time */
};

static bool is(const struct na_bulk *b, enum na_flow_condition c)
{
	return b->flow.condition == c;
}

void na_bulk_start(struct na_bulk *b, uint64_t bytes, int64_t loss_q16)
{
	struct na_flow *f = &b->flow;
	uint32_t buffer = is(b, NA_FLOW_WINDOW) ? SMALL_BUFFER : BUFFER;

	f->window_bytes[0] = f->window_bytes[1] = buffer;
	f->window_segments = INITIAL_WINDOW;
	f->gap_ns = 1300; /* a full frame at some 10 Gbit/s */
	f->rtt_ns = 400 * US + (int64_t)na_rng_below(&f->rng, 1600) * US;
	if (is(b, NA_FLOW_WINDOW))
		f->rtt_ns *= 5;
	b->left_bytes = bytes;
	b->loss_q16 = loss_q16;
	b->ssthresh = LARGEST_WINDOW;
	na_flow_open(f);
}

/* ---- episodes */

static void send(struct na_bulk *b, uint32_t n)
{
	bool last = b->transfer_bytes <= n;

	na_flow_send(&b->flow, b->flow.sender, n, NULL, last ? PSH : 0);
	b->left_bytes -= n;
	b->transfer_bytes -= n;
	b->owed_q16 += b->loss_q16;
}

static void again(struct na_flow *f, uint64_t seq, int64_t time_ns,
		  uint8_t mark)
{
	struct na_flow_plan p = na_flow_now(f, f->sender);

	p.time_ns = time_ns;
	p.seq = seq;
	p.n = MSS;
	p.marks = (uint8_t)(NA_PLAN_AGAIN | mark);
	na_flow_plan(f, &p);
}

static void duplicate(struct na_flow *f, int64_t time_ns, uint64_t from,
		      uint64_t to)
{
	struct na_flow_plan p = na_flow_now(f, !f->sender);

	p.time_ns = time_ns;
	p.ack = f->acked[f->sender];
	p.sack[0] = from;
	p.sack[1] = to;
	p.marks = NA_PLAN_DUPLICATE;
	na_flow_plan(f, &p);
}

/* One segment of a flight is lost; every one behind it makes a duplicate
 * ACK, the third of them a fast retransmission. */
static void lose_one(struct na_bulk *b)
{
	struct na_flow *f = &b->flow;
	unsigned n = 8 + (unsigned)na_rng_below(&f->rng, FLIGHT - 8);
	unsigned lost = 2 * (unsigned)na_rng_below(&f->rng, (n - 4) / 2);
	int64_t times[FLIGHT], third;
	uint64_t hole;

	na_flow_drain(f, f->sender);
	hole = f->next[f->sender] + (uint64_t)lost * MSS;
	for (unsigned i = 0; i < n; i++) {
		times[i] = f->now_ns;
		send(b, MSS);
	}
	/* ACKs of the pairs before the lost one; the others never come. */
	f->n_acks = lost / 2;
	f->odd = 0;
	na_flow_drain(f, f->sender);
	third = 0;
	for (unsigned i = lost + 1; i < n; i++) {
		int64_t at = times[i] + f->rtt_ns;

		/* Not before the ACKs that came ahead of it. */
		if (at < f->now_ns)
			at = f->now_ns;
		duplicate(f, at, hole + MSS,
			  hole + (uint64_t)(i - lost + 1) * MSS);
		f->now_ns = at;
		if (i == lost + 3)
			third = at + 15 * US;
	}
	again(f, hole, third, NA_PLAN_FAST);
	if (f->now_ns < third + f->rtt_ns)
		f->now_ns = third + f->rtt_ns;
	na_flow_ack(f, !f->sender, f->now_ns, f->next[f->sender]);
	f->now_ns += 2 * US;
	f->last_send_ns = third;
	b->ssthresh = f->window_segments = INITIAL_WINDOW;
}

/* The last segments' ACKs do not come: the timer, doubled each time. */
static void time_out(struct na_bulk *b)
{
	struct na_flow *f = &b->flow;
	unsigned tries = 1 + (unsigned)na_rng_below(&f->rng, 3);
	int64_t timer = RTO_NS;
	uint64_t tail;

	na_flow_drain(f, f->sender);
	tail = f->next[f->sender] + 2 * MSS;
	for (int i = 0; i < 3; i++)
		send(b, MSS);
	f->odd = 0;
	na_flow_drain(f, f->sender);
	/* It runs from the last ACK. */
	f->now_ns += f->rtt_ns;
	for (unsigned i = 0; i < tries; i++) {
		f->now_ns += timer;
		again(f, tail, f->now_ns, NA_PLAN_TIMEOUT);
		if (f->now_ns - f->last_send_ns > f->longest_timeout_ns)
			f->longest_timeout_ns = f->now_ns - f->last_send_ns;
		f->last_send_ns = f->now_ns;
		f->timeouts++;
		timer *= 2;
	}
	f->now_ns += f->rtt_ns;
	na_flow_ack(f, !f->sender, f->now_ns, f->next[f->sender]);
	f->now_ns += 2 * US;
	f->window_segments = 2;
}

/* The receiving program does not read: the window closes, is probed as
 * Linux does it (an old byte, no data), and opens. */
static void close_window(struct na_bulk *b)
{
	struct na_flow *f = &b->flow;
	unsigned probes = 1 + (unsigned)na_rng_below(&f->rng, 3);
	unsigned other = !f->sender;
	int64_t closed, timer = RTO_NS;
	uint64_t edge;

	na_flow_drain(f, f->sender);
	edge = f->acked[f->sender] + f->window_bytes[other];
	f->window_segments = BUFFER / MSS;
	while (f->next[f->sender] < edge)
		send(b, MSS);
	while (f->n_acks) {
		f->window_bytes[other] =
			(uint32_t)(edge - f->acks[f->first_ack].upto);
		na_flow_next_ack(f, f->sender);
	}
	closed = f->now_ns - 2 * US;
	for (unsigned i = 0; i < probes; i++) {
		struct na_flow_plan p;

		f->now_ns += timer;
		timer *= 2;
		p = na_flow_now(f, f->sender);
		p.seq--;
		p.marks = NA_PLAN_KEEP_ALIVE;
		na_flow_plan(f, &p);
		na_flow_ack(f, other, f->now_ns + f->rtt_ns,
			    f->next[f->sender]);
	}
	f->now_ns += f->rtt_ns + (int64_t)na_rng_below(&f->rng, 150) * MS;
	f->window_bytes[other] = BUFFER;
	na_flow_ack(f, other, f->now_ns, f->next[f->sender]);
	f->zero_window_ns += f->now_ns - closed;
	f->now_ns += 5 * US;
	f->window_segments = INITIAL_WINDOW;
}

/* ---- transfers */

/* What the job sends at once, and the pause before it. */
static void next_transfer(struct na_bulk *b)
{
	struct na_flow *f = &b->flow;
	uint64_t n = (32 + na_rng_below(&f->rng, 97)) * MSS;
	int64_t pause = 50 * US + (int64_t)na_rng_below(&f->rng, 2000) * US;

	if (is(b, NA_FLOW_IDLE)) {
		n = (4 + na_rng_below(&f->rng, 13)) * MSS;
		pause = 300 * MS + (int64_t)na_rng_below(&f->rng, 1700) * MS;
		f->idles++;
		if (pause > f->longest_idle_ns)
			f->longest_idle_ns = pause;
		f->window_segments = INITIAL_WINDOW;
	}
	f->now_ns += pause;
	b->transfer_bytes = n < b->left_bytes ? n : b->left_bytes;
	/* A segment that fits, so that ends are not only whole ones. */
	if (b->transfer_bytes > MSS && is(b, NA_FLOW_HEALTHY))
		b->transfer_bytes -= na_rng_below(&f->rng, MSS);
}

/* Is it time for the next one?  Of trouble that lasts, one at least, however
 * little is sent. */
static bool trouble_due(struct na_bulk *b)
{
	struct na_flow *f = &b->flow;
	bool first = !b->episodes;

	if (!is(b, NA_FLOW_LOSS))
		return b->transfer_bytes >= BUFFER &&
		       (first || na_rng_hit(&f->rng, NA_Q16_ONE / 16));
	if (b->transfer_bytes < FLIGHT * MSS ||
	    (!first && b->owed_q16 < b->next_q16))
		return false;
	b->owed_q16 -= NA_Q16_ONE;
	b->next_q16 = (int64_t)na_rng_below(&f->rng, NA_Q16_ONE);
	return true;
}

static bool episode(struct na_bulk *b)
{
	struct na_flow *f = &b->flow;

	/* The first ACK has another window than the SYN. */
	if (f->acked[f->sender] <= 1 || !trouble_due(b))
		return false;
	b->episodes++;
	switch (f->condition) {
	case NA_FLOW_LOSS:
		lose_one(b);
		return true;
	case NA_FLOW_TIMEOUT:
		time_out(b);
		return true;
	case NA_FLOW_ZERO_WINDOW:
		close_window(b);
		return true;
	default:
		return false;
	}
}

void na_bulk_more(struct na_bulk *b)
{
	struct na_flow *f = &b->flow;

	if (f->closed)
		return;
	if (!b->left_bytes) {
		na_flow_drain(f, f->sender);
		na_flow_close(f);
		return;
	}
	if (!b->transfer_bytes) {
		na_flow_drain(f, f->sender);
		next_transfer(b);
	}
	if (episode(b))
		return;
	for (int i = 0; i < STEP && b->transfer_bytes; i++) {
		uint32_t n = b->transfer_bytes < MSS
				     ? (uint32_t)b->transfer_bytes
				     : MSS;

		if (na_flow_room(f, f->sender, n)) {
			send(b, n);
		} else if (na_flow_next_ack(f, f->sender) &&
			   f->window_segments < b->ssthresh) {
			f->window_segments++;
		}
	}
}
