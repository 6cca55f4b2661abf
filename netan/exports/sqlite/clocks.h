/* Columns of clocks, in the tables of hosts and of ranks. */
#ifndef NETAN_EXPORTS_SQLITE_CLOCKS_H
#define NETAN_EXPORTS_SQLITE_CLOCKS_H

#include "netan/exports/clocks.h"
#include "netan/exports/sqlite/db.h"

/* Is there anybody who reads them? */
bool na_sql_wants_clocks(const struct na_sql_db *x);
/* Of all hosts and cores of the store, where they are wanted; no memory is
 * x->failed. */
void na_sql_find_clocks(struct na_sql_db *x, const struct na_scope *scope);
/* Both columns of a row, the first is i; `of` NULL: nothing is told. */
void na_sql_bind_clock(struct sqlite3_stmt *s, int i,
		       const struct na_export_clock *of);

#endif
