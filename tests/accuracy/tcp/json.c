#include "tests/accuracy/tcp/json.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { DEPTH = 64 };

struct reader {
	const char *p;
	int depth;
};

static void skip_blanks(struct reader *r)
{
	while (*r->p && strchr(" \t\r\n", *r->p))
		r->p++;
}

static bool past(struct reader *r, char c)
{
	skip_blanks(r);
	if (*r->p != c)
		return false;
	r->p++;
	return true;
}

/* Escapes become the character they stand for; those of Unicode a '?', which
 * no name here holds. */
static char *read_text(struct reader *r)
{
	const char *end;
	char *out, *to;

	if (!past(r, '"'))
		return NULL;
	for (end = r->p; *end && *end != '"'; end++)
		if (*end == '\\' && end[1])
			end++;
	if (!*end)
		return NULL;
	out = to = malloc((size_t)(end - r->p) + 1);
	for (; out && r->p < end; r->p++) {
		if (*r->p != '\\') {
			*to++ = *r->p;
			continue;
		}
		r->p++;
		*to++ = *r->p == 'u' ? '?' : *r->p == 'n' ? '\n' : *r->p;
	}
	if (out)
		*to = '\0';
	r->p = end + 1;
	return out;
}

static bool read_value(struct reader *r, struct json *out);

static bool read_items(struct reader *r, struct json *out, char close)
{
	if (past(r, close))
		return true;
	do {
		struct json *item;

		if (!na_grow(&out->items, &out->cap, out->n + 1,
			     sizeof(*out->items)))
			return false;
		item = &out->items[out->n++];
		*item = (struct json){0};
		if (close == '}') {
			item->name = read_text(r);
			if (!item->name || !past(r, ':'))
				return false;
		}
		if (!read_value(r, item))
			return false;
	} while (past(r, ','));
	return past(r, close);
}

static bool read_word(struct reader *r, struct json *out)
{
	static const char *const words[] = {"null", "false", "true"};

	for (size_t i = 0; i < NA_LEN(words); i++) {
		size_t n = strlen(words[i]);

		if (strncmp(r->p, words[i], n) == 0) {
			r->p += n;
			out->type = i ? JSON_BOOL : JSON_NULL;
			out->number = i == 2;
			return true;
		}
	}
	return false;
}

static bool read_number(struct reader *r, struct json *out)
{
	char *end;

	out->type = JSON_NUMBER;
	out->number = strtod(r->p, &end);
	if (end == r->p)
		return false;
	r->p = end;
	return true;
}

static bool read_value(struct reader *r, struct json *out)
{
	bool ok;

	if (r->depth == DEPTH)
		return false;
	r->depth++;
	skip_blanks(r);
	if (*r->p == '{' || *r->p == '[') {
		out->type = *r->p == '{' ? JSON_OBJECT : JSON_LIST;
		ok = read_items(r, out, *r->p++ == '{' ? '}' : ']');
	} else if (*r->p == '"') {
		out->type = JSON_TEXT;
		out->text = read_text(r);
		ok = out->text;
	} else {
		ok = read_word(r, out) || read_number(r, out);
	}
	r->depth--;
	return ok;
}

bool json_read(const char *text, struct json *out)
{
	struct reader r = {.p = text};

	*out = (struct json){0};
	if (!read_value(&r, out))
		return false;
	skip_blanks(&r);
	return !*r.p;
}

void json_free(struct json *j)
{
	for (size_t i = 0; i < j->n; i++)
		json_free(&j->items[i]);
	free(j->items);
	free(j->name);
	free(j->text);
	*j = (struct json){0};
}

const struct json *json_get(const struct json *j, const char *name)
{
	for (size_t i = 0; j && i < j->n; i++)
		if (j->items[i].name && strcmp(j->items[i].name, name) == 0)
			return &j->items[i];
	return NULL;
}

const char *json_text(const struct json *j, const char *name)
{
	const struct json *x = json_get(j, name);

	return x && x->text ? x->text : "";
}

double json_number(const struct json *j, const char *name)
{
	const struct json *x = json_get(j, name);

	return x ? x->number : 0;
}

bool json_has(const struct json *list, const char *word)
{
	for (size_t i = 0; list && i < list->n; i++)
		if (list->items[i].text &&
		    strcmp(list->items[i].text, word) == 0)
			return true;
	return false;
}

size_t json_n(const struct json *list)
{
	return list ? list->n : 0;
}
