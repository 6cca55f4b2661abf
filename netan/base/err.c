#include "netan/base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/memory/spill.h"

enum na_status na_fail(struct na_err *err, enum na_status status,
		       const char *fmt, ...)
{
	if (err && err->status == NA_OK) {
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
		err->status = status;
	}
	return status;
}

/* What the first digits of a file say; 0: unreadable.  Without memory. */
static size_t number_in(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? (size_t)strtoull(text, NULL, 10) : 0;
}

static size_t lines_in(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[4096];
	size_t lines = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			lines += text[i] == '\n';
	}
	if (fd >= 0)
		close(fd);
	return lines;
}

/* Beyond a budget, and the file has no room.  Twice what it comes to: an
 * analysis takes more than what is read. */
static enum na_status no_room(struct na_err *err,
			      const struct na_memory_use *use)
{
	const uint64_t mb = 1000000;
	uint64_t budget = use->budget / mb, needed = use->needed / mb + 1;
	char much[128];

	if (use->needed)
		snprintf(much, sizeof(much),
			 "about %" PRIu64 " MB, with %" PRIu64
			 " MB of them in memory, and the others have",
			 needed, budget);
	else
		snprintf(much, sizeof(much),
			 "more than %" PRIu64 " MB, and what is more has",
			 budget);
	return na_fail(err, NA_ENOMEM,
		       "needs %s no room: %s, or give more memory (--memory "
		       "%" PRIu64 "MB), or fewer hosts at once (--host, or "
		       "netan ingest of each first)",
		       much, use->why, 2 * (use->needed ? needed : budget));
}

static enum na_status beyond(struct na_err *err,
			     const struct na_memory_use *use)
{
	const uint64_t mb = 1000000;

	if (*use->why)
		return no_room(err, use);
	return na_fail(err, NA_ENOMEM,
		       "more memory is needed than %" PRIu64
		       " MB: --memory %" PRIu64 "MB, or fewer hosts at once "
		       "(--host)",
		       use->budget / mb, 2 * use->budget / mb);
}

enum { LEAST_MB = 64 };

/* Within the budget, if there is one: the system has no more. */
static enum na_status refused(struct na_err *err,
			      const struct na_memory_use *use)
{
	const uint64_t mb = 1000000, half = use->taken / 2 / mb;

	if (!use->budget)
		return na_fail(err, NA_ENOMEM,
			       "out of memory: the system gives no more (a "
			       "limit of the shell, ulimit -v or -d, or of the "
			       "container?)");
	return na_fail(err, NA_ENOMEM,
		       "out of memory: with %" PRIu64
		       " MB taken, for %.0f %% of the inputs, the system gives "
		       "no more (a limit of the shell, ulimit -v or -d, or of "
		       "the container?); take fewer hosts at once (--host), "
		       "netan ingest of each first, or --memory %" PRIu64
		       "MB, which keeps the rest in a file",
		       use->taken / mb, 100 * use->read,
		       half > LEAST_MB ? half : LEAST_MB);
}

enum na_status na_fail_nomem(struct na_err *err)
{
	struct na_memory_use use = na_memory_use();
	size_t most;

	if (!err || err->status != NA_OK)
		return NA_ENOMEM;
	most = number_in("/proc/sys/vm/max_map_count");
	/* It fails near the limit: an allocator takes several at a time. */
	if (most && lines_in("/proc/self/maps") + most / 100 >= most)
		return na_fail(err, NA_ENOMEM,
			       "the system's limit of %zu mappings a process "
			       "is reached: too many files at once; raise "
			       "vm.max_map_count, or make one of several files "
			       "with netan ingest first",
			       most);
	/* Far from it, it is not the budget that was short. */
	if (!use.budget || use.taken + use.spilled < use.budget / 2)
		return refused(err, &use);
	return use.firm || *use.why ? beyond(err, &use) : refused(err, &use);
}

enum na_status na_fail_errno(struct na_err *err, const char *what)
{
	int e = errno;

	return na_fail(err, e == ENOMEM ? NA_ENOMEM : NA_EIO, "%s: %s", what,
		       strerror(e));
}
