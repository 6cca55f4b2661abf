/*
 * NA_PROFILE_FLEET: many hosts with little in each, to measure what grows
 * with the hosts alone.  In each of --steps launches a host, a slice of its
 * own with one device, sends to five others, some near and some far in the
 * fleet, and receives from five.  What a sender says of a transfer its
 * receiver says too.
 */
#ifndef NETAN_SYNTH_XSPACE_FLEET_H
#define NETAN_SYNTH_XSPACE_FLEET_H

#include "netan/synth/xspace/trace.h"

/* The planes of the host whose truth is t->truth. */
NA_MUST_CHECK enum na_status na_fleet_write(const struct na_synth_config *cfg,
					    struct na_trace *t,
					    struct na_err *err);

#endif
