/*
 * pairs: is a side of a host that is named slow by one of its devices alone?
 * Devices of a host share its NIC and do the same work, so the medians of the
 * log of what their transfers take differ little; one device that is slower than
 * all others by half of the finding's effect carries it.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/stats/tests/robust.h"

struct taken {
	uint32_t device;
	double log_us;
};

NA_ORDER(by_device, struct taken, NA_UP(device), NA_UP(log_us))

/* What the side's transfers took, by device. */
static size_t gather(const struct na_evidence *e, enum na_cause side,
		     uint32_t host, struct taken *out)
{
	size_t n = 0;

	for (size_t i = 0; i < e->rows.n; i++) {
		const struct na_judge_row *r = &e->rows.v[i];
		const struct na_judge_connection *c =
			&e->connections.v[r->connection];
		bool src = side == NA_CAUSE_SRC;

		if ((src ? c->src : c->dst) == host && r->took_us > 0)
			out[n++] = (struct taken){src ? c->src_dev : c->dst_dev,
						  log(r->took_us)};
	}
	na_sort(out, n, by_device);
	return n;
}

/* The slowest device, by how much it is slower than the next one, and how far the
 * others are apart. */
static uint32_t slowest(const struct taken *x, size_t n, double *ahead,
			double *apart)
{
	double most = -INFINITY, next = -INFINITY, least = INFINITY;
	uint32_t device = NA_UNKNOWN_U32;

	for (size_t i = 0, end; i < n; i = end) {
		double middle;

		for (end = i; end < n && x[end].device == x[i].device;)
			end++;
		middle = x[i + (end - i) / 2].log_us;
		least = fmin(least, middle);
		if (middle > most) {
			next = most;
			most = middle;
			device = x[i].device;
		} else {
			next = fmax(next, middle);
		}
	}
	*ahead = most - next;
	*apart = next - least;
	return device;
}

bool na_pairs_find_device(const struct na_evidence *e,
			  const struct na_judge_finding *f, uint32_t *device)
{
	struct taken *x;
	double ahead, apart;
	uint32_t found;

	*device = NA_UNKNOWN_U32;
	if ((f->place.cause != NA_CAUSE_SRC &&
	     f->place.cause != NA_CAUSE_DST) ||
	    f->mechanism == NA_MECH_LATE)
		return true;
	x = na_calloc(e->rows.n, sizeof(*x));
	if (!x)
		return false;
	found = slowest(x, gather(e, f->place.cause, f->place.a, x), &ahead,
			&apart);
	if (isfinite(ahead) && ahead > f->effect / 2 && apart < f->effect / 2)
		*device = found;
	free(x);
	return true;
}
