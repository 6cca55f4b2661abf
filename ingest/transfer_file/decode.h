/*
 * One block of a transfer file being read: sections to rows
 * (decode.c), rows to records (emit.c).
 */
#ifndef INGEST_TRANSFER_FILE_DECODE_H
#define INGEST_TRANSFER_FILE_DECODE_H

#include <zstd.h>

#include "ingest/transfer_file/read.h"
#include "netan/base/vec.h"

struct na_xf_end {
	int32_t slice, device;
	struct na_text address;
	bool is_address;
	uint32_t index; /* of the sink, where known */
	bool known;
};

struct na_xf_string {
	struct na_text text;
	uint32_t index;
	bool known;
};

struct na_xf_decoding {
	const struct na_xf_block *b;
	const struct na_sink *sink;
	uint32_t wants;
	int64_t shift_ps;
	ZSTD_DCtx *z;

	uint8_t *names;   /* unpacked section NAMES */
	uint8_t *scratch; /* one unpacked section */
	size_t names_cap, scratch_cap;
	int64_t *values; /* one column */
	size_t values_cap;
	NA_VEC(struct na_xf_string) strings;
	NA_VEC(struct na_xf_end) endpoints;

	char *rows[XF_N_KINDS];
	size_t n_rows[XF_N_KINDS], row_bytes;
	size_t used_busy; /* rows of XF_BUSY_TIME */
	struct na_xf_order {
		int64_t time_ps, kind;
	} * order;
	size_t n_order;
	uint64_t damaged; /* records */
	bool nomem;
};

/* Is anything of such records wanted? */
bool na_xf_kind_wanted(uint64_t kind, uint32_t wants);

/* Rows into the sink; those with impossible values are counted. */
enum na_status na_xf_emit(struct na_xf_decoding *d) NA_MUST_CHECK;
void na_xf_tell_counts(struct na_xf_decoding *d);

#endif
