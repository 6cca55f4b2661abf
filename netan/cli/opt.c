#include "netan/cli/opt.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

/* Where the option was found and how the user wrote it, for messages. */
struct found {
	const struct na_opt *opt;
	void *params;
	char shown[80]; /* "--from" or "-j" */
};

#define for_each_opt(g, o, p_groups, p_n) \
	for (const struct na_opt_group *g = (p_groups); \
	     g < (p_groups) + (p_n); g++) \
		for (const struct na_opt *o = g->opts; o->kind != NA_OPT_NONE; \
		     o++)

const struct na_opt *na_opt_find(const struct na_opt_group *groups,
				 size_t n_groups, const char *name, size_t n)
{
	for_each_opt(g, o, groups,
		     n_groups) if (strncmp(o->name, name, n) == 0 &&
				   !o->name[n]) return o;
	return NULL;
}

const char *na_opt_word(const struct na_opt *opt, size_t k, size_t *n)
{
	const char *p = opt->arg;

	if (!p || !strchr(p, '|') ||
	    (opt->kind != NA_OPT_CHOICE && opt->kind != NA_OPT_TEXT))
		return NULL;
	for (; k; k--) {
		p = strchr(p, '|');
		if (!p)
			return NULL;
		p++;
	}
	*n = strcspn(p, "|");
	return p;
}

/* Megabytes at least, which people count by the million. */
static bool is_large(const struct na_opt *opt)
{
	return opt->kind == NA_OPT_BYTES && opt->min >= 1e6;
}

static const char *wanted(const struct na_opt *opt)
{
	switch (opt->kind) {
	case NA_OPT_COUNT:
		return "a whole number, such as 8";
	case NA_OPT_REAL:
		return "a number, such as 1.5";
	case NA_OPT_TIME:
		return "a time with its unit, such as 1.5s or "
		       "200us (ps ns us ms s m h)";
	case NA_OPT_BYTES:
		return is_large(opt) ? "a size, such as 512MB or 2GiB"
				     : "a size, such as 64KiB or 10MB";
	case NA_OPT_RATE:
		return "a rate with its unit, such as 100Gbps";
	default:
		return opt->arg ? opt->arg : "a value";
	}
}

static enum na_status bad_value(const struct found *f, const char *text,
				struct na_err *err)
{
	return na_fail(err, NA_EUSAGE, "%s %s: wanted %s", f->shown, text,
		       wanted(f->opt));
}

/* A number where time or rate wants its unit: show how it is written. */
static enum na_status no_unit(const struct found *f, const char *text,
			      struct na_err *err)
{
	char *end;

	strtod(text, &end);
	if (end == text || *end)
		return bad_value(f, text, err);
	return na_fail(err, NA_EUSAGE,
		       "%s %s: the unit is missing; for example %s %s%s (%s)",
		       f->shown, text, f->shown, text,
		       f->opt->kind == NA_OPT_TIME ? "ms" : "Gbps",
		       f->opt->kind == NA_OPT_TIME
			       ? "ps ns us ms s m h"
			       : "kbps Mbps Gbps Tbps, or GB/s");
}

static const char *bound_text(const struct na_opt *opt, double x, char *buf)
{
	if (opt->kind == NA_OPT_TIME)
		return na_print_time(buf, (int64_t)x, 4);
	if (opt->kind == NA_OPT_BYTES)
		return na_print_bytes(buf, x, 4);
	if (opt->kind == NA_OPT_RATE)
		return na_print_rate(buf, x, 4);
	return na_print_double(buf, x);
}

static enum na_status too_small(const struct found *f, const char *text,
				struct na_err *err)
{
	bool bare = !text[strspn(text, "0123456789")];
	char least[NA_UNIT_BUF];

	if (!is_large(f->opt))
		return na_fail(err, NA_EUSAGE, "%s %s: must be at least %s",
			       f->shown, text,
			       bound_text(f->opt, f->opt->min, least));
	return na_fail(err, NA_EUSAGE, "%s %s: must be at least %.0fMB%s",
		       f->shown, text, f->opt->min / 1e6,
		       bare ? "; without a unit it is bytes" : "");
}

static enum na_status check_range(const struct found *f, const char *text,
				  double x, struct na_err *err)
{
	const struct na_opt *o = f->opt;
	char lo[NA_UNIT_BUF], hi[NA_UNIT_BUF];
	bool bounded = o->min < 0 || o->min > 0 || o->max < 0 || o->max > 0;

	if (!bounded || (x >= o->min && (x <= o->max || o->max < o->min)))
		return NA_OK;
	if (o->max < o->min)
		return too_small(f, text, err);
	return na_fail(err, NA_EUSAGE, "%s %s: must be from %s to %s", f->shown,
		       text, bound_text(o, o->min, lo),
		       bound_text(o, o->max, hi));
}

static bool parse_count(const char *s, int64_t *out)
{
	const char *p = s + (*s == '-' || *s == '+');
	int64_t v = 0;

	if (!*p)
		return false;
	for (; *p; p++)
		if (*p < '0' || *p > '9' || !na_mul_i64(v, 10, &v) ||
		    !na_add_i64(v, *p - '0', &v))
			return false;
	*out = *s == '-' ? -v : v;
	return true;
}

