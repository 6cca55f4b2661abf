#include "netan/cli/commands/ledger_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/logs/lines.h"

/* Every line of ours begins so (ledger.c). */
static const char begin[] = "{\"when\":\"";

static enum na_status cannot(const char *path, int e, const char *but,
			     struct na_err *err)
{
	return na_fail(err, NA_EIO, "--ledger %s: %s%s", path, strerror(e),
		       but);
}

static bool is_ours(const char *s, size_t n)
{
	size_t zeros = 0, k = n < sizeof(begin) - 1 ? n : sizeof(begin) - 1;

	while (zeros < n && !s[zeros])
		zeros++;
	return zeros == n || (memcmp(s, begin, k) == 0 && s[n - 1] != '}');
}

enum na_status na_ledger_tail(int fd, uint64_t n, const char *path,
			      struct na_ledger_tail *tail, struct na_err *err)
{
	size_t room = n < NA_LINE_MAX ? (size_t)n : NA_LINE_MAX, i;
	char *last = malloc(room + 1);
	ssize_t got;

	*tail = (struct na_ledger_tail){.n = 0};
	if (!last)
		return na_fail_nomem(err);
	got = pread(fd, last, room, (off_t)(n - room));
	if (got != (ssize_t)room) {
		free(last);
		return cannot(path, got < 0 ? errno : EIO, "", err);
	}
	for (i = room; i && last[i - 1] != '\n'; i--)
		;
	tail->n = room - i;
	/* Of a longer line nobody knows the begin. */
	tail->ours = tail->n && (i || room == n) && is_ours(last + i, room - i);
	free(last);
	return NA_OK;
}

enum na_status na_ledger_cut(int fd, uint64_t n, const char *path,
			     struct na_err *err)
{
	return ftruncate(fd, (off_t)n) == 0 ? NA_OK
					    : cannot(path, errno, "", err);
}

enum na_status na_ledger_append(int fd, uint64_t at, const char *text, size_t n,
				const char *path, struct na_err *err)
{
	int e = 0;

	for (size_t done = 0; done < n && !e;) {
		ssize_t k = write(fd, text + done, n - done);

		if (k > 0)
			done += (size_t)k;
		else if (k == 0 || errno != EINTR)
			e = k ? errno : EIO;
	}
	if (!e && fsync(fd) != 0)
		e = errno;
	if (!e)
		return NA_OK;
	return cannot(path, e,
		      ftruncate(fd, (off_t)at) == 0
			      ? "; nothing was added to it"
			      : "; and what was added of this run cannot be "
				"taken back",
		      err);
}
