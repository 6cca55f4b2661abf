/*
 * Reads JSON into a tree: what netan printed, and the truth of a condition.
 */
#ifndef ACCURACY_TCP_JSON_H
#define ACCURACY_TCP_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_TEXT,
	JSON_LIST,
	JSON_OBJECT
};

struct json {
	enum json_type type;
	char *name;         /* in an object; else NULL */
	char *text;         /* of JSON_TEXT */
	double number;      /* of JSON_NUMBER, JSON_BOOL */
	struct json *items; /* of JSON_LIST, JSON_OBJECT */
	size_t n, cap;
};

/* False: it is no JSON, is nested too deep, or memory is short.  Whatever
 * happens, *out is to be freed. */
bool json_read(const char *text, struct json *out);
void json_free(struct json *j);

/* The member of that name; NULL where there is none, or j is NULL. */
const struct json *json_get(const struct json *j, const char *name);
/* Its text; "" where there is none. */
const char *json_text(const struct json *j, const char *name);
/* Its number; 0 where there is none. */
double json_number(const struct json *j, const char *name);
/* Is `word` among the texts of this list? */
bool json_has(const struct json *list, const char *word);
/* How many items; 0 for NULL. */
size_t json_n(const struct json *list);

#endif
