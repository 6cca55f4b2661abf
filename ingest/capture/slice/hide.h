/*
 * --anonymize of one packet, in place: addresses become those that stand for
 * them (masks.h), and what netan does not read becomes zeros, so that no
 * length changes.
 *
 *	Ethernet, Linux cooked   addresses; tags, labels and types stay
 *	ARP, NDP                 addresses
 *	IPv4, IPv6               addresses; of options and extension headers
 *	                         what a length needs, no-operation for others
 *	TCP                      header, and those options that netan reads
 *	UDP, ICMP                header; the IP header that an error quotes
 *	VXLAN, Geneve, GRE       header; the packet inside as any other
 *	RoCEv2                   its headers
 *	payload                  what `stays` says, else zeros
 *	anything else            zeros behind its type
 *
 * A checksum that was right is right, and one that was wrong is wrong, as far
 * as its bytes were captured; those of fragments and RoCEv2's are not.
 */
#ifndef INGEST_CAPTURE_SLICE_HIDE_H
#define INGEST_CAPTURE_SLICE_HIDE_H

#include "ingest/capture/capfile.h"
#include "ingest/capture/slice/masks.h"

struct na_hide {
	struct na_masks *masks;
	/* The innermost TCP payload, `n` bytes: a copy of what stays of it is
	 * put at `to`, which is zeros.  May be NULL. */
	void (*stays)(void *ctx, uint8_t *to, size_t n);
	void *ctx;
};

/* `data` is a copy of r->data, which is changed. */
void na_hide_packet(const struct na_hide *h, const struct na_record *r,
		    uint8_t *data);

#endif
