#include "tests/unit/hand_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void hand_init(struct hand *h, size_t n_sources, const char *const *labels)
{
	/* clang-format off */
	static const char *const names[HAND_SOURCES] = {
		"a", "b", "c", "d", "e", "f", "g", "h"
	};
	/* clang-format on */
	uint32_t runs = 0;

	memset(h, 0, sizeof(*h));
	assert_true(n_sources <= HAND_SOURCES);
	for (size_t i = 0; i < n_sources; i++) {
		const char *label = labels ? labels[i] : NULL;
		size_t k = 0;

		while (k < i && label && strcmp(labels[k], label) != 0)
			k++;
		h->sources[i] = (struct na_source){.host = names[i],
						   .label = label};
		if (label)
			h->sources[i].run = k < i ? h->sources[k].run : runs++;
	}
	na_filter_init(&h->filter);
	assert_int_equal(na_store_init(&h->store, h->sources, n_sources,
				       &h->err),
			 NA_OK);
}

static uint32_t end_of(const struct na_sink *s, int id)
{
	return s->endpoint(s->ctx, id / 100, id % 100);
}

/* An address, or a device. */
static uint32_t address_of(const struct na_sink *s, const char *ip, int id)
{
	return ip ? s->address(s->ctx, ip, strlen(ip)) : end_of(s, id);
}

static uint32_t name_of(const struct na_sink *s, const char *name)
{
	return name ? s->name(s->ctx, name, strlen(name)) : NA_UNKNOWN_U32;
}

static void put_transfer(const struct na_sink *s, const struct hand_row *r)
{
	struct na_transfer t = {
		.start_ps = r->start_ps,
		.end_ps = r->end_ps,
		.action_ps = r->action_ps,
		.size_bytes = r->size,
		.type = NA_UNKNOWN_U32,
		.launch = (uint32_t)r->launch - 1,
		.iteration = (uint32_t)r->iteration - 1,
		.step = NA_UNKNOWN_U32,
		.chunk = NA_UNKNOWN_I32,
		.level = -1,
		.side = (uint8_t)(r->what == HAND_TX),
		.style = (uint8_t)r->style,
		.klass = (uint8_t)(r->klass ? r->klass : NA_VALID),
		.component = (uint8_t)r->component,
	};

	if (r->klass == HAND_BAD_KEY) {
		s->classed(s->ctx, (enum na_side)t.side, r->style, NA_BAD_KEY,
			   1);
		return;
	}
	t.collective = name_of(s, r->name);
	t.src = address_of(s, r->src_ip, r->src);
	t.dst = address_of(s, r->dst_ip, r->dst);
	assert_int_equal(s->transfer(s->ctx, &t), NA_OK);
}

static void put_frame(const struct na_sink *s, const struct hand_row *r)
{
	const struct na_wire_packet w = {.time_ps = r->start_ps,
					 .size_bytes = (uint32_t)r->size,
					 .src = address_of(s, r->src_ip,
							   r->src),
					 .dst = address_of(s, r->dst_ip,
							   r->dst)};

	assert_int_equal(s->packet(s->ctx, &w), NA_OK);
}

static void put_call(const struct na_sink *s, const struct hand_row *r)
{
	const struct na_call c = {
		.start_ps = r->start_ps,
		.first_ps = r->first_ps,
		.end_ps = r->end_ps,
		.bytes_req = r->size,
		.bytes_resp = r->response,
		.messages_req = r->grpc != 0,
		.messages_resp = r->grpc != 0,
		.src = address_of(s, r->src_ip, r->src),
		.dst = address_of(s, r->dst_ip, r->dst),
		.method = name_of(s, r->name),
		.http_status = r->number ? r->number : NA_UNKNOWN_I32,
		.reset = r->reset,
		.grpc_status = r->grpc ? r->grpc - 1 : NA_UNKNOWN_I32,
	};
	struct hand_row both = *r;

	assert_int_equal(s->call(s->ctx, &c), NA_OK);
	if (r->end_ps == NA_UNKNOWN_PS)
		return;
	both.what = HAND_RX;
	both.size += r->response;
	both.style = NA_STYLE_CAPTURE;
	both.component = NA_COMP_RPC;
	put_transfer(s, &both);
}

