#include "netan/base/sqlite.h"

#include <sqlite3.h>
#include <string.h>

#include "netan/base/vec.h"

bool na_sqlite_begins(const uint8_t *p, size_t n)
{
	static const char magic[NA_SQLITE_MAGIC_BYTES] = "SQLite format 3";

	return memcmp(p, magic, n < sizeof(magic) ? n : sizeof(magic)) == 0;
}

bool na_sqlite_is_ours(const uint8_t *p, size_t n)
{
	enum { AT = 68 }; /* big-endian */
	uint32_t id = 0;

	for (size_t i = 0; i < 4 && n >= AT + 4; i++)
		id = id << 8 | p[AT + i];
	return id == NA_SQLITE_APPLICATION;
}

void na_sqlite_distrust(struct sqlite3 *db)
{
	static const struct {
		int id, on;
	} switches[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
		{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
		{SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},
	};

	for (size_t i = 0; i < NA_LEN(switches); i++)
		sqlite3_db_config(db, switches[i].id, switches[i].on, NULL);
}
