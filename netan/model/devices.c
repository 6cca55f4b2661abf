/* Device planes in parts and in the store. */
#include "netan/model/devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

void na_devices_fini(struct na_devices *d)
{
	free(d->cores);
	na_triples_fini(&d->core_of);
	free(d->types.items);
	free(d->types.slots);
	free(d->last);
	free(d->ordinals);
}

/* ---- cores */

const char *na_core_print(char buf[NA_CORE_BUF], const struct na_core *c,
			  char between)
{
	if (c->kind == NA_DEVICE_RANK)
		snprintf(buf, NA_CORE_BUF, "r%" PRId32, c->number);
	else
		snprintf(buf, NA_CORE_BUF, "%s%c%" PRId32,
			 c->kind == NA_DEVICE_GPU ? "GPU" : "TPU", between,
			 c->number);
	return buf;
}

uint32_t na_devices_core(struct na_devices *d, enum na_device_kind kind,
			 uint32_t input, int32_t number)
{
	struct na_triple key = {(uint32_t)kind, input, (uint32_t)number};
	uint32_t core;

	if (!na_grow(&d->cores, &d->cap_cores, d->n_cores + 1,
		     sizeof(*d->cores)) ||
	    !na_grow(&d->last, &d->cap_last, d->n_cores + 1, sizeof(*d->last)))
		return UINT32_MAX;
	core = na_triples_add(&d->core_of, key);
	if (core != d->n_cores)
		return core;
	d->last[core] = (struct last_busy){.any = false};
	d->cores[core] = (struct na_core){.number = number,
					  .input = input,
					  .kind = (uint8_t)kind,
					  .endpoint = NA_UNKNOWN_U32};
	d->n_cores++;
	return core;
}

/* ---- op types */

