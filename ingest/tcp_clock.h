/*
 * Round trips by the timestamp option (RFC 7323): from the first segment
 * with data that carries a value to the first echo of it.  A few values are
 * awaited at a time; others give no sample.
 */
#ifndef INGEST_TCP_CLOCK_H
#define INGEST_TCP_CLOCK_H

#include "ingest/tcp_table.h"

void na_tcp_clock_send(struct na_tcp_dir *f, const struct na_packet *p);
/* p comes from the other side of f. */
void na_tcp_clock_echo(struct na_tcp_dir *f, struct na_rtt_pages *pages,
		       const struct na_packet *p);

#endif
