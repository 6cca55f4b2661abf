/*
 * HLO modules in binary form.
 *
 *   HloProto         1 hlo_module
 *   HloModuleProto   1 name  2 entry_computation_name  3 computations*
 *                    5 id  6 entry_computation_id  15 device_assignment
 *                    {1 replica_count  2 computation_count}
 *   HloComputationProto  1 name  2 instructions*  5 id
 *   HloInstructionProto  1 name  2 opcode  3 shape  7 metadata
 *                    26 channel_id  35 id  36 operand_ids*
 *                    37 control_predecessor_ids*
 *                    38 called_computation_ids*  45 all_reduce_id
 *                    47 is_host_transfer  49 replica_groups*
 *                    52 source_target_pairs*  68 frontend_attributes
 *                    87 collective_device_list  88 original_value
 *
 * Source: openxla/xla, xla/service/hlo.proto.
 *
 * Instructions stand before their users.  Their hash is over all fields in
 * the order of their numbers but 1, 7, 35 and 88 (names, ids, where it came
 * from in the source); ids of others count as how far back they stand.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ingest/hlo/line.h"
#include "ingest/hlo/proto.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

static enum na_status damaged(struct na_hlo_proto *p, const struct na_cursor *c,
			      const char *what)
{
	return na_fail(p->r.err, NA_EFORMAT, "byte %" PRIu64 ": %s", na_at(c),
		       what);
}

/* ---- one instruction */

NA_ORDER(by_number, struct na_field, NA_CMP(x->tag >> 3, y->tag >> 3),
	 NA_UP(body.p))

/* Serializers write them in order; what does not must not look different. */
static enum na_status collect(struct na_hlo_proto *p, struct na_cursor *c)
{
	enum na_next next;
	struct na_field f;
	bool sorted = true;

	p->fields.n = 0;
	while ((next = na_field_next(c, &f)) == NA_NEXT_FIELD) {
		sorted &= !p->fields.n ||
			  p->fields.v[p->fields.n - 1].tag >> 3 <= f.tag >> 3;
		if (!na_add(&p->fields, f))
			return na_fail_nomem(p->r.err);
	}
	if (next == NA_NEXT_BAD)
		return damaged(p, c, "not a field of an HLO instruction");
	if (!sorted)
		na_sort(p->fields.v, p->fields.n, by_number);
	return NA_OK;
}

static uint64_t number(const struct na_hlo_proto *p, uint32_t n)
{
	const struct na_field *f = na_hlo_field(p, NA_TAG(n, NA_W_VARINT));

	return f ? f->value : 0;
}

static uint64_t hash_any(uint64_t h, const struct na_field *f)
{
	h = na_hlo_mix(h, f->tag);
	return (f->tag & 7) == NA_W_BYTES
		       ? na_hlo_hash(h, f->body.p, na_left(&f->body))
		       : na_hlo_mix(h, f->value);
}

/* Fields 36 to 38: ids, packed or not. */
static enum na_status take_ids(struct na_hlo_proto *p, const struct na_field *f,
			       uint64_t *hash)
{
	struct na_hlo_module *m = p->r.m;
	uint32_t here = (uint32_t)m->n_instructions - 1;
	uint32_t computation = (uint32_t)m->n_computations - 1;
	struct na_cursor c = f->body;
	bool first = true;
	uint64_t id;

	while (na_hlo_next_number(f, &c, &first, &id)) {
		uint32_t at;
		int64_t back;

		if (f->tag >> 3 == 38) {
			at = na_idmap_at(&p->computations, na_hlo_key(id));
			back = na_hlo_back(computation, at);
			if (p->r.calls[here] == NA_NO_NAME)
				p->r.calls[here] = at;
		} else {
			at = na_hlo_instruction_of(p, id);
			back = na_hlo_back(here, at);
			if (f->tag >> 3 == 36 && !na_hlo_add_operand(&p->r, at))
				return p->r.err->status;
		}
		*hash = na_hlo_mix(na_hlo_mix(*hash, f->tag >> 3),
				   (uint64_t)back);
	}
	if ((f->tag & 7) == NA_W_BYTES && c.p != c.end)
		return damaged(p, &c, "not an id of an HLO instruction");
	return NA_OK;
}

