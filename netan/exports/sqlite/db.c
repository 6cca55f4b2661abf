#include "netan/exports/sqlite/db.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/memory/mapped.h"
#include "netan/base/memory/spill.h"
#include "netan/base/sqlite.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/parallel.h"

enum na_status na_sql_fail(const struct na_sql_db *x, const char *what,
			   struct na_err *err)
{
	int rc = sqlite3_errcode(x->db);

	if (!x->db || rc == SQLITE_NOMEM)
		return na_fail_nomem(err);
	return na_fail(err, NA_EIO, "%s: %s", what, sqlite3_errmsg(x->db));
}

static enum na_status run(const struct na_sql_db *x, const char *sql,
			  struct na_err *err)
{
	return sqlite3_exec(x->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? NA_OK
		       : na_sql_fail(x, "the database", err);
}

static enum na_status create(struct na_sql_db *x, struct na_err *err)
{
	enum na_status st = NA_OK;
	char sql[2048];

	for (size_t i = 0; st == NA_OK && i < NA_SQL_N_TABLES; i++) {
		const struct na_sql_table *t = &na_sql_tables[i];
		const char *text = NULL;

		x->columns[i] = na_sql_columns(t, &x->arena, &x->n_columns[i]);
		if (x->columns[i])
			text = na_sql_create(t, x->columns[i], x->n_columns[i],
					     &x->arena);
		st = text ? run(x, text, err) : na_fail_nomem(err);
	}
	for (const struct na_sql_words *v = na_sql_views;
	     st == NA_OK && v->name; v++) {
		snprintf(sql, sizeof(sql), "CREATE VIEW %s AS %s", v->name,
			 v->sql);
		st = run(x, sql, err);
	}
	return st;
}

/* KiB of pages that SQLite keeps, and as much again for each thing that it
 * sorts: libraries do not ask for memory, and a little of the budget is theirs
 * (netan/base/memory/spill.c). */
enum { CACHE_SHARE = 32, CACHE_KIB = 64 << 10 };

static unsigned cache_kib(void)
{
	uint64_t part = na_memory_use().budget / CACHE_SHARE >> 10;

	return part && part < CACHE_KIB ? (unsigned)part : CACHE_KIB;
}

enum na_status na_sql_open(struct na_sql_db *x, const char *path,
			   const struct na_request *q, struct na_err *err)
{
	char sql[512];

	*x = (struct na_sql_db){.request = q,
				.wanted = NA_SQL_ALL,
				.failed = {.status = NA_OK}};
	memset(x->read, 0xff, sizeof(x->read));
	if (sqlite3_open_v2(path ? path : "", &x->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		return na_sql_fail(x, "the database", err);
	/* Nobody else looks at it before it is whole. */
	snprintf(sql, sizeof(sql),
		 "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; "
		 "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
		 "PRAGMA cache_size = -%u; PRAGMA application_id = %d; "
		 "PRAGMA user_version = %d; BEGIN",
		 cache_kib(), (int)NA_SQLITE_APPLICATION, (int)NA_SQL_VERSION);
	if (run(x, sql, err) != NA_OK)
		return err->status;
	return create(x, err);
}

/* Steps of SQLite's machine between two looks at the wish to stop. */
enum { TICK_STEPS = 100000 };

static int stopped(void *ctx)
{
	(void)ctx;
	return na_interrupted();
}

static enum na_status index_all(struct na_sql_db *x, size_t threads,
				struct na_err *err)
{
	enum na_status st = NA_OK;
	/* Each sorts by itself, and in the same memory. */
	size_t helpers = cache_kib() < CACHE_KIB ? 0 : threads - 1;
	char sql[512];

	sqlite3_limit(x->db, SQLITE_LIMIT_WORKER_THREADS, (int)helpers);
	snprintf(sql, sizeof(sql), "PRAGMA threads = %zu", helpers);
	st = run(x, sql, err);
	sqlite3_progress_handler(x->db, TICK_STEPS, stopped, NULL);
	for (const struct na_sql_words *v = na_sql_indexes;
	     st == NA_OK && v->name; v++) {
		snprintf(sql, sizeof(sql), "CREATE INDEX %s ON %s", v->name,
			 v->sql);
		st = run(x, sql, err);
	}
	sqlite3_progress_handler(x->db, 0, NULL, NULL);
	return st;
}

enum na_status na_sql_commit(struct na_sql_db *x, size_t threads,
			     struct na_err *err)
{
	if (x->failed.status != NA_OK) {
		*err = x->failed;
		return err->status;
	}
	if (threads && index_all(x, threads, err) != NA_OK)
		return err->status;
	return run(x, "COMMIT", err);
}

void na_sql_close(struct na_sql_db *x)
{
	sqlite3_close(x->db);
	na_unmap(x->mapped);
	free(x->host_clocks);
	free(x->rank_clocks);
	na_arena_fini(&x->arena);
	x->db = NULL;
	x->mapped = NULL;
}

struct sqlite3_stmt *na_sql_adder(struct na_sql_db *x,
				  enum na_sql_table_id table)
{
	const char *sql;
	sqlite3_stmt *s = NULL;

	if (!na_sql_wants(x, table) || x->failed.status != NA_OK)
		return NULL;
	sql = na_sql_insert(&na_sql_tables[table], x->n_columns[table],
			    &x->arena);
	if (!sql)
		na_in_err(na_fail_nomem(&x->failed));
	else if (sqlite3_prepare_v3(x->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
				    &s, NULL) != SQLITE_OK)
		na_in_err(
			na_sql_fail(x, na_sql_tables[table].name, &x->failed));
	return s;
}

void na_sql_add(struct na_sql_db *x, enum na_sql_table_id table,
		struct sqlite3_stmt *s)
{
	if (!s || x->failed.status != NA_OK)
		return;
	if (sqlite3_step(s) != SQLITE_DONE)
		na_in_err(
			na_sql_fail(x, na_sql_tables[table].name, &x->failed));
	sqlite3_reset(s);
	x->rows[table]++;
}

void na_sql_bind_shown(struct na_sql_db *x, struct sqlite3_stmt *s, int i,
		       const char *text)
{
	char *shown = text ? na_shown(x->request, text) : NULL;

	if (text && !shown)
		na_in_err(na_fail_nomem(&x->failed));
	if (shown)
		sqlite3_bind_text(s, i, shown, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(s, i);
	free(shown);
}
