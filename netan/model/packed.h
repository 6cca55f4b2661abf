/*
 * Transfers and executions as the store keeps them: packed, since of what a
 * trace tells they take the most memory.  A record with a value that does not
 * fit is kept whole, in another list.
 */
#ifndef NETAN_MODEL_PACKED_H
#define NETAN_MODEL_PACKED_H

#include "netan/model/chunk_list.h"
#include "netan/model/device.h"
#include "netan/model/transfer.h"

/* A graph execution (a collective in flight on one device), or one action
 * that is no transfer: a copy between host and device, a reduction, a
 * collective kernel. */
struct na_exec {
	int64_t start_ps, end_ps;
	uint64_t size_bytes;
	uint32_t device, collective, type;
	uint32_t step; /* na_store fills it in */
	uint32_t input;
	uint8_t style, kind; /* enum na_style, enum na_action_kind */
};

/* What can be unknown is kept plus one where it has fewer bits. */
struct na_packed_transfer {
	union {
		int64_t start_ps;
		struct na_transfer *wide; /* of class NA_N_CLASSES */
	};
	uint64_t length_ps : 44, input : NA_INPUT_BITS;
	uint64_t action_ps : 48, chunk : 16;
	uint64_t size_bytes : 48, iteration : 16;
	uint32_t src, dst, collective, launch, step;
	uint16_t type;
	uint16_t level : 4, component : 4, style : 2, klass : 3, side : 1;
};

struct na_packed_exec {
	union {
		int64_t start_ps;
		struct na_exec *wide; /* of style NA_N_STYLES */
	};
	uint64_t length_ps : 44, device : 20;
	uint64_t size_bytes : 40, step : 24;
	uint64_t collective : 20, type : 17,
		input : NA_INPUT_BITS, kind : 4, style : 3;
};

_Static_assert(sizeof(struct na_packed_transfer) == 56 &&
		       sizeof(struct na_packed_exec) == 32,
	       "millions are kept");
_Static_assert(NA_N_CLASSES < 8 && NA_N_STYLES <= 4 && NA_N_COMPONENTS <= 16 &&
		       NA_N_ACTIONS <= 16,
	       "bits above");

/* False when memory is short. */
bool na_pack_transfer(struct na_packed_transfer *p, const struct na_transfer *t,
		      struct na_chunk_list *wide);
bool na_pack_exec(struct na_packed_exec *p, const struct na_exec *e,
		  struct na_chunk_list *wide);

/* A valid transfer of the other side: it need not be unpacked to see that. */
static inline bool na_packed_aside(const struct na_packed_transfer *p, int side)
{
	return p->side != side && p->klass == NA_VALID;
}

static inline int64_t na_packed_end(int64_t start_ps, uint64_t length_ps)
{
	return (int64_t)((uint64_t)start_ps + length_ps);
}

static inline uint32_t na_packed_input(const struct na_packed_transfer *p)
{
	return p->klass == NA_N_CLASSES ? p->wide->input : p->input;
}

/* Where its step is kept. */
static inline uint32_t *na_packed_step(struct na_packed_transfer *p)
{
	return p->klass == NA_N_CLASSES ? &p->wide->step : &p->step;
}

static inline struct na_transfer
na_unpack_transfer(const struct na_packed_transfer *p)
{
	if (p->klass == NA_N_CLASSES)
		return *p->wide;
	return (struct na_transfer){
		.start_ps = p->start_ps,
		.end_ps = na_packed_end(p->start_ps, p->length_ps),
		.action_ps = p->action_ps ? (int64_t)p->action_ps - 1
					  : NA_UNKNOWN_PS,
		.size_bytes = p->size_bytes,
		.src = p->src,
		.dst = p->dst,
		.collective = p->collective,
		.launch = p->launch,
		.step = p->step,
		.type = p->type - 1u,
		.iteration = p->iteration - 1u,
		.chunk = p->chunk ? (int32_t)p->chunk - 1 : NA_UNKNOWN_I32,
		.input = p->input,
		.level = (int8_t)(p->level - 1),
		.side = p->side,
		.klass = p->klass,
		.style = p->style,
		.component = p->component,
	};
}

static inline struct na_exec na_unpack_exec(const struct na_packed_exec *p)
{
	if (p->style == NA_N_STYLES)
		return *p->wide;
	return (struct na_exec){
		.start_ps = p->start_ps,
		.end_ps = na_packed_end(p->start_ps, p->length_ps),
		.size_bytes = p->size_bytes,
		.device = (uint32_t)p->device - 1,
		.collective = (uint32_t)p->collective - 1,
		.type = (uint32_t)p->type - 1,
		.step = (uint32_t)p->step - 1,
		.input = (uint32_t)p->input,
		.style = (uint8_t)p->style,
		.kind = (uint8_t)p->kind,
	};
}

#endif
