/*
 * Any bytes as files of NCCL's profiler plugins (na_reader_comma,
 * na_reader_plugin): as they are, and behind the begin of such a file.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char object[] =
	"{\"args\":{\"size\":8},\"cat\":\"COLL\",\"comm_hash\":\"0x5\","
	"\"name\":\"all_reduce\",\"ph\":\"X\",\"rank\":0,\"ts\":9}\n";
static const char event[] =
	"[\n{\"name\": \"AllReduce\", \"cat\": \"COLL\", \"ph\": \"b\", "
	"\"id\": 0, \"ts\": 1.5, \"args\": {\"SeqNum\": 1, \"CommHash\": 5, "
	"\"Rank\": 0, \"Count\": 4, \"Datatype\": ncclInt8}},\n";

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
	if (na_input_open(&in, path,
			  WALK_ALL | NA_WANT_COMMS | NA_WANT_QUEUE_PAIRS, NULL,
			  &err) == NA_OK) {
		bool ours = in.reader == &na_reader_comma ||
			    in.reader == &na_reader_plugin;

		walk_must(!n || ours);
		if (ours)
			walk(&in, NA_ANCHOR_AUTO);
		na_input_close(&in);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Other formats have targets of their own. */
	if (size > 2 && (data[0] == '{' || data[0] == '['))
		read_file(object, 0, data, size);
	read_file(object, sizeof(object) - 1, data, size);
	read_file(event, sizeof(event) - 1, data, size);
	return 0;
}
