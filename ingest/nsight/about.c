/* What a file says of itself: clocks, host, what is in it and what is not. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ingest/nsight/nsight.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

/* ---- clocks */

struct clocks {
	bool session, details, is_wall;
	int64_t wall_ns, clock_ns; /* when the session began, on both */
	int64_t start_ns, stop_ns;
};

static enum na_status session(void *ctx, struct na_input *in,
			      const struct na_ns_rows *row, struct na_err *err)
{
	struct clocks *c = ctx;

	(void)in;
	(void)err;
	c->session |= na_ns_int(row, C_WALL, &c->wall_ns) &&
		      na_ns_int(row, C_CLOCK, &c->clock_ns);
	return NA_OK;
}

static enum na_status details(void *ctx, struct na_input *in,
			      const struct na_ns_rows *row, struct na_err *err)
{
	struct clocks *c = ctx;

	(void)in;
	(void)err;
	c->details |= na_ns_int(row, D_START, &c->start_ns) &&
		      na_ns_int(row, D_STOP, &c->stop_ns);
	return NA_OK;
}

static enum na_status export(void *ctx, struct na_input *in,
			     const struct na_ns_rows *row, struct na_err *err) {
	struct clocks *c = ctx; struct na_text name = na_ns_text(row, N_NAME);
	struct na_text value = na_ns_text(row, N_VALUE);

	(void)err;
	/* Its times were moved to the wall clock when it was exported. */
	if (na_text_is(name, "EXPORT_PARAM_TIME_NORMALIZE"))
		c->is_wall = na_text_is(value, "true");
	if (na_text_is(name, "EXPORT_HOST") && value.n && !in->host)
		in->host = na_arena_strn(&in->arena, value.s, value.n);
	return NA_OK;
}

static enum na_status system_row(void *ctx, struct na_input *in,
				 const struct na_ns_rows *row,
				 struct na_err *err)
{
	struct na_text value = na_ns_text(row, N_VALUE);

	(void)ctx;
	(void)err;
	if (na_text_is(na_ns_text(row, N_NAME), "Hostname") && value.n &&
	    !in->host)
		in->host = na_arena_strn(&in->arena, value.s, value.n);
	return NA_OK;
}

static void set_clock(struct na_input *in, const struct clocks *c)
{
	struct na_ns *x = in->state;

	if (c->is_wall)
		in->has_wall = true;
	else if (c->session)
		in->has_wall = !__builtin_sub_overflow(c->wall_ns, c->clock_ns,
						       &x->shift_ns);
	in->has_time = x->n_kernels &&
		       na_add_i64(x->first_ns, x->shift_ns, &in->first_ns);
	if (!in->has_wall || !c->details || c->stop_ns < c->start_ns ||
	    !na_add_i64(c->start_ns, x->shift_ns, &in->profile_start_ns) ||
	    !na_add_i64(c->stop_ns, x->shift_ns, &in->profile_stop_ns))
		in->profile_start_ns = in->profile_stop_ns = 0;
}

/* ---- environment */

struct variable {
	const char *const *names;
	size_t n, found; /* index of the one that was found, else n */
	int32_t below, value;
};

/* 'RANK="3"' */
static enum na_status variable(void *ctx, struct na_input *in,
			       const struct na_ns_rows *row, struct na_err *err)
{
	struct na_text text = na_ns_text(row, N_VALUE);
	struct variable *v = ctx;
	uint64_t number;

	(void)in;
	(void)err;
	if (!na_text_ends(na_ns_text(row, N_NAME), "ENVIRONMENT_VARIABLE"))
		return NA_OK;
	for (size_t i = 0; i < v->found; i++) {
		struct na_text x = text;

		if (!na_text_past(&x, v->names[i]) ||
		    !na_text_past(&x, "=\"") || !na_text_ends(x, "\""))
			continue;
		x.n--;
		if (!na_text_number(x, &number) || number >= (uint64_t)v->below)
			continue;
		v->found = i;
		v->value = (int32_t)number;
	}
	return NA_OK;
}

int32_t na_ns_environment(struct na_input *in, const char *const *names,
			  size_t n, int32_t below)
{
	struct variable v = {names, n, n, below, -1};
	struct na_err err = {.status = NA_OK};

	na_in_err(na_ns_each(in, NS_CAPTURE, variable, &v, &err));
	return v.value;
}

/* ---- what is in it */

NA_ORDER(by_rank, struct na_ns_slot *, NA_CMP((*x)->rank, (*y)->rank))

/* The streams of a slot; NULL: no memory. */
static struct na_part_line *set_lines(struct na_input *in, size_t slot,
				      struct na_section *to,
				      struct na_part_line *line)
{
	const struct na_ns *x = in->state;
	char name[32];

