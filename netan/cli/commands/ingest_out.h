/*
 * netan ingest: one transfer file, of all inputs of a session (ingest.c) or of
 * some of them (ingest_dir.c).
 */
#ifndef NETAN_CLI_COMMANDS_INGEST_OUT_H
#define NETAN_CLI_COMMANDS_INGEST_OUT_H

#include <stdio.h>

#include "netan/cli/output/output.h"
#include "netan/engine/ingest_read.h"

struct na_ingest {
	const struct na_cli *cli;
	bool no_frames;         /* single packets are left out */
	struct na_sieve *sieve; /* NULL: all records */
	uint64_t asked;         /* what na_ingest_asked() makes of it */
	bool stands_in;         /* a file that takes its input's place */
};

/* enum na_want bits of the session that is written. */
uint32_t na_ingest_wants(const struct na_ingest *g);
/* A number for the options that change what is in a file; 0: none does. */
uint64_t na_ingest_asked(const struct na_ingest *g);
/* The header of a file of all inputs of s, its sources allocated: to be freed.
 * NULL sources: no memory. */
struct na_xfer_head na_ingest_head(const struct na_ingest *g,
				   const struct na_session *s,
				   struct na_xfer_source **sources);
/* The inputs of s into `to`, whose name is for messages.  NA_OK also when
 * interrupted (s->interrupted), without an end then; NA_END where a pipe's
 * reader has left; NA_EIO: cannot be written; else as reading fails. */
enum na_status na_ingest_put(const struct na_ingest *g, struct na_session *s,
			     FILE *to, const char *name,
			     struct na_xfer_counts *counts,
			     struct na_err *err) NA_MUST_CHECK;
/*
 * In two steps, of files that are to be read by one session: under --anonymize
 * what a later file tells may be a name that stands in an earlier one.  All go
 * into a file without a name for the first time, one behind the other, and from
 * there each to where it belongs, when all names are known: the n bytes from
 * `at` on become *bytes.
 */
FILE *na_ingest_first(struct na_err *err);
enum na_status na_ingest_put_first(const struct na_ingest *g,
				   struct na_session *s, FILE *first,
				   const char *name,
				   struct na_xfer_counts *counts,
				   struct na_err *err) NA_MUST_CHECK;
enum na_status na_ingest_hide(const struct na_request *q, FILE *first,
			      uint64_t at, uint64_t n, FILE *to,
			      const char *name, uint64_t *bytes,
			      struct na_err *err) NA_MUST_CHECK;
/* struct na_request.stand_in. */
enum na_status na_ingest_stand_in(const struct na_request *q, uint64_t asked,
				  const char *path,
				  struct na_err *err) NA_MUST_CHECK;
/* "wrote WHAT, 1.2 MB: ..." on standard output. */
void na_ingest_report(const char *what, const struct na_xfer_counts *c);

/* -o DIR: inputs of the command line, a file for each. */
bool na_ingest_is_dir(const char *path);
enum na_exit na_ingest_dir(const struct na_ingest *g, const char *path);

#endif
