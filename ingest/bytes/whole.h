/* A small file as bytes in memory, for formats that are read at once. */
#ifndef INGEST_BYTES_WHOLE_H
#define INGEST_BYTES_WHOLE_H

#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/memory/mapped.h"

struct na_whole {
	const uint8_t *p; /* NULL: empty */
	size_t n;
	struct na_mapped *mapped;
};

/* NA_EIO: cannot be read, or no regular file; err names the path. */
enum na_status na_whole_open(struct na_whole *w, const char *path,
			     struct na_err *err) NA_MUST_CHECK;
void na_whole_close(struct na_whole *w);

#endif
