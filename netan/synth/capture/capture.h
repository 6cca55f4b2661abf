/*
 * Synthetic packet captures: what one capture point sees of a job's traffic,
 * every bit of trouble planted, and a truth file that says what a reader
 * must find.
 */
#ifndef NETAN_SYNTH_CAPTURE_CAPTURE_H
#define NETAN_SYNTH_CAPTURE_CAPTURE_H

#include "netan/synth/capture/roce_flow.h"
#include "netan/synth/capture/tcp_bulk.h"
#include "netan/synth/capture/tcp_calls.h"
#include "netan/base/queue.h"
#include "netan/synth/synth.h"

/* Does this output name a capture file (.pcap, .pcapng)? */
bool na_synth_is_capture(const char *path);
/* ... with an ending that --compress would add? */
bool na_synth_is_packed_capture(const char *path);

/* Words of --condition; NULL behind the last. */
const char *na_condition_offered(size_t k);

/* What na_synth_run() does for such a name: the capture (with the ending of
 * --compress behind it) and NAME.truth.json. */
NA_MUST_CHECK enum na_status na_synth_capture(const struct na_synth_config *cfg,
					      struct na_synth_report *report,
					      struct na_err *err);

/* truth.c */
struct na_capture_job {
	const struct na_synth_config *cfg;
	struct na_bulk *bulks;
	struct na_calls_flow *callers;
	struct na_roce_flow *roces;
	size_t n_bulks, n_callers, n_roces;
	struct na_call_list calls;
	/* By time of the next packet the flows: bulks, callers, roces. */
	struct na_queue turns;
	struct na_frame_sums sums;
	int64_t first_ns, last_ns;
};

NA_MUST_CHECK enum na_status
na_capture_truth_write(const struct na_capture_job *job, const char *path,
		       uint64_t *bytes, struct na_err *err);

#endif
