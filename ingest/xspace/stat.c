/*
 * Stats of XSpace events: known by name, never by number, because ids are
 * per plane and per file.  Producers write the same stat as int64, uint64,
 * reference or decimal text; readers here accept them all.
 */
#include "ingest/xspace/xspace.h"

#include <stdlib.h>

#include "ingest/bytes/inflate.h"

/* clang-format off */
static const char *const slot_names[XS_N_SLOTS] = {
	[XS_GRAPH_KEY] = "graph_key",
	[XS_LOCAL_DEVICE] = "local_device_id",
	[XS_NUM_ACTIONS] = "num_actions",
	[XS_COLLECTIVE_TYPE] = "collective_type",
	[XS_INPUT_SIZE] = "input_size",
	[XS_SEND_CHANNEL] = "send_channel_id",
	[XS_RECV_CHANNEL] = "recv_channel_id",
	[XS_SLACK_US] = "slack_us",
	[XS_ACTION_TYPE] = "action_type",
	[XS_ACTION_INDEX] = "action_index",
	[XS_ACTION_NS] = "action_duration_ns",
	[XS_ACTION_INPUTS] = "action_inputs",
	[XS_SOURCE] = "transfer_source",
	[XS_DESTINATIONS] = "transfer_destinations",
	[XS_LEVEL] = "dcn_topology_level",
	[XS_BUFFERS] = "buffer_sizes",
	[XS_COMPUTE_OP] = "compute_operation",
	[XS_CHUNK] = "chunk",
	[XS_LAUNCH] = "launch_id",
	[XS_ITERATION] = "loop_iteration",
	[XS_TX_BUDGET_US] = "transmission_budget_us",
	[XS_DELAY_BUDGET_US] = "delay_budget_us",
	[XS_LATENCY_US] = "network_transport_latency_us",
	[XS_ACTIVATION_US] = "activation_to_network_receive_duration_us",
	[XS_HLO_MODULE] = "hlo_module",
	[XS_RUN_ID] = "run_id",
	[XS_STEP_NUM] = "step_num",
	[XS_GROUP_ID] = "group_id",
	[XS_DCN_LABEL] = "dcn_label",
	[XS_DCN_SRC_SLICE] = "dcn_source_slice_id",
	[XS_DCN_SRC_DEVICE] = "dcn_source_per_slice_device_id",
	[XS_DCN_DST_SLICE] = "dcn_destination_slice_id",
	[XS_DCN_DST_DEVICE] = "dcn_destination_per_slice_device_id",
	[XS_DCN_CHUNK] = "dcn_chunk",
	[XS_DCN_LOOP] = "dcn_loop_index",
	[XS_PAYLOAD] = "payload_size_bytes",
	[XS_DURATION_US] = "duration_us",
	[XS_PROFILE_START] = "profile_start_time",
	[XS_PROFILE_STOP] = "profile_stop_time",
	[XS_HLO_CATEGORY] = "hlo_category",
	[XS_HLO_OP] = "hlo_op",
	[XS_PROGRAM_ID] = "program_id",
	[XS_DCN_INFO] = "dcn_collective_info",
	[XS_MEMCPY] = "memcpy_details",
	[XS_SIZE] = "size",
	[XS_BUFFER_SIZE] = "buffer_size",
	[XS_CORRELATION] = "correlation_id",
	[XS_IS_ROOT] = "_r",
};
/* clang-format on */

uint8_t na_xs_slot_of(const struct na_text *name)
{
	for (uint8_t i = 0; i < XS_N_SLOTS; i++) {
		if (na_text_is(*name, slot_names[i]))
			return i;
	}
	return XS_N_SLOTS;
}

static struct na_xs_value text_value(const struct na_cursor *c)
{
	return (struct na_xs_value){.type = XS_TEXT,
				    .v.text = na_text_under(c)};
}

/* The bytes of a compressed_str value, inflated into the event's scratch. */
static bool inflate_value(struct na_xs_values *v, const struct na_cursor *c,
			  struct na_xs_value *x)
{
	size_t n = XS_INFLATED_MAX - v->inflated_used;
	char *to;

