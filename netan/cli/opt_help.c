/*
 * Option tables printed for people.
 */
#include <string.h>

#include "netan/base/text.h"
#include "netan/cli/opt.h"
#include "netan/cli/output/screen.h"

enum { HELP_AT = 27, HELP_AT_NARROW = 10, NARROW = 60 };

/* The column of the words. */
static size_t help_at(void)
{
	return na_help_columns() < NARROW ? HELP_AT_NARROW : HELP_AT;
}

/* Words from column `at` on, wrapped and indented to help_at(). */
static void put_wrapped(FILE *out, const char *text, size_t *at)
{
	size_t from = help_at(), columns = na_help_columns();

	while (*text) {
		size_t n = strcspn(text, " ");
		char word[128];
		size_t width;

		snprintf(word, sizeof(word), "%.*s", n < 127 ? (int)n : 127,
			 text);
		width = na_text_width(word);
		if (*at > from && *at + 1 + width > columns) {
			fprintf(out, "\n%*s", (int)from, "");
			*at = from;
		} else if (*at > from) {
			putc(' ', out);
			++*at;
		}
		fputs(word, out);
		*at += width;
		text += n;
		text += strspn(text, " ");
	}
}

static size_t put_names(FILE *out, const struct na_opt *o)
{
	size_t at = 0;
	int n;

	if (o->short_name)
		n = fprintf(out, "  -%c, --%s", o->short_name, o->name);
	else
		n = fprintf(out, "      --%s", o->name);
	at += n > 0 ? (size_t)n : 0;
	if (o->kind != NA_OPT_FLAG && o->arg) {
		fprintf(out, " %s", o->arg);
		at += 1 + na_text_width(o->arg);
	}
	return at;
}

/* The option, and where its help begins: in a line of its own where the names
 * are long, or behind them where `text` has room there. */
static size_t put_head(FILE *out, const struct na_opt *o, const char *text)
{
	size_t at = put_names(out, o), from = help_at();

	if (at + 2 > from && text &&
	    at + 2 + na_text_width(text) <= na_help_columns()) {
		fputs("  ", out);
		return from;
	}
	if (at + 2 > from)
		fprintf(out, "\n%*s", (int)from, "");
	else
		fprintf(out, "%*s", (int)(from - at), "");
	return from;
}

/* The first clause of its help. */
static void first_clause(const struct na_opt *o, char *text, size_t size)
{
	const char *help = o->help ? o->help : "";
	size_t n = strcspn(help, ";:(");

	while (n && help[n - 1] == ' ')
		n--;
	snprintf(text, size, "%.*s", (int)(n < size ? n : size - 1), help);
}

void na_opt_help_brief(const struct na_opt *o, FILE *out)
{
	char text[256];
	size_t at;

	if (o->brief)
		snprintf(text, sizeof(text), "%s", o->brief);
	else
		first_clause(o, text, sizeof(text));
	at = put_head(out, o, text);
	put_wrapped(out, text, &at);
	putc('\n', out);
}

void na_opt_help_one(const struct na_opt *o, FILE *out)
{
	size_t at = put_head(out, o, NULL);
	char def[96];

	put_wrapped(out, o->help ? o->help : "", &at);
	if (o->def && o->kind != NA_OPT_FLAG) {
		snprintf(def, sizeof(def), "(default: %s)", o->def);
		put_wrapped(out, def, &at);
	}
	if (o->kind == NA_OPT_LIST)
		put_wrapped(out, "(can be repeated)", &at);
	putc('\n', out);
}

void na_opt_help(const struct na_opt_group *groups, size_t n_groups, FILE *out)
{
	for (size_t k = 0; k < n_groups; k++) {
		if (groups[k].opts->kind == NA_OPT_NONE)
			continue;
		fprintf(out, "\n%s:\n", groups[k].title);
		for (const struct na_opt *o = groups[k].opts;
		     o->kind != NA_OPT_NONE; o++)
			na_opt_help_one(o, out);
	}
}
