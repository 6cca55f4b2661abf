/*
 * Where a result goes, seen from inside (output.c, output_file.c).
 */
#ifndef NETAN_CLI_OUTPUT_H
#define NETAN_CLI_OUTPUT_H

#include <stdio.h>

#include "netan/cli/cli.h"

/* A file that appears under its name only when it is whole. */
struct na_outfile {
	FILE *stream;
	char *path; /* symbolic links resolved */
	char *temp; /* NULL: written in place */
};

/* Regular files are written beside their final place; what exists and is
 * none (a pipe, a device) in place.  Messages name the path as given. */
enum na_status na_outfile_open(struct na_outfile *f, const char *path,
			       struct na_err *err) NA_MUST_CHECK;
/* Closes and renames; after a failure of the writer too (whole false), then
 * nothing is left behind. */
enum na_status na_outfile_close(struct na_outfile *f, const char *path,
				bool whole, struct na_err *err) NA_MUST_CHECK;
/* An output that is also an input would be lost half way. */
bool na_output_is_input(const struct na_cli *cli, const char *path);
/* Before any work: could a file of this name be written? */
enum na_status na_outfile_check(const char *path,
				struct na_err *err) NA_MUST_CHECK;

#endif
