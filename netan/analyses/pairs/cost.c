/* pairs: what each culprit costs the job's steps. */
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"

struct asking {
	const struct pairs_run *run;
	bool *from, *to; /* by host of the store */
};

static uint32_t host_of(const struct asking *a, uint32_t node)
{
	return a->run->nodes[node].host;
}

static void ask_racks(const struct asking *a, const struct na_place *who)
{
	const uint32_t *rack_of = a->run->rack_of;

	for (uint32_t h = 0; rack_of && h < a->run->n_nodes; h++) {
		bool in = rack_of[h] == who->a;
		uint32_t host = host_of(a, h);

		a->from[host] = in != (who->cause == NA_CAUSE_RACK_DOWNLINK);
		a->to[host] = who->cause == NA_CAUSE_RACK_PAIR
				      ? rack_of[h] == who->b
				      : !a->from[host];
	}
}

/* Devices without a file that are taken for one host are asked for together. */
static void ask_node(const struct asking *a, bool *asked, uint32_t node)
{
	asked[host_of(a, node)] = true;
	for (uint32_t i = 0; a->run->by_groups && i < a->run->n_nodes; i++) {
		if (a->run->first_of[i] == a->run->first_of[node])
			asked[host_of(a, i)] = true;
	}
}

/* Whose transfers; a rack's link carries what leaves or enters it. */
static void ask_who(const struct asking *a, const struct na_place *who)
{
	size_t hosts = a->run->of->scope->store->n_hosts;

	for (size_t i = 0; i < hosts; i++) {
		a->from[i] = who->cause == NA_CAUSE_DST;
		a->to[i] = who->cause == NA_CAUSE_SRC;
	}
	if (who->cause > NA_CAUSE_PAIR) {
		ask_racks(a, who);
		return;
	}
	if (who->cause != NA_CAUSE_DST)
		ask_node(a, a->from, who->a);
	if (who->cause != NA_CAUSE_SRC)
		ask_node(a, a->to,
			 who->cause == NA_CAUSE_PAIR ? who->b : who->a);
}

static bool cost(struct asking *a, struct na_whatif *w,
		 const struct na_judge_finding *f, struct na_whatif_cost *out)
{
	struct na_whatif_ask ask = {
		.from = a->from,
		.to = a->to,
		.either = f->place.cause == NA_CAUSE_HOST,
		.in_spells = f->mechanism == NA_MECH_LATE,
	};

	ask_who(a, &f->place);
	return na_whatif_cost(w, &ask, out);
}

static enum na_status costs_of(struct pairs_state *s, struct pairs_run *run,
			       struct na_err *err)
{
	const struct na_judge_result *found = &run->found;
	size_t hosts = s->scope->store->n_hosts;
	struct asking a = {run, na_calloc(hosts, 1), na_calloc(hosts, 1)};
	struct na_whatif *w = NULL;
	enum na_status st = na_whatif_make(s->scope, run->index,
					   !found->two_clocks, &w, err);
	bool ok;

	run->costs = na_calloc(found->n_findings, sizeof(*run->costs));
	ok = a.from && a.to && run->costs;
	for (size_t i = 0; ok && st == NA_OK && i < found->n_findings; i++)
		ok = cost(&a, w, &found->findings[i], &run->costs[i]);
	na_whatif_free(w);
	free(a.from);
	free(a.to);
	return ok ? st : na_fail_nomem(err);
}

enum na_status na_pairs_costs(struct pairs_state *s, struct na_err *err)
{
	enum na_status st = NA_OK;

	for (uint32_t i = 0; st == NA_OK && i < s->scope->store->n_runs; i++)
		if (s->of_hosts && s->runs[i].found.n_findings &&
		    !s->runs[i].captured)
			st = costs_of(s, &s->runs[i], err);
	return st;
}
