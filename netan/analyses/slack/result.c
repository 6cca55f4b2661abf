/* slack: rows to the result, and the finding in words. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/slack/slack.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/methods/put.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/sort.h"

static const char *name_at(const struct sl_state *s, uint32_t name)
{
	const struct na_strtab *names = &s->scope->store->names.strings;

	return name < names->n ? na_strtab_at(names, name) : NULL;
}

static const char *op_name(const struct sl_state *s, uint32_t type)
{
	const struct na_op_types *types = &s->scope->store->devices.types;

	return type < types->n ? name_at(s, types->items[type].name) : NULL;
}

/* Of one quantity over the occurrences of a row. */
struct spread {
	double *x, *tmp; /* room for all occurrences */
};

enum field { SLACK, OBSERVED, STALL };

static int64_t field_of(const struct sl_occ *o, enum field f)
{
	return f == SLACK      ? o->slack_ps
	       : f == OBSERVED ? o->observed_ps
			       : o->stall_ps;
}

static void put_spread(struct na_result *r, struct na_value *in,
		       const struct sl_state *s, const struct sl_row *row,
		       enum field f, struct spread *w)
{
	/* clang-format off */
	static const char *const names[] = {M_slack_us, M_observed_us,
					    M_stall_us};
	static const struct { const char *name; double p; } of[] = {
		{M_p50, 0.5}, {M_p5, 0.05}, {M_min, 0},
		{M_p95, 0.95}, {M_max, 1},
	};
	/* clang-format on */
	const double means[] = {row->slack_us, row->observed_us, row->stall_us};
	struct na_value *to = na_put_object(r, in, names[f]);

	for (uint64_t i = 0; i < row->n; i++)
		w->x[i] = (double)field_of(&s->occs[s->order[row->first + i]],
					   f);
	na_sort_f64(w->x, w->tmp, row->n);
	na_put_real(r, to, M_mean, means[f]);
	/* The reference knows means alone. */
	for (size_t k = 0; k < NA_LEN(of); k++)
		na_put_real(r, to, of[k].name,
			    s->params->reference
				    ? NAN
				    : na_us(na_quantile_sorted(w->x, row->n,
							       of[k].p)));
}

static void put_bytes(struct na_result *r, struct na_value *to,
		      const struct sl_row *row)
{
	if (!row->sized)
		na_put_null(r, to, M_bytes);
	else if (row->mixed_bytes)
		na_put_real(r, to, M_bytes,
			    (double)row->bytes / (double)row->sized);
	else
		na_put_whole(r, to, M_bytes, row->bytes / (na_i128)row->sized);
	na_put_bool(r, to, M_bytes_estimated, row->sized && row->estimate);
}

static void put_rates(struct na_result *r, struct na_value *to,
		      const struct sl_state *s, const struct sl_row *row)
{
	put_bytes(r, to, row);
	na_put_real(r, to, M_required_gbps, row->required_gbps);
	na_put_real(r, to, M_achieved_gbps, row->achieved_gbps);
	na_put_int(r, to, M_devices_per_host, (int64_t)row->host_devices);
	if (isfinite(s->capacity_gbps) && row->sized)
		na_put_bool(r, to, M_bandwidth_bound, row->bound);
	else
		na_put_null(r, to, M_bandwidth_bound);
	na_put_real(r, to, M_network_p50_us, row->network_us);
	na_put_bool(r, to, M_slack_small, row->small);
}

static double share(na_i128 part, na_i128 whole)
{
	return whole > 0 ? (double)part / (double)whole : NAN;
}

