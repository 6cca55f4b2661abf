/*
 * The database while it is written: its schema, statements that add rows, and
 * the first failure of one, after which no further row is tried.
 */
#ifndef NETAN_EXPORTS_SQLITE_DB_H
#define NETAN_EXPORTS_SQLITE_DB_H

#include "netan/engine/request.h"
#include "netan/exports/sqlite/tables.h"

struct na_export_clock;
struct na_mapped;
struct sqlite3_stmt;

struct na_sql_db {
	struct sqlite3 *db;
	struct na_mapped *mapped; /* that it lies in; NULL: in a file */
	const struct na_request *request;
	struct na_arena arena;
	uint64_t wanted; /* NA_SQL_BIT()s of tables that are filled */
	/* Of tables of records: the columns that are, by bit; others may be
	 * null. */
	uint64_t read[NA_SQL_N_TABLES];
	const struct na_sql_column *columns[NA_SQL_N_TABLES];
	size_t n_columns[NA_SQL_N_TABLES];
	uint64_t rows[NA_SQL_N_TABLES];
	/* Of columns of hosts and ranks, which are written after all records
	 * were looked at: by host of the store, by core; or NULL. */
	struct na_export_clock *host_clocks, *rank_clocks;
	struct na_err failed; /* of a row */
};

/* Of the tables, in the header of the file. */
enum { NA_SQL_VERSION = 1 };

/*
 * An empty database with all tables and views: in the file of that name, which
 * is empty; NULL: in a temporary one without a name, of which a part is kept in
 * memory.  All that is added until na_sql_commit() is one
 * transaction.  To be closed whatever comes back.  NA_EIO, NA_ENOMEM.
 */
enum na_status na_sql_open(struct na_sql_db *x, const char *path,
			   const struct na_request *q,
			   struct na_err *err) NA_MUST_CHECK;
/* What na_sql_add() met, else the indexes, on so many threads (0: none are
 * made), and the end of the transaction. */
enum na_status na_sql_commit(struct na_sql_db *x, size_t threads,
			     struct na_err *err) NA_MUST_CHECK;
void na_sql_close(struct na_sql_db *x);

/* A failed call of SQLite. */
enum na_status na_sql_fail(const struct na_sql_db *x, const char *what,
			   struct na_err *err);

static inline bool na_sql_wants(const struct na_sql_db *x,
				enum na_sql_table_id table)
{
	return x->wanted >> table & 1;
}

/* The statement that adds a row to a table, its columns in their order; NULL:
 * it is not wanted, or x->failed.  Of sqlite3_finalize(). */
struct sqlite3_stmt *na_sql_adder(struct na_sql_db *x,
				  enum na_sql_table_id table);
/* The row that is bound; s may be NULL.  On one thread at a time. */
void na_sql_add(struct na_sql_db *x, enum na_sql_table_id table,
		struct sqlite3_stmt *s);

/* A text as it may be shown (--anonymize), or null; i counts from 1. */
void na_sql_bind_shown(struct na_sql_db *x, struct sqlite3_stmt *s, int i,
		       const char *text);

/* Nanoseconds that have begun: the order of instants stays. */
static inline int64_t na_sql_ns(int64_t ps)
{
	return ps / 1000 - (ps % 1000 < 0);
}

#endif
