/* The sink that encodes: one block of records after the other. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "ingest/transfer_file/part.h"
#include "netan/base/vec.h"

struct na_xfer_part *na_xfer_part_new(uint32_t source)
{
	struct na_xfer_part *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->z = ZSTD_createCCtx();
	p->source = source;
	p->block = 1;
	p->done_end = &p->done;
	return p;
}

void na_xf_encoded_free(struct na_xf_encoded *e)
{
	if (!e)
		return;
	na_xf_bytes_fini(&e->sections);
	na_xf_bytes_fini(&e->counts);
	na_xf_bytes_fini(&e->strings);
	na_vec_free(&e->endpoints);
	free(e);
}

void na_xfer_part_begin(struct na_xfer_part *p, uint32_t source)
{
	p->source = source;
}

struct na_xfer_part *na_xfer_part_heir(struct na_xfer_part *p)
{
	struct na_xfer_part *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	*x = (struct na_xfer_part){.block = 1,
				   .z = p->z,
				   .order = p->order,
				   .times = p->times,
				   .cap_order = p->cap_order,
				   .cap_times = p->cap_times,
				   .scratch = p->scratch,
				   .columns = p->columns};
	x->columns.n = 0;
	x->columns.failed = false;
	x->done_end = &x->done;
	memcpy(x->kinds, p->kinds, sizeof(x->kinds));
	for (int k = 0; k < XF_N_KINDS; k++)
		x->kinds[k].n = 0;
	memset(p->kinds, 0, sizeof(p->kinds));
	memset(&p->scratch, 0, sizeof(p->scratch));
	memset(&p->columns, 0, sizeof(p->columns));
	p->z = NULL;
	p->order = NULL;
	p->times = NULL;
	p->cap_order = p->cap_times = 0;
	return x;
}

void na_xfer_part_free(struct na_xfer_part *p)
{
	if (!p)
		return;
	while (p->done) {
		struct na_xf_encoded *e = p->done;

		p->done = e->next;
		na_xf_encoded_free(e);
	}
	na_xf_encoded_free(p->now);
	na_strtab_fini(&p->names);
	na_strtab_fini(&p->endpoint_keys);
	na_strtab_fini(&p->core_keys);
	na_strtab_fini(&p->op_types);
	na_xf_bytes_fini(&p->remarks);
	free(p->endpoints);
	free(p->name_map.at);
	free(p->endpoint_map.at);
	free(p->op_type_map.at);
	for (int k = 0; k < XF_N_KINDS; k++)
		free(p->kinds[k].p);
	na_xf_bytes_fini(&p->columns);
	na_vec_free(&p->scratch);
	free(p->order);
	free(p->times);
	ZSTD_freeCCtx(p->z);
	free(p);
}

struct na_xf_encoded *na_xf_part_take(struct na_xfer_part *p, uint32_t *source,
				      const struct na_strtab **names)
{
	struct na_xf_encoded *e = p->done;

	p->done = NULL;
	p->done_end = &p->done;
	*source = p->source;
	*names = &p->names;
	return e;
}

static struct na_xf_encoded *encoded(struct na_xfer_part *p)
{
	if (!p->now)
		p->now = calloc(1, sizeof(*p->now));
	p->failed |= !p->now;
	return p->now;
}

struct na_xf_mapped *na_xf_slot(struct na_xf_map *m, uint32_t i)
{
	size_t old = m->n;

	if (i >= old) {
		if (!na_grow(&m->at, &m->n, (size_t)i + 1, sizeof(*m->at)))
			return NULL;
		memset(m->at + old, 0, (m->n - old) * sizeof(*m->at));
	}
	return &m->at[i];
}

uint32_t na_xf_block_name(struct na_xfer_part *p, uint32_t i)
{
	struct na_xf_encoded *e = encoded(p);
	struct na_xf_mapped *m;

	if (i >= p->names.n)
		return NA_UNKNOWN_U32;
	m = na_xf_slot(&p->name_map, i);
	p->failed |= !m;
	if (!m || !e)
		return NA_UNKNOWN_U32;
	if (m->block != p->block) {
		const struct na_interned *s = &p->names.names[i];

		*m = (struct na_xf_mapped){p->block, (uint32_t)e->n_strings++};
		na_xf_put_field(&e->strings, 1, s->s, s->len);
	}
	return m->to;
}

static uint32_t block_endpoint(struct na_xfer_part *p, uint32_t i)
{
	struct na_xf_encoded *e = encoded(p);
	struct na_xf_mapped *m;

	if (i >= p->endpoint_keys.n)
		return NA_UNKNOWN_U32;
	m = na_xf_slot(&p->endpoint_map, i);
	if (!m || !e || !na_room(&e->endpoints, 1)) {
		p->failed = true;
		return NA_UNKNOWN_U32;
	}
	if (m->block != p->block) {
		*m = (struct na_xf_mapped){p->block, (uint32_t)e->endpoints.n};
		e->endpoints.v[e->endpoints.n++] = p->endpoints[i];
	}
	return m->to;
}

/* ---- a block is full */

