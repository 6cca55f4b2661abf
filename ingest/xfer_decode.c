/* One block of a transfer file back into records. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "ingest/xfer_bytes.h"
#include "ingest/xfer_read.h"
#include "netan/base/vec.h"

struct endpoint {
	int32_t slice, device;
	struct na_text address;
	bool is_address;
	uint32_t index; /* of the sink, where known */
	bool known;
};

struct string {
	struct na_text text;
	uint32_t index;
	bool known;
};

struct decoding {
	const struct xf_block *b;
	const struct na_sink *sink;
	uint32_t wants;
	int64_t shift_ps;
	ZSTD_DCtx *z;

	uint8_t *names;   /* unpacked section NAMES */
	uint8_t *scratch; /* one unpacked section */
	size_t names_cap, scratch_cap;
	int64_t *values; /* one column */
	size_t values_cap;
	struct string *strings;
	struct endpoint *endpoints;
	size_t n_strings, cap_strings, n_endpoints, cap_endpoints;

	char *rows[XF_N_KINDS];
	size_t n_rows[XF_N_KINDS], row_bytes;
	struct order {
		int64_t time_ps, kind;
	} * order;
	size_t n_order;
	uint64_t damaged; /* records */
	bool nomem;
};

static const struct xf_field order_fields[] = {
	{1, offsetof(struct order, kind), XF_I64, 0},
	{2, offsetof(struct order, time_ps), XF_I64, 0},
};
static const struct xf_kind order_kind = {sizeof(struct order), order_fields,
					  2};

/* ---- sections and columns */

struct section {
	uint64_t kind, n, raw_bytes;
	struct na_cursor packed;
};

static void parse_section(struct na_cursor c, struct section *s)
{
	struct na_field f;

	*s = (struct section){.kind = 0};
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			s->kind = f.value;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			s->n = f.value;
		else if (f.tag == NA_TAG(3, NA_W_VARINT))
			s->raw_bytes = f.value;
		else if (f.tag == NA_TAG(4, NA_W_BYTES))
			s->packed = f.body;
	}
}

static bool unpack(struct decoding *d, const struct section *s, uint8_t **buf,
		   size_t *cap, struct na_cursor *out)
{
	size_t n;

	if (!s->packed.p || s->raw_bytes > XF_MAX_RAW_BYTES)
		return false;
	if (!na_grow(buf, cap, (size_t)s->raw_bytes + 1, 1)) {
		d->nomem = true;
		return false;
	}
	n = ZSTD_decompressDCtx(d->z, *buf, (size_t)s->raw_bytes, s->packed.p,
				na_left(&s->packed));
	*out = (struct na_cursor){*buf, *buf + s->raw_bytes, *buf};
	return !ZSTD_isError(n) && n == s->raw_bytes;
}

struct column {
	uint64_t field, mode, unit;
	int64_t base;
	bool unknown;
	struct na_cursor data;
};

static void parse_column(struct na_cursor c, struct column *to)
{
	struct na_field f;

	*to = (struct column){.unit = 0};
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			to->field = f.value;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			to->mode = f.value;
		else if (f.tag == NA_TAG(3, NA_W_VARINT))
			to->base = xf_unzigzag(f.value);
		else if (f.tag == NA_TAG(4, NA_W_VARINT))
			to->unit = f.value;
		else if (f.tag == NA_TAG(5, NA_W_VARINT))
			to->unknown = f.value != 0;
		else if (f.tag == NA_TAG(6, NA_W_BYTES))
			to->data = f.body;
	}
}

/* All arithmetic is modulo 2^64, as the format says. */
static bool column_values(const struct column *c, int64_t unknown, int64_t *v,
			  size_t n)
{
	struct na_cursor at = c->data;
	uint64_t x, last = (uint64_t)c->base;

	for (size_t i = 0; i < n; i++) {
		if (c->mode == XF_CONSTANT) {
			v[i] = c->base;
			continue;
		}
		if (!at.p || !na_varint(&at, &x))
			return false;
		if (c->mode == XF_DELTA) {
			last += c->unit * (uint64_t)xf_unzigzag(x);
			v[i] = (int64_t)last;
		} else if (c->unknown && x == 0) {
			v[i] = unknown;
		} else {
			v[i] = (int64_t)((uint64_t)c->base +
					 c->unit * (x - c->unknown));
		}
	}
	return at.p == at.end && c->mode <= XF_DELTA;
}

