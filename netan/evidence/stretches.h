/*
 * Observations of captures: stretches of connections (ingest/tcp/stretch.h),
 * data that came without a pause of its program, and the rates of the ports at
 * both ends meanwhile, all their connections together.
 *
 * A connection that two captures hold counts once.
 */
#ifndef NETAN_EVIDENCE_STRETCHES_H
#define NETAN_EVIDENCE_STRETCHES_H

#include "netan/evidence/ports.h"
#include "netan/model/packets.h"

/* A connection, and the numbers of its hosts. */
struct na_stretched {
	const struct na_connection *c;
	uint32_t src, dst;
};

/* What v[n] hold, into *out, which is all zero; v is sorted anew.  False: no
 * memory. */
bool na_stretches_add(struct na_stretched *v, size_t n,
		      struct na_port_rows *out) NA_MUST_CHECK;

#endif
