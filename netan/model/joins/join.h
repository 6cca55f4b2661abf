/*
 * What the files join*.c share: completing op types from HLO modules.
 */
#ifndef NETAN_MODEL_JOINS_JOIN_H
#define NETAN_MODEL_JOINS_JOIN_H

#include "netan/model/hlo.h"
#include "netan/model/store.h"

/* Modules of one name that are looked at, since more are the dumps of a whole
 * run; op types of one program that may share a channel or a suffix. */
enum { NA_JOIN_CANDIDATES = 256, NA_JOIN_SHARE = 1024 };

struct join {
	struct na_store *s;
	const struct na_hlo *h; /* or NULL */
	struct na_err *err;
	bool *told;                /* by type: a module told of it */
	struct join_module {       /* once it was looked at */
		uint32_t *by_name; /* its instructions */
		uint32_t *done_of; /* by instruction; NA_NO_NAME */
	} * modules;
	struct join_key { /* sorted */
		uint32_t input, module;
		uint64_t key;
	} * by_id, *by_name; /* of modules */
	/* Names of programs (`module`) by their id. */
	struct join_key *runs;
	size_t n_runs;
};

/* runs.c: programs of op types that name none; the indices of all op
 * types can change.  NA_ENOMEM. */
enum na_status na_join_runs(struct join *j) NA_MUST_CHECK;

/* 123 of "jit_step(123)", and where its parenthesis is. */
bool na_join_program_id(const char *s, uint64_t *id, size_t *open);

/* hlo.c: each op type from its own module.  NA_ENOMEM. */
enum na_status na_join_modules(struct join *j) NA_MUST_CHECK;

/* ops.c: the types that are still open from the others. */
enum na_status na_join_ops(struct join *j) NA_MUST_CHECK;

/* < 0, 0, > 0; 0: of one program of one input. */
int na_join_program_order(const struct na_op_type *x,
			  const struct na_op_type *y);

static inline bool na_join_is_transfer(const struct na_op_type *t)
{
	return t->opcode == NA_OPCODE_SEND || t->opcode == NA_OPCODE_RECV;
}

/* Bytes of the context (u32[]) beside the buffer of a send or recv. */
enum { NA_JOIN_CONTEXT_BYTES = 4 };

#endif
