/*
 * Any bytes as a packet capture, without the opener in front: to the end,
 * with everything wanted, alone; some of them then filtered, and some merged
 * with themselves: each of the two files then counts what it did alone.
 */
#include <string.h>

#include "tests/fuzz/walk.h"

enum {
	PACKETS = WALK_TRANSFERS | NA_WANT_CALLS | NA_WANT_CONNECTIONS |
		  NA_WANT_PACKETS | NA_WANT_SEGMENTS
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool begin(struct na_input *in, const uint8_t *data, size_t size,
		  const char *filter)
{
	struct na_err err = {.status = NA_OK};

	*in = (struct na_input){
		.path = "bytes",
		.wants = PACKETS,
		.asks = {.filter = filter},
		.data = data,
		.size = size,
		.reader = &na_reader_capture,
	};
	in->warnings_end = &in->warnings;
	memset(&in->arena, 0, sizeof(in->arena));
	if (in->reader->open(in, &err) == NA_OK)
		return true;
	walk_must(err.text[0] != '\0');
	return false;
}

static void end(struct na_input *in)
{
	in->reader->close(in);
	na_arena_fini(&in->arena);
}

static bool alone(const uint8_t *data, size_t size, const char *filter,
		  struct na_capture_counts *counts)
{
	struct na_input in;
	bool ok = begin(&in, data, size, filter);

	if (ok) {
		walk(&in, NA_ANCHOR_AUTO);
		*counts = *in.capture;
		walk_must(counts->captured_bytes <= counts->wire_bytes);
		walk_must(counts->packets + counts->filtered == in.events);
		walk_must(counts->tcp + counts->udp + counts->other_ip +
				  counts->non_ip + counts->malformed <=
			  counts->packets);
	}
	end(&in);
	return ok;
}

static void merged(const uint8_t *data, size_t size,
		   const struct na_capture_counts *once)
{
	struct na_input in[2], *list[] = {&in[0], &in[1]};
	struct na_block b;

	walk_must(begin(&in[0], data, size, NULL) &&
		  begin(&in[1], data, size, NULL));
	in[0].merged = in[1].merged = list;
	in[0].n_merged = 2;
	walk(&in[0], NA_ANCHOR_AUTO);
	walk_must(in[1].reader->cut(&in[1], &b, NULL) == NA_END);
	for (int i = 0; i < 2; i++) {
		const struct na_capture_counts *c = in[i].capture;

		walk_must(c->packets == once->packets &&
			  c->wire_bytes == once->wire_bytes &&
			  c->cut_packets == once->cut_packets &&
			  c->backward_steps == once->backward_steps &&
			  c->interfaces == once->interfaces);
	}
	end(&in[1]);
	end(&in[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_capture_counts once, some;

	if (!alone(data, size, NULL, &once))
		return 0;
	switch (walk_way(size, 4)) {
	case 0:
		merged(data, size, &once);
		break;
	case 1:
		walk_must(alone(data, size, "tcp", &some));
		walk_must(some.packets + some.filtered == once.packets);
		break;
	default:
		break;
	}
	return 0;
}
