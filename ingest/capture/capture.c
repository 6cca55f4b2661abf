#include "ingest/capture/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

struct na_capture {
	struct na_capture_options o;
	struct na_sink sink; /* the caller's, for what is wanted */
	struct na_fragments *fragments;
	struct na_calls *calls;
	struct na_tcp_user user;
	struct na_tcp *tcp; /* NULL: nobody wants it */
	struct na_roce *roce;
	struct na_capture_counts counts;
	struct na_addresses addresses;
	int64_t last_ns;
	uint64_t far_off; /* frames out of range of picoseconds */
	uint64_t unknown_link_packets;
	uint32_t unknown_link;
	struct na_packet p;
};

static bool follow(struct na_capture *c)
{
	const struct na_capture_options *o = &c->o;
	struct na_calls_options calls = {
		.limits = &na_call_limits,
		.zero_ns = o->zero_ns,
		.idle_gap_ns = NA_IDLE_GAP_NS,
		.estimates = (o->wants & NA_WANT_TRANSFERS) != 0,
		.sink = o->sink,
		.addresses = &c->addresses,
		.watch = o->watch,
	};
	struct na_tcp_options tcp = {
		.limits = &na_tcp_limits,
		.wants = o->wants,
		.segments_of = o->segments_of,
		.zero_ns = o->zero_ns,
		.windowed = o->windowed,
		.from_ns = o->from_ns,
		.to_ns = o->to_ns,
		.files = o->files,
		.user = &c->user,
		.sink = o->sink,
		.addresses = &c->addresses,
	};

	c->calls = na_calls_new(&calls);
	if (!c->calls)
		return false;
	c->user = na_calls_user(c->calls);
	c->tcp = na_tcp_new(&tcp);
	c->roce = na_roce_new(&na_roce_limits, o->zero_ns, o->wants, o->files,
			      o->sink, &c->addresses);
	if (c->roce && o->windowed)
		na_roce_window(c->roce, o->from_ns, o->to_ns);
	return c->tcp && c->roce;
}

static enum na_status no_transfer(void *ctx, const struct na_transfer *t)
{
	(void)ctx;
	(void)t;
	return NA_OK;
}

static void no_class(void *ctx, enum na_side side, enum na_style style,
		     enum na_class klass, uint64_t n)
{
	(void)ctx;
	(void)side;
	(void)style;
	(void)klass;
	(void)n;
}

static enum na_status no_call(void *ctx, const struct na_call *call)
{
	(void)ctx;
	(void)call;
	return NA_OK;
}

/* Connections count their calls: these are followed where only connections
 * are wanted, too, and told to nobody. */
static void choose(struct na_capture *c)
{
	c->sink = *c->o.sink;
	c->o.sink = &c->sink;
	if (!(c->o.wants & NA_WANT_TRANSFERS)) {
		c->sink.transfer = no_transfer;
		c->sink.classed = no_class;
	}
	if (!(c->o.wants & NA_WANT_CALLS))
		c->sink.call = no_call;
}

struct na_capture *na_capture_new(const struct na_capture_options *o)
{
	const uint32_t of_tcp = NA_WANT_TRANSFERS | NA_WANT_CALLS |
				NA_WANT_CONNECTIONS | NA_WANT_SEGMENTS |
				NA_WANT_QUEUE_PAIRS;
	struct na_capture *c = na_calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->o = *o;
	choose(c);
	na_addresses_init(&c->addresses, c->o.sink);
	c->last_ns = INT64_MIN;
	c->fragments = na_fragments_new();
	if (c->fragments && (!(o->wants & of_tcp) || follow(c)))
		return c;
	na_capture_free(c);
	return NULL;
}

void na_capture_free(struct na_capture *c)
{
	if (!c)
		return;
	na_roce_free(c->roce);
	na_tcp_free(c->tcp);
	na_calls_free(c->calls);
	na_fragments_free(c->fragments);
	na_addresses_fini(&c->addresses);
	free(c);
}

void na_capture_from(struct na_capture *c, uint32_t file)
{
	if (c->tcp)
		na_tcp_from(c->tcp, file);
	if (c->roce)
		na_roce_from(c->roce, file);
}

