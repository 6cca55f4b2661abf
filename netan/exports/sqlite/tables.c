#include "netan/exports/sqlite/tables.h"
#include "members.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/vec.h"

#define TABLE(name, doc)        static const struct na_sql_column own_##name[] = {
#define LISTED(name, ...)       static const struct na_sql_column own_##name[] = {
#define COLUMN(name, type, doc) {#name, #type, doc, NULL, false},
/* clang-format off */
#define FROM(name, type, member, instant, doc) \
	{#name, #type, doc, member, instant},
#define END {.name = NULL} };
#include "netan/exports/sqlite/tables.def"

const struct na_sql_table na_sql_tables[NA_SQL_N_TABLES] = {
#define TABLE(name, doc) {#name, doc, NULL, NULL, NULL, own_##name},
#define LISTED(name, exhibit, list, command, table, doc) \
	{#name, doc, #exhibit, #list, &na_table_##command##_##table, \
	 own_##name},
#include "netan/exports/sqlite/tables.def"
};

const struct na_sql_words na_sql_views[] = {
#define VIEW(name, doc, sql) {#name, doc, sql},
#include "netan/exports/sqlite/tables.def"
	{NULL, NULL, NULL}
};

const struct na_sql_words na_sql_indexes[] = {
#define INDEX(name, sql) {#name, NULL, sql},
#include "netan/exports/sqlite/tables.def"
	{NULL, NULL, NULL}
};

static const struct {
	const char *member, *name;
	bool instant;
} renamed[] = {
#define RENAMED(member, name, instant) {M_##member, #name, instant},
#include "netan/exports/sqlite/tables.def"
};
/* clang-format on */

struct columns {
	struct na_arena *arena;
	NA_VEC(struct na_sql_column) all;
	bool failed;
};

static const char *joined(struct columns *c, const char *a, const char *between,
			  const char *b)
{
	struct na_str s = {.s = NULL};
	const char *copy = NULL;

	na_str_addf(&s, "%s%s%s", a, *a ? between : "", b);
	if (!s.failed)
		copy = na_arena_strn(c->arena, s.s, s.n);
	free(s.s);
	c->failed |= !copy;
	return copy;
}

/* A number that may be null, and is whole where it is not. */
static bool is_count(const struct na_member *m)
{
	static const char *const counts[] = {M_transfers, M_group_size,
					     M_groups, M_count};
	static const char bytes[] = M_bytes;
	size_t n = strlen(m->name), k = sizeof(bytes) - 1;

	for (size_t i = 0; i < NA_LEN(counts); i++) {
		if (strcmp(m->name, counts[i]) == 0)
			return true;
	}
	return m->column.format == NA_F_COUNT ||
	       (n >= k && strcmp(m->name + n - k, bytes) == 0);
}

static const char *type_of(const struct na_member *m)
{
	/* A named piece of schema: a whole number, or nothing. */
	if (m->of && m->of->json && strstr(m->of->json, "\"integer\"") &&
	    !strstr(m->of->json, "\"array\""))
		return "INTEGER";
	switch (m->type) {
	case NA_T_COUNT:
	case NA_T_INTEGER:
	case NA_T_INTEGER_OR_NULL:
	case NA_T_BOOL:
	case NA_T_BOOL_OR_NULL:
		return "INTEGER";
	case NA_T_NUMBER:
	case NA_T_NUMBER_OR_NULL:
	case NA_T_AMOUNT:
		return is_count(m) ? "INTEGER" : "REAL";
	case NA_T_NULL:
	case NA_T_TEXT:
	case NA_T_TEXT_OR_NULL:
	case NA_T_NUMBERS:
	case NA_T_INTEGERS:
	case NA_T_TEXTS:
	case NA_T_WORD:
	case NA_T_OBJECT:
	case NA_T_LIST:
	case NA_T_JSON:
	case NA_T_HIDDEN:
		break;
	}
	return "TEXT";
}

/* A piece of schema that several members share has no columns of its own. */
static const char *doc_of(const struct na_member *m)
{
	bool json = m->of && m->of->json && strstr(m->of->json, "\"object\"");

	return json && !*m->doc ? "JSON" : m->doc;
}

static void add_members(struct columns *c, const struct na_table *t,
			const char *name, const char *path);

static void add_member(struct columns *c, const struct na_member *m,
		       const char *name, const char *path)
{
	struct na_sql_column x = {.type = type_of(m), .doc = doc_of(m)};

	if (m->type == NA_T_HIDDEN)
		return;
	x.path = joined(c, path, ".", m->name);
	x.name = joined(c, name, "_", m->name);
	for (size_t i = 0; !*name && i < NA_LEN(renamed); i++) {
		if (strcmp(renamed[i].member, m->name) != 0)
			continue;
		x.name = renamed[i].name;
		x.instant = renamed[i].instant;
		x.type = x.instant ? "INTEGER" : x.type;
	}
	/* Of the groups of --by only the runs are told apart here. */
	if (strcmp(m->name, M_key) == 0) {
		x = (struct na_sql_column){M_label, "TEXT", "of the run",
					   M_key "." M_label, false};
	} else if (m->type == NA_T_OBJECT && m->of && m->of->members) {
		if (!c->failed)
			add_members(c, m->of, x.name, x.path);
		return;
	}
	c->failed |= !na_add(&c->all, x);
}

static void add_members(struct columns *c, const struct na_table *t,
			const char *name, const char *path)
{
	if (t->base)
		add_members(c, t->base, name, path);
	for (const struct na_member *m = t->members; m && m->name; m++)
		add_member(c, m, name, path);
}

const struct na_sql_column *na_sql_columns(const struct na_sql_table *t,
					   struct na_arena *arena, size_t *n)
{
	struct columns c = {.arena = arena};
	struct na_sql_column *all = NULL;

	if (t->members)
		add_members(&c, t->members, "", "");
	for (const struct na_sql_column *o = t->own; o->name; o++)
		c.failed |= !na_add(&c.all, *o);
	if (!c.failed)
		all = na_arena_alloc(arena, c.all.n * sizeof(*all));
	if (all)
		memcpy(all, c.all.v, c.all.n * sizeof(*all));
	*n = c.all.n;
	na_vec_free(&c.all);
	return all;
}

const char *na_sql_insert(const struct na_sql_table *t, size_t n,
			  struct na_arena *arena)
{
	struct na_str s = {.s = NULL};

	na_str_addf(&s, "INSERT INTO %s VALUES (", t->name);
	for (size_t i = 0; i < n; i++)
		na_str_addf(&s, i ? ", ?" : "?");
	na_str_addf(&s, ")");
	return na_str_keep(&s, arena);
}

const char *na_sql_create(const struct na_sql_table *t,
			  const struct na_sql_column *columns, size_t n,
			  struct na_arena *arena)
{
	struct na_str s = {.s = NULL};

	na_str_addf(&s, "CREATE TABLE %s (", t->name);
	for (size_t i = 0; i < n; i++)
		na_str_addf(&s, "%s\n  \"%s\" %s", i ? "," : "",
			    columns[i].name,
			    strcmp(columns[i].type, "ANY") == 0
				    ? ""
				    : columns[i].type);
	na_str_addf(&s, ")");
	return na_str_keep(&s, arena);
}

/* ---- for people */

enum { WIDTH = 79 };

/* Words from column `at` on, broken so that further lines begin in `indent`. */
static void put_words(FILE *out, const char *text, size_t at, size_t indent)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (at + 1 + n > WIDTH && at > indent) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", (int)n, text);
		at += n;
		text += n + (text[n] == ' ');
	}
	putc('\n', out);
}

