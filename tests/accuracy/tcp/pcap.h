/*
 * Classic pcap files with times in nanoseconds, in memory: what the tap of the
 * wire writes, and what makes other views of a recorded file.
 */
#ifndef ACCURACY_TCP_PCAP_H
#define ACCURACY_TCP_PCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/vec.h"

enum { PCAP_ETHERNET = 1 };

struct pcap_packet {
	int64_t at_ns;  /* since 1970 */
	uint64_t order; /* decides where times are equal */
	uint32_t n, wire_n;
	uint8_t *bytes; /* owned by the file */
};

struct pcap_packets {
	uint32_t link;
	NA_VEC(struct pcap_packet) all;
};

/* Copies the bytes; false: no memory. */
bool pcap_add(struct pcap_packets *p, int64_t at_ns, const uint8_t *bytes,
	      uint32_t n, uint32_t wire_n);
void pcap_sort(struct pcap_packets *p); /* by time */
void pcap_free(struct pcap_packets *p);

/* False, with a message on stderr: what does not read or write. */
bool pcap_load(const char *path, struct pcap_packets *behind);
bool pcap_save(const char *path, const struct pcap_packets *p);

#endif
