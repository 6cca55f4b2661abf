/*
 * Who waits for whom: calls (turns.h), delayed acknowledgements, how near to
 * the edge of the window a sender comes, and round trips as a receiver sees
 * them.
 */
#ifndef INGEST_TCP_TALK_H
#define INGEST_TCP_TALK_H

#include "ingest/tcp/marks.h"

/* p, of f's side, after its marks; `fresh`: it has bytes that are new. */
void na_tcp_talk(struct na_tcp_conn *c, struct na_tcp_dir *f,
		 struct na_tcp_dir *r, const struct na_packet *p, bool fresh,
		 struct na_rtt_pages *pages);

#endif
