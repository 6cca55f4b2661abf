/*
 * A tracked connection, or one of its segments, as the record of the model.
 */
#ifndef INGEST_TCP_TELL_H
#define INGEST_TCP_TELL_H

#include "ingest/tcp/table.h"

struct na_tcp_teller {
	const struct na_sink *sink;
	struct na_addresses *addresses;
	int64_t zero_ns;
	size_t most, told; /* connections */
	bool wanted;
	uint64_t dropped; /* for `most` */
};

/* Half of the room is for connections with payload, and a quarter for those
 * that retransmitted, timed out or waited for a window. */
enum na_status na_tcp_tell(struct na_tcp_teller *t, const struct na_tcp_conn *c,
			   bool evicted, uint64_t calls) NA_MUST_CHECK;
/* As it is now; told later, with what then is known of what was sent again. */
enum na_status na_tcp_hold(struct na_tcp_teller *t, struct na_tcp_conn *c,
			   uint64_t calls) NA_MUST_CHECK;
enum na_status na_tcp_tell_held(struct na_tcp_teller *t,
				const struct na_tcp_conn *c) NA_MUST_CHECK;
/* r is the reverse direction, NULL: nothing known of it. */
enum na_status na_tcp_tell_segment(struct na_tcp_teller *t,
				   const struct na_tcp_packet *x,
				   const struct na_tcp_dir *r) NA_MUST_CHECK;

#endif
