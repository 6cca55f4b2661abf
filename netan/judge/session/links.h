/*
 * Links of racks as blocks of connections: what leaves a rack, what enters
 * one, what goes from one to another.
 */
#ifndef NETAN_JUDGE_SESSION_LINKS_H
#define NETAN_JUDGE_SESSION_LINKS_H

#include "netan/judge/session/session.h"

struct na_j_link {
	enum na_judge_cause cause;
	uint32_t a, b;	      /* racks; b: NA_JUDGE_NONE where unused */
	uint32_t from, n;     /* its pairs: pair[from..] */
};

struct na_j_links {
	struct na_j_link *v; /* with pairs; by rack a: up, down, pairs by b */
	size_t n;
	uint32_t *pair;	     /* of the session */
	/* Links of each kind, of racks with hosts. */
	uint64_t possible[NA_JUDGE_CAUSES];
};

bool na_j_links_init(struct na_j_links *l, const struct na_j_session *s,
		     struct na_arena *mem);

#endif
