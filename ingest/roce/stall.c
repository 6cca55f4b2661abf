/*
 * What waits for its answer when the window ends, or the capture does.  What
 * comes behind the window tells: if that is sent again, it waits for the timer.
 * Behind the capture nobody knows; it waits if an answer takes no longer.
 */
#include "ingest/roce/table.h"
#include "netan/base/units.h"

/* Times what answers take. */
enum { PATIENCE = 4 };

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static bool is_answered(const struct na_roce_trail *t, uint32_t psn)
{
	return t->acked_any && na_roce_ahead(psn, t->acked) >= 0;
}

static int64_t waits_since(const struct na_roce_trail *t)
{
	return later(t->requests.last_ns, t->heard_ns);
}

/* The window ends.  A NAK is an answer, of which the sender knows what to do. */
static void leave(const struct na_roce *x, struct na_roce_trail *t,
		  int64_t end_ns)
{
	int64_t since_ns = waits_since(t);

	t->left = true;
	t->stalled_to_ns = end_ns;
	t->awaits = t->sum.service == NA_QP_RELIABLE && t->heard &&
		    t->due_any && t->nak == NA_ROCE_YES &&
		    !is_answered(t, t->due_psn) &&
		    na_time_between(since_ns, end_ns) >= NA_ROCE_SILENCE_NS;
	t->wait_ns = na_time_between(later(since_ns, x->from_ns), end_ns);
}

static void stall(struct na_roce_trail *t, bool resent)
{
	t->sum.stalled_ns = t->wait_ns;
	t->sum.stall_resent = resent;
	t->awaits = false;
}

void na_roce_stall_due(const struct na_roce *x, struct na_roce_trail *t,
		       const struct na_roce_head *h, uint32_t next)
{
	t->file = x->file;
	if (!h->asks)
		return;
	t->due_any = true;
	t->due_psn = (next - 1) & 0xffffff;
}

void na_roce_stall_heard(const struct na_roce *x, struct na_roce_trail *t)
{
	t->file = x->file;
	t->heard_ns = x->now_ns;
}

void na_roce_stall_sent(const struct na_roce *x, struct na_roce_trail *t,
			const struct na_roce_head *h, enum na_roce_news news)
{
	if (!t->left)
		leave(x, t, x->to_ns);
	/* Its numbers are those of the other side's requests. */
	if (h->kind == NA_ROCE_READ_PART)
		return;
	if (t->awaits && news != NA_ROCE_FRESH && !is_answered(t, h->psn) &&
	    na_roce_ahead(h->psn, t->due_psn) >= 0)
		stall(t, true);
}

void na_roce_stall_answered(const struct na_roce *x, struct na_roce_trail *t,
			    const struct na_roce_head *h)
{
	bool no = h->kind == NA_ROCE_ACK && h->answer != NA_ROCE_YES;
	uint32_t psn = no ? (h->psn - 1) & 0xffffff : h->psn;

	if (!t->left)
		leave(x, t, x->to_ns);
	if (!t->acked_any || na_roce_ahead(t->acked, psn) > 0)
		t->acked = psn;
	t->acked_any = true;
	if (is_answered(t, t->due_psn) || (no && h->answer != NA_ROCE_NO))
		t->awaits = false;
}

/* The capture is over, and no answer came for longer than it takes. */
static bool is_overdue(const struct na_roce_trail *t, int64_t newest_ns)
{
	int64_t ns = na_time_between(waits_since(t), newest_ns);

	return ns / PATIENCE >= t->usual_ns && ns >= NA_ROCE_SILENCE_NS &&
	       ns <= NA_ROCE_LONGEST_NS;
}

bool na_roce_stall_end(const struct na_roce *x, struct na_roce_trail *t,
		       bool evicted)
{
	int64_t newest_ns = x->newest_ns[t->file];
	int64_t end_ns = newest_ns < x->to_ns ? newest_ns : x->to_ns;

	if (!evicted && !t->left && end_ns > x->from_ns)
		leave(x, t, end_ns);
	if (!evicted && t->awaits && is_overdue(t, newest_ns))
		stall(t, false);
	return t->sum.stalled_ns > 0;
}
