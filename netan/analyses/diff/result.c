/* diff: the result. */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/diff/state.h"

static void put_interval(struct na_result *r, struct na_value *in,
			 const char *name, const double x[2])
{
	double *to = na_put_reals(r, in, name, 2);

	if (to)
		memcpy(to, x, 2 * sizeof(*to));
}

/* ---- metrics */

static void put_why(struct na_result *r, struct na_value *x,
		    const struct diff_state *s, enum diff_what what)
{
	const struct diff_metric *m = &s->metrics[what];

	if (m->compared)
		return;
	if (!na_diff_any(m))
		na_put_textf(r, x, M_why, "neither run holds any: %s",
			     na_diff_kinds[what].missing);
	else
		na_put_textf(r, x, M_why, "%s: %s",
			     s->labels[m->s[DIFF_A].n ? DIFF_B : DIFF_A],
			     na_diff_kinds[what].missing);
}

static void put_row(struct na_result *r, struct na_value *list,
		    const struct diff_state *s, enum diff_what what, size_t k)
{
	const struct diff_row *row = &s->metrics[what].rows[k];
	struct na_value *x = na_put_object(r, list, NULL), *e;
	char name[DIFF_NAME_BUF];

	na_put_text(r, x, M_name, na_diff_name(name, what, k));
	na_put_text(r, x, M_unit, na_diff_kinds[what].unit);
	na_put_real(r, x, M_p, k < DIFF_QUANTILES ? na_diff_p[k] : (double)NAN);
	na_put_real(r, x, M_a, row->a);
	na_put_real(r, x, M_b, row->b);
	na_put_real(r, x, M_shift, row->shift);
	na_put_real(r, x, M_ratio, row->ratio);
	put_interval(r, x, M_ci95, row->of[DIFF_SHIFT].ci);
	put_interval(r, x, M_ratio_ci95, row->of[DIFF_RATIO].ci);
	put_interval(r, x, M_b_ci95, row->of[DIFF_ALONE].ci);
	na_put_real(r, x, M_p_value, row->p);
	na_put_real(r, x, M_detectable, row->detectable);
	if (row->equal) {
		e = na_put_object(r, x, M_at_equal_mix);
		na_put_real(r, e, M_a, row->equal_a);
		na_put_real(r, e, M_b, row->equal_b);
		na_put_real(r, e, M_ratio, row->equal_ratio);
		put_interval(r, e, M_ratio_ci95, row->equal_ci);
	}
	na_put_text(r, x, M_verdict, na_diff_verdicts[row->verdict]);
	put_why(r, x, s, what);
}

static void put_metrics(struct na_result *r, const struct diff_state *s)
{
	struct na_value *list = na_put_list(r, na_result_body(r), M_metrics);

	for (int m = 0; m < DIFF_WHATS; m++) {
		for (size_t k = 0; na_diff_any(&s->metrics[m]) && k < DIFF_ROWS;
		     k++)
			put_row(r, list, s, (enum diff_what)m, k);
	}
}

static const char *unit_word(const struct diff_sample *x)
{
	return x->by_events ? "events" : "stretches";
}

/* What was compared, and by what. */
static void put_compared(struct na_result *r, struct na_value *list,
			 const struct diff_state *s, enum diff_what what)
{
	const struct diff_metric *m = &s->metrics[what];
	const struct diff_sample *a = &m->s[DIFF_A], *b = &m->s[DIFF_B];
	struct na_value *x = na_put_object(r, list, NULL);

	na_put_text(r, x, M_name, na_diff_kinds[what].name);
	na_put_text(r, x, M_of, na_diff_kinds[what].of);
	na_put_int(r, x, M_a_values, (int64_t)a->count);
	na_put_int(r, x, M_b_values, (int64_t)b->count);
	na_put_int(r, x, M_a_units, (int64_t)a->n_units);
	na_put_int(r, x, M_b_units, (int64_t)b->n_units);
	na_put_text(r, x, M_a_resampled, unit_word(a));
	na_put_text(r, x, M_b_resampled, unit_word(b));
	na_put_real(r, x, M_ks_d, m->tests.ks_d);
	na_put_real(r, x, M_ks_p, m->tests.ks_p);
	na_put_real(r, x, M_ad_t, m->tests.ad_t);
	na_put_real(r, x, M_ad_p, m->tests.ad_p);
	na_put_text(r, x, M_verdict, na_diff_verdicts[m->verdict]);
}