static enum na_status take_attributes(struct na_hlo_proto *p,
				      const struct na_field *f,
				      struct na_hlo_instruction *x,
				      uint64_t *hash)
{
	struct na_hlo_pair *pairs;
	bool nomem, ok = true;
	size_t n;

	if (!na_hlo_attributes(f->body, &pairs, &n, &nomem)) {
		free(pairs);
		return nomem ? na_fail_nomem(p->r.err)
			     : damaged(p, &f->body,
				       "damaged frontend attributes");
	}
	for (size_t i = 0; ok && i < n; i++) {
		const struct na_text *k = &pairs[i].key, *v = &pairs[i].value;
		/* clang-format off */
		const struct { const char *key; uint32_t *to; } known[] = {
			{"_xla_host_transfer_rendezvous", &x->rendezvous},
			{"_xla_megascale_transfer_type", &x->transfer_type},
			{"_xla_host_transfer_handler_name", &x->handler},
		};
		/* clang-format on */

		*hash = na_hlo_hash(na_hlo_hash(*hash, k->s, k->n), v->s, v->n);
		for (size_t a = 0; ok && a < 3; a++) {
			if (na_text_is(*k, known[a].key))
				ok = na_hlo_name(&p->r, v->s, v->n,
						 known[a].to);
		}
	}
	free(pairs);
	return ok ? NA_OK : p->r.err->status;
}

static bool names_groups(uint8_t opcode)
{
	return opcode != NA_OPCODE_OTHER && opcode != NA_OPCODE_SEND &&
	       opcode != NA_OPCODE_RECV && opcode != NA_OPCODE_PERMUTE &&
	       opcode != NA_OPCODE_CONTAINER;
}

/* The list of devices, or the older groups; of pairs each is a group of one
 * that sends. */
static enum na_status take_groups(struct na_hlo_proto *p,
				  struct na_hlo_instruction *x)
{
	const struct na_field *list = na_hlo_field(p, NA_TAG(87, NA_W_BYTES));
	struct na_hlo_groups g = {.n = 0};
	uint32_t pairs = 0;

	if (list && !na_hlo_device_list(&g, list->body))
		return damaged(p, &list->body, "damaged list of devices");
	for (size_t i = 0; i < p->fields.n; i++) {
		const struct na_field *f = &p->fields.v[i];

		pairs += f->tag == NA_TAG(52, NA_W_BYTES);
		if (!list && f->tag == NA_TAG(49, NA_W_BYTES) &&
		    !na_hlo_group_add(&g, f->body))
			return damaged(p, &f->body, "damaged replica group");
	}
	x->group_size = g.first_size;
	x->n_groups = g.n;
	x->uneven = g.uneven;
	if (pairs) {
		x->group_size = 1;
		x->n_groups = pairs;
	}
	x->all_devices = !x->group_size && names_groups(x->opcode) &&
			 x->phase != NA_OP_DONE;
	return NA_OK;
}

/* ---- instructions, computations, the module */

static enum na_status take_fields(struct na_hlo_proto *p,
				  struct na_hlo_instruction *x)
{
	enum na_status st = NA_OK;
	uint64_t h = 0, alone = 0;

	for (size_t i = 0; st == NA_OK && i < p->fields.n; i++) {
		const struct na_field *f = &p->fields.v[i];
		uint32_t n = f->tag >> 3;
		uint64_t one = 0;

		if (!na_hlo_field_counts(f))
			continue;
		if (n >= 36 && n <= 38) {
			st = take_ids(p, f, &h);
			continue;
		}
		if (f->tag == NA_TAG(68, NA_W_BYTES))
			st = take_attributes(p, f, x, &one);
		else
			one = hash_any(0, f);
		h = na_hlo_mix(h, one);
		alone = na_hlo_mix(alone, one);
	}
	x->hash = h;
	x->alone = alone;
	return st;
}

