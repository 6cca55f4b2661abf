/*
 * The Megascale action-graph plane: graph executions, and for each action
 * a START and an END event.  The END carries everything; its duration is a
 * display artefact, its end instant and the stat action_duration_ns are
 * true (docs/formats.md, "XSpace: action graphs").
 *
 *   graph_key     device_<id>_gid_<rendezvous>[$[l]<launch>^i<iteration>...]
 *   buffer_sizes  s<src>-><dst>d|$c<chunk>=<bytes> ...
 *
 * Both are read tolerantly: separators are skipped, several $c may follow
 * one s->d, and entries without endpoints take them from transfer_source
 * and transfer_destinations.
 */
#include "ingest/xspace/xspace.h"

#include "netan/base/similar.h"
#include "netan/base/units.h"

enum kind {
	NONE,
	GRAPH,
	RECEIVE_END,
	SEND_END,
	D2H_END,
	H2D_END,
	COMPUTE_END,
	UNKNOWN
};

/* clang-format off */
static const struct { const char *action; uint8_t end; } actions[] = {
	{"NetworkReceive", RECEIVE_END}, {"NetworkSend", SEND_END},
	{"DeviceToHost", D2H_END}, {"HostToDevice", H2D_END},
};
/* clang-format on */

/* "NetworkRecv END" is a transfer under a name we do not know, not a
 * reduction: close names, and names that speak of the wire or of copies. */
static bool near_miss(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		size_t len = strlen(actions[i].action);

		/* An edit is needed for each letter more or less. */
		if (n <= len + 3 && n + 3 >= len &&
		    na_edit_distance(s, n, actions[i].action, len) <= 3)
			return true;
	}
	return na_contains_nocase(s, n, "network") ||
	       na_contains_nocase(s, n, "tohost") ||
	       na_contains_nocase(s, n, "todevice");
}

static uint32_t want_of(uint8_t kind)
{
	switch (kind) {
	case GRAPH:
		return NA_WANT_GRAPHS;
	case RECEIVE_END:
	case SEND_END:
		return NA_WANT_TRANSFERS | NA_WANT_ACTIONS;
	default:
		return NA_WANT_ACTIONS;
	}
}

static uint8_t wanted(uint8_t kind, uint32_t wants)
{
	return want_of(kind) & wants ? kind : NONE;
}

/* A START says nothing that its END does not say better. */
uint8_t na_xs_mega_kind(const struct na_text *name, uint32_t wants)
{
	bool end = na_ends_nocase(name->s, name->n, " END");
	bool start = na_ends_nocase(name->s, name->n, " START");
	size_t n = name->n - (end ? 4 : start ? 6 : 0);

	if (na_starts_nocase(name->s, name->n, "device_") &&
	    na_contains_nocase(name->s, name->n, "_gid_"))
		return wanted(GRAPH, wants);
	if (!end && !start)
		return UNKNOWN;
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (na_same_nocase(name->s, n, actions[i].action))
			return start ? NONE : wanted(actions[i].end, wants);
	}
	if (near_miss(name->s, n))
		return UNKNOWN;
	return start ? NONE : wanted(COMPUTE_END, wants);
}

bool na_xs_mega_acts(const struct na_text *name)
{
	uint8_t kind = na_xs_mega_kind(name, NA_WANT_TRANSFERS |
						     NA_WANT_GRAPHS |
						     NA_WANT_ACTIONS);

	return kind != NONE && kind != UNKNOWN;
}

struct key {
	bool given;
	uint64_t device;
	struct na_text rendezvous;
	uint32_t launch, iteration;
};

/* Decimal, at most 19 digits: what fits whatever they are. */
static inline bool digits(const char **s, const char *end, uint64_t *out)
{
	const char *p = *s, *stop = end - p > 19 ? p + 19 : end;
	uint64_t x = 0;
	unsigned digit;

	for (; p < stop && (digit = (unsigned)(*p - '0')) <= 9; p++)
		x = x * 10 + digit;
	if (p == *s || (p < end && p == stop && *p >= '0' && *p <= '9'))
		return false;
	*s = p;
	*out = x;
	return true;
}

static uint32_t as_u32(uint64_t x)
{
	return x < NA_UNKNOWN_U32 ? (uint32_t)x : NA_UNKNOWN_U32;
}

static bool take(const char **s, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *s) < n || memcmp(*s, word, n) != 0)
		return false;
	*s += n;
	return true;
}

