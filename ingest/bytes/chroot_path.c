#include "ingest/bytes/chroot_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/bytes/file_kind.h"
#include "netan/base/vec.h"

/* ---- from the root to a file, one component at a time */

struct walk {
	int fds[NA_CHROOT_DEPTH + 1]; /* [0]: the root, borrowed */
	size_t n;
	unsigned links;
	char todo[2 * PATH_MAX]; /* components to go */
	char name[NAME_MAX + 1]; /* the last one, where it is no directory */
};

static void go_up(struct walk *w, size_t to)
{
	while (w->n > to)
		close(w->fds[--w->n]);
}

/* Cuts the next component off w->todo; false behind the last. */
static bool next_part(struct walk *w, char part[NAME_MAX + 1], int *e)
{
	const char *s = w->todo + strspn(w->todo, "/");
	size_t n = strcspn(s, "/");

	if (!n)
		return false;
	if (n > NAME_MAX) {
		*e = ENAMETOOLONG;
		return false;
	}
	memcpy(part, s, n);
	part[n] = '\0';
	memmove(w->todo, s + n, strlen(s + n) + 1);
	return true;
}

/* What the link says goes before what is left. */
static int follow(struct walk *w, int fd)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(fd, "", target, sizeof(target));
	size_t left = strlen(w->todo);

	if (n < 0)
		return errno;
	if (++w->links > NA_CHROOT_LINKS)
		return ELOOP;
	if ((size_t)n == sizeof(target) ||
	    left + (size_t)n + 2 > sizeof(w->todo))
		return ENAMETOOLONG;
	if (n && target[0] == '/')
		go_up(w, 1);
	memmove(w->todo + n + 1, w->todo, left + 1);
	memcpy(w->todo, target, (size_t)n);
	w->todo[n] = '/';
	return 0;
}

