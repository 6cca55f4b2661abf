/*
 * One line of NCCL Inspector's log.
 *
 * Files of gigabytes hold millions of them, all with the same few keys: what
 * is read here is those keys, in any order, and nothing else of JSON but what
 * it takes to tell a key from the text of a string.
 */
#ifndef INGEST_NCCL_INSPECTOR_LINE_H
#define INGEST_NCCL_INSPECTOR_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ingest/input.h"
#include "netan/base/scan.h"

/* enum values are bits: in which objects of the line a key is looked for */
enum na_inspector_part {
	NA_INSPECTOR_HEADER = 1,
	NA_INSPECTOR_METADATA = 2,
	NA_INSPECTOR_COLL = 4,
	NA_INSPECTOR_P2P = 8,
	NA_INSPECTOR_PROXY = 16,
	NA_INSPECTOR_STATS = 32,
	NA_INSPECTOR_OPERATIONS = NA_INSPECTOR_COLL | NA_INSPECTOR_P2P |
				  NA_INSPECTOR_PROXY
};

/* Numbers that are not there are -1; times are ns since the epoch. */
struct na_inspector_line {
	unsigned parts; /* which there are */
	/* header, metadata */
	struct na_text group, host, version;
	int64_t rank, n_ranks, pid, dump_ns;
	/* an operation, or a step of the proxy's */
	struct na_text operation, source; /* as they stand */
	int64_t sequence, bytes, exec_ps, peer;
	int64_t rate_mb_s; /* algorithm bandwidth, 10^6 bytes/s */
	int64_t kernel_start_ns, kernel_stop_ns; /* first, last channel */
	/* of the proxy */
	struct na_text record, direction;
	int64_t send_ns, arrived_ns, stop_ns;
	/* written over before they could be written: since the last line */
	int64_t lost;
};

/* The texts lie in `line`.  False: no object of such a line, or one that
 * breaks off. */
bool na_inspector_parse(struct na_text line, struct na_inspector_line *x);

/* The next line from *p on that holds something; false: there is none. */
bool na_inspector_next(const uint8_t **p, const uint8_t *end,
		       struct na_text *line);
/* What stands in a line's header, or in that of the line before it; false: in
 * neither. */
bool na_inspector_complete(struct na_inspector_line *x,
			   const struct na_inspector_line *about);
/* Whether it says when its operation ran; since when it is at least. */
bool na_inspector_timed(const struct na_inspector_line *x);
int64_t na_inspector_start(const struct na_inspector_line *x);
/* Is there such a rank in its communicator? */
bool na_inspector_is_rank(int64_t rank, const struct na_inspector_line *x);

/* As struct na_reader has it; the block's owner is the line (struct na_text)
 * that says of whom the first ones are, or NULL. */
enum na_status na_inspector_read(const struct na_input *in,
				 const struct na_block *b,
				 const struct na_sink *sink,
				 struct na_err *err);

#endif
