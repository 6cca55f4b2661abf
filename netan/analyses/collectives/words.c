/* collectives: what a person sees in a terminal. */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/collectives/state.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

enum { SHOWN = 40, SHOWN_MISSING = 20 };

/* Neither null nor a count of none. */
static bool fills(const struct na_value *row, const char *path)
{
	const struct na_value *v = na_dig(row, path);

	return v && v->kind != NA_V_NULL && (v->kind != NA_V_INT || v->u.i);
}

static bool any(const struct na_value *list, const char *path)
{
	na_for_each (row, list) {
		if (fills(row, path))
			return true;
	}
	return false;
}

static void main_view(struct na_result *r, const struct coll_state *s,
		      const struct na_value *list)
{
	static const struct na_column cols[] = {
		{M_key "." M_label, "label", NA_F_TEXT},
		{M_collective},
		{M_group},
		{M_executions},
		{M_started},
		{M_queued},
		{M_bytes},
		{M_p50_us},
		{M_p99_us},
		{M_bandwidth_gbps},
		{M_missing_count},
		{M_waiting_share},
		{M_bus_gbps},
		{M_participants},
		{M_transfer_type},
		{M_transfer_bytes},
		{M_not_captured},
		{M_network},
		{M_module},
	};
	enum { ALL = sizeof(cols) / sizeof(cols[0]) };
	struct na_column some[ALL];
	bool filled[ALL] = {false};
	size_t n = 0;

	na_each_row (row, list) {
		for (size_t i = 0; i < ALL; i++)
			filled[i] = filled[i] || fills(row, cols[i].field);
	}
	/* Columns that nobody fills only take room; those that matter most come
	 * first. */
	for (size_t i = 0; i < ALL; i++) {
		if (filled[i])
			some[n++] = cols[i];
	}
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL), list,
		       &na_table_collectives_collective_row, some, n,
		       s->scope->top ? 0 : SHOWN);
}

static void put_name(struct na_result *r, struct na_value *to,
		     const struct na_value *row)
{
	na_put_text(r, to, M_name,
		    na_text_or(row, M_collective,
			       na_text_or(row, M_transfer_type, NULL)));
}

/* Of all rows, one below the other. */
static void missing_view(struct na_result *r, const struct na_value *list)
{
	struct na_value *all = na_put_list(r, na_result_side(r), M_missing);

	na_each_row (row, list) {
		na_for_each (m, na_get(row, M_missing)) {
			struct na_value *to;

			if (all && all->n >= SHOWN_MISSING) {
				na_put_more_rows(all, 1);
				continue;
			}
			to = na_put_object(r, all, NULL);
			put_name(r, to, row);
			na_put_alias(r, to, M_missing, m);
		}
	}
	if (all && all->n)
		na_result_view(r, na_result_say(r, na_fact_title_missing()),
			       all, &na_table_collectives_shown_missing,
			       NA_COLUMNS({M_name}, {M_missing "." M_device},
					  {M_missing "." M_host},
					  {M_missing "." M_executions},
					  {M_missing "." M_of}),
			       SHOWN_MISSING);
}

#define HOST_OF_LAST M_row "." M_last_device "." M_host

static const struct na_column waiting_columns[] = {
	{M_name},
	{M_row "." M_group},
	{M_row "." M_last_device "." M_device},
	{HOST_OF_LAST},
	{M_row "." M_waiting_us "." M_mean},
	{M_row "." M_waiting_us "." M_p99},
	{M_row "." M_start_skew_us "." M_p50},
	{M_row "." M_start_skew_us "." M_max},
	{M_times},
	{M_row "." M_instances},
};

/* Recorders tell when operations were queued, and nobody waits by then. */
static bool all_queued(const struct na_value *list)
{
	na_for_each (x, list) {
		if (strcmp(na_text_at(x, M_row "." M_arrival), "queue") != 0)
			return false;
	}
	return true;
}

static const struct na_column queued_columns[] = {
	{M_name, "collective"},
	{M_row "." M_group},
	{M_row "." M_last_device "." M_device, "most often queued last"},
	{HOST_OF_LAST},
	{M_row "." M_start_skew_us "." M_p50, "queued apart, p50 us"},
	{M_row "." M_start_skew_us "." M_max},
	{M_times},
	{M_row "." M_instances},
};

