#include <stdio.h>
#include <string.h>

#include "ingest/transfer_file/decode.h"

bool na_xf_kind_wanted(uint64_t kind, uint32_t wants)
{
	switch (kind) {
	case XF_TRANSFER: /* what is beside it is told by it */
		return wants & (NA_WANT_TRANSFERS | NA_WANT_ACTIONS);
	case XF_SHADOW:
		return wants & NA_WANT_ACTIONS;
	case XF_ACTION:
		return wants & (NA_WANT_ACTIONS | NA_WANT_GRAPHS |
				NA_WANT_KERNELS | NA_WANT_HOST_EVENTS);
	case XF_SPAN:
		return wants & (NA_WANT_STEPS | NA_WANT_MODULES);
	case XF_OP_TYPE:
	case XF_OP:
		return wants & NA_WANT_OPS;
	case XF_BUSY:
	case XF_BUSY_TIME:
		return wants & NA_WANT_BUSY;
	case XF_COMM:
		return wants & NA_WANT_COMMS;
	case XF_CALL:
		return wants & NA_WANT_CALLS;
	case XF_PACKET:
		return wants & NA_WANT_PACKETS;
	case XF_CONNECTION:
		return wants & NA_WANT_CONNECTIONS;
	default:
		return false;
	}
}

/* ---- names: told to the sink when a record first uses them, as the reader
 * of the original did, so that they get the same order there */

static bool name(struct na_xf_decoding *d, uint32_t *i)
{
	struct na_xf_string *s;

	if (*i == NA_UNKNOWN_U32)
		return true;
	if (*i >= d->strings.n)
		return false;
	s = &d->strings.v[*i];
	if (!s->known)
		s->index = d->sink->name(d->sink->ctx, s->text.s, s->text.n);
	s->known = true;
	*i = s->index;
	return true;
}

/* must: a record is none without this endpoint. */
static bool endpoint(struct na_xf_decoding *d, uint32_t *i, bool must)
{
	const struct na_sink *to = d->sink;
	struct na_xf_end *e;

	if (*i == NA_UNKNOWN_U32)
		return !must;
	if (*i >= d->endpoints.n)
		return false;
	e = &d->endpoints.v[*i];
	if (!e->known)
		e->index = e->is_address
				   ? to->address(to->ctx, e->address.s,
						 e->address.n)
				   : to->endpoint(to->ctx, e->slice, e->device);
	e->known = true;
	d->nomem |= e->index == NA_UNKNOWN_U32;
	*i = e->index;
	return true;
}

static struct na_text text(const struct na_xf_decoding *d, uint32_t i)
{
	return i < d->strings.n ? d->strings.v[i].text
				: (struct na_text){"", 0};
}

/* ---- records */

/* from = end - duration, to = end, on this session's clock. */
static bool backwards(const struct na_xf_decoding *d, int64_t end,
		      int64_t duration, int64_t *from, int64_t *to)
{
	return !__builtin_add_overflow(end, d->shift_ps, to) && duration >= 0 &&
	       !__builtin_sub_overflow(*to, duration, from);
}

static enum na_status emit_transfer(struct na_xf_decoding *d,
				    struct na_transfer t, int64_t at)
{
	if (t.side > NA_TX || t.style >= NA_N_STYLES ||
	    t.klass >= NA_N_CLASSES || t.klass == NA_BAD_KEY ||
	    t.klass == NA_BAD_DURATION ||
	    (t.component != NA_COMP_NETWORK && t.component != NA_COMP_RPC &&
	     t.component != NA_COMP_SEND) ||
	    t.size_bytes > INT64_MAX ||
	    (t.action_ps < 0 && t.action_ps != NA_UNKNOWN_PS) ||
	    !backwards(d, at, t.start_ps, &t.start_ps, &t.end_ps) ||
	    !name(d, &t.collective) || !name(d, &t.type) ||
	    !endpoint(d, &t.src, true) || !endpoint(d, &t.dst, true)) {
		d->damaged++;
		return NA_OK;
	}
	t.step = NA_UNKNOWN_U32;
	return d->nomem ? NA_ENOMEM : d->sink->transfer(d->sink->ctx, &t);
}

