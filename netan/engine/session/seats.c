/* Ranks of the job where inputs know those of communicators alone. */
#include <stdlib.h>
#include <string.h>

#include "ingest/gpu/seats.h"
#include "netan/engine/session/session.h"

/* They cannot be told from ranks that others of the run name. */
static enum na_status alone(const struct na_session *s, uint32_t run,
			    struct na_err *err)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (s->sources[i].run == run && in->rank >= 0 && !in->n_seats)
			return na_fail(err, NA_EUSAGE,
				       "%s tells ranks of the job, and logs of "
				       "communicators beside it do not (none "
				       "is of all processes): give them "
				       "alone, or a --label NAME before each",
				       in->path);
	}
	return NA_OK;
}

static bool note_stand_in(struct na_session *s)
{
	static const char text[] =
		"no communicator is of all processes, so that these logs do "
		"not tell ranks of the job: r0, r1, ... are processes by host "
		"and process id (netan info: which is which)";

	if (!na_grow(&s->notes, &s->cap_notes, s->n_notes + 1,
		     sizeof(*s->notes)))
		return false;
	s->notes[s->n_notes++] = text;
	return true;
}

static enum na_status settle_run(struct na_session *s, uint32_t run,
				 struct na_input **v, struct na_err *err)
{
	bool stand_in;
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->sources[i].run == run && s->inputs[i].n_seats)
			v[n++] = &s->inputs[i];
	}
	if (!n)
		return NA_OK;
	if (!na_seats_settle(v, n, &s->arena, &stand_in))
		return na_fail_nomem(err);
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->sources[i].run == run && s->inputs[i].n_seats &&
		    !na_session_name_rank(s, &s->inputs[i], &s->sources[i]))
			return na_fail_nomem(err);
	}
	if (!stand_in)
		return NA_OK;
	return note_stand_in(s) ? alone(s, run, err) : na_fail_nomem(err);
}

enum na_status na_session_seats(struct na_session *s, struct na_err *err)
{
	struct na_input **v = na_calloc(s->n_inputs, sizeof(*v));
	uint32_t runs = 0;

	if (!v)
		return na_fail_nomem(err);
	for (size_t i = 0; i < s->n_inputs; i++)
		runs = s->sources[i].run >= runs ? s->sources[i].run + 1 : runs;
	for (uint32_t run = 0; err->status == NA_OK && run < runs; run++)
		settle_run(s, run, v, err);
	free(v);
	return err->status;
}
