/*
 * The checks over a battery, with all that stands around their result: what
 * `check` prints and `report` begins with.
 */
#ifndef NETAN_CLI_COMMANDS_RUN_CHECKS_H
#define NETAN_CLI_COMMANDS_RUN_CHECKS_H

#include "netan/cli/cli.h"
#include "netan/engine/battery/battery.h"

/* What the command line asks of the checks: limits and capacity.  One run
 * alone can be judged: inputs of several labels are refused, before they are
 * read.  Says itself what is wrong. */
enum na_exit na_checks_options(const struct na_cli *cli,
			    struct na_checks_asked *asked);

/* Runs the checks into r, with coverage and envelope.  `asked` without its
 * exhibits, which are those of the battery.  Says itself what is wrong:
 * several runs, nothing to judge. */
enum na_exit na_run_checks(const struct na_cli *cli, struct na_battery *b,
		      const struct na_checks_asked *asked, struct na_result *r,
		      int *worst);

/* As --fail-on asks. */
enum na_exit na_checks_exit(const struct na_cli *cli, int worst);

#endif
