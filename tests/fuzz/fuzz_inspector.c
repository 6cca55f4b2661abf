/*
 * Any bytes as a log of NCCL Inspector's: as they are, and as lines behind
 * one that says of which communicator they are.
 */
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mark[] =
	"{\"header\":{\"id\":\"0x1\",\"rank\":2,\"n_ranks\":8},\"metadata\":{"
	"\"dump_timestamp_us\":1752867229276385},\"dump_stats\":{}}\n";

static void read_both(struct na_text before, const uint8_t *p, size_t size)
{
	struct na_input in;
	int fd;

	if (!walk_open(&in, &fd, before, p, size, WALK_ALL | NA_WANT_COMMS))
		return;
	walk_must(!before.n || in.reader == &na_reader_inspector);
	walk(&in, NA_ANCHOR_AUTO);
	walk_close(&in, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Other formats have targets of their own. */
	if (size > 2 && data[0] == '{' && data[1] == '"')
		read_both(na_text_n(mark, 0), data, size);
	read_both(na_text_n(mark, sizeof(mark) - 1), data, size);
	return 0;
}
