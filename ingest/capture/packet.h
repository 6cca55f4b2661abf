/*
 * From a captured record to the transport header: link layer (Ethernet,
 * 802.1Q and QinQ, raw IP, Linux cooked v1 and v2, loopback), IPv4, IPv6
 * with extension headers, TCP with options, UDP.  IP in IP, GRE, VXLAN,
 * Geneve and the like are followed to the innermost IP header, so many levels
 * at most.
 *
 * Sources: RFC 791, 8200, 9293, 7323, 2018, 3168, 768; tcpdump.org/linktypes.
 */
#ifndef INGEST_CAPTURE_PACKET_H
#define INGEST_CAPTURE_PACKET_H

#include "ingest/capture/capfile.h"

struct na_address {
	uint8_t bytes[16]; /* IPv4: the first four, zero behind */
	uint8_t family;    /* 4, 6; 0: none */
};

/* Text as RFC 5952 has it. */
#define NA_ADDRESS_BUF 48
const char *na_address_print(char *buf, const struct na_address *a);
bool na_address_parse(struct na_address *a, const char *text);

enum na_packet_kind {
	NA_PACKET_NON_IP,
	NA_PACKET_OTHER_IP,  /* neither TCP nor UDP */
	NA_PACKET_FRAGMENT,  /* waits for the rest; see fragment.h */
	NA_PACKET_MALFORMED, /* a length lies or the header is cut short */
	NA_PACKET_UDP,
	NA_PACKET_TCP
};

enum {
	NA_TCP_FIN = 1,
	NA_TCP_SYN = 2,
	NA_TCP_RST = 4,
	NA_TCP_PSH = 8,
	NA_TCP_ACK = 16,
	NA_TCP_URG = 32,
	NA_TCP_ECE = 64,
	NA_TCP_CWR = 128
};

enum { NA_MAX_SACK = 4 };

struct na_packet {
	int64_t time_ns;
	uint32_t wire_bytes; /* of the whole frame */
	enum na_packet_kind kind;
	bool cut;       /* the snap length took some of it */
	uint8_t ecn;    /* of the innermost IP header: 3 is CE */
	uint16_t vlan;  /* outermost id; 0 none */
	uint16_t ip_id; /* of the innermost IPv4 header; 0: IPv6, or none */
	struct na_address outer_src, outer_dst; /* outermost IP header */
	struct na_address src, dst;             /* innermost */
	uint16_t src_port, dst_port;
	/* Payload behind TCP or UDP header: `payload_bytes` as the IP header
	 * tells, of which `captured` are at `payload`. */
	const uint8_t *payload;
	uint32_t payload_bytes, payload_captured;

	/* TCP; unset for other kinds.  Of a header that the snap length cut:
	 * window 65535 if it is not there, flags 0 and no payload either. */
	uint32_t seq, ack;
	uint16_t window; /* unscaled */
	uint8_t flags;
	uint8_t window_shift; /* of a SYN; 255: option absent */
	uint16_t mss;         /* of a SYN; 0: option absent */
	bool sack_permitted, has_timestamps;
	uint32_t ts_value, ts_echo;
	uint8_t n_sack;
	struct {
		uint32_t left, right;
	} sack[NA_MAX_SACK];
};

struct na_fragments; /* fragment.h; NULL: fragments are not put together */

/* Decode one record.  Never fails: kind says what it is.  A datagram that a
 * fragment completes points into `fragments` until the next call. */
void na_packet_decode(struct na_packet *p, const struct na_record *r,
		      struct na_fragments *fragments);

enum { NA_LINK_TOP = 276 }; /* no link type beyond is known */
/* False: packets of this link type are all NON_IP to us. */
bool na_packet_link_known(uint32_t link);

#endif
