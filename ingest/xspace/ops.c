/*
 * Ops of TPU planes, line "XLA Ops" (docs/formats.md, "XSpace: device
 * planes").  What an op is stands in its event type, so it is decided once for
 * each type, while the file is surveyed; events then need only their times.
 *
 * DCN are sends and receives of the host by the megascale runtime.  Those of
 * other handlers (tf_rendezvous) go to this host's own processes; a -done
 * mostly does not say its handler, so it takes that of its start.
 */
#include "ingest/xspace/ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/similar.h"
#include "netan/base/strtab.h"
#include "netan/model/gpu/kernels.h"

static const char megascale[] = "xla_megascale_runtime";

/* ---- what an event type says */

static bool text_has(const struct na_text *t, const char *part)
{
	return na_contains_nocase(t->s, t->n, part);
}

/* The first word of the long name, or all of a short one. */
static struct na_text short_name(const struct na_xs_event_type *t,
				 const struct na_hlo_line *line, bool parsed)
{
	struct na_text name = t->display_n ? na_xs_display(t)
			      : parsed     ? line->name
					   : na_xs_name(t);

	if (name.n && *name.s == '%') {
		name.s++;
		name.n--;
	}
	return name;
}

/* Opcode from the text; else from the short name; else from the category,
 * where that is an opcode. */
static void opcode_of(struct na_xs_op *x)
{
	if (x->parsed) {
		x->opcode = x->line.opcode;
		x->phase = x->line.phase;
		return;
	}
	x->opcode = na_hlo_opcode_of_name(x->name.s, x->name.n, &x->phase);
	if (x->opcode == NA_OPCODE_OTHER)
		x->opcode = na_hlo_opcode_of(x->category.s, x->category.n,
					     &x->phase);
}

static bool host_transfer(const struct na_xs_op *x)
{
	return (x->parsed && (x->line.host_transfer || x->line.handler.n ||
			      x->line.rendezvous.n)) ||
	       text_has(&x->category, "host send") ||
	       text_has(&x->category, "host recv") || x->info.n ||
	       (!x->parsed && !x->category.n);
}

/* Waiting for the host's input: the device does nothing meanwhile. */
static bool infeed(const struct na_xs_op *x)
{
	if (x->category.n)
		return na_text_is(x->category, "infeed");
	return na_text_is(x->name, "infeed") ||
	       na_text_begins(x->name, "infeed.");
}

static bool foreign_handler(const struct na_xs_op *x)
{
	return x->parsed && x->line.handler.n &&
	       !na_text_is(x->line.handler, megascale);
}

static void op_of(const struct na_xs_plane *p, const struct na_xs_event_type *t,
		  struct na_xs_values *v, struct na_xs_op *x)
{
	struct na_text name = na_xs_name(t);

	na_xs_values_begin(v, p, t);
	memset(x, 0, sizeof(*x));
	x->parsed = na_hlo_line(name.s, name.n, &x->line);
	x->name = short_name(t, &x->line, x->parsed);
	x->category = na_xs_text(v, XS_HLO_CATEGORY);
	x->info = na_xs_text(v, XS_DCN_INFO);
	opcode_of(x);
	if (x->opcode == NA_OPCODE_OTHER)
		x->kind = infeed(x) ? XS_OP_CONTAINER : XS_OP_BUSY;
	else if (x->opcode == NA_OPCODE_CONTAINER)
		x->kind = XS_OP_CONTAINER;
	else
		x->kind = XS_OP_TALKS;
	x->network = NA_NET_ICI;
	if (x->opcode != NA_OPCODE_SEND && x->opcode != NA_OPCODE_RECV)
		return;
	if (foreign_handler(x))
		x->kind = XS_OP_BUSY;
	else if (host_transfer(x))
		x->network = NA_NET_DCN;
}

/* ---- survey */

/* Keys of a start of a foreign handler, for its -done: its name, and its
 * channel, in its program. */
enum { KEY_BYTES = 256 };

static size_t key_of(char *buf, uint64_t program, const struct na_text *name,
		     int64_t channel)
{
	int n;

	if (name)
		n = snprintf(buf, KEY_BYTES, "%" PRIu64 " %%%.*s", program,
			     (int)(name->n < 200 ? name->n : 200), name->s);
	else
		n = snprintf(buf, KEY_BYTES, "%" PRIu64 " #%" PRId64, program,
			     channel);
	return (size_t)n;
}

