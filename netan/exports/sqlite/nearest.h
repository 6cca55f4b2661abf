/* What a query may have meant by a name that is not there. */
#ifndef NETAN_EXPORTS_SQLITE_NEAREST_H
#define NETAN_EXPORTS_SQLITE_NEAREST_H

#include "netan/base/str.h"
#include "netan/exports/sqlite/db.h"

/*
 * Behind what SQLite said of the query, of a table or a column that it does
 * not know: the nearest name, else those that there are.  Nothing where it
 * said something else.  The guard of x is off then.
 */
void na_sql_nearest(struct na_sql_db *x, const char *query, const char *said,
		    struct na_str *to);

#endif
