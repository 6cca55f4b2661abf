/*
 * What `report` shows of each analysis: result, picture, command.
 */
#ifndef NETAN_CLI_COMMANDS_REPORT_PARTS_H
#define NETAN_CLI_COMMANDS_REPORT_PARTS_H

#include "netan/cli/cli.h"
#include "netan/engine/battery/battery.h"
#include "netan/report/report.h"

struct na_report_parts {
	struct na_report_part of[NA_MAX_EVIDENCE];
	struct na_arena arena; /* of the commands */
	char *figures[NA_MAX_EVIDENCE];
	char *styles[NA_MAX_EVIDENCE];
	char *theme; /* what the figures share */
	size_t n;
};

/* One part for each exhibit that a command of this name makes. */
enum na_status na_report_parts_of(const struct na_cli *cli,
				  const struct na_battery *b,
				  struct na_report_parts *p,
				  struct na_err *err) NA_MUST_CHECK;
/* Pictures for all of them, on the session's threads; those that are too
 * large, alone or together, are left out and say so. */
enum na_status na_report_draw(const struct na_battery *b,
			      struct na_report_parts *p,
			      struct na_err *err) NA_MUST_CHECK;
void na_report_parts_free(struct na_report_parts *p);

#endif
