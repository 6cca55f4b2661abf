#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/inputs.h"
#include "netan/base/memory/refused.h"
#include "netan/cli/output.h"

static enum na_status cannot(const char *path, int e, struct na_err *err)
{
	return na_fail(err, NA_EIO, "cannot write %s: %s", path, strerror(e));
}

char *na_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

/* Replaced by renaming, or written in place?  What stands in /dev is never
 * replaced, even where it leads to a regular file. */
static bool in_place(const char *path, const struct stat *info)
{
	return strncmp(path, "/dev/", 5) == 0 || !S_ISREG(info->st_mode);
}

enum na_status na_outfile_check(const char *path, struct na_err *err)
{
	enum na_status st = NA_OK;
	struct stat info;
	char *folder;

	if (stat(path, &info) == 0) {
		if (S_ISDIR(info.st_mode))
			return cannot(path, EISDIR, err);
		if (access(path, W_OK) != 0)
			return cannot(path, errno, err);
		if (in_place(path, &info))
			return NA_OK;
	}
	folder = na_folder_of(path);
	if (!folder)
		return na_fail_nomem(err);
	if (access(folder, W_OK | X_OK) != 0)
		st = errno == ENOENT ? na_fail(err, NA_EIO,
					       "cannot write %s: there is no "
					       "directory %s",
					       path, folder)
				     : cannot(path, errno, err);
	free(folder);
	return st;
}

static int open_temp(struct na_outfile *f, mode_t mode)
{
	size_t size = strlen(f->path) + 40;

	f->temp = malloc(size);
	if (!f->temp)
		return -1;
	for (int k = 0; k < 100; k++) {
		int fd;

		snprintf(f->temp, size, "%s.%ld-%d.tmp", f->path,
			 (long)getpid(), k);
		f->leaving = na_leaving_new(f->temp);
		/* What a signal is to remove is known before it is there. */
		if (!f->leaving && na_memory_refused())
			break;
		fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  mode);
		if (fd >= 0 || errno != EEXIST)
			return fd;
		na_leaving_free(f->leaving);
		f->leaving = NULL;
	}
	errno = na_memory_refused() ? ENOMEM : EEXIST;
	return -1;
}

static void forget(struct na_outfile *f)
{
	na_leaving_free(f->leaving);
	free(f->temp);
	free(f->path);
	memset(f, 0, sizeof(*f));
}

static enum na_status is_input(const char *path, struct na_err *err)
{
	return na_fail(err, NA_EUSAGE,
		       "-o %s: this file is also an input, and would be lost; "
		       "name another one",
		       path);
}

enum na_status na_outfile_open(struct na_outfile *f, const char *path,
			       struct na_err *err)
{
	struct stat info;
	bool there = stat(path, &info) == 0;
	int fd, e;

	memset(f, 0, sizeof(*f));
	if (there && na_inputs_hold(&info))
		return is_input(path, err);
	f->path = there ? realpath(path, NULL) : NULL;
	if (!f->path)
		f->path = strdup(path);
	if (!f->path)
		return na_fail_nomem(err);
	if (there && in_place(path, &info))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	else
		fd = open_temp(f, 0666);
	/* A file that is replaced keeps its permissions. */
	if (fd >= 0 && there && f->temp)
		(void)!fchmod(fd, info.st_mode & 0777);
	f->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (f->stream)
		return NA_OK;
	e = errno;
	if (fd >= 0) {
		close(fd);
		if (f->temp)
			unlink(f->temp);
	}
	forget(f);
	return cannot(path, e, err);
}

enum na_status na_outfile_close(struct na_outfile *f, const char *path,
				bool whole, struct na_err *err)
{
	bool failed = ferror(f->stream) != 0;
	enum na_status st = NA_OK;
	struct stat info;
	int e = errno;

	/* It may have been read since. */
	if (whole && f->temp && stat(f->path, &info) == 0 &&
	    na_inputs_hold(&info)) {
		st = is_input(path, err);
		whole = false;
	}
	if (whole && na_memory_refused()) {
		st = na_fail_nomem(err);
		whole = false;
	}
	errno = 0;
	if (fclose(f->stream) != 0) {
		failed = true;
		e = errno;
	}
	if (whole && !failed && f->temp && rename(f->temp, f->path) != 0) {
		failed = true;
		e = errno;
	}
	if (f->temp && (failed || !whole))
		unlink(f->temp);
	/* A pipe whose reader has left has seen enough. */
	if (failed && whole && !(e == EPIPE && !f->temp))
		st = cannot(path, e ? e : EIO, err);
	forget(f);
	return st;
}