static const struct xf_field *field_of(const struct xf_kind *k, uint64_t number)
{
	for (size_t i = 0; i < k->n_fields; i++) {
		if (k->fields[i].number == number)
			return &k->fields[i];
	}
	return NULL;
}

static bool read_columns(struct decoding *d, struct na_cursor c,
			 const struct xf_kind *k, void *rows, size_t n)
{
	enum na_next next;
	struct na_field f;

	if (!na_grow(&d->values, &d->values_cap, n, sizeof(*d->values))) {
		d->nomem = true;
		return false;
	}
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		const struct xf_field *to;
		struct column col;

		if (f.tag != NA_TAG(1, NA_W_BYTES))
			continue;
		parse_column(f.body, &col);
		to = field_of(k, col.field);
		if (!to)
			continue; /* of a later version */
		if (!column_values(&col, xf_unknown((enum xf_type)to->type),
				   d->values, n))
			return false;
		xf_store(rows, k->size, to, d->values, n);
	}
	return next == NA_NEXT_END;
}

/* Rows of one kind, zeroed; NULL when there are too many. */
static void *new_rows(struct decoding *d, const struct xf_kind *k, uint64_t n)
{
	void *rows;

	if (n > XF_MAX_RECORDS || n * k->size > XF_MAX_RAW_BYTES - d->row_bytes)
		return NULL;
	rows = na_calloc((size_t)n + 1, k->size);
	d->nomem |= !rows;
	d->row_bytes += (size_t)n * k->size;
	return rows;
}

static bool kind_wanted(uint64_t kind, uint32_t wants)
{
	switch (kind) {
	case XF_TRANSFER: /* what is beside it is told by it */
		return wants & (NA_WANT_TRANSFERS | NA_WANT_ACTIONS);
	case XF_SHADOW:
		return wants & NA_WANT_ACTIONS;
	case XF_ACTION:
		return wants &
		       (NA_WANT_ACTIONS | NA_WANT_GRAPHS | NA_WANT_KERNELS);
	case XF_SPAN:
		return wants & (NA_WANT_STEPS | NA_WANT_MODULES);
	case XF_CALL:
		return wants & NA_WANT_CALLS;
	case XF_FRAME:
		return wants & NA_WANT_FRAMES;
	case XF_CONNECTION:
		return wants & NA_WANT_CONNECTIONS;
	default:
		return false;
	}
}

static bool read_kind(struct decoding *d, const struct section *s)
{
	struct na_cursor c;

	if (!kind_wanted(s->kind, d->wants))
		return true;
	if (d->rows[s->kind] || !unpack(d, s, &d->scratch, &d->scratch_cap, &c))
		return false;
	d->rows[s->kind] = new_rows(d, &xf_kinds[s->kind], s->n);
	d->n_rows[s->kind] = (size_t)s->n;
	return d->rows[s->kind] && read_columns(d, c, &xf_kinds[s->kind],
						d->rows[s->kind], (size_t)s->n);
}

static bool read_order(struct decoding *d, const struct section *s)
{
	struct na_cursor c;

	if (d->order || !unpack(d, s, &d->scratch, &d->scratch_cap, &c))
		return false;
	d->order = new_rows(d, &order_kind, s->n);
	d->n_order = (size_t)s->n;
	return d->order &&
	       read_columns(d, c, &order_kind, d->order, (size_t)s->n);
}

