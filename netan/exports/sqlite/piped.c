/* A database that comes through standard input. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "netan/base/memory/mapped.h"
#include "netan/base/memory/temporary.h"
#include "netan/base/sqlite.h"
#include "netan/exports/sqlite/query.h"

enum { HEAD_BYTES = 100, COPY_BYTES = 8192 };

static bool begins_so(const uint8_t *head, ssize_t n)
{
	return n > 0 && na_sqlite_begins(head, (size_t)n);
}

/* Somebody may write more into the pipe. */
static bool is_written(void)
{
	static const struct timespec while_ns = {.tv_nsec = 10000000};
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	nanosleep(&while_ns, NULL);
	return poll(&p, 1, 0) >= 0 && !(p.revents & POLLHUP);
}

/* The first bytes of what is in the pipe: they stay in it, for whoever reads
 * another format. */
static ssize_t peek_pipe(uint8_t head[HEAD_BYTES])
{
	int ends[2];
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	do {
		n = tee(STDIN_FILENO, ends[1], HEAD_BYTES, 0);
		n = n > 0 ? read(ends[0], head, HEAD_BYTES) : n;
	} while (n < HEAD_BYTES && begins_so(head, n) && is_written());
	close(ends[0]);
	close(ends[1]);
	return n;
}

static bool is_ours(const struct stat *is)
{
	uint8_t head[HEAD_BYTES];
	ssize_t n = -1;

	/* From the start of the file: a shell's `<` may have moved. */
	if (S_ISREG(is->st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
		n = pread(STDIN_FILENO, head, HEAD_BYTES, 0);
	else if (S_ISFIFO(is->st_mode))
		n = peek_pipe(head);
	return n == HEAD_BYTES && begins_so(head, n) &&
	       na_sqlite_is_ours(head, HEAD_BYTES);
}

/* To the end of the pipe. */
static enum na_status copy(int fd, size_t *size, struct na_err *err)
{
	enum na_status st = NA_OK;
	uint8_t buf[COPY_BYTES];
	ssize_t n = 1;

	for (*size = 0; st == NA_OK && n; *size += (size_t)n) {
		do
			n = read(STDIN_FILENO, buf, sizeof(buf));
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return na_fail_errno(err, "standard input");
		st = na_temporary_write(fd, buf, (size_t)n, *size, err);
	}
	return st;
}

static enum na_status map(struct na_sql_db *x, int fd, size_t size,
			  struct na_err *err)
{
	x->mapped = na_map(fd, size);
	return x->mapped ? NA_OK : na_fail_errno(err, "standard input: mmap");
}

enum na_status na_sql_map_input(struct na_sql_db *x, size_t *size,
				struct na_err *err)
{
	struct na_temporary t;
	struct stat is;
	enum na_status st;

	if (fstat(STDIN_FILENO, &is) < 0 || !is_ours(&is))
		return NA_END;
	if (S_ISREG(is.st_mode)) {
		*size = (size_t)is.st_size;
		return map(x, STDIN_FILENO, *size, err);
	}
	st = na_temporary_open(&t, err);
	if (st != NA_OK)
		return st;
	st = copy(t.fd, size, err);
	if (st == NA_OK)
		st = map(x, t.fd, *size, err);
	close(t.fd);
	return st;
}
