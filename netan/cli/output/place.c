#include "netan/cli/output/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MAX = 40 /* as the kernel has it */, FD_DIGITS = 9 };

static enum na_status cannot(const char *path, const char *why,
			     struct na_err *err)
{
	return na_fail(err, NA_EIO, "cannot write %s: %s", path, why);
}

/* How long the folder in front of a name is, with its slash. */
static size_t folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

static char *real_folder(const char *path)
{
	size_t n = folder_of(path);
	char *folder = n ? strndup(path, n) : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL;

	free(folder);
	return real;
}

/* "/proc/17/fd", and "/proc/17/task/17/fd". */
static bool holds_descriptors(const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(folder, "/proc/", 6) == 0 && n > 3 &&
	       strcmp(folder + n - 3, "/fd") == 0;
}

static bool is_own(const char *folder)
{
	char *own = realpath("/proc/self", NULL);
	size_t n = own ? strlen(own) : 0;
	bool is = own && strncmp(folder, own, n) == 0 && folder[n] == '/';

	free(own);
	return is;
}

static int descriptor(const char *name)
{
	size_t n = strspn(name, "0123456789");

	return n && !name[n] && n <= FD_DIGITS ? atoi(name) : -1;
}

/* Of a name in such a folder; the link there is none to follow. */
static bool in_descriptors(struct na_place *p)
{
	char *folder = real_folder(p->path);
	bool is = folder && holds_descriptors(folder);

	if (is) {
		p->fd = descriptor(p->path + folder_of(p->path));
		p->kind = p->fd >= 0 && is_own(folder) ? NA_PLACE_OPEN
						       : NA_PLACE_DEVICE;
	}
	free(folder);
	return is;
}

/* One link further; false: there is none. */
static bool follow(struct na_place *p, bool *failed)
{
	char target[PATH_MAX], *next = NULL;
	ssize_t n = readlink(p->path, target, sizeof(target));

	if (n < 0 || n == sizeof(target))
		return false;
	if (asprintf(&next, "%.*s%.*s",
		     *target == '/' ? 0 : (int)folder_of(p->path), p->path,
		     (int)n, target) < 0)
		next = NULL;
	*failed = !next;
	free(p->path);
	p->path = next;
	return next;
}

static enum na_status look(struct na_place *p, const char *path,
			   struct na_err *err)
{
	char *folder;
	bool devices;

	p->there = stat(p->path, &p->info) == 0;
	if (p->there) {
		p->kind = S_ISREG(p->info.st_mode)   ? NA_PLACE_FILE
			  : S_ISDIR(p->info.st_mode) ? NA_PLACE_FOLDER
						     : NA_PLACE_DEVICE;
		return NA_OK;
	}
	if (errno != ENOENT)
		return cannot(path, strerror(errno), err);
	folder = real_folder(p->path);
	devices = folder && strcmp(folder, "/dev") == 0;
	free(folder);
	return devices ? cannot(path, "there is no such device", err) : NA_OK;
}

enum na_status na_place_find(struct na_place *p, const char *path,
			     struct na_err *err)
{
	bool failed = false;
	int links = 0;

	*p = (struct na_place){.path = strdup(path), .fd = -1};
	if (!p->path)
		return na_fail_nomem(err);
	while (!in_descriptors(p) && follow(p, &failed)) {
		if (++links > LINKS_MAX)
			return cannot(path, strerror(ELOOP), err);
	}
	if (failed)
		return na_fail_nomem(err);
	if (p->kind == NA_PLACE_FILE)
		return look(p, path, err);
	p->there = p->fd >= 0 && p->kind == NA_PLACE_OPEN
			   ? fstat(p->fd, &p->info) == 0
			   : stat(p->path, &p->info) == 0;
	return p->there ? NA_OK : cannot(path, strerror(errno), err);
}

void na_place_free(struct na_place *p)
{
	free(p->path);
	p->path = NULL;
}

enum na_place_kind na_place_kind(const char *path)
{
	struct na_err err = {.status = NA_OK};
	struct na_place p;
	enum na_place_kind kind;

	kind = na_place_find(&p, path, &err) == NA_OK ? p.kind : NA_PLACE_FILE;
	na_place_free(&p);
	return kind;
}

bool na_is_stdout(const char *path)
{
	struct na_err err = {.status = NA_OK};
	struct stat out;
	struct na_place p;
	bool is = strcmp(path, "-") == 0;

	if (is)
		return true;
	is = na_place_find(&p, path, &err) == NA_OK &&
	     p.kind == NA_PLACE_OPEN &&
	     (p.fd == STDOUT_FILENO ||
	      (p.fd != STDERR_FILENO && fstat(STDOUT_FILENO, &out) == 0 &&
	       out.st_dev == p.info.st_dev && out.st_ino == p.info.st_ino));
	na_place_free(&p);
	return is;
}