static bool add_endpoint(struct decoding *d, struct na_cursor c)
{
	struct endpoint e = {.slice = 0};
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT)) {
			e.slice = (int32_t)xf_unzigzag(f.value);
		} else if (f.tag == NA_TAG(2, NA_W_VARINT)) {
			e.device = (int32_t)xf_unzigzag(f.value);
		} else if (f.tag == NA_TAG(3, NA_W_BYTES)) {
			e.is_address = true;
			e.address = (struct na_text){(const char *)f.body.p,
						     na_left(&f.body)};
		}
	}
	/* INT32_MIN means an address, inside. */
	if (e.slice < 0 || e.device < 0)
		return false;
	if (!na_grow(&d->endpoints, &d->cap_endpoints, d->n_endpoints + 1,
		     sizeof(e))) {
		d->nomem = true;
		return false;
	}
	d->endpoints[d->n_endpoints++] = e;
	return true;
}

static bool read_names(struct decoding *d, const struct section *s)
{
	enum na_next next;
	struct na_cursor c;
	struct na_field f;

	if (d->names || !unpack(d, s, &d->names, &d->names_cap, &c))
		return false;
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (d->n_strings + d->n_endpoints > 2 * XF_MAX_RECORDS)
			return false;
		if (f.tag == NA_TAG(2, NA_W_BYTES) && !add_endpoint(d, f.body))
			return false;
		if (f.tag != NA_TAG(1, NA_W_BYTES))
			continue;
		if (!na_grow(&d->strings, &d->cap_strings, d->n_strings + 1,
			     sizeof(*d->strings))) {
			d->nomem = true;
			return false;
		}
		d->strings[d->n_strings++] = (struct string){
			.text = {(const char *)f.body.p, na_left(&f.body)}};
	}
	return next == NA_NEXT_END;
}

static bool read_sections(struct decoding *d)
{
	struct na_cursor c = d->b->content;
	enum na_next next;
	struct na_field f;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		struct section s;
		bool good = true;

		if (f.tag != NA_TAG(1, NA_W_BYTES))
			continue;
		parse_section(f.body, &s);
		if (s.kind == XF_NAMES)
			good = read_names(d, &s);
		else if (s.kind == XF_ORDER)
			good = read_order(d, &s);
		else if (s.kind < XF_N_KINDS)
			good = read_kind(d, &s);
		if (!good)
			return false;
	}
	return next == NA_NEXT_END;
}

/* ---- names: told to the sink when a record first uses them, as the reader
 * of the original did, so that they get the same order there */

static bool name(struct decoding *d, uint32_t *i)
{
	struct string *s;

	if (*i == NA_UNKNOWN_U32)
		return true;
	if (*i >= d->n_strings)
		return false;
	s = &d->strings[*i];
	if (!s->known)
		s->index = d->sink->name(d->sink->ctx, s->text.s, s->text.n);
	s->known = true;
	*i = s->index;
	return true;
}

