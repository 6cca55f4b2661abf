/*
 * The pages of docs/commands in Markdown, from the same tables as the help.
 * Each has a place for notes that are written by hand; tools/docs.sh keeps
 * what stands there.
 */
#include <string.h>

#include "netan/base/vec.h"
#include "netan/cli/common.h"
#include "netan/cli/pages/markdown.h"

void na_markdown_text(FILE *out, const char *s, size_t n)
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
		na_markdown_text(out, s, strlen(s));
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
			na_markdown_text(out, text, n);
		if (n)
			putc('\n', out);
		shown = show;
		apart = !goes_on(text, n);
		text += n + (text[n] == '\n');
	}
}

static void put_option(FILE *out, const struct na_opt *o)
{
	fputs("- `", out);
	if (o->short_name)
		fprintf(out, "-%c`, `", o->short_name);
	fprintf(out, "--%s", o->name);
	if (o->kind != NA_OPT_FLAG && o->arg)
		fprintf(out, " %s", o->arg);
	fputs("`: ", out);
	put_string(out, o->help);
	if (o->kind == NA_OPT_LIST)
		fputs(" (can be repeated)", out);
	if (o->def && o->kind != NA_OPT_FLAG) {
		fputs(" (default: ", out);
		put_string(out, o->def);
		putc(')', out);
	}
	putc('\n', out);
}

static void put_option_head(FILE *out, const char *title)
{
	fprintf(out, "\n## %s\n\n", title);
}

/* How many commands have a group of options of that title? */
static size_t n_commands_with(const char *title)
{
	size_t found = 0;

	for (const struct na_command *const *c = na_commands; *c; c++) {
		struct na_opt_group groups[NA_MAX_GROUPS];
		size_t n = na_command_groups(*c, NULL, groups);

		for (size_t k = 0; k < n; k++) {
			if (groups[k].opts->kind != NA_OPT_NONE)
				found += strcmp(groups[k].title, title) == 0;
		}
	}
	return found;
}

/* Groups that several commands have are on the page of all commands. */
static bool is_shared(const struct na_opt_group *g)
{
	return strcmp(g->title, "Options") != 0 &&
	       n_commands_with(g->title) > 1;
}

static void put_options(FILE *out, const struct na_command *c)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);
	bool any = false;

	for (size_t k = 0; k < n; k++) {
		const struct na_opt *o = groups[k].opts;

		if (o->kind == NA_OPT_NONE || is_shared(&groups[k]))
			continue;
		put_option_head(out, groups[k].title);
		for (; o->kind != NA_OPT_NONE; o++)
			put_option(out, o);
	}
	for (size_t k = 0; k < n; k++) {
		if (groups[k].opts->kind == NA_OPT_NONE ||
		    !is_shared(&groups[k]))
			continue;
		fputs(any ? ", " : "\n## Shared options\n\n", out);
		any = true;
		fprintf(out, "[%s](README.md#", groups[k].title);
		for (const char *s = groups[k].title; *s; s++)
			putc(*s == ' ' ? '-' : *s | 0x20, out);
		putc(')', out);
	}
	if (any)
		putc('\n', out);
}

/* The options of that title which tables of commands hold, each once. */
static void put_shared_group(FILE *out, const char *title)
{
	const struct na_opt *shown[64];
	size_t n_shown = 0;

	put_option_head(out, title);
	for (const struct na_command *const *c = na_commands; *c; c++) {
		struct na_opt_group groups[NA_MAX_GROUPS];
		size_t n = na_command_groups(*c, NULL, groups), k = 0, i;

		while (k < n && strcmp(groups[k].title, title) != 0)
			k++;
		if (k == n)
			continue;
		for (const struct na_opt *o = groups[k].opts;
		     o->kind != NA_OPT_NONE; o++) {
			for (i = 0; i < n_shown; i++) {
				if (strcmp(shown[i]->name, o->name) == 0)
					break;
			}
			if (i < n_shown || n_shown == NA_LEN(shown))
				continue;
			shown[n_shown++] = o;
			put_option(out, o);
		}
	}
}

/* Every title at its first command. */
static void put_shared_options(FILE *out)
{
	const char *shown[32];
	size_t n_shown = 0;

	for (const struct na_command *const *c = na_commands; *c; c++) {
		struct na_opt_group groups[NA_MAX_GROUPS];
		size_t n = na_command_groups(*c, NULL, groups), i;

		for (size_t k = 0; k < n; k++) {
			if (groups[k].opts->kind == NA_OPT_NONE ||
			    !is_shared(&groups[k]))
				continue;
			for (i = 0; i < n_shown; i++) {
				if (strcmp(shown[i], groups[k].title) == 0)
					break;
			}
			if (i < n_shown || n_shown == NA_LEN(shown))
				continue;
			shown[n_shown++] = groups[k].title;
			put_shared_group(out, groups[k].title);
		}
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
	fputs(" ([methods](../methods.md)).\n", out);
}

/* On the page of the command that shows them. */
static void put_terms(FILE *out)
{
	fputs("\n## Words\n\n", out);
	for (const struct na_term *t = na_terms; t->word; t++) {
		fputs("- **", out);
		put_string(out, t->word);
		fputs("**: ", out);
		put_string(out, t->meaning);
		putc('\n', out);
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
	put_ids(out, c);
	if (info->example)
		fprintf(out, "\n```\n%s\n```\n", info->example);
	put_notes(out);
	put_options(out, c);
	put_method(out, info->method);
	na_markdown_document(out, info->name);
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
	put_shared_options(out);
	fputs(na_markdown_types, out);
}

void na_markdown_page(const struct na_command *c, FILE *out)
{
	if (c)
		command_page(c, out);
	else
		program_page(out);
}
