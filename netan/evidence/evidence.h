/*
 * Observations for the judge (netan/judge): transfers in columns, whatever
 * their source is.  A source (sends, receives, captures) adds its transfers one
 * by one; connections and collectives get dense numbers here.
 *
 * Of very many transfers whole steps are skipped, or, where these are few, whole
 * collectives of a step: what shares a port stays together, and the judge's
 * answer does not grow surer with millions.
 */
#ifndef NETAN_EVIDENCE_EVIDENCE_H
#define NETAN_EVIDENCE_EVIDENCE_H

#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/judge/explain.h"
#include "netan/judge/judge.h"

enum { NA_EVIDENCE_MOST_ROWS = 1 << 18, NA_EVIDENCE_STEPS = 24 };

struct na_observation {
	double start_us, took_us;
	float size_bytes;
	uint32_t src, dst;             /* hosts */
	uint32_t src_device, dst_device;
	uint32_t distance;             /* class of the pair */
	uint32_t collective, part, step; /* collective: any number */
};

struct na_evidence {
	size_t n_hosts, n_racks;
	uint32_t *rack_of; /* [n_hosts]; n_racks = 0: unknown; owned */
	bool two_clocks;
	uint32_t every; /* keep one step (collective) in so many; 0: all */
	bool few_steps; /* skip collectives of steps */
	NA_VEC(struct na_judge_row) rows;
	NA_VEC(struct na_judge_connection) connections;
	struct na_triples ends;        /* devices of a connection */
	struct na_triples collectives;
};

/* All zero is an empty one.  Before the first row: how many there will be, in how
 * many steps. */
void na_evidence_expect(struct na_evidence *e, size_t rows, size_t steps);
/* False: no memory. */
bool na_evidence_add(struct na_evidence *e,
		     const struct na_observation *x) NA_MUST_CHECK;
enum na_status na_evidence_judge(struct na_evidence *e,
				 struct na_judge_result *out,
				 struct na_err *err) NA_MUST_CHECK;
/* The terms of a host's odds; collectives are numbers of observations. */
enum na_status na_evidence_explain(struct na_evidence *e, uint32_t host,
				   struct na_judge_explanation *out,
				   struct na_err *err) NA_MUST_CHECK;
void na_evidence_fini(struct na_evidence *e);

#endif
