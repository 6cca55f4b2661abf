/*
 * Rows of what was found: lists of results, hosts, ranks, coverage.
 */
#ifndef NETAN_EXPORTS_SQLITE_RESULTS_H
#define NETAN_EXPORTS_SQLITE_RESULTS_H

#include "netan/engine/battery/battery.h"
#include "netan/exports/sqlite/db.h"

/* All tables that are wanted and not of records.  check: of netan check, or
 * NULL: it was not asked.  A failure is x->failed. */
void na_sql_put_results(struct na_sql_db *x, const struct na_battery *b,
			const struct na_result *check);

#endif
