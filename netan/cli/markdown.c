/*
 * The pages of docs/commands in Markdown, from the same tables as the help.
 * Each has a place for notes that are written by hand; tools/docs.sh keeps
 * what stands there.
 */
#include <string.h>

#include "netan/base/vec.h"
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

/* ---- members of the JSON */

/* clang-format off */
static const char *const types[] = {
	[NA_T_COUNT] = "count",
	[NA_T_INTEGER] = "integer",
	[NA_T_INTEGER_OR_NULL] = "integer/null",
	[NA_T_NUMBER] = "number",
	[NA_T_NUMBER_OR_NULL] = "number/null",
	[NA_T_AMOUNT] = "amount",
	[NA_T_TEXT] = "text",
	[NA_T_TEXT_OR_NULL] = "text/null",
	[NA_T_BOOL] = "boolean",
	[NA_T_BOOL_OR_NULL] = "boolean/null",
	[NA_T_NULL] = "null",
	[NA_T_NUMBERS] = "numbers",
	[NA_T_INTEGERS] = "integers",
	[NA_T_TEXTS] = "texts",
	[NA_T_OBJECT] = "object",
	[NA_T_LIST] = "objects",
};
/* clang-format on */

static const char types_legend[] =
	"\n## JSON types\n\n"
	"- count, amount: an integer, a number; 0 or more\n"
	"- numbers, integers, texts, objects: arrays; numbers may be null\n"
	"- `a b c`: one of these words\n"
	"- X/null: X or null\n"
	"- X?: the member may be absent\n";

enum { MAX_TABLES = 48, MAX_MEMBERS = 512 };

/* Tables of one page that have their rows already, and where; members. */
struct shown {
	const struct na_table *table[MAX_TABLES];
	char path[MAX_TABLES][128];
	size_t n;
	const struct na_member *member[MAX_MEMBERS];
	size_t n_members;
};

static bool is_list(enum na_type t)
{
	return t == NA_T_LIST || t == NA_T_NUMBERS || t == NA_T_INTEGERS ||
	       t == NA_T_TEXTS;
}

/* After the string that begins at s. */
static const char *after_string(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		s += *s == '\\' && s[1];
	return *s ? s + 1 : s;
}

/* The value of a member of a schema's outermost object, or NULL. */
static const char *schema_member(const char *json, const char *name)
{
	size_t n = strlen(name);
	int depth = 0;

	while (*json) {
		const char *end = after_string(json);

		if (*json != '"') {
			depth += *json == '{' || *json == '[';
			depth -= *json == '}' || *json == ']';
			json++;
			continue;
		}
		if (depth == 1 && *end == ':' &&
		    strncmp(json + 1, name, n) == 0 && json[n + 1] == '"')
			return end + 1 + strspn(end + 1, " ");
		json = end;
	}
	return NULL;
}

/* The strings (and null) of an array, or one string. */
static void put_words(FILE *out, const char *json, const char *between)
{
	bool many = *json == '[', any = false;
	const char *end = json;

	do {
		json += strcspn(json, "\"n]");
		if (*json == '"') {
			end = after_string(json);
			fprintf(out, "%s%.*s", any ? between : "",
				(int)(end - json) - 2, json + 1);
		} else if (*json == 'n') {
			end = json + strlen("null");
			fprintf(out, "%snull", any ? between : "");
		} else {
			break;
		}
		any = true;
		json = end;
	} while (many);
}

/* Of a schema: its kind, and the members that its objects have. */
static void put_schema_type(FILE *out, const char *json)
{
	static const char ref[] = "#/$defs/", required[] = "\"required\": ";
	const char *v = schema_member(json, "enum");
	const char *names = strstr(json, required);

	if (v) {
		putc('`', out);
		if (strcspn(v, "\"") < strcspn(v, "]"))
			put_words(out, v, " ");
		else
			fprintf(out, "%.*s", (int)strcspn(v, "]") - 1, v + 1);
		putc('`', out);
		return;
	}
	v = schema_member(json, "$ref");
	if (v && strncmp(v + 1, ref, sizeof(ref) - 1) == 0)
		fprintf(out, "%.*s", (int)strcspn(v + sizeof(ref), "\""),
			v + sizeof(ref));
	v = schema_member(json, "type");
	if (v)
		put_words(out, v, "/");
	if (names) {
		fputs(" of `", out);
		put_words(out, names + sizeof(required) - 1, " ");
		putc('`', out);
	}
}

