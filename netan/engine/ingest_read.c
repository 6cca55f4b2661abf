#include "netan/engine/ingest_read.h"

#include "netan/engine/blocks.h"

struct writing {
	struct na_session *s;
	struct na_xfer_file *to;
};

struct part {
	struct na_xfer_part *x;
	struct na_xfer_file *to;
	struct na_turn *turn;
};

static void append_damage(void *arg, struct na_err *err)
{
	struct part *p = arg;

	na_in_err(na_xfer_append(p->to, p->x, err));
}

/* Whose turn it is need not keep what it has. */
static void append_early(void *ctx, struct na_xfer_part *x)
{
	struct part *p = ctx;

	(void)x;
	na_in_turn(p->turn, append_damage, p);
}

static void read_part(void *ctx, void *part, size_t input,
		      const struct na_block *b, struct na_turn *turn,
		      struct na_err *err)
{
	const struct writing *w = ctx;
	const struct na_input *in = &w->s->inputs[input];
	struct part *p = part;
	struct na_sink sink;

	*p = (struct part){na_xfer_part_new((uint32_t)input), w->to, turn};
	if (!p->x) {
		na_fail_nomem(err);
		return;
	}
	na_xfer_part_tell(p->x, append_early, p);
	sink = na_xfer_part_sink(p->x);
	if (in->reader->read(in, b, &sink, err) != NA_OK ||
	    na_xfer_part_end(p->x) != NA_OK)
		na_fail_nomem(err); /* unless the reader said more */
}

static void take_part(void *ctx, void *part, size_t input, struct na_err *err)
{
	(void)ctx;
	(void)input;
	append_damage(part, err);
}

static void end_part(void *part)
{
	na_xfer_part_free(((struct part *)part)->x);
}

static void end_source(void *ctx, size_t input, struct na_err *err)
{
	const struct writing *w = ctx;

	na_in_err(na_xfer_source_end(w->to, (uint32_t)input,
				     &w->s->inputs[input], err));
}

enum na_status na_ingest_read(struct na_session *s, struct na_xfer_file *to,
			      struct na_err *err)
{
	struct writing w = {s, to};
	const struct na_block_work work = {
		.to = s->n_inputs,
		.part_size = sizeof(struct part),
		.read = read_part,
		.take = take_part,
		.fini = end_part,
		.end = end_source,
		.ctx = &w,
	};

	return na_read_blocks(s, &work, err);
}
