/* Which endpoint of the transfers a device plane is. */
#include "netan/model/hosts/resolve.h"

#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"

NA_ORDER(by_device, struct na_local_end, NA_UP(e.slice), NA_UP(e.device))

struct na_local_end *na_local_ends(const struct na_store *s, size_t source,
				   size_t *n_out)
{
	size_t n = s->n_local[source];
	struct na_local_end *order = na_calloc(n, sizeof(*order));

	for (size_t i = 0; order && i < n; i++) {
		uint32_t e = s->local[source][i];

		order[i] = (struct na_local_end){s->names.endpoints[e], e};
	}
	na_sort(order, n, by_device);
	*n_out = order ? n : 0;
	return order;
}

NA_ORDER(by_input_number, struct na_core *, NA_CMP((*x)->input, (*y)->input),
	 NA_CMP((*x)->number, (*y)->number))

/* Cores are in the order of their numbers. */
static struct na_core *core_at(struct na_core **cores, size_t n,
			       uint32_t number)
{
	size_t at = NA_BOUND(i, 0, n, cores[i]->number >= (int64_t)number);

	return at < n && cores[at]->number == (int64_t)number ? cores[at]
							      : NULL;
}

static uint32_t ordinal_of(const struct na_store *s, size_t endpoint)
{
	return endpoint < s->devices.n_ordinals ? s->devices.ordinals[endpoint]
						: NA_UNKNOWN_U32;
}

/* Every endpoint tells another device of the host, or every device is told by
 * another one: planes of some can be missing. */
static bool all_told(const struct na_store *s, struct na_core **cores,
		     size_t n_cores, const struct na_local_end *order, size_t n)
{
	size_t told = 0;
	bool twice = false;

	for (size_t i = 0; i < n; i++) {
		struct na_core *c = core_at(cores, n_cores,
					    ordinal_of(s, order[i].index));

		if (!c)
			continue;
		told++;
		twice |= c->told;
		c->told = true;
	}
	for (size_t i = 0; i < n_cores; i++)
		cores[i]->told = false;
	return !twice && (told == n || told == n_cores);
}

/* Local endpoints of an input in the order of their ids, then where every
 * one tells which device of its host it is. */
static bool ends_of_cores(struct na_store *s, size_t input,
			  struct na_core **cores, size_t n_cores)
{
	size_t m;
	struct na_local_end *order = na_local_ends(s, input, &m);
	bool told;

	told = order && all_told(s, cores, n_cores, order, m);
	for (size_t i = 0; i < m && (told || m == n_cores); i++) {
		struct na_core *c =
			told ? core_at(cores, n_cores,
				       ordinal_of(s, order[i].index))
			     : cores[i];

		if (!c)
			continue;
		c->endpoint = (uint32_t)order[i].index;
		c->told = told;
	}
	free(order);
	return order;
}

enum na_status na_resolve_cores(struct na_store *s, struct na_err *err)
{
	struct na_core **cores = na_calloc(s->devices.n_cores,
					   sizeof(struct na_core *));
	bool ok = cores && na_devices_straighten(&s->devices, &s->busy);
	size_t n = 0;

	for (size_t i = 0; ok && i < s->devices.n_cores; i++) {
		if (s->devices.cores[i].kind == NA_DEVICE_TPU)
			cores[n++] = &s->devices.cores[i];
	}
	na_sort(cores, n, by_input_number);
	for (size_t i = 0, to; ok && i < n; i = to) {
		for (to = i; to < n && cores[to]->input == cores[i]->input;)
			to++;
		ok = ends_of_cores(s, cores[i]->input, cores + i, to - i);
	}
	free(cores);
	return ok ? NA_OK : na_fail_nomem(err);
}
