/*
 * From a table of transfers to the verdict.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/judge/verdict.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

const char *const na_judge_kinds[NA_JUDGE_CAUSES] = {
#define CAUSE(id, name, prior, text) name,
#include "netan/judge/causes.def"
#undef CAUSE
};

enum na_status na_j_check_input(const struct na_judge_input *in,
				struct na_err *err)
{
	if (in->n_rows >= NA_JUDGE_NONE || in->n_hosts >= NA_JUDGE_NONE ||
	    in->n_connections >= NA_JUDGE_NONE)
		return na_fail(err, NA_ELIMIT,
			       "more than 4294967294 transfers, hosts or "
			       "connections");
	for (size_t i = 0; i < in->n_connections; i++)
		if (in->connections[i].src >= in->n_hosts ||
		    in->connections[i].dst >= in->n_hosts)
			return na_fail(err, NA_EDOMAIN,
				       "connection %zu names no host", i);
	for (size_t i = 0; i < in->n_rows; i++)
		if (in->rows[i].connection >= in->n_connections)
			return na_fail(err, NA_EDOMAIN,
				       "transfer %zu names no connection", i);
	for (size_t h = 0; in->n_racks && h < in->n_hosts; h++)
		if (in->rack_of[h] >= in->n_racks)
			return na_fail(err, NA_EDOMAIN,
				       "host %zu names no rack", h);
	return NA_OK;
}

/* Hands over what was allocated with it. */
static void fill_finding(struct na_judge_finding *to, struct na_j_found *f)
{
	*to = (struct na_judge_finding){
		.place = f->place,
		.mechanism = f->mechanism,
		.effect = f->effect,
		.low = f->low,
		.high = f->high,
		.log_odds = f->odds,
		.posterior = f->posterior,
		.rival = f->rival,
		.alternatives = f->alternatives.v,
		.n_alternatives = f->alternatives.n,
		.pairs = f->taken.pairs,
		.transfers = f->taken.transfers,
		.late = f->mechanism == NA_MECH_LATE ? f->taken.late : 0,
	};
	f->alternatives.v = NULL;
	f->alternatives.n = 0;
}

NA_ORDER(most_odds, struct na_judge_finding, NA_DOWN(log_odds))

static bool fill_findings(struct na_judge_result *out, struct na_j_verdict *v)
{
	out->findings = na_calloc(v->found.n, sizeof(*out->findings));
	if (!out->findings)
		return false;
	for (size_t i = 0; i < v->found.n; i++)
		fill_finding(&out->findings[out->n_findings++], &v->found.v[i]);
	na_sort(out->findings, out->n_findings, most_odds);
	return true;
}

static bool fill_open(struct na_judge_result *out, const struct na_j_rows *rows)
{
	enum { OPEN = 3 };

	out->open = na_calloc(OPEN, sizeof(*out->open));
	if (out->open)
		out->n_open = na_j_best_rows(rows, out->open, OPEN);
	return out->open;
}

static bool fill_bounds(struct na_judge_result *out,
			const struct na_j_verdict *v, size_t n_hosts)
{
	out->bounds = na_calloc(2 * n_hosts, sizeof(*out->bounds));
	if (!out->bounds)
		return false;
	for (size_t h = 0; h < n_hosts; h++)
		for (int side = 0; side < 2; side++)
			out->bounds[out->n_bounds++] = (struct na_judge_bound){
				(uint32_t)h, side ? NA_JUDGE_DST : NA_JUDGE_SRC,
				exp(v->bound0[side][h])};
	return true;
}

/* Variance of a pair's centre, healthy spread included: of its units. */
static double pair_variance(const struct na_j_level *v, uint32_t pair)
{
	const struct na_groups *g = &v->by_pair;
	double error = 0, spread = 0, connections = 0,
	       n = (double)na_j_count(g, pair);

	for (uint32_t k = g->from[pair]; k < g->from[pair + 1]; k++) {
		const struct na_j_unit *u = &v->units[g->row[k]];
		const struct na_j_level_connection *c =
			&v->connections[u->connection];

		error += u->se * u->se + v->unit_coll * v->unit_coll;
		spread += c->spread * c->spread;
		connections += 1 / (double)c->units;
	}
	return error / (n * n) + spread / (n * connections) +
	       v->side[0].tau * v->side[0].tau +
	       v->side[1].tau * v->side[1].tau;
}

