#include "netan/cli/ingest_read.h"

#include <pthread.h>
#include <stdlib.h>

/* A finished part waits until all before it are written. */
struct waiting {
	struct na_xfer_part *part;
	size_t input;
	bool last; /* no block: the input is at its end */
	uint64_t number;
	struct na_err err;
	struct reading *r;
	struct waiting *next;
};

struct reading {
	struct na_session *s;
	struct na_xfer_file *to;
	pthread_mutex_t lock;
	pthread_cond_t written;
	size_t input;        /* being cut */
	uint64_t cut, taken; /* handed out; written */
	struct waiting *parts;
	struct na_err err;
	struct na_progress progress;
	uint64_t bytes, all_bytes;
};

/* The next block, or the end of an input; false when all are done. */
static bool next_block(struct reading *r, struct na_block *b, struct waiting *w)
{
	struct na_session *s = r->s;
	struct na_input *in;

	if (r->input >= s->n_inputs || r->err.status != NA_OK ||
	    na_interrupted())
		return false;
	in = &s->inputs[r->input];
	w->input = r->input;
	w->number = r->cut++;
	w->last = in->reader->cut(in, b, &r->err) != NA_OK;
	if (w->last) {
		r->input++;
		return true;
	}
	r->bytes += (uint64_t)(b->end - b->p);
	na_progress_tell(&r->progress, "reading",
			 (double)r->bytes / ((double)r->all_bytes + 1));
	return true;
}

static void write_one(struct reading *r, struct waiting *w)
{
	const struct na_input *in = &r->s->inputs[w->input];

	if (w->err.status != NA_OK)
		na_fail(&r->err, w->err.status, "%s: %s", in->path,
			w->err.text);
	else if (r->err.status == NA_OK && w->last)
		na_xfer_source_end(r->to, (uint32_t)w->input, in, &r->err);
	else if (r->err.status == NA_OK)
		na_xfer_append(r->to, w->part, &r->err);
	na_xfer_part_free(w->part);
	free(w);
}

static void write_ready(struct reading *r)
{
	for (;;) {
		struct waiting **at = &r->parts, *w;

		while (*at && (*at)->number != r->taken)
			at = &(*at)->next;
		if (!*at)
			return;
		w = *at;
		*at = w->next;
		write_one(r, w);
		r->taken++;
		pthread_cond_broadcast(&r->written);
	}
}

/* Whose turn it is need not keep what it has. */
static void write_early(void *ctx, struct na_xfer_part *part)
{
	struct waiting *w = ctx;
	struct reading *r = w->r;

	pthread_mutex_lock(&r->lock);
	if (w->number == r->taken && r->err.status == NA_OK)
		na_xfer_append(r->to, part, &r->err);
	pthread_mutex_unlock(&r->lock);
}

static void read_block(struct reading *r, const struct na_block *b,
		       struct waiting *w)
{
	const struct na_input *in = &r->s->inputs[w->input];
	struct na_sink sink;

	w->part = na_xfer_part_new((uint32_t)w->input);
	if (!w->part) {
		na_fail_nomem(&w->err);
		return;
	}
	w->r = r;
	na_xfer_part_tell(w->part, write_early, w);
	sink = na_xfer_part_sink(w->part);
	if (in->reader->read(in, b, &sink, &w->err) != NA_OK ||
	    na_xfer_part_end(w->part) != NA_OK)
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
		while (w && r->cut > r->taken + 4 * r->s->threads)
			pthread_cond_wait(&r->written, &r->lock);
		if (!w || !next_block(r, &b, w)) {
			free(w);
			break;
		}
		if (!w->last) {
			pthread_mutex_unlock(&r->lock);
			read_block(r, &b, w);
			pthread_mutex_lock(&r->lock);
		}
		w->next = r->parts;
		r->parts = w;
		write_ready(r);
	}
	pthread_mutex_unlock(&r->lock);
}

enum na_status na_ingest_read(struct na_session *s, struct na_xfer_file *to,
			      struct na_err *err)
{
	struct reading r = {.s = s, .to = to};

	for (size_t i = 0; i < s->n_inputs; i++)
		r.all_bytes += s->inputs[i].size;
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.written, NULL);
	na_progress_start(&r.progress, s->cli);
	if (!na_parallel(s->threads, s->threads, reader, &r))
		na_fail_nomem(&r.err);
	na_progress_end(&r.progress);
	pthread_cond_destroy(&r.written);
	pthread_mutex_destroy(&r.lock);
	s->interrupted = na_interrupted();
	if (r.err.status != NA_OK)
		na_fail(err, r.err.status, "%s", r.err.text);
	return r.err.status;
}
