#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/json.h"

enum { DEPTH = 64 };

static const char *skip(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

/* A string's text; *s stands at its quote, then behind the closing one. */
static char *string(const char **s)
{
	const char *p = *s + 1;
	char *out = malloc(strlen(p) + 1);
	size_t n = 0;

	if (!out)
		return NULL;
	while (*p && *p != '"') {
		if (*p == '\\' && p[1]) {
			static const char from[] = "ntrbf", to[] = "\n\t\r\b\f";
			const char *at = strchr(from, *++p);

			out[n++] = at ? to[at - from] : *p;
			p++;
		} else {
			out[n++] = *p++;
		}
	}
	out[n] = '\0';
	*s = *p ? p + 1 : p;
	return out;
}

static struct sy_json *value(const char **s, int depth);

static bool members(struct sy_json *j, const char **s, int depth)
{
	char close = j->type == SY_J_ARRAY ? ']' : '}';
	struct sy_json **end = &j->child;

	*s = skip(*s + 1);
	while (**s && **s != close) {
		char *key = NULL;

		if (j->type == SY_J_OBJECT) {
			if (**s != '"')
				return false;
			key = string(s);
			*s = skip(*s);
			if (!key || **s != ':') {
				free(key);
				return false;
			}
			*s = skip(*s + 1);
		}
		*end = value(s, depth - 1);
		if (!*end) {
			free(key);
			return false;
		}
		(*end)->key = key;
		end = &(*end)->next;
		*s = skip(*s);
		if (**s == ',')
			*s = skip(*s + 1);
	}
	if (**s != close)
		return false;
	(*s)++;
	return true;
}

static bool word(struct sy_json *j, const char **s)
{
	static const char *const words[] = {"null", "true", "false"};

	for (size_t i = 0; i < NA_LEN(words); i++)
		if (strncmp(*s, words[i], strlen(words[i])) == 0) {
			*s += strlen(words[i]);
			j->type = i == 0 ? SY_J_NULL : SY_J_BOOL;
			j->number = i == 1;
			return true;
		}
	return false;
}

static bool scalar(struct sy_json *j, const char **s)
{
	char *end;

	if (**s == '"') {
		j->type = SY_J_TEXT;
		j->text = string(s);
		return j->text != NULL;
	}
	if (word(j, s))
		return true;
	j->type = SY_J_NUMBER;
	j->number = strtod(*s, &end);
	if (end == *s)
		return false;
	*s = end;
	return true;
}

static struct sy_json *value(const char **s, int depth)
{
	struct sy_json *j = na_calloc(1, sizeof(*j));
	bool ok;

	if (!j)
		return NULL;
	*s = skip(*s);
	if (**s == '[' || **s == '{') {
		j->type = **s == '[' ? SY_J_ARRAY : SY_J_OBJECT;
		ok = depth > 0 && members(j, s, depth);
	} else {
		ok = scalar(j, s);
	}
	if (ok)
		return j;
	sy_json_free(j);
	return NULL;
}

struct sy_json *sy_json_read(const char *text)
{
	return value(&text, DEPTH);
}

void sy_json_free(struct sy_json *j)
{
	while (j) {
		struct sy_json *next = j->next;

		sy_json_free(j->child);
		free(j->key);
		free(j->text);
		free(j);
		j = next;
	}
}

const struct sy_json *sy_json_get(const struct sy_json *j, const char *key)
{
	if (!j || j->type != SY_J_OBJECT)
		return NULL;
	for (j = j->child; j; j = j->next)
		if (strcmp(j->key, key) == 0)
			return j;
	return NULL;
}

const char *sy_json_text(const struct sy_json *j, const char *key)
{
	j = sy_json_get(j, key);
	return j && j->type == SY_J_TEXT ? j->text : NULL;
}

const struct sy_json *sy_json_first(const struct sy_json *j, const char *key)
{
	j = sy_json_get(j, key);
	return j && j->type == SY_J_ARRAY ? j->child : NULL;
}
