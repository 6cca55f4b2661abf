#include "netan/exports/sqlite/clocks.h"

#include <sqlite3.h>
#include <string.h>

static const char first_column[] = "clock_ahead_ns";

static bool reads(const struct na_sql_db *x, enum na_sql_table_id table)
{
	const struct na_sql_column *c = x->columns[table];
	size_t at = 0;

	while (strcmp(c[at].name, first_column) != 0)
		at++;
	return na_sql_wants(x, table) && x->read[table] >> at & 3;
}

bool na_sql_wants_clocks(const struct na_sql_db *x)
{
	return reads(x, NA_SQL_hosts) || reads(x, NA_SQL_ranks);
}

/* Ranks know that of their host better. */
static void fill(struct na_sql_db *x, const struct na_export_clocks *clocks)
{
	const struct na_store *s = clocks->scope->store;

	for (uint32_t i = 0; i < s->n_hosts; i++)
		x->host_clocks[i] = na_export_clock_of(clocks, i);
	for (uint32_t i = 0; i < s->devices.n_cores; i++) {
		const struct na_core *c = &s->devices.cores[i];
		struct na_export_clock *of = &x->rank_clocks[i];

		if (c->kind != NA_DEVICE_RANK)
			continue;
		*of = na_export_rank_clock(clocks, i);
		if (of->uncertainty_ps < NA_TIME_MAX && !of->own)
			x->host_clocks[c->input] = *of;
	}
}

void na_sql_find_clocks(struct na_sql_db *x, const struct na_scope *scope)
{
	struct na_export_clocks clocks = {.scope = scope};
	const struct na_store *s = scope->store;

	if (!na_sql_wants_clocks(x))
		return;
	x->host_clocks = na_calloc(s->n_hosts, sizeof(*x->host_clocks));
	x->rank_clocks = na_calloc(s->devices.n_cores, sizeof(*x->rank_clocks));
	if (x->host_clocks && x->rank_clocks &&
	    na_export_clocks_find(&clocks, scope))
		fill(x, &clocks);
	else
		na_in_err(na_fail_nomem(&x->failed));
	na_export_clocks_fini(&clocks);
}

void na_sql_bind_clock(sqlite3_stmt *s, int i, const struct na_export_clock *of)
{
	if (of && of->uncertainty_ps < NA_TIME_MAX) {
		sqlite3_bind_int64(s, i, na_sql_ns(of->ahead_ps));
		sqlite3_bind_int64(s, i + 1, na_sql_ns(of->uncertainty_ps));
	} else {
		sqlite3_bind_null(s, i);
		sqlite3_bind_null(s, i + 1);
	}
}
