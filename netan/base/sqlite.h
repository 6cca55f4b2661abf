/*
 * SQLite, where we write its files and where we read those of others.
 *
 * Source: sqlite.org/security.html, "Untrusted SQLite Database Files";
 * sqlite.org/fileformat.html, "Application ID".
 */
#ifndef NETAN_BASE_SQLITE_H
#define NETAN_BASE_SQLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;

/* The program that made a file ("netn"), as its header says it. */
enum { NA_SQLITE_APPLICATION = 0x6e65746e };

/* How each database begins: these bytes, so far as there are any (n is not
 * 0). */
enum { NA_SQLITE_MAGIC_BYTES = 16 };
bool na_sqlite_begins(const uint8_t *p, size_t n);

/* The bytes of a database, of which there may be few: has netan written it? */
bool na_sqlite_is_ours(const uint8_t *p, size_t n);

/* Nothing that a schema or a query brings is trusted or executed, views
 * aside. */
void na_sqlite_distrust(struct sqlite3 *db);

#endif
