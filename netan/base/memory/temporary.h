/*
 * Temporary files without a name: they are gone when they are closed, also
 * after a crash.
 */
#ifndef NETAN_BASE_MEMORY_TEMPORARY_H
#define NETAN_BASE_MEMORY_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

struct na_temporary {
	int fd;
	char dir[256];  /* where it lies */
	bool in_memory; /* its file system has no disk behind it */
};

/*
 * In TMPDIR, else /tmp; where that is memory itself (tmpfs), in /var/tmp if
 * that is not.  NA_EIO names the directory and what to do.  The caller closes
 * t->fd, which is -1 after a failure.
 */
enum na_status na_temporary_open(struct na_temporary *t,
				 struct na_err *err) NA_MUST_CHECK;
/* All n bytes, at that offset.  NA_EIO. */
enum na_status na_temporary_write(int fd, const uint8_t *p, size_t n,
				  uint64_t at, struct na_err *err) NA_MUST_CHECK;

#endif
