/*
 * What the targets of HLO modules share: a module that was read refers to
 * nothing that it does not have, and a store of its ops joins with it.
 */
#ifndef TESTS_FUZZ_WALK_HLO_H
#define TESTS_FUZZ_WALK_HLO_H

#include "netan/model/hlo.h"
#include "tests/fuzz/walk.h"

static inline void walk_module(const struct na_hlo *h,
			       const struct na_hlo_module *m, size_t size)
{
	size_t n = 0, operands = 0;

	walk_must(m->n_instructions > 0 && m->n_instructions <= size);
	walk_must(m->n_operands <= size && m->worker < h->n_workers);
	for (size_t i = 0; i < m->n_computations; i++) {
		walk_must(m->computations[i].first == n);
		n += m->computations[i].n;
	}
	walk_must(n == m->n_instructions);
	for (size_t i = 0; i < n; i++) {
		const struct na_hlo_instruction *x = &m->instructions[i];

		walk_must(x->first_operand == operands);
		operands += x->n_operands;
		walk_must(x->computation < m->n_computations &&
			  x->opcode < NA_N_OPCODES);
		walk_must(m->texts[i] < h->strings.n);
		walk_must(x->opcode_name < h->strings.n);
	}
	walk_must(operands == m->n_operands);
	for (size_t i = 0; i < operands; i++)
		walk_must(m->operands[i] == NA_NO_NAME || m->operands[i] < n);
}

/* The ops of all its instructions, as a trace with short names alone tells
 * them. */
static inline void walk_ops(struct na_part *p, const struct na_hlo *h,
			    const struct na_hlo_module *m)
{
	struct na_sink sink = na_part_sink(p);

	for (size_t i = 0; i < m->n_instructions && i < 256; i++) {
		const struct na_hlo_instruction *x = &m->instructions[i];
		const char *name = na_strtab_at(&h->strings, x->name);
		struct na_op_type t;
		struct na_op op = {.end_ps = 1};

		memset(&t, 0, sizeof(t));
		t.program_id = 7;
		t.channel = i % 3 ? -1 : x->channel;
		t.size_bytes = NA_UNKNOWN_U64;
		t.name = sink.name(sink.ctx, name, strlen(name));
		t.kernel = t.module = t.collective = t.transfer_type =
			t.start_op = NA_UNKNOWN_U32;
		t.opcode = x->opcode;
		t.phase = x->phase;
		t.network = (uint8_t)(i % NA_N_NETWORKS);
		op.type = sink.op_type(sink.ctx, &t);
		op.core = sink.core(sink.ctx, NA_DEVICE_TPU, 0);
		walk_must(sink.op(sink.ctx, &op) == NA_OK);
	}
}

static inline void walk_hlo(struct na_hlo *h, size_t size)
{
	struct na_source source = {.host = "host"};
	struct na_err err = {.status = NA_OK};
	struct na_op_joins joins;
	struct na_filter filter;
	struct na_store store;
	struct na_part part;

	walk_module(h, &h->modules[0], size);
	h->modules[0].input = 0;
	h->modules[0].program_id = 7;
	na_filter_init(&filter);
	walk_must(na_store_init(&store, &source, 1, &err) == NA_OK);
	na_part_init(&part, &store.pool, &filter, NA_WANT_OPS);
	walk_ops(&part, h, &h->modules[0]);
	walk_must(na_store_take(&store, &part, 0, &err) == NA_OK);
	na_part_fini(&part);
	walk_must(na_store_resolve(&store, NA_ANCHOR_AUTO, false, &err) ==
		  NA_OK);
	walk_must(na_store_join_programs(&store, h, &joins, &err) == NA_OK);
	for (size_t i = 0; i < store.devices.types.n; i++) {
		const struct na_op_type *t = &store.devices.types.items[i];

		walk_must(t->joined < NA_N_OPJOINS &&
			  t->network < NA_N_NETWORKS);
		walk_must(t->collective == NA_UNKNOWN_U32 ||
			  t->collective < store.names.strings.n);
	}
	na_store_fini(&store);
}

#endif