static uint32_t want_of_action(uint8_t kind)
{
	return kind == NA_ACT_GRAPH     ? NA_WANT_GRAPHS
	       : kind == NA_ACT_KERNEL  ? NA_WANT_KERNELS
	       : na_is_host_event(kind) ? NA_WANT_ACTIONS | NA_WANT_HOST_EVENTS
					: NA_WANT_ACTIONS;
}

static void fill_action(const struct na_xf_decoding *d,
			const struct na_xf_action *x, struct na_action *a)
{
	a->kind = (enum na_action_kind)x->kind;
	a->style = (enum na_style)x->style;
	a->size_bytes = x->size_bytes;
	a->device = x->device;
	a->collective = x->collective;
	a->type = x->type;
	a->launch = x->launch;
	a->iteration = x->iteration;
	a->local_device_id = x->local_device_id;
	a->num_actions = x->num_actions;
	a->action_index = x->action_index;
	a->chunk = x->chunk;
	a->level = x->level;
	a->send_channel_id = x->send_channel_id;
	a->recv_channel_id = x->recv_channel_id;
	a->run_id = x->run_id;
	a->slack_us = x->slack_us;
	a->transmission_budget_us = x->transmission_budget_us;
	a->delay_budget_us = x->delay_budget_us;
	a->activation_to_receive_us = x->activation_to_receive_us;
	a->name = text(d, x->texts[0]);
	a->inputs = text(d, x->texts[1]);
	a->operation = text(d, x->texts[2]);
	a->action_type = text(d, x->texts[3]);
	a->hlo_module = text(d, x->texts[4]);
	a->thread = text(d, x->thread - 1); /* 0 becomes none */
}

static enum na_status emit_action(struct na_xf_decoding *d,
				  struct na_xf_action *x, int64_t at)
{
	struct na_action a;

	if (!(d->wants & want_of_action(x->kind)))
		return NA_OK;
	if (x->kind >= NA_N_ACTIONS || x->style >= NA_N_STYLES ||
	    x->size_bytes > INT64_MAX ||
	    !backwards(d, at, x->duration_ps, &a.start_ps, &a.end_ps) ||
	    !name(d, &x->collective) || !name(d, &x->type) ||
	    !endpoint(d, &x->device, false)) {
		d->damaged++;
		return NA_OK;
	}
	fill_action(d, x, &a);
	return d->nomem ? NA_ENOMEM : d->sink->action(d->sink->ctx, &a);
}

static enum na_status emit_span(struct na_xf_decoding *d, struct na_span s,
				int64_t at)
{
	uint32_t want = s.kind == NA_SPAN_STEP ? NA_WANT_STEPS
					       : NA_WANT_MODULES;
	uint8_t piece; /* may be no bool yet */

	if (!(d->wants & want))
		return NA_OK;
	memcpy(&piece, &s.piece, 1);
	if ((unsigned)s.kind > NA_SPAN_MODULE || s.device > NA_DEVICE_RANK ||
	    piece > 1 || s.told > NA_STEP_BY_TIME ||
	    !backwards(d, at, s.start_ps, &s.start_ps, &s.end_ps) ||
	    !name(d, &s.name)) {
		d->damaged++;
		return NA_OK;
	}
	return d->nomem ? NA_ENOMEM : d->sink->span(d->sink->ctx, &s);
}

/* Its index takes the place of its channel, in the row: ops come later. */
static enum na_status emit_op_type(struct na_xf_decoding *d,
				   struct na_op_type *row)
{
	struct na_op_type t = *row;
	uint32_t index = NA_UNKNOWN_U32;
	uint8_t uneven; /* may be no bool yet */

