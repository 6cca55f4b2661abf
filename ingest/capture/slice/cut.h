/*
 * netan slice of a capture: na_reader.slice.
 *
 * How a slice of a capture says that it is one, and where its times count from:
 * the words of slice.h, and behind them "; time 0 is 1763930000123456789 ns".
 *
 *   pcapng  a comment of its first section header
 *   pcap    its first record, whose frame nobody sent: of the link types that
 *           have room for it, of an EtherType that is for experiments
 *           (IEEE 802, 0x88b5); it is no packet for netan
 */
#ifndef INGEST_CAPTURE_SLICE_CUT_H
#define INGEST_CAPTURE_SLICE_CUT_H

#include "ingest/capture/capfile_parts.h"
#include "netan/base/str.h"

enum na_status na_capture_slice(struct na_input *in, const struct na_slice *of,
				struct na_slice_counts *counts,
				struct na_err *err) NA_MUST_CHECK;

/* The words; false: no memory. */
bool na_capture_mark_print(struct na_str *to, const char *said,
			   int64_t zero_ns);
/* From a comment, or the bytes of a frame; false: they are none. */
bool na_capture_mark_find(struct na_text text, struct na_capfile_cut *cut);
/* The frame of a link type, in front of the words. */
struct na_text na_capture_mark_frame(uint32_t link);

#endif