static bool remember(struct na_strtab *foreign, const struct na_xs_values *v,
		     const struct na_xs_op *x)
{
	char key[KEY_BYTES];
	uint64_t program = na_xs_program_id(v);
	size_t n = key_of(key, program, &x->name, 0);

	if (na_strtab_add(foreign, key, n) == NA_NO_NAME)
		return false;
	if (x->line.channel < 0)
		return true;
	n = key_of(key, program, NULL, x->line.channel);
	return na_strtab_add(foreign, key, n) != NA_NO_NAME;
}

static bool started_elsewhere(const struct na_strtab *foreign,
			      const struct na_xs_values *v,
			      const struct na_xs_op *x)
{
	char key[KEY_BYTES];
	uint64_t program = na_xs_program_id(v);
	size_t n = key_of(key, program, &x->line.first_operand, 0);

	if (x->line.first_operand.n &&
	    na_strtab_find(foreign, key, n) != NA_NO_NAME)
		return true;
	n = key_of(key, program, NULL, x->line.channel);
	return x->line.channel >= 0 &&
	       na_strtab_find(foreign, key, n) != NA_NO_NAME;
}

bool na_xs_ops_survey(struct na_xs_plane *p)
{
	struct na_xs_values v = {.has = 0};
	struct na_strtab foreign = {0};
	struct na_xs_op x;
	bool ok = true;

	for (size_t i = 0; ok && i < p->types.n; i++) {
		op_of(p, &p->types.v[i], &v, &x);
		p->types.v[i].kind = (uint8_t)x.kind;
		if (x.parsed && foreign_handler(&x))
			ok = remember(&foreign, &v, &x);
	}
	for (size_t i = 0; ok && foreign.n && i < p->types.n; i++) {
		if (p->types.v[i].kind != XS_OP_TALKS)
			continue;
		op_of(p, &p->types.v[i], &v, &x);
		if (x.network == NA_NET_DCN && x.parsed && !x.line.handler.n &&
		    started_elsewhere(&foreign, &v, &x))
			p->types.v[i].kind = XS_OP_BUSY;
	}
	free(v.inflated);
	na_strtab_fini(&foreign);
	return ok;
}

/* ---- op types */

/* DcnCollectiveInfoProto (plugin/xprof/protobuf/dcn_collective_info.proto):
 * 1 transfer type, 2 endpoint groups {1 endpoints*}, 3 one-to-one groups. */
static void dcn_info(struct na_text info, struct na_op_type *t,
		     const char **type)
{
	/* clang-format off */
	static const char *const types[] = {
		NULL, "ALL_TO_ALL", "ONE_TO_ONE", "REDUCE_SCATTER",
		"ALL_GATHER", "ALL_REDUCE", "RAGGED_ALL_TO_ALL",
	};
	/* clang-format on */
	const uint8_t *p = (const uint8_t *)info.s;
	struct na_cursor c = na_cursor_of(p, info.n);
	uint32_t groups = 0, singles = 0;
	struct na_field f, g;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		uint32_t n = 0;

		if (f.tag == NA_TAG(1, NA_W_VARINT) &&
		    f.value < sizeof(types) / sizeof(types[0]))
			*type = types[f.value];
		singles += f.tag == NA_TAG(3, NA_W_BYTES);
		if (f.tag != NA_TAG(2, NA_W_BYTES))
			continue;
		while (na_field_next(&f.body, &g) == NA_NEXT_FIELD)
			n += g.tag == NA_TAG(1, NA_W_BYTES);
		if (!groups++)
			t->group_size = n;
		else if (n != t->group_size)
			t->uneven = true;
	}
	t->n_groups = groups;
	if (singles) {
		t->group_size = 1;
		t->n_groups = singles;
		t->uneven = false;
	}
}

uint32_t na_xs_op_name(const struct na_sink *sink, struct na_text t)
{
	return t.n ? sink->name(sink->ctx, t.s, t.n) : NA_UNKNOWN_U32;
}

struct na_text na_xs_module_name(struct na_text t)
{
	size_t paren = na_text_first(t, '(');

	return paren < t.n && na_text_ends(t, ")") ? na_text_n(t.s, paren) : t;
}

static struct na_text word_text(const char *word)
{
	return word ? (struct na_text){word, strlen(word)}
		    : (struct na_text){"", 0};
}

