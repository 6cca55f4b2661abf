#include "netan/engine/session/reread.h"

#include <string.h>

enum na_status na_reread_open(struct na_input *in, const struct na_input *first,
			      uint32_t wants, uint32_t segments_of,
			      struct na_err *err)
{
	struct na_input like = *first;
	enum na_status st;

	like.wants = wants;
	like.asks.segments_of = segments_of;
	st = na_input_open_source(in, &like, like.source, err);
	if (st == NA_OK)
		in->zero_ns = first->zero_ns;
	return st;
}

/* What survived since: by its size, as when it was opened.  Of one that another
 * process has read out of its cache the trace says the same. */
static bool same_file(const struct na_input *a, const struct na_input *b)
{
	return strcmp(a->format, b->format) == 0 &&
	       a->file_bytes == b->file_bytes &&
	       b->source < a->n_sources + !a->n_sources;
}

static enum na_status reopen(struct na_reopened *files,
			     const struct na_input *first,
			     const struct na_input_asks *asks, uint32_t wants,
			     struct na_err *err)
{
	struct na_input *to = &files->v[files->n];
	enum na_status st = na_input_open(to, first->path, wants, asks, err);

	if (st == NA_OK && !to->warnings)
		to->warnings_end = &to->warnings;
	files->n += st == NA_OK;
	return st == NA_OK || st == NA_ENOMEM ? st : NA_EIO;
}

enum na_status na_reread_away(struct na_reopened *files, struct na_input *in,
			      const struct na_input *first,
			      const struct na_input_asks *asks, uint32_t wants,
			      struct na_err *err)
{
	const struct na_input *last = files->n ? &files->v[files->n - 1] : NULL;
	struct na_input like;

	if (!last || strcmp(last->path, first->path) != 0) {
		enum na_status st = reopen(files, first, asks, wants, err);

		if (st != NA_OK)
			return st;
		last = &files->v[files->n - 1];
	}
	if (!same_file(last, first))
		return na_fail(err, NA_EIO,
			       "%s: not the file that was read before",
			       first->path);
	like = *last;
	like.source = first->source;
	like.zero_ns = first->zero_ns;
	return na_reread_open(in, &like, wants, NA_UNKNOWN_U32, err);
}

void na_reopened_close(struct na_reopened *files)
{
	while (files->n)
		na_input_close(&files->v[--files->n]);
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

static uint32_t any_core(void *ctx, enum na_device_kind kind, int32_t number)
{
	(void)ctx;
	(void)kind;
	(void)number;
	return 0;
}

static uint32_t any_op_type(void *ctx, const struct na_op_type *t)
{
	(void)ctx;
	(void)t;
	return 0;
}

static void known_class(void *ctx, enum na_side side, enum na_style style,
			enum na_class klass, uint64_t n)
{
	(void)ctx;
	(void)side;
	(void)style;
	(void)klass;
	(void)n;
}

static void known_reason(void *ctx, enum na_reason why, uint64_t n)
{
	(void)ctx;
	(void)why;
	(void)n;
}

static void known_name(void *ctx, const char *s, size_t n, uint64_t times)
{
	(void)ctx;
	(void)s;
	(void)n;
	(void)times;
}

static void known_text(void *ctx, uint64_t at, const char *text)
{
	(void)ctx;
	(void)at;
	(void)text;
}

#define PASS_OVER(name, type) \
	static enum na_status name(void *ctx, type x) \
	{ \
		(void)ctx; \
		(void)x; \
		return NA_OK; \
	}
PASS_OVER(no_transfer, const struct na_transfer *)
PASS_OVER(no_action, const struct na_action *)
PASS_OVER(no_span, const struct na_span *)
PASS_OVER(no_op, const struct na_op *)
PASS_OVER(no_call, const struct na_call *)
PASS_OVER(no_packet, const struct na_wire_packet *)
PASS_OVER(no_connection, const struct na_connection *)
PASS_OVER(no_segment, const struct na_segment *)
PASS_OVER(no_queue_pair, const struct na_queue_pair *)
PASS_OVER(no_qp_mark, const struct na_qp_mark *)
PASS_OVER(no_comm, const struct na_comm *)
PASS_OVER(no_qp_use, const struct na_qp_use *)

static enum na_status no_busy(void *ctx, uint32_t core, int64_t start_ps,
			      int64_t end_ps)
{
	(void)ctx;
	(void)core;
	(void)start_ps;
	(void)end_ps;
	return NA_OK;
}

struct na_sink na_ignoring_sink(void *ctx)
{
	return (struct na_sink){
		.ctx = ctx,
		.transfer = no_transfer,
		.action = no_action,
		.span = no_span,
		.op = no_op,
		.busy = no_busy,
		.call = no_call,
		.packet = no_packet,
		.connection = no_connection,
		.segment = no_segment,
		.queue_pair = no_queue_pair,
		.qp_mark = no_qp_mark,
		.comm = no_comm,
		.qp_use = no_qp_use,
		.name = any_text,
		.endpoint = any_device,
		.core = any_core,
		.op_type = any_op_type,
		.address = any_text,
		.classed = known_class,
		.left_out = known_reason,
		.unknown_name = known_name,
		.warn = known_text,
	};
}
