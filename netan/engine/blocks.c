#include "netan/engine/blocks.h"

#include <pthread.h>
#include <stdlib.h>

#include "netan/base/memory/spill.h"

/* A finished part waits until all before it are taken. */
struct na_turn {
	size_t input;
	uint64_t number;
	bool end; /* no block: the input has no more */
	bool gone; /* some of what it is read with is lost: no part */
	struct reading *r;
	struct na_turn *next;
	struct na_err err;
	_Alignas(16) unsigned char part[];
};

struct reading {
	struct na_session *s;
	const struct na_block_work *work;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	size_t input;          /* being cut */
	uint64_t cut, taken;   /* turns handed out; over */
	struct na_turn *turns; /* finished, not taken */
	struct na_err err;
	uint64_t bytes, all_bytes;
};

static void tell_progress(struct reading *r, uint64_t bytes)
{
	double share;

	r->bytes += bytes;
	share = (double)r->bytes / ((double)r->all_bytes + 1);
	na_memory_read(share);
	na_say_progress(r->s->request, "reading", share);
}

/* A capture is one long block: it tells how far it is while it is read. */
static bool go_on(void *ctx, uint64_t bytes)
{
	struct reading *r = ctx;

	pthread_mutex_lock(&r->lock);
	tell_progress(r, bytes);
	pthread_mutex_unlock(&r->lock);
	return !na_interrupted();
}

static void hear_of_captures(struct reading *r, bool begin)
{
	for (size_t i = 0; i < r->s->n_inputs; i++) {
		r->s->inputs[i].asks.go_on = begin ? go_on : r->s->asks.go_on;
		r->s->inputs[i].asks.ctx = begin ? r : NULL;
	}
}

/* The next block, or the end of an input; false when all are done. */
static bool next_turn(struct reading *r, struct na_block *b, struct na_turn *t)
{
	struct na_session *s = r->s;
	struct na_input *in;

	if (r->input >= r->work->to || r->err.status != NA_OK ||
	    na_interrupted())
		return false;
	in = &s->inputs[r->input];
	t->r = r;
	t->input = r->input;
	t->number = r->cut++;
	*b = (struct na_block){.p = NULL};
	t->end = in->reader->cut(in, b, &r->err) != NA_OK;
	t->gone = !t->end && !na_block_sound(in, b);
	if (t->end)
		r->input++;
	else if (!in->reader->packets)
		tell_progress(r, (uint64_t)(b->end - b->p));
	return true;
}

static void end_input(struct reading *r, size_t input)
{
	const struct na_block_work *w = r->work;

	na_input_settle(&r->s->inputs[input]);
	if (w->end)
		w->end(w->ctx, input, &r->err);
}

/* Unlocked.  What a block holds is worth nothing where some of what it was
 * read with is lost by now, and that is damage of the input. */
static void read_turn(struct reading *r, const struct na_block *b,
		      struct na_turn *t)
{
	const struct na_block_work *w = r->work;

	w->read(w->ctx, t->part, t->input, b, t, &t->err);
	t->gone = !na_block_sound(&r->s->inputs[t->input], b);
	if (!t->gone)
		return;
	w->fini(t->part);
	if (t->err.status != NA_ENOMEM)
		t->err = (struct na_err){.status = NA_OK};
}

static void take_one(struct reading *r, struct na_turn *t)
{
	const struct na_block_work *w = r->work;

	if (t->err.status != NA_OK)
		na_fail(&r->err, t->err.status, "%s: %s",
			r->s->inputs[t->input].path, t->err.text);
	else if (r->err.status == NA_OK && !t->end && !t->gone)
		w->take(w->ctx, t->part, t->input, &r->err);
	else if (r->err.status == NA_OK && t->end)
		end_input(r, t->input);
	if (!t->end && !t->gone)
		w->fini(t->part);
	free(t);
}

static void take_ready(struct reading *r)
{
	for (;;) {
		struct na_turn **at = &r->turns, *t;

		while (*at && (*at)->number != r->taken)
			at = &(*at)->next;
		if (!*at)
			return;
		t = *at;
		*at = t->next;
		take_one(r, t);
		r->taken++;
		pthread_cond_broadcast(&r->moved);
	}
}

void na_in_turn(struct na_turn *turn, void (*fn)(void *arg, struct na_err *err),
		void *arg)
{
	struct reading *r = turn->r;

	pthread_mutex_lock(&r->lock);
	if (turn->number == r->taken && r->err.status == NA_OK)
		fn(arg, &r->err);
	pthread_mutex_unlock(&r->lock);
}

static void reader(void *ctx, size_t thread)
{
	struct reading *r = ctx;
	const size_t part_size = r->work->part_size;
	struct na_block b;

	(void)thread;
	pthread_mutex_lock(&r->lock);
	for (;;) {
		struct na_turn *t = calloc(1, sizeof(*t) + part_size);

		if (!t)
			na_fail_nomem(&r->err);
		/* Stay close to what is taken: waiting parts cost memory. */
		while (t && r->cut > r->taken + 4 * r->s->threads)
			pthread_cond_wait(&r->moved, &r->lock);
		if (!t || !next_turn(r, &b, t)) {
			free(t);
			break;
		}
		if (!t->end && !t->gone) {
			pthread_mutex_unlock(&r->lock);
			read_turn(r, &b, t);
			pthread_mutex_lock(&r->lock);
		}
		t->next = r->turns;
		r->turns = t;
		take_ready(r);
	}
	pthread_mutex_unlock(&r->lock);
}

enum na_status na_read_blocks(struct na_session *s,
			      const struct na_block_work *work,
			      struct na_err *err)
{
	struct reading r = {.s = s, .work = work, .input = work->from};

	for (size_t i = work->from; i < work->to; i++)
		r.all_bytes += s->inputs[i].size;
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.moved, NULL);
	hear_of_captures(&r, true);
	if (!na_parallel(s->threads, s->threads, reader, &r))
		na_fail_nomem(&r.err);
	hear_of_captures(&r, false);
	na_memory_read(1);
	na_say_progress(s->request, NULL, 1);
	pthread_cond_destroy(&r.moved);
	pthread_mutex_destroy(&r.lock);
	s->interrupted |= na_interrupted();
	if (r.err.status != NA_OK)
		na_fail(err, r.err.status, "%s", r.err.text);
	return r.err.status;
}
