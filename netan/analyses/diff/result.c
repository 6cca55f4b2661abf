/* diff: the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/diff/diff.h"

static void put_pair(struct na_result *r, struct na_value *in, const char *name,
		     const double x[2])
{
	double *to = na_put_reals(r, in, name, 2);

	if (to)
		memcpy(to, x, 2 * sizeof(*to));
}

/* ---- metrics */

static void put_why(struct na_result *r, struct na_value *x,
		    const struct df_state *s, enum df_what what)
{
	const struct df_metric *m = &s->metrics[what];

	if (m->compared)
		return;
	if (!df_any(m))
		na_put_textf(r, x, M_why, "neither run holds any: %s",
			     df_kinds[what].missing);
	else
		na_put_textf(r, x, M_why, "%s: %s",
			     s->labels[m->s[DF_A].n ? DF_B : DF_A],
			     df_kinds[what].missing);
}

static void put_row(struct na_result *r, struct na_value *list,
		    const struct df_state *s, enum df_what what, size_t k)
{
	const struct df_row *row = &s->metrics[what].rows[k];
	struct na_value *x = na_put_object(r, list, NULL);

	na_put_textf(r, x, M_name, "%s.%s", df_kinds[what].name,
		     df_row_names[k]);
	na_put_text(r, x, M_unit, df_kinds[what].unit);
	na_put_real(r, x, M_p, k < DF_QUANTILES ? df_p[k] : (double)NAN);
	na_put_real(r, x, M_a, row->a);
	na_put_real(r, x, M_b, row->b);
	na_put_real(r, x, M_shift, row->shift);
	na_put_real(r, x, M_ratio, row->ratio);
	put_pair(r, x, "ci95", row->shift_ci);
	put_pair(r, x, M_ratio_ci95, row->ratio_ci);
	put_pair(r, x, M_b_ci95, row->b_ci);
	na_put_real(r, x, M_p_value, row->p);
	na_put_real(r, x, M_detectable, row->detectable);
	if (row->equal) {
		struct na_value *e = na_put_object(r, x, M_at_equal_mix);

		na_put_real(r, e, M_a, row->equal_a);
		na_put_real(r, e, M_b, row->equal_b);
		na_put_real(r, e, M_ratio, row->equal_ratio);
		put_pair(r, e, M_ratio_ci95, row->equal_ci);
	}
	na_put_text(r, x, M_verdict, df_verdicts[row->verdict]);
	put_why(r, x, s, what);
}

static void put_metrics(struct na_result *r, const struct df_state *s)
{
	struct na_value *list = na_put_list(r, na_result_body(r), M_metrics);

	for (int m = 0; m < DF_WHATS; m++) {
		for (size_t k = 0; df_any(&s->metrics[m]) && k < DF_ROWS; k++)
			put_row(r, list, s, (enum df_what)m, k);
	}
}

static const char *unit_word(const struct df_sample *x)
{
	return x->by_events ? "events" : "stretches";
}

/* What was compared, and by what. */
static void put_summary(struct na_result *r, const struct df_state *s)
{
	struct na_value *list = na_put_list(r, na_result_body(r), M_compared);

	for (int m = 0; m < DF_WHATS; m++) {
		const struct df_metric *x = &s->metrics[m];
		struct na_value *row;

		if (!x->compared)
			continue;
		row = na_put_object(r, list, NULL);
		na_put_text(r, row, M_name, df_kinds[m].name);
		na_put_text(r, row, M_of, df_kinds[m].of);
		na_put_int(r, row, M_a_values, (int64_t)x->s[DF_A].count);
		na_put_int(r, row, M_b_values, (int64_t)x->s[DF_B].count);
		na_put_int(r, row, M_a_units, (int64_t)x->s[DF_A].n_units);
		na_put_int(r, row, M_b_units, (int64_t)x->s[DF_B].n_units);
		na_put_text(r, row, M_a_resampled, unit_word(&x->s[DF_A]));
		na_put_text(r, row, M_b_resampled, unit_word(&x->s[DF_B]));
		na_put_real(r, row, M_ks_d, x->tests.ks_d);
		na_put_real(r, row, M_ks_p, x->tests.ks_p);
		na_put_real(r, row, M_ad_t, x->tests.ad_t);
		na_put_real(r, row, M_ad_p, x->tests.ad_p);
		na_put_text(r, row, M_verdict, df_verdicts[x->verdict]);
	}
}

static void put_missing(struct na_result *r, const struct df_state *s)
{
	struct na_value *list = na_put_list(r, na_result_body(r),
					    M_not_compared);

	for (int m = 0; m < DF_WHATS; m++) {
		const struct df_metric *x = &s->metrics[m];
		struct na_value *row;

		if (x->compared)
			continue;
		row = na_put_object(r, list, NULL);
		na_put_text(r, row, M_name, df_kinds[m].name);
		put_why(r, row, s, (enum df_what)m);
	}
}

