/*
 * Any bytes as a ledger: read or refused; what is noted is appended and
 * nothing before it changes; the same run is noted once.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/cli/commands/ledger.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("ledger", MFD_CLOEXEC);
	uint8_t *back = malloc(size + 1);
	char path[40];
	size_t after;

	walk_must(fd >= 0 && back && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (note(path) == NA_OK) {
		after = length(fd);
		walk_must(note(path) == NA_OK && length(fd) == after);
	}
	walk_must(length(fd) >= size &&
		  pread(fd, back, size, 0) == (ssize_t)size);
	walk_must(!size || memcmp(back, data, size) == 0);
	free(back);
	close(fd);
	return 0;
}
