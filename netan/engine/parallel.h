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

/* -j, or as many as there are cores; fewer where --memory is small: 1 to 256. */
size_t na_threads_of(const struct na_request *q);
/*
 * Runs fn(ctx, i) for 0 <= i < n on so many threads, the caller's among them,
 * and returns when all are done; n of 0 is done at once.  Each begins with the
 * smallest i that none has taken, so one thread goes in order.  Where the
 * system gives fewer threads, those do the work.  fn locks what it shares and
 * keeps its stack below 512 KiB.  False: no memory, and nothing was run.
 */
bool na_parallel(size_t threads, size_t n, void (*fn)(void *ctx, size_t i),
		 void *ctx) NA_MUST_CHECK;

/* True once a signal that is caught has come; it never turns false again.
 * From any thread. */
bool na_interrupted(void);
/* Ctrl-C from now on only sets na_interrupted(); a second one ends the
 * program, without what is not finished (na_temp_files_end()). */
void na_catch_interrupt(void);
/* The same for the end of a service or of a terminal. */
void na_catch_termination(void);

/* ns of a clock that only moves forward, from no particular instant: for
 * differences. */
int64_t na_now_ns(void);

#endif
