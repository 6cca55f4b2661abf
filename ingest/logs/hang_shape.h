/*
 * Pieces of hang messages: workers, places, causes, durations, times.
 */
#ifndef INGEST_LOGS_HANG_SHAPE_H
#define INGEST_LOGS_HANG_SHAPE_H

#include "netan/base/scan.h"
#include "netan/model/logs/hang.h"

/* Without blanks (and quotes, commas) around it. */
struct na_text na_hang_trim(struct na_text x);
/* Where a word stands, any case; SIZE_MAX: nowhere. */
size_t na_hang_find(struct na_text x, const char *word);

/* Decimal or 0x...; the whole of it. */
bool na_hang_number(struct na_text x, uint64_t *value);
/* "1m30s", "2.5s", "500ms": how logs write a duration. */
bool na_hang_duration(struct na_text x, int64_t *ps);

/* A name of the log; long ones are cut.  NA_NO_NAME for an empty one, or
 * when memory is short (*ok is false then). */
uint32_t na_hang_name(struct na_hang *h, struct na_text x, bool *ok);

/*
 * [JOB/]TASK:HOST, TASK@HOST:CHIP:CORE, TASK:HOST@CHIP:CORE,
 * sliceS-taskH[/TASK], HOST, TASK.  False: nothing in it, or no memory.
 */
bool na_hang_worker_of(struct na_hang *h, struct na_text x,
		       struct na_hang_worker *w, bool *ok);

/* TAG:PC(HLO): WORKERS or CORES@TAG:PC(HLO): [WORKERS]; false: another
 * shape. */
struct na_hang_spot {
	struct na_text tag, pc, hlo, workers;
};
bool na_hang_spot_of(struct na_text x, struct na_hang_spot *spot);

/* By what the verdict or the digest calls it; false: it calls no cause. */
bool na_hang_cause_of(struct na_text x, enum na_hang_cause *cause);

/* A time at the beginning of x; how many bytes it takes, or 0.  Beginnings:
 * "2026-01-02T03:04:05.6Z", "2026/01/02 03:04:05,6", "I0102 03:04:05.6",
 * "Jan  2 03:04:05". */
size_t na_hang_time_of(struct na_text x, struct na_hang_time *t);

#endif