static enum na_status tell_packet(struct na_capture *c)
{
	const struct na_packet *p = &c->p;
	struct na_wire_packet seen = {.size_bytes = p->wire_bytes};

	if (!na_ps_since(p->time_ns, c->o.zero_ns, &seen.time_ps)) {
		c->far_off++;
		return NA_OK;
	}
	seen.src = na_addresses_endpoint(&c->addresses, &p->outer_src);
	seen.dst = na_addresses_endpoint(&c->addresses, &p->outer_dst);
	if (seen.src == NA_UNKNOWN_U32 || seen.dst == NA_UNKNOWN_U32)
		return NA_ENOMEM;
	return c->o.sink->packet(c->o.sink->ctx, &seen);
}

static void count_record(struct na_capture *c, const struct na_record *r)
{
	struct na_capture_counts *n = &c->counts;

	n->packets++;
	n->captured_bytes += r->captured_bytes;
	n->wire_bytes += r->wire_bytes;
	n->cut_packets += r->captured_bytes < r->wire_bytes;
	n->backward_steps += r->time_ns < c->last_ns;
	c->last_ns = r->time_ns;
	if (r->interface >= n->interfaces)
		n->interfaces = (uint64_t)r->interface + 1;
}

static bool in_window(const struct na_capture *c, int64_t time_ns)
{
	return !c->o.windowed ||
	       (time_ns >= c->o.from_ns && time_ns < c->o.to_ns);
}

static enum na_status follow_packet(struct na_capture *c,
				    const struct na_record *r)
{
	struct na_capture_counts *n = &c->counts;

	switch (c->p.kind) {
	case NA_PACKET_TCP:
		n->tcp++;
		return c->tcp ? na_tcp_packet(c->tcp, &c->p) : NA_OK;
	case NA_PACKET_UDP:
		n->udp++;
		return c->roce && c->p.dst_port == NA_ROCE_PORT
			       ? na_roce_packet(c->roce, &c->p)
			       : NA_OK;
	case NA_PACKET_OTHER_IP:
		n->other_ip++;
		break;
	case NA_PACKET_MALFORMED:
		n->malformed += in_window(c, r->time_ns);
		break;
	case NA_PACKET_FRAGMENT: /* fragment.c counts them */
		break;
	case NA_PACKET_NON_IP:
		n->non_ip++;
		if (na_packet_link_known(r->link))
			break;
		if (c->unknown_link_packets++ == 0)
			c->unknown_link = r->link;
		break;
	}
	return NA_OK;
}

enum na_status na_capture_record(struct na_capture *c,
				 const struct na_record *r)
{
	enum na_status status;

	if (!c->o.counted)
		count_record(c, r);
	na_packet_decode(&c->p, r, c->fragments);
	if (c->o.wants & NA_WANT_PACKETS) {
		status = tell_packet(c);
		if (status != NA_OK)
			return status;
	}
	return follow_packet(c, r);
}

static void remarks(const struct na_capture *c)
{
	const struct na_sink *sink = c->o.sink;
	char text[160];

	if (c->far_off)
		sink->left_out(sink->ctx, NA_LEFT_DAMAGED, c->far_off);
	if (!c->unknown_link_packets)
		return;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " packets of link types that are not decoded "
		 "(the first is %" PRIu32 "), counted as non-IP",
		 c->unknown_link_packets, c->unknown_link);
	sink->warn(sink->ctx, 0, text);
}

enum na_status na_capture_finish(struct na_capture *c)
{
	struct na_capture_counts *n = &c->counts;
	enum na_status status = NA_OK;

	n->fragments = na_fragments_seen(c->fragments);
	n->fragments_lost = na_fragments_lost(c->fragments);
	if (c->tcp) {
		status = na_tcp_finish(c->tcp);
		if (status == NA_OK)
			status = na_roce_finish(c->roce);
		if (status == NA_OK)
			status = na_calls_status(c->calls);
		na_tcp_counts(c->tcp, n);
		na_calls_counts(c->calls, n);
		na_roce_counts(c->roce, n);
	}
	n->limits_hit += c->addresses.dropped;
	remarks(c);
	return status;
}

const struct na_capture_counts *na_capture_counts(const struct na_capture *c)
{
	return &c->counts;
}
