/*
 * Values as PyTorch/XLA prints them in metrics reports: durations, bytes,
 * plain numbers (docs/formats.md, "PyTorch/XLA logs").
 *
 * A duration is a chain of units from the largest that is at least 1 down to
 * microseconds: "01m32s346ms678.901us".  The printer rounds each unit above
 * us to nearest, but goes on with what is left of the unit rounded down, so
 * 1.7 s reads "02s700ms000.000us" and a plain sum counts too much.  Decoded
 * from the right, each unit is known to have been rounded up when what is
 * below it is at least half of one.
 */
#ifndef INGEST_LOGS_XLA_VALUE_H
#define INGEST_LOGS_XLA_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "netan/model/logs/xla_log.h"

enum na_xla_durations {
	NA_XLA_EXACT, /* undo the rounding */
	NA_XLA_PLAIN  /* sum of the parts: for writers that cut them off */
};

/* The whole text, blanks around it aside; false: not a duration, or too
 * long for int64_t nanoseconds.  A tie (1.5 ms and 2.5 ms both print
 * "002ms500.000us") reads as the smaller; what the printer cannot have
 * printed as its plain sum. */
bool na_xla_duration(const char *s, size_t n, enum na_xla_durations how,
		     int64_t *ns);

/* A duration, "3.25MB" or "51.00", the whole text. */
bool na_xla_value(const char *s, size_t n, enum na_xla_durations how,
		  struct na_xla_value *v);

/* A decimal number with an exponent or without, at the beginning of the
 * text; how many bytes it took, 0: none, or not finite. */
size_t na_xla_decimal(const char *s, size_t n, double *x);

/* Digits at the beginning of the text; 0: none, or too large. */
size_t na_xla_count(const char *s, size_t n, uint64_t *x);

#endif
