#include "netan/model/hlo.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/model/transfer.h"

void na_hlo_init(struct na_hlo *h, bool texts)
{
	memset(h, 0, sizeof(*h));
	na_strtab_init(&h->strings);
	h->texts = texts;
}

static void module_fini(struct na_hlo_module *m)
{
	free(m->computations);
	free(m->instructions);
	free(m->operands);
	free(m->texts);
}

void na_hlo_fini(struct na_hlo *h)
{
	for (size_t i = 0; i < h->n_modules; i++)
		module_fini(&h->modules[i]);
	for (size_t i = 0; i < h->n_workers; i++)
		free(h->workers[i].name);
	free(h->modules);
	free(h->workers);
	na_strtab_fini(&h->strings);
	memset(h, 0, sizeof(*h));
}

uint32_t na_hlo_worker(struct na_hlo *h, const char *name)
{
	char *copy;

	for (size_t i = h->n_workers; i-- > 0;) {
		if (strcmp(h->workers[i].name, name) == 0)
			return (uint32_t)i;
	}
	if (!na_grow(&h->workers, &h->cap_workers, h->n_workers + 1,
		     sizeof(*h->workers)))
		return NA_NO_NAME;
	copy = strdup(name);
	if (!copy)
		return NA_NO_NAME;
	h->workers[h->n_workers].name = copy;
	return (uint32_t)h->n_workers++;
}

struct na_hlo_module *na_hlo_add(struct na_hlo *h)
{
	struct na_hlo_module *m;

	if (!na_grow(&h->modules, &h->cap_modules, h->n_modules + 1,
		     sizeof(*h->modules)))
		return NULL;
	m = &h->modules[h->n_modules++];
	*m = (struct na_hlo_module){.name = NA_NO_NAME,
				    .program_id = NA_UNKNOWN_U64,
				    .input = NA_UNKNOWN_U32};
	return m;
}

void na_hlo_drop_last(struct na_hlo *h)
{
	module_fini(&h->modules[--h->n_modules]);
}

uint64_t na_hlo_hash(uint64_t h, const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t x;

	h = na_hlo_mix(h, n);
	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&x, s, 8);
		h = na_hlo_mix(h, x);
	}
	x = 0;
	memcpy(&x, s, n);
	return na_hlo_mix(h, x);
}

/* Where computations begin counts, and which one is the entry. */
void na_hlo_seal(struct na_hlo_module *m)
{
	uint64_t h = 0;

	for (size_t i = 0; i < m->n_computations; i++) {
		const struct na_hlo_computation *c = &m->computations[i];

		h = na_hlo_mix(h, (uint64_t)c->n << 1 | c->entry);
		for (uint32_t k = 0; k < c->n; k++)
			h = na_hlo_mix(h, m->instructions[c->first + k].hash);
	}
	m->fingerprint = h;
}
