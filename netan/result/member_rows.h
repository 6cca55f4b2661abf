/*
 * The words of members.def, once for each pass that the generated members.c
 * makes over them: the rows, the tables that hold them, the documents.
 */
#undef TABLE
#undef INLINE
#undef NULLABLE
#undef DEFINE
#undef END
#undef DOCUMENT
#undef NA_ROW
#undef JSON
#undef MAYBE_JSON

#undef none
#undef LIKE

#ifdef NA_PASS_ROWS
#define TABLE(command, name, base, doc) \
	static const struct na_member rows_##command##_##name[] = {
#define INLINE   TABLE
#define NULLABLE TABLE
#define DEFINE(command, name, ...)
/* clang-format off */
#define END                        {.name = NULL} };
#define none                       {.field = NULL}
#define text(header)               {NULL, header, NA_F_TEXT, 0, 0}
#define words(header)              {NULL, header, NA_F_WORDS, 0, 0}
#define ranks(header)              {NULL, header, NA_F_RANKS, 0, 0}
#define count(header)              {NULL, header, NA_F_COUNT, 0, 0}
#define number(header, n)          {NULL, header, NA_F_NUMBER, n, 0}
#define fixed(header, n)           {NULL, header, NA_F_FIXED, n, 0}
#define factor(header, n)          {NULL, header, NA_F_FACTOR, n, 0}
#define times(header, n)           {NULL, header, NA_F_TIMES, n, 0}
#define chance(header)             {NULL, header, NA_F_CHANCE, 0, 0}
#define divided(header, n, x)      {NULL, header, NA_F_NUMBER, n, -(x)}
#define scaled(header, n, x)       {NULL, header, NA_F_NUMBER, n, x}
/* clang-format on */
#define DOCUMENT(command, name, doc)
#define NA_ROW(...) {__VA_ARGS__},
#define JSON(name, column, ...) \
	{#name, NA_T_JSON, false, NULL, #__VA_ARGS__, column, ""},
#define MAYBE_JSON(name, column, ...) \
	{#name, NA_T_JSON, true, NULL, #__VA_ARGS__, column, ""},
#else
#define NA_ROW(...)
#define JSON(name, ...)
#define MAYBE_JSON(name, ...)
#endif

#ifdef NA_PASS_TABLES
#define NA_TABLE_OF(command, name, visible, null, base, doc) \
	const struct na_table na_table_##command##_##name = { \
		#command, visible, null, base, rows_##command##_##name, \
		NULL,     doc};
#define none                NULL
#define LIKE(command, name) &na_table_##command##_##name
#define TABLE(command, name, base, doc) \
	NA_TABLE_OF(command, name, #name, false, base, doc)
#define NULLABLE(command, name, base, doc) \
	NA_TABLE_OF(command, name, #name, true, base, doc)
#define INLINE(command, name, base, doc) \
	NA_TABLE_OF(command, name, NULL, false, base, doc)
#define DEFINE(command, name, ...) \
	const struct na_table na_table_##command##_##name = { \
		#command, #name, false, NULL, NULL, #__VA_ARGS__, ""};
#define END
#define DOCUMENT(command, name, doc)
#endif

#ifdef NA_PASS_DOCUMENTS
#define TABLE(command, name, base, doc)
#define INLINE   TABLE
#define NULLABLE TABLE
#define DEFINE(command, name, ...)
#define END
#define DOCUMENT(command, name, doc) \
	{#command, doc, &na_table_##command##_##name},
#endif

#ifndef VALUE
#define VALUE(name, type, column, doc) \
	NA_ROW(#name, NA_T_##type, false, NULL, NULL, column, doc)
#define MAYBE_VALUE(name, type, column, doc) \
	NA_ROW(#name, NA_T_##type, true, NULL, NULL, column, doc)
#define WORD(name, words, column, doc) \
	NA_ROW(#name, NA_T_WORD, false, NULL, words, column, doc)
#define MAYBE_WORD(name, words, column, doc) \
	NA_ROW(#name, NA_T_WORD, true, NULL, words, column, doc)
#define OBJECT(name, command, table, doc) \
	NA_ROW(#name, NA_T_OBJECT, false, &na_table_##command##_##table, NULL, \
	       none, doc)
#define MAYBE_OBJECT(name, command, table, doc) \
	NA_ROW(#name, NA_T_OBJECT, true, &na_table_##command##_##table, NULL, \
	       none, doc)
#define LIST(name, command, table, doc) \
	NA_ROW(#name, NA_T_LIST, false, &na_table_##command##_##table, NULL, \
	       none, doc)
#define MAYBE_LIST(name, command, table, doc) \
	NA_ROW(#name, NA_T_LIST, true, &na_table_##command##_##table, NULL, \
	       none, doc)
#define NAMED(name, command, table, column, doc) \
	NA_ROW(#name, NA_T_OBJECT, false, &na_table_##command##_##table, NULL, \
	       column, doc)
#define MAYBE_NAMED(name, command, table, column, doc) \
	NA_ROW(#name, NA_T_OBJECT, true, &na_table_##command##_##table, NULL, \
	       column, doc)
#define HIDDEN(name) NA_ROW(#name, NA_T_HIDDEN, true, NULL, NULL, none, "")
#endif
