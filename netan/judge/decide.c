#include "netan/judge/decide.h"

#include <math.h>
#include <string.h>

#include "netan/base/order.h"

static const double prior_of[NA_JUDGE_CAUSES] = {
#define CAUSE(id, name, prior, text) [NA_JUDGE_##id] = (prior),
#include "netan/judge/causes.def"
#undef CAUSE
};

static bool crosses(const struct na_judge_input *in, const struct na_place *p,
		    const struct na_j_unit *unit)
{
	uint32_t from = in->rack_of[unit->host[0]],
		 to = in->rack_of[unit->host[1]];

	return from != to &&
	       (p->cause == NA_JUDGE_RACK_DOWNLINK
			? to == p->a
			: from == p->a && (p->cause == NA_JUDGE_RACK_UPLINK ||
					   to == p->b));
}

bool na_j_is_of(const struct na_judge_input *in, const struct na_place *p,
		const struct na_j_unit *unit)
{
	bool of[2];

	if (p->cause == NA_JUDGE_PAIR)
		return unit->host[0] == p->a && unit->host[1] == p->b;
	if (p->cause > NA_JUDGE_PAIR)
		return crosses(in, p, unit);
	for (int side = 0; side < 2; side++)
		of[side] = unit->host[side] == p->a &&
			   (p->b == NA_JUDGE_NONE ||
			    unit->device[side] == p->b);
	return (of[0] && p->cause != NA_JUDGE_DST) ||
	       (of[1] && p->cause != NA_JUDGE_SRC);
}

bool na_j_same_place(const struct na_place *a, const struct na_place *b)
{
	return a->cause == b->cause && a->a == b->a && a->b == b->b;
}

static bool tables_init(struct na_j_decision *d)
{
	const struct na_j_session *s = d->s;
	double large = (double)s->n_large / (double)s->n;

	d->n_tables = large > NA_J_FEW_LARGE && large < 1 - NA_J_FEW_LARGE
			      ? 2
			      : 1;
	for (size_t t = 0; t < d->n_tables; t++)
		for (size_t i = 0; i < s->n_views; i++)
			if (!na_j_level_init(&d->level[t][i], s, s->view[i],
					     t > 0, s->racks, &d->grid,
					     &d->blocks.links, d->odds) ||
			    (d->are_apart &&
			     !na_j_level_init(&d->apart[t][i], s, s->view[i],
					      t > 0, true, &d->grid,
					      &d->blocks.links, d->odds)))
				return false;
	return na_j_late_init(&d->late, s, &d->blocks);
}

bool na_j_decision_init(struct na_j_decision *d, const struct na_j_session *s)
{
	*d = (struct na_j_decision){s};
	na_j_grid_init(&d->grid);
	if (!na_j_blocks_init(&d->blocks, s, &d->mem))
		return false;
	d->are_apart = d->blocks.n_devices && !s->racks;
	memcpy(d->possible, d->blocks.links.possible, sizeof(d->possible));
	d->possible[NA_JUDGE_SRC] = d->blocks.by_side[0].n;
	d->possible[NA_JUDGE_DST] = d->blocks.by_side[1].n;
	d->possible[NA_JUDGE_HOST] = s->n_hosts;
	d->possible[NA_JUDGE_PAIR] = s->n_pairs;
	for (size_t k = 0; k < NA_JUDGE_CAUSES; k++)
		d->odds[k] = prior_of[k] / fmax((double)d->possible[k], 1);
	return tables_init(d);
}

void na_j_decision_fini(struct na_j_decision *d)
{
	for (size_t t = 0; t < NA_J_TABLES; t++)
		for (size_t i = 0; i < NA_J_VIEWS; i++) {
			na_j_level_fini(&d->level[t][i]);
			na_j_level_fini(&d->apart[t][i]);
		}
	na_j_late_fini(&d->late);
	na_vec_free(&d->gone);
	na_arena_fini(&d->mem);
}

const struct na_j_level *na_j_device_level(const struct na_j_decision *d,
					   size_t table, size_t view)
{
	return d->are_apart ? &d->apart[table][view] : &d->level[table][view];
}

void na_j_restore(struct na_j_decision *d)
{
	for (size_t t = 0; t < d->n_tables; t++)
		for (size_t i = 0; i < d->s->n_views; i++) {
			na_j_level_restore(&d->level[t][i]);
			na_j_level_restore(&d->apart[t][i]);
		}
	na_j_late_restore(&d->late);
	d->gone.n = 0;
}

