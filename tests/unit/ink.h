/* What holds for every picture, looked up in its ink (plot/canvas_ink.c). */
#ifndef TESTS_UNIT_INK_H
#define TESTS_UNIT_INK_H

#include <stddef.h>

/* No two texts may touch, nor leave the page; fails the test and says
 * `what`.  Returns how many texts there are. */
size_t ink_check_texts(const char *ink, const char *what);

#endif
