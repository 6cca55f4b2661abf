#include "netan/exports/sqlite/query.h"
#include "members.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/memory/mapped.h"
#include "netan/base/memory/spill.h"
#include "netan/base/sqlite.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/engine/parallel.h"
#include "netan/exports/sqlite/nearest.h"

/* ---- what it may do */

static bool is_one_of(const char *name, const char *const *of)
{
	while (*of && sqlite3_stricmp(name, *of) != 0)
		of++;
	return *of;
}

static void note_column(struct na_sql_db *x, size_t table, const char *column)
{
	const struct na_sql_column *c = x->columns[table];

	for (size_t i = 0; c && column && i < x->n_columns[table] && i < 64;
	     i++) {
		if (sqlite3_stricmp(c[i].name, column) == 0)
			x->read[table] |= UINT64_C(1) << i;
	}
}

static bool is_ours(struct na_sql_db *x, const char *name, const char *column)
{
	static const char *const others[] = {"sqlite_master", "sqlite_schema",
					     "json_each", "json_tree", NULL};

	for (size_t i = 0; i < NA_SQL_N_TABLES; i++) {
		if (sqlite3_stricmp(name, na_sql_tables[i].name) != 0)
			continue;
		x->wanted |= UINT64_C(1) << i;
		note_column(x, i, column);
		return true;
	}
	for (const struct na_sql_words *v = na_sql_views; v->name; v++) {
		if (sqlite3_stricmp(name, v->name) == 0)
			return true;
	}
	return is_one_of(name, others);
}

/* SQLite asks for each thing that a statement would do. */
static int allow(void *ctx, int action, const char *a, const char *b,
		 const char *database, const char *inner)
{
	static const char *const forbidden[] = {"load_extension",
						"fts3_tokenizer", NULL};

	(void)database;
	(void)inner;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_READ:
		/* Without a column: a part of the query that has a name. */
		return a && (is_ours(ctx, a, b) || (b && !*b)) ? SQLITE_OK
							       : SQLITE_DENY;
	case SQLITE_FUNCTION:
		return b && !is_one_of(b, forbidden) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/* Steps of its machine between two looks at the wish to stop. */
enum { TICK_STEPS = 20000 };

static int tick(void *ctx)
{
	(void)ctx;
	return na_interrupted();
}

static void guard(struct na_sql_db *x, bool on)
{
	static const struct {
		int id, most;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, 64 << 20},
		{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
		{SQLITE_LIMIT_EXPR_DEPTH, 200},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
	};

	for (size_t i = 0; on && i < NA_LEN(limits); i++)
		sqlite3_limit(x->db, limits[i].id, limits[i].most);
	if (on)
		na_sqlite_distrust(x->db);
	sqlite3_set_authorizer(x->db, on ? allow : NULL, x);
	sqlite3_progress_handler(x->db, TICK_STEPS, on ? tick : NULL, x);
}

/* What SQLite takes is no part of what netan counts (heap.c). */
static void bound_memory(void)
{
	uint64_t budget = na_memory_use().budget;
	uint64_t most = budget ? budget / 4 : UINT64_C(2) << 30;

	sqlite3_hard_heap_limit64((int64_t)(most < 32 << 20 ? 32 << 20 : most));
}

/* ---- asking */

static enum na_status refused(struct na_sql_db *x, const char *query,
			      struct na_err *err)
{
	char text[sizeof(err->text)];
	struct na_str said = na_str_over(text, sizeof(text));
	int rc = sqlite3_errcode(x->db);

	if (rc == SQLITE_NOMEM)
		return na_fail(err, NA_ENOMEM,
			       "the query takes more memory than it may have; "
			       "ask for less, or raise --memory");
	/* The query is not to blame. */
	if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB || rc == SQLITE_IOERR ||
	    rc == SQLITE_FULL || rc == SQLITE_CANTOPEN)
		return na_fail(err, NA_EIO, "the database: %s",
			       sqlite3_errmsg(x->db));
	if (rc == SQLITE_AUTH)
		return na_fail(err, NA_EUSAGE,
			       "the query may read netan's tables and do "
			       "nothing else (%s)",
			       sqlite3_errmsg(x->db));
	na_str_addf(&said, "%s", sqlite3_errmsg(x->db));
	na_sql_nearest(x, query, text, &said);
	return na_fail(err, NA_EUSAGE, "the query: %s", text);
}

/* Behind one statement only what is none may follow. */
static bool is_rest(struct na_sql_db *x, const char *rest)
{
	sqlite3_stmt *s = NULL;

	while (rest && *rest) {
		if (sqlite3_prepare_v2(x->db, rest, -1, &s, &rest) !=
			    SQLITE_OK ||
		    s) {
			sqlite3_finalize(s);
			return false;
		}
	}
	return true;
}

/* The guard stays; NULL: err. */
static sqlite3_stmt *prepare(struct na_sql_db *x, const char *query,
			     struct na_err *err)
{
	sqlite3_stmt *s = NULL;
	const char *rest = NULL;

