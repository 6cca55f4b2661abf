/*
 * One event of a Chrome trace, found fast: its own members by name, and what
 * is inside `args` only as the bytes that hold it.
 *
 * The walk looks for quotes and brackets alone.  What stands between them is
 * looked at where somebody needs it, which is in few events: a trace of a
 * PyTorch job has ten others for each kernel.  A profiler writes the same
 * between the values of each event, so that it is compared with that of the
 * events before and not read again.
 */
#ifndef INGEST_KINETO_EVENT_H
#define INGEST_KINETO_EVENT_H

#include "netan/base/scan.h"

/* Strings without their quotes, with escapes; numbers as written; args with
 * its brackets.  Where a member is missing, ph, cat and name are empty, and s of
 * the others is NULL; of members that stand there twice, the last one. */
struct na_kineto_event {
	struct na_text ph, cat, name, pid, tid, ts, dur, id, args;
	struct na_text other; /* of the members that nobody reads */
};

/* What stood between two values of the events before, and which member the
 * second one was; all zero: none was seen. */
enum { NA_KINETO_GAPS = 16, NA_KINETO_GAP_BYTES = 16 };
struct na_kineto_shape {
	struct na_kineto_gap {
		char text[NA_KINETO_GAP_BYTES];
		uint16_t n;  /* bytes; 0: none */
		uint16_t at; /* of the member in na_kineto_event */
	} gaps[NA_KINETO_GAPS][2];
};

/*
 * The object that begins at s, which is '{': where it ends, behind its
 * bracket; NULL: not before `end`, or not as JSON would.  The shape makes it
 * faster and changes nothing.
 */
const char *na_kineto_event(const char *s, const char *end,
			    struct na_kineto_shape *shape,
			    struct na_kineto_event *e);

#endif
