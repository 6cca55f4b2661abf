/*
 * Waiting in the sender's own queue is not moving.  A connection delivers in
 * order, or its streams share it; either way what is behind others moves, at
 * the latest, from when the one before it was done, and never for less time
 * than its bytes take at the port's rate.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"

struct end {
	uint32_t connection, row;
	double end_us;
};

NA_ORDER(by_end, struct end, NA_UP(connection), NA_UP(end_us), NA_UP(row))

bool wi_queue(struct wi *w)
{
	struct end *e = na_calloc(w->n, sizeof(*e));
	bool again = w->queued != NULL;

	if (!e)
		return false;
	if (w->again && !again)
		w->queued = wi_take(w, w->n, sizeof(*w->queued));
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t row = again ? w->queued[i] : i;
		const struct na_wire_row *r = &w->in->rows[row];

		e[i] = (struct end){r->connection, row,
				    r->start_us + r->took_us};
	}
	na_sort(e, w->n, by_end);
	for (size_t i = 0; w->queued && i < w->n; i++)
		w->queued[i] = e[i].row;
	for (size_t i = 0; i < w->n; i++) {
		const struct na_wire_row *r = &w->in->rows[e[i].row];
		double move = r->took_us, gap;

		if (i && e[i].connection == e[i - 1].connection) {
			gap = e[i].end_us - e[i - 1].end_us;
			move = fmin(move, fmax(gap, (double)r->size_bytes *
							    w->us_per_byte));
		}
		w->move_us[e[i].row] = (float)fmax(move, WI_LEAST_US);
	}
	free(e);
	return true;
}