	guard(x, true);
	if (sqlite3_prepare_v2(x->db, query, -1, &s, &rest) != SQLITE_OK)
		na_in_err(refused(x, query, err));
	else if (!s)
		na_fail(err, NA_EUSAGE, "the query is empty");
	else if (!sqlite3_stmt_readonly(s) || sqlite3_column_count(s) < 1)
		na_fail(err, NA_EUSAGE, "the query gives no rows");
	else if (sqlite3_bind_parameter_count(s))
		na_fail(err, NA_EUSAGE,
			"the query has a parameter (%s), and nothing is "
			"bound to it",
			sqlite3_bind_parameter_name(s, 1)
				? sqlite3_bind_parameter_name(s, 1)
				: "?");
	else if (!is_rest(x, rest))
		na_fail(err, NA_EUSAGE, "the query is more than one statement");
	if (err->status == NA_OK)
		return s;
	sqlite3_finalize(s);
	return NULL;
}

/* SQLite does not ask for columns that tables are joined by, nor for a table
 * of which nothing else is read. */
static void want_joined(struct na_sql_db *x, const char *query)
{
	if (!strcasestr(query, "using") && !strcasestr(query, "natural"))
		return;
	memset(x->read, 0xff, sizeof(x->read));
	for (size_t i = 0; i < NA_SQL_N_TABLES; i++) {
		if (strcasestr(query, na_sql_tables[i].name))
			x->wanted |= UINT64_C(1) << i;
	}
}

enum na_status na_sql_ask(struct na_sql_db *x, const char *query,
			  struct na_err *err)
{
	/* Once they are there, they need no more than to be read. */
	static const char tables_of_json[] =
		"SELECT 1 FROM json_each('[]'), json_tree('[]')";
	sqlite3_stmt *s;

	bound_memory();
	if (!na_sql_functions(x->db))
		return na_fail_nomem(err);
	if (sqlite3_exec(x->db, tables_of_json, NULL, NULL, NULL) != SQLITE_OK)
		return na_sql_fail(x, "the database", err);
	x->wanted = 0;
	memset(x->read, 0, sizeof(x->read));
	want_joined(x, query);
	s = prepare(x, query, err);
	sqlite3_finalize(s);
	guard(x, false);
	return err->status;
}

/* ---- the answer */

static const char hex[] = "0123456789abcdef";

/* Bytes that are no text, as SQL writes them. */
static void put_blob(struct na_result *r, struct na_value *row, sqlite3_stmt *s,
		     int i)
{
	size_t n = (size_t)sqlite3_column_bytes(s, i);
	const unsigned char *p = sqlite3_column_blob(s, i);
	char *text = calloc(1, 2 * n + 4);

	if (text) {
		text[0] = 'x';
		text[1] = text[2 * n + 2] = '\'';
		for (size_t k = 0; k < n; k++) {
			text[2 * k + 2] = hex[p[k] >> 4];
			text[2 * k + 3] = hex[p[k] & 15];
		}
	}
	na_put_text(r, row, NULL, text);
	free(text);
}

struct column { /* what its values have been so far */
	char field[24];
	bool any, text, real, other; /* than JSON */
};

static bool is_json(const char *text)
{
	size_t n = strlen(text);

	return n >= 2 &&
	       ((text[0] == '{' && strchr("\"}", text[1]) &&
		 text[n - 1] == '}') ||
		(text[0] == '[' && strchr("\"{[]-0123456789", text[1]) &&
		 text[n - 1] == ']'));
}

static void put_cell(struct na_result *r, struct na_value *row, sqlite3_stmt *s,
		     int i, struct column *c)
{
	int type = sqlite3_column_type(s, i);
	const char *text;

	c->other |= type != SQLITE_NULL && type != SQLITE_TEXT;
	c->any |= type != SQLITE_NULL;
	c->text |= type == SQLITE_TEXT || type == SQLITE_BLOB;
	c->real |= type == SQLITE_FLOAT;
	switch (type) {
	case SQLITE_INTEGER:
		na_put_int(r, row, NULL, sqlite3_column_int64(s, i));
		break;
	case SQLITE_FLOAT:
		na_put_real(r, row, NULL, sqlite3_column_double(s, i));
		break;
	case SQLITE_TEXT:
		text = (const char *)sqlite3_column_text(s, i);
		c->other |= !text || !is_json(text);
		na_put_text(r, row, NULL, text);
		break;
	case SQLITE_BLOB:
		put_blob(r, row, s, i);
		break;
	default:
		na_put_null(r, row, NULL);
		break;
	}
}

/* As people read it: whole numbers whole, others to six digits at most. */
static void view(struct na_result *r, const struct na_value *names,
		 const struct na_value *rows, struct column *columns, size_t n)
{
	struct na_column *shown = na_calloc(n, sizeof(*shown));
	const struct na_value *name = na_items(names);

	for (size_t i = 0; shown && i < n; i++, name = name->next) {
		struct column *c = &columns[i];

		shown[i] = (struct na_column){
			.field = c->field,
			.header = na_text_of(name, ""),
			.format = c->any && !c->other  ? NA_F_JSON
				  : c->text || !c->any ? NA_F_TEXT
				  : c->real            ? NA_F_PLAIN
						       : NA_F_FIXED,
			.digits = c->real ? 6 : 0,
			.scale = 1,
		};
	}
	if (shown)
		na_result_view(r, NULL, rows, NULL, shown, n, 0);
	free(shown);
}