static void parse_key(const struct na_text *t, struct key *k)
{
	const char *s = t->s, *end = t->s + t->n, *dollar;
	uint64_t x;

	k->given = false;
	k->launch = k->iteration = NA_UNKNOWN_U32;
	k->rendezvous.s = "";
	k->rendezvous.n = 0;
	if (!take(&s, end, "device_") || !digits(&s, end, &k->device) ||
	    !take(&s, end, "_gid_"))
		return;
	dollar = memchr(s, '$', (size_t)(end - s));
	k->rendezvous.s = s;
	k->rendezvous.n = (size_t)((dollar ? dollar : end) - s);
	k->given = k->rendezvous.n > 0;
	if (!dollar)
		return;
	s = dollar + 1;
	take(&s, end, "l");
	if (digits(&s, end, &x))
		k->launch = as_u32(x);
	if (take(&s, end, "^i") && digits(&s, end, &x))
		k->iteration = as_u32(x);
}

static bool is_device(uint64_t id)
{
	return id / NA_SLICE_DEVICES <= INT32_MAX;
}

/* Few devices and few names come by again and again: a look at the slot
 * they had spares the sink's tables. */
static uint32_t endpoint(struct na_xs_read *r, uint64_t device)
{
	struct na_xs_seen_device *seen = &r->devices[device % XS_SEEN];
	uint64_t slice = device / NA_SLICE_DEVICES;

	if (seen->used && seen->device == device)
		return seen->endpoint;
	if (!is_device(device))
		return NA_UNKNOWN_U32;
	seen->used = true;
	seen->device = device;
	seen->endpoint =
		r->sink->endpoint(r->sink->ctx, (int32_t)slice,
				  (int32_t)(device % NA_SLICE_DEVICES));
	return seen->endpoint;
}

/* Inflated, it is gone with the event. */
static bool is_scratch(const struct na_xs_read *r, const char *s)
{
	const char *scratch = r->values.inflated;

	return scratch && s >= scratch && s < scratch + XS_INFLATED_MAX;
}

static uint32_t name_of(struct na_xs_read *r, const struct na_text *t)
{
	struct na_xs_seen_name *seen;
	uint64_t head, tail;

	if (t->n < 8 || is_scratch(r, t->s))
		return t->n ? r->sink->name(r->sink->ctx, t->s, t->n)
			    : NA_UNKNOWN_U32;
	memcpy(&head, t->s, 8);
	memcpy(&tail, t->s + t->n - 8, 8);
	head = (head ^ tail * 31 ^ t->n) * UINT64_C(0x9e3779b97f4a7c15);
	seen = &r->names[head >> 56 & (XS_SEEN - 1)];
	if (na_text_same(seen->text, *t))
		return seen->name;
	seen->text = *t;
	seen->name = r->sink->name(r->sink->ctx, t->s, t->n);
	return seen->name;
}

/* The first whole number in a list text such as "[100003, 4]", or a number. */
static bool first_number(const struct na_xs_values *v, enum na_xs_slot slot,
			 uint64_t *out)
{
	struct na_text t = na_xs_text(v, slot);
	const char *s = t.s, *end = t.s + t.n;
	int64_t x;

	if (na_xs_int(v, slot, &x)) {
		*out = (uint64_t)x;
		return x >= 0; /* -1: none */
	}
	while (s < end && (*s < '0' || *s > '9'))
		s++;
	return digits(&s, end, out);
}

/* For entries that name no endpoints. */
static bool stat_ends(const struct na_xs_values *v, uint64_t *src,
		      uint64_t *dst)
{
	return first_number(v, XS_SOURCE, src) &&
	       first_number(v, XS_DESTINATIONS, dst);
}

static uint32_t u32_or(const struct na_xs_values *v, enum na_xs_slot s,
		       uint32_t otherwise)
{
	int64_t x;

	return na_xs_has(v, s) && na_xs_int(v, s, &x) && x >= 0
		       ? as_u32((uint64_t)x)
		       : otherwise;
}

/* The latency of a receive or the action duration of a send, in ps. */
enum latency { LATENCY_OK, LATENCY_NONE, LATENCY_ZERO, LATENCY_BAD };

static enum latency latency_of(const struct na_xs_values *v, enum na_side side,
			       int64_t *ps)
{
	enum na_xs_slot slot = side == NA_RX ? XS_LATENCY_US : XS_ACTION_NS;
	int64_t unit = side == NA_RX ? NA_PS_PER_US : NA_PS_PER_NS;
	int64_t x;

	if (!na_xs_int(v, slot, &x))
		return LATENCY_NONE;
	if (x == 0)
		return LATENCY_ZERO;
	return x > 0 && na_mul_i64(x, unit, ps) ? LATENCY_OK : LATENCY_BAD;
}

