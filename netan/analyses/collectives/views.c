/* collectives: what a person sees in a terminal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/collectives/collectives.h"

enum { SHOWN = 40, SHOWN_MISSING = 20 };

/* Neither null nor a count of none. */
static bool any(const struct na_value *list, const char *path)
{
	const struct na_value *v, *row = list ? list->u.of.first : NULL;

	for (; row; row = row->next) {
		v = na_dig(row, path);
		if (v && v->kind != NA_V_NULL &&
		    (v->kind != NA_V_INT || v->u.i))
			return true;
	}
	return false;
}

static void main_view(struct na_result *r, const struct co_state *s,
		      const struct na_value *list)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_key "." M_label, "label", NA_F_TEXT, 0, 0},
		{M_collective, "collective", NA_F_TEXT, 0, 0},
		{M_module, "module", NA_F_TEXT, 0, 0},
		{M_transfer_type, "type", NA_F_TEXT, 0, 0},
		{M_network, "network", NA_F_TEXT, 0, 0},
		{M_participants, "devices", NA_F_COUNT, 0, 0},
		{M_missing_count, "missing", NA_F_COUNT, 0, 0},
		{M_not_captured, "not captured", NA_F_COUNT, 0, 0},
		{M_executions, "executions", NA_F_COUNT, 0, 0},
		{M_bytes, "MB", NA_F_NUMBER, 4, 1e-6},
		{M_transfer_bytes, "received MB", NA_F_NUMBER, 4, 1e-6},
		{M_p50_us, "p50 us", NA_F_NUMBER, 4, 0},
		{M_p99_us, "p99 us", NA_F_NUMBER, 4, 0},
		{M_bandwidth_gbps, "Gbit/s", NA_F_NUMBER, 4, 0},
		{M_bus_gbps, "bus Gbit/s", NA_F_NUMBER, 4, 0},
		{M_waiting_share, "waiting %", NA_F_NUMBER, 3, 100},
	};
	/* clang-format on */
	enum { ALL = sizeof(cols) / sizeof(cols[0]) };
	struct na_column some[ALL];
	size_t n = 0;

	/* Columns that nobody fills only take room. */
	for (size_t i = 0; i < ALL; i++) {
		if (any(list, cols[i].field))
			some[n++] = cols[i];
	}
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL), list,
		       NULL, some, n, s->scope->top ? 0 : SHOWN);
}

static const char *name_of(const struct na_value *row)
{
	return na_text_of(na_get(row, M_collective),
			  na_text_of(na_get(row, M_transfer_type), NULL));
}

/* Of all rows, one below the other. */
static void missing_view(struct na_result *r, const struct na_value *list)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_collective, "missing in", NA_F_TEXT, 0, 0},
		{M_device, "device", NA_F_TEXT, 0, 0},
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_executions, "executions", NA_F_COUNT, 0, 0},
		{M_of, "of", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	struct na_value *all = na_put_list(r, na_result_side(r), M_missing);
	const struct na_value *row = list ? list->u.of.first : NULL;

	for (; row; row = row->next) {
		const struct na_value *m = na_get(row, M_missing);

		for (m = m ? m->u.of.first : NULL; m; m = m->next) {
			struct na_value *to = na_put_object(r, all, NULL);

			na_put_text(r, to, M_collective, name_of(row));
			na_put_text(r, to, M_device,
				    na_text_of(na_get(m, M_device), NULL));
			na_put_text(r, to, M_host,
				    na_text_of(na_get(m, M_host), NULL));
			na_put_int(r, to, M_executions,
				   na_int_of(na_get(m, M_executions), 0));
			na_put_int(r, to, M_of, na_int_of(na_get(m, M_of), 0));
		}
	}
	if (all && all->n)
		na_result_view(r,
			       "devices that should execute and do not, or "
			       "not as often",
			       all, NULL, cols, sizeof(cols) / sizeof(cols[0]),
			       SHOWN_MISSING);
}

static void put_waiting(struct na_result *r, struct na_value *all,
			const struct na_value *row)
{
	static const char *const reals[][2] = {
		{M_mean_us, M_waiting_us "." M_mean},
		{M_p99_us, M_waiting_us "." M_p99},
		{"skew_p50_us", M_start_skew_us "." M_p50},
		{"skew_max_us", M_start_skew_us "." M_max},
	};
	struct na_value *to = na_put_object(r, all, NULL);

	na_put_text(r, to, M_collective, name_of(row));
	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
		na_put_real(r, to, reals[i][0],
			    na_real_of(na_dig(row, reals[i][1]), NAN));
	na_put_int(r, to, M_times,
		   na_int_of(na_dig(row, M_last_device "." M_count), 0));
	na_put_int(r, to, M_of, na_int_of(na_get(row, M_instances), 0));
	na_put_text(r, to, M_device,
		    na_text_of(na_dig(row, M_last_device "." M_device), NULL));
	na_put_text(r, to, M_host,
		    na_text_of(na_dig(row, M_last_device "." M_host), NULL));
}

