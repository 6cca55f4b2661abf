/*
 * Any bytes as a JAX trace in JSON (na_reader_jax): as they are, and as
 * events behind the names of a device's lines.
 */
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mark[] =
	"{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},"
	"\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\","
	"\"args\":{\"name\":\"/device:TPU:0\"}},{\"ph\":\"M\",\"pid\":1,"
	"\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"Steps\"}},"
	"{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":"
	"{\"name\":\"XLA Ops\"}},";

static void read_file(struct na_text before, const uint8_t *p, size_t size)
{
	struct na_input in;
	bool ours;
	int fd;

	if (!walk_open(&in, &fd, before, p, size, WALK_ALL))
		return;
	ours = strcmp(in.format, "jax") == 0;
	walk_must(!before.n || ours);
	walk_must(!ours || !in.has_wall);
	if (ours)
		walk(&in, NA_ANCHOR_AUTO);
	walk_close(&in, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Other formats have targets of their own. */
	if (size > 2 && data[0] == '{')
		read_file(na_text_n(mark, 0), data, size);
	read_file(na_text_n(mark, sizeof(mark) - 1), data, size);
	return 0;
}
