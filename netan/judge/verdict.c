#include "netan/judge/verdict.h"

#include <math.h>

#include "netan/base/order.h"
#include "netan/judge/evidence/spells.h"

/* Posterior of a row among the explanations of its own evidence. */
static bool is_likely(const struct na_j_row *row)
{
	return 1 / (1 + exp(-row->odds) + NA_J_OUTSIDE) >= NA_J_POSTERIOR;
}

/* Of equal odds sides come first, then devices, pairs, links, hosts. */
static const struct na_j_row *best_of(const struct na_j_decision *d,
				      const struct na_j_rows *rows)
{
	size_t n = d->s->n_hosts, links = d->blocks.links.n;
	const size_t from[] = {0, rows->devices_from, 3 * n, 2 * n},
		     to[] = {2 * n, rows->n, 3 * n + links, 3 * n};
	const struct na_j_row *best = NULL;

	for (size_t k = 0; k < NA_LEN(from); k++)
		for (size_t i = from[k]; i < to[k]; i++)
			if (rows->v[i].there &&
			    (!best || rows->v[i].odds > best->odds))
				best = &rows->v[i];
	return best;
}

/* Pairs whose transfers carry the evidence of this mechanism. */
static bool carries(const struct na_j_decision *d, enum na_mechanism by,
		    uint32_t pair)
{
	const struct na_j_level *v = &d->level[1][0];

	return by != NA_MECH_LARGE || d->n_tables < 2 ||
	       v->of_pair[pair + 1] > v->of_pair[pair];
}

/* Do two blocks hold the same pairs that carry the evidence? */
static bool same_pairs(const struct na_j_decision *d, enum na_mechanism by,
		       const struct na_place *a, const struct na_place *b,
		       bool *in)
{
	struct na_j_block list[2];
	size_t n = na_j_mark(&d->blocks, a, true, in), of_a = 0, of_b = 0;
	bool same = n > 0;

	na_j_place_blocks(&d->blocks, a, list);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < list[k].n; i++)
			of_a += carries(d, by, list[k].pair[i]);
	na_j_place_blocks(&d->blocks, b, list);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < list[k].n; i++) {
			uint32_t pair = list[k].pair[i];

			of_b += carries(d, by, pair);
			same = same && (in[pair] || !carries(d, by, pair));
		}
	na_j_mark(&d->blocks, a, false, in);
	return same && of_a == of_b;
}

/* Is one block a part of the other, by units, and not the same?  Or the same? */
static bool has_units(const struct na_j_decision *d, size_t table,
		      const struct na_place *part, const struct na_place *all,
		      bool same)
{
	const struct na_j_level *v = na_j_device_level(d, table, 0);
	size_t of_part = 0, of_all = 0, of_both = 0;

	for (size_t u = 0; u < v->n; u++) {
		bool p = na_j_is_of(d->s->in, part, &v->units[u]),
		     a = na_j_is_of(d->s->in, all, &v->units[u]);

		of_part += p;
		of_all += a;
		of_both += p && a;
	}
	return of_part && of_both == of_part && (of_part == of_all) == same;
}

static bool is_device(const struct na_place *p)
{
	return p->cause < NA_JUDGE_PAIR && p->b != NA_JUDGE_NONE;
}

static bool add_twin(const struct na_j_decision *d,
		     struct na_j_found *f,
		     const struct na_place *place, bool *in)
{
	if (na_j_same_place(place, &f->place) ||
	    !same_pairs(d, f->mechanism, &f->place, place, in))
		return true;
	/* The same observations: as likely. */
	f->n_twins++;
	return na_add(&f->alternatives, ((struct na_rival){*place, f->odds}));
}

/* The only pair of a block that carries the evidence, or the number of pairs.
 */
