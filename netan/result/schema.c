/*
 * JSON Schema (draft 2020-12) of what a command puts, from the tables of its
 * members.
 */
#include <string.h>

#include "members.h"
#include "netan/base/text.h"

struct schema {
	FILE *out;
	int depth;
};

/* clang-format off */
static const char *const types[] = {
	[NA_T_COUNT] = "\"$ref\": \"#/$defs/count\"",
	[NA_T_INTEGER] = "\"type\": \"integer\"",
	[NA_T_INTEGER_OR_NULL] = "\"type\": [\"integer\", \"null\"]",
	[NA_T_NUMBER] = "\"type\": \"number\"",
	[NA_T_NUMBER_OR_NULL] = "\"$ref\": \"#/$defs/number_or_null\"",
	[NA_T_AMOUNT] = "\"type\": \"number\", \"minimum\": 0",
	[NA_T_TEXT] = "\"type\": \"string\"",
	[NA_T_TEXT_OR_NULL] = "\"type\": [\"string\", \"null\"]",
	[NA_T_BOOL] = "\"type\": \"boolean\"",
	[NA_T_BOOL_OR_NULL] = "\"type\": [\"boolean\", \"null\"]",
	[NA_T_NULL] = "\"type\": \"null\"",
	[NA_T_NUMBERS] = "\"$ref\": \"#/$defs/numbers\"",
	[NA_T_INTEGERS] =
		"\"type\": \"array\", \"items\": { \"type\": \"integer\" }",
	[NA_T_TEXTS] =
		"\"type\": \"array\", \"items\": { \"type\": \"string\" }",
};
/* clang-format on */

/* What the types above refer to. */
static const char primitives[] =
	"    \"count\": { \"type\": \"integer\", \"minimum\": 0 },\n"
	"    \"number_or_null\": { \"type\": [\"number\", \"null\"] },\n"
	"    \"numbers\": {\n"
	"      \"type\": \"array\",\n"
	"      \"items\": { \"$ref\": \"#/$defs/number_or_null\" }\n"
	"    }";

static void new_line(struct schema *s)
{
	fprintf(s->out, "\n%*s", 2 * s->depth, "");
}

static void put_string(struct schema *s, const char *text)
{
	putc('"', s->out);
	na_escape_to(NA_ESC_JSON, text, s->out);
	putc('"', s->out);
}

static void put_doc(struct schema *s, const char *doc)
{
	if (!*doc)
		return;
	fputs(", \"description\": ", s->out);
	put_string(s, doc);
}

static void put_ref(struct schema *s, const struct na_table *t)
{
	fprintf(s->out, "\"$ref\": \"#/$defs/%s\"", t->name);
}

static void put_words(struct schema *s, const char *words)
{
	const char *comma = "\"enum\": [";

	while (*words) {
		size_t n = strcspn(words, " ");
		bool null = n == 4 && strncmp(words, "null", n) == 0;

		fprintf(s->out, null ? "%s%.*s" : "%s\"%.*s\"", comma, (int)n,
			words);
		comma = ", ";
		words += n + (words[n] == ' ');
	}
	putc(']', s->out);
}

static void put_required(struct schema *s, const struct na_member *m)
{
	const char *comma = "\"required\": [";

	for (; m->name; m++) {
		if (m->maybe)
			continue;
		fputs(comma, s->out);
		put_string(s, m->name);
		comma = ", ";
	}
	if (*comma == ',') {
		fputs("],", s->out);
		new_line(s);
	}
}

static void put_object(struct schema *s, const struct na_table *t);

/* What a member or an item is, inside its braces. */
static void put_shape(struct schema *s, const struct na_table *t)
{
	if (t->name)
		put_ref(s, t);
	else
		put_object(s, t);
}

static void put_member(struct schema *s, const struct na_member *m)
{
	put_string(s, m->name);
	if (m->type == NA_T_JSON) {
		fprintf(s->out, ": %s", m->more);
		return;
	}
	fputs(": { ", s->out);
	if (m->type == NA_T_LIST) {
		fputs("\"type\": \"array\", \"items\": { ", s->out);
		put_shape(s, m->of);
		fputs(" }", s->out);
	} else if (m->type == NA_T_OBJECT) {
		put_shape(s, m->of);
	} else if (m->type == NA_T_WORD) {
		put_words(s, m->more);
	} else {
		fputs(types[m->type], s->out);
	}
	put_doc(s, m->doc);
	fputs(" }", s->out);
}

