/*
 * Files that go to other tools, of netan export and beside the page of netan
 * report: formats of exports.def, each written under a name of its own and
 * renamed when it is whole.
 */
#ifndef NETAN_CLI_COMMANDS_EXPORT_OUT_H
#define NETAN_CLI_COMMANDS_EXPORT_OUT_H

#include "netan/cli/output/output.h"
#include "netan/exports/export.h"

struct na_export_target {
	const struct na_export *format;
	const char *path; /* as given */
	struct na_outfile file;
	void *state;
	bool open, begun;
};

struct na_export_targets { /* zero but for cli: none */
	struct na_cli *cli;
	struct na_export_target v[NA_MAX_EXTRA];
	size_t n;
};

/* Before any work: one more of them, where it can be; else says why not. */
enum na_exit na_exports_add(struct na_export_targets *x,
			    const struct na_export *format, const char *path);
/* Empty files; na_exports_end() is due whatever it says. */
enum na_status na_exports_begin(struct na_export_targets *x,
				struct na_err *err) NA_MUST_CHECK;
/* For na_battery_run(): how many. */
size_t na_exports_beside(const struct na_export_targets *x,
			 struct na_extra_analysis beside[NA_MAX_EXTRA]);
/* Whether one of them, or a check, looks at that exhibit. */
bool na_exports_read(const struct na_export_targets *x, const char *exhibit);
/* Complete, and what was written is said; or, of NULL, given up. */
enum na_status na_exports_end(struct na_export_targets *x,
			      const struct na_export_of *of,
			      struct na_err *err) NA_MUST_CHECK;

#endif
