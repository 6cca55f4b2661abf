/*
 * Any bytes as a log of NCCL Inspector's: as they are, and as lines behind
 * one that says of which communicator they are.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mark[] =
	"{\"header\":{\"id\":\"0x1\",\"rank\":2,\"n_ranks\":8},\"metadata\":{"
	"\"dump_timestamp_us\":1752867229276385},\"dump_stats\":{}}\n";

static void read_both(const void *before, size_t n, const uint8_t *p,
		      size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct na_err err = {.status = NA_OK};
	struct na_input in;
	char path[64];

	walk_must(fd >= 0 && write(fd, before, n) == (ssize_t)n &&
		  write(fd, p, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (na_input_open(&in, path, WALK_ALL | NA_WANT_COMMS, NULL, &err) ==
	    NA_OK) {
		walk_must(!n || in.reader == &na_reader_inspector);
		walk(&in, NA_ANCHOR_AUTO);
		na_input_close(&in);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Other formats have targets of their own. */
	if (size > 2 && data[0] == '{' && data[1] == '"')
		read_both(mark, 0, data, size);
	read_both(mark, sizeof(mark) - 1, data, size);
	return 0;
}
