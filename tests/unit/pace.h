/*
 * Tests that try every place of something take each case plain, and, where
 * sanitizers make a case four times as long, every fourth.
 */
#ifndef TESTS_UNIT_PACE_H
#define TESTS_UNIT_PACE_H

#include <stdlib.h>

/* How far the next case is from this one. */
static inline size_t pace(void)
{
	return getenv("NETAN_SAN") ? 4 : 1;
}

#endif
