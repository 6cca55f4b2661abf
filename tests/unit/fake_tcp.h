/*
 * A TCP connection that exists only here: bulk data in rounds of one RTT,
 * with losses, a timeout and a closed window where asked.
 */
#ifndef TESTS_UNIT_FAKE_TCP_H
#define TESTS_UNIT_FAKE_TCP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/analyses/tcp/state.h"
#include "tests/unit/hand_drive.h"

#define FAKE_MS UINT64_C(1000000000) /* in ps */

struct fake_tcp {
	size_t rounds, per_round; /* segments of 1000 bytes */
	size_t lost_every;        /* one of so many is sent again; 0: none */
	bool timeout, closed;     /* once, in the middle */
	bool hole;                /* no packet of 1000 bytes arrives */
	int64_t from_ps, to_ps;   /* filter; both 0: none */
	size_t calls;             /* of the reader */
	struct na_segment *x;
	size_t n;
	struct na_connection c;
};

static inline void fake_put(struct fake_tcp *f, int64_t at_ps, bool data,
			    uint64_t byte, uint16_t marks)
{
	struct na_segment *x = &f->x[f->n++];

	*x = (struct na_segment){
		.time_ps = at_ps,
		.seq = data ? byte : 0,
		.ack = data ? 0 : byte,
		.size_bytes = data ? 1000 : 0,
		.window_bytes = data ? 0 : 64000,
		.marks = marks,
		.dir = !data,
	};
	if (marks & NA_SEG_ZERO_WINDOW)
		x->window_bytes = 0;
	if (marks & NA_SEG_DUPLICATE_ACK) {
		x->n_sack = 1;
		x->sack_from = byte + 1000;
		x->sack_to = byte + 3000;
	}
}

/* One round of `per_round` segments and their ACKs a millisecond later; the
 * time it ends. */
static inline int64_t fake_round(struct fake_tcp *f, size_t round, int64_t t)
{
	int64_t gap = (int64_t)(10 * FAKE_MS) / (int64_t)f->per_round;
	uint64_t byte = 1 + round * f->per_round * 1000;
	bool middle = round == f->rounds / 2;

	if (middle && f->closed) {
		fake_put(f, t, false, byte, NA_SEG_ZERO_WINDOW);
		t += 50 * (int64_t)FAKE_MS;
		fake_put(f, t, false, byte, 0);
	}
	for (size_t i = 0; i < f->per_round; i++, byte += 1000, t += gap) {
		size_t k = round * f->per_round + i + 1;
		bool lost = f->lost_every && k % f->lost_every == 0;

		fake_put(f, t, true, byte, 0);
		if (middle && f->timeout && i == 0) {
			t += 200 * (int64_t)FAKE_MS;
			fake_put(f, t, true, byte,
				 NA_SEG_RETRANSMIT | NA_SEG_TIMEOUT);
		} else if (lost) {
			fake_put(f, t + gap / 4, false, byte,
				 NA_SEG_DUPLICATE_ACK);
			fake_put(f, t + gap / 3, true, byte,
				 NA_SEG_RETRANSMIT | NA_SEG_FAST);
		}
		fake_put(f, t + gap / 2, false, byte + 1000, 0);
	}
	return t;
}

static inline void fake_hole(struct na_direction *d)
{
	d->testified = 1;
	d->length_cuts = 1;
	d->long_least = 1000;
	d->long_sent = d->long_lost = d->long_lost_again = 14;
	d->short_most = 500;
	d->short_sent = 21;
}

static inline void fake_make(struct fake_tcp *f)
{
	int64_t t = 0;

	f->x = calloc(f->rounds * f->per_round * 4 + 8, sizeof(*f->x));
	assert_non_null(f->x);
	f->n = 0;
	for (size_t i = 0; i < f->rounds; i++)
		t = fake_round(f, i, t);
	f->c = (struct na_connection){
		.src_port = 5001,
		.dst_port = 80,
		.to_ps = t,
		.initial_rtt_ns = 1000000,
	};
	f->c.dir[0] = (struct na_direction){
		.packets = f->n,
		.bytes = f->rounds * f->per_round * 1000,
		.unique_bytes = f->rounds * f->per_round * 1000,
		.data_packets = f->rounds * f->per_round,
		.retransmissions = f->lost_every ? f->rounds * f->per_round /
							   f->lost_every
						 : 0,
		.timeouts = f->timeout,
		.timeout_total_ns = f->timeout ? 200000000 : 0,
		.longest_timeout_ns = f->timeout ? 200000000 : 0,
		.rtt_samples = 1,
		.rtt_p50_ns = 1000000,
		.max_in_flight_bytes = 4000,
		.saw_syn = 1,
	};
	f->c.dir[0].fast = f->c.dir[0].retransmissions;
	if (f->hole)
		fake_hole(&f->c.dir[0]);
	f->c.dir[1].max_window_bytes = 64000;
	f->c.dir[1].window_scale_known = 1;
	f->c.dir[1].saw_syn = 1;
}

static inline enum na_status
fake_segments(void *ctx, const struct na_connection *c,
	      enum na_status (*each)(void *arg, const struct na_segment *x),
	      void *arg, struct na_err *err)
{
	struct fake_tcp *f = ctx;
	enum na_status st = NA_OK;

	(void)err;
	assert_int_equal(c->src_port, 5001);
	f->calls++;
	for (size_t i = 0; st == NA_OK && i < f->n; i++)
		st = each(arg, &f->x[i]);
	return st;
}

/* The result of the analysis, with its sequence; f->x may be NULL. */
static inline void fake_drive(struct fake_tcp *f, struct tcp_params params,
			      struct driven *d)
{
	struct na_scope scope = {.segments = fake_segments, .segments_ctx = f};
	struct na_part part;
	struct na_sink sink;
	struct hand h;

	hand_init(&h, 1, NULL);
	if (f->to_ps) {
		h.filter.from_ps = f->from_ps;
		h.filter.to_ps = f->to_ps;
		f->c.clipped = true;
	}
	na_part_init(&part, &h.store.pool, &h.filter, NA_WANT_CONNECTIONS);
	sink = na_part_sink(&part);
	f->c.src = sink.address(sink.ctx, "10.0.0.1", 8);
	f->c.dst = sink.address(sink.ctx, "10.0.0.2", 8);
	assert_int_equal(sink.connection(sink.ctx, &f->c), NA_OK);
	assert_int_equal(na_store_take(&h.store, &part, 0, &h.err), NA_OK);
	na_part_fini(&part);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	scope.store = &h.store;
	scope.filter = &h.filter;
	hand_drive(d, na_analysis_find("tcp"), &scope, &params, 1, &h.err);
	hand_fini(&h);
}

#endif
