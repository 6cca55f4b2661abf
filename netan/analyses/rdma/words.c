/* rdma: verdicts in words, and what to do. */
#include <math.h>

#include "facts.h"
#include "netan/analyses/rdma/state.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

const char *const na_rdma_verdict_names[RDMA_VERDICTS] = {
	"timeout",   "loss",        "receiver_not_ready",
	"congested", "cannot_tell", "healthy"};

struct na_fact na_rdma_remedy(enum rdma_verdict v)
{
	switch (v) {
	case RDMA_TIMEOUT:
		return na_fact_queue_pair_timeout_remedy();
	case RDMA_LOSS:
		return na_fact_queue_pair_loss_remedy();
	case RDMA_NOT_READY:
		return na_fact_queue_pair_not_ready_remedy();
	case RDMA_CONGESTED:
		return na_fact_congestion_remedy();
	default:
		return (struct na_fact){NA_NO_FACT};
	}
}

static void say_loss(struct na_result *r, struct na_value *list,
		     const struct na_queue_pair *q)
{
	if (q->needed || q->naks_sequence)
		na_put_fact(r, list, NULL,
			    na_fact_packets_missing_resent(
				    (int64_t)q->needed, (int64_t)q->packets,
				    (int64_t)q->repeats,
				    (int64_t)q->naks_sequence));
	if (q->timeouts)
		na_put_fact(r, list, NULL,
			    na_fact_queue_pair_times_out(
				    (int64_t)q->timeouts,
				    na_s_of_ns(q->silent_ns),
				    na_s_of_ns(q->longest_silent_ns)));
	if (q->stalled_ns > 0)
		na_put_fact(r, list, NULL,
			    na_fact_answer_is_due(na_s_of_ns(q->stalled_ns),
						  !q->stall_resent));
	if (q->naks_rnr)
		na_put_fact(r, list, NULL,
			    na_fact_receiver_was_not_ready((int64_t)q->naks_rnr,
							   na_s_of_ns(
								   q->rnr_ns)));
	if (q->naks_other)
		na_put_fact(r, list, NULL,
			    na_fact_naks_of_program((int64_t)q->naks_other));
}

static void say_marks(struct na_result *r, struct na_value *list,
		      const struct rdma_row *row)
{
	const struct na_queue_pair *q = row->q;
	double slowed = row->duration_ns ? (double)q->slowed_ns /
						   (double)row->duration_ns
					 : 1;

	if (q->cnps)
		na_put_fact(r, list, NULL,
			    na_fact_sender_slowed_down((int64_t)q->cnps,
						       slowed));
	if (q->ce_marks)
		na_put_fact(r, list, NULL,
			    na_fact_packets_carry_mark((int64_t)q->ce_marks,
						       (int64_t)q->packets));
}

/* Why the capture may not tell what became of its packets. */
static struct na_fact doubt(const struct na_queue_pair *q)
{
	if (q->service == NA_QP_DATAGRAM)
		return na_fact_datagrams_unanswered();
	if (q->service == NA_QP_UNRELIABLE)
		return na_fact_connection_is_unreliable((int64_t)q->psn_gaps);
	if (!q->answers && !(q->stalled_ns > 0))
		return na_fact_no_answer_captured();
	return (struct na_fact){NA_NO_FACT};
}

static void say_doubts(struct na_result *r, struct na_value *list,
		       const struct na_queue_pair *q)
{
	na_put_fact(r, list, NULL, doubt(q));
	if (q->missing)
		na_put_fact(r, list, NULL,
			    na_fact_acknowledged_unseen((int64_t)q->missing));
	else if (q->psn_gaps && !q->needed && q->service == NA_QP_RELIABLE)
		na_put_fact(r, list, NULL,
			    na_fact_numbers_have_gaps((int64_t)q->psn_gaps));
	if (q->reordered)
		na_put_fact(r, list, NULL,
			    na_fact_packets_come_late((int64_t)q->reordered));
}

void na_rdma_put_evidence(struct na_result *r, struct na_value *list,
			  const struct rdma_state *s,
			  const struct rdma_row *row)
{
	const struct na_queue_pair *q = row->q;

	if (row->verdict == RDMA_CONGESTED)
		say_marks(r, list, row);
	say_loss(r, list, q);
	if (row->verdict != RDMA_CONGESTED)
		say_marks(r, list, row);
	say_doubts(r, list, q);
	if (list && !list->n)
		na_put_fact(r, list, NULL,
			    na_fact_packets_unharmed((int64_t)q->packets));
	na_put_fact(r, list, NULL, na_rdma_served_fact(s, row));
}

const char *na_rdma_summary(struct na_result *r, const struct rdma_state *s)
{
	static struct na_fact (*const facts[RDMA_VERDICTS])(int64_t n) = {
		na_fact_n_wait_for_timeouts,   na_fact_n_lose_packets,
		na_fact_n_receivers_not_ready, na_fact_n_congested,
		na_fact_n_too_little,          na_fact_n_healthy,
	};
	struct na_str all = {0};

	for (size_t v = 0; v < RDMA_VERDICTS; v++) {
		uint64_t open = v == RDMA_CANNOT_TELL ? s->stalled : 0;

		na_say_join(&all, na_fact_n_wait_at_end((int64_t)open, true));
		na_say_join(&all, facts[v]((int64_t)(s->by_verdict[v] - open)));
	}
	return na_result_say(r,
			     na_fact_queue_pairs_are((int64_t)s->rows.n,
						     na_result_keep(r, &all)));
}
