#include "netan/base/memory/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool in_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 &&
	       (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/* -1 with errno. */
static int open_in(const char *dir)
{
	char name[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "%s/netan-XXXXXX", dir);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static void set(struct na_temporary *t, int fd, const char *dir)
{
	t->fd = fd;
	t->in_memory = fd >= 0 && in_memory(fd);
	snprintf(t->dir, sizeof(t->dir), "%s", dir);
}

enum na_status na_temporary_open(struct na_temporary *t, struct na_err *err)
{
	const char *dir = getenv("TMPDIR");
	struct na_temporary other;

	dir = dir && *dir ? dir : "/tmp";
	set(t, open_in(dir), dir);
	if (t->fd < 0)
		return na_fail(err, NA_EIO,
			       "temporary file in %s: %s; set TMPDIR to "
			       "a directory with room",
			       dir, strerror(errno));
	if (!t->in_memory)
		return NA_OK;
	set(&other, open_in("/var/tmp"), "/var/tmp");
	if (other.fd >= 0 && !other.in_memory) {
		close(t->fd);
		*t = other;
	} else if (other.fd >= 0) {
		close(other.fd);
	}
	return NA_OK;
}

enum na_status na_temporary_write(int fd, const uint8_t *p, size_t n,
				  uint64_t at, struct na_err *err)
{
	while (n) {
		ssize_t done = pwrite(fd, p, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return na_fail(err, NA_EIO,
				       "temporary file: %s; set TMPDIR to a "
				       "directory with room",
				       strerror(errno));
		p += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return NA_OK;
}
