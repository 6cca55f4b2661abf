/* rdma: the verdict of a queue pair, and the order of them. */
#include "netan/analyses/rdma/state.h"
#include "netan/base/order.h"
#include "netan/base/units.h"

static int64_t add_ns(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The capture missed more of it than was needed again. */
static bool holes(const struct na_queue_pair *q)
{
	return q->missing > q->needed &&
	       (double)q->missing >= RDMA_MISSING * (double)q->packets;
}

static bool is_congested(const struct rdma_row *row)
{
	const struct na_queue_pair *q = row->q;

	if (q->cnps)
		return q->cnps >= RDMA_CNPS &&
		       (double)q->slowed_ns >=
			       RDMA_SLOWED * (double)row->duration_ns;
	return q->ce_marks >= RDMA_MARKS &&
	       (double)q->ce_marks >= RDMA_MARKED * (double)q->packets;
}

void na_rdma_judge(struct rdma_row *row)
{
	const struct na_queue_pair *q = row->q;
	const struct {
		bool holds;
		int64_t cost_ns;
	} found[] = {
		[RDMA_TIMEOUT] = {q->timeouts > 0, q->silent_ns},
		[RDMA_LOSS] = {q->needed > 0 && !holes(q), q->recovery_ns},
		[RDMA_NOT_READY] = {q->naks_rnr > 0, q->rnr_ns},
	};
	int64_t most = -1;

	row->duration_ns = q->to_ps > q->from_ps
				   ? (int64_t)(((uint64_t)q->to_ps -
						(uint64_t)q->from_ps) /
					       (uint64_t)NA_PS_PER_NS)
				   : 0;
	row->lost_ns = add_ns(add_ns(q->silent_ns, q->recovery_ns),
			      add_ns(q->rnr_ns, q->stalled_ns));
	if (row->lost_ns > row->duration_ns)
		row->lost_ns = row->duration_ns;
	row->verdict = RDMA_VERDICTS;
	for (size_t v = 0; v < NA_LEN(found); v++) {
		if (!found[v].holds || found[v].cost_ns <= most)
			continue;
		most = found[v].cost_ns;
		row->verdict = (enum rdma_verdict)v;
	}
	if (row->verdict != RDMA_VERDICTS)
		return;
	row->verdict = is_congested(row) ? RDMA_CONGESTED
		       : q->service != NA_QP_RELIABLE || !q->answers ||
				       q->packets < RDMA_ENOUGH || holes(q) ||
				       q->stalled_ns > 0
			       ? RDMA_CANNOT_TELL
			       : RDMA_HEALTHY;
}

static bool troubled(const struct rdma_row *row)
{
	return row->verdict < RDMA_CANNOT_TELL;
}

static uint64_t place(const struct rdma_row *row)
{
	return (uint64_t)row->q->input << 32 | row->q->id;
}

/* A total order. */
NA_ORDER(worse_first, struct rdma_row, NA_CMP(troubled(y), troubled(x)),
	 NA_DOWN(lost_ns), NA_DOWN(q->slowed_ns), NA_DOWN(q->repeats),
	 NA_DOWN(q->bytes), NA_CMP(place(x), place(y)))

/* Of one kind no two begin at the same time, but where a clock went back. */
NA_ORDER(by_queue_pair, const struct na_qp_mark *,
	 NA_CMP((*x)->input, (*y)->input),
	 NA_CMP((*x)->queue_pair, (*y)->queue_pair),
	 NA_CMP((*x)->kind, (*y)->kind), NA_CMP((*x)->time_ps, (*y)->time_ps),
	 NA_CMP((*x)->psn_from, (*y)->psn_from),
	 NA_CMP((*x)->count, (*y)->count))

void na_rdma_rank(struct rdma_state *s)
{
	na_sort(s->rows.v, s->rows.n, worse_first);
	na_sort(s->marks.v, s->marks.n, by_queue_pair);
}

static bool before(const struct na_qp_mark *x, const struct na_queue_pair *q)
{
	return x->input < q->input ||
	       (x->input == q->input && x->queue_pair < q->id);
}

const struct na_qp_mark *const *na_rdma_marks(const struct rdma_state *s,
					      const struct na_queue_pair *q,
					      size_t *n)
{
	size_t from = 0, to = s->marks.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (before(s->marks.v[mid], q))
			from = mid + 1;
		else
			to = mid;
	}
	while (to < s->marks.n && s->marks.v[to]->input == q->input &&
	       s->marks.v[to]->queue_pair == q->id)
		to++;
	*n = to - from;
	return s->marks.v ? (const struct na_qp_mark *const *)s->marks.v + from
			  : NULL;
}

enum na_severity na_rdma_severity_of(const struct rdma_row *row)
{
	static const enum na_severity severities[RDMA_VERDICTS] = {
		[RDMA_TIMEOUT] = NA_SEV_ERROR,
		[RDMA_LOSS] = NA_SEV_WARNING,
		[RDMA_NOT_READY] = NA_SEV_WARNING,
		[RDMA_CONGESTED] = NA_SEV_WARNING,
	};
	const struct na_queue_pair *q = row->q;

	if (row->verdict == RDMA_LOSS && q->needed >= RDMA_CNPS &&
	    (double)q->needed >= RDMA_MUCH * (double)q->packets)
		return NA_SEV_ERROR;
	return severities[row->verdict];
}
