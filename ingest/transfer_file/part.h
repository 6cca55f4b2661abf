/*
 * Inside a part of a transfer file: records (part.c), those of device
 * planes (ops.c), counts (counts.c).
 */
#ifndef INGEST_TRANSFER_FILE_PART_H
#define INGEST_TRANSFER_FILE_PART_H

#include "ingest/transfer_file/write.h"

struct na_xf_rows {
	char *p;
	size_t n, cap;
};

/* Part-wide index to the block's, valid while `block` is the current one. */
struct na_xf_mapped {
	uint32_t block, to;
};

struct na_xf_map {
	struct na_xf_mapped *at;
	size_t n;
};

/* A name or a reason, for those who would have read such events. */
struct na_xf_counted {
	uint32_t what, wants;
	uint64_t n;
};

enum { XF_MAX_UNKNOWN = 64, XF_MAX_REMARKS = 64 }; /* of a block */
enum { XF_MAX_LEFT_OUT = NA_N_REASONS * 16 };      /* a format has few masks */

struct na_xfer_part {
	uint32_t source;
	struct na_strtab names, endpoint_keys;
	/* Device planes and op types, by their bytes. */
	struct na_strtab core_keys, op_types;
	struct na_xf_endpoint *endpoints; /* by index in endpoint_keys */
	size_t cap_endpoints;

	uint32_t block; /* number of the one that is filled, from 1 */
	struct na_xf_map name_map, endpoint_map, op_type_map;
	struct na_xf_encoded *now;
	struct ZSTD_CCtx_s *z;
	struct na_xf_rows kinds[XF_N_KINDS];
	uint8_t *order;
	int64_t *times;
	size_t n, cap_order, cap_times, row_bytes;
	NA_VEC(int64_t) scratch; /* of a column */
	struct na_xf_bytes columns;
	struct na_transfer last; /* as in the block, where `fresh` */
	bool fresh;              /* the last record was a transfer */
	int64_t last_end_ps;
	struct na_xf_run {
		bool open;
		uint32_t core;
		int64_t start_ps, end_ps; /* of its last busy time */
	} run;

	uint64_t classed[2][NA_N_STYLES][NA_N_CLASSES];
	struct na_xf_counted left_out[XF_MAX_LEFT_OUT], unknown[XF_MAX_UNKNOWN];
	size_t n_left_out, n_unknown, n_remarks;
	uint32_t wants; /* of what is counted next; 0: everybody's */
	struct na_xf_bytes remarks;
	bool counted, failed;

	struct na_xf_encoded *done, **done_end;
	void (*full)(void *ctx, struct na_xfer_part *p);
	void *full_ctx;
};

void na_xf_put_counts(struct na_xfer_part *p, struct na_xf_bytes *to);

/* The slot of an index; NULL when memory is short. */
struct na_xf_mapped *na_xf_slot(struct na_xf_map *m, uint32_t i);
/* The block's index of a name of the part. */
uint32_t na_xf_block_name(struct na_xfer_part *p, uint32_t i);
/* Room for one more row of a kind; NULL when memory is short. */
void *na_xf_new_row(struct na_xfer_part *p, enum na_xf_section kind);
/* A record, and the end of the block where that is full; NA_ENOMEM. */
enum na_status na_xf_push(struct na_xfer_part *p, enum na_xf_section kind,
			  int64_t time_ps, const void *record) NA_MUST_CHECK;
enum na_status na_xf_flush(struct na_xfer_part *p) NA_MUST_CHECK;

/* Of the sink. */
uint32_t na_xf_put_core(void *ctx, enum na_device_kind kind, int32_t number);
uint32_t na_xf_put_op_type(void *ctx, const struct na_op_type *t);
enum na_status na_xf_put_op(void *ctx, const struct na_op *x) NA_MUST_CHECK;
enum na_status na_xf_put_busy(void *ctx, uint32_t core, int64_t start_ps,
			      int64_t end_ps) NA_MUST_CHECK;
enum na_status na_xf_put_comm(void *ctx, const struct na_comm *x) NA_MUST_CHECK;
void na_xf_put_class(void *ctx, enum na_side side, enum na_style style,
		     enum na_class klass, uint64_t n);
void na_xf_put_about(void *ctx, uint32_t wants);
void na_xf_put_left_out(void *ctx, enum na_reason why, uint64_t n);
void na_xf_put_unknown(void *ctx, const char *s, size_t n, uint64_t times);
void na_xf_put_remark(void *ctx, uint64_t at, const char *text);

#endif