/* must: a record is none without this endpoint. */
static bool endpoint(struct decoding *d, uint32_t *i, bool must)
{
	const struct na_sink *to = d->sink;
	struct endpoint *e;

	if (*i == NA_UNKNOWN_U32)
		return !must;
	if (*i >= d->n_endpoints)
		return false;
	e = &d->endpoints[*i];
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

static struct na_text text(const struct decoding *d, uint32_t i)
{
	return i < d->n_strings ? d->strings[i].text : (struct na_text){"", 0};
}

/* ---- records */

/* from = end - duration, to = end, on this session's clock. */
static bool backwards(const struct decoding *d, int64_t end, int64_t duration,
		      int64_t *from, int64_t *to)
{
	return !__builtin_add_overflow(end, d->shift_ps, to) && duration >= 0 &&
	       !__builtin_sub_overflow(*to, duration, from);
}

static enum na_status emit_transfer(struct decoding *d, struct na_transfer t,
				    int64_t at)
{
	if (t.side > NA_TX || t.style >= NA_N_STYLES ||
	    t.klass >= NA_N_CLASSES || t.klass == NA_BAD_KEY ||
	    t.klass == NA_BAD_DURATION ||
	    (t.component != NA_COMP_NETWORK && t.component != NA_COMP_RPC) ||
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
	return kind == NA_ACT_GRAPH    ? NA_WANT_GRAPHS
	       : kind == NA_ACT_KERNEL ? NA_WANT_KERNELS
				       : NA_WANT_ACTIONS;
}

static void fill_action(const struct decoding *d, const struct xf_action *x,
			struct na_action *a)
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
}

static enum na_status emit_action(struct decoding *d, struct xf_action *x,
				  int64_t at)
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

static enum na_status emit_span(struct decoding *d, struct na_span s,
				int64_t at)
{
	uint32_t want = s.kind == NA_SPAN_STEP ? NA_WANT_STEPS
					       : NA_WANT_MODULES;

	if (!(d->wants & want))
		return NA_OK;
	if ((unsigned)s.kind > NA_SPAN_MODULE ||
	    !backwards(d, at, s.start_ps, &s.start_ps, &s.end_ps) ||
	    !name(d, &s.name)) {
		d->damaged++;
		return NA_OK;
	}
	return d->nomem ? NA_ENOMEM : d->sink->span(d->sink->ctx, &s);
}

static bool forwards(int64_t start, int64_t *since)
{
	return *since == NA_UNKNOWN_PS ||
	       (*since >= 0 && !__builtin_add_overflow(start, *since, since));
}

static enum na_status emit_call(struct decoding *d, struct na_call c,
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

static enum na_status emit_frame(struct decoding *d, struct na_frame w,
				 int64_t at)
{
	if (__builtin_add_overflow(at, d->shift_ps, &w.time_ps) ||
	    !endpoint(d, &w.src, true) || !endpoint(d, &w.dst, true)) {
		d->damaged++;
		return NA_OK;
	}
	return d->nomem ? NA_ENOMEM : d->sink->frame(d->sink->ctx, &w);
}

static enum na_status emit_connection(struct decoding *d,
				      const struct na_connection *from,
				      int64_t at)
{
	struct na_connection c = *from;

	if (__builtin_add_overflow(at, d->shift_ps, &c.from_ps) ||
	    c.to_ps == NA_UNKNOWN_PS || !forwards(c.from_ps, &c.to_ps) ||
	    c.end > NA_CONN_EVICTED || !endpoint(d, &c.src, true) ||
	    !endpoint(d, &c.dst, true)) {
		d->damaged++;
		return NA_OK;
	}
	return d->nomem ? NA_ENOMEM : d->sink->connection(d->sink->ctx, &c);
}

/* The action behind a transfer, from what it is more than that one. */
static enum na_status emit_shadow(struct decoding *d, size_t transfers,
				  const struct xf_action *more, int64_t at)
{
	const char *rows = d->rows[XF_TRANSFER];
	struct na_transfer t;
	struct xf_action x;

	if (!transfers || !rows) {
		d->damaged++;
		return NA_OK;
	}
	memcpy(&t, rows + (transfers - 1) * sizeof(t), sizeof(t));
	xf_shadow_of(&t, &x);
	xf_shadow_add(&x, more, 1);
	{
		struct xf_action all = *more;

		all.duration_ps = x.duration_ps;
		all.size_bytes = x.size_bytes;
		all.device = x.device;
		all.collective = x.collective;
		all.type = x.type;
		all.launch = x.launch;
		all.iteration = x.iteration;
		all.chunk = x.chunk;
		all.level = x.level;
		return emit_action(d, &all, at);
	}
}

static enum na_status emit(struct decoding *d, int64_t kind, char *row,
			   size_t transfers, int64_t at)
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
		return emit_shadow(d, transfers, (void *)row, at);
	case XF_ACTION:
		return emit_action(d, (void *)row, at);
	case XF_SPAN:
		return emit_span(d, *(struct na_span *)(void *)row, at);
	case XF_CALL:
		return emit_call(d, *(struct na_call *)(void *)row, at);
	case XF_FRAME:
		return emit_frame(d, *(struct na_frame *)(void *)row, at);
	default:
		return emit_connection(d, (void *)row, at);
	}
}

