#include "netan/analyses/analysis.h"
#include "netan/cli/cli.h"

/* Every analysis is a command. */
#define JOINS \
	(NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_GROUP | NA_JOIN_OUTPUT | \
	 NA_JOIN_PICTURE | NA_JOIN_FINDINGS | NA_JOIN_PROGRAMS | \
	 NA_JOIN_LEDGER | NA_JOIN_MANY)
#define NA_ANALYSIS(name) \
	extern const struct na_analysis na_an_##name; \
	extern const struct na_command na_cmd_##name; \
	const struct na_command na_cmd_##name = { \
		.info = &na_an_##name.info, \
		.joins = JOINS, \
		.run = na_run_analysis, \
	};
#define NA_PACKET_ANALYSIS(name) NA_ANALYSIS(name)
#include "netan/analyses/analyses.def"

#define NA_COMMAND(name) extern const struct na_command na_cmd_##name;
#include "netan/cli/commands.def"
#undef NA_COMMAND

/* clang-format off */
const struct na_command *const na_commands[] = {
#define NA_COMMAND(name) &na_cmd_##name,
#include "netan/cli/commands.def"
#undef NA_COMMAND
	NULL
};
/* clang-format on */
