/*
 * From what a user names to the logs to read: a file stands for itself, a
 * directory for every file in it and below, except hidden ones and those
 * whose names say that they are no text (traces, captures, pictures).
 */
#ifndef INGEST_LOGS_FILES_H
#define INGEST_LOGS_FILES_H

#include "netan/base/arena.h"
#include "netan/base/err.h"

enum { NA_LOG_FILES_MAX = 100000, NA_LOG_DEPTH = 16 };

struct na_log_files {
	const char **paths; /* in natural order of their directory; owned */
	size_t n, cap;
	size_t passed_over; /* by name */
	size_t unreadable;  /* directories below those that were named */
	size_t seen;        /* entries of directories */
};

/* To the end of `out`; texts live in the arena.  NA_EIO: the path
 * cannot be read; NA_ELIMIT. */
enum na_status na_log_files_find(const char *path, struct na_arena *a,
				 struct na_log_files *out,
				 struct na_err *err) NA_MUST_CHECK;

#endif
