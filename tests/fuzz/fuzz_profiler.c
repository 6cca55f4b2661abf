/*
 * Any bytes as files of NCCL's profiler plugins (na_reader_comma,
 * na_reader_plugin): as they are, or behind the begin of such a file.
 */
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char object[] =
	"{\"args\":{\"size\":8},\"cat\":\"COLL\",\"comm_hash\":\"0x5\","
	"\"name\":\"all_reduce\",\"ph\":\"X\",\"rank\":0,\"ts\":9}\n";
static const char event[] =
	"[\n{\"name\": \"AllReduce\", \"cat\": \"COLL\", \"ph\": \"b\", "
	"\"id\": 0, \"ts\": 1.5, \"args\": {\"SeqNum\": 1, \"CommHash\": 5, "
	"\"Rank\": 0, \"Count\": 4, \"Datatype\": ncclInt8}},\n";

static void read_file(struct na_text before, const uint8_t *p, size_t size)
{
	struct na_input in;
	bool ours;
	int fd;

	if (!walk_open(&in, &fd, before, p, size,
		       WALK_ALL | NA_WANT_COMMS | NA_WANT_QUEUE_PAIRS))
		return;
	ours = in.reader == &na_reader_comma || in.reader == &na_reader_plugin;
	walk_must(!before.n || ours);
	if (ours)
		walk(&in, NA_ANCHOR_AUTO);
	walk_close(&in, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Other formats have targets of their own. */
	if (size > 2 && (data[0] == '{' || data[0] == '['))
		read_file(na_text_n(object, 0), data, size);
	else if (walk_way(size, 2))
		read_file(na_text_n(object, sizeof(object) - 1), data, size);
	else
		read_file(na_text_n(event, sizeof(event) - 1), data, size);
	return 0;
}
