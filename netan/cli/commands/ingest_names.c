#include "netan/cli/commands/ingest_names.h"

#include <stdio.h>
#include <string.h>

#include "ingest/discover.h"
#include "netan/base/text.h"

enum way { BY_HOST, BY_PATH, BY_NUMBER, HIDDEN };

/* How many bytes, up to a slash, all paths begin with. */
static size_t shared_folder(const struct na_listing *l)
{
	size_t n = l->n ? strlen(l->files[0].path) : 0;

	for (size_t i = 1; i < l->n; i++) {
		size_t k = 0;

		while (k < n && l->files[i].path[k] == l->files[0].path[k])
			k++;
		n = k;
	}
	while (n && l->files[0].path[n - 1] != '/')
		n--;
	return n;
}

/* The name without its folder and ending; NULL: no memory. */
static const char *stem_of(const struct na_listing *l, size_t i, enum way way,
			   size_t shared, struct na_arena *a)
{
	const char *path = l->files[i].path;
	char number[48], *flat;
	bool by_form;

	snprintf(number, sizeof(number), way == HIDDEN ? "input-%zu" : "%08zu",
		 i + 1);
	if (way == HIDDEN || way == BY_NUMBER)
		return na_arena_strn(a, number, strlen(number));
	if (strcmp(path, "-") == 0)
		return "stdin";
	if (way == BY_HOST)
		return na_host_of_path(path, a, &by_form);
	flat = na_arena_strn(a, path + shared, strlen(path + shared));
	for (char *p = flat; p && *p; p++)
		*p = *p == '/' ? '-' : *p;
	return flat;
}

/* False: no memory. */
static bool name_all(const struct na_listing *l, const char *dir, enum way way,
		     struct na_arena *a, const char **names)
{
	size_t shared = shared_folder(l);

	for (size_t i = 0; i < l->n; i++) {
		const char *stem = stem_of(l, i, way, shared, a);
		size_t size = stem ? strlen(dir) + strlen(stem) + 16 : 0;
		char *name = stem ? na_arena_alloc(a, size) : NULL;

		if (!name)
			return false;
		/* A dot in front would hide it. */
		snprintf(name, size, "%s/%s%s.netan", dir,
			 *stem == '.' || !*stem ? "_" : "", stem);
		names[i] = name;
	}
	return true;
}

/* As na_discover() and the session sort them, and no two alike. */
static bool in_order(const char *const *names, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int order = na_natural_order(names[i - 1], names[i]);

		if (order > 0 ||
		    (!order && strcmp(names[i - 1], names[i]) >= 0))
			return false;
	}
	return true;
}

const char **na_ingest_names(const struct na_listing *l, const char *dir,
			     bool hidden, struct na_arena *a)
{
	const char **names = na_arena_alloc(a, (l->n + 1) * sizeof(*names));
	enum way way = hidden ? HIDDEN : BY_HOST;

	while (names && name_all(l, dir, way, a, names)) {
		if (way >= BY_NUMBER || in_order(names, l->n))
			return names;
		way++;
	}
	return NULL;
}
