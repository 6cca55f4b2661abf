#include "netan/engine/slice/sieve.h"

static bool counted(struct na_sifted *x, bool passes, int64_t start_ps,
		    int64_t end_ps)
{
	const struct na_slice *of = &x->of->of;

	passes &= !x->shut;
	x->counts.of_events++;
	x->counts.events += passes;
	x->counts.inside += passes && na_slice_meets(start_ps, end_ps,
						     of->from_ps, of->to_ps);
	return passes;
}

/* What is counted, numbered or joined from the beginning. */
static bool is_whole(enum na_record_kind kind)
{
	return kind == NA_RECORDS_COMMS || kind == NA_RECORDS_CONNECTIONS ||
	       kind == NA_RECORDS_QUEUE_PAIRS || kind == NA_RECORDS_QP_MARKS ||
	       kind == NA_RECORDS_QP_USES;
}

/* That there are any tells how others are to be read: packets, that transfers
 * are not all of the traffic. */
static bool is_first(struct na_sifted *x, enum na_record_kind kind)
{
	bool first = !x->seen[kind];

	x->seen[kind] = true;
	return first;
}

static bool passes(struct na_sifted *x, enum na_record_kind kind,
		   int64_t start_ps, int64_t end_ps)
{
	const struct na_slice *of = &x->of->of;

	/* A call without an answer. */
	if (end_ps < start_ps)
		end_ps = start_ps;
	return counted(x,
		       is_first(x, kind) || is_whole(kind) ||
			       na_slice_meets(start_ps, end_ps,
					      of->wide_from_ps, of->wide_to_ps),
		       start_ps, end_ps);
}

/* Of those that a keeper knows. */
#define SIFT(one, type) \
	static enum na_status sift_##one(void *ctx, const struct type *r) \
	{ \
		struct na_sifted *x = ctx; \
		enum na_status st = x->keeper.sink.one(&x->keeper, r); \
		bool in = na_keeper_verdict(&x->keeper) == NA_SLICED_IN; \
\
		if (st != NA_OK || !counted(x, in, r->start_ps, r->end_ps)) \
			return st; \
		return x->to.one(x->to.ctx, r); \
	}
SIFT(transfer, na_transfer)
SIFT(action, na_action)
SIFT(span, na_span)
SIFT(op, na_op)

static enum na_status sift_busy(void *ctx, uint32_t core, int64_t start_ps,
				int64_t end_ps)
{
	struct na_sifted *x = ctx;

	return passes(x, NA_RECORDS_BUSY, start_ps, end_ps)
		       ? x->to.busy(x->to.ctx, core, start_ps, end_ps)
		       : NA_OK;
}

#define SIFT_OWN(KIND, one, type, from, to_ps)
#define SIFT_PLAIN(KIND, one, type, from, last) \
	static enum na_status sift_##one(void *ctx, const struct type *r) \
	{ \
		struct na_sifted *x = ctx; \
\
		return passes(x, NA_RECORDS_##KIND, r->from, r->last) \
			       ? x->to.one(x->to.ctx, r) \
			       : NA_OK; \
	}
#define NA_RECORD(KIND, chunks, one, type, told, filter, aside, from, to, ...) \
	SIFT_##told(KIND, one, type, from, to)
#include "netan/model/records.def"

/* ---- what is no record */

#define TO (((struct na_sifted *)ctx)->to)

static uint32_t pass_name(void *ctx, const char *s, size_t n)
{
	return TO.name(TO.ctx, s, n);
}

static uint32_t pass_endpoint(void *ctx, int32_t slice, int32_t device)
{
	return TO.endpoint(TO.ctx, slice, device);
}

static uint32_t pass_core(void *ctx, enum na_device_kind kind, int32_t number)
{
	return TO.core(TO.ctx, kind, number);
}

static uint32_t pass_op_type(void *ctx, const struct na_op_type *t)
{
	return TO.op_type(TO.ctx, t);
}

static uint32_t pass_address(void *ctx, const char *s, size_t n)
{
	return TO.address(TO.ctx, s, n);
}

static void pass_classed(void *ctx, enum na_side side, enum na_style style,
			 enum na_class klass, uint64_t n)
{
	TO.classed(TO.ctx, side, style, klass, n);
}

static void pass_left_out(void *ctx, enum na_reason why, uint64_t n)
{
	TO.left_out(TO.ctx, why, n);
}

static void pass_about(void *ctx, uint32_t wants)
{
	if (TO.about)
		TO.about(TO.ctx, wants);
}

static void pass_unknown_name(void *ctx, const char *s, size_t n,
			      uint64_t times)
{
	TO.unknown_name(TO.ctx, s, n, times);
}

static void pass_warn(void *ctx, uint64_t at, const char *text)
{
	TO.warn(TO.ctx, at, text);
}

void na_sifted_begin(struct na_sifted *x, struct na_sieve *of, size_t input,
		     const struct na_sink *to)
{
#define SINK_OWN(one)
#define SINK_PLAIN(one) .one = sift_##one,
	*x = (struct na_sifted){
		.to = *to,
		.of = of,
		.shut = of->shut && of->shut[input],
		.sink =
			{
#define NA_RECORD(KIND, chunks, one, type, told, ...) SINK_##told(one)
#include "netan/model/records.def"
				.ctx = x,
				.transfer = sift_transfer,
				.action = sift_action,
				.span = sift_span,
				.op = sift_op,
				.busy = sift_busy,
				.name = pass_name,
				.endpoint = pass_endpoint,
				.core = pass_core,
				.op_type = pass_op_type,
				.address = pass_address,
				.classed = pass_classed,
				.left_out = pass_left_out,
				.about = pass_about,
				.unknown_name = pass_unknown_name,
				.warn = pass_warn,
			},
	};
	na_keeper_init(&x->keeper, of->of.wide_from_ps, of->of.wide_to_ps);
}

void na_sifted_end(struct na_sifted *x)
{
	struct na_slice_counts *all = &x->of->counts;

	pthread_mutex_lock(&x->of->lock);
	all->events += x->counts.events;
	all->of_events += x->counts.of_events;
	all->inside += x->counts.inside;
	pthread_mutex_unlock(&x->of->lock);
	na_keeper_fini(&x->keeper);
}
