/* slack: what the sums mean: rates, flags, order, verdict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/slack/slack.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

double na_slack_mean_us(const struct sl_state *s, na_i128 sum_ps, uint64_t n)
{
	if (!n)
		return NAN;
	if (s->params->reference)
		return (double)(sum_ps / NA_PS_PER_US / (na_i128)n);
	return (double)sum_ps / ((double)n * (double)NA_PS_PER_US);
}

double na_slack_total_stall_us(const struct sl_state *s,
			       const struct sl_row *row)
{
	if (s->params->reference)
		return row->stall_us * (double)row->n;
	return na_us(row->stall_ps);
}

static double rate_gbps(double bytes, double us)
{
	return us > 0 ? bytes * 8 / (us * 1000) : NAN;
}

static void judge_row(const struct sl_state *s, struct sl_row *row)
{
	double bytes = row->sized ? (double)row->bytes / (double)row->sized
				  : NAN;

	row->slack_us = na_slack_mean_us(s, row->slack_ps, row->n);
	row->observed_us = na_slack_mean_us(s, row->observed_ps, row->n);
	row->stall_us = na_slack_mean_us(s, row->stall_ps, row->n);
	row->required_gbps = rate_gbps(bytes, row->slack_us);
	row->achieved_gbps = row->sized ? rate_gbps((double)row->bytes,
						    na_us(row->sized_wire_ps))
					: NAN;
	row->small = row->slack_us < SL_SMALL_SHARE * row->observed_us ||
		     row->slack_us < row->network_us;
	/* No rate is enough where there is no slack. */
	row->bound = row->sized && bytes > 0 &&
		     (row->slack_us <= 0 ||
		      row->required_gbps * (double)row->host_devices >
			      s->capacity_gbps) &&
		     isfinite(s->capacity_gbps);
}

struct ranked {
	const struct sl_state *s;
	uint32_t row;
};

/* Larger is earlier; what no rate satisfies first, what is unknown last. */
static double sort_value(const struct sl_state *s, const struct sl_row *row)
{
	if (s->params->sort == SL_BY_STALL)
		return (double)row->stall_ps;
	if (!row->sized)
		return -1;
	return row->slack_us > 0 ? row->required_gbps : INFINITY;
}

static int worse_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	const struct sl_state *s = x->s;
	const struct sl_row *p = &s->rows[x->row], *q = &s->rows[y->row];
	const struct na_strtab *names = &s->scope->store->names.strings;
	double u = sort_value(s, p), v = sort_value(s, q);

	return NA_THEN(NA_CMP(v, u), NA_CMP(q->stall_ps, p->stall_ps),
		       strcmp(na_strtab_at(names, p->collective),
			      na_strtab_at(names, q->collective)),
		       NA_CMP(x->row, y->row));
}

bool na_slack_matters(const struct sl_row *row)
{
	return row->step_ps <= 0 ||
	       (double)row->stall_ps >= SL_STALL_SHARE * (double)row->step_ps;
}

static void conclude(struct sl_state *s)
{
	bool small = false, bound = false;

	for (size_t i = 0; i < s->n_rows; i++) {
		small |= s->rows[i].small && na_slack_matters(&s->rows[i]);
		bound |= s->rows[i].bound && na_slack_matters(&s->rows[i]);
	}
	s->severity = small || bound ? NA_SEV_WARNING : NA_SEV_NONE;
	s->verdict = !s->used.n ? NULL
		     : bound    ? "bandwidth_bound"
		     : small    ? "slack_small"
		     : s->step_ps > 0 &&
				     (double)s->stall_ps <
					     SL_STALL_SHARE * (double)s->step_ps
			     ? "hidden"
			     : "stalled";
}

bool na_slack_judge(struct sl_state *s)
{
	struct ranked *x = na_calloc(s->n_rows, sizeof(*x));

	s->ranked = na_calloc(s->n_rows, sizeof(*s->ranked));
	if (!x || !s->ranked) {
		free(x);
		return false;
	}
	for (size_t i = 0; i < s->n_rows; i++) {
		judge_row(s, &s->rows[i]);
		x[i] = (struct ranked){s, (uint32_t)i};
	}
	na_sort(x, s->n_rows, worse_first);
	for (size_t i = 0; i < s->n_rows; i++)
		s->ranked[i] = x[i].row;
	free(x);
	conclude(s);
	return true;
}
