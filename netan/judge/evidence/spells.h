/*
 * Spells: how slow a side is in the slowest tenth of its steps, compared with
 * the other sides in these.  A fault that comes and goes does not move a level.
 */
#ifndef NETAN_JUDGE_EVIDENCE_SPELLS_H
#define NETAN_JUDGE_EVIDENCE_SPELLS_H

#include "netan/judge/session/session.h"

/* 97.5 % bound of the side that has most, a log factor.  False: no memory. */
bool na_j_spells(const struct na_j_session *s, double *most);

#endif
