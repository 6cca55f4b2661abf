/*
 * A SQLite database that others wrote, read where it lies in memory.
 *
 * Nothing in it is executed: no view, trigger or function, only plain reads
 * of the tables named here, row by row in the order of their rowids.  The
 * bytes are the input's mapping, so that no lock, journal or other file is
 * looked at, and nothing is written.  Memory is the page cache of one
 * connection; a connection is one thread's.
 *
 * Sources: sqlite.org/security.html ("Untrusted SQLite Database Files"),
 * sqlite.org/c3ref/deserialize.html; docs/formats.md, "Nsight Systems".
 */
#ifndef INGEST_NSIGHT_DB_H
#define INGEST_NSIGHT_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/scan.h"

/* The tables that are read, and their columns. */
enum na_ns_table {
	NS_KERNELS,
	NS_STRINGS,
	NS_LAUNCHES, /* calls of the CUDA runtime and driver */
	NS_RANGES,
	NS_PAYLOADS,
	NS_SESSION,
	NS_DETAILS,
	NS_SYSTEM,
	NS_EXPORT,
	NS_CAPTURE,
	NS_N_TABLES
};
enum { K_START, K_END, K_DEVICE, K_SHORT, K_STREAM, K_CALL, K_PID, K_LONG };
enum { S_ID, S_VALUE };
enum { L_START, L_TID, L_CALL };
enum {
	R_START,
	R_END,
	R_TYPE,
	R_TEXT,
	R_TEXT_ID,
	R_TID,
	R_DOMAIN,
	R_BLOB,
	R_JSON
};
enum { P_DOMAIN, P_SCHEMA, P_TYPE, P_NAME, P_OFFSET };
enum { C_WALL, C_CLOCK }; /* NS_SESSION */
enum { D_START, D_STOP }; /* NS_DETAILS */
enum { N_NAME, N_VALUE }; /* SYSTEM, EXPORT, CAPTURE */
enum { NS_COLUMNS_MAX = 9 };

struct na_ns_db {
	struct sqlite3 *db;
	size_t size;
	uint64_t ticks; /* left until a query has taken too long */
	bool exported;  /* by netan export: its header says so */
};

struct na_ns_rows {
	struct sqlite3_stmt *s;
	struct na_ns_db *db;
	enum na_ns_table table;
	uint64_t n, most; /* rows so far; a table of these bytes can hold */
	uint64_t bytes;   /* of texts and blobs so far */
	int64_t row;      /* rowid */
};

/* The bytes outlive it.  NA_EFORMAT: no database, or one that cannot be read
 * this way; NA_ENOMEM.  Closed by na_ns_close(), also after a failure. */
enum na_status na_ns_open(struct na_ns_db *x, const void *bytes, size_t n,
			  struct na_err *err) NA_MUST_CHECK;
void na_ns_close(struct na_ns_db *x);

const char *na_ns_name(enum na_ns_table table);
/* What is no plain table (a view, a virtual table, computed columns) is not
 * there. */
bool na_ns_has(const struct na_ns_db *x, enum na_ns_table table);
const char *na_ns_column_name(enum na_ns_table table, int column);
bool na_ns_has_column(const struct na_ns_db *x, enum na_ns_table table,
		      int column);

/*
 * Rows with from <= rowid <= to, to be stepped through:
 *
 *	st = na_ns_rows(&db, NS_STRINGS, INT64_MIN, INT64_MAX, &rows, err);
 *	while (st == NA_OK && (st = na_ns_next(&rows, err)) == NA_OK)
 *		use(na_ns_text(&rows, S_VALUE));
 *	na_ns_end(&rows);
 *
 * NA_END behind the last; NA_EFORMAT: the table is damaged from here on.
 * Columns that are missing are as those without a value.
 */
enum na_status na_ns_rows(struct na_ns_db *x, enum na_ns_table table,
			  int64_t from, int64_t to, struct na_ns_rows *rows,
			  struct na_err *err) NA_MUST_CHECK;
enum na_status na_ns_next(struct na_ns_rows *rows,
			  struct na_err *err) NA_MUST_CHECK;
void na_ns_end(struct na_ns_rows *rows);

/* False, and x as it was: no integer. */
bool na_ns_int(const struct na_ns_rows *rows, int column, int64_t *x);
/* Valid until the next row; empty: no text (no blob). */
struct na_text na_ns_text(const struct na_ns_rows *rows, int column);
struct na_text na_ns_blob(const struct na_ns_rows *rows, int column);

#endif
