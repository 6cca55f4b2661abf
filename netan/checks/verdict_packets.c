/*
 * The verdict on captures alone: what packets say of themselves, and how many
 * of them it takes.  An acquittal names what was seen: so many packets, and
 * none that had to be sent again.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"
#include "netan/checks/verdict.h"

enum { BURST = 10 }; /* packets, of a queue that overflows */

static const double unrecorded_most = 0.1; /* of the packets */

static double of_tcp(struct na_case *c, const char *name)
{
	return na_number_or(na_get(na_case_body(c, "tcp"), M_totals), name, 0);
}

static double of_roce(struct na_case *c, const char *name)
{
	return na_number_or(na_get(na_case_body(c, "rdma"), M_totals), name, 0);
}

static double packets_of(struct na_case *c)
{
	return of_tcp(c, M_packets) + of_roce(c, M_packets);
}

static double needed_of(struct na_case *c)
{
	return of_tcp(c, M_needed_retransmissions) +
	       of_roce(c, M_needed_repeats);
}

static double missed_by(struct na_case *c)
{
	return of_tcp(c, M_unrecorded) + of_roce(c, M_missing);
}

/* A queue pair whose answers were seen. */
static bool any_answered(struct na_case *c)
{
	na_for_each (v, na_get(na_case_body(c, "rdma"), M_queue_pairs)) {
		if (na_number_or(v, M_answers, 0) > 0)
			return true;
	}
	return false;
}

/* Both directions of no connection. */
static bool one_way(struct na_case *c)
{
	const struct na_value *rows = na_get(na_case_body(c, "tcp"),
					     M_connections);

	na_for_each (v, rows) {
		if (na_number_at(v, M_fwd "." M_packets) > 0 &&
		    na_number_at(v, M_rev "." M_packets) > 0)
			return false;
	}
	return !any_answered(c) &&
	       ((rows && rows->n > 0) || of_roce(c, M_packets) > 0);
}

/* All of it stayed on its host: no network was there to be seen. */
static bool is_loopback(const char *socket)
{
	return strncmp(socket, "127.", 4) == 0 ||
	       strncmp(socket, "[::1]:", 6) == 0;
}

static bool stays_home(struct na_case *c)
{
	const struct na_value *rows = na_get(na_case_body(c, "tcp"),
					     M_connections);

	na_for_each (v, rows) {
		if (!is_loopback(na_text_at(v, M_src)) ||
		    !is_loopback(na_text_at(v, M_dst)))
			return false;
	}
	return rows && rows->n > 0 && !(of_roce(c, M_packets) > 0);
}

const char *na_packets_unseen(struct na_case *c)
{
	if (stays_home(c))
		return na_case_say(c, na_fact_only_loopback());
	if (one_way(c))
		return na_case_say(c, na_fact_one_direction());
	return NULL;
}

/* Too little to go by; NULL. */
static const char *thin(struct na_case *c)
{
	double packets = packets_of(c), holes = missed_by(c);

	if (!(packets > 0))
		return na_case_say(c, na_fact_no_data_packets());
	if (packets < NA_FEW_PACKETS)
		return na_case_say(c, na_fact_few_packets((int64_t)packets));
	if (na_packets_unseen(c))
		return na_packets_unseen(c);
	if (holes > unrecorded_most * packets ||
	    (holes > 0 && needed_of(c) > 0))
		return na_case_say(c, na_fact_capture_missed((int64_t)holes));
	return NULL;
}

/* Of what would be sent again: a pure ACK never is. */
struct resent {
	double sent, lost;
	bool segments; /* of TCP, else packets */
};

static struct resent resent_of(struct na_case *c)
{
	struct resent r = {
		.sent = of_tcp(c, M_data_segments) + of_roce(c, M_packets),
		.lost = of_tcp(c, M_lost_data_segments) +
			of_roce(c, M_needed_repeats),
		.segments = of_tcp(c, M_data_segments) > 0,
	};

	if (r.sent > 0)
		return r;
	r.sent = packets_of(c);
	r.lost = needed_of(c);
	return r;
}

static const char *how_many(struct na_case *c, const struct resent *r)
{
	return na_case_say(c, na_fact_resent((int64_t)r->lost, (int64_t)r->sent,
					     r->segments));
}

/* What comes in bursts shows more seldom, by their length. */
static const char *seen(struct na_case *c, const struct resent *r)
{
	double loss = na_would_have_shown(r->sent);

	if (r->lost > 0)
		return how_many(c, r);
	return na_case_say(c, na_fact_resent_enough(how_many(c, r), loss, BURST,
						    BURST * loss));
}

/* So few that a loss which ruins connections may have been missed, where
 * nothing else explains the time; NULL. */
static const char *blind(struct na_case *c, const struct resent *r)
{
	double shown = na_would_have_shown(r->sent);

	if (shown <= NA_RUINOUS_LOSS || *na_verdict_instead(c))
		return NULL;
	return na_case_say(
		c, na_fact_resent_too_few(how_many(c, r), shown,
					  (int64_t)(3 / NA_RUINOUS_LOSS)));
}

const char *na_verdict_packets(struct na_case *c, enum na_outcome *outcome)
{
	const struct resent r = resent_of(c);
	const char *why = na_verdict_guilty(c);

	*outcome = NA_GUILTY;
	if (why)
		return why;
	why = na_verdict_unheard(c);
	why = why ? why : na_packets_stalled(c);
	why = why ? why : na_packets_rdma_stalled(c);
	why = why ? why : thin(c);
	why = why ? why : blind(c, &r);
	why = why ? why : na_packets_open(c, r.sent);
	why = why ? why : na_packets_blind_to(c);
	why = why ? why : na_packets_slow_open(c);
	*outcome = why ? NA_CANNOT_TELL : NA_NOT_GUILTY;
	if (why)
		return na_verdict_cannot_tell(c, why);
	return na_case_say(c, na_fact_packets_healthy(seen(c, &r),
						      na_verdict_instead(c),
						      na_packets_looked_for(c)));
}