static size_t only_pair(const struct na_j_decision *d,
			const struct na_j_found *f)
{
	size_t only = d->s->n_pairs, n = 0;
	struct na_j_block list[2];

	na_j_place_blocks(&d->blocks, &f->place, list);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < list[k].n; i++)
			if (carries(d, f->mechanism, list[k].pair[i]) &&
			    only != list[k].pair[i]) {
				only = list[k].pair[i];
				n++;
			}
	return n == 1 ? only : d->s->n_pairs;
}

/* On two clocks a host's clock that is fitted wrong moves half of what one side
 * is slow by to the other side. */
static bool add_sides(struct na_j_found *f)
{
	for (int side = NA_JUDGE_SRC; side <= NA_JUDGE_DST; side++) {
		const struct na_place p = {(enum na_judge_cause)side,
					   f->place.a, NA_JUDGE_NONE};

		f->n_twins++;
		if (!na_add(&f->alternatives, ((struct na_rival){p, f->odds})))
			return false;
	}
	return true;
}

/* Where a device has one connection: its other end. */
static bool add_other_end(const struct na_j_decision *d, struct na_j_found *f)
{
	size_t table = f->mechanism == NA_MECH_LARGE && d->n_tables > 1, u = 0;
	const struct na_j_level *v = na_j_device_level(d, table, 0);
	int side = f->place.cause == NA_JUDGE_SRC; /* the other one */
	struct na_place end;

	while (u < v->n && !na_j_is_of(d->s->in, &f->place, &v->units[u]))
		u++;
	if (u == v->n)
		return true;
	end = (struct na_place){side ? NA_JUDGE_DST : NA_JUDGE_SRC,
				v->units[u].host[side],
				v->units[u].device[side]};
	if (na_j_find_device(&d->blocks, &end) == d->blocks.n_devices)
		end.b = NA_JUDGE_NONE;
	if (!has_units(d, table, &f->place, &end, true))
		return true;
	f->n_twins++;
	return na_add(&f->alternatives, ((struct na_rival){end, f->odds}));
}

/* Blocks of the same pairs cannot be distinguished. */
static bool add_twins(const struct na_j_decision *d,
		      struct na_j_found *f, bool *in)
{
	size_t only = only_pair(d, f);

	if (is_device(&f->place))
		return add_other_end(d, f);
	if (only < d->s->n_pairs) {
		const struct na_j_pair *p = &d->s->pairs[only];
		const struct na_place places[] = {
			{NA_JUDGE_SRC, p->src, NA_JUDGE_NONE},
			{NA_JUDGE_DST, p->dst, NA_JUDGE_NONE},
			{NA_JUDGE_PAIR, p->src, p->dst}};

		for (size_t i = 0; i < NA_LEN(places); i++)
			if (!add_twin(d, f, &places[i], in))
				return false;
	}
	if (f->place.cause == NA_JUDGE_HOST && d->s->clock_se > 0 &&
	    f->mechanism != NA_MECH_LATE && !add_sides(f))
		return false;
	if (f->place.cause < NA_JUDGE_RACK_UPLINK)
		return true;
	for (size_t i = 0; i < d->blocks.links.n; i++) {
		const struct na_j_link *l = &d->blocks.links.v[i];
		struct na_place place = {l->cause, l->a, l->b};

		if (!add_twin(d, f, &place, in))
			return false;
	}
	return true;
}

static bool is_twin(const struct na_j_found *f, const struct na_place *p)
{
	for (size_t i = 0; i < f->n_twins; i++)
		if (na_j_same_place(&f->alternatives.v[i].place, p))
			return true;
	return false;
}

/* A side, or a device of it, of the host that f names.  Of a whole host its sides
 * are other explanations. */
static bool same_host(const struct na_place *a, const struct na_j_found *f)
{
	return a->a == f->place.a && a->cause <= NA_JUDGE_HOST &&
	       f->place.cause <= NA_JUDGE_HOST &&
	       (f->place.cause != NA_JUDGE_HOST || is_device(a));
}

/* The odds of a row as another explanation of f.  Late transfers of one pair are
 * its side's as well, as far as the side's other pairs had as many to show. */
