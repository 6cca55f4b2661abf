/*
 * Old-style host messages: `MegaScale: ...` events on the threads of
 * /host:CPU (docs/formats.md, "XSpace: host messages").  The event's own time
 * is the end of the message, or its start: the anchor is decided later, from
 * all data, so the record carries the event's time as its end and the event's
 * own duration in action_ps.
 */
#include "ingest/xspace/xspace.h"

#include "netan/base/similar.h"
#include "netan/base/units.h"

enum kind {
	NONE,
	RECEIVE,
	SEND,
	D2H,
	D2H_BEGIN,
	H2D,
	H2D_BEGIN,
	REDUCTION,
	REDUCTION_BEGIN,
	REGISTRATION,
	COPY,
	OTHER,
	UNKNOWN
};

/* clang-format off */
static const struct { const char *name; uint8_t kind; } names[] = {
	{"MegaScale: Communication Transport Receive", RECEIVE},
	{"MegaScale: Communication Transport Send", SEND},
	{"MegaScale: Send Finished", OTHER},
	{"MegaScale: Memory Allocate", OTHER},
	{"MegaScale: Communication Topology Discovery.", OTHER},
	{"MegaScale: Barrier.", OTHER},
	{"MegaScale: HostCommandHandle", OTHER},
	{"MegaScale: Device to Host Action", D2H_BEGIN},
	{"MegaScale: Device to Host Transfer Finished", D2H},
	{"MegaScale: Host to Device Action", H2D_BEGIN},
	{"MegaScale: Host to Device Transfer Finished", H2D},
	{"MegaScale: Reduction", REDUCTION_BEGIN},
	{"MegaScale: Reduction Finished", REDUCTION},
	{"MegaScale: Compression", OTHER},
	{"MegaScale: Compression Finished", OTHER},
	{"MegaScale: Decompression", OTHER},
	{"MegaScale: Decompression Finished", OTHER},
};
/* clang-format on */

static uint8_t wanted(uint8_t kind, uint32_t wants)
{
	uint32_t by = NA_WANT_ACTIONS;

	if (kind == RECEIVE || kind == SEND)
		by = NA_WANT_TRANSFERS;
	else if (kind == REGISTRATION || kind == COPY)
		by |= NA_WANT_HOST_EVENTS;
	return wants & by ? kind : NONE;
}

uint8_t na_xs_message_kind(const struct na_text *name, uint32_t wants)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (na_same_nocase(name->s, name->n, names[i].name))
			return wanted(names[i].kind, wants);
	}
	if (na_contains_nocase(name->s, name->n, "MapDmaBuffer"))
		return wanted(REGISTRATION, wants);
	if (na_starts_nocase(name->s, name->n, "megascale:") &&
	    na_contains_nocase(name->s, name->n, "memory copy"))
		return wanted(COPY, wants);
	if (na_starts_nocase(name->s, name->n, "megascale:") ||
	    na_contains_nocase(name->s, name->n, "Communication Transport"))
		return UNKNOWN;
	return NONE;
}

static bool id_at(const struct na_xs_values *v, enum na_xs_slot slot,
		  int32_t *out)
{
	int64_t x;

	if (!na_xs_int(v, slot, &x) || x < 0 || x > INT32_MAX)
		return false;
	*out = (int32_t)x;
	return true;
}

struct ends {
	int32_t src_slice, src, dst_slice, dst;
};

static bool ends_of(const struct na_xs_values *v, struct ends *e)
{
	return id_at(v, XS_DCN_SRC_SLICE, &e->src_slice) &&
	       id_at(v, XS_DCN_SRC_DEVICE, &e->src) &&
	       id_at(v, XS_DCN_DST_SLICE, &e->dst_slice) &&
	       id_at(v, XS_DCN_DST_DEVICE, &e->dst);
}

static uint32_t u32_at(const struct na_xs_values *v, enum na_xs_slot slot)
{
	int64_t x = na_xs_int_or(v, slot, -1);

	return x >= 0 && x < NA_UNKNOWN_U32 ? (uint32_t)x : NA_UNKNOWN_U32;
}

static enum na_class class_of(const struct na_xs_values *v,
			      const struct ends *e, struct na_transfer *t)
{
	int64_t us, ps;

	if (!na_xs_int(v, XS_DURATION_US, &us))
		return NA_NO_LATENCY;
	if (us == 0)
		return NA_CLOCK_SKEW;
	if (us < 0 || !na_mul_i64(us, NA_PS_PER_US, &ps) ||
	    !na_add_i64(t->end_ps, -ps, &t->start_ps))
		return NA_BAD_DURATION;
	return e->src_slice == e->dst_slice ? NA_LOOPBACK : NA_VALID;
}

