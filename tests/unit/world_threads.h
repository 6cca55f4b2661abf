/*
 * A world whose ranks are threads of one process, for the sanitizers.  A send
 * waits until its message is taken, so that what works here needs no buffers.
 */
#ifndef TESTS_UNIT_WORLD_THREADS_H
#define TESTS_UNIT_WORLD_THREADS_H

#include "netan/world/world.h"

/* Runs fn as each of `size` ranks, and returns when all have returned.  A rank
 * that has returned is gone: who waits for it gets NA_EIO. */
void world_threads(size_t size, void (*fn)(struct na_world *w, void *arg),
		   void *arg);

/* The n-th message (from 0) that this rank would receive from now on is lost
 * for want of memory. */
void world_threads_lose(struct na_world *w, size_t n);

#endif