/* As mean number of executions of the other in flight: at most 1. */
static void put_overlaps(struct na_result *r, struct na_value *to,
			 const struct sl_state *s, const struct sl_row *row)
{
	struct na_value *list = na_put_list(r, to, M_overlaps);
	uint32_t index = (uint32_t)(row - s->rows);
	size_t from = NA_BOUND(i, 0, s->n_overlaps,
			       s->overlaps[i].row >= index);

	for (size_t i = from; i < s->n_overlaps && i - from < SL_OVERLAPS &&
			      s->overlaps[i].row == index;
	     i++) {
		struct na_value *one = na_put_object(r, list, NULL);

		/* So that this is told as a table of its own, too. */
		na_put_text(r, one, M_of, name_at(s, row->collective));
		if (s->by.n)
			na_groups_put_key(r, one, &s->by, s->scope->store,
					  &s->groups, row->group, false);
		na_put_text(r, one, M_collective,
			    name_at(s, s->overlaps[i].collective));
		na_put_real(r, one, M_share,
			    fmin(share(s->overlaps[i].ps, row->observed_ps),
				 1));
	}
}

static void put_row(struct na_result *r, struct na_value *list,
		    const struct sl_state *s, const struct sl_row *row,
		    struct spread *w)
{
	static const char *const parts[SL_PARTS] = {M_send_us, M_send_done_us,
						    M_recv_us, M_recv_done_us};
	struct na_value *to = na_put_object(r, list, NULL);

	na_put_text(r, to, M_collective, name_at(s, row->collective));
	na_groups_put_key(r, to, &s->by, s->scope->store, &s->groups,
			  row->group, false);
	na_put_text(r, to, M_transfer_type, name_at(s, row->transfer_type));
	na_put_text(r, to, M_send_op, op_name(s, row->send_type));
	na_put_text(r, to, M_recv_op, op_name(s, row->recv_type));
	na_put_int(r, to, M_occurrences, (int64_t)row->n);
	na_put_int(r, to, M_devices, (int64_t)row->devices);
	for (enum field f = SLACK; f <= STALL; f++)
		put_spread(r, to, s, row, f, w);
	for (int p = 0; p < SL_PARTS; p++)
		na_put_real(r, to, parts[p],
			    na_slack_mean_us(s, row->part_ps[p], row->n));
	na_put_real(r, to, M_host_stall_us,
		    na_slack_mean_us(s, row->host_stall_ps, row->graphs));
	na_put_int(r, to, M_graphs, (int64_t)row->graphs);
	na_put_real(r, to, M_total_stall_us, na_slack_total_stall_us(s, row));
	na_put_real(r, to, M_stall_share, share(row->stall_ps, row->step_ps));
	put_rates(r, to, s, row);
	put_overlaps(r, to, s, row);
}

static bool put_rows(struct na_result *r, struct na_value *body,
		     const struct sl_state *s)
{
	struct na_value *list = na_put_list(r, body, M_collectives);
	size_t top = s->scope->top ? s->scope->top : SL_TOP;
	struct spread w = {na_calloc(s->n, sizeof(double)),
			   na_calloc(s->n, sizeof(double))};

	for (size_t i = 0; w.x && w.tmp && i < s->n_rows && i < top; i++)
		put_row(r, list, s, &s->rows[s->ranked[i]], &w);
	na_put_int(r, body, M_not_listed,
		   s->n_rows > top ? (int64_t)(s->n_rows - top) : 0);
	free(w.tmp);
	free(w.x);
	return w.x && w.tmp;
}

static void put_left(struct na_result *r, struct na_value *body,
		     const struct sl_state *s)
{
	static const char *const names[SL_N_LEFT] = {M_ops_without_collective,
						     M_recv_done_before_send,
						     M_stray_ops,
						     M_unfinished,
						     M_outside_window,
						     M_other_hosts,
						     M_ops_outside_modules};
	struct na_value *to = na_put_object(r, body, M_left_out);

	for (size_t i = 0; i < SL_N_LEFT; i++)
		na_put_int(r, to, names[i], (int64_t)s->left[i]);
}

