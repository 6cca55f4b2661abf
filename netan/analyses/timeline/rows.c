/* timeline: what is kept of one group, or of one host. */
#include "netan/analyses/timeline/state.h"

static void row_cover(struct timeline_row *row, int64_t from_ps, int64_t to_ps)
{
	if (!row->any || from_ps < row->from_ps)
		row->from_ps = from_ps;
	if (!row->any || to_ps > row->to_ps)
		row->to_ps = to_ps;
	row->any = true;
}

bool na_timeline_row_add(struct timeline_row *row,
			 const struct timeline_state *s, enum na_side side,
			 int64_t start_ps, int64_t end_ps, uint64_t bytes)
{
	struct na_spread *to = &row->spread[side];

	if (!row->used[side]) {
		row->used[side] = true;
		if (!na_spread_init(to, &s->bins))
			return false;
	}
	row->amount[side] += na_spread_bytes(to, &s->bins, start_ps, end_ps,
					     bytes, s->lo_ps, s->hi_ps);
	row->n[side]++;
	row_cover(row, start_ps > s->lo_ps ? start_ps : s->lo_ps,
		  end_ps < s->hi_ps ? end_ps : s->hi_ps);
	return true;
}

void na_timeline_merge_rows(struct timeline_row *to, struct timeline_row *from,
			    size_t n, const struct na_bins *bins)
{
	for (size_t i = 0; i < n; i++) {
		if (from[i].any)
			row_cover(&to[i], from[i].from_ps, from[i].to_ps);
		for (size_t side = 0; side < 2; side++) {
			to[i].n[side] += from[i].n[side];
			if (!from[i].used[side])
				continue;
			to[i].amount[side] += from[i].amount[side];
			if (to[i].used[side]) {
				na_spread_merge(&to[i].spread[side],
						&from[i].spread[side], bins);
				continue;
			}
			to[i].spread[side] = from[i].spread[side];
			to[i].used[side] = true;
			from[i].spread[side] = (struct na_spread){NULL, NULL};
		}
	}
}
