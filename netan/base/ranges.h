/*
 * Whole numbers, as ranks, in words: "3, 5-8 and 12".
 */
#ifndef NETAN_BASE_RANGES_H
#define NETAN_BASE_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "netan/base/vec.h"

struct na_numbers {
	NA_VEC(int32_t);
};

/* v [n]; three and more that follow each other are one piece; behind twelve
 * pieces "and 7 more".  What does not fit is cut off. */
void na_ranges_text(const int32_t *v, size_t n, char *buf, size_t size);

/* Those of a list "3,5,6,7,8,12"; none of any other text.  False: no memory. */
bool na_ranges_read(struct na_numbers *to, const char *list);

/* The same of a list in buf; any other text is returned as it
 * is, and so is a list where memory is short. */
const char *na_ranges_of(const char *list, char *buf, size_t size);

#endif