	memcpy(&uneven, &row->uneven, 1);
	t.input = 0;
	if (uneven <= 1 && t.opcode < NA_N_OPCODES && t.phase <= NA_OP_DONE &&
	    t.network < NA_N_NETWORKS && t.joined < NA_N_OPJOINS &&
	    t.channel >= -1 && name(d, &t.kernel) && name(d, &t.name) &&
	    name(d, &t.module) && name(d, &t.start_op) &&
	    name(d, &t.collective) && name(d, &t.transfer_type)) {
		index = d->sink->op_type(d->sink->ctx, &t);
		d->nomem |= index == NA_UNKNOWN_U32;
	} else {
		d->damaged++;
	}
	row->channel = index;
	return d->nomem ? NA_ENOMEM : NA_OK;
}

static enum na_status too_many_cores(struct na_xf_decoding *d, uint32_t core,
				     uint64_t records)
{
	d->damaged += records;
	return core == NA_UNKNOWN_U32 ? NA_ENOMEM : NA_OK;
}

static enum na_status emit_op(struct na_xf_decoding *d,
			      const struct na_xf_op *row, size_t types,
			      int64_t at)
{
	const struct na_op_type *t = (void *)d->rows[XF_OP_TYPE];
	uint32_t core;
	struct na_op x;

	if (row->type >= types || t[row->type].channel == NA_UNKNOWN_U32 ||
	    row->device > NA_DEVICE_RANK || row->number < 0 ||
	    !backwards(d, at, row->duration_ps, &x.start_ps, &x.end_ps)) {
		d->damaged++;
		return NA_OK;
	}
	core = d->sink->core(d->sink->ctx, (enum na_device_kind)row->device,
			     row->number);
	if (core >= NA_CORES_MAX)
		return too_many_cores(d, core, 1);
	x.type = (uint32_t)t[row->type].channel;
	x.core = core;
	return d->sink->op(d->sink->ctx, &x);
}

static enum na_status emit_busy(struct na_xf_decoding *d,
				const struct na_xf_busy *run, int64_t at)
{
	const struct na_xf_busy_time *x = (void *)d->rows[XF_BUSY_TIME];
	size_t left = d->n_rows[XF_BUSY_TIME] - d->used_busy;
	size_t n = run->n < left ? (size_t)run->n : left;
	enum na_status st = NA_OK;
	int64_t start, end = at;
	uint32_t core;

	d->used_busy += n;
	if (n < run->n || run->device > NA_DEVICE_RANK || run->number < 0 ||
	    __builtin_add_overflow(at, d->shift_ps, &end)) {
		d->damaged++;
		return NA_OK;
	}
	if (!n)
		return NA_OK; /* where a writer's block was full */
	core = d->sink->core(d->sink->ctx, (enum na_device_kind)run->device,
			     run->number);
	if (core >= NA_CORES_MAX)
		return too_many_cores(d, core, n);
	x += d->used_busy - n;
	for (size_t i = 0; st == NA_OK && i < n; i++) {
		if (x[i].length_ps < 0 || x[i].length_ps > NA_OP_MAX_PS ||
		    __builtin_add_overflow(end, x[i].gap_ps, &start) ||
		    __builtin_add_overflow(start, x[i].length_ps, &end)) {
			d->damaged += n - i;
			break;
		}
		st = d->sink->busy(d->sink->ctx, core, start, end);
	}
	return st;
}

