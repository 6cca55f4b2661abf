/*
 * What lines of a log tell of the operations of ranks, wherever they stand in
 * a line: calls and communicators of NCCL (NCCL_DEBUG=INFO, subsystems INIT
 * and COLL), timeouts of PyTorch's watchdog, and reports of NCCL's RAS as
 * text.
 *
 * NCCL says of no operation that it has ended: what a rank called last
 * (NA_FR_KEPT of a communicator), it is taken to hold.  So ranks that are
 * behind are told, and those that call something else, but not those whose
 * GPU stands still.  Ranks of a job that runs are apart, too: that it does
 * not is told by times (na_fr_clock), or by the watchdog.
 *
 * Sources: NVIDIA/nccl src/enqueue.cc, src/init.cc, src/ras/client_support.cc;
 * pytorch/pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp;
 * docs/formats.md, "GPU jobs".
 */
#ifndef INGEST_NCCL_LOG_H
#define INGEST_NCCL_LOG_H

#include "ingest/nccl/nccl_to_dump.h"
#include "netan/model/logs/hang.h"

struct na_nccl_log;

/* Words of which one is in each line that tells something. */
extern const char *const na_nccl_words[];
enum { NA_NCCL_WORDS = 12 };

struct na_nccl_log *na_nccl_log_new(void); /* NULL: no memory */
/* A line, and when it was written.  False: no memory. */
bool na_nccl_log_line(struct na_nccl_log *g, struct na_text line,
		      const struct na_hang_time *t);
/* When the last line of the log was written, whatever it tells. */
void na_nccl_log_last(const struct na_nccl_log *g, struct na_flight_record *x,
		      const struct na_hang_time *t);
/* What was read, to the end of x; `path` is borrowed.  False: no memory. */
bool na_nccl_log_end(struct na_nccl_log *g, struct na_flight_record *x,
		     const char *path);
void na_nccl_log_free(struct na_nccl_log *g); /* NULL: nothing */

#endif
