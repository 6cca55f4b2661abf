/* How far a rank is in a group; see recorder.h. */
#include <stdlib.h>

#include "netan/model/logs/recorder.h"

enum { FEW = 16 /* places that are found without slots */ };

/* Of a table that is at most half full: where a group is, or would be. */
static size_t slot_of(const struct na_fr_dump *d, uint32_t group)
{
	size_t mask = d->n_slots - 1;
	size_t at = (uint32_t)(group * 2654435769u) & mask;

	while (d->slots[at] && d->places.v[d->slots[at] - 1].group != group)
		at = (at + 1) & mask;
	return at;
}

/* Without memory for them there are none: then all places are looked at. */
void na_fr_index(struct na_fr_dump *d)
{
	size_t n = 4 * FEW;

	free(d->slots);
	d->slots = NULL;
	while (n < 4 * d->places.n)
		n *= 2;
	if (d->places.n > FEW)
		d->slots = na_calloc(n, sizeof(*d->slots));
	d->n_slots = n;
	for (size_t i = 0; d->slots && i < d->places.n; i++) {
		size_t at = slot_of(d, d->places.v[i].group);

		if (!d->slots[at])
			d->slots[at] = (uint32_t)i + 1;
	}
}

static size_t find(const struct na_fr_dump *d, uint32_t group)
{
	size_t i = 0;

	if (d->slots) {
		uint32_t slot = d->slots[slot_of(d, group)];

		return slot ? slot - 1 : d->places.n;
	}
	while (i < d->places.n && d->places.v[i].group != group)
		i++;
	return i;
}

const struct na_fr_place *na_fr_place_of(const struct na_fr_dump *d,
					 uint32_t group)
{
	size_t i = find(d, group);

	return i < d->places.n ? &d->places.v[i] : NULL;
}

struct na_fr_place *na_fr_place(struct na_fr_dump *d, uint32_t group)
{
	size_t i = find(d, group);

	if (i < d->places.n)
		return &d->places.v[i];
	if (!na_add(&d->places, ((struct na_fr_place){.group = group,
						      .operation = NA_NO_NAME,
						      .enqueued = -1,
						      .listed = -1,
						      .started = -1,
						      .completed = -1})))
		return NULL;
	if (d->slots && 2 * d->places.n <= d->n_slots)
		d->slots[slot_of(d, group)] = (uint32_t)d->places.n;
	else if (d->places.n > FEW)
		na_fr_index(d);
	return &d->places.v[i];
}
