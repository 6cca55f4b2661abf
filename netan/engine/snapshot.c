#include "netan/engine/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/host/settings.h"
#include "netan/base/atomic_file.h"
#include "netan/base/memory/temp_files.h"
#include "netan/base/vec.h"
#include "netan/synth/out_file.h"

/* What has been made below the new directory, in order: to be undone. */
struct snapshot {
	const char *dir; /* as given, for messages */
	char *temp;
	struct na_temp_file *temp_file;
	int fd;
	struct made {
		char *path;
		struct na_temp_file *temp_file;
		bool folder;
	} * made;
	size_t n, cap;
};

static enum na_status cannot(const char *path, int e, struct na_err *err)
{
	return na_fail(err, NA_EIO, "cannot write %.300s: %s", path,
		       strerror(e));
}

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *x;
	bool empty = d != NULL;

	while (d && (x = readdir(d)))
		empty &= strcmp(x->d_name, ".") == 0 ||
			 strcmp(x->d_name, "..") == 0;
	if (d)
		closedir(d);
	return empty;
}

/* "a/b/" is written beside as "a/b.PID.tmp". */
static char *bare(const char *dir)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	return strndup(dir, n);
}

enum na_status na_snapshot_check(const char *dir, struct na_err *err)
{
	struct stat info;
	char *name, *slash;
	const char *folder = ".";
	enum na_status st = NA_OK;

	if (!*dir)
		return na_fail(err, NA_EIO,
			       "--snapshot: no directory is named");
	if (lstat(dir, &info) == 0 && !(S_ISDIR(info.st_mode) && is_empty(dir)))
		return na_fail(err, NA_EIO,
			       "%.300s is there already; a snapshot goes to a "
			       "new directory",
			       dir);
	name = bare(dir);
	if (!name)
		return na_fail_nomem(err);
	slash = strrchr(name, '/');
	if (slash) {
		slash[slash == name] = '\0';
		folder = name;
	}
	if (access(folder, W_OK | X_OK) != 0 && errno != ENOENT)
		st = cannot(dir, errno, err);
	free(name);
	return st;
}

static bool note_made(struct snapshot *s, const char *path, bool folder)
{
	char *copy = strdup(path), *whole = NULL;
	struct na_temp_file *l = NULL;

	if (!copy || !na_grow(&s->made, &s->cap, s->n + 1, sizeof(*s->made))) {
		free(copy);
		return false;
	}
	if (asprintf(&whole, "%s/%s", s->temp, path) >= 0) {
		l = na_temp_file_new(whole);
		free(whole);
	}
	s->made[s->n++] = (struct made){copy, l, folder};
	return true;
}

static bool was_made(const struct snapshot *s, const char *path)
{
	for (size_t i = s->n; i-- > 0;) {
		if (s->made[i].folder && strcmp(s->made[i].path, path) == 0)
			return true;
	}
	return false;
}

/* Of a file in it. */
static enum na_status cannot_in(const struct snapshot *s, const char *path,
				int e, struct na_err *err)
{
	size_t n = strlen(s->dir);

	return na_fail(err, NA_EIO, "cannot write %.300s%s%.300s: %s", s->dir,
		       n && s->dir[n - 1] == '/' ? "" : "/", path, strerror(e));
}

static enum na_status make_folders(struct snapshot *s, const char *path,
				   struct na_err *err)
{
	char part[1024];

	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		if ((size_t)(p - path) >= sizeof(part))
			return cannot_in(s, path, ENAMETOOLONG, err);
		memcpy(part, path, (size_t)(p - path));
		part[p - path] = '\0';
		if (was_made(s, part))
			continue;
		if (mkdirat(s->fd, part, 0777) != 0)
			return cannot_in(s, path, errno, err);
		if (!note_made(s, part, true))
			return na_fail_nomem(err);
	}
	return NA_OK;
}

static enum na_status put_file(struct snapshot *s, const char *path,
			       const char *bytes, size_t n, struct na_err *err)
{
	int fd;

	if (make_folders(s, path, err) != NA_OK)
		return err->status;
	fd = openat(s->fd, path,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return cannot_in(s, path, errno, err);
	if (!note_made(s, path, false))
		na_fail_nomem(err);
	while (err->status == NA_OK && n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			cannot_in(s, path, errno, err);
			break;
		}
		bytes += done;
		n -= (size_t)done;
	}
	if (close(fd) != 0)
		cannot_in(s, path, errno, err);
	return err->status;
}

