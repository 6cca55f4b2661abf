/*
 * The file around the blocks, for those who write one.
 */
#ifndef INGEST_TRANSFER_FILE_FILE_H
#define INGEST_TRANSFER_FILE_FILE_H

#include "ingest/transfer_file/hide.h"
#include "ingest/transfer_file/write.h"

struct na_xfer_file {
	na_xfer_write write;
	void *ctx;
	struct na_xf_hiding hiding;
	struct na_xfer_counts counts;
	struct ZSTD_CCtx_s *z;
};

/* One with no header yet.  NULL: see err. */
struct na_xfer_file *na_xf_begin(na_xfer_write write, void *ctx,
				 struct na_pseudonyms *names,
				 struct na_err *err);
/* A block whose message, behind the checksum, is `rest`, which is freed. */
enum na_status na_xf_put_block(struct na_xfer_file *f, struct na_xf_bytes *rest,
			       struct na_err *err) NA_MUST_CHECK;

#endif
