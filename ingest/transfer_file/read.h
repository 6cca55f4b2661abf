/*
 * Reading netan's transfer file (ingest/proto/netan.proto): what the survey
 * (read.c) tells the decoder of blocks (decode.c).
 */
#ifndef INGEST_TRANSFER_FILE_READ_H
#define INGEST_TRANSFER_FILE_READ_H

#include "ingest/bytes/wire.h"
#include "ingest/input.h"
#include "ingest/transfer_file/format.h"
#include "netan/base/vec.h"

struct na_xf_source {
	struct na_text host, label, format, path;
	bool has_time, has_wall;
	int64_t first_ns, zero_ns, profile_start_ns, profile_stop_ns;
	uint64_t n_devices;
	struct na_text cut; /* as a slice says of itself */
	bool ranks, on_cpus, has_tpus, has_gpus;
	enum na_told told;
	/* One more than what they are; 0: not told. */
	uint64_t rank, world_size, pid;
	uint64_t file_bytes;  /* of its file; 0: not told */
	uint64_t content_bytes, content_hash; /* na_input's; 0: not told */
	struct na_cursor end; /* message SourceEnd; p NULL: not there */
	size_t first, last;   /* its blocks; XF_NO_BLOCK */
};

struct na_xf_block {
	struct na_cursor rest; /* behind the checksum */
	uint64_t at;           /* of the sync mark */
	uint64_t records;
	struct na_cursor content; /* message Records */
	uint32_t crc, source;
	size_t next; /* of the same source */
};
#define XF_NO_BLOCK SIZE_MAX

enum { XF_MAX_DOUBTS = 64 }; /* more would take too long */

/* What the survey found; all inputs of one file share the first one's. */
struct na_xf_file {
	NA_VEC(struct na_xf_source) sources;
	NA_VEC(struct na_xf_block) blocks;  /* those of records */
	uint64_t seen_blocks, seen_records; /* whole, of every kind */
	unsigned doubts; /* times that a checksum told a block's length */
	bool header, trailer;
	bool broken; /* something in it is damaged or missing */
	bool anonymized;
	uint64_t asked;
	struct na_text program;
};

/* Of one input. */
struct na_xf_input {
	const struct na_xf_file *file;
	struct na_xf_file own; /* of the first input */
	size_t next;           /* block to hand out */
	struct na_capture_counts capture;
};

/* survey.c: what is in the file; damage becomes warnings. */
enum na_status na_xf_survey(struct na_input *in, struct na_xf_file *x,
			    struct na_err *err) NA_MUST_CHECK;

bool na_xf_is_capture(const struct na_xf_source *s);
bool na_xf_crc_good(const struct na_xf_block *b);

/* One block's records into the sink; shift_ps comes on top of their times.
 * What cannot be read is counted as damaged. */
enum na_status na_xf_decode(const struct na_xf_block *b, uint32_t wants,
			    int64_t shift_ps, const struct na_sink *sink,
			    struct na_err *err) NA_MUST_CHECK;

#endif
