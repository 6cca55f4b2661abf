/*
 * Status codes and the first failure.  A function that can fail returns
 * enum na_status and takes a struct na_err; na_fail() stores the first
 * message and hands the code back, so a failing line reads
 * `return na_fail(err, NA_EFORMAT, ...)`.
 */
#ifndef NETAN_BASE_ERR_H
#define NETAN_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

#define NA_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define NA_MUST_CHECK   __attribute__((warn_unused_result))

enum na_status {
	NA_OK = 0,
	NA_END = 1,   /* done; clean end of input */
	NA_ASIDE = 2, /* taken, but not among what counts as used */
	NA_ENOMEM = -1,
	NA_EIO = -2, /* the system refused */
	NA_EFORMAT = -3,
	NA_ELIMIT = -4,  /* bytes break their format; a limit */
	NA_EDOMAIN = -5, /* undefined for this data */
	NA_EUSAGE = -6   /* the command line is wrong */
};

/* The caller's; {.status = NA_OK} before the first call that may fail. */
struct na_err {
	enum na_status status; /* NA_OK while nothing has failed */
	char text[512];        /* one line, no newline, UTF-8 */
};

/* Store the first failure; later calls keep it.  Returns `status`. */
enum na_status na_fail(struct na_err *err, enum na_status status,
		       const char *fmt, ...) NA_PRINTF(3, 4);

/* The same for a failed allocation or system call (adds strerror(errno)). */
enum na_status na_fail_nomem(struct na_err *err);
enum na_status na_fail_errno(struct na_err *err, const char *what);

/* For a status that the err behind the call holds as well, and that is looked
 * at there, later. */
static inline void na_in_err(enum na_status status)
{
	(void)status;
}

#endif
