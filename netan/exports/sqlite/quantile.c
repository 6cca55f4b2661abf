/*
 * Quantiles as aggregates, with the names and meaning that they have in
 * SQLite's shell from version 3.47 on (sqlite.org/percentile.html): of the
 * numbers in the column, nulls left out; null of none.
 */
#include <math.h>
#include <sqlite3.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/exports/sqlite/query.h"
#include "netan/stats/samples/quantile.h"

enum kind { MEDIAN, PERCENTILE, CONTINUOUS, DISCRETE };

static const struct function {
	const char *name;
	enum kind kind;
	int arguments;
} functions[] = {
	{"median", MEDIAN, 1},
	{"percentile", PERCENTILE, 2},
	{"percentile_cont", CONTINUOUS, 2},
	{"percentile_disc", DISCRETE, 2},
};

struct sample {
	NA_VEC(double) all;
	double share; /* 0 to 1 */
	bool begun;
};

/* The share that is asked for; NaN: it cannot be. */
static double share_of(const struct function *f, sqlite3_value **v)
{
	double p;

	if (f->kind == MEDIAN)
		return 0.5;
	if (sqlite3_value_numeric_type(v[1]) != SQLITE_INTEGER &&
	    sqlite3_value_numeric_type(v[1]) != SQLITE_FLOAT)
		return NAN;
	p = sqlite3_value_double(v[1]) / (f->kind == PERCENTILE ? 100 : 1);
	return p >= 0 && p <= 1 ? p : NAN;
}

static void fail(sqlite3_context *c, const struct function *f, const char *why)
{
	char *text = sqlite3_mprintf("%s(): %s", f->name, why);

	sqlite3_result_error(c, text ? text : why, -1);
	sqlite3_free(text);
}

static void add(sqlite3_context *c, int n, sqlite3_value **v)
{
	const struct function *f = sqlite3_user_data(c);
	struct sample *x = sqlite3_aggregate_context(c, sizeof(*x));
	double share = share_of(f, v);

	(void)n;
	if (!x) {
		sqlite3_result_error_nomem(c);
		return;
	}
	if (!isfinite(share)) {
		fail(c, f,
		     f->kind == PERCENTILE
			     ? "wanted a number from 0 to 100 behind the column"
			     : "wanted a number from 0 to 1 behind the column");
		return;
	}
	if (x->begun && fabs(share - x->share) > 1e-9) {
		fail(c, f, "the share is not the same for all rows");
		return;
	}
	x->begun = true;
	x->share = share;
	switch (sqlite3_value_type(v[0])) {
	case SQLITE_NULL:
		return;
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		break;
	default:
		fail(c, f, "wanted a column of numbers");
		return;
	}
	if (!na_add(&x->all, sqlite3_value_double(v[0])))
		sqlite3_result_error_nomem(c);
}

NA_ORDER(by_value, double, NA_CMP(*x, *y))

static void result(sqlite3_context *c)
{
	const struct function *f = sqlite3_user_data(c);
	struct sample *x = sqlite3_aggregate_context(c, 0);

	if (!x)
		return;
	na_sort(x->all.v, x->all.n, by_value);
	if (x->all.n && f->kind == DISCRETE)
		sqlite3_result_double(
			c,
			x->all.v[(size_t)(x->share * (double)(x->all.n - 1))]);
	else if (x->all.n)
		sqlite3_result_double(c, na_quantile_sorted(x->all.v, x->all.n,
							    x->share));
	na_vec_free(&x->all);
}

bool na_sql_functions(sqlite3 *db)
{
	for (size_t i = 0; i < NA_LEN(functions); i++) {
		const struct function *f = &functions[i];

		if (sqlite3_create_function_v2(db, f->name, f->arguments,
					       SQLITE_UTF8 |
						       SQLITE_DETERMINISTIC |
						       SQLITE_INNOCUOUS,
					       (void *)(uintptr_t)f, NULL, add,
					       result, NULL) != SQLITE_OK)
			return false;
	}
	return true;
}
