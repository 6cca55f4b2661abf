/*
 * What the commands of the judges have in common: they read no transfers, so
 * that the envelope of their results is their own.
 */
#ifndef NETAN_CLI_COMMANDS_JUDGED_H
#define NETAN_CLI_COMMANDS_JUDGED_H

#include "netan/cli/cli.h"
#include "netan/result/result.h"

/* Schema and version; the list of the inputs, for na_judged_input(). */
struct na_value *na_judged_inputs(struct na_result *r, const char *schema);

/* A row of an input, up to its transfers; NULL texts become null. */
struct na_value *na_judged_input(struct na_result *r, struct na_value *inputs,
				 const char *path, const char *label,
				 const char *format, const char *host,
				 uint64_t bytes);

/* The rest: no times, and the coverage, whose left_out is returned. */
struct na_value *na_judged_coverage(struct na_result *r, uint64_t events,
				    uint64_t lines_skipped, uint64_t used);

/* Of a result that was printed: does --fail-on find anything? */
enum na_exit na_judged_exit(const struct na_cli *cli, enum na_severity worst);

#endif
