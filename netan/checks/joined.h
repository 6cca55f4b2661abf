/*
 * Captures beside traces of the same run: what the packets of one may say of
 * the other.  They are joined by the names of hosts (--hosts) and by the wall
 * clock; what cannot be joined accuses whom it accuses, and neither explains
 * nor acquits what the other one shows.
 */
#ifndef NETAN_CHECKS_JOINED_H
#define NETAN_CHECKS_JOINED_H

#include "netan/checks/check.h"

/* There are both. */
bool na_captures_beside(const struct na_case *c);
/* The same, and the two cannot be joined. */
bool na_captures_apart(const struct na_case *c);
/* The transfers that analyses have looked at are those of captures: no trace
 * tells any. */
bool na_packets_told(const struct na_case *c);
/* Packets of a host were seen, under the name that its trace has, while its
 * trace ran; of captures alone, of any host. */
bool na_packets_saw(const struct na_case *c, const char *host);
/* The same of any host of the traces. */
bool na_packets_saw_any(const struct na_case *c);
/* Why packets acquit no network of the job that traces tell of, as not all its
 * hosts are known to be among those that were seen; NULL: they are, or there
 * are no traces. */
const char *na_packets_blind_to(struct na_case *c);
/*
 * What something in a capture cost, between the finding's from_s and to_s: of
 * steps, only the part while both steps and capture ran, as if it was spread
 * evenly, and no more than that time; where the two cannot be joined no step
 * has a cost, lost_s is the capture's, and the finding is marked.
 */
void na_packets_cost(struct na_case *c, struct na_finding *f, double lost_s);
/* From the first packet that was looked at to the last. */
double na_packets_span_s(const struct na_case *c);
/* That they cannot be joined, and why: a finding of the running check. */
void na_captures_say_apart(struct na_case *c);

#endif
