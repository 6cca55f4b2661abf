/*
 * pairs --explain HOST: the terms behind the odds of one host's sides.
 *
 * The judge has computed them (netan/judge/explain.h says how they belong
 * together).  All of them go to the result; a person sees the observations of
 * the likelier side, what each way of being slow shows, and the sum.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"
#include "netan/base/order.h"
#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

enum { NEAREST = 3, DEFAULT_TOP = 20, SIDES = 2, KINDS = 3 };

/* Larger ones say no more: 10^9 to 1. */
#define MOST_LOG_ODDS 20.7

static const char *const mechanism_names[NA_MECHANISMS] = {
	[NA_MECH_LEVEL] = "level",
	[NA_MECH_LARGE] = "large",
	[NA_MECH_LATE] = "late",
};

/* ---- whom */

/* A host is its only node, too. */
static bool is_called(const struct pairs_run *run, uint32_t node,
		      const char *word)
{
	const struct pairs_node *x = &run->nodes[node];

	if (strcmp(x->name, word) == 0)
		return true;
	for (uint32_t i = 0; i < run->n_nodes; i++) {
		if (i != node && run->nodes[i].host == x->host)
			return false;
	}
	return strcmp(x->host_name, word) == 0;
}

struct near {
	size_t edits;
	const char *name;
};

NA_ORDER(nearest, struct near, NA_UP(edits), na_natural_order(x->name, y->name))

static size_t edits(const char *a, const char *b)
{
	return na_edit_distance(a, strlen(a), b, strlen(b));
}

static enum na_status fail_unknown(const struct pairs_state *s,
				   const char *word, struct na_err *err)
{
	char buf[PAIRS_WORDS];
	struct na_str names = na_str_over(buf, sizeof(buf));
	struct near *near = na_calloc(s->nodes.n, sizeof(*near));

	if (!near)
		return na_fail_nomem(err);
	for (size_t i = 0; i < s->nodes.n; i++) {
		const struct pairs_node *x = &s->nodes.v[i];
		size_t host = edits(word, x->host_name);
		size_t node = edits(word, x->name);

		near[i] = (struct near){host < node ? host : node, x->name};
	}
	na_sort(near, s->nodes.n, nearest);
	for (size_t i = 0, n = 0; i < s->nodes.n && n < NEAREST; i++) {
		/* Runs may have the same. */
		if (i && strcmp(near[i].name, near[i - 1].name) == 0)
			continue;
		na_str_join(&names, ", ", "%.80s", near[i].name);
		n++;
	}
	free(near);
	return na_fail(err, NA_EUSAGE,
		       "pairs --explain: no %s called \"%.80s\"%s%s",
		       s->of_hosts ? "host" : "device", word,
		       names.n ? "; the nearest: " : "", names.s);
}

enum na_status na_pairs_find_explained(struct pairs_state *s,
				       struct na_err *err)
{
	const char *word = s->params->explain;
	bool found = !word;

	for (size_t i = 0; word && i < s->scope->store->n_runs; i++) {
		struct pairs_run *run = &s->runs[i];

		for (uint32_t k = 0; !run->explains && k < run->n_nodes; k++) {
			run->explains = is_called(run, k, word);
			run->explained = k;
		}
		found |= run->explains;
	}
	return found ? NA_OK : fail_unknown(s, word, err);
}

/* ---- the result */

NA_ORDER(worst_first, struct na_judge_observation, NA_UP(side),
	 NA_UP(mechanism), NA_UP(loaded), NA_DOWN(rest), NA_UP(peer),
	 NA_UP(collective))

static const char *collective_name(const struct pairs_state *s, uint32_t name)
{
	return name == NA_JUDGE_NONE
		       ? NULL
		       : na_strtab_at(&s->scope->store->names.strings, name);
}

static struct na_value *put_term(struct na_result *r, struct na_value *list,
				 const struct pairs_run *run,
				 const struct na_judge_observation *x)
{
	struct na_value *row = na_pairs_put_row(r, list, run);

	na_put_text(r, row, M_side, na_judge_kinds[x->side]);
	na_put_text(r, row, M_mechanism, mechanism_names[x->mechanism]);
	na_put_bool(r, row, M_load_removed, x->loaded);
	na_put_text(r, row, M_peer, run->nodes[x->peer].name);
	na_put_text(r, row, M_collective,
		    collective_name(run->of, x->collective));
	na_put_count(r, row, M_transfers, x->transfers);
	na_put_real(r, row, M_log_centre, x->centre);
	na_put_real(r, row, M_log_others, x->others);
	na_put_real(r, row, M_log_rest, x->rest);
	na_put_real(r, row, M_log_error, x->error);
	na_put_real(r, row, M_log_spread, x->spread);
	return row;
}

