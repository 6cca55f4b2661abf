/*
 * Rows of records: transfers, sends, instants, executions, operations.  An
 * analysis without a result, which adds them while others run, on one thread.
 */
#ifndef NETAN_EXPORTS_SQLITE_RECORDS_H
#define NETAN_EXPORTS_SQLITE_RECORDS_H

#include "netan/analyses/analysis.h"
#include "netan/exports/sqlite/db.h"

struct na_sql_records_params {
	struct na_sql_db *db;
};

/* Its parameters are struct na_sql_records_params.  Tables that are not wanted
 * stay empty; a failure is db->failed. */
extern const struct na_analysis na_sql_records;

#endif
