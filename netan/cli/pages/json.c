/*
 * Members of a command's JSON in Markdown, from members.def: one list item
 * each.  What the page has already is named and not described again: the
 * members of a nested table, and members with the same name and meaning.
 */
#include <string.h>

#include "netan/cli/pages/markdown.h"
#include "netan/result/member.h"

static void put_escaped(FILE *out, const char *s)
{
	if (s)
		na_markdown_text(out, s, strlen(s));
}

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

enum { MAX_TABLES = 48, MAX_MEMBERS = 512 };

/* Tables of one page that have their rows already, and where; members. */
struct shown {
	const struct na_table *table[MAX_TABLES];
	char path[MAX_TABLES][128];
	size_t n;
	const struct na_member *member[MAX_MEMBERS];
	size_t n_members;
};

static bool is_array_type(enum na_type t)
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
static void put_schema_strings(FILE *out, const char *json, const char *between)
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
			put_schema_strings(out, v, " ");
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
		put_schema_strings(out, v, "/");
	if (names) {
		fputs(" of `", out);
		put_schema_strings(out, names + sizeof(required) - 1, " ");
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
		na_markdown_text(out, v, 1);
	}
}

static const char *schema_of(const struct na_member *m)
{
	if (m->type == NA_T_WORD)
		return NULL;
	return m->more ? m->more : m->of ? m->of->json : NULL;
}

static void put_member_type(FILE *out, const struct na_member *m)
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

static bool texts_equal(const char *a, const char *b)
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
			       o->of == m->of &&
			       texts_equal(o->more, m->more) &&
			       texts_equal(o->doc, m->doc) &&
			       texts_equal(o->column.header, m->column.header);
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
	return is_array_type(m->type) ? "[]" : "";
}

/* Nothing but a name and a type. */
static bool has_type_alone(const struct na_member *m)
{
	return m->name && !is_array_type(m->type) && m->type != NA_T_HIDDEN &&
	       !(m->of && !m->of->json) && !m->column.header &&
	       !(m->doc && *m->doc) &&
	       !(schema_of(m) && schema_member(schema_of(m), "description"));
}

static void put_member_rows(FILE *out, const struct na_table *t,
			    const char *path, struct shown *shown);

static void put_member_row(FILE *out, const struct na_member *m,
			   const char *path, struct shown *shown)
{
	char at[128], below[sizeof(at) + 1];
	bool members = m->of && (m->of->members || m->of->base);
	const char *other;

	snprintf(at, sizeof(at), "%s%s%s", path, m->name, brackets(m));
	note_shown(shown, m);
	other = members ? rows_at(shown, m->of, at) : NULL;
	fprintf(out, "- `%s` (", at);
	put_member_type(out, m);
	putc(')', out);
	if (m->column.header) {
		fputs(" **", out);
		put_escaped(out, m->column.header);
		fputs("**", out);
	}
	if ((m->doc && *m->doc) || other)
		fputs(": ", out);
	put_escaped(out, m->doc);
	if (schema_of(m))
		put_description(out, schema_of(m));
	if (other)
		fprintf(out, "%smembers as `%s`", m->doc && *m->doc ? "; " : "",
			other);
	putc('\n', out);
	if (!m->of || other)
		return;
	snprintf(below, sizeof(below), "%s.", at);
	put_member_rows(out, m->of, below, shown);
}

/* Of a table that another one has as its base, too: the names alone. */
static void put_base_names(FILE *out, const struct na_table *t)
{
	if (t->base)
		put_base_names(out, t->base);
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
		put_member_rows(out, t, path, shown);
		return;
	}
	fprintf(out, "- `%s`… as `%s`:", path, other);
	put_base_names(out, t);
	putc('\n', out);
}

/* One row of those that follow and are on the page; the last of them. */
static const struct na_member *put_repeated_row(FILE *out,
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
static const struct na_member *put_member_typed_row(FILE *out,
						    const struct na_member *m,
						    const char *path,
						    struct shown *shown)
{
	const struct na_member *first = m;

	fprintf(out, "- `%s%s`", path, m->name);
	note_shown(shown, m);
	while (has_type_alone(m + 1) && m[1].type == first->type &&
	       m[1].maybe == first->maybe && m[1].of == first->of &&
	       texts_equal(m[1].more, first->more) &&
	       !is_repeated(shown, m + 1)) {
		note_shown(shown, ++m);
		fprintf(out, ", `%s`", m->name);
	}
	fputs(" (", out);
	put_member_type(out, first);
	fputs(")\n", out);
	return m;
}

static void put_member_rows(FILE *out, const struct na_table *t,
			    const char *path, struct shown *shown)
{
	if (t->base)
		put_base(out, t->base, path, shown);
	for (const struct na_member *m = t->members; m && m->name; m++) {
		if (m->type == NA_T_HIDDEN)
			continue;
		if (is_repeated(shown, m))
			m = put_repeated_row(out, m, path, shown);
		else if (has_type_alone(m))
			m = put_member_typed_row(out, m, path, shown);
		else
			put_member_row(out, m, path, shown);
	}
}

void na_markdown_document(FILE *out, const char *name)
{
	const struct na_document *d = na_document_find(name);
	struct shown shown = {.n = 0, .n_members = 0};

	if (!d)
		return;
	fputs("\n## JSON\n\nMembers of `result` ([types](README.md#json-types)); "
	      "bold: columns of tables.\n\n",
	      out);
	put_member_rows(out, d->result, "", &shown);
}

const char na_markdown_types[] =
	"\n## JSON types\n\n"
	"- count, amount: an integer, a number; 0 or more\n"
	"- numbers, integers, texts, objects: arrays; numbers may be null\n"
	"- `a b c`: one of these words\n"
	"- X/null: X or null\n"
	"- X?: the member may be absent\n";
