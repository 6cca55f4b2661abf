/*
 * The file of a ledger: what is added is there whole, on the disk, or not at
 * all, and what a crash has left of a line is found.
 */
#ifndef NETAN_CLI_COMMANDS_LEDGER_FILE_H
#define NETAN_CLI_COMMANDS_LEDGER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/base/err.h"

/* Bytes behind the end of the last line, of n in the file.  ours: they are a
 * line of ours up to where it breaks off, or zeros that were never written. */
struct na_ledger_tail {
	uint64_t n;
	bool ours;
};

/* NA_EIO, NA_ENOMEM. */
enum na_status na_ledger_tail(int fd, uint64_t n, const char *path,
			      struct na_ledger_tail *tail,
			      struct na_err *err) NA_MUST_CHECK;
/* The file ends at byte n from here on.  NA_EIO. */
enum na_status na_ledger_cut(int fd, uint64_t n, const char *path,
			     struct na_err *err) NA_MUST_CHECK;
/* text[n] behind the `at` bytes that the file has, synced.  NA_EIO: nothing was
 * added. */
enum na_status na_ledger_append(int fd, uint64_t at, const char *text, size_t n,
				const char *path,
				struct na_err *err) NA_MUST_CHECK;

#endif
