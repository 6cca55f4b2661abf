/* steps: the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/steps/steps.h"
#include "netan/methods/whole_steps.h"

const char *const na_steps_cause_names[ST_CAUSES] = {NULL, "computation",
						     "input", "network",
						     "late_start"};
static const char *const networks[NA_N_NETWORKS] = {M_exposed_dcn_ms,
						    M_exposed_ici_ms,
						    M_exposed_gpu_ms};

static void put_mean_ms(struct na_result *r, struct na_value *in,
			const char *name, na_i128 ps, size_t n)
{
	na_put_real(r, in, name, n ? na_ms(ps) / (double)n : (double)NAN);
}

static void put_label(struct na_result *r, struct na_value *to,
		      const struct st_state *s, uint32_t run)
{
	const struct na_store *store = s->scope->store;

	if (store->n_runs > 1)
		na_put_text(r, to, M_label, na_store_label(store, run));
}

static const char *host_name(const struct st_state *s, uint32_t host)
{
	return s->scope->store->hosts[host].name;
}

static void put_share(struct na_result *r, struct na_value *to,
		      const char *name, double part, double all)
{
	na_put_real(r, to, name, all > 0 ? part / all : (double)NAN);
}

/* Of launches all but the gap is unknown. */
static void put_parts(struct na_result *r, struct na_value *to,
		      const struct st_state *s, uint32_t run,
		      const struct st_sums *x)
{
	size_t n = s->by_launch[run] ? 0 : x->n;
	na_i128 exposed = 0;

	for (int k = 0; k < NA_N_NETWORKS; k++)
		exposed += x->exposed_ps[k];
	put_mean_ms(r, to, M_compute_ms, x->busy_ps, n);
	put_mean_ms(r, to, M_overlap_ms, x->overlap_ps, n);
	put_share(r, to, M_overlap_share, (double)x->overlap_ps,
		  (double)x->flight_ps);
	put_mean_ms(r, to, M_exposed_ms, exposed, n);
	for (int k = 0; k < NA_N_NETWORKS; k++)
		put_mean_ms(r, to, networks[k], x->exposed_ps[k], n);
	put_mean_ms(r, to, M_waiting_ms, x->waiting_ps,
		    s->matched[run] ? n : 0);
	put_mean_ms(r, to, M_idle_ms, x->idle_ps, n);
	put_mean_ms(r, to, M_gap_ms, x->gap_ps, x->n);
}

/* Of a GPU job. */
static void put_rank(struct na_result *r, struct na_value *to,
		     const struct st_state *s, uint32_t host)
{
	int32_t rank = na_steps_rank_of(s, host);

	if (rank >= 0)
		na_put_int(r, to, M_rank, rank);
}

static void put_step(struct na_result *r, struct na_value *list,
		     const struct st_state *s, const struct st_step *t)
{
	struct na_value *to = na_put_object(r, list, NULL);
	bool named = t->slowest != SIZE_MAX;
	struct st_sums x = {.n = 0};

	for (size_t i = t->from; i < t->to; i++)
		na_steps_sum_up(&x, s->host_steps[i].cell);
	put_label(r, to, s, t->run);
	na_put_int(r, to, M_step, t->number);
	na_put_real(r, to, M_from_s, na_s(t->start_ps));
	na_put_real(r, to, M_to_s, na_s(t->end_ps));
	put_mean_ms(r, to, M_duration_ms, x.duration_ps, x.n);
	na_put_text(r, to, M_slowest_host,
		    named ? host_name(s, s->host_steps[t->slowest].host)
			  : NULL);
	if (named && na_steps_rank_of(s, s->host_steps[t->slowest].host) >= 0)
		na_put_int(r, to, M_slowest_rank,
			   na_steps_rank_of(s, s->host_steps[t->slowest].host));
	na_put_text(r, to, M_cause, na_steps_cause_names[t->cause]);
	put_mean_ms(r, to, M_behind_ms, t->late_ps, named);
	put_mean_ms(r, to, M_lost_ms, t->lost_ps, named);
	put_mean_ms(r, to, M_spread_ms, t->spread_ps, 1);
	put_parts(r, to, s, t->run, &x);
	na_put_int(r, to, M_hosts, (int64_t)x.n);
}

