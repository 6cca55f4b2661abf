#include "netan/judge/session/links.h"

#include <string.h>

#include "netan/base/order.h"

/* Racks with hosts. */
static bool count_racks(struct na_j_links *l, const struct na_judge_input *in,
			struct na_arena *tmp)
{
	bool *seen = NA_NEW(tmp, bool, in->n_racks);
	uint64_t n = 0;

	if (!seen)
		return false;
	for (size_t h = 0; h < in->n_hosts; h++) {
		n += !seen[in->rack_of[h]];
		seen[in->rack_of[h]] = true;
	}
	l->possible[NA_JUDGE_RACK_UPLINK] = n;
	l->possible[NA_JUDGE_RACK_DOWNLINK] = n;
	l->possible[NA_JUDGE_RACK_PAIR] = n ? n * (n - 1) : 0;
	return true;
}

/* Links of one kind, of pairs grouped by rack. */
static void list(struct na_j_links *l, const struct na_groups *g,
		 enum na_judge_cause cause, const uint32_t *a,
		 const uint32_t *b, uint32_t *n_pairs)
{
	for (size_t i = 0; i < g->n; i++) {
		uint32_t first = na_j_first(g, i);

		l->v[l->n++] = (struct na_j_link){
			cause, a[first], b ? b[first] : NA_JUDGE_NONE, *n_pairs,
			(uint32_t)na_j_count(g, i)};
		memcpy(l->pair + *n_pairs, g->row + g->from[i],
		       na_j_count(g, i) * sizeof(*l->pair));
		*n_pairs += (uint32_t)na_j_count(g, i);
	}
}

static bool by_rack(struct na_j_links *l, uint32_t *const *rack,
		    const uint32_t *cross, size_t n, struct na_arena *mem,
		    struct na_arena *tmp)
{
	struct na_groups g[3];
	uint32_t n_pairs = 0;

	if (!na_j_group(&g[0], NA_J_BY(rack[0]), cross, n, tmp) ||
	    !na_j_group(&g[1], NA_J_BY(rack[1]), cross, n, tmp) ||
	    !na_j_group(&g[2], NA_J_BY(rack[0], rack[1]), cross, n, tmp))
		return false;
	l->pair = NA_NEW(mem, uint32_t, 3 * n);
	l->v = NA_NEW(mem, struct na_j_link, g[0].n + g[1].n + g[2].n);
	if (!l->pair || !l->v)
		return false;
	list(l, &g[0], NA_JUDGE_RACK_UPLINK, rack[0], NULL, &n_pairs);
	list(l, &g[1], NA_JUDGE_RACK_DOWNLINK, rack[1], NULL, &n_pairs);
	list(l, &g[2], NA_JUDGE_RACK_PAIR, rack[0], rack[1], &n_pairs);
	return true;
}

NA_ORDER(by_place, struct na_j_link, NA_UP(a), NA_UP(cause), NA_UP(b))

bool na_j_links_init(struct na_j_links *l, const struct na_j_session *s,
		     struct na_arena *mem)
{
	struct na_arena tmp = {0};
	uint32_t *rack[2], *cross;
	size_t n = 0;
	bool ok;

	*l = (struct na_j_links){0};
	if (!s->racks)
		return true;
	rack[0] = NA_NEW(&tmp, uint32_t, s->n_pairs);
	rack[1] = NA_NEW(&tmp, uint32_t, s->n_pairs);
	cross = NA_NEW(&tmp, uint32_t, s->n_pairs);
	ok = rack[0] && rack[1] && cross && count_racks(l, s->in, &tmp);
	for (size_t p = 0; ok && p < s->n_pairs; p++) {
		rack[0][p] = s->in->rack_of[s->pairs[p].src];
		rack[1][p] = s->in->rack_of[s->pairs[p].dst];
		if (rack[0][p] != rack[1][p])
			cross[n++] = (uint32_t)p;
	}
	ok = ok && by_rack(l, rack, cross, n, mem, &tmp);
	if (ok)
		na_sort(l->v, l->n, by_place);
	na_arena_fini(&tmp);
	return ok;
}