/* Digits, point, exponent: not the "inf", "nan" and hex of strtod. */
static bool parse_real(const char *s, double *out)
{
	char *end;

	if (!*s || s[strspn(s, "+-.0123456789eE")])
		return false;
	*out = strtod(s, &end);
	return !*end && isfinite(*out);
}

static enum na_status set_i64(const struct found *f, const char *text, char *at,
			      struct na_err *err)
{
	uint64_t bytes;
	int64_t v;

	switch (f->opt->kind) {
	case NA_OPT_TIME:
		if (!na_parse_time(text, &v))
			return no_unit(f, text, err);
		break;
	case NA_OPT_BYTES:
		if (!na_parse_bytes(text, &bytes) || bytes > INT64_MAX)
			return bad_value(f, text, err);
		v = (int64_t)bytes;
		break;
	default:
		if (!parse_count(text, &v))
			return bad_value(f, text, err);
	}
	memcpy(at, &v, sizeof(v));
	return check_range(f, text, (double)v, err);
}

static enum na_status set_double(const struct found *f, const char *text,
				 char *at, struct na_err *err)
{
	double v;

	if (f->opt->kind == NA_OPT_RATE) {
		if (!na_parse_rate(text, &v))
			return no_unit(f, text, err);
	} else if (!parse_real(text, &v)) {
		return bad_value(f, text, err);
	}
	memcpy(at, &v, sizeof(v));
	return check_range(f, text, v, err);
}

static enum na_status bad_word(const struct found *f, const char *text,
			       struct na_err *err)
{
	char words[200];
	size_t used = 0;

	for (const char *p = f->opt->arg; *p && used + 3 < sizeof(words); p++) {
		if (*p == '|')
			words[used++] = ',';
		words[used++] = *p == '|' ? ' ' : *p;
	}
	words[used] = '\0';
	return na_fail(err, NA_EUSAGE, "%s %s: wanted one of %s", f->shown,
		       text, words);
}

/* The index of the word, or -1. */
static int word_index(const struct na_opt *opt, const char *text)
{
	size_t n;

	for (size_t k = 0;; k++) {
		const char *word = na_opt_word(opt, k, &n);

		if (!word)
			return -1;
		if (strlen(text) == n && memcmp(word, text, n) == 0)
			return (int)k;
	}
}

static enum na_status set_text(const struct found *f, const char *text,
			       char *at, struct na_err *err)
{
	const char *before;
	size_t n;

	memcpy(&before, at, sizeof(before));
	if (before && f->opt->max == 1)
		return na_fail(err, NA_EUSAGE,
			       "%s is given twice, as %s and %s: %s", f->shown,
			       before, text,
			       f->opt->path ? "one at a time"
					    : "it holds for all inputs");
	if (na_opt_word(f->opt, 0, &n) && word_index(f->opt, text) < 0)
		return bad_word(f, text, err);
	memcpy(at, &text, sizeof(text));
	return NA_OK;
}

static enum na_status set_choice(const struct found *f, const char *text,
				 char *at, struct na_err *err)
{
	int k = word_index(f->opt, text);

	if (k < 0)
		return bad_word(f, text, err);
	memcpy(at, &k, sizeof(k));
	return NA_OK;
}

static enum na_status add_text(char *at, const char *text, struct na_err *err)
{
	struct na_text_list *list = (void *)at;

	if (!na_grow(&list->items, &list->cap, list->n + 1,
		     sizeof(*list->items)))
		return na_fail_nomem(err);
	list->items[list->n++] = text;
	return NA_OK;
}

static enum na_status set_value(const struct found *f, const char *text,
				struct na_err *err)
{
	char *at = (char *)f->params + f->opt->offset;

	switch (f->opt->kind) {
	case NA_OPT_COUNT:
	case NA_OPT_TIME:
	case NA_OPT_BYTES:
		return set_i64(f, text, at, err);
	case NA_OPT_REAL:
	case NA_OPT_RATE:
		return set_double(f, text, at, err);
	case NA_OPT_TEXT:
		return set_text(f, text, at, err);
	case NA_OPT_CHOICE:
		return set_choice(f, text, at, err);
	case NA_OPT_LIST:
		return add_text(at, text, err);
	case NA_OPT_FLAG:
		*(bool *)(void *)at = true;
		return NA_OK;
	case NA_OPT_NONE:
		break;
	}
	return NA_OK;
}

enum na_status na_opt_defaults(const struct na_opt_group *groups,
			       size_t n_groups, struct na_err *err)
{
	for_each_opt(g, o, groups, n_groups)
	{
		struct found f = {o, g->params, ""};
		enum na_status st;

		if (!o->def || o->kind == NA_OPT_LIST)
			continue;
		snprintf(f.shown, sizeof(f.shown), "--%s", o->name);
		st = set_value(&f, o->def, err);
		if (st != NA_OK)
			return st;
	}
	return NA_OK;
}

