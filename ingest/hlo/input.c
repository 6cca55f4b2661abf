/* HLO modules of an input, however its format keeps them. */
#include <inttypes.h>

#include "ingest/hlo/hlo.h"
#include "ingest/input.h"

/* The host is the worker. */
static uint32_t worker_of(const struct na_input *in, struct na_hlo *to)
{
	return na_hlo_worker(to, in->host && *in->host ? in->host : in->path);
}

struct adding {
	struct na_input *in;
	uint32_t input;
	struct na_hlo *to;
};

static enum na_status add_program(void *ctx, const struct na_program_bytes *x,
				  struct na_err *err)
{
	const struct adding *a = ctx;
	struct na_err inner = {.status = NA_OK};
	struct na_input *in = a->in;
	struct na_hlo *to = a->to;
	uint32_t worker = worker_of(in, to);
	struct na_hlo_module *m;
	enum na_status st;

	if (worker == NA_NO_NAME)
		return na_fail_nomem(err);
	st = na_hlo_read_proto(to, x->p, x->n, worker, &inner);
	if (st == NA_ENOMEM)
		return na_fail_nomem(err);
	if (st != NA_OK) {
		in->damaged = true;
		na_input_warn(in,
			      "program \"%.*s\", an HLO module of %zu bytes at "
			      "byte %" PRIu64 ", is damaged there at %s: left "
			      "out",
			      (int)(x->name.n < 80 ? x->name.n : 80), x->name.s,
			      x->n, x->at, inner.text);
		return NA_OK;
	}
	m = &to->modules[to->n_modules - 1];
	m->program_id = x->id;
	m->input = a->input;
	if (m->name != NA_NO_NAME || !x->name.n)
		return NA_OK;
	m->name = na_strtab_add(&to->strings, x->name.s, x->name.n);
	return m->name == NA_NO_NAME ? na_fail_nomem(err) : NA_OK;
}

enum na_status na_input_programs(struct na_input *in, uint32_t input,
				 struct na_hlo *to, struct na_err *err)
{
	struct adding a = {in, input, to};
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < in->n_programs; i++)
		st = add_program(&a, &in->programs[i], err);
	if (in->away)
		return st;
	return in->reader->program_bytes
		       ? in->reader->program_bytes(in, add_program, &a, err)
		       : NA_OK;
}