static enum na_status instruction(struct na_hlo_proto *p, struct na_cursor c)
{
	const struct na_field *shape;
	struct na_hlo_instruction *x;
	struct na_text name, opcode;
	struct na_cursor at = c;
	enum na_status st = collect(p, &c);
	uint32_t here;
	int64_t channel;

	if (st != NA_OK)
		return st;
	name = na_hlo_field_text(na_hlo_field(p, NA_TAG(1, NA_W_BYTES)));
	opcode = na_hlo_field_text(na_hlo_field(p, NA_TAG(2, NA_W_BYTES)));
	shape = na_hlo_field(p, NA_TAG(3, NA_W_BYTES));
	if (!opcode.n)
		return damaged(p, &at, "an HLO instruction without an opcode");
	x = na_hlo_add_instruction(&p->r);
	if (!x || !na_hlo_name(&p->r, name.s, name.n, &x->name) ||
	    !na_hlo_name(&p->r, opcode.s, opcode.n, &x->opcode_name))
		return p->r.err->status;
	x->opcode = na_hlo_opcode_of(opcode.s, opcode.n, &x->phase);
	x->host_transfer = number(p, 47) != 0;
	channel = (int64_t)number(p, 26);
	if (channel <= 0)
		channel = (int64_t)number(p, 45);
	x->channel = channel > 0 ? channel : -1;
	if (shape && !na_hlo_shape_bytes(shape->body, &x->size_bytes))
		return damaged(p, &shape->body, "damaged shape");
	here = (uint32_t)p->r.m->n_instructions - 1;
	st = take_fields(p, x);
	if (st == NA_OK)
		st = take_groups(p, x);
	if (st == NA_OK && p->r.h->texts) {
		na_hlo_describe(p, x);
		if (!na_hlo_keep_text(&p->r))
			return p->r.err->status;
	}
	if (st == NA_OK &&
	    !na_idmap_set(&p->instructions, na_hlo_key(number(p, 35)), here))
		return na_fail_nomem(p->r.err);
	return st;
}

static enum na_status computation(struct na_hlo_proto *p, struct na_cursor c)
{
	struct na_hlo_computation *x = na_hlo_add_computation(&p->r);
	size_t index = p->r.m->n_computations - 1;
	struct na_text name = {"", 0};
	enum na_status st = NA_OK;
	uint32_t interned;
	enum na_next next = NA_NEXT_END;
	uint64_t id = 0;
	struct na_field f;

	if (!x)
		return p->r.err->status;
	while (st == NA_OK && (next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES))
			name = na_hlo_field_text(&f);
		else if (f.tag == NA_TAG(5, NA_W_VARINT))
			id = f.value;
		else if (f.tag == NA_TAG(2, NA_W_BYTES))
			st = instruction(p, f.body);
	}
	if (st == NA_OK && next == NA_NEXT_BAD)
		return damaged(p, &c, "not a field of an HLO computation");
	if (st == NA_OK && !na_hlo_name(&p->r, name.s, name.n, &interned))
		return p->r.err->status;
	if (st != NA_OK)
		return st;
	x = &p->r.m->computations[index];
	x->name = interned;
	x->entry = p->entry_id ? id == p->entry_id
			       : name.n && na_text_same(p->entry_name, name);
	return NA_OK;
}

/* Instructions name computations that may come later. */
static enum na_status number_computations(struct na_hlo_proto *p,
					  struct na_cursor c)
{
	struct na_field f, in;
	uint32_t n = 0;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		struct na_cursor body = f.body;
		uint64_t id = 0;

		if (f.tag != NA_TAG(3, NA_W_BYTES))
			continue;
		while (na_field_next(&body, &in) == NA_NEXT_FIELD) {
			if (in.tag == NA_TAG(5, NA_W_VARINT))
				id = in.value;
		}
		if (!na_idmap_set(&p->computations, na_hlo_key(id), n++))
			return na_fail_nomem(p->r.err);
	}
	return NA_OK;
}