static bool is_gone(const struct na_j_decision *d, const struct na_place *p)
{
	for (size_t i = 0; i < d->gone.n; i++)
		if (na_j_same_place(&d->gone.v[i], p))
			return true;
	return false;
}

/* One of several devices of a side. */
static bool is_part_of_side(const struct na_place *p)
{
	return p->cause <= NA_JUDGE_DST && p->b != NA_JUDGE_NONE;
}

static size_t device_index(const struct na_j_decision *d,
			   const struct na_place *p)
{
	return is_part_of_side(p) ? na_j_find_device(&d->blocks, p)
			    : d->blocks.n_devices;
}

/* How many devices a side has. */
static uint32_t devices_of(const struct na_j_decision *d,
			   const struct na_place *p)
{
	const struct na_j_device *v = d->blocks.devices;
	const size_t *from = d->blocks.device_from;
	int side = p->cause == NA_JUDGE_DST;
	size_t to, at;

	to = from[side + 1];
	at = NA_BOUND(i, from[side], to, v[i].host >= p->a);
	return at < to && v[at].host == p->a ? v[at].of : 1;
}

/* Prior odds that one such cause exists, shared by all blocks of its kind; a
 * pair that is its sender's (receiver's) only one has that side's share.  That
 * one of several devices is slow is half as likely as that all are. */
double na_j_log_prior(const struct na_j_decision *d,
		      const struct na_place *p)
{
	double odds = d->odds[p->cause];

	if (is_part_of_side(p))
		odds /= 2. * devices_of(d, p);
	if (p->cause == NA_JUDGE_PAIR) {
		if (na_j_side_block(&d->blocks, 0, p->a).n == 1)
			odds += d->odds[NA_JUDGE_SRC];
		if (na_j_side_block(&d->blocks, 1, p->b).n == 1)
			odds += d->odds[NA_JUDGE_DST];
	}
	return log(odds);
}

bool na_j_rows_init(struct na_j_rows *rows, const struct na_j_decision *d,
		    struct na_arena *mem)
{
	rows->devices_from = 3 * d->s->n_hosts + d->blocks.links.n;
	rows->pairs_from = rows->devices_from + d->blocks.n_devices;
	rows->n = rows->pairs_from;
	rows->v = NA_NEW(mem, struct na_j_row,
			   rows->pairs_from + NA_J_PAIR_ROWS);
	return rows->v;
}

static void clear(struct na_j_rows *rows, const struct na_j_decision *d)
{
	static const enum na_judge_cause kinds[] = {NA_JUDGE_SRC, NA_JUDGE_DST,
						    NA_JUDGE_HOST};
	size_t n = d->s->n_hosts;

	rows->n = rows->pairs_from;
	memset(rows->v, 0, rows->n * sizeof(*rows->v));
	for (size_t k = 0; k < 3; k++)
		for (size_t h = 0; h < n; h++)
			rows->v[k * n + h].place = (struct na_place){
				kinds[k], (uint32_t)h, NA_JUDGE_NONE};
	for (size_t i = 0; i < d->blocks.links.n; i++) {
		const struct na_j_link *l = &d->blocks.links.v[i];

		rows->v[3 * n + i].place =
			(struct na_place){l->cause, l->a, l->b};
	}
	for (size_t i = 0; i < d->blocks.n_devices; i++) {
		const struct na_j_device *x = &d->blocks.devices[i];

		rows->v[rows->devices_from + i].place =
			(struct na_place){kinds[x->side], x->host, x->device};
	}
}

/* The row of a pair, which may not be there yet. */
static struct na_j_row *pair_row(struct na_j_rows *rows, uint32_t src,
				 uint32_t dst)
{
	struct na_place place = {NA_JUDGE_PAIR, src, dst};

	for (size_t i = rows->pairs_from; i < rows->n; i++)
		if (na_j_same_place(&rows->v[i].place, &place))
			return &rows->v[i];
	rows->v[rows->n] = (struct na_j_row){.place = place};
	return &rows->v[rows->n++];
}

