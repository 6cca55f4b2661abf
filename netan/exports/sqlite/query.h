/*
 * One question, asked of the tables by SQLite.  It is read only, three times
 * over: the authorizer lets nothing pass but reading the tables and views that
 * are ours, the statement itself must not write, and the connection is set to
 * refuse it.  No file is attached, no extension loaded.  Ctrl-C ends it; what
 * it takes in memory is bounded.
 */
#ifndef NETAN_EXPORTS_SQLITE_QUERY_H
#define NETAN_EXPORTS_SQLITE_QUERY_H

#include "netan/exports/sqlite/db.h"
#include "netan/result/result.h"

/* Before any rows: can it be asked?  Sets x->wanted and x->read to what it
 * reads.  NA_EUSAGE in SQLite's words. */
enum na_status na_sql_ask(struct na_sql_db *x, const char *query,
			  struct na_err *err) NA_MUST_CHECK;

/* All columns and rows, and a view of them, into r.  NA_END: interrupted. */
enum na_status na_sql_answer(struct na_sql_db *x, const char *query,
			     struct na_result *r,
			     struct na_err *err) NA_MUST_CHECK;

/* A database that `netan export` wrote, opened to be asked, in the place of
 * na_sql_open(); x is closed by na_sql_close() whatever comes back.  "-": it
 * comes through standard input, of which nothing is taken unless it is one; a
 * pipe is copied into a temporary file.  NA_END: it is none. */
enum na_status na_sql_reopen(struct na_sql_db *x, const char *path,
			     const struct na_request *q,
			     struct na_err *err) NA_MUST_CHECK;

/* piped.c: the bytes of a database in standard input, into x->mapped.  As
 * na_sql_reopen(), and NA_EIO. */
enum na_status na_sql_map_input(struct na_sql_db *x, size_t *size,
				struct na_err *err) NA_MUST_CHECK;

/* quantile.c: median(), percentile(), percentile_cont(), percentile_disc(), as
 * SQLite's shell has them.  False: no memory. */
bool na_sql_functions(struct sqlite3 *db);

#endif
