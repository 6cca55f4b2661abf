/*
 * What the finding of a hang rests on: how far ranks came, by the counters and
 * lists of their dumps, and where their code stands.
 */
#ifndef NETAN_CHECKS_HANG_HANG_CAME_H
#define NETAN_CHECKS_HANG_HANG_CAME_H

#include "netan/checks/check.h"

/* "ranks 3 and 5-8" of a group that is a list of ranks, or its name; NULL. */
const char *na_hang_group(struct na_case *c, const char *group);
/* Of the k-th event of ranks, from 1: a fact for each group with sequences
 * in which somebody waits for it, its own first, and all of them as
 * evidence. */
void na_hang_tell_came(struct na_case *c, struct na_finding *f,
		       const struct na_value *event, size_t k);
/* A fact on the stack of a culprit, or of who called what it did not; of the
 * same event. */
void na_hang_tell_stack(struct na_case *c, struct na_finding *f,
			const struct na_value *event, size_t k);

#endif
