/*
 * pcap and pcapng as a sequence of captured packets, over mapped bytes.
 *
 * Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng; the link types
 * of tcpdump.org/linktypes.html.  Our own reader, because libpcap refuses a
 * pcapng file with several link types and hides the interfaces.
 */
#ifndef INGEST_CAPTURE_CAPFILE_H
#define INGEST_CAPTURE_CAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/input.h"

/* One captured packet; `data` is borrowed from the mapping. */
struct na_record {
	int64_t time_ns; /* since 1970, UTC */
	const uint8_t *data;
	uint32_t captured_bytes, wire_bytes; /* never captured > wire */
	uint32_t link;                       /* LINKTYPE_... */
	uint32_t interface;                  /* index in its file, from 0 */
	uint64_t at;                         /* of the record in the file */
};

struct na_capfile;

/* data lives as long as the reader.  Damage is told to na_input_warn(in)
 * with its offset, in->damaged is set, and what is intact goes on. */
struct na_capfile *na_capfile_open(struct na_input *in, struct na_err *err);
void na_capfile_close(struct na_capfile *f);

/* NA_OK; NA_END after the last (also of a file cut in mid-record). */
enum na_status na_capfile_next(struct na_capfile *f,
			       struct na_record *r) NA_MUST_CHECK;

/* A slice: what it says of itself, borrowed, and when its times begin; its own
 * marker is no packet.  False: it is none. */
bool na_capfile_cut(const struct na_capfile *f, struct na_text *said,
		    int64_t *zero_ns);
size_t na_capfile_interfaces(const struct na_capfile *f); /* seen so far */
bool na_capfile_is_ng(const struct na_capfile *f);

/* YES for pcap (either order, us and ns) and pcapng. */
enum na_sniff na_capfile_sniff(const uint8_t *head, size_t n, uint64_t size,
			       const char **why);

#endif
