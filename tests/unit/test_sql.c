/* The tables of exports: their schema, what a query may do, and quantiles,
 * against values made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>
#include <sqlite3.h>

#include "netan/exports/export.h"
#include "netan/exports/sqlite/query.h"
#include "netan/result/emit.h"

struct case_ {
	struct na_request q;
	struct na_sql_db db;
	struct na_err err;
};

static void open_case(struct case_ *c)
{
	memset(c, 0, sizeof(*c));
	na_request_init(&c->q);
	assert_int_equal(na_sql_open(&c->db, NULL, &c->q, &c->err), NA_OK);
}

static void close_case(struct case_ *c)
{
	na_sql_close(&c->db);
}

/* The only value of a query; NAN: null. */
static double asked(struct case_ *c, const char *query)
{
	struct na_result *r = na_result_new();
	const struct na_value *rows;
	double x;

	c->err = (struct na_err){.status = NA_OK};
	if (na_sql_answer(&c->db, query, r, &c->err) != NA_OK)
		fail_msg("%s: %s", query, c->err.text);
	rows = na_get(na_result_get_body(r), "rows");
	assert_int_equal(rows->n, 1);
	x = na_real_of(na_items(na_items(rows)), NAN);
	na_result_free(r);
	return x;
}

/* Each name is one that SQL takes as it is, and comes once in its table. */
static void test_columns(void **state)
{
	struct case_ c;
	char query[256];

	(void)state;
	open_case(&c);
	for (size_t i = 0; i < NA_SQL_N_TABLES; i++) {
		const struct na_sql_column *of = c.db.columns[i];

		assert_true(c.db.n_columns[i] > 0);
		for (size_t k = 0; k < c.db.n_columns[i]; k++) {
			snprintf(query, sizeof(query),
				 "SELECT count(%s) FROM %s", of[k].name,
				 na_sql_tables[i].name);
			assert_true(asked(&c, query) == 0);
			for (size_t m = 0; m < k; m++)
				assert_string_not_equal(of[k].name, of[m].name);
		}
	}
	for (const struct na_sql_words *v = na_sql_views; v->name; v++) {
		snprintf(query, sizeof(query),
			 "SELECT count(*) FROM (SELECT * FROM %s)", v->name);
		assert_true(asked(&c, query) >= 0);
	}
	assert_int_equal(na_sql_commit(&c.db, 1, &c.err), NA_OK);
	close_case(&c);
}

/* A query tells which tables it reads, also through views. */
static void test_wanted(void **state)
{
	static const struct {
		const char *query;
		uint64_t want;
	} rows[] = {
		{"SELECT 1", 0},
		{"SELECT count(*) FROM steps", NA_SQL_BIT(steps)},
		{"SELECT * FROM host_pairs", NA_SQL_BIT(transfers)},
		{"SELECT * FROM rack_pairs",
		 NA_SQL_BIT(transfers) | NA_SQL_BIT(hosts)},
		{"SELECT * FROM transfers_utc",
		 NA_SQL_BIT(transfers) | NA_SQL_BIT(inputs)},
		{"SELECT (SELECT max(id) FROM findings) FROM SENDS",
		 NA_SQL_BIT(findings) | NA_SQL_BIT(sends)},
		{"WITH steps AS (SELECT 1 AS x) SELECT x FROM steps", 0},
	};
	struct case_ c;

	(void)state;
	open_case(&c);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(na_sql_ask(&c.db, rows[i].query, &c.err),
				 NA_OK);
		assert_int_equal(c.db.wanted, rows[i].want);
	}
	close_case(&c);
}

/* And which columns: what is joined by name counts as all. */
static void test_read(void **state)
{
	const uint64_t start = 1, end = 2, bytes = 8, all = UINT64_MAX;
	struct case_ c;
	const uint64_t *read = &c.db.read[NA_SQL_transfers];

	(void)state;
	open_case(&c);
	assert_int_equal(*read, all);
	assert_int_equal(na_sql_ask(&c.db, "SELECT sum(BYTES) FROM transfers",
				    &c.err),
			 NA_OK);
	assert_int_equal(*read, bytes);
	assert_int_equal(na_sql_ask(&c.db,
				    "SELECT count(*) FROM transfers t "
				    "JOIN sends s ON t.start_ns < s.end_ns "
				    "ORDER BY max(t.\"end_ns\")",
				    &c.err),
			 NA_OK);
	assert_int_equal(*read, start | end);
	assert_int_equal(c.db.read[NA_SQL_sends], end);
	assert_int_equal(na_sql_ask(&c.db,
				    "SELECT 1 FROM transfers JOIN sends "
				    "Using (src)",
				    &c.err),
			 NA_OK);
	assert_int_equal(*read, all);
	assert_int_equal(
		na_sql_ask(&c.db, "SELECT 1 FROM transfers NATURAL JOIN sends",
			   &c.err),
		NA_OK);
	assert_int_equal(*read, all);
	close_case(&c);
}

