/* The sink that collects one block of work. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/model/store.h"

void na_part_init(struct na_part *p, struct na_pool *pool,
		  const struct na_filter *filter, uint32_t wants)
{
	memset(p, 0, sizeof(*p));
#define NA_RECORD(KIND, chunks, one, type, ...) \
	na_chunks_init(&p->chunks, pool, sizeof(struct type));
#include "netan/model/records.def"
	p->filter = filter;
	p->wants = wants;
}

void na_part_fini(struct na_part *p)
{
	na_names_fini(&p->names);
	na_devices_fini(&p->devices);
	free(p->local);
	free(p->unknown);
	free(p->verdicts);
	for (size_t i = 0; i < p->n_remarks && i < NA_REMARKS_MAX; i++)
		free(p->remarks[i].text);
}

static bool mark_local(struct na_part *p, uint32_t endpoint)
{
	size_t old = p->n_local;

	if (endpoint == UINT32_MAX) /* for want of memory: given() */
		return false;
	if (endpoint >= old) {
		if (!na_grow(&p->local, &p->n_local, (size_t)endpoint + 1,
			     sizeof(*p->local)))
			return false;
		memset(p->local + old, 0, p->n_local - old);
	}
	p->local[endpoint] = true;
	return true;
}

/* The filter's verdict on a collective, asked once for each name. */
static bool collective_ok(struct na_part *p, uint32_t name)
{
	size_t old = p->n_verdicts;

	if (!p->filter->collective || !p->filter->collective->n)
		return true;
	if (name >= p->names.strings.n)
		return na_filter_collective(p->filter, "");
	if (name >= old) {
		if (!na_grow(&p->verdicts, &p->n_verdicts, (size_t)name + 1,
			     sizeof(*p->verdicts))) {
			p->short_of_memory = true;
			return false;
		}
		memset(p->verdicts + old, 0, p->n_verdicts - old);
	}
	if (!p->verdicts[name])
		p->verdicts[name] =
			1 + na_filter_collective(p->filter,
						 na_strtab_at(&p->names.strings,
							      name));
	return p->verdicts[name] == 2;
}

/* An old event about as long as its latency spans the transfer. */
static void vote_anchor(struct na_tally *y, const struct na_transfer *t)
{
	int64_t latency, off = INT64_MAX, slack;

	if (t->style != NA_STYLE_MESSAGE || t->klass != NA_VALID)
		return;
	latency = t->end_ps - t->start_ps;
	slack = latency / 10 + 2 * NA_PS_PER_US;
	/* An action that is not told is below zero. */
	if (t->action_ps > latency / 2)
		off = t->action_ps - latency;
	if (off <= slack && off >= -slack)
		y->spans_near++;
	else
		y->spans_far++;
}

/* The class decides first: what is counted under its class is not counted
 * again as filtered. */
static bool class_wanted(const struct na_filter *f, const struct na_transfer *t,
			 enum na_reason *why)
{
	switch ((enum na_class)t->klass) {
	case NA_LOOPBACK:
		*why = NA_LEFT_LOOPBACK;
		return f->include_loopback;
	case NA_CLOCK_SKEW:
		*why = NA_LEFT_CLOCK_SKEW;
		return f->instants;
	case NA_NO_LATENCY:
		*why = NA_LEFT_NO_LATENCY;
		return f->instants;
	default:
		return true;
	}
}

/* An action that stands beside the transfer: nothing is left out without it. */
static bool is_beside(const struct na_filter *f, const struct na_transfer *t)
{
	const unsigned transfers = NA_COMP_BIT(NA_COMP_NETWORK) |
				   NA_COMP_BIT(NA_COMP_RPC);

	return f && t->style >= NA_STYLE_CAPTURE &&
	       !((f->components | transfers) & NA_COMP_BIT(t->component));
}

static bool wanted(struct na_part *p, const struct na_transfer *t)
{
	uint64_t *dropped = p->tally.dropped[t->side][t->style];
	enum na_reason why = NA_LEFT_FILTERED;

	if (is_beside(p->filter, t))
		return false;
	if (p->filter && !class_wanted(p->filter, t, &why)) {
		dropped[why]++;
		return false;
	}
	na_extent_add(&p->tally.seen, t->start_ps, t->end_ps);
	if (!p->filter ||
	    (na_filter_alone(p->filter, t) && collective_ok(p, t->collective)))
		return true;
	if (!p->filter->censored || t->klass == NA_LOOPBACK)
		why = NA_LEFT_FILTERED;
	dropped[why]++;
	return false;
}

static enum na_status add_transfer(void *ctx, const struct na_transfer *t)
{
	struct na_part *p = ctx;
	struct na_transfer *to;

