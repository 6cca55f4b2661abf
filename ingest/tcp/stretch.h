/*
 * Stretches of one direction: data that came one behind the other, as fast as
 * sender, network and receiver let it, and how long it took until it was
 * acknowledged.  What a program waited between two messages is in none.
 *
 * New data goes on with a stretch when more than a segment is outstanding, or
 * when the record before it was full: a message seldom ends with a segment, so
 * the sender had more (PSH tells nothing: some kernels set it on each record).
 * An ACK of one last segment ends none: it may be delayed.  Where a closed
 * window, or a full one without a queue, held the sender up, nothing is kept, nor
 * of fewer than STRETCH_LEAST full segments.  Where something was sent again it is
 * marked: only later is known whether that was needed.  A long stretch is told in
 * pieces.
 */
#ifndef INGEST_TCP_STRETCH_H
#define INGEST_TCP_STRETCH_H

#include "ingest/tcp/marks.h"

/* p, of f's side, after its marks: `fresh` payload, or none. */
void na_tcp_stretch(struct na_tcp_dir *f, struct na_tcp_dir *r,
		    const struct na_packet *p, uint32_t marks, bool fresh);
/* No packet comes any more, or a window begins or ends. */
void na_tcp_stretch_end(struct na_tcp_dir *f);

#endif
