#include "netan/synth/capture/tcp_calls.h"

#include "netan/base/vec.h"

enum {
	PSH = 8,
	US = 1000,
	MS = 1000000,
	MSS = NA_FLOW_MSS,
	BUFFER = 256 * MSS,
	STEP = 16,
	SLOW_NS = 200 * MS,
	LEAST_MESSAGE = 16,
	REQUEST_BYTES = 400, /* median */
	LARGEST_MESSAGE = 16 << 20
};

enum mark { REQUEST, FIRST, END };

static const char *const methods[] = {
	"/job.Coordinator/Barrier", "/job.Coordinator/Heartbeat",
	"/job.KeyValue/Get",        "/job.KeyValue/TryGet",
	"/job.Checkpoint/Read",     "/job.Profiler/Collect",
};

enum { METHODS = NA_LEN(methods) };

const char *na_call_method(unsigned method)
{
	return methods[method % METHODS];
}

void na_calls_start(struct na_calls_flow *c, struct na_call_list *list,
		    uint64_t calls, int64_t message_bytes, int64_t slow_q16)
{
	struct na_flow *f = &c->flow;

	f->window_bytes[0] = f->window_bytes[1] = BUFFER;
	f->window_segments = 40;
	f->gap_ns = 1300;
	f->rtt_ns = 150 * US + (int64_t)na_rng_below(&f->rng, 300) * US;
	c->list = list;
	c->left = calls;
	c->message_bytes = message_bytes;
	c->slow_q16 = slow_q16;
	c->stream = 1;
	na_flow_open(f);
}

void na_calls_fini(struct na_calls_flow *c)
{
	na_wire_fini(&c->turn);
}

static void mark(struct na_calls_flow *c, uint32_t call, enum mark what)
{
	c->marks[c->n_marks].at = c->turn.n;
	c->marks[c->n_marks].call = call;
	c->marks[c->n_marks++].what = (uint8_t)what;
}

/* ---- turns */

static void begin_turn(struct na_calls_flow *c, unsigned side, int64_t at_ns)
{
	c->side = side;
	c->turn.n = 0;
	c->sent = 0;
	c->n_marks = c->next_mark = 0;
	na_flow_turn(&c->flow, side, at_ns);
}

static uint32_t message_size(struct na_calls_flow *c, int64_t median)
{
	int64_t n = na_rng_lognormal(&c->flow.rng, median, NA_Q16_ONE);

	return n < LEAST_MESSAGE     ? LEAST_MESSAGE
	       : n > LARGEST_MESSAGE ? LARGEST_MESSAGE
				     : (uint32_t)n;
}

/* How long the server takes, apart from the way. */
static int64_t service_ns(struct na_calls_flow *c, struct na_call_truth *t)
{
	struct na_rng *r = &c->flow.rng;
	int64_t ns = na_rng_lognormal(r, 600 * US, NA_Q16_ONE);

	t->slow = na_rng_hit(r, c->slow_q16);
	return t->slow ? SLOW_NS + ns : ns;
}

static void ask(struct na_calls_flow *c)
{
	struct na_rng *r = &c->flow.rng;
	struct na_call_truth t = {
		.flow = c->index,
		.stream = c->stream,
		.method = (uint8_t)na_rng_below(r, METHODS),
	};
	uint32_t n = message_size(c, REQUEST_BYTES), i = c->n_open++;
	struct na_call_list *l = c->list;
	uint32_t call = (uint32_t)l->n;
	int64_t wait_ns = c->flow.rtt_ns + service_ns(c, &t);

	if (!na_grow(&l->calls, &l->cap, l->n + 1, sizeof(*l->calls))) {
		c->failed = true;
		return;
	}
	if (na_rng_hit(r, NA_Q16_ONE / 50))
		t.status = na_rng_hit(r, NA_Q16_ONE / 2) ? 14 : 4;
	t.bytes_req = n + 5;
	l->calls[l->n++] = t;
	/* Soonest answer first. */
	for (; i > 0 && c->wait_ns[i - 1] > wait_ns; i--) {
		c->wait_ns[i] = c->wait_ns[i - 1];
		c->open[i] = c->open[i - 1];
	}
	c->wait_ns[i] = wait_ns;
	c->open[i] = call;
	na_h2_request(&c->turn, &c->tables[0], c->stream, methods[t.method],
		      10000);
	mark(c, call, REQUEST);
	na_h2_message(&c->turn, c->stream, n, NA_H2_LAST);
	c->stream += 2;
	c->left--;
}