/* Who keeps the others waiting. */
static void waiting_view(struct na_result *r, const struct na_value *list)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_collective, "waiting in", NA_F_TEXT, 0, 0},
		{M_mean_us, "mean us", NA_F_NUMBER, 4, 0},
		{M_p99_us, "p99 us", NA_F_NUMBER, 4, 0},
		{"skew_p50_us", "starts apart, p50 us", NA_F_NUMBER, 4, 0},
		{"skew_max_us", "max us", NA_F_NUMBER, 4, 0},
		{M_device, "most often last", NA_F_TEXT, 0, 0},
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_times, "times", NA_F_COUNT, 0, 0},
		{M_of, "of", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	struct na_value *all = na_put_list(r, na_result_side(r), M_waiting);
	const struct na_value *row = list ? list->u.of.first : NULL;

	for (; row; row = row->next) {
		if (!isnan(na_real_of(na_dig(row, M_start_skew_us "." M_p50),
				      NAN)))
			put_waiting(r, all, row);
	}
	if (all && all->n)
		na_result_view(r, "executions on all their devices", all, NULL,
			       cols, sizeof(cols) / sizeof(cols[0]), SHOWN);
}

static void reductions_view(struct na_result *r, const struct na_value *list)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_label, "label", NA_F_TEXT, 0, 0},
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_count, "reductions", NA_F_COUNT, 0, 0},
		{M_p50_us, "p50 us", NA_F_NUMBER, 4, 0},
		{M_p99_us, "p99 us", NA_F_NUMBER, 4, 0},
		{M_total_s, "total s", NA_F_NUMBER, 4, 0},
		{M_ratio, "ratio to others", NA_F_NUMBER, 3, 0},
		{M_z, "robust z", NA_F_NUMBER, 3, 0},
	};
	/* clang-format on */
	bool labels = any(list, "label");

	if (list && list->n)
		na_result_view(r, "reductions on hosts", list, NULL,
			       labels ? cols : cols + 1,
			       sizeof(cols) / sizeof(cols[0]) - !labels, SHOWN);
}

enum { SAID = 400 };

/* "; 14 collectives inside a slice" */
static void append(char text[SAID], uint64_t n, const char *what,
		   const char *more)
{
	char count[NA_UNIT_BUF];
	size_t at = strlen(text);

	if (n)
		snprintf(text + at, SAID - at, "%s%s %s%s %s", at ? "; " : "",
			 na_print_count(count, n), what, n == 1 ? "" : "s",
			 more);
}

/* "14 collectives over the data-center network, 3.2 GB received per step" */
void co_say(struct na_result *r, struct co_state *s,
	    const struct co_total t[NA_N_NETWORKS])
{
	static const char *const where[NA_N_NETWORKS] = {
		"over the data-center network", "inside a slice",
		"between GPUs"};
	const char *what = s->by_type ? "type" : "collective";
	char text[SAID] = "", size[NA_UNIT_BUF];
	uint64_t steps = 0, missing = 0;

	/* Runs side by side are never added up. */
	if (s->scope->store->n_runs == 1)
		steps = s->steps[0].n;
	for (int k = 0; k < NA_N_NETWORKS; k++) {
		size_t at;

		missing += t[k].missing;
		append(text, t[k].rows, what, where[k]);
		at = strlen(text);
		if (k == NA_NET_DCN && t[k].rows && steps && s->step_bytes > 0)
			snprintf(text + at, SAID - at, ", %s received per step",
				 na_print_bytes(size,
						(double)s->step_bytes /
							(double)steps,
						3));
	}
	append(text, missing, "device", "missing");
	s->missing = missing;
	na_result_word(r, NA_WORD_MESSAGE, text);
	na_result_word(r, NA_WORD_NOUN,
		       !s->n_transfers    ? "execution"
		       : !s->n_executions ? "transfer"
					  : "transfers and execution");
}

/* Transfers that no filter lets through are the command line's to tell. */
static void say_nothing(struct na_result *r, const struct co_state *s)
{
	const struct na_store *store = s->scope->store;
	uint64_t seen = 0;

	for (int k = 0; k < NA_N_CLASSES; k++)
		seen += na_store_count(store, SIZE_MAX, NA_RX,
				       (enum na_class)k) +
			na_store_count(store, SIZE_MAX, NA_TX,
				       (enum na_class)k);
	if (seen)
		return;
	if (store->graphs.n || store->ops.n) {
		na_result_word(r, NA_WORD_EMPTY,
			       "the filters leave no collective");
		return;
	}
	na_result_word(
		r, NA_WORD_EMPTY,
		"no collectives: looked for graph executions and transfers "
		"on the plane \"/device:CUSTOM:Megascale Trace\", for "
		"\"MegaScale: Communication Transport Receive\" on "
		"\"/host:CPU\", for collective operations (all-reduce, "
		"all-gather, ...) on \"XLA Ops\" of \"/device:TPU:N\", and "
		"for NCCL kernels on \"/device:GPU:N\"");
	na_result_word(
		r, NA_WORD_HINT,
		"what was recorded computes on each device alone, or the "
		"profiler was not asked for devices; netan info tells what "
		"is in the input");
}

void co_views(struct na_result *r, const struct co_state *s)
{
	struct na_value *body = na_result_body(r);
	const struct na_value *list = na_get(body, M_collectives);
	int64_t hidden = na_int_of(na_get(body, M_collectives_not_shown), 0);
	int64_t unpaired = na_int_of(na_get(body, M_unpaired), 0);

	if (!list || !list->n) {
		say_nothing(r, s);
		return;
	}
	main_view(r, s, list);
	if (hidden)
		na_result_note(r, "%lld more collectives are not shown (--top)",
			       (long long)hidden);
	missing_view(r, list);
	waiting_view(r, list);
	reductions_view(r, na_get(body, M_reductions));
	if (unpaired)
		na_result_note(r,
			       "%lld operations that start without a -done, or "
			       "the reverse, are not counted: the trace begins "
			       "or ends between them",
			       (long long)unpaired);
}
