/*
 * Which packets of a capture a view has, and how much of them.
 */
#ifndef ACCURACY_TCP_CHOOSE_H
#define ACCURACY_TCP_CHOOSE_H

#include "netan/synth/rng.h"
#include "tests/accuracy/tcp/pcap.h"

struct choice {
	uint32_t cut;  /* to so many bytes; 0: not at all */
	double lose;   /* this share is not there, drawn with rng */
	double late;   /* nor is this first share of them */
	unsigned host; /* only what this host sent; 0: any */
	bool no_id;    /* all IP IDs are 0 */
	struct na_rng rng;
};

/* Frees what is not wanted; the others keep their order. */
void choose(struct pcap_packets *p, struct choice *c);

/* Adds what is in `path`, by a clock that is ahead; false, with a message:
 * it cannot be read. */
bool choose_add(struct pcap_packets *p, const char *path, int64_t ahead_ns);

#endif
