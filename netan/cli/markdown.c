/*
 * The pages of docs/commands in Markdown, from the same tables as the help.
 * Each has a place for notes that are written by hand; tools/docs.sh keeps
 * what stands there.
 */
#include <string.h>

#include "netan/cli/common.h"
#include "netan/result/member.h"

/* Text that Markdown must not take for its own, without what ends it. */
static void put_text(FILE *out, const char *s, size_t n)
{
	for (; n; n--, s++) {
		if (*s == '<') {
			fputs("&lt;", out);
			continue;
		}
		if (strchr("*_[]|`\\", *s))
			putc('\\', out);
		putc(*s, out);
	}
}

static void put_string(FILE *out, const char *s)
{
	if (s)
		put_text(out, s, strlen(s));
}

/* In a table's cell, as code: a bar ends the cell even there. */
static void put_code(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '|')
			putc('\\', out);
		putc(*s, out);
	}
}

/* A line that ends no sentence goes on in the next one. */
static bool goes_on(const char *line, size_t n)
{
	return n && *line != ' ' && !strchr(".:;", line[n - 1]) && line[n] &&
	       line[n + 1] != ' ';
}

/* Paragraphs; lines that start with a space are shown as they are. */
static void put_paragraphs(FILE *out, const char *text)
{
	bool apart = true, shown = false;

	while (*text) {
		size_t n = strcspn(text, "\n");
		bool show = *text == ' ';

		if (n && apart && (!show || !shown))
			putc('\n', out);
		if (show)
			fprintf(out, "   %.*s", (int)n, text);
		else
			put_text(out, text, n);
		if (n)
			putc('\n', out);
		shown = show;
		apart = !goes_on(text, n);
		text += n + (text[n] == '\n');
	}
}

static void put_option(FILE *out, const struct na_opt *o)
{
	fputs("| `", out);
	if (o->short_name)
		fprintf(out, "-%c`, `", o->short_name);
	fprintf(out, "--%s", o->name);
	if (o->kind != NA_OPT_FLAG && o->arg) {
		putc(' ', out);
		put_code(out, o->arg);
	}
	fputs("` | ", out);
	put_string(out, o->help);
	if (o->kind == NA_OPT_LIST)
		fputs(" (can be repeated)", out);
	fputs(" | ", out);
	if (o->def && o->kind != NA_OPT_FLAG)
		put_string(out, o->def);
	fputs(" |\n", out);
}

static void put_options(FILE *out, const struct na_command *c)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);

	for (size_t k = 0; k < n; k++) {
		const struct na_opt *o = groups[k].opts;

		if (o->kind == NA_OPT_NONE)
			continue;
		fprintf(out, "\n## %s\n\n| option | meaning | default |\n",
			groups[k].title);
		fputs("| --- | --- | --- |\n", out);
		for (; o->kind != NA_OPT_NONE; o++)
			put_option(out, o);
	}
}

static void put_ids(FILE *out, const struct na_command *c)
{
	const char *id, *what;

	if (!c->ids)
		return;
	fputs("\n| ID | meaning |\n| --- | --- |\n", out);
	for (size_t k = 0; (id = c->ids(k, &what)); k++) {
		fprintf(out, "| `%s` | ", id);
		put_string(out, what);
		fputs(" |\n", out);
	}
}

/* ---- members of the JSON */

/* clang-format off */
static const char *const types[] = {
	[NA_T_COUNT] = "integer, 0 or more",
	[NA_T_INTEGER] = "integer",
	[NA_T_INTEGER_OR_NULL] = "integer or null",
	[NA_T_NUMBER] = "number",
	[NA_T_NUMBER_OR_NULL] = "number or null",
	[NA_T_AMOUNT] = "number, 0 or more",
	[NA_T_TEXT] = "text",
	[NA_T_TEXT_OR_NULL] = "text or null",
	[NA_T_BOOL] = "true or false",
	[NA_T_BOOL_OR_NULL] = "true, false or null",
	[NA_T_NULL] = "null",
	[NA_T_NUMBERS] = "numbers or nulls",
	[NA_T_INTEGERS] = "integers",
	[NA_T_TEXTS] = "texts",
	[NA_T_OBJECT] = "object",
	[NA_T_LIST] = "objects",
};
/* clang-format on */