	p->tally.classes[t->side][t->style][t->klass]++;
	/* A capture sees both ends, and is the host of neither. */
	if (t->style < NA_STYLE_CAPTURE &&
	    !mark_local(p, t->side == NA_RX ? t->dst : t->src))
		return NA_ENOMEM;
	vote_anchor(&p->tally, t);
	if (!wanted(p, t))
		return NA_OK;
	to = na_chunks_push(&p->transfers);
	if (!to)
		return NA_ENOMEM;
	*to = *t;
	return NA_OK;
}

static struct na_exec exec_of(const struct na_action *a)
{
	return (struct na_exec){.start_ps = a->start_ps,
				.end_ps = a->end_ps,
				.size_bytes = a->size_bytes,
				.device = a->device,
				.collective = a->collective,
				.type = a->type,
				.step = NA_UNKNOWN_U32,
				.style = (uint8_t)a->style,
				.kind = (uint8_t)a->kind};
}

/* Graph executions as wanted, other actions where a component asks. */
static bool kept(const struct na_part *p, const struct na_action *a)
{
	enum na_component c = na_exec_component(a->kind);

	if (a->kind == NA_ACT_GRAPH)
		return p->wants & NA_WANT_GRAPHS;
	return p->filter && c != NA_N_COMPONENTS &&
	       p->filter->components & NA_COMP_BIT(c);
}

static uint32_t name_of(struct na_part *p, const struct na_text *t)
{
	uint32_t name = t->n ? na_strtab_add(&p->names.strings, t->s, t->n)
			     : NA_UNKNOWN_U32;

	p->short_of_memory |= t->n && name == NA_NO_NAME;
	return name;
}

static enum na_status add_host_event(struct na_part *p,
				     const struct na_action *a)
{
	struct na_host_event *to;

	if (!(p->wants & NA_WANT_HOST_EVENTS))
		return NA_OK;
	to = na_chunks_push(&p->host_events);
	if (!to)
		return NA_ENOMEM;
	*to = (struct na_host_event){.start_ps = a->start_ps,
				     .end_ps = a->end_ps,
				     .size_bytes = a->size_bytes,
				     .name = name_of(p, &a->name),
				     .thread = name_of(p, &a->thread),
				     .kind = (uint8_t)a->kind};
	return p->short_of_memory ? NA_ENOMEM : NA_OK;
}

static enum na_status add_action(void *ctx, const struct na_action *a)
{
	struct na_part *p = ctx;
	struct na_exec *to;

	p->tally.actions[a->style][a->kind]++;
	if (na_is_host_event(a->kind))
		return add_host_event(p, a);
	if (!kept(p, a))
		return NA_OK;
	if (a->kind != NA_ACT_GRAPH) {
		to = na_chunks_push(&p->actions);
		if (!to)
			return NA_ENOMEM;
		*to = exec_of(a);
		return NA_OK;
	}
	if (a->device != NA_UNKNOWN_U32 &&
	    (!mark_local(p, a->device) ||
	     (a->local_device_id >= 0 &&
	      !na_devices_ordinal(&p->devices, a->device,
				  (uint32_t)a->local_device_id))))
		return NA_ENOMEM;
	to = na_chunks_push(&p->graphs);
	if (!to)
		return NA_ENOMEM;
	*to = exec_of(a);
	return NA_OK;
}

static enum na_status keep_span(struct na_part *p, const struct na_span *s)
{
	struct na_span *to = na_chunks_push(
		s->kind == NA_SPAN_STEP ? &p->spans : &p->modules);
	uint32_t core = na_devices_core(&p->devices,
					(enum na_device_kind)s->device, 0,
					s->plane);

	if (core == UINT32_MAX || !to)
		return NA_ENOMEM;
	*to = *s;
	to->core = core;
	return NA_OK;
}

/* A piece of the same step as the one before makes that longer. */
static bool extends_last(struct na_part *p, const struct na_span *s)
{
	const struct na_chunk *c = p->spans.last;
	struct na_span *last;

	if (!s->piece || s->kind != NA_SPAN_STEP || !c || !c->n)
		return false;
	last = (struct na_span *)(void *)(p->spans.last->data) + c->n - 1;
	if (!last->piece || last->whole != s->whole ||
	    last->plane != s->plane || last->device != s->device)
		return false;
	na_span_join(last, s);
	return true;
}

static enum na_status add_span(void *ctx, const struct na_span *s)
{
	struct na_part *p = ctx;

	return extends_last(p, s) ? NA_OK : keep_span(p, s);
}

