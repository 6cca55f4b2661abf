/*
 * What the readers of HLO modules in binary form and as text share.
 */
#ifndef INGEST_HLO_PARTS_H
#define INGEST_HLO_PARTS_H

#include "ingest/bytes/cursor.h"
#include "ingest/bytes/idmap.h"
#include "ingest/hlo/hlo.h"
#include "netan/model/transfer.h"

/* A text that grows. */
struct na_hlo_buf {
	char *s;
	size_t n, cap;
	bool failed; /* no memory */
};

void na_hlo_put(struct na_hlo_buf *b, const char *s, size_t n);
void na_hlo_putf(struct na_hlo_buf *b, const char *fmt, ...) NA_PRINTF(2, 3);

/* One module while it is read. */
struct na_hlo_read {
	struct na_hlo *h;
	struct na_hlo_module *m;
	struct na_err *err;
	struct na_hlo_buf text; /* of the instruction at hand */
	/* By instruction, the first computation that it calls, or
	 * NA_NO_NAME. */
	uint32_t *calls;
	size_t cap_calls;
};

enum na_status na_hlo_begin(struct na_hlo_read *r, struct na_hlo *h,
			    uint32_t worker, enum na_hlo_form form,
			    struct na_err *err) NA_MUST_CHECK;
/* Seals the module, or takes it back where st is no NA_OK. */
enum na_status na_hlo_end(struct na_hlo_read *r,
			  enum na_status st) NA_MUST_CHECK;

/* NULL: no memory, or too many; r->err says so. */
struct na_hlo_computation *na_hlo_add_computation(struct na_hlo_read *r);
/* Nothing known, to the last computation. */
struct na_hlo_instruction *na_hlo_add_instruction(struct na_hlo_read *r);
/* To the last instruction. */
bool na_hlo_add_operand(struct na_hlo_read *r, uint32_t instruction);
/* r->text as the last instruction's. */
bool na_hlo_keep_text(struct na_hlo_read *r);

/* NA_NO_NAME for an empty text; false: no memory. */
bool na_hlo_name(struct na_hlo_read *r, const char *s, size_t n,
		 uint32_t *name);

/* Ids to keys of an idmap, one to one: those that are made of two numbers
 * would lie on each other there. */
static inline int64_t na_hlo_key(uint64_t id)
{
	return (int64_t)(id <= UINT32_MAX ? id : na_hlo_mix(0, id));
}
/* A HloModuleProto, not a HloProto: a module's first field is its name, a
 * text; a HloProto's is a module, which begins with the tag of its name. */
bool na_hlo_is_bare(struct na_cursor c);

/* How many instructions, or computations, before `here`. */
#define HLO_NOWHERE INT64_MIN
static inline int64_t na_hlo_back(uint32_t here, uint32_t there)
{
	return there == NA_NO_NAME ? HLO_NOWHERE
				   : (int64_t)there - (int64_t)here;
}

#endif