static void put_object(struct schema *s, const struct na_table *t)
{
	const char *comma = "";

	s->depth++;
	if (t->base) {
		new_line(s);
		fputs("\"allOf\": [{ ", s->out);
		put_ref(s, t->base);
		fputs(" }],", s->out);
	}
	new_line(s);
	fputs(t->nullable ? "\"type\": [\"object\", \"null\"]"
			  : "\"type\": \"object\"",
	      s->out);
	put_doc(s, t->doc);
	putc(',', s->out);
	new_line(s);
	put_required(s, t->members);
	fputs("\"properties\": {", s->out);
	s->depth++;
	for (const struct na_member *m = t->members; m->name; m++) {
		if (m->type == NA_T_HIDDEN)
			continue;
		fputs(comma, s->out);
		new_line(s);
		put_member(s, m);
		comma = ",";
	}
	s->depth--;
	new_line(s);
	putc('}', s->out);
	s->depth--;
	new_line(s);
}

/* Over at most `depth` members, for a table may have a member like itself. */
static bool reaches(const struct na_table *from, const struct na_table *t,
		    int depth)
{
	if (from == t)
		return true;
	if (depth == 0)
		return false;
	if (from->base && reaches(from->base, t, depth - 1))
		return true;
	for (const struct na_member *m = from->members; m && m->name; m++)
		if (m->of && reaches(m->of, t, depth - 1))
			return true;
	return false;
}

/* Those of the command, those that all share, and what it has of others. */
static bool defined(const struct na_document *d, const struct na_table *t)
{
	enum { DEPTH = 8 };

	return t->name && (strcmp(t->command, d->command) == 0 ||
			   strcmp(t->command, "common") == 0 ||
			   reaches(d->result, t, DEPTH));
}

static void put_definitions(struct schema *s, const struct na_document *d)
{
	s->depth = 2;
	for (const struct na_table *const *at = na_tables; *at; at++) {
		const struct na_table *t = *at;

		if (!defined(d, t))
			continue;
		fputs(",\n    ", s->out);
		put_string(s, t->name);
		if (t->json) {
			fprintf(s->out, ": %s", t->json);
			continue;
		}
		fputs(": {", s->out);
		put_object(s, t);
		putc('}', s->out);
	}
}

/* Words that make a name: xla_metrics is the command xla-metrics. */
static void put_command(const struct na_document *d, FILE *out)
{
	for (const char *c = d->command; *c; c++)
		putc(*c == '_' ? '-' : *c, out);
}

void na_schema_put(const struct na_document *d, FILE *out)
{
	struct schema s = {out, 2};

	fputs("{\n  \"$schema\": "
	      "\"https://json-schema.org/draft/2020-12/schema\",\n"
	      "  \"$id\": \"urn:netan:schema:",
	      out);
	put_command(d, out);
	fputs(":1\",\n  \"title\": \"netan ", out);
	put_command(d, out);
	fputs("\",\n  \"description\": ", out);
	put_string(&s, d->doc);
	fputs(",\n  \"allOf\": [{ ", out);
	put_ref(&s, &na_table_common_envelope);
	fputs(" }],\n  \"properties\": {\n    \"schema\": "
	      "{ \"const\": \"netan.",
	      out);
	put_command(d, out);
	fputs("/1\" },\n    \"result\": {", out);
	put_object(&s, d->result);
	fputs("}\n  },\n  \"$defs\": {\n", out);
	fputs(primitives, out);
	put_definitions(&s, d);
	fputs("\n  }\n}\n", out);
}

static bool is_command(const char *row, const char *name)
{
	for (; *row && (*row == *name || (*row == '_' && *name == '-')); row++)
		name++;
	return !*row && !*name;
}

const struct na_document *na_document_find(const char *command)
{
	for (const struct na_document *d = na_documents; d->command; d++)
		if (is_command(d->command, command))
			return d;
	return NULL;
}

static const struct na_member *member(const struct na_table *t,
				      const char *name, size_t len)
{
	for (; t; t = t->base)
		for (const struct na_member *m = t->members; m && m->name; m++)
			if (strncmp(m->name, name, len) == 0 && !m->name[len])
				return m;
	return NULL;
}

const struct na_member *na_member_at(const struct na_table *t, const char *path)
{
	size_t len = strcspn(path, ".");
	const struct na_member *m = member(t, path, len);

	while (m && path[len]) {
		path += len + 1;
		len = strcspn(path, ".");
		if (*path < '0' || *path > '9')
			m = member(m->of, path, len);
	}
	return m;
}
