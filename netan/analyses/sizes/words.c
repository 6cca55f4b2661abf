/* sizes: the sentences, and what a person sees in a terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/sizes/sizes.h"
#include "netan/analyses/sizes/state.h"
#include "netan/base/order.h"

enum { SHOWN_GROUPS = 20, SHOWN_SIZES = 20 };

/* Far above it, a transfer waits for its own copy to the host. */
#define VERY_LARGE (INT64_C(4) * (8 << 20))

/* Three digits must not make 100 % of what is only near. */
static const char *percent(struct na_result *r, double x)
{
	bool little = x > 0 && x < 0.001, nearly_all = x > 0.999 && x < 1;
	char buf[NA_UNIT_BUF];

	snprintf(buf, sizeof(buf), "%.3g", 100 * x);
	return na_result_say(r, na_fact_share_of_small(little, nearly_all,
						       isnan(x) ? NULL : buf));
}

/* Why many small transfers show nothing, as `check` has it; no fact: they do.
 * Of packets: requests and answers, which nobody can fuse. */
static struct na_fact shows_nothing(const struct na_store *store,
				    const struct sizes_sums *x)
{
	bool packets = na_store_of_captures(store);
	bool few = x->n < NA_SIZES_LEAST;

	if ((packets || na_store_of_ranks(store)) &&
	    (few || (packets && na_sizes_count_share(x) >= 1)))
		return na_fact_sizes_show_nothing(few);
	return (struct na_fact){NA_NO_FACT, {{0}}};
}

static struct na_fact advice_on(const struct na_store *store,
				const struct sizes_sums *x, int64_t half_bytes)
{
	bool packets = na_store_of_captures(store);

	if (na_sizes_many_small(x))
		return na_fact_advice_for_small(shows_nothing(store, x).id,
						packets);
	return half_bytes >= VERY_LARGE ? na_fact_advice_for_large(packets)
					: na_fact_sizes_need_no_change();
}

static void advise(struct na_result *r, const struct na_store *store,
		   const struct sizes_sums *x, int64_t half_bytes)
{
	const char *advice = na_result_say(r, advice_on(store, x, half_bytes));

	na_put_text(r, na_result_body(r), M_advice, advice);
	if (store->n_runs <= 1)
		na_result_note_fact(r, na_fact_what_to_change(advice));
}

static void say(struct na_result *r, struct na_fact fact)
{
	na_result_word(r, NA_WORD_MESSAGE, na_result_say(r, fact));
}

/* One answer for all, however they are grouped. */
static void say_one(struct na_result *r, const struct sizes_state *s,
		    const struct sizes_sums *x, int64_t half_bytes)
{
	char limit[NA_UNIT_BUF], half[NA_UNIT_BUF];
	const char *small = percent(r, na_sizes_count_share(x));
	bool many_small = na_sizes_many_small(x);
	struct na_fact nothing = shows_nothing(s->scope->store, x);
	const char *why = many_small && nothing.id ? na_result_say(r, nothing)
						   : NULL;

	na_print_bytes(limit, (double)s->params->small_bytes, 4);
	na_result_word(r, NA_WORD_DOUBT, why);
	if (why)
		say(r, na_fact_small_show_nothing(why, small, limit));
	else if (!many_small && half_bytes >= 0)
		say(r, na_fact_few_large(na_print_bytes(half,
							(double)half_bytes, 4),
					 small, limit));
	else
		say(r, na_fact_small_take_time(many_small, small, limit,
					       percent(r, na_sizes_time_share(
								  x))));
}

/* Runs side by side, each with its own verdict. */
static void say_runs(struct na_result *r, const struct sizes_state *s)
{
	size_t n = s->scope->store->n_runs, small = 0;
	struct sizes_sums *runs = na_calloc(n, sizeof(*runs));

	for (size_t i = 0; runs && i < s->sums.n; i++) {
		if (s->sums.v[i].n)
			na_sizes_add(&runs[s->sums.v[i].run], &s->sums.v[i]);
	}
	for (size_t i = 0; runs && i < n; i++)
		small += na_sizes_many_small(&runs[i]);
	free(runs);
	na_result_about(r)->runs_apart = true;
	say(r, na_fact_runs_have_sizes((int64_t)n, small == 0 || small == n,
				       (int64_t)small));
}