/* Who keeps the others waiting, or queues last. */
static void waiting_view(struct na_result *r, const struct na_store *store,
			 const struct na_value *list)
{
	struct na_value *all = na_put_list(r, na_result_side(r), M_waiting);
	bool hostless = na_store_of_ranks(store) && !store->ranked.hosts;
	struct na_column some[NA_LEN(waiting_columns)];
	const struct na_column *cols = waiting_columns;
	size_t n = 0, n_cols = NA_LEN(waiting_columns);
	bool queued;

	na_each_row (row, list) {
		struct na_value *to;

		if (isnan(na_number_at(row, M_start_skew_us "." M_p50)))
			continue;
		if (all && all->n >= SHOWN) {
			na_put_more_rows(all, 1);
			continue;
		}
		to = na_put_object(r, all, NULL);
		put_name(r, to, row);
		na_put_alias(r, to, M_row, row);
		na_put_int(r, to, M_times,
			   na_count_at(row, M_last_device "." M_count));
	}
	if (!all || !all->n)
		return;
	queued = all_queued(all);
	if (queued) {
		cols = queued_columns;
		n_cols = NA_LEN(queued_columns);
	}
	for (size_t i = 0; i < n_cols; i++) {
		bool group = strcmp(cols[i].field, M_row "." M_group) == 0;
		bool host = strcmp(cols[i].field, HOST_OF_LAST) == 0;

		if ((!group || any(all, cols[i].field)) && (!host || !hostless))
			some[n++] = cols[i];
	}
	na_result_view(
		r, na_result_say(r, na_fact_title_waiting(queued, hostless)),
		all, &na_table_collectives_shown_waiting, some, n, SHOWN);
}

/* Of ranks: every execution is in --format csv. */
static void executions_view(struct na_result *r, const struct na_value *list)
{
	static const struct na_column cols[] = {
		{M_from_s},      {M_collective},    {M_group},     {M_sequence},
		{M_by},          {M_state},         {M_last_rank}, {M_skew_us},
		{M_transfer_us}, {M_end_spread_us}, {M_bytes},
	};
	struct na_column some[NA_LEN(cols)];
	bool states = false;
	size_t n = 0;

	if (!list || !list->n)
		return;
	na_each_row (row, list)
		states = states || fills(row, M_state);
	for (size_t i = 0; i < NA_LEN(cols); i++) {
		if (states || strcmp(cols[i].field, M_state) != 0)
			some[n++] = cols[i];
	}
	na_result_view(r, na_result_say(r, na_fact_title_executions(states)),
		       list, &na_table_collectives_rank_execution, some, n,
		       SHOWN_MISSING);
}

static void reductions_view(struct na_result *r, const struct na_value *list)
{
	static const struct na_column cols[] = {
		{M_label},  {M_host},    {M_count}, {M_p50_us},
		{M_p99_us}, {M_total_s}, {M_ratio},
	};
	bool labels = any(list, M_label);

	if (list && list->n)
		na_result_view(r, na_result_say(r, na_fact_title_reductions()),
			       list, &na_table_collectives_result_reductions,
			       labels ? cols : cols + 1,
			       sizeof(cols) / sizeof(cols[0]) - !labels, SHOWN);
}

/* Is there no rank on a GPU? */
static bool all_on_cpus(const struct na_store *store)
{
	for (size_t i = 0; i < store->n_sources; i++) {
		if (!store->sources[i].on_cpus && !store->sources[i].capture)
			return false;
	}
	return store->n_sources > 0;
}

/* Recorders tell of operations that may not have run. */
static bool queued_alone(const struct coll_state *s)
{
	const struct na_store *store = s->scope->store;

	for (size_t i = 0; i < store->n_sources; i++) {
		if (store->sources[i].told != NA_TOLD_RECORDER)
			return false;
	}
	return store->n_sources > 0;
}

/* "14 collectives over the data-center network, 3.2 GB received per step" */
void na_collectives_say(struct na_result *r, struct coll_state *s,
			const struct coll_total t[NA_N_NETWORKS])
{
	struct na_str said = {0};
	char size[NA_UNIT_BUF] = "";
	uint64_t steps = 0;

	/* Runs side by side are never added up. */
	if (s->scope->store->n_runs == 1)
		steps = s->steps[0].n;
	for (int k = 0; k < NA_N_NETWORKS; k++) {
		bool cpus = k == NA_NET_GPU && all_on_cpus(s->scope->store);

		s->missing += t[k].missing;
		if (!t[k].rows)
			continue;
		if (k == NA_NET_DCN && steps && s->step_bytes > 0)
			na_print_bytes(size,
				       (double)s->step_bytes / (double)steps,
				       3);
		na_str_addf(&said, "%s", said.n ? "; " : "");
		na_say_to(&said, na_fact_collectives_of_network(
					 (int64_t)t[k].rows, s->by_type,
					 k == NA_NET_ICI, cpus, k == NA_NET_GPU,
					 k == NA_NET_DCN ? size : NULL));
	}
	if (s->missing) {
		na_str_addf(&said, "%s", said.n ? "; " : "");
		na_say_to(&said, na_fact_devices_missing((int64_t)s->missing));
	}
	na_result_word(r, NA_WORD_MESSAGE, na_result_keep(r, &said));
	na_result_word(r, NA_WORD_NOUN,
		       queued_alone(s)    ? "operation"
		       : !s->n_transfers  ? "execution"
		       : !s->n_executions ? "transfer"
					  : "transfers and execution");
}

