/* What holds for every picture, read from its ink. */
#ifndef TESTS_UNIT_INK_H
#define TESTS_UNIT_INK_H

#include <stddef.h>

/* No two texts may touch, nor leave the page.  Returns how many there are;
 * `what` names the picture when a check fails. */
size_t check_texts(const char *ink, const char *what);

#endif
