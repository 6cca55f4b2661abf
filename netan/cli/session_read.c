/* The blocks of all inputs, read on all cores, into the store. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "netan/cli/session.h"

/* Blocks are handed out and merged in input order, whatever thread reads
 * them: a finished part waits until all before it are in. */
struct waiting {
	struct na_part part;
	size_t input;
	struct waiting *next;
	uint64_t number;
	struct na_err err;
};

struct reading {
	struct na_session *s;
	pthread_mutex_t lock;
	pthread_cond_t merged;
	size_t input;          /* being cut */
	uint64_t cut, taken;   /* blocks handed out; merged */
	struct waiting *parts; /* finished, not merged */
	struct na_err err;
	struct na_progress progress;
	uint64_t bytes, all_bytes;
};

static void tell_progress(struct reading *r, uint64_t bytes)
{
	r->bytes += bytes;
	na_progress_tell(&r->progress, "reading",
			 (double)r->bytes / ((double)r->all_bytes + 1));
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

static bool next_block(struct reading *r, struct na_block *b, size_t *input,
		       uint64_t *number)
{
	struct na_session *s = r->s;

	while (r->input < s->n_inputs && r->err.status == NA_OK &&
	       !na_interrupted()) {
		struct na_input *in = &s->inputs[r->input];
		enum na_status st = in->reader->cut(in, b, &r->err);

		if (st == NA_OK) {
			*input = r->input;
			*number = r->cut++;
			if (in->reader != &na_reader_capture)
				tell_progress(r, (uint64_t)(b->end - b->p));
			return true;
		}
		r->input++;
	}
	return false;
}

static void merge_ready(struct reading *r)
{
	for (;;) {
		struct waiting **at = &r->parts, *w;

		while (*at && (*at)->number != r->taken)
			at = &(*at)->next;
		if (!*at)
			return;
		w = *at;
		*at = w->next;
		if (w->err.status != NA_OK)
			na_fail(&r->err, w->err.status, "%s: %s",
				r->s->inputs[w->input].path, w->err.text);
		else
			na_store_take(&r->s->store, &w->part, w->input,
				      &r->err);
		na_part_fini(&w->part);
		free(w);
		r->taken++;
		pthread_cond_broadcast(&r->merged);
	}
}

static void read_block(struct reading *r, const struct na_block *b,
		       struct waiting *w)
{
	const struct na_input *in = &r->s->inputs[w->input];
	struct na_sink sink = na_part_sink(&w->part);

	if (in->reader->read(in, b, &sink, &w->err) != NA_OK)
		na_fail_nomem(&w->err); /* unless the reader said more */
}

static void reader(void *ctx, size_t thread)
{
	struct reading *r = ctx;
	struct na_block b;

	(void)thread;
	pthread_mutex_lock(&r->lock);
	for (;;) {
		struct waiting *w = calloc(1, sizeof(*w));

		if (!w)
			na_fail_nomem(&r->err);
		/* Stay close to what is merged: waiting parts cost memory. */
		while (w && r->cut > r->taken + 4 * r->s->threads)
			pthread_cond_wait(&r->merged, &r->lock);
		if (!w || !next_block(r, &b, &w->input, &w->number)) {
			free(w);
			break;
		}
		pthread_mutex_unlock(&r->lock);
		na_part_init(&w->part, &r->s->store.pool, &r->s->filter,
			     r->s->wants);
		read_block(r, &b, w);
		pthread_mutex_lock(&r->lock);
		w->next = r->parts;
		r->parts = w;
		merge_ready(r);
	}
	pthread_mutex_unlock(&r->lock);
}

static void after_reading(struct na_session *s)
{
	s->interrupted = na_interrupted();
	for (size_t i = 0; i < s->n_inputs; i++)
		s->damaged |= s->inputs[i].damaged ||
			      s->store.tallies[i].left_out[NA_LEFT_DAMAGED];
	s->damaged |= s->n_refused > 0;
}

enum na_exit na_session_read(struct na_session *s, bool by_step)
{
	struct reading r = {.s = s};
	enum na_status st;

	s->store_ready = true;
	st = na_store_init(&s->store, s->sources, s->n_inputs, &r.err);
	s->store.names_of = s->hosts;
	for (size_t i = 0; i < s->n_inputs; i++)
		r.all_bytes += s->inputs[i].size;
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.merged, NULL);
	na_progress_start(&r.progress, s->cli);
	hear_of_captures(&r, true);
	if (st == NA_OK && !na_parallel(s->threads, s->threads, reader, &r))
		na_fail_nomem(&r.err);
	hear_of_captures(&r, false);
	na_progress_end(&r.progress);
	pthread_cond_destroy(&r.merged);
	pthread_mutex_destroy(&r.lock);
	if (r.err.status == NA_OK) {
		after_reading(s);
		na_store_resolve(&s->store,
				 (enum na_anchor)s->cli->common.anchor, by_step,
				 &r.err);
	}
	if (r.err.status == NA_OK)
		na_session_named(s, &r.err);
	if (r.err.status == NA_OK)
		return NA_EXIT_OK;
	na_say_error(s->cli, "%s", r.err.text);
	return r.err.status == NA_EUSAGE ? NA_EXIT_USAGE : NA_EXIT_FAILED;
}
