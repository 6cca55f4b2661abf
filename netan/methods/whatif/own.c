/* What a host does itself in a step, between its waits, and how much of that is
 * its excess. */
#include "netan/base/order.h"
#include "netan/methods/whatif/sim.h"

static const struct wf_event *event_of(const struct wf_sim *s, size_t item)
{
	return &s->w->events.v[s->items[item].event];
}

/* Between the item before it and this one, but for what its op waits. */
static int64_t own_of(const struct wf_sim *s, size_t item)
{
	const struct wf_event *e = event_of(s, item);
	int64_t gap = na_time_between(s->items[item - 1].seen_ps,
				      s->items[item].seen_ps);
	const struct wf_op *op = &s->w->ops.v[e->of];

	return e->kind == WF_WAITED
		       ? na_time_between(
				 na_time_between(op->start_ps, op->end_ps), gap)
		       : gap;
}

static int64_t excess_of(const struct na_whatif_ask *ask, int64_t number)
{
	size_t k = NA_BOUND(i, 0, ask->n_own, ask->own[i].number >= number);

	return k < ask->n_own && ask->own[k].number == number
		       ? ask->own[k].excess_ps
		       : 0;
}

/* Of the items of one step, [from, to). */
static void share_out(struct wf_sim *s, size_t from, size_t to,
		      int64_t excess_ps)
{
	double all = 0, part;
	int64_t left_ps = excess_ps;

	for (size_t i = from; i < to; i++)
		all += (double)own_of(s, i);
	part = all > (double)excess_ps ? (double)excess_ps / all : 1;
	for (size_t i = from; i < to; i++) {
		int64_t own = own_of(s, i);

		if (!s->ask->at_first)
			own = (int64_t)(part * (double)own);
		else if (own > left_ps)
			own = left_ps;
		s->items[i].own_ps = own;
		left_ps -= own;
	}
}

/* What comes before the first item is not told. */
static void share_out_program(struct wf_sim *s, const struct program *p)
{
	size_t from = p->first + 1;

	for (size_t i = from; i < p->end; i++) {
		const struct wf_event *e = event_of(s, i);

		if (e->kind != WF_ENDED)
			continue;
		share_out(s, from, i + 1,
			  excess_of(s->ask, s->w->ends.v[e->of].number));
		from = i + 1;
	}
}

void wf_find_own(struct wf_sim *s)
{
	const struct na_devices *d = &s->w->store->devices;

	for (size_t i = 0; i < d->n_cores; i++)
		if (d->cores[i].input == s->ask->host)
			share_out_program(s, &s->programs[i]);
}
