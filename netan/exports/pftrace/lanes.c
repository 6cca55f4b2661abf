/* Slices of a group onto tracks on which they nest. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/exports/pftrace/state.h"

/* What is merged has its own track, after all lanes. */
static void put_merged(struct na_pft_lanes *l)
{
	const struct na_pft_note notes[] = {
		{.name = na_pft_facts[NA_PFT_FACT_COUNT],
		 .value = (int64_t)l->n},
		{.name = na_pft_facts[NA_PFT_FACT_BYTES], .value = l->bytes},
	};
	struct na_pft_event e = {
		.at_ns = l->from_ns,
		.track = na_pft_lane(l->x, l->group, NA_PFT_LANES, l->device),
		.type = NA_PFT_BEGIN,
		.category = NA_PFT_MERGED,
		.name = {NA_PFT_WORD_MERGED,
			 "more at once than there are lanes"},
		.notes = notes,
		.n_notes = NA_LEN(notes),
	};

	na_pft_put(&l->x->out, &e);
	na_pft_put(&l->x->out, &(struct na_pft_event){.at_ns = l->to_ns,
						      .track = e.track,
						      .type = NA_PFT_END});
	l->n = 0;
	l->bytes = 0;
}

static void merge(struct na_pft_lanes *l, const struct na_pft_slice *s,
		  uint64_t bytes)
{
	if (l->n && s->start_ns >= l->to_ns)
		put_merged(l);
	if (!l->n) {
		l->from_ns = s->start_ns;
		l->to_ns = s->end_ns;
	}
	if (s->end_ns > l->to_ns)
		l->to_ns = s->end_ns;
	l->n++;
	l->bytes += bytes < INT64_MAX - (uint64_t)l->bytes
			    ? (int64_t)bytes
			    : INT64_MAX - l->bytes;
	l->x->merged++;
}

void na_pft_lay_rest(struct na_pft_lanes *l)
{
	if (l->n)
		put_merged(l);
}

void na_pft_lay(struct na_pft_lanes *l, const struct na_pft_slice *s,
		struct na_pft_event *e, uint64_t flow_at_end, uint64_t bytes)
{
	size_t lane = 0;

	while (lane < NA_PFT_LANES && l->ends_ns[lane] > s->start_ns)
		lane++;
	if (lane == NA_PFT_LANES) {
		merge(l, s, bytes);
		return;
	}
	l->ends_ns[lane] = s->end_ns;
	e->at_ns = s->start_ns;
	e->type = NA_PFT_BEGIN;
	e->track = na_pft_lane(l->x, l->group, lane, l->device);
	na_pft_put(&l->x->out, e);
	na_pft_put(&l->x->out,
		   &(struct na_pft_event){.at_ns = s->end_ns,
					  .track = e->track,
					  .type = NA_PFT_END,
					  .last_of_flow = flow_at_end});
	l->x->slices++;
}

NA_ORDER(by_time, struct na_pft_slice *, NA_CMP((*x)->start_ns, (*y)->start_ns),
	 NA_CMP((*y)->end_ns, (*x)->end_ns))

bool na_pft_sort(struct na_pft_order *to, const struct na_pft_slice *slices,
		 size_t n, size_t n_groups)
{
	to->from = na_calloc(n_groups + 2, sizeof(*to->from));
	to->v = malloc((n + 1) * sizeof(*to->v));
	if (!to->from || !to->v)
		return false;
	/* Counted two places on, so that filling leaves the beginnings. */
	for (size_t i = 0; i < n; i++)
		to->from[slices[i].group + 2]++;
	for (size_t i = 2; i < n_groups + 2; i++)
		to->from[i] += to->from[i - 1];
	for (size_t i = 0; i < n; i++)
		to->v[to->from[slices[i].group + 1]++] = &slices[i];
	for (size_t i = 0; i < n_groups; i++)
		na_sort(to->v + to->from[i], to->from[i + 1] - to->from[i],
			by_time);
	return true;
}

void na_pft_order_fini(struct na_pft_order *o)
{
	free(o->v);
	free(o->from);
}
