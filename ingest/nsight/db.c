#include "ingest/nsight/db.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/sqlite.h"
#include "netan/base/vec.h"

static const struct {
	const char *name;
	const char *columns[NS_COLUMNS_MAX]; /* by their enum; NULL: no more */
} tables[NS_N_TABLES] = {
	[NS_KERNELS] = {"CUPTI_ACTIVITY_KIND_KERNEL",
			{"start", "end", "deviceId", "shortName", "streamId",
			 "correlationId", "globalPid", "demangledName"}},
	[NS_STRINGS] = {"StringIds", {"id", "value"}},
	[NS_LAUNCHES] = {"CUPTI_ACTIVITY_KIND_RUNTIME",
			 {"start", "globalTid", "correlationId"}},
	[NS_RANGES] = {"NVTX_EVENTS",
		       {"start", "end", "eventType", "text", "textId",
			"globalTid", "domainId", "binaryData", "jsonText"}},
	[NS_PAYLOADS] = {"NVTX_PAYLOAD_SCHEMA_ENTRIES",
			 {"domainId", "schemaId", "type", "name", "offset"}},
	[NS_SESSION] = {"TARGET_INFO_SESSION_START_TIME",
			{"utcEpochNs", "systemClockNs"}},
	[NS_DETAILS] = {"ANALYSIS_DETAILS", {"startTime", "stopTime"}},
	[NS_SYSTEM] = {"TARGET_INFO_SYSTEM_ENV", {"name", "value"}},
	[NS_EXPORT] = {"META_DATA_EXPORT", {"name", "value"}},
	[NS_CAPTURE] = {"META_DATA_CAPTURE", {"name", "value"}},
};

/* ---- the walls around a database that others wrote */

/* Reads of the tables above and nothing else; `inner` is a view. */
static int allow(void *ctx, int action, const char *table, const char *column,
		 const char *database, const char *inner)
{
	(void)ctx;
	(void)column;
	(void)database;
	if (inner)
		return SQLITE_DENY;
	if (action == SQLITE_SELECT ||
	    (action == SQLITE_PRAGMA && strcmp(table, "table_xinfo") == 0))
		return SQLITE_OK;
	if (action != SQLITE_READ || !table)
		return SQLITE_DENY;
	if (sqlite3_stricmp(table, "sqlite_master") == 0)
		return SQLITE_OK;
	for (size_t i = 0; i < NS_N_TABLES; i++) {
		if (sqlite3_stricmp(table, tables[i].name) == 0)
			return SQLITE_OK;
	}
	return SQLITE_DENY;
}

/* Steps of its machine between two looks at the time it took, and how many
 * looks it gets: a row takes about twenty steps. */
enum { TICK_STEPS = 10000, TICKS_LEAST = 2000 };

static int tick(void *ctx)
{
	struct na_ns_db *x = ctx;

	return x->ticks == 0 || --x->ticks == 0;
}

static void set_limits(sqlite3 *db, size_t size)
{
	int longest = size < 100000       ? 100000
		      : size > 1000000000 ? 1000000000
					  : (int)size;
	const struct {
		int id, most;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, longest},
		{SQLITE_LIMIT_SQL_LENGTH, 100000},
		{SQLITE_LIMIT_COLUMN, 400},
		{SQLITE_LIMIT_EXPR_DEPTH, 40},
		{SQLITE_LIMIT_COMPOUND_SELECT, 4},
		{SQLITE_LIMIT_VDBE_OP, 20000},
		{SQLITE_LIMIT_FUNCTION_ARG, 8},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
		{SQLITE_LIMIT_VARIABLE_NUMBER, 10},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	for (size_t i = 0; i < NA_LEN(limits); i++)
		sqlite3_limit(db, limits[i].id, limits[i].most);
}

/* What it says of a failure. */
static enum na_status failed(const struct na_ns_db *x, const char *at, int rc,
			     struct na_err *err)
{
	if (rc == SQLITE_NOMEM)
		return na_fail_nomem(err);
	if (rc == SQLITE_INTERRUPT)
		return na_fail(err, NA_EFORMAT,
			       "%s: reading it takes far longer than its "
			       "bytes justify: a damaged database",
			       at);
	return na_fail(err, NA_EFORMAT, "%s: SQLite says \"%s\"", at,
		       x->db ? sqlite3_errmsg(x->db) : sqlite3_errstr(rc));
}