static uint32_t hash_type(const struct na_op_type *t)
{
	uint64_t words[sizeof(*t) / 8], h = UINT64_C(0x9e3779b97f4a7c15);

	memcpy(words, t, sizeof(*t));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		h = (h ^ words[i]) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

/* Room for one more. */
static bool rehash(struct na_op_types *t)
{
	size_t n_slots = 64;
	uint32_t *slots;

	while (n_slots < 2 * (t->n + 1))
		n_slots *= 2;
	slots = na_calloc(n_slots, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < t->n; i++) {
		size_t at = hash_type(&t->items[i]) & (n_slots - 1);

		while (slots[at])
			at = (at + 1) & (n_slots - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->n_slots = n_slots;
	return true;
}

uint32_t na_devices_type(struct na_devices *d, const struct na_op_type *type)
{
	struct na_op_types *t = &d->types;
	size_t at;

	if (2 * (t->n + 1) > t->n_slots && !rehash(t))
		return UINT32_MAX;
	at = hash_type(type) & (t->n_slots - 1);
	for (; t->slots[at]; at = (at + 1) & (t->n_slots - 1)) {
		if (memcmp(&t->items[t->slots[at] - 1], type, sizeof(*type)) ==
		    0)
			return t->slots[at] - 1;
	}
	if (!na_grow(&t->items, &t->cap, t->n + 1, sizeof(*t->items)))
		return UINT32_MAX;
	t->items[t->n] = *type;
	t->slots[at] = (uint32_t)++t->n;
	return (uint32_t)(t->n - 1);
}

void na_devices_settle_types(struct na_devices *d)
{
	struct na_op_types *t = &d->types;

	free(t->slots);
	t->slots = NULL;
	t->n_slots = 0;
	na_fit(&t->items, &t->cap, t->n, sizeof(*t->items));
}

/* ---- busy times */

static bool push_busy(struct na_chunk_list *b, uint32_t core, int64_t start_ps,
		      int64_t end_ps)
{
	uint64_t left = (uint64_t)end_ps - (uint64_t)start_ps;

	while (left) {
		uint64_t n = left < NA_BUSY_MAX_PS ? left : NA_BUSY_MAX_PS;
		struct na_busy *to = na_chunks_push(b);

		if (!to)
			return false;
		to->start_ps = start_ps;
		to->length_ps = n & (uint64_t)NA_BUSY_MAX_PS;
		to->core = core & NA_CORES_MAX;
		start_ps = (int64_t)((uint64_t)start_ps + n);
		left -= n;
	}
	return true;
}

/* The last one goes on without a gap: one record for both. */
static bool extend(struct na_chunk_list *b, uint32_t core, int64_t start_ps,
		   int64_t end_ps)
{
	struct na_busy *last;
	uint64_t length;

	if (!b->n || !b->last->n)
		return false;
	last = (struct na_busy *)(void *)b->last->data + (b->last->n - 1);
	if (last->core != core || na_busy_end(last) != start_ps)
		return false;
	length = last->length_ps + ((uint64_t)end_ps - (uint64_t)start_ps);
	if (length > (uint64_t)NA_BUSY_MAX_PS)
		return false;
	last->length_ps = length & (uint64_t)NA_BUSY_MAX_PS;
	return true;
}

/* Ops may lie within others: what they add is nothing.  The order is that of
 * starts as they came, before what others cover was cut off. */
bool na_devices_busy(struct na_devices *d, struct na_chunk_list *busy,
		     uint32_t core, int64_t start_ps, int64_t end_ps)
{
	struct last_busy *last = &d->last[core];
	int64_t came_ps = start_ps;

	if (last->any && start_ps < last->end_ps) {
		if (start_ps < last->start_ps) {
			d->cores[core].tangled = true;
		} else {
			if (end_ps <= last->end_ps)
				return true;
			start_ps = last->end_ps;
		}
	}
	if (last->any && start_ps == last->end_ps &&
	    extend(busy, core, start_ps, end_ps)) {
		last->end_ps = end_ps;
		return true;
	}
	*last = (struct last_busy){came_ps, end_ps, true};
	return push_busy(busy, core, start_ps, end_ps);
}

bool na_devices_ordinal(struct na_devices *d, uint32_t endpoint,
			uint32_t ordinal)
{
	size_t old = d->n_ordinals;

	if (endpoint >= old) {
		if (!na_grow(&d->ordinals, &d->n_ordinals, (size_t)endpoint + 1,
			     sizeof(*d->ordinals)))
			return false;
		memset(d->ordinals + old, 0xff,
		       (d->n_ordinals - old) * sizeof(*d->ordinals));
	}
	d->ordinals[endpoint] = ordinal;
	return true;
}

/* ---- parts into the store */

static uint32_t named(const struct na_maps *m, uint32_t name)
{
	return na_map_index(m->names, m->n_names, name);
}

void na_op_type_rename(struct na_op_type *t, const struct na_maps *m)
{
	t->name = named(m, t->name);
	t->kernel = named(m, t->kernel);
	t->module = named(m, t->module);
	t->collective = named(m, t->collective);
	t->transfer_type = named(m, t->transfer_type);
	t->start_op = named(m, t->start_op);
}

static uint32_t *take_types(struct na_devices *d, const struct na_devices *p,
			    const struct na_maps *m)
{
	uint32_t *type_of = na_calloc(p->types.n, sizeof(*type_of));

	for (size_t i = 0; type_of && i < p->types.n; i++) {
		struct na_op_type t = p->types.items[i];

		na_op_type_rename(&t, m);
		t.input = m->input;
		type_of[i] = na_devices_type(d, &t);
		if (type_of[i] == UINT32_MAX) {
			free(type_of);
			return NULL;
		}
	}
	return type_of;
}

static uint32_t *take_cores(struct na_devices *d, const struct na_devices *p,
			    uint32_t input)
{
	uint32_t *core_of = na_calloc(p->n_cores, sizeof(*core_of));

	for (size_t i = 0; core_of && i < p->n_cores; i++) {
		core_of[i] =
			na_devices_core(d,
					(enum na_device_kind)p->cores[i].kind,
					input, p->cores[i].number);
		if (core_of[i] == UINT32_MAX) {
			free(core_of);
			return NULL;
		}
		d->cores[core_of[i]].tangled |= p->cores[i].tangled;
	}
	return core_of;
}

/* The first records of a part may lie within the last one of the part
 * before, which came from the same line; from another line they are tangled
 * with it. */
void na_devices_join_busy(struct na_devices *d, struct na_busy *b)
{
	struct last_busy *last = &d->last[b->core];
	int64_t came_ps = b->start_ps;
	int64_t end_ps = na_busy_end(b);

	if (last->any && b->start_ps < last->end_ps) {
		if (b->start_ps < last->start_ps) {
			d->cores[b->core].tangled = true;
		} else {
			int64_t left = end_ps > last->end_ps
					       ? end_ps - last->end_ps
					       : 0;

			b->start_ps = last->end_ps;
			b->length_ps = (uint64_t)left &
				       (uint64_t)NA_BUSY_MAX_PS;
		}
	}
	if (!last->any || end_ps > last->end_ps)
		*last = (struct last_busy){came_ps, end_ps, true};
}

static bool take_ordinals(struct na_devices *d, const struct na_devices *p,
			  const struct na_maps *m)
{
	for (size_t i = 0; i < p->n_ordinals && i < m->n_endpoints; i++) {
		if (p->ordinals[i] != NA_UNKNOWN_U32 &&
		    !na_devices_ordinal(d, m->endpoints[i], p->ordinals[i]))
			return false;
	}
	return true;
}

bool na_devices_take(struct na_devices *d, const struct na_devices *part,
		     struct na_maps *m)
{
	m->cores = take_cores(d, part, m->input);
	m->types = take_types(d, part, m);
	return m->cores && m->types && take_ordinals(d, part, m);
}

/* ---- order */

int na_op_order(const void *a, const void *b)
{
	const struct na_op *x = a, *y = b;

	return NA_THEN(NA_UP(core), NA_UP(start_ps), NA_UP(end_ps),
		       NA_UP(type));
}

static int op_at_order(const void *a, const void *b)
{
	const struct na_op *const *x = a, *const *y = b;

	return na_op_order(*x, *y);
}

void na_sort_ops(const struct na_op **ops, size_t n)
{
	na_sort(ops, n, op_at_order);
}

int na_span_order(const void *a, const void *b)
{
	const struct na_span *x = a, *y = b;

	return NA_THEN(NA_UP(core), NA_UP(start_ps), NA_UP(end_ps),
		       NA_UP(number));
}

/* ---- tangled cores */

NA_ORDER(by_core_start, struct na_busy, NA_UP(core), NA_UP(start_ps),
	 NA_UP(length_ps))

/* Of all tangled cores, which lose them. */
static struct na_busy *take_tangled(const struct na_devices *d,
				    struct na_chunk_list *busy, size_t *n_out)
{
	struct na_busy *all;
	size_t n = 0;

	na_each_record (const struct na_busy, x, busy)
		n += d->cores[x->core].tangled;
	*n_out = n;
	all = na_calloc(n, sizeof(*all));
	if (!all)
		return NULL;
	n = 0;
	na_each_record (struct na_busy, x, busy) {
		if (!d->cores[x->core].tangled)
			continue;
		all[n++] = *x;
		x->length_ps = 0;
	}
	return all;
}

bool na_devices_straighten(const struct na_devices *d,
			   struct na_chunk_list *busy)
{
	size_t n, i = 0;
	struct na_busy *all;
	bool ok = true, any = false;

	for (size_t k = 0; k < d->n_cores; k++)
		any |= d->cores[k].tangled;
	if (!any)
		return true;
	all = take_tangled(d, busy, &n);
	if (!all)
		return false;
	na_sort(all, n, by_core_start);
	while (ok && i < n) {
		int64_t from = all[i].start_ps, to = from;
		uint32_t core = all[i].core;

		for (; i < n && all[i].core == core && all[i].start_ps <= to;
		     i++) {
			int64_t end = na_busy_end(&all[i]);

			to = end > to ? end : to;
		}
		ok = push_busy(busy, core, from, to);
	}
	free(all);
	return ok;
}
