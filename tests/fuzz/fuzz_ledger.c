/*
 * Any bytes as a ledger: read or refused; what is noted is appended and
 * nothing before it changes but a line of ours that breaks off at the end, which
 * is taken away; the same run is noted once.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/cli/commands/ledger.h"
#include "netan/cli/commands/ledger_file.h"
#include "netan/result/emit.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct na_suspect suspects[] = {
	{.host = "a", .kind = "host", .cause = "networking", .events = 2},
	{.host = "b\"\n", .peer = "a", .kind = "pair", .cause = "all"},
};

static enum na_status note(const char *path)
{
	const struct na_cli cli = {.common = {.ledger = path}};
	const struct na_ledger_run run = {.by = "hang",
					  .id = "0123456789abcdef",
					  .when_ns = 1,
					  .suspects = suspects,
					  .n = 2};
	struct na_err err = {.status = NA_OK};
	struct na_result *r = na_result_new();
	enum na_status st = na_ledger_note(&cli, &run, r, &err);

	walk_must(st == NA_OK || *err.text);
	walk_must(na_result_ok(r));
	na_result_free(r);
	return st;
}

static size_t length(int fd)
{
	struct stat info;

	walk_must(fstat(fd, &info) == 0);
	return (size_t)info.st_size;
}

/* Of `size` bytes: those that stay whatever is noted. */
static size_t stays(int fd, const char *path, size_t size)
{
	struct na_ledger_tail tail;
	struct na_err err = {.status = NA_OK};

	walk_must(na_ledger_tail(fd, size, path, &tail, &err) == NA_OK &&
		  tail.n <= size);
	return tail.ours ? size - (size_t)tail.n : size;
}

/* A ledger's content in a file that this process has not read yet, which would
 * be an input. */
static int ledger_of(const void *data, size_t size, char path[40])
{
	int fd = memfd_create("ledger", MFD_CLOEXEC);

	walk_must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, 40, "/proc/self/fd/%d", fd);
	return fd;
}

/* Of what is noted nothing is noted again. */
static void note_again(int fd)
{
	size_t size = length(fd);
	uint8_t *all = malloc(size + 1);
	char path[40];
	int other;

	walk_must(all && pread(fd, all, size, 0) == (ssize_t)size);
	other = ledger_of(all, size, path);
	walk_must(note(path) == NA_OK && length(other) == size);
	free(all);
	close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[40];
	int fd = ledger_of(data, size, path);
	size_t kept = stays(fd, path, size);
	uint8_t *back = malloc(kept + 1);

	if (note(path) == NA_OK)
		note_again(fd);
	walk_must(back && length(fd) >= kept &&
		  pread(fd, back, kept, 0) == (ssize_t)kept);
	walk_must(!kept || memcmp(back, data, kept) == 0);
	free(back);
	close(fd);
	return 0;
}