static void put_summary(struct na_result *r, const struct diff_state *s)
{
	struct na_value *body = na_result_body(r), *missing, *x;
	struct na_value *compared = na_put_list(r, body, M_compared);

	missing = na_put_list(r, body, M_not_compared);
	for (enum diff_what m = 0; m < DIFF_WHATS; m++) {
		if (s->metrics[m].compared) {
			put_compared(r, compared, s, m);
			continue;
		}
		x = na_put_object(r, missing, NULL);
		na_put_text(r, x, M_name, na_diff_kinds[m].name);
		put_why(r, x, s, m);
	}
}

static void put_mix(struct na_result *r, const struct diff_state *s)
{
	static const char *const words[] = {NULL, "size and pair", "size",
					    "size line"};
	const struct diff_mix *mix = &s->mix;
	struct na_value *x = na_put_object(r, na_result_body(r), M_mix);

	na_put_text(r, x, M_by, words[mix->by]);
	na_put_real(r, x, M_moved_share, mix->moved);
	na_put_int(r, x, M_strata, (int64_t)mix->strata);
	na_put_int(r, x, M_skipped, (int64_t)mix->skipped);
	na_put_int(r, x, M_a_left_out, (int64_t)mix->left_out[DIFF_A]);
	na_put_int(r, x, M_b_left_out, (int64_t)mix->left_out[DIFF_B]);
	na_put_real(r, x, M_bytes_per_step_ratio, mix->demand);
}

/* ---- hosts, pairs, collectives */

const char *na_diff_host(const struct diff_state *s, uint32_t host)
{
	const struct na_store *store = s->scope->store;

	return host < store->n_hosts ? store->hosts[host].name : "?";
}

const char *na_diff_collective(const struct diff_state *s, uint32_t name)
{
	return name == NA_UNKNOWN_U32
		       ? NULL
		       : na_strtab_at(&s->scope->store->names.strings, name);
}

static void put_names(struct na_result *r, struct na_value *x,
		      const struct diff_state *s, const struct diff_change *c)
{
	if (c->kind == DIFF_COLLECTIVE) {
		na_put_text(r, x, M_collective, na_diff_collective(s, c->a));
	} else if (c->kind == DIFF_PATH) {
		na_put_text(r, x, M_src, na_diff_host(s, c->a));
		na_put_text(r, x, M_dst, na_diff_host(s, c->b));
	} else {
		na_put_text(r, x, M_host, na_diff_host(s, c->a));
		na_put_text(r, x, M_side,
			    c->kind == DIFF_SENDS ? "sends" : "receives");
	}
}

static enum diff_verdict change_verdict(const struct diff_change *c)
{
	return c->ratio > 1 ? DIFF_WORSE : DIFF_BETTER;
}

static void put_change(struct na_result *r, struct na_value *list,
		       const struct diff_state *s, const struct diff_change *c)
{
	struct na_value *x = na_put_object(r, list, NULL);

	put_names(r, x, s, c);
	na_put_int(r, x, M_a_count, (int64_t)c->n[DIFF_A]);
	na_put_int(r, x, M_b_count, (int64_t)c->n[DIFF_B]);
	na_put_real(r, x, M_a_us, c->typical_us[DIFF_A]);
	na_put_real(r, x, M_b_us, c->typical_us[DIFF_B]);
	na_put_real(r, x, M_ratio, c->ratio);
	put_interval(r, x, M_ratio_ci95, c->ratio_ci);
	na_put_real(r, x, M_q_value, c->q);
	na_put_text(r, x, M_verdict, na_diff_verdicts[change_verdict(c)]);
}

static void put_changes(struct na_result *r, const struct diff_state *s)
{
	static const size_t list_of[DIFF_PART_KINDS] = {0, 0, 1, 2};
	static const char *const names[] = {M_hosts, M_pairs, M_collectives};
	static const char *const more[] = {M_more_hosts, M_more_pairs,
					   M_more_collectives};
	struct na_value *body = na_result_body(r), *lists[3], *rest;
	int64_t n[3] = {0};

	for (size_t k = 0; k < 3; k++)
		lists[k] = na_put_list(r, body, names[k]);
	for (size_t i = 0; i < s->n_changes; i++) {
		const struct diff_change *c = &s->changes[i];
		size_t k = list_of[c->kind];

		if (c->changed && n[k]++ < s->params->top)
			put_change(r, lists[k], s, c);
	}
	rest = na_put_object(r, body, M_changes);
	na_put_int(r, rest, M_tested, (int64_t)s->parts_tested);
	na_put_int(r, rest, M_too_few, (int64_t)s->parts_few);
	na_put_int(r, rest, M_over_limit, (int64_t)s->parts_over);
	for (size_t k = 0; k < 3; k++)
		na_put_int(r, rest, more[k],
			   n[k] > s->params->top ? n[k] - s->params->top : 0);
}

