/*
 * Threads, the wish to stop, and the clock.
 */
#ifndef NETAN_ENGINE_PARALLEL_H
#define NETAN_ENGINE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

struct na_request;

/* -j, or as many as there are cores: 1 to 256. */
size_t na_threads_of(const struct na_request *q);
/* Runs fn(ctx, i) for 0 <= i < n on so many threads, the caller's among them,
 * and returns when all are done.  Each begins with the smallest i that none
 * has taken.  False: no memory, and nothing was run. */
bool na_parallel(size_t threads, size_t n, void (*fn)(void *ctx, size_t i),
		 void *ctx) NA_MUST_CHECK;

/* True once the user has pressed Ctrl-C. */
bool na_interrupted(void);
void na_catch_interrupt(void);
/* The same for the end of a service or of a terminal. */
void na_catch_termination(void);

/* Of a clock that only moves forward. */
int64_t na_now_ns(void);

#endif
