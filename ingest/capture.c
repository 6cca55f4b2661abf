#include "ingest/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

/* Addresses known to the sink.  The table keeps a name lookup off the way of
 * each packet, and a flood of made-up addresses from filling memory: beyond
 * NA_ADDRESSES they are one endpoint, "other". */
enum { NA_ADDRESSES = 1 << 16, FIRST_SLOTS = 1 << 8 };

struct place {
	struct na_address a; /* family 0: free */
	uint32_t endpoint;
};

struct na_capture {
	struct na_capture_options o;
	struct na_sink sink; /* the caller's, for what is wanted */
	struct na_fragments *fragments;
	struct na_calls *calls;
	struct na_tcp_user user;
	struct na_tcp *tcp; /* NULL: nobody wants it */
	struct na_roce *roce;
	struct na_capture_counts counts;
	struct place *places;
	size_t n_places, n_slots;
	uint32_t non_ip, other; /* endpoints; NA_UNKNOWN_U32: not asked yet */
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
	};
	struct na_tcp_options tcp = {
		.limits = &na_tcp_limits,
		.wants = o->wants,
		.segments_of = o->segments_of,
		.zero_ns = o->zero_ns,
		.user = &c->user,
		.sink = o->sink,
	};

	c->calls = na_calls_new(&calls);
	if (!c->calls)
		return false;
	c->user = na_calls_user(c->calls);
	c->tcp = na_tcp_new(&tcp);
	c->roce = na_roce_new(&na_roce_limits, o->zero_ns, o->sink);
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
				NA_WANT_CONNECTIONS | NA_WANT_SEGMENTS;
	struct na_capture *c = na_calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->o = *o;
	choose(c);
	c->non_ip = c->other = NA_UNKNOWN_U32;
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
	free(c->places);
	free(c);
}

static size_t slot_of(const struct place *places, size_t n_slots,
		      const struct na_address *a)
{
	uint64_t x, y, h;
	size_t i;

	memcpy(&x, a->bytes, 8);
	memcpy(&y, a->bytes + 8, 8);
	h = (x ^ (y + a->family) * UINT64_C(0xff51afd7ed558ccd)) *
	    UINT64_C(0x9e3779b97f4a7c15);
	i = (h ^ h >> 32) & (n_slots - 1);
	while (places[i].a.family && memcmp(&places[i].a, a, sizeof(*a)) != 0)
		i = (i + 1) & (n_slots - 1);
	return i;
}

static bool more_slots(struct na_capture *c)
{
	size_t n = c->n_slots ? 2 * c->n_slots : FIRST_SLOTS;
	struct place *new;

	if (2 * (c->n_places + 1) <= c->n_slots)
		return true;
	new = na_calloc(n, sizeof(*new));
	if (!new)
		return false;
	for (size_t i = 0; i < c->n_slots; i++)
		if (c->places[i].a.family)
			new[slot_of(new, n, &c->places[i].a)] = c->places[i];
	free(c->places);
	c->places = new;
	c->n_slots = n;
	return true;
}

static uint32_t ask(struct na_capture *c, const char *name)
{
	return c->o.sink->address(c->o.sink->ctx, name, strlen(name));
}

/* NA_UNKNOWN_U32: memory is short. */
static uint32_t endpoint_of(struct na_capture *c, const struct na_address *a)
{
	char buf[NA_ADDRESS_BUF];
	size_t i;

	if (a->family == 0) {
		if (c->non_ip == NA_UNKNOWN_U32)
			c->non_ip = ask(c, "non-IP");
		return c->non_ip;
	}
	if (!more_slots(c))
		return NA_UNKNOWN_U32;
	i = slot_of(c->places, c->n_slots, a);
	if (c->places[i].a.family)
		return c->places[i].endpoint;
	if (c->n_places >= NA_ADDRESSES) {
		c->counts.limits_hit++;
		if (c->other == NA_UNKNOWN_U32)
			c->other = ask(c, "other");
		return c->other;
	}
	c->places[i].endpoint = ask(c, na_address_print(buf, a));
	if (c->places[i].endpoint == NA_UNKNOWN_U32)
		return NA_UNKNOWN_U32;
	c->places[i].a = *a;
	c->n_places++;
	return c->places[i].endpoint;
}

static enum na_status tell_frame(struct na_capture *c)
{
	const struct na_packet *p = &c->p;
	struct na_frame frame = {.size_bytes = p->wire_bytes};
	int64_t ns;

	if (__builtin_sub_overflow(p->time_ns, c->o.zero_ns, &ns) ||
	    !na_mul_i64(ns, NA_PS_PER_NS, &frame.time_ps)) {
		c->far_off++;
		return NA_OK;
	}
	frame.src = endpoint_of(c, &p->outer_src);
	frame.dst = endpoint_of(c, &p->outer_dst);
	if (frame.src == NA_UNKNOWN_U32 || frame.dst == NA_UNKNOWN_U32)
		return NA_ENOMEM;
	return c->o.sink->frame(c->o.sink->ctx, &frame);
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
		n->malformed++;
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
	if (c->o.wants & NA_WANT_FRAMES) {
		status = tell_frame(c);
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
	remarks(c);
	return status;
}

const struct na_capture_counts *na_capture_counts(const struct na_capture *c)
{
	return &c->counts;
}
