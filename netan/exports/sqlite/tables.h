/*
 * The schema: which tables, columns, views and indexes there are (tables.def),
 * and where a value of a row comes from.
 */
#ifndef NETAN_EXPORTS_SQLITE_TABLES_H
#define NETAN_EXPORTS_SQLITE_TABLES_H

#include <stdio.h>

#include "netan/base/arena.h"
#include "netan/base/err.h"
#include "netan/result/member.h"

enum na_sql_table_id {
#define TABLE(name, doc)                                 NA_SQL_##name,
#define LISTED(name, exhibit, list, command, table, doc) NA_SQL_##name,
#include "netan/exports/sqlite/tables.def"
	NA_SQL_N_TABLES
};
#define NA_SQL_BIT(name) (UINT64_C(1) << NA_SQL_##name)
#define NA_SQL_ALL       ((UINT64_C(1) << NA_SQL_N_TABLES) - 1)

struct na_sql_column {
	const char *name, *type; /* NULL ends */
	const char *doc;
	/* Of a member of a result: where it lies in a row; instants are
	 * seconds there.  NULL: whoever fills the table knows. */
	const char *path;
	bool instant;
};

struct na_sql_table {
	const char *name, *doc;
	const char *exhibit, *list;     /* NULL: of records */
	const struct na_table *members; /* of a row in the list */
	const struct na_sql_column *own;
};

struct na_sql_words { /* a view or an index; name NULL ends */
	const char *name, *doc, *sql;
};

extern const struct na_sql_table na_sql_tables[NA_SQL_N_TABLES];
extern const struct na_sql_words na_sql_views[], na_sql_indexes[];

/* All columns of a table, those of members first; n of them, in the arena.
 * NULL: no memory. */
const struct na_sql_column *na_sql_columns(const struct na_sql_table *t,
					   struct na_arena *arena, size_t *n);

/* "INSERT INTO t VALUES (?, ?)" of a table with n columns, in the arena; NULL:
 * no memory. */
const char *na_sql_insert(const struct na_sql_table *t, size_t n,
			  struct na_arena *arena);
/* "CREATE TABLE ...", likewise. */
const char *na_sql_create(const struct na_sql_table *t,
			  const struct na_sql_column *columns, size_t n,
			  struct na_arena *arena);

/* For people: what there is to ask; with a name, of that table or view alone.
 * NA_EUSAGE: there is none of that name; NA_ENOMEM. */
enum na_status na_sql_help(const char *name, FILE *out,
			   struct na_err *err) NA_MUST_CHECK;

#endif
