#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/atomic_file.h"
#include "netan/base/inputs.h"
#include "netan/base/memory/oom.h"
#include "netan/cli/output/output.h"
#include "netan/cli/output/place.h"

static enum na_status cannot(const char *path, int e, struct na_err *err)
{
	return na_fail(err, NA_EIO, "cannot write %s: %s", path, strerror(e));
}

static enum na_status check_open(const char *path, int fd, struct na_err *err)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || (flags & O_ACCMODE) == O_RDONLY
		       ? cannot(path, EBADF, err)
		       : NA_OK;
}

static enum na_status check_folder(const char *path, const char *at,
				   struct na_err *err)
{
	char *folder = na_folder_of(at);
	enum na_status st = NA_OK;

	if (!folder)
		return na_fail_nomem(err);
	if (access(folder, W_OK | X_OK) != 0)
		st = errno == ENOENT ? na_fail(err, NA_EIO,
					       "cannot write %s: there is no "
					       "directory %s; make it first",
					       path, folder)
				     : cannot(path, errno, err);
	free(folder);
	return st;
}

static enum na_status check_place(const char *path, const struct na_place *p,
				  struct na_err *err)
{
	if (p->kind == NA_PLACE_FOLDER)
		return cannot(path, EISDIR, err);
	if (p->kind == NA_PLACE_OPEN)
		return check_open(path, p->fd, err);
	if (p->there && access(p->path, W_OK) != 0)
		return cannot(path, errno, err);
	return p->kind == NA_PLACE_FILE ? check_folder(path, p->path, err)
					: NA_OK;
}

enum na_status na_outfile_check(const char *path, struct na_err *err)
{
	struct na_place p;

	if (na_place_find(&p, path, err) == NA_OK)
		na_in_err(check_place(path, &p, err));
	na_place_free(&p);
	return err->status;
}

static int open_temp(struct na_outfile *f, mode_t mode)
{
	for (int k = 0; k < 100; k++) {
		int fd;

		free(f->temp);
		f->temp = na_atomic_temp(f->path, k);
		if (!f->temp)
			return -1;
		f->temp_file = na_temp_file_new(f->temp);
		/* What a signal is to remove is known before it is there. */
		if (!f->temp_file && na_oom())
			break;
		fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  mode);
		if (fd >= 0 || errno != EEXIST)
			return fd;
		na_temp_file_free(f->temp_file);
		f->temp_file = NULL;
	}
	errno = na_oom() ? ENOMEM : EEXIST;
	return -1;
}

static void forget(struct na_outfile *f)
{
	na_temp_file_free(f->temp_file);
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
	struct na_place p;
	int fd, e;

	memset(f, 0, sizeof(*f));
	if (na_place_find(&p, path, err) == NA_OK && p.there &&
	    na_inputs_hold(&p.info))
		na_in_err(is_input(path, err));
	if (err->status != NA_OK) {
		na_place_free(&p);
		return err->status;
	}
	f->path = p.path;
	fd = p.kind == NA_PLACE_OPEN ? fcntl(p.fd, F_DUPFD_CLOEXEC, 0)
	     : p.kind == NA_PLACE_FILE
		     ? open_temp(f, 0666)
		     : open(p.path, O_WRONLY | O_CLOEXEC);
	/* A file that is replaced keeps its permissions. */
	if (fd >= 0 && p.there && f->temp)
		(void)!fchmod(fd, p.info.st_mode & 0777);
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
	if (whole && na_oom()) {
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
