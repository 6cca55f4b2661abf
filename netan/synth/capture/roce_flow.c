/*
 * InfiniBand Architecture Specification vol. 1, 9.2, 9.3, 9.7.5; annex A17.
 * The invariant CRC is not computed.
 */
#include "netan/synth/capture/roce_flow.h"

#include <string.h>

const char *const na_roce_words[NA_ROCE_CONDITIONS] = {
	"roce-mixed",         "healthy",    "roce-loss", "roce-timeout",
	"receiver-not-ready", "congestion",
};

/* The least that a NIC waits for an ACK: 4.096 us * 2^14. */
static const int64_t ack_timeout_ns = INT64_C(4096) << 14;

enum {
	US = 1000,
	GAP_NS = 350, /* between packets */
	ICRC_BYTES = 4,
	LARGEST = 64 << 10,
	SEND = 0x00,
	SEND_IMM = 0x03,
	WRITE = 0x06,
	READ_REQUEST = 0x0c,
	READ_FIRST = 0x0d,
	ACKNOWLEDGE = 0x11,
	ATOMIC_ACK = 0x12,
	FETCH_ADD = 0x14,
	CONGESTION = 0x81,
	SYN_ACK = 0x1f,     /* credits not counted */
	SYN_RNR = 0x20 | 8, /* and a timer */
	SYN_NAK = 0x60      /* sequence error */
};

void na_roce_flow_start(struct na_roce_flow *f, uint64_t messages)
{
	f->psn = (uint32_t)na_rng_below(&f->rng, 1 << 24);
	f->mtu = na_rng_hit(&f->rng, NA_Q16_ONE / 2) ? 1024 : 4096;
	f->rtt_ns = 4 * US + (int64_t)na_rng_below(&f->rng, 8 * US);
	f->now_ns = f->start_ns;
	f->left = messages;
}

static void add_plan(struct na_roce_flow *f, const struct na_roce_plan *p)
{
	f->plans[(f->first + f->n++) % NA_ROCE_PLANS] = *p;
}

/* Packets of one direction, `from` to the last: First, Middle..., Last or
 * Only; op: the opcode of First.  ends: with which opcode for Last. */
static void plan_parts(struct na_roce_flow *f, uint32_t n, uint32_t from,
		       uint32_t bytes, struct na_roce_plan p, bool immediate)
{
	uint8_t op = p.opcode;
	uint32_t psn = p.psn;
	bool read = op == READ_FIRST;
	int64_t marked = f->condition == NA_ROCE_MIXED       ? NA_Q16_ONE / 256
			 : f->condition == NA_ROCE_CONGESTED ? NA_Q16_ONE / 8
							     : 0;

	for (uint32_t i = from; i < n; i++) {
		p.time_ns = f->now_ns;
		p.psn = (psn + i) & 0xffffff;
		p.data = i + 1 < n ? f->mtu : bytes - i * f->mtu;
		if (n == 1)
			p.opcode = (uint8_t)(op + (read ? 3 : 4 + immediate));
		else if (i + 1 == n)
			p.opcode = (uint8_t)(op + 2 + (immediate ? 1 : 0));
		else
			p.opcode = (uint8_t)(i ? op + 1 : op);
		p.ecn = na_rng_hit(&f->rng, marked) ? 3 : 2;
		add_plan(f, &p);
		f->now_ns += GAP_NS;
	}
}

static void plan_answer(struct na_roce_flow *f, uint8_t opcode, uint32_t psn,
			uint8_t syndrome)
{
	struct na_roce_plan p = {
		.time_ns = f->now_ns,
		.psn = psn & 0xffffff,
		.opcode = opcode,
		.syndrome = syndrome,
		.back = true,
		.ecn = 2,
	};

	add_plan(f, &p);
	f->now_ns += GAP_NS;
}

static void done(struct na_roce_flow *f, int64_t from_ns, int64_t to_ns,
		 uint64_t bytes)
{
	f->truth.messages++;
	f->truth.bytes += bytes;
	f->truth.latency_sum_ns += to_ns - from_ns;
	if (to_ns - from_ns > f->truth.latency_max_ns)
		f->truth.latency_max_ns = to_ns - from_ns;
}

/* A SEND or WRITE, as planned: how it meets with trouble. */
struct push {
	struct na_roce_plan p;
	uint32_t n, bytes;
	bool immediate;
};

