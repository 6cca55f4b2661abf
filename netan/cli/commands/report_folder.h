/*
 * `report -o DIR`: a directory for an issue tracker, with report.md and a PNG
 * for each figure.
 */
#ifndef NETAN_CLI_COMMANDS_REPORT_FOLDER_H
#define NETAN_CLI_COMMANDS_REPORT_FOLDER_H

#include <stdbool.h>

#include "netan/cli/commands/report_parts.h"

/* Whether a report of that name is a directory: it is one, or ends in "/",
 * or has no ending. */
bool na_folder_named(const char *path);

/* Before any work.  A directory is taken if it is new, empty, or holds an
 * earlier report and nothing besides but what is among `outputs`. */
enum na_status na_folder_check(const char *path,
			       const struct na_text_list *outputs,
			       struct na_err *err) NA_MUST_CHECK;

/* Writes it: pictures first, report.md last, each when it is whole; pictures
 * of an earlier report that this one has not are removed. */
enum na_status na_folder_write(const char *path, const struct na_report *report,
			       size_t threads,
			       struct na_err *err) NA_MUST_CHECK;

#endif