/* Of kinds that are kept as they are told. */
#define ADD_OWN(chunks, one, type)
#define ADD_PLAIN(chunks, one, type) \
	static enum na_status add_##one(void *ctx, const struct type *x) \
	{ \
		struct type *to = \
			na_chunks_push(&((struct na_part *)ctx)->chunks); \
\
		if (!to) \
			return NA_ENOMEM; \
		*to = *x; \
		return NA_OK; \
	}
#define NA_RECORD(KIND, chunks, one, type, told, ...) \
	ADD_##told(chunks, one, type)
#include "netan/model/records.def"

/* An index that was given, or UINT32_MAX for want of memory. */
static uint32_t given(struct na_part *p, uint32_t i)
{
	p->short_of_memory |= i == UINT32_MAX;
	return i;
}

static uint32_t add_core(void *ctx, enum na_device_kind kind, int32_t number)
{
	struct na_part *p = ctx;

	return given(p, na_devices_core(&p->devices, kind, 0, number));
}

static uint32_t add_op_type(void *ctx, const struct na_op_type *t)
{
	struct na_part *p = ctx;

	return given(p, na_devices_type(&p->devices, t));
}

static enum na_status add_op(void *ctx, const struct na_op *x)
{
	struct na_part *p = ctx;
	bool known = x->type < p->devices.types.n &&
		     x->core < p->devices.n_cores;
	struct na_op *to = known ? na_chunks_push(&p->ops) : NULL;

	if (!to)
		return NA_ENOMEM;
	*to = *x;
	return NA_OK;
}

static enum na_status add_busy(void *ctx, uint32_t core, int64_t start_ps,
			       int64_t end_ps)
{
	struct na_part *p = ctx;

	return core < p->devices.n_cores &&
			       na_devices_busy(&p->devices, &p->busy, core,
					       start_ps, end_ps)
		       ? NA_OK
		       : NA_ENOMEM;
}

static uint32_t add_name(void *ctx, const char *s, size_t n)
{
	struct na_part *p = ctx;

	return given(p, na_strtab_add(&p->names.strings, s, n));
}

static uint32_t add_endpoint(void *ctx, int32_t slice, int32_t device)
{
	struct na_part *p = ctx;

	return given(p, na_names_endpoint(&p->names, slice, device));
}

static uint32_t add_address(void *ctx, const char *s, size_t n)
{
	struct na_part *p = ctx;

	return given(p, na_names_address(&p->names, s, n));
}

static void add_classed(void *ctx, enum na_side side, enum na_style style,
			enum na_class klass, uint64_t n)
{
	struct na_part *p = ctx;

	p->tally.classes[side][style][klass] += n;
	p->tally.dropped[side][style][klass == NA_BAD_KEY
					      ? NA_LEFT_BAD_KEY
					      : NA_LEFT_BAD_DURATION] += n;
}

static void add_left_out(void *ctx, enum na_reason why, uint64_t n)
{
	struct na_part *p = ctx;

	p->tally.left_out[why] += n;
}

static void add_unknown(void *ctx, const char *s, size_t n, uint64_t times)
{
	struct na_part *p = ctx;
	/* A file may have as many unknown names as events: none is stored
	 * once the list is full. */
	bool room = p->n_unknown < NA_UNKNOWN_MAX;
	uint32_t name = room ? add_name(p, s, n)
			     : na_strtab_find(&p->names.strings, s, n);

	if (name == NA_NO_NAME)
		return;
	for (size_t i = 0; i < p->n_unknown; i++) {
		if (p->unknown[i].name == name) {
			p->unknown[i].n += times;
			return;
		}
	}
	if (room && na_grow(&p->unknown, &p->cap_unknown, p->n_unknown + 1,
			    sizeof(*p->unknown)))
		p->unknown[p->n_unknown++] = (struct na_unknown){name, times};
}

static void add_remark(void *ctx, uint64_t at, const char *text)
{
	struct na_part *p = ctx;

	if (p->n_remarks < NA_REMARKS_MAX)
		p->remarks[p->n_remarks] = (struct na_remark){at, strdup(text)};
	p->n_remarks++;
}

struct na_sink na_part_sink(struct na_part *p)
{
#define SINK_OWN(one)
#define SINK_PLAIN(one) .one = add_##one,
	return (struct na_sink){
#define NA_RECORD(KIND, chunks, one, type, told, ...) SINK_##told(one)
#include "netan/model/records.def"
		.ctx = p,
		.transfer = add_transfer,
		.action = add_action,
		.span = add_span,
		.op = add_op,
		.busy = add_busy,
		.core = add_core,
		.op_type = add_op_type,
		.name = add_name,
		.endpoint = add_endpoint,
		.address = add_address,
		.classed = add_classed,
		.left_out = add_left_out,
		.unknown_name = add_unknown,
		.warn = add_remark,
	};
}
