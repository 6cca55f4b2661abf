/* The segments of the one connection that is drawn. */
#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/engine/session/reread.h"

struct again { /* what a sink of segments alone hands on */
	na_each_segment each;
	void *arg;
};

static enum na_status to_each(void *ctx, const struct na_segment *x)
{
	const struct again *a = ctx;

	return na_interrupted() ? NA_END : a->each(a->arg, x);
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
	struct na_sink sink = na_ignoring_sink(&a);
	struct na_input *in = na_calloc(n, sizeof(*in));
	struct na_input **list = na_calloc(n, sizeof(struct na_input *));
	enum na_status st = in && list ? NA_OK : na_fail_nomem(err);

	sink.segment = to_each;
	if (!first->reader->packets)
		na_say_warning(s->request,
			       "%s holds connections, but no packets: draw the "
			       "picture from the capture itself",
			       first->path);
	for (; st == NA_OK && opened < n; opened++) {
		st = na_reread_open(&in[opened],
				    first->n_merged ? first->merged[opened]
						    : first,
				    NA_WANT_SEGMENTS, c->id, err);
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
