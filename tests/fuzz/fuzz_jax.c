/*
 * Any bytes as a JAX trace in JSON (na_reader_jax): as they are, and as
 * events behind the names of a device's lines.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mark[] =
	"{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},"
	"\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\","
	"\"args\":{\"name\":\"/device:TPU:0\"}},{\"ph\":\"M\",\"pid\":1,"
	"\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"Steps\"}},"
	"{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":"
	"{\"name\":\"XLA Ops\"}},";

static void read_file(const void *before, size_t n, const uint8_t *p,
		      size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct na_err err = {.status = NA_OK};
	struct na_input in;
	char path[64];

	walk_must(fd >= 0 && write(fd, before, n) == (ssize_t)n &&
		  write(fd, p, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (na_input_open(&in, path, WALK_ALL, NULL, &err) == NA_OK) {
		bool ours = strcmp(in.format, "jax") == 0;

		walk_must(!n || ours);
		walk_must(!ours || !in.has_wall);
		if (ours)
			walk(&in, NA_ANCHOR_AUTO);
		na_input_close(&in);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Other formats have targets of their own. */
	if (size > 2 && data[0] == '{')
		read_file(mark, 0, data, size);
	read_file(mark, sizeof(mark) - 1, data, size);
	return 0;
}
