/*
 * A window of a connection: what happens in it is counted, and all that is
 * known of the connection from before it (numbers, windows, round trips, what
 * is in flight) stays known.
 *
 * Of what reaches over the window's beginning, silence and closed windows
 * count from there on; what was sent again before it does not count, whatever
 * becomes of it; an answer counts when it comes, with all of its wait.  What
 * was sent again in the window counts, and whether it was needed is told by
 * what comes behind the window, too.
 */
#ifndef INGEST_TCP_WINDOW_H
#define INGEST_TCP_WINDOW_H

#include "ingest/tcp/marks.h"

/* The window begins with the next packet of c, at or behind from_ns.  `calls`
 * were seen on it so far. */
void na_tcp_count_from(struct na_tcp_conn *c, struct na_tcp_pools *pools,
		       int64_t from_ns, uint64_t calls);
/* The window is over: nothing more is counted. */
void na_tcp_count_no_more(struct na_tcp_conn *c);
/* Something that was sent again in the window waits for an answer. */
bool na_tcp_is_open(const struct na_tcp_conn *c);

#endif
