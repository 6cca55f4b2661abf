/*
 * What tcp-connection says of connections that lose packets; each is a row of
 * `tcp`.
 */
#ifndef NETAN_CHECKS_PACKETS_TCP_LOSS_H
#define NETAN_CHECKS_PACKETS_TCP_LOSS_H

#include "netan/checks/check.h"

/* Of one of its ways short packets arrive, and long ones never. */
bool na_loss_is_hole(const struct na_value *row);
/* So much that it is an error, by either way. */
bool na_loss_is_much(const struct na_value *row);
/* What it lost, or most of that, went from its dst to its src. */
bool na_loss_is_back(const struct na_value *row);
/* All of a verdict that lose packets, also those that are not listed. */
long long na_loss_connections(const struct na_case *c, const char *verdict);
/* The network somewhere; the only path that loses; or bad-endpoint says.  With
 * how many packets were lost, of all connections; or that these are too few. */
void na_loss_accuse(struct na_case *c, struct na_finding *f,
		    const struct na_value *worst);
/* The path whose long packets die, and what to do about it. */
void na_loss_accuse_hole(struct na_case *c, struct na_finding *f,
			 const struct na_value *worst);

#endif