static void put_description(FILE *out, const char *json)
{
	const char *v = schema_member(json, "description");

	if (!v)
		return;
	fputs(": ", out);
	for (const char *end = after_string(v++) - 1; v < end; v++) {
		if (*v == '\\')
			v++;
		put_text(out, v, 1);
	}
}

static const char *schema_of(const struct na_member *m)
{
	if (m->type == NA_T_WORD)
		return NULL;
	return m->more ? m->more : m->of ? m->of->json : NULL;
}

static void put_type(FILE *out, const struct na_member *m)
{
	if (schema_of(m)) {
		put_schema_type(out, schema_of(m));
	} else if (m->more) {
		fprintf(out, "`%s`", m->more);
	} else {
		fputs(types[m->type], out);
		if (m->of && m->of->nullable)
			fputs("/null", out);
	}
	if (m->maybe)
		putc('?', out);
}

/* Where the rows of a table are, or NULL: here, from now on. */
static const char *rows_at(struct shown *shown, const struct na_table *t,
			   const char *path)
{
	for (size_t i = 0; i < shown->n; i++) {
		if (shown->table[i] == t)
			return shown->path[i];
	}
	if (shown->n < MAX_TABLES) {
		shown->table[shown->n] = t;
		snprintf(shown->path[shown->n++], sizeof(shown->path[0]), "%s",
			 path);
	}
	return NULL;
}

static bool is_same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Is a member of that name, type and meaning on the page? */
static bool is_repeated(const struct shown *shown, const struct na_member *m)
{
	if (!m->name || m->type == NA_T_HIDDEN || (m->of && !m->of->json))
		return false;
	for (size_t i = shown->n_members; i-- > 0;) {
		const struct na_member *o = shown->member[i];

		if (strcmp(o->name, m->name) == 0)
			return o->type == m->type && o->maybe == m->maybe &&
			       o->of == m->of && is_same(o->more, m->more) &&
			       is_same(o->doc, m->doc) &&
			       is_same(o->column.header, m->column.header);
	}
	return false;
}

static void note_shown(struct shown *shown, const struct na_member *m)
{
	if (shown->n_members < MAX_MEMBERS)
		shown->member[shown->n_members++] = m;
}

static const char *brackets(const struct na_member *m)
{
	return is_list(m->type) ? "[]" : "";
}

/* Nothing but a name and a type. */
static bool is_plain(const struct na_member *m)
{
	return m->name && !is_list(m->type) && m->type != NA_T_HIDDEN &&
	       !(m->of && !m->of->json) && !m->column.header &&
	       !(m->doc && *m->doc) &&
	       !(schema_of(m) && schema_member(schema_of(m), "description"));
}

static void put_members(FILE *out, const struct na_table *t, const char *path,
			struct shown *shown);

static void put_member(FILE *out, const struct na_member *m, const char *path,
		       struct shown *shown)
{
	char at[128], below[sizeof(at) + 1];
	bool members = m->of && (m->of->members || m->of->base);
	const char *other;

	snprintf(at, sizeof(at), "%s%s%s", path, m->name, brackets(m));
	note_shown(shown, m);
	other = members ? rows_at(shown, m->of, at) : NULL;
	fprintf(out, "- `%s` (", at);
	put_type(out, m);
	putc(')', out);
	if (m->column.header) {
		fputs(" **", out);
		put_string(out, m->column.header);
		fputs("**", out);
	}
	if ((m->doc && *m->doc) || other)
		fputs(": ", out);
	put_string(out, m->doc);
	if (schema_of(m))
		put_description(out, schema_of(m));
	if (other)
		fprintf(out, "%smembers as `%s`", m->doc && *m->doc ? "; " : "",
			other);
	putc('\n', out);
	if (!m->of || other)
		return;
	snprintf(below, sizeof(below), "%s.", at);
	put_members(out, m->of, below, shown);
}

