/*
 * What an acquittal rests on, in words: by how much a side of a host would have
 * had to be slower to be named, from the list power[] of a result of `pairs`.
 */
#ifndef NETAN_METHODS_POWER_H
#define NETAN_METHODS_POWER_H

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/result/result.h"

/* Of a row of power[]; infinite: by nothing that was tried. */
double na_power_factor(const struct na_value *row);

/* After what is said of NICs, where no topology tells who shares a link: what a
 * mild one does hides in how hosts differ. */
#define NA_POWER_NO_LINKS \
	"; of links that hosts share only the topology can tell"

/* Rounded up, as what is claimed is true: "1.4". */
const char *na_power_times(char buf[NA_UNIT_BUF], double factor);

/*
 * "a NIC 1.3x slower would have been named on 61 of 64 hosts; on host-7 only
 * from 2x (few transfers)": what nine of ten hosts reach, each by its worse
 * side, and those that do not.  Nothing where no host reaches any.  False: no
 * memory.
 */
bool na_power_say(struct na_str *to, const struct na_value *list) NA_MUST_CHECK;

#endif