static void sums_view(struct na_result *r, const struct na_value *body,
		      const struct na_value *one)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_bytes}, {M_mean_bytes}, {M_half_bytes_size},
		{M_small_count_share}, {M_small_bytes_share},
		{M_small_time_share}, {M_fixed_cost_share},
		{M_transfers_per_execution}, {M_transfers_per_step},
		/* Of one group only: what sums up all has none. */
		{M_min_bytes}, {M_p50_bytes}, {M_p90_bytes}, {M_p99_bytes},
		{M_max_bytes},
	};
	/* clang-format on */
	enum { ALL = sizeof(cols) / sizeof(cols[0]), OF_GROUP = 5 };

	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL),
		       one ? one : na_get(body, M_total),
		       &na_table_sizes_size_group, cols,
		       one ? ALL : ALL - OF_GROUP, 0);
}

static void groups_view(struct na_result *r, const struct sizes_state *s,
			const struct na_value *groups)
{
	na_groups_view(r, na_result_say(r, na_fact_title_groups_by_bytes()),
		       &s->scope->by, NULL, groups, &na_table_sizes_size_group,
		       NA_COLUMNS({M_verdict}, {M_count}, {M_bytes, "MiB"},
				  {M_distinct_sizes}, {M_p50_bytes, "p50 KiB"},
				  {M_p99_bytes, "p99 KiB"},
				  {M_half_bytes_size, "half from KiB"},
				  {M_small_count_share, "small: count %"},
				  {M_small_bytes_share, "bytes %"},
				  {M_small_time_share, "time %"}),
		       s->scope->top ? 0 : SHOWN_GROUPS);
}

static void put_size(struct na_result *r, struct na_value *list,
		     const int64_t *cell, const struct na_value *one)
{
	struct na_value *row = na_put_object(r, list, NULL);
	double bytes = na_number_at(one, M_bytes);
	char buf[NA_UNIT_BUF];

	na_put_text(r, row, M_size, na_print_bytes(buf, (double)cell[0], 4));
	na_put_int(r, row, M_bytes, cell[0]);
	na_put_int(r, row, M_count, cell[1]);
	na_put_real(r, row, M_count_share,
		    (double)cell[1] / na_number_at(one, M_count));
	na_put_real(r, row, M_bytes_share,
		    bytes > 0 ? (double)cell[0] * (double)cell[1] / bytes
			      : NAN);
}

static size_t count_above(const int64_t *cells, size_t n, int64_t least)
{
	size_t above = 0;

	for (size_t i = 0; i < n; i++)
		above += cells[2 * i + 1] > least;
	return above;
}

/* The sizes that occur most, in ascending order; of equally frequent ones
 * the smallest. */
static struct na_value *frequent(struct na_result *r,
				 const struct na_value *one, size_t most)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_frequent);
	size_t n, equal;
	const int64_t *cells = na_rows_of(na_get(one, M_distinct), &n);
	/* By bisection: there may be as many sizes as transfers. */
	int64_t least = (int64_t)NA_BOUND(count, 0,
					  (size_t)na_count_at(one, M_count),
					  count_above(cells, n,
						      (int64_t)count) <= most);

	equal = n <= most ? 0 : most - count_above(cells, n, least);
	for (size_t i = 0; i < n; i++) {
		const int64_t *cell = &cells[2 * i];

		if (cell[1] > least || (cell[1] == least && equal)) {
			equal -= cell[1] == least;
			put_size(r, list, cell, one);
		}
	}
	if (n > most)
		na_result_note_fact(r, na_fact_sizes_not_shown(
					       (int64_t)(n - most)));
	return list;
}

static void sizes_view(struct na_result *r, const struct sizes_state *s,
		       const struct na_value *one)
{
	size_t n, most = s->scope->top ? s->scope->top : SHOWN_SIZES;

	na_rows_of(na_get(one, M_distinct), &n);
	na_result_view(r, na_result_say(r, na_fact_title_sizes(n > most)),
		       frequent(r, one, most), &na_table_sizes_frequent,
		       NA_COLUMNS({M_size}, {M_bytes}, {M_count},
				  {M_count_share}, {M_bytes_share}),
		       0);
}

static void put_views(struct na_result *r, const struct sizes_state *s)
{
	const struct na_value *body = na_result_body(r);
	const struct na_value *groups = na_get(body, M_groups);
	const struct na_value *one = s->scope->by.n ? NULL : na_items(groups);

	/* Runs side by side are never added up. */
	if (s->scope->store->n_runs < 2)
		sums_view(r, body, one);
	if (one)
		sizes_view(r, s, one);
	else
		groups_view(r, s, groups);
}

void na_sizes_say(struct na_result *r, const struct sizes_state *s,
		  const struct sizes_sums *all, int64_t half_bytes)
{
	if (!all->n) {
		say(r, na_fact_no_transfers_to_count());
		return;
	}
	advise(r, s->scope->store, all, half_bytes);
	if (s->scope->store->n_runs > 1)
		say_runs(r, s);
	else
		say_one(r, s, all, half_bytes);
	put_views(r, s);
}
