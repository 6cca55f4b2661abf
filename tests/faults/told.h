/*
 * What the driver and the library that refuses memory tell each other: one
 * page of a file that both have mapped, named by NETAN_REFUSE.
 *
 * REFUSE_FORKED: the program runs once, and is refused nothing.  At each of its
 * allocations it forks: the child is refused this one in one of the modes, and
 * ends as it does, in a folder of its own; then the program stops (SIGSTOP),
 * and whoever has looked at what became of the child lets it go on (SIGCONT).
 * That is as if it had been started again for each, without the start, and
 * sooner where it is refused late.  Only of one thread; without the sandbox,
 * which lets nobody fork.
 */
#ifndef TESTS_FAULTS_TOLD_H
#define TESTS_FAULTS_TOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum refuse_mode {
	REFUSE_NONE, /* counts */
	REFUSE_ONCE, /* the at-th allocation */
	REFUSE_FROM, /* that and all after it */
	/* The same of private memory, as RLIMIT_DATA does: what lies in a file
	 * is still to be had. */
	REFUSE_PRIVATE,
	REFUSE_MODES,
	REFUSE_FORKED = REFUSE_MODES
};

enum { REFUSE_FRAMES = 24 };

struct told {
	/* asked; of REFUSE_FORKED, told: of the child */
	uint64_t at; /* from 1 */
	uint32_t mode;
	/* asked, of REFUSE_FORKED: */
	uint64_t first, step; /* of all allocations in all modes: which */
	uint32_t seconds;     /* of a child */
	char dir[256];        /* of the children */
	/* told */
	int32_t status; /* of the child that has ended, as wait() says */
	bool threads;   /* there are several: nothing was forked since */
	_Atomic uint64_t seen, refused;
	uint32_t n_frames; /* who asked for what was refused first */
	uintptr_t frames[REFUSE_FRAMES];
	uintptr_t program; /* where the program's own addresses begin */
};

#endif
