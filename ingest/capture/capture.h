/*
 * Packets to records: one record after the other through link layer to
 * transport, TCP, calls, RoCE, into a sink.  Used by the capture reader and
 * by live capture.
 */
#ifndef INGEST_CAPTURE_CAPTURE_H
#define INGEST_CAPTURE_CAPTURE_H

#include "ingest/calls/calls.h"
#include "ingest/capture/fragment.h"
#include "ingest/roce/roce.h"
#include "ingest/tcp/track.h"

struct na_capture;

struct na_capture_options {
	uint32_t wants;       /* enum na_want bits */
	uint32_t segments_of; /* see tcp/track.h */
	int64_t zero_ns;
	/* What connections and queue pairs did in [from_ns, to_ns) alone, and
	 * malformed packets there, where `windowed`; all else is told of all
	 * packets. */
	bool windowed;
	int64_t from_ns, to_ns;
	uint32_t files; /* that records come from; 0: one */
	const struct na_sink *sink;
	bool counted; /* the caller counts records, their bytes and times */
	const struct na_calls_watch *watch; /* or NULL */
};

struct na_capture *na_capture_new(const struct na_capture_options *o);
void na_capture_free(struct na_capture *c);
/* Records that follow come from this one of the files. */
void na_capture_from(struct na_capture *c, uint32_t file);
enum na_status na_capture_record(struct na_capture *c,
				 const struct na_record *r) NA_MUST_CHECK;
enum na_status na_capture_finish(struct na_capture *c) NA_MUST_CHECK;
/* Complete after finish. */
const struct na_capture_counts *na_capture_counts(const struct na_capture *c);

#endif