void na_opt_free(const struct na_opt_group *groups, size_t n_groups)
{
	for_each_opt(g, o, groups, n_groups)
	{
		struct na_text_list *list;

		if (o->kind != NA_OPT_LIST)
			continue;
		list = (void *)((char *)g->params + o->offset);
		free(list->items);
		memset(list, 0, sizeof(*list));
	}
}

static bool find_long(const struct na_opt_parser *p, const char *name, size_t n,
		      struct found *f)
{
	for_each_opt(g, o, p->groups,
		     p->n_groups) if (strncmp(o->name, name, n) == 0 &&
				      !o->name[n])
	{
		f->opt = o;
		f->params = g->params;
		snprintf(f->shown, sizeof(f->shown), "--%s", o->name);
		return true;
	}
	return false;
}

static bool find_short(const struct na_opt_parser *p, char c, struct found *f)
{
	for_each_opt(g, o, p->groups,
		     p->n_groups) if (o->short_name && o->short_name == c)
	{
		f->opt = o;
		f->params = g->params;
		snprintf(f->shown, sizeof(f->shown), "-%c", c);
		return true;
	}
	return false;
}

static enum na_status unknown(const struct na_opt_parser *p, const char *name,
			      size_t n, struct na_err *err)
{
	const char *names[256];
	size_t count = 0;
	const char *close, *other;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", n < 63 ? (int)n : 63, name);
	for_each_opt(g, o, p->groups, p->n_groups) if (count < NA_LEN(names))
		names[count++] = o->name;
	close = na_closest(word, names, count);
	if (close)
		return na_fail(err, NA_EUSAGE,
			       "unknown option --%s; did you "
			       "mean --%s?",
			       word, close);
	other = p->elsewhere ? p->elsewhere(word) : NULL;
	return na_fail(err, NA_EUSAGE, "unknown option --%s%s%s%s", word,
		       other ? "; netan " : "", other ? other : "",
		       other ? " has it" : "");
}

/* The value in the next argument.  One that is itself an option here was
 * hardly meant as a value. */
static enum na_status next_value(const struct na_opt_parser *p,
				 const struct found *f, int argc,
				 char *const *argv, int *k, const char **text,
				 struct na_err *err)
{
	const char *next = *k + 1 < argc ? argv[*k + 1] : NULL;
	struct found other;

	if (!next || strcmp(next, "--") == 0 ||
	    (strncmp(next, "--", 2) == 0 &&
	     find_long(p, next + 2, strcspn(next + 2, "="), &other)))
		return na_fail(err, NA_EUSAGE, "%s needs a value: %s", f->shown,
			       wanted(f->opt));
	*text = next;
	++*k;
	return NA_OK;
}

static enum na_status parse_long(const struct na_opt_parser *p, int argc,
				 char *const *argv, int *k, struct na_err *err)
{
	const char *name = argv[*k] + 2, *text = NULL;
	size_t n = strcspn(name, "=");
	struct found f;
	enum na_status st;

	if (!find_long(p, name, n, &f))
		return unknown(p, name, n, err);
	if (f.opt->kind == NA_OPT_FLAG) {
		if (name[n])
			return na_fail(err, NA_EUSAGE, "%s takes no value",
				       f.shown);
		return set_value(&f, "", err);
	}
	if (name[n])
		return set_value(&f, name + n + 1, err);
	st = next_value(p, &f, argc, argv, k, &text, err);
	return st == NA_OK ? set_value(&f, text, err) : st;
}

static enum na_status parse_short(const struct na_opt_parser *p, int argc,
				  char *const *argv, int *k, struct na_err *err)
{
	const char *text = NULL;
	struct found f;
	enum na_status st;

	for (const char *c = argv[*k] + 1; *c; c++) {
		if (!find_short(p, *c, &f))
			return na_fail(err, NA_EUSAGE, "unknown option -%c%s%s",
				       *c, argv[*k][2] ? " in " : "",
				       argv[*k][2] ? argv[*k] : "");
		if (f.opt->kind == NA_OPT_FLAG) {
			st = set_value(&f, "", err);
			if (st != NA_OK)
				return st;
			continue;
		}
		if (c[1])
			return set_value(&f, c + 1 + (c[1] == '='), err);
		st = next_value(p, &f, argc, argv, k, &text, err);
		return st == NA_OK ? set_value(&f, text, err) : st;
	}
	return NA_OK;
}

enum na_status na_opt_parse(const struct na_opt_parser *p, int argc,
			    char *const *argv, struct na_err *err)
{
	bool only_operands = false;

	for (int k = 0; k < argc; k++) {
		const char *arg = argv[k];
		enum na_status st;

		if (only_operands || arg[0] != '-' || !arg[1]) {
			st = p->operand(p->ctx, arg, err);
		} else if (strcmp(arg, "--") == 0) {
			only_operands = true;
			continue;
		} else if (arg[1] == '-') {
			st = parse_long(p, argc, argv, &k, err);
		} else {
			st = parse_short(p, argc, argv, &k, err);
		}
		if (st != NA_OK)
			return st;
	}
	return NA_OK;
}
