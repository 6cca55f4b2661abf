#include "plot/figures/tcp/time.h"

#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"

static void mark(bool *seen, size_t n, double column)
{
	if (column >= 0 && column < (double)n)
		seen[(size_t)column] = true;
}

/* Columns in which something was sent, acknowledged or marked. */
static void find_seen(const struct tcp_figure *f, bool *seen)
{
	double per_s = (double)f->n / (f->to_s - f->from_s);

	seen[0] = seen[f->n - 1] = true;
	for (size_t i = 0; i < f->n_data; i++)
		mark(seen, f->n, (double)f->data[3 * i]);
	for (size_t i = 0; f->ack && i < f->n; i++)
		seen[i] |= !isnan(f->ack[i]);
	for (size_t i = 0; i < f->n_marks; i++)
		mark(seen, f->n, (f->marks[i].time_s - f->from_s) * per_s);
}

bool na_tcp_time_place(struct na_cut_time *t, const struct tcp_figure *f,
		       double x0, double x1, double gap)
{
	bool *seen = na_calloc(f->n + 1, sizeof(*seen));

	if (!seen)
		return false;
	if (f->n)
		find_seen(f, seen);
	na_cut_time_place(t, seen, f->n ? f->n : 1, f->from_s, f->to_s, x0, x1,
			  gap);
	free(seen);
	return true;
}

double na_tcp_time_flight(const struct tcp_figure *f, double s)
{
	double at = (s - f->from_s) / (f->to_s - f->from_s) * (double)f->n;
	size_t i = at > 0 ? (size_t)fmin(at, (double)f->n - 1) + 1 : 0;

	while (f->flight && i > 0)
		if (!isnan(f->flight[--i]))
			return f->flight[i];
	return NAN;
}