static void class_of(struct na_transfer *t, enum latency l, int64_t ps)
{
	if (l == LATENCY_BAD ||
	    (l == LATENCY_OK && !na_add_i64(t->end_ps, -ps, &t->start_ps)))
		t->klass = NA_BAD_DURATION;
	else if (l == LATENCY_NONE)
		t->klass = NA_NO_LATENCY;
	else if (l == LATENCY_ZERO)
		t->klass = NA_CLOCK_SKEW;
	else
		t->klass = NA_VALID;
}

static enum na_status emit(struct na_xs_read *r, struct na_transfer *t,
			   uint64_t src, uint64_t dst)
{
	const struct na_sink *sink = r->sink;
	uint8_t klass = t->klass;
	enum na_status st;

	if (!is_device(src) || !is_device(dst))
		klass = NA_BAD_KEY;
	if (klass == NA_BAD_KEY || klass == NA_BAD_DURATION) {
		sink->classed(sink->ctx, t->side, t->style, klass, 1);
		return NA_OK;
	}
	if (src == dst && klass == NA_VALID)
		t->klass = NA_LOOPBACK;
	t->src = endpoint(r, src);
	t->dst = endpoint(r, dst);
	st = sink->transfer(sink->ctx, t);
	t->klass = klass;
	return st;
}

/* Records of one message: every $c<chunk>=<bytes> under the s->d before it. */
static enum na_status emit_buffers(struct na_xs_read *r, struct na_transfer *t)
{
	struct na_text text = na_xs_text(&r->values, XS_BUFFERS);
	const char *s = text.s, *end = text.s + text.n;
	uint64_t src = 0, dst = 0, chunk, size, from, to;
	enum na_status st = NA_OK;
	bool known = false;
	size_t n = 0;

	while (s < end && st == NA_OK) {
		const char *p = s + 1;

		if (*s == 's' && digits(&p, end, &from) &&
		    take(&p, end, "->") && digits(&p, end, &to)) {
			src = from;
			dst = to;
			known = true;
			s = p;
		} else if (*s == '$' && take(&p, end, "c") &&
			   digits(&p, end, &chunk) && take(&p, end, "=") &&
			   digits(&p, end, &size) && size <= INT64_MAX &&
			   (known || stat_ends(&r->values, &src, &dst))) {
			t->chunk = chunk <= INT32_MAX ? (int32_t)chunk
						      : NA_UNKNOWN_I32;
			t->size_bytes = size;
			st = emit(r, t, src, dst);
			n++;
			s = p;
		} else {
			s++;
		}
	}
	if (!n)
		r->sink->classed(r->sink->ctx, t->side, NA_STYLE_GRAPH,
				 NA_BAD_KEY, 1);
	return st;
}

/* What transfers, actions and graphs say in the same way. */
struct common {
	uint32_t collective, type, launch, iteration;
	int32_t level;
};

static void common_of(struct na_xs_read *r, const struct key *k,
		      struct common *c)
{
	const struct na_xs_values *v = &r->values;

	c->collective = name_of(r, &k->rendezvous);
	c->type = NA_UNKNOWN_U32;
	if (na_xs_has(v, XS_COLLECTIVE_TYPE)) {
		struct na_text type = na_xs_text(v, XS_COLLECTIVE_TYPE);

		c->type = name_of(r, &type);
	}
	c->launch = k->launch != NA_UNKNOWN_U32
			    ? k->launch
			    : u32_or(v, XS_LAUNCH, NA_UNKNOWN_U32);
	c->iteration = k->iteration != NA_UNKNOWN_U32
			       ? k->iteration
			       : u32_or(v, XS_ITERATION, NA_UNKNOWN_U32);
	c->level = (int32_t)u32_or(v, XS_LEVEL, (uint32_t)-1);
}

