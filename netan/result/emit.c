#include "netan/result/emit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/ranges.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit_impl.h"

/* clang-format off */
const struct na_emitter na_emitters[] = {
	{"table", na_emit_table},
	{"json", na_emit_json},
	{"csv", na_emit_csv},
	{"tsv", na_emit_tsv},
	{"md", na_emit_md},
	{NULL, NULL}
};
/* clang-format on */

const struct na_emitter *na_emitter_find(const char *name)
{
	for (const struct na_emitter *e = na_emitters; e->name; e++)
		if (strcmp(e->name, name) == 0)
			return e;
	return NULL;
}

enum na_status na_emit_done(FILE *out, struct na_err *err)
{
	if (fflush(out) == 0 && !ferror(out))
		return NA_OK;
	return na_fail(err, NA_EIO, "%s", strerror(errno ? errno : EIO));
}

bool na_cell_is_number(const struct na_column *col)
{
	return col->format != NA_F_TEXT && col->format != NA_F_NAMES &&
	       col->format != NA_F_RANKS && col->format != NA_F_WORDS &&
	       col->format != NA_F_JSON;
}

/* Units that a header may end in, and what one of them is: of times in seconds,
 * of amounts in bytes, of rates in bits a second. */
enum quantity { TIME, BYTES, RATE };
static const struct unit {
	const char *name;
	enum quantity of;
	double is;
} units[] = {
	{"ns", TIME, 1e-9},
	{"us", TIME, 1e-6},
	{"ms", TIME, 1e-3},
	{"s", TIME, 1},
	{"KiB", BYTES, 1024},
	{"MiB", BYTES, 1048576},
	{"Mbit/s", RATE, 1e6},
};

/* The unit that a header says, with where it stands and what follows it: "p50
 * us", "bin, ms", "peak MiB (largest bin)", but not "per s".  NULL: none, or
 * each figure shall be in the same one. */
static const struct unit *unit_of(const struct na_column *col, size_t *at,
				  const char **rest)
{
	const char *header = col->header;
	size_t end = strcspn(header, "("), from;

	if (col->format != NA_F_NUMBER)
		return NULL;
	*rest = header + end;
	while (end && header[end - 1] == ' ')
		end--;
	for (from = end; from && header[from - 1] != ' '; from--)
		;
	*at = from;
	while (*at && strchr(" ,", header[*at - 1]))
		--*at;
	if (*at >= 3 && strncmp(header + *at - 3, "per", 3) == 0)
		return NULL;
	for (size_t i = 0; i < NA_LEN(units); i++) {
		if (strlen(units[i].name) == end - from &&
		    strncmp(header + from, units[i].name, end - from) == 0)
			return &units[i];
	}
	return NULL;
}

const char *na_cell_header(const struct na_column *col, char buf[NA_CELL_BUF])
{
	const char *rest;
	size_t at;
	const struct unit *u = unit_of(col, &at, &rest);

	if (!u)
		return col->header;
	if (at)
		snprintf(buf, NA_CELL_BUF, "%.*s%s%s", (int)at, col->header,
			 *rest ? " " : "", rest);
	else
		strcpy(buf, u->of == TIME   ? "time"
			    : u->of == RATE ? "rate"
					    : "bytes");
	return buf;
}

static const char *with_unit(const struct unit *u, double x, int digits,
			     char buf[NA_CELL_BUF])
{
	x *= u->is;
	/* A time beyond a hundred days is none that was measured. */
	if (u->of == TIME && fabs(x) < 9e6)
		return na_print_time(buf, llround(x * 1e12), digits);
	return u->of == TIME   ? na_print_number(buf, x, digits)
	       : u->of == RATE ? na_print_rate(buf, x, digits)
			       : na_print_bytes(buf, x, digits);
}

/* In its shortest form, "3.0" and "0.08"; at least one digit is behind the
 * point where there is something. */
static const char *plain_text(double x, int digits, char buf[NA_CELL_BUF])
{
	double size = fabs(x);
	int whole = size >= 1 && size < 1e14 ? (int)log10(size) + 1 : 0;

	if (!isfinite(x))
		return "-";
	snprintf(buf, NA_CELL_BUF, "%.*g", whole < digits ? digits : whole + 1,
		 x);
	if (!strpbrk(buf, ".e"))
		strcat(buf, ".0");
	return buf;
}