static void put_evidence(struct na_result *r, struct na_value *list,
			 const struct na_judge_evidence *x)
{
	struct na_value *row = na_put_object(r, list, NULL), *effect;
	bool late = x->mechanism == NA_MECH_LATE;

	na_put_text(r, row, M_kind, na_judge_kinds[x->side]);
	na_put_text(r, row, M_mechanism, mechanism_names[x->mechanism]);
	na_put_bool(r, row, M_load_removed, x->loaded);
	na_put_bool(r, row, M_counts, x->counts);
	effect = na_put_object(r, row, M_effect);
	na_put_real(r, effect, M_factor, exp(x->effect));
	na_put_real(r, effect, M_from, exp(x->low));
	na_put_real(r, effect, M_to, exp(x->high));
	na_put_real(r, row, M_log_factor, x->log_factor);
	na_put_real(r, row, M_log_null, x->null);
	na_put_real(r, row, M_log_spread, late ? NAN : x->spread);
	na_put_real(r, row, M_freedom, late ? NAN : x->freedom);
	na_put_real(r, row, M_log_spread_collective,
		    late ? NAN : x->collective_spread);
	na_put_real(r, row, M_freedom_observations,
		    late ? NAN : x->unit_freedom);
	na_put_count(r, row, M_late, x->late);
	na_put_real(r, row, M_expected, late ? x->expected : (double)NAN);
	na_put_real(r, row, M_dispersion, late ? x->dispersion : (double)NAN);
}

static void put_explanation(struct na_result *r, struct na_value *all,
			    const struct pairs_run *run)
{
	const struct na_judge_explanation *x = &run->terms;
	struct na_value *row = na_pairs_put_row(r, all, run);
	struct na_value *list, *to;

	na_put_text(r, row, M_host, run->nodes[run->explained].name);
	na_put_real(r, row, M_load_share, x->kappa);
	list = na_put_list(r, row, M_evidence);
	for (size_t i = 0; i < x->n_evidence; i++)
		put_evidence(r, list, &x->evidence[i]);
	list = na_put_list(r, row, M_odds);
	for (size_t i = 0; i < KINDS; i++) {
		to = na_put_object(r, list, NULL);
		na_put_text(r, to, M_kind, na_judge_kinds[i]);
		na_put_real(r, to, M_log_prior, x->odds[i].log_prior);
		na_put_real(r, to, M_log_odds, x->odds[i].log_odds);
		na_put_real(r, to, M_log_odds_left, x->odds[i].left);
	}
	list = na_put_list(r, row, M_rivals);
	for (size_t i = 0; i < x->n_rivals; i++) {
		to = na_put_object(r, list, NULL);
		na_pairs_put_who(r, to, run, &x->rivals[i].place, false);
		na_put_real(r, to, M_log_odds, x->rivals[i].log_odds);
	}
}

void na_pairs_put_terms(struct na_result *r, struct na_value *body,
			struct pairs_state *s)
{
	struct na_value *terms, *all;

	if (!s->params->explain)
		return;
	terms = na_put_list(r, body, M_terms);
	all = na_put_list(r, body, M_explanations);
	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		struct pairs_run *run = &s->runs[i];
		struct na_judge_explanation *x = &run->terms;

		if (!run->explains || !run->n_remote)
			continue;
		na_sort(x->observations, x->n_observations, worst_first);
		for (size_t k = 0; k < x->n_observations; k++) {
			struct na_value *row = put_term(r, terms, run,
							&x->observations[k]);

			run->first_term = k ? run->first_term : row;
		}
		put_explanation(r, all, run);
	}
}

const struct na_value *na_pairs_terms_of(struct na_result *r,
					 const struct pairs_run *run,
					 const struct na_place *place)
{
	return run->explains && place->cause <= NA_JUDGE_HOST &&
			       place->a == run->explained
		       ? na_get(na_result_body(r), M_terms)
		       : NULL;
}

/* ---- for a person */

static const char *const kind_words[KINDS] = {"transmit side", "receive side",
					      "both sides"};

