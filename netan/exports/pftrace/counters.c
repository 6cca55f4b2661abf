/*
 * What a process receives, sends and has in flight, in bins: time-weighted
 * means, as those of netan timeline, but on the common clock.  One process
 * after the other, so that memory does not grow with them.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/exports/pftrace/state.h"
#include "netan/stats/time/spread.h"

/* Bins of a process, and of all together. */
enum { BINS_WANTED = 1000, BINS_LEAST = 50, BINS_OF_ALL = 1 << 20 };

enum { N_SIDES = 2, N_TRACKS = 5 };

struct na_pft_counters {
	struct na_pft *x;
	struct na_bins bins;
	struct na_spread moved[N_SIDES], outstanding[N_SIDES], pending;
	bool any[NA_PFT_N_LEVELS];
	double *values;
	const char *pending_of;
};

static struct na_spread *spread_at(struct na_pft_counters *c, size_t i)
{
	return i < N_SIDES       ? &c->moved[i]
	       : i < 2 * N_SIDES ? &c->outstanding[i - N_SIDES]
				 : &c->pending;
}

void na_pft_counters_free(struct na_pft_counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < N_TRACKS; i++)
		na_spread_fini(spread_at(c, i));
	free(c->values);
	free(c);
}

/* ns to ps, as far as these go. */
static int64_t ps_of(int64_t ns)
{
	return ns > NA_TIME_MAX / 1000   ? NA_TIME_MAX
	       : ns < NA_TIME_MIN / 1000 ? NA_TIME_MIN
					 : ns * 1000;
}

struct na_pft_counters *na_pft_counters_new(struct na_pft *x, int64_t first_ns,
					    int64_t last_ns, size_t n_processes)
{
	struct na_pft_counters *c = calloc(1, sizeof(*c));
	size_t want = BINS_OF_ALL / (n_processes ? n_processes : 1);
	int64_t from = ps_of(first_ns), to = ps_of(last_ns);
	bool ok = c;

	if (!c)
		return NULL;
	want = want > BINS_WANTED  ? BINS_WANTED
	       : want < BINS_LEAST ? BINS_LEAST
				   : want;
	c->x = x;
	c->bins = na_bins_over(from, to, true,
			       na_bins_choose(na_time_between(from, to), want));
	for (size_t i = 0; ok && i < N_TRACKS; i++)
		ok = na_spread_init(spread_at(c, i), &c->bins);
	c->values = ok ? na_calloc(c->bins.n, sizeof(*c->values)) : NULL;
	if (c->values)
		return c;
	na_pft_counters_free(c);
	return NULL;
}

void na_pft_count(struct na_pft_counters *c, enum na_pft_level level,
		  int64_t start_ns, int64_t end_ns, uint64_t bytes)
{
	int64_t from = ps_of(start_ns), to = ps_of(end_ns);

	c->any[level] = true;
	if (level == NA_PFT_PENDING) {
		na_spread_level(&c->pending, &c->bins, from, to, 1);
		return;
	}
	na_spread_bytes(&c->moved[level], &c->bins, from, to, bytes, from, to);
	na_spread_level(&c->outstanding[level], &c->bins, from, to, bytes);
}

/* Where it changes; the end of the last bin is the end. */
static void put_values(struct na_pft_counters *c, uint64_t track)
{
	struct na_pft_event e = {.track = track, .type = NA_PFT_COUNTER};

	for (size_t k = 0; k <= c->bins.n; k++) {
		double v = k < c->bins.n ? c->values[k] : 0;

		if (k && !(v < e.value || v > e.value))
			continue;
		e.at_ns = (c->bins.first + (int64_t)k) *
			  (c->bins.bin_ps / 1000);
		e.value = v;
		na_pft_put(&c->x->out, &e);
	}
}

void na_pft_counters_put(struct na_pft_counters *c, uint32_t process)
{
	static const struct counter {
		const char *name;
		enum na_pft_unit unit;
		enum na_pft_level of;
	} counters[N_TRACKS] = {
		{"rx", NA_PFT_GBPS, NA_PFT_RX},
		{"tx", NA_PFT_GBPS, NA_PFT_TX},
		{"rx outstanding", NA_PFT_BYTES, NA_PFT_RX},
		{"tx outstanding", NA_PFT_BYTES, NA_PFT_TX},
		{"pending", NA_PFT_COUNT, NA_PFT_PENDING},
	};
	double bin_s = (double)c->bins.bin_ps / (double)NA_PS_PER_S;

	for (size_t i = 0; i < N_TRACKS; i++) {
		const struct counter *k = &counters[i];
		struct na_spread *s = spread_at(c, i);
		double scale = i < N_SIDES
				       ? 8e-9 / bin_s / (1 << NA_SPREAD_SHIFT)
				       : 1.0 / (double)c->bins.bin_ps;

		if (!c->any[k->of])
			continue;
		na_spread_read(s, &c->bins, scale, c->values);
		put_values(c, na_pft_counter(c->x, process, k->name, k->unit,
					     (int32_t)i));
		memset(s->edge, 0, c->bins.n * sizeof(*s->edge));
		memset(s->step, 0, (c->bins.n + 1) * sizeof(*s->step));
	}
	memset(c->any, 0, sizeof(c->any));
}