static enum na_status emit_transfers(struct na_xs_read *r, enum na_side side,
				     const struct common *k, int64_t end_ps)
{
	/* Every field is named: a cleared struct costs more than the rest. */
	struct na_transfer t = {
		.start_ps = end_ps,
		.end_ps = end_ps,
		.action_ps = NA_UNKNOWN_PS,
		.size_bytes = 0,
		.src = NA_UNKNOWN_U32,
		.dst = NA_UNKNOWN_U32,
		.collective = k->collective,
		.type = k->type,
		.launch = k->launch,
		.iteration = k->iteration,
		.chunk = NA_UNKNOWN_I32,
		.step = NA_UNKNOWN_U32,
		.input = 0,
		.klass = NA_VALID,
		.level = (int8_t)(k->level >= 0 && k->level < 127 ? k->level
								  : -1),
		.side = (uint8_t)side,
		.style = NA_STYLE_GRAPH,
	};
	int64_t ps = 0, ns;
	enum latency l = latency_of(&r->values, side, &ps);

	if (na_xs_int(&r->values, XS_ACTION_NS, &ns) && ns >= 0)
		na_mul_i64(ns, NA_PS_PER_NS, &t.action_ps);
	class_of(&t, l, ps);
	return emit_buffers(r, &t);
}

/* clang-format off */
static const enum na_action_kind kinds[] = {
	[GRAPH] = NA_ACT_GRAPH, [RECEIVE_END] = NA_ACT_RECEIVE,
	[SEND_END] = NA_ACT_SEND, [D2H_END] = NA_ACT_D2H,
	[H2D_END] = NA_ACT_H2D, [COMPUTE_END] = NA_ACT_COMPUTE,
};
/* clang-format on */

/* Everything that the plane's stats say of an action or a graph. */
static void fill_action(struct na_xs_read *r, const struct key *k,
			const struct common *c, struct na_action *a)
{
	const struct na_xs_values *v = &r->values;
	int64_t size = na_xs_int_or(v, XS_INPUT_SIZE, 0);

	a->style = NA_STYLE_GRAPH;
	a->size_bytes = size > 0 ? (uint64_t)size : 0;
	a->device = k->given ? endpoint(r, k->device) : NA_UNKNOWN_U32;
	a->collective = c->collective;
	a->type = c->type;
	a->launch = c->launch;
	a->iteration = c->iteration;
	a->level = c->level;
	a->local_device_id = (int32_t)u32_or(v, XS_LOCAL_DEVICE, (uint32_t)-1);
	a->num_actions = (int32_t)u32_or(v, XS_NUM_ACTIONS, (uint32_t)-1);
	a->action_index = (int32_t)u32_or(v, XS_ACTION_INDEX, (uint32_t)-1);
	a->chunk = (int32_t)u32_or(v, XS_CHUNK, (uint32_t)NA_UNKNOWN_I32);
	a->send_channel_id = na_xs_int_or(v, XS_SEND_CHANNEL, -1);
	a->recv_channel_id = na_xs_int_or(v, XS_RECV_CHANNEL, -1);
	a->run_id = na_xs_int_or(v, XS_RUN_ID, -1);
	a->slack_us = na_xs_int_or(v, XS_SLACK_US, NA_UNKNOWN_PS);
	a->transmission_budget_us = na_xs_int_or(v, XS_TX_BUDGET_US,
						 NA_UNKNOWN_PS);
	a->delay_budget_us = na_xs_int_or(v, XS_DELAY_BUDGET_US, NA_UNKNOWN_PS);
	a->activation_to_receive_us = na_xs_int_or(v, XS_ACTIVATION_US,
						   NA_UNKNOWN_PS);
	a->inputs = na_xs_text(v, XS_ACTION_INPUTS);
	a->operation = na_xs_text(v, XS_COMPUTE_OP);
	a->action_type = na_xs_text(v, XS_ACTION_TYPE);
	a->hlo_module = na_xs_text(v, XS_HLO_MODULE);
	a->thread = (struct na_text){"", 0};
}

static enum na_status emit_action(struct na_xs_read *r, uint8_t kind,
				  struct na_action *a)
{
	int64_t ns, ps;

	/* The drawn duration is true for graphs, collapsed for actions. */
	if (kind != GRAPH && na_xs_int(&r->values, XS_ACTION_NS, &ns)) {
		if (ns < 0 || !na_mul_i64(ns, NA_PS_PER_NS, &ps) ||
		    !na_add_i64(a->end_ps, -ps, &a->start_ps)) {
			r->sink->left_out(r->sink->ctx, NA_LEFT_BAD_DURATION,
					  1);
			return NA_OK;
		}
	}
	return r->sink->action(r->sink->ctx, a);
}

static void bad_times(struct na_xs_read *r, uint8_t kind)
{
	if (kind == RECEIVE_END || kind == SEND_END)
		r->sink->classed(r->sink->ctx, kind == SEND_END, NA_STYLE_GRAPH,
				 NA_BAD_DURATION, 1);
	else
		r->sink->left_out(r->sink->ctx, NA_LEFT_BAD_DURATION, 1);
}

