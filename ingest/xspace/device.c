/*
 * Device planes: training steps and program executions (docs/formats.md,
 * "XSpace: device planes").
 */
#include "ingest/xspace/xspace.h"

/* The number in a step's name: "12", or the last run of digits in it. */
static int64_t number_in(const struct na_text *t)
{
	size_t end = t->n, at;
	int64_t x = 0;

	while (end && (t->s[end - 1] < '0' || t->s[end - 1] > '9'))
		end--;
	for (at = end; at && t->s[at - 1] >= '0' && t->s[at - 1] <= '9'; at--)
		;
	if (at == end || end - at > 18)
		return -1;
	for (; at < end; at++)
		x = x * 10 + (t->s[at] - '0');
	return x;
}

static enum na_status span(struct na_xs_read *r, const struct na_xs_event *e,
			   enum na_span_kind kind, const enum na_xs_slot *slots,
			   size_t n_slots)
{
	const struct na_sink *sink = r->sink;
	struct na_text name = {"", 0};
	struct na_span s = {.kind = kind,
			    .number = -1,
			    .plane = r->line->plane->number,
			    .device = r->line->plane->kind == XS_GPU
					      ? NA_DEVICE_GPU
					      : NA_DEVICE_TPU};

	if (!na_xs_event_times(r, e, &s.start_ps, &s.end_ps)) {
		sink->left_out(sink->ctx, NA_LEFT_BAD_DURATION, 1);
		return NA_OK;
	}
	/* The names of its ops come last: without them its steps would seem
	 * idle, and its host late. */
	if (r->line->plane->cut) {
		sink->left_out(sink->ctx, NA_LEFT_UNKNOWN_NAME, 1);
		return NA_OK;
	}
	if (e->type)
		name = na_xs_shown_name(e->type);
	for (size_t i = 0; i < n_slots && s.number < 0; i++)
		s.number = na_xs_int_or(&r->values, slots[i], -1);
	if (s.number < 0)
		s.number = number_in(&name);
	s.name = sink->name(sink->ctx, name.s, name.n);
	return sink->span(sink->ctx, &s);
}

enum na_status na_xs_step_event(struct na_xs_read *r,
				const struct na_xs_event *e)
{
	static const enum na_xs_slot slots[] = {XS_STEP_NUM};
	struct na_text name = {"", 0};

	if (e->type)
		name = na_xs_shown_name(e->type);
	/* A name that is a number is the step number as users know it. */
	if (name.n && name.s[0] >= '0' && name.s[0] <= '9')
		return span(r, e, NA_SPAN_STEP, NULL, 0);
	return span(r, e, NA_SPAN_STEP, slots, 1);
}

enum na_status na_xs_module_event(struct na_xs_read *r,
				  const struct na_xs_event *e)
{
	static const enum na_xs_slot slots[] = {XS_RUN_ID};

	return span(r, e, NA_SPAN_MODULE, slots, 1);
}