/* How the ops that were looked at got their collective, in kinds of ops. */
void na_slack_count_joins(const struct sl_state *s, uint64_t n[NA_N_OPJOINS])
{
	const struct na_op_types *types = &s->scope->store->devices.types;

	memset(n, 0, NA_N_OPJOINS * sizeof(*n));
	for (size_t i = 0; i < types->n; i++) {
		const struct na_op_type *t = &types->items[i];

		if (t->network == NA_NET_DCN && na_slack_part_of(t) != SL_PARTS)
			n[t->joined < NA_N_OPJOINS ? t->joined : 0]++;
	}
}

static void put_joins(struct na_result *r, struct na_value *body,
		      const struct sl_state *s)
{
	static const char *const names[NA_N_OPJOINS] = {
		M_none,   M_graph,     M_channel,
		M_suffix, M_long_name, M_instruction};
	struct na_value *to = na_put_object(r, body, M_joined);
	uint64_t n[NA_N_OPJOINS];

	na_slack_count_joins(s, n);
	for (int i = 0; i < NA_N_OPJOINS; i++)
		na_put_int(r, to, names[i], (int64_t)n[i]);
}

/* What the network has to do in the time that there is. */
static void say_need(char *to, size_t size, const struct sl_row *row)
{
	char slack[NA_UNIT_BUF], rate[NA_UNIT_BUF];

	na_print_time(slack, na_slack_clamp(row->slack_ps / (na_i128)row->n),
		      3);
	if (row->required_gbps > 0 && row->slack_us >= SL_LEAST_US)
		snprintf(to, size, "to hide behind %s of compute %s needs %s",
			 slack, row->host_devices > 1 ? "each device" : "it",
			 na_print_rate(rate, row->required_gbps * NA_GIGA, 3));
	else
		snprintf(to, size, "slack %s%s", slack,
			 row->sized ? ", which no rate can meet" : "");
}

/* "all-reduce.7: 1.9 s of 14 s step time stalled over 8 devices; to hide
 * behind 0.2 ms of compute each device needs 310 Gbit/s" */
static void put_message(struct na_result *r, const struct sl_state *s)
{
	const struct sl_row *row = s->n_rows ? &s->rows[s->ranked[0]] : NULL;
	char stall[NA_UNIT_BUF], of[NA_UNIT_BUF + 16] = "", buf[NA_UNIT_BUF];
	char need[2 * NA_UNIT_BUF + 64], key[300] = "";

	if (!row)
		return;
	if (row->step_ps > 0)
		snprintf(of, sizeof(of), " of %s step time",
			 na_print_time(buf, na_slack_clamp(row->step_ps), 3));
	if (s->by.n) {
		key[0] = ',';
		key[1] = ' ';
		na_groups_text(key + 2, sizeof(key) - 2, &s->by,
			       s->scope->store, &s->groups, row->group);
	}
	say_need(need, sizeof(need), row);
	na_result_wordf(
		r, NA_WORD_MESSAGE,
		"%s%s: %s%s stalled over %" PRIu64 " device%s; %s",
		name_at(s, row->collective), key,
		na_print_time(stall,
			      (int64_t)fmin(na_slack_total_stall_us(s, row) *
						    (double)NA_PS_PER_US,
					    9e18),
			      3),
		of, row->devices, na_plural(row->devices), need);
}

/* Executions. */
static uint64_t unwanted(const struct sl_state *s)
{
	return s->left[SL_OUTSIDE] + s->left[SL_ELSEWHERE] + s->left[SL_HOSTS];
}

/* Are there kinds of such ops, and a window in which none ran?  A slice of it
 * has no other ones, but their kinds. */
static bool looks_elsewhere(const struct sl_state *s)
{
	const struct na_filter *f = s->scope->filter;
	uint64_t kinds[NA_N_OPJOINS], n = 0;

	na_slack_count_joins(s, kinds);
	for (int i = 0; i < NA_N_OPJOINS; i++)
		n += kinds[i];
	return n && (f->from_ps != NA_TIME_MIN || f->to_ps != NA_TIME_MAX ||
		     f->first_step >= 0);
}

