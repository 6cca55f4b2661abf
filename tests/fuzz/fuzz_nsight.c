/*
 * Any bytes as a SQLite export of Nsight Systems, with everything wanted or
 * with steps alone: what is read stays within what the bytes can hold.
 */
#include <string.h>

#include "tests/fuzz/sqlite_heap.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const uint8_t *data, size_t size, uint32_t wants)
{
	struct na_err err = {.status = NA_OK};
	struct na_input in = {
		.path = "bytes",
		.wants = wants,
		.data = data,
		.size = size,
		.rank = -1,
		.world_size = -1,
		.reader = &na_reader_nsight,
	};

	in.warnings_end = &in.warnings;
	memset(&in.arena, 0, sizeof(in.arena));
	if (in.reader->open(&in, &err) == NA_OK) {
		walk_must(in.events <= size && in.n_devices <= in.events);
		walk_must(in.rank >= -1 && in.world_size >= -1);
		walk(&in, NA_ANCHOR_AUTO);
	} else {
		walk_must(err.text[0] != '\0');
	}
	if (in.state)
		in.reader->close(&in);
	na_arena_fini(&in.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sqlite_heap_begin();
	read_all(data, size,
		 walk_way(size, 4) ? WALK_ALL | NA_WANT_COMMS : NA_WANT_STEPS);
	return 0;
}