static bool is_list(enum na_type t)
{
	return t == NA_T_LIST || t == NA_T_NUMBERS || t == NA_T_INTEGERS ||
	       t == NA_T_TEXTS;
}

static void put_type(FILE *out, const struct na_member *m)
{
	const char *code = m->more;

	if (!code && m->of)
		code = m->of->json;
	if (code) {
		fputs("`", out);
		put_code(out, code);
		fputs("`", out);
	} else {
		fputs(types[m->type], out);
		if (m->of && m->of->nullable)
			fputs(" or null", out);
	}
	if (m->maybe)
		fputs("; may be absent", out);
}

static void put_members(FILE *out, const struct na_table *t, const char *path);

static void put_member(FILE *out, const struct na_member *m, const char *path)
{
	char at[256], below[sizeof(at) + 1];

	if (m->type == NA_T_HIDDEN)
		return;
	snprintf(at, sizeof(at), "%s%s%s", path, m->name,
		 is_list(m->type) ? "[]" : "");
	fprintf(out, "| `%s` | ", at);
	put_type(out, m);
	fputs(" | ", out);
	put_string(out, m->column.header);
	fputs(" | ", out);
	put_string(out, m->doc);
	fputs(" |\n", out);
	if (!m->of)
		return;
	snprintf(below, sizeof(below), "%s.", at);
	put_members(out, m->of, below);
}

static void put_members(FILE *out, const struct na_table *t, const char *path)
{
	if (t->base)
		put_members(out, t->base, path);
	for (const struct na_member *m = t->members; m && m->name; m++)
		put_member(out, m, path);
}

static void put_document(FILE *out, const char *name)
{
	const struct na_document *d = na_document_find(name);

	if (!d)
		return;
	fputs("\n## JSON\n\nMembers of `result`, and the columns of tables "
	      "that show them; all of the JSON: `netan help --schema ",
	      out);
	fprintf(out, "%s`.\n\n| member | type | column | meaning |\n", name);
	fputs("| --- | --- | --- | --- |\n", out);
	put_members(out, d->result, "");
}

static void put_notes(FILE *out)
{
	fputs("\n<!-- notes: by hand; `make docs` writes all else -->\n"
	      "<!-- end of notes -->\n",
	      out);
}

static void put_method(FILE *out, const char *method)
{
	if (!method)
		return;
	fputs("\n## Method\n\n", out);
	put_string(out, method);
	fputs("; see [how netan computes its numbers](../methods.md).\n", out);
}

/* On the page of the command that shows them. */
static void put_terms(FILE *out)
{
	fputs("\n## Words\n\n| word | meaning |\n| --- | --- |\n", out);
	for (const struct na_term *t = na_terms; t->word; t++) {
		fputs("| ", out);
		put_string(out, t->word);
		fputs(" | ", out);
		put_string(out, t->meaning);
		fputs(" |\n", out);
	}
}

static void command_page(const struct na_command *c, FILE *out)
{
	const struct na_command_info *info = c->info;

	fprintf(out, "# netan %s\n\n", info->name);
	put_string(out, info->question);
	fprintf(out, "\n\n    netan %s %s\n", info->name, info->usage);
	if (info->details)
		put_paragraphs(out, info->details);
	if (na_when_stopped(c))
		put_paragraphs(out, na_when_stopped(c));
	put_ids(out, c);
	if (info->example)
		fprintf(out, "\n```\n%s\n```\n", info->example);
	put_notes(out);
	put_options(out, c);
	put_method(out, info->method);
	put_document(out, info->name);
	if (strcmp(info->name, "help") == 0)
		put_terms(out);
}

static void program_page(FILE *out)
{
	fputs("# Commands\n\n| command | question |\n| --- | --- |\n", out);
	for (const struct na_command *const *c = na_commands; *c; c++) {
		const struct na_command_info *info = (*c)->info;

		fprintf(out, "| [`%s`](%s.md) | ", info->name, info->name);
		put_string(out, info->question);
		fputs(" |\n", out);
	}
	put_notes(out);
}

void na_markdown_page(const struct na_command *c, FILE *out)
{
	if (c)
		command_page(c, out);
	else
		program_page(out);
}