/* What one run has and the other has not. */
static void put_only(struct na_result *r, const struct diff_state *s)
{
	size_t top = (size_t)s->params->top, n = 0;
	struct na_value *list = na_put_list(r, na_result_body(r), M_only);

	for (size_t i = 0; i < s->n_changes; i++) {
		const struct diff_change *c = &s->changes[i];
		struct na_value *x;

		if (!c->n[DIFF_A] == !c->n[DIFF_B] || n++ >= top)
			continue;
		x = na_put_object(r, list, NULL);
		na_put_text(r, x, M_label,
			    s->labels[c->n[DIFF_A] ? DIFF_A : DIFF_B]);
		put_names(r, x, s, c);
		na_put_int(r, x, M_count,
			   (int64_t)(c->n[DIFF_A] + c->n[DIFF_B]));
	}
	na_put_int(r, na_result_body(r), M_only_in_one,
		   (int64_t)s->parts_apart);
}

/* ---- --fail-if */

static enum na_status put_limits(struct na_result *r, struct diff_state *s,
				 struct na_err *err)
{
	static const char *const words[] = {"met", "not met", "undecided"};
	struct na_value *list = na_put_list(r, na_result_body(r), M_fail_if);

	for (size_t i = 0; i < s->params->fail_if.n; i++) {
		struct na_value *x = na_put_object(r, list, NULL);
		struct diff_limit l;
		char why[256], name[DIFF_NAME_BUF];
		enum diff_met met;

		if (na_diff_limit_parse(s->params->fail_if.items[i], &l, err) !=
		    NA_OK)
			return err->status;
		met = na_diff_limit_met(s, &l, why, sizeof(why));
		s->any_met |= met == DIFF_MET;
		na_put_text(r, x, M_limit, l.text);
		na_put_text(r, x, M_metric, na_diff_name(name, l.what, l.row));
		na_put_text(r, x, M_state, words[met]);
		na_put_text(r, x, M_why, why);
	}
	return NA_OK;
}

/* ---- whether they did the same */

static void put_unlike(struct na_result *r, const struct diff_state *s)
{
	static const char *const words[DIFF_UNLIKES] = {
		"inputs", "hosts", "devices", "programs", "collectives"};
	struct na_value *list = na_put_list(r, na_result_body(r), M_unlike);

	for (int i = 0; i < DIFF_UNLIKES; i++) {
		struct na_value *x;

		if (!*s->unlike[i])
			continue;
		x = na_put_object(r, list, NULL);
		na_put_text(r, x, M_what, words[i]);
		na_put_text(r, x, M_text, s->unlike[i]);
	}
}

/* ---- what check says */

static void put_judged(struct na_result *r, const struct diff_state *s)
{
	struct na_value *list = na_put_list(r, na_result_body(r), M_judged);

	for (int k = 0; k < DIFF_RUNS; k++) {
		const struct diff_judged *j = &s->params->judged[k];
		struct na_value *x, *names;

		if (!j->verdict)
			continue;
		x = na_put_object(r, list, NULL);
		na_put_text(r, x, M_label, s->labels[k]);
		na_put_text(r, x, M_verdict, j->verdict);
		na_put_text(r, x, M_outcome, j->outcome);
		names = na_put_list(r, x, M_accused);
		for (size_t i = 0; i < j->n; i++)
			na_put_text(r, names, NULL, j->accused[i].who);
	}
}

/* ---- verdicts */

/* Better and worse outweigh a mix, which outweighs what is unclear, which
 * outweighs the same. */
static enum diff_verdict join(enum diff_verdict a, enum diff_verdict b)
{
	static const int weight[] = {
		[DIFF_UNTOLD] = 0, [DIFF_SAME] = 1,   [DIFF_UNCLEAR] = 2,
		[DIFF_MIX] = 3,    [DIFF_BETTER] = 4, [DIFF_WORSE] = 4,
		[DIFF_MIXED] = 5, [DIFF_DIFFERS] = 5};

	if (weight[a] == weight[b])
		return a == b ? a : DIFF_MIXED;
	return weight[a] > weight[b] ? a : b;
}

