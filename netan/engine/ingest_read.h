/*
 * The records of a session into a transfer file, block by block: nothing is
 * kept but what waits for its turn.
 */
#ifndef NETAN_ENGINE_INGEST_READ_H
#define NETAN_ENGINE_INGEST_READ_H

#include "ingest/transfer_file/write.h"
#include "netan/engine/session/session.h"

/* Says what went wrong itself. */
enum na_status na_ingest_read(struct na_session *s, struct na_xfer_file *to,
			      struct na_err *err) NA_MUST_CHECK;

#endif
