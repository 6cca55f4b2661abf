/* Transfers that are there, and tell nothing of what is asked. */
#ifndef NETAN_ENGINE_SESSION_OTHER_KIND_H
#define NETAN_ENGINE_SESSION_OTHER_KIND_H

#include "netan/engine/session/session.h"

/* Of `seen` ones, of which an analysis used none: says so where more were seen
 * than the result counts as left out, and no filter did it; else false. */
bool na_session_say_other_kind(const struct na_session *s, struct na_result *r,
			       uint64_t seen);

#endif
