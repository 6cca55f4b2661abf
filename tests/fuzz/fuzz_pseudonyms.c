/*
 * The first line names hosts, separated by commas; the rest is a text.  No
 * host that is a word of its own in the text stays in what is shown of it,
 * and what is shown can be gone over once more.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/pseudonyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NAMES_MAX = 8, TEXT_MAX = 1 << 14 };

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c & 0x80;
}

static void must_not_hold(const char *text, const char *name)
{
	size_t n = strlen(name);

	/* Short names and numbers stay; so does what looks like an alias. */
	if (n < 3 || strspn(name, "0123456789.") == n || strchr(name, '-') ||
	    !isalpha((unsigned char)*name) ||
	    !isalpha((unsigned char)name[n - 1]))
		return;
	for (const char *p = text; (p = strstr(p, name)); p++) {
		if ((p == text || !is_word(p[-1])) && !is_word(p[n]))
			abort();
	}
}

/* Names that could be part of an alias or of one another prove nothing. */
static bool is_plain(const char *name)
{
	static const char *const parts[] = {"host",  "addr", "input",   "dir",
					    "file",  "path", "user",    "rack",
					    "block", "task", "pattern", "name",
					    NULL};

	for (const char *const *p = parts; *p; p++) {
		if (strstr(*p, name) || strstr(name, *p))
			return false;
	}
	return !name[strspn(name, "abcdefghijklmnopqrstuvwxyz")];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX], *names[NAMES_MAX], *rest, *shown, *again;
	struct na_pseudonyms *p = na_pseudonyms_new();
	size_t n = 0;

	if (!p || size >= sizeof(text)) {
		na_pseudonyms_free(p);
		return 0;
	}
	memcpy(text, data, size);
	text[size] = '\0';
	rest = strchr(text, '\n');
	if (rest)
		*rest++ = '\0';
	for (char *at = strtok(text, ","); at && n < NAMES_MAX;
	     at = strtok(NULL, ","))
		names[n++] = at;
	for (size_t i = 0; i < n; i++)
		na_pseudonyms_reserve(p, names[i]);
	for (size_t i = 0; i < n; i++)
		na_pseudonym(p, NA_ALIAS_HOST, names[i]);
	shown = na_pseudonyms_replace(p, rest ? rest : "");
	if (!shown)
		abort();
	again = na_pseudonyms_replace(p, shown);
	if (!again)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (is_plain(names[i]))
			must_not_hold(again, names[i]);
	}
	free(again);
	free(shown);
	na_pseudonyms_free(p);
	return 0;
}