/* The likelier side; of it the way that shows most, as it counts. */
static const struct na_judge_evidence *
strongest(const struct na_judge_explanation *x)
{
	const struct na_judge_evidence *best = NULL;
	enum na_judge_cause side = x->odds[1].log_odds > x->odds[0].log_odds ||
						   isnan(x->odds[0].log_odds)
					   ? NA_JUDGE_DST
					   : NA_JUDGE_SRC;

	for (size_t i = 0; i < x->n_evidence; i++) {
		const struct na_judge_evidence *e = &x->evidence[i];

		if (e->side == side && e->counts &&
		    e->mechanism <= NA_MECH_LARGE &&
		    (!best ||
		     e->log_factor - e->null > best->log_factor - best->null))
			best = e;
	}
	return best;
}

/* "all transfers, port load taken out" */
static void say_way(struct na_str *w, const struct na_judge_evidence *e)
{
	static const char *const words[NA_MECHANISMS] = {"all transfers",
							 "large transfers",
							 "late transfers"};

	na_str_addf(w, "%s%s", words[e->mechanism],
		    e->loaded ? ", port load taken out" : "");
}

/* Several runs say which one it is. */
static void start_title(struct na_str *w, const struct na_value *explanation)
{
	const char *label = na_text_or(explanation, M_label, NULL);

	if (label)
		na_str_addf(w, "%.40s: ", label);
}

static void terms_view(struct na_result *r, const struct pairs_run *run,
		       struct na_value *to, const struct na_value *explanation)
{
	const struct pairs_state *s = run->of;
	const struct na_judge_evidence *e = strongest(&run->terms);
	const struct na_value *v = run->first_term;
	struct na_value *list = na_put_list(r, to, M_terms);
	char title[PAIRS_WORDS];
	struct na_str w = na_str_over(title, sizeof(title));

	for (size_t k = 0; v && k < run->terms.n_observations;
	     k++, v = v->next) {
		const struct na_judge_observation *o =
			&run->terms.observations[k];

		if (e && o->side == e->side && o->mechanism == e->mechanism &&
		    o->loaded == e->loaded)
			na_put_alias(r, list, NULL, v);
	}
	if (!e)
		return;
	start_title(&w, explanation);
	na_str_addf(&w, "observations of %.80s's %s: ",
		    na_text_at(explanation, M_host), kind_words[e->side]);
	say_way(&w, e);
	na_result_view(r, title, list, &na_table_pairs_term,
		       NA_COLUMNS({M_peer}, {M_collective}, {M_transfers},
				  {M_log_centre}, {M_log_others}, {M_log_rest},
				  {M_log_error}, {M_log_spread}),
		       s->scope->top ? s->scope->top : DEFAULT_TOP);
}

static void ways_view(struct na_result *r, const struct pairs_run *run,
		      const struct na_value *explanation, struct na_value *to)
{
	const struct na_value *v = na_first(explanation, M_evidence);
	struct na_value *list = na_put_list(r, to, M_ways);
	char title[PAIRS_WORDS], buf[PAIRS_WORDS];
	struct na_str t = na_str_over(title, sizeof(title));
	bool late = false;

	for (size_t i = 0; v; i++, v = v->next) {
		const struct na_judge_evidence *e = &run->terms.evidence[i];
		struct na_value *row = na_put_object(r, list, NULL);
		struct na_str w = na_str_over(buf, sizeof(buf));

		na_str_addf(&w, "%s: ", kind_words[e->side]);
		say_way(&w, e);
		late |= e->mechanism == NA_MECH_LATE;
		na_str_addf(&w, "%s", e->counts ? "" : " (does not count)");
		na_put_text(r, row, M_what, w.s);
		na_put_alias(r, row, M_evidence, v);
	}
	start_title(&t, explanation);
	na_str_addf(&t, "odds of %.80s", na_text_at(explanation, M_host));
	na_result_view(r, title, list, &na_table_pairs_way,
		       NA_COLUMNS({M_what},
				  {M_evidence "." M_effect "." M_factor,
				   "times slower", NA_F_NUMBER, 3, 0},
				  {M_evidence "." M_log_factor},
				  {M_evidence "." M_log_null},
				  {M_evidence "." M_log_spread},
				  {M_evidence "." M_freedom},
				  {M_evidence "." M_log_spread_collective},
				  {M_evidence "." M_freedom_observations},
				  {M_evidence "." M_late},
				  {M_evidence "." M_expected}) -
			       (late ? 0 : 2), /* the last ones */
		       0);
}

