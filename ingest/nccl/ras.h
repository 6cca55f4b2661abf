/*
 * Answers of NCCL's RAS in JSON (`ncclras -f json`, NCCL 2.28.7 and later):
 * one holds the whole job.  As text they are lines of a log (log.h).
 *
 * Each rank of a communicator tells how many operations of each function it
 * has launched.  Those with the fewest are behind: the others hold the
 * operation after that.
 *
 * Sources: NVIDIA/nccl src/ras/client_support.cc; docs/formats.md, "GPU jobs".
 */
#ifndef INGEST_NCCL_RAS_H
#define INGEST_NCCL_RAS_H

#include "netan/model/logs/recorder.h"

/* Are these the first n bytes of one? */
enum { NA_RAS_HEAD = 4096 };
bool na_ras_sniff(const uint8_t *head, size_t n);

/* The same of a file; false, too, if it cannot be read. */
bool na_ras_is(const char *path);

/* Ranks to the end of x; `path` is borrowed.  NA_EFORMAT: it breaks off, what
 * came before is there; NA_EIO, NA_ENOMEM. */
enum na_status na_ras_read(struct na_flight_record *x, const char *path,
			   struct na_err *err) NA_MUST_CHECK;
enum na_status na_ras_read_bytes(struct na_flight_record *x, const char *path,
				 const uint8_t *p, size_t n,
				 struct na_err *err) NA_MUST_CHECK;

#endif
