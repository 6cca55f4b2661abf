#include "netan/judge/explain.h"

#include <math.h>

#include "netan/judge/verdict.h"

struct explaining {
	const struct na_j_session *s;
	struct na_j_decision *d;
	const struct na_j_rows *rows;
	uint32_t host;
	NA_VEC(struct na_judge_evidence) evidence;
	NA_VEC(struct na_judge_observation) observations;
};

static const enum na_judge_cause side_of[] = {NA_JUDGE_SRC, NA_JUDGE_DST};

/* The row of a side, or of the host. */
static const struct na_j_row *row_of(const struct explaining *x,
				     enum na_judge_cause cause)
{
	return &x->rows->v[(size_t)cause * x->s->n_hosts + x->host];
}

static bool add_observations(struct explaining *x, const struct na_j_level *v,
			     int side, bool loaded)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct na_j_unit *u = &v->units[i];
		double rest = na_j_level_rest(v, u, side);
		struct na_judge_observation o = {
			.side = side_of[side],
			.mechanism = v->large ? NA_MECH_LARGE : NA_MECH_LEVEL,
			.loaded = loaded,
			.peer = u->host[!side],
			.collective = v->all_collectives
					      ? NA_JUDGE_NONE
					      : x->s->coll_name[u->coll],
			.transfers = u->transfers,
			.centre = u->centre,
			.others = u->centre - rest,
			.rest = rest,
			.error = u->se,
			.spread = u->scale};

		if (u->host[side] == x->host && !na_add(&x->observations, o))
			return false;
	}
	return true;
}

static bool add_level(struct explaining *x, size_t table, size_t view)
{
	struct na_j_level *v = &x->d->level[table][view];
	bool loaded = !view && x->s->kappa > 0;
	struct na_arena tmp = {0};
	struct na_j_gain *g =
		NA_NEW(&tmp, struct na_j_gain, 2 * x->s->n_hosts);
	bool ok = g && na_j_level_gains(v, g);

	for (int side = 0; ok && side < 2; side++) {
		const struct na_j_gain *of =
			&g[(size_t)side * x->s->n_hosts + x->host];
		const struct na_j_side_spread *spread = &v->side[side];

		if (!of->there)
			continue;
		ok = na_add(&x->evidence,
			    ((struct na_judge_evidence){
				    .side = side_of[side],
				    .mechanism = (enum na_mechanism)table,
				    .loaded = loaded,
				    .effect = of->effect,
				    .low = of->low,
				    .high = of->high,
				    .log_factor = of->gain,
				    .spread = spread->tau,
				    .freedom = spread->nu,
				    .collective_spread = spread->tau_coll,
				    .unit_freedom = na_j_level_nu(v)})) &&
		     add_observations(x, v, side, loaded);
	}
	na_arena_fini(&tmp);
	return ok;
}

static bool add_late(struct explaining *x, enum na_judge_cause cause)
{
	const enum na_mechanism by = NA_MECH_LATE;
	const struct na_j_row *row = row_of(x, cause);
	const struct na_j_gain *g = &row->by[by];

	return !g->there ||
	       na_add(&x->evidence,
		      ((struct na_judge_evidence){
			      .side = cause,
			      .mechanism = by,
			      .counts = na_j_may_show(x->d, row, by),
			      .effect = g->effect,
			      .low = g->low,
			      .high = g->high,
			      .log_factor = g->gain + row->null[by],
			      .null = row->null[by],
			      .late = (uint64_t)g->late,
			      .expected = g->expected,
			      .dispersion = g->dispersion}));
}

/* Of the views of a table the greater one stands for their mean, if all have the
 * side; what that is less is taken off. */