static void put_columns(struct na_xfer_part *p, enum na_xf_section kind,
			size_t n)
{
	na_xf_put_section(&p->now->sections, p->z, kind, n, &p->columns);
	p->columns.n = 0;
}

static void put_kind(struct na_xfer_part *p, enum na_xf_section kind)
{
	const struct na_xf_kind *k = &na_xf_kinds[kind];
	struct na_xf_rows *r = &p->kinds[kind];
	size_t before = p->now->sections.n;

	if (!r->n)
		return;
	for (size_t c = 0; c < k->n_fields; c++) {
		const struct na_xf_field *f = &k->fields[c];

		for (size_t i = 0; i < r->n; i++)
			p->scratch.v[i] = na_xf_load(r->p + i * k->size, f);
		na_xf_put_column(&p->columns, f->number, p->scratch.v, r->n,
				 na_xf_unknown((enum na_xf_type)f->type));
	}
	put_columns(p, kind, r->n);
	p->now->kinds[kind] = r->n;
	p->now->packed[kind] += p->now->sections.n - before;
	r->n = 0;
}

/* Times are counted with the records that they are of; times in which a device
 * is busy are of the ops, and not in this order. */
static void put_order(struct na_xfer_part *p)
{
	size_t before = p->now->sections.n, bytes;

	for (size_t i = 0; i < p->n; i++)
		p->scratch.v[i] = p->order[i];
	na_xf_put_column(&p->columns, 1, p->scratch.v, p->n, 0);
	na_xf_put_column(&p->columns, 2, p->times, p->n, 0);
	put_columns(p, XF_ORDER, p->n);
	bytes = p->now->sections.n - before;
	for (int k = 1; k < XF_N_KINDS; k++) {
		if (k != XF_BUSY_TIME)
			p->now->packed[k] += bytes * p->kinds[k].n / p->n;
	}
}

enum na_status na_xf_flush(struct na_xfer_part *p)
{
	size_t most = p->n > p->kinds[XF_BUSY_TIME].n
			      ? p->n
			      : p->kinds[XF_BUSY_TIME].n;
	struct na_xf_encoded *e;

	p->run.open = false;
	if (!p->n && !p->counted)
		return p->failed ? NA_ENOMEM : NA_OK;
	e = encoded(p);
	p->failed |= !na_room(&p->scratch, most);
	if (p->failed)
		return NA_ENOMEM;
	na_xf_put_counts(p, &e->counts);
	if (p->n) {
		put_order(p);
		for (int k = 1; k < XF_N_KINDS; k++)
			put_kind(p, (enum na_xf_section)k);
	}
	e->records = 0;
	for (int k = 1; k < XF_N_KINDS; k++)
		e->records += e->kinds[k];
	p->failed |= p->columns.failed || e->sections.failed ||
		     e->counts.failed || e->strings.failed;
	*p->done_end = e;
	p->done_end = &e->next;
	p->now = NULL;
	p->block++;
	p->n = p->row_bytes = 0;
	p->fresh = false;
	if (p->full && !p->failed)
		p->full(p->full_ctx, p);
	return p->failed ? NA_ENOMEM : NA_OK;
}

void na_xfer_part_tell(struct na_xfer_part *p,
		       void (*full)(void *ctx, struct na_xfer_part *p),
		       void *ctx)
{
	p->full = full;
	p->full_ctx = ctx;
}

enum na_status na_xfer_part_end(struct na_xfer_part *p)
{
	return na_xf_flush(p);
}

/* ---- the sink */