static void put_table(FILE *out, const struct na_sql_table *t,
		      const struct na_sql_column *columns, size_t n)
{
	enum { NAME = 22, TYPE = 9, INDENT = 2 + NAME + TYPE };

	fprintf(out, "\n%s\n  ", t->name);
	put_words(out, t->doc, 2, 2);
	for (size_t i = 0; i < n; i++) {
		const char *type = columns[i].type;

		fprintf(out, "  %-*s", NAME, columns[i].name);
		if (strlen(columns[i].name) >= NAME)
			fprintf(out, "\n  %*s", NAME, "");
		fprintf(out, "%-*s", *columns[i].doc ? TYPE : 0, type);
		if (*columns[i].doc)
			put_words(out, columns[i].doc, INDENT, INDENT);
		else
			putc('\n', out);
	}
}

static void put_view(FILE *out, const struct na_sql_words *v)
{
	fprintf(out, "  %-16s", v->name);
	put_words(out, v->doc, 18, 18);
}

/* False: no memory. */
static bool put_tables(FILE *out, const char *name, size_t *found)
{
	struct na_arena arena = {.blocks = NULL};
	bool ok = true;

	for (size_t i = 0; ok && i < NA_SQL_N_TABLES; i++) {
		const struct na_sql_table *t = &na_sql_tables[i];
		const struct na_sql_column *c;
		size_t n;

		if (name && strcmp(t->name, name) != 0)
			continue;
		++*found;
		c = na_sql_columns(t, &arena, &n);
		ok = c;
		if (ok)
			put_table(out, t, c, n);
	}
	na_arena_fini(&arena);
	return ok;
}

