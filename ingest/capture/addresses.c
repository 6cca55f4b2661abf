#include "ingest/capture/addresses.h"

#include <stdlib.h>
#include <sys/random.h>

#include "netan/base/vec.h"

enum { FIRST_SLOTS = 1 << 8 };

struct na_address_slot {
	struct na_address a; /* family 0: free */
	uint32_t endpoint;
};

uint64_t na_hash_key(void)
{
	uint64_t key;

	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
		key = 0x9e3779b97f4a7c15;
	return key;
}

void na_addresses_init(struct na_addresses *t, const struct na_sink *sink)
{
	*t = (struct na_addresses){
		.sink = sink,
		.most = NA_ADDRESSES,
		.key = na_hash_key(),
		.non_ip = NA_UNKNOWN_U32,
		.other = NA_UNKNOWN_U32,
	};
}

void na_addresses_fini(struct na_addresses *t)
{
	free(t->slots);
	t->slots = NULL;
	t->n = t->n_slots = 0;
}

static struct na_address_slot *slot_of(const struct na_addresses *t,
				       const struct na_address *a)
{
	size_t i = na_hash_address(t->key, a) & (t->n_slots - 1);

	while (t->slots[i].a.family && !na_address_same(&t->slots[i].a, a))
		i = (i + 1) & (t->n_slots - 1);
	return &t->slots[i];
}

static bool more_slots(struct na_addresses *t)
{
	struct na_address_slot *old = t->slots;
	size_t n_old = t->n_slots;

	if (2 * (t->n + 1) <= n_old)
		return true;
	t->n_slots = n_old ? 2 * n_old : FIRST_SLOTS;
	t->slots = na_calloc(t->n_slots, sizeof(*t->slots));
	if (!t->slots) {
		t->slots = old;
		t->n_slots = n_old;
		return false;
	}
	for (size_t i = 0; i < n_old; i++)
		if (old[i].a.family)
			*slot_of(t, &old[i].a) = old[i];
	free(old);
	return true;
}

static uint32_t ask(const struct na_addresses *t, const char *name)
{
	return t->sink->address(t->sink->ctx, name, strlen(name));
}

static uint32_t ask_once(const struct na_addresses *t, uint32_t *endpoint,
			 const char *name)
{
	if (*endpoint == NA_UNKNOWN_U32)
		*endpoint = ask(t, name);
	return *endpoint;
}

uint32_t na_addresses_endpoint(struct na_addresses *t,
			       const struct na_address *a)
{
	struct na_address_slot *s;
	char buf[NA_ADDRESS_BUF];

	if (a->family == 0)
		return ask_once(t, &t->non_ip, "non-IP");
	if (!more_slots(t))
		return NA_UNKNOWN_U32;
	s = slot_of(t, a);
	if (s->a.family)
		return s->endpoint;
	if (t->n >= t->most) {
		t->dropped++;
		return ask_once(t, &t->other, "other");
	}
	s->endpoint = ask(t, na_address_print(buf, a));
	if (s->endpoint == NA_UNKNOWN_U32)
		return NA_UNKNOWN_U32;
	s->a = *a;
	t->n++;
	return s->endpoint;
}
