/*
 * How alike two names are, for "did you mean" and for near misses in a
 * trace.  Edit distance with adjacent swaps counted once ("optimal string
 * alignment"), letters compared without case; names longer than
 * NA_SIMILAR_MAX are compared by their first bytes.
 */
#ifndef NETAN_BASE_SIMILAR_H
#define NETAN_BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

enum { NA_SIMILAR_MAX = 63 };

/* Of the bytes a[na], b[nb]: 0 to NA_SIMILAR_MAX edits.  O(na nb). */
size_t na_edit_distance(const char *a, size_t na, const char *b, size_t nb);

/* The name in `names` (n of them) that is closest to `word`, or NULL when
 * none is close enough to be meant. */
const char *na_closest(const char *word, const char *const *names, size_t n);

/* ASCII case folded; an empty part begins, ends and lies in everything. */
bool na_same_nocase(const char *a, size_t na, const char *b);
bool na_starts_nocase(const char *a, size_t na, const char *prefix);
bool na_ends_nocase(const char *a, size_t na, const char *suffix);
bool na_contains_nocase(const char *a, size_t na, const char *part);

#endif