const struct na_j_row *na_j_find_row(const struct na_j_decision *d,
				     const struct na_j_rows *rows,
				     const struct na_place *place)
{
	size_t n = d->s->n_hosts, at = rows->n, device = device_index(d, place);

	if (device < d->blocks.n_devices)
		at = rows->devices_from + device;
	else if (place->cause == NA_JUDGE_SRC)
		at = place->a;
	else if (place->cause == NA_JUDGE_DST)
		at = n + place->a;
	else if (place->cause == NA_JUDGE_HOST)
		at = 2 * n + place->a;
	else if (place->cause != NA_JUDGE_PAIR)
		at = 3 * n + na_j_find_link(&d->blocks, place);
	else
		for (size_t i = rows->pairs_from; i < rows->n; i++)
			if (na_j_same_place(&rows->v[i].place, place))
				at = i;
	return at < rows->n && rows->v[at].there &&
			       na_j_same_place(&rows->v[at].place, place)
		       ? &rows->v[at]
		       : NULL;
}

size_t na_j_best_rows(const struct na_j_rows *rows, struct na_rival *out,
		      size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct na_j_row *row = &rows->v[i];
		size_t at = found;

		if (!row->there)
			continue;
		while (at && out[at - 1].log_odds < row->odds)
			at--;
		if (at == n)
			continue;
		if (found < n)
			found++;
		for (size_t k = found - 1; k > at; k--)
			out[k] = out[k - 1];
		out[at] = (struct na_rival){row->place, row->odds};
	}
	return found;
}

/* Which view of the load is right is not known: each has half the probability, so
 * that the mean of their Bayes factors counts (J. A. Hoeting et al., "Bayesian
 * Model Averaging", Statistical Science 14, 1999). */
static void mean_of_views(struct na_j_row *row, size_t table, size_t view,
			  const struct na_j_gain *g)
{
	struct na_j_gain *to = &row->by[table];
	double of[] = {to->gain, g->gain};

	row->shift[table][view] = g->effect;
	if (!view)
		*to = *g;
	else if (!g->there)
		to->there = false;
	else if (to->there) {
		if (g->gain > to->gain)
			*to = *g;
		to->gain = na_j_lse(of, 2) - log(2);
	}
}

/* Pairs of each view; a pair that not all views look at is none. */
static bool pair_gains(struct na_j_decision *d, size_t table,
		       struct na_j_rows *rows)
{
	struct na_j_pair_gain of[NA_J_PAIRS_LEVEL],
		second[NA_J_PAIRS_LEVEL];
	size_t n, m = 0;

	if (!na_j_level_pairs(&d->level[table][0], of, &n) ||
	    (d->s->n_views > 1 &&
	     !na_j_level_pairs(&d->level[table][1], second, &m)))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct na_j_row *row;
		size_t k = 0;

		while (k < m && (second[k].src != of[i].src ||
				 second[k].dst != of[i].dst))
			k++;
		if (d->s->n_views > 1 && k == m)
			continue;
		row = pair_row(rows, of[i].src, of[i].dst);
		mean_of_views(row, table, 0, &of[i].gain);
		if (d->s->n_views > 1)
			mean_of_views(row, table, 1, &second[k].gain);
	}
	return true;
}

/* One table's evidence. */
static bool level_gains(struct na_j_decision *d, size_t table,
			struct na_j_rows *rows)
{
	struct na_arena tmp = {0};
	size_t n_sides = 2 * d->s->n_hosts, n_links = d->blocks.links.n,
	       n_devices = d->blocks.n_devices;
	struct na_j_gain *g = NA_NEW(&tmp, struct na_j_gain,
				       n_sides + n_links + n_devices);
	bool ok = g;

	for (size_t i = 0; ok && i < d->s->n_views; i++) {
		struct na_j_level *v = &d->level[table][i],
				  *of = d->are_apart ? &d->apart[table][i] : v;
		struct na_j_row *link = rows->v + 3 * d->s->n_hosts;

		ok = na_j_level_fit(v) && na_j_level_gains(v, g) &&
		     na_j_level_links(v, g + n_sides) &&
		     (of == v || na_j_level_fit(of)) &&
		     na_j_level_devices(of, &d->blocks, g + n_sides + n_links);
		for (size_t k = 0; ok && k < n_sides; k++)
			mean_of_views(&rows->v[k], table, i, &g[k]);
		/* Devices come behind the links. */
		for (size_t k = 0; ok && k < n_links + n_devices; k++)
			mean_of_views(&link[k], table, i, &g[n_sides + k]);
	}
	na_arena_fini(&tmp);
	return ok && pair_gains(d, table, rows);
}

static void put(const struct na_j_decision *d, struct na_j_row *row,
		enum na_mechanism mechanism, const struct na_j_gain *g)
{
	if (g->there && !is_gone(d, &row->place))
		row->by[mechanism] = *g;
}