static void of_line(const struct na_sink *sink, const struct na_xs_op *x,
		    struct na_op_type *t, struct na_text *transfer)
{
	t->channel = x->line.channel;
	t->size_bytes = x->line.size_bytes;
	t->group_size = x->line.group_size;
	t->n_groups = x->line.n_groups;
	t->uneven = x->line.uneven;
	if (x->phase == NA_OP_DONE)
		t->start_op = na_xs_op_name(sink, x->line.first_operand);
	if (x->network != NA_NET_DCN)
		return;
	t->collective = na_xs_op_name(sink, x->line.rendezvous);
	t->joined = x->line.rendezvous.n ? NA_OPJOIN_LONG_NAME : NA_OPJOIN_NONE;
	*transfer = x->line.transfer_type;
}

static uint32_t make_type(struct na_xs_read *r,
			  const struct na_xs_event_type *et)
{
	const struct na_sink *sink = r->sink;
	const char *type = NULL;
	struct na_text transfer = {"", 0};
	struct na_op_type t;
	struct na_xs_op x;

	op_of(r->line->plane, et, &r->values, &x);
	memset(&t, 0, sizeof(t));
	t.program_id = na_xs_program_id(&r->values);
	t.channel = -1;
	t.size_bytes = NA_UNKNOWN_U64;
	t.collective = t.kernel = t.start_op = NA_UNKNOWN_U32;
	t.opcode = x.opcode;
	t.phase = x.phase;
	t.network = x.network;
	t.name = sink->name(sink->ctx, x.name.s, x.name.n);
	t.module = na_xs_op_name(sink,
				 na_xs_module_name(na_xs_text(&r->values,
							      XS_HLO_MODULE)));
	if (x.parsed)
		of_line(sink, &x, &t, &transfer);
	if (x.network == NA_NET_DCN && x.info.n)
		dcn_info(x.info, &t, &type);
	if (x.network != NA_NET_DCN)
		type = na_opcode_word(x.opcode);
	t.transfer_type = na_xs_op_name(sink, transfer.n ? transfer
							 : word_text(type));
	return sink->op_type(sink->ctx, &t);
}

/* ---- events */

/* Once for each type, as texts may be long; UINT32_MAX: no memory. */
static uint32_t type_of(struct na_xs_read *r, const struct na_xs_event_type *et)
{
	int64_t key = et - r->line->plane->types.v;
	uint32_t index = na_idmap_at(&r->op_types, key);

	if (index != UINT32_MAX)
		return index;
	index = make_type(r, et);
	return index != UINT32_MAX && na_idmap_set(&r->op_types, key, index)
		       ? index
		       : UINT32_MAX;
}

static uint32_t core_of(struct na_xs_read *r)
{
	if (!r->has_core) {
		enum na_device_kind kind = r->line->plane->kind == XS_GPU
						   ? NA_DEVICE_GPU
						   : NA_DEVICE_TPU;

		r->core = r->sink->core(r->sink->ctx, kind,
					r->line->plane->number);
		r->has_core = true;
	}
	return r->core;
}

enum na_status na_xs_busy(struct na_xs_read *r, int64_t start_ps,
			  int64_t end_ps)
{
	return r->sink->busy(r->sink->ctx, core_of(r), start_ps, end_ps);
}

enum na_status na_xs_talks(struct na_xs_read *r, uint32_t type,
			   int64_t start_ps, int64_t end_ps)
{
	struct na_op op = {.start_ps = start_ps,
			   .end_ps = end_ps,
			   .type = type,
			   .core = core_of(r)};

	return r->sink->op(r->sink->ctx, &op);
}

bool na_xs_op_times(const struct na_xs_read *r, const struct na_xs_event *e,
		    int64_t *start_ps, int64_t *end_ps)
{
	if (e->duration_ps <= NA_OP_MAX_PS &&
	    na_xs_event_times(r, e, start_ps, end_ps))
		return true;
	r->sink->left_out(r->sink->ctx, NA_LEFT_BAD_DURATION, 1);
	return false;
}

enum na_status na_xs_op_event(struct na_xs_read *r, const struct na_xs_event *e)
{
	int64_t start_ps, end_ps;

	if (!e->type) {
		na_xs_name_missing(r->sink, e->metadata_id);
		return NA_OK;
	}
	if (e->type->kind == XS_OP_CONTAINER)
		return NA_OK;
	if (!na_xs_op_times(r, e, &start_ps, &end_ps))
		return NA_OK;
	if (e->type->kind == XS_OP_BUSY)
		return r->in->wants & NA_WANT_BUSY
			       ? na_xs_busy(r, start_ps, end_ps)
			       : NA_OK;
	return r->in->wants & NA_WANT_OPS
		       ? na_xs_talks(r, type_of(r, e->type), start_ps, end_ps)
		       : NA_OK;
}
