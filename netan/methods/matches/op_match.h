/*
 * Executions of communication ops on one device (a start and its done are
 * one), and which of them are the same one on several devices.  Who comes
 * last does not wait, so the shortest is the transfer and the rest of the
 * others is waiting.
 *
 * Used by collectives and steps.  Memory: 48 bytes for each execution.
 */
#ifndef NETAN_METHODS_MATCHES_OP_MATCH_H
#define NETAN_METHODS_MATCHES_OP_MATCH_H

#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/model/store.h"

/* One execution on one device. */
struct na_op_piece {
	int64_t start_ps, end_ps;
	int64_t number; /* of the program run; -1: not known */
	uint32_t unit, core, type;
	uint32_t in_run, in_all; /* which one of its unit on this core */
};

struct na_op_match {
	/* The caller's. */
	const struct na_store *store;
	struct na_op *ops; /* get sorted: by core, start, end, type */
	size_t n_ops;
	struct na_span *runs; /* of programs; get sorted */
	size_t n_runs;
	struct na_strtab *modules; /* names of programs, without "(id)" */
	/* One execution on all its devices, each at most once, in the order
	 * of cores unless groups say otherwise.  False: no memory. */
	bool (*instance)(void *arg, const struct na_op_piece *x, size_t n);
	void *arg;

	/* From na_op_units(). */
	struct na_triples units; /* run and network, name, module */
	uint32_t *unit_of;       /* by op type; NA_NO_TRIPLE: not wanted */
	uint32_t *module_of;     /* by op type: of modules, or NA_UNKNOWN_U32 */

	/* From na_op_match(). */
	uint64_t unpaired; /* a start without its done, or the reverse */
	struct na_op_piece *pieces;
	size_t n_pieces;
	NA_VEC(struct na_op_piece) tmp;
	struct na_op_counter { /* by unit, of the core that is walked */
		uint32_t core, in_run, in_all;
		size_t span;
		int64_t open_ps;
		bool is_open;
	} * counters;
};

/* An op between devices, and no send or receive over the data-center
 * network. */
static inline bool na_op_is_collective(const struct na_op_type *t)
{
	return t->network != NA_NET_DCN && t->opcode != NA_OPCODE_OTHER &&
	       t->opcode != NA_OPCODE_CONTAINER;
}

/* The units of the op types that are collectives and `wanted`; `name`: of
 * the op or its start.  False: no memory. */
bool na_op_units(struct na_op_match *m,
		 bool (*wanted)(void *arg, const struct na_op_type *t,
				uint32_t name));
/* Calls `instance` for each execution.  False: no memory. */
bool na_op_match(struct na_op_match *m);
void na_op_match_fini(struct na_op_match *m);

#endif
