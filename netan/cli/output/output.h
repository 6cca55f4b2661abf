/*
 * Where a result goes, seen from inside (output.c, file.c).
 */
#ifndef NETAN_CLI_OUTPUT_OUTPUT_H
#define NETAN_CLI_OUTPUT_OUTPUT_H

#include <stdio.h>

#include "netan/base/memory/temp_files.h"
#include "netan/cli/cli.h"

/* A file that appears under its name only when it is whole. */
struct na_outfile {
	FILE *stream;
	char *path; /* symbolic links resolved */
	char *temp; /* NULL: written in place */
	struct na_temp_file *temp_file;
};

/* Regular files are written beside their final place, under a name that is not
 * taken, and keep the permissions of what they replace; what is none (a pipe,
 * a device, a descriptor: place.h) in place.  Messages name the
 * path as given.  NA_EIO, NA_ENOMEM: nothing is open then, nothing to close. */
enum na_status na_outfile_open(struct na_outfile *f, const char *path,
			       struct na_err *err) NA_MUST_CHECK;
/* Closes and renames; after a failure of the writer too (whole false): then,
 * unless it was written in place, what was there before stays, and nothing
 * else is left behind.  NA_EIO when
 * the stream, closing or renaming failed and `whole` was true; but a pipe whose
 * reader has left has seen enough. */
enum na_status na_outfile_close(struct na_outfile *f, const char *path,
				bool whole, struct na_err *err) NA_MUST_CHECK;
/* Before any work: no file that the command line, or the one that it runs
 * (netan partial), names as an input or in an option, or that is the session of
 * a directory it names, or lies below one that an option names, whatever the
 * paths; "-" is standard output.  NA_EUSAGE says so.  What else is read
 * na_outfile_open() and na_outfile_close() refuse in the same words. */
enum na_status na_output_apart(const struct na_cli *cli, const char *path,
			       struct na_err *err) NA_MUST_CHECK;
/* The same of the line in `words`, n of them, as main() gets them. */
enum na_status na_output_apart_from(const struct na_command *c, int n,
				    char **words, const char *path,
				    struct na_err *err) NA_MUST_CHECK;
/* Before any work: could a file of this name be written?  NA_EIO says why not;
 * nothing is created. */
enum na_status na_outfile_check(const char *path,
				struct na_err *err) NA_MUST_CHECK;

#endif
