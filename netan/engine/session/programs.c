/* HLO modules: of the traces' metadata planes and of --hlo. */
#include <stdlib.h>
#include <unistd.h>

#include "ingest/hlo/hlo.h"
#include "netan/base/vec.h"
#include "netan/engine/session/session.h"

/* Nobody waits for a long read to learn of a typing error. */
enum na_status na_session_programs_check(const struct na_session *s,
					 struct na_err *err)
{
	const struct na_text_list *paths = &s->request->hlo;

	for (size_t i = 0; i < paths->n; i++) {
		if (access(paths->items[i], R_OK) < 0)
			return na_fail_errno(err, paths->items[i]);
	}
	return NA_OK;
}

struct dumps {
	struct na_session *s;
	size_t damaged; /* below the path at hand */
};

static void warn_of_program(void *ctx, const char *text)
{
	struct dumps *d = ctx;

	d->damaged++;
	d->s->damaged = true;
	na_say_warning(d->s->request, "%s", text);
}

struct piece {
	struct na_hlo hlo;
	struct na_err err;
};

struct pieces {
	struct na_session *s;
	struct piece *of; /* by input */
};

static void read_input(void *ctx, size_t i)
{
	const struct pieces *p = ctx;
	struct na_input *in = &p->s->inputs[i];
	struct piece *x = &p->of[i];

	na_hlo_init(&x->hlo, false);
	na_in_err(na_input_programs(in, (uint32_t)i, &x->hlo, &x->err));
}

/* Each on a thread; joined in their order, whoever was done first. */
static enum na_status of_inputs(struct na_session *s, struct na_err *err)
{
	struct pieces p = {s, na_calloc(s->n_inputs + 1, sizeof(*p.of))};

	if (!p.of || !na_parallel(s->threads, s->n_inputs, read_input, &p)) {
		free(p.of);
		return na_fail_nomem(err);
	}
	for (size_t i = 0; i < s->n_inputs; i++) {
		struct piece *x = &p.of[i];

		s->damaged |= s->inputs[i].damaged;
		if (err->status == NA_OK)
			*err = x->err;
		if (!na_hlo_take(s->programs, &x->hlo) && err->status == NA_OK)
			na_fail_nomem(err);
	}
	free(p.of);
	return err->status;
}

static enum na_status of_dumps(struct na_session *s, struct na_err *err)
{
	const struct na_text_list *paths = &s->request->hlo;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < paths->n; i++) {
		struct dumps d = {.s = s};
		size_t n;

		st = na_hlo_read_path(s->programs, paths->items[i], NULL,
				      warn_of_program, &d, &n, err);
		if (st == NA_OK && !n && !d.damaged)
			na_say_warning(s->request,
				       "--hlo %s: no HLO module in it (looked "
				       "for *.hlo_proto.pb, *.pb, *.txt and "
				       "*.hlo, also packed)",
				       paths->items[i]);
	}
	return st;
}

/* What inputs were read with is of no use then: who looks at one again opens
 * it anew.  But of packets what was counted is asked for to the end, and the
 * hosts of one file share what it was read with. */
static void forget_readers(struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		struct na_input *in = &s->inputs[i];

		if (!in->state || in->capture || in->n_sources > 1)
			continue;
		in->reader->close(in);
		in->state = NULL;
	}
}

static enum na_status read_programs(struct na_session *s, struct na_err *err)
{
	enum na_status st;

	s->programs = na_calloc(1, sizeof(*s->programs));
	if (!s->programs)
		return na_fail_nomem(err);
	na_hlo_init(s->programs, false);
	st = of_inputs(s, err);
	return st == NA_OK ? of_dumps(s, err) : st;
}

enum na_status na_session_programs(struct na_session *s, struct na_err *err)
{
	enum na_status st = NA_OK;

	if (s->wants & NA_WANT_PROGRAMS)
		st = read_programs(s, err);
	forget_readers(s);
	if (st != NA_OK || !s->programs)
		return st;
	na_say_detail(s->request, "%zu HLO modules", s->programs->n_modules);
	return na_store_join_programs(&s->store, s->programs, &s->joins, err);
}
