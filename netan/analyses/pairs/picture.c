/* pairs: the matrices of the picture; after the result is complete. */
#include <math.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"

/* Rack or slice; of devices the host. */
static int64_t group_of(const struct pairs_state *s, const struct pairs_node *n)
{
	uint32_t rack = na_store_rack(s->scope->store, n->host);

	if (!s->of_hosts)
		return n->host;
	return rack != NA_UNKNOWN_U32 ? (int64_t)rack : n->first.slice;
}

/* Nodes in order; `group` changes where a separator belongs. */
static void put_nodes(struct na_result *r, struct na_value *to,
		      const struct pairs_run *run)
{
	const struct pairs_state *s = run->of;
	struct na_value *list = na_put_packed(r, to, M_nodes);

	for (uint32_t h = 0; h < run->n_nodes; h++) {
		const struct pairs_node *n = &run->nodes[h];
		struct na_value *x = na_put_object(r, list, NULL);

		na_put_text(r, x, M_name, n->name);
		na_put_int(r, x, M_group, group_of(s, n));
	}
}

/* Where most of a pair's transfers show no time, the others tell how far clocks
 * differ. */
static bool is_timeless(const struct pairs_run *run, size_t i)
{
	const struct pairs_state *s = run->of;
	const struct pairs_sum *sum = &s->sums.v[run->pairs[i].found];

	return !run->of_sends && i < run->n_remote && sum->clamped > sum->n;
}

/* NaN: unknown. */
static double excess_of(const struct pairs_run *run, size_t i)
{
	return i < run->n_remote && run->effects && !na_pairs_uncompared(run) &&
			       !is_timeless(run, i)
		       ? exp(run->effects[i].effect)
		       : (double)NAN;
}

static void put_cells(struct na_result *r, struct na_value *to,
		      const struct pairs_run *run)
{
	double *src = na_put_reals(r, to, M_src, run->n_pairs);
	double *dst = na_put_reals(r, to, M_dst, run->n_pairs);
	double *excess = na_put_reals(r, to, M_excess, run->n_pairs);
	int64_t timeless = 0;

	for (size_t i = 0; src && dst && excess && i < run->n_pairs; i++) {
		const struct pairs_pair *p = &run->pairs[i];

		src[i] = p->src;
		dst[i] = p->dst;
		excess[i] = excess_of(run, i);
		timeless += is_timeless(run, i);
	}
	na_put_text(r, to, M_measure, run->of_sends ? "sends" : "expected");
	na_put_int(r, to, M_timeless, timeless);
}

static void put_roles(struct na_result *r, struct na_value *to,
		      const struct pairs_run *run)
{
	double *role = run->found.n_findings
			       ? na_put_reals(r, to, M_role, run->n_pairs)
			       : NULL;

	for (size_t i = 0; role && i < run->n_pairs; i++)
		role[i] = na_pairs_is_suspect(run, &run->pairs[i]);
}

/* What names a culprit does so together, however few transfers each of its
 * pairs has; what is counted needs none. */
static void put_few(struct na_result *r, struct na_value *to,
		    const struct pairs_run *run)
{
	const struct pairs_state *s = run->of;
	double *few = na_put_reals(r, to, M_few, run->n_pairs);

	if (!few)
		return;
	for (size_t i = 0; i < run->n_pairs; i++)
		few[i] = na_pairs_is_few(s, &run->pairs[i]) &&
			 !na_pairs_is_suspect(run, &run->pairs[i]);
	na_put_int(r, to, M_fewest, PAIRS_FEW);
}

static void put_mark(struct na_result *r, struct na_value *list,
		     const struct pairs_run *run,
		     const struct na_judge_finding *f)
{
	struct na_value *x = na_put_object(r, list, NULL);
	uint32_t first = f->place.a, rows = 1;
	bool whole = na_pairs_is_whole(run, f), side;
	char buf[PAIRS_WORDS];
	struct na_str who = na_str_over(buf, sizeof(buf));

	/* Its devices stand side by side. */
	side = f->place.cause <= NA_JUDGE_HOST;
	for (; side && first && na_pairs_is_it(run, &f->place, whole, first - 1);
	     rows++)
		first--;
	while (side && first + rows < run->n_nodes &&
	       na_pairs_is_it(run, &f->place, whole, first + rows))
		rows++;
	na_pairs_say_who(&who, run, &f->place, whole);
	na_put_text(r, x, M_kind, na_judge_kinds[f->place.cause]);
	na_put_text(r, x, M_name, who.s);
	na_put_int(r, x, M_a, (int64_t)first);
	na_put_int(r, x, M_b,
		   f->place.cause == NA_JUDGE_PAIR ||
				   f->place.cause == NA_JUDGE_RACK_PAIR
			   ? (int64_t)f->place.b
			   : -1);
	na_put_int(r, x, M_rows, (int64_t)rows);
	na_put_text(r, x, M_host,
		    side && whole ? run->nodes[first].host_name : NULL);
	na_put_real(r, x, M_excess, exp(f->effect));
	na_put_text(r, x, M_channel, na_pairs_channel_names[f->mechanism]);
}

/* What the picture draws, in the order in which it draws it. */
static void put_matrix(struct na_result *r, struct na_value *list,
		       const struct pairs_run *run)
{
	struct na_value *to, *marks;
	double *racks;

	to = na_pairs_put_row(r, list, run);
	put_nodes(r, to, run);
	put_cells(r, to, run);
	put_roles(r, to, run);
	put_few(r, to, run);
	racks = na_put_reals(r, to, M_rack, run->n_nodes);
	for (size_t h = 0; racks && h < run->n_nodes; h++)
		racks[h] = run->rack_of && run->rack_of[h] != NA_JUDGE_NONE
				   ? (double)run->rack_of[h]
				   : (double)NAN;
	na_put_int(r, to, M_too_few, na_pairs_too_few(run));
	marks = na_put_list(r, to, M_marks);
	for (size_t i = 0; i < run->found.n_findings; i++)
		put_mark(r, marks, run, &run->found.findings[i]);
}

void na_pairs_put_picture(struct na_result *r, const struct pairs_state *s)
{
	struct na_value *side = na_result_side(r), *list;

	na_put_text(r, side, M_ends, na_pairs_ends(s));
	na_put_int(r, side, M_locality,
		   !s->scope->store->topology ? 0
		   : na_pairs_placed(s)       ? 1
					      : 2);
	list = na_put_list(r, side, M_matrices);
	for (size_t i = 0; i < s->scope->store->n_runs; i++)
		put_matrix(r, list, &s->runs[i]);
}
