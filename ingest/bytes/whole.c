#include "ingest/bytes/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/inputs.h"

enum na_status na_whole_open(struct na_whole *w, const char *path,
			     struct na_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum na_status st = NA_OK;
	struct stat sb;

	*w = (struct na_whole){.p = NULL};
	na_inputs_add(fd);
	if (fd < 0 || fstat(fd, &sb) < 0)
		st = na_fail(err, NA_EIO, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(sb.st_mode))
		st = na_fail(err, NA_EIO, "%s: no regular file", path);
	if (st == NA_OK && sb.st_size > 0) {
		w->mapped = na_map(fd, (size_t)sb.st_size);
		if (!w->mapped)
			st = na_fail(err, NA_EIO, "%s: %s", path,
				     strerror(errno));
		else
			*w = (struct na_whole){na_mapped_bytes(w->mapped),
					       (size_t)sb.st_size, w->mapped};
	}
	if (fd >= 0)
		close(fd);
	return st;
}

void na_whole_close(struct na_whole *w)
{
	na_unmap(w->mapped);
	*w = (struct na_whole){.p = NULL};
}
