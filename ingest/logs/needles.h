/*
 * Where one of several words begins, in any case of its letters, in text
 * that mostly holds none of them.
 *
 * Of each word the three neighbouring bytes that are rarest in logs are
 * looked for.  A set of words is a byte of eight bits, one for each class of
 * words (word k is in class k mod 8); for each of the three places, a table
 * says in which classes a byte may stand there.  Where the three agree, the
 * words are compared.  With AVX2, 32 places are looked at together: a byte's
 * classes are those of its upper and of its lower half, each a table of 16
 * (the scheme is that of "Teddy" in Hyperscan: Wang et al., NSDI 2019).
 */
#ifndef INGEST_LOGS_NEEDLES_H
#define INGEST_LOGS_NEEDLES_H

#include <stddef.h>
#include <stdint.h>

#include "ingest/logs/lines.h"

/* Words beyond are not looked for. */
enum { NA_NEEDLES_MAX = 32 };

struct na_finder {
	const struct na_needles *needles; /* borrowed */
	size_t n;
	size_t longest; /* bytes of the longest word */
	uint8_t lengths[NA_NEEDLES_MAX], rare[NA_NEEDLES_MAX];
	uint8_t halves[3][2][16]; /* of lower and upper halves of a byte */
	uint8_t bytes[3][256];
};

/* Words of fewer than 3 bytes, or more than 255, are never found. */
void na_finder_init(struct na_finder *f, const struct na_needles *needles);

/* The first place where a whole word stands, or NULL. */
const char *na_finder_next(const struct na_finder *f, const char *p,
			   const char *end);
/* The same without the processor's wide instructions; for tests. */
const char *na_finder_next_plain(const struct na_finder *f, const char *p,
				 const char *end);

/* How many newlines. */
size_t na_count_newlines(const char *p, const char *end);

#endif
