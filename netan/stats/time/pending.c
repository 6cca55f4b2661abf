#include "netan/stats/time/pending.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/sort.h"

/* Sorted at once; more only where more fall close together. */
enum { AT_ONCE = 1 << 14 };

/* One kind of instants: the starts of all runs, or the ends. */
struct stream {
	size_t *next;    /* [n_runs]: the first one not yet taken */
	int64_t *values; /* of the window, ascending */
	size_t n, at, cap;
};

enum { STARTS, ENDS, STREAMS };

/*
 * Window by window: what all runs have in it is taken together and sorted,
 * which costs less for each instant than a heap of the runs.
 */
struct na_walk {
	const struct na_run *runs;
	size_t n_runs;
	struct stream stream[STREAMS];
	int64_t *tmp;
	size_t cap_tmp;
	int64_t lo, hi; /* what is not yet in a window */
	int64_t level;
	size_t left; /* instants not yet in a window */
	bool failed;
};

/* How many of x are below `at`. */
static size_t below(const int64_t *x, size_t n, int64_t at)
{
	return NA_BOUND(i, 0, n, x[i] >= at);
}

static const int64_t *times_of(const struct na_run *r, size_t k)
{
	return k == ENDS ? r->ends : r->starts;
}

/* How many of a run lie before `until` and were not taken. */
static size_t waiting(const struct na_walk *w, size_t k, size_t run,
		      int64_t until)
{
	size_t from = w->stream[k].next[run];

	return below(times_of(&w->runs[run], k) + from, w->runs[run].n - from,
		     until);
}

static size_t all_waiting(const struct na_walk *w, int64_t until)
{
	size_t n = 0;

	for (size_t k = 0; k < STREAMS; k++) {
		for (size_t i = 0; i < w->n_runs; i++)
			n += waiting(w, k, i, until);
	}
	return n;
}

struct na_walk *na_walk_new(const struct na_run *runs, size_t n_runs,
			    int64_t lo, int64_t hi, int64_t *level)
{
	struct na_walk *w = na_calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->runs = runs;
	w->n_runs = n_runs;
	w->lo = lo;
	w->hi = hi;
	for (size_t k = 0; k < STREAMS; k++) {
		w->stream[k].next = na_calloc(n_runs, sizeof(size_t));
		if (!w->stream[k].next) {
			na_walk_free(w);
			return NULL;
		}
		for (size_t i = 0; i < n_runs; i++) {
			size_t before = waiting(w, k, i, lo);

			w->stream[k].next[i] = before;
			w->level += (int64_t)before * (k == STARTS ? 1 : -1);
		}
	}
	w->left = all_waiting(w, hi);
	*level = w->level;
	return w;
}

/* The end of the next window: as long as AT_ONCE instants would take if they
 * were spread evenly, shorter where they are dense. */
static int64_t window_end(const struct na_walk *w)
{
	uint64_t span = (uint64_t)w->hi - (uint64_t)w->lo;

	if (w->left <= AT_ONCE)
		return w->hi;
	span = (uint64_t)((na_i128)span * AT_ONCE / (na_i128)w->left) + 1;
	while (span > 1 &&
	       all_waiting(w, (int64_t)((uint64_t)w->lo + span)) > 4 * AT_ONCE)
		span = span / 4 + 1;
	return (int64_t)((uint64_t)w->lo + span);
}

static bool take_until(struct na_walk *w, size_t k, int64_t until)
{
	struct stream *s = &w->stream[k];

	s->n = s->at = 0;
	for (size_t i = 0; i < w->n_runs; i++) {
		size_t n = waiting(w, k, i, until);

		if (!n)
			continue;
		if (!na_grow(&s->values, &s->cap, s->n + n, sizeof(int64_t)))
			return false;
		memcpy(s->values + s->n, times_of(&w->runs[i], k) + s->next[i],
		       n * sizeof(int64_t));
		s->next[i] += n;
		s->n += n;
	}
	w->left -= s->n;
	if (!na_grow(&w->tmp, &w->cap_tmp, s->n, sizeof(int64_t)))
		return false;
	na_sort_i64(s->values, w->tmp, s->n);
	return true;
}

/* The next window that holds any; false at the end, too. */
static bool refill(struct na_walk *w)
{
	const struct stream *s = w->stream;

	while (w->left && !w->failed) {
		int64_t until = window_end(w);

		w->failed = !take_until(w, STARTS, until) ||
			    !take_until(w, ENDS, until);
		w->lo = until;
		if (!w->failed && (s[STARTS].n || s[ENDS].n))
			return true;
	}
	return false;
}

