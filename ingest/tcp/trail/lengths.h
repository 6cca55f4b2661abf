/*
 * Do long segments arrive as short ones do?  Of a direction that had to send
 * something again: its transmissions from there on, by length, and which of
 * them arrived.
 *
 * A transmission was lost where all of its bytes were sent again and that was
 * needed (trail.h); what was not acknowledged by then is left out, and what
 * arrived in part, as pieces of a record that the card had cut do, arrived.
 * Lengths are those of the records, as the capture point has seen them.
 */
#ifndef INGEST_TCP_LENGTHS_H
#define INGEST_TCP_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

enum { NA_LENGTHS_KEPT = 256, NA_LENGTHS_KINDS = 24 };

struct na_length_kind { /* of least..most bytes */
	uint32_t least, most, arrived, lost;
	uint32_t lost_again; /* of those lost: had been sent before */
};

struct na_lengths {
	struct {
		uint32_t seq, end, lost; /* bytes */
		bool again;
	} sent[NA_LENGTHS_KEPT]; /* by number, the newest that many */
	uint32_t next;           /* number */
	uint32_t n_kinds;
	struct na_length_kind kind[NA_LENGTHS_KINDS]; /* by length */
};

/* The lengths cut in two where loss differs most: more of the long ones lost.
 * All 0: there is no such cut. */
struct na_length_cut {
	uint32_t short_most, long_least; /* bytes */
	uint32_t short_sent, short_lost, long_sent, long_lost;
	uint32_t long_lost_again, cuts; /* of so many that were possible */
};

/* seq..end is sent; `una`: all below was acknowledged.  Its number. */
uint32_t na_lengths_sent(struct na_lengths *x, uint32_t seq, uint32_t end,
			 uint32_t una, bool again);
/* What was sent as `number` with seq..end was needed: what carried these
 * bytes before was lost; or not, after all. */
void na_lengths_needed(struct na_lengths *x, uint32_t number, uint32_t seq,
		       uint32_t end, bool needed);
/* `longest`: what that arrived before any trouble, 0 none. */
struct na_length_cut na_lengths_cut(const struct na_lengths *x, uint32_t una,
				    uint32_t longest);

#endif