static double odds_beside(const struct na_j_row *row,
			  const struct na_j_found *f)
{
	const struct na_j_gain *late = &row->by[NA_MECH_LATE];

	if (f->place.cause != NA_JUDGE_PAIR || f->mechanism != NA_MECH_LATE ||
	    !late->there ||
	    !((row->place.cause == NA_JUDGE_SRC && row->place.a == f->place.a) ||
	      (row->place.cause == NA_JUDGE_DST && row->place.a == f->place.b)))
		return row->odds;
	return fmax(row->odds,
		    row->prior - log(NA_MECHANISMS) +
			    late->whole / NA_J_TEMPER);
}

/* Does a row of these odds explain the evidence of f: nearly as likely, and no
 * more once f is taken out? */
static bool explains(const struct na_j_decision *d, const struct na_j_row *row,
		     double odds, const struct na_j_rows *after,
		     const struct na_j_found *f)
{
	const struct na_j_row *left;

	if (!row->there || na_j_same_place(&row->place, &f->place) ||
	    odds <= f->odds - NA_J_NAME_LOG_ODDS - NA_J_RIVAL_WITHIN ||
	    is_twin(f, &row->place) || same_host(&row->place, f))
		return false;
	left = na_j_find_row(d, after, &row->place);
	return (left ? left->odds : -9) <
	       fmin(NA_J_NAME_LOG_ODDS, odds - NA_J_RIVAL_FALLS);
}

NA_ORDER(most_first, struct na_rival, NA_DOWN(log_odds), NA_UP(place.cause),
	 NA_UP(place.a), NA_UP(place.b))

/* Other explanations, and the posterior among all of them. */
static bool add_rivals(const struct na_j_decision *d,
		       const struct na_j_rows *before,
		       const struct na_j_rows *after, struct na_j_found *f)
{
	double sum = 1 + (double)f->n_twins;

	for (size_t i = 0; i < before->n; i++) {
		const struct na_j_row *row = &before->v[i];
		double odds = odds_beside(row, f);

		if (!explains(d, row, odds, after, f))
			continue;
		sum += exp(odds - f->odds);
		if (!na_add(&f->alternatives,
			    ((struct na_rival){row->place, odds})))
			return false;
	}
	/* No fault at all is an explanation, too, and what the model lacks. */
	f->posterior = 1 / (sum + exp(-f->odds) + NA_J_OUTSIDE);
	if (f->alternatives.n > f->n_twins)
		na_sort(f->alternatives.v + f->n_twins,
			f->alternatives.n - f->n_twins, most_first);
	f->rival = (struct na_rival){{NA_JUDGE_CAUSES, NA_JUDGE_NONE,
				      NA_JUDGE_NONE},
				     -INFINITY};
	if (f->alternatives.n > f->n_twins)
		f->rival = f->alternatives.v[f->n_twins];
	if (1 / sum >= NA_J_POSTERIOR)
		f->alternatives.n = f->n_twins;
	return true;
}

static bool name(struct na_j_verdict *v, struct na_j_decision *d,
		 const struct na_j_row *best, struct na_j_rows *after, bool *in)
{
	struct na_j_found *f = na_push(&v->found);

	if (!f)
		return false;
	f->place = best->place;
	f->mechanism = best->mechanism;
	f->effect = best->effect;
	f->low = best->low;
	f->high = best->high;
	f->odds = best->odds;
	na_j_taken_of(d, &v->rows, best, &f->taken);
	return na_j_take(d, &f->taken) && na_j_gains(d, after) &&
	       add_twins(d, f, in) && add_rivals(d, &v->rows, after, f);
}

