/*
 * A file that appears under its name only when it is complete: written
 * beside it, packed on the way if asked, and renamed.
 */
#ifndef NETAN_SYNTH_OUT_FILE_H
#define NETAN_SYNTH_OUT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

struct na_out_file;

/* pack is an enum na_synth_compress. */
NA_MUST_CHECK enum na_status na_out_open(struct na_out_file **out,
					 const char *path, int pack,
					 struct na_err *err);
NA_MUST_CHECK enum na_status na_out_write(struct na_out_file *f, const void *p,
					  size_t n, struct na_err *err);

/*
 * Completes and renames; *bytes is the size on disk.  When cut_bytes is not
 * negative the file is cut to that size before, else when cut_q16 is not
 * negative to that share (of 65536); *whole is then the size before the
 * cut, else 0.  Frees f whatever happens.
 */
NA_MUST_CHECK enum na_status na_out_finish(struct na_out_file *f,
					   int64_t cut_bytes, int64_t cut_q16,
					   uint64_t *bytes, uint64_t *whole,
					   struct na_err *err);

/* Gives up: nothing stays on disk.  NULL is fine. */
void na_out_abandon(struct na_out_file *f);

/* All of that at once, not packed. */
NA_MUST_CHECK enum na_status na_out_save(const char *path, const void *p,
					 size_t n, uint64_t *bytes,
					 struct na_err *err);

/* mkdir -p. */
NA_MUST_CHECK enum na_status na_out_make_dirs(const char *path,
					      struct na_err *err);

/* path + "/" + more, to be freed; NULL when memory is short. */
char *na_out_join(const char *path, const char *more);

#endif