/* What makes it a straggler, where that is not its own time. */
static double behind_ms(const struct st_host *h)
{
	return h->straggler && h->cause == ST_NETWORK
		       ? na_ms(h->tests[h->evidence].effect_ps)
		       : h->behind_ms;
}

/* Who is behind by nothing needs none. */
static enum st_cause cause_of(const struct st_host *h)
{
	return h->straggler || !(behind_ms(h) <= 0) ? h->cause : ST_NONE;
}

static void put_host(struct na_result *r, struct na_value *list,
		     const struct st_state *s, const struct st_host *h)
{
	struct na_value *to = na_put_object(r, list, NULL);

	put_label(r, to, s, h->run);
	na_put_text(r, to, M_host, host_name(s, h->host));
	put_rank(r, to, s, h->host);
	na_put_int(r, to, M_steps, (int64_t)h->n);
	put_mean_ms(r, to, M_mean_ms, h->sums.duration_ps, h->n);
	na_put_real(r, to, M_p99_ms, h->p99_ms);
	if (h->tests[ST_OF_STEPS].n)
		put_share(r, to, M_slowest_share, (double)h->slowest,
			  (double)h->n);
	else
		na_put_null(r, to, M_slowest_share);
	na_put_real(r, to, M_behind_ms, behind_ms(h));
	na_put_text(r, to, M_cause, na_steps_cause_names[cause_of(h)]);
	na_put_bool(r, to, M_straggler, h->straggler);
	put_parts(r, to, s, h->run, &h->sums);
}

/* Who is the slowest may be that by its transfers. */
static void put_step_host(struct na_result *r, struct na_value *list,
			  const struct st_state *s, const struct st_step *t,
			  size_t i)
{
	const struct st_host_step *x = &s->host_steps[i];
	struct na_value *to = na_put_object(r, list, NULL);
	bool slowest = i == t->slowest;
	struct st_sums sums = {.n = 0};

	na_steps_sum_up(&sums, x->cell);
	put_label(r, to, s, t->run);
	na_put_int(r, to, M_step, t->number);
	na_put_text(r, to, M_host, host_name(s, x->host));
	put_rank(r, to, s, x->host);
	na_put_real(r, to, M_from_s, na_s(x->cell->start_ps));
	na_put_real(r, to, M_to_s, na_s(x->cell->end_ps));
	put_mean_ms(r, to, M_duration_ms, sums.duration_ps, 1);
	put_mean_ms(r, to, M_behind_ms, slowest ? t->late_ps : x->late_ps, 1);
	na_put_bool(r, to, M_slowest, slowest);
	na_put_text(r, to, M_cause,
		    slowest ? na_steps_cause_names[t->cause] : NULL);
	put_parts(r, to, s, t->run, &sums);
}

/* Of a thousand hosts in a thousand steps there are a million. */
static void put_step_hosts(struct na_result *r, const struct st_state *s)
{
	struct na_value *list;

	if (!s->scope->step_hosts)
		return;
	list = na_put_packed(r, na_result_side(r), M_step_hosts);
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];

		for (size_t k = t->from; k < t->to; k++)
			put_step_host(r, list, s, t, k);
	}
}

/* Of a host that is late as one: which of its ranks are. */
static void put_ranks(struct na_result *r, struct na_value *to,
		      const struct st_state *s, const struct st_host *h)
{
	struct na_value *list = na_put_list(r, to, M_ranks);

	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].unit == h)
			na_put_int(r, list, NULL,
				   na_steps_rank_of(s, s->hosts[i].host));
	}
}

