/* The blocks of all inputs into the store. */
#include "netan/engine/anonymize.h"
#include "netan/engine/mpi/mpi.h"

static void read_part(void *ctx, void *part, size_t input,
		      const struct na_block *b, struct na_turn *turn,
		      struct na_err *err)
{
	struct na_session *s = ctx;
	const struct na_input *in = &s->inputs[input];
	struct na_sink sink;

	(void)turn;
	na_part_init(part, &s->store.pool, &s->filter, s->wants);
	sink = na_part_sink(part);
	if (in->reader->read(in, b, &sink, err) != NA_OK)
		na_fail_nomem(err); /* unless the reader said more */
}

static void take_part(void *ctx, void *part, size_t input, struct na_err *err)
{
	struct na_session *s = ctx;
	enum na_status st = na_store_take(&s->store, part, input, err);

	(void)st; /* na_read_blocks() looks at err */
}

static void end_part(void *part)
{
	na_part_fini(part);
}

static void after_reading(struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++)
		s->damaged |= s->inputs[i].damaged ||
			      s->store.tallies[i].left_out[NA_LEFT_DAMAGED];
	s->damaged |= na_session_unread(s) > 0;
}

enum na_status na_session_read(struct na_session *s, bool by_step,
			       struct na_err *err)
{
	struct na_block_work work = {
		.part_size = sizeof(struct na_part),
		.read = read_part,
		.take = take_part,
		.fini = end_part,
		.ctx = s,
	};
	enum na_status st;

	st = na_session_clip(s, err);
	if (st != NA_OK)
		return st;
	s->store_ready = true;
	st = na_store_init(&s->store, s->sources, s->n_inputs, err);
	s->store.names_of = s->hosts;
	if (st == NA_OK)
		st = na_session_programs_check(s, err);
	if (st == NA_OK)
		st = na_mpi_read(s, &work, err);
	if (st == NA_OK) {
		after_reading(s);
		st = na_mpi_resolve(s, by_step, err);
	}
	na_hide_session(s);
	if (st == NA_OK)
		st = na_session_named(s, err);
	return st == NA_OK ? na_session_programs(s, err) : st;
}