/* Pass over all that are at `at`; how many there were. */
static int64_t pass_all_at(struct stream *s, int64_t at)
{
	size_t from = s->at;

	while (s->at < s->n && s->values[s->at] == at)
		s->at++;
	return (int64_t)(s->at - from);
}

bool na_walk_next(struct na_walk *w, struct na_instant *out)
{
	struct stream *s = &w->stream[STARTS], *e = &w->stream[ENDS];

	if (s->at == s->n && e->at == e->n && !refill(w))
		return false;
	out->at = s->at < s->n ? s->values[s->at] : e->values[e->at];
	if (e->at < e->n && e->values[e->at] < out->at)
		out->at = e->values[e->at];
	out->ends = pass_all_at(e, out->at);
	out->starts = pass_all_at(s, out->at);
	w->level += out->starts - out->ends;
	out->level = w->level;
	return true;
}

bool na_walk_failed(const struct na_walk *w)
{
	return w->failed;
}

void na_walk_free(struct na_walk *w)
{
	if (!w)
		return;
	for (size_t k = 0; k < STREAMS; k++) {
		free(w->stream[k].next);
		free(w->stream[k].values);
	}
	free(w->tmp);
	free(w);
}

/* A sweep over time, bin by bin. */
struct sweep {
	int64_t at, level;
	na_i128 border; /* end of bin k */
	size_t k;
	int64_t bin_ps;
	double *out;
};

/* The level holds until `until`. */
static void hold_level(struct sweep *w, int64_t until)
{
	while (w->border <= w->at) {
		w->border += w->bin_ps;
		w->k++;
	}
	while (w->level > 0 && w->at < until) {
		if (w->out[w->k] < (double)w->level)
			w->out[w->k] = (double)w->level;
		if (w->border >= until)
			break;
		w->border += w->bin_ps;
		w->k++;
	}
	w->at = until;
}

static int64_t clamp_time(na_i128 t)
{
	return t < NA_TIME_MIN   ? NA_TIME_MIN
	       : t > NA_TIME_MAX ? NA_TIME_MAX
				 : (int64_t)t;
}

void na_bins_time(const struct na_bins *b, size_t from, size_t to, int64_t *lo,
		  int64_t *hi)
{
	*lo = clamp_time(((na_i128)b->first + (na_i128)from) * b->bin_ps);
	*hi = clamp_time(((na_i128)b->first + (na_i128)to) * b->bin_ps);
}

bool na_pending_max(const struct na_run *runs, size_t n_runs,
		    const struct na_bins *b, size_t from, size_t to,
		    double *out)
{
	na_i128 start = ((na_i128)b->first + (na_i128)from) * b->bin_ps;
	struct sweep w = {.border = start + b->bin_ps,
			  .k = from,
			  .bin_ps = b->bin_ps,
			  .out = out};
	struct na_instant i;
	struct na_walk *walk;
	int64_t hi;
	bool ok;

	na_bins_time(b, from, to, &w.at, &hi);
	walk = na_walk_new(runs, n_runs, w.at, hi, &w.level);
	memset(out + from, 0, (to - from) * sizeof(*out));
	while (walk && na_walk_next(walk, &i)) {
		hold_level(&w, i.at);
		w.level = i.level;
	}
	if (walk && from < to)
		hold_level(&w, hi);
	ok = walk && !na_walk_failed(walk);
	na_walk_free(walk);
	return ok;
}

static void put_times(struct na_serializer *to, const int64_t *v, size_t n)
{
	na_pack_number(to, n);
	for (size_t i = 0; i < n; i++)
		na_pack_number(to,
			       (uint64_t)v[i] - (i ? (uint64_t)v[i - 1] : 0));
}

void na_run_pack(const struct na_run *run, struct na_serializer *to)
{
	put_times(to, run->starts, run->n);
	put_times(to, run->ends, run->n);
}

/* Ascending. */
static int64_t *get_times(struct na_deserializer *from, size_t *n)
{
	size_t count = na_unpack_count(from);
	int64_t *v = na_calloc(count, sizeof(*v));

	na_unpack_must(from, v != NULL);
	for (*n = 0; !from->failed && *n < count; ++*n) {
		uint64_t last = *n ? (uint64_t)v[*n - 1] : 0;

		v[*n] = (int64_t)(last + na_unpack_number(from));
		na_unpack_must(from, !*n || v[*n] >= v[*n - 1]);
	}
	return v;
}

void na_run_unpack(struct na_run *o, struct na_deserializer *from)
{
	size_t ends;

	o->starts = get_times(from, &o->n);
	o->ends = get_times(from, &ends);
	na_unpack_must(from, ends == o->n);
	for (size_t i = 0; !from->failed && i < o->n; i++)
		na_unpack_must(from, o->starts[i] <= o->ends[i]);
}