/* One component; *end becomes what is no directory. */
static int step(struct walk *w, const char *part, int *end)
{
	struct stat info;
	int fd, e = 0;

	fd = openat(w->fds[w->n - 1], part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (fstat(fd, &info) != 0) {
		e = errno;
	} else if (S_ISLNK(info.st_mode)) {
		e = follow(w, fd);
	} else if (!S_ISDIR(info.st_mode)) {
		e = w->todo[strspn(w->todo, "/")] ? ENOTDIR : 0;
		if (!e) {
			strcpy(w->name, part);
			*end = fd;
			return 0;
		}
	} else if (w->n > NA_CHROOT_DEPTH) {
		e = ENAMETOOLONG;
	} else {
		w->fds[w->n++] = fd;
		return 0;
	}
	close(fd);
	return e;
}

/* 0: *end is an O_PATH descriptor of what is no directory, or -1, then the
 * last of w->fds is what the path names.  Else errno.  go_up(w, 1) is due in
 * any case. */
static int walk_to(const struct na_chroot *r, const char *path, struct walk *w,
		   int *end)
{
	char part[NAME_MAX + 1];
	int e = 0;

	w->fds[0] = r->fd;
	w->n = 1;
	w->links = 0;
	*end = -1;
	if (strlen(path) >= PATH_MAX)
		return ENAMETOOLONG;
	strcpy(w->todo, path);
	while (!e && *end < 0 && next_part(w, part, &e)) {
		if (strcmp(part, ".") == 0)
			continue;
		if (strcmp(part, "..") == 0)
			go_up(w, w->n > 1 ? w->n - 1 : 1);
		else
			e = step(w, part, end);
	}
	return e;
}

/* ---- reading */

static const char *kind_of(mode_t mode)
{
	return S_ISFIFO(mode)                   ? "a pipe"
	       : S_ISSOCK(mode)                 ? "a socket"
	       : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
						: "no file";
}

static enum na_status refuse(int e, struct na_err *err)
{
	if (e == ENOENT || e == ENOTDIR)
		return na_fail(err, NA_END, "is not there");
	return na_fail(err, NA_EIO, "cannot be read: %s", strerror(e));
}

/* Opened only once it is known to be a file: opening a device may do
 * something. */
static int open_file(const struct walk *w, int found, struct na_err *err)
{
	struct stat was, is;
	int fd;

	if (fstat(found, &was) != 0)
		return refuse(errno, err), -1;
	if (!S_ISREG(was.st_mode)) {
		na_fail(err, NA_EIO, "is %s, not a regular file",
			kind_of(was.st_mode));
		return -1;
	}
	fd = openat(w->fds[w->n - 1], w->name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return refuse(errno, err), -1;
	if (fstat(fd, &is) != 0 || is.st_dev != was.st_dev ||
	    is.st_ino != was.st_ino) {
		na_fail(err, NA_EIO, "changed while it was opened");
		close(fd);
		return -1;
	}
	return fd;
}

static enum na_status read_all(int fd, size_t most, char **buf, size_t *n,
			       struct na_err *err)
{
	size_t cap = 0;

	*n = 0;
	*buf = NULL;
	for (;;) {
		ssize_t got;

		if (!na_grow(buf, &cap, *n + 4096, 1))
			return na_fail_nomem(err);
		got = read(fd, *buf + *n, cap - *n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return refuse(errno, err);
		*n += (size_t)got;
		if (*n > most)
			return na_fail(err, NA_ELIMIT,
				       "holds more than %zu bytes", most);
		if (!got)
			return NA_OK;
	}
}

enum na_status na_chroot_read(const struct na_chroot *r, const char *path,
			      size_t most, struct na_arena *a,
			      const char **bytes, size_t *n, struct na_err *err)
{
	char *buf = NULL;
	struct walk w;
	int found, e = walk_to(r, path, &w, &found), fd = -1;

	*bytes = NULL;
	*n = 0;
	if (e)
		refuse(e, err);
	else if (found < 0)
		na_fail(err, NA_EIO, "is a directory");
	else
		fd = open_file(&w, found, err);
	if (found >= 0)
		close(found);
	go_up(&w, 1);
	if (fd < 0)
		return err->status;
	if (read_all(fd, most, &buf, n, err) == NA_OK) {
		*bytes = na_arena_strn(a, buf, *n);
		if (!*bytes)
			na_fail_nomem(err);
	}
	close(fd);
	free(buf);
	return err->status;
}

bool na_chroot_has_dir(const struct na_chroot *r, const char *path)
{
	struct walk w;
	int found, e = walk_to(r, path, &w, &found);

	if (found >= 0)
		close(found);
	go_up(&w, 1);
	return !e && found < 0;
}

/* ---- directories */

static enum na_status take_names(DIR *d, struct na_arena *a,
				 const char ***names, size_t *n,
				 struct na_err *err)
{
	size_t cap = 0;
	struct dirent *x;

	while ((x = readdir(d))) {
		const char *copy;

		if (strcmp(x->d_name, ".") == 0 || strcmp(x->d_name, "..") == 0)
			continue;
		if (*n == NA_CHROOT_NAMES)
			return na_fail(err, NA_ELIMIT,
				       "holds more than %d names",
				       NA_CHROOT_NAMES);
		copy = na_arena_strn(a, x->d_name, strlen(x->d_name));
		if (!copy || !na_grow(names, &cap, *n + 1, sizeof(**names)))
			return na_fail_nomem(err);
		(*names)[(*n)++] = copy;
	}
	return NA_OK;
}

enum na_status na_chroot_list(const struct na_chroot *r, const char *path,
			      struct na_arena *a, const char ***names,
			      size_t *n, struct na_err *err)
{
	struct walk w;
	int found, e = walk_to(r, path, &w, &found), fd = -1;
	DIR *d = NULL;

	*names = NULL;
	*n = 0;
	if (!e && found >= 0)
		e = ENOTDIR;
	if (!e)
		fd = openat(w.fds[w.n - 1], ".",
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!e && fd >= 0)
		d = fdopendir(fd);
	if (!e && !d)
		e = errno;
	if (found >= 0)
		close(found);
	go_up(&w, 1);
	if (e) {
		if (fd >= 0)
			close(fd);
		return refuse(e, err);
	}
	take_names(d, a, names, n, err);
	closedir(d);
	if (err->status == NA_OK)
		na_sort_names(*names, *n);
	return err->status;
}

/* ---- the root */

enum na_status na_chroot_open(struct na_chroot *r, const char *dir,
			      struct na_err *err)
{
	r->fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return r->fd < 0 ? na_fail_errno(err, dir) : NA_OK;
}

void na_chroot_close(struct na_chroot *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}
