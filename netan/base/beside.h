/*
 * Names of what is written beside its final place, and renamed.
 */
#ifndef NETAN_BASE_BESIDE_H
#define NETAN_BASE_BESIDE_H

#include "netan/base/err.h"

/* The path and the suffix; of a name that is too long with it for a folder, as
 * much as fits.  From malloc(); NULL: no memory. */
char *na_beside(const char *path, const char *fmt, ...) NA_PRINTF(2, 3);

/* The folder of a path, with its slash; "./" for a bare name.  From malloc();
 * NULL: no memory. */
char *na_folder_of(const char *path);

#endif
