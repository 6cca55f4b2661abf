/* rdma: verdicts in words, and what to do. */
#include <stdio.h>

#include "netan/analyses/rdma/state.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

const char *const na_rdma_verdict_names[RDMA_VERDICTS] = {
	"timeout",   "loss",        "receiver_not_ready",
	"congested", "cannot_tell", "healthy"};

const char *na_rdma_remedy(enum rdma_verdict v)
{
	static const char *const remedies[RDMA_VERDICTS] = {
		[RDMA_TIMEOUT] =
			"last packets or their ACKs are lost, and only the "
			"timer notices: find the drops first (ethtool -S: "
			"rx_discards_phy, out_of_buffer; the switch ports' "
			"drop and CRC counters, cable and transceiver), check "
			"that PFC is on for the RoCE priority on every hop "
			"(mlnx_qos, DSCP trust), then lower the timeout "
			"(NCCL_IB_TIMEOUT)",
		[RDMA_LOSS] =
			"find where packets are lost: CRC and symbol errors "
			"tell of cable or transceiver (mlxlink, ethtool -S), "
			"discards of switch ports tell of queues: PFC off or "
			"on another priority on one hop, headroom too small, "
			"ECN thresholds above the drop threshold; "
			"out_of_sequence and packet_seq_err of the NIC count "
			"the same (rdma statistic)",
		[RDMA_NOT_READY] =
			"the receiver posts its buffers too late: not the "
			"network; look at that host (CPU, polling thread, "
			"receive queue too short), rnr_nak_retry_err of its "
			"NIC",
		[RDMA_CONGESTED] =
			"DCQCN slows the sender down: look for several "
			"senders to one port (incast, uneven ECMP), a slower "
			"link, or a host that cannot take it (PFC pause "
			"frames: rx_prio_pause, tx_prio_pause); then tune the "
			"ECN thresholds of the switch (Kmin, Kmax) and the "
			"DCQCN settings of the NICs, the same everywhere",
	};

	return remedies[v];
}

static const char *lasting(char buf[NA_UNIT_BUF], int64_t ns)
{
	return na_print_time(buf,
			     ns > INT64_MAX / NA_PS_PER_NS ? INT64_MAX
							   : ns * NA_PS_PER_NS,
			     4);
}

static void say_loss(struct na_result *r, struct na_value *list,
		     const struct na_queue_pair *q)
{
	char all[NA_UNIT_BUF], one[NA_UNIT_BUF], n[4][NA_UNIT_BUF];

	if (q->needed || q->naks_sequence)
		na_put_textf(r, list, NULL,
			     "%s of %s packets were missing and sent again, %s "
			     "repeats in all, %s sequence NAK%s",
			     na_print_count(n[0], q->needed),
			     na_print_count(n[1], q->packets),
			     na_print_count(n[2], q->repeats),
			     na_print_count(n[3], q->naks_sequence),
			     na_plural(q->naks_sequence));
	if (q->timeouts)
		na_put_textf(r, list, NULL,
			     "%s timeout%s, silent for %s, the longest %s",
			     na_print_count(n[0], q->timeouts),
			     na_plural(q->timeouts),
			     lasting(all, q->silent_ns),
			     lasting(one, q->longest_silent_ns));
	if (q->stalled_ns > 0)
		na_put_textf(r, list, NULL,
			     "an answer is due, and nobody says anything for "
			     "the last %s: a timeout%s",
			     lasting(all, q->stalled_ns),
			     q->stall_resent ? ""
					     : ", or an answer that takes "
					       "longer");
	if (q->naks_rnr)
		na_put_textf(r, list, NULL,
			     "%s NAK%s: receiver not ready; waited %s for it",
			     na_print_count(n[0], q->naks_rnr),
			     na_plural(q->naks_rnr),
			     lasting(all, q->rnr_ns));
	if (q->naks_other)
		na_put_textf(r, list, NULL,
			     "%s NAK%s that the program caused (invalid "
			     "request, remote access or operation)",
			     na_print_count(n[0], q->naks_other),
			     na_plural(q->naks_other));
}

