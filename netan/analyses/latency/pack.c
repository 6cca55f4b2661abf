/* latency: what one block has measured, and what is decided between the passes,
 * between processes. */
#include <string.h>

#include "netan/analyses/latency/state.h"
#include "netan/stats/samples/sort.h"

/* Of one block: more than the driver puts into one, for each component. */
enum { VALUES_MAX = 1 << 20 };

static void put_real(struct na_serializer *to, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	na_pack_number(to, bits);
}

static double get_real(struct na_deserializer *from)
{
	uint64_t bits = na_unpack_number(from);
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* ---- values: how often each occurs, as latencies are whole microseconds */

/* Sorts them. */
static void put_values(struct na_serializer *to, int64_t *v, size_t n)
{
	int64_t *tmp = na_calloc(n, sizeof(*tmp)), last = 0;
	size_t same;

	to->failed |= !tmp;
	if (tmp)
		na_sort_i64(v, tmp, n);
	free(tmp);
	for (size_t i = 0; !to->failed && i < n; i += same) {
		for (same = 1; i + same < n && v[i + same] == v[i];)
			same++;
		na_pack_number(to, same);
		na_pack_number(to, (uint64_t)v[i] - (uint64_t)last);
		last = v[i];
	}
	na_pack_number(to, 0);
}

/* Behind those that are there, `all` at most with them; returns how many. */
static uint64_t get_values(struct na_deserializer *from, int64_t **v, size_t *n,
			   size_t *cap)
{
	size_t before = *n, same;
	uint64_t last = 0;

	while ((same = na_unpack_index(from, VALUES_MAX - *n + 1)) > 0) {
		last += na_unpack_number(from);
		na_unpack_must(from, na_grow(v, cap, *n + same, sizeof(**v)));
		for (; !from->failed && same > 0; same--)
			(*v)[(*n)++] = (int64_t)last;
	}
	return *n - before;
}

static void put_cells(struct na_serializer *to, struct latency_state *s)
{
	int64_t *v = s->values.v;

	na_pack_number(to, s->cells.n);
	for (size_t i = 0; i < s->cells.n; i++) {
		const struct latency_cell *c = &s->cells.v[i];

		na_pack_number(to, c->owner);
		na_pack_number(to, c->klass);
		na_pack_wide(to, c->bytes);
		na_pack_wide(to, c->sum_ps);
		put_values(to, v, c->n);
		v += c->n;
	}
}

static void get_cells(struct na_deserializer *from, struct latency_state *s)
{
	size_t groups = na_groups_count(&s->groups);

	for (size_t n = na_unpack_count(from); !from->failed && n > 0; n--) {
		struct latency_cell c = {.next = LATENCY_NONE};

		c.owner = (uint32_t)na_unpack_index(from, groups);
		c.klass = (unsigned)na_unpack_index(from, NA_SIZE_CLASSES);
		c.bytes = na_unpack_sum(from);
		c.sum_ps = na_unpack_sum(from);
		c.n = get_values(from, &s->values.v, &s->values.n,
				 &s->values.cap);
		na_unpack_must(from, c.n && na_add(&s->cells, c));
	}
}

static void put_survey(struct na_serializer *to, struct latency_state *s)
{
	na_groups_pack(&s->groups, to);
	put_cells(to, s);
	put_values(to, s->actions.v, s->actions.n);
	na_early_pack(&s->clocks, to);
	na_pack_number(to, s->untimed);
	na_pack_number(to, s->calls);
}

static void get_survey(struct na_deserializer *from, struct latency_state *s)
{
	na_groups_unpack(&s->groups, &s->scope->by, s->scope->store, from);
	get_cells(from, s);
	get_values(from, &s->actions.v, &s->actions.n, &s->actions.cap);
	na_early_unpack(&s->clocks, from);
	s->untimed = na_unpack_tally(from);
	s->calls = na_unpack_tally(from);
}

/* ---- the second pass */

static void put_split(struct na_serializer *to, const struct latency_split *x)
{
	na_pack_number(to, x->n);
	na_pack_number(to, x->slow);
	na_pack_number(to, x->slow_network);
	na_pack_wide(to, x->action_ps);
	na_pack_wide(to, x->wire_ps);
	na_pack_wide(to, x->queued_ps);
	na_pack_wide(to, x->latency_ps);
	na_pack_wide(to, x->unposted_ps);
}

static void get_split(struct na_deserializer *from, struct latency_split *x)
{
	x->n = na_unpack_tally(from);
	x->slow = na_unpack_tally(from);
	x->slow_network = na_unpack_tally(from);
	x->action_ps = na_unpack_sum(from);
	x->wire_ps = na_unpack_sum(from);
	x->queued_ps = na_unpack_sum(from);
	x->latency_ps = na_unpack_sum(from);
	x->unposted_ps = na_unpack_sum(from);
}

/* An index that stands for nothing where it is not below n. */
static uint32_t get_index(struct na_deserializer *from, size_t n)
{
	uint64_t i = na_unpack_number(from);

	na_unpack_must(from, i < n || i == NA_UNKNOWN_U32);
	return (uint32_t)i;
}

static void put_worst(struct na_serializer *to, const struct latency_worst *w)
{
	na_pack_signed(to, w->latency_ps);
	na_pack_signed(to, w->end_ps);
	na_pack_number(to, w->size_bytes);
	na_pack_number(to, w->src);
	na_pack_number(to, w->dst);
	na_pack_number(to, w->collective);
	na_pack_number(to, w->step);
	na_pack_number(to, w->input);
}

static void get_worst(struct na_deserializer *from, struct latency_worst *w,
		      const struct na_store *store)
{
	w->latency_ps = na_unpack_signed(from);
	w->end_ps = na_unpack_signed(from);
	w->size_bytes = na_unpack_number(from);
	w->src = get_index(from, store->names.n_endpoints);
	w->dst = get_index(from, store->names.n_endpoints);
	w->collective = get_index(from, store->names.strings.n);
	w->step = get_index(from, store->n_steps);
	w->input = (uint32_t)na_unpack_index(from, store->n_sources);
}

static void put_judged(struct na_serializer *to, const struct latency_state *s)
{
	put_split(to, &s->split);
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct latency_row *row = &s->rows[i];

		put_split(to, &row->split);
		na_sketch_pack(&row->residual, to);
		na_pack_number(to, row->n_worst);
		for (size_t k = 0; k < row->n_worst; k++)
			put_worst(to, &row->worst[k]);
	}
}