/* Whether a metric is the same is asked of its middle and its tail. */
static bool decides(size_t row)
{
	return row == DIFF_P50 || row == DIFF_P99;
}

/* More slack is good news only where something else is: what computes longer
 * has more to hide behind. */
static void join_slack(struct diff_state *s)
{
	enum diff_verdict slack = s->metrics[DIFF_SLACK].verdict;

	if (slack != DIFF_BETTER || s->verdict == DIFF_BETTER)
		s->verdict = join(s->verdict, slack);
}

static void sum_up(struct diff_state *s)
{
	for (int m = 0; m < DIFF_WHATS; m++) {
		struct diff_metric *x = &s->metrics[m];

		for (size_t k = 0; x->compared && k < DIFF_ROWS; k++) {
			if (x->rows[k].verdict > DIFF_SAME || decides(k))
				x->verdict = join(x->verdict,
						  x->rows[k].verdict);
		}
		if (m != DIFF_SLACK)
			s->verdict = join(s->verdict, x->verdict);
	}
	join_slack(s);
	s->verdict = join(s->verdict, na_diff_losses_verdict(s));
	if (na_diff_is_unlike(s))
		s->verdict = DIFF_UNLIKE;
	/* Of many parts some got better and some worse in any two runs. */
	if (s->verdict > DIFF_SAME)
		return;
	for (size_t i = 0; i < s->n_changes; i++) {
		const struct diff_change *c = &s->changes[i];

		if (c->changed)
			s->verdict = join(s->verdict, change_verdict(c));
	}
}

/* Nothing is used where no metric has values of both runs. */
static void say_used(const struct diff_state *s)
{
	struct na_extent *used = s->scope->used;

	for (int r = 0; r < DIFF_RUNS; r++) {
		const struct na_extent *x = &s->got.used[r];
		uint64_t k = x->n ? x->n : s->metrics[DIFF_SLACK].s[r].count;

		used->n += k ? k : s->metrics[DIFF_STEPS].s[r].count;
		/* Runs have origins of their own: the longer one counts. */
		if (x->n && na_time_between(used->first_ps, used->last_ps) <
				    na_time_between(x->first_ps, x->last_ps)) {
			used->first_ps = x->first_ps;
			used->last_ps = x->last_ps;
		}
	}
}

static void say_empty(struct na_result *r, const struct diff_state *s)
{
	if (!s->got.used[DIFF_A].n && !s->got.used[DIFF_B].n)
		na_result_word(r, NA_WORD_EMPTY,
			       "neither run holds anything to compare");
	else
		na_result_wordf(
			r, NA_WORD_EMPTY,
			"run %s holds nothing to compare with run %s",
			s->labels[s->got.used[DIFF_A].n ? DIFF_B : DIFF_A],
			s->labels[s->got.used[DIFF_A].n ? DIFF_A : DIFF_B]);
	na_result_word(
		r, NA_WORD_HINT,
		"diff compares transfers on the network, ops of device "
		"planes and steps; netan info shows what is in the inputs");
}

enum na_status na_diff_finish(void *state, struct na_result *r,
			      struct na_err *err)
{
	struct diff_state *s = state;
	struct na_value *body = na_result_body(r), *x;
	bool any = na_diff_has_losses(s);

	for (int m = 0; m < DIFF_WHATS; m++)
		any |= s->metrics[m].compared;
	sum_up(s);
	na_put_text(r, body, M_verdict, na_diff_verdicts[s->verdict]);
	na_put_text(r, body, M_label_a, s->labels[DIFF_A]);
	na_put_text(r, body, M_label_b, s->labels[DIFF_B]);
	put_metrics(r, s); /* first: what CSV has */
	put_changes(r, s);
	put_unlike(r, s);
	put_only(r, s);
	put_summary(r, s);
	put_mix(r, s);
	put_judged(r, s);
	na_diff_put_losses(r, s);
	if (put_limits(r, s, err) != NA_OK)
		return err->status;
	x = na_put_object(r, body, M_bootstrap);
	na_put_int(r, x, M_resamples, DIFF_RESAMPLES);
	na_put_int(r, x, M_seed, DIFF_SEED);
	na_put_text(r, x, M_generator, "gsl_rng_mt19937");
	na_put_real(r, x, M_level, 1 - DIFF_LEVEL);
	if (any) {
		say_used(s);
		na_diff_views(r, s);
	} else {
		say_empty(r, s);
	}
	return NA_OK;
}