/* From packet `from` on once more. */
static void again(struct na_roce_flow *f, const struct push *m, uint32_t from)
{
	f->truth.repeats += m->n - from;
	plan_parts(f, m->n, from, m->bytes, m->p, m->immediate);
	f->now_ns += f->rtt_ns;
}

/* Behind the capture point, before the last packet. */
static void lose(struct na_roce_flow *f, const struct push *m, uint32_t lost)
{
	plan_answer(f, ACKNOWLEDGE, f->psn + lost, SYN_NAK);
	f->truth.naks++;
	f->truth.needed++;
	again(f, m, lost);
}

/* No buffer is posted: the message is sent again whole. */
static void refuse(struct na_roce_flow *f, const struct push *m, int64_t wait)
{
	plan_answer(f, ACKNOWLEDGE, f->psn, SYN_RNR);
	f->truth.rnr_naks++;
	f->truth.messages += m->n == 1;
	f->now_ns += wait;
	again(f, m, 0);
}

/* Nothing behind the last packet tells the responder that it is lost. */
static void lose_last(struct na_roce_flow *f, const struct push *m)
{
	int64_t sent_ns = f->now_ns - f->rtt_ns - GAP_NS;

	f->now_ns = sent_ns + ack_timeout_ns;
	f->truth.timeouts++;
	f->truth.silent_ns += ack_timeout_ns;
	f->truth.needed++;
	f->truth.messages += 1;
	again(f, m, m->n - 1);
}

static void meet_trouble(struct na_roce_flow *f, const struct push *m,
			 bool write)
{
	struct na_rng *r = &f->rng;

	switch (f->condition) {
	case NA_ROCE_MIXED:
		if (!na_rng_hit(r, NA_Q16_ONE / 32))
			return;
		if (m->n >= 4)
			lose(f, m, 1 + (uint32_t)na_rng_below(r, m->n - 2));
		else if (m->n == 1 && !write)
			refuse(f, m, 10 * US);
		return;
	case NA_ROCE_LOSS:
		if (m->n >= 2 && na_rng_hit(r, NA_Q16_ONE / 128 * m->n))
			lose(f, m, (uint32_t)na_rng_below(r, m->n - 1));
		return;
	case NA_ROCE_TIMEOUT:
		if (na_rng_hit(r, NA_Q16_ONE / 16))
			lose_last(f, m);
		return;
	case NA_ROCE_NOT_READY:
		if (!write && na_rng_hit(r, NA_Q16_ONE / 4))
			refuse(f, m, 640 * US);
		return;
	default:
		return;
	}
}

static void push(struct na_roce_flow *f, uint32_t bytes)
{
	bool write = na_rng_hit(&f->rng, NA_Q16_ONE / 2);
	bool immediate = !write && na_rng_hit(&f->rng, NA_Q16_ONE / 4);
	struct push m = {
		.p = {.psn = f->psn, .opcode = write ? WRITE : SEND},
		.n = (bytes + f->mtu - 1) / f->mtu,
		.bytes = bytes,
		.immediate = immediate,
	};
	int64_t from_ns = f->now_ns;

	m.p.asked = bytes;
	plan_parts(f, m.n, 0, bytes, m.p, immediate);
	f->now_ns += f->rtt_ns;
	meet_trouble(f, &m, write);
	f->msn++;
	done(f, from_ns, f->now_ns, bytes);
	f->truth.sends += !write;
	f->truth.writes += write;
	plan_answer(f, ACKNOWLEDGE, f->psn + m.n - 1, SYN_ACK);
	f->psn = (f->psn + m.n) & 0xffffff;
}

static void pull(struct na_roce_flow *f, uint32_t bytes)
{
	uint32_t n = (bytes + f->mtu - 1) / f->mtu;
	struct na_roce_plan p = {
		.time_ns = f->now_ns,
		.psn = f->psn,
		.opcode = READ_REQUEST,
		.ecn = 2,
		.asked = bytes,
	};
	int64_t from_ns = f->now_ns;

	add_plan(f, &p);
	f->now_ns += f->rtt_ns;
	f->msn++;
	p.opcode = READ_FIRST;
	p.back = true;
	p.syndrome = SYN_ACK;
	plan_parts(f, n, 0, bytes, p, false);
	done(f, from_ns, f->now_ns - GAP_NS, bytes);
	f->truth.reads++;
	f->psn = (f->psn + n) & 0xffffff;
}

