/*
 * Files of others in memory.  Another process may truncate such a file, or
 * write over it, while it is read, and a disk may fail: the system then ends
 * who touches the bytes (SIGBUS).  Of what is mapped here, lost bytes are
 * zeros from there on, to the end, and na_mapped_left() says how many are
 * left.  A reader sees bytes that are no format, and asks.
 */
#ifndef NETAN_BASE_MEMORY_MAPPED_H
#define NETAN_BASE_MEMORY_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

struct na_mapped; /* one mapping of the whole of a file */

/*
 * The first n bytes (not 0) of a file, to be read only.  fd may be closed
 * then.  NULL with errno: the system refused.
 */
struct na_mapped *na_map(int fd, size_t n);
/* NULL is none. */
void na_unmap(struct na_mapped *m);

const uint8_t *na_mapped_bytes(const struct na_mapped *m);
/* How many of the n are not lost, as far as it is known: where a byte was
 * touched in vain, or na_mapped_look() saw it.  On any thread, no system
 * call. */
size_t na_mapped_left(const struct na_mapped *m);

/* What became of the file since. */
enum na_fate {
	NA_FATE_SAME,
	NA_FATE_SHORTER, /* na_mapped_left() says where it ends now */
	NA_FATE_CHANGED  /* it is longer, or its time of change is another */
};
/* path: the file's, unless it is another one by now; "-" is standard input. */
enum na_fate na_mapped_look(struct na_mapped *m, const char *path);

/*
 * Memory of our own that lies in a file (n bytes from p): where that is lost,
 * nothing can be saved.  The program says `text`, borrowed for good, on
 * standard error and ends with status 1.  At most once.
 */
void na_mapped_own(const void *p, size_t n, const char *text);

#endif