/* Operations between ranks, and not one of a kind that is told. */
static bool names_none(const struct na_store *store)
{
	na_each_record (struct na_comm, c, &store->comms) {
		if (c->operation != NA_OPCODE_OTHER)
			return false;
	}
	return store->comms.n;
}

static void say_empty(struct na_result *r, struct na_fact what,
		      struct na_fact hint)
{
	na_result_word(r, NA_WORD_EMPTY, na_result_say(r, what));
	na_result_word(r, NA_WORD_HINT, na_result_say(r, hint));
}

/* Transfers that no filter lets through are the command line's to tell. */
static void say_nothing(struct na_result *r, const struct coll_state *s)
{
	const struct na_store *store = s->scope->store;
	uint64_t seen = 0;

	for (int k = 0; k < NA_N_CLASSES; k++)
		seen += na_store_count(store, SIZE_MAX, NA_RX,
				       (enum na_class)k) +
			na_store_count(store, SIZE_MAX, NA_TX,
				       (enum na_class)k);
	/* Captures tell of no collectives, whatever is in the window. */
	if (seen || (s->clipped && na_store_of_captures(store)))
		return;
	if (names_none(store)) {
		say_empty(r,
			  na_fact_kernels_are_generic((int64_t)store->comms.n),
			  na_fact_profiler_names_operations());
	} else if (store->graphs.n || store->ops.n) {
		na_result_word(r, NA_WORD_EMPTY,
			       na_result_say(r, na_fact_filters_leave_none()));
	} else {
		bool ranks = na_store_of_ranks(store);

		say_empty(r, na_fact_no_collectives(ranks),
			  na_fact_why_no_collectives(ranks));
	}
}

/* Kernels of ranks that nothing tells how long they waited. */
static bool waits_unknown(const struct na_value *list)
{
	bool unknown = false;

	na_each_row (row, list)
		unknown = unknown || (na_get(row, M_algbw_gbps) &&
				      strcmp(na_text_or(row, M_arrival, ""),
					     "queue") != 0 &&
				      !(na_number_at(row, M_instances) > 0));
	return unknown;
}

/* What recorders tell is not what ran. */
static void note_queued(struct na_result *r, const struct na_value *list)
{
	int64_t begun = 0, waiting = 0;
	bool queued = false, none = false;

	na_each_row (row, list) {
		const char *arrival = na_text_or(row, M_arrival, "");

		queued |= strcmp(arrival, "queue") == 0;
		none |= strcmp(arrival, "none") == 0;
		begun += na_count_at(row, M_started);
		waiting += na_count_at(row, M_queued);
	}
	if (queued)
		na_result_note_fact(r, na_fact_recorders_tell_queueing());
	if (none)
		na_result_note_fact(r, na_fact_inputs_tell_no_times());
	if (begun > 0)
		na_result_note_fact(r, na_fact_executions_not_ended(begun));
	if (waiting > 0)
		na_result_note_fact(r, na_fact_operations_in_queue(waiting,
								   begun > 0));
}

void na_collectives_views(struct na_result *r, const struct coll_state *s)
{
	struct na_value *body = na_result_body(r);
	const struct na_value *list = na_get(body, M_collectives);
	int64_t hidden = na_count_at(body, M_collectives_not_shown);
	int64_t unpaired = na_count_at(body, M_unpaired);

	if (!list || !list->n) {
		say_nothing(r, s);
		return;
	}
	main_view(r, s, list);
	if (hidden)
		na_result_note_fact(r, na_fact_collectives_not_shown(hidden));
	missing_view(r, list);
	waiting_view(r, s->scope->store, list);
	na_collectives_links_views(r);
	executions_view(r, na_get(body, M_executions));
	reductions_view(r, na_get(body, M_reductions));
	if (waits_unknown(list))
		na_result_note_fact(r, na_fact_times_hold_waits());
	note_queued(r, list);
	if (unpaired)
		na_result_note_fact(r, na_fact_operations_unpaired(unpaired));
}
