/*
 * The records of a session into a transfer file, block by block: nothing is
 * kept but what waits for its turn.
 */
#ifndef NETAN_ENGINE_INGEST_READ_H
#define NETAN_ENGINE_INGEST_READ_H

#include "ingest/transfer_file/write.h"
#include "netan/engine/session/session.h"
#include "netan/engine/slice/sieve.h"

/* Every record of the inputs, or what passes the sieve (NULL: all), goes to `to`, in input order whatever the threads;
 * the caller ends the file (na_xfer_finish).  NA_OK also when interrupted
 * (s->interrupted), when the file is not whole; else as na_read_blocks(), with
 * the message in err. */
enum na_status na_ingest_read(struct na_session *s, struct na_sieve *sieve,
			      struct na_xfer_file *to,
			      struct na_err *err) NA_MUST_CHECK;

#endif