void *na_xf_new_row(struct na_xfer_part *p, enum na_xf_section kind)
{
	size_t size = na_xf_kinds[kind].size;
	struct na_xf_rows *r = &p->kinds[kind];

	if (!encoded(p) || p->failed ||
	    !na_grow(&r->p, &r->cap, (r->n + 1) * size, 1)) {
		p->failed = true;
		return NULL;
	}
	p->row_bytes += size;
	return r->p + r->n++ * size;
}

enum na_status na_xf_push(struct na_xfer_part *p, enum na_xf_section kind,
			  int64_t time_ps, const void *record)
{
	void *row;

	if (!na_grow(&p->order, &p->cap_order, p->n + 1, 1) ||
	    !na_grow(&p->times, &p->cap_times, p->n + 1, sizeof(*p->times))) {
		p->failed = true;
		return NA_ENOMEM;
	}
	row = na_xf_new_row(p, kind);
	if (!row)
		return NA_ENOMEM;
	memcpy(row, record, na_xf_kinds[kind].size);
	p->order[p->n] = (uint8_t)kind;
	p->times[p->n++] = time_ps;
	return p->n < XF_BLOCK_RECORDS && p->row_bytes < XF_BLOCK_BYTES &&
			       p->now->strings.n < XF_BLOCK_BYTES
		       ? NA_OK
		       : na_xf_flush(p);
}

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static enum na_status put_transfer(void *ctx, const struct na_transfer *t)
{
	struct na_xfer_part *p = ctx;
	struct na_transfer x = *t;

	x.start_ps = minus(t->end_ps, t->start_ps);
	x.src = block_endpoint(p, t->src);
	x.dst = block_endpoint(p, t->dst);
	x.collective = na_xf_block_name(p, t->collective);
	x.type = na_xf_block_name(p, t->type);
	p->last = x;
	p->last_end_ps = t->end_ps;
	p->fresh = true;
	return na_xf_push(p, XF_TRANSFER, t->end_ps, &x);
}

static uint32_t text_of(struct na_xfer_part *p, const struct na_text *t)
{
	uint32_t name;

	if (!t->n)
		return NA_UNKNOWN_U32;
	name = na_strtab_add(&p->names, t->s, t->n);
	p->failed |= name == NA_NO_NAME;
	return na_xf_block_name(p, name);
}

static enum na_status put_action(void *ctx, const struct na_action *a)
{
	struct na_xfer_part *p = ctx;
	bool shadow = p->fresh && a->end_ps == p->last_end_ps &&
		      (a->kind == NA_ACT_SEND || a->kind == NA_ACT_RECEIVE);
	struct na_xf_action x, with;

	memset(&x, 0, sizeof(x));
	x = (struct na_xf_action){
		.duration_ps = minus(a->end_ps, a->start_ps),
		.size_bytes = a->size_bytes,
		.device = block_endpoint(p, a->device),
		.collective = na_xf_block_name(p, a->collective),
		.type = na_xf_block_name(p, a->type),
		.launch = a->launch,
		.iteration = a->iteration,
		.local_device_id = a->local_device_id,
		.num_actions = a->num_actions,
		.action_index = a->action_index,
		.chunk = a->chunk,
		.level = a->level,
		.send_channel_id = a->send_channel_id,
		.recv_channel_id = a->recv_channel_id,
		.run_id = a->run_id,
		.slack_us = a->slack_us,
		.transmission_budget_us = a->transmission_budget_us,
		.delay_budget_us = a->delay_budget_us,
		.activation_to_receive_us = a->activation_to_receive_us,
		.texts = {text_of(p, &a->name), text_of(p, &a->inputs),
			  text_of(p, &a->operation),
			  text_of(p, &a->action_type),
			  text_of(p, &a->hlo_module)},
		.thread = na_is_host_event(a->kind) ? text_of(p, &a->thread) + 1
						    : 0,
		.kind = (uint8_t)a->kind,
		.style = (uint8_t)a->style,
	};
	if (shadow) {
		na_xf_shadow_of(&p->last, &with);
		na_xf_shadow_add(&x, &with, -1);
	}
	p->fresh = false;
	return na_xf_push(p, shadow ? XF_SHADOW : XF_ACTION, a->end_ps, &x);
}

static enum na_status put_span(void *ctx, const struct na_span *s)
{
	struct na_xfer_part *p = ctx;
	struct na_span x = *s;

