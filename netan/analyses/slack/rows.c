/* slack: occurrences to rows, the rows' order, and who was in flight at the
 * same time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/slack/slack.h"
#include "netan/base/order.h"

/* What a device's time is shared out by: keys that ops of all collectives
 * have alike. */
static struct na_grouping base_of(const struct na_grouping *by)
{
	struct na_grouping base = {.n = 0};

	for (size_t i = 0; i < by->n; i++) {
		if (by->keys[i] != NA_KEY_COLLECTIVE &&
		    by->keys[i] != NA_KEY_TRANSFER_TYPE)
			base.keys[base.n++] = by->keys[i];
	}
	return base;
}

static bool chosen(const struct sl_state *s, uint32_t collective)
{
	return na_filter_collective(
		s->scope->filter,
		na_strtab_at(&s->scope->store->names.strings, collective));
}

static struct sl_row *row_of(struct sl_state *s, const struct na_grouping *base,
			     struct sl_occ *o)
{
	const struct na_store *store = s->scope->store;
	uint64_t values[NA_MAX_KEYS] = {0};
	uint32_t type = na_slack_transfer_type(s, o), group, of;
	struct sl_row *row;

	na_group_of_core(&s->by, store, o->core, o->step, o->collective, type,
			 values);
	group = na_groups_add(&s->groups, values);
	na_group_of_core(base, store, o->core, o->step, o->collective, type,
			 values);
	of = na_groups_add(&s->bases, values);
	if (group == NA_NO_NAME || of == NA_NO_NAME)
		return NULL;
	o->row = na_triples_add(&s->keys,
				(struct na_triple){o->collective, group, 0});
	if (o->row == NA_NO_TRIPLE ||
	    !na_grow(&s->rows, &s->cap_rows, (size_t)o->row + 1,
		     sizeof(*s->rows)))
		return NULL;
	row = &s->rows[o->row];
	if (o->row == s->n_rows) {
		s->n_rows++;
		*row = (struct sl_row){
			.collective = o->collective,
			.group = group,
			.base = of,
			.send_type = o->types[SL_SEND],
			.recv_type = o->types[SL_RECV_DONE],
			.transfer_type = type,
		};
	}
	return row;
}

/* The reference cuts its sum of host stalls each time. */
static na_i128 cut_us(na_i128 ps)
{
	return ps / NA_PS_PER_US * NA_PS_PER_US;
}

static void add_bytes(struct sl_state *s, struct sl_row *row,
		      const struct sl_occ *o)
{
	na_i128 bytes;
	bool estimate;

	if (!na_slack_bytes(s, o, &bytes, &estimate))
		return;
	row->mixed_bytes |= row->sized &&
			    bytes * (na_i128)row->sized != row->bytes;
	row->sized++;
	row->bytes += bytes;
	row->sized_wire_ps += o->wire_ps;
	row->estimate |= estimate;
}

static void add_occ(struct sl_state *s, struct sl_row *row,
		    const struct sl_occ *o)
{
	row->n++;
	row->slack_ps += o->slack_ps;
	row->observed_ps += o->observed_ps;
	row->stall_ps += o->stall_ps;
	for (int p = 0; p < SL_PARTS; p++)
		row->part_ps[p] += o->part_ps[p];
	row->wire_ps += o->wire_ps;
	if (o->host_stall_ps != NA_UNKNOWN_PS) {
		row->graphs++;
		row->host_stall_ps += o->host_stall_ps;
		if (s->params->reference)
			row->host_stall_ps = cut_us(row->host_stall_ps);
	}
	add_bytes(s, row, o);
}

/* ---- devices and step times */

struct count {
	struct na_triples seen, per; /* (row, core); (collective, input) */
	NA_VEC(uint32_t) n;          /* cores, by `per` */
	struct na_triples lanes;     /* (collective, core) */
	uint32_t *most;              /* cores of one host, by collective */
	bool *cores;
};

static bool count_one(struct sl_state *s, struct count *c,
		      const struct sl_occ *o)
{
	uint32_t input = s->scope->store->devices.cores[o->core].input;
	size_t before = c->seen.n, lanes = c->lanes.n;
	uint32_t at;

	if (na_triples_add(&c->seen, (struct na_triple){o->row, o->core, 0}) ==
		    NA_NO_TRIPLE ||
	    na_triples_add(&c->lanes, (struct na_triple){o->collective, o->core,
							 0}) == NA_NO_TRIPLE)
		return false;
	s->rows[o->row].devices += c->seen.n > before;
	at = na_triples_add(&c->per,
			    (struct na_triple){o->collective, input, 0});
	if (at == NA_NO_TRIPLE || (at == c->n.n && !na_push(&c->n)))
		return false;
	c->n.v[at] += c->lanes.n > lanes;
	if (c->n.v[at] > c->most[o->collective])
		c->most[o->collective] = c->n.v[at];
	s->devices += !c->cores[o->core];
	c->cores[o->core] = true;
	return true;
}