static void get_judged(struct na_deserializer *from, struct latency_state *s)
{
	get_split(from, &s->split);
	for (size_t i = 0; !from->failed && i < s->n_rows; i++) {
		struct latency_row *row = &s->rows[i];
		size_t n;

		get_split(from, &row->split);
		na_sketch_unpack(&row->residual, from);
		n = na_unpack_index(from, LATENCY_SLOWEST + 1);
		row->worst = n ? na_calloc(n, sizeof(*row->worst)) : NULL;
		na_unpack_must(from, row->worst || !n);
		for (; !from->failed && row->n_worst < n; row->n_worst++)
			get_worst(from, &row->worst[row->n_worst],
				  s->scope->store);
	}
}

/* ---- what rank 0 decides */

static void put_rows(struct na_serializer *to, const struct latency_state *s)
{
	na_groups_pack(&s->groups, to);
	na_pack_number(to, s->n_rows);
	for (size_t i = 0; i < na_groups_count(&s->groups); i++)
		na_pack_number(to, s->shown.row_of[i]);
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct latency_row *row = &s->rows[i];

		na_pack_number(to, row->has_line);
		put_real(to, row->line.fixed_us);
		put_real(to, row->line.us_per_byte);
		put_real(to, row->p50_us);
		put_real(to, row->slow_us);
	}
	na_pack_signed(to, s->slow_ps);
	na_latency_busy_pack(s, to);
}

static void get_row(struct na_deserializer *from, struct latency_row *row)
{
	row->has_line = na_unpack_index(from, 2);
	row->line.fixed_us = get_real(from);
	row->line.us_per_byte = get_real(from);
	row->p50_us = get_real(from);
	row->slow_us = get_real(from);
}

static void get_rows(struct na_deserializer *from, struct latency_state *s)
{
	size_t n, rows;

	na_groups_unpack(&s->groups, &s->scope->by, s->scope->store, from);
	rows = na_unpack_count(from);
	n = na_groups_count(&s->groups);
	s->rows = na_calloc(rows, sizeof(*s->rows));
	s->n_rows = s->rows ? rows : 0;
	s->shown.row_of = na_calloc(n, sizeof(*s->shown.row_of));
	na_unpack_must(from, s->rows && s->shown.row_of);
	for (size_t i = 0; !from->failed && i < n; i++)
		s->shown.row_of[i] = (uint32_t)na_unpack_index(from, s->n_rows);
	for (size_t i = 0; !from->failed && i < s->n_rows; i++)
		get_row(from, &s->rows[i]);
	s->slow_ps = na_unpack_signed(from);
	na_latency_busy_unpack(s, from);
	na_unpack_must(from,
		       from->failed ||
			       na_latency_busy_count(&s->busy,
						     s->scope->store->n_hosts));
}

void na_latency_pack(void *state, enum na_packed_state what, unsigned pass,
		     struct na_serializer *to)
{
	struct latency_state *s = state;

	if (what == NA_PACKED_TURNED)
		put_rows(to, s);
	else if (what == NA_PACKED_LEFT && pass == 0)
		na_latency_busy_pack(s, to);
	else if (what == NA_PACKED_BLOCK && pass == 0)
		put_survey(to, s);
	else if (what == NA_PACKED_BLOCK)
		put_judged(to, s);
}

void na_latency_unpack(void *state, enum na_packed_state what, unsigned pass,
		       struct na_deserializer *from)
{
	struct latency_state *s = state;

	if (what == NA_PACKED_TURNED)
		get_rows(from, s);
	else if (what == NA_PACKED_LEFT && pass == 0)
		na_latency_busy_unpack(s, from);
	else if (what == NA_PACKED_BLOCK && pass == 0)
		get_survey(from, s);
	else if (what == NA_PACKED_BLOCK)
		get_judged(from, s);
}