static void say_marks(struct na_result *r, struct na_value *list,
		      const struct rdma_row *row)
{
	const struct na_queue_pair *q = row->q;
	char n[NA_UNIT_BUF], all[NA_UNIT_BUF];

	if (q->cnps)
		na_put_textf(r, list, NULL,
			     "%s congestion notification%s; for %.3g %% of the "
			     "time the sender was within a millisecond behind "
			     "one",
			     na_print_count(n, q->cnps), na_plural(q->cnps),
			     row->duration_ns ? 100.0 * (double)q->slowed_ns /
							(double)row->duration_ns
					      : 100.0);
	if (q->ce_marks)
		na_put_textf(r, list, NULL,
			     "%s of %s packets carry a congestion mark",
			     na_print_count(n, q->ce_marks),
			     na_print_count(all, q->packets));
}

static void say_doubts(struct na_result *r, struct na_value *list,
		       const struct na_queue_pair *q)
{
	char n[NA_UNIT_BUF];

	if (q->service == NA_QP_DATAGRAM)
		na_put_text(r, list, NULL,
			    "datagrams: nobody answers them, and their "
			    "numbers count over all destinations");
	else if (q->service == NA_QP_UNRELIABLE)
		na_put_textf(r, list, NULL,
			     "unreliable connection: nobody answers; %s gap%s "
			     "of its numbers",
			     na_print_count(n, q->psn_gaps),
			     na_plural(q->psn_gaps));
	else if (!q->answers && !(q->stalled_ns > 0))
		na_put_text(r, list, NULL,
			    "no answer is in the capture: one direction "
			    "alone");
	if (q->missing)
		na_put_textf(r, list, NULL,
			     "%s packet%s acknowledged and never seen: the "
			     "capture missed %s",
			     na_print_count(n, q->missing),
			     na_plural(q->missing),
			     q->missing == 1 ? "it" : "them");
	else if (q->psn_gaps && !q->needed && q->service == NA_QP_RELIABLE)
		na_put_textf(r, list, NULL, "%s gap%s of its numbers",
			     na_print_count(n, q->psn_gaps),
			     na_plural(q->psn_gaps));
	if (q->reordered)
		na_put_textf(r, list, NULL,
			     "%s packet%s came late, and nobody asked for %s",
			     na_print_count(n, q->reordered),
			     na_plural(q->reordered),
			     q->reordered == 1 ? "it" : "them");
}

void na_rdma_put_evidence(struct na_result *r, struct na_value *list,
			  const struct rdma_state *s,
			  const struct rdma_row *row)
{
	const struct na_queue_pair *q = row->q;
	char n[NA_UNIT_BUF];

	if (row->verdict == RDMA_CONGESTED)
		say_marks(r, list, row);
	say_loss(r, list, q);
	if (row->verdict != RDMA_CONGESTED)
		say_marks(r, list, row);
	say_doubts(r, list, q);
	if (list && !list->n)
		na_put_textf(r, list, NULL,
			     "%s packet%s, none sent again, no NAK, no "
			     "notification",
			     na_print_count(n, q->packets),
			     na_plural(q->packets));
	na_rdma_say_served(r, list, s, row);
}

const char *na_rdma_summary(char buf[RDMA_SUMMARY_BUF],
			    const struct rdma_state *s)
{
	static const char *const words[RDMA_VERDICTS][2] = {
		{"waits for timeouts", "wait for timeouts"},
		{"loses packets", "lose packets"},
		{"has a receiver that is not ready",
		 "have a receiver that is not ready"},
		{"congested", "congested"},
		{"too little to tell", "too little to tell"},
		{"healthy", "healthy"},
	};
	static const char *const waits[] = {"waits for an answer at the end",
					    "wait for an answer at the end"};
	struct na_str to = na_str_over(buf, RDMA_SUMMARY_BUF), all;
	char list[RDMA_SUMMARY_BUF], n[NA_COUNT_BUF];

	all = na_str_over(list, sizeof(list));
	for (size_t v = 0; v < RDMA_VERDICTS; v++) {
		bool open = v == RDMA_CANNOT_TELL;

		if (open)
			na_str_join_count(&all, s->stalled, waits);
		na_str_join_count(&all, s->by_verdict[v] - open * s->stalled,
				  words[v]);
	}
	na_str_addf(&to, "%s%s%s", na_count_of(n, s->rows.n, "queue pair"),
		    all.n ? ": " : "", list);
	return buf;
}