	if (!v->inflated && !(v->inflated = malloc(XS_INFLATED_MAX)))
		return false;
	to = v->inflated + v->inflated_used;
	if (!na_inflate_small(c->p, na_left(c), to, &n))
		return false;
	v->inflated_used += n;
	*x = (struct na_xs_value){.type = XS_TEXT, .v.text = {to, n}};
	return true;
}

static bool is_value(uint32_t tag)
{
	switch (tag) {
	case NA_TAG(2, NA_W_FIXED64):
	case NA_TAG(3, NA_W_VARINT):
	case NA_TAG(4, NA_W_VARINT):
	case NA_TAG(5, NA_W_BYTES):
	case NA_TAG(6, NA_W_BYTES):
	case NA_TAG(7, NA_W_VARINT):
	case NA_TAG(8, NA_W_BYTES):
		return true;
	}
	return false;
}

/* The value field of an XStat; false: its compressed text is damaged. */
static bool take_value(struct na_xs_values *v, const struct na_xs_plane *p,
		       const struct na_field *f, struct na_xs_value *x)
{
	uint32_t ref;

	switch (f->tag) {
	case NA_TAG(2, NA_W_FIXED64):
		x->type = XS_REAL;
		memcpy(&x->v.d, &f->value, sizeof(x->v.d));
		break;
	case NA_TAG(3, NA_W_VARINT):
		x->type = XS_UINT;
		x->v.u = f->value;
		break;
	case NA_TAG(4, NA_W_VARINT):
		x->type = XS_INT;
		x->v.i = (int64_t)f->value;
		break;
	case NA_TAG(5, NA_W_BYTES):
	case NA_TAG(6, NA_W_BYTES):
		*x = text_value(&f->body);
		break;
	case NA_TAG(7, NA_W_VARINT):
		ref = na_idmap_at(&p->stat_of, (int64_t)f->value);
		x->type = XS_TEXT;
		x->v.text = (struct na_text){"", 0};
		if (ref < p->stats.n)
			x->v.text = p->stats.v[ref].name;
		break;
	case NA_TAG(8, NA_W_BYTES):
		return inflate_value(v, &f->body, x);
	}
	return true;
}

/* Any order, any value, repeated fields: the last ones win. */
static bool add_any(struct na_xs_values *v, const struct na_xs_plane *p,
		    const struct na_cursor *stat)
{
	struct na_cursor c = *stat;
	struct na_field f, value = {.tag = 0};
	enum na_next next;
	uint32_t entry = na_idmap_at(&p->stat_of, 0);
	uint8_t slot;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			entry = na_idmap_at(&p->stat_of, (int64_t)f.value);
		else if (is_value(f.tag))
			value = f;
	}
	if (next == NA_NEXT_BAD)
		return false;
	slot = entry < p->stats.n ? p->stats.v[entry].slot : XS_N_SLOTS;
	if (slot == XS_N_SLOTS || !value.tag)
		return true;
	if (!take_value(v, p, &value, &v->at[slot]))
		return false;
	v->has |= UINT64_C(1) << slot;
	return true;
}