/* Of so many significant digits none is behind the point. */
static bool is_whole(const struct na_column *col, double x)
{
	int digits = col->digits ? col->digits : 4;

	return fabs(x) < 9e15 &&
	       (col->format == NA_F_COUNT ||
		(col->format == NA_F_NUMBER &&
		 fabs(x) >= 1000 && fabs(x) >= pow(10, digits - 1)));
}

static const char *number_text(const struct na_column *col, double x,
			       char buf[NA_CELL_BUF])
{
	const char *rest;
	size_t at;
	const struct unit *u = unit_of(col, &at, &rest);
	double shown = col->scale < 0    ? x / -col->scale
		       : col->scale != 0 ? x * col->scale
					 : x;
	bool whole = is_whole(col, shown);

	if (u)
		return isfinite(shown)
			       ? with_unit(u, shown,
					   col->digits ? col->digits : 4, buf)
			       : "-";
	if (col->format == NA_F_FACTOR)
		return exp(x) >= 1000 && exp(x) < 9e15
			       ? na_print_count(buf, (uint64_t)llround(exp(x)))
			       : na_print_number(buf, exp(x), col->digits);
	if (whole && shown < 0) {
		buf[0] = '-';
		na_print_count(buf + 1, (uint64_t)llround(-shown));
		return buf;
	}
	if (whole)
		return na_print_count(buf, (uint64_t)llround(shown));
	if (col->format == NA_F_FIXED)
		return na_print_fixed(buf, shown, col->digits);
	if (col->format == NA_F_TIMES)
		return na_print_times(buf, shown, col->digits);
	if (col->format == NA_F_CHANCE)
		return na_print_chance(buf, shown);
	if (col->format == NA_F_PLAIN)
		return plain_text(shown, col->digits, buf);
	if (col->format == NA_F_NUMBER)
		return na_print_number(buf, shown,
				       col->digits ? col->digits : 4);
	return isfinite(shown) ? na_print_double(buf, shown) : "-";
}

static const char *int_text(const struct na_column *col, int64_t i,
			    char buf[NA_CELL_BUF])
{
	bool plain = col->scale == 0 || fabs(col->scale - 1) < 1e-15;

	if (plain && (!na_cell_is_number(col) ||
		      (col->format == NA_F_FIXED && !col->digits))) {
		snprintf(buf, NA_CELL_BUF, "%lld", (long long)i);
		return buf;
	}
	if (col->format == NA_F_COUNT && plain && i >= 0)
		return na_print_count(buf, (uint64_t)i);
	return number_text(col, (double)i, buf);
}

/* A text of JSON, from *s on, without its marks; *s is behind it then. */
static void add_string(struct na_str *to, const char **s)
{
	const char *p = *s + 1;

	for (; *p && *p != '"'; p++) {
		if (*p != '\\' || !p[1] || p[1] == 'u')
			na_str_addf(to, "%c", *p);
		else
			na_str_addf(to, "%c", *++p == 'n' ? ' ' : *p);
	}
	*s = *p ? p : p - 1;
}

/* Names and values as they stand there; what is deeper is in brackets. */
static const char *json_text(const char *json, char buf[NA_CELL_BUF])
{
	struct na_str to = na_str_over(buf, NA_CELL_BUF);
	size_t depth = 0;
	bool list = *json == '[';

	buf[0] = '\0';
	for (const char *s = json; *s && to.n + 5 < NA_CELL_BUF; s++) {
		if (*s == '"')
			add_string(&to, &s);
		else if (strchr("[{", *s))
			na_str_addf(&to, "%s", depth++ ? "(" : "");
		else if (strchr("]}", *s))
			na_str_addf(&to, "%s", depth && --depth ? ")" : "");
		else if (*s == ',')
			na_str_addf(&to, "%s", list && depth == 1 ? ";" : ",");
		else if (*s != ':')
			na_str_addf(&to, "%c", *s);
	}
	if (to.n + 5 >= NA_CELL_BUF)
		strcpy(buf + NA_CELL_BUF - 5, " ...");
	return buf;
}

