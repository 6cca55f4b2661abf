/*
 * tcp-connection: what delays packets and loses none: queues, reordering,
 * needless resends.
 */
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

enum { LATE_LEAST = 3 };

static double is_queueing(const struct na_value *row,
			  const struct na_value *way)
{
	return na_says(row, M_verdict, "queueing") &&
	       na_flag_at(way, M_queueing);
}

void na_check_queues(struct na_case *c)
{
	struct na_flows flows = na_packets_flows(c, is_queueing);
	struct na_packets_side x;
	struct na_finding *f;
	const char *name;
	bool shared; /* all ports were compared: a queue is no more than load */

	if (!flows.v || !na_packets_common(&flows, &x))
		return;
	/* Both ways of it: two queues, or one that all share. */
	if (x.kind && (strcmp(x.kind, "host") == 0 ||
		       (strcmp(x.kind, "pair") == 0 && x.events > 1)))
		x.kind = NULL;
	shared = na_packets_compared(c);
	f = na_case_find(c, shared ? NA_SEV_INFO : NA_SEV_WARNING, NA_LIKELY,
			 "tcp");
	name = x.kind ? na_packets_name(c, &x) : "the network";
	if (!shared)
		na_case_accuse(f, NA_CAUSE_NETWORK,
			       x.kind ? na_packets_who(&x)
				      : na_packets_between(c, &flows),
			       na_case_text(c, "a queue on %s", name));
	f->how = "round trips grow more than fivefold under load";
	f->sure = "the round trips are measured, and grow with what is sent; "
		  "on which link follows from which paths they share";
	f->title = na_case_text(
		c,
		"a queue on %s: round trips grow more than fivefold under "
		"load, on %s path%s",
		name, na_case_count(c, x.events), x.events > 1 ? "s" : "");
	f->remedy = "a link there is slow for what is sent, and its buffer "
		    "deep (bufferbloat): pace the senders (fq, BBR), shorten "
		    "the queue, or look why the link is slow";
	na_for_each (row, na_get(na_case_body(c, "tcp"), M_connections)) {
		if (!na_says(row, M_verdict, "queueing"))
			continue;
		na_case_fact(c, f, "%s",
			     na_text_of(na_first(row, M_evidence), ""));
		break;
	}
	na_put_int(c->r, f->evidence, M_paths, (int64_t)x.events);
}

void na_check_late(struct na_case *c)
{
	const struct na_value *t = na_get(na_case_body(c, "tcp"), M_totals);
	long long reordered = (long long)na_count_at(t, M_reordered);
	long long vain = (long long)na_count_at(t, M_needless_retransmissions);
	long long twice = (long long)na_count_at(t, M_duplicated);
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], n[NA_UNIT_BUF];
	struct na_finding *f;

	if (reordered < LATE_LEAST && vain < LATE_LEAST && twice < LATE_LEAST)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "tcp");
	f->title = na_case_text(
		c,
		"late or sent twice, not lost: %s segment%s out of order, %s "
		"sent again for nothing; %s packet%s duplicated by the network",
		na_print_count(a, (uint64_t)reordered),
		reordered == 1 ? "" : "s", na_print_count(b, (uint64_t)vain),
		na_print_count(n, (uint64_t)twice), twice == 1 ? "" : "s");
	f->remedy = "nothing, where calls are fast enough; paths of unequal "
		    "length that share a flow (ECMP by packet, bonding) "
		    "reorder";
	na_case_fact(c, f, "counted over %s packets",
		     na_print_count(n, (uint64_t)na_count_at(t, M_packets)));
	na_case_copy(c, f->evidence, t, M_reordered, M_needless_retransmissions,
		     M_duplicated);
}