static enum na_status message(struct na_xs_read *r, enum na_side side,
			      int64_t at_ps, int64_t event_ps)
{
	const struct na_xs_values *v = &r->values;
	const struct na_sink *sink = r->sink;
	struct na_text label = na_xs_text(v, XS_DCN_LABEL);
	struct na_transfer t = {
		.start_ps = at_ps,
		.end_ps = at_ps,
		.action_ps = event_ps,
		.type = NA_UNKNOWN_U32,
		.launch = NA_UNKNOWN_U32,
		.iteration = u32_at(v, XS_DCN_LOOP),
		.step = NA_UNKNOWN_U32,
		.chunk = NA_UNKNOWN_I32,
		.level = -1,
		.side = (uint8_t)side,
		.style = NA_STYLE_MESSAGE,
	};
	struct ends e;
	int64_t size;

	if (!label.n || !ends_of(v, &e) || !na_xs_int(v, XS_PAYLOAD, &size) ||
	    size < 0) {
		sink->classed(sink->ctx, side, NA_STYLE_MESSAGE, NA_BAD_KEY, 1);
		return NA_OK;
	}
	t.klass = (uint8_t)class_of(v, &e, &t);
	if (t.klass == NA_BAD_DURATION) {
		sink->classed(sink->ctx, side, NA_STYLE_MESSAGE, t.klass, 1);
		return NA_OK;
	}
	t.size_bytes = (uint64_t)size;
	id_at(v, XS_DCN_CHUNK, &t.chunk);
	t.collective = sink->name(sink->ctx, label.s, label.n);
	t.src = sink->endpoint(sink->ctx, e.src_slice, e.src);
	t.dst = sink->endpoint(sink->ctx, e.dst_slice, e.dst);
	return sink->transfer(sink->ctx, &t);
}

static bool action_kind(uint8_t kind, enum na_action_kind *out)
{
	/* clang-format off */
	static const struct { uint8_t kind; enum na_action_kind to; } map[] = {
		{D2H, NA_ACT_D2H}, {H2D, NA_ACT_H2D},
		{REDUCTION, NA_ACT_COMPUTE},
		{REGISTRATION, NA_ACT_REGISTRATION}, {COPY, NA_ACT_COPY},
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (map[i].kind == kind) {
			*out = map[i].to;
			return true;
		}
	}
	return false;
}

/* A number, or text such as "67.1MB". */
static bool bytes_at(const struct na_xs_values *v, enum na_xs_slot slot,
		     uint64_t *bytes)
{
	struct na_text t = na_xs_text(v, slot);
	char text[32];
	int64_t x;

	if (na_xs_int(v, slot, &x)) {
		*bytes = (uint64_t)x;
		return x >= 0;
	}
	if (!t.n || t.n >= sizeof(text))
		return false;
	memcpy(text, t.s, t.n);
	text[t.n] = '\0';
	return na_parse_bytes(text, bytes) && *bytes <= INT64_MAX;
}

/* What was registered or copied, where it is told. */
static uint64_t host_bytes(const struct na_xs_values *v)
{
	uint64_t bytes;

	return bytes_at(v, XS_SIZE, &bytes) ||
			       bytes_at(v, XS_BUFFER_SIZE, &bytes) ||
			       bytes_at(v, XS_PAYLOAD, &bytes)
		       ? bytes
		       : 0;
}

static enum na_status host_action(struct na_xs_read *r, uint8_t kind,
				  struct na_action *a)
{
	struct na_text label = na_xs_text(&r->values, XS_DCN_LABEL);

	if (!action_kind(kind, &a->kind))
		return NA_OK;
	if (na_is_host_event(a->kind)) {
		a->thread = r->line->name;
		a->size_bytes = host_bytes(&r->values);
	}
	a->style = NA_STYLE_MESSAGE;
	a->device = a->type = NA_UNKNOWN_U32;
	a->launch = a->iteration = NA_UNKNOWN_U32;
	a->chunk = NA_UNKNOWN_I32;
	a->local_device_id = a->num_actions = a->action_index = a->level = -1;
	a->send_channel_id = a->recv_channel_id = a->run_id = -1;
	a->slack_us = a->transmission_budget_us = NA_UNKNOWN_PS;
	a->delay_budget_us = a->activation_to_receive_us = NA_UNKNOWN_PS;
	a->collective = label.n ? r->sink->name(r->sink->ctx, label.s, label.n)
				: NA_UNKNOWN_U32;
	return r->sink->action(r->sink->ctx, a);
}

enum na_status na_xs_message_event(struct na_xs_read *r,
				   const struct na_xs_event *e)
{
	struct na_text shown = na_xs_shown_name(e->type);
	struct na_action a = {.name = shown};
	uint8_t kind = e->type->kind;

	if (kind == UNKNOWN) {
		r->sink->unknown_name(r->sink->ctx, shown.s, shown.n, 1);
		r->sink->left_out(r->sink->ctx, NA_LEFT_UNKNOWN_NAME, 1);
		return NA_OK;
	}
	if (!na_xs_event_times(r, e, &a.start_ps, &a.end_ps)) {
		if (kind == RECEIVE || kind == SEND)
			r->sink->classed(r->sink->ctx, kind == SEND,
					 NA_STYLE_MESSAGE, NA_BAD_DURATION, 1);
		else
			r->sink->left_out(r->sink->ctx, NA_LEFT_BAD_DURATION,
					  1);
		return NA_OK;
	}
	if (kind == RECEIVE || kind == SEND)
		return message(r, kind == SEND ? NA_TX : NA_RX, a.start_ps,
			       e->duration_ps);
	return host_action(r, kind, &a);
}
