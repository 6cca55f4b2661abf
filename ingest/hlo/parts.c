#include "ingest/hlo/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

void na_hlo_put(struct na_hlo_buf *b, const char *s, size_t n)
{
	if (!na_grow(&b->s, &b->cap, b->n + n + 1, 1)) {
		b->failed = true;
		return;
	}
	memcpy(b->s + b->n, s, n);
	b->n += n;
	b->s[b->n] = '\0';
}

void na_hlo_putf(struct na_hlo_buf *b, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	na_hlo_put(b, text,
		   n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

enum na_status na_hlo_begin(struct na_hlo_read *r, struct na_hlo *h,
			    uint32_t worker, enum na_hlo_form form,
			    struct na_err *err)
{
	*r = (struct na_hlo_read){.h = h, .err = err, .m = na_hlo_add(h)};
	if (!r->m)
		return na_fail_nomem(err);
	r->m->worker = worker;
	r->m->form = (uint8_t)form;
	return NA_OK;
}

struct na_hlo_computation *na_hlo_add_computation(struct na_hlo_read *r)
{
	struct na_hlo_module *m = r->m;
	struct na_hlo_computation *c;

	if (m->n_computations == NA_HLO_MAX_MODULE) {
		na_fail(r->err, NA_ELIMIT, "more than %d computations",
			NA_HLO_MAX_MODULE);
		return NULL;
	}
	if (!na_grow(&m->computations, &m->cap_computations,
		     m->n_computations + 1, sizeof(*m->computations))) {
		na_fail_nomem(r->err);
		return NULL;
	}
	c = &m->computations[m->n_computations++];
	*c = (struct na_hlo_computation){
		.name = NA_NO_NAME,
		.first = (uint32_t)m->n_instructions,
	};
	return c;
}

struct na_hlo_instruction *na_hlo_add_instruction(struct na_hlo_read *r)
{
	struct na_hlo_module *m = r->m;
	size_t n = m->n_instructions;
	struct na_hlo_instruction *x;

	if (n == NA_HLO_MAX_MODULE) {
		na_fail(r->err, NA_ELIMIT, "more than %d instructions",
			NA_HLO_MAX_MODULE);
		return NULL;
	}
	if (!na_grow(&m->instructions, &m->cap_instructions, n + 1,
		     sizeof(*m->instructions)) ||
	    !na_grow(&r->calls, &r->cap_calls, n + 1, sizeof(*r->calls)) ||
	    (r->h->texts &&
	     !na_grow(&m->texts, &m->cap_texts, n + 1, sizeof(*m->texts)))) {
		na_fail_nomem(r->err);
		return NULL;
	}
	if (r->h->texts)
		m->texts[n] = NA_NO_NAME;
	r->calls[n] = NA_NO_NAME;
	x = &m->instructions[m->n_instructions++];
	*x = (struct na_hlo_instruction){
		.size_bytes = NA_UNKNOWN_U64,
		.channel = -1,
		.name = NA_NO_NAME,
		.opcode_name = NA_NO_NAME,
		.computation = (uint32_t)m->n_computations - 1,
		.first_operand = (uint32_t)m->n_operands,
		.rendezvous = NA_NO_NAME,
		.transfer_type = NA_NO_NAME,
		.handler = NA_NO_NAME,
	};
	m->computations[m->n_computations - 1].n++;
	return x;
}

bool na_hlo_add_operand(struct na_hlo_read *r, uint32_t instruction)
{
	struct na_hlo_module *m = r->m;

	if (m->n_operands == NA_HLO_MAX_MODULE) {
		na_fail(r->err, NA_ELIMIT, "more than %d operands",
			NA_HLO_MAX_MODULE);
		return false;
	}
	if (!na_grow(&m->operands, &m->cap_operands, m->n_operands + 1,
		     sizeof(*m->operands))) {
		na_fail_nomem(r->err);
		return false;
	}
	m->operands[m->n_operands++] = instruction;
	m->instructions[m->n_instructions - 1].n_operands++;
	return true;
}

bool na_hlo_keep_text(struct na_hlo_read *r)
{
	if (!r->h->texts)
		return true;
	return na_hlo_name(r, r->text.s ? r->text.s : "", r->text.n,
			   &r->m->texts[r->m->n_instructions - 1]);
}

bool na_hlo_name(struct na_hlo_read *r, const char *s, size_t n, uint32_t *name)
{
	*name = NA_NO_NAME;
	if (!n)
		return true;
	*name = na_strtab_add(&r->h->strings, s, n);
	if (*name != NA_NO_NAME)
		return true;
	na_fail_nomem(r->err);
	return false;
}

/* ---- async-start, async-update, async-done: what they run is in the
 * computation that they call */

enum { CHAIN = 16 }; /* async-updates between start and done */

static bool is_named(const struct na_hlo_read *r,
		     const struct na_hlo_instruction *x, const char *opcode)
{
	return strcmp(na_strtab_at(&r->h->strings, x->opcode_name), opcode) ==
	       0;
}

static const struct na_hlo_instruction *
communicates_in(const struct na_hlo_module *m, uint32_t computation)
{
	const struct na_hlo_computation *c = &m->computations[computation];

	for (uint32_t i = 0; i < c->n; i++) {
		const struct na_hlo_instruction *x =
			&m->instructions[c->first + i];

		if (x->opcode != NA_OPCODE_OTHER &&
		    x->opcode != NA_OPCODE_CONTAINER)
			return x;
	}
	return NULL;
}

static void as_inner(struct na_hlo_instruction *x,
		     const struct na_hlo_instruction *inner, uint8_t phase)
{
	x->opcode = inner->opcode;
	x->phase = phase;
	x->group_size = inner->group_size;
	x->n_groups = inner->n_groups;
	x->uneven = inner->uneven;
	x->all_devices = inner->all_devices;
	if (x->channel < 0)
		x->channel = inner->channel;
}

static uint32_t first_operand(const struct na_hlo_module *m, uint32_t i)
{
	const struct na_hlo_instruction *x = &m->instructions[i];

	return x->n_operands ? m->operands[x->first_operand] : NA_NO_NAME;
}

static void unwrap_async(struct na_hlo_read *r)
{
	struct na_hlo_module *m = r->m;

	for (size_t i = 0; i < m->n_instructions; i++) {
		struct na_hlo_instruction *x = &m->instructions[i];
		const struct na_hlo_instruction *inner = NULL;
		uint32_t at = (uint32_t)i;
		bool done = is_named(r, x, "async-done");

		if (!done && !is_named(r, x, "async-start"))
			continue;
		for (int k = 0;
		     done && k < CHAIN && at != NA_NO_NAME &&
		     !is_named(r, &m->instructions[at], "async-start");
		     k++)
			at = first_operand(m, at);
		if (at != NA_NO_NAME && r->calls[at] != NA_NO_NAME)
			inner = communicates_in(m, r->calls[at]);
		if (inner)
			as_inner(x, inner, done ? NA_OP_DONE : NA_OP_START);
	}
}

enum na_status na_hlo_end(struct na_hlo_read *r, enum na_status st)
{
	if (r->text.failed)
		st = na_fail_nomem(r->err);
	if (st == NA_OK) {
		unwrap_async(r);
		na_hlo_seal(r->m);
	} else if (r->m) {
		na_hlo_drop_last(r->h);
	}
	free(r->text.s);
	free(r->calls);
	return st;
}