/* The client asks, up to so many at once. */
static void ask_some(struct na_calls_flow *c)
{
	struct na_flow *f = &c->flow;
	int64_t think_ns = 100 * US + (int64_t)na_rng_below(&f->rng, 3000) * US;
	uint64_t n = 1;

	if (na_rng_hit(&f->rng, NA_Q16_ONE / 4))
		n += na_rng_below(&f->rng, NA_CALLS_AT_ONCE);
	begin_turn(c, 0, f->now_ns + think_ns);
	c->n_open = c->next_open = 0;
	if (c->received_bytes) {
		na_h2_window(&c->turn, (uint32_t)c->received_bytes);
		c->received_bytes = 0;
	}
	for (; n && c->left && !c->failed; n--)
		ask(c);
}

/* The server answers the next one: at once, or headers and then the rest. */
static void answer(struct na_calls_flow *c)
{
	uint32_t call = c->open[c->next_open];
	struct na_call_truth *t = &c->list->calls[call];
	struct na_rng *r = &c->flow.rng;
	int64_t at_ns = t->start_ns + c->wait_ns[c->next_open];
	struct na_h2_table *table = &c->tables[1];

	if (c->headers_sent)
		at_ns = c->flow.now_ns + (1 + (int64_t)na_rng_below(r, 5)) * MS;
	begin_turn(c, 1, at_ns);
	if (!c->headers_sent && !t->status) {
		na_h2_response(&c->turn, table, t->stream);
		mark(c, call, FIRST);
		if (na_rng_hit(r, NA_Q16_ONE / 8)) {
			c->headers_sent = true;
			return;
		}
	}
	if (!t->status) {
		uint32_t n = message_size(c, c->message_bytes);

		na_h2_message(&c->turn, t->stream, n, NA_H2_MORE);
		t->bytes_resp = n + 5;
		c->received_bytes += t->bytes_resp;
	}
	na_h2_trailers(&c->turn, table, t->stream, t->status, t->status != 0);
	if (t->status)
		mark(c, call, FIRST);
	mark(c, call, END);
	c->headers_sent = false;
	c->next_open++;
}

static bool next_turn(struct na_calls_flow *c)
{
	struct na_flow *f = &c->flow;

	switch (c->hello) {
	case 0:
		begin_turn(c, 0, f->now_ns);
		na_h2_hello(&c->turn, true);
		break;
	case 1:
		begin_turn(c, 1, f->now_ns + f->rtt_ns);
		na_h2_hello(&c->turn, false);
		na_h2_settings_ack(&c->turn);
		break;
	case 2:
		begin_turn(c, 0, f->now_ns + 50 * US);
		na_h2_settings_ack(&c->turn);
		break;
	default:
		if (c->next_open < c->n_open)
			answer(c);
		else if (c->left)
			ask_some(c);
		else
			return false;
	}
	c->hello += c->hello < 3;
	c->failed |= c->turn.failed;
	return true;
}

/* ---- segments */

static void resolve_marks(struct na_calls_flow *c, int64_t time_ns)
{
	for (;
	     c->next_mark < c->n_marks && c->marks[c->next_mark].at <= c->sent;
	     c->next_mark++) {
		struct na_call_truth *t =
			&c->list->calls[c->marks[c->next_mark].call];

		switch (c->marks[c->next_mark].what) {
		case REQUEST:
			t->start_ns = time_ns;
			break;
		case FIRST:
			t->first_ns = time_ns;
			break;
		default:
			t->end_ns = time_ns;
		}
	}
}

void na_calls_more(struct na_calls_flow *c)
{
	struct na_flow *f = &c->flow;

	if (f->closed || c->failed)
		return;
	if (c->sent == c->turn.n && !next_turn(c)) {
		na_flow_drain(f, c->side);
		na_flow_close(f);
		return;
	}
	for (int i = 0; i < STEP && c->sent < c->turn.n; i++) {
		size_t left = c->turn.n - c->sent;
		uint32_t n = left < MSS ? (uint32_t)left : MSS;
		int64_t time_ns = f->now_ns;

		if (!na_flow_room(f, c->side, n)) {
			na_flow_next_ack(f, c->side);
			continue;
		}
		na_flow_send(f, c->side, n, c->turn.p + c->sent,
			     left == n ? PSH : 0);
		c->sent += n;
		resolve_marks(c, time_ns);
	}
}
