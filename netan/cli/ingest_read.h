/*
 * The records of a session into a transfer file, block by block: nothing is
 * kept but what waits for its turn.
 */
#ifndef NETAN_CLI_INGEST_READ_H
#define NETAN_CLI_INGEST_READ_H

#include "ingest/xfer_write.h"
#include "netan/cli/session.h"

/* Says what went wrong itself. */
enum na_status na_ingest_read(struct na_session *s, struct na_xfer_file *to,
			      struct na_err *err) NA_MUST_CHECK;

#endif