static enum na_status put_one(const char *name, FILE *out, struct na_err *err)
{
	size_t found = 0;

	if (!put_tables(out, name, &found))
		return na_fail_nomem(err);
	for (const struct na_sql_words *v = na_sql_views; v->name; v++) {
		if (strcmp(v->name, name) != 0)
			continue;
		found++;
		fprintf(out, "\n%s (a view)\n  ", v->name);
		put_words(out, v->doc, 2, 2);
		fputs("\n  ", out);
		put_words(out, v->sql, 2, 2);
	}
	return found ? NA_OK
		     : na_fail(err, NA_EUSAGE, "there is no table '%.64s'",
			       name);
}

/* Their names alone, before all that is in them. */
static void put_names(FILE *out)
{
	struct na_str tables = {.s = NULL}, views = {.s = NULL};

	for (size_t i = 0; i < NA_SQL_N_TABLES; i++)
		na_str_join(&tables, ", ", "%s", na_sql_tables[i].name);
	for (const struct na_sql_words *v = na_sql_views; v->name; v++)
		na_str_join(&views, ", ", "%s", v->name);
	fputs("Tables: ", out);
	put_words(out, tables.failed || !tables.s ? "" : tables.s, 8, 8);
	fputs("Views:  ", out);
	put_words(out, views.failed || !views.s ? "" : views.s, 8, 8);
	fputs("Of one alone: netan help --tables NAME\n", out);
	free(tables.s);
	free(views.s);
}

enum na_status na_sql_help(const char *name, FILE *out, struct na_err *err)
{
	size_t found = 0;

	if (name)
		return put_one(name, out, err);
	fputs("The tables of 'netan sql' and of 'netan export -o x.sqlite'.\n"
	      "\n",
	      out);
	put_names(out);
	fputs("\nColumns that end in _ns are instants, in nanoseconds from the "
	      "origin; the origin\nis origin_unix_ns, of inputs and of the view "
	      "origin. Other times are durations\nin the unit of their name. "
	      "What is not told is null. Lists and objects are JSON\n(SQLite's "
	      "json_each, ->>). Tables that a command fills have its members, "
	      "as\n'netan help --schema COMMAND' says: from_s and to_s are "
	      "start_ns and end_ns, a\nmember b of an object a is a_b.\n",
	      out);
	if (!put_tables(out, NULL, &found))
		return na_fail_nomem(err);
	fputs("\nViews\n", out);
	for (const struct na_sql_words *v = na_sql_views; v->name; v++)
		put_view(out, v);
	fputs("\nFunctions of 'netan sql', beside those of SQLite: median(x), "
	      "percentile(x, p)\nwith p from 0 to 100, percentile_cont(x, p) "
	      "and percentile_disc(x, p) with p\nfrom 0 to 1, as SQLite's own "
	      "shell has them from version 3.47 on.\n",
	      out);
	return NA_OK;
}
