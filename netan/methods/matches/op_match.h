/*
 * Executions of communication ops on one device (a start and its done are
 * one), and which of them are the same one on several devices.  Who comes
 * last does not wait, so the shortest is the transfer and the rest of the
 * others is waiting.
 *
 * Used by collectives and steps.  Memory: 8 bytes for each op, 16 for each
 * operation, and 48 for each execution of those that are looked at side by
 * side.
 */
#ifndef NETAN_METHODS_MATCHES_OP_MATCH_H
#define NETAN_METHODS_MATCHES_OP_MATCH_H

#include "netan/base/err.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/model/scope.h"

/* One execution on one device. */
struct na_op_piece {
	int64_t start_ps, end_ps;
	int64_t number; /* of the program run; -1: not known */
	uint32_t unit, core, type;
	uint32_t in_run, in_all; /* which one of its unit on this core */
	uint32_t op;             /* that begins it: of na_op_match.ops */
};

struct na_op_match {
	/* The caller's. */
	const struct na_scope *scope; /* its threads prepare executions */
	const struct na_op **ops; /* of the store; get sorted: na_sort_ops() */
	size_t n_ops;
	struct na_span *runs; /* of programs; get sorted */
	size_t n_runs;
	struct na_strtab *modules; /* names of programs, without "(id)" */
	/* One execution on all its devices, each at most once, in the order
	 * of cores unless groups say otherwise.  False: no memory. */
	bool (*instance)(void *arg, const struct na_op_piece *x, size_t n);
	void *arg;
	/* Executions of several operations may be told at once, on all
	 * threads; else in the order of operations. */
	bool at_once;

	/* From na_op_units(); the caller may number units anew. */
	struct na_triples units; /* run and network, name, module */
	uint32_t *unit_of;       /* by op type; NA_NO_TRIPLE: not wanted */

	/* From na_op_match(). */
	uint64_t unpaired;    /* a start without its done, or the reverse */
	struct na_op_place {  /* by op */
		uint32_t op;  /* of those of a unit, one behind the other */
		uint32_t run; /* around the op; UINT32_MAX: none */
	} * places;
	uint32_t *from; /* by unit, and behind the last: into `places` */
};

/* An op between devices, and no send or receive over the data-center
 * network. */
static inline bool na_op_is_collective(const struct na_op_type *t)
{
	return t->network != NA_NET_DCN && t->opcode != NA_OPCODE_OTHER &&
	       t->opcode != NA_OPCODE_CONTAINER;
}

/* The program run around an op; ops come in order, *at, an index of runs,
 * begins at 0. */
const struct na_span *na_op_run(const struct na_op_match *m,
				const struct na_op *op, size_t *at);
/* Sorts ops and runs.  The units of the op types that are collectives and
 * `wanted`; `name`: of the op or its start.  False: no memory. */
bool na_op_units(struct na_op_match *m,
		 bool (*wanted)(void *arg, const struct na_op_type *t,
				uint32_t name)) NA_MUST_CHECK;
/* Calls `instance` for each execution; which unit a type is of is not known
 * any more then.  False: no memory. */
bool na_op_match(struct na_op_match *m) NA_MUST_CHECK;
void na_op_match_fini(struct na_op_match *m);

#endif
