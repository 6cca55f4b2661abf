/*
 * Members of results, each declared once: a row of a members.def says what a
 * member is called in JSON and CSV, of which type it is, how a table prints
 * it and what it means.  The schemas (`netan help --schema`) are printed from
 * these rows, views take their columns from them, and the rest of the code
 * names a member by the identifier M_name of the generated members.h, so that
 * a misspelt name does not compile.
 *
 * A members.def is a list of tables, which only the generated members.c
 * reads:
 *
 *	TABLE(sizes, size_group, LIKE(sizes, size_sums), "")
 *	OBJECT(key, common, key, "")
 *	VALUE(gini, NUMBER_OR_NULL, fixed("Gini", 3), "0: all equally large")
 *	END
 *
 *   TABLE(command, name, base, doc)    members of an object that the schema
 *                                      calls name; base: none, or
 *                                      LIKE(command, name), whose members it
 *                                      has, too
 *   INLINE(command, name, base, doc)   the same, in the schema written where
 *                                      it is used
 *   NULLABLE(command, name, base, doc) an object of that name, or null
 *   DEFINE(command, name, JSON)        a name for a piece of schema
 *   DOCUMENT(command, name, doc)       what a command puts: its result
 *
 *   VALUE(name, TYPE, column, doc)     column: none, text("header"),
 *                                      words("header"),
 *                                      ranks("header"), count("header"),
 *                                      number("header", digits),
 *                                      scaled("header", digits, factor), divided("header", digits,
 *                                      divisor), fixed("header", digits),
 *                                      factor("header", digits) of a logarithm,
 *                                      times("header", digits) of a ratio,
 *                                      chance("header") of a probability
 *   WORD(name, "a b c", column, doc)   one of these words; "null" among them
 *                                      means that it may be null
 *   OBJECT(name, command, table, doc), LIST(...)
 *   NAMED(name, command, definition, column, doc)
 *   JSON(name, column, schema)         what no type says
 *   HIDDEN(name)                       put, but not in the schema
 *
 * MAYBE_ before a row: the member may be absent.
 */
#ifndef NETAN_RESULT_MEMBER_H
#define NETAN_RESULT_MEMBER_H

#include <stdio.h>

#include "netan/result/result.h"

enum na_type {
	NA_T_COUNT, /* integer, at least 0 */
	NA_T_INTEGER,
	NA_T_INTEGER_OR_NULL,
	NA_T_NUMBER,
	NA_T_NUMBER_OR_NULL,
	NA_T_AMOUNT, /* number, at least 0 */
	NA_T_TEXT,
	NA_T_TEXT_OR_NULL,
	NA_T_BOOL,
	NA_T_BOOL_OR_NULL,
	NA_T_NULL,
	NA_T_NUMBERS, /* array of numbers or nulls */
	NA_T_INTEGERS,
	NA_T_TEXTS,
	NA_T_WORD,   /* more: the words */
	NA_T_OBJECT, /* of */
	NA_T_LIST,   /* of */
	NA_T_JSON,   /* more: its schema */
	NA_T_HIDDEN
};

struct na_table;

struct na_member {
	const char *name; /* NULL ends a table */
	enum na_type type;
	bool maybe; /* absent where it would say nothing */
	const struct na_table *of;
	const char *more;
	struct na_column column; /* no header: none */
	const char *doc;         /* "": the name says it */
};

struct na_table {
	const char *command;
	const char *name; /* in the schema's definitions; NULL: inline */
	bool nullable;    /* null in its place */
	const struct na_table *base;
	const struct na_member *members;
	const char *json; /* of a definition without members */
	const char *doc;
};

/* What a command's JSON holds. */
struct na_document {
	const char *command, *doc;
	const struct na_table *result;
};

extern const struct na_table *const na_tables[]; /* NULL ends */
extern const struct na_document na_documents[];  /* NULL command ends */

/* NULL: the command has no JSON output. */
const struct na_document *na_document_find(const char *command);

/* The JSON Schema (draft 2020-12) of a whole output. */
void na_schema_put(const struct na_document *d, FILE *out);

/* Of a table or its bases, along "a.b.c"; NULL: there is no such member. */
const struct na_member *na_member_at(const struct na_table *t,
				     const char *path);

#endif
