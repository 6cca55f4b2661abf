/* export -o x.sqlite. */
#include <inttypes.h>

#include "netan/base/units.h"
#include "netan/exports/export.h"
#include "netan/exports/sqlite/records.h"
#include "netan/exports/sqlite/results.h"

struct state {
	struct na_sql_records_params params; /* of the records: the first */
	struct na_sql_db db;
};

static enum na_status sqlite_begin(void *state, const char *path,
				   const struct na_request *q,
				   struct na_err *err)
{
	struct state *x = state;

	x->params.db = &x->db;
	return na_sql_open(&x->db, path, q, err);
}

static enum na_status sqlite_end(void *state, const struct na_export_of *of,
				 FILE *told, struct na_err *err)
{
	struct state *x = state;
	const char *between = "";
	char n[NA_UNIT_BUF];

	na_sql_put_results(&x->db, of->battery, of->check);
	if (na_sql_commit(&x->db,
			  of->indexes ? of->battery->session.threads : 0,
			  err) != NA_OK)
		return err->status;
	for (size_t i = 0; i < NA_SQL_N_TABLES; i++) {
		if (!x->db.rows[i])
			continue;
		fprintf(told, "%s%s %s", between,
			na_print_count(n, x->db.rows[i]),
			na_sql_tables[i].name);
		between = ", ";
	}
	return NA_OK;
}

static void sqlite_close(void *state)
{
	struct state *x = state;

	na_sql_close(&x->db);
}

const struct na_export na_export_sqlite = {
	.ending = "sqlite",
	.what = "a SQLite database (netan help --tables)",
	.step_hosts = true,
	.executions = true,
	.state_size = sizeof(struct state),
	.records = &na_sql_records,
	.begin = sqlite_begin,
	.end = sqlite_end,
	.close = sqlite_close,
};
