/*
 * What a fluid model takes for a transfer: a fixed cost, and the bytes that
 * pass the busier of both hosts' ports meanwhile, at the rate of a port
 * (processor sharing).  Bytes are spread evenly over each transfer's life.
 */
#include <math.h>

#include "netan/judge/constants.h"
#include "netan/judge/session/session.h"
#include "netan/stats/tests/robust.h"

static double end_us(const struct na_j_session *s, uint32_t row)
{
	return s->start[row] + s->took[row];
}

static double bytes_per_us(const struct na_j_session *s, uint32_t row)
{
	double us = end_us(s, row) - s->start[row];

	return (double)s->size[row] / fmax(us, 1e-3);
}

/*
 * Rows of one host by start and by end: the bytes that its port carries
 * during each.  `before` holds those up to the start meanwhile.
 */
static void bytes_through(const struct na_j_session *s, const uint32_t *starts,
			  const uint32_t *ends, size_t n, double *before,
			  double *bytes)
{
	double carried = 0, rate = 0, now = n ? s->start[starts[0]] : 0;

	for (size_t i = 0, j = 0; j < n;) {
		bool start = i < n &&
			     s->start[starts[i]] <= end_us(s, ends[j]);
		uint32_t row = start ? starts[i++] : ends[j++];
		double at = start ? s->start[row] : end_us(s, row);

		carried += rate * (at - now);
		now = at;
		if (start) {
			before[row] = carried;
			rate += bytes_per_us(s, row);
		} else {
			bytes[row] = fmax(bytes[row], carried - before[row]);
			rate -= bytes_per_us(s, row);
		}
	}
}

static bool both_ports(const struct na_j_session *s, double *bytes,
		       struct na_arena *tmp)
{
	double *x = NA_NEW(tmp, double, s->n);
	uint32_t *time[2] = {NA_NEW(tmp, uint32_t, s->n),
			     NA_NEW(tmp, uint32_t, s->n)};
	struct na_groups g[2];

	if (!x || !time[0] || !time[1])
		return false;
	for (size_t i = 0; i < s->n; i++) {
		time[0][i] = time[1][i] = (uint32_t)i;
		x[i] = end_us(s, (uint32_t)i);
	}
	if (!na_j_order_times(time[0], s->n, s->start) ||
	    !na_j_order_times(time[1], s->n, x))
		return false;
	for (size_t side = 0; side < 2; side++) {
		for (size_t k = 0; k < 2; k++)
			if (!na_j_group(&g[k], NA_J_BY(s->host[side]), time[k],
					s->n, tmp))
				return false;
		for (size_t h = 0; h < g[0].n; h++)
			bytes_through(s, g[0].row + g[0].from[h],
				      g[1].row + g[1].from[h],
				      na_j_count(&g[0], h), x, bytes);
	}
	return true;
}

/* Bytes/us of a port: the median over senders of what nine in ten and half of
 * the rest of their larger transfers do not exceed. */
static bool port_rate(const struct na_j_session *s, const double *bytes,
		      double *x, double *rate, struct na_arena *tmp)
{
	uint32_t *big = NA_NEW(tmp, uint32_t, s->n);
	struct na_groups g;
	double *by_host, half;
	size_t n = 0;

	if (!big)
		return false;
	for (size_t i = 0; i < s->n; i++)
		x[i] = (double)s->size[i];
	half = na_median(x, s->n);
	for (size_t i = 0; i < s->n; i++) {
		x[i] = bytes[i] / s->took[i];
		if ((double)s->size[i] >= half)
			big[n++] = (uint32_t)i;
	}
	if (!na_j_group(&g, NA_J_BY(s->host[0]), big, n, tmp) ||
	    !(by_host = na_j_quantiles(&g, x, .95, tmp)))
		return false;
	*rate = fmax(na_median(by_host, g.n), 1e-9);
	return true;
}

bool na_j_load(struct na_j_session *s)
{
	struct na_arena tmp = {0};
	double *x = NA_NEW(&tmp, double, s->n), rate, fixed;
	bool ok;

	s->load = NA_NEW(&s->columns, double, s->n);
	s->large = NA_NEW(&s->columns, uint32_t, s->n);
	ok = x && s->load && s->large && both_ports(s, s->load, &tmp) &&
	     port_rate(s, s->load, x, &rate, &tmp);
	if (ok) {
		for (size_t i = 0; i < s->n; i++)
			x[i] = s->took[i] - s->load[i] / rate;
		fixed = fmax(NA_J_FIXED_US, na_quantile(x, s->n, .1));
		for (size_t i = 0; i < s->n; i++) {
			s->load[i] = log(fixed + s->load[i] / rate);
			if ((double)s->size[i] / rate > fixed)
				s->large[s->n_large++] = (uint32_t)i;
		}
	}
	na_arena_fini(&tmp);
	return ok;
}
