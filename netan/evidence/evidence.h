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
#include "netan/judge/judge.h"

enum { NA_EVIDENCE_MOST_ROWS = 1 << 18, NA_EVIDENCE_STEPS = 24 };

struct na_evidence {
	size_t n_hosts, n_racks;
	uint32_t *rack_of; /* [n_hosts]; n_racks = 0: unknown; borrowed */
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
/* A transfer of a connection; collective: any number.  False: no memory. */
bool na_evidence_add(struct na_evidence *e, const struct na_judge_connection *c,
		     struct na_judge_row x) NA_MUST_CHECK;
/* Borrows from e; its collectives are indices into e->collectives. */
struct na_judge_input na_evidence_input(const struct na_evidence *e);
void na_evidence_fini(struct na_evidence *e);

#endif
