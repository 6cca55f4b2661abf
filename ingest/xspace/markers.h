/*
 * Steps as the host marks them, for GPU planes that do not tell theirs: raw
 * traces of JAX and TensorFlow, before XProf groups their events
 * (docs/formats.md, "XSpace: device planes").
 *
 * A marker is an event of a host thread with the stat `step_num`
 * (jax.profiler.StepTraceAnnotation, a train step of TensorFlow; `_r` = 1).
 * A kernel is of the marker in which the host launched it: `correlation_id`
 * is the same at the launch and at the kernel.
 *
 *   launched by the thread of a marker   the marker that holds the launch, or
 *                                        none
 *   launched by another thread, or no    the last marker that began before the
 *   launch is there                      launch, or before the kernel
 *
 * The window of the last marker ends with it, or as long after its start as
 * two markers that follow each other ever began apart.  Of nested markers of
 * one thread the outer one counts.
 */
#ifndef INGEST_XSPACE_MARKERS_H
#define INGEST_XSPACE_MARKERS_H

#include "ingest/xspace/xspace.h"
#include "netan/model/transfer.h"

struct na_xs_marker {
	int64_t start_ps, end_ps; /* since the input's first_ns */
	/* step_num; where that repeats, the order in time */
	int64_t number;
	uint32_t line;
	uint32_t order; /* in time */
};

/* Those of 64 launches that are of one marker.  Ids that nobody launched are
 * in none: profilers drop records. */
struct na_xs_launched {
	uint64_t block;  /* correlation_id / 64 */
	uint64_t ids;    /* bit correlation_id % 64 */
	uint32_t marker; /* UINT32_MAX: of none */
	uint8_t told;    /* enum na_step_told */
};

/* All zero: there are none. */
struct na_xs_markers {
	NA_VEC(struct na_xs_marker) in_time;
	NA_VEC(struct na_xs_launched) launched; /* by block, marker */
	int64_t end_ps;                         /* of the last one's window */
};

struct na_xs_mark {
	int64_t order, number;
	enum na_step_told told;
};

/*
 * Fills in the space's markers, where steps are wanted, a GPU plane tells
 * none, none of its kernels has a `group_id`, and a host plane that is read
 * anyway has the stat at all: else it costs nothing.  Reads the host's events
 * twice; memory is of the order of its markers, and 24 bytes for 64 launches
 * whose ids follow each other, or for one whose neighbours are not there.  After the clock of
 * the input is known; fails when memory is short.
 */
enum na_status na_xs_markers_find(struct na_input *in,
				  struct na_err *err) NA_MUST_CHECK;
void na_xs_markers_fini(struct na_xs_markers *m);

/* The step of a kernel that starts then; false: of none. */
bool na_xs_marker_of(const struct na_xs_read *r, int64_t start_ps,
		     struct na_xs_mark *to);

#endif