static enum na_status emit_comm(struct na_xf_decoding *d,
				const struct na_xf_comm *row, int64_t at)
{
	struct na_comm x = {.sequence = row->sequence,
			    .size_bytes = row->size_bytes,
			    .group = row->group,
			    .group_size = row->group_size,
			    .type = row->type,
			    .stream = row->stream,
			    .peer = row->peer,
			    .operation = row->operation,
			    .source = row->source,
			    .purpose = row->purpose};

	if (x.sequence < -1 || x.peer < -1 || row->rank < 0 ||
	    x.group_size > INT32_MAX || x.operation >= NA_N_OPCODES ||
	    x.source >= NA_N_COMM_SOURCES ||
	    (x.size_bytes > INT64_MAX && x.size_bytes != NA_UNKNOWN_U64) ||
	    !backwards(d, at, row->duration_ps, &x.start_ps, &x.end_ps) ||
	    !name(d, &x.group) || !name(d, &x.type)) {
		d->damaged++;
		return NA_OK;
	}
	x.core = d->sink->core(d->sink->ctx, NA_DEVICE_RANK, row->rank);
	if (x.core >= NA_CORES_MAX)
		return too_many_cores(d, x.core, 1);
	return d->nomem ? NA_ENOMEM : d->sink->comm(d->sink->ctx, &x);
}

static bool forwards(int64_t start, int64_t *since)
{
	return *since == NA_UNKNOWN_PS ||
	       (*since >= 0 && !__builtin_add_overflow(start, *since, since));
}

static enum na_status emit_call(struct na_xf_decoding *d, struct na_call c,
				int64_t at)
{
	if (__builtin_add_overflow(at, d->shift_ps, &c.start_ps) ||
	    !forwards(c.start_ps, &c.first_ps) ||
	    !forwards(c.start_ps, &c.end_ps) || c.bytes_req > INT64_MAX ||
	    c.bytes_resp > INT64_MAX || !name(d, &c.method) ||
	    !endpoint(d, &c.src, true) || !endpoint(d, &c.dst, true)) {
		d->damaged++;
		return NA_OK;
	}
	return d->nomem ? NA_ENOMEM : d->sink->call(d->sink->ctx, &c);
}

static enum na_status emit_packet(struct na_xf_decoding *d,
				  struct na_wire_packet w, int64_t at)
{
	if (__builtin_add_overflow(at, d->shift_ps, &w.time_ps) ||
	    !endpoint(d, &w.src, true) || !endpoint(d, &w.dst, true)) {
		d->damaged++;
		return NA_OK;
	}
	return d->nomem ? NA_ENOMEM : d->sink->packet(d->sink->ctx, &w);
}

static enum na_status emit_connection(struct na_xf_decoding *d,
				      const struct na_connection *from,
				      int64_t at)
{
	struct na_connection c = *from;

	if (__builtin_add_overflow(at, d->shift_ps, &c.from_ps) ||
	    c.to_ps == NA_UNKNOWN_PS || !forwards(c.from_ps, &c.to_ps) ||
	    c.end > NA_CONN_EVICTED || c.client >= NA_LEN(c.dir) ||
	    !endpoint(d, &c.src, true) || !endpoint(d, &c.dst, true)) {
		d->damaged++;
		return NA_OK;
	}
	return d->nomem ? NA_ENOMEM : d->sink->connection(d->sink->ctx, &c);
}

/* The action behind a transfer, from what it is more than that one. */
static enum na_status emit_shadow(struct na_xf_decoding *d, size_t transfers,
				  const struct na_xf_action *more, int64_t at)
{
	const char *rows = d->rows[XF_TRANSFER];
	struct na_xf_action x, with;
	struct na_transfer t;

	if (!transfers || !rows) {
		d->damaged++;
		return NA_OK;
	}
	memcpy(&t, rows + (transfers - 1) * sizeof(t), sizeof(t));
	x = *more;
	na_xf_shadow_of(&t, &with);
	na_xf_shadow_add(&x, &with, 1);
	return emit_action(d, &x, at);
}

