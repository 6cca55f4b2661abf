/* Counts of messages that arrive before they were sent. */
#include "netan/methods/clocks/early.h"

/* More than a fifth. */
enum { ONE_IN = 5 };

bool na_early_init(struct na_early *x, const struct na_store *store)
{
	x->store = store;
	return na_sparse_init(&x->of, 2 * store->n_hosts,
			      sizeof(struct na_early_side));
}

void na_early_fini(struct na_early *x)
{
	na_sparse_fini(&x->of);
}

static bool count(struct na_early *x, size_t at, bool early, int64_t value)
{
	struct na_early_side *to = na_sparse_at(&x->of, at);

	if (!to)
		return false;
	to->n++;
	to->early += early;
	to->sum += early ? 0 : value;
	return true;
}

bool na_early_add(struct na_early *x, const struct na_transfer *t,
		  int64_t value)
{
	const struct na_store *store = x->store;
	uint32_t run = store->sources[t->input].run, src, dst;
	bool early = t->klass == NA_CLOCK_SKEW;

	if (!early && t->klass != NA_VALID)
		return true;
	src = na_store_host_of(store, run, t->src);
	dst = na_store_host_of(store, run, t->dst);
	if (src == dst)
		return true;
	return (src >= store->n_hosts || count(x, src, early, value)) &&
	       (dst >= store->n_hosts ||
		count(x, store->n_hosts + dst, early, value));
}

bool na_early_merge(struct na_early *x, const struct na_early *from)
{
	na_each_sparse(i, &from->of, 2 * from->store->n_hosts)
	{
		const struct na_early_side *y = na_sparse_get(&from->of, i);
		struct na_early_side *to;

		if (!y->n)
			continue;
		to = na_sparse_at(&x->of, i);
		if (!to)
			return false;
		to->n += y->n;
		to->early += y->early;
		to->sum += y->sum;
	}
	return true;
}

void na_early_pack(const struct na_early *x, struct na_serializer *to)
{
	na_each_sparse(i, &x->of, 2 * x->store->n_hosts)
	{
		const struct na_early_side *y = na_sparse_get(&x->of, i);

		if (!y->n)
			continue;
		na_pack_number(to, i + 1);
		na_pack_number(to, y->n);
		na_pack_number(to, y->early);
		na_pack_signed(to, y->sum);
	}
	na_pack_number(to, 0);
}

void na_early_unpack(struct na_early *x, struct na_deserializer *from)
{
	size_t n = 2 * x->store->n_hosts, i;

	while ((i = na_unpack_index(from, n + 1)) > 0) {
		struct na_early_side *y = na_sparse_at(&x->of, i - 1);

		na_unpack_must(from, y != NULL);
		if (!y)
			return;
		y->n = na_unpack_tally(from);
		y->early = na_unpack_tally(from);
		y->sum = na_unpack_signed(from);
		na_unpack_must(from,
			       y->sum <= INT64_C(1) << 48 && y->sum >= 0);
	}
}

static bool off(const struct na_early_side *y)
{
	return y->n >= NA_EARLY_LEAST && y->early > y->n / ONE_IN;
}

/* One clock ahead makes some early for each receiver, one behind for each
 * sender: the host with most of them on one side is the one. */
bool na_early_off(const struct na_early *x, struct na_clock_off *o)
{
	size_t hosts = x->store->n_hosts, at = SIZE_MAX;
	const struct na_early_side *best = NULL;

	na_each_sparse(i, &x->of, 2 * hosts)
	{
		const struct na_early_side *y = na_sparse_get(&x->of, i);

		if (off(y) && (!best || y->early > best->early)) {
			best = y;
			at = i;
		}
	}
	if (!best)
		return false;
	*o = (struct na_clock_off){
		.host = x->store->hosts[at % hosts].name,
		.ahead = at < hosts,
		.n = best->n,
		.early = best->early,
	};
	na_each_sparse(i, &x->of, 2 * hosts)
		o->others += i != at && (i < hosts) == o->ahead &&
			     off(na_sparse_get(&x->of, i));
	return true;
}

void na_clock_off_say(struct na_str *to, const struct na_clock_off *o)
{
	na_str_addf(to, "the clock of %s", o->host);
	if (o->others)
		na_str_addf(to, " (and of %zu other host%s)", o->others,
			    na_plural(o->others));
	na_str_addf(to, " is %s others'", o->ahead ? "ahead of" : "behind");
}
