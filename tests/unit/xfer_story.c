#include "tests/unit/xfer_story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/vec.h"

/* ---- a sink that writes down what it is told, with names for numbers */

void told_init(struct told *t)
{
	memset(t, 0, sizeof(*t));
	memset(&t->names, 0, sizeof(t->names));
}

void told_fini(struct told *t)
{
	na_strtab_fini(&t->names);
	free(t->text);
}

static void say(struct told *t, const char *fmt, ...) NA_PRINTF(2, 3);
static void say(struct told *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	assert_true(na_grow(&t->text, &t->cap, t->n + 4096, 1));
	n = vsnprintf(t->text + t->n, 4096, fmt, ap);
	va_end(ap);
	assert_in_range(n, 0, 4095);
	t->n += (size_t)n;
}

static const char *named(const struct told *t, uint32_t i)
{
	return i == NA_UNKNOWN_U32 ? "?" : na_strtab_at(&t->names, i);
}

/* Every field of a record, by the format's own table; times as they are. */
static void say_fields(struct told *t, enum na_xf_section kind,
		       const void *record)
{
	const struct na_xf_kind *k = &na_xf_kinds[kind];

	for (size_t i = 0; i < k->n_fields; i++) {
		int64_t v = na_xf_load(record, &k->fields[i]);

		if (k->fields[i].role == XF_PLAIN)
			say(t, " %lld", (long long)v);
		else
			say(t, " '%s'", named(t, (uint32_t)v));
	}
	say(t, "\n");
	t->records++;
}

static enum na_status told_transfer(void *ctx, const struct na_transfer *x)
{
	say(ctx, "T %lld", (long long)x->end_ps);
	say_fields(ctx, XF_TRANSFER, x);
	return NA_OK;
}

static enum na_status told_action(void *ctx, const struct na_action *a)
{
	const struct na_text texts[] = {a->name,       a->inputs,
					a->operation,  a->action_type,
					a->hlo_module, a->thread};
	struct told *t = ctx;

	say(t, "A %d %d %lld %lld %llu '%s' '%s' '%s' %u %u %d %d %d %d %d",
	    (int)a->kind, (int)a->style, (long long)a->start_ps,
	    (long long)a->end_ps, (unsigned long long)a->size_bytes,
	    named(t, a->device), named(t, a->collective), named(t, a->type),
	    a->launch, a->iteration, a->local_device_id, a->num_actions,
	    a->action_index, a->chunk, a->level);
	say(t, " %lld %lld %lld %lld %lld %lld %lld",
	    (long long)a->send_channel_id, (long long)a->recv_channel_id,
	    (long long)a->run_id, (long long)a->slack_us,
	    (long long)a->transmission_budget_us, (long long)a->delay_budget_us,
	    (long long)a->activation_to_receive_us);
	for (int i = 0; i < 6; i++)
		say(t, " [%.*s]", (int)texts[i].n, texts[i].s);
	say(t, "\n");
	t->records++;
	return NA_OK;
}

#define TOLD(what, kind, letter, time) \
	static enum na_status told_##what(void *ctx, \
					  const struct na_##what *x) \
	{ \
		say(ctx, letter " %lld", (long long)x->time); \
		say_fields(ctx, kind, x); \
		return NA_OK; \
	}
TOLD(span, XF_SPAN, "S", end_ps)
TOLD(call, XF_CALL, "C", start_ps)
TOLD(wire_packet, XF_PACKET, "F", time_ps)
TOLD(connection, XF_CONNECTION, "N", from_ps)

static uint32_t told_core(void *ctx, enum na_device_kind kind, int32_t number)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "core %d %d", (int)kind, number);

	return na_strtab_add(&((struct told *)ctx)->names, text, (size_t)n);
}

/* A type is a name, too: told again or not, it says the same. */
static uint32_t told_op_type(void *ctx, const struct na_op_type *x)
{
	struct told words = {.text = NULL};
	struct told *t = ctx;
	uint32_t type;

	words.names = t->names;
	say_fields(&words, XF_OP_TYPE, x);
	type = na_strtab_add(&t->names, words.text, words.n - 1);
	free(words.text);
	return type;
}

static enum na_status told_op(void *ctx, const struct na_op *x)
{
	struct told *t = ctx;

	say(t, "O %lld %lld '%s' %s\n", (long long)x->start_ps,
	    (long long)x->end_ps, named(t, x->core), named(t, x->type));
	t->records++;
	return NA_OK;
}

static enum na_status told_busy(void *ctx, uint32_t core, int64_t start_ps,
				int64_t end_ps)
{
	struct told *t = ctx;

	say(t, "B %lld %lld '%s'\n", (long long)start_ps, (long long)end_ps,
	    named(t, core));
	t->records++;
	return NA_OK;
}

