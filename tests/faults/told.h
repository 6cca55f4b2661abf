/*
 * What the driver and the library that refuses memory tell each other: one
 * page of a file that both have mapped, named by NETAN_REFUSE.
 */
#ifndef TESTS_FAULTS_TOLD_H
#define TESTS_FAULTS_TOLD_H

#include <stdatomic.h>
#include <stdint.h>

enum refuse_mode {
	REFUSE_NONE, /* counts */
	REFUSE_ONCE, /* the at-th allocation */
	REFUSE_FROM, /* that and all after it */
	/* The same of private memory, as RLIMIT_DATA does: what lies in a file
	 * is still to be had. */
	REFUSE_PRIVATE,
	REFUSE_MODES
};

enum { REFUSE_FRAMES = 24 };

struct told {
	/* asked */
	uint64_t at; /* from 1 */
	uint32_t mode;
	/* told */
	_Atomic uint64_t seen, refused;
	uint32_t n_frames; /* who asked for what was refused first */
	uintptr_t frames[REFUSE_FRAMES];
	uintptr_t program; /* where the program's own addresses begin */
};

#endif
