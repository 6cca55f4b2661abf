#include "netan/stats/time/timers.h"

#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"

#define ACK_MS   40.0
#define ACK_FROM 20.0

/* clang-format off */
static const struct na_timer_mode all_modes[NA_TIMER_MODES] = {
	{5, NA_TIMER_LOW_RTO, false, 0},
	{10, NA_TIMER_LOW_RTO, false, 0},
	{20, NA_TIMER_LOW_RTO, false, 0},
	{40, NA_TIMER_LOW_RTO, false, 0},
	{80, NA_TIMER_LOW_RTO, false, 0},
	{160, NA_TIMER_LOW_RTO, false, 0},
	{200, NA_TIMER_RTO, true, 0},
	{400, NA_TIMER_RTO, true, 0},
	{600, NA_TIMER_REPEATED, true, 0},
	{800, NA_TIMER_RTO, true, 0},
	{1000, NA_TIMER_INITIAL, true, 0},
	{1400, NA_TIMER_REPEATED, true, 0},
	{1600, NA_TIMER_RTO, true, 0},
	{2000, NA_TIMER_INITIAL, true, 0},
	{3200, NA_TIMER_RTO, true, 0},
	{4000, NA_TIMER_INITIAL, true, 0},
	{8000, NA_TIMER_INITIAL, true, 0},
};
/* clang-format on */

static double after(double x)
{
	return nextafter(x, INFINITY);
}

void na_timer_edges_init(struct na_timer_edges *e)
{
	size_t n = 0, kept = 0;

	e->ms[n++] = after(ACK_FROM);
	e->ms[n++] = after(NA_TAIL_MS);
	for (size_t i = 0; i < NA_TIMER_MODES; i++) {
		double m = all_modes[i].ms;

		e->ms[n++] = NA_TIMER_LEAST * m;
		e->ms[n++] = after(NA_TIMER_MOST * m);
		if (m <= 200) { /* see the gaps */
			e->ms[n++] = after(0.25 * m);
			e->ms[n++] = 0.9 * m;
		}
		if (i + 1 < NA_TIMER_MODES)
			e->ms[n++] = sqrt(m * all_modes[i + 1].ms);
	}
	na_sort(e->ms, n, na_order_f64);
	for (size_t i = 0; i < n; i++) {
		if (!kept || e->ms[i] != e->ms[kept - 1])
			e->ms[kept++] = e->ms[i];
	}
	e->n = kept;
}

void na_timer_add(struct na_timer_counts *c, const struct na_timer_edges *e,
		  double excess_ms, double expected_ms)
{
	size_t at;

	c->n++;
	if (!(excess_ms >= e->ms[0]))
		return;
	at = NA_BOUND(i, 1, e->n, excess_ms < e->ms[i]) - 1;
	c->all[at]++;
	c->late[at] += na_is_late(excess_ms, expected_ms);
}

void na_timer_merge(struct na_timer_counts *into,
		    const struct na_timer_counts *from)
{
	into->n += from->n;
	for (size_t i = 0; i < NA_TIMER_EDGES_MAX; i++) {
		into->all[i] += from->all[i];
		into->late[i] += from->late[i];
	}
}

int na_timers_match(const struct na_timers *t, double excess_ms)
{
	double nearest = INFINITY;
	int found = -1;

	for (int i = 0; i < NA_TIMER_MODES; i++) {
		double m = t->modes[i].ms;
		double apart = fabs(log(excess_ms / m));

		if (t->modes[i].possible && excess_ms >= NA_TIMER_LEAST * m &&
		    excess_ms <= NA_TIMER_MOST * m && apart < nearest) {
			nearest = apart;
			found = i;
		}
	}
	return found;
}

/* One excess that stands for all of a segment. */
static double inside(const struct na_timer_edges *e, size_t i)
{
	if (i + 1 == e->n)
		return 2 * e->ms[i];
	return e->ms[i] + (e->ms[i + 1] - e->ms[i]) / 2;
}

/* Excess in (from, to) that no possible mode below `mode` explains; late
 * ones alone, or all. */
static uint64_t unexplained(const struct na_timer_counts *c,
			    const struct na_timer_edges *e,
			    const struct na_timers *t, double from, double to,
			    double mode, bool late)
{
	uint64_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		double x = inside(e, i);
		int by;

		if (x <= from || x >= to)
			continue;
		n += late ? c->late[i] : c->all[i];
		by = na_timers_match(t, x);
		if (by >= 0 && t->modes[by].ms < mode)
			n -= c->late[i];
	}
	return n;
}

/* Whether a mode below 200 ms stands out. */
static bool stands_out(const struct na_timer_counts *c,
		       const struct na_timer_edges *e,
		       const struct na_timers *t, double m)
{
	uint64_t in = unexplained(c, e, t, NA_TIMER_LEAST * m,
				  NA_TIMER_MOST * m, m, true);

	return in >= 3 &&
	       unexplained(c, e, t, 0.25 * m, 0.9 * m, m, false) * 5 < in;
}

static bool is_ack(const struct na_timer_counts *c,
		   const struct na_timer_edges *e, const struct na_timers *t)
{
	uint64_t in = unexplained(c, e, t, NA_TIMER_LEAST * ACK_MS,
				  NA_TIMER_MOST * ACK_MS, ACK_MS, true);
	uint64_t near = unexplained(c, e, t, ACK_FROM, NA_TAIL_MS, ACK_MS, true);

	return in * 5 >= near * 3;
}

/* From the lowest up: a doubling may stand on the one below it. */
static void find_lower(const struct na_timer_counts *c,
		       const struct na_timer_edges *e, struct na_timers *t)
{
	bool lower = false;

	for (size_t i = 0; i < NA_TIMER_MODES && t->modes[i].ms < 200; i++) {
		struct na_timer_mode *m = &t->modes[i];
		bool found = stands_out(c, e, t, m->ms);

		if (found && m->ms == ACK_MS && !lower) {
			m->cause = NA_TIMER_ACK;
			found = is_ack(c, e, t);
		}
		m->possible = found;
		lower |= found && m->cause == NA_TIMER_LOW_RTO;
	}
}

static enum na_tail_kind kind_of(const struct na_timers *t)
{
	if (t->tail < 3)
		return t->tail ? NA_TAIL_FEW : NA_TAIL_NONE;
	return t->matched * 5 >= t->tail * 3 && t->gap * 5 < t->tail
		       ? NA_TAIL_TIMER
		       : NA_TAIL_HEAVY;
}

void na_timers_judge(const struct na_timer_counts *c,
		     const struct na_timer_edges *e, struct na_timers *out)
{
	*out = (struct na_timers){.tail = 0};
	for (size_t i = 0; i < NA_TIMER_MODES; i++)
		out->modes[i] = all_modes[i];
	find_lower(c, e, out);
	for (size_t i = 0; i < e->n; i++) {
		double x = inside(e, i);
		int mode = na_timers_match(out, x);
		bool tail = x > NA_TAIL_MS;

		if (mode >= 0)
			out->modes[mode].count += c->late[i];
		out->tail += tail ? c->late[i] : 0;
		out->matched += tail && mode >= 0 ? c->late[i] : 0;
	}
	out->gap = unexplained(c, e, out, 50, 180, 200, false);
	out->kind = kind_of(out);
}
