#include "netan/cli/commands/slice_names.h"

#include <stdio.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

#define BY_NAME SIZE_MAX /* instead of a folder that all paths share */

/* Without the ending of what it is packed with: but gzip, which slices are
 * packed with, too. */
static size_t unpacked(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && strcmp(name + n - 4, ".zst") == 0 ? n - 4 : n;
}

/* How many bytes, up to a slash, all paths begin with. */
static size_t shared_folder(const struct na_session *s)
{
	const char *first = s->inputs[0].path;
	size_t n = strlen(first);

	for (size_t i = 1; i < s->n_inputs; i++) {
		size_t k = 0;

		while (k < n && s->inputs[i].path[k] == first[k])
			k++;
		n = k;
	}
	while (n && first[n - 1] != '/')
		n--;
	return n;
}

static const char *packed_as(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && strcmp(path + n - 3, ".gz") == 0 ? ".gz" : "";
}

static const char *name_of(const struct na_slicer *z, size_t i, const char *dir,
			   size_t shared, struct na_arena *a)
{
	const struct na_input *in = &z->session.inputs[i];
	const char *path = strcmp(in->path, "-") != 0 ? in->path : "stdin";
	const char *slash = strrchr(path, '/');
	const char *from = shared != BY_NAME ? path + shared
			   : slash           ? slash + 1
					     : path;
	char input[64], *name;

	if (z->of.names) {
		const char *ending = in->reader->ending;

		snprintf(input, sizeof(input), "input-%zu%s%s%s", i + 1,
			 ending ? "" : ".", ending ? ending : in->format,
			 packed_as(path));
		return na_arena_path(a, dir, input);
	}
	name = na_arena_strn(a, from, unpacked(from));
	for (char *p = name; p && *p; p++)
		*p = *p == '/' ? '-' : *p;
	return name ? na_arena_path(a, dir, name) : NULL;
}

static bool any_alike(const struct na_slicer *z, const char **names,
		      const char **sorted)
{
	size_t n = 0;

	for (size_t i = 0; i < z->session.n_inputs; i++) {
		if (na_slicer_takes(z, i))
			sorted[n++] = names[i];
	}
	na_sort(sorted, n, na_order_text);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			return true;
	}
	return false;
}

const char **na_slice_names(const struct na_slicer *z, const char *dir,
			    struct na_arena *a, struct na_err *err)
{
	size_t n = z->session.n_inputs;
	const char **names = na_arena_alloc(a, n * sizeof(*names));
	const char **sorted = na_arena_alloc(a, n * sizeof(*sorted));
	const size_t ways[] = {BY_NAME, shared_folder(&z->session)};
	bool ok = names && sorted;

	for (size_t way = 0; ok && way < NA_LEN(ways); way++) {
		for (size_t i = 0; ok && i < n; i++) {
			names[i] = name_of(z, i, dir, ways[way], a);
			ok = names[i];
		}
		if (ok && !any_alike(z, names, sorted))
			return names;
	}
	if (ok)
		na_fail(err, NA_EUSAGE,
			"-o %s: two inputs would be written to files of the "
			"same name; cut them one by one",
			dir);
	else
		na_fail_nomem(err);
	return NULL;
}
