/*
 * Bytes of a slice to a stream, packed where its name ends in .gz.
 */
#ifndef NETAN_CLI_COMMANDS_SLICE_OUT_H
#define NETAN_CLI_COMMANDS_SLICE_OUT_H

#include <stdint.h>
#include <stdio.h>

#include "netan/base/err.h"

struct na_slice_zip;
struct na_slice_out {
	FILE *stream;
	const char *name; /* borrowed */
	uint64_t bytes;   /* that were written */
	struct na_slice_zip *zip;
	uint8_t part[8192];
};

/* To be finished or dropped, also after a failure of put. */
enum na_status na_slice_out_begin(struct na_slice_out *o, FILE *stream,
				  const char *name,
				  struct na_err *err) NA_MUST_CHECK;
/* ctx: the na_slice_out.  NA_EIO: cannot write; NA_END: interrupted, or a
 * reader that has seen enough. */
enum na_status na_slice_out_put(void *ctx, const void *p, size_t n,
				struct na_err *err) NA_MUST_CHECK;
enum na_status na_slice_out_finish(struct na_slice_out *o,
				   struct na_err *err) NA_MUST_CHECK;
void na_slice_out_drop(struct na_slice_out *o);

#endif