	x.start_ps = minus(s->end_ps, s->start_ps);
	x.name = na_xf_block_name(p, s->name);
	p->fresh = false;
	return na_xf_push(p, XF_SPAN, s->end_ps, &x);
}

static int64_t since(int64_t t, int64_t start)
{
	return t == NA_UNKNOWN_PS ? t : minus(t, start);
}

static enum na_status put_call(void *ctx, const struct na_call *c)
{
	struct na_xfer_part *p = ctx;
	struct na_call x = *c;

	x.first_ps = since(c->first_ps, c->start_ps);
	x.end_ps = since(c->end_ps, c->start_ps);
	x.src = block_endpoint(p, c->src);
	x.dst = block_endpoint(p, c->dst);
	x.method = na_xf_block_name(p, c->method);
	p->fresh = false;
	return na_xf_push(p, XF_CALL, c->start_ps, &x);
}

static enum na_status put_packet(void *ctx, const struct na_wire_packet *w)
{
	struct na_xfer_part *p = ctx;
	struct na_wire_packet x = *w;

	x.src = block_endpoint(p, w->src);
	x.dst = block_endpoint(p, w->dst);
	p->fresh = false;
	return na_xf_push(p, XF_PACKET, w->time_ps, &x);
}

static enum na_status put_connection(void *ctx, const struct na_connection *c)
{
	struct na_xfer_part *p = ctx;
	struct na_connection x = *c;

	x.to_ps = minus(c->to_ps, c->from_ps);
	x.src = block_endpoint(p, c->src);
	x.dst = block_endpoint(p, c->dst);
	p->fresh = false;
	return na_xf_push(p, XF_CONNECTION, c->from_ps, &x);
}

/* Of one connection that is drawn: never in a transfer file. */
static enum na_status put_segment(void *ctx, const struct na_segment *s)
{
	(void)ctx;
	(void)s;
	return NA_OK;
}

static uint32_t put_name(void *ctx, const char *s, size_t n)
{
	struct na_xfer_part *p = ctx;
	uint32_t name = na_strtab_add(&p->names, s, n);

	p->failed |= name == NA_NO_NAME;
	return name;
}

static uint32_t keep_endpoint(struct na_xfer_part *p, const void *key, size_t n,
			      const struct na_xf_endpoint *e)
{
	size_t before = p->endpoint_keys.n;
	uint32_t i = na_strtab_add(&p->endpoint_keys, key, n);

	if (i == NA_NO_NAME || !na_grow(&p->endpoints, &p->cap_endpoints,
					(size_t)i + 1, sizeof(*e))) {
		p->failed = true;
		return NA_UNKNOWN_U32;
	}
	if (i == before)
		p->endpoints[i] = *e;
	return i;
}

/* Devices have keys of 8 bytes, addresses of 4. */
static uint32_t put_endpoint(void *ctx, int32_t slice, int32_t device)
{
	int32_t key[2] = {slice, device};

	return keep_endpoint(ctx, key, sizeof(key),
			     &(struct na_xf_endpoint){slice, device,
						      NA_NO_NAME});
}

static uint32_t put_address(void *ctx, const char *s, size_t n)
{
	struct na_xfer_part *p = ctx;
	uint32_t name = put_name(p, s, n);

	return name == NA_NO_NAME
		       ? NA_UNKNOWN_U32
		       : keep_endpoint(p, &name, sizeof(name),
				       &(struct na_xf_endpoint){0, 0, name});
}

struct na_sink na_xfer_part_sink(struct na_xfer_part *p)
{
	return (struct na_sink){
		.ctx = p,
		.transfer = put_transfer,
		.action = put_action,
		.span = put_span,
		.call = put_call,
		.packet = put_packet,
		.connection = put_connection,
		.segment = put_segment,
		.core = na_xf_put_core,
		.op_type = na_xf_put_op_type,
		.op = na_xf_put_op,
		.busy = na_xf_put_busy,
		.comm = na_xf_put_comm,
		.name = put_name,
		.endpoint = put_endpoint,
		.address = put_address,
		.classed = na_xf_put_class,
		.left_out = na_xf_put_left_out,
		.about = na_xf_put_about,
		.unknown_name = na_xf_put_unknown,
		.warn = na_xf_put_remark,
	};
}
