/*
 * Reading netan's transfer file (ingest/proto/netan.proto): what the survey
 * (read_netan.c) tells the decoder of blocks (xfer_decode.c).
 */
#ifndef INGEST_XFER_READ_H
#define INGEST_XFER_READ_H

#include "ingest/input.h"
#include "ingest/wire.h"
#include "ingest/xfer_format.h"

struct xf_source {
	struct na_text host, label, format, path;
	bool has_time, has_wall;
	int64_t first_ns, zero_ns, profile_start_ns, profile_stop_ns;
	uint64_t n_devices;
	bool ended; /* its end was seen */
};

struct xf_block {
	struct na_cursor rest; /* behind the checksum */
	uint64_t at;           /* of the sync mark */
	uint64_t records;
	struct na_cursor content; /* message Records */
	uint32_t crc, source;
};

struct xf_file {
	struct xf_source *sources;
	size_t n_sources, cap_sources;
	struct xf_block *blocks; /* those of records */
	size_t n_blocks, cap_blocks, next;
	uint64_t seen_blocks, seen_records; /* whole, of every kind */
	bool header, trailer;
};

bool xf_crc_good(const struct xf_block *b);

/* One block's records into the sink; shift_ps comes on top of their times.
 * What cannot be read is counted as damaged. */
enum na_status xf_decode(const struct xf_block *b, uint32_t wants,
			 int64_t shift_ps, const struct na_sink *sink,
			 struct na_err *err);

#endif