static bool fill_pairs(struct na_judge_result *out,
		       const struct na_j_decision *d)
{
	const struct na_j_session *s = d->s;
	struct na_arena tmp = {0};
	double *x = NA_NEW(&tmp, double, s->n);
	struct na_groups g;
	bool ok = x && na_j_group(&g, NA_J_BY(s->pair), NULL, s->n, &tmp);

	out->pairs = na_calloc(s->n_pairs, sizeof(*out->pairs));
	ok = ok && out->pairs;
	for (size_t p = 0; ok && p < g.n; p++) {
		size_t n = na_j_count(&g, p);

		for (size_t i = 0; i < n; i++)
			x[i] = s->view[0][g.row[g.from[p] + i]];
		out->pairs[out->n_pairs++] = (struct na_judge_pair){
			s->pairs[p].src, s->pairs[p].dst, na_median(x, n),
			sqrt(pair_variance(&d->level[0][0], (uint32_t)p)), n};
	}
	na_arena_fini(&tmp);
	return ok;
}

/* Has no side more of the late transfers than the rate of all the others has it
 * expect?  Those of few losses hide among others that are late; of as many sides
 * as there are, the one with most shows by chance what one alone seldom does. */
static bool are_even(const struct na_j_late *late)
{
	double n = 0, transfers = 0, least = 1;

	for (size_t i = 0; i < late->s->n_pairs; i++) {
		n += late->pairs[i].late0;
		transfers += late->pairs[i].transfers;
	}
	for (int side = 0; side < 2; side++)
		for (uint32_t h = 0; h < late->s->n_hosts; h++) {
			struct na_j_block b =
				na_j_side_block(late->blocks, side, h);
			double own = 0, of = 0;

			for (size_t i = 0; i < b.n; i++) {
				own += late->pairs[b.pair[i]].late0;
				of += late->pairs[b.pair[i]].transfers;
			}
			if (own < NA_J_LATE_MIN)
				continue;
			least = fmin(least,
				     na_poisson_upper(
					     (uint64_t)own,
					     of * (n - own + .5) /
						     (transfers - of + 1)));
		}
	return least * 2 * (double)late->s->n_hosts >= 1 - NA_J_POSTERIOR;
}

/* The odds that name acquit, too. */
static void decide_outcome(struct na_judge_result *out,
			   const struct na_j_verdict *v,
			   const struct na_j_decision *d)
{
	/* Fewer blocks of steps give no variance of their own. */
	bool healthy = d->s->n_steps >= NA_J_MIN_SAMPLE && !v->named &&
		       v->upper <= NA_J_EFFECT_HIGH && are_even(&d->late),
	     sure = v->nobody >= NA_J_POSTERIOR;

	out->nobody = v->nobody;
	out->upper = exp(v->upper);
	out->unsure = healthy && !sure;
	out->outcome = v->found.n        ? NA_JUDGE_GUILTY
		       : healthy && sure ? NA_JUDGE_NOT_GUILTY
					 : NA_JUDGE_CANNOT_TELL;
}

static bool fill(struct na_judge_result *out, struct na_j_decision *d)
{
	struct na_j_verdict v;
	bool ok = na_j_verdict_init(&v, d) && fill_pairs(out, d) &&
		  fill_open(out, &v.rows) &&
		  fill_bounds(out, &v, d->s->n_hosts);

	if (ok) {
		decide_outcome(out, &v, d);
		ok = fill_findings(out, &v);
	}
	na_j_verdict_fini(&v);
	return ok;
}

static bool judge(const struct na_judge_input *in, struct na_judge_result *out)
{
	struct na_j_session s;
	struct na_j_decision d;
	bool ok = na_j_session_init(&s, in);

	if (ok) {
		out->kappa = s.kappa;
		ok = na_j_decision_init(&d, &s) && fill(out, &d);
		na_j_decision_fini(&d);
	}
	na_j_session_fini(&s);
	return ok;
}

enum na_status na_judge(const struct na_judge_input *in,
			struct na_judge_result *out, struct na_err *err)
{
	enum na_status status = na_j_check_input(in, err);

	*out = (struct na_judge_result){.outcome = NA_JUDGE_CANNOT_TELL,
					.two_clocks = in->two_clocks,
					.nobody = NAN,
					.upper = INFINITY};
	if (status != NA_OK || !in->n_rows)
		return status;
	return judge(in, out) ? NA_OK : na_fail_nomem(err);
}

void na_judge_result_fini(struct na_judge_result *r)
{
	for (size_t i = 0; i < r->n_findings; i++)
		free(r->findings[i].alternatives);
	free(r->findings);
	free(r->open);
	free(r->bounds);
	free(r->pairs);
	*r = (struct na_judge_result){0};
}
