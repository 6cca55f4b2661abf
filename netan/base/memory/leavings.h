/*
 * Names of files that are not finished yet, to be removed where a signal ends
 * the program before it can do so itself.
 */
#ifndef NETAN_BASE_MEMORY_LEAVINGS_H
#define NETAN_BASE_MEMORY_LEAVINGS_H

#include <stdbool.h>

struct na_leaving;

/*
 * A file, or a folder that is empty once the other leavings are gone; before
 * it is made.  path is copied.  From any thread.  NULL: no memory, or too long;
 * it is not removed then, and that is all.
 */
struct na_leaving *na_leaving_new(const char *path);
/* It has its own name by now, or is gone.  NULL is none. */
void na_leaving_free(struct na_leaving *l);

/* Removes all of them.  From a signal's handler, too; the program ends. */
void na_leavings_remove(void);

/* For main(): the signals that end a program (SIGTERM, SIGHUP, SIGINT) do so
 * after this, and where it is aloud after saying so; of SIGINT nothing is said,
 * for who sent it sits in front.  A limit of the size of files (SIGXFSZ) is
 * what a full disk is: an error of who writes. */
void na_leavings_on_signals(bool aloud);

/* The handler for that: of who catches a signal once, for the next one. */
void na_leavings_end(int number);

#endif