/* Bytes 18 and 19 of the header: 2 where a write-ahead log goes with it. */
static bool has_log(const uint8_t *p, size_t n)
{
	return n > 19 && (p[18] == 2 || p[19] == 2);
}

/* Whether its tables can be listed. */
static int look(struct na_ns_db *x)
{
	sqlite3_stmt *s;
	int rc = sqlite3_prepare_v2(x->db, "SELECT rootpage FROM sqlite_master",
				    -1, &s, NULL);

	while (rc == SQLITE_OK || rc == SQLITE_ROW)
		rc = sqlite3_step(s);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

enum na_status na_ns_open(struct na_ns_db *x, const void *bytes, size_t n,
			  struct na_err *err)
{
	int rc;

	*x = (struct na_ns_db){.size = n, .ticks = TICKS_LEAST + n / 100};
	if (has_log(bytes, n))
		return na_fail(err, NA_EFORMAT,
			       "a database whose last changes may be in a "
			       "-wal file beside it; put them together first: "
			       "sqlite3 FILE 'PRAGMA journal_mode=DELETE'");
	rc = sqlite3_open_v2(":memory:", &x->db,
			     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc == SQLITE_OK) {
		na_sqlite_distrust(x->db);
		sqlite3_db_config(x->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
		/* Read only: it takes the address without const, no more. */
		rc = sqlite3_deserialize(x->db, "main",
					 (unsigned char *)(uintptr_t)bytes,
					 (sqlite3_int64)n, (sqlite3_int64)n,
					 SQLITE_DESERIALIZE_READONLY);
	}
	if (rc != SQLITE_OK)
		return failed(x, "the database", rc, err);
	x->exported = na_sqlite_is_ours(bytes, n);
	set_limits(x->db, n);
	sqlite3_set_authorizer(x->db, allow, NULL);
	sqlite3_progress_handler(x->db, TICK_STEPS, tick, x);
	rc = look(x);
	return rc == SQLITE_OK ? NA_OK
			       : failed(x, "the list of its tables", rc, err);
}

void na_ns_close(struct na_ns_db *x)
{
	sqlite3_close(x->db);
	x->db = NULL;
}

/* ---- tables */

const char *na_ns_name(enum na_ns_table table)
{
	return tables[table].name;
}

const char *na_ns_column_name(enum na_ns_table table, int column)
{
	return tables[table].columns[column];
}

bool na_ns_has_column(const struct na_ns_db *x, enum na_ns_table table,
		      int column)
{
	const char *type;

	return sqlite3_table_column_metadata(x->db, "main", tables[table].name,
					     tables[table].columns[column],
					     &type, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

/* By the root of its tree: views and virtual tables have none. */
static bool is_table(const struct na_ns_db *x, const char *name)
{
	static const char sql[] =
		"SELECT rootpage FROM sqlite_master "
		"WHERE type = 'table' AND name = ? COLLATE NOCASE";
	sqlite3_stmt *s;
	bool is;

	if (sqlite3_prepare_v2(x->db, sql, -1, &s, NULL) != SQLITE_OK)
		return false;
	is = sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
	     sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int64(s, 0) > 0;
	sqlite3_finalize(s);
	return is;
}

/* Computed columns run expressions: column "hidden" is 2 or 3 for them. */
static bool is_plain(const struct na_ns_db *x, const char *name)
{
	enum { HIDDEN = 6 };
	sqlite3_stmt *s;
	bool plain = true;
	char sql[96];
	int rc;

	snprintf(sql, sizeof(sql), "PRAGMA main.table_xinfo(\"%s\")", name);
	if (sqlite3_prepare_v2(x->db, sql, -1, &s, NULL) != SQLITE_OK)
		return false;
	while ((rc = sqlite3_step(s)) == SQLITE_ROW)
		plain &= sqlite3_column_int(s, HIDDEN) == 0;
	sqlite3_finalize(s);
	return plain && rc == SQLITE_DONE;
}

bool na_ns_has(const struct na_ns_db *x, enum na_ns_table table)
{
	return is_table(x, tables[table].name) &&
	       is_plain(x, tables[table].name);
}

/* Missing columns are NULL in every row. */
static void write_query(const struct na_ns_db *x, enum na_ns_table table,
			char *sql, size_t size)
{
	size_t n = (size_t)snprintf(sql, size, "SELECT _rowid_");

	for (int i = 0; i < NS_COLUMNS_MAX && tables[table].columns[i]; i++) {
		bool has = na_ns_has_column(x, table, i);

		n += (size_t)snprintf(sql + n, size - n,
				      has ? ", \"%s\"" : ", NULL",
				      tables[table].columns[i]);
	}
	snprintf(sql + n, size - n,
		 " FROM main.\"%s\" NOT INDEXED WHERE _rowid_ BETWEEN ? AND ?",
		 tables[table].name);
}

enum na_status na_ns_rows(struct na_ns_db *x, enum na_ns_table table,
			  int64_t from, int64_t to, struct na_ns_rows *rows,
			  struct na_err *err)
{
	char sql[512];
	int rc;

	/* A row takes four bytes of a leaf at the least. */
	*rows = (struct na_ns_rows){.db = x,
				    .table = table,
				    .most = x->size / 4};
	write_query(x, table, sql, sizeof(sql));
	rc = sqlite3_prepare_v2(x->db, sql, -1, &rows->s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(rows->s, 1, from);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(rows->s, 2, to);
	return rc == SQLITE_OK ? NA_OK : failed(x, tables[table].name, rc, err);
}

/* Pages that go on into one another hold texts without end; in UTF-16 they
 * take up to twice the room. */
static bool within_bytes(struct na_ns_rows *rows)
{
	int n = sqlite3_column_count(rows->s);

	for (int i = 1; i < n; i++) {
		int type = sqlite3_column_type(rows->s, i);

		if (type == SQLITE_TEXT || type == SQLITE_BLOB)
			rows->bytes += (uint64_t)sqlite3_column_bytes(rows->s,
								      i);
	}
	return rows->bytes <= 2 * (uint64_t)rows->db->size;
}

enum na_status na_ns_next(struct na_ns_rows *rows, struct na_err *err)
{
	int rc = sqlite3_step(rows->s);
	int64_t row;

	if (rc == SQLITE_DONE)
		return NA_END;
	if (rc != SQLITE_ROW)
		return failed(rows->db, tables[rows->table].name, rc, err);
	/* Pages that stand in several places of a tree come again. */
	row = sqlite3_column_int64(rows->s, 0);
	if (rows->n++ > rows->most || (rows->n > 1 && row <= rows->row))
		return na_fail(err, NA_EFORMAT,
			       "%s: its rows are not in order behind row "
			       "%lld: a damaged table",
			       tables[rows->table].name, (long long)rows->row);
	rows->row = row;
	if (!within_bytes(rows))
		return na_fail(err, NA_EFORMAT,
			       "%s: its texts are longer than the file, in row "
			       "%lld: a damaged table",
			       tables[rows->table].name, (long long)row);
	return NA_OK;
}

void na_ns_end(struct na_ns_rows *rows)
{
	sqlite3_finalize(rows->s);
	rows->s = NULL;
}

/* ---- values; column 0 is the rowid */

bool na_ns_int(const struct na_ns_rows *rows, int column, int64_t *x)
{
	if (sqlite3_column_type(rows->s, column + 1) != SQLITE_INTEGER)
		return false;
	*x = sqlite3_column_int64(rows->s, column + 1);
	return true;
}

static struct na_text bytes_of(const struct na_ns_rows *rows, int column,
			       int type)
{
	const void *p;
	int n;

	if (sqlite3_column_type(rows->s, column + 1) != type)
		return na_text_n("", 0);
	p = type == SQLITE_TEXT
		    ? (const void *)sqlite3_column_text(rows->s, column + 1)
		    : sqlite3_column_blob(rows->s, column + 1);
	n = sqlite3_column_bytes(rows->s, column + 1);
	return p && n > 0 ? na_text_n(p, (size_t)n) : na_text_n("", 0);
}

struct na_text na_ns_text(const struct na_ns_rows *rows, int column)
{
	return bytes_of(rows, column, SQLITE_TEXT);
}

struct na_text na_ns_blob(const struct na_ns_rows *rows, int column)
{
	return bytes_of(rows, column, SQLITE_BLOB);
}
