/*
 * Inside a part of a transfer file: records (xfer_part.c), counts
 * (xfer_counts.c).
 */
#ifndef INGEST_XFER_PART_H
#define INGEST_XFER_PART_H

#include "ingest/xfer_write.h"

struct xf_rows {
	char *p;
	size_t n, cap;
};

/* Part-wide index to the block's, valid while `block` is the current one. */
struct xf_mapped {
	uint32_t block, to;
};

struct xf_map {
	struct xf_mapped *at;
	size_t n;
};

/* A name or a reason, for those who would have read such events. */
struct xf_counted {
	uint32_t what, wants;
	uint64_t n;
};

enum { XF_MAX_UNKNOWN = 64, XF_MAX_REMARKS = 64 }; /* of a block */
enum { XF_MAX_LEFT_OUT = NA_N_REASONS * 16 };      /* a format has few masks */

struct na_xfer_part {
	uint32_t source;
	struct na_strtab names, endpoint_keys;
	struct xf_endpoint *endpoints; /* by index in endpoint_keys */
	size_t cap_endpoints;

	uint32_t block; /* number of the one that is filled, from 1 */
	struct xf_map name_map, endpoint_map;
	struct xf_encoded *now;
	struct xf_rows kinds[XF_N_KINDS];
	uint8_t *order;
	int64_t *times;
	size_t n, cap_order, cap_times, row_bytes;
	struct na_transfer last; /* as in the block, where `fresh` */
	bool fresh;              /* the last record was a transfer */
	int64_t last_end_ps;

	uint64_t classed[2][NA_N_STYLES][NA_N_CLASSES];
	struct xf_counted left_out[XF_MAX_LEFT_OUT], unknown[XF_MAX_UNKNOWN];
	size_t n_left_out, n_unknown, n_remarks;
	uint32_t wants; /* of what is counted next; 0: everybody's */
	struct xf_bytes remarks;
	bool counted, failed;

	struct xf_encoded *done, **done_end;
	void (*full)(void *ctx, struct na_xfer_part *p);
	void *full_ctx;
};

void xf_put_counts(struct na_xfer_part *p, struct xf_bytes *to);

/* Of the sink. */
void xf_put_class(void *ctx, enum na_side side, enum na_style style,
		  enum na_class klass, uint64_t n);
void xf_put_about(void *ctx, uint32_t wants);
void xf_put_left_out(void *ctx, enum na_reason why, uint64_t n);
void xf_put_unknown(void *ctx, const char *s, size_t n, uint64_t times);
void xf_put_remark(void *ctx, uint64_t at, const char *text);

#endif
