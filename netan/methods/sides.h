/*
 * A side of a host, as every sentence calls it.
 */
#ifndef NETAN_METHODS_SIDES_H
#define NETAN_METHODS_SIDES_H

/* "transmit side of " of "src", "receive side of " of "dst", "both sides of "
 * of "host": the kinds of culprits in results.  NULL of any other. */
const char *na_side_of(const char *kind);

#endif