static enum na_status step_all(struct na_sql_db *x, const char *query,
			       sqlite3_stmt *s, struct na_result *r,
			       struct na_err *err)
{
	size_t n = (size_t)sqlite3_column_count(s);
	struct column *columns = na_calloc(n, sizeof(*columns));
	struct na_value *body = na_result_body(r);
	struct na_value *names = na_put_list(r, body, M_columns);
	struct na_value *rows = na_put_list(r, body, M_rows);
	int rc = SQLITE_NOMEM;

	for (size_t i = 0; columns && i < n; i++) {
		snprintf(columns[i].field, sizeof(columns[i].field), "%zu", i);
		na_put_text(r, names, NULL, sqlite3_column_name(s, (int)i));
	}
	while (columns && na_result_ok(r) &&
	       (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct na_value *row = na_put_list(r, rows, NULL);

		for (size_t i = 0; i < n; i++)
			put_cell(r, row, s, (int)i, &columns[i]);
	}
	if (columns && rc == SQLITE_DONE)
		view(r, names, rows, columns, n);
	free(columns);
	if (!columns || !na_result_ok(r))
		return na_fail_nomem(err);
	if (rc == SQLITE_INTERRUPT)
		return NA_END;
	return rc == SQLITE_DONE ? NA_OK : refused(x, query, err);
}

enum na_status na_sql_answer(struct na_sql_db *x, const char *query,
			     struct na_result *r, struct na_err *err)
{
	sqlite3_stmt *s = prepare(x, query, err);
	enum na_status st = s ? step_all(x, query, s, r, err) : err->status;

	sqlite3_finalize(s);
	guard(x, false);
	return st;
}

/* ---- a database that is there */

static int64_t pragma(const struct na_sql_db *x, const char *sql)
{
	sqlite3_stmt *s = NULL;
	int64_t v = -1;

	if (sqlite3_prepare_v2(x->db, sql, -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

/* The characters of a path that an URI takes for its own. */
static bool put_uri(struct na_str *uri, const char *path)
{
	na_str_addf(uri, "file:%s", *path == '/' ? "//" : "./");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (isalnum(c) || strchr("/._-", c))
			na_str_addf(uri, "%c", c);
		else
			na_str_addf(uri, "%%%02x", c);
	}
	na_str_addf(uri, "?mode=ro&immutable=1");
	return !uri->failed;
}

static int open_file(struct na_sql_db *x, const char *path)
{
	struct na_str uri = {.s = NULL};
	int rc = SQLITE_NOMEM;

	if (put_uri(&uri, path))
		rc = sqlite3_open_v2(uri.s, &x->db,
				     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI |
					     SQLITE_OPEN_NOMUTEX,
				     NULL);
	free(uri.s);
	return rc;
}

static int open_mapped(struct na_sql_db *x, size_t size)
{
	/* Read only: it takes the address without const, no more. */
	unsigned char *p = (unsigned char *)(uintptr_t)na_mapped_bytes(
		x->mapped);
	int rc = sqlite3_open_v2(":memory:", &x->db,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				 NULL);

	return rc != SQLITE_OK
		       ? rc
		       : sqlite3_deserialize(x->db, "main", p,
					     (sqlite3_int64)size,
					     (sqlite3_int64)size,
					     SQLITE_DESERIALIZE_READONLY);
}

enum na_status na_sql_reopen(struct na_sql_db *x, const char *path,
			     const struct na_request *q, struct na_err *err)
{
	bool piped = strcmp(path, "-") == 0;
	enum na_status st;
	size_t size;
	int rc;

	*x = (struct na_sql_db){.request = q, .failed = {.status = NA_OK}};
	st = piped ? na_sql_map_input(x, &size, err) : NA_OK;
	if (st != NA_OK)
		return st;
	rc = piped ? open_mapped(x, size) : open_file(x, path);
	if (rc == SQLITE_NOMEM)
		return na_fail_nomem(err);
	if (rc != SQLITE_OK ||
	    pragma(x, "PRAGMA application_id") != NA_SQLITE_APPLICATION)
		return piped ? na_fail(err, NA_EFORMAT,
				       "standard input: a database that is cut "
				       "off or damaged: SQLite says \"%s\"",
				       sqlite3_errmsg(x->db))
			     : NA_END;
	if (pragma(x, "PRAGMA user_version") != NA_SQL_VERSION)
		return na_fail(err, NA_EFORMAT,
			       "%s: a database of another version of netan's "
			       "tables (this is %d): export it again",
			       piped ? "standard input" : path, NA_SQL_VERSION);
	return NA_OK;
}