/* What was looked for, and what is there instead. */
static void say_nothing(struct na_result *r, const struct sl_state *s)
{
	const struct na_devices *v = &s->scope->store->devices;
	size_t tpus = 0;
	char n[NA_UNIT_BUF];

	for (size_t i = 0; i < v->n_cores; i++)
		tpus += v->cores[i].kind == NA_DEVICE_TPU;
	if (s->n || unwanted(s) || looks_elsewhere(s)) {
		na_result_word(r, NA_WORD_EMPTY,
			       "the filters leave no execution of a "
			       "collective");
		return;
	}
	if (!tpus) {
		na_result_word(
			r, NA_WORD_EMPTY,
			"no TPU ops: slack looks for send, send-done, recv "
			"and recv-done on the line \"XLA Ops\" of the "
			"planes \"/device:TPU:0\", ...");
		na_result_word(
			r, NA_WORD_HINT,
			"capture device traces as well, on the hosts that "
			"have TPUs; on GPUs, netan collectives and netan "
			"steps show what communication costs");
		return;
	}
	if (s->got.ops.n) {
		na_result_wordf(r, NA_WORD_EMPTY,
				"%s ops over the data-center network, but no "
				"collective from its send to its recv-done",
				na_print_count(n, s->got.ops.n));
		na_result_word(
			r, NA_WORD_HINT,
			s->params->reference
				? "--reference looks at device 0 and ops "
				  "inside program runs alone"
				: "capture whole steps; give the HLO dumps "
				  "with --hlo if names say too little");
		return;
	}
	na_result_wordf(r, NA_WORD_EMPTY,
			"%zu TPU planes without an op over the data-center "
			"network (send, send-done, recv, recv-done of a host "
			"transfer); %s other ops communicate",
			tpus, na_print_count(n, s->got.other_ops));
	na_result_word(r, NA_WORD_HINT,
		       "a job on one slice does not use that network: netan "
		       "collectives shows what it uses");
}

enum na_status na_slack_finish(void *state, struct na_result *r,
			       struct na_err *err)
{
	struct sl_state *s = state;
	struct na_value *body = na_result_body(r), *total;
	uint64_t filtered;

	*s->scope->used = s->used;
	if (!put_rows(r, body, s))
		return na_fail_nomem(err);
	na_put_text(r, body, M_verdict, s->verdict);
	put_message(r, s);
	na_put_text(r, body, M_finding,
		    na_result_get_word(r, NA_WORD_MESSAGE, NULL));
	total = na_put_object(r, body, M_total);
	na_put_int(r, total, M_occurrences, (int64_t)s->used.n);
	na_put_int(r, total, M_devices, (int64_t)s->devices);
	na_put_real(r, total, M_stall_us, na_us(s->stall_ps));
	na_put_real(r, total, M_step_time_us,
		    s->step_ps > 0 ? na_us(s->step_ps) : NAN);
	na_put_real(r, total, M_stall_share, share(s->stall_ps, s->step_ps));
	na_put_int(r, total, M_negative_slack, (int64_t)s->left[SL_NEGATIVE]);
	na_put_int(r, total, M_without_graph, (int64_t)s->left[SL_NO_GRAPH]);
	put_left(r, body, s);
	put_joins(r, body, s);
	na_put_bool(r, body, M_reference, s->params->reference);
	na_put_real(r, body, M_capacity_gbps, s->capacity_gbps);
	na_result_word(r, NA_WORD_NOUN, "collective execution");
	if (s->params->waterfall)
		na_result_word(r, NA_WORD_PICTURE, "waterfall");
	filtered = unwanted(s) + s->n - s->used.n;
	na_result_about(r)->filtered = (int64_t)filtered;
	na_result_about(r)->left_out =
		(int64_t)(s->left[SL_CUT] + s->left[SL_DONE_FIRST] + filtered);
	if (!s->used.n)
		say_nothing(r, s);
	na_slack_views(r, s);
	if (na_slack_put_late(s, r, err) != NA_OK)
		return err->status;
	na_slack_late_view(r);
	return NA_OK;
}
