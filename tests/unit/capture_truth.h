/*
 * What other tools (tshark, capinfos) say of real captures, which are not
 * part of this repository.  Two numbers are ours: the TCP packet of
 * bigtcp_ipv6.pcap, which tshark 4.0 cannot read, and the UDP packets of
 * sll_snap96_disordered.pcap, without the 32 UDP headers that ICMP errors
 * quote.
 */
#ifndef TESTS_UNIT_CAPTURE_TRUTH_H
#define TESTS_UNIT_CAPTURE_TRUTH_H

#include <stddef.h>
#include <stdint.h>

struct capture_truth {
	const char *name;
	uint64_t packets, wire_bytes, captured_bytes, cut, backward, tcp, udp;
	uint64_t pairs; /* directed pairs of outermost IP addresses */
};
extern const struct capture_truth capture_truths[];
extern const size_t n_capture_truths;

/* Of each capture the pairs with most bytes. */
struct pair_truth {
	const char *name, *src, *dst;
	uint64_t packets, wire_bytes;
};
extern const struct pair_truth pair_truths[];
extern const size_t n_pair_truths;

#endif