static enum na_status told_comm(void *ctx, const struct na_comm *x)
{
	struct told *t = ctx;

	say(t, "K %lld %lld %lld %llu '%s' %u '%s' %u %d '%s' %u %u %u\n",
	    (long long)x->start_ps, (long long)x->end_ps,
	    (long long)x->sequence, (unsigned long long)x->size_bytes,
	    named(t, x->group), x->group_size, named(t, x->type), x->stream,
	    x->peer, named(t, x->core), x->operation, x->source, x->purpose);
	t->records++;
	return NA_OK;
}

static enum na_status told_segment(void *ctx, const struct na_segment *s)
{
	(void)s;
	say(ctx, "segment\n");
	return NA_OK;
}

static uint32_t told_name(void *ctx, const char *s, size_t n)
{
	return na_strtab_add(&((struct told *)ctx)->names, s, n);
}

static uint32_t told_endpoint(void *ctx, int32_t slice, int32_t device)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "s%dd%d", slice, device);

	return told_name(ctx, text, (size_t)n);
}

void told_classed(void *ctx, enum na_side side, enum na_style style,
		  enum na_class klass, uint64_t n)
{
	say(ctx, "classed %d %d %d %llu\n", (int)side, (int)style, (int)klass,
	    (unsigned long long)n);
}

void told_left_out(void *ctx, enum na_reason why, uint64_t n)
{
	struct told *t = ctx;

	if (why == NA_LEFT_DAMAGED)
		t->damaged += n;
	else
		say(t, "left out %d %llu\n", (int)why, (unsigned long long)n);
}

void told_unknown(void *ctx, const char *s, size_t n, uint64_t times)
{
	while (times--)
		say(ctx, "unknown %.*s\n", (int)n, s);
}

static void told_warn(void *ctx, uint64_t at, const char *text)
{
	(void)at;
	(void)text;
	((struct told *)ctx)->remarks++;
}

struct na_sink told_sink(struct told *t)
{
	return (struct na_sink){
		.ctx = t,
		.transfer = told_transfer,
		.action = told_action,
		.span = told_span,
		.call = told_call,
		.packet = told_wire_packet,
		.connection = told_connection,
		.segment = told_segment,
		.core = told_core,
		.op_type = told_op_type,
		.op = told_op,
		.busy = told_busy,
		.comm = told_comm,
		.name = told_name,
		.endpoint = told_endpoint,
		.address = told_name,
		.classed = told_classed,
		.left_out = told_left_out,
		.unknown_name = told_unknown,
		.warn = told_warn,
	};
}

/* ---- records as they come */

uint64_t draw(struct rng *r, uint64_t below)
{
	r->x = r->x * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return below ? (r->x >> 11) % below : 0;
}

/* Of any magnitude; now and then none, now and then the type's largest. */
static int64_t any(struct rng *r, int64_t most, int64_t unknown)
{
	uint64_t how = draw(r, 20);

	if (how == 0)
		return unknown;
	if (how == 1)
		return most;
	return (int64_t)draw(r, (uint64_t)most >> draw(r, 62));
}

static uint32_t some_name(struct rng *r, const struct na_sink *to)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "name-%d", (int)draw(r, 300));

	return draw(r, 10) ? to->name(to->ctx, text, (size_t)n)
			   : NA_UNKNOWN_U32;
}

static uint32_t some_end(struct rng *r, const struct na_sink *to)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "10.0.0.%d", (int)draw(r, 99));

	return draw(r, 2) ? to->address(to->ctx, text, (size_t)n)
			  : to->endpoint(to->ctx, (int32_t)draw(r, 5),
					 (int32_t)draw(r, 9));
}

static uint32_t any_u32(struct rng *r)
{
	return (uint32_t)any(r, UINT32_MAX - 1, NA_UNKNOWN_U32);
}

static int32_t any_i32(struct rng *r)
{
	int64_t v = any(r, INT32_MAX, NA_UNKNOWN_I32);

	return (int32_t)(draw(r, 9) ? v : -1);
}

static void make_transfer(struct rng *r, const struct na_sink *to,
			  struct na_transfer *t)
{
	memset(t, 0, sizeof(*t));
	t->end_ps = any(r, INT64_MAX / 4, 0);
	t->start_ps = t->end_ps - any(r, INT64_MAX / 4, 0);
	t->action_ps = any(r, INT64_MAX / 2, NA_UNKNOWN_PS);
	t->size_bytes = (uint64_t)any(r, INT64_MAX, 0);
	t->collective = some_name(r, to);
	t->type = some_name(r, to);
	t->src = some_end(r, to);
	t->dst = some_end(r, to);
	t->launch = any_u32(r);
	t->iteration = any_u32(r);
	t->chunk = any_i32(r);
	t->level = (int8_t)(draw(r, 9) - 1);
	t->side = (uint8_t)draw(r, 2);
	t->klass = (uint8_t)(NA_NO_LATENCY + draw(r, 4));
	t->style = (uint8_t)draw(r, NA_N_STYLES);
	t->component = draw(r, 2) ? NA_COMP_RPC : NA_COMP_NETWORK;
	to->transfer(to->ctx, t);
}

