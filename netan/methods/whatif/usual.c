/* What a transfer would take: as those of its path mostly do, or as those of
 * others in its collective. */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/whatif/state.h"

/* ---- on its path */

struct lane_move {
	uint32_t src, dst, collective, move;
	int64_t took_ps;
};

NA_ORDER(by_lane, struct lane_move, NA_UP(src), NA_UP(dst), NA_UP(collective),
	 NA_UP(took_ps), NA_UP(move))

bool wf_find_usual(struct na_whatif *w)
{
	struct lane_move *v = na_calloc(w->moves.n, sizeof(*v));
	size_t to;

	if (!v)
		return false;
	for (uint32_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		v[i] = (struct lane_move){
			w->line_keys.keys[m->from].c,
			w->line_keys.keys[m->to].c,
			w->line_keys.keys[m->from].a,
			i,
			m->took_ps,
		};
	}
	na_sort(v, w->moves.n, by_lane);
	for (size_t from = 0; from < w->moves.n; from = to) {
		for (to = from; to < w->moves.n && v[to].src == v[from].src &&
				v[to].dst == v[from].dst &&
				v[to].collective == v[from].collective;)
			to++;
		for (size_t i = from; i < to; i++)
			w->moves.v[v[i].move].usual_ps =
				v[from + (to - from - 1) / 2].took_ps;
	}
	free(v);
	return true;
}

/* ---- in its collective */

bool wf_is_its(const struct na_whatif *w, const struct na_whatif_ask *ask,
	       const struct wf_move *m)
{
	uint32_t src = w->execs.v[w->lines.v[m->from].exec].host;
	uint32_t dst = w->execs.v[w->lines.v[m->to].exec].host;

	if (ask->own)
		return false;
	return ask->either ? ask->from[src] || ask->to[dst]
			   : ask->from[src] && ask->to[dst];
}

struct stratum_move {
	uint32_t stratum, move;
	bool its;
	int64_t took_ps;
};

NA_ORDER(by_stratum, struct stratum_move, NA_UP(stratum), NA_UP(its),
	 NA_UP(took_ps), NA_UP(move))

/* Of a stratum: its quickest takes what the quickest of others do, and so on to
 * the slowest.  Without others each keeps what it takes. */
static void exchange(struct na_whatif *w, const struct stratum_move *v,
		     size_t n)
{
	size_t others = NA_BOUND(i, 0, n, v[i].its), its = n - others;

	for (size_t i = 0; others && i < its; i++)
		w->moves.v[v[others + i].move].bare_ps =
			v[(2 * i + 1) * others / (2 * its)].took_ps;
}

bool wf_find_others(struct na_whatif *w, const struct na_whatif_ask *ask)
{
	struct stratum_move *v = na_calloc(w->moves.n, sizeof(*v));
	size_t to;

	if (!v)
		return false;
	for (uint32_t i = 0; i < w->moves.n; i++) {
		struct wf_move *m = &w->moves.v[i];

		m->bare_ps = m->took_ps;
		v[i] = (struct stratum_move){m->stratum, i,
					     wf_is_its(w, ask, m), m->took_ps};
	}
	na_sort(v, w->moves.n, by_stratum);
	for (size_t from = 0; from < w->moves.n; from = to) {
		for (to = from;
		     to < w->moves.n && v[to].stratum == v[from].stratum;)
			to++;
		exchange(w, v + from, to - from);
	}
	free(v);
	return true;
}