static double largest_bound(const struct na_j_decision *d)
{
	double most = -INFINITY, others = -INFINITY;

	for (size_t t = 0; t < d->n_tables; t++)
		for (size_t i = 0; i < d->s->n_views; i++) {
			const struct na_j_level *v = &d->level[t][i];

			for (size_t h = 0; h < d->s->n_hosts; h++)
				most = fmax(most, fmax(v->bound[0][h],
						       v->bound[1][h]));
			for (size_t k = 0; k < d->blocks.links.n; k++)
				others = fmax(others, v->link_bound[k]);
			others = fmax(others,
				      na_j_device_level(d, t, i)->device_bound);
		}
	/* Devices are seen beside others of their host, and links beside others
	 * of their racks, which may all be slow. */
	return most > -INFINITY ? fmax(most, others) : INFINITY;
}

/*
 * Posterior that nothing is at fault: 1 against the odds of all sides, pairs and
 * links by all mechanisms, those of the view that has more; hosts enter by late
 * counts, devices by their bound alone.  Nothing is taken off these odds,
 * and no block is left out because others explain it: what may be a fault does
 * not show that there is none.  Transfers that are not late say nothing of
 * faults that make few late.
 */
static double nobody(const struct na_j_decision *d,
		     const struct na_j_rows *rows)
{
	double late = 0, most = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct na_j_gain *g = &rows->v[i].by[NA_MECH_LATE];

		if (g->there)
			late += exp(g->whole +
				    na_j_log_prior(d, &rows->v[i].place));
	}
	for (size_t i = 0; i < d->s->n_views; i++) {
		double any = late;

		for (size_t t = 0; t < d->n_tables; t++)
			any += d->level[t][i].any;
		most = fmax(most, any);
	}
	return 1 / (1 + most / (double)(d->n_tables + 1));
}

/* Of each side, the largest of tables and views. */
static void keep_bounds(struct na_j_verdict *v, const struct na_j_decision *d)
{
	for (int side = 0; side < 2; side++)
		for (size_t h = 0; h < d->s->n_hosts; h++) {
			double most = NAN;

			for (size_t k = 0; k < d->n_tables * d->s->n_views;
			     k++) {
				const struct na_j_level *table =
					&d->level[k / d->s->n_views]
						 [k % d->s->n_views];

				most = fmax(most, table->bound[side][h]);
			}
			v->bound0[side][h] = most;
		}
}

/* Names one after the other. */
static bool rounds(struct na_j_verdict *v, struct na_j_decision *d)
{
	struct na_j_rows after;
	bool *in = NA_NEW(&v->mem, bool, d->s->n_pairs);

	if (!in || !na_j_rows_init(&v->rows, d, &v->mem) ||
	    !na_j_rows_init(&after, d, &v->mem) || !na_j_gains(d, &v->rows))
		return false;
	keep_bounds(v, d);
	for (int round = 0; round < NA_J_ROUNDS; round++) {
		const struct na_j_row *best = best_of(d, &v->rows);
		struct na_j_rows before;

		if (!best || !is_likely(best))
			break;
		if (!name(v, d, best, &after, in))
			return false;
		before = v->rows;
		v->rows = after;
		after = before;
	}
	v->upper = largest_bound(d);
	v->nobody = nobody(d, &v->rows);
	return true;
}

static void found_fini(struct na_j_found *f)
{
	na_vec_free(&f->alternatives);
}

static void drop(struct na_j_verdict *v, size_t i)
{
	found_fini(&v->found.v[i]);
	v->found.n--;
	for (size_t k = i; k < v->found.n; k++)
		v->found.v[k] = v->found.v[k + 1];
}

/* Is one block a part of the other, and not the same? */
static bool is_inside(const struct na_j_decision *d, const struct na_place *part,
		      const struct na_place *all, bool *in)
{
	struct na_j_block list[2];
	size_t n, of_part = 0;
	bool is = true;

	if (is_device(part) || is_device(all))
		return has_units(d, 0, part, all, false);
	n = na_j_mark(&d->blocks, all, true, in);
	na_j_place_blocks(&d->blocks, part, list);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < list[k].n; i++, of_part++)
			is = is && in[list[k].pair[i]];
	na_j_mark(&d->blocks, all, false, in);
	return is && of_part < n;
}

