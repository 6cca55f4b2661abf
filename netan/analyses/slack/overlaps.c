/* slack: which collectives were in flight on a device at the same time. */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/slack/slack.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

struct sweep {
	struct sl_state *s;
	struct na_triples pairs;        /* row, collective */
	NA_VEC(na_i128) ps;             /* by pair */
	uint32_t flight[SL_FLIGHT_MAX]; /* occurrences, by start */
	size_t n;
};

static bool add_pair(struct sweep *w, uint32_t row, uint32_t collective,
		     int64_t ps)
{
	uint32_t at;

	if (row == NA_UNKNOWN_U32 || ps <= 0)
		return true;
	at = na_triples_add(&w->pairs, (struct na_triple){row, collective, 0});
	if (at == NA_NO_TRIPLE || (at == w->ps.n && !na_push(&w->ps)))
		return false;
	w->ps.v[at] += ps;
	return true;
}

/* The next one of a core that starts, against those still in flight. */
static bool enter(struct sweep *w, uint32_t at)
{
	const struct sl_occ *occs = w->s->occs, *o = &occs[at];
	size_t kept = 0;
	bool ok = true;

	for (size_t i = 0; i < w->n; i++) {
		const struct sl_occ *x = &occs[w->flight[i]];
		int64_t to = x->end_ps < o->end_ps ? x->end_ps : o->end_ps;
		int64_t ps = na_slack_minus(to, o->start_ps);

		if (x->core != o->core || x->end_ps <= o->start_ps)
			continue;
		w->flight[kept++] = w->flight[i];
		if (x->collective != o->collective)
			ok = ok && add_pair(w, x->row, o->collective, ps) &&
			     add_pair(w, o->row, x->collective, ps);
	}
	if (kept == SL_FLIGHT_MAX)
		memmove(w->flight, w->flight + 1,
			--kept * sizeof(w->flight[0]));
	w->flight[kept++] = at;
	w->n = kept;
	return ok;
}

/* By row; the longest first, then by name: which name is the first of a file
 * differs in its slices. */
NA_ORDER(longer_first, struct sl_overlap, NA_UP(row), NA_DOWN(ps),
	 NA_CMP(strcmp(x->name, y->name), 0))

bool na_slack_overlaps(struct sl_state *s)
{
	struct sweep *w = na_calloc(1, sizeof(*w));
	bool ok = w;

	if (ok)
		w->s = s;
	for (size_t i = 0; ok && i < s->n; i++)
		ok = enter(w, (uint32_t)i);
	if (ok) {
		s->overlaps = na_calloc(w->pairs.n, sizeof(*s->overlaps));
		ok = s->overlaps;
	}
	for (size_t i = 0; ok && i < w->pairs.n; i++)
		s->overlaps[s->n_overlaps++] = (struct sl_overlap){
			w->pairs.keys[i].a, w->pairs.keys[i].b,
			na_strtab_at(&s->scope->store->names.strings,
				     w->pairs.keys[i].b),
			w->ps.v[i]};
	if (ok)
		na_sort(s->overlaps, s->n_overlaps, longer_first);
	if (w) {
		na_triples_fini(&w->pairs);
		na_vec_free(&w->ps);
	}
	free(w);
	return ok;
}