static enum na_status emit_all(struct decoding *d)
{
	size_t used[XF_N_KINDS] = {0};
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < d->n_order; i++) {
		int64_t kind = d->order[i].kind;

		if (kind <= 0 || kind >= XF_N_KINDS ||
		    !kind_wanted((uint64_t)kind, d->wants))
			continue;
		if (used[kind] == d->n_rows[kind]) {
			d->damaged++;
			continue;
		}
		st = emit(d, kind,
			  d->rows[kind] + used[kind] * xf_kinds[kind].size,
			  used[XF_TRANSFER], d->order[i].time_ps);
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
static void tell_rest(struct decoding *d, uint32_t field, struct na_cursor c)
{
	const struct na_sink *to = d->sink;
	struct na_text s = {"", 0};
	uint64_t first = 0, second = 0;
	struct na_field f;
	char remark[256];

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			first = f.value;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			second = f.value;
		else if ((f.tag & 7) == NA_W_BYTES)
			s = (struct na_text){(const char *)f.body.p,
					     na_left(&f.body)};
	}
	if (field == 2 && first < NA_N_REASONS)
		to->left_out(to->ctx, (enum na_reason)first, second);
	if (field == 3)
		for (uint64_t i = 0; i < second && i < XF_MAX_RECORDS; i++)
			to->unknown_name(to->ctx, s.s, s.n);
	if (field == 4) {
		snprintf(remark, sizeof(remark), "%.*s",
			 (int)(s.n < 250 ? s.n : 250), s.s);
		to->warn(to->ctx, first, remark);
	}
}

static void tell_counts(struct decoding *d, struct na_cursor content)
{
	struct na_field f, g;

	while (na_field_next(&content, &f) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(2, NA_W_BYTES))
			continue;
		while (na_field_next(&f.body, &g) == NA_NEXT_FIELD) {
			if (g.tag == NA_TAG(1, NA_W_BYTES))
				tell_classed(d->sink, g.body);
			else if ((g.tag & 7) == NA_W_BYTES)
				tell_rest(d, g.tag >> 3, g.body);
		}
	}
}

/* ---- a block */

static void tell_damage(struct decoding *d, uint64_t records, const char *what)
{
	char remark[160];

	snprintf(remark, sizeof(remark),
		 "block at byte %" PRIu64 ": %s; %" PRIu64 " record%s left out",
		 d->b->at, what, records, records == 1 ? "" : "s");
	d->sink->left_out(d->sink->ctx, NA_LEFT_DAMAGED, records);
	d->sink->warn(d->sink->ctx, d->b->at, remark);
}

static void decoding_fini(struct decoding *d)
{
	ZSTD_freeDCtx(d->z);
	for (int k = 0; k < XF_N_KINDS; k++)
		free(d->rows[k]);
	free(d->names);
	free(d->scratch);
	free(d->values);
	free(d->strings);
	free(d->endpoints);
	free(d->order);
}

enum na_status xf_decode(const struct xf_block *b, uint32_t wants,
			 int64_t shift_ps, const struct na_sink *sink,
			 struct na_err *err)
{
	struct decoding d = {.b = b,
			     .sink = sink,
			     .wants = wants,
			     .shift_ps = shift_ps,
			     .z = ZSTD_createDCtx()};
	enum na_status st = NA_OK;

	d.nomem = !d.z;
	if (!xf_crc_good(b)) {
		tell_damage(&d, b->records, "its checksum is wrong");
	} else if (!d.nomem && read_sections(&d)) {
		tell_counts(&d, b->content);
		st = emit_all(&d);
		if (d.damaged)
			tell_damage(&d, d.damaged, "values out of range");
	} else if (!d.nomem) {
		tell_damage(&d, b->records, "its content is malformed");
	}
	decoding_fini(&d);
	return d.nomem || st == NA_ENOMEM ? na_fail_nomem(err) : st;
}