/* What lies inside the block of another finding is explained by that. */
static void drop_inside(struct na_j_verdict *v, const struct na_j_decision *d,
			bool *in)
{
	for (size_t i = 0; i < v->found.n;) {
		bool inside = false;

		for (size_t k = 0; k < v->found.n; k++)
			inside = inside ||
				 (k != i && is_inside(d, &v->found.v[i].place,
						      &v->found.v[k].place,
						      in));
		if (inside)
			drop(v, i);
		else
			i++;
	}
}

/* Victims of the others fall once these are taken out. */
static bool still_needed(struct na_j_verdict *v, struct na_j_decision *d)
{
	struct na_j_rows rows;

	if (v->found.n < 2)
		return true;
	if (!na_j_rows_init(&rows, d, &v->mem))
		return false;
	for (size_t i = 0; i < v->found.n;) {
		const struct na_j_row *row;

		na_j_restore(d);
		for (size_t k = 0; k < v->found.n; k++)
			if (k != i && !na_j_take(d, &v->found.v[k].taken))
				return false;
		if (!na_j_gains(d, &rows))
			return false;
		row = na_j_find_row(d, &rows, &v->found.v[i].taken.place);
		if (row && is_likely(row))
			i++;
		else
			drop(v, i);
	}
	/* Nothing is taken out now. */
	if (!v->found.n) {
		v->upper = largest_bound(d);
		v->nobody = nobody(d, &rows);
	}
	return true;
}

/* Is the side of the host (device) what f names, or one of its alternatives? */
static bool may_be(const struct na_j_found *f, enum na_judge_cause side,
		   const struct na_place *host)
{
	const struct na_place of = {side, host->a, host->b};

	if (na_j_same_place(&f->place, &of))
		return true;
	for (size_t i = 0; i < f->alternatives.n; i++)
		if (na_j_same_place(&f->alternatives.v[i].place, &of))
			return true;
	return false;
}

/* The host that sends in f and receives in g; false: none. */
static bool shared_host(const struct na_j_found *f, const struct na_j_found *g,
			struct na_place *host)
{
	*host = (struct na_place){NA_JUDGE_HOST, NA_JUDGE_NONE, NA_JUDGE_NONE};
	if (f->place.cause == NA_JUDGE_SRC &&
	    may_be(g, NA_JUDGE_DST, &f->place))
		*host = f->place;
	for (size_t i = 0; i < f->alternatives.n; i++) {
		const struct na_place *p = &f->alternatives.v[i].place;

		if (p->cause == NA_JUDGE_SRC && p->a < host->a &&
		    may_be(g, NA_JUDGE_DST, p))
			*host = *p;
	}
	host->cause = NA_JUDGE_HOST;
	return host->a != NA_JUDGE_NONE;
}

static void become_host(struct na_j_found *g, const struct na_j_found *f,
			const struct na_place *host)
{
	g->place = *host;
	g->odds += f->odds;
	g->alternatives.n = g->n_twins = 0;
	g->taken.pairs += f->taken.pairs;
	g->taken.transfers += f->taken.transfers;
	g->taken.late += f->taken.late;
}

/* One side of each that may be one host's: one fault explains both. */
static void merge(struct na_j_verdict *v)
{
	for (size_t i = 0; i < v->found.n;) {
		struct na_j_found *f = &v->found.v[i];
		size_t k = 0;
		struct na_place host;
		bool is = false;

		for (; k < v->found.n && !is; k++)
			is = k != i && f->place.cause != NA_JUDGE_HOST &&
			     v->found.v[k].place.cause != NA_JUDGE_HOST &&
			     shared_host(f, &v->found.v[k], &host);
		if (!is) {
			i++;
			continue;
		}
		become_host(&v->found.v[k - 1], f, &host);
		drop(v, i);
	}
}

