/*
 * Files below a directory that somebody else filled: a saved support bundle,
 * a container's image, or "/" itself.  Symbolic links are followed as if the
 * root were "/", so none leads out of it; only regular files are read (pipes,
 * sockets and devices are never opened), and no more than a bound of each.
 *
 * Paths are relative to the root.  A root that changes meanwhile gives an
 * error at worst, never a file from elsewhere: each component is opened on
 * its own, below the directory that was reached.
 */
#ifndef INGEST_BYTES_CHROOT_PATH_H
#define INGEST_BYTES_CHROOT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "netan/base/arena.h"
#include "netan/base/err.h"

enum {
	NA_CHROOT_DEPTH = 40,   /* directories below the root */
	NA_CHROOT_LINKS = 40,   /* symbolic links on the way to a file */
	NA_CHROOT_NAMES = 65536 /* of one directory */
};

struct na_chroot {
	int fd;
};

/* A symbolic link as `dir` itself is followed.  NA_EIO: no directory, or not to
 * be opened; then there is nothing to close. */
enum na_status na_chroot_open(struct na_chroot *r, const char *dir,
			      struct na_err *err) NA_MUST_CHECK;
void na_chroot_close(struct na_chroot *r);

/*
 * All bytes of a file, with a NUL behind them.  NA_END: there is no such
 * file; NA_ELIMIT: it holds more than `most`; NA_EIO.  The message says why,
 * without the path.
 */
enum na_status na_chroot_read(const struct na_chroot *r, const char *path,
			      size_t most, struct na_arena *a,
			      const char **bytes, size_t *n,
			      struct na_err *err) NA_MUST_CHECK;

/* False also where it cannot be reached. */
bool na_chroot_has_dir(const struct na_chroot *r, const char *path);

/* Names in a directory, without "." and "..", in natural order; beyond
 * NA_CHROOT_NAMES NA_ELIMIT.  Statuses as above. */
enum na_status na_chroot_list(const struct na_chroot *r, const char *path,
			      struct na_arena *a, const char ***names,
			      size_t *n, struct na_err *err) NA_MUST_CHECK;

#endif
