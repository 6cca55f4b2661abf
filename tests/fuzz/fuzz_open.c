/*
 * Any bytes as a file: recognising, unpacking, spooling, and what follows.
 * From a file, some of its threads alone, or from a pipe, which is always
 * spooled.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/walk.h"

enum { PIPE_BYTES = 60000 }; /* below what a pipe holds */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_and_read(int fd, uint32_t wants,
			  const struct na_input_asks *asks)
{
	struct na_err err = {.status = NA_OK};
	struct na_input in;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (na_input_open(&in, path, wants, asks, &err) == NA_OK) {
		walk(&in, NA_ANCHOR_AUTO);
		na_input_close(&in);
	} else {
		walk_must(err.text[0] != '\0' && err.status != NA_OK);
	}
}

static void as_pipe(const uint8_t *data, size_t size)
{
	int fds[2];

	walk_must(pipe2(fds, O_CLOEXEC) == 0);
	walk_must(write(fds[1], data, size) == (ssize_t)size);
	close(fds[1]);
	open_and_read(fds[0], WALK_TRANSFERS, NULL);
	close(fds[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *globs[] = {"Megascale*", "*[a-f]?"};
	const struct na_text_list list = {globs, 2, 2};
	const struct na_input_asks some = {.lines = &list,
					   .segments_of = NA_UNKNOWN_U32,
					   .idle_threads = true};
	unsigned way = walk_way(size, 3);
	int fd;

	if (way == 2 && size <= PIPE_BYTES) {
		as_pipe(data, size);
		return 0;
	}
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	walk_must(fd >= 0);
	walk_must(write(fd, data, size) == (ssize_t)size);
	open_and_read(fd, WALK_ALL, way ? &some : NULL);
	close(fd);
	return 0;
}
