/*
 * What device planes tell, into a part of a transfer file.  An op's type is
 * told again in each block, before the first of its ops there.  Busy times
 * go into runs: ops do not end them, since nothing tells the order of the
 * two.
 */
#include <string.h>

#include "ingest/transfer_file/part.h"

uint32_t na_xf_put_core(void *ctx, enum na_device_kind kind, int32_t number)
{
	struct na_xfer_part *p = ctx;
	int32_t key[2] = {(int32_t)kind, number};
	uint32_t core = na_strtab_add(&p->core_keys, (const char *)key,
				      sizeof(key));

	p->failed |= core == NA_NO_NAME;
	return core;
}

static bool core_of(const struct na_xfer_part *p, uint32_t core,
		    uint8_t *device, int32_t *number)
{
	int32_t key[2];

	if (core >= p->core_keys.n)
		return false;
	memcpy(key, p->core_keys.names[core].s, sizeof(key));
	*device = (uint8_t)key[0];
	*number = key[1];
	return true;
}

uint32_t na_xf_put_op_type(void *ctx, const struct na_op_type *t)
{
	struct na_xfer_part *p = ctx;
	uint32_t type = na_strtab_add(&p->op_types, (const char *)t,
				      sizeof(*t));

	p->failed |= type == NA_NO_NAME;
	return type;
}

/* The block's row of a type: as before, or a new record. */
static enum na_status block_type(struct na_xfer_part *p, uint32_t type,
				 int64_t time_ps, uint32_t *row)
{
	struct na_xf_mapped *m = na_xf_slot(&p->op_type_map, type);
	struct na_op_type t;
	enum na_status st;

	p->failed |= !m;
	if (!m)
		return NA_ENOMEM;
	while (m->block != p->block) {
		uint32_t block = p->block;

		memcpy(&t, p->op_types.names[type].s, sizeof(t));
		t.kernel = na_xf_block_name(p, t.kernel);
		t.name = na_xf_block_name(p, t.name);
		t.module = na_xf_block_name(p, t.module);
		t.start_op = na_xf_block_name(p, t.start_op);
		t.collective = na_xf_block_name(p, t.collective);
		t.transfer_type = na_xf_block_name(p, t.transfer_type);
		*m = (struct na_xf_mapped){block,
					   (uint32_t)p->kinds[XF_OP_TYPE].n};
		st = na_xf_push(p, XF_OP_TYPE, time_ps, &t);
		if (st != NA_OK)
			return st;
	}
	*row = m->to;
	return NA_OK;
}

enum na_status na_xf_put_op(void *ctx, const struct na_op *x)
{
	struct na_xfer_part *p = ctx;
	struct na_xf_op row;
	enum na_status st;

	memset(&row, 0, sizeof(row));
	row.duration_ps =
		(int64_t)((uint64_t)x->end_ps - (uint64_t)x->start_ps);
	if (x->type >= p->op_types.n ||
	    !core_of(p, x->core, &row.device, &row.number))
		return NA_ENOMEM; /* that there was none */
	p->fresh = false;
	st = block_type(p, x->type, x->end_ps, &row.type);
	return st == NA_OK ? na_xf_push(p, XF_OP, x->end_ps, &row) : st;
}

enum na_status na_xf_put_comm(void *ctx, const struct na_comm *x)
{
	struct na_xfer_part *p = ctx;
	struct na_xf_comm row;
	uint8_t device;

	memset(&row, 0, sizeof(row));
	if (!core_of(p, x->core, &device, &row.rank))
		return NA_ENOMEM; /* that there was none */
	row.duration_ps =
		(int64_t)((uint64_t)x->end_ps - (uint64_t)x->start_ps);
	row.sequence = x->sequence;
	row.size_bytes = x->size_bytes;
	row.group = na_xf_block_name(p, x->group);
	row.group_size = x->group_size;
	row.type = na_xf_block_name(p, x->type);
	row.stream = x->stream;
	row.peer = x->peer;
	row.purpose = x->purpose;
	row.operation = x->operation;
	row.source = x->source;
	p->fresh = false;
	return na_xf_push(p, XF_COMM, x->end_ps, &row);
}

/* ---- busy times */

/* A run is a record of the block; its rows follow. */
static enum na_status begin_run(struct na_xfer_part *p, uint32_t core,
				int64_t start_ps)
{
	struct na_xf_busy run;
	enum na_status st = NA_OK;

	memset(&run, 0, sizeof(run));
	if (!core_of(p, core, &run.device, &run.number))
		return NA_ENOMEM;
	p->fresh = false;
	while (st == NA_OK && !p->run.open) {
		uint32_t block = p->block;

		st = na_xf_push(p, XF_BUSY, start_ps, &run);
		p->run = (struct na_xf_run){.open = p->block == block,
					    .core = core,
					    .start_ps = start_ps,
					    .end_ps = start_ps};
	}
	return st;
}

static struct na_xf_busy *open_run(struct na_xfer_part *p)
{
	struct na_xf_rows *r = &p->kinds[XF_BUSY];

	return (struct na_xf_busy *)(void *)r->p + (r->n - 1);
}

/* Within the last one or next to it, as the store joins them. */
static bool joined(struct na_xfer_part *p, int64_t start_ps, int64_t end_ps)
{
	struct na_xf_rows *r = &p->kinds[XF_BUSY_TIME];
	struct na_xf_busy_time *last;
	int64_t length;

	if (!open_run(p)->n || start_ps < p->run.start_ps ||
	    start_ps > p->run.end_ps)
		return false;
	if (end_ps > p->run.end_ps) {
		last = (struct na_xf_busy_time *)(void *)r->p + (r->n - 1);
		if (__builtin_sub_overflow(end_ps, p->run.start_ps, &length) ||
		    length > NA_OP_MAX_PS)
			return false;
		last->length_ps = length;
		p->run.end_ps = end_ps;
	}
	return true;
}

enum na_status na_xf_put_busy(void *ctx, uint32_t core, int64_t start_ps,
			      int64_t end_ps)
{
	struct na_xfer_part *p = ctx;
	struct na_xf_busy_time *row;
	enum na_status st = NA_OK;

	p->run.open &= p->run.core == core;
	if (!p->run.open)
		st = begin_run(p, core, start_ps);
	if (st != NA_OK || joined(p, start_ps, end_ps))
		return st;
	row = na_xf_new_row(p, XF_BUSY_TIME);
	if (!row)
		return NA_ENOMEM;
	row->gap_ps = (int64_t)((uint64_t)start_ps - (uint64_t)p->run.end_ps);
	row->length_ps = (int64_t)((uint64_t)end_ps - (uint64_t)start_ps);
	open_run(p)->n++;
	p->run.start_ps = start_ps;
	p->run.end_ps = end_ps;
	return p->kinds[XF_BUSY_TIME].n < XF_BLOCK_RECORDS ? NA_OK
							   : na_xf_flush(p);
}