	to->parts = line;
	for (size_t k = 0; k < x->streams.n; k++) {
		const struct na_ns_stream *s = &x->streams.v[k];
		int n = snprintf(name, sizeof(name), "stream %" PRIu32,
				 s->number);

		if (s->slot != slot)
			continue;
		*line = (struct na_part_line){
			na_arena_strn(&in->arena, name, (size_t)n), s->kernels,
			NA_WANT_COMMS | NA_WANT_OPS | NA_WANT_BUSY};
		if (!line->name)
			return NULL;
		to->lines = ++to->n_parts;
		line++;
	}
	return line;
}

static const char *section_name(struct na_input *in,
				const struct na_ns_slot *slot)
{
	const struct na_ns *x = in->state;
	char buf[96];
	struct na_str text = na_str_over(buf, sizeof(buf));

	na_str_addf(&text, "r%" PRId32 ": device %" PRIu32, slot->rank,
		    slot->device);
	if (x->has_processes)
		na_str_addf(&text, " of process %" PRIu64,
			    slot->process >> 24 & 0xffffff);
	return na_arena_strn(&in->arena, text.s, text.n);
}

static bool fill_sections(struct na_input *in, struct na_ns_slot **order,
			  struct na_part_line *line)
{
	struct na_ns *x = in->state;

	for (size_t i = 0; i < x->slots.n; i++)
		order[i] = &x->slots.v[i];
	na_sort(order, x->slots.n, by_rank);
	for (size_t i = 0; line && i < x->slots.n; i++) {
		struct na_section *to = &in->sections[in->n_sections++];

		to->name = section_name(in, order[i]);
		to->events = order[i]->kernels;
		if (!to->name)
			return false;
		line = set_lines(in, (size_t)(order[i] - x->slots.v), to, line);
	}
	return line != NULL;
}

static enum na_status set_sections(struct na_input *in, struct na_err *err)
{
	struct na_ns *x = in->state;
	struct na_part_line *lines =
		na_arena_alloc(&in->arena, x->streams.n * sizeof(*lines));
	struct na_ns_slot **order = na_calloc(x->slots.n, sizeof(*order));
	bool ok;

	in->sections = na_arena_alloc(&in->arena,
				      x->slots.n * sizeof(*in->sections));
	in->events = x->n_kernels;
	in->n_devices = x->slots.n;
	in->has_gpus = x->slots.n > 0;
	ok = lines && order && in->sections && fill_sections(in, order, lines);
	free(order);
	return ok ? NA_OK : na_fail_nomem(err);
}

/* ---- what is not */

static void warn_of_tables(struct na_input *in)
{
	static const struct {
		enum na_ns_table table;
		const char *tells;
	} rows[] = {
		{NS_STRINGS, "names of kernels"},
		{NS_LAUNCHES, "which call launched a kernel"},
		{NS_RANGES, "steps, and calls of NCCL"},
		{NS_SESSION, "the wall clock"},
	};
	struct na_ns *x = in->state;
	char buf[400];
	struct na_str text = na_str_over(buf, sizeof(buf));
	size_t n = 0;

	for (size_t i = 0; i < NA_LEN(rows); i++) {
		if (!na_ns_has(&x->db, rows[i].table) && ++n)
			na_str_join(&text, ", ", "%s (%s)",
				    na_ns_name(rows[i].table), rows[i].tells);
	}
	if (n)
		na_input_warn(in, "no table %s: what it tells is not known",
			      buf);
}

static void warn_of_payloads(struct na_input *in, size_t calls)
{
	const struct na_ns *x = in->state;
	char buf[NA_COUNT_BUF];

	if (!x->talks.n || !calls || x->n_payloads)
		return;
	na_input_warn(in, "sizes, peers and groups of %s %s",
		      na_count_of(buf, x->talks.n, "operation"),
		      x->n_blobs ? "are in payloads of a layout that is not "
				   "known"
				 : "were not exported: export again with "
				   "--include-blobs=true");
}

enum na_status na_ns_about(struct na_input *in, size_t calls,
			   struct na_err *err)
{
	struct clocks c = {.session = false};
	enum na_status st;

	st = na_ns_each(in, NS_SYSTEM, system_row, NULL, err);
	if (st == NA_OK)
		st = na_ns_each(in, NS_EXPORT, export, &c, err);
	if (st == NA_OK)
		st = na_ns_each(in, NS_SESSION, session, &c, err);
	if (st == NA_OK)
		st = na_ns_each(in, NS_DETAILS, details, &c, err);
	if (st != NA_OK)
		return st;
	set_clock(in, &c);
	warn_of_tables(in);
	warn_of_payloads(in, calls);
	return set_sections(in, err);
}
