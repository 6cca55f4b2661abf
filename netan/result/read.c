/* What readers of a result ask its values for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/result/result.h"

/* Of an object by name, of a list by number. */
static const struct na_value *member(const struct na_value *in,
				     const char *name, size_t len)
{
	bool list = in && in->kind == NA_V_LIST && *name >= '0' && *name <= '9';
	size_t before = list ? strtoul(name, NULL, 10) : 0;

	if (!list && (!in || in->kind != NA_V_OBJECT))
		return NULL;
	na_for_each (v, in) {
		if (list ? !before--
			 : strncmp(v->name, name, len) == 0 && !v->name[len])
			return v;
	}
	return NULL;
}

const struct na_value *na_get(const struct na_value *in, const char *name)
{
	return name ? member(in, name, strlen(name)) : NULL;
}

const struct na_value *na_dig(const struct na_value *in, const char *path)
{
	while (in && path) {
		size_t len = strcspn(path, ".");

		in = member(in, path, len);
		path = path[len] ? path + len + 1 : NULL;
	}
	return in;
}

double na_real_of(const struct na_value *v, double fallback)
{
	if (v && v->kind == NA_V_REAL)
		return v->u.d;
	if (v && v->kind == NA_V_INT)
		return (double)v->u.i;
	return fallback;
}

int64_t na_int_of(const struct na_value *v, int64_t fallback)
{
	if (v && v->kind == NA_V_INT)
		return v->u.i;
	if (v && v->kind == NA_V_BOOL)
		return v->u.flag;
	if (v && v->kind == NA_V_REAL && fabs(v->u.d) < 9.2e18)
		return (int64_t)v->u.d;
	return fallback;
}

const char *na_text_of(const struct na_value *v, const char *fallback)
{
	return v && v->kind == NA_V_TEXT ? v->u.text : fallback;
}

double na_number_or(const struct na_value *in, const char *path,
		    double fallback)
{
	return na_real_of(na_dig(in, path), fallback);
}

double na_number_at(const struct na_value *in, const char *path)
{
	return na_number_or(in, path, NAN);
}

int64_t na_count_or(const struct na_value *in, const char *path,
		    int64_t fallback)
{
	return na_int_of(na_dig(in, path), fallback);
}

int64_t na_count_at(const struct na_value *in, const char *path)
{
	return na_count_or(in, path, 0);
}

const char *na_text_or(const struct na_value *in, const char *path,
		       const char *fallback)
{
	return na_text_of(na_dig(in, path), fallback);
}

const char *na_text_at(const struct na_value *in, const char *path)
{
	return na_text_or(in, path, "");
}

bool na_flag_at(const struct na_value *in, const char *path)
{
	const struct na_value *v = na_dig(in, path);

	return v && v->kind == NA_V_BOOL && v->u.flag;
}

const struct na_value *na_first(const struct na_value *in, const char *name)
{
	return na_items(na_get(in, name));
}

size_t na_length(const struct na_value *in, const char *name)
{
	const struct na_value *list = na_get(in, name);

	return list && list->kind == NA_V_LIST ? list->n : 0;
}

const double *na_reals_of(const struct na_value *v, size_t *n)
{
	bool packed = v && v->kind == NA_V_REALS;

	if (n)
		*n = packed ? v->n : 0;
	return packed ? v->u.reals : NULL;
}

const double *na_reals_at(const struct na_value *in, const char *name,
			  size_t least)
{
	size_t n;
	const double *x = na_reals_of(na_get(in, name), &n);

	return x && n >= least ? x : NULL;
}

const int64_t *na_rows_of(const struct na_value *v, size_t *n)
{
	bool packed = v && v->kind == NA_V_ROWS;

	if (n)
		*n = packed ? v->n : 0;
	return packed ? v->u.rows.cells : NULL;
}
