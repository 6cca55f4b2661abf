#include "ingest/tcp/turns.h"

enum { LONG = 15000 }; /* bytes: ten packets wait for their ACKs */

static const int64_t least_wait_ns = 1000000;
static const int64_t delayed_least_ns = 30000000;
static const int64_t delayed_most_ns = 250000000;
static const int64_t at_once_ns = 500000;

static void add(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

void na_turns_answer(struct na_turns *t, struct na_rtt_pages *pages,
		     const struct na_packet *p, int64_t leg_ns,
		     int64_t usual_ns)
{
	bool longer = t->asked_bytes > LONG && usual_ns > leg_ns;
	int64_t wait = p->time_ns - t->asked_ns - (longer ? usual_ns : leg_ns);

	t->answered = true;
	t->calls += t->calls != UINT32_MAX;
	t->upset_calls += t->upset && t->upset_calls != UINT32_MAX;
	if (wait >= least_wait_ns && t->upset) {
		add(&t->upset_ns, wait);
	} else if (wait >= least_wait_ns) {
		add(&t->serve_ns, wait);
		na_rtt_add(&t->serve, pages, wait);
	}
	t->upset = false;
}

void na_nagle_send(struct na_nagle *n, struct na_rtt_pages *pages,
		   const struct na_packet *p, bool small, int64_t rtt_ns)
{
	int64_t at_once = at_once_ns + rtt_ns + rtt_ns / 2;

	if (n->late_ns && small && p->time_ns - n->late_ns <= at_once) {
		n->released += n->released != UINT32_MAX;
		n->unanswered += n->owed && n->unanswered != UINT32_MAX;
		n->owed = true;
		na_rtt_add(&n->waits, pages, n->waited_ns);
	}
	n->late_ns = 0;
	n->sent_ns = p->time_ns;
}

void na_nagle_hear(struct na_nagle *n, const struct na_packet *p,
		   int64_t leg_ns)
{
	int64_t wait = p->time_ns - n->sent_ns - leg_ns;

	if (!n->sent_ns)
		return;
	if (wait >= delayed_least_ns && wait <= delayed_most_ns) {
		n->slow_acks += n->slow_acks != UINT32_MAX;
		n->late_ns = p->time_ns;
		n->waited_ns = wait;
	}
	n->sent_ns = 0;
}
