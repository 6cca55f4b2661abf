/*
 * pairs: devices whose files are missing.  Each is a host of its own in every
 * table; who is slow is asked of those together that may share a host
 * (netan/model/hosts/absent.h).
 */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/pairs/state.h"

/* None where no two of them may share a host. */
static bool find_first(const struct pairs_state *s, struct pairs_run *run)
{
	uint32_t *first = na_calloc(s->absent.n, sizeof(*first));

	run->first_of = na_calloc(run->n_nodes, sizeof(*run->first_of));
	for (size_t k = 0; first && k < s->absent.n; k++)
		first[k] = NA_UNKNOWN_U32;
	for (uint32_t i = 0; first && run->first_of && i < run->n_nodes; i++) {
		uint32_t group =
			s->absent.of[na_pairs_node_at(s, run, i)->host];

		run->first_of[i] = i;
		if (group == NA_UNKNOWN_U32)
			continue;
		if (first[group] == NA_UNKNOWN_U32)
			first[group] = i;
		run->first_of[i] = first[group];
	}
	free(first);
	return first && run->first_of;
}

bool na_pairs_find_absent(struct pairs_state *s)
{
	bool ok = na_absent_find(&s->absent, s->scope->store);

	for (size_t i = 0;
	     ok && s->absent.n && s->of_hosts && i < s->scope->store->n_runs;
	     i++)
		ok = find_first(s, &s->runs[i]);
	return ok;
}

const struct na_absent_group *na_pairs_group_of(const struct pairs_state *s,
						const struct pairs_run *run,
						uint32_t node)
{
	if (!run->by_groups)
		return NULL;
	return na_absent_at(&s->absent, na_pairs_node_at(s, run, node)->host);
}

static bool is_one(const struct pairs_run *run, uint32_t node, uint32_t first)
{
	return run->first_of ? run->first_of[node] == first : node == first;
}

/* The pairs of a connection of hosts. */
static void add_pairs(const struct pairs_state *s, const struct pairs_run *run,
		      struct na_lz_undecided *u, uint32_t src, uint32_t dst)
{
	uint32_t node0 = (uint32_t)run->node0;

	if (!run->first_of) {
		size_t p = na_pairs_at(s, run, src + node0, dst + node0);

		if (p < run->n_remote && u->n_pairs < run->n_remote)
			u->pairs[u->n_pairs++] = (uint32_t)p;
		return;
	}
	for (uint32_t a = 0; a < run->n_nodes; a++) {
		for (uint32_t b = 0; is_one(run, a, src) && b < run->n_nodes;
		     b++) {
			size_t p = is_one(run, b, dst)
					   ? na_pairs_at(s, run, a + node0,
							 b + node0)
					   : run->n_remote;

			if (p < run->n_remote && u->n_pairs < run->n_remote)
				u->pairs[u->n_pairs++] = (uint32_t)p;
		}
	}
}

/* The devices without a file that all of them begin or end at; NULL. */
static const struct na_absent_group *shared(const struct pairs_state *s,
					    const struct pairs_run *run,
					    const struct na_wire_result *w)
{
	for (int end = 0; end < 2 && w->n_slow; end++) {
		uint32_t node = end ? w->slow[0].dst : w->slow[0].src;
		const struct na_absent_group *g =
			na_absent_at(&s->absent,
				     na_pairs_node_at(s, run, node)->host);

		for (size_t i = 1; g && i < w->n_slow; i++) {
			if (w->slow[i].src != node && w->slow[i].dst != node)
				g = NULL;
		}
		if (g)
			return g;
	}
	return NULL;
}

static const char *what_of(struct pairs_state *s, const struct pairs_run *run,
			   const struct na_wire_result *w)
{
	const struct na_absent_group *g = shared(s, run, w);
	char name[NA_ABSENT_BUF], buf[PAIRS_WORDS];
	struct na_str t = na_str_over(buf, sizeof(buf));

	if (!g)
		return "some connections are slow that share no host and no "
		       "link";
	na_str_addf(&t, "the slow connections all begin or end at %s",
		    na_absent_print(name, g, s->scope->store));
	return na_arena_strn(&s->text, buf, strlen(buf));
}

bool na_pairs_put_slow(struct pairs_state *s, const struct pairs_run *run,
		       struct na_lz_result *r, const struct na_wire_result *w)
{
	const char *what = what_of(s, run, w);
	struct na_lz_undecided *u = NULL;

	if (what)
		u = na_lz_undecided_add(
			r, what,
			shared(s, run, w)
				? "the file that is missing"
				: "the error counters of the fabric's links; "
				  "the same job once more: do the same "
				  "connections stay slow?",
			run->n_remote);
	for (size_t i = 0; u && i < w->n_slow; i++) {
		size_t before = u->n_pairs;

		add_pairs(s, run, u, w->slow[i].src, w->slow[i].dst);
		/* Nobody shows what a host without a file has got: the way
		 * back stands for it. */
		if (u->n_pairs == before)
			add_pairs(s, run, u, w->slow[i].dst, w->slow[i].src);
	}
	return u;
}
