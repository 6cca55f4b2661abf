/*
 * Observations of captures: stretches of connections (ingest/tcp/stretch.h),
 * data that came without a pause of its program, and how long it took until it
 * was acknowledged.  A slow port makes each of its stretches long, whichever
 * way it shows: data that comes wide apart, or ACKs that do, behind a queue
 * that its own bytes build up.
 *
 * Replicates are NA_EVIDENCE_STEPS equal windows of the capture.  A connection
 * that two captures hold counts once.
 */
#ifndef NETAN_EVIDENCE_STRETCHES_H
#define NETAN_EVIDENCE_STRETCHES_H

#include "netan/evidence/evidence.h"
#include "netan/model/packets.h"

/* A connection, and the numbers of its hosts. */
struct na_stretched {
	const struct na_connection *c;
	uint32_t src, dst;
};

/* What v[n] hold, into *out, which is all zero; v is sorted anew.  False: no
 * memory. */
bool na_stretches_add(struct na_stretched *v, size_t n,
		      struct na_evidence *out) NA_MUST_CHECK;

/* Of a few hosts each held out in turn (held_out.h), else the one model. */
enum na_status na_stretches_judge(struct na_evidence *e,
				  struct na_judge_result *out,
				  struct na_err *err) NA_MUST_CHECK;

#endif
