/*
 * What na_calls makes of one connection's packets.
 */
#ifndef TESTS_UNIT_HEARD_H
#define TESTS_UNIT_HEARD_H

#include "ingest/calls/calls.h"
#include "netan/base/strtab.h"
#include "tests/unit/talk.h"

enum { TALK_HEARD = 2000 };

struct heard {
	struct na_strtab names;
	struct na_call calls[TALK_HEARD];
	struct na_transfer transfers[TALK_HEARD];
	size_t n_calls, n_transfers;
	struct na_sink sink;
	struct na_addresses ends;
	struct na_capture_counts counts;
	void *state; /* of the connection */
	uint32_t connection;
	struct na_calls *reader;
	struct na_tcp_user user;
	uint64_t base[2];
	bool mid_stream;
	uint32_t cut; /* payload is captured up to here; 0: all */
};

void heard_init(struct heard *h, const struct na_call_limits *limits);
/* The connection's SYN and SYN-ACK. */
void heard_syn(struct heard *h);
void heard_packet(struct heard *h, const struct talk *t,
		  const struct talk_packet *x);
/* n bytes of anything; seq as in na_tcp_packet. */
void heard_bytes(struct heard *h, uint8_t dir, uint64_t seq, const uint8_t *p,
		 size_t n, int64_t at_ns, uint32_t marks);
/* The connection ends, counts are taken. */
void heard_close(struct heard *h);
void heard_fini(struct heard *h);

#endif
