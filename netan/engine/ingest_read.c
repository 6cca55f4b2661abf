#include "netan/engine/ingest_read.h"

#include <pthread.h>

#include "netan/base/vec.h"
#include "netan/engine/blocks.h"

struct writing {
	struct na_session *s;
	struct na_sieve *sieve;
	struct na_xfer_file *to;
	pthread_mutex_t lock;
	NA_VEC(struct na_xfer_part *) spare; /* their room is used again */
};

struct part {
	struct na_xfer_part *x;
	struct writing *of;
	struct na_turn *turn;
};

static void append_damage(void *arg, struct na_err *err)
{
	struct part *p = arg;

	na_in_err(na_xfer_append(p->of->to, p->x, err));
}

/* Whose turn it is need not keep what it has. */
static void append_early(void *ctx, struct na_xfer_part *x)
{
	struct part *p = ctx;

	(void)x;
	na_in_turn(p->turn, append_damage, p);
}

static struct na_xfer_part *new_part(struct writing *w, uint32_t source)
{
	struct na_xfer_part *x = NULL;

	pthread_mutex_lock(&w->lock);
	if (w->spare.n)
		x = w->spare.v[--w->spare.n];
	pthread_mutex_unlock(&w->lock);
	if (!x)
		return na_xfer_part_new(source);
	na_xfer_part_begin(x, source);
	return x;
}

/* What waits for its turn needs none. */
static void keep_room(struct writing *w, struct na_xfer_part *of)
{
	struct na_xfer_part *x = na_xfer_part_heir(of);

	pthread_mutex_lock(&w->lock);
	if (x && na_add(&w->spare, x))
		x = NULL;
	pthread_mutex_unlock(&w->lock);
	na_xfer_part_free(x);
}

static void read_part(void *ctx, void *part, size_t input,
		      const struct na_block *b, struct na_turn *turn,
		      struct na_err *err)
{
	struct writing *w = ctx;
	const struct na_input *in = &w->s->inputs[input];
	struct part *p = part;
	struct na_sifted sifted;
	struct na_sink sink;

	*p = (struct part){new_part(w, (uint32_t)input), w, turn};
	if (!p->x) {
		na_fail_nomem(err);
		return;
	}
	na_xfer_part_tell(p->x, append_early, p);
	sink = na_xfer_part_sink(p->x);
	if (w->sieve) {
		const struct na_sink behind = sink;

		na_sifted_begin(&sifted, w->sieve, input, &behind);
		sink = sifted.sink;
	}
	if (in->reader->read(in, b, &sink, err) != NA_OK ||
	    na_xfer_part_end(p->x) != NA_OK)
		na_fail_nomem(err); /* unless the reader said more */
	if (w->sieve)
		na_sifted_end(&sifted);
	keep_room(w, p->x);
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

enum na_status na_ingest_read(struct na_session *s, struct na_sieve *sieve,
			      struct na_xfer_file *to, struct na_err *err)
{
	struct writing w = {.s = s, .sieve = sieve, .to = to};
	const struct na_block_work work = {
		.to = s->n_inputs,
		.part_size = sizeof(struct part),
		.read = read_part,
		.take = take_part,
		.fini = end_part,
		.end = end_source,
		.ctx = &w,
	};

	enum na_status st;

	pthread_mutex_init(&w.lock, NULL);
	st = na_read_blocks(s, &work, err);
	while (w.spare.n)
		na_xfer_part_free(w.spare.v[--w.spare.n]);
	na_vec_free(&w.spare);
	pthread_mutex_destroy(&w.lock);
	return st;
}