static enum na_status emit(struct na_xf_decoding *d, int64_t kind, char *row,
			   const size_t *used, int64_t at)
{
	/* Rows are allocated as their structs. */
	switch (kind) {
	case XF_TRANSFER:
		return d->wants & NA_WANT_TRANSFERS
			       ? emit_transfer(
					 d, *(struct na_transfer *)(void *)row,
					 at)
			       : NA_OK;
	case XF_SHADOW:
		return emit_shadow(d, used[XF_TRANSFER], (void *)row, at);
	case XF_ACTION:
		return emit_action(d, (void *)row, at);
	case XF_SPAN:
		return emit_span(d, *(struct na_span *)(void *)row, at);
	case XF_OP_TYPE:
		return emit_op_type(d, (void *)row);
	case XF_OP:
		return emit_op(d, (void *)row, used[XF_OP_TYPE], at);
	case XF_BUSY:
		return emit_busy(d, (void *)row, at);
	case XF_COMM:
		return emit_comm(d, (void *)row, at);
	case XF_CALL:
		return emit_call(d, *(struct na_call *)(void *)row, at);
	case XF_PACKET:
		return emit_packet(d, *(struct na_wire_packet *)(void *)row,
				   at);
	default:
		return emit_connection(d, (void *)row, at);
	}
}

enum na_status na_xf_emit(struct na_xf_decoding *d)
{
	size_t used[XF_N_KINDS] = {0};
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < d->n_order; i++) {
		int64_t kind = d->order[i].kind;

		if (kind <= 0 || kind >= XF_N_KINDS ||
		    !na_xf_kind_wanted((uint64_t)kind, d->wants))
			continue;
		if (used[kind] == d->n_rows[kind] || kind == XF_BUSY_TIME) {
			d->damaged++;
			continue;
		}
		st = emit(d, kind,
			  d->rows[kind] + used[kind] * na_xf_kinds[kind].size,
			  used, d->order[i].time_ps);
		used[kind]++;
	}
	return st;
}

/* ---- counts */

static void tell_classed(const struct na_sink *to, struct na_cursor c)
{
	uint64_t v[4] = {0};
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag >= 8 && f.tag < 40 && (f.tag & 7) == NA_W_VARINT)
			v[f.tag / 8 - 1] = f.value;
	}
	if (v[0] <= NA_TX && v[1] < NA_N_STYLES && v[2] < NA_N_CLASSES)
		to->classed(to->ctx, (enum na_side)v[0], (enum na_style)v[1],
			    (enum na_class)v[2], v[3]);
}

/* A name or text (`at` first, or behind it) and a number. */
static void tell_rest(struct na_xf_decoding *d, uint32_t field,
		      struct na_cursor c)
{
	const struct na_sink *to = d->sink;
	struct na_text s = {"", 0};
	uint64_t first = 0, second = 0, wants = 0;
	struct na_field f;
	char remark[256];

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			first = f.value;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			second = f.value;
		else if (f.tag == NA_TAG(3, NA_W_VARINT))
			wants = f.value;
		else if ((f.tag & 7) == NA_W_BYTES)
			s = na_text_under(&f.body);
	}
	if (wants && !(wants & d->wants))
		return;
	if (to->about)
		to->about(to->ctx, (uint32_t)wants);
	if (field == 2 && first < NA_N_REASONS)
		to->left_out(to->ctx, (enum na_reason)first, second);
	if (field == 3)
		to->unknown_name(to->ctx, s.s, s.n, second);
	if (field == 4) {
		snprintf(remark, sizeof(remark), "%.*s",
			 (int)(s.n < 250 ? s.n : 250), s.s);
		to->warn(to->ctx, first, remark);
	}
}

void na_xf_tell_counts(struct na_xf_decoding *d)
{
	struct na_cursor content = d->b->content;
	struct na_field f, g;

	while (na_field_next(&content, &f) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(2, NA_W_BYTES))
			continue;
		while (na_field_next(&f.body, &g) == NA_NEXT_FIELD) {
			if ((g.tag & 7) != NA_W_BYTES)
				continue;
			if (g.tag >> 3 != 1)
				tell_rest(d, g.tag >> 3, g.body);
			else if (d->wants & NA_WANT_TRANSFERS)
				tell_classed(d->sink, g.body);
		}
	}
	if (d->sink->about)
		d->sink->about(d->sink->ctx, 0);
}