static void device_assignment(struct na_hlo_proto *p, struct na_cursor c)
{
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		uint32_t x = f.value <= INT32_MAX ? (uint32_t)f.value : 0;

		if (f.tag == NA_TAG(1, NA_W_VARINT))
			p->r.m->replicas = x;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			p->r.m->partitions = x;
	}
}

static enum na_status module(struct na_hlo_proto *p, struct na_cursor c)
{
	struct na_cursor at = c;
	struct na_field f, name = {.tag = 0};
	enum na_status st = number_computations(p, c);
	enum na_next next;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES)) {
			name = f;
		} else if (f.tag == NA_TAG(2, NA_W_BYTES)) {
			p->entry_name = na_hlo_field_text(&f);
		} else if (f.tag == NA_TAG(6, NA_W_VARINT)) {
			p->entry_id = f.value;
		} else if (f.tag == NA_TAG(15, NA_W_BYTES)) {
			device_assignment(p, f.body);
		}
	}
	if (next == NA_NEXT_BAD)
		return damaged(p, &c, "not a field of an HLO module");
	if (st == NA_OK && name.tag &&
	    !na_hlo_name(&p->r, na_hlo_field_text(&name).s,
			 na_hlo_field_text(&name).n, &p->r.m->name))
		return p->r.err->status;
	while (st == NA_OK && na_field_next(&at, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(3, NA_W_BYTES))
			st = computation(p, f.body);
	}
	if (st == NA_OK && !p->r.m->n_instructions)
		return damaged(p, &at, "an HLO module without an instruction");
	return st;
}

bool na_hlo_is_bare(struct na_cursor c)
{
	struct na_field f;

	return na_field_next(&c, &f) == NA_NEXT_FIELD &&
	       f.tag == NA_TAG(1, NA_W_BYTES) && na_left(&f.body) &&
	       f.body.p[0] >= 0x20 && na_field_next(&c, &f) == NA_NEXT_FIELD &&
	       f.tag >> 3 > 1;
}

static enum na_status wrapped(struct na_hlo_proto *p, struct na_cursor c)
{
	struct na_field f, found = {.tag = 0};
	enum na_next next;

	if (na_hlo_is_bare(c))
		return module(p, c);
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES))
			found = f;
	}
	if (next == NA_NEXT_BAD)
		return damaged(p, &c,
			       "not a field of an HLO proto; is it cut off?");
	if (!found.tag)
		return damaged(p, &c, "an HLO proto without a module");
	return module(p, found.body);
}

enum na_status na_hlo_read_proto(struct na_hlo *h, const void *bytes, size_t n,
				 uint32_t worker, struct na_err *err)
{
	const uint8_t *at = bytes;
	struct na_hlo_proto p = {.entry_id = 0};
	enum na_status st = na_hlo_begin(&p.r, h, worker, NA_HLO_PROTO, err);

	if (st == NA_OK)
		st = wrapped(&p, (struct na_cursor){at, at + n, at});
	st = na_hlo_end(&p.r, st);
	na_idmap_fini(&p.computations);
	na_idmap_fini(&p.instructions);
	na_vec_free(&p.fields);
	return st;
}

/* Field 1 of a HloProto is a module, whose first field is a name; an XSpace
 * begins with a plane, which cannot.  Or a module alone. */
bool na_hlo_is_proto(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	struct na_cursor c = na_cursor_of(at, n), body;
	uint64_t length;

	if (n < 4 || na_byte(&c) != NA_TAG(1, NA_W_BYTES) ||
	    !na_varint(&c, &length))
		return false;
	body = c;
	na_clip(&body, length);
	if (na_left(&body) < 2)
		return false;
	if (body.p[0] == NA_TAG(1, NA_W_BYTES)) {
		na_skip(&body, 1);
		return na_varint(&body, &length) && length && na_left(&body) &&
		       body.p[0] >= 0x20;
	}
	/* Its name, then the name of its entry or a computation. */
	for (const uint8_t *p = body.p; p < body.end; p++) {
		if (*p < 0x20)
			return false;
	}
	return length < na_left(&c) && (c.p[length] == NA_TAG(2, NA_W_BYTES) ||
					c.p[length] == NA_TAG(3, NA_W_BYTES));
}
