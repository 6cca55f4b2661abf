#include "ingest/bytes/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum na_status na_whole_open(struct na_whole *w, const char *path,
			     struct na_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum na_status st = NA_OK;
	struct stat sb;
	void *p;

	*w = (struct na_whole){.p = NULL};
	if (fd < 0 || fstat(fd, &sb) < 0)
		st = na_fail(err, NA_EIO, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(sb.st_mode))
		st = na_fail(err, NA_EIO, "%s: no regular file", path);
	if (st == NA_OK && sb.st_size > 0) {
		p = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_PRIVATE, fd,
			 0);
		if (p == MAP_FAILED)
			st = na_fail(err, NA_EIO, "%s: %s", path,
				     strerror(errno));
		else
			*w = (struct na_whole){p, (size_t)sb.st_size};
	}
	if (fd >= 0)
		close(fd);
	return st;
}

void na_whole_close(struct na_whole *w)
{
	if (w->p)
		munmap((void *)(uintptr_t)w->p, w->n);
	w->p = NULL;
}
