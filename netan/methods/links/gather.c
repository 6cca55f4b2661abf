/* Which instances tell how fast links are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/links/impl.h"
#include "netan/methods/ranks/bus.h"

static uint32_t store_host(const struct na_ranks *r, uint32_t rank)
{
	return r->store->devices.cores[r->ranks.v[rank].core].input;
}

struct told {
	uint32_t run, rank;
	const char *name;
};

NA_ORDER(by_name, struct told, NA_UP(run), strcmp(x->name, y->name),
	 NA_UP(rank))

/* Several inputs of one name are one host. */
static bool find_hosts(struct na_links *l)
{
	const struct na_ranks *r = l->ranks;
	struct told *x = na_calloc(r->ranks.n + 1, sizeof(*x));
	size_t n = 0;

	l->host_of = na_calloc(r->ranks.n + 1, sizeof(*l->host_of));
	l->rank_on = na_calloc(r->ranks.n + 1, sizeof(*l->rank_on));
	for (uint32_t i = 0; x && l->host_of && i < r->ranks.n; i++) {
		uint32_t host = store_host(r, i);

		l->host_of[i] = NA_UNKNOWN_U32;
		if (!r->store->sources[host].no_host)
			x[n++] = (struct told){r->ranks.v[i].run, i,
					       r->store->hosts[host].name};
	}
	na_sort(x, n, by_name);
	for (size_t i = 0; l->rank_on && i < n; i++) {
		if (!i || x[i].run != x[i - 1].run ||
		    strcmp(x[i].name, x[i - 1].name))
			l->rank_on[l->n_hosts++] = x[i].rank;
		l->host_of[x[i].rank] = l->n_hosts - 1;
	}
	free(x);
	return x && l->host_of && l->rank_on;
}

static bool measures(const struct na_ranks *r, const struct na_rank_instance *x)
{
	return x->size_bytes < NA_RANK_BYTES_MAX &&
	       x->to - x->from == r->groups.v[x->group].size &&
	       na_rank_measures(r, x);
}

/* Small lists, in room for two of each rank. */
static uint32_t distinct(uint32_t *v, size_t n, uint32_t *most)
{
	uint32_t count = 0;
	size_t from = 0;

	na_sort(v, n, na_order_u32);
	*most = 0;
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && v[i + 1] == v[i])
			continue;
		count++;
		if (i + 1 - from > *most)
			*most = (uint32_t)(i + 1 - from);
		from = i + 1;
	}
	return count;
}

/* False: of one of its ranks nothing tells the host. */
static bool place(const struct na_links *l, const struct na_rank_instance *x,
		  uint32_t *tmp, struct links_sample *to)
{
	const struct na_ranks *r = l->ranks;
	size_t n = x->to - x->from;
	uint32_t most;

	for (size_t i = 0; i < n; i++) {
		tmp[i] = l->host_of[r->parts.v[x->from + i].rank];
		if (tmp[i] == NA_UNKNOWN_U32)
			return false;
	}
	to->hosts = distinct(tmp, n, &to->most);
	for (size_t i = 0; i < n; i++)
		tmp[i] = na_store_rack(
			r->store, store_host(r, r->parts.v[x->from + i].rank));
	to->racks = distinct(tmp, n, &most);
	return true;
}

bool na_links_gather(struct na_links *l, struct links_samples *out)
{
	const struct na_ranks *r = l->ranks;
	uint32_t *tmp = na_calloc(r->ranks.n + 1, sizeof(*tmp));
	bool ok = tmp && find_hosts(l);

	for (size_t i = 0; ok && i < r->instances.n; i++) {
		const struct na_rank_instance *x = &r->instances.v[i];
		const struct na_rank_group *g = &r->groups.v[x->group];
		struct links_sample s = {.run = g->run,
					 .ranks = g->size,
					 .purpose = g->purpose,
					 .operation = x->operation,
					 .times = x->times,
					 .group = x->group,
					 .instance = (uint32_t)i};

		if (!measures(r, x) || (l->wanted && !l->wanted(l->arg, x)))
			continue;
		if (g->src >= 0)
			s.operation = NA_OPCODE_SEND_RECV;
		s.bytes = (uint64_t)((double)x->size_bytes *
				     na_bus_factor(x->operation, g->size));
		if (s.bytes < NA_LINKS_BYTES || !place(l, x, tmp, &s))
			continue;
		s.log_ps = log((double)x->transfer_ps);
		ok = na_add(out, s);
	}
	free(tmp);
	return ok;
}
