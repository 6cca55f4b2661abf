/*
 * tcp-connection: what delays packets and loses none: queues, reordering,
 * needless resends.
 */
#include <string.h>

#include "facts.h"
#include "members.h"
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
	const char *queue;
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
	queue = na_case_say(c, na_fact_queue_on(x.kind ? na_packets_name(c, &x)
						       : NULL));
	if (!shared)
		na_case_accuse(f, NA_CAUSE_NETWORK,
			       x.kind ? na_packets_who(&x)
				      : na_packets_between(c, &flows),
			       queue);
	f->how = na_case_say(c, na_fact_round_trips_grow());
	f->sure = na_case_say(c, na_fact_queue_on_sure());
	f->title = na_case_say(c, na_fact_queue_on_title(queue, f->how,
							 (int64_t)x.events));
	f->remedy = na_case_say(c, na_fact_queue_on_remedy());
	na_for_each (row, na_get(na_case_body(c, "tcp"), M_connections)) {
		if (!na_says(row, M_verdict, "queueing"))
			continue;
		na_put_text(c->r, f->facts, NULL,
			    na_text_of(na_first(row, M_evidence), ""));
		break;
	}
	na_put_int(c->r, f->evidence, M_paths, (int64_t)x.events);
}

void na_check_late(struct na_case *c)
{
	const struct na_value *t = na_get(na_case_body(c, "tcp"), M_totals);
	int64_t reordered = na_count_at(t, M_reordered);
	int64_t vain = na_count_at(t, M_needless_retransmissions);
	int64_t twice = na_count_at(t, M_duplicated);
	struct na_finding *f;

	if (reordered < LATE_LEAST && vain < LATE_LEAST && twice < LATE_LEAST)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "tcp");
	f->title = na_case_say(c,
			       na_fact_late_not_lost(reordered, vain, twice));
	f->remedy = na_case_say(c, na_fact_late_not_lost_remedy());
	na_case_evidence(c, f,
			 na_fact_counted_over_packets(
				 na_count_at(t, M_packets)));
	na_case_copy(c, f->evidence, t, M_reordered, M_needless_retransmissions,
		     M_duplicated);
}
