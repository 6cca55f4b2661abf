/*
 * RoCE packets: for each a byte that says between which of four hosts, one
 * for the time that went by, how long the payload is, how much of it was
 * captured, then the payload.  Small limits, so that they are met.
 */
#include <stdlib.h>

#include "ingest/roce/roce.h"

static uint64_t told, names, sent;

static enum na_status one_pair(void *ctx, const struct na_queue_pair *q)
{
	(void)ctx;
	if (!q->packets || q->repeats > q->packets || q->needed > q->repeats ||
	    q->repeated_bytes > q->bytes || q->ce_marks > q->packets ||
	    q->to_ps < q->from_ps || q->silent_ns < 0 || q->recovery_ns < 0 ||
	    q->rnr_ns < 0 || q->slowed_ns < 0 || q->timeouts > q->repeats)
		abort();
	sent = q->packets;
	return NA_OK;
}

/* Behind its queue pair: no more packets than it has. */
static enum na_status one_mark(void *ctx, const struct na_qp_mark *x)
{
	(void)ctx;
	if (!x->count || x->psn_to < x->psn_from || x->width_ps <= 0 ||
	    x->kind >= NA_QP_MARKS)
		abort();
	if (x->kind == NA_QP_DATA || x->kind == NA_QP_REPEAT) {
		if (x->count > sent)
			abort();
		sent -= x->count;
	}
	return NA_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t number(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	if (!s || !n || n > 64)
		abort();
	return (uint32_t)names++;
}

static enum na_status take(void *ctx, const struct na_transfer *t)
{
	(void)ctx;
	if (t->start_ps > t->end_ps || t->src >= names || t->dst >= names ||
	    t->collective >= names || t->type >= names)
		abort();
	told++;
	return NA_OK;
}

static void left_out(void *ctx, enum na_reason why, uint64_t n)
{
	(void)ctx;
	(void)why;
	told += n;
}

static void feed(struct na_roce *x, const uint8_t *data, size_t size)
{
	int64_t now_ns = 0;

	for (size_t at = 0; size - at >= 4;) {
		const uint8_t *head = data + at;
		size_t n = head[2];
		struct na_packet p = {
			.kind = NA_PACKET_UDP,
			.ecn = head[0] >> 6,
			.src = {{10, 0, 0, head[0] & 3}, 4},
			.dst = {{10, 0, 0, head[0] >> 2 & 3}, 4},
		};

		at += 4;
		if (n > size - at)
			n = size - at;
		/* Now and then back, and now and then out of range. */
		now_ns = head[1] == 255 ? INT64_MAX - head[3]
					: now_ns / 2 + (head[1] - 3) * 1000;
		p.time_ns = now_ns;
		p.payload = data + at;
		p.payload_captured = (uint32_t)n;
		p.payload_bytes = (uint32_t)n + head[3] * 16u;
		if (na_roce_packet(x, &p))
			abort();
		at += n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct na_roce_limits limits = {.queue_pairs = 3,
					      .messages = 5,
					      .marks = 40,
					      .named = 4};
	const struct na_sink sink = {
		.transfer = take,
		.name = number,
		.address = number,
		.left_out = left_out,
		.queue_pair = one_pair,
		.qp_mark = one_mark,
	};
	struct na_capture_counts c = {0};
	struct na_addresses ends;
	struct na_roce *x;

	na_addresses_init(&ends, &sink);
	x = na_roce_new(&limits, 0, NA_WANT_QUEUE_PAIRS, 1, &sink, &ends);

	if (!x)
		return 0;
	told = names = sent = 0;
	feed(x, data, size);
	if (na_roce_finish(x))
		abort();
	na_roce_counts(x, &c);
	if (told > c.roce_messages || c.roce_messages > c.roce_packets)
		abort();
	na_roce_free(x);
	na_addresses_fini(&ends);
	return 0;
}
