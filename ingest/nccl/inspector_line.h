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

#include "netan/base/scan.h"

/* enum values are bits: in which objects of the line a key is looked for */
enum na_inspector_part {
	NA_INSPECTOR_HEADER = 1,
	NA_INSPECTOR_METADATA = 2,
	NA_INSPECTOR_COLL = 4,
	NA_INSPECTOR_P2P = 8,
	NA_INSPECTOR_PROXY = 16,
	NA_INSPECTOR_STATS = 32
};

/* Numbers that are not there are -1; times are ns since the epoch. */
struct na_inspector_line {
	unsigned parts; /* which there are */
	/* header, metadata */
	struct na_text group, host, version;
	int64_t rank, n_ranks, dump_ns;
	/* an operation, or a step of the proxy's */
	struct na_text operation, source; /* as they stand */
	int64_t sequence, bytes, exec_ps, peer;
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

#endif