static const char *string_text(const struct na_column *col, const char *text,
			       char buf[NA_CELL_BUF])
{
	switch (col->format) {
	case NA_F_RANKS:
		return na_ranges_of(text, buf, NA_CELL_BUF);
	case NA_F_JSON:
		return json_text(text, buf);
	case NA_F_WORDS:
		return na_print_words(buf, NA_CELL_BUF, text);
	case NA_F_DECLARED:
	case NA_F_TEXT:
	case NA_F_COUNT:
	case NA_F_NUMBER:
	case NA_F_FIXED:
	case NA_F_PLAIN:
	case NA_F_FACTOR:
	case NA_F_TIMES:
	case NA_F_CHANCE:
	case NA_F_NAMES:
	case NA_F_LENGTH:
		break;
	}
	return text;
}

static const char *scalar_text(const struct na_column *col,
			       const struct na_value *v, char buf[NA_CELL_BUF])
{
	switch (v->kind) {
	case NA_V_BOOL:
		return v->u.flag ? "yes" : "no";
	case NA_V_INT:
		return int_text(col, v->u.i, buf);
	case NA_V_ID:
		snprintf(buf, NA_CELL_BUF, "%" PRIu64, v->u.id);
		return buf;
	case NA_V_REAL:
		return number_text(col, v->u.d, buf);
	case NA_V_TEXT:
		return string_text(col, v->u.text, buf);
	case NA_V_NULL:
	case NA_V_OBJECT:
	case NA_V_LIST:
	case NA_V_REALS:
	case NA_V_ROWS:
		break;
	}
	return "-";
}

static bool join(char *buf, size_t *used, const char *part)
{
	size_t n = strlen(part), comma = *used ? 2 : 0;

	if (*used + comma + n + 6 > NA_CELL_BUF) {
		strcpy(buf + *used, *used ? ", ..." : "...");
		return false;
	}
	memcpy(buf + *used, ", ", comma);
	memcpy(buf + *used + comma, part, n + 1);
	*used += comma + n;
	return true;
}

static const char *list_text(const struct na_column *col,
			     const struct na_value *list, char buf[NA_CELL_BUF])
{
	char part[NA_CELL_BUF];
	size_t used = 0;

	strcpy(buf, "-");
	if (list->kind == NA_V_REALS) {
		for (size_t k = 0; k < list->n; k++)
			if (!join(buf, &used,
				  number_text(col, list->u.reals[k], part)))
				break;
		return buf;
	}
	/* An object in a cell reads "a, b": its values in order. */
	na_for_each (v, list)
		if (!join(buf, &used, scalar_text(col, v, part)))
			break;
	return buf;
}

static const char *names_text(const struct na_value *list,
			      char buf[NA_CELL_BUF])
{
	struct na_str to = na_str_over(buf, NA_CELL_BUF);
	size_t shown = list->n <= 3 ? list->n : 2, i = 0;

	na_for_each (v, list) {
		if (i++ == shown)
			break;
		na_str_join(&to, ", ", "%.100s", na_text_of(v, ""));
	}
	if (shown < list->n)
		na_str_addf(&to, " and %zu more", list->n - shown);
	return buf;
}

const char *na_cell_text(const struct na_column *col,
			 const struct na_value *row, char buf[NA_CELL_BUF])
{
	const struct na_value *v = na_dig(row, col->field);

	if (!v && row && row->kind != NA_V_OBJECT)
		v = row; /* a list of plain values */
	if (!v)
		return "-";
	if (col->format == NA_F_LENGTH)
		return na_print_count(buf, v->n);
	if (col->format == NA_F_NAMES)
		return names_text(v, buf);
	if (na_is_container(v) || v->kind == NA_V_REALS)
		return list_text(col, v, buf);
	return scalar_text(col, v, buf);
}

size_t na_view_shown(const struct na_view *view, size_t *hidden)
{
	size_t n = view->list->kind == NA_V_LIST ? view->list->n : 0;
	size_t shown = view->max_rows && n > view->max_rows ? view->max_rows
							    : n;

	*hidden = n - shown;
	return shown;
}

void na_put_words(enum na_escape how, const char *text, const char *before,
		  const char *after, FILE *out)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);

		fputs(before, out);
		na_escape_to(how, line ? line : "", out);
		fputs(after, out);
		free(line);
		text += n + (text[n] == '\n');
	}
}