/* The mean of three factors, of which those that say nothing are 1: its terms,
 * and its logarithm. */
static double say_mean(struct na_str *w, const struct na_judge_explanation *x,
		       enum na_judge_cause side)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];
	double by[NA_MECHANISMS] = {0}, most = 0, sum = 0;
	int n = 0;

	for (size_t i = 0; i < x->n_evidence; i++) {
		const struct na_judge_evidence *e = &x->evidence[i];

		if (e->side != side || !e->counts)
			continue;
		na_print_number(a, e->log_factor, 4);
		na_print_number(b, e->null, 4);
		na_str_addf(w, "%sexp(%s - %s)", n ? " + " : "log((", a, b);
		by[n] = e->log_factor - e->null;
		most = fmax(most, by[n++]);
	}
	if (n && n < NA_MECHANISMS)
		na_str_addf(w, " + %d", NA_MECHANISMS - n);
	na_str_addf(w, n ? ") / %d)" : "0", NA_MECHANISMS);
	for (size_t i = 0; i < NA_MECHANISMS; i++)
		sum += exp(by[i] - most);
	return log(sum / NA_MECHANISMS) + most;
}

/* Both sides together show a host where that is more than its late counts. */
static void say_sum(struct na_str *w, const struct na_judge_explanation *x,
		    size_t kind)
{
	const struct na_judge_odds *o = &x->odds[kind];
	char odds[NA_UNIT_BUF], prior[NA_UNIT_BUF], times[NA_UNIT_BUF];
	char buf[PAIRS_WORDS], sides[PAIRS_WORDS];
	struct na_str mean = na_str_over(buf, sizeof(buf));
	struct na_str both = na_str_over(sides, sizeof(sides));
	double a, b;

	na_str_join(w, "\n", "%s: ", kind_words[kind]);
	if (isnan(o->log_odds)) {
		na_str_addf(w, kind == NA_JUDGE_HOST
				       ? "not both of its sides are slow"
				       : "nothing tells");
		return;
	}
	a = say_mean(&mean, x, (enum na_judge_cause)kind);
	b = o->log_odds - o->log_prior;
	if (kind == NA_JUDGE_HOST && fabs(a - b) > 1e-6) {
		na_str_addf(&both, "what both sides show, %s",
			    na_print_number(times, b, 4));
		mean = both;
	}
	na_print_number(odds, o->log_odds, 4);
	na_print_number(prior, o->log_prior, 4);
	na_print_number(times, fmin(exp(o->log_odds), 1e9), 3);
	na_str_addf(w, "log odds = %s + log prior (%s) = %s: %s%s to 1", mean.s,
		    prior, odds,
		    o->log_odds > MOST_LOG_ODDS ? "more than " : "", times);
	if (!isnan(o->left))
		na_str_addf(w, "; with what is named taken out, %s",
			    na_print_number(odds, o->left, 4));
}

static void say_odds(struct na_result *r, const struct pairs_run *run)
{
	const struct na_judge_explanation *x = &run->terms;
	struct na_str w = {.s = NULL};
	char odds[NA_UNIT_BUF], buf[PAIRS_WORDS];

	for (size_t kind = 0; kind < KINDS; kind++)
		say_sum(&w, x, kind);
	for (size_t i = 0; i < x->n_rivals; i++) {
		struct na_str who = na_str_over(buf, sizeof(buf));

		na_pairs_say_who(&who, run, &x->rivals[i].place, false);
		na_print_number(odds, x->rivals[i].log_odds, 4);
		na_str_addf(&w, "%s%s (log odds %s)",
			    i ? ", " : "\nlikeliest of the run: ", who.s, odds);
	}
	na_result_text(r, "how these odds come about", "%s", w.s ? w.s : "");
	free(w.s);
}

void na_pairs_explain_views(struct na_result *r, const struct pairs_state *s)
{
	const struct na_value *v = na_first(na_result_body(r), M_explanations);
	struct na_value *all;

	if (!v)
		return;
	all = na_put_list(r, na_result_side(r), M_explained);
	for (size_t i = 0; v && i < s->scope->store->n_runs; i++) {
		const struct pairs_run *run = &s->runs[i];
		struct na_value *to;

		if (!run->explains || !run->n_remote)
			continue;
		to = na_put_object(r, all, NULL);
		terms_view(r, run, to, v);
		ways_view(r, run, v, to);
		say_odds(r, run);
		v = v->next;
	}
}
