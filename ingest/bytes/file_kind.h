/*
 * What lies in a directory may be no file: a pipe that nobody writes, a device
 * without an end.  Only what a user names is read whatever it is.
 */
#ifndef INGEST_BYTES_FILE_KIND_H
#define INGEST_BYTES_FILE_KIND_H

#include <stdbool.h>
#include <sys/stat.h>

#include "netan/base/err.h"

/* What it is, and what to do; NULL of a regular file, a directory, and of what
 * cannot be looked at. */
const char *na_odd_file_kind(const char *path);
/* NA_EIO names it and says that; else NA_OK. */
enum na_status na_check_file_kind(const char *path,
				  struct na_err *err) NA_MUST_CHECK;

/* Is `dir`, which was found below the directory `top`, a directory above that:
 * by a link that leads up?  Nothing of that was named. */
bool na_dir_is_above(const char *top, const struct stat *dir);

/* A directory that is walked through, and those above it that were. */
struct na_dir_level {
	const struct na_dir_level *up; /* NULL: the top */
	dev_t device;
	ino_t inode;
	int depth;
};
/* Is `dir`, found in that one, one of them or above the top? */
bool na_dir_leads_up(const struct na_dir_level *l, const char *top,
		     const struct stat *dir);

/* By na_natural_order(), and all in some order. */
void na_sort_names(const char **names, size_t n);

#endif