static void put_straggler(struct na_result *r, struct na_value *list,
			  const struct st_state *s, const struct st_host *h)
{
	static const char *const kinds[ST_TESTS] = {"slow_step", M_starts_late,
						    M_takes_long, M_takes_long};
	const struct st_verdict *v = &h->tests[h->evidence];
	struct na_value *to = na_put_object(r, list, NULL);
	const char *kind = kinds[h->evidence];

	if (h->evidence == ST_OF_ENDS && h->cause == ST_LATE_START)
		kind = kinds[ST_OF_STARTS];
	put_label(r, to, s, h->run);
	na_put_text(r, to, M_host, host_name(s, h->host));
	if (h->n_ranks) {
		na_put_null(r, to, M_rank);
		put_ranks(r, to, s, h);
	} else {
		put_rank(r, to, s, h->host);
	}
	na_put_text(r, to, M_cause, na_steps_cause_names[h->cause]);
	na_put_text(r, to, M_kind, kind);
	na_put_text(r, to, M_of,
		    h->evidence == ST_OF_STEPS ? "steps" : "collectives");
	put_share(r, to, M_share, (double)v->last, (double)v->n);
	put_share(r, to, M_expected_share, v->expected, (double)v->n);
	na_put_int(r, to, M_times, (int64_t)v->last);
	na_put_int(r, to, M_tried, (int64_t)v->n);
	na_put_null(r, to, M_p_value);
	na_put_null(r, to, M_q_value);
	na_put_real(r, to, M_posterior, 1 / (1 + exp(-v->log_odds)));
	na_put_real(r, to, M_odds, exp(fmin(v->log_odds, 700)));
	put_mean_ms(r, to, M_behind_ms, v->effect_ps, 1);
	put_mean_ms(r, to, M_lost_ms, v->lost_ps, 1);
	na_put_real(r, to, M_cost_ms_per_step, na_steps_cost_ms(h));
	if (na_steps_cost_is(h))
		na_put_text(r, to, M_cost_is, na_steps_cost_is(h));
	if (na_steps_own_ms(h) > 0 && h->gain_ps < 0)
		na_put_real(r, to, M_own_ms_per_step, na_steps_own_ms(h));
	if (na_steps_together(s, h))
		put_mean_ms(r, to, M_together_ms_per_step, h->together_ps, 1);
	na_put_bool(r, to, M_starts_late, h->tests[ST_OF_STARTS].named);
	na_put_bool(r, to, M_takes_long, h->tests[ST_OF_TRANSFERS].named);
}

static void put_change(struct na_result *r, struct na_value *list,
		       const struct st_state *s, const struct st_change *c)
{
	struct na_value *to = na_put_object(r, list, NULL);

	put_label(r, to, s, c->run);
	na_put_text(r, to, M_kind, c->drift ? "drift" : "change");
	na_put_text(r, to, M_host,
		    c->host == NA_UNKNOWN_U32 ? NULL : host_name(s, c->host));
	na_put_int(r, to, M_step, c->step);
	na_put_real(r, to, M_from_ms, c->from_ms);
	na_put_real(r, to, M_to_ms, c->to_ms);
	na_put_real(r, to, M_p_value, c->p);
}

static void put_late_group(struct na_result *r, struct na_value *list,
			   const struct st_state *s,
			   const struct st_late_group *g)
{
	const struct na_store *store = s->scope->store;
	const struct st_verdict *v = &g->v;
	struct na_value *to = na_put_object(r, list, NULL), *hosts;
	char name[NA_ABSENT_BUF];

	na_put_text(r, to, M_name,
		    na_absent_print(name, &s->absent.groups[g->group], store));
	hosts = na_put_list(r, to, M_hosts);
	for (size_t h = store->n_sources; h < store->n_hosts; h++) {
		if (s->absent.of[h] == g->group)
			na_put_text(r, hosts, NULL, store->hosts[h].name);
	}
	na_put_bool(r, to, M_late, v->named);
	na_put_int(r, to, M_times, (int64_t)v->last);
	na_put_int(r, to, M_tried, (int64_t)v->n);
	put_share(r, to, M_expected_share, v->expected, (double)v->n);
	na_put_real(r, to, M_p_value, g->p);
	put_mean_ms(r, to, M_behind_ms, v->effect_ps, v->last > 0);
	put_mean_ms(r, to, M_lost_ms, v->lost_ps, v->last > 0);
}

static void put_without_file(struct na_result *r, struct na_value *body,
			     const struct st_state *s)
{
	struct na_value *list = NULL;

	for (size_t i = 0; i < s->late_groups.n; i++) {
		const struct st_late_group *g = &s->late_groups.v[i];

		if (!g->v.n)
			continue;
		list = list ? list : na_put_list(r, body, M_without_file);
		put_late_group(r, list, s, g);
	}
}

