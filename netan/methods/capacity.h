/*
 * --capacity: a host's network capacity, all its NICs.  A rate
 * ("100Gbps"), NICSxRATE/TASKS ("4x200Gbps/2" is 400 Gbit/s), or a machine
 * type for which a public figure exists.
 */
#ifndef NETAN_METHODS_CAPACITY_H
#define NETAN_METHODS_CAPACITY_H

#include <stddef.h>

#include "netan/base/err.h"

/*
 * *gbps is in Gbit/s and above 0.  NICs and tasks are whole numbers from 1 to
 * 1024; the rate is what na_parse_rate() takes; a machine type is written in
 * any case.  NA_EUSAGE says what a capacity looks like, and leaves *gbps.
 */
enum na_status na_capacity_parse(const char *text, double *gbps,
				 struct na_err *err) NA_MUST_CHECK;

/* The k-th machine type; NULL behind the last. */
const char *na_capacity_offered(size_t k);

#endif