/* Else what is missing for that would seem to be absent on the host. */
static enum na_status put_refused(struct snapshot *s,
				  const struct na_settings *from,
				  struct na_err *err)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = from->n_refused ? open_memstream(&text, &n) : NULL;

	if (!from->n_refused)
		return NA_OK;
	for (size_t i = 0; f && i < from->n_refused; i++)
		fprintf(f, "%s\n", from->refused[i]);
	if (!f || fclose(f) != 0)
		na_fail_nomem(err);
	else
		put_file(s, NA_REFUSED_FILE, text, n, err);
	free(text);
	return err->status;
}

static enum na_status fill_folder(struct snapshot *s,
				  const struct na_settings *from,
				  struct na_err *err)
{
	bool named = false;

	for (size_t i = 0; i < from->n_files && err->status == NA_OK; i++) {
		const struct na_settings_file *f = &from->files[i];

		named |= strcmp(f->path, "hostname") == 0;
		put_file(s, f->path, f->bytes, f->n, err);
	}
	/* A NIC whose device tells nothing still has one. */
	for (size_t i = 0; i < from->n_nics && err->status == NA_OK; i++) {
		char path[600];

		if (from->nics[i].kind != NA_NIC_PHYSICAL)
			continue;
		snprintf(path, sizeof(path), "sys/class/net/%.255s/device/",
			 from->nics[i].name);
		make_folders(s, path, err);
	}
	if (from->host && !named && err->status == NA_OK)
		put_file(s, "hostname", from->host, strlen(from->host), err);
	return err->status == NA_OK ? put_refused(s, from, err) : err->status;
}

/* The folder of all snapshots need not be there; whether it could be made,
 * the next mkdir tells. */
static const char *with_parent(const char *path)
{
	struct na_err err = {.status = NA_OK};
	char *copy = strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;

	if (slash && slash != copy) {
		*slash = '\0';
		if (na_out_make_dirs(copy, &err) != NA_OK)
			errno = ENOENT;
	}
	free(copy);
	return path;
}

static enum na_status begin_folder(struct snapshot *s, struct na_err *err)
{
	char *name = bare(s->dir);

	s->temp = name ? na_path_with_suffix(name, ".%ld.tmp", (long)getpid())
		       : NULL;
	free(name);
	if (!s->temp)
		return na_fail_nomem(err);
	s->temp_file = na_temp_file_new(s->temp);
	if (mkdir(s->temp, 0777) != 0 &&
	    (errno != ENOENT || mkdir(with_parent(s->temp), 0777) != 0)) {
		int e = errno;

		free(s->temp);
		s->temp = NULL;
		return cannot(s->dir, e, err);
	}
	s->fd = open(s->temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return s->fd < 0 ? cannot(s->dir, errno, err) : NA_OK;
}

static void undo(struct snapshot *s)
{
	for (size_t i = s->n; i-- > 0 && s->fd >= 0;)
		unlinkat(s->fd, s->made[i].path,
			 s->made[i].folder ? AT_REMOVEDIR : 0);
	if (s->temp)
		rmdir(s->temp);
}

enum na_status na_snapshot_write(const struct na_settings *from,
				 const char *dir, struct na_err *err)
{
	struct snapshot s = {.dir = dir, .fd = -1};

	if (na_snapshot_check(dir, err) == NA_OK &&
	    begin_folder(&s, err) == NA_OK)
		fill_folder(&s, from, err);
	/* An empty directory of that name gives way; nothing else does. */
	if (err->status == NA_OK && rename(s.temp, dir) != 0)
		cannot(dir, errno, err);
	if (err->status != NA_OK)
		undo(&s);
	if (s.fd >= 0)
		close(s.fd);
	for (size_t i = 0; i < s.n; i++) {
		na_temp_file_free(s.made[i].temp_file);
		free(s.made[i].path);
	}
	na_temp_file_free(s.temp_file);
	free(s.made);
	free(s.temp);
	return err->status;
}
