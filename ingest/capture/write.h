/*
 * Captures being written: pcap with nanoseconds, or pcapng with the counts
 * of what was dropped at its end.  Only bytes are made here; the caller puts
 * them where they belong.
 *
 * Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
 */
#ifndef INGEST_CAPTURE_WRITE_H
#define INGEST_CAPTURE_WRITE_H

#include "ingest/capture/capfile.h"

enum { NA_CAPTURE_HEAD = 512, NA_CAPTURE_RECORD = 28 };

struct na_capture_head {
	bool ng;
	uint32_t link, snap_bytes;
	const char *interface; /* pcapng only; cut to 255 bytes */
};

/* What stands at the beginning of a file; returns its length. */
size_t na_capture_head(uint8_t out[NA_CAPTURE_HEAD],
		       const struct na_capture_head *h);

/* What stands before and behind the captured bytes of a record. */
size_t na_capture_before(uint8_t out[NA_CAPTURE_RECORD], bool ng,
			 const struct na_record *r);
size_t na_capture_behind(uint8_t out[8], bool ng, const struct na_record *r);

/* pcapng: the counts at the end; 0 bytes for pcap. */
size_t na_capture_tail(uint8_t out[NA_CAPTURE_HEAD], bool ng, int64_t time_ns,
		       uint64_t received, uint64_t dropped);

#endif
