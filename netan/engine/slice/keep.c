#include "netan/engine/slice/keep.h"

#include "netan/base/units.h"
#include "netan/engine/session/reread.h"

enum first { FIRST_TRANSFER, FIRST_GRAPH = 64, FIRST_OP };

static void stays(struct na_keeper *k, bool in)
{
	if (in)
		k->now = NA_SLICED_IN;
	else if (k->now == NA_SLICED_NOTHING)
		k->now = NA_SLICED_OUT;
}

static bool meets(const struct na_keeper *k, int64_t start_ps, int64_t end_ps)
{
	return na_slice_meets(start_ps, end_ps, k->from_ps, k->to_ps);
}

static bool is_first(struct na_keeper *k, uint32_t a, uint32_t b, uint32_t c)
{
	size_t n = k->firsts.n;
	uint32_t at = na_triples_add(&k->firsts, (struct na_triple){a, b, c});

	k->failed |= at == NA_NO_TRIPLE;
	return k->firsts.n > n;
}

static enum na_status told(const struct na_keeper *k)
{
	return k->failed ? NA_ENOMEM : NA_OK;
}

/* The time of an old message is the end of its transfer, or the start. */
static enum na_status see_transfer(void *ctx, const struct na_transfer *t)
{
	struct na_keeper *k = ctx;
	uint32_t local = t->side == NA_RX ? t->dst : t->src;
	int64_t end_ps = t->end_ps;

	if (t->style == NA_STYLE_MESSAGE &&
	    !na_add_i64(t->end_ps, na_time_between(t->start_ps, t->end_ps),
			&end_ps))
		end_ps = NA_TIME_MAX;
	stays(k, meets(k, t->start_ps, end_ps));
	stays(k,
	      is_first(k, local, t->side, FIRST_TRANSFER + (uint32_t)t->style));
	return told(k);
}

static enum na_status see_action(void *ctx, const struct na_action *a)
{
	struct na_keeper *k = ctx;

	stays(k, meets(k, a->start_ps, a->end_ps));
	if (a->kind == NA_ACT_GRAPH)
		stays(k, is_first(k, a->collective, a->device, FIRST_GRAPH));
	return told(k);
}

static enum na_status see_span(void *ctx, const struct na_span *s)
{
	(void)s;
	stays(ctx, true);
	return NA_OK;
}

static enum na_status see_comm(void *ctx, const struct na_comm *x)
{
	(void)x;
	stays(ctx, true);
	return NA_OK;
}

static enum na_status see_op(void *ctx, const struct na_op *x)
{
	struct na_keeper *k = ctx;

	stays(k, meets(k, x->start_ps, x->end_ps));
	stays(k, is_first(k, x->core, 0, FIRST_OP));
	return told(k);
}

static enum na_status see_busy(void *ctx, uint32_t core, int64_t start_ps,
			       int64_t end_ps)
{
	(void)core;
	stays(ctx, meets(ctx, start_ps, end_ps));
	return NA_OK;
}

static uint32_t see_name(void *ctx, const char *s, size_t n)
{
	return na_strtab_add(&((struct na_keeper *)ctx)->names, s, n);
}

static uint32_t see_endpoint(void *ctx, int32_t slice, int32_t device)
{
	return na_triples_add(&((struct na_keeper *)ctx)->devices,
			      (struct na_triple){(uint32_t)slice,
						 (uint32_t)device, 0});
}

void na_keeper_init(struct na_keeper *k, int64_t from_ps, int64_t to_ps)
{
	*k = (struct na_keeper){.sink = na_ignoring_sink(k),
				.from_ps = from_ps,
				.to_ps = to_ps};
	k->sink.transfer = see_transfer;
	k->sink.action = see_action;
	k->sink.span = see_span;
	k->sink.comm = see_comm;
	k->sink.op = see_op;
	k->sink.busy = see_busy;
	k->sink.name = see_name;
	k->sink.endpoint = see_endpoint;
}

void na_keeper_fini(struct na_keeper *k)
{
	na_strtab_fini(&k->names);
	na_triples_fini(&k->devices);
	na_triples_fini(&k->firsts);
}

enum na_sliced_as na_keeper_verdict(void *ctx)
{
	struct na_keeper *k = ctx;
	enum na_sliced_as now = k->now;

	k->now = NA_SLICED_NOTHING;
	return now;
}