/* Its place; NULL: there is no room. */
static struct na_xs_when *when_of(struct na_xs_stretch *x,
				  const struct na_text *name)
{
	for (uint8_t i = 0; i < x->n; i++) {
		if (na_text_same(x->whens[i].name, *name))
			return &x->whens[i];
	}
	if (x->n == XS_WHENS)
		return NULL;
	x->whens[x->n] = (struct na_xs_when){*name, INT64_MAX, INT64_MIN};
	return &x->whens[x->n++];
}

/* Nobody asks for what is of no collective. */
static void keep(struct na_xs_read *r, const struct na_text *name,
		 int64_t start_ps, int64_t end_ps)
{
	struct na_xs_when *w;
	int64_t ns, ps, from_ps;

	if (!name->n)
		return;
	w = is_scratch(r, name->s) ? NULL : when_of(r->keeps, name);
	if (!w) {
		r->keeps->more = true;
		return;
	}
	/* By its own duration an action may begin before it is drawn. */
	if (na_xs_int(&r->values, XS_ACTION_NS, &ns) && ns >= 0 &&
	    na_mul_i64(ns, NA_PS_PER_NS, &ps) &&
	    na_add_i64(end_ps, -ps, &from_ps) && from_ps < start_ps)
		start_ps = from_ps;
	w->from_ps = start_ps < w->from_ps ? start_ps : w->from_ps;
	w->to_ps = end_ps > w->to_ps ? end_ps : w->to_ps;
}

static void key_of(struct na_xs_read *r, const struct na_xs_event *e,
		   struct key *k)
{
	struct na_text shown = na_xs_shown_name(e->type);
	struct na_text text = na_xs_text(&r->values, XS_GRAPH_KEY);

	parse_key(&text, k);
	/* Only a graph execution is called like a key. */
	if (!k->given)
		parse_key(&shown, k);
}

void na_xs_mega_keep(struct na_xs_read *r, const struct na_xs_event *e)
{
	int64_t start_ps, end_ps;
	struct key k;

	if (!na_xs_event_times(r, e, &start_ps, &end_ps) ||
	    !na_xs_values_read(&r->values, r->line->plane, e))
		return;
	key_of(r, e, &k);
	keep(r, &k.rendezvous, start_ps, end_ps);
}

bool na_xs_mega_looked_at(struct na_xs_read *r)
{
	struct na_text text = na_xs_text(&r->values, XS_GRAPH_KEY);
	struct key k;

	parse_key(&text, &k);
	return !k.given ||
	       r->sink->looks_at(r->sink->ctx, name_of(r, &k.rendezvous));
}

enum na_status na_xs_mega_event(struct na_xs_read *r,
				const struct na_xs_event *e)
{
	struct na_text shown = na_xs_shown_name(e->type), text;
	bool moves = e->type->kind == RECEIVE_END || e->type->kind == SEND_END;
	uint8_t kind = e->type->kind;
	enum na_status st = NA_OK;
	int64_t start_ps, end_ps;
	struct common c;
	struct key k;

	if (kind == UNKNOWN) {
		r->sink->unknown_name(r->sink->ctx, shown.s, shown.n, 1);
		r->sink->left_out(r->sink->ctx, NA_LEFT_UNKNOWN_NAME, 1);
		return NA_OK;
	}
	if (!na_xs_event_times(r, e, &start_ps, &end_ps)) {
		bad_times(r, kind);
		return NA_OK;
	}
	text = na_xs_text(&r->values, XS_GRAPH_KEY);
	parse_key(&text, &k);
	if (!k.given && kind == GRAPH)
		parse_key(&shown, &k);
	common_of(r, &k, &c);
	if (r->keeps)
		keep(r, &k.rendezvous, start_ps, end_ps);
	if (moves && (r->in->wants & NA_WANT_TRANSFERS))
		st = emit_transfers(r, kind == SEND_END ? NA_TX : NA_RX, &c,
				    end_ps);
	if (st == NA_OK &&
	    (kind == GRAPH || (r->in->wants & NA_WANT_ACTIONS))) {
		struct na_action a;

		fill_action(r, &k, &c, &a);
		a.kind = kinds[kind];
		a.name = shown;
		a.start_ps = start_ps;
		a.end_ps = end_ps;
		st = emit_action(r, kind, &a);
	}
	return st;
}
