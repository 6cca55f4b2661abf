#include "netan/model/hlo.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/model/transfer.h"

void na_hlo_init(struct na_hlo *h, bool texts)
{
	memset(h, 0, sizeof(*h));
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

/* ---- joining */

struct renaming {
	struct na_hlo *into;
	const struct na_hlo *from;
	uint32_t *to; /* by name of `from`; NA_NO_NAME: not there yet */
	bool short_of_memory;
};

static void rename_one(struct renaming *r, uint32_t *name)
{
	const struct na_interned *s;

	if (*name == NA_NO_NAME)
		return;
	s = &r->from->strings.names[*name];
	if (r->to[*name] == NA_NO_NAME)
		r->to[*name] = na_strtab_add(&r->into->strings, s->s, s->len);
	*name = r->to[*name];
	r->short_of_memory |= *name == NA_NO_NAME;
}

static void rename_module(struct renaming *r, struct na_hlo_module *m)
{
	rename_one(r, &m->name);
	for (size_t i = 0; m->computations && i < m->n_computations; i++)
		rename_one(r, &m->computations[i].name);
	for (size_t i = 0; m->instructions && i < m->n_instructions; i++) {
		struct na_hlo_instruction *x = &m->instructions[i];

		rename_one(r, &x->name);
		rename_one(r, &x->opcode_name);
		rename_one(r, &x->rendezvous);
		rename_one(r, &x->transfer_type);
		rename_one(r, &x->handler);
		if (m->texts)
			rename_one(r, &m->texts[i]);
	}
}

bool na_hlo_take(struct na_hlo *into, struct na_hlo *from)
{
	struct renaming r = {.into = into, .from = from};
	size_t n = from->n_modules;

	r.to = na_calloc(from->strings.n + 1, sizeof(*r.to));
	if (!r.to || !na_grow(&into->modules, &into->cap_modules,
			      into->n_modules + n + 1, sizeof(*into->modules)))
		r.short_of_memory = true;
	for (size_t i = 0; r.to && i < from->strings.n; i++)
		r.to[i] = NA_NO_NAME;
	for (size_t i = 0; !r.short_of_memory && i < n; i++) {
		struct na_hlo_module *m = &from->modules[i];

		m->worker = na_hlo_worker(into, from->workers[m->worker].name);
		r.short_of_memory = m->worker == NA_NO_NAME;
		rename_module(&r, m);
	}
	if (!r.short_of_memory && n) {
		memcpy(into->modules + into->n_modules, from->modules,
		       n * sizeof(*from->modules));
		into->n_modules += n;
		from->n_modules = 0;
	}
	free(r.to);
	na_hlo_fini(from);
	return !r.short_of_memory;
}

void na_hlo_strip(struct na_hlo_module *m)
{
	module_fini(m);
	m->computations = NULL;
	m->instructions = NULL;
	m->operands = NULL;
	m->texts = NULL;
	m->cap_computations = m->cap_instructions = 0;
	m->cap_operands = m->cap_texts = 0;
}