static bool late_gains(struct na_j_decision *d, struct na_j_rows *rows)
{
	struct na_arena tmp = {0};
	size_t n_hosts = 3 * d->s->n_hosts, n_links = d->blocks.links.n,
	       n_pairs = 0;
	struct na_j_gain *g =
		NA_NEW(&tmp, struct na_j_gain, n_hosts + n_links);
	struct na_j_pair_gain pairs[NA_J_PAIRS_LATE];
	bool ok = g && na_j_late_gains(&d->late, g, pairs, &n_pairs,
				       g + n_hosts);

	for (size_t k = 0; ok && k < n_hosts + n_links; k++)
		put(d, &rows->v[k], NA_MECH_LATE, &g[k]);
	for (size_t k = 0; ok && k < n_pairs; k++)
		put(d, pair_row(rows, pairs[k].src, pairs[k].dst),
		    NA_MECH_LATE, &pairs[k].gain);
	na_arena_fini(&tmp);
	return ok;
}

/*
 * What others of the same kind show by the same mechanism is what healthy ones
 * show: a gain counts as far as it exceeds the edge of the best fifth of its
 * kind (links: the next best).
 */
static void calibrate_kind(struct na_j_row *v, size_t n,
			   enum na_judge_cause kind, enum na_mechanism by,
			   size_t edge, double *x)
{
	size_t m = 0;
	double at, below;

	for (size_t i = 0; i < n; i++)
		if (v[i].place.cause == kind && v[i].by[by].there)
			x[m++] = -v[i].by[by].gain;
	na_sort_of(x, m, sizeof(*x), na_order_f64);
	at = edge - 1 < m ? -x[edge - 1] : -INFINITY;
	below = edge < m ? -x[edge] : 0;
	for (size_t i = 0; i < n; i++) {
		struct na_j_gain *g = &v[i].by[by];

		if (v[i].place.cause != kind || !g->there)
			continue;
		v[i].null[by] = fmax(g->gain >= at ? below : at, 0);
		g->gain -= v[i].null[by];
	}
}

static void calibrate_devices(const struct na_j_decision *d,
			      struct na_j_rows *rows, int side,
			      enum na_mechanism by, double *x)
{
	const size_t *from = d->blocks.device_from;
	size_t n = from[side + 1] - from[side];

	if (n)
		calibrate_kind(rows->v + rows->devices_from + from[side], n,
			       side ? NA_JUDGE_DST : NA_JUDGE_SRC, by,
			       (size_t)ceil(NA_J_NULL_SHARE * (double)n), x);
}

static bool calibrate(const struct na_j_decision *d, struct na_j_rows *rows)
{
	struct na_arena tmp = {0};
	size_t n = d->s->n_hosts;
	double *x = NA_NEW(&tmp, double, rows->n);

	for (int by = 0; x && by < NA_MECHANISMS; by++)
		for (int kind = 0; kind < NA_JUDGE_CAUSES; kind++) {
			bool link = kind >= NA_JUDGE_RACK_UPLINK;
			size_t edge = (size_t)ceil(NA_J_NULL_SHARE *
					       (double)d->possible[kind]);

			if (kind == NA_JUDGE_PAIR)
				continue;
			calibrate_kind(rows->v + (link ? 3 * n
						       : (size_t)kind * n),
				       link ? d->blocks.links.n : n,
				       (enum na_judge_cause)kind,
				       (enum na_mechanism)by,
				       link || !edge ? 1 : edge, x);
		}
	for (int by = 0; x && by <= NA_MECH_LARGE; by++)
		for (int side = 0; side < 2; side++)
			calibrate_devices(d, rows, side, (enum na_mechanism)by,
					  x);
	na_arena_fini(&tmp);
	return x;
}

/*
 * Observations that depend on each other count as fewer: timeouts come in chains,
 * waits of a role in a collective repeat in every step, and on two clocks a wait
 * of the receiver is in all that one pair shows.  A likelihood to the power of
 * 1 / this is honest where the model's is not (P. Gruenwald and T. van Ommen,
 * "Inconsistency of Bayesian inference for misspecified linear models, and a
 * proposal for repairing it", Bayesian Analysis 12, 2017).
 */
static void temper(struct na_j_gain *g, double *null)
{
	double less = g->gain - g->gain / NA_J_TEMPER;

	g->gain -= less;
	*null += less;
}

