/*
 * Once more through a capture, for the segments of the one connection that
 * is drawn.  The bytes are still open (also those of a pipe), so that only
 * the reading is done again; nothing is kept of it here.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/cli/session.h"

struct again { /* what a sink of segments alone hands on */
	na_each_segment each;
	void *arg;
};

static enum na_status to_each(void *ctx, const struct na_segment *x)
{
	const struct again *a = ctx;

	return na_interrupted() ? NA_END : a->each(a->arg, x);
}

static uint32_t any_text(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	(void)s;
	(void)n;
	return 0;
}

static uint32_t any_device(void *ctx, int32_t slice, int32_t device)
{
	(void)ctx;
	(void)slice;
	(void)device;
	return 0;
}

/* The first reading has told of all that is left out or damaged. */
static void known_reason(void *ctx, enum na_reason why, uint64_t n)
{
	(void)ctx;
	(void)why;
	(void)n;
}

static void known_text(void *ctx, uint64_t at, const char *text)
{
	(void)ctx;
	(void)at;
	(void)text;
}

static enum na_status no_transfer(void *ctx, const struct na_transfer *t)
{
	(void)ctx;
	(void)t;
	return NA_OK;
}

static enum na_status no_call(void *ctx, const struct na_call *c)
{
	(void)ctx;
	(void)c;
	return NA_OK;
}

static enum na_status no_frame(void *ctx, const struct na_frame *w)
{
	(void)ctx;
	(void)w;
	return NA_OK;
}

static enum na_status no_connection(void *ctx, const struct na_connection *c)
{
	(void)ctx;
	(void)c;
	return NA_OK;
}

static struct na_sink segments_only(struct again *a)
{
	return (struct na_sink){
		.ctx = a,
		.transfer = no_transfer,
		.call = no_call,
		.frame = no_frame,
		.connection = no_connection,
		.segment = to_each,
		.name = any_text,
		.endpoint = any_device,
		.address = any_text,
		.left_out = known_reason,
		.warn = known_text,
	};
}

/* Opened a second time over the same bytes. */
static enum na_status open_again(struct na_input *in,
				 const struct na_input *first, uint32_t id,
				 struct na_err *err)
{
	struct na_input like = *first;
	enum na_status st;

	like.wants = NA_WANT_SEGMENTS;
	like.asks.segments_of = id;
	st = na_input_open_source(in, &like, like.source, err);
	if (st == NA_OK)
		in->zero_ns = first->zero_ns;
	return st;
}

static enum na_status read_all(struct na_input *in, const struct na_sink *sink,
			       struct na_err *err)
{
	struct na_block b;
	enum na_status st;

	while ((st = in->reader->cut(in, &b, err)) == NA_OK) {
		st = in->reader->read(in, &b, sink, err);
		if (st != NA_OK)
			return st;
	}
	return st == NA_END ? NA_OK : st;
}

enum na_status na_session_segments(struct na_session *s,
				   const struct na_connection *c,
				   na_each_segment each, void *arg,
				   struct na_err *err)
{
	const struct na_input *first = &s->inputs[c->input];
	size_t n = first->n_merged ? first->n_merged : 1, opened = 0;
	struct again a = {each, arg};
	struct na_sink sink = segments_only(&a);
	struct na_input *in = na_calloc(n, sizeof(*in));
	struct na_input **list = na_calloc(n, sizeof(struct na_input *));
	enum na_status st = in && list ? NA_OK : na_fail_nomem(err);

	if (strcmp(first->format, "netan") == 0)
		na_say_warning(s->cli,
			       "%s holds connections, but no packets: draw the "
			       "picture from the capture itself",
			       first->path);
	for (; st == NA_OK && opened < n; opened++) {
		st = open_again(&in[opened],
				first->n_merged ? first->merged[opened] : first,
				c->id, err);
		if (st != NA_OK)
			break;
		list[opened] = &in[opened];
	}
	if (st == NA_OK && first->n_merged) {
		in[0].merged = list;
		in[0].n_merged = n;
	}
	if (st == NA_OK)
		st = read_all(&in[0], &sink, err);
	while (opened--)
		na_input_close(&in[opened]);
	free(list);
	free(in);
	s->interrupted |= na_interrupted();
	if (st == NA_OK || st == NA_END)
		return NA_OK;
	return na_fail_nomem(err); /* unless the reader said more */
}
