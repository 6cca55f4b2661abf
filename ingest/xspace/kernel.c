/*
 * Streams of GPU planes: collective kernels of NCCL and RCCL, and the time
 * that other kernels take (docs/formats.md, "XSpace: device planes").
 *
 * A kernel carries no byte count; `hlo_op` names the instruction that does.
 */
#include "ingest/xspace/markers.h"
#include "ingest/xspace/ops.h"

#include "netan/base/similar.h"
#include "netan/model/gpu/kernels.h"

static bool starts(const struct na_text *t, const char *prefix)
{
	return na_starts_nocase(t->s, t->n, prefix);
}

static bool copies(const struct na_text *name)
{
	/* clang-format off */
	static const char *const prefixes[] = {
		"memcpy", "memset", "memory", "hipmemcpy", "hipmemset",
		"copydeviceto", "copyhostto",
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (starts(name, prefixes[i]))
			return true;
	}
	return false;
}

uint8_t na_xs_kernel_kind(const struct na_text *name, uint32_t wants)
{
	if (starts(name, "nccl"))
		return wants & (NA_WANT_KERNELS | NA_WANT_OPS | NA_WANT_STEPS)
			       ? XS_OP_TALKS
			       : XS_OP_NONE;
	return wants & (NA_WANT_BUSY | NA_WANT_STEPS) && !copies(name)
		       ? XS_OP_BUSY
		       : XS_OP_NONE;
}

/* "Stream #14(MemcpyH2D)" has no kernels; "Stream #14" may have any. */
static bool may_compute(const struct na_text *line)
{
	if (!line->n || line->s[line->n - 1] != ')')
		return true;
	return na_contains_nocase(line->s, line->n, "compute") ||
	       na_contains_nocase(line->s, line->n, "kernel");
}

/* A kernel that may run anything ("ncclDevKernel_Generic") does what its
 * instruction says. */
static uint8_t opcode_of(const struct na_text *kernel,
			 const struct na_text *hlo_op)
{
	uint8_t phase, opcode = na_kernel_opcode(*kernel);

	if (opcode == NA_OPCODE_OTHER)
		opcode = na_hlo_opcode_of_name(hlo_op->s, hlo_op->n, &phase);
	return opcode;
}

/* ---- events */

static uint32_t type_of(struct na_xs_read *r, struct na_text kernel)
{
	const struct na_sink *sink = r->sink;
	struct na_text hlo_op = na_xs_text(&r->values, XS_HLO_OP);
	const char *word;
	struct na_op_type t;

	memset(&t, 0, sizeof(t));
	t.program_id = na_xs_program_id(&r->values);
	t.channel = -1;
	t.size_bytes = NA_UNKNOWN_U64;
	t.collective = t.start_op = t.transfer_type = NA_UNKNOWN_U32;
	t.network = NA_NET_GPU;
	t.opcode = opcode_of(&kernel, &hlo_op);
	t.kernel = sink->name(sink->ctx, kernel.s, kernel.n);
	t.name = hlo_op.n ? na_xs_op_name(sink, hlo_op) : t.kernel;
	t.module = na_xs_op_name(sink,
				 na_xs_module_name(na_xs_text(&r->values,
							      XS_HLO_MODULE)));
	word = na_opcode_word(t.opcode);
	if (word)
		t.transfer_type = sink->name(sink->ctx, word, strlen(word));
	return sink->op_type(sink->ctx, &t);
}

static enum na_status action(struct na_xs_read *r, const struct na_xs_event *e,
			     struct na_text kernel, int64_t start_ps,
			     int64_t end_ps)
{
	struct na_text hlo_op = na_xs_text(&r->values, XS_HLO_OP);
	const char *word = na_opcode_word(opcode_of(&kernel, &hlo_op));
	struct na_action a = {NA_ACTION_OF_KERNEL};

	a.start_ps = start_ps;
	a.end_ps = end_ps;
	a.name = na_xs_shown_name(e->type);
	a.collective = na_xs_op_name(r->sink, hlo_op);
	a.local_device_id = r->line->plane->number;
	if (word)
		a.type = r->sink->name(r->sink->ctx, word, strlen(word));
	return r->sink->action(r->sink->ctx, &a);
}

/* Of a plane that has no line of steps: the step that a kernel is of. */
static enum na_status piece(struct na_xs_read *r, int64_t start_ps,
			    int64_t end_ps)
{
	struct na_span s = {.kind = NA_SPAN_STEP,
			    .start_ps = start_ps,
			    .end_ps = end_ps,
			    .number = na_xs_int_or(&r->values, XS_GROUP_ID, -1),
			    .name = NA_UNKNOWN_U32,
			    .plane = r->line->plane->number,
			    .device = NA_DEVICE_GPU,
			    .told = NA_STEP_BY_GROUP,
			    .piece = true};
	struct na_xs_mark mark;

	if (!(r->in->wants & NA_WANT_STEPS) || !r->line->plane->bare)
		return NA_OK;
	s.whole = s.number;
	if (na_xs_marker_of(r, start_ps, &mark)) {
		s.whole = mark.order;
		s.number = mark.number;
		s.told = (uint8_t)mark.told;
	}
	if (s.number < 0)
		return NA_OK;
	return r->sink->span(r->sink->ctx, &s);
}

enum na_status na_xs_kernel_event(struct na_xs_read *r,
				  const struct na_xs_event *e)
{
	uint32_t wants = r->in->wants;
	enum na_status st = NA_OK;
	int64_t start_ps, end_ps;
	struct na_text kernel;

	if (e->type->kind == XS_OP_BUSY &&
	    (na_xs_has(&r->values, XS_MEMCPY) || !may_compute(&r->line->name)))
		return NA_OK;
	if (!na_xs_op_times(r, e, &start_ps, &end_ps))
		return NA_OK;
	st = piece(r, start_ps, end_ps);
	if (st != NA_OK)
		return st;
	if (e->type->kind == XS_OP_BUSY)
		return wants & NA_WANT_BUSY ? na_xs_busy(r, start_ps, end_ps)
					    : NA_OK;
	kernel = na_kernel_short(na_xs_shown_name(e->type));
	if (wants & NA_WANT_KERNELS)
		st = action(r, e, kernel, start_ps, end_ps);
	if (st == NA_OK && (wants & NA_WANT_OPS))
		st = na_xs_talks(r, type_of(r, kernel), start_ps, end_ps);
	return st;
}
