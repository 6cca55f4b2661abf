/* JSON, read whole into a tree: as much as judging netan's answers takes. */
#ifndef ACCURACY_SYNC_JSON_H
#define ACCURACY_SYNC_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum sy_json_type {
	SY_J_NULL,
	SY_J_BOOL,
	SY_J_NUMBER,
	SY_J_TEXT,
	SY_J_ARRAY,
	SY_J_OBJECT
};

struct sy_json {
	enum sy_json_type type;
	char *key, *text; /* NUL-terminated; escapes of \u stay as they are */
	double number;    /* of a bool 0 or 1 */
	struct sy_json *child, *next;
};

/* NULL: no memory, or no JSON.  `text` is NUL-terminated. */
struct sy_json *sy_json_read(const char *text);
void sy_json_free(struct sy_json *j);

/* The member of an object, or NULL; any of these may be asked of NULL. */
const struct sy_json *sy_json_get(const struct sy_json *j, const char *key);
const char *sy_json_text(const struct sy_json *j, const char *key);
/* The first element of an array, or NULL. */
const struct sy_json *sy_json_first(const struct sy_json *j, const char *key);

#endif
