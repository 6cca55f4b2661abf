/* What the steps of a device are: where no Steps line of it tells any, runs of
 * its programs stand in for them. */
#ifndef NETAN_METHODS_STEP_KIND_H
#define NETAN_METHODS_STEP_KIND_H

#include <stddef.h>

#include "netan/model/transfer.h"

static inline enum na_span_kind na_step_kind(size_t n_told)
{
	return n_told ? NA_SPAN_STEP : NA_SPAN_MODULE;
}

#endif
