#include "netan/cli/commands/slice_beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/discover.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/engine/anonymize.h"

enum { SHOWN = 2 };

static bool writes(const struct na_slicer *z, const char *const *names,
		   const char *path)
{
	bool is = false;

	for (size_t i = 0; !is && i < z->session.n_inputs; i++)
		is = na_slicer_takes(z, i) && strcmp(names[i], path) == 0;
	return is;
}

/* Of a file in the directory itself, without that; else NULL. */
static const char *name_in(const char *dir, const char *path)
{
	const char *name = path + strlen(dir);

	name += strspn(name, "/");
	return *name && !strchr(name, '/') ? name : NULL;
}

/* "a and b", "a, b and 3 more" */
static void add_name(const struct na_slicer *z, struct na_str *to, size_t n,
		     size_t all, const char *name)
{
	if (n > SHOWN)
		return;
	na_hide(z->session.request, NA_ALIAS_FILE, name);
	na_str_join(to, n == all ? " and " : ", ", "%.80s", name);
}

static enum na_status refuse(const struct na_slicer *z, const char *dir,
			     const char *const *others, size_t n,
			     struct na_err *err)
{
	char names[256], more[64] = "";
	struct na_str to = na_str_over(names, sizeof(names));

	for (size_t i = 0; i < n; i++)
		add_name(z, &to, i + 1, n, others[i]);
	if (n > SHOWN)
		snprintf(more, sizeof(more), " and %zu more", n - SHOWN);
	return na_fail(err, NA_EUSAGE,
		       "-o %s: there %s %s%s in this directory, which this "
		       "slice does not write: commands would read all as one "
		       "run; wanted a new or empty directory",
		       dir, n == 1 ? "is" : "are", names, more);
}

enum na_status na_slice_check_beside(const struct na_slicer *z, const char *dir,
				     const char *const *names,
				     struct na_arena *a, struct na_err *err)
{
	struct na_found found = {.paths = NULL};
	struct na_err nothing = {.status = NA_OK};
	size_t n = 0;

	if (na_discover(dir, a, &found, &nothing) == NA_ENOMEM)
		na_fail_nomem(err);
	for (size_t i = 0; err->status == NA_OK && i < found.n; i++) {
		const char *name = name_in(dir, found.paths[i]);

		if (name && !writes(z, names, found.paths[i]))
			found.paths[n++] = name;
	}
	if (n)
		refuse(z, dir, found.paths, n, err);
	free(found.paths);
	return err->status;
}
