#include "tests/faults/forked.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FDS = 256 };

static void must(bool done)
{
	if (!done)
		_exit(124);
}

static void copy(int from, int to)
{
	char bytes[1 << 14];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, bytes, sizeof(bytes), at)) > 0) {
		must(pwrite(to, bytes, (size_t)n, at) == n);
		at += n;
	}
	must(n == 0);
}

static void copy_files(const char *dir)
{
	DIR *d = opendir(".");
	struct dirent *e;
	char path[PATH_MAX];

	must(d != NULL);
	while ((e = readdir(d))) {
		int from, to;

		if (e->d_type != DT_REG)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		from = open(e->d_name, O_RDONLY | O_CLOEXEC);
		to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		must(from >= 0 && to >= 0);
		copy(from, to);
		close(from);
		close(to);
	}
	closedir(d);
}

/* The same again, of another file where it is written. */
static int opened_anew(int fd, const char *self, const char *was,
		       const char *dir, int flags)
{
	size_t n = strlen(dir);
	char path[PATH_MAX];
	ssize_t length = readlink(self, path, sizeof(path) - 1);
	struct stat sb;
	int to;

	must(length > 0 && fstat(fd, &sb) == 0);
	path[length] = '\0';
	if (strncmp(path, was, strlen(was)) == 0 && path[strlen(was)] == '/') {
		char own[PATH_MAX];

		must(n + strlen(path + strlen(was)) < sizeof(own));
		strcpy(own, dir);
		strcpy(own + n, path + strlen(was));
		if (sb.st_nlink)
			return open(own, flags);
	}
	if (sb.st_nlink || (flags & O_ACCMODE) == O_RDONLY)
		return open(self, flags);
	to = open(dir, O_RDWR | O_TMPFILE, 0600);
	if (to >= 0)
		copy(fd, to);
	return to;
}

static void part(int fd, const char *was, const char *dir)
{
	int flags = fcntl(fd, F_GETFL), at_exec = fcntl(fd, F_GETFD), to;
	char self[64];
	struct stat sb;

	if (flags < 0 || fstat(fd, &sb) != 0 ||
	    (!S_ISREG(sb.st_mode) && !S_ISDIR(sb.st_mode)))
		return;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	to = opened_anew(fd, self, was, dir,
			 flags & (O_ACCMODE | O_APPEND | O_DIRECTORY));
	must(to >= 0);
	lseek(to, lseek(fd, 0, SEEK_CUR), SEEK_SET);
	must(dup2(to, fd) == fd);
	fcntl(fd, F_SETFD, at_exec);
	close(to);
}

void forked_apart(const char *dir)
{
	char was[PATH_MAX];

	must(getcwd(was, sizeof(was)) != NULL);
	copy_files(dir);
	for (int fd = 0; fd < FDS; fd++)
		part(fd, was, dir);
	must(chdir(dir) == 0);
}