static struct na_text some_text(struct rng *r)
{
	static const char *const texts[] = {"", "x", "[100003, 4]",
					    "jit_train_step(123)", "\xff\x01"};
	const char *s = texts[draw(r, 5)];

	return (struct na_text){s, strlen(s)};
}

/* Half of them are the action behind the transfer, as traces tell it. */
static void make_action(struct rng *r, const struct na_sink *to,
			const struct na_transfer *of)
{
	struct na_action a = {
		.kind = (enum na_action_kind)draw(r, NA_N_ACTIONS),
		.style = (enum na_style)draw(r, NA_N_STYLES),
		.size_bytes = (uint64_t)any(r, INT64_MAX, 0),
		.launch = any_u32(r),
		.iteration = any_u32(r),
		.local_device_id = any_i32(r),
		.num_actions = any_i32(r),
		.action_index = any_i32(r),
		.chunk = any_i32(r),
		.level = any_i32(r),
		.send_channel_id = any(r, INT64_MAX, -1),
		.recv_channel_id = any(r, INT64_MAX, -1),
		.run_id = any(r, INT64_MAX, -1),
		.slack_us = any(r, INT64_MAX, NA_UNKNOWN_PS),
		.transmission_budget_us = any(r, INT64_MAX, NA_UNKNOWN_PS),
		.delay_budget_us = any(r, INT64_MAX, NA_UNKNOWN_PS),
		.activation_to_receive_us = any(r, INT64_MAX, NA_UNKNOWN_PS),
		.name = some_text(r),
		.inputs = some_text(r),
		.operation = some_text(r),
		.action_type = some_text(r),
		.hlo_module = some_text(r),
		.thread = {"", 0},
	};

	a.collective = some_name(r, to);
	a.type = some_name(r, to);
	a.device = draw(r, 9) ? some_end(r, to) : NA_UNKNOWN_U32;
	a.end_ps = any(r, INT64_MAX / 4, 0);
	if (of) {
		a.kind = of->side == NA_RX ? NA_ACT_RECEIVE : NA_ACT_SEND;
		a.end_ps = of->end_ps;
		a.launch = of->launch;
		a.collective = of->collective;
	}
	if (na_is_host_event(a.kind))
		a.thread = some_text(r);
	a.start_ps = a.end_ps - any(r, INT64_MAX / 4, 0);
	to->action(to->ctx, &a);
}

static void make_packets(struct rng *r, const struct na_sink *to)
{
	struct na_connection n;
	struct na_call c;
	struct na_wire_packet f;
	int64_t start = any(r, INT64_MAX / 4, 0);

	memset(&n, 0, sizeof(n));
	memset(&c, 0, sizeof(c));
	memset(&f, 0, sizeof(f));
	for (size_t i = 0; i < na_xf_kinds[XF_CONNECTION].n_fields; i++) {
		int64_t v = any(r, INT16_MAX, 0);

		na_xf_store(&n, sizeof(n),
			    &na_xf_kinds[XF_CONNECTION].fields[i], &v, 1);
	}
	n.src = some_end(r, to);
	n.dst = some_end(r, to);
	n.end = NA_CONN_RST;
	n.client %= NA_LEN(n.dir);
	n.from_ps = start;
	n.to_ps = start + any(r, INT64_MAX / 4, 0);
	n.dir[1].bytes = UINT64_MAX;
	n.dir[0].rtt_min_ns = -1;
	to->connection(to->ctx, &n);
	c = (struct na_call){
		.start_ps = start,
		.first_ps = draw(r, 3) ? start + any(r, INT64_MAX / 4, 0)
				       : NA_UNKNOWN_PS,
		.end_ps = draw(r, 3) ? start + any(r, INT64_MAX / 4, 0)
				     : NA_UNKNOWN_PS,
		.bytes_req = (uint64_t)any(r, INT64_MAX, 0),
		.bytes_resp = (uint64_t)any(r, INT64_MAX, 0),
		.messages_req = any_u32(r),
		.messages_resp = any_u32(r),
		.method = some_name(r, to),
		.src = n.src,
		.dst = n.dst,
		.connection = any_u32(r),
		.stream = any_u32(r),
		.http_status = any_i32(r),
		.grpc_status = any_i32(r),
		.reset = (uint8_t)draw(r, 2),
	};
	to->call(to->ctx, &c);
	f.time_ps = start;
	f.size_bytes = any_u32(r);
	f.src = n.src;
	f.dst = n.dst;
	to->packet(to->ctx, &f);
}

