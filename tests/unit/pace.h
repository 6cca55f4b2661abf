/*
 * Tests that try every place of something, or sizes that are the point: those
 * who include this run twice, plain, and, where sanitizers make a case eight
 * times as long, with every thirteenth case (which meets all remainders of
 * smaller cycles).
 */
#ifndef TESTS_UNIT_PACE_H
#define TESTS_UNIT_PACE_H

#include <stdlib.h>

/* How far the next case is from this one. */
static inline size_t pace(void)
{
	return getenv("NETAN_SAN") ? 13 : 1;
}

#endif