static void put_op(const struct na_sink *s, const struct hand_row *r)
{
	struct na_op x = {.start_ps = r->start_ps, .end_ps = r->end_ps};
	struct na_op_type t;

	memcpy(&t, &r->op, sizeof(t));
	t.name = name_of(s, r->op_name);
	t.collective = name_of(s, r->name);
	t.transfer_type = name_of(s, r->transfer_type);
	t.module = name_of(s, r->module);
	t.start_op = name_of(s, r->start_op);
	t.kernel = name_of(s, r->kernel);
	x.type = s->op_type(s->ctx, &t);
	x.core = s->core(s->ctx, r->device, r->src);
	assert_int_equal(s->op(s->ctx, &x), NA_OK);
}

static void put_row(const struct na_sink *s, const struct hand_row *r)
{
	struct na_action a = {
		.kind = r->what == HAND_ACTION ? (enum na_action_kind)r->number
					       : NA_ACT_GRAPH,
		.start_ps = r->start_ps,
		.end_ps = r->end_ps,
		.size_bytes = r->size,
		.type = NA_UNKNOWN_U32,
		.local_device_id = r->local - 1,
	};
	struct na_span step = {
		.kind = NA_SPAN_STEP,
		.start_ps = r->start_ps,
		.end_ps = r->end_ps,
		.number = r->number,
		.plane = r->src,
		.device = (uint8_t)r->device,
		.piece = r->piece,
		.whole = r->number,
	};

	switch (r->what) {
	case HAND_GRAPH:
	case HAND_ACTION:
		a.device = end_of(s, r->src);
		a.collective = name_of(s, r->name);
		a.type = name_of(s, r->transfer_type);
		if (r->thread)
			a.thread = (struct na_text){r->thread,
						    strlen(r->thread)};
		assert_int_equal(s->action(s->ctx, &a), NA_OK);
		break;
	case HAND_STEP:
		step.name = name_of(s, "step");
		assert_int_equal(s->span(s->ctx, &step), NA_OK);
		break;
	case HAND_MODULE:
		step.kind = NA_SPAN_MODULE;
		step.name = name_of(s, r->name);
		assert_int_equal(s->span(s->ctx, &step), NA_OK);
		break;
	case HAND_OP:
		put_op(s, r);
		break;
	case HAND_BUSY:
		assert_int_equal(s->busy(s->ctx,
					 s->core(s->ctx, r->device, r->src),
					 r->start_ps, r->end_ps),
				 NA_OK);
		break;
	case HAND_FRAME:
		put_frame(s, r);
		break;
	case HAND_CALL:
		put_call(s, r);
		break;
	default:
		put_transfer(s, r);
	}
}

void hand_fill(struct hand *h, const struct hand_row *rows, size_t n,
	       size_t block)
{
	for (size_t from = 0, to; from < n; from = to) {
		struct na_part part;
		struct na_sink sink;

		na_part_init(&part, &h->store.pool, &h->filter,
			     NA_WANT_TRANSFERS | NA_WANT_GRAPHS |
				     NA_WANT_STEPS | NA_WANT_MODULES |
				     NA_WANT_HOST_EVENTS);
		sink = na_part_sink(&part);
		for (to = from; to < n && to - from < block &&
				rows[to].source == rows[from].source;
		     to++)
			put_row(&sink, &rows[to]);
		assert_int_equal(na_store_take(&h->store, &part,
					       (size_t)rows[from].source,
					       &h->err),
				 NA_OK);
		na_part_fini(&part);
	}
}

void hand_resolve(struct hand *h, enum na_anchor anchor)
{
	assert_int_equal(na_store_resolve(&h->store, anchor, true, &h->err),
			 NA_OK);
}

void hand_fini(struct hand *h)
{
	na_store_fini(&h->store);
}

void hand_same_transfer(const struct na_transfer *a,
			const struct na_transfer *b)
{
	assert_int_equal(a->start_ps, b->start_ps);
	assert_int_equal(a->end_ps, b->end_ps);
	assert_int_equal(a->action_ps, b->action_ps);
	assert_int_equal(a->size_bytes, b->size_bytes);
	assert_int_equal(a->src, b->src);
	assert_int_equal(a->dst, b->dst);
	assert_int_equal(a->collective, b->collective);
	assert_int_equal(a->launch, b->launch);
	assert_int_equal(a->step, b->step);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->iteration, b->iteration);
	assert_int_equal(a->chunk, b->chunk);
	assert_int_equal(a->input, b->input);
	assert_int_equal(a->level, b->level);
	assert_int_equal(a->side, b->side);
	assert_int_equal(a->klass, b->klass);
	assert_int_equal(a->style, b->style);
	assert_int_equal(a->component, b->component);
}