static void mark_greater(struct explaining *x)
{
	for (size_t i = 0; i < x->evidence.n; i++) {
		struct na_judge_evidence *e = &x->evidence.v[i], *most = e;
		const struct na_j_row *row = row_of(x, e->side);

		if (e->mechanism > NA_MECH_LARGE ||
		    !row->by[e->mechanism].there)
			continue;
		for (size_t k = 0; k < x->evidence.n; k++) {
			struct na_judge_evidence *o = &x->evidence.v[k];

			if (o->side == e->side &&
			    o->mechanism == e->mechanism &&
			    (o->log_factor > most->log_factor ||
			     (o < most && o->log_factor >= most->log_factor)))
				most = o;
		}
		most->counts = na_j_may_show(x->d, row, e->mechanism);
		most->null = most->log_factor - row->by[e->mechanism].gain;
	}
}

static bool add_evidence(struct explaining *x)
{
	for (size_t t = 0; t < x->d->n_tables; t++)
		for (size_t i = 0; i < x->s->n_views; i++)
			if (!add_level(x, t, i))
				return false;
	mark_greater(x);
	for (int cause = NA_JUDGE_SRC; cause <= NA_JUDGE_HOST; cause++)
		if (!add_late(x, (enum na_judge_cause)cause))
			return false;
	return true;
}

static void fill_odds(const struct explaining *x,
		      struct na_judge_explanation *out)
{
	for (int cause = NA_JUDGE_SRC; cause <= NA_JUDGE_HOST; cause++) {
		const struct na_j_row *row = row_of(x,
						    (enum na_judge_cause)cause);

		out->odds[cause] = (struct na_judge_odds){
			na_j_log_prior(x->d, &row->place),
			row->there ? row->odds : NAN, NAN};
	}
}

/* The odds once the findings are taken out. */
static bool fill_left(struct explaining *x, struct na_judge_explanation *out)
{
	struct na_j_verdict v;
	bool ok;

	na_j_restore(x->d);
	ok = na_j_verdict_init(&v, x->d);
	for (size_t k = 0; ok && k < NA_LEN(out->odds); k++) {
		const struct na_j_row *row =
			na_j_find_row(x->d, &v.rows,
				      &row_of(x, (enum na_judge_cause)k)->place);

		if (row)
			out->odds[k].left = row->odds;
	}
	na_j_verdict_fini(&v);
	return ok;
}

static bool explain(struct explaining *x, struct na_judge_explanation *out)
{
	bool ok = add_evidence(x);

	out->kappa = x->s->kappa;
	fill_odds(x, out);
	out->n_rivals = na_j_best_rows(x->rows, out->rivals,
				       NA_LEN(out->rivals));
	out->evidence = x->evidence.v;
	out->n_evidence = x->evidence.n;
	out->observations = x->observations.v;
	out->n_observations = x->observations.n;
	return ok && fill_left(x, out);
}

static bool explain_host(const struct na_judge_input *in, uint32_t host,
			 struct na_judge_explanation *out)
{
	struct na_j_session s;
	struct na_j_decision d;
	struct na_j_rows rows;
	struct na_arena mem = {0};
	bool ok = na_j_session_init(&s, in);

	if (ok) {
		ok = na_j_decision_init(&d, &s) &&
		     na_j_rows_init(&rows, &d, &mem) && na_j_gains(&d, &rows);
		if (ok) {
			struct explaining x = {&s, &d, &rows, host};

			ok = explain(&x, out);
		}
		na_j_decision_fini(&d);
	}
	na_arena_fini(&mem);
	na_j_session_fini(&s);
	return ok;
}

enum na_status na_judge_explain(const struct na_judge_input *in, uint32_t host,
				struct na_judge_explanation *out,
				struct na_err *err)
{
	enum na_status status = na_j_check_input(in, err);

	*out = (struct na_judge_explanation){0};
	for (size_t k = 0; k < NA_LEN(out->odds); k++)
		out->odds[k] = (struct na_judge_odds){NAN, NAN, NAN};
	if (status == NA_OK && host >= in->n_hosts)
		status = na_fail(err, NA_EDOMAIN, "no host %u", host);
	if (status != NA_OK || !in->n_rows)
		return status;
	return explain_host(in, host, out) ? NA_OK : na_fail_nomem(err);
}

void na_judge_explanation_fini(struct na_judge_explanation *e)
{
	free(e->evidence);
	free(e->observations);
	*e = (struct na_judge_explanation){0};
}
