/*
 * Files that are written under a temporary name and renamed when complete.
 */
#ifndef NETAN_BASE_ATOMIC_FILE_H
#define NETAN_BASE_ATOMIC_FILE_H

#include <stdbool.h>

#include "netan/base/err.h"

/* The path and the suffix; of a name that is too long with it for a folder, as
 * much as fits.  From malloc(); NULL: no memory. */
char *na_path_with_suffix(const char *path, const char *fmt, ...)
	NA_PRINTF(2, 3);

/* The folder of a path, with its slash; "./" for a bare name.  From malloc();
 * NULL: no memory. */
char *na_folder_of(const char *path);

/* Of a file that is written, until it is whole: PATH.PID-K.tmp.  From malloc();
 * NULL: no memory. */
char *na_atomic_temp(const char *path, int k);

/* Removes from a directory such files of NAME, which ends in `ending` (as
 * ".netan"), that a killed process has left.  Who writes may be on another
 * node: where no process of that number is here (or it is this one, as of
 * containers) those that are a day old; where none is and NAME is `ours` (NULL:
 * none is), all. */
void na_atomic_sweep(const char *dir, const char *ending,
		     bool (*ours)(const void *ctx, const char *name),
		     const void *ctx);

#endif