/* Of GPUs that have no steps of their own. */
static void put_told(struct na_result *r, struct na_value *to,
		     const struct st_state *s)
{
	size_t n[NA_STEP_BY_TIME + 1];

	na_steps_count_told(s, n);
	if (n[NA_STEP_BY_GROUP])
		na_put_int(r, to, M_devices_by_group,
			   (int64_t)n[NA_STEP_BY_GROUP]);
	if (n[NA_STEP_BY_LAUNCH] + n[NA_STEP_BY_TIME])
		na_put_int(r, to, M_devices_by_marker,
			   (int64_t)(n[NA_STEP_BY_LAUNCH] +
				     n[NA_STEP_BY_TIME]));
	if (n[NA_STEP_BY_TIME])
		na_put_int(r, to, M_devices_by_time,
			   (int64_t)n[NA_STEP_BY_TIME]);
}

static void put_coverage(struct na_result *r, struct na_value *body,
			 const struct st_state *s)
{
	struct na_value *to = na_put_object(r, body, M_device_steps);
	size_t programs = 0, lines = 0, launches = 0;

	for (size_t i = 0; i < s->n_lines; i++) {
		bool any = s->lines[i].cell_to > s->lines[i].cell_from;

		lines += any;
		launches += any && i >= s->scope->store->devices.n_cores;
		programs += s->lines[i].programs;
	}
	na_put_int(r, to, M_used, (int64_t)s->used.n);
	na_put_int(r, to, M_filtered, (int64_t)s->filtered);
	na_put_int(r, to, M_repeated, (int64_t)s->repeated);
	na_put_int(r, to, M_unnamed, (int64_t)s->unnamed);
	na_put_int(r, to, M_cut, (int64_t)s->cut);
	na_put_int(r, to, M_devices, (int64_t)lines);
	na_put_int(r, to, M_devices_by_program, (int64_t)programs);
	na_put_int(r, to, M_devices_by_launch, (int64_t)launches);
	put_told(r, to, s);
	na_put_bool(r, to, M_numbered_by_order, s->by_order);
	if (s->scope->store->n_runs == 1 && na_steps_enough(s, 0))
		na_put_int(r, to, M_steps_needed,
			   (int64_t)na_steps_enough(s, 0));
}

/* Of launches nobody knows how many there are among the transfers that are
 * left out. */
static void put_left_out(struct na_result *r, const struct st_state *s)
{
	bool launches = !s->n_cells && !s->filtered;

	for (size_t i = 0; !launches && i < s->n_cells; i++)
		launches = s->cells[i].launch;
	if (launches) {
		na_result_word(r, NA_WORD_LEFT_NOUN, "transfer");
		return;
	}
	na_result_about(r)->filtered = (int64_t)s->filtered;
	na_result_about(r)->left_out =
		(int64_t)(s->filtered + s->repeated + s->unnamed);
}

static bool has_gpus(const struct na_store *s)
{
	for (size_t i = 0; i < s->devices.n_cores; i++) {
		if (s->devices.cores[i].kind == NA_DEVICE_GPU)
			return true;
	}
	return false;
}

/* A wider window that has some; a slice has them no more. */
static void say_filtered(struct na_result *r, const struct st_state *s)
{
	const struct na_scope *scope = s->scope;
	struct na_filter wide = *scope->filter;
	bool gone = scope->beyond_slices &&
		    na_wider_filter(scope->store, &wide) &&
		    scope->beyond_slices(scope->beyond_ctx, &wide);
	char wider[NA_WINDOW_BUF];

	na_wider_window(wider, scope->store, scope->filter);
	na_result_wordf(r, NA_WORD_EMPTY,
			"the filters leave none of %s device steps%s%s%s%s",
			na_grouped(s->filtered), *wider ? "; " : "",
			gone ? "the slice holds no more; of the original: "
			     : "",
			wider, *wider ? " holds whole ones" : "");
}

