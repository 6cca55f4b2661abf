#include "netan/stats/time/spread.h"

#include <stdlib.h>

#include "netan/base/vec.h"

__extension__ typedef unsigned __int128 u128;

/* A file may claim so many bytes for so long that no sum holds them: such
 * sums wrap, and are wrong, but defined. */
static void add(na_i128 *to, u128 amount)
{
	*to = (na_i128)((u128)*to + amount);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

struct na_bins na_bins_over(int64_t from_ps, int64_t to_ps, bool closed,
			    int64_t bin_ps)
{
	int64_t first = floor_div(from_ps, bin_ps);
	int64_t last = floor_div(to_ps, bin_ps);

	if (last > first && !closed && to_ps % bin_ps == 0)
		last--;
	return (struct na_bins){bin_ps, first,
				(size_t)((uint64_t)last - (uint64_t)first) + 1};
}

int64_t na_bins_choose(int64_t duration_ps, size_t want)
{
	int64_t width = 1000; /* never below a nanosecond */

	while (width < INT64_MAX / 10 &&
	       duration_ps / width > (int64_t)want * 5)
		width *= 10;
	if (duration_ps / width > (int64_t)want * 2)
		return width * 5;
	return duration_ps / width > (int64_t)want ? width * 2 : width;
}

bool na_bins_hold(const struct na_bins *b, int64_t from_ps, int64_t to_ps)
{
	na_i128 lo = (na_i128)b->first * b->bin_ps;
	na_i128 hi = lo + (na_i128)b->n * b->bin_ps;

	return from_ps >= lo && from_ps < hi && to_ps >= from_ps && to_ps <= hi;
}

double na_bins_start_s(const struct na_bins *b, size_t k)
{
	return (double)((na_i128)(b->first + (int64_t)k) * b->bin_ps) / 1e12;
}

bool na_spread_init(struct na_spread *s, const struct na_bins *b)
{
	s->edge = na_calloc(b->n, sizeof(*s->edge));
	s->step = na_calloc(b->n + 1, sizeof(*s->step));
	return s->edge && s->step;
}

void na_spread_fini(struct na_spread *s)
{
	free(s->edge);
	free(s->step);
	s->edge = s->step = NULL;
}

void na_spread_merge(struct na_spread *into, const struct na_spread *from,
		     const struct na_bins *b)
{
	for (size_t i = 0; i < b->n; i++) {
		add(&into->edge[i], (u128)from->edge[i]);
		add(&into->step[i], (u128)from->step[i]);
	}
	add(&into->step[b->n], (u128)from->step[b->n]);
}

/* Offset from the first bin's start; inside the bins by contract. */
static uint64_t into_bins(const struct na_bins *b, int64_t ps)
{
	return (uint64_t)((na_i128)ps - (na_i128)b->first * b->bin_ps);
}

/* amount * part / whole, rounded down; amount below 2^84. */
static u128 share(u128 amount, uint64_t part, uint64_t whole)
{
	if (amount >> 64 == 0)
		return (u128)(uint64_t)amount * part / whole;
	return amount / whole * part + amount % whole * part / whole;
}

na_i128 na_spread_clipped(int64_t start_ps, int64_t end_ps, uint64_t bytes,
			  int64_t lo_ps, int64_t hi_ps)
{
	u128 total = (u128)bytes << NA_SPREAD_SHIFT;
	int64_t lo = lo_ps > start_ps ? lo_ps : start_ps;
	int64_t hi = hi_ps < end_ps ? hi_ps : end_ps;

	if (lo == start_ps && hi == end_ps)
		return (na_i128)total;
	return (na_i128)share(total, (uint64_t)hi - (uint64_t)lo,
			      (uint64_t)end_ps - (uint64_t)start_ps);
}

na_i128 na_spread_bytes(struct na_spread *s, const struct na_bins *b,
			int64_t start_ps, int64_t end_ps, uint64_t bytes,
			int64_t lo_ps, int64_t hi_ps)
{
	u128 total = (u128)na_spread_clipped(start_ps, end_ps, bytes, lo_ps,
					     hi_ps);
	uint64_t width = (uint64_t)b->bin_ps, whole, from, to, k0, k1;
	u128 head, each = 0;

	start_ps = lo_ps > start_ps ? lo_ps : start_ps;
	end_ps = hi_ps < end_ps ? hi_ps : end_ps;
	whole = (uint64_t)end_ps - (uint64_t)start_ps;
	from = into_bins(b, start_ps);
	to = into_bins(b, end_ps);
	k0 = from / width;
	k1 = whole ? (to - 1) / width : k0;
	if (k0 == k1) {
		s->edge[k0] += (na_i128)total;
		return (na_i128)total;
	}
	head = share(total, (k0 + 1) * width - from, whole);
	if (k1 - k0 > 1) {
		each = share(total, width, whole);
		s->step[k0 + 1] += (na_i128)each;
		s->step[k1] -= (na_i128)each;
	}
	s->edge[k0] += (na_i128)head;
	s->edge[k1] += (na_i128)(total - head - each * (k1 - k0 - 1));
	return (na_i128)total;
}

void na_spread_level(struct na_spread *s, const struct na_bins *b,
		     int64_t start_ps, int64_t end_ps, uint64_t weight)
{
	uint64_t width = (uint64_t)b->bin_ps;
	uint64_t from = into_bins(b, start_ps), to = into_bins(b, end_ps);
	uint64_t k0 = from / width, k1;

	if (to <= from)
		return;
	k1 = (to - 1) / width;
	if (k0 == k1) {
		add(&s->edge[k0], (u128)weight * (to - from));
		return;
	}
	add(&s->edge[k0], (u128)weight * ((k0 + 1) * width - from));
	add(&s->edge[k1], (u128)weight * (to - k1 * width));
	add(&s->step[k0 + 1], (u128)weight * width);
	add(&s->step[k1], -((u128)weight * width));
}

void na_spread_read(const struct na_spread *s, const struct na_bins *b,
		    double scale, double *out)
{
	na_i128 level = 0;

	for (size_t i = 0; i < b->n; i++) {
		na_i128 sum = s->edge[i];

		add(&level, (u128)s->step[i]);
		add(&sum, (u128)level);
		out[i] = (double)sum * scale;
	}
}

/* What is 0, and there is much of it, takes no room. */
static void put_sums(struct na_serializer *to, const na_i128 *v, size_t n)
{
	size_t next = 0;

	for (size_t i = 0; i < n; i++) {
		if (!v[i])
			continue;
		na_pack_number(to, i - next + 1);
		na_pack_wide(to, v[i]);
		next = i + 1;
	}
	na_pack_number(to, 0);
}

static void get_sums(struct na_deserializer *from, na_i128 *v, size_t n)
{
	size_t next = 0, gap;

	while ((gap = na_unpack_index(from, n - next + 1)) > 0) {
		next += gap;
		v[next - 1] = na_unpack_wide(from);
	}
}

void na_spread_pack(const struct na_spread *s, const struct na_bins *b,
		    struct na_serializer *to)
{
	put_sums(to, s->edge, b->n);
	put_sums(to, s->step, b->n + 1);
}

void na_spread_unpack(struct na_spread *s, const struct na_bins *b,
		      struct na_deserializer *from)
{
	if (from->failed)
		return;
	get_sums(from, s->edge, b->n);
	get_sums(from, s->step, b->n + 1);
}