/* Of a table that another one has as its base, too: the names alone. */
static void put_names(FILE *out, const struct na_table *t)
{
	if (t->base)
		put_names(out, t->base);
	for (const struct na_member *m = t->members; m && m->name; m++) {
		if (m->type != NA_T_HIDDEN)
			fprintf(out, " `%s`", m->name);
	}
}

static void put_base(FILE *out, const struct na_table *t, const char *path,
		     struct shown *shown)
{
	const char *other = rows_at(shown, t, path);

	if (!other) {
		put_members(out, t, path, shown);
		return;
	}
	fprintf(out, "- `%s`… as `%s`:", path, other);
	put_names(out, t);
	putc('\n', out);
}

/* One row of those that follow and are on the page; the last of them. */
static const struct na_member *put_repeated(FILE *out,
					    const struct na_member *m,
					    const char *path,
					    struct shown *shown)
{
	fprintf(out, "- `%s%s%s`", path, m->name, brackets(m));
	for (; is_repeated(shown, m + 1); m++)
		fprintf(out, ", `%s%s`", m[1].name, brackets(m + 1));
	fputs(": as above\n", out);
	return m;
}

/* One row of those that follow and have the same type; the last of them. */
static const struct na_member *put_plain(FILE *out, const struct na_member *m,
					 const char *path, struct shown *shown)
{
	const struct na_member *first = m;

	fprintf(out, "- `%s%s`", path, m->name);
	note_shown(shown, m);
	while (is_plain(m + 1) && m[1].type == first->type &&
	       m[1].maybe == first->maybe && m[1].of == first->of &&
	       is_same(m[1].more, first->more) && !is_repeated(shown, m + 1)) {
		note_shown(shown, ++m);
		fprintf(out, ", `%s`", m->name);
	}
	fputs(" (", out);
	put_type(out, first);
	fputs(")\n", out);
	return m;
}

static void put_members(FILE *out, const struct na_table *t, const char *path,
			struct shown *shown)
{
	if (t->base)
		put_base(out, t->base, path, shown);
	for (const struct na_member *m = t->members; m && m->name; m++) {
		if (m->type == NA_T_HIDDEN)
			continue;
		if (is_repeated(shown, m))
			m = put_repeated(out, m, path, shown);
		else if (is_plain(m))
			m = put_plain(out, m, path, shown);
		else
			put_member(out, m, path, shown);
	}
}

static void put_document(FILE *out, const char *name)
{
	const struct na_document *d = na_document_find(name);
	struct shown shown = {.n = 0, .n_members = 0};

	if (!d)
		return;
	fputs("\n## JSON\n\nMembers of `result` ([types](README.md#json-types)); "
	      "bold: columns of tables.\n\n",
	      out);
	put_members(out, d->result, "", &shown);
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
	const struct na_face *face = c->face;

	fprintf(out, "# netan %s\n\n", face->name);
	put_string(out, face->question);
	fprintf(out, "\n\n    netan %s %s\n", face->name, face->usage);
	if (face->details)
		put_paragraphs(out, face->details);
	put_ids(out, c);
	if (face->example)
		fprintf(out, "\n```\n%s\n```\n", face->example);
	put_notes(out);
	put_options(out, c);
	put_method(out, face->method);
	put_document(out, face->name);
	if (strcmp(face->name, "help") == 0)
		put_terms(out);
}

static void program_page(FILE *out)
{
	fputs("# Commands\n\n| command | question |\n| --- | --- |\n", out);
	for (const struct na_command *const *c = na_commands; *c; c++) {
		const struct na_face *face = (*c)->face;

		fprintf(out, "| [`%s`](%s.md) | ", face->name, face->name);
		put_string(out, face->question);
		fputs(" |\n", out);
	}
	put_notes(out);
	put_shared_options(out);
	fputs(types_legend, out);
}

void na_markdown_page(const struct na_command *c, FILE *out)
{
	if (c)
		command_page(c, out);
	else
		program_page(out);
}
