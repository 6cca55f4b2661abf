#include "netan/methods/put.h"
#include "members.h"

#include <string.h>

void na_put_amount(struct na_result *r, struct na_value *in, const char *name,
		   na_i128 amount)
{
	na_i128 whole = amount >> NA_SPREAD_SHIFT;

	if (whole << NA_SPREAD_SHIFT == amount && whole <= INT64_MAX)
		na_put_int(r, in, name, (int64_t)whole);
	else
		na_put_real(r, in, name,
			    (double)amount / (double)(1 << NA_SPREAD_SHIFT));
}

void na_put_whole(struct na_result *r, struct na_value *in, const char *name,
		  na_i128 v)
{
	if (v < 0)
		na_put_null(r, in, name);
	else if (v <= INT64_MAX)
		na_put_int(r, in, name, (int64_t)v);
	else
		na_put_real(r, in, name, (double)v);
}

void na_put_series(struct na_result *r, struct na_value *in, const char *name,
		   const double *x, size_t n)
{
	double *to = na_put_reals(r, in, name, n);

	if (to && n)
		memcpy(to, x, n * sizeof(*to));
}

void na_put_bin_starts(struct na_result *r, struct na_value *body,
		       const struct na_bins *bins)
{
	double *t = na_put_reals(r, body, M_time_s, bins->n);

	for (size_t i = 0; t && i < bins->n; i++)
		t[i] = na_bins_start_s(bins, i);
}

void na_put_steps(struct na_result *r, struct na_value *body,
		  const struct na_scope *scope, int64_t lo_ps, int64_t hi_ps)
{
	const struct na_store *store = scope->store;
	const struct na_filter *f = scope->filter;
	struct na_value *list = na_put_list(r, body, M_steps);

	for (size_t i = 0; i < store->n_steps; i++) {
		const struct na_step *x = &store->steps[i];
		struct na_value *row;

		if (x->end_ps <= lo_ps || x->start_ps >= hi_ps)
			continue;
		/* Their neighbours overlap them on other hosts. */
		if (f->first_step >= 0 &&
		    (x->number < f->first_step || x->number > f->last_step))
			continue;
		row = na_put_object(r, list, NULL);
		na_put_int(r, row, M_step, x->number);
		na_put_real(r, row, M_from_s, na_s(x->start_ps));
		na_put_real(r, row, M_to_s, na_s(x->end_ps));
	}
}

void na_put_worst(struct na_result *r, const struct na_value *listed, size_t n,
		  const struct na_table *shown)
{
	enum { CLAUSES = 4 };
	struct na_value *list = na_put_list(r, na_result_side(r), M_evidence);
	size_t i = 0;

	na_for_each (v, listed) {
		size_t said = 0;

		if (i++ == n)
			break;
		na_for_each (e, na_get(v, M_evidence)) {
			struct na_value *to = na_put_object(r, list, NULL);

			if (said)
				na_put_text(r, to, M_rank, "");
			else
				na_put_int(r, to, M_rank, (int64_t)i);
			na_put_alias(r, to, M_what, e);
			if (++said == CLAUSES)
				break;
		}
	}
	if (list && list->n)
		na_result_view(r, "the worst", list, shown,
			       NA_COLUMNS({M_rank}, {M_what}), 0);
}
