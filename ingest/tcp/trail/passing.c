#include "ingest/tcp/trail/trail.h"

/* A peer whose data is not acknowledged repeats it sooner. */
static const int64_t repeats_ns = INT64_C(1000000000);

enum { NEWS_LEAST = 3 };

static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0; /* RFC 1982 */
}

/* Blocks beyond the hole, each piece of them once. */
static void note_sacked(struct na_trail_late *l, const struct na_packet *p)
{
	for (unsigned i = 0; i < p->n_sack; i++) {
		uint32_t left = p->sack[i].left, right = p->sack[i].right;

		if (!before(left, right) || before(left, p->ack))
			continue; /* hostile, or of what came twice */
		if (right - left > l->sacked_widest)
			l->sacked_widest = right - left;
		if (l->sacked && !before(l->sacked_to, right))
			continue;
		if (l->sacked && before(left, l->sacked_to))
			left = l->sacked_to;
		l->sacked++;
		l->sacked_bytes += right - left;
		l->sacked_to = right;
	}
}

/* The peer sends on: does it get the ACKs? */
static void note_news(struct na_trail_late *l, const struct na_packet *p)
{
	uint32_t end = p->seq + p->payload_bytes;

	if (l->news && !before(l->news_end, end)) {
		l->news_again = true;
		return;
	}
	if (!l->news++)
		l->news_ns = p->time_ns;
	l->newest_ns = p->time_ns;
	l->news_end = end;
}

void na_trail_note_passing(const struct na_trail *f, struct na_trail_late *l,
			   const struct na_packet *p)
{
	if (f->una_known && p->ack == f->una && p->n_sack > 0)
		note_sacked(l, p);
	if (l->run && p->payload_bytes > 0)
		note_news(l, p);
}

void na_trail_forget_passing(struct na_trail_late *l)
{
	l->sacked = l->sacked_bytes = l->sacked_widest = 0;
	l->news = 0;
	l->news_again = false;
}

struct na_trail_passing na_trail_passing(const struct na_trail *f)
{
	const struct na_trail_late *l = f->late;
	struct na_trail_passing x = {0, 0};
	uint32_t below = 0;

	if (!l || !l->run || !l->run_bytes || l->sacked_widest >= l->run_bytes)
		return x;
	if (l->sacked)
		below = l->sacked_to - f->una;
	/* Those before the short one that arrived, and these bytes again. */
	x.long_sent = l->run;
	if (below > l->sacked_bytes)
		x.long_sent += (below - l->sacked_bytes) / l->run_bytes;
	x.short_arrived = l->sacked;
	if (l->news >= NEWS_LEAST && !l->news_again &&
	    l->newest_ns - l->news_ns > repeats_ns)
		x.short_arrived += l->news - 1;
	return x;
}
