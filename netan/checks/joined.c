#include "netan/checks/joined.h"

#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

enum { TOLD_MOST = 3 };

static bool any_packets(const struct na_case *c)
{
	return na_case_body(c, "tcp") || na_case_body(c, "rdma");
}

bool na_captures_beside(const struct na_case *c)
{
	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs)) {
		if (na_flag_at(v, M_trace))
			return any_packets(c);
	}
	return false;
}

bool na_packets_told(const struct na_case *c)
{
	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs)) {
		if (na_flag_at(v, M_trace) && na_count_at(v, M_transfers))
			return false;
	}
	return any_packets(c);
}

/* ---- by the clock */

/* In seconds since the origin; empty: from_s is not below to_s. */
struct span {
	double from_s, to_s;
};

static void widen(struct span *x, const struct na_value *rows)
{
	na_for_each (v, rows) {
		x->from_s = fmin(x->from_s, na_number_at(v, M_from_s));
		x->to_s = fmax(x->to_s, na_number_at(v, M_to_s));
	}
}

static struct span span_of_packets(const struct na_case *c)
{
	struct span x = {INFINITY, -INFINITY};

	widen(&x, na_get(na_case_body(c, "tcp"), M_connections));
	widen(&x, na_get(na_case_body(c, "rdma"), M_queue_pairs));
	return x;
}

static struct span span_of_steps(const struct na_case *c)
{
	struct span x = {INFINITY, -INFINITY};

	widen(&x, na_get(na_case_body(c, "steps"), M_steps));
	return x;
}

static struct span both(struct span a, struct span b)
{
	return (struct span){fmax(a.from_s, b.from_s), fmin(a.to_s, b.to_s)};
}

static double length_s(struct span x)
{
	return fmax(0, x.to_s - x.from_s);
}

static bool one_clock(const struct na_case *c)
{
	return na_flag_at(na_case_side(c, "session"), M_one_clock);
}

double na_packets_span_s(const struct na_case *c)
{
	return length_s(span_of_packets(c));
}

/* While both ran; of traces without steps nobody knows when. */
static struct span overlap(const struct na_case *c)
{
	return both(span_of_packets(c), span_of_steps(c));
}

static bool apart_in_time(const struct na_case *c)
{
	return !one_clock(c) ||
	       (na_length(na_case_body(c, "steps"), M_steps) &&
		!(length_s(overlap(c)) > 0));
}

/* ---- by name */

static bool is_end(const struct na_value *rows, const char *host)
{
	na_for_each (v, rows) {
		if (na_says(v, M_src_host, host) ||
		    na_says(v, M_dst_host, host))
			return true;
	}
	return false;
}

static bool is_seen(const struct na_case *c, const char *host)
{
	return *host &&
	       (is_end(na_get(na_case_body(c, "tcp"), M_connections), host) ||
		is_end(na_get(na_case_body(c, "rdma"), M_queue_pairs), host));
}

bool na_packets_saw(const struct na_case *c, const char *host)
{
	return na_packets_told(c) || (is_seen(c, host) && !apart_in_time(c));
}

static bool any_named(const struct na_case *c)
{
	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs)) {
		if (na_flag_at(v, M_trace) && is_seen(c, na_text_at(v, M_host)))
			return true;
	}
	return false;
}

static bool is_joined(const struct na_case *c)
{
	return any_named(c) && !apart_in_time(c);
}

bool na_captures_apart(const struct na_case *c)
{
	return na_captures_beside(c) && !is_joined(c);
}

bool na_packets_saw_any(const struct na_case *c)
{
	return na_packets_told(c) || is_joined(c);
}

static bool all_listed(const struct na_case *c)
{
	return !na_count_at(na_case_body(c, "tcp"),
			    M_connections_not_listed) &&
	       !na_count_at(na_case_body(c, "rdma"), M_queue_pairs_not_listed);
}

static const char *blind_to_host(struct na_case *c, const char *host)
{
	return na_case_say(c, all_listed(c)
				      ? na_fact_packets_of_host_unseen(host)
				      : na_fact_packets_of_host_unknown(host));
}

const char *na_packets_blind_to(struct na_case *c)
{
	if (!na_captures_beside(c))
		return NULL;
	if (!any_named(c))
		return na_case_say(c, na_fact_packets_of_unknown_hosts());
	if (apart_in_time(c))
		return na_case_say(c, na_fact_packets_at_another_time());
	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs)) {
		const char *host = na_text_at(v, M_host);

		/* Dumps of recorders may tell no host. */
		if (na_flag_at(v, M_trace) && !na_flag_at(v, M_queued) &&
		    !is_seen(c, host))
			return blind_to_host(c, host);
	}
	return NULL;
}

/* ---- what it cost */

/* Steps that fall into x, parts of them in proportion. */
static double steps_in(const struct na_case *c, struct span x)
{
	double n = 0;

	na_for_each (v, na_get(na_case_body(c, "steps"), M_steps)) {
		struct span step = {na_number_at(v, M_from_s),
				    na_number_at(v, M_to_s)};

		if (length_s(step) > 0)
			n += length_s(both(step, x)) / length_s(step);
	}
	return n;
}

void na_packets_cost(struct na_case *c, struct na_finding *f, double lost_s)
{
	struct span x = overlap(c), its = {f->from_s, f->to_s};
	double n = steps_in(c, x), most_s = length_s(both(its, x));
	double share = most_s / length_s(its);

	f->lost_s = lost_s;
	f->apart = na_captures_apart(c);
	if (f->apart || !(n > 0) || !(share > 0))
		return;
	f->lost_s = fmin(lost_s * share, most_s);
	/* Of marks alone nobody knows. */
	if (f->lost_s > 0)
		f->cost_ms_per_step = f->lost_s * NA_MS_PER_S / n;
}

/* ---- that they cannot be joined */

/* "10.1.0.1, 10.1.0.2 and 4 more": who was seen. */
static const char *ends_of(struct na_case *c)
{
	struct na_flows tcp = na_packets_flows(c, na_packets_needed);
	struct na_value *list = na_case_list(c);

	for (size_t i = 0; tcp.v && i < tcp.n; i++) {
		if (!na_lists(list, tcp.v[i].src))
			na_put_text(c->r, list, NULL, tcp.v[i].src);
	}
	return na_case_names(c, list, TOLD_MOST);
}

static void say_names(struct na_case *c)
{
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "info");

	f->title = na_case_say(c, na_fact_hosts_seen_unknown());
	f->remedy = na_case_say(c, na_fact_hosts_seen_unknown_remedy());
	na_case_evidence(c, f, na_fact_no_host_called_so(ends_of(c)));
}

static void say_clock(struct na_case *c)
{
	struct span a = span_of_packets(c), b = span_of_steps(c);
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "info");

	f->title = na_case_say(c, na_fact_captures_and_steps_apart());
	f->remedy = na_case_say(c, na_fact_captures_and_steps_apart_remedy());
	na_case_evidence(c, f,
			 na_fact_packets_and_steps_from_to(a.from_s, a.to_s,
							   b.from_s, b.to_s));
}

void na_captures_say_apart(struct na_case *c)
{
	if (!na_captures_beside(c))
		return;
	/* Without one clock trace-quality says so. */
	if (one_clock(c) && apart_in_time(c))
		say_clock(c);
	else if (!any_named(c))
		say_names(c);
}
