/*
 * What captures leave open and an acquittal must not overlook: data waits for
 * its ACK in silence when the window or the capture ends; something was sent
 * again, or for the first time, and the end came before its ACK; or
 * connections were there before the capture, whose first data may be what was
 * lost before it.
 */
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

/* A timer for what was lost is no shorter, wherever it was lowered to. */
static const double least_rto_s = 0.005;

struct open_ends {
	double again;      /* sent again, without an ACK */
	double unanswered; /* connections: data, and nothing of the peer */
	double silent;     /* first silent, then data; SYN not seen */
};

static double began_s(const struct na_value *rows)
{
	double s = INFINITY;

	na_for_each (row, rows)
		s = fmin(s, na_number_at(row, M_from_s));
	return s;
}

static bool has_data(const struct na_value *row)
{
	return na_number_at(row, M_fwd "." M_bytes) > 0 ||
	       na_number_at(row, M_rev "." M_bytes) > 0;
}

/* A peer that is gone, and a sender that gave up, are told of by themselves. */
static double again_of(const struct na_value *row, const struct na_value *way)
{
	return na_flag_at(way, M_gone) || na_says(row, M_end, "rst")
		       ? 0
		       : na_number_or(way, M_open_retransmissions, 0);
}

static void add(struct open_ends *x, const struct na_value *row, double began)
{
	const struct na_value *fwd = na_get(row, M_fwd);
	const struct na_value *rev = na_get(row, M_rev);
	bool middle = na_flag_at(fwd, M_mid_stream) &&
		      na_flag_at(rev, M_mid_stream);

	x->again += again_of(row, fwd) + again_of(row, rev);
	x->unanswered += middle && na_number_at(fwd, M_bytes) > 0 &&
			 !(na_number_at(rev, M_packets) > 0);
	x->silent += middle && has_data(row) &&
		     na_number_at(row, M_from_s) > began + least_rto_s;
}

static struct open_ends ends_of(struct na_case *c)
{
	const struct na_value *rows = na_get(na_case_body(c, "tcp"),
					     M_connections);
	double began = began_s(rows);
	struct open_ends x = {0};

	na_for_each (row, rows)
		add(&x, row, began);
	return x;
}

struct stalls {
	double n, resent, longest_ms; /* resent: behind the window */
};

/* A connection or queue pair, of one or two sides. */
static void add_stall(struct stalls *x, const struct na_value *const side[],
		      size_t n)
{
	double ms = 0;
	bool resent = true;

	for (size_t i = 0; i < n; i++) {
		double own = na_number_or(side[i], M_stalled_ms, 0);

		ms = fmax(ms, own);
		resent &= !(own > 0) ||
			  na_flag_at(side[i], M_stalled_sent_again);
	}
	x->n += ms > 0;
	x->resent += ms > 0 && resent;
	x->longest_ms = fmax(x->longest_ms, ms);
}

const char *na_packets_stalled(struct na_case *c)
{
	struct stalls x = {0};

	na_for_each (row, na_get(na_case_body(c, "tcp"), M_connections)) {
		const struct na_value *sides[] = {na_get(row, M_fwd),
						  na_get(row, M_rev)};

		if (!na_says(row, M_verdict, "peer_vanished"))
			add_stall(&x, sides, 2);
	}
	return x.n > 0 ? na_case_say(c, na_fact_connections_stall(
						(int64_t)x.n,
						x.longest_ms / NA_MS_PER_S,
						x.resent < x.n))
		       : NULL;
}

const char *na_packets_rdma_stalled(struct na_case *c)
{
	struct stalls x = {0};

	na_for_each (row, na_get(na_case_body(c, "rdma"), M_queue_pairs))
		add_stall(&x, &row, 1);
	return x.n > 0 ? na_case_say(c, na_fact_queue_pairs_stall(
						(int64_t)x.n,
						x.longest_ms / NA_MS_PER_S,
						x.resent < x.n))
		       : NULL;
}

const char *na_packets_open(struct na_case *c, double sent)
{
	const struct open_ends x = ends_of(c);

	if (x.again > 0)
		return na_case_say(
			c, na_fact_resent_without_ack((int64_t)x.again));
	if (x.unanswered > 0)
		return na_case_say(
			c, na_fact_data_unanswered((int64_t)x.unanswered));
	if (x.silent > 0 && x.silent + 3 > NA_RUINOUS_LOSS * sent)
		return na_case_say(
			c, na_fact_first_data_before_capture((int64_t)x.silent));
	return NULL;
}