static void temper_row(const struct na_j_decision *d, struct na_j_row *row)
{
	bool waits = d->s->clock_se > 0 && row->place.cause == NA_JUDGE_PAIR;

	for (int by = 0; by < NA_MECHANISMS; by++)
		if (waits || by == NA_MECH_LATE)
			temper(&row->by[by], &row->null[by]);
}

/* Two clocks: what they are fitted wrong by is a constant time of a host, which
 * hides least in large transfers, and is in none of its devices or pairs alone; a
 * link cannot be distinguished from receivers that wait.  Late counts of a link
 * name nothing: chains of timeouts meet on a few pairs. */
bool na_j_may_show(const struct na_j_decision *d, const struct na_j_row *row,
		   enum na_mechanism by)
{
	bool two_clocks = d->s->clock_se > 0;

	if (two_clocks && row->place.cause > NA_JUDGE_PAIR)
		return false;
	if (by == NA_MECH_LEVEL)
		return !two_clocks || d->n_tables == 1 ||
		       is_part_of_side(&row->place);
	return by != NA_MECH_LATE || row->place.cause < NA_JUDGE_RACK_UPLINK;
}

/* Links overlap: what leaves a rack enters the others.  One fault at a time: the
 * link that explains most of its connections competes, the others wait until it
 * is taken out. */
static void keep_best_link(const struct na_j_decision *d,
			   struct na_j_rows *rows, enum na_mechanism by)
{
	struct na_j_row *link = rows->v + 3 * d->s->n_hosts;
	double most = -INFINITY;

	for (size_t i = 0; i < d->blocks.links.n; i++)
		if (link[i].by[by].there)
			most = fmax(most, link[i].by[by].likelihood);
	for (size_t i = 0; i < d->blocks.links.n; i++)
		link[i].by[by].there = link[i].by[by].there &&
				       link[i].by[by].likelihood >= most;
}

/* The mean of the mechanisms' Bayes factors, and the prior. */
static void set_odds(const struct na_j_decision *d, struct na_j_row *row)
{
	double x[NA_MECHANISMS], most = -INFINITY;

	row->there = false;
	if (is_gone(d, &row->place))
		return;
	for (int by = 0; by < NA_MECHANISMS; by++) {
		const struct na_j_gain *g = &row->by[by];
		bool there = g->there &&
			     na_j_may_show(d, row, (enum na_mechanism)by);

		x[by] = there ? g->gain : 0;
		if (!there || g->gain <= most)
			continue;
		most = g->gain;
		row->there = true;
		row->mechanism = (enum na_mechanism)by;
		row->effect = g->effect;
		row->low = g->low;
		row->high = g->high;
	}
	if (!row->there)
		return;
	row->prior = na_j_log_prior(d, &row->place);
	row->odds = na_j_lse(x, NA_MECHANISMS) - log(NA_MECHANISMS) +
		    row->prior;
}

/* A host: both sides, or late counts of both together. */
static void both_sides(const struct na_j_row *src, const struct na_j_row *dst,
		       double prior, struct na_j_row *host)
{
	double a = src->odds - src->prior, b = dst->odds - dst->prior;
	const struct na_j_row *less = src->effect <= dst->effect ? src : dst;
	bool both = src->there && dst->there && fmin(a, b) > 1;

	/* A host is slow where each of its sides is. */
	host->there = host->there && both;
	if (!both)
		return;
	if (host->there && host->odds > a + b + prior)
		return;
	host->there = host->both = true;
	host->prior = prior;
	host->odds = a + b + prior;
	host->mechanism = src->mechanism;
	host->effect = less->effect;
	host->low = less->low;
	host->high = less->high;
}

bool na_j_gains(struct na_j_decision *d, struct na_j_rows *rows)
{
	size_t n = d->s->n_hosts;

	clear(rows, d);
	for (size_t t = 0; t < d->n_tables; t++)
		if (!level_gains(d, t, rows))
			return false;
	if (!late_gains(d, rows) || !calibrate(d, rows))
		return false;
	keep_best_link(d, rows, NA_MECH_LEVEL);
	keep_best_link(d, rows, NA_MECH_LARGE);
	for (size_t i = 0; i < rows->n; i++) {
		temper_row(d, &rows->v[i]);
		set_odds(d, &rows->v[i]);
	}
	for (size_t h = 0; h < n; h++)
		both_sides(&rows->v[h], &rows->v[n + h],
			   na_j_log_prior(d, &rows->v[2 * n + h].place),
			   &rows->v[2 * n + h]);
	return true;
}

