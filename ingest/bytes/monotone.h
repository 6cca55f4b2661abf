/*
 * Does a stream have an end?  Of one that says the same for long (zeros of a
 * device, the line of `yes`) nobody knows, and nothing will come of it.
 */
#ifndef INGEST_BYTES_MONOTONE_H
#define INGEST_BYTES_MONOTONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct na_monotone { /* all zero: nothing has come */
	uint64_t run;
};

/* The next n bytes have come.  True: for NA_MONOTONE_BYTES it has been one
 * byte, or one short line, over and over. */
bool na_monotone_goes_on(struct na_monotone *m, const uint8_t *p, size_t n);
#define NA_MONOTONE_BYTES (UINT64_C(64) << 20)
#define NA_MONOTONE_WHY   "the same bytes for 64 MiB (an endless input?)"

#endif