static void test_refused(void **state)
{
	static const char *const queries[] = {
		"DELETE FROM hosts",
		"CREATE VIEW v AS SELECT 1",
		"CREATE TRIGGER t AFTER INSERT ON hosts BEGIN SELECT 1; END",
		"CREATE VIRTUAL TABLE v USING fts5(x)",
		"ALTER TABLE hosts RENAME TO h",
		"ATTACH ':memory:' AS m",
		"DETACH main",
		"REINDEX",
		"ANALYZE",
		"COMMIT",
		"SAVEPOINT s",
		"PRAGMA journal_mode",
		"SELECT load_extension('x')",
		"SELECT * FROM sqlite_stmt",
		"SELECT zeroblob(100000000)",
		"",
		"SELECT :x",
	};
	struct case_ c;

	(void)state;
	open_case(&c);
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		struct na_result *r = na_result_new();
		struct na_err err = {.status = NA_OK};

		assert_int_equal(na_sql_answer(&c.db, queries[i], r, &err),
				 NA_EUSAGE);
		assert_true(err.text[0]);
		na_result_free(r);
	}
	/* The tables are as they were, and can be filled. */
	assert_int_equal(sqlite3_exec(c.db.db,
				      "INSERT INTO hosts (host) VALUES ('a')",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_true(asked(&c, "SELECT count(*) FROM hosts") == 1);
	close_case(&c);
}

static void test_quantiles(void **state)
{
	static const struct {
		const char *query;
		double want;
	} rows[] = {
		{"SELECT median(value) FROM json_each('[3, 1, 2]')", 2},
		{"SELECT median(value) FROM json_each('[4, 1, 2, 3]')", 2.5},
		{"SELECT median(value) FROM json_each('[7, null]')", 7},
		{"SELECT median(value) FROM json_each('[]')", NAN},
		{"SELECT percentile(value, 25) FROM "
		 "json_each('[1, 4, 6, 7, 8, 9, 10, 11, 12, 13, 21]')",
		 6.5},
		{"SELECT percentile_cont(value, 0.99) FROM "
		 "json_each('[1, 2, 3, 4, 5]')",
		 4.96},
		{"SELECT percentile_disc(value, 0.99) FROM "
		 "json_each('[1, 2, 3, 4, 5]')",
		 4},
		{"SELECT percentile_disc(value, 1) FROM "
		 "json_each('[1, 2, 3, 4, 5]')",
		 5},
		{"SELECT percentile(value, 0) FROM json_each('[-1.5, 2]')",
		 -1.5},
	};
	struct case_ c;

	(void)state;
	open_case(&c);
	assert_int_equal(na_sql_ask(&c.db, "SELECT 1", &c.err), NA_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double x = asked(&c, rows[i].query);

		if (isnan(rows[i].want))
			assert_true(isnan(x));
		else
			assert_true(fabs(x - rows[i].want) < 1e-12);
	}
	close_case(&c);
}

static void test_instants(void **state)
{
	(void)state;
	assert_int_equal(na_sql_ns(0), 0);
	assert_int_equal(na_sql_ns(1999), 1);
	assert_int_equal(na_sql_ns(-1), -1);
	assert_int_equal(na_sql_ns(-1000), -1);
	assert_int_equal(na_sql_ns(-1001), -2);
	assert_int_equal(na_sql_ns(INT64_MIN), INT64_MIN / 1000 - 1);
}

static void test_endings(void **state)
{
	(void)state;
	assert_non_null(na_export_find("x.sqlite"));
	assert_non_null(na_export_find("a.b/x.SQLite"));
	assert_null(na_export_find("x.sqlite3"));
	assert_null(na_export_find("sqlite"));
	assert_null(na_export_find(".sqlite"));
	assert_null(na_export_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_instants),
		cmocka_unit_test(test_endings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
