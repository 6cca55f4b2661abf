/*
 * rdma: what RoCEv2 did on each queue pair of a capture, worst first.  They
 * come ready from the reader, with marks for the picture; here they are
 * judged, ordered and told.
 */
#include "netan/analyses/rdma/state.h"

#include <stddef.h>

#include "netan/base/order.h"
#include "netan/base/str.h"

/* clang-format off */
static const struct na_opt rdma_opts[] = {
	{NA_OPT_COUNT, 0, "queue-pair", offsetof(struct rdma_params, queue_pair),
	 "N", "1", 1, 1e9, "which queue pair the picture shows: row N of the "
	 "table; the first is the worst"},
	NA_OPT_END,
};
/* clang-format on */

static enum na_status rdma_open(void *state, const struct na_scope *scope,
				const void *params, struct na_err *err)
{
	struct rdma_state *s = state;

	s->scope = scope;
	s->params = params;
	for (size_t i = 0; i < scope->by.n; i++) {
		if (scope->by.keys[i] != NA_KEY_LABEL)
			return na_fail(err, NA_EUSAGE,
				       "--by: rdma judges each queue pair by "
				       "itself; filter instead, for example "
				       "--src or --host");
	}
	return NA_OK;
}

static enum na_status rdma_fork(void *block, const void *state, unsigned pass)
{
	const struct rdma_state *from = state;

	(void)pass;
	*(struct rdma_state *)block = (struct rdma_state){
		.scope = from->scope,
		.params = from->params,
	};
	return NA_OK;
}

static enum na_status rdma_add_queue_pair(void *block,
					  const struct na_queue_pair *q)
{
	struct rdma_state *s = block;
	struct rdma_row row = {.q = q};

	return na_add(&s->rows, row) ? NA_OK : NA_ENOMEM;
}

static enum na_status rdma_add_qp_mark(void *block, const struct na_qp_mark *x)
{
	struct rdma_state *s = block;

	return na_add(&s->marks, x) ? NA_OK : NA_ENOMEM;
}

static enum na_status rdma_add_qp_use(void *block, const struct na_qp_use *x)
{
	struct rdma_state *s = block;

	return na_add(&s->uses, x) ? NA_OK : NA_ENOMEM;
}

static enum na_status rdma_merge(void *state, void *block, unsigned pass)
{
	struct rdma_state *s = state;
	const struct rdma_state *b = block;

	(void)pass;
	return na_append(&s->rows, b->rows.v, b->rows.n) &&
			       na_append(&s->marks, b->marks.v, b->marks.n) &&
			       na_append(&s->uses, b->uses.v, b->uses.n)
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status rdma_turn(void *state, unsigned done, struct na_err *err)
{
	struct rdma_state *s = state;

	(void)done;
	for (size_t i = 0; i < s->rows.n; i++) {
		struct rdma_row *row = &s->rows.v[i];
		enum na_severity found;

		na_rdma_judge(row);
		found = na_rdma_severity_of(row);
		s->by_verdict[row->verdict]++;
		s->stalled += row->verdict == RDMA_CANNOT_TELL &&
			      row->q->stalled_ns > 0;
		if (found > s->severity)
			s->severity = found;
	}
	na_rdma_rank(s);
	if (!na_rdma_serve(s))
		return na_fail_nomem(err);
	if (!s->scope->segments || !s->rows.n)
		return NA_OK;
	if ((uint64_t)s->params->queue_pair > s->rows.n)
		return na_fail(err, NA_EUSAGE,
			       "--queue-pair %lld: the table has %zu row%s",
			       (long long)s->params->queue_pair, s->rows.n,
			       na_plural(s->rows.n));
	return NA_OK;
}

static void rdma_fini(void *state)
{
	struct rdma_state *s = state;

	na_vec_free(&s->rows);
	na_vec_free(&s->marks);
	na_vec_free(&s->uses);
	na_vec_free(&s->served);
}

static enum na_severity rdma_severity(const void *state)
{
	return ((const struct rdma_state *)state)->severity;
}

const struct na_analysis na_an_rdma = {
	.info.name = "rdma",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "what RoCEv2 did on each queue pair of a capture, "
			 "worst first",
	.info.details =
		"A queue pair is told one way: what one sender put on the wire "
		"for one queue pair of one destination, requests and READ "
		"responses, and what came back for it. Packet sequence "
		"numbers, NAKs and silences are the witnesses: which packets "
		"were sent again, and why.\n"
		"The verdict is the costliest in time of timeout (a repeat "
		"behind half a millisecond of silence or more, and no NAK), "
		"loss (a packet was missing and came again) and "
		"receiver_not_ready. Else congested: for 10 % of the time the "
		"sender was within a millisecond behind a congestion "
		"notification, of three or more; or nobody sends such, and "
		"5 % of the packets, ten or more, carry a mark. Else healthy, "
		"or cannot_tell with fewer than 50 packets, without answers "
		"(one direction alone, or a service that has none), where "
		"the capture missed packets, or where an answer is due at the "
		"end, in silence.\n"
		"A sender goes back to the packet that was missing and sends "
		"all behind it again: of such a run one packet was needed. "
		"hosts[] counts these for what each host sends and what is "
		"sent to it, and tests them against the others.\n"
		"Worst first: those with trouble; then by time lost, time "
		"behind notifications, repeats, bytes. --src and --dst name "
		"the sender of the data and its destination.\n"
		"With files of NCCL's example profiler plugin beside the "
		"capture, a queue pair says which ranks and which operations "
		"it served: by its number, as long as one rank and one host "
		"alone have it.\n"
		"The picture shows PSNs over time of one queue pair, with "
		"repeats, NAKs, congestion notifications and marks.",
	.info.example = "netan rdma job.pcap --top 10\n"
			"netan rdma job.pcap trace_*.json\n"
			"netan rdma job.pcap -o worst.svg\n"
			"netan rdma job.pcap --queue-pair 3 -o third.svg\n"
			"netan rdma job.pcap --fail-on error -q -o rdma.json",
	.info.method = "PSNs, NAKs and timers of go-back-N (InfiniBand "
		       "specification 9.7); DCQCN",
	.wants = NA_WANT_QUEUE_PAIRS,
	.info.opts = rdma_opts,
	.info.params_size = sizeof(struct rdma_params),
	.begins = 2,
	.basis = true,
	.state_size = sizeof(struct rdma_state),
	.passes = 1,
	.counts = NA_COUNTS(QUEUE_PAIRS),
	.open = rdma_open,
	.fork = rdma_fork,
	.add_queue_pair = rdma_add_queue_pair,
	.add_qp_mark = rdma_add_qp_mark,
	.add_qp_use = rdma_add_qp_use,
	.merge = rdma_merge,
	.turn = rdma_turn,
	.finish = na_rdma_put_result,
	.fini = rdma_fini,
	.severity = rdma_severity,
};
