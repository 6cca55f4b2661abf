/*
 * Which events of a trace are of a slice, by the records that they give: a
 * sink that keeps none, and a verdict on what it was told since the last one.
 *
 * A record is of the slice where it meets the wide window.  Others stay that
 * the whole trace needs: the first transfer of each device and side, which
 * tells whose it is, the first execution of each collective on each device,
 * which tells its type, and the first operation of each device, which tells
 * that there are some.
 */
#ifndef NETAN_ENGINE_SLICE_KEEP_H
#define NETAN_ENGINE_SLICE_KEEP_H

#include "ingest/slice.h"
#include "netan/base/strtab.h"
#include "netan/base/triples.h"

struct na_keeper {
	struct na_sink sink;
	int64_t from_ps, to_ps; /* wide */
	struct na_strtab names;
	struct na_triples devices, firsts;
	enum na_sliced_as now;
	bool failed; /* no memory */
};

/* Borrows k; all files of a session may share one, or not. */
void na_keeper_init(struct na_keeper *k, int64_t from_ps, int64_t to_ps);
void na_keeper_fini(struct na_keeper *k);
/* na_slice.verdict; ctx is the keeper. */
enum na_sliced_as na_keeper_verdict(void *ctx);

#endif
