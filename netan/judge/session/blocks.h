/*
 * Blocks: the pairs of hosts that a hypothesis moves; of one device those that
 * have a connection with it.
 */
#ifndef NETAN_JUDGE_SESSION_BLOCKS_H
#define NETAN_JUDGE_SESSION_BLOCKS_H

#include "netan/judge/session/links.h"

/* One of several devices of a host, as sender (side 0) or receiver (1). */
struct na_j_device {
	uint32_t side, host, device;
	uint32_t from, n; /* its pairs: device_pair[from..] */
	uint32_t of;      /* devices that the host has on this side */
};

struct na_j_blocks {
	const struct na_j_session *s;
	struct na_j_links links;
	struct na_groups by_side[2]; /* pairs by sender, by receiver */
	uint32_t *side_at[2];	     /* by host: its group, or NA_JUDGE_NONE */
	uint32_t *all;		     /* each pair's own number */
	struct na_j_device *devices; /* by side, host, device */
	size_t n_devices, device_from[3]; /* by side */
	uint32_t *device_pair;
};

struct na_j_block {
	const uint32_t *pair;
	size_t n;
};

bool na_j_blocks_init(struct na_j_blocks *b, const struct na_j_session *s,
		      struct na_arena *mem);
/* Pairs of a host as sender (0) or receiver (1), ascending. */
struct na_j_block na_j_side_block(const struct na_j_blocks *b, int side,
				  uint32_t host);
struct na_j_block na_j_link_block(const struct na_j_blocks *b, size_t link);
/* The pair's number, or the number of pairs. */
size_t na_j_find_pair(const struct na_j_blocks *b, uint32_t src, uint32_t dst);
/* The link's index, or the number of links. */
size_t na_j_find_link(const struct na_j_blocks *b, const struct na_place *p);
/* The index of a place's device, or the number of devices. */
size_t na_j_find_device(const struct na_j_blocks *b, const struct na_place *p);
/* Up to two lists that together are a place's pairs; the second one's pairs of
 * a host with itself are in the first as well. */
void na_j_place_blocks(const struct na_j_blocks *b, const struct na_place *p,
		       struct na_j_block out[2]);
/* Sets in[pair] = value for its pairs; how many of them were not so. */
size_t na_j_mark(const struct na_j_blocks *b, const struct na_place *p,
		 bool value, bool *in);

#endif
