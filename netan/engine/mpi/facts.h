/*
 * Inputs, and what goes with them, as bytes for another process: facts.def,
 * the planes and the warnings.  Numbers are varints (signed ones zigzag),
 * texts have their length before them.
 */
#ifndef NETAN_ENGINE_MPI_FACTS_H
#define NETAN_ENGINE_MPI_FACTS_H

#include "ingest/bytes/cursor.h"
#include "ingest/input.h"
#include "ingest/transfer_file/bytes.h"

void na_tell_number(struct na_xf_bytes *to, int64_t v);
/* NULL is told from "". */
void na_tell_words(struct na_xf_bytes *to, const char *s);
void na_tell_run(struct na_xf_bytes *to, const void *p, size_t n);

/* False: not there. */
bool na_hear_number(struct na_cursor *c, int64_t *v);
/* From 0 to below `limit`. */
bool na_hear_index(struct na_cursor *c, uint64_t limit, size_t *v);
/* How many things of at least `size` bytes follow. */
bool na_hear_count(struct na_cursor *c, size_t size, size_t *n);
bool na_hear_run(struct na_cursor *c, struct na_text *run);
/* A copy in `a`; false, too, when memory is short. */
bool na_hear_words(struct na_cursor *c, struct na_arena *a, const char **s);

/* Whether others can do without the input itself: packets are followed from
 * file to file, and some dumps are compared. */
bool na_facts_suffice(const struct na_input *in);
void na_facts_put(struct na_xf_bytes *to, const struct na_input *in);
/* Of those, what no reading changes, be it of a trace or of what stands in for
 * it: a session settles on these. */
void na_facts_put_settled(struct na_xf_bytes *to, const struct na_input *in);
/* Into an input that is all zero but for path and wants, and is to be closed
 * whatever comes back; it is `away` then.  False: broken, or no memory. */
bool na_facts_get(struct na_cursor *c, struct na_input *in);
/* Once more, after it was read: counts and warnings anew. */
bool na_facts_reread(struct na_cursor *c, struct na_input *in);

/*
 * A message of facts: its kind, whether they suffice (0 or 1), the mark of
 * what is settled, and all of them.
 */
enum { NA_FACTS_SUFFICE = 1, NA_FACTS_MARK = 2, NA_FACTS_MARK_BYTES = 8 };

/* Of two such messages: would the same session come of both? */
bool na_facts_agree(const void *a, size_t n, const void *b, size_t m);

#endif