static void say_nothing(struct na_result *r, const struct st_state *s)
{
	if (s->filtered) {
		say_filtered(r, s);
		return;
	}
	if (na_store_of_ranks(s->scope->store)) {
		na_result_word(r, NA_WORD_EMPTY,
			       "no steps: looked for \"ProfilerStep#N\" in "
			       "traces of the PyTorch profiler, and for NVTX "
			       "ranges such as \"step 3\" in exports of nsys");
		na_result_word(r, NA_WORD_HINT,
			       "call prof.step() in the training loop, or mark "
			       "each step with torch.cuda.nvtx.range_push("
			       "\"step 3\")");
		return;
	}
	na_result_word(r, NA_WORD_EMPTY,
		       "no steps: looked for the lines \"Steps\" and \"XLA "
		       "Modules\" on device planes (\"/device:TPU:0\", "
		       "\"/device:GPU:0\"), for kernels of GPUs with a "
		       "group_id or launched in a step marker of the host "
		       "(step_num), and for transfers that name their "
		       "program launch");
	na_result_word(
		r, NA_WORD_HINT,
		s->scope->filter->first_step >= 0
			? "--step chooses steps of device planes: of program "
			  "launches choose with --from and --to"
		: has_gpus(s->scope->store)
			? "mark each step of the training loop: with "
			  "jax.profiler.StepTraceAnnotation(\"train\", "
			  "step_num=i), in TensorFlow with "
			  "tf.profiler.experimental.Trace(\"train\", "
			  "step_num=i, _r=1)"
			: "capture with device tracing on, while the job "
			  "trains");
}

/* Of several runs only the verdict tells it. */
static void put_hiccup(struct na_result *r, const struct st_state *s)
{
	struct na_value *side = na_result_side(r);
	const struct st_hiccup *x = s->hiccups;

	if (s->scope->store->n_runs != 1 || !s->used.n || !x->step)
		return;
	na_put_text(r, side, M_hiccup,
		    na_result_say(r, na_steps_hiccup(r, s, x)));
	na_put_int(r, side, M_hiccup_at, x->step - s->steps);
}

/* With --top pictures still know them all. */
static bool put_steps(struct na_result *r, struct na_value *body,
		      const struct st_state *s)
{
	struct na_value *list = na_put_list(r, body, M_steps), *all = list;
	size_t top = s->scope->top;
	bool cut = top && top < s->n_steps;

	if (cut)
		all = na_put_list(r, na_result_side(r), M_steps);
	for (size_t i = 0; i < s->n_steps; i++)
		put_step(r, all, s, &s->steps[i]);
	if (!cut)
		return true;
	na_put_count(r, body, M_steps_not_listed, s->n_steps - top);
	return na_steps_put_longest(r, list, all, top);
}

enum na_status na_steps_finish(void *state, struct na_result *r,
			       struct na_err *err)
{
	struct st_state *s = state;
	struct na_value *body = na_result_body(r), *list;
	enum na_status st = na_steps_find_costs(s, err);

	if (st != NA_OK)
		return st;
	*s->scope->used = s->used;
	na_result_word(r, NA_WORD_NOUN, "device step");
	put_left_out(r, s);
	if (!s->used.n)
		say_nothing(r, s);
	if (!put_steps(r, body, s))
		return na_fail_nomem(err);
	list = na_put_list(r, body, M_hosts);
	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].n)
			put_host(r, list, s, &s->hosts[i]);
	}
	list = na_put_list(r, body, M_stragglers);
	for (size_t i = 0; i < s->n_stragglers; i++)
		put_straggler(r, list, s, s->stragglers[i]);
	list = na_put_list(r, body, M_changes);
	for (size_t i = 0; i < s->changes.n; i++)
		put_change(r, list, s, &s->changes.v[i]);
	put_without_file(r, body, s);
	put_coverage(r, body, s);
	na_put_text(r, body, M_verdict,
		    s->used.n ? na_steps_verdict(r, s) : NULL);
	put_hiccup(r, s);
	na_steps_put_picture(r, s);
	put_step_hosts(r, s);
	na_steps_views(r, s);
	return na_result_ok(r) ? NA_OK : na_fail_nomem(err);
}
