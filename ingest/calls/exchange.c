#include "ingest/calls/exchange.h"

#include <stdio.h>
#include <string.h>

static bool silent(int64_t since_ps, int64_t at_ps, int64_t gap_ps)
{
	int64_t d;

	return !__builtin_sub_overflow(at_ps, since_ps, &d) && d > gap_ps;
}

/* Do these bytes belong to what is open? */
static bool belongs(const struct na_exchange *x, uint8_t dir, bool from_client,
		    int64_t at_ps, int64_t gap_ps)
{
	if (x->answered)
		return dir != x->dir && !silent(x->answered_ps, at_ps, gap_ps);
	if (dir == x->dir)
		return !silent(x->last_ps, at_ps, gap_ps);
	return !from_client;
}

static void later(int64_t *t, int64_t at_ps)
{
	if (at_ps > *t)
		*t = at_ps;
}

static void fill(struct na_exchange *x, uint8_t dir, int64_t at_ps)
{
	if (x->answered && dir != x->dir)
		later(&x->answered_ps, at_ps);
	else if (!x->answered && dir == x->dir)
		later(&x->last_ps, at_ps);
}

bool na_exchange_add(struct na_exchange *x, uint8_t dir, bool from_client,
		     uint64_t n, int64_t at_ps, int64_t gap_ps,
		     struct na_exchange *done)
{
	bool over = n && x->open &&
		    !belongs(x, dir, from_client, at_ps, gap_ps);

	if (over) {
		*done = *x;
		x->open = false;
	}
	if (!n) {
		if (x->open)
			fill(x, dir, at_ps);
	} else if (!x->open) {
		*x = (struct na_exchange){.first_ps = at_ps,
					  .last_ps = at_ps,
					  .bytes = {n},
					  .packets = 1,
					  .dir = dir,
					  .open = true};
	} else if (dir == x->dir) {
		x->bytes[0] += n;
		x->packets++;
		later(&x->last_ps, at_ps);
	} else {
		if (!x->answered)
			x->answered_ps = at_ps;
		x->answered = true;
		x->bytes[1] += n;
		later(&x->answered_ps, at_ps);
	}
	return over;
}

enum na_status na_exchange_tell(const struct na_exchange *x,
				const struct na_sink *sink,
				const uint32_t ends[2], uint16_t server_port,
				uint32_t *collective)
{
	const char *type = x->answered ? "request/response" : "one-way";
	int64_t end_ps = x->answered ? x->answered_ps : x->last_ps;
	bool valid = end_ps > x->first_ps;
	struct na_transfer t = {
		.start_ps = x->first_ps,
		.end_ps = valid ? end_ps : x->first_ps,
		NA_TRANSFER_OF_CAPTURE,
		.size_bytes = x->bytes[0] + x->bytes[1],
		.src = ends[x->dir],
		.dst = ends[!x->dir],
		.klass = valid ? NA_VALID : NA_NO_LATENCY,
		.style = NA_STYLE_ESTIMATE,
		.component = x->answered ? NA_COMP_RPC : NA_COMP_NETWORK,
	};
	char text[16];

	if (*collective == NA_UNKNOWN_U32) {
		int n = snprintf(text, sizeof(text), "tcp:%u",
				 (unsigned)server_port);

		*collective = sink->name(sink->ctx, text, (size_t)n);
	}
	t.collective = *collective;
	t.type = sink->name(sink->ctx, type, strlen(type));
	return sink->transfer(sink->ctx, &t);
}

bool na_exchange_fresh(uint64_t highest[2], bool seen[2],
		       const struct na_tcp_packet *x, uint64_t *n)
{
	uint64_t *high = &highest[x->dir], end = x->seq + x->p->payload_bytes;

	if (!seen[x->dir]) {
		seen[x->dir] = true;
		*high = x->mid_stream ? x->seq : 1;
	}
	*n = end > *high ? end - *high : 0;
	if (*n)
		*high = end;
	if (x->marks & (NA_SEG_SPURIOUS | NA_SEG_KEEP_ALIVE))
		return *n > 0;
	return *n || x->marks & (NA_SEG_RETRANSMIT | NA_SEG_OUT_OF_ORDER);
}
