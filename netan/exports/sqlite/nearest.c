#include "netan/exports/sqlite/nearest.h"

#include <ctype.h>
#include <sqlite3.h>
#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/vec.h"

enum {
	LISTED = 16, /* names that are listed where none is near */
	PART = 4     /* letters that a name may have of another */
};

struct names {
	NA_VEC(const char *) v;
};

static const char *behind(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	return at ? at + strlen(what) : NULL;
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool names_table(const char *query, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = query; *at; at++) {
		if ((at == query || !is_letter(at[-1])) &&
		    na_starts_nocase(at, strnlen(at, n), name) &&
		    !is_letter(at[n]))
			return true;
	}
	return false;
}

/* Of a table or view, as SQLite has them. */
static bool add_columns(struct na_sql_db *x, const char *table,
			struct names *to)
{
	sqlite3_stmt *s = NULL;
	bool ok = sqlite3_prepare_v2(x->db,
				     "SELECT name FROM pragma_table_info(?1)",
				     -1, &s, NULL) == SQLITE_OK &&
		  sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC) ==
			  SQLITE_OK;

	while (ok && sqlite3_step(s) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(s, 0);

		name = name ? na_arena_strn(&x->arena, name, strlen(name))
			    : NULL;
		ok = name && na_add(&to->v, name);
	}
	sqlite3_finalize(s);
	return ok;
}

static bool add_tables(struct names *to)
{
	bool ok = true;

	for (size_t i = 0; ok && i < NA_SQL_N_TABLES; i++)
		ok = na_add(&to->v, na_sql_tables[i].name);
	for (const struct na_sql_words *v = na_sql_views; ok && v->name; v++)
		ok = na_add(&to->v, v->name);
	return ok;
}

/* That is spelt nearly so, that is a part of it, or of which it is one. */
static const char *nearest(const char *name, const struct names *of)
{
	const char *near = na_closest(name, of->v.v, of->v.n);
	size_t n = strlen(name);

	for (size_t i = 0; !near && i < of->v.n; i++) {
		const char *one = of->v.v[i];
		size_t m = strlen(one);

		if ((n >= PART && na_contains_nocase(one, m, name)) ||
		    (m >= PART && na_contains_nocase(name, n, one)))
			near = one;
	}
	return near;
}

/* A command's name: the table of what it says. */
static const char *of_command(const char *name)
{
	for (size_t i = 0; i < NA_SQL_N_TABLES; i++) {
		const char *from = na_sql_tables[i].exhibit;

		if (from && sqlite3_stricmp(from, name) == 0)
			return na_sql_tables[i].name;
	}
	return NULL;
}

static void put_nearest(const char *name, const char *what,
			const struct names *of, struct na_str *to)
{
	const char *near = nearest(name, of);

	if (near) {
		na_str_addf(to, "; did you mean %s?", near);
		return;
	}
	if (!of->v.n || of->v.n > LISTED)
		return;
	for (size_t i = 0; i < of->v.n; i++)
		na_str_addf(to, "%s%s", i ? ", " : what, of->v.v[i]);
}

void na_sql_nearest(struct na_sql_db *x, const char *query, const char *said,
		    struct na_str *to)
{
	const char *table = behind(said, "no such table: ");
	const char *column = behind(said, "no such column: ");
	struct names names = {.v = {0}};

	sqlite3_set_authorizer(x->db, NULL, NULL);
	if (table && of_command(table)) {
		na_str_addf(to, "; did you mean %s?", of_command(table));
	} else if (table && add_tables(&names)) {
		put_nearest(table, "; there are ", &names, to);
	} else if (column && add_tables(&names)) {
		size_t n = names.v.n;
		struct names columns = {.v = {0}};
		const char *dot = strrchr(column, '.');

		for (size_t i = 0; i < n; i++) {
			if (names_table(query, names.v.v[i]) &&
			    !add_columns(x, names.v.v[i], &columns))
				break;
		}
		put_nearest(dot ? dot + 1 : column, "; there are ", &columns,
			    to);
		na_vec_free(&columns.v);
	}
	na_vec_free(&names.v);
}