static void put_mix(struct na_result *r, const struct df_state *s)
{
	static const char *const words[] = {NULL, "size and pair", "size",
					    "size line"};
	const struct df_mix *mix = &s->mix;
	struct na_value *x = na_put_object(r, na_result_body(r), M_mix);

	na_put_text(r, x, M_by, words[mix->by]);
	na_put_real(r, x, M_moved_share, mix->moved);
	na_put_int(r, x, M_strata, (int64_t)mix->strata);
	na_put_int(r, x, M_skipped, (int64_t)mix->skipped);
	na_put_int(r, x, M_a_left_out, (int64_t)mix->left_out[DF_A]);
	na_put_int(r, x, M_b_left_out, (int64_t)mix->left_out[DF_B]);
	na_put_real(r, x, M_bytes_per_step_ratio, mix->demand);
}

/* ---- hosts, pairs, collectives */

const char *df_host(const struct df_state *s, uint32_t host)
{
	const struct na_store *store = s->scope->store;

	return host < store->n_hosts ? store->hosts[host].name : "?";
}

static void put_names(struct na_result *r, struct na_value *x,
		      const struct df_state *s, const struct df_change *c)
{
	const struct na_strtab *strings = &s->scope->store->names.strings;

	if (c->kind == DF_COLLECTIVE) {
		na_put_text(r, x, M_collective,
			    c->a == NA_UNKNOWN_U32
				    ? NULL
				    : na_strtab_at(strings, c->a));
		return;
	}
	if (c->kind == DF_PATH) {
		na_put_text(r, x, M_src, df_host(s, c->a));
		na_put_text(r, x, M_dst, df_host(s, c->b));
		return;
	}
	na_put_text(r, x, M_host, df_host(s, c->a));
	na_put_text(r, x, M_side, c->kind == DF_SENDS ? "sends" : "receives");
}

static bool in_list(const struct df_change *c, int list)
{
	return list == 0   ? c->kind == DF_SENDS || c->kind == DF_RECEIVES
	       : list == 1 ? c->kind == DF_PATH
			   : c->kind == DF_COLLECTIVE;
}

static void put_change(struct na_result *r, struct na_value *list,
		       const struct df_state *s, const struct df_change *c)
{
	struct na_value *x = na_put_object(r, list, NULL);

	put_names(r, x, s, c);
	na_put_int(r, x, M_a_count, (int64_t)c->n[DF_A]);
	na_put_int(r, x, M_b_count, (int64_t)c->n[DF_B]);
	na_put_real(r, x, M_a_us, c->typical_us[DF_A]);
	na_put_real(r, x, M_b_us, c->typical_us[DF_B]);
	na_put_real(r, x, M_ratio, c->ratio);
	put_pair(r, x, M_ratio_ci95, c->ratio_ci);
	na_put_real(r, x, M_q_value, c->q);
	na_put_text(r, x, M_verdict,
		    df_verdicts[c->ratio > 1 ? DF_WORSE : DF_BETTER]);
}

static void put_changes(struct na_result *r, const struct df_state *s)
{
	static const char *const names[] = {"hosts", "pairs", "collectives"};
	size_t top = (size_t)s->params->top;
	uint64_t more[3] = {0};
	struct na_value *rest;

	for (int k = 0; k < 3; k++) {
		struct na_value *list = na_put_list(r, na_result_body(r),
						    names[k]);
		size_t n = 0;

		for (size_t i = 0; i < s->n_changes; i++) {
			const struct df_change *c = &s->changes[i];

			if (!c->changed || !in_list(c, k))
				continue;
			if (n++ < top)
				put_change(r, list, s, c);
			else
				more[k]++;
		}
	}
	rest = na_put_object(r, na_result_body(r), M_changes);
	na_put_int(r, rest, M_tested, (int64_t)s->parts_tested);
	na_put_int(r, rest, M_too_few, (int64_t)s->parts_few);
	na_put_int(r, rest, M_over_limit, (int64_t)s->parts_over);
	for (int k = 0; k < 3; k++) {
		char name[32];

		snprintf(name, sizeof(name), "more_%s", names[k]);
		na_put_int(r, rest, name, (int64_t)more[k]);
	}
}

/* What one run has and the other has not. */
static void put_only(struct na_result *r, const struct df_state *s)
{
	size_t top = (size_t)s->params->top, n = 0;
	struct na_value *list = na_put_list(r, na_result_body(r), M_only);

	for (size_t i = 0; i < s->n_changes; i++) {
		const struct df_change *c = &s->changes[i];
		struct na_value *x;

		if (!c->n[DF_A] == !c->n[DF_B] || n++ >= top)
			continue;
		x = na_put_object(r, list, NULL);
		na_put_text(r, x, M_label, s->labels[c->n[DF_A] ? DF_A : DF_B]);
		put_names(r, x, s, c);
		na_put_int(r, x, M_count, (int64_t)(c->n[DF_A] + c->n[DF_B]));
	}
	na_put_int(r, na_result_body(r), M_only_in_one,
		   (int64_t)s->parts_apart);
}

