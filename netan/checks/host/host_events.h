/* What the checks of registrations and copies of host memory share. */
#ifndef NETAN_CHECKS_HOST_HOST_EVENTS_H
#define NETAN_CHECKS_HOST_HOST_EVENTS_H

#include "netan/checks/check.h"

/* The next run, from NULL on, in which such events count; NULL: no more. */
const struct na_value *na_hostev_next(const struct na_case *c, const char *kind,
				      const struct na_value *run);
/* Numbers of the run's events into the finding, and when it was. */
void na_hostev_tell(struct na_case *c, struct na_finding *f,
		    const struct na_value *run, const char *kind);
/* "on 3 threads of host-5", " of run \"b\"". */
const char *na_hostev_where(struct na_case *c, const struct na_value *run,
			    const char *kind);

#endif