static bool is_of_rack(const struct na_j_decision *d,
		       const struct na_j_found *f, enum na_judge_cause side,
		       uint32_t rack)
{
	return f->place.cause == side && !is_device(&f->place) &&
	       d->s->in->rack_of[f->place.a] == rack;
}

/* All of a rack's findings on one side become its link. */
static void join_rack(struct na_j_verdict *v, const struct na_j_decision *d,
		      enum na_judge_cause side, uint32_t rack)
{
	struct na_j_found *to = NULL;

	for (size_t i = 0; i < v->found.n;) {
		struct na_j_found *f = &v->found.v[i];

		if (!is_of_rack(d, f, side, rack)) {
			i++;
		} else if (!to) {
			to = f;
			i++;
		} else {
			to->odds = fmin(to->odds, f->odds);
			to->posterior = fmin(to->posterior, f->posterior);
			to->taken.pairs += f->taken.pairs;
			to->taken.transfers += f->taken.transfers;
			to->taken.late += f->taken.late;
			drop(v, i);
		}
	}
	to->place = (struct na_place){side == NA_JUDGE_SRC
					      ? NA_JUDGE_RACK_UPLINK
					      : NA_JUDGE_RACK_DOWNLINK,
				      rack, NA_JUDGE_NONE};
	to->alternatives.n = to->n_twins = 0;
}

/* Hosts of one rack that are all slow on one side: each by itself has a prior of
 * its own, their link has one for all. */
static void join_racks(struct na_j_verdict *v, const struct na_j_decision *d)
{
	const struct na_judge_input *in = d->s->in;

	for (uint32_t rack = 0; rack < in->n_racks; rack++)
		for (int side = NA_JUDGE_SRC; side <= NA_JUDGE_DST; side++) {
			size_t hosts = 0, named = 0;

			for (size_t i = 0; i < v->found.n; i++)
				named += is_of_rack(d, &v->found.v[i],
						    (enum na_judge_cause)side,
						    rack);
			for (size_t h = 0; named > 1 && h < in->n_hosts; h++)
				hosts += in->rack_of[h] == rack;
			if (named > 1 && 4 * named >= 3 * hosts)
				join_rack(v, d, (enum na_judge_cause)side,
					  rack);
		}
}

/* More explanations than a reader can follow: nobody is named. */
static void drop_vague(struct na_j_verdict *v)
{
	for (size_t i = 0; i < v->found.n;) {
		const struct na_j_found *f = &v->found.v[i];

		if (f->alternatives.n - f->n_twins < NA_J_MOST_RIVALS)
			i++;
		else
			drop(v, i);
	}
}

/* A fault that comes and goes hides from what bounds a level. */
static bool add_spells(struct na_j_verdict *v, const struct na_j_decision *d)
{
	double spell;

	if (!na_j_spells(d->s, &spell))
		return false;
	v->upper = fmax(v->upper, spell);
	return true;
}

bool na_j_verdict_init(struct na_j_verdict *v, struct na_j_decision *d)
{
	bool *in;

	*v = (struct na_j_verdict){.upper = INFINITY};
	in = NA_NEW(&v->mem, bool, d->s->n_pairs);
	for (int side = 0; side < 2; side++)
		v->bound0[side] = NA_NEW(&v->mem, double, d->s->n_hosts);
	if (!in || !v->bound0[0] || !v->bound0[1] || !rounds(v, d))
		return false;
	drop_inside(v, d, in);
	if (!still_needed(v, d))
		return false;
	v->named = v->found.n > 0;
	if (!v->named && !add_spells(v, d))
		return false;
	merge(v);
	join_racks(v, d);
	drop_vague(v);
	return true;
}

void na_j_verdict_fini(struct na_j_verdict *v)
{
	while (v->found.n)
		drop(v, v->found.n - 1);
	na_vec_free(&v->found);
	na_arena_fini(&v->mem);
}
