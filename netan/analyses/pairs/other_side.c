/*
 * pairs: a side that receives alone have named, none of whose pairs takes
 * longer than expected where those of the host's other side do: it may as well
 * be that one.  A host that gets slowly is late with what it sends, and of what
 * two clocks tell the one looks like the other.
 */
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"

#define SURE  0.01 /* false alarms among the pairs that are called slow */
#define NEEDS \
	"its sends timed until they are acknowledged, or iperf3 to it and " \
	"from it"

enum { FEWEST = 3 };

struct count {
	size_t all, slow;
};

static void count(struct count *n, const struct na_lz_pair_result *p)
{
	n->all += p->q_value >= 0; /* else it is not known */
	n->slow += p->effect > 0 && p->q_value < SURE;
}

static bool other_shows_it(const struct pairs_state *s,
			   const struct pairs_run *run,
			   const struct na_lz_who *who)
{
	struct count own = {0}, other = {0};
	bool sends = who->kind == NA_LZ_SRC;

	for (size_t i = 0; i < run->n_remote; i++) {
		const struct pairs_pair *p = &s->pairs[run->pair0 + i];
		uint32_t node = who->a + (uint32_t)run->node0;

		if ((sends ? p->src : p->dst) == node)
			count(&own, &run->found.pairs[i]);
		if ((sends ? p->dst : p->src) == node)
			count(&other, &run->found.pairs[i]);
	}
	return own.all >= FEWEST && !own.slow && other.all >= FEWEST &&
	       2 * other.slow > other.all;
}

bool na_pairs_doubt_sides(const struct pairs_state *s, struct pairs_run *run)
{
	for (size_t i = 0; run->found.pairs && i < run->found.n_findings; i++) {
		struct na_lz_finding *f = &run->found.findings[i];
		bool side = f->who.kind == NA_LZ_SRC || f->who.kind == NA_LZ_DST;

		if (!side || f->channel != NA_LZ_ALL || f->n_alternatives ||
		    !other_shows_it(s, run, &f->who))
			continue;
		f->alternatives = na_calloc(1, sizeof(*f->alternatives));
		if (!f->alternatives)
			return false;
		f->alternatives[f->n_alternatives++] = (struct na_lz_who){
			.kind = f->who.kind == NA_LZ_SRC ? NA_LZ_DST
							 : NA_LZ_SRC,
			.a = f->who.a};
		f->needs = NEEDS;
	}
	return true;
}