int64_t na_xs_stat_id(struct na_cursor stat)
{
	struct na_field f;
	int64_t id = 0;

	while (na_field_next(&stat, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			id = (int64_t)f.value;
	}
	return id;
}

/* The usual form, metadata_id then one value, is read on the way; all else
 * goes to add_any(). */
bool na_xs_values_add(struct na_xs_values *v, const struct na_xs_plane *p,
		      const struct na_cursor *stat)
{
	/* Member by member: a copy of 16 bytes would wait for the two stores
	 * of 8 that have just been made. */
	struct na_cursor c = {stat->p, stat->end, stat->base};
	struct na_xs_value *to;
	uint64_t id, x;
	uint32_t entry;
	uint8_t tag, slot;

	if (na_left(&c) < 4 || na_byte(&c) != NA_TAG(1, NA_W_VARINT) ||
	    !na_varint(&c, &id) || c.p == c.end)
		return add_any(v, p, stat);
	entry = na_idmap_at(&p->stat_of, (int64_t)id);
	slot = entry < p->stats.n ? p->stats.v[entry].slot : XS_N_SLOTS;
	tag = na_byte(&c);
	if ((tag != NA_TAG(3, NA_W_VARINT) && tag != NA_TAG(4, NA_W_VARINT) &&
	     tag != NA_TAG(5, NA_W_BYTES) && tag != NA_TAG(7, NA_W_VARINT)) ||
	    !na_varint(&c, &x) ||
	    (tag == NA_TAG(5, NA_W_BYTES) ? x : 0) != na_left(&c))
		return add_any(v, p, stat);
	if (slot == XS_N_SLOTS)
		return true;
	to = &v->at[slot];
	v->has |= UINT64_C(1) << slot;
	if (tag == NA_TAG(5, NA_W_BYTES)) {
		*to = text_value(&c);
	} else if (tag == NA_TAG(7, NA_W_VARINT)) {
		entry = na_idmap_at(&p->stat_of, (int64_t)x);
		to->type = XS_TEXT;
		to->v.text = entry < p->stats.n ? p->stats.v[entry].name
						: (struct na_text){"", 0};
	} else {
		to->type = tag == NA_TAG(3, NA_W_VARINT) ? XS_UINT : XS_INT;
		to->v.u = x;
	}
	return true;
}

static bool add_all(struct na_xs_values *v, const struct na_xs_plane *p,
		    const struct na_cursor *in, uint32_t stats_tag)
{
	struct na_cursor c = *in;
	struct na_field f;
	enum na_next next;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == stats_tag && !na_xs_values_add(v, p, &f.body))
			return false;
	}
	return next == NA_NEXT_END;
}

void na_xs_values_begin(struct na_xs_values *v, const struct na_xs_plane *p,
			const struct na_xs_event_type *t)
{
	struct na_cursor c;

	v->has = 0;
	v->inflated_used = 0;
	if (!t || !t->has_stats)
		return;
	/* Constants of the event type; damage there was counted already. */
	c = (struct na_cursor){t->in, t->in + t->n, p->body.base};
	add_all(v, p, &c, NA_TAG(5, NA_W_BYTES));
}

bool na_xs_values_read(struct na_xs_values *v, const struct na_xs_plane *p,
		       const struct na_xs_event *e)
{
	na_xs_values_begin(v, p, e->type);
	return add_all(v, p, e->body, NA_TAG(4, NA_W_BYTES));
}

/* Decimal digits with an optional sign; saturates. */
static bool decimal(const struct na_text *t, int64_t *out)
{
	size_t i = t->n && (t->s[0] == '-' || t->s[0] == '+');
	bool minus = i && t->s[0] == '-';
	int64_t x = 0;

	if (i == t->n)
		return false;
	for (; i < t->n; i++) {
		int digit = t->s[i] - '0';

		if (digit < 0 || digit > 9)
			return false;
		x = x > (INT64_MAX - 9) / 10 ? INT64_MAX : x * 10 + digit;
	}
	*out = minus ? -x : x;
	return true;
}

bool na_xs_int_slow(const struct na_xs_values *v, enum na_xs_slot s,
		    int64_t *out)
{
	const struct na_xs_value *x = &v->at[s];

	switch (x->type) {
	case XS_INT:
		*out = x->v.i;
		return true;
	case XS_UINT:
		*out = x->v.u > INT64_MAX ? INT64_MAX : (int64_t)x->v.u;
		return true;
	case XS_REAL:
		if (!(x->v.d > -9.2e18 && x->v.d < 9.2e18))
			return false;
		*out = (int64_t)x->v.d;
		return true;
	case XS_TEXT:
		return decimal(&x->v.text, out);
	}
	return false;
}

uint64_t na_xs_program_id(const struct na_xs_values *v)
{
	const struct na_xs_value *value = &v->at[XS_PROGRAM_ID];
	uint64_t id;
	int64_t x;

	if (!na_xs_has(v, XS_PROGRAM_ID))
		return NA_UNKNOWN_U64;
	if (value->type == XS_UINT || value->type == XS_INT)
		return value->v.u;
	if (value->type == XS_TEXT && na_text_number(value->v.text, &id))
		return id;
	return na_xs_int(v, XS_PROGRAM_ID, &x) ? (uint64_t)x : NA_UNKNOWN_U64;
}