static void make_span(struct rng *r, const struct na_sink *to)
{
	struct na_span s;

	memset(&s, 0, sizeof(s));
	s.kind = draw(r, 2) ? NA_SPAN_STEP : NA_SPAN_MODULE;
	s.end_ps = any(r, INT64_MAX / 4, 0);
	s.start_ps = s.end_ps - any(r, INT64_MAX / 4, 0);
	s.number = any(r, INT64_MAX, -1);
	s.name = some_name(r, to);
	s.plane = any_i32(r);
	s.device = (uint8_t)draw(r, 2);
	s.told = (uint8_t)(s.plane & NA_STEP_BY_TIME);
	s.piece = s.plane & 4;
	s.whole = s.number / 3;
	to->span(to->ctx, &s);
}

static void make_op(struct rng *r, const struct na_sink *to)
{
	struct na_op x = {.start_ps = 0};
	struct na_op_type t;

	memset(&t, 0, sizeof(t));
	t.program_id = draw(r, 2) ? NA_UNKNOWN_U64 : draw(r, 3);
	t.channel = draw(r, 2) ? -1 : any(r, INT64_MAX, -1);
	t.size_bytes = draw(r, 2) ? NA_UNKNOWN_U64
				  : (uint64_t)any(r, INT64_MAX, 0);
	t.name = some_name(r, to);
	t.kernel = some_name(r, to);
	t.module = some_name(r, to);
	t.collective = some_name(r, to);
	t.transfer_type = some_name(r, to);
	t.start_op = some_name(r, to);
	t.group_size = any_u32(r);
	t.n_groups = any_u32(r);
	t.opcode = (uint8_t)draw(r, NA_N_OPCODES);
	t.phase = (uint8_t)draw(r, 3);
	t.network = (uint8_t)draw(r, NA_N_NETWORKS);
	t.joined = (uint8_t)draw(r, NA_N_OPJOINS);
	t.uneven = draw(r, 2);
	x.type = to->op_type(to->ctx, &t);
	x.core = to->core(to->ctx, (enum na_device_kind)draw(r, 2),
				    (int32_t)draw(r, 3));
	x.end_ps = any(r, INT64_MAX / 4, 0);
	for (size_t i = 1 + draw(r, 4); i; i--) {
		x.start_ps = x.end_ps;
		x.end_ps += any(r, 1 << 30, 0);
		to->op(to->ctx, &x);
	}
}

/* A run, of one device: nothing that would be joined. */
static void make_busy(struct rng *r, const struct na_sink *to)
{
	uint32_t core = to->core(to->ctx, (enum na_device_kind)draw(r, 2),
				 100 + (int32_t)draw(r, 1 << 20));
	int64_t at = any(r, INT64_MAX / 4, 0);

	for (size_t i = 1 + draw(r, 20); i; i--) {
		int64_t length = any(r, 1 << 30, 0);

		if (draw(r, 10) == 0)
			at -= INT64_C(1) << 40; /* out of order */
		to->busy(to->ctx, core, at, at + length);
		at += length + 1 + any(r, 1 << 30, 0);
	}
}

static void make_comm(struct rng *r, const struct na_sink *to)
{
	struct na_comm x = {.sequence = any(r, INT64_MAX, -1),
			    .size_bytes = (uint64_t)any(r, INT64_MAX, -1),
			    .group = some_name(r, to),
			    .group_size = (uint32_t)any(r, INT32_MAX, 0),
			    .type = some_name(r, to),
			    .stream = any_u32(r),
			    .peer = (int32_t)any(r, INT32_MAX, -1),
			    .operation = (uint8_t)draw(r, NA_N_OPCODES),
			    .source = (uint8_t)draw(r, NA_N_COMM_SOURCES),
			    .purpose = (uint16_t)draw(r, UINT16_MAX + 1)};

	x.core = to->core(to->ctx, NA_DEVICE_RANK, (int32_t)draw(r, 9));
	x.end_ps = any(r, INT64_MAX / 4, 0);
	x.start_ps = x.end_ps - any(r, INT64_MAX / 4, 0);
	to->comm(to->ctx, &x);
}

void story(uint64_t seed, size_t n, const struct na_sink *to)
{
	struct rng r = {seed};

	for (size_t i = 0; i < n; i++) {
		struct na_transfer t;

		switch (draw(&r, 8)) {
		case 7:
			make_comm(&r, to);
			break;
		case 5:
			make_op(&r, to);
			break;
		case 6:
			make_busy(&r, to);
			break;
		case 0:
			make_action(&r, to, NULL);
			break;
		case 1:
			make_packets(&r, to);
			break;
		case 2:
			make_span(&r, to);
			break;
		default:
			make_transfer(&r, to, &t);
			if (draw(&r, 2))
				make_action(&r, to, &t);
		}
	}
}