/* The part of a step that is looked at. */
static int64_t step_length(const struct sl_state *s, const struct na_span *x)
{
	const struct na_run_window w =
		na_filter_of_input(s->scope->filter, s->scope->store, x->input);
	int64_t from = x->start_ps > w.from_ps ? x->start_ps : w.from_ps;
	int64_t to = x->end_ps < w.to_ps ? x->end_ps : w.to_ps;

	if (!na_window_has_step(&w, x->number))
		return 0;
	return na_time_between(from, to);
}

uint32_t na_slack_store_step(const struct na_store *store,
			     const struct na_span *x)
{
	uint32_t run = store->sources[x->input].run;
	size_t at = NA_BOUND(i, 0, store->n_steps,
			     store->steps[i].run > run ||
				     (store->steps[i].run == run &&
				      store->steps[i].number >= x->number));

	return at < store->n_steps && store->steps[at].run == run &&
			       store->steps[at].number == x->number
		       ? (uint32_t)at
		       : NA_UNKNOWN_U32;
}

static bool add_steps(struct sl_state *s, const struct na_grouping *base,
		      const bool *cores)
{
	na_i128 *of = na_calloc(na_groups_count(&s->bases) + 1, sizeof(*of));

	for (size_t i = 0; of && i < s->got.steps.n; i++) {
		const struct na_span *x = &s->got.steps.v[i];
		uint64_t values[NA_MAX_KEYS] = {0};
		uint32_t group;

		if (!cores[x->core])
			continue;
		na_group_of_core(base, s->scope->store, x->core,
				 na_slack_store_step(s->scope->store, x),
				 NA_UNKNOWN_U32, NA_UNKNOWN_U32, values);
		group = na_groups_find(&s->bases, values);
		s->step_ps += step_length(s, x);
		if (group != NA_NO_NAME)
			of[group] += step_length(s, x);
	}
	for (size_t i = 0; of && i < s->n_rows; i++)
		s->rows[i].step_ps = of[s->rows[i].base];
	free(of);
	return of;
}

static bool count_devices(struct sl_state *s, const struct na_grouping *base)
{
	const struct na_store *store = s->scope->store;
	struct count c = {.cores = na_calloc(store->devices.n_cores,
					     sizeof(bool)),
			  .most = na_calloc(store->names.strings.n,
					    sizeof(uint32_t))};
	bool ok = c.cores && c.most;

	for (size_t i = 0; ok && i < s->n; i++) {
		if (s->occs[i].row != NA_UNKNOWN_U32)
			ok = count_one(s, &c, &s->occs[i]);
	}
	for (size_t i = 0; ok && i < s->n_rows; i++)
		s->rows[i].host_devices = c.most[s->rows[i].collective];
	ok = ok && add_steps(s, base, c.cores);
	na_triples_fini(&c.seen);
	na_triples_fini(&c.per);
	na_triples_fini(&c.lanes);
	na_vec_free(&c.n);
	free(c.cores);
	free(c.most);
	return ok;
}

/* Occurrences by row, in their order. */
static bool order_occs(struct sl_state *s)
{
	uint64_t at = 0;

	s->order = na_calloc(s->n, sizeof(*s->order));
	if (!s->order)
		return false;
	for (size_t i = 0; i < s->n_rows; i++) {
		s->rows[i].first = at;
		at += s->rows[i].n;
		s->rows[i].n = 0;
	}
	for (size_t i = 0; i < s->n; i++) {
		if (s->occs[i].row != NA_UNKNOWN_U32) {
			struct sl_row *row = &s->rows[s->occs[i].row];

			s->order[row->first + row->n++] = (uint32_t)i;
		}
	}
	return true;
}

bool na_slack_sum_up(struct sl_state *s)
{
	struct na_grouping base = base_of(&s->by);

	na_groups_init(&s->groups, &s->by);
	na_groups_init(&s->bases, &base);
	for (size_t i = 0; i < s->n; i++) {
		struct sl_occ *o = &s->occs[i];
		struct sl_row *row;

		o->row = NA_UNKNOWN_U32;
		if (!chosen(s, o->collective))
			continue;
		row = row_of(s, &base, o);
		if (!row)
			return false;
		add_occ(s, row, o);
		s->stall_ps += o->stall_ps;
		na_extent_add(&s->used, o->start_ps, o->end_ps);
	}
	return count_devices(s, &base) && order_occs(s) && na_slack_overlaps(s);
}
