#include "ingest/bytes/file_kind.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/text.h"

#define PASSED_OVER ", passed over in a directory; name it to read it"

const char *na_odd_file_kind(const char *path)
{
	struct stat sb;

	if (stat(path, &sb) != 0 || S_ISREG(sb.st_mode) || S_ISDIR(sb.st_mode))
		return NULL;
	return S_ISFIFO(sb.st_mode)   ? "a pipe" PASSED_OVER
	       : S_ISSOCK(sb.st_mode) ? "a socket" PASSED_OVER
				      : "a device" PASSED_OVER;
}

enum na_status na_check_file_kind(const char *path, struct na_err *err)
{
	const char *odd = na_odd_file_kind(path);

	return odd ? na_fail(err, NA_EIO, "%s: %s", path, odd) : NA_OK;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool na_dir_is_above(const char *top, const struct stat *dir)
{
	struct stat sb, last = {.st_ino = 0};
	char path[PATH_MAX];
	size_t n = strlen(top);

	if (n >= sizeof(path))
		return false;
	memcpy(path, top, n + 1);
	/* The root is above itself. */
	while (n + 4 < sizeof(path)) {
		memcpy(path + n, "/..", 4);
		n += 3;
		if (stat(path, &sb) != 0 || is_same(&sb, &last))
			return false;
		if (is_same(&sb, dir))
			return true;
		last = sb;
	}
	return false;
}

bool na_dir_leads_up(const struct na_dir_level *l, const char *top,
		     const struct stat *dir)
{
	for (; l; l = l->up) {
		if (l->device == dir->st_dev && l->inode == dir->st_ino)
			return true;
	}
	return na_dir_is_above(top, dir);
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	int order = na_natural_order(*x, *y);

	return order ? order : strcmp(*x, *y);
}

void na_sort_names(const char **names, size_t n)
{
	if (n)
		qsort(names, n, sizeof(*names), by_name);
}