static void count_block(const struct na_j_decision *d, struct na_j_taken *t)
{
	struct na_j_block b[2];

	na_j_place_blocks(&d->blocks, &t->place, b);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < b[k].n; i++) {
			uint32_t p = b[k].pair[i];
			const struct na_j_pair *pair = &d->s->pairs[p];

			if (k && pair->src == pair->dst)
				continue;
			t->pairs++;
			t->transfers += (uint64_t)d->late.pairs[p].transfers;
			t->late += (uint64_t)d->late.pairs[p].late;
		}
}

/* Of the pairs' transfers those of the device; timers are the pairs'. */
static void count_device(const struct na_j_decision *d, struct na_j_taken *t)
{
	const struct na_j_level *v = na_j_device_level(d, 0, 0);

	t->transfers = t->late = 0;
	for (size_t u = 0; u < v->n; u++)
		if (na_j_is_of(d->s->in, &t->place, &v->units[u]))
			t->transfers += v->units[u].transfers;
}

void na_j_taken_of(const struct na_j_decision *d, const struct na_j_rows *rows,
		   const struct na_j_row *row, struct na_j_taken *out)
{
	size_t n = d->s->n_hosts;

	*out = (struct na_j_taken){row->place, {*row}, 1};
	if (row->both) {
		out->row[0] = rows->v[row->place.a];
		out->row[1] = rows->v[n + row->place.a];
		out->n = 2;
	}
	count_block(d, out);
	if (device_index(d, &row->place) < d->blocks.n_devices)
		count_device(d, out);
}

/* Units of a side are less by its shift, those of a pair by what they have; a
 * link explains whatever crosses it is slow by. */
static void shift_units(struct na_j_level *v, const struct na_place *p,
			double shift)
{
	for (size_t u = 0; u < v->n; u++) {
		struct na_j_unit *unit = &v->units[u];

		if (!na_j_is_of(v->in, p, unit))
			continue;
		unit->centre -= p->cause < NA_JUDGE_PAIR ? shift
				: p->cause == NA_JUDGE_PAIR
					? unit->own
					: fmax(unit->own, 0);
	}
}

static void shift(struct na_j_decision *d, size_t table, size_t view,
		  const struct na_place *p, double by)
{
	shift_units(&d->level[table][view], p, by);
	if (d->are_apart)
		shift_units(&d->apart[table][view], p, by);
}

/* What units have left, of this state. */
static bool fit(struct na_j_decision *d)
{
	for (size_t t = 0; t < d->n_tables; t++)
		for (size_t i = 0; i < d->s->n_views; i++)
			if (!na_j_level_fit(&d->level[t][i]) ||
			    (d->are_apart && !na_j_level_fit(&d->apart[t][i])))
				return false;
	return true;
}

static bool leave(struct na_j_decision *d, enum na_judge_cause cause,
		  const struct na_place *p)
{
	return na_add(&d->gone, ((struct na_place){cause, p->a, p->b}));
}

static bool take_row(struct na_j_decision *d, const struct na_j_row *row)
{
	const struct na_place *p = &row->place;
	struct na_j_block b[2];

	if (p->cause >= NA_JUDGE_PAIR && !fit(d))
		return false;
	for (size_t k = 0; k < d->n_tables; k++) {
		/* What slows all transfers slows the large ones. */
		bool shows = row->by[k].there && row->by[k].gain > 0;
		size_t by = shows ? k : (size_t)row->mechanism;

		if (!shows && row->mechanism != NA_MECH_LEVEL)
			continue;
		for (size_t i = 0; i < d->s->n_views; i++)
			shift(d, k, i, p, row->shift[by][i]);
	}
	na_j_place_blocks(&d->blocks, p, b);
	for (int k = 0; k < 2 && device_index(d, p) == d->blocks.n_devices; k++)
		for (size_t i = 0; i < b[k].n; i++)
			d->late.pairs[b[k].pair[i]].late = 0;
	if (p->cause == NA_JUDGE_HOST &&
	    (!leave(d, NA_JUDGE_SRC, p) || !leave(d, NA_JUDGE_DST, p)))
		return false;
	return leave(d, p->cause, p);
}

bool na_j_take(struct na_j_decision *d, const struct na_j_taken *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!take_row(d, &t->row[i]))
			return false;
	return true;
}