/* ---- --fail-if */

static enum na_status put_limits(struct na_result *r, struct df_state *s,
				 struct na_err *err)
{
	static const char *const words[] = {"met", "not met", "undecided"};
	struct na_value *list = na_put_list(r, na_result_body(r), M_fail_if);

	for (size_t i = 0; i < s->params->fail_if.n; i++) {
		struct na_value *x = na_put_object(r, list, NULL);
		struct df_limit l;
		char why[256];
		enum df_met met;

		if (df_limit_parse(s->params->fail_if.items[i], &l, err) !=
		    NA_OK)
			return err->status;
		met = df_limit_met(s, &l, why, sizeof(why));
		s->any_met |= met == DF_MET;
		na_put_text(r, x, M_limit, l.text);
		na_put_textf(r, x, M_metric, "%s.%s", df_kinds[l.what].name,
			     df_row_names[l.row]);
		na_put_text(r, x, M_state, words[met]);
		na_put_text(r, x, M_why, why);
	}
	return NA_OK;
}

/* ---- verdicts */

/* Better and worse outweigh a mix, which outweighs the same. */
static enum df_verdict join(enum df_verdict a, enum df_verdict b)
{
	static const int weight[] = {
		[DF_UNTOLD] = 0, [DF_SAME] = 1,  [DF_MIX] = 2,
		[DF_BETTER] = 3, [DF_WORSE] = 3, [DF_MIXED] = 4};

	if (weight[a] == weight[b])
		return a == b ? a : DF_MIXED;
	return weight[a] > weight[b] ? a : b;
}

static void judge(struct df_state *s)
{
	for (int m = 0; m < DF_WHATS; m++) {
		struct df_metric *x = &s->metrics[m];

		for (size_t k = 0; x->compared && k < DF_ROWS; k++)
			x->verdict = join(x->verdict, x->rows[k].verdict);
		s->verdict = join(s->verdict, x->verdict);
	}
	for (size_t i = 0; i < s->n_changes; i++) {
		if (s->changes[i].changed)
			s->verdict = join(s->verdict, s->changes[i].ratio > 1
							      ? DF_WORSE
							      : DF_BETTER);
	}
}

/* Nothing is used where no metric has values of both runs. */
static void say_used(const struct df_state *s)
{
	struct na_extent *used = s->scope->used;

	for (int r = 0; r < DF_RUNS; r++) {
		const struct na_extent *x = &s->got.used[r];
		uint64_t k = x->n ? x->n : s->metrics[DF_SLACK].s[r].count;

		used->n += k ? k : s->metrics[DF_STEPS].s[r].count;
		/* Runs have origins of their own: the longer one counts. */
		if (x->n && na_time_between(used->first_ps, used->last_ps) <
				    na_time_between(x->first_ps, x->last_ps)) {
			used->first_ps = x->first_ps;
			used->last_ps = x->last_ps;
		}
	}
}

static void say_empty(struct na_result *r, const struct df_state *s)
{
	if (!s->got.used[DF_A].n && !s->got.used[DF_B].n)
		na_result_word(r, NA_WORD_EMPTY,
			       "neither run holds anything to compare");
	else
		na_result_wordf(r, NA_WORD_EMPTY,
				"run %s holds nothing to compare with run %s",
				s->labels[s->got.used[DF_A].n ? DF_B : DF_A],
				s->labels[s->got.used[DF_A].n ? DF_A : DF_B]);
	na_result_word(
		r, NA_WORD_HINT,
		"diff compares transfers on the network, ops of device "
		"planes and steps; netan info tells what is in the inputs");
}

enum na_status df_finish(void *state, struct na_result *r, struct na_err *err)
{
	struct df_state *s = state;
	struct na_value *body = na_result_body(r), *x;
	bool any = false;

	for (int m = 0; m < DF_WHATS; m++)
		any |= s->metrics[m].compared;
	judge(s);
	na_put_text(r, body, M_verdict, df_verdicts[s->verdict]);
	na_put_text(r, body, M_label_a, s->labels[DF_A]);
	na_put_text(r, body, M_label_b, s->labels[DF_B]);
	put_metrics(r, s);
	put_changes(r, s);
	put_only(r, s);
	put_summary(r, s);
	put_missing(r, s);
	put_mix(r, s);
	if (put_limits(r, s, err) != NA_OK)
		return err->status;
	x = na_put_object(r, body, M_bootstrap);
	na_put_int(r, x, M_resamples, DF_RESAMPLES);
	na_put_int(r, x, M_seed, DF_SEED);
	na_put_text(r, x, M_generator, "gsl_rng_mt19937");
	na_put_real(r, x, M_level, 1 - DF_LEVEL);
	if (any) {
		say_used(s);
		df_views(r, s);
	} else {
		say_empty(r, s);
	}
	return NA_OK;
}
