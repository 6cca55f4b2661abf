/*
 * Any bytes as an XSpace, without the opener in front: survey, cut, read
 * with everything wanted or transfers alone, then what resolves the records.
 */
#include <string.h>

#include "ingest/xspace/xspace.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const uint8_t *data, size_t size, uint32_t wants,
		    enum na_anchor anchor)
{
	struct na_err err = {.status = NA_OK};
	struct na_input in = {
		.path = "bytes",
		.wants = wants,
		.data = data,
		.size = size,
		.reader = &na_reader_xspace,
	};

	in.warnings_end = &in.warnings;
	memset(&in.arena, 0, sizeof(in.arena));
	if (in.reader->open(&in, &err) == NA_OK)
		walk(&in, anchor);
	else
		walk_must(err.text[0] != '\0');
	in.reader->close(&in);
	na_arena_fini(&in.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (walk_way(size, 4))
		read_as(data, size, WALK_ALL, NA_ANCHOR_AUTO);
	else
		read_as(data, size, WALK_TRANSFERS, NA_ANCHOR_START);
	return 0;
}
