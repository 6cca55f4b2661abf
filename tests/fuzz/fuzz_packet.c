/*
 * One packet: a byte that chooses the link type, one that says how much of
 * the frame was cut off, then the frame; twice, for fragments and their
 * repeats.
 */
#include <stdlib.h>

#include "ingest/capture/fragment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint32_t links[] = {1, 101, 0, 108, 113, 276, 228, 229, 9, 104};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_record r = {.time_ns = 1};
	struct na_fragments *fragments;
	struct na_packet p;
	uint32_t sum = 0;

	if (size < 2 || size > 1 << 20)
		return 0;
	r.link = links[data[0] % (sizeof(links) / sizeof(links[0]))];
	r.data = data + 2;
	r.captured_bytes = (uint32_t)size - 2;
	r.wire_bytes = r.captured_bytes + data[1] * 16u;
	fragments = na_fragments_new();
	if (!fragments)
		return 0;
	for (int i = 0; i < 2; i++) {
		na_packet_decode(&p, &r, fragments);
		if (p.payload_captured > p.payload_bytes ||
		    (p.kind == NA_PACKET_TCP && p.n_sack > NA_MAX_SACK))
			abort();
		for (uint32_t k = 0; k < p.payload_captured; k++)
			sum += p.payload[k];
	}
	na_packet_decode(&p, &r, NULL);
	na_fragments_free(fragments);
	return sum == UINT32_MAX; /* never: the sum is for reading */
}
