/*
 * Where a live capture goes: packets into a file or a ring of files
 * (capture_out.c), or the transfers that they make (capture_kept.c).
 */
#ifndef NETAN_CLI_COMMANDS_CAPTURE_OUT_H
#define NETAN_CLI_COMMANDS_CAPTURE_OUT_H

#include "ingest/capture/live.h"
#include "ingest/capture/write.h"
#include "netan/cli/output/output.h"

/* ---- packets */

struct na_capture_out {
	const char *path; /* as given; "-" is standard output */
	struct na_capture_head head;
	uint64_t max_bytes;      /* of all files together; 0: no limit */
	uint64_t max_file_bytes; /* a file more behind it; 0: one file */
	uint64_t ring;           /* so many of them stay; 0: all */

	struct na_outfile file;
	FILE *stream; /* NULL: none is open */
	char *name;   /* of the open file */
	char **names; /* of the last ones, by number modulo ring */
	uint64_t files, file_bytes, bytes, file_packets;
};

/* Set the fields above, then open the first file. */
enum na_status na_capture_out_open(struct na_capture_out *o,
				   struct na_err *err) NA_MUST_CHECK;
/* NA_END: the size limit is reached, the record is not written. */
enum na_status na_capture_out_put(struct na_capture_out *o,
				  const struct na_record *r,
				  struct na_err *err) NA_MUST_CHECK;
/* What was written so far can be read by others. */
enum na_status na_capture_out_flush(struct na_capture_out *o,
				    struct na_err *err) NA_MUST_CHECK;
enum na_status na_capture_out_close(struct na_capture_out *o,
				    const struct na_live_counts *counts,
				    int64_t time_ns, bool whole,
				    struct na_err *err) NA_MUST_CHECK;

/* "dir/cap.pcap" to "dir/cap-00001.pcap", to be freed; NULL: no memory. */
char *na_capture_out_name(const char *path, uint64_t number);

/* ---- transfers */

struct na_capture_kept;

struct na_capture_kept *na_capture_kept_new(const char *path,
					    const char *interface,
					    const struct na_request *q,
					    struct na_err *err);
int na_capture_kept_fd(const struct na_capture_kept *k);
enum na_status na_capture_kept_put(struct na_capture_kept *k,
				   const struct na_record *r,
				   struct na_err *err) NA_MUST_CHECK;
enum na_status na_capture_kept_flush(struct na_capture_kept *k,
				     struct na_err *err) NA_MUST_CHECK;
/* Frees k whatever happens; *transfers, *bytes: what was written. */
enum na_status na_capture_kept_close(struct na_capture_kept *k,
				     const struct na_live_counts *counts,
				     bool whole, uint64_t *transfers,
				     uint64_t *bytes,
				     struct na_err *err) NA_MUST_CHECK;

#endif
