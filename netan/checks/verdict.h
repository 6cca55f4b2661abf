/*
 * What the verdicts on traces and on packets share.  Sentences live as long as
 * the case.
 */
#ifndef NETAN_CHECKS_VERDICT_H
#define NETAN_CHECKS_VERDICT_H

#include "netan/checks/check.h"

/* The finding that the first line accuses the network by; NULL: none does.
 * Findings are in order. */
struct na_finding *na_verdict_accuser(const struct na_case *c);
/* "suspect: ...", or "possible cause: ...", of that finding; NULL. */
const char *na_verdict_guilty(struct na_case *c);
/* Why nobody can be acquitted, whatever else was seen: what is suspected, what
 * could not be read, what nobody asked for.  NULL: nothing of that. */
const char *na_verdict_unheard(struct na_case *c);
/* Of traces: too little to go by, so that a NIC or path that is slow may not
 * have been named, and what it takes.  NULL: enough. */
const char *na_verdict_thin(struct na_case *c);
/* "; steps wait for ...": what is wrong besides the network; "". */
const char *na_verdict_instead(struct na_case *c);
/* "cannot tell: WHY", and what is wrong besides. */
const char *na_verdict_cannot_tell(struct na_case *c, const char *why);

/*
 * verdict_packets.c: the whole sentence for captures alone, without any trace,
 * and its outcome.
 */
const char *na_verdict_packets(struct na_case *c, enum na_outcome *outcome);
/* Why these packets show no loss of a network, however many; NULL: they do. */
const char *na_packets_unseen(struct na_case *c);

/*
 * power.c: from the bounds power[] of `pairs`.  Why they do not rule the network
 * out, with what to capture; NULL: they do.
 */
const char *na_power_lacks(struct na_case *c);
/* "a NIC more than 1.3x slower than usual is ruled out on all of 16 transmit and
 * receive sides" */
const char *na_power_says(struct na_case *c);

/*
 * window.c: into each finding options that hold whole steps around its time, so
 * many that they tell alone whom the findings accuse.  NULL: it has no time, or
 * nothing less than all steps does.
 */
void na_case_windows(struct na_case *c);

#endif