static void add(struct na_roce_flow *f)
{
	struct na_roce_plan p = {
		.time_ns = f->now_ns,
		.psn = f->psn,
		.opcode = FETCH_ADD,
		.ecn = 2,
	};

	add_plan(f, &p);
	f->now_ns += f->rtt_ns;
	f->msn++;
	done(f, f->now_ns - f->rtt_ns, f->now_ns, 8);
	plan_answer(f, ATOMIC_ACK, f->psn, SYN_ACK);
	f->truth.atomics++;
	f->psn = (f->psn + 1) & 0xffffff;
}

void na_roce_flow_more(struct na_roce_flow *f)
{
	struct na_rng *r = &f->rng;
	int64_t n = na_rng_lognormal(r, 8 << 10, 2 * NA_Q16_ONE);
	uint32_t bytes = n > LARGEST ? LARGEST : n < 1 ? 1 : (uint32_t)n;

	if (!f->left)
		return;
	f->left--;
	switch (na_rng_below(r, 8)) {
	case 0:
		add(f);
		break;
	case 1:
	case 2:
		pull(f, bytes);
		break;
	default:
		push(f, bytes);
	}
	if (f->condition == NA_ROCE_CONGESTED
		    ? na_rng_hit(r, NA_Q16_ONE / 4)
		    : f->condition == NA_ROCE_MIXED &&
			      na_rng_hit(r, NA_Q16_ONE / 32)) {
		plan_answer(f, CONGESTION, 0, 0);
		f->truth.congestion++;
	}
	f->now_ns += 2 * US + (int64_t)na_rng_below(r, 50 * US);
}

/* ---- to the file */

static uint8_t *put_extension(struct na_roce_flow *f,
			      const struct na_roce_plan *p, uint8_t *at)
{
	switch (p->opcode) {
	case 0x06: /* WRITE First, Only; READ request */
	case 0x0a:
	case 0x0c:
		at = na_put_be(at, UINT64_C(0x7f0000000000) + p->psn * 4096, 8);
		at = na_put_be(at, 0x1234, 4);
		return na_put_be(at, p->asked, 4);
	case 0x03: /* immediate */
	case 0x05:
		return na_put_be(at, 7, 4);
	case 0x14:
		at = na_put_be(at, UINT64_C(0x7f0000001000), 8);
		at = na_put_be(at, 0x1234, 4);
		at = na_put_be(at, 1, 8);
		return na_put_be(at, 0, 8);
	case 0x12:
		at = na_put_be(at,
			       (uint32_t)p->syndrome << 24 |
				       (f->msn & 0xffffff),
			       4);
		return na_put_be(at, f->msn, 8);
	case 0x0d:
	case 0x0f:
	case 0x10:
	case 0x11:
		return na_put_be(at,
				 (uint32_t)p->syndrome << 24 |
					 (f->msn & 0xffffff),
				 4);
	case 0x81:
		return na_put_be(na_put_be(at, 0, 8), 0, 8);
	default:
		return at;
	}
}

enum na_status na_roce_flow_put(struct na_roce_flow *f, struct na_frames *out,
				struct na_err *err)
{
	struct na_roce_plan *p = &f->plans[f->first];
	uint32_t pad = -p->data & 3u;
	struct na_frame_end ends[2] = {f->ends[p->back], f->ends[!p->back]};
	uint8_t head[64], *at = head;

	at = na_put_be(at, p->opcode, 1);
	at = na_put_be(at, 0x40 | pad << 4, 1);
	at = na_put_be(at, 0xffff, 2);
	at = na_put_be(at, p->opcode == CONGESTION ? 0x40 : 0, 1);
	at = na_put_be(at, f->qp[!p->back], 3);
	at = na_put_be(at, p->back ? 0 : 0x80, 1);
	at = na_put_be(at, p->psn, 3);
	at = put_extension(f, p, at);
	ends[1].port = 4791;
	f->truth.packets++;
	f->truth.ce += p->ecn == 3;
	f->first = (f->first + 1) % NA_ROCE_PLANS;
	f->n--;
	return na_frames_udp(out, p->time_ns, &ends[0], &ends[1], head,
			     (size_t)(at - head), p->data + pad + ICRC_BYTES,
			     p->ecn, err);
}
