/*
 * One event of a Chrome trace, found fast: its own members by name, and what
 * is inside `args` only as the bytes that hold it.
 *
 * The walk looks for quotes and brackets alone.  What stands between them is
 * looked at where somebody needs it, which is in few events: a trace of a
 * PyTorch job has ten others for each kernel.
 */
#ifndef INGEST_KINETO_EVENT_H
#define INGEST_KINETO_EVENT_H

#include "netan/base/scan.h"

/* Strings without their quotes, with escapes; numbers as written; args with
 * its brackets.  Where a member is missing, ph, cat and name are empty, and s of
 * the others is NULL; of members that stand there twice, the last one. */
struct na_kineto_event {
	struct na_text ph, cat, name, pid, tid, ts, dur, id, args;
};

/*
 * The object that begins at s, which is '{': where it ends, behind its
 * bracket; NULL: not before `end`, or not as JSON would.
 */
const char *na_kineto_event(const char *s, const char *end,
			    struct na_kineto_event *e);

#endif
